//! BERT's uncased text normalization and splitting into words, one character at a time.
//!
//! What the reference does in passes over the whole text (drop control characters, set Chinese characters apart,
//! decompose to NFD, drop nonspacing marks, lowercase, split at white space and punctuation) is done here by looking
//! each character up once. That is the same because no pass looks at a character's neighbours, with one exception that
//! does not matter: NFD reorders combining characters, but those that survive the dropping are in no word of the
//! vocabulary, so the word around them is unknown in either order.

use std::sync::OnceLock;

use ibid_platform::{case, normalize};

/// The reference's treatment of characters beyond ASCII; made by `tools/make_unicode_table.py`, which explains the format.
static TABLE: &[u8] = include_bytes!("unicode.bin");

/// The blocks of characters that the reference sets apart as words of their own. The gap before 2B920 is a slip of
/// the reference, kept because the vocabulary was trained with it.
const CHINESE: [(u32, u32); 7] = [
    (0x3400, 0x4dbf),
    (0x4e00, 0x9fff),
    (0xf900, 0xfaff),
    (0x2_0000, 0x2_a6df),
    (0x2_a700, 0x2_b81f),
    (0x2_b920, 0x2_ceaf),
    (0x2_f800, 0x2_fa1f),
];

/// The blocks of Chinese characters that stand for others of their shape. Their mappings are the same in all versions of
/// Unicode, so the table has none of them.
const COMPATIBLE: [(u32, u32); 2] = [(0xf900, 0xfaff), (0x2_f800, 0x2_fa1f)];

/// Hands a character in lower case, without the accents that it may have, to `emit`; nothing for one that is only an
/// accent. Hangul syllables and Chinese characters are not for this: they are taken apart, or set apart.
pub fn fold_accents(char: char, emit: &mut impl FnMut(char)) {
    if char.is_ascii() {
        return emit(char.to_ascii_lowercase());
    }
    Normalizer::get().push(char, &mut |piece| match piece {
        Piece::Letter(char) | Piece::Single(char) => emit(char),
        Piece::Break => {}
    });
}

/// One step of the normalized text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A character that continues the current word.
    Letter(char),
    /// A character that is a word of its own.
    Single(char),
    /// The end of the current word.
    Break,
}

/// Normalizes characters.
#[derive(Debug)]
pub struct Normalizer {
    dropped: Vec<(u32, u32)>,
    punctuation: Vec<(u32, u32)>,
    mapped: Vec<(u32, u32)>,
    /// The targets after the first of mappings to several characters, as (code point, target) in order.
    further: Vec<(u32, u32)>,
}

