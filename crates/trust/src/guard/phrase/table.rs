//! A table of phrases, as the guards' rule files have them.
//!
//! ```text
//! # A note.
//! = kin father mother dad        a class: the words after its name
//! [cardiac]                      a section: what the phrases below it stand for
//! ! my @kin ~2 collaps*          a phrase, behind a mark of one character
//! ```
//!
//! A phrase is a sequence of these, within one sentence:
//!
//! | written | stands for |
//! | --- | --- |
//! | `pain` | that word, folded as [`Words`] are |
//! | `collaps*` | a word that begins so |
//! | `@kin` | a word of that class |
//! | `#` | a word that begins with a digit |
//! | `pain\|ache*\|@kin` | any of them |
//! | `the?` | what stands before the question mark, or nothing |
//! | `~3` | up to three words of any kind |
//! | `^` | the beginning of a sentence; only in front of all else |

use std::cell::Cell;
use std::collections::BTreeMap;

use super::loose::{SLIP, slipped, stem};
use ibid_text::is_single;

/// The most words that a phrase can cover: the places after its first word are the bits of a number.
pub(super) const REACH: usize = 63;

/// No parent: what begins a chain of words that begin each other.
const NONE: u16 = u16::MAX;

/// The least room between two words at which their order is free.
const FREE: u8 = 4;

/// From here on a number stands for a class instead of a symbol.
const CLASS: u16 = 1 << 15;

/// A step of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A word that the symbol stands for.
    Symbol(u16),
    /// Such a word, or nothing.
    Maybe(u16),
    /// Up to so many words.
    Gap(u8),
}

/// A phrase of a table.
#[derive(Debug)]
pub(in crate::guard) struct Phrase {
    /// The name of the section it stands in.
    pub(in crate::guard) section: &'static str,
    /// The character in front of it.
    pub(in crate::guard) mark: u8,
    pub(super) first: bool,
    pub(super) steps: Vec<Step>,
}

/// A word, or the beginning of words, that phrases name.
#[derive(Debug)]
struct Entry {
    text: &'static str,
    /// The longest other entry that this one begins with.
    parent: u16,
    /// Symbols that stand for exactly this word, and classes that it is of.
    whole: Vec<u16>,
    /// Symbols that stand for every word that begins so, and classes that they are of.
    start: Vec<u16>,
}

/// A table that has been read.
#[derive(Debug, Default)]
pub(in crate::guard) struct Table {
    pub(super) phrases: Vec<Phrase>,
    /// By symbol, the phrases that begin with it.
    pub(super) starts: Vec<Vec<u16>>,
    entries: Vec<Entry>,
    /// By the first byte of an entry's text, how many entries begin with a lower one.
    first: Vec<u16>,
    /// By class, the symbols that stand for its words.
    classes: Vec<Vec<u16>>,
    number: Vec<u16>,
    /// Of a table that is read loosely, the stems of its words with what stands for them, in order.
    stems: Vec<(&'static str, Vec<u16>)>,
    loose: bool,
    /// Lines that could not be read; a test sees that there are none.
    #[cfg(test)]
    pub(in crate::guard) wrong: Vec<&'static str>,
}

#[derive(Default)]
struct Reader {
    table: Table,
    classes: BTreeMap<&'static str, u16>,
    symbols: BTreeMap<&'static str, u16>,
    /// By text, the symbols of whole words and of beginnings.
    named: BTreeMap<&'static str, [Vec<u16>; 2]>,
}

impl Table {
    /// Reads a table. Lines that are none are passed over.
    pub(in crate::guard) fn read(text: &'static str) -> Self {
        let mut reader = Reader::default();
        let mut section = "";
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let mut read = true;
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = name;
            } else if let Some(class) = line.strip_prefix("= ") {
                read = reader.class(class).is_some();
            } else {
                read = reader.phrase(section, line).is_some();
            }
            if !read {
                #[cfg(test)]
                reader.table.wrong.push(line);
            }
        }
        reader.finish()
    }

    /// Reads a table whose words stand for their other present forms too, and for what is one slip away from them.
    pub(in crate::guard) fn read_loosely(text: &'static str) -> Self {
        let mut table = Self::read(text);
        table.loose = true;
        table.turn();
        let mut stems: BTreeMap<&'static str, Vec<u16>> = BTreeMap::new();
        for entry in &table.entries {
            stems.entry(stem(entry.text)).or_default().extend(&entry.whole);
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
            let Phrase { section, mark, ref steps, .. } = self.phrases[number];
            if let [Step::Symbol(one), Step::Gap(room @ FREE..), Step::Symbol(other)] = steps[..]
                && mark != b'?'
            {
                let Ok(turned) = u16::try_from(self.phrases.len()) else { return };
                let steps = vec![Step::Symbol(other), Step::Gap(room), Step::Symbol(one)];
                self.phrases.push(Phrase { section, mark, first: false, steps });
                self.starts[usize::from(other)].push(turned);
            }
        }
    }

    /// The symbols that stand for a folded word, handed to `emit`.
    pub(super) fn symbols(&self, word: &str, mut emit: impl FnMut(&[u16])) {
        if word.starts_with(|char: char| char.is_ascii_digit()) {
            emit(&self.number);
        }
        // Every entry that the word begins with is the last one not after it, or begins that one.
        let Some(&first) = word.as_bytes().first() else { return };
        let bound = |byte: usize| self.first.get(byte).map_or(self.entries.len(), |&at| usize::from(at));
        let (from, to) = (bound(usize::from(first)), bound(usize::from(first) + 1));
        let Some(entries) = self.entries.get(from..to) else { return };
        let after = entries.partition_point(|entry| entry.text <= word);
        // What begins with the same byte is all that can begin the word.
        let mut at = if after == 0 { usize::MAX } else { from + after - 1 };
        let known = Cell::new(false);
        let mut hand = |numbers: &[u16]| {
            known.set(known.get() || !numbers.is_empty());
            for &number in numbers {
                match number.checked_sub(CLASS).and_then(|class| self.classes.get(usize::from(class))) {
                    Some(class) => emit(class),
                    None => emit(&[number]),
                }
            }
        };
        while let Some(entry) = self.entries.get(at) {
            if word.starts_with(entry.text) {
                // What is read loosely has its words under their stems.
                if word.len() == entry.text.len() && !self.loose {
                    hand(&entry.whole);
                }
                hand(&entry.start);
            }
            at = if entry.parent == NONE { usize::MAX } else { usize::from(entry.parent) };
        }
        if !self.loose {
            return;
        }
        let stem = stem(word);
        if let Ok(at) = self.stems.binary_search_by(|(other, _)| (*other).cmp(stem)) {
            hand(&self.stems[at].1);
        }
        if !known.get() && word.len() >= SLIP && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            for entry in entries {
                if !entry.start.is_empty() && slipped(word, entry.text, true) {
                    hand(&entry.start);
                }
                if !entry.whole.is_empty() && slipped(word, entry.text, false) {
                    hand(&entry.whole);
                }
            }
        }
    }

    /// The sections and marks of all phrases.
    #[cfg(test)]
    pub(in crate::guard) fn sections(&self) -> impl Iterator<Item = (&'static str, u8)> {
        self.phrases.iter().map(|phrase| (phrase.section, phrase.mark))
    }

    /// How many symbols there are.
    pub(super) fn symbol_count(&self) -> usize {
        self.starts.len()
    }
}

