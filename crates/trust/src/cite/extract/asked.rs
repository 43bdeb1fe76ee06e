//! A question taken apart: its words, its circumstances and its kind of answer.

use std::ops::Range;

use ibid_text::{Words, is_english_stop_word, rough_stem};

use super::circumstance::{Circumstances, flat};
use super::lists::{has_word, lines};
use super::{content_words, range};
use ibid_platform::order;

/// The weight of a word that says little.
const WEAK: f32 = 0.35;

/// The most words of a question that are looked at.
const MOST_WORDS: usize = 64;

/// The most words besides the opening that the question for a definition has.
const MOST_DEFINED: usize = 3;

/// Words that lead from the subject of a question to its place: "ownership in Rust".
const PLACES: [&str; 5] = ["in", "within", "on", "at", "under"];

/// The years from which somebody is an adult.
const OF_AGE: u32 = 18;

/// The form that the answer must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerKind {
    Any,
    /// A quantity that is no time: a dose.
    Amount,
    /// Any number: a time, a port.
    Number,
    /// A value that holds if nothing is set.
    Default,
    /// The meaning of a word.
    Definition,
    /// Instructions.
    Steps,
}

/// A word of the question.
#[derive(Clone, Debug)]
pub(super) struct AskedWord {
    /// As it is folded, for comparison with what the search has marked.
    pub(super) word: String,
    pub(super) stem: String,
    pub(super) weight: f32,
    /// The circumstance that it names, whose other names stand for it.
    condition: Option<usize>,
    /// It has a capital, though no sentence begins with it.
    pub(super) is_name: bool,
}

/// A word of the question in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundWord {
    /// The byte that it begins with.
    pub(super) at: usize,
    pub(super) bit: u64,
    /// The text says "without".
    pub(super) excluded: bool,
}

/// A question, read.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) words: Vec<AskedWord>,
    /// The number of words that name its subject; those behind them name a place.
    pub(super) subject: usize,
    pub(super) kind: AnswerKind,
    pub(super) circumstances: Circumstances,
    /// Words that exclude what stands behind them.
    excludes: Vec<&'static str>,
    /// The words that the question excludes itself, a bit each.
    pub(super) excluded: u64,
}

impl Asked {
    pub(super) fn of(question: &str) -> Self {
        let question = &name_ages(question);
        let folded = flat(question);
        let known = Words::of(question);
        let circumstances = Circumstances::of(&folded);
        let (mut words, mut subject): (Vec<AskedWord>, _) = (Vec::new(), None);
        for (at, word) in (0..known.count()).map(|at| (at, known.get(at))) {
            if PLACES.contains(&word) && !words.is_empty() {
                subject.get_or_insert(words.len());
            }
            if is_english_stop_word(word) {
                continue;
            }
            let stem = rough_stem(word);
            if words.len() < MOST_WORDS && !words.iter().any(|known| known.stem == stem) {
                let weight = if lines("number").any(|line| line == word) {
                    WEAK / 2.0
                } else if has_word("weak", word) {
                    WEAK
                } else {
                    1.0
                };
                let condition = circumstances.named_by(word);
                let is_name = is_name(question, known.span(&(at..at + 1)));
                words.push(AskedWord { word: word.to_owned(), stem, weight, condition, is_name });
            }
        }
        soften(&known, &mut words);
        let excludes = lines("excludes").flat_map(|line| line.split(' ')).collect();
        let subject = subject.unwrap_or(words.len());
        let kind = kind(&folded, &words);
        let mut asked = Self { words, subject, kind, circumstances, excludes, excluded: 0 };
        let without = asked.found(question, &[]).into_iter().filter(|word| word.excluded);
        asked.excluded = without.fold(0, |all, word| all | word.bit);
        asked
    }

    /// Sums the weights of some of the words, as bits.
    pub(super) fn weight(&self, found: u64) -> f32 {
        let words = self.words.iter().enumerate();
        words.filter(|(at, _)| found & 1 << at != 0).map(|(_, word)| word.weight).sum()
    }

    /// Finds the words of the question that stand in a text, a bit each, with the place of each, in order. The words that
    /// the search has `marked` in the text may have other endings than these rules know.
    pub(super) fn found(&self, text: &str, marked: &[Range<usize>]) -> Vec<FoundWord> {
        let words = Words::of(text);
        let mut found = Vec::new();
        for at in 0..words.count() {
            let word = words.get(at);
            let start = words.span(&(at..at + 1)).start;
            let stem = rough_stem(word);
            let is_marked = marked
                .get(marked.partition_point(|range| range.end <= start))
                .is_some_and(|range| range.start <= start);
            let condition = self.circumstances.named_by(word);
            let excluded = (1..=2).any(|back| at >= back && self.excludes.contains(&words.get(at - back)));
            for (bit, asked) in self.words.iter().enumerate() {
                let same = asked.stem == stem
                    || condition.is_some() && condition == asked.condition
                    || share_beginning(&asked.word, word, is_marked);
                if same {
                    found.push(FoundWord { at: start, bit: 1 << bit, excluded });
                }
            }
        }
        let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        let number = |asked: &AskedWord| Some(asked.word.as_str()).filter(is_number)?.parse::<f64>().ok();
        let numbers = self.words.iter().enumerate().filter_map(|(bit, asked)| Some((bit, number(asked)?)));
        let (bits, numbers): (Vec<usize>, Vec<f64>) = numbers.unzip();
        let asked = |head: &str| {
            content_words(head).iter().any(|stem| self.words.iter().any(|word| word.stem == *stem))
        };
        let rows = range::rows(text, &numbers, asked);
        found.extend(rows.iter().map(|(at, number)| FoundWord {
            at: *at,
            bit: 1 << bits[*number],
            excluded: false,
        }));
        order::by_key(&mut found, |word| word.at);
        found
    }
}

