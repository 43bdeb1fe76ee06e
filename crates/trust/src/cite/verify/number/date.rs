//! Days of months.

use super::super::lex::{Lexeme, TokenKind};
use super::spell::month;
use super::unit::UnitTable;

/// A day of a month as the day times 100 plus the month, the year where one stands next to it as a token, and how many
/// tokens the day and the month are.
pub(super) struct FoundDate {
    pub(super) code: f64,
    pub(super) length: usize,
}

fn day(token: &Lexeme) -> Option<u32> {
    let day = (token.kind == TokenKind::Number).then(|| token.text.parse::<u32>().ok()).flatten()?;
    (1..=31).contains(&day).then_some(day)
}

/// Reads the day of a month that begins at a token: "March 1", "1 March", "1st of March", "2017-03-01", "March".
pub(super) fn date(tokens: &[Lexeme], at: usize, units: &UnitTable) -> Option<FoundDate> {
    let code = |day: u32, month: u32| f64::from(day * 100 + month);
    let token = tokens.get(at)?;
    if let Some(month) = month(token) {
        let with_day = tokens.get(at + 1).and_then(day);
        let full = with_day.filter(|_| {
            // "May 5 mg" is no date.
            tokens.get(at + 2).is_none_or(|next| !next.is_word() || units.get(&next.text).is_none())
        });
        if let Some(day) = full {
            let suffix = tokens.get(at + 2).is_some_and(is_ordinal_suffix);
            return Some(FoundDate { code: code(day, month), length: 2 + usize::from(suffix) });
        }
        return Some(FoundDate { code: code(0, month), length: 1 });
    }
    let day = day(token)?;
    let mut next = at + 1;
    next += usize::from(tokens.get(next).is_some_and(|token| is_ordinal_suffix(token) || token.is_sign(".")));
    next += usize::from(tokens.get(next).is_some_and(|token| token.text == "of"));
    let month = month(tokens.get(next)?)?;
    Some(FoundDate { code: code(day, month), length: next + 1 - at })
}

/// Reads a date in figures, `2017-03-01`, whose year is the first of its five tokens.
pub(super) fn iso(tokens: &[Lexeme], at: usize) -> Option<f64> {
    let [year, first, month, second, day_token] = tokens.get(at..at + 5)? else { return None };
    let dashes = first.is_sign("-") && second.is_sign("-") && first.glued && second.glued;
    let month: u32 = month.text.parse().ok()?;
    let day = day(day_token)?;
    (dashes && year.text.len() == 4 && (1..=12).contains(&month)).then_some(f64::from(day * 100 + month))
}

pub(super) fn is_ordinal_suffix(token: &Lexeme) -> bool {
    token.glued && matches!(token.text.as_str(), "st" | "nd" | "rd" | "th")
}
