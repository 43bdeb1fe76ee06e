//! The words, numbers and signs of a text, and the cues among them.

use std::ops::Range;

use super::lexicon::{
    CAPITAL, CODED, DIGITS, FRESH, GLUED, HOUSE_NUMBER, LINE, SHOUTED, UNIT, WHOLE, WORD, lexicon,
};
use super::view::View;
use crate::guard::phrase::{PhraseAt, PhraseRow, WordSigns, WordTraits};
use ibid_text::fold_one;

/// The text between a token and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Parting {
    Glued,
    Space,
    /// A line break.
    Line,
    /// An empty line, or the beginning of the text.
    Paragraph,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PiiTokenKind {
    /// Letters.
    Word,
    /// Digits.
    Number,
    /// One character that is neither.
    Sign,
}

/// A word, a number or a sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct PiiToken {
    /// Its characters in the view.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: PiiTokenKind,
    pub(super) gap: Parting,
    /// Its bytes among the small letters.
    low: (usize, usize),
}

/// A text as its rules read it.
pub(super) struct Scan {
    pub(super) view: View,
    pub(super) tokens: Vec<PiiToken>,
    pub(super) signs: WordSigns,
    pub(super) cues: Vec<PhraseAt>,
    low: String,
}

/// The rules ask this of one token after another, at hundreds of places; inlined there, it would only make the module larger.
impl Scan {
    pub(super) fn new(text: &str) -> Self {
        let mut scan = Self {
            view: View::new(text),
            tokens: Vec::new(),
            signs: WordSigns::default(),
            cues: Vec::new(),
            low: String::new(),
        };
        scan.read();
        scan.signs = lexicon().signs(&scan);
        scan.join();
        scan
    }

    /// Takes the findings of the tables' rules that pass the checks of their sections.
    pub(super) fn found(&self) -> Vec<PhraseAt> {
        lexicon().find_in(&self.signs, &|mark| mark == b'!', &|section, words| self.holds(section, words))
    }

    /// Says whether a number is one of a house: short, and not the end of another number.
    fn is_house(&self, index: usize) -> bool {
        let before = self.view.before(self.tokens[index].start);
        let inner = matches!(before, '.' | ',' | ':' | '$' | '€' | '£' | '+' | '<' | '>' | '=');
        self.width(index) <= 5 && !inner && !before.is_alphanumeric()
    }

    /// Says whether a number before a token counts or measures something.
    pub(super) fn measured(&self, next: usize) -> bool {
        self.gap(next) <= Parting::Space
            && (self.is(next, UNIT) || matches!(self.sign(next), '%' | '°' | '€' | '£' | '$' | '×' | '='))
    }

