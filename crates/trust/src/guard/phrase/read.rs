//! Reading a table from its text.

use std::collections::BTreeMap;

use super::find::REACH;
use super::table::{CLASS, Look, NONE, Phrase, PhraseStep, RuleTable, RuleWord, StepTest, TraitCheck};
use ibid_platform::order;
use ibid_text::{is_single, present_stem};

/// The least room between two words at which their order is free.
const FREE: u8 = 4;

impl RuleTable {
    /// Reads a table. Lines that are none are passed over.
    pub(in crate::guard) fn read(text: &'static str) -> Self {
        RuleReader::new(&[]).read(text)
    }

    /// Reads a table for words of which more is known: the names of traits, and of the classes that are asked for as
    /// such, in the order of their bits in [`WordTraits`].
    pub(in crate::guard) fn read_with(traits: &[&'static str], text: &'static str) -> Self {
        RuleReader::new(traits).read(text)
    }

    /// Reads a table whose words stand for their other present forms too, and for what is one slip away from them.
    pub(in crate::guard) fn read_loosely(text: &'static str) -> Self {
        let mut table = Self::read(text);
        table.loose = true;
        table.turn();
        let mut stems: BTreeMap<&'static str, Vec<u16>> = BTreeMap::new();
        for word in &table.words {
            stems.entry(present_stem(word.text)).or_default().extend(&word.whole);
        }
        for symbols in stems.values_mut() {
            symbols.sort_unstable();
            symbols.dedup();
        }
        table.stems = stems.into_iter().collect();
        table
    }

    /// Adds to each phrase of two words with room between them the one with its words in turned order: who says "pain in
    /// the chest" says "my chest is in pain" too. Cues mean what they mean by their order.
    fn turn(&mut self) {
        for number in 0..self.phrases.len() {
            let Phrase { section, mark, lead, ref steps, .. } = self.phrases[number];
            if let [one, room, other] = steps[..]
                && let (StepTest::Symbol(_), StepTest::Any, StepTest::Symbol(symbol)) =
                    (one.test, room.test, other.test)
                && (one.least, other.least) == (1, 1)
                && room.most >= FREE
                && mark != b'?'
            {
                let Ok(turned) = u16::try_from(self.phrases.len()) else { return };
                self.phrases.push(Phrase {
                    section,
                    mark,
                    first: false,
                    steps: vec![other, room, one],
                    lead,
                });
                self.starts[usize::from(symbol)].push(turned);
            }
        }
    }
}

/// The state of reading.
#[derive(Default)]
pub(super) struct RuleReader {
    table: RuleTable,
    classes: BTreeMap<&'static str, u16>,
    symbols: BTreeMap<&'static str, u16>,
    parts: BTreeMap<&'static str, u16>,
    /// Words with what stands for them; for every word that begins so if it is said.
    named: Vec<(&'static str, bool, u16)>,
    /// The number of the first classes that are bits of a word's traits.
    traits: usize,
}

impl RuleReader {
    pub(super) fn new(traits: &[&'static str]) -> Self {
        let mut reader = Self { traits: traits.len(), ..Self::default() };
        traits.iter().for_each(|name| {
            reader.class(name);
        });
        reader
    }

    pub(super) fn read(mut self, text: &'static str) -> RuleTable {
        let mut section = "";
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let read = if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = name;
                Some(())
            } else {
                line.split_once(' ').and_then(|(mark, rest)| match mark.as_bytes() {
                    b"=" => self.words(rest),
                    b":" => self.part(rest),
                    b"\"" => {
                        self.table.texts.push((section, rest));
                        Some(())
                    }
                    &[mark] => self.phrase(section, mark, rest),
                    _ => None,
                })
            };
            if read.is_none() {
                #[cfg(test)]
                self.table.wrong.push(line);
            }
        }
        self.finish()
    }

    /// Reads what a phrase is; `None` if it is none.
    fn phrase(&mut self, section: &'static str, mark: u8, line: &'static str) -> Option<()> {
        let (first, line) = line.strip_prefix("^ ").map_or((false, line), |rest| (true, rest));
        let (lead, found) = line.split_once("< ").unwrap_or(("", line));
        let mut steps = self.steps(lead, NONE)?;
        let lead = u8::try_from(steps.len()).ok()?;
        steps.extend(self.steps(found, NONE)?);
        let reach: usize = steps.iter().map(|step| usize::from(step.most)).sum();
        if steps.last()?.test == StepTest::Any || reach > REACH {
            return None;
        }
        let index = u16::try_from(self.table.phrases.len()).ok()?;
        let mut begins = Vec::new();
        if !self.begins(&steps, &mut begins)? {
            return None;
        }
        for test in begins {
            match test {
                StepTest::Symbol(symbol) => self.table.starts.get_mut(usize::from(symbol))?.push(index),
                StepTest::Check(check) => {
                    for way in &self.table.checks[usize::from(check)] {
                        // The later names say more of a word.
                        let bit = 63_u32.checked_sub(way.all.leading_zeros())?;
                        self.table.opening |= 1 << bit;
                        self.table.openers.resize(64, Vec::new());
                        self.table.openers[bit as usize].push((way.clone(), index));
                    }
                }
                _ => {}
            }
        }
        self.table.phrases.push(Phrase { section, mark, first, steps, lead });
        Some(())
    }

