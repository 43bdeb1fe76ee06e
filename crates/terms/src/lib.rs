//! Turns text into search terms, the same way for passages and queries.
//!
//! ```
//! use ibid_terms::{Analyzer, Language};
//!
//! let tokens = Analyzer::new(Language::English).tokens("Doses of 500mg");
//! let terms: Vec<_> = tokens.map(|token| token.term.into_owned()).collect();
//! assert_eq!(terms, ["dose", "of", "500", "mg", "500mg"]);
//! ```

mod fold;
mod memo;
mod stem;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use unicode_segmentation::{UnicodeSegmentation, UnicodeWordIndices};

pub use self::stem::{StemFunction, StopFunction, is_built_in, stem_all, stem_by};
pub use ibid_text::Language;
use ibid_text::{binds, capital_parts, with_signs, without_umlauts};

/// The longest word that can be a unit behind a number, in bytes: `mmol`.
const LONGEST_UNIT: usize = 4;

/// The terms that a text is searched by: a word's stem, a number, or two written as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexicalToken<'a> {
    /// The form that is compared: without case, accents and, in words without digits, endings.
    pub term: Cow<'a, str>,
    /// Its place in the text, in bytes.
    pub range: Range<usize>,
    /// True if it is so frequent that a query is better off without it.
    pub stop: bool,
    /// True if it shares the place of others: two of them written as one, as `500mg` next to `500` and `mg`, which it
    /// follows, or a part or a second spelling of the one before.
    pub joint: bool,
    /// True if it is a part of a compound, which tells less than the whole.
    pub part: bool,
}

/// Turns texts into terms.
///
/// Words are those of Unicode ([UAX #29](https://www.unicode.org/reports/tr29/)), taken apart at `_` and `:`, at full
/// stops that do not belong to a number or an abbreviation, and between a number and its unit. Scripts that write
/// words without spaces (Chinese, Japanese, Thai and others, and Korean, whose words carry their particles) become
/// pairs of neighbouring characters.
///
/// `ibid_text` says which signs belong to a word, and which words are compounds: `C++`, `.NET` and `onMounted` are tokens.
///
/// A number and the word next to it also become one joint token, so that `IL-6`, `IL 6` and `IL6` share `il6`, and
/// `0.5 mg` and `0.5mg` have the same three tokens. So do the parts of a word with a hyphen: `beta-blocker` shares
/// `betablock` with `betablocker`. The parts of a word in one, as `mounted` of `onMounted`, share its place, and so
/// does the spelling of a word with umlauts that has none.
#[derive(Clone, Copy, Debug)]
pub struct Analyzer {
    language: Language,
}

impl Analyzer {
    /// Makes an analyzer for texts of a language. It costs nothing to make one.
    pub fn new(language: Language) -> Self {
        Self { language }
    }

    /// Returns the tokens of a text in its order.
    pub fn tokens<'a>(&self, text: &'a str) -> impl Iterator<Item = LexicalToken<'a>> + use<'a> {
        self.tokens_with(text, FirstLetters::ANY)
    }

    /// Returns the same without those whose terms begin with another letter, none of which is stemmed.
    pub fn tokens_with<'a>(
        &self,
        text: &'a str,
        letters: FirstLetters,
    ) -> impl Iterator<Item = LexicalToken<'a>> + use<'a> {
        Tokens {
            language: self.language,
            letters,
            text,
            words: text.unicode_word_indices(),
            done: 0,
            before: None,
            ready: VecDeque::new(),
        }
    }

    /// Returns a word as it is written, without case and accents: what the beginning of a term is compared with.
    pub fn plain(self, word: &str) -> Cow<'_, str> {
        fold::plain(self.language, word)
    }
}

/// Latin letters that terms begin with. Words that begin with anything else are wanted always.
#[derive(Clone, Copy, Debug)]
pub struct FirstLetters(u32);

impl FirstLetters {
    /// Every letter.
    pub const ANY: Self = Self(u32::MAX);

    /// Returns the first letters of some terms.
    pub fn of<'a>(terms: impl Iterator<Item = &'a str>) -> Self {
        Self(terms.map(first_letter).fold(0, |letters, letter| letters | letter))
    }

    /// Says whether the term of a word may begin with one of these: no stem takes the first letter away.
    fn may_begin(self, word: &str) -> bool {
        let letter = first_letter(word);
        letter == 0 || self.0 & letter != 0
    }
}

/// Computes a bit for the Latin letter without accent that a word begins with; 0 where it begins with anything else.
fn first_letter(word: &str) -> u32 {
    match word.bytes().next() {
        Some(byte) if byte.is_ascii_alphabetic() => 1 << (byte.to_ascii_lowercase() - b'a'),
        _ => 0,
    }
}

