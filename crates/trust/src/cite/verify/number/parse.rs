//! Reading quantities.
#![expect(clippy::float_cmp, reason = "whole numbers from tables are compared")]

use std::ops::Range;

use super::super::lex::{Lexeme, TokenKind, fraction};
use super::super::lists::{Role, WordLists};
use super::date::{date, is_ordinal_suffix, iso};
use super::quantity::{Bound, Quantity, QuantityKind};
use super::spell::{abbreviated, decimal, number_word};
use super::unit::{DAY, Unit, UnitTable, can_start, is_currency};

/// Finds the quantities in a text, in order. Each token is looked at a bounded number of times.
pub(in super::super) fn quantities(tokens: &[Lexeme], units: &UnitTable) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let parser = Parser { tokens, units };
        match parser.quantity(at) {
            Some(quantity) => {
                at = quantity.tokens.end.max(at + 1);
                // A date in figures has a year, too.
                if quantity.kind == QuantityKind::Date
                    && let Some(year) = tokens.get(quantity.tokens.start).and_then(year)
                {
                    found.push(parser.plain(quantity.tokens.clone(), year, QuantityKind::Year));
                }
                found.push(quantity);
            }
            None => at += 1,
        }
    }
    found
}

struct Parser<'t> {
    tokens: &'t [Lexeme],
    units: &'t UnitTable,
}

/// A number that has been read.
struct Number {
    value: f64,
    next: usize,
    /// It is written in digits.
    digits: bool,
}

