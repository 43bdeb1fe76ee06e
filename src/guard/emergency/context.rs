//! Which of the signs in a question are of something present: by who is spoken of, by tense, negation and condition, and by
//! whether the question asks to know or tells.

use std::ops::Range;

use super::EmergencyCategory;
use crate::guard::phrase::{Found, Gap, Words};

/// What cues say about the signs near them; each is a section of the rules.
const CUES: [&str; 14] = [
    "negation",
    "over",
    "past",
    "time",
    "if",
    "study",
    "case",
    "asking",
    "state",
    "now",
    "turn",
    "child-near",
    "pregnant",
    "kin",
];

/// How many words before a sign a negation or a mention of the past reaches.
const BEFORE: usize = 12;
/// How many words behind a sign its end can be told.
const BEHIND: usize = 8;

#[cfg(test)]
pub(super) fn is_cue(section: &str) -> bool {
    CUES.contains(&section)
}

/// The cues of a question, by kind, each in order.
struct Cues([Vec<Range<usize>>; CUES.len()]);

impl Cues {
    fn of(&self, kind: &str) -> &[Range<usize>] {
        CUES.iter().position(|&cue| cue == kind).map_or(&[], |at| &self.0[at])
    }

    /// The last cue that ends within `room` words of its end.
    fn last_within(&self, kind: &str, room: &Range<usize>) -> Option<&Range<usize>> {
        let cues = self.of(kind);
        let mut at = cues.partition_point(|cue| cue.start < room.end);
        // Cues are in order of their beginnings; one that is longer may end behind a later one, which no cue does by much.
        let least = at.saturating_sub(8);
        while at > least {
            at -= 1;
            if cues[at].start >= room.start && cues[at].end <= room.end {
                return Some(&cues[at]);
            }
        }
        None
    }

    fn within(&self, kind: &str, room: &Range<usize>) -> bool {
        self.last_within(kind, room).is_some()
    }

    fn any(&self, kind: &str) -> bool {
        !self.of(kind).is_empty()
    }
}

/// The emergency that the phrases of a question tell of: its category, and the words that tell.
pub(super) fn present(words: &Words, found: &[Found]) -> Option<(EmergencyCategory, Range<usize>)> {
    let mut cues = Cues(Default::default());
    let mut signs = Vec::new();
    for found in found {
        if let Some(category) = EmergencyCategory::parse(found.section) {
            signs.push((category, found.mark, found.words.clone()));
        } else if let Some(kind) = CUES.iter().position(|&cue| cue == found.section) {
            cues.0[kind].push(found.words.clone());
        }
    }
    if signs.is_empty() {
        return None;
    }
    let bounds = Bounds::of(words);
    let mut present: Vec<(EmergencyCategory, Range<usize>)> = Vec::new();
    for (category, mark, sign) in signs {
        let sentence = bounds.around(&bounds.sentences, sign.start);
        if !put_aside(mark, &sign, &sentence, &bounds, &cues) {
            present.push((refined(category, &cues), sign));
        }
    }
    let category = present.iter().map(|(category, _)| *category).min()?;
    // What tells of it is the first sign, with those that overlap with it.
    let mut signs = present.into_iter().filter(|(of, _)| *of == category).map(|(_, sign)| sign);
    let first = signs.next()?;
    let whole =
        signs.fold(
            first,
            |whole, sign| {
                if sign.start < whole.end { whole.start..whole.end.max(sign.end) } else { whole }
            },
        );
    Some((category, whole))
}

/// A category by whom it concerns: what befalls a small child, or a woman with child, is answered as such.
fn refined(category: EmergencyCategory, cues: &Cues) -> EmergencyCategory {
    use EmergencyCategory::{Bleeding, Breathing, Cardiac, Child, Pregnancy, Stroke};
    match category {
        Breathing | Cardiac | Stroke if cues.any("child-near") => Child,
        Bleeding | Stroke | Breathing if cues.any("pregnant") => Pregnancy,
        _ => category,
    }
}

/// Where sentences and clauses begin.
struct Bounds {
    sentences: Vec<usize>,
    clauses: Vec<usize>,
    end: usize,
}

impl Bounds {
    fn of(words: &Words) -> Self {
        let begins = |gap: Gap| (0..words.len()).filter(|&index| words.before(index) >= gap).collect();
        Self { sentences: begins(Gap::Sentence), clauses: begins(Gap::Clause), end: words.len() }
    }

    /// The stretch between two of `begins` that has the word in it.
    fn around(&self, begins: &[usize], word: usize) -> Range<usize> {
        let next = begins.partition_point(|&begin| begin <= word);
        let start = next.checked_sub(1).and_then(|at| begins.get(at)).copied().unwrap_or(0);
        start..begins.get(next).copied().unwrap_or(self.end)
    }
}

/// Whether a sign is of nothing present.
fn put_aside(mark: u8, sign: &Range<usize>, sentence: &Range<usize>, bounds: &Bounds, cues: &Cues) -> bool {
    let first = bounds.around(&bounds.clauses, sign.start);
    let last = bounds.around(&bounds.clauses, sign.end.saturating_sub(1));
    let clause = first.start..last.end;
    let before = sentence.start.max(sign.start.saturating_sub(BEFORE))..sign.start;
    let behind = sign.start..sentence.end.min(sign.end + BEHIND);
    let now = cues.within("now", &clause);
    // A cue reaches its sign unless the sentence turns in between.
    let reaches = |kind: &str| {
        cues.last_within(kind, &before).is_some_and(|cue| !cues.within("turn", &(cue.end..sign.start)))
    };
    if reaches("negation") || cues.within("over", &behind) {
        return true;
    }
    if !now && (reaches("past") || cues.within("time", &clause) || led_by_time(&clause, sentence, cues)) {
        return true;
    }
    if cues.any("case") && !cues.within("now", sentence) && !cues.any("kin") {
        return true;
    }
    if mark == b'*' {
        return false;
    }
    let lead = sentence.start..sign.start;
    let conditional =
        cues.last_within("if", &lead).is_some_and(|cue| !cues.within("turn", &(cue.end..sign.start)));
    if conditional || cues.within("study", sentence) {
        return true;
    }
    // Who asks wants to know; who asks and then tells is in need.
    let told = |room: &Range<usize>| cues.within("state", room) || cues.within("kin", room);
    let asked = match cues.last_within("asking", &lead) {
        Some(cue) => !told(&(cue.end..sign.start + 1)),
        None => cues.within("asking", &(sign.end..sentence.end)) && !told(&lead),
    };
    if asked && !cues.within("now", sentence) {
        return true;
    }
    mark == b'+' && !(told(&(sentence.start..sign.end)) || cues.within("now", sentence) || cues.any("state"))
}

/// Whether the sentence begins with a time that is past, as in "Last year, my father had a stroke".
fn led_by_time(clause: &Range<usize>, sentence: &Range<usize>, cues: &Cues) -> bool {
    clause.start > sentence.start
        && clause.start - sentence.start <= 5
        && cues.within("time", &(sentence.start..clause.start))
}