struct Tokens<'a> {
    language: Language,
    letters: FirstLetters,
    text: &'a str,
    words: UnicodeWordIndices<'a>,
    /// The place where the text begins that no token has been made of.
    done: usize,
    /// The word before, which the next one may be joined to.
    before: Option<TokenWord<'a>>,
    ready: VecDeque<LexicalToken<'a>>,
}

/// A word, or the part of one that is a token.
#[derive(Clone, Copy)]
struct TokenWord<'a> {
    at: usize,
    text: &'a str,
    /// True if it is a number behind a decimal point that has nothing before it.
    fraction: bool,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = LexicalToken<'a>;

    fn next(&mut self) -> Option<LexicalToken<'a>> {
        loop {
            if let Some(token) = self.ready.pop_front() {
                return Some(token);
            }
            let (at, word) = self.words.next()?;
            // A run of characters without spaces may have reached into this word.
            let start = at.max(self.done);
            if let Some(rest) = word.get(start - at..).filter(|rest| !rest.is_empty()) {
                self.word(start, rest);
            }
        }
    }
}

impl<'a> Tokens<'a> {
    fn word(&mut self, at: usize, word: &'a str) {
        let end = at + word.len();
        let mut start = at;
        for (offset, char) in word.char_indices() {
            let here = at + offset;
            if here < self.done {
                continue;
            }
            if is_unspaced(char) {
                self.spaced(start, here);
                self.unspaced(here);
                start = self.done;
            }
        }
        self.spaced(start, end);
        self.done = self.done.max(end);
    }

    /// Adds the pairs of neighbours in a run of characters that are written without spaces, or the only one. The last one
    /// is a token too, so that a query for a single character finds it at the beginning of a term wherever it stands.
    fn unspaced(&mut self, at: usize) {
        let rest = &self.text[at..];
        let length = rest.find(|char| !is_unspaced(char)).unwrap_or(rest.len());
        let run = &rest[..length];
        let token = |range: Range<usize>, joint| LexicalToken {
            term: Cow::Borrowed(&run[range.clone()]),
            range: at + range.start..at + range.end,
            stop: false,
            joint,
            part: false,
        };
        let starts = || run.char_indices().map(|(start, _)| start);
        let ends = starts().skip(2).chain([run.len()]);
        let last = starts().next_back().unwrap_or_default();
        if last > 0 {
            self.ready.extend(
                starts()
                    .zip(ends)
                    .filter(|&(start, _)| start < last)
                    .map(|(start, end)| token(start..end, false)),
            );
        }
        self.ready.push_back(token(last..run.len(), last > 0));
        self.before = None;
        self.done = at + length;
    }

