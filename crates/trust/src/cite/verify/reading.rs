//! A text as it is compared: terms with weights, quantities, and what is denied.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::lex::{Lexeme, lex};
use super::lists::{Role, WordLists, words as listed};
use super::number::{Quantity, Unit, UnitTable, quantities};
use super::scope::mark;
use super::word::ReadWord;
use ibid_text::rough_stem;

/// The weight of a common word next to that of any other.
const COMMON_WEIGHT: f32 = 0.45;

/// The weight of a quantity next to that of a word.
const QUANTITY_WEIGHT: f32 = 2.0;

/// A text taken apart.
#[derive(Clone, Debug, Default)]
pub(super) struct TextReading {
    pub(super) tokens: Vec<Lexeme>,
    pub(super) words: Vec<ReadWord>,
    pub(super) quantities: Vec<Quantity>,
}

/// Signs that join words to one symbol: `max_size`, `a.b`, `std::fs`, `--dry-run`.
pub(super) const JOINS: &str = "_-./:@\\+~#";

impl TextReading {
    /// Finds the token that a word begins with.
    pub(super) fn token(&self, word: &ReadWord) -> Option<&Lexeme> {
        self.tokens.get(word.token)
    }

    /// Returns true if a sign joins a word to the one before, to be a part of a symbol: `max` in `--retry-max`.
    pub(super) fn is_joined(&self, word: &ReadWord) -> bool {
        let before = word.token.checked_sub(2).and_then(|at| self.tokens.get(at..=word.token));
        let Some([first, sign, own]) = before else { return false };
        first.is_word() && sign.glued && own.glued && JOINS.contains(sign.text.as_str())
    }

    /// Computes the byte range of tokens.
    pub(super) fn span(&self, tokens: &Range<usize>) -> Range<usize> {
        let start = self.tokens.get(tokens.start).map_or(0, |token| token.span.start);
        start..self.tokens.get(tokens.end.saturating_sub(1)).map_or(start, |token| token.span.end)
    }

    /// Computes the byte range of words, of which there is at least one.
    pub(super) fn place(&self, words: &Range<usize>) -> Option<Range<usize>> {
        let (first, last) = (self.words.get(words.start)?, self.words.get(words.end.checked_sub(1)?)?);
        Some(first.span.start..last.span.end)
    }
}

/// The terms of all texts of a check, and how many sentences of the sources have each.
pub(super) struct TermTable {
    pub(super) lists: &'static WordLists,
    units: &'static UnitTable,
    /// The common words, which every check has: their ids are the first.
    common: &'static HashMap<String, u32>,
    ids: HashMap<String, u32>,
    /// The worth of a term before the sources are looked at: 0 for a function word.
    prior: Vec<f32>,
    sentences: Vec<u32>,
    total: u32,
}

impl TermTable {
    pub(super) fn new() -> Self {
        static COMMON: OnceLock<HashMap<String, u32>> = OnceLock::new();
        let common = COMMON.get_or_init(|| {
            let mut ids = HashMap::new();
            for word in listed("common") {
                let next = ids.len() as u32;
                ids.entry(rough_stem(word)).or_insert(next);
            }
            ids
        });
        Self {
            lists: WordLists::all(),
            units: UnitTable::all(),
            common,
            ids: HashMap::new(),
            prior: vec![COMMON_WEIGHT; common.len()],
            sentences: vec![0; common.len()],
            total: 0,
        }
    }

    fn intern(&mut self, text: String, prior: f32) -> u32 {
        if let Some(id) = self.common.get(&text) {
            return *id;
        }
        let next = self.prior.len() as u32;
        let id = *self.ids.entry(text).or_insert(next);
        if id == next {
            self.prior.push(prior);
            self.sentences.push(0);
        }
        id
    }

    /// Looks up the term of a word, if any text has it.
    pub(super) fn find(&self, word: &str) -> Option<u32> {
        self.find_stem(&rough_stem(word))
    }

    /// Looks up the term of a word without its ending, if any text has it.
    pub(super) fn find_stem(&self, stem: &str) -> Option<u32> {
        self.common.get(stem).or_else(|| self.ids.get(stem)).copied()
    }

    /// Counts a sentence of a source by its distinct terms.
    pub(super) fn count(&mut self, distinct: &[u32]) {
        self.total += 1;
        for term in distinct {
            if let Some(count) = self.sentences.get_mut(*term as usize) {
                *count += 1;
            }
        }
    }

