//! Quantities in a text, and whether one says what another says.

mod compare;
mod date;
mod parse;
mod quantity;
mod spell;
mod unit;

pub(super) use compare::{Agreement, agreement, covers, is_comparable};
pub(super) use parse::quantities;
pub(super) use quantity::{Quantity, QuantityKind};
pub(super) use unit::UnitTable;
