//! The choice of the signs in a question that are of something present: by who is spoken of, by tense, negation and condition, and by
//! whether the question asks to know or tells.

use std::collections::BTreeMap;
use std::ops::Range;

use super::category::EmergencyCategory;
use crate::guard::phrase::{PhraseAt, pairs};
use ibid_platform::order;
use ibid_text::{Gap, Words};

/// In front of the half of a sign that tells what it came from or whom it concerns: a sting, a pregnancy.
pub(super) const WITH: u8 = b'1';
/// In front of the half that tells what is wrong. Both have to be there, in whatever order and in sentences near each other.
pub(super) const WHAT: u8 = b'2';

/// In front of a sign that says too little alone: somebody has to be told of, and that it is now or that help is sought.
const WEAK: u8 = b'-';

/// The number of words before a sign a negation or a mention of the past reaches.
const BEFORE: usize = 12;
/// The number of words behind a sign by which its end can be told.
const BEHIND: usize = 8;

/// The number of words that lie at most between the two halves of a sign.
const APART: usize = 40;

/// The cues of a question with their kinds, in order of kinds, and of words within each. A kind is a section of the rules.
struct Cues(Vec<(&'static str, Range<usize>)>);

impl Cues {
    fn of(&self, kind: &str) -> &[(&'static str, Range<usize>)] {
        let from = self.0.partition_point(|(other, _)| *other < kind);
        let to = self.0.partition_point(|(other, _)| *other <= kind);
        &self.0[from..to]
    }

    /// Finds the last cue that ends within `room` words of its end.
    fn last_within(&self, kind: &str, room: &Range<usize>) -> Option<&Range<usize>> {
        let cues = self.of(kind);
        let at = cues.partition_point(|(_, cue)| cue.start < room.end);
        // Cues are in order of their beginnings; one that is longer may end behind a later one, which no cue does by much.
        let mut near = cues[at.saturating_sub(8)..at].iter().rev().map(|(_, cue)| cue);
        near.find(|cue| cue.start >= room.start && cue.end <= room.end)
    }

    fn within(&self, kind: &str, room: &Range<usize>) -> bool {
        self.last_within(kind, room).is_some()
    }

    /// Returns true if a cue shares words with a stretch.
    fn overlaps(&self, kind: &str, with: &Range<usize>) -> bool {
        let cues = self.of(kind);
        let end = cues.partition_point(|(_, cue)| cue.start < with.end);
        cues[end.saturating_sub(16)..end].iter().any(|(_, cue)| cue.end > with.start)
    }

    /// Takes away what is calm in another's words only: "he says he is fine".
    fn without_doubted(self) -> Self {
        let kept = self.0.iter().filter(|(kind, cue)| *kind != "calm" || !self.overlaps("doubt", cue));
        Self(kept.cloned().collect())
    }

    fn any(&self, kind: &str) -> bool {
        !self.of(kind).is_empty()
    }
}

/// Finds the emergency that the phrases of a question describes: its category, and the words that tell.
pub(super) fn present(words: &Words, found: &[PhraseAt]) -> Option<(EmergencyCategory, Range<usize>)> {
    let mut cues = Vec::new();
    let mut signs = Vec::new();
    for found in found {
        if let Some(category) = EmergencyCategory::from_name(found.section) {
            signs.push((category, found.mark, found.words.clone()));
        } else {
            cues.push((found.section, found.words.clone()));
        }
    }
    if signs.is_empty() {
        return None;
    }
    order::by_key(&mut cues, |(kind, _)| *kind);
    let cues = Cues(cues).without_doubted();
    let bounds = ClauseBounds::of(words);
    let mut present: Vec<(EmergencyCategory, Range<usize>)> = Vec::new();
    let mut halves: BTreeMap<EmergencyCategory, [Vec<Range<usize>>; 2]> = BTreeMap::new();
    for (category, mark, sign) in signs {
        let sentence = bounds.around(&bounds.sentences, sign.start);
        if put_aside(mark, &sign, &sentence, &bounds, &cues) {
            continue;
        }
        match mark {
            WITH => halves.entry(category).or_default()[0].push(sign),
            WHAT => halves.entry(category).or_default()[1].push(sign),
            _ => present.push((refined(category, &cues), sign)),
        }
    }
    for (category, [with, what]) in halves {
        present.extend(pairs(&with, &what, APART).into_iter().map(|sign| (refined(category, &cues), sign)));
    }
    order::by_key(&mut present, |(_, sign)| sign.start);
    let &(category, _) = present.iter().min_by_key(|(category, sign)| (rank(*category), sign.start))?;
    // What tells about it is the first sign, with those that overlap with it.
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

/// Ranks a category for the choice among several: what says who is concerned or what caused it before what is felt, and
/// of what is felt what is told first.
fn rank(category: EmergencyCategory) -> usize {
    let felt = EmergencyCategory::ALL.iter().position(|&other| other == EmergencyCategory::Stroke);
    let at = EmergencyCategory::ALL.iter().position(|&other| other == category);
    at.min(felt).unwrap_or_default()
}

/// Refines a category by whom it concerns: what befalls a small child, or a woman with child, is answered as such.
fn refined(category: EmergencyCategory, cues: &Cues) -> EmergencyCategory {
    use EmergencyCategory::{Bleeding, Breathing, Cardiac, Child, Pregnancy, Stroke};
    match category {
        Breathing | Cardiac | Stroke if cues.any("child-near") => Child,
        Bleeding | Stroke | Breathing if cues.any("pregnant") => Pregnancy,
        _ => category,
    }
}

/// The place where sentences and clauses begin.
struct ClauseBounds {
    sentences: Vec<usize>,
    clauses: Vec<usize>,
    end: usize,
}

impl ClauseBounds {
    fn of(words: &Words) -> Self {
        let begins = |gap: Gap| (0..words.count()).filter(|&index| words.before(index) >= gap).collect();
        Self { sentences: begins(Gap::Sentence), clauses: begins(Gap::Clause), end: words.count() }
    }

    /// Finds the stretch between two of `begins` that has the word in it.
    fn around(&self, begins: &[usize], word: usize) -> Range<usize> {
        let next = begins.partition_point(|&begin| begin <= word);
        let start = next.checked_sub(1).and_then(|at| begins.get(at)).copied().unwrap_or(0);
        start..begins.get(next).copied().unwrap_or(self.end)
    }
}

/// Returns true if a sign is of nothing present.
fn put_aside(
    mark: u8,
    sign: &Range<usize>,
    sentence: &Range<usize>,
    bounds: &ClauseBounds,
    cues: &Cues,
) -> bool {
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
    // "Has stopped kicking" tells about no end: what is over is named before it.
    let over = cues.last_within("over", &behind).is_some_and(|cue| cue.end > sign.end);
    if over || reaches("negation") || cues.overlaps("void", sign) {
        return true;
    }
    if !now && (reaches("past") || cues.within("time", &clause)) {
        return true;
    }
    if cues.any("case") && !cues.within("now", sentence) && !cues.any("kin") && !cues.any("live") {
        return true;
    }
    if of_no_person(sign, &clause, cues) || mark != b'*' && (cues.any("fiction") || calmed(sign, cues)) {
        return true;
    }
    mark != b'*' && mark != WITH && is_only_asked(mark, sign, sentence, cues)
}

/// Returns true if a sign is only asked about, or told of on a condition.
fn is_only_asked(mark: u8, sign: &Range<usize>, sentence: &Range<usize>, cues: &Cues) -> bool {
    let lead = sentence.start..sign.start;
    let rest = sign.end..sentence.end;
    let conditional =
        cues.last_within("if", &lead).is_some_and(|cue| !cues.within("turn", &(cue.end..sign.start)));
    // Who stands at the bedside writes of "a patient with", and asks for doses, too.
    let live = cues.any("live");
    let studied = || cues.within("study", &lead) || cues.within("study", &rest);
    if conditional || !live && studied() {
        return true;
    }
    // Who asks wants to know; who asks and then tells, or asks what to do, is in need.
    let told = |room: &Range<usize>| cues.within("state", room) || cues.within("kin", room);
    let in_need = cues.within("now", sentence) || cues.within("plea", sentence);
    let urgent = || ["now", "plea", "live"].into_iter().any(|kind| cues.any(kind));
    let somebody = || cues.any("state") || cues.any("kin") || cues.any("case");
    let asked = match cues.last_within("asking", &lead) {
        Some(cue) => !told(&(cue.end..sign.start + 1)),
        None => (mark == b'+' || mark == WHAT) && cues.within("asking", &rest) && !told(&lead),
    };
    if asked && !in_need {
        return true;
    }
    if mark == WEAK {
        return !(urgent() && somebody());
    }
    mark == b'+' && !(told(&(sentence.start..sign.end)) || in_need || cues.any("state") || cues.any("plea"))
}

/// Returns true if what is told of in the clause is an animal or a thing, as in "the server has stopped responding".
fn of_no_person(sign: &Range<usize>, clause: &Range<usize>, cues: &Cues) -> bool {
    cues.last_within("other", &(clause.start..sign.end)).is_some_and(|cue| {
        let between = cue.end..sign.start.max(cue.end);
        !cues.within("state", &between) && !cues.within("kin", &between)
    })
}

/// Returns true if it is told that all is well, without a "but" before the sign. Of what tells it the last says enough: either it
/// follows the sign, or no other is nearer.
fn calmed(sign: &Range<usize>, cues: &Cues) -> bool {
    cues.of("calm")
        .last()
        .is_some_and(|(_, calm)| calm.end > sign.start || !cues.within("turn", &(calm.end..sign.start)))
}