impl Parser<'_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    fn glued(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.glued)
    }

    fn before(&self, at: usize, back: usize) -> &str {
        at.checked_sub(back).map_or("", |at| self.text(at))
    }

    fn quantity(&self, at: usize) -> Option<Quantity> {
        let token = self.tokens.get(at)?;
        if token.is_word() && !can_start(&token.text) {
            return None;
        }
        let currency = token.kind == TokenKind::Sign && is_currency(&token.text);
        if token.kind == TokenKind::Sign && !currency {
            return None;
        }
        if let Some(code) = iso(self.tokens, at) {
            return Some(self.plain(at..at + 5, code, QuantityKind::Date));
        }
        if let Some(found) = date(self.tokens, at, self.units) {
            return Some(self.plain(at..at + found.length, found.code, QuantityKind::Date));
        }
        if let Some(quantity) = self.frequency(at) {
            return Some(quantity);
        }
        // A currency may stand in front.
        let money = currency.then(|| self.units.get(&token.text)).flatten();
        let start = at + usize::from(money.is_some());
        if let Some(value) = self.word_ordinal(start) {
            return Some(self.plain(at..start + 1, value, QuantityKind::Ordinal));
        }
        self.counted(at, start, money)
    }

    /// Reads a number, alone, in a range or with its unit, which begins at `start` behind what money it is of.
    fn counted(&self, at: usize, start: usize, money: Option<(char, f64)>) -> Option<Quantity> {
        let first = self.number(start)?;
        let mut next = first.next;
        if first.digits && self.tokens.get(next).is_some_and(is_ordinal_suffix) {
            return Some(self.plain(at..next + 1, first.value, QuantityKind::Ordinal));
        }
        let own_unit = self.unit(next);
        let last = self.range_end(at, own_unit.as_ref().map_or(next, |(_, _, end)| *end));
        let mut high = first.value;
        let mut found = own_unit;
        if let Some(last) = &last {
            high = last.value;
            next = last.next;
            // "2018–19" ends in 2019.
            if self.tokens.get(start).and_then(year).is_some() && first.value % 100.0 < high && high < 100.0 {
                high += first.value - first.value % 100.0;
            }
            found = self.unit(next).or(found.map(|(unit, worth, _)| (unit, worth, next)));
        }
        let (mut unit, mut worth) = (Unit::default(), 1.0);
        if let Some((kind, value)) = money {
            (unit, worth) = (Unit::of(kind), value);
        } else if let Some((known, value, end)) = found {
            (unit, worth) = (known, value);
            next = end;
        }
        // "one of the" and "two" are no quantities where nothing is counted by a unit, but "two" is worth a look.
        if !first.digits && unit.is_none() && first.value <= 1.0 {
            return None;
        }
        let fahrenheit = matches!(self.text(first.next + 1), "f" | "fahrenheit");
        let degrees = matches!(self.text(first.next), "°" | "degree" | "degrees") && last.is_none();
        let convert = |value: f64| {
            if degrees && fahrenheit { (value - 32.0) / 1.8 } else { value * worth }
        };
        if degrees && fahrenheit {
            unit = Unit::of('K');
            next = first.next + 2;
        }
        let (low, high) = (convert(first.value), convert(high));
        let year = last.is_none() && unit.is_none() && self.tokens.get(at).and_then(year).is_some();
        let kind = if year { QuantityKind::Year } else { QuantityKind::Number };
        Some(Quantity {
            high: low.max(high),
            worth: if degrees && fahrenheit { 1.0 } else { worth },
            unit,
            bound: self.bound(at, next),
            ..self.plain(at..next, low.min(high), kind)
        })
    }

    /// A value without anything else.
    fn plain(&self, tokens: Range<usize>, value: f64, kind: QuantityKind) -> Quantity {
        Quantity {
            span: self.span(tokens.start, tokens.end),
            tokens,
            low: value,
            high: value,
            worth: 1.0,
            unit: Unit::default(),
            bound: Bound::Exact,
            kind,
        }
    }

    fn span(&self, start: usize, end: usize) -> Range<usize> {
        let last = end.saturating_sub(1).min(self.tokens.len().saturating_sub(1));
        let from = self.tokens.get(start).map_or(0, |token| token.span.start);
        from..self.tokens.get(last).map_or(from, |token| token.span.end)
    }

    fn word_ordinal(&self, at: usize) -> Option<f64> {
        // "first" and "second" are said of so much that they count nothing, and seconds are time.
        self.tokens.get(at).filter(|token| token.is_word())?;
        number_word(self.text(at), "o").filter(|value| *value > 2.0)
    }

    /// "twice daily", "3 times a day", "every 12 hours", "BID", "q12h".
    fn frequency(&self, at: usize) -> Option<Quantity> {
        let made = |end: usize, value: f64| {
            let mut quantity = self.plain(at..end, value, QuantityKind::Number);
            quantity.unit = Unit::frequency();
            Some(quantity)
        };
        let text = self.text(at);
        if let Some(value) = abbreviated(text) {
            return made(at + 1, value);
        }
        if number_word(text, "e").is_some() {
            if self.text(at + 1) == "other" && self.text(at + 2) == "day" {
                return made(at + 3, 0.5);
            }
            let start = if self.text(at + 1) == "les" { at + 2 } else { at + 1 };
            let first = self.number(start)?;
            let last = self.range_end(start, first.next);
            let next = last.as_ref().map_or(first.next, |last| last.next);
            let (kind, worth) = self.units.get(self.text(next))?;
            if kind != 's' || first.value <= 0.0 {
                return None;
            }
            let mut quantity = made(next + 1, DAY / (first.value * worth))?;
            if let Some(last) = last.filter(|last| last.value > 0.0) {
                let other = DAY / (last.value * worth);
                (quantity.low, quantity.high) = (quantity.low.min(other), quantity.low.max(other));
            }
            return Some(quantity);
        }
        let (low, high, mut next) = if let Some(times) = number_word(text, "x") {
            (times, times, at + 1)
        } else {
            let first = self.number(at)?;
            let last = self.range_end(at, first.next);
            let next = last.as_ref().map_or(first.next, |last| last.next);
            if !matches!(self.text(next), "times" | "time" | "x" | "×" | "mal" | "fois" | "veces") {
                return None;
            }
            (first.value, last.map_or(first.value, |last| last.value), next + 1)
        };
        if matches!(
            self.text(next),
            "a" | "per" | "each" | "every" | "in" | "pro" | "am" | "par" | "al" | "/"
        ) {
            next += 1;
        }
        let seconds = number_word(self.text(next), "s")?;
        let mut quantity = made(next + 1, low * DAY / seconds)?;
        quantity.high = high * DAY / seconds;
        Some(quantity)
    }

    /// Reads a number in digits or words.
    fn number(&self, at: usize) -> Option<Number> {
        let token = self.tokens.get(at)?;
        match token.kind {
            TokenKind::Number => self.digits(at),
            TokenKind::Word => self.words(at),
            TokenKind::Sign => None,
        }
    }

    fn digits(&self, at: usize) -> Option<Number> {
        let text = self.text(at);
        let fraction_of = |text: &str| text.chars().next().and_then(fraction);
        let mut value = fraction_of(text).or_else(|| decimal(text))?;
        let mut next = at + 1;
        let after = self.text(next);
        if let Some(part) = fraction_of(after).filter(|_| value.fract() == 0.0) {
            value += part;
            next += 1;
        } else if after == "/" && self.glued(next) && self.glued(next + 1) && self.text(next + 2) != "/" {
            // "1/2" is a half, and "120/80" are two numbers.
            let below = self.text(next + 1).parse::<f64>().ok();
            if let Some(below) =
                below.filter(|below| value.fract() == 0.0 && value < *below && *below <= 10.0)
            {
                value /= below;
                next += 2;
            }
        }
        let glued_k = self.text(next) == "k" && self.glued(next);
        let hyphen = usize::from(self.text(next) == "-" && self.glued(next));
        if let Some(times) = number_word(self.text(next + hyphen), "*").or(glued_k.then_some(1e3)) {
            value *= times;
            next += 1 + hyphen;
        }
        Some(Number { value, next, digits: true })
    }

    fn words(&self, at: usize) -> Option<Number> {
        let mut next = at;
        let half = number_word(self.text(at), "/")
            .filter(|part| *part == 0.5 || matches!(self.before(at, 1), "a" | "one"));
        if let Some(part) = half {
            next += 1;
            while matches!(self.text(next), "a" | "an" | "of") {
                next += 1;
                if next > at + 3 {
                    return None;
                }
            }
            let times = number_word(self.text(next), "*");
            // "half a" without a magnitude ends at the word itself.
            let next = if times.is_some() { next + 1 } else { at + 1 };
            return Some(Number { value: part * times.unwrap_or(1.0), next, digits: true });
        }
        let (mut total, mut group, mut any) = (0.0, 0.0, false);
        // No number has more words.
        while next < at + 12 {
            let word = self.text(next);
            let joined = usize::from(matches!(word, "-" | "and"));
            let word = if any { self.text(next + joined) } else { word };
            let taken = next + 1 + if any { joined } else { 0 };
            if let Some(small) = number_word(word, "1t") {
                // "twenty-five", but not "five six"; "one hundred and five".
                let fits = group == 0.0
                    || (small < 10.0 && group % 100.0 >= 20.0 && group % 10.0 == 0.0)
                    || group >= 100.0 && group % 100.0 == 0.0;
                if any && !fits
                    || any && joined > 0 && self.text(next) == "and" && group < 100.0 && total == 0.0
                {
                    break;
                }
                group += small;
            } else if let Some(times) = number_word(word, "*").filter(|_| any || self.before(next, 1) == "a")
            {
                if times == 100.0 || times == 12.0 {
                    group = if any { group } else { 1.0 } * times;
                } else {
                    total += if any { group } else { 1.0 } * times;
                    group = 0.0;
                }
            } else {
                break;
            }
            any = true;
            next = taken;
        }
        any.then_some(Number { value: total + group, next, digits: false })
    }

    /// Reads the second number of a range whose first ends before `next`.
    fn range_end(&self, start: usize, next: usize) -> Option<Number> {
        let joined = match self.text(next) {
            "-" | "to" | "bis" | "a" | "à" => true,
            "and" | "und" | "et" | "y" => matches!(self.before(start, 1), "between" | "zwischen" | "entre"),
            _ => false,
        };
        // "1-2-3" is no range, nor is a number behind a list's dash.
        // A life from "1944 – 16 May 2001" is no range, either.
        let dated = || {
            self.tokens.get(start).and_then(year).is_some()
                && date(self.tokens, next + 1, self.units).is_some_and(|date| date.length > 1)
        };
        joined.then(|| self.number(next + 1)).flatten().filter(|last| {
            !dated() && {
                self.text(last.next) != "-"
                    || !self.glued(last.next)
                    || self.tokens.get(last.next + 1).is_some_and(Lexeme::is_word)
            }
        })
    }

    /// Reads the unit at a token, what it is worth, and where it ends.
    fn unit(&self, at: usize) -> Option<(Unit, f64, usize)> {
        let mut at = at;
        if matches!(self.text(at), "-" | "°" | "degrees" | "degree") {
            at += 1;
        }
        if self.text(at) == "per" && self.text(at + 1) == "cent" {
            return Some((Unit::of('%'), 1.0, at + 2));
        }
        let token = self.tokens.get(at)?;
        let (kind, mut worth) = self.units.get(&token.text).or_else(|| self.seconds(at))?;
        let mut known = Unit::of(kind);
        let mut next = at + 1;
        while let Some((by, part, end)) = self.divisor(next, kind) {
            if !known.divide(by) {
                break;
            }
            worth /= part;
            next = end;
        }
        Some((known, worth, next))
    }

    /// Seconds, as settings write them: "45s" or "45 s", but not "the 1990s".
    fn seconds(&self, at: usize) -> Option<(char, f64)> {
        let decade = self.before(at, 1).len() == 4
            || matches!(self.before(at, 2), "the" | "their" | "his" | "her" | "early" | "mid" | "late");
        (self.text(at) == "s" && !decade).then_some(('s', 1.0))
    }

    /// Reads the unit that a unit is divided by, as in "per kg", "/day" and "daily".
    fn divisor(&self, at: usize, of: char) -> Option<(char, f64, usize)> {
        let seconds = |word: &str| {
            matches!(word, "daily" | "weekly" | "monthly" | "hourly" | "taglich")
                .then(|| number_word(word, "s"))
                .flatten()
        };
        if of != 's'
            && let Some(worth) = seconds(self.text(at))
        {
            return Some(('s', worth, at + 1));
        }
        let (start, any) = match self.text(at) {
            "/" | "per" | "pro" | "par" => (at + 1, true),
            "a" | "an" | "each" | "every" => (at + 1, false),
            _ => return None,
        };
        let (kind, worth) = self.units.get(self.text(start))?;
        // Bytes are counted by the second, and not by the tablet: "2 MB per tab" is 2 MB.
        (any && of != 'B' || kind == 's').then_some((kind, worth, start + 1))
    }

    /// On which side of the number the words around it put the truth.
    fn bound(&self, start: usize, end: usize) -> Bound {
        let back = if matches!(self.before(start, 1), "a" | "an" | "of" | "the") { 2 } else { 1 };
        let before = |further: usize| self.before(start, back + further);
        let has = |word: &str, role: Role| WordLists::all().has(word, role);
        let side = |word: &str, above: Role, below: Role, denied: &str| {
            let turned = matches!(denied, "no" | "not" | "never" | "nicht" | "pas");
            match (has(word, above), has(word, below)) {
                (true, _) => Some(if turned { Bound::Below } else { Bound::Above }),
                (_, true) => Some(if turned { Bound::Above } else { Bound::Below }),
                _ => None,
            }
        };
        let behind = match self.text(end) {
            "or" | "and" | "oder" => side(self.text(end + 1), Role::More, Role::Less, ""),
            "+" if self.glued(end) => Some(Bound::Above),
            _ => None,
        };
        let than = || side(before(1), Role::More, Role::Less, before(2)).filter(|_| before(0) == "than");
        match (before(1), before(0)) {
            ("at", "least") | ("up", "from") | (">", "=") => Bound::Above,
            ("at", "most") | ("up", "to") | ("<", "=") => Bound::Below,
            _ if has(before(0), Role::About) => behind.unwrap_or(Bound::Near),
            _ => than()
                .or(behind)
                .or_else(|| side(before(0), Role::Above, Role::Below, before(1)))
                .unwrap_or(Bound::Exact),
        }
    }
}

fn year(token: &Lexeme) -> Option<f64> {
    let year = token.text.len() == 4 && token.text.bytes().all(|byte| byte.is_ascii_digit());
    year.then(|| token.text.parse::<f64>().ok()).flatten().filter(|year| (1000.0..2200.0).contains(year))
}
