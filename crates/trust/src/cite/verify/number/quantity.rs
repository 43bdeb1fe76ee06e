//! A number with what belongs to it.

use std::ops::Range;

use super::super::lists::Role;
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
    /// What its unit is worth in the base unit: `low` is the number as it is written times this.
    pub(in super::super) worth: f64,
    /// What the number is if its separator is the other one: 1,500 may be 1.5.
    pub(in super::super) other: Option<f64>,
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
    /// The role of the words that name its side, if it has one: "maximum" for "at most".
    pub(in super::super) fn limit(&self) -> Option<Role> {
        match self.bound {
            Bound::Above => Some(Role::Above),
            Bound::Below => Some(Role::Below),
            Bound::Exact | Bound::Near => None,
        }
    }

    /// What stands for it among the words of a text: the same for quantities that are the same.
    pub(in super::super) fn key(&self) -> String {
        let round = |value: f64| format!("{value:.5e}");
        match self.kind {
            QuantityKind::Date => format!("#d{}", self.low),
            _ if self.unit.is_none() => format!("#{}", round(self.low)),
            _ => format!("#{}u{}", round(self.low), self.unit.code()),
        }
    }
}