    /// Computes the worth of a term: the less, the more sentences of the sources have it, but at least half of what it is
    /// worth on its own, since few sentences tell little about a language.
    pub(super) fn weight(&self, term: u32) -> f32 {
        let term = term as usize;
        let (Some(prior), Some(count)) = (self.prior.get(term), self.sentences.get(term)) else { return 0.0 };
        let all = (self.total as f32 + 1.0) / 0.5;
        let rarity = ((self.total as f32 + 1.0) / (*count as f32 + 0.5)).ln() / all.ln();
        prior * (0.5 + 0.5 * rarity.clamp(0.0, 1.0))
    }

    /// Returns true if a word tells nothing about what a text is about.
    pub(super) fn is_function_word(&self, term: u32) -> bool {
        self.prior.get(term as usize).is_none_or(|prior| *prior == 0.0)
    }

    /// Finds the unit that a word is the name of, with its worth.
    pub(super) fn unit_named(&self, word: &str) -> Option<(Unit, f64)> {
        self.units.get(word).filter(|_| word.len() > 1).map(|(kind, worth)| (Unit::of(kind), worth))
    }

    /// Reads the unit that the head of a column names, with its worth: in brackets, or as its first or last words.
    pub(super) fn unit_in(&self, head: &str) -> Option<(Unit, f64)> {
        let bracket =
            head.split_once('(').and_then(|(_, behind)| behind.split_once(')')).map(|(unit, _)| unit);
        let last = head.split_whitespace().next_back();
        [bracket, Some(head), last].into_iter().flatten().find_map(|words| {
            let one = quantities(&lex(&["1 ", words.trim()].concat(), 0, &[]), self.units);
            one.first().filter(|one| !one.unit.is_none()).map(|one| (one.unit, one.worth))
        })
    }

    /// Takes a text apart. Spans are those in the text plus the offset; ranges to skip have it already.
    pub(super) fn read(&mut self, text: &str, offset: usize, skip: &[Range<usize>]) -> TextReading {
        let tokens = lex(text, offset, skip);
        let quantities = quantities(&tokens, self.units);
        let mut words = Vec::new();
        let mut next = quantities.iter().peekable();
        let mut at = 0;
        let (mut fenced, mut quoted, mut ticks) = (false, false, 0);
        while let Some(token) = tokens.get(at) {
            if token.is_sign("`") {
                ticks += 1;
                at += 1;
                continue;
            }
            fenced ^= ticks > 2;
            // A single one that is never closed ends with its line.
            quoted = (quoted ^ (ticks == 1 || ticks == 2)) && !token.is_sign("\n");
            ticks = 0;
            // Of a date with its year two quantities begin at the same token.
            let mut end = at;
            while let Some(quantity) = next.next_if(|quantity| quantity.tokens.start <= at) {
                let term = self.intern(quantity.key(), QUANTITY_WEIGHT);
                words.push(ReadWord::new(term, at, quantity.span.clone()));
                end = end.max(quantity.tokens.end);
            }
            if end > at {
                at = end;
                continue;
            }
            if token.is_word() {
                let text = plain(&token.text);
                let known = self.lists.get(text);
                // "Unsuitable" is "suitable", denied.
                let text = if known.is(Role::DeniesWithin) { affirmed(text) } else { text };
                let grammar = known.languages > 0 || known.is(Role::Denies) && !known.is(Role::DeniesWithin);
                let prior = match () {
                    () if grammar => 0.0,
                    () if known.is(Role::Acts) => COMMON_WEIGHT,
                    () => 1.0,
                };
                let term = self.intern(rough_stem(text), prior);
                let word = ReadWord::new(term, at, token.span.clone());
                words.push(ReadWord { code: fenced || quoted, ..word });
            }
            at += 1;
        }
        mark(&tokens, &mut words, self.lists);
        TextReading { tokens, words, quantities }
    }
}

/// Cuts a possessive ending, a French article or "n't" off a word.
pub(super) fn plain(word: &str) -> &str {
    let Some((before, after)) = word.split_once('\'') else { return word };
    if after == "t" {
        return before.strip_suffix('n').unwrap_or(before);
    }
    if before.len() <= 2 && after.len() > 2 { after } else { before }
}

/// Cuts off the syllable that denies a word.
fn affirmed(word: &str) -> &str {
    ["un", "in", "im"].iter().find_map(|denial| word.strip_prefix(denial)).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_words() {
        let mut terms = TermTable::new();
        let one = terms.read("500 mg twice daily", 0, &[]);
        let other = terms.read("0.5 g BID", 0, &[]);
        let ids = |reading: &TextReading| reading.words.iter().map(|word| word.term).collect::<Vec<_>>();
        assert_eq!(ids(&one), ids(&other));
        assert_eq!(one.words.len(), 2);
    }
}
