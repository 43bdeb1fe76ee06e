//! Traits of words that their neighbours and the cues decide.

use std::ops::Range;

use super::lexicon::{
    AM_CUE, ANNOUNCED, BEGINS, BIRTH_CUE, BORN, BY_CUE, CAPITAL, CARD, DATA_CUE, DIAL, DIGITS, FAMILY,
    FIELD_CUE, FROM_CUE, GIVEN, GREETING_CUE, IBAN, KNOWN, LISTED, MEASURED, MRN, NAME_CUE, NEAR_ADDRESS,
    NHS, PART, PASSPORT, RECORD_CUE, ROLE_CUE, SIGNS, SSN, STOP, TERM, TITLE, TITLE_CUE, UNIT, UNKNOWN, WORD,
    WORDLIKE, cues, lexicon,
};
use super::people::people;
use super::token::{Parting, PiiTokenKind, Scan};
use crate::guard::phrase::PhraseAt;

impl Scan {
    /// Adds what is known of each token by those around it.
    pub(super) fn join(&mut self) {
        let of = |is: bool, bit: u64| if is { bit } else { 0 };
        for at in 0..self.tokens.len() {
            if !self.is(at, WORD | DIGITS) {
                continue;
            }
            self.give(at, of(!self.is(at, KNOWN), UNKNOWN));
        }
        let cues = cues(&self.signs);
        for at in 0..self.tokens.len() {
            if !self.is(at, WORD | DIGITS) {
                continue;
            }
            let bits = of(self.is(at, DIGITS) && self.measured(at + 1), MEASURED)
                | of(self.is(at, CAPITAL) && self.is_part(at), PART)
                | of(self.begins(at), BEGINS);
            self.give(at, bits);
            if self.is(at, PART) {
                self.give(at, self.listed(at));
            }
        }
        for cue in &cues {
            let Range { start, end } = cue.words;
            let (first, last) = match cue.section {
                "birth" => (BIRTH_CUE | DATA_CUE, BORN),
                "record" => (RECORD_CUE | DATA_CUE, MRN),
                "social" => (RECORD_CUE | DATA_CUE, SSN),
                "nhs" => (RECORD_CUE | DATA_CUE, NHS),
                "passport" => (RECORD_CUE, PASSPORT),
                "phone" => (DATA_CUE, 0),
                "card" => (0, CARD),
                "iban" => (0, IBAN),
                _ => (0, self.before_name(cue)),
            };
            self.give(start, first);
            self.give(end - 1, last);
            match cue.section {
                "phone" => self.near(end, 7, DIAL),
                "address" => {
                    self.near(end, 8, NEAR_ADDRESS);
                    self.near(end, 30, ANNOUNCED);
                }
                "closing" => {
                    let sign = matches!(self.sign(end), ',' | '-' | ':' | '!' | '"');
                    self.give(end + usize::from(sign), SIGNS);
                }
                _ => {}
            }
        }
        self.cues = cues;
    }

    /// Looks up the lists of names that a word with a capital is in.
    fn listed(&self, at: usize) -> u64 {
        let low = self.low(at);
        let known = self.is(at, GIVEN) && !self.is(at, WORDLIKE);
        let (given, family) =
            people().map_or((false, false), |people| (people.is_given(low), people.is_family(low)));
        (if known || given { LISTED } else { 0 }) | (if family { FAMILY } else { 0 })
    }

    fn give(&mut self, at: usize, bits: u64) {
        if let Some(traits) = self.signs.traits.get_mut(at) {
            traits.bits |= bits;
        }
    }

    /// Gives a trait to what stands a few tokens behind a cue, in the same paragraph.
    fn near(&mut self, behind: usize, reach: usize, bit: u64) {
        let paragraph = |at: &usize| self.gap(*at) < Parting::Paragraph;
        let end = (behind..behind + reach).take_while(paragraph).last().map_or(behind, |last| last + 1);
        (behind..end).for_each(|at| self.give(at, bit));
    }

