//! A source, taken apart once, and the window of it that says most of a claim.

use std::ops::Range;

use super::super::markdown::BlockForm;
use super::super::sentence::sentences;
use super::super::source::Source;
use super::entity::can_be_name;
use super::lex::{LetterCase, Lexeme};
use super::reading::{ReadWord, TermTable, TextReading};

/// The most sentences of a window.
const MAX_WINDOW: usize = 3;

/// How much more of a claim a window must have for each sentence that it is longer.
const LONGER: f32 = 0.02;

/// The most bytes of a field of metadata that is read: a date, a name, but no summary.
const MAX_METADATA: usize = 200;

/// A source that claims are held against.
pub(super) struct Passage {
    pub(super) number: u32,
    pub(super) reading: TextReading,
    /// The title, the headings, the metadata and the head rows of tables, which say what the passage is about without being repeated
    /// in its sentences.
    pub(super) context: TextReading,
    pub(super) sentences: Vec<Sentence>,
    /// The names in the text, in order.
    pub(super) names: Vec<NameRun>,
    context_terms: Vec<u32>,
}

/// Words with capitals that follow each other.
pub(super) struct NameRun {
    /// Their places in the passage's reading.
    pub(super) words: Range<usize>,
    /// They surely are a name: they stand in a sentence, and one of them has its capital elsewhere than at its beginning.
    pub(super) telling: bool,
}

/// A sentence of a source, or a row of its table.
pub(super) struct Sentence {
    pub(super) span: Range<usize>,
    /// Its words in the passage's reading.
    pub(super) words: Range<usize>,
    /// At most half of its words have capitals, unlike those of headings and of lists of names.
    pub(super) prose: bool,
    /// Its distinct terms.
    terms: Vec<u32>,
}

/// The place in a passage that says most of a claim.
#[derive(Clone, Debug)]
pub(super) struct PassageWindow {
    pub(super) span: Range<usize>,
    /// The sentences.
    pub(super) sentences: Range<usize>,
    pub(super) coverage: f32,
    /// For each of the claim's terms whether the window or the context has it, and whether the passage has it anywhere.
    pub(super) here: Vec<bool>,
    pub(super) anywhere: Vec<bool>,
    /// For each sentence of the passage which of the claim's terms it has.
    pub(super) hits: Vec<Vec<usize>>,
    /// For each of the claim's terms whether the context has it.
    pub(super) context: Vec<bool>,
}

impl Passage {
    pub(super) fn new(source: &Source, terms: &mut TermTable) -> Self {
        let text = &source.hit.text;
        let mut about = source.hit.title.clone();
        for heading in &source.hit.heading_path {
            about.push('\n');
            about.push_str(heading);
        }
        for value in source.hit.metadata.values() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if value.len() <= MAX_METADATA {
                about.push('\n');
                about.push_str(&value);
            }
        }
        let context = terms.read(&about, 0, &[]);
        let reading = terms.read(text, 0, &[]);
        let mut context_terms = distinct(context.words.iter().map(|word| word.term));
        let mut parts = Vec::new();
        let mut word = 0;
        let mut in_table = false;
        for (row, span) in parts_of(text) {
            let start = word;
            while reading.words.get(word).is_some_and(|word| word.span.start < span.end) {
                word += 1;
            }
            let words = reading.words.get(start..word).unwrap_or_default();
            let found = distinct(words.iter().map(|word| word.term));
            let capitals =
                words.iter().filter(|word| reading.tokens.get(word.token).is_some_and(has_capital));
            let prose = capitals.count() * 2 <= words.len();
            terms.count(&found);
            if row && !in_table {
                context_terms.extend(&found);
            }
            in_table = row;
            parts.push(Sentence { span, words: start..word, prose, terms: found });
        }
        let context_terms = distinct(context_terms.into_iter());
        let names = runs(&reading, &parts);
        Self { number: source.number, reading, context, sentences: parts, context_terms, names }
    }

    /// How much work it is to look for a window: its words.
    pub(super) fn size(&self) -> usize {
        self.reading.words.len() + self.context_terms.len() + 1
    }

    /// The window that says most of the claim with these weights. `slots` has for each term one more than its place
    /// among the weights, or 0.
    pub(super) fn window(&self, weights: &[f32], slots: &[u32]) -> Option<PassageWindow> {
        let slot = |term: &u32| {
            slots.get(*term as usize).and_then(|slot| slot.checked_sub(1)).map(|slot| slot as usize)
        };
        let total: f32 = weights.iter().sum();
        let mut base = vec![false; weights.len()];
        self.context_terms.iter().filter_map(slot).for_each(|slot| base[slot] = true);
        let hits: Vec<Vec<usize>> =
            self.sentences.iter().map(|sentence| sentence.terms.iter().filter_map(slot).collect()).collect();
        let weight = |slot: usize| weights.get(slot).copied().unwrap_or(0.0);
        let given: f32 = (0..weights.len()).filter(|slot| base[*slot]).map(weight).sum();
        // When a term was last counted, so that the windows need no sets of their own.
        let mut stamps = vec![0_u32; weights.len()];
        let mut stamp = 0;
        let mut best: Option<(f32, f32, Range<usize>)> = None;
        for start in 0..hits.len() {
            stamp += 1;
            let mut sum = given;
            for (length, hit) in (1..).zip(hits.iter().skip(start).take(MAX_WINDOW)) {
                for slot in hit {
                    if !base[*slot] && stamps[*slot] != stamp {
                        stamps[*slot] = stamp;
                        sum += weight(*slot);
                    }
                }
                let coverage = if total > 0.0 { (sum / total).min(1.0) } else { 0.0 };
                let rank = coverage - LONGER * (length - 1) as f32;
                if best.as_ref().is_none_or(|(most, ..)| rank > *most) {
                    best = Some((rank, coverage, start..start + length));
                }
            }
        }
        let (_, coverage, found) = best?;
        let (mut here, mut anywhere) = (base.clone(), base.clone());
        for (at, hit) in hits.iter().enumerate() {
            for slot in hit {
                anywhere[*slot] = true;
                here[*slot] |= found.contains(&at);
            }
        }
        let span = self.sentences.get(found.start)?.span.start..self.sentences.get(found.end - 1)?.span.end;
        Some(PassageWindow { span, sentences: found, coverage, here, anywhere, hits, context: base })
    }

    /// The words of a window, as a range of the reading's.
    pub(super) fn words(&self, sentences: &Range<usize>) -> Range<usize> {
        let start = self.sentences.get(sentences.start).map_or(0, |sentence| sentence.words.start);
        start
            ..self.sentences.get(sentences.end.saturating_sub(1)).map_or(start, |sentence| sentence.words.end)
    }
}

