//! The numbers that the cell of a table stands for.

use super::super::lex::lex;
use super::parse::quantities;
use super::quantity::Bound;
use super::unit::UnitTable;

/// The words and signs of a limit that is no part of its range, unless it is turned: "below 30", but "30 or below".
const OPEN: [&str; 8] = ["<", ">", "below", "under", "above", "over", "less than", "more than"];
const CLOSED: [&str; 5] = ["or ", "and ", "=", "no more", "no less"];

/// Reads the numbers that a cell stands for as they are written, from the least to the greatest; `None` for a single one.
pub(in super::super::super) fn range(cell: &str) -> Option<(f64, f64)> {
    let cell = cell.to_lowercase();
    let found = quantities(&lex(&cell, 0, &[]), UnitTable::all());
    let first = found.first()?;
    let (low, high) = (first.low / first.worth, first.high / first.worth);
    let has = |words: &[&str]| words.iter().any(|word| cell.contains(word));
    let open = has(&OPEN) && !has(&CLOSED);
    match first.bound {
        _ if low < high => Some((low, high)),
        Bound::Above => Some((if open { low.next_up() } else { low }, f64::INFINITY)),
        Bound::Below => Some((f64::NEG_INFINITY, if open { low.next_down() } else { low })),
        Bound::Exact | Bound::Near => None,
    }
}
