//! Units and what they are worth.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::date::months;
use super::spell::starts;

/// Names of units by kind: each line has the kind's sign, and then for each unit its worth in the kind's base unit and its
/// names. Names are folded as words are; plurals in -s are found without being listed.
const UNITS: &str = "\
g 1 g gram gramm gramme gm|1000 kg kilogram kilo kilogramm kilogramme|1e-3 mg milligram milligramm milligramme mgm|1e-6 mcg μg ug microgram mikrogramm|1e-9 ng nanogram|453.592 lb lbs pound|28.3495 oz ounce|1e6 tonne ton tonnen
L 1 l liter litre|1e-3 ml milliliter millilitre cc|0.1 dl deciliter decilitre|0.01 cl|1e-6 μl ul microliter|3.78541 gallon|0.004929 teaspoon tsp|0.014787 tablespoon tbsp
s 1 sec second sekunde sekunden seconde segundo|60 min minute minuten minuto|3600 h hr hour stunde stunden heure hora std|86400 day tag tage tagen jour dia giorno giorni|604800 week wk woche wochen semaine semana|2629800 month monat monate monaten mois mes meses|31557600 year yr jahr jahre jahren an annee ano anno|1e-3 ms millisecond|315576000 decade|3155760000 century centuries
m 1 m meter metre|1000 km kilometer kilometre|0.01 cm centimeter centimetre|1e-3 mm millimeter millimetre|1e-6 μm um micrometer|1e-9 nm nanometer|1609.344 mile mi|0.3048 ft foot feet|0.0254 inch inches|0.9144 yd yard
A 1 m2|1e6 km2|1e4 ha hectare|4046.86 acre
% 1 % percent percentage pct prozent|0.1 ‰
I 1 iu unit einheit einheiten ie ui
o 1 mol mole|1e-3 mmol millimole|1e-6 μmol umol|1e-9 nmol
q 1 meq milliequivalent
P 1 mmhg|7.50062 kpa|750.062 bar|51.7149 psi
E 1 j joule|1000 kj|4.184 cal|4184 kcal|3.6e6 kwh
W 1 w watt|1000 kw kilowatt|1e6 mw megawatt|1e9 gw gigawatt
V 1 v volt|1e-3 mv
H 1 hz hertz|1000 khz|1e6 mhz|1e9 ghz
B 1 b byte|1024 kb kib kilobyte|1048576 mb mib megabyte|1073741824 gb gib gigabyte|1.0995e12 tb tib terabyte
b 1 bpm
T 1 tablet tab tablette tabletten comprime tableta
c 1 capsule cap kapsel kapseln
r 1 drop tropfen gtt
p 1 puff
x 1 times x mal fois veces
K 1 c celsius
$ 1 $ usd dollar
€ 1 € eur euro
£ 1 £ gbp
¥ 1 ¥ yen jpy
₹ 1 ₹ rupee inr";

/// What a number counts: a kind of unit, and up to two kinds that it is divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Unit {
    pub(super) kind: Option<char>,
    pub(super) per: [Option<char>; 2],
}

impl Unit {
    pub(super) fn of(kind: char) -> Self {
        Self { kind: Some(kind), per: [None; 2] }
    }

    pub(in super::super) fn is_none(&self) -> bool {
        self.kind.is_none() && self.per == [None; 2]
    }

    /// How often something is done: so many times a day.
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

    /// A text that is the same for equal units.
    pub(super) fn code(&self) -> String {
        self.kind.iter().chain(self.per.iter().flatten()).collect()
    }
}

/// The units by their names.
pub(in super::super) struct Units {
    known: HashMap<&'static str, (char, f64)>,
    /// The words that a quantity can begin with.
    starts: HashSet<&'static str>,
}

impl Units {
    /// The units, which are read once.
    pub(in super::super) fn all() -> &'static Self {
        static UNITS: OnceLock<Units> = OnceLock::new();
        UNITS.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut known = HashMap::new();
        for line in UNITS.lines() {
            let Some(kind) = line.chars().next() else { continue };
            for unit in line.get(kind.len_utf8()..).unwrap_or_default().split('|') {
                let mut words = unit.split_ascii_whitespace();
                let Some(worth) = words.next().and_then(|worth| worth.parse().ok()) else { continue };
                known.extend(words.map(|word| (word, (kind, worth))));
            }
        }
        Self { known, starts: starts().chain(months()).collect() }
    }

    /// Whether a quantity can begin with a word, so that most words are looked up once and no more.
    pub(super) fn can_start(&self, word: &str) -> bool {
        self.starts.contains(word) || word.starts_with('q') && word.ends_with('h')
    }

    /// The kind and the worth of a unit by its name, folded.
    pub(super) fn get(&self, name: &str) -> Option<(char, f64)> {
        let singular =
            || name.strip_suffix('s').filter(|rest| rest.len() > 1).and_then(|rest| self.known.get(rest));
        self.known.get(name).or_else(singular).copied()
    }
}

/// Whether a sign is that of a currency, which stands in front of its number.
pub(super) fn is_currency(sign: &str) -> bool {
    matches!(sign, "$" | "€" | "£" | "¥" | "₹")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_units() {
        let units = Units::new();
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
        for line in UNITS.lines() {
            for unit in line.split_at(line.chars().next().unwrap().len_utf8()).1.split('|') {
                let mut words = unit.split_ascii_whitespace();
                assert!(words.next().unwrap().parse::<f64>().unwrap() > 0.0);
                words.for_each(|word| assert!(names.insert(word), "{word}"));
            }
        }
    }
}
