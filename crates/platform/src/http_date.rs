//! The one date format that HTTP servers may send: RFC 9110, 5.6.7, IMF-fixdate.

use crate::calendar::days;

/// Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`; `None` for anything else.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let (_, rest) = text.trim().split_once(", ")?;
    let mut parts = rest.split(' ');
    let day = digits(parts.next()?, 2)?;
    let month = parts.next()?;
    let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        .iter()
        .position(|name| *name == month)? as i64;
    let year = digits(parts.next()?, 4)?;
    let mut time = parts.next()?.split(':');
    let hour = digits(time.next()?, 2)?;
    let minute = digits(time.next()?, 2)?;
    let second = digits(time.next()?, 2)?;
    if parts.next() != Some("GMT") || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some(days(year, month + 1, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

fn digits(text: &str, count: usize) -> Option<i64> {
    if text.len() != count || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates() {
        assert_eq!(parse("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(parse("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        assert_eq!(parse("Fri, 01 Mar 2024 00:00:00 GMT"), Some(1_709_251_200));
    }

    #[test]
    fn anything_else_is_none() {
        for text in [
            "",
            "7",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:49:37 GMT",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