    fn read(&mut self) {
        let (mut at, mut gap) = (0, Parting::Paragraph);
        while at < self.view.len() {
            let c = self.view.at(at);
            if c.is_whitespace() {
                gap = match (c == '\n', gap) {
                    (true, Parting::Line | Parting::Paragraph) => Parting::Paragraph,
                    (true, _) => Parting::Line,
                    (false, gap) => gap.max(Parting::Space),
                };
                at += 1;
                continue;
            }
            let kind = kind_of(c);
            let start = at;
            at += 1;
            while kind != PiiTokenKind::Sign && at < self.view.len() && kind_of(self.view.at(at)) == kind {
                at += 1;
            }
            let from = self.low.len();
            self.low.extend(self.view.chars[start..at].iter().map(|&c| fold_one(c)));
            self.tokens.push(PiiToken { start, end: at, kind, gap, low: (from, self.low.len()) });
            gap = Parting::Glued;
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<&PiiToken> {
        self.tokens.get(index)
    }

    /// Reads a token in small letters without accents; nothing behind the last.
    #[inline(never)]
    pub(super) fn low(&self, index: usize) -> &str {
        self.get(index).map_or("", |token| &self.low[token.low.0..token.low.1])
    }

    /// Reads the sign at a place, as it is written; a space if there is none.
    #[inline(never)]
    pub(super) fn sign(&self, index: usize) -> char {
        match self.get(index) {
            Some(token) if token.kind == PiiTokenKind::Sign => self.view.at(token.start),
            _ => ' ',
        }
    }

    /// Reads the text before a token; an end of the text counts as an empty line.
    #[inline(never)]
    pub(super) fn gap(&self, index: usize) -> Parting {
        self.get(index).map_or(Parting::Paragraph, |token| token.gap)
    }

    /// Says whether a token has one of some traits or classes.
    #[inline(never)]
    pub(super) fn is(&self, index: usize, any: u64) -> bool {
        self.signs.traits.get(index).is_some_and(|traits| traits.bits & any != 0)
    }

    #[inline(never)]
    pub(super) fn kind(&self, index: usize) -> Option<PiiTokenKind> {
        self.get(index).map(|token| token.kind)
    }

    /// Counts the characters of a token.
    #[inline(never)]
    pub(super) fn width(&self, index: usize) -> usize {
        self.get(index).map_or(0, |token| token.end - token.start)
    }

    /// Returns true if a token is a word that begins with a capital letter.
    #[inline(never)]
    pub(super) fn capital(&self, index: usize) -> bool {
        self.get(index).is_some_and(|token| self.view.at(token.start).is_uppercase())
    }

    /// Returns true if all letters of a word of two or more are capitals.
    #[inline(never)]
    pub(super) fn shouted(&self, index: usize) -> bool {
        self.get(index).is_some_and(|token| {
            token.kind == PiiTokenKind::Word
                && token.end - token.start > 1
                && self.view.chars[token.start..token.end].iter().all(|c| c.is_uppercase())
        })
    }

    /// Reads a small number's value; `None` for anything else and for more than six digits.
    #[inline(never)]
    pub(super) fn number(&self, index: usize) -> Option<u32> {
        let token = self.get(index)?;
        let few = token.kind == PiiTokenKind::Number && token.end - token.start <= 6;
        few.then(|| self.low(index).parse().ok()).flatten()
    }

    /// Computes the characters from one token to another.
    pub(super) fn chars(&self, first: usize, last: usize) -> Range<usize> {
        self.tokens[first].start..self.tokens[last].end
    }

    /// Finds the first token that begins at a character or behind it.
    pub(super) fn token_at(&self, char: usize) -> usize {
        self.tokens.partition_point(|token| token.start < char)
    }
}

fn kind_of(c: char) -> PiiTokenKind {
    if c.is_ascii_digit() {
        PiiTokenKind::Number
    } else if c.is_alphabetic() {
        PiiTokenKind::Word
    } else {
        PiiTokenKind::Sign
    }
}

impl PhraseRow for Scan {
    fn count(&self) -> usize {
        self.tokens.len()
    }

    fn folded(&self, index: usize) -> &str {
        self.low(index)
    }

    fn parted(&self, index: usize) -> bool {
        self.gap(index) == Parting::Paragraph
    }

    fn traits(&self, index: usize) -> WordTraits {
        let kind = match self.kind(index) {
            Some(PiiTokenKind::Word) => WORD,
            Some(PiiTokenKind::Number) => DIGITS,
            _ => 0,
        };
        let gap = match self.gap(index) {
            Parting::Glued => GLUED,
            Parting::Space => 0,
            Parting::Line | Parting::Paragraph => LINE,
        };
        if kind == 0 {
            return WordTraits { bits: gap, width: 1, value: u32::MAX };
        }
        let capital = if self.capital(index) { CAPITAL } else { 0 };
        let shouted = if capital > 0 && self.shouted(index) { SHOUTED } else { 0 };
        let token = self.tokens[index];
        let fresh = if self.view.before(token.start).is_alphanumeric() { 0 } else { FRESH };
        let whole = if self.view.at(token.end).is_alphanumeric() { 0 } else { WHOLE };
        let next = if self.gap(index + 1) == Parting::Glued { self.kind(index + 1) } else { None };
        let coded = if next == Some(PiiTokenKind::Number) { CODED } else { 0 };
        let house = if kind == DIGITS && self.is_house(index) { HOUSE_NUMBER } else { 0 };
        WordTraits {
            bits: kind | gap | capital | shouted | fresh | whole | coded | house,
            width: self.width(index) as u16,
            value: self.number(index).unwrap_or(u32::MAX),
        }
    }
}
