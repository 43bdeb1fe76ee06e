//! Quantities in a text, and whether one says what another says.

mod compare;
mod date;
mod parse;
mod spell;
mod unit;

use std::ops::Range;

pub(super) use compare::{Agreement, agreement, is_comparable};
pub(super) use parse::quantities;
pub(super) use unit::{Unit, Units};

/// A number with what belongs to it: "at least 5 to 7 mg/kg".
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    /// The byte range in the text, without the words of its bound.
    pub(super) span: Range<usize>,
    /// The tokens that it is made of.
    pub(super) tokens: Range<usize>,
    /// The least and the greatest value, in the base unit of its kind; equal unless it is a range.
    pub(super) low: f64,
    pub(super) high: f64,
    /// What its unit is worth in the base unit: `low` is the number as it is written times this.
    pub(super) worth: f64,
    /// What the number is if its separator is the other one: 1,500 may be 1.5.
    pub(super) other: Option<f64>,
    pub(super) unit: Unit,
    /// On which side of the number the truth lies.
    pub(super) bound: Bound,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    /// "about"
    Near,
    /// "at least", "more than"
    Above,
    /// "at most", "less than"
    Below,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    /// "third", "3rd"
    Ordinal,
    /// Four digits that can be a year, and nothing behind them.
    Year,
    /// A day of a month, the day times 100 plus the month as `low`; a month alone is a day of 0.
    Date,
}

impl Quantity {
    /// What stands for it among the words of a text: the same for quantities that are the same.
    pub(super) fn key(&self) -> String {
        let round = |value: f64| format!("{value:.5e}");
        match self.kind {
            Kind::Date => format!("#d{}", self.low),
            _ if self.unit.is_none() => format!("#{}", round(self.low)),
            _ => format!("#{}u{}", round(self.low), self.unit.code()),
        }
    }
}
