//! Checks whether a source's quantity bears out an answer's.
#![expect(clippy::float_cmp, reason = "both come from the same computation, or are whole numbers")]

use super::quantity::{Bound, Quantity, QuantityKind};
use super::unit::{DAY, Unit};

/// The verdict of a source's quantity on one of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Agreement {
    /// Something else.
    None,
    /// The same number as the limit of the other side: "at most 30" for "at least 30".
    Opposite,
    /// The same.
    Same,
}

/// The share by which two values of the same may lie apart: units are converted with six figures.
const EQUAL: f64 = 2e-6;

/// Bytes of a megabyte as programs count them.
const MEBIBYTE: f64 = 1_048_576.0;

/// The share by which a value that is called approximate may lie off.
const ABOUT: f64 = 0.1;

/// Finds the verdict of a source's quantity on a claim's.
pub(in super::super) fn agreement(claim: &Quantity, source: &Quantity) -> Agreement {
    if claim.kind == QuantityKind::Date || source.kind == QuantityKind::Date {
        return if claim.kind == source.kind && dates_agree(claim.low, source.low) {
            Agreement::Same
        } else {
            Agreement::None
        };
    }
    if is_interval(claim, source) || is_interval(source, claim) {
        return Agreement::Same;
    }
    let limited = matches!(claim.bound, Bound::Above | Bound::Below);
    // "A sixth one ends the oldest" limits nothing to six.
    if limited && source.kind == QuantityKind::Ordinal && claim.kind != QuantityKind::Ordinal {
        return Agreement::None;
    }
    if may_be_short_for(claim, source) {
        return Agreement::Same;
    }
    if !is_comparable(claim, source) && !claim.unit.is_none() && !source.unit.is_none() {
        return Agreement::None;
    }
    if !values_agree(claim, source) {
        return Agreement::None;
    }
    match (claim.bound, source.bound) {
        (Bound::Above, Bound::Below) | (Bound::Below, Bound::Above)
            if claim.low == claim.high && source.low == source.high && equal(claim.low, source.low) =>
        {
            Agreement::Opposite
        }
        _ => Agreement::Same,
    }
}

/// Returns true if a source's quantity has the very number of the claim's, and not just one within or beyond it.
pub(in super::super) fn is_the_number(claim: &Quantity, source: &Quantity) -> bool {
    // With another unit, or by the day, the numbers are compared as they are written.
    let worth = |quantity: &Quantity| if claim.unit == source.unit { 1.0 } else { quantity.worth };
    let (one, other) = (worth(claim), worth(source));
    equal(claim.low / one, source.low / other) || equal(claim.high / one, source.high / other)
}

/// Returns true if how often something is done is told as the time between: "every 2 days" under "Change every" is "2 days".
fn is_interval(often: &Quantity, time: &Quantity) -> bool {
    let days = time.unit == Unit::of('s') && often.unit == Unit::frequency();
    days && often.low == often.high && time.low == time.high && equal(DAY / often.low, time.low)
}

/// Returns true if a source's letter is short for a claim's unit: settings write `20m` for megabytes and for minutes.
fn may_be_short_for(claim: &Quantity, source: &Quantity) -> bool {
    let letter = source.unit.kind.filter(|_| source.worth == 1.0 && source.unit.per == [None; 2]);
    let is_meant = match (letter, claim.unit.kind) {
        (Some('m'), Some('s')) => claim.worth == 60.0,
        (Some('m'), Some('B')) => claim.worth == MEBIBYTE,
        (Some('g'), Some('B')) => claim.worth == 1024.0 * MEBIBYTE,
        _ => false,
    };
    let same = |own: f64, there: f64| equal(own / claim.worth, there);
    is_meant && same(claim.low, source.low) && same(claim.high, source.high)
}

/// Returns true if two quantities are of the same unit, so that they could contradict each other.
pub(in super::super) fn is_comparable(claim: &Quantity, source: &Quantity) -> bool {
    (claim.kind == source.kind || !claim.unit.is_none())
        && claim.unit.without_time() == source.unit.without_time()
}