impl Normalizer {
    /// Returns the one of all, made when it is first asked for.
    pub fn get() -> &'static Self {
        static NORMALIZER: OnceLock<Normalizer> = OnceLock::new();
        NORMALIZER.get_or_init(Self::unpacked)
    }

    fn unpacked() -> Self {
        let mut bytes = TABLE;
        let dropped = read_ranges(&mut bytes);
        let punctuation = read_ranges(&mut bytes);
        let mut mapped = Vec::new();
        let mut further = Vec::new();
        let (mut code, mut target) = (0, 0);
        for _ in 0..read_number(&mut bytes) {
            code += read_number(&mut bytes);
            let head = read_number(&mut bytes);
            target = unzigzag(head / 4, target);
            mapped.push((code, target));
            for _ in 0..head % 4 {
                further.push((code, unzigzag(read_number(&mut bytes), target)));
            }
        }
        Self { dropped, punctuation, mapped, further }
    }

    /// Hands what becomes of the character to `emit`: nothing for a dropped one, several pieces for one that
    /// decomposes.
    pub fn push(&self, char: char, emit: &mut impl FnMut(Piece)) {
        if char.is_ascii() {
            match char {
                ' ' | '\t' | '\n' | '\r' => emit(Piece::Break),
                _ if char.is_ascii_control() => {}
                _ if char.is_ascii_punctuation() => emit(Piece::Single(char)),
                _ => emit(Piece::Letter(char.to_ascii_lowercase())),
            }
            return;
        }
        let code = u32::from(char);
        if contains(&self.dropped, code) || char == char::REPLACEMENT_CHARACTER {
            return;
        }
        if char.is_whitespace() {
            emit(Piece::Break);
            return;
        }
        let chinese = contains(&CHINESE, code);
        if chinese {
            emit(Piece::Break);
        }
        if (0xac00..0xd7a4).contains(&code) {
            // A Hangul syllable decomposes by arithmetic (The Unicode Standard, section 3.12).
            let index = code - 0xac00;
            let (lead, vowel, tail) = (index / 588, index % 588 / 28, index % 28);
            self.push_normal(0x1100 + lead, emit);
            self.push_normal(0x1161 + vowel, emit);
            if tail > 0 {
                self.push_normal(0x11a7 + tail, emit);
            }
        } else if contains(&COMPATIBLE, code) {
            normalize(char.encode_utf8(&mut [0; 4])).chars().for_each(|char| emit(Piece::Letter(char)));
        } else if let Ok(at) = self.mapped.binary_search_by_key(&code, |&(from, _)| from) {
            self.push_normal(self.mapped[at].1, emit);
            let rest = self.further.partition_point(|&(from, _)| from < code);
            for &(_, target) in self.further[rest..].iter().take_while(|&&(from, _)| from == code) {
                self.push_normal(target, emit);
            }
        } else {
            case::lower(char, &mut |lower| self.push_normal(u32::from(lower), emit));
        }
        if chinese {
            emit(Piece::Break);
        }
    }

    fn push_normal(&self, code: u32, emit: &mut impl FnMut(Piece)) {
        let Some(char) = char::from_u32(code) else { return };
        if char.is_ascii_punctuation() || contains(&self.punctuation, code) {
            emit(Piece::Single(char));
        } else {
            emit(Piece::Letter(char));
        }
    }
}

fn contains(ranges: &[(u32, u32)], code: u32) -> bool {
    let after = ranges.partition_point(|&(first, _)| first <= code);
    after > 0 && code <= ranges[after - 1].1
}

fn read_ranges(bytes: &mut &[u8]) -> Vec<(u32, u32)> {
    let mut end = 0;
    (0..read_number(bytes))
        .map(|_| {
            let first = end + read_number(bytes);
            let last = first + read_number(bytes);
            end = last + 1;
            (first, last)
        })
        .collect()
}

fn read_number(bytes: &mut &[u8]) -> u32 {
    let (mut number, mut shift) = (0, 0);
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    number
}

fn unzigzag(number: u32, base: u32) -> u32 {
    if number.is_multiple_of(2) { base.wrapping_add(number / 2) } else { base.wrapping_sub(number / 2 + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> String {
        let normalizer = Normalizer::get();
        let mut out = String::new();
        for char in text.chars() {
            normalizer.push(char, &mut |piece| match piece {
                Piece::Letter(char) => out.push(char),
                Piece::Single(char) => out.extend(['<', char, '>']),
                Piece::Break => out.push('|'),
            });
        }
        out
    }

    #[test]
    fn the_table_is_read_to_its_end() {
        let normalizer = Normalizer::get();
        assert_eq!(normalizer.mapped.last(), Some(&(0x1_d1c0, 0x1_d1ba)));
        assert!(normalizer.dropped.len() > 250 && normalizer.punctuation.len() > 100);
        assert!(normalizer.dropped.is_sorted() && normalizer.punctuation.is_sorted());
        assert!(normalizer.mapped.is_sorted() && normalizer.further.is_sorted());
    }

    #[test]
    fn accents_and_case_go() {
        assert_eq!(pieces("ÀÉîõü Straße İSTANBUL ΣΟΦΟΣ"), "aeiou|straße|istanbul|σοφοσ");
        assert_eq!(pieces("e\u{301}\u{0}\u{200b}x"), "ex");
    }

    #[test]
    fn words_end_where_they_should() {
        assert_eq!(pieces("0.5 mg"), "0<.>5|mg");
        assert_eq!(pieces("\u{f900}\u{2f81a}\u{fa0e}"), "|豈||冬||\u{fa0e}|");
        assert_eq!(pieces("a漢b\u{a0}c\u{3000}d"), "a|漢|b|c|d");
        assert_eq!(pieces("x≠y「z」"), "x<=>y<「>z<」>");
        assert_eq!(pieces("각"), "\u{1100}\u{1161}\u{11a8}");
    }
}