    /// Looks up the trait that a cue for a name gives to its last token.
    fn before_name(&self, cue: &PhraseAt) -> u64 {
        let Range { start, end } = cue.words;
        match (cue.section, cue.mark) {
            ("name", _) => NAME_CUE,
            ("name-field", _) if self.is_field(start, end) => {
                // "File name: x" and "name: x" in a file of settings are no names of persons.
                let foreign = start > 0
                    && self.kind(start - 1) == Some(PiiTokenKind::Word)
                    && self.gap(start) <= Parting::Space
                    && self.low(start).starts_with("name");
                if foreign { 0 } else { FIELD_CUE }
            }
            ("name-field", b'b') | ("by", _) => BY_CUE,
            ("name-field", b'r') | ("role", _) => ROLE_CUE,
            ("name-field", b't') | ("title", _) if self.is_title(start, end) => TITLE_CUE,
            ("am", _) => AM_CUE,
            ("from", _) if !lexicon().list("things").any(|name| name == self.low(end)) => FROM_CUE,
            // Assistants are greeted as persons are.
            ("greeting", _) if !lexicon().list("assistants").any(|name| name == self.low(end)) => {
                GREETING_CUE
            }
            _ => 0,
        }
    }

    /// Says whether the value of a field follows: a colon, or a hyphen with spaces around it.
    fn is_field(&self, start: usize, end: usize) -> bool {
        self.sign(end) == ':'
            || self.sign(end) == '-'
                && self.gap(end) == Parting::Space
                && self.gap(end + 1) == Parting::Space
                && (end > start + 1 || self.low(start) == "name")
    }

    /// Says whether a title is one here.
    fn is_title(&self, start: usize, end: usize) -> bool {
        let first = end + usize::from(self.sign(end) == '.' && self.gap(end) == Parting::Glued);
        let low = self.low(start);
        let capital = self.capital(start);
        let among = |section: &str| lexicon().list(section).any(|title| title == low);
        // Small words that are titles only if they are written as such.
        let word = !capital && among("titles-in-capitals");
        let unlike = self.shouted(start) && among("short-titles") && !self.shouted(first);
        let initial = low == "m" && !(self.sign(start + 1) == '.' && capital);
        // "Dr. med. Weber", "Prof. Dr. Weber": a title behind a title.
        !(word || unlike || initial || self.is(first, TITLE))
    }

    /// Says whether a line, a sentence or the value of a field begins at a token.
    fn begins(&self, at: usize) -> bool {
        self.gap(at) >= Parting::Line
            || self.gap(at) == Parting::Space
                && at > 0
                && matches!(self.sign(at - 1), ':' | '.' | ';' | '-' | '*')
    }

    /// Says whether a word ends like a term.
    pub(super) fn is_term(&self, at: usize) -> bool {
        self.width(at) >= 5 && self.is(at, TERM)
    }

    /// Says whether a word may be a part of a name.
    fn is_part(&self, at: usize) -> bool {
        // "O'Brien", "A. Smith": a letter that is a word in some language otherwise.
        let letter = self.width(at) == 1
            && matches!(self.sign(at + 1), '.' | '\'')
            && self.gap(at + 1) == Parting::Glued
            && self.capital(at + 2);
        // "Min-jun": a unit only without its second syllable.
        let hyphen = self.is(at, UNIT)
            && self.sign(at + 1) == '-'
            && self.gap(at + 1) == Parting::Glued
            && self.gap(at + 2) == Parting::Glued
            && self.kind(at + 2) == Some(PiiTokenKind::Word);
        let free = !self.is(at, STOP | UNIT) || self.is(at, GIVEN) && !self.is(at, STOP) || hyphen;
        letter || free && !self.is(at, TITLE) && (!self.is_term(at) || self.is(at, GIVEN))
    }
}
