//! The text as the rules read it.
//!
//! A number in full-width digits, with non-breaking spaces or long hyphens, and an address with a zero-width character
//! inside are the same to a reader, so they are the same here: every rule works on folded characters, each of
//! which knows the bytes that it stands for.

use std::ops::Range;

use ibid_text::{fold_one, is_accent, is_invisible, look};

/// The folded characters of a text.
pub(super) struct View {
    /// The text that the rules read: case is kept, everything else that looks alike is one character.
    pub(super) chars: Vec<char>,
    /// For each of them, its bytes in the text.
    places: Vec<(usize, usize)>,
}

impl View {
    pub(super) fn new(text: &str) -> Self {
        let mut chars = Vec::with_capacity(text.len());
        let mut places: Vec<(usize, usize)> = Vec::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            if is_accent(c) {
                // An accent belongs to its letter, so a span that ends with the letter must end behind it.
                if let Some(last) = places.last_mut().filter(|last| last.1 == at) {
                    last.1 = end;
                }
            } else if !is_invisible(c) {
                chars.push(look(c));
                places.push((at, end));
            }
        }
        Self { chars, places }
    }

    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    /// Reads the character at a place, and a line break before and behind the text.
    #[inline(never)]
    pub(super) fn at(&self, index: usize) -> char {
        self.chars.get(index).copied().unwrap_or('\n')
    }

    /// Reads the character before a place.
    #[inline(never)]
    pub(super) fn before(&self, index: usize) -> char {
        if index == 0 { '\n' } else { self.at(index - 1) }
    }

    /// Computes the bytes of a range of characters, which must not be empty.
    pub(super) fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        self.places[range.start].0..self.places[range.end - 1].1
    }
}

/// Makes the key that two ways of writing the same thing share: small letters and digits without accents, with one space
/// for whatever stands between them.
pub(super) fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for c in View::new(text).chars {
        if c.is_alphanumeric() {
            key.push(fold_one(c));
        } else if !key.is_empty() && !key.ends_with(' ') {
            key.push(' ');
        }
    }
    key.truncate(key.trim_end().len());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike_is_alike_and_knows_its_bytes() {
        let text = "５\u{a0}‑٣\u{200b}x\u{301}y";
        let view = View::new(text);
        assert_eq!(view.chars.iter().collect::<String>(), "5 -3xy");
        assert_eq!(&text[view.bytes(&(0..1))], "５");
        assert_eq!(&text[view.bytes(&(3..5))], "٣\u{200b}x\u{301}");
    }

    #[test]
    fn a_key_forgets_case_accents_and_spacing() {
        assert_eq!(key("  José\u{a0} GARCÍA-Lopez. "), "jose garcia lopez");
        assert_eq!(key("(555) 010-0199"), "555 010 0199");
        assert_eq!(key("—"), "");
    }
}