    /// Collects what steps may begin with, and says whether it is all; `None` if they begin with anything.
    fn begins(&self, steps: &[PhraseStep], begins: &mut Vec<StepTest>) -> Option<bool> {
        let mut moved = false;
        for step in steps {
            match (step.look, step.test) {
                (Look::No, _) => {}
                (Look::Ahead, StepTest::Check(at))
                    if !moved && self.table.checks[usize::from(at)].iter().all(|way| way.all != 0) =>
                {
                    begins.push(step.test);
                    return Some(true);
                }
                _ => continue,
            }
            moved = true;
            let mut whole = true;
            match step.test {
                StepTest::Any | StepTest::End => return None,
                StepTest::Part(part) => {
                    for way in self.table.parts.get(usize::from(part))? {
                        whole &= self.begins(way, begins)?;
                    }
                }
                test if begins.contains(&test) => {}
                test => begins.push(test),
            }
            if step.least > 0 && whole {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Reads a way of a part, which uses only parts before it.
    fn part(&mut self, line: &'static str) -> Option<()> {
        let (name, line) = line.split_once(' ')?;
        let known = self.parts.get(name).copied();
        let part = known.map_or_else(|| u16::try_from(self.table.parts.len()).ok(), Some)?;
        let steps = self.steps(line, part)?;
        if known.is_none() {
            self.parts.insert(name, part);
            self.table.parts.push(Vec::new());
        }
        self.table.parts.get_mut(usize::from(part))?.push(steps);
        Some(())
    }

    fn steps(&mut self, line: &'static str, before: u16) -> Option<Vec<PhraseStep>> {
        let mut steps = Vec::new();
        for written in line.split_ascii_whitespace() {
            let (written, look) = match parted(written) {
                (">", ahead) if !ahead.is_empty() => (ahead, Look::Ahead),
                ("!", part) if part.starts_with('$') => (part, Look::Away),
                _ => (written, Look::No),
            };
            let mut push = |test, (least, most)| steps.push(PhraseStep { test, least, most, look });
            if let Some(count) = written.strip_prefix('~') {
                push(StepTest::Any, (0, count.parse().ok()?));
            } else if written == "$" {
                push(StepTest::End, (1, 1));
            } else if written.starts_with(is_single) && !written.contains('|') {
                // What is not set apart in the text is not in the table either.
                for (at, char) in written.char_indices() {
                    push(StepTest::Symbol(self.symbol(&written[at..at + char.len_utf8()])?), (1, 1));
                }
            } else {
                let (written, count) = counted(written)?;
                let test = if let Some(name) = written.strip_prefix('$') {
                    StepTest::Part(*self.parts.get(name).filter(|part| **part < before)?)
                } else if written.len() > 1
                    && !is_sign(written)
                    && written.contains(['&', '!', ':', '=', '+', '_'])
                    || written.split('|').any(|one| one.starts_with('@') && one.contains(char::is_uppercase))
                {
                    StepTest::Check(self.condition(written)?)
                } else {
                    StepTest::Symbol(self.symbol(written)?)
                };
                push(test, count);
            }
        }
        Some(steps)
    }

    /// Looks up the number of a check.
    fn condition(&mut self, written: &'static str) -> Option<u16> {
        let mut any = Vec::new();
        let bit = |name| self.classes.get(name).map(|class| 1 << class);
        let (written, all, none) = match parted(written) {
            ("+", rest) if !rest.is_empty() => (rest, bit("Glued")?, 0),
            ("_", rest) if !rest.is_empty() => (rest, 0, bit("Line")?),
            _ => (written, 0, 0),
        };
        for way in written.split('|') {
            let mut check =
                TraitCheck { all, none, width: (0, u16::MAX), value: (0, u32::MAX), symbol: None };
            for one in way.split('&') {
                let (one, denied) = match parted(one) {
                    ("!", rest) if !rest.is_empty() => (rest, true),
                    _ => (one, false),
                };
                let asked = one.strip_prefix('@').unwrap_or_default();
                let (asked, value) = asked.split_once('=').unwrap_or((asked, "0-"));
                let (name, width) = asked.split_once(':').unwrap_or((asked, "0-"));
                match self.classes.get(name).filter(|class| usize::from(**class) < self.traits) {
                    Some(class) => {
                        *(if denied { &mut check.none } else { &mut check.all }) |= 1 << class;
                        let (value, width) = (range(value, u32::MAX)?, range(width, u16::MAX)?);
                        check.value = (check.value.0.max(value.0), check.value.1.min(value.1));
                        check.width = (check.width.0.max(width.0), check.width.1.min(width.1));
                    }
                    // A word, or a class that is no trait.
                    None if denied || check.symbol.is_some() => return None,
                    None => check.symbol = Some(self.symbol(one)?),
                }
            }
            any.push(check);
        }
        let known = self.table.checks.iter().position(|other| *other == any);
        let at = known.unwrap_or(self.table.checks.len());
        if known.is_none() {
            self.table.checks.push(any);
        }
        u16::try_from(at).ok()
    }

    /// Looks up the number of a class.
    fn class(&mut self, name: &'static str) -> Option<u16> {
        if let Some(&class) = self.classes.get(name) {
            return Some(class);
        }
        let class = u16::try_from(self.table.classes.len()).ok().filter(|&class| class < CLASS)?;
        self.table.classes.push(Vec::new());
        self.classes.insert(name, class);
        Some(class)
    }

    /// Reads a line with the words of a class.
    fn words(&mut self, line: &'static str) -> Option<()> {
        let (names, words) = line.split_once(' ')?;
        for name in names.split(',') {
            let class = self.class(name)?;
            words.split_ascii_whitespace().try_for_each(|word| self.name(word, CLASS + class))?;
        }
        Some(())
    }

    /// Looks up the number of what is written so in a phrase.
    fn symbol(&mut self, written: &'static str) -> Option<u16> {
        if let Some(&symbol) = self.symbols.get(written) {
            return Some(symbol);
        }
        let symbol = u16::try_from(self.table.starts.len()).ok().filter(|&symbol| symbol < CLASS)?;
        let words = if is_sign(written) { vec![written] } else { written.split('|').collect() };
        for word in words {
            if let Some(class) = word.strip_prefix('@') {
                let class = *self.classes.get(class)?;
                self.table.classes.get_mut(usize::from(class))?.push(symbol);
            } else {
                self.name(word, symbol)?;
            }
        }
        self.symbols.insert(written, symbol);
        self.table.starts.push(Vec::new());
        Some(symbol)
    }

    /// Notes that a number stands for what is written.
    fn name(&mut self, word: &'static str, number: u16) -> Option<()> {
        if word == "#" {
            if number >= CLASS {
                return None;
            }
            self.table.number.push(number);
            return Some(());
        }
        let letters = |text: &str| !text.is_empty() && text.chars().all(char::is_alphanumeric);
        if let Some(ending) = word.strip_prefix('*').filter(|text| letters(text)) {
            self.table.endings.entry(*ending.as_bytes().last()?).or_default().push((ending, number));
            return Some(());
        }
        let sign = word.strip_prefix('\\');
        let (text, begins) = match (sign, word.strip_suffix('*')) {
            (Some(sign), _) => (sign, false),
            (None, Some(text)) => (text, true),
            _ => (word, false),
        };
        let alone =
            text.chars().count() == 1 && !begins && (sign.is_some() || !matches!(text, "?" | "@" | "|"));
        if !letters(text) && !alone {
            return None;
        }
        self.named.push((text, begins, number));
        Some(())
    }

    fn finish(mut self) -> RuleTable {
        order::by(&mut self.named, Ord::cmp);
        self.named.dedup();
        let words = &mut self.table.words;
        let mut open: Vec<u16> = Vec::new();
        for (text, begins, number) in self.named {
            if words.last().is_none_or(|last| last.text != text) {
                while let Some(&last) = open.last()
                    && !text.starts_with(words[usize::from(last)].text)
                {
                    open.pop();
                }
                let parent = open.last().copied().unwrap_or(NONE);
                open.push(u16::try_from(words.len()).unwrap_or(NONE - 1));
                words.push(RuleWord { text, parent, whole: Vec::new(), start: Vec::new() });
            }
            if let Some(last) = words.last_mut() {
                (if begins { &mut last.start } else { &mut last.whole }).push(number);
            }
        }
        self.table.first = (0..=255_u8)
            .map(|byte| {
                let lower = words.partition_point(|word| word.text.as_bytes().first() < Some(&byte));
                u16::try_from(lower).unwrap_or(u16::MAX)
            })
            .collect();
        self.table
    }
}

/// Says whether this stands for a sign that would mean something else: `\|`.
fn is_sign(written: &str) -> bool {
    written.strip_prefix('\\').is_some_and(|sign| sign.chars().count() == 1)
}

/// Splits off the sign that something begins with.
fn parted(written: &str) -> (&str, &str) {
    written.split_at_checked(1).unwrap_or(("", written))
}

/// Reads the part written before `?` or `{0,4}`, and how often it may stand there.
fn counted(written: &'static str) -> Option<(&'static str, (u8, u8))> {
    if let Some(once) = written.strip_suffix('?') {
        return Some((once, (0, 1)));
    }
    let Some((once, count)) = written.strip_suffix('}').and_then(|rest| rest.split_once('{')) else {
        return Some((written, (1, 1)));
    };
    let (least, most) = count.split_once(',')?;
    Some((once, (least.parse().ok()?, most.parse().ok()?)))
}

/// `4`, `4-6` or `4-`.
fn range<N: std::str::FromStr + Copy>(written: &str, most: N) -> Option<(N, N)> {
    let (from, to) = written.split_once('-').unwrap_or((written, written));
    Some((from.parse().ok()?, if to.is_empty() { most } else { to.parse().ok()? }))
}