impl Reader {
    /// Reads a line with a phrase; `None` if it is none.
    fn phrase(&mut self, section: &'static str, line: &'static str) -> Option<()> {
        let (mark, rest) = line.split_once(' ')?;
        let &[mark] = mark.as_bytes() else { return None };
        let mut steps = Vec::new();
        let mut first = false;
        let mut reach = 0;
        for part in rest.split_whitespace() {
            if part == "^" {
                first = true;
                continue;
            }
            if let Some(count) = part.strip_prefix('~') {
                let count: u8 = count.parse().ok()?;
                reach += usize::from(count);
                steps.push(Step::Gap(count));
                continue;
            }
            if part.starts_with(is_single) && !part.contains('|') {
                // What is not set apart in the text is not in the table either.
                for (at, char) in part.char_indices() {
                    let symbol = self.symbol(&part[at..at + char.len_utf8()])?;
                    steps.push(Step::Symbol(symbol));
                    reach += 1;
                }
                continue;
            }
            let (named, maybe) = part.strip_suffix('?').map_or((part, false), |named| (named, true));
            let symbol = self.symbol(named)?;
            steps.push(if maybe { Step::Maybe(symbol) } else { Step::Symbol(symbol) });
            reach += 1;
        }
        let (Some(&Step::Symbol(begins)), Some(Step::Symbol(_) | Step::Maybe(_))) =
            (steps.first(), steps.last())
        else {
            return None;
        };
        if reach > REACH {
            return None;
        }
        let index = u16::try_from(self.table.phrases.len()).ok()?;
        self.table.phrases.push(Phrase { section, mark, first, steps });
        self.table.starts.get_mut(usize::from(begins))?.push(index);
        Some(())
    }

    /// Reads a line with a class.
    fn class(&mut self, line: &'static str) -> Option<()> {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        let class = u16::try_from(self.table.classes.len()).ok().filter(|&class| class < CLASS)?;
        self.table.classes.push(Vec::new());
        self.classes.insert(name, class);
        words.try_for_each(|word| self.name(word, CLASS + class))
    }

    /// The number of what is written so in a phrase.
    fn symbol(&mut self, written: &'static str) -> Option<u16> {
        if let Some(&symbol) = self.symbols.get(written) {
            return Some(symbol);
        }
        let symbol = u16::try_from(self.table.starts.len()).ok().filter(|&symbol| symbol < CLASS)?;
        for word in written.split('|') {
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

    fn name(&mut self, word: &'static str, symbol: u16) -> Option<()> {
        if word == "#" {
            if symbol >= CLASS {
                return None;
            }
            self.table.number.push(symbol);
            return Some(());
        }
        let (text, kind) = word.strip_suffix('*').map_or((word, 0), |text| (text, 1));
        if text.is_empty() || !text.chars().all(char::is_alphanumeric) {
            return None;
        }
        self.named.entry(text).or_default()[kind].push(symbol);
        Some(())
    }

    fn finish(mut self) -> Table {
        let mut open: Vec<u16> = Vec::new();
        for (index, (text, [mut whole, mut start])) in self.named.into_iter().enumerate() {
            for numbers in [&mut whole, &mut start] {
                numbers.sort_unstable();
                numbers.dedup();
            }
            while let Some(&last) = open.last()
                && !text.starts_with(self.table.entries[usize::from(last)].text)
            {
                open.pop();
            }
            let parent = open.last().copied().unwrap_or(NONE);
            self.table.entries.push(Entry { text, parent, whole, start });
            open.push(u16::try_from(index).unwrap_or(NONE - 1));
        }
        self.table.first = (0..=255_u8)
            .map(|byte| {
                let lower =
                    self.table.entries.partition_point(|entry| entry.text.as_bytes().first() < Some(&byte));
                u16::try_from(lower).unwrap_or(u16::MAX)
            })
            .collect();
        self.table
    }
}