/// Terms in order, each once.
pub(super) fn distinct(terms: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut terms: Vec<u32> = terms.collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

fn has_capital(token: &Lexeme) -> bool {
    token.is_word() && token.case != LetterCase::Lower
}

/// The names in a text. Where most words have capitals those tell nothing.
fn runs(reading: &TextReading, sentences: &[Sentence]) -> Vec<NameRun> {
    let mut runs: Vec<NameRun> = Vec::new();
    let mut proper = Vec::new();
    for sentence in sentences {
        let words = reading.words.get(sentence.words.clone()).unwrap_or_default();
        let capital = |word: &ReadWord| reading.tokens.get(word.token).filter(|token| has_capital(token));
        let prose = sentence.prose;
        let mut next = None;
        for (at, word) in (sentence.words.start..).zip(words) {
            if capital(word).is_none_or(|token| !can_be_name(token)) {
                continue;
            }
            match runs.last_mut() {
                Some(run) if next == Some(word.token) => run.words.end = at + 1,
                _ => runs.push(NameRun { words: at..at + 1, telling: prose }),
            }
            next = Some(word.token + 1);
            let before = word.token.checked_sub(1).and_then(|at| reading.tokens.get(at));
            if prose && at > sentence.words.start && before.is_some_and(Lexeme::is_word) {
                proper.push(word.term);
            }
        }
    }
    let proper = distinct(proper.into_iter());
    for run in &mut runs {
        let words = reading.words.get(run.words.clone()).unwrap_or_default();
        run.telling &= words.iter().any(|word| proper.binary_search(&word.term).is_ok());
    }
    runs
}

/// The sentences of a passage, its headings too, and its tables and code by lines; whether each is a row.
fn parts_of(text: &str) -> Vec<(bool, Range<usize>)> {
    let mut parts = Vec::new();
    let mut at = 0;
    let lines = |range: Range<usize>, row: bool, parts: &mut Vec<(bool, Range<usize>)>| {
        let mut start = range.start;
        for line in text.get(range).unwrap_or_default().split_inclusive('\n') {
            let trimmed = line.trim();
            if trimmed.chars().any(char::is_alphanumeric) {
                let from = start + (line.len() - line.trim_start().len());
                parts.push((row, from..from + trimmed.len()));
            }
            start += line.len();
        }
    };
    for (form, span) in sentences(text) {
        lines(at..span.start, false, &mut parts);
        at = span.end;
        if form.is_whole() {
            lines(span, form == BlockForm::Table, &mut parts);
        } else {
            parts.push((false, span));
        }
    }
    lines(at..text.len(), false, &mut parts);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_sentences_headings_and_rows() {
        let text = "# Doses\n\nGive zinc. Wait.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd";
        let parts: Vec<&str> = parts_of(text).into_iter().map(|(_, part)| &text[part]).collect();
        assert_eq!(parts, ["# Doses", "Give zinc.", "Wait.", "| a | b |", "| 1 | 2 |", "End"]);
    }
}
