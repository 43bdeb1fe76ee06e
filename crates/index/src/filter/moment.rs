//! Dates with and without a time of day, as bounds of a range.

use ibid_document::Date;
use ibid_platform::calendar::days;

/// A point in time with the text it is written as, in a form that Qdrant reads too. Ordered by time.
#[derive(Clone, Debug)]
pub struct Moment {
    text: String,
    /// Microseconds since the beginning of 1970, UTC.
    micros: i64,
}

impl Moment {
    /// As it is written: a day, or a time in RFC 3339.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the beginning of a date, as it is known: `2024` stands for its first day.
    pub fn of(date: Date) -> Self {
        let (year, month, day) = (date.year(), date.month().unwrap_or(1), date.day().unwrap_or(1));
        let micros = days(i64::from(year), i64::from(month), i64::from(day)) * DAY;
        Self { text: format!("{year:04}-{month:02}-{day:02}"), micros }
    }
}

impl Moment {
    /// Microseconds since the beginning of 1970, UTC.
    pub fn micros(&self) -> i64 {
        self.micros
    }
}

impl PartialEq for Moment {
    fn eq(&self, other: &Self) -> bool {
        self.micros == other.micros
    }
}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.micros.partial_cmp(&other.micros)
    }
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Reads `2024`, `2024-03`, `2024-03-31`, and the last with a time of day, an offset if there is one, else UTC:
/// `2024-03-31T12:00`, `2024-03-31 12:00:00.5`, `2024-03-31T12:00:00+02:00`. Of a year and a month the first day is
/// meant, or the `last`.
pub(super) fn parse(text: &str, last: bool) -> Option<Moment> {
    if let Ok(date) = text.parse::<Date>() {
        return Some(Moment::of(if last { last_of(date) } else { date }));
    }
    let (date, time) = text.split_at_checked(10)?;
    let date = date.parse().ok().filter(|date: &Date| date.day().is_some())?;
    let (separator, time) = time.split_at_checked(1)?;
    if !matches!(separator, "T" | "t" | " ") {
        return None;
    }
    let (time, offset) = offset(time)?;
    Some(Moment { text: text.to_owned(), micros: Moment::of(date).micros + time_of_day(time)? - offset })
}

/// Computes the last day that a date may stand for.
fn last_of(date: Date) -> Date {
    let month = date.month().unwrap_or(12);
    let day = |day| Date::new(date.year(), Some(month), Some(day));
    date.day().map_or_else(|| [31, 30, 29, 28].into_iter().find_map(day).unwrap_or(date), |_| date)
}

/// Cuts off `Z`, `+02`, `+0200` or `+02:00`, and returns it in microseconds.
fn offset(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = time.find(['+', '-']) else { return Some((time, 0)) };
    let (time, offset) = time.split_at(at);
    let (sign, digits) = offset.split_at(1);
    let (hours, minutes) = match digits.len() {
        2 => (digits, "00"),
        4 => digits.split_at_checked(2)?,
        5 => digits.split_once(':')?,
        _ => return None,
    };
    let micros = (number(hours, 2, 23)? * 60 + number(minutes, 2, 59)?) * 60 * SECOND;
    Some((time, if sign == "-" { -micros } else { micros }))
}

/// Reads `12:00`, `12:00:30` and `12:00:30.25`.
fn time_of_day(time: &str) -> Option<i64> {
    let mut parts = time.split(':');
    let hours = number(parts.next()?, 2, 23)?;
    let minutes = number(parts.next()?, 2, 59)?;
    let (seconds, fraction) = match parts.next() {
        None => (0, 0),
        Some(seconds) => {
            let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
            let digits = &fraction.as_bytes()[..fraction.len().min(9)];
            if digits.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            // What is finer than a microsecond is cut off.
            let digit = |at: usize| i64::from(digits.get(at).map_or(0, |byte| byte - b'0'));
            (number(seconds, 2, 59)?, (0..6).fold(0, |sum, at| sum * 10 + digit(at)))
        }
    };
    let none_left = parts.next().is_none();
    none_left.then_some(((hours * 60 + minutes) * 60 + seconds) * SECOND + fraction)
}

/// Exactly that many digits, and no more than a greatest number.
fn number(text: &str, digits: usize, most: i64) -> Option<i64> {
    let digits = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|number| *number <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(text: &str) -> Option<i64> {
        parse(text, false).map(|moment| moment.micros)
    }

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(micros("1970-01-01"), Some(0));
        assert_eq!(micros("1969-12-31"), Some(-DAY));
        assert_eq!(micros("2000-03-01"), Some(11_017 * DAY));
        assert_eq!(micros("2024-02-29"), Some(19_782 * DAY));
        assert_eq!(micros("0000-01-01"), Some(-719_528 * DAY));
        assert_eq!(micros("9999-12-31"), Some(2_932_896 * DAY));
    }

    #[test]
    fn less_precise_dates_have_a_first_and_a_last_day() {
        let text = |text, last| parse(text, last).unwrap().text;
        assert_eq!((text("2024", false), text("2024", true)), ("2024-01-01".into(), "2024-12-31".into()));
        assert_eq!(
            (text("2024-02", false), text("2024-02", true)),
            ("2024-02-01".into(), "2024-02-29".into())
        );
        assert_eq!(text("2024-02-05", true), "2024-02-05");
    }

    #[test]
    fn times_of_day_and_offsets_are_read() {
        let noon = micros("2024-03-31").unwrap() + 12 * 3600 * SECOND;
        for same in [
            "2024-03-31T12:00",
            "2024-03-31 12:00:00",
            "2024-03-31t12:00:00z",
            "2024-03-31T12:00:00.000Z",
            "2024-03-31T14:00:00+02:00",
            "2024-03-31T14:00:00+0200",
            "2024-03-31T14:00:00+02",
            "2024-03-30T23:30:00-12:30",
        ] {
            assert_eq!(micros(same), Some(noon), "{same}");
        }
        assert_eq!(micros("2024-03-31T12:00:00.25Z"), Some(noon + SECOND / 4));
        assert_eq!(micros("2024-03-31T12:00:00.1234567891Z"), Some(noon + 123_456));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for bad in [
            "",
            "soon",
            "2024-13",
            "2024-02-30",
            "2024-03-31T",
            "2024-03-31T24:00",
            "2024-03-31T12",
            "2024-03-31T12:60",
            "2024-03-31T12:00:00.",
            "2024-03-31T12:00:00+1",
            "2024-03-31T12:00:00+2:000",
            "2024-03-31T12:00:00:00",
            "2024-03-31x12:00",
            "20240331T1200",
            "2024-03-3é",
            "2024-03-31é",
            "2024-03-31T12:00+é",
            "2024-03-31T1é:00",
            "2024-03T12:00:00",
        ] {
            assert_eq!(micros(bad), None, "{bad}");
        }
    }
}
