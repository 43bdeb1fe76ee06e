//! Quantities in a text, and whether one says what another says.

mod compare;
mod date;
mod parse;
mod quantity;
mod range;
mod spell;
mod unit;

pub(super) use compare::{Agreement, agreement, covers, is_comparable, is_the_number};
pub(super) use parse::quantities;
pub(super) use quantity::{Quantity, QuantityKind};
pub(in super::super) use range::range;
pub(super) use unit::{Unit, UnitTable};
