//! A number with what belongs to it.

use std::ops::Range;

use super::unit::Unit;

/// A number with what belongs to it: "at least 5 to 7 mg/kg".
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Quantity {
    /// The byte range in the text, without the words of its bound.
    pub(in super::super) span: Range<usize>,
    /// The tokens that it is made of.
    pub(in super::super) tokens: Range<usize>,
    /// The least and the greatest value, in the base unit of its kind; equal unless it is a range.
    pub(in super::super) low: f64,
    pub(in super::super) high: f64,
    /// The worth of its unit in the base unit: `low` is the number as it is written times this.
    pub(in super::super) worth: f64,
    pub(in super::super) unit: Unit,
    /// On which side of the number the truth lies.
    pub(in super::super) bound: Bound,
    pub(in super::super) kind: QuantityKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Bound {
    Exact,
    /// "about"
    Near,
    /// "at least", "more than"
    Above,
    /// "at most", "less than"
    Below,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum QuantityKind {
    Number,
    /// "third", "3rd"
    Ordinal,
    /// Four digits that can be a year, and nothing behind them.
    Year,
    /// A day of a month, the day times 100 plus the month as `low`; a month alone is a day of 0.
    Date,
}

impl Quantity {
    /// Takes the unit that stands elsewhere for a bare number.
    pub(in super::super) fn take_unit(&mut self, unit: Unit, worth: f64) {
        self.unit = unit;
        self.low *= worth;
        self.high *= worth;
        self.worth = worth;
    }

    /// Returns true if the two are the day and the year of one date.
    pub(in super::super) fn is_one_date(&self, other: &Self) -> bool {
        let date = |kind| matches!(kind, QuantityKind::Date | QuantityKind::Year);
        let near = self.tokens.start <= other.tokens.end + 1 && other.tokens.start <= self.tokens.end + 1;
        date(self.kind) && date(other.kind) && near
    }

    /// Makes the word for it among those of a text: the same for quantities that are the same.
    pub(in super::super) fn key(&self) -> String {
        let round = |value: f64| format!("{value:.5e}");
        match self.kind {
            QuantityKind::Date => format!("#d{}", self.low),
            _ if self.unit.is_none() => format!("#{}", round(self.low)),
            _ => format!("#{}u{}", round(self.low), self.unit.code()),
        }
    }
}
