//! A calendar date as metadata has it: often only a year or a month.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A date of the Gregorian calendar in ISO 8601's extended form, to the year, the month or the day.
///
/// Dates are ordered by time; one that is less precise comes before all that lie within it, so that
/// `2026 < 2026-01 < 2026-01-01`. Serialized as its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    /// 0 if it is not known.
    month: u8,
    /// 0 if it is not known.
    day: u8,
}

impl Date {
    /// Makes a date of the years 0 to 9999, if there is one; a day needs a month.
    pub fn new(year: u16, month: Option<u8>, day: Option<u8>) -> Option<Self> {
        let month_exists = month.is_none_or(|month| (1..=12).contains(&month));
        let day_exists = match (month, day) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(month), Some(day)) => (1..=days_in(year, month)).contains(&day),
        };
        (year <= 9999 && month_exists && day_exists).then_some(Self {
            year,
            month: month.unwrap_or(0),
            day: day.unwrap_or(0),
        })
    }

    /// Returns the year.
    pub fn year(self) -> u16 {
        self.year
    }

    /// Returns the month from 1, if known.
    pub fn month(self) -> Option<u8> {
        (self.month > 0).then_some(self.month)
    }

    /// Returns the day of the month from 1, if known.
    pub fn day(self) -> Option<u8> {
        (self.day > 0).then_some(self.day)
    }
}

fn days_in(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        if let Some(month) = self.month() {
            write!(f, "-{month:02}")?;
        }
        if let Some(day) = self.day() {
            write!(f, "-{day:02}")?;
        }
        Ok(())
    }
}

/// The text is no date in the form `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotADate;

impl fmt::Display for NotADate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a date in the form YYYY, YYYY-MM or YYYY-MM-DD")
    }
}

impl std::error::Error for NotADate {}

impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, NotADate> {
        /// Digits only, and exactly that many: `parse` alone would take a sign.
        fn number<T: FromStr>(part: &str, length: usize) -> Result<T, NotADate> {
            let digits = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
            if digits { part.parse().map_err(|_| NotADate) } else { Err(NotADate) }
        }
        let mut parts = text.split('-');
        let year = number(parts.next().unwrap_or_default(), 4)?;
        let month = parts.next().map(|part| number(part, 2)).transpose()?;
        let day = parts.next().map(|part| number(part, 2)).transpose()?;
        match parts.next() {
            None => Self::new(year, month, day).ok_or(NotADate),
            Some(_) => Err(NotADate),
        }
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_read_back_as_written() {
        for text in ["2026", "2026-03", "2026-03-01", "2024-02-29", "2000-02-29", "0000", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "26",
            "2026-",
            "2026-3",
            "2026-13",
            "2026-02-29",
            "1900-02-29",
            "2026-03-01-1",
            "+026",
            "2026-00",
        ] {
            assert_eq!(text.parse::<Date>(), Err(NotADate), "{text}");
        }
        assert_eq!(Date::new(2026, None, Some(1)), None);
    }

    #[test]
    fn dates_are_ordered_by_time() {
        let dates =
            ["2025-12-31", "2026", "2026-01", "2026-01-01", "2026-02"].map(|d| d.parse::<Date>().unwrap());
        assert!(dates.is_sorted());
    }
}
