//! A text as it is compared: terms with weights, quantities, and what is denied.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::lex::{Lexeme, TokenKind, lex};
use super::lists::{KnownWord, Role, WordLists, words as listed};
use super::number::{Quantity, UnitTable, quantities};
use ibid_text::rough_stem;

/// The weight of a common word beside that of any other.
const COMMON_WEIGHT: f32 = 0.45;

/// The weight of a quantity beside that of a word.
const QUANTITY_WEIGHT: f32 = 2.0;

/// How many words behind a denial are denied.
const DENIED: usize = 7;

/// A word, or a quantity in its place.
#[derive(Clone, Debug)]
pub(super) struct ReadWord {
    pub(super) term: u32,
    /// The first token that it is made of.
    pub(super) token: usize,
    pub(super) span: Range<usize>,
    /// What denies it, as a place among the tokens.
    pub(super) denied: Option<usize>,
}

/// A text taken apart.
#[derive(Clone, Debug, Default)]
pub(super) struct TextReading {
    pub(super) tokens: Vec<Lexeme>,
    pub(super) words: Vec<ReadWord>,
    pub(super) quantities: Vec<Quantity>,
}

impl TextReading {
    /// The byte range of tokens.
    pub(super) fn span(&self, tokens: &Range<usize>) -> Range<usize> {
        let start = self.tokens.get(tokens.start).map_or(0, |token| token.span.start);
        start..self.tokens.get(tokens.end.saturating_sub(1)).map_or(start, |token| token.span.end)
    }

    /// The byte range of words, of which there is at least one.
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
    /// What a term is worth before the sources are looked at: 0 for a function word.
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

    /// How many terms there are; all ids are below.
    pub(super) fn len(&self) -> usize {
        self.prior.len()
    }

    /// The term of a word, if any text has it.
    pub(super) fn find(&self, word: &str) -> Option<u32> {
        self.find_stem(&rough_stem(word))
    }

    /// The term of a word without its ending, if any text has it.
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

    /// What a term is worth: the less, the more sentences of the sources have it, but at least half of what it is worth
    /// by itself, since few sentences tell little about a language.
    pub(super) fn weight(&self, term: u32) -> f32 {
        let term = term as usize;
        let (Some(prior), Some(count)) = (self.prior.get(term), self.sentences.get(term)) else { return 0.0 };
        let all = (self.total as f32 + 1.0) / 0.5;
        let rarity = ((self.total as f32 + 1.0) / (*count as f32 + 0.5)).ln() / all.ln();
        prior * (0.5 + 0.5 * rarity.clamp(0.0, 1.0))
    }

    /// Whether a word tells nothing about what a text is about.
    pub(super) fn is_function_word(&self, term: u32) -> bool {
        self.prior.get(term as usize).is_none_or(|prior| *prior == 0.0)
    }

    /// Takes a text apart. Spans are those in the text plus the offset; ranges to skip have it already.
    pub(super) fn read(&mut self, text: &str, offset: usize, skip: &[Range<usize>]) -> TextReading {
        let tokens = lex(text, offset, skip);
        let quantities = quantities(&tokens, self.units);
        let mut words = Vec::new();
        let mut scope = DenialScope::default();
        let mut next = quantities.iter().peekable();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            // Of a date with its year two quantities begin at the same token.
            let mut end = at;
            while let Some(quantity) = next.next_if(|quantity| quantity.tokens.start <= at) {
                let term = self.intern(quantity.key(), QUANTITY_WEIGHT);
                let denied = scope.denies(at);
                words.push(ReadWord { term, token: at, span: quantity.span.clone(), denied });
                end = end.max(quantity.tokens.end);
            }
            if end > at {
                at = end;
                continue;
            }
            match token.kind {
                TokenKind::Word => {
                    let (text, denied_within) = bare(&token.text);
                    let known = self.lists.get(text);
                    scope.word(at, &tokens, (known, denied_within), self.lists, &mut words);
                    let prior = if known.languages > 0 || known.is(Role::Denies) { 0.0 } else { 1.0 };
                    let term = self.intern(rough_stem(text), prior);
                    let denied = scope.denies(at);
                    words.push(ReadWord { term, token: at, span: token.span.clone(), denied });
                }
                TokenKind::Sign => scope.sign(&token.text, words.len()),
                TokenKind::Number => {}
            }
            at += 1;
        }
        TextReading { tokens, words, quantities }
    }
}

/// A word without a possessive ending or a French article, and whether it ends in "n't".
fn bare(word: &str) -> (&str, bool) {
    let Some((before, after)) = word.split_once('\'') else { return (word, false) };
    if after == "t" {
        return (before.strip_suffix('n').unwrap_or(before), true);
    }
    if before.len() <= 2 && after.len() > 2 { (after, false) } else { (before, false) }
}

/// What is being denied while a text is read.
#[derive(Default)]
struct DenialScope {
    /// The denial, and how many words it still reaches.
    open: Option<(usize, usize)>,
    /// Where the clause began among the words.
    clause: usize,
}

impl DenialScope {
    fn denies(&self, at: usize) -> Option<usize> {
        self.open.map(|(cue, _)| cue).filter(|cue| *cue != at)
    }

    /// Reads a word, of which this is known, and whether it ends in a denial.
    fn word(
        &mut self,
        at: usize,
        tokens: &[Lexeme],
        (known, within): (KnownWord, bool),
        lists: &WordLists,
        words: &mut [ReadWord],
    ) {
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        if let Some((cue, left)) = self.open {
            self.open = left.checked_sub(1).map(|left| (cue, left));
        }
        if known.is(Role::Turns) {
            self.open = None;
            self.clause = words.len();
        }
        let idle = lists.get(text(at + 1)).is(Role::Affirms)
            || text(at) == "no" && tokens.get(at + 1).is_some_and(|next| next.is_sign("."));
        if known.is(Role::Denies) && !idle || within {
            // A denial of a denial affirms.
            self.open = match self.open {
                Some(_) if text(at) != "nor" && text(at) != "pas" => None,
                _ => Some((at, DENIED)),
            };
        }
        if known.is(Role::DeniesBackward) {
            let denied = self.open.is_some();
            if denied {
                self.open = None;
            } else {
                let clause = self.clause.min(words.len());
                words[clause..].iter_mut().for_each(|word| word.denied = Some(at));
                self.open = Some((at, DENIED));
            }
        }
    }

    fn sign(&mut self, sign: &str, words: usize) {
        if matches!(sign, "." | ";" | ":" | "!" | "?" | "," | "(" | ")" | "|") {
            self.open = None;
            self.clause = words;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(text: &str) -> Vec<String> {
        let reading = TermTable::new().read(text, 0, &[]);
        let words = reading.words.iter().filter(|word| word.denied.is_some());
        words.map(|word| reading.tokens[word.token].text.clone()).collect()
    }

    #[test]
    fn denials_reach_to_the_end_of_their_clause() {
        assert_eq!(denied("Do not give aspirin, give water."), ["give", "aspirin"]);
        assert_eq!(denied("It doesn't help."), ["help"]);
        assert_eq!(denied("Not only adults but children."), Vec::<String>::new());
        assert_eq!(
            denied("In winter, aspirin is contraindicated in children."),
            ["aspirin", "is", "in", "children"]
        );
        assert_eq!(denied("It is not contraindicated."), Vec::<String>::new());
        assert_eq!(denied("Give no more than 5 mg."), Vec::<String>::new());
    }

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