    /// Takes a word apart where it consists of several.
    fn spaced(&mut self, start: usize, end: usize) {
        let Some(word) = self.text.get(start..end).filter(|word| !word.is_empty()) else { return };
        let bytes = word.as_bytes();
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let abbreviation = word.contains('.') && word.split('.').all(|part| part.chars().nth(1).is_none());
        let mut from = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            let cut = match byte {
                b'_' | b':' | b';' => true,
                b'.' => !abbreviation && (at == 0 || !digit(at - 1) || !digit(at + 1)),
                b'\'' => self.language.elides() && from == 0 && at <= 4,
                // The first byte of a right single quotation mark.
                0xe2 => word[at..].starts_with('’') && self.language.elides() && from == 0 && at <= 4,
                _ => false,
            };
            if cut {
                self.piece(start + from, &word[from..at]);
                from = at + if byte == 0xe2 { '’'.len_utf8() } else { 1 };
            }
        }
        self.piece(start + from, &word[from..]);
    }

    /// Adds a word in one piece. A number with a unit, or letters with one number behind, are two tokens and a joint one.
    fn piece(&mut self, at: usize, text: &'a str) {
        if text.is_empty() {
            return;
        }
        let mut boundaries = text
            .char_indices()
            .zip(text.chars().skip(1))
            .filter(|((_, a), b)| is_numeric(*a) != is_numeric(*b))
            .map(|((at, a), _)| at + a.len_utf8());
        let middle = boundaries.next().filter(|_| boundaries.next().is_none());
        let (term, stop) = self.term(text);
        let word = TokenWord { at, text, fraction: self.is_fraction(at, text) };
        if let Some((first, second)) = middle.map(|middle| text.split_at(middle)) {
            let middle = at + first.len();
            self.push(at..middle, self.number(at, first, self.term(first).0), false, false);
            self.push(middle..at + text.len(), self.term(second).0, false, false);
            self.push(at..at + text.len(), self.number(at, text, term), false, true);
        } else {
            self.name(at, text, self.number(at, text, term), stop);
        }
        let before = self.before.replace(word);
        let before = before.filter(|before| self.letters.may_begin(before.text));
        let Some(before) = before.filter(|before| self.belong_together(*before, word)) else { return };
        let zero = if before.fraction { "0." } else { "" };
        let both =
            [zero, &fold::plain(self.language, before.text), &fold::plain(self.language, text)].concat();
        // Letters alone are a word of their own, which has a stem.
        let term = Cow::Owned(fold::term(self.language, &both).into_owned());
        self.push(before.at..at + text.len(), term, false, true);
    }

    /// Adds a word in letters, with the signs of its name, with its parts and its other spelling in the same place.
    fn name(&mut self, at: usize, text: &'a str, term: Cow<'a, str>, stop: bool) {
        let (start, end) = with_signs(self.text, at, at + text.len());
        let whole = &self.text[start..end];
        if whole.len() == text.len() {
            self.push(start..end, term, stop, false);
        } else {
            if self.letters.may_begin(whole) {
                self.push(start..end, fold::plain(self.language, whole), false, false);
            }
            if text.len() > 1 {
                self.part(at, text.len(), term);
            }
        }
        for (offset, part) in capital_parts(text) {
            self.part(at + offset, part.len(), self.term(part).0);
        }
        if let Some(spelled) = self.language.spells_umlauts().then(|| without_umlauts(text)).flatten() {
            let term = fold::term(self.language, &spelled).into_owned();
            self.push(start..end, Cow::Owned(term), false, true);
        }
    }

    fn part(&mut self, at: usize, length: usize, term: Cow<'a, str>) {
        if !term.is_empty() {
            self.ready.push_back(LexicalToken {
                term,
                range: at..at + length,
                stop: false,
                joint: true,
                part: true,
            });
        }
    }

    /// Makes the term of a word, and whether it is a stop word; no term where that is not wanted.
    fn term(&self, word: &'a str) -> (Cow<'a, str>, bool) {
        if self.letters.may_begin(word) { memo::term(self.language, word) } else { Default::default() }
    }

    fn is_stop_word(&self, word: TokenWord<'_>) -> bool {
        memo::term(self.language, word.text).1
    }

    fn push(&mut self, range: Range<usize>, term: Cow<'a, str>, stop: bool, joint: bool) {
        if !term.is_empty() {
            self.ready.push_back(LexicalToken { term, range, stop, joint, part: false });
        }
    }

    /// Makes the term of a word, which may be a fraction.
    fn number(&self, at: usize, text: &str, term: Cow<'a, str>) -> Cow<'a, str> {
        if self.is_fraction(at, text) { Cow::Owned(format!("0.{term}")) } else { term }
    }

    /// Returns true if a number stands behind a point that no number ends with: ".5" is a half, and not five.
    fn is_fraction(&self, at: usize, text: &str) -> bool {
        let before = self.text[..at].strip_suffix('.');
        text.starts_with(|char: char| char.is_ascii_digit())
            && !text.contains(['.', ','])
            && before
                .is_some_and(|before| !before.ends_with(|char: char| char == '.' || char.is_alphanumeric()))
    }

    fn belong_together(&self, a: TokenWord<'_>, b: TokenWord<'_>) -> bool {
        let between = &self.text[a.at + a.text.len()..b.at];
        let mixed = a.text.ends_with(char::is_numeric) != b.text.starts_with(char::is_numeric);
        let letters = |word: TokenWord<'_>| !word.text.contains(char::is_numeric);
        match between {
            _ if binds(between) => mixed || (letters(a) && letters(b)),
            " " | "\u{a0}" | "\u{202f}" if mixed && !self.is_stop_word(a) && !self.is_stop_word(b) => {
                let unit = b.text.len() <= LONGEST_UNIT && letters(b);
                b.text.starts_with(char::is_numeric) || (unit && !a.text.contains(char::is_alphabetic))
            }
            _ => false,
        }
    }
}

/// Returns true if a character belongs to a number, be it as its decimal point.
fn is_numeric(char: char) -> bool {
    char::is_numeric(char) || char == '.' || char == ','
}

/// Returns true if a character belongs to a script without spaces between words, or to Korean.
pub fn is_unspaced(char: char) -> bool {
    ibid_text::is_unspaced(char) || matches!(char, '\u{ac00}'..='\u{d7a3}')
}

#[cfg(test)]
mod tests;
