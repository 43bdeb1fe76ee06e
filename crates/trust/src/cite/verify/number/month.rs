//! The names of months.

use super::super::lex::{LetterCase, Lexeme};

/// The first three letters of the months, in English; other languages mostly share them or are left alone.
const MONTHS: &str = "jan feb mar apr may jun jul aug sep oct nov dec";
const LONG: &str = "january february march april may june july august september october november december sept januar februar marz mai juni juli oktober dezember";

/// All names of months.
pub(super) fn months() -> impl Iterator<Item = &'static str> {
    MONTHS.split(' ').chain(LONG.split(' ')).chain(["mai", "okt", "dez"])
}

/// The month of a word, 1 to 12.
pub(super) fn month(token: &Lexeme) -> Option<u32> {
    if !token.is_word() || token.text.len() < 3 {
        return None;
    }
    // "may" and "mar" are words too.
    if token.case == LetterCase::Lower {
        return None;
    }
    let known = token.text.len() == 3 || LONG.split(' ').any(|name| name == token.text);
    if !known {
        return None;
    }
    let start = match token.text.get(..3)? {
        "mai" => "may",
        "okt" => "oct",
        "dez" => "dec",
        start => start,
    };
    (1..).zip(MONTHS.split(' ')).find_map(|(number, name)| (name == start).then_some(number))
}
