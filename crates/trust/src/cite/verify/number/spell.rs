//! Numbers in words and in figures with separators.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::super::lex::{LetterCase, Lexeme};
use super::super::lists::lines;

/// Reads a word of a number: its kind, which the table explains, and its value.
pub(super) fn spelled(word: &str) -> Option<(char, f64)> {
    static WORDS: OnceLock<HashMap<&str, (char, f64)>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let mut known = HashMap::new();
        for mut words in lines("number words").map(str::split_ascii_whitespace) {
            let kind = words.next().and_then(|kind| kind.chars().next()).unwrap_or_default();
            let mut number = || words.next().and_then(|number| number.parse().ok()).unwrap_or(0.0);
            let (mut value, step) = (number(), number());
            for word in words {
                known.insert(word, (kind, value));
                value += step;
            }
        }
        known
    });
    words.get(word).copied()
}

/// Looks up the value of a word of one of these kinds.
pub(super) fn number_word(word: &str, kinds: &str) -> Option<f64> {
    spelled(word).filter(|(kind, _)| kinds.contains(*kind)).map(|(_, value)| value)
}

/// Reads the month of a word, 1 to 12. "may" and "mar" are words too.
pub(super) fn month(token: &Lexeme) -> Option<u32> {
    let capital = token.is_word() && token.case != LetterCase::Lower;
    number_word(&token.text, "m").filter(|_| capital).map(|month| month as u32)
}

/// Reads the number of times a day a prescriber's abbreviation says.
pub(super) fn abbreviated(word: &str) -> Option<f64> {
    // "q12h"
    let hours = || word.strip_prefix('q')?.strip_suffix('h')?.parse().ok().filter(|hours| *hours > 0.0);
    number_word(word, "d").or_else(|| hours().map(|hours: f64| 24.0 / hours))
}

/// Reads the value of digits with separators: "1,500" is 1500, and "1.5" and "1,5" are one and a half.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let last = text.rfind(['.', ',']).unwrap_or(text.len());
    let (whole, part) = (text.get(..last)?, text.get(last..)?);
    let groups = part.starts_with(',') && part.len() == 4 && whole.len() <= 3 && whole != "0"
        || whole.contains(&part[..part.len().min(1)]);
    // More digits than that are no number that anyone compares.
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).take(30).collect::<String>();
    let value = if groups { digits(text) } else { format!("{}.{}", digits(whole), digits(part)) };
    value.parse().ok()
}
