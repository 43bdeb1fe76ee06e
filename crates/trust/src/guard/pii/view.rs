//! The text as the rules read it.
//!
//! A number in full-width digits, with non-breaking spaces or long hyphens, and an address with a zero-width character
//! inside are the same to whoever reads them, so they are the same here: every rule works on folded characters, each of
//! which knows the bytes that it stands for.

use std::ops::Range;

/// The folded characters of a text.
pub(super) struct View {
    /// What the rules read: case is kept, everything else that looks alike is one character.
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
            if is_mark(c) {
                // An accent belongs to its letter, so a span that ends with the letter must end behind it.
                if let Some(last) = places.last_mut().filter(|last| last.1 == at) {
                    last.1 = end;
                }
            } else if !is_invisible(c) {
                chars.push(fold(c));
                places.push((at, end));
            }
        }
        Self { chars, places }
    }

    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    /// The character at a place, and a line break before and behind the text.
    #[inline(never)]
    pub(super) fn at(&self, index: usize) -> char {
        self.chars.get(index).copied().unwrap_or('\n')
    }

    /// The character before a place.
    #[inline(never)]
    pub(super) fn before(&self, index: usize) -> char {
        if index == 0 { '\n' } else { self.at(index - 1) }
    }

    /// The bytes of a range of characters, which must not be empty.
    pub(super) fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        self.places[range.start].0..self.places[range.end - 1].1
    }
}

/// Whether a character is a combining accent.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Whether a character shows nothing where it stands.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// The zeros of the scripts that have digits of their own; the other nine follow each of them.
const ZEROS: [u32; 20] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
    0x1040, 0x17e0, 0x1810, 0xff10, 0xa620,
];

/// One character for all that look like it.
fn fold(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    let code = c as u32;
    match c {
        // Digits for mathematics: five styles of ten.
        '\u{1d7ce}'..='\u{1d7ff}' => char::from(b'0' + ((code - 0x1d7ce) % 10) as u8),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(code - 0xfee0).unwrap_or(c),
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{30fc}' => '-',
        '\u{2024}' | '\u{3002}' | '\u{ff61}' | '\u{fe52}' => '.',
        '\u{2019}' | '\u{2018}' | '\u{2bc}' | '\u{b4}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2044}' | '\u{2215}' => '/',
        '\u{fe6b}' => '@',
        '\u{2028}' | '\u{2029}' | '\u{85}' => '\n',
        _ if c.is_whitespace() => ' ',
        _ => match ZEROS.iter().find(|&&zero| (zero..zero + 10).contains(&code)) {
            Some(zero) => char::from(b'0' + (code - zero) as u8),
            None => c,
        },
    }
}

/// The Latin letters with accents, each behind the plain letter that stands for it.
const ACCENTS: &str = "aàáâãäåāăą cçćĉċč dďđ eèéêëēĕėęě gĝğġģ hĥħ iìíîïĩīĭįı kķ lĺļľł nñńņňŋ oòóôõöøōŏő rŕŗř sśŝşšș \
    tţťŧț uùúûüũūŭůűų wŵ yýÿŷ zźżž";

/// A folded character as a small letter without accent.
pub(super) fn low(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let c = c.to_lowercase().next().unwrap_or(c);
    if !matches!(c, '\u{e0}'..='\u{21b}') {
        return c;
    }
    let plain = |group: &str| group.contains(c).then(|| group.chars().next()).flatten();
    ACCENTS.split(' ').find_map(plain).unwrap_or(c)
}

/// What two ways of writing the same thing have in common: small letters and digits without accents, with one space
/// for whatever stands between them.
pub(super) fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for c in View::new(text).chars {
        if c.is_alphanumeric() {
            key.push(low(c));
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