fn values_agree(claim: &Quantity, source: &Quantity) -> bool {
    // A dose by the day is compared with one by the day as it is, and as a number with one that does not say so.
    let (mut scale, mut percent) = (1.0, false);
    if claim.unit != source.unit {
        let per_day = 86400.0;
        let timed = |quantity: &Quantity| quantity.unit.per.contains(&Some('s'));
        scale = match (timed(claim), timed(source)) {
            (true, false) => per_day,
            (false, true) => 1.0 / per_day,
            _ => 1.0,
        };
        if claim.unit.kind == Some('%') && source.unit.kind.is_none() && source.low < 1.0 {
            (scale, percent) = (0.01, true);
        } else if source.unit.kind == Some('%') && claim.unit.kind.is_none() && claim.low < 1.0 {
            (scale, percent) = (100.0, true);
        }
    }
    // Where only one has a unit, the numbers are compared as they are written: "aged 5" is 5 years old, and the head of
    // a table has the unit of its cells.
    let only_one = claim.unit.is_none() != source.unit.is_none();
    if only_one && !percent || claim.unit.kind.is_some() != source.unit.kind.is_some() && scale == 1.0 {
        scale = source.worth / claim.worth;
    }
    let (low, high) = (claim.low * scale, claim.high * scale);
    let alike = claim.unit.kind.is_some() == source.unit.kind.is_some();
    let near_enough = alike && (claim.bound == Bound::Near || source.bound == Bound::Near);
    let slack = if near_enough { ABOUT } else { 0.0 };
    let near = |a: f64, b: f64| equal(a, b) || (a - b).abs() <= slack * b.abs();
    if low != high {
        // A range is the same range; a part of it would be another statement.
        return near(low, source.low) && near(high, source.high);
    }
    if near(low, source.low) || near(low, source.high) {
        return true;
    }
    // A number within a range is supported, unless the range is so wide that it is none: "1-800" in a telephone number.
    let narrow = source.high <= source.low * if claim.unit.is_none() { 3.0 } else { 20.0 };
    if alike && narrow && source.low < source.high && (source.low..=source.high).contains(&low) {
        return true;
    }
    // A claim of a limit is supported by a value beyond it, unless that is itself a limit.
    let limited = matches!(source.bound, Bound::Above | Bound::Below);
    match claim.bound {
        Bound::Above => source.low >= low && source.low <= low * 2.0 && !limited,
        Bound::Below => source.high <= high && source.high >= high * 0.5 && !limited,
        Bound::Exact | Bound::Near => alike && rounds_to(low, source.low),
    }
}

fn equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= EQUAL * a.abs().max(b.abs())
}

/// Returns true if a value is another one rounded to fewer figures, of which at least two must be left.
fn rounds_to(rounded: f64, value: f64) -> bool {
    if rounded < 10.0 || value.fract() == 0.0 && value < 1000.0 {
        return false;
    }
    let mut unit = 1.0;
    while rounded % (unit * 10.0) == 0.0 && unit < 1e12 {
        unit *= 10.0;
    }
    rounded / unit >= 10.0 && (value / unit).round() * unit == rounded
}

/// Returns true if a day in a month may be another; where one has no day the months decide.
fn dates_agree(claim: f64, source: f64) -> bool {
    let day = |code: f64| (code / 100.0).floor();
    claim % 100.0 == source % 100.0 && (day(claim) == day(source) || day(claim) == 0.0)
}

/// Computes the fit of a source's quantity to what a claim says of its place, 0 to 1: the same range on the same side
/// fits best, and a part of the range of the source well.
pub(in super::super) fn covers(claim: &Quantity, source: &Quantity) -> f32 {
    if claim.kind == QuantityKind::Date || source.kind == QuantityKind::Date {
        return f32::from(u8::from(claim.kind == source.kind && dates_agree(claim.low, source.low)));
    }
    if claim.unit.without_time() != source.unit.without_time() {
        return 0.0;
    }
    let sides = |quantity: &Quantity| match quantity.bound {
        Bound::Above => (quantity.low, f64::INFINITY),
        Bound::Below => (f64::NEG_INFINITY, quantity.high),
        Bound::Exact | Bound::Near => (quantity.low, quantity.high),
    };
    let (one, other) = (sides(claim), sides(source));
    let same = |a: f64, b: f64| a == b || a.is_finite() && b.is_finite() && equal(a, b);
    if same(one.0, other.0) && same(one.1, other.1) {
        return 1.0;
    }
    let inside = (other.0 < one.0 || same(one.0, other.0)) && (one.1 < other.1 || same(one.1, other.1));
    // The end of an open side is mostly no part of it.
    let touches = one.0 == one.1 && (same(one.0, other.0) || same(one.1, other.1));
    match (inside, touches && source.bound != Bound::Exact) {
        (true, false) => 0.9,
        (true, true) => 0.4,
        _ => 0.0,
    }
}
