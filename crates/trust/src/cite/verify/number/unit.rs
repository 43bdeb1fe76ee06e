//! Units and what they are worth.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::super::lists::lines;
use super::spell::spelled;

/// Seconds in a day, since what is done that many times is told by the day.
pub(super) const DAY: f64 = 86400.0;

/// The unit of a number: a kind of unit, and up to two kinds that it is divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Unit {
    pub(super) kind: Option<char>,
    pub(super) per: [Option<char>; 2],
}

impl Unit {
    pub(in super::super) fn of(kind: char) -> Self {
        Self { kind: Some(kind), per: [None; 2] }
    }

    pub(in super::super) fn is_none(&self) -> bool {
        self.kind.is_none() && self.per == [None; 2]
    }

    /// Reads the number of times a day that something is done.
    pub(super) fn frequency() -> Self {
        Self { kind: Some('x'), per: [Some('s'), None] }
    }

    /// Divides it by one more.
    pub(super) fn divide(&mut self, by: char) -> bool {
        let Some(free) = self.per.iter().position(Option::is_none) else { return false };
        self.per[free] = Some(by);
        self.per.sort_by_key(|kind| kind.map_or('\u{10ffff}', |kind| kind));
        true
    }

    /// The same without a time that it is divided by: a dose a day may be called a dose.
    pub(super) fn without_time(&self) -> Self {
        let mut per = self.per.map(|kind| kind.filter(|kind| *kind != 's'));
        per.sort_by_key(|kind| kind.map_or('\u{10ffff}', |kind| kind));
        Self { kind: self.kind, per }
    }

    /// Writes a text that is the same for equal units.
    pub(super) fn code(&self) -> String {
        self.kind.iter().chain(self.per.iter().flatten()).collect()
    }
}

/// The units by their names.
pub(in super::super) struct UnitTable {
    known: HashMap<&'static str, (char, f64)>,
}

impl UnitTable {
    /// The units, which are read once.
    pub(in super::super) fn all() -> &'static Self {
        static UNITS: OnceLock<UnitTable> = OnceLock::new();
        UNITS.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut known = HashMap::new();
        for mut words in lines("units").map(str::split_ascii_whitespace) {
            let kind = words.next().and_then(|kind| kind.chars().next());
            let worth = words.next().and_then(|worth| worth.parse().ok());
            if let Some(unit) = kind.zip(worth) {
                known.extend(words.map(|word| (word, unit)));
            }
        }
        Self { known }
    }

    /// Looks up the kind and the worth of a unit by its name, folded.
    pub(in super::super) fn get(&self, name: &str) -> Option<(char, f64)> {
        let singular =
            || name.strip_suffix('s').filter(|rest| rest.len() > 1).and_then(|rest| self.known.get(rest));
        self.known.get(name).or_else(singular).copied()
    }
}

/// Tells whether a quantity can begin with a word, so that most words are looked up once and no more.
pub(super) fn can_start(word: &str) -> bool {
    spelled(word).is_some() || word.starts_with('q') && word.ends_with('h')
}

/// Returns true if a sign is that of a currency, which stands in front of its number.
pub(super) fn is_currency(sign: &str) -> bool {
    matches!(sign, "$" | "€" | "£" | "¥" | "₹")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_units() {
        let units = UnitTable::new();
        let unit = |name| units.get(name);
        assert_eq!(unit("mg"), Some(('g', 1e-3)));
        assert_eq!(unit("hours"), Some(('s', 3600.0)));
        assert_eq!(unit("tage"), Some(('s', 86400.0)));
        assert_eq!(unit("%"), Some(('%', 1.0)));
        for none in ["", "children", "s", "the", "1", "1e-3"] {
            assert_eq!(unit(none), None, "{none}");
        }
    }

    #[test]
    fn every_unit_has_a_worth_and_no_name_has_two() {
        let mut names = HashSet::new();
        for line in lines("units") {
            let mut words = line.split(' ');
            assert_eq!(words.next().unwrap().chars().count(), 1, "{line}");
            assert!(words.next().unwrap().parse::<f64>().unwrap() > 0.0, "{line}");
            words.for_each(|word| assert!(names.insert(word), "{word}"));
        }
    }
}