/// Replaces an age by the circumstance that it is: "a 4 month old" is a child.
fn name_ages(question: &str) -> String {
    let words = Words::of(question);
    let (mut named, mut end) = (String::new(), 0);
    for at in 0..words.count().saturating_sub(2) {
        let age = words.get(at).parse::<u32>().ok().filter(|_| words.get(at + 2) == "old");
        let name = match (age, words.get(at + 1)) {
            (Some(age), "year" | "years") if age >= OF_AGE => "adult",
            (Some(_), "day" | "days" | "week" | "weeks" | "month" | "months" | "year" | "years") => "child",
            _ => continue,
        };
        let span = words.span(&(at..at + 3));
        named.push_str(&question[end..span.start]);
        named.push_str(name);
        end = span.end;
    }
    named + &question[end..]
}

/// Returns true for a word with a capital that no sentence begins with. A sentence before the question names nothing to ask about.
fn is_name(question: &str, span: Range<usize>) -> bool {
    let sentences = ibid_text::sentences(question);
    let own = sentences.iter().find(|sentence| sentence.contains(&span.start));
    let said = own.and_then(|own| question.get(own.clone())).unwrap_or_default();
    let asks = said.trim_end().ends_with('?') || !question.contains('?');
    let begins = own.is_none_or(|own| question[own.start..span.start].trim().is_empty());
    asks && !begins && question[span.start..].starts_with(char::is_uppercase)
}

/// Takes weight from the words next to the name of a circumstance, which is said in many ways: "poor kidney function".
fn soften(known: &Words, words: &mut [AskedWord]) {
    let names = |at: usize| words.iter().any(|word| word.condition.is_some() && word.word == known.get(at));
    let beside: Vec<String> = (0..known.count())
        .filter(|at| !names(*at) && (*at > 0 && names(at - 1) || names(at + 1)))
        .map(|at| known.get(at).to_owned())
        .collect();
    for word in words.iter_mut().filter(|word| beside.contains(&word.word)) {
        word.weight = WEAK;
    }
}

/// Returns true for two words that begin alike, as forms of one do in most languages with an alphabet.
fn share_beginning(one: &str, other: &str, is_marked: bool) -> bool {
    let shared = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let longer = one.len().max(other.len());
    if is_marked { shared >= 3 && 2 * shared >= longer } else { shared >= 5 && 5 * shared >= 3 * longer }
}

/// Finds the kind of answer to a question whose words are given in one line.
fn kind(folded: &str, words: &[AskedWord]) -> AnswerKind {
    let begins = |section| lines(section).any(|line| folded.starts_with(&format!(" {line} ")));
    let has = |section| lines(section).any(|line| folded.contains(&format!(" {line} ")));
    if has("amount") {
        AnswerKind::Amount
    } else if has("number") {
        AnswerKind::Number
    } else if has("default") {
        AnswerKind::Default
    } else if begins("definition") && (1..=MOST_DEFINED).contains(&words.len()) {
        AnswerKind::Definition
    } else if begins("steps") {
        AnswerKind::Steps
    } else {
        AnswerKind::Any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_once_and_weigh_what_they_say() {
        let asked = Asked::of("What is the best treatment? Treat fever, fevers!");
        let words: Vec<_> = asked.words.iter().map(|word| (word.word.as_str(), word.weight)).collect();
        assert_eq!(words, [("best", WEAK), ("treatment", 1.0), ("fever", 1.0)]);
    }

    #[test]
    fn an_age_names_whom_the_question_is_about() {
        for (question, named) in [
            ("zinc for a 4 month old with diarrhoea", "zinc for a child with diarrhoea"),
            ("a 4-month-old, a 70 years old", "a child, a adult"),
            ("4 months, 5 old 6 year olds; old", "4 months, 5 old 6 year olds; old"),
            ("", ""),
        ] {
            assert_eq!(name_ages(question), named);
        }
    }

    #[test]
    fn a_place_is_no_part_of_the_subject() {
        for (question, subject) in [
            ("What is ownership in Rust?", 1),
            ("What is pre-eclampsia?", 2),
            ("In Rust, what is a slice?", 2),
        ] {
            assert_eq!(Asked::of(question).subject, subject, "{question}");
        }
    }

    #[test]
    fn names_are_those_that_are_asked_about() {
        for (question, names) in [
            ("How do I deploy to Heroku?", &["heroku"][..]),
            ("I am Anna Berg. How do I deploy to Heroku?", &["heroku"]),
            ("deploy with Surge", &["surge"]),
            ("Kubernetes is new to me. How do I start?", &[]),
        ] {
            let asked = Asked::of(question);
            let found = asked.words.iter().filter(|word| word.is_name);
            assert_eq!(found.map(|word| word.word.as_str()).collect::<Vec<_>>(), names, "{question}");
        }
    }

    #[test]
    fn the_kind_of_answer_is_told_by_the_question() {
        for (question, kind) in [
            ("How much tea do I drink?", AnswerKind::Amount),
            ("metformin dose with poor kidney function", AnswerKind::Amount),
            ("How long does tea steep?", AnswerKind::Number),
            ("What is the default timeout?", AnswerKind::Number),
            ("Which colour is the default?", AnswerKind::Default),
            ("What is a DaemonSet?", AnswerKind::Definition),
            ("What is the first-line antibiotic for pneumonia?", AnswerKind::Any),
            ("How do I drain a node?", AnswerKind::Steps),
            ("When are triptans contraindicated?", AnswerKind::Any),
            ("", AnswerKind::Any),
        ] {
            assert_eq!(Asked::of(question).kind, kind, "{question}");
        }
    }
}
