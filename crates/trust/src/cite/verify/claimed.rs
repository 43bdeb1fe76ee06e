//! A claim, taken apart.

use std::ops::Range;

use super::super::claim::Claim;
use super::super::markdown::{BlockForm, blocks};
use super::super::marker::CitationMark;
use super::entity::{ClaimName, names};
use super::language::WrittenForm;
use super::lex::TokenKind;
use super::lists::Role;
use super::number::Quantity;
use super::passage::{distinct, parts_clauses};
use super::quote::quotes;
use super::reading::{TermTable, TextReading};
use super::refusal::claims_nothing;
use super::word::ReadWord;

/// The weight of a name next to another rare word: it tells more about what a claim is about.
const NAME: f32 = 1.4;

/// A claim, ready to be checked against passages.
pub(super) struct Claimed {
    pub(super) reading: TextReading,
    /// Its distinct terms that weigh anything, and what each weighs.
    pub(super) terms: Vec<u32>,
    pub(super) weights: Vec<f32>,
    pub(super) names: Vec<ClaimName>,
    /// For each word the number of its statement: a clause with numbers or code, and those behind it that have none.
    pub(super) statements: Vec<u32>,
    /// The names before its verb, or of what it is said of where that is a pronoun: those of the claim before it.
    subject: Vec<u32>,
    /// Its quotations, as ranges of the answer's text.
    pub(super) quotes: Vec<Range<usize>>,
    /// It is a question, a lead-in or a remark on the sources.
    pub(super) claims_nothing: bool,
    pub(super) written: WrittenForm,
}

impl Claimed {
    /// Reads a claim where it stands in the answer. `None` if its place is none in the text.
    pub(super) fn read(
        text: &str,
        claim: &Claim,
        marks: &[CitationMark],
        terms: &mut TermTable,
    ) -> Option<Self> {
        let own = text.get(claim.start..claim.end)?;
        let first = marks.partition_point(|mark| mark.span.end <= claim.start);
        let within = marks.iter().skip(first).take_while(|mark| mark.span.start < claim.end);
        let number = item_number(own).map(|end| claim.start..claim.start + end);
        let skip: Vec<Range<usize>> =
            number.into_iter().chain(within.map(|mark| mark.span.clone())).collect();
        let reading = terms.read(own, claim.start, &skip);
        let telling =
            reading.words.iter().map(|word| word.term).filter(|term| !terms.is_function_word(*term));
        let distinct = distinct(telling);
        let quotes = quotes(own).into_iter().map(|range| range.start + claim.start..range.end + claim.start);
        let quotes = quotes.collect();
        let code = blocks(own).first().is_some_and(|(form, _)| *form == BlockForm::Code);
        let claims_nothing = distinct.is_empty()
            || claims_nothing(&reading.tokens, terms.lists)
            || code && claim.sources.is_empty();
        let weights = Vec::new();
        let written = WrittenForm::of(&claim.text);
        let names = names(&reading, terms);
        let statements = statements(&reading);
        let subject = subject(&reading);
        Some(Self {
            reading,
            terms: distinct,
            weights,
            names,
            statements,
            subject,
            quotes,
            claims_nothing,
            written,
        })
    }

    /// Takes over the subject of the claim before, if this begins with a pronoun: "It was removed in 5.0."
    pub(super) fn follow(&mut self, before: &Self, terms: &TermTable) {
        let first = self.reading.tokens.iter().find(|token| token.is_word());
        let refers = first.is_some_and(|token| terms.lists.has(&token.text, Role::Refers));
        if refers && self.subject.is_empty() && !before.subject.is_empty() {
            self.subject.clone_from(&before.subject);
            self.terms = distinct(self.terms.iter().chain(&self.subject).copied());
        }
    }

    /// Lists the places among the terms of words in its conditions.
    pub(super) fn conditions(&self) -> impl Iterator<Item = usize> {
        let words = self.reading.words.iter().filter(|word| word.subordinate);
        words.filter_map(|word| self.slot_of(word.term))
    }

    /// Weighs the terms, once all sources have been counted.
    pub(super) fn weigh(&mut self, terms: &TermTable) {
        self.weights = self.terms.iter().map(|term| terms.weight(*term)).collect();
        // A common word is none in code.
        for word in self.reading.words.iter().filter(|word| word.code) {
            let slot = self.slot_of(word.term);
            if let Some(weight) = slot.and_then(|slot| self.weights.get_mut(slot)) {
                *weight = weight.max(1.0);
            }
        }
        for token in self.names.iter().flat_map(|name| &name.words) {
            let at = self.reading.words.partition_point(|word| word.token < *token);
            let term = self.reading.words.get(at).filter(|word| word.token == *token).map(|word| word.term);
            let slot = term.and_then(|term| self.slot_of(term));
            if let Some((weight, term)) = slot.and_then(|slot| self.weights.get_mut(slot)).zip(term) {
                *weight = terms.weight(term) * NAME;
            }
        }
    }

    /// Finds the number of the statement at a place of the text.
    pub(super) fn statement(&self, start: usize) -> u32 {
        let at = self.reading.words.partition_point(|word| word.span.start < start);
        self.statements.get(at).copied().unwrap_or_default()
    }

    /// Finds the place of a term among those that weigh anything.
    pub(super) fn slot_of(&self, term: u32) -> Option<usize> {
        self.terms.binary_search(&term).ok()
    }

    /// Finds the place among the terms of a quantity's.
    pub(super) fn slot(&self, quantity: &Quantity) -> Option<usize> {
        let at = self.reading.words.partition_point(|word| word.span.start < quantity.span.start);
        let word = self.reading.words.get(at).filter(|word| word.span == quantity.span)?;
        self.slot_of(word.term)
    }

    /// Finds the places of the tokens in a range of the text.
    pub(super) fn tokens(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.reading.tokens.partition_point(|token| token.span.start < span.start);
        let end = self.reading.tokens.partition_point(|token| token.span.start < span.end);
        start..end.max(start)
    }
}

/// Finds the end of the number that an item of a list begins with: "2." is no value.
fn item_number(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = rest.strip_prefix(['.', ')'])?;
    (rest.len() < text.len() && behind.starts_with(' ')).then(|| text.len() - behind.len())
}

/// Finds the code that a text begins with, before a verb.
fn subject(reading: &TextReading) -> Vec<u32> {
    let before = reading.words.iter().take_while(|word| !word.led && !word.acts);
    before.filter(|word| word.code).map(|word| word.term).collect()
}

/// Numbers the statements of words.
fn statements(reading: &TextReading) -> Vec<u32> {
    let mut clause = 0_u32;
    let clauses = reading.tokens.iter().map(|token| {
        clause += u32::from(parts_clauses(token));
        clause
    });
    let clauses: Vec<u32> = clauses.collect();
    let at = |token: usize| clauses.get(token).copied().unwrap_or_default();
    let digits = reading.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Number);
    let counted = reading.quantities.iter().map(|quantity| quantity.tokens.start);
    let code = reading.words.iter().filter(|word| word.code).map(|word| word.token);
    let valued = distinct(digits.map(|(token, _)| token).chain(counted).chain(code).map(at));
    // A clause with a value begins another statement where the one so far has a value, too.
    let (mut statement, mut has, mut before) = (0, false, u32::MAX);
    let number = |word: &ReadWord| {
        let clause = at(word.token);
        if clause != before {
            before = clause;
            let value = valued.binary_search(&clause).is_ok();
            statement += u32::from(has && value);
            has |= value;
        }
        statement
    };
    reading.words.iter().map(number).collect()
}
