//! The wait that a refusal asks for, wherever a service says it: a header, a field of the body, a sentence.

use std::time::Duration;

use serde_json::Value;

use super::http_date;

/// `retry-after-ms` in milliseconds, else `retry-after` in seconds, as a date, or with its units.
///
/// A date is compared with the response's own `date`, so that no clock is needed and a wrong one does no harm.
pub fn from_headers(headers: &[(String, String)]) -> Option<Duration> {
    let header = |name: &str| header(headers, name);
    if let Some(wait) = header("retry-after-ms").and_then(|value| of_number(value, 0.001)) {
        return Some(wait);
    }
    let after = header("retry-after")?;
    of_number(after, 1.0).or_else(|| with_units(after)).or_else(|| {
        let seconds = http_date::parse(after)? - http_date::parse(header("date")?)?;
        u64::try_from(seconds).ok().map(Duration::from_secs)
    })
}

/// Reads the longest time until one of the limits that are used up begins anew, by headers such as
/// `x-ratelimit-reset-tokens`. They say a time with its units, seconds, or a moment.
pub(crate) fn from_resets(headers: &[(String, String)]) -> Option<Duration> {
    let now = header(headers, "date").and_then(http_date::parse);
    let reset = |(name, value): &(String, String)| {
        let left = name.contains("ratelimit").then(|| name.replace("reset", "remaining"))?;
        let used_up = left != *name && header(headers, &left).is_none_or(|left| left == "0");
        used_up.then(|| with_units(value).or_else(|| until(value, now))).flatten()
    };
    headers.iter().filter_map(reset).max()
}

/// Reads the wait in a field of a body, by the field's name: `retryDelay`, `quotaResetDelay`, `retry_after_ms`.
pub(crate) fn from_field(name: &str, value: &Value) -> Option<Duration> {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let unit = match name.as_str() {
        "retrydelay" | "quotaresetdelay" | "retryafter" | "retryafterseconds" | "retryin" => 1.0,
        "retryafterms" | "retryaftermilliseconds" => 0.001,
        _ => return None,
    };
    match value {
        Value::Number(number) => Duration::try_from_secs_f64(number.as_f64()? * unit).ok(),
        Value::String(text) => with_units(text).or_else(|| of_number(text, unit)),
        _ => None,
    }
}

/// Reads the wait in a sentence such as `Please try again in 1m2.5s.`
pub(crate) fn from_sentence(text: &str) -> Option<Duration> {
    let text = text.to_ascii_lowercase();
    ["again in", "again after", "retry in", "retry after", "reset in", "reset after", "resets in", "wait"]
        .iter()
        .flat_map(|asks| text.match_indices(asks).map(move |(at, asks)| at + asks.len()))
        .find_map(|at| {
            let mut rest = text.get(at..)?.trim_start_matches([' ', ':', '~']);
            for filler in ["for ", "about ", "at least ", "approximately ", "another "] {
                rest = rest.strip_prefix(filler).unwrap_or(rest);
            }
            with_units(rest)
        })
}

/// Returns the advice to wait, with the time that a service names.
pub fn advice(wait: Option<Duration>) -> String {
    match wait.filter(|wait| *wait > Duration::from_secs(1)) {
        Some(wait) => format!("Wait {}, then ask again.", in_words(wait)),
        None => "Wait a little, then ask again.".to_owned(),
    }
}

/// Writes a wait in words, as much of it as a person wants to know: `41 s`, `12 min`, `11 h`.
fn in_words(wait: Duration) -> String {
    let seconds = wait.as_secs_f64().ceil();
    let (value, unit) = match seconds {
        ..120.0 => (seconds, "s"),
        ..7200.0 => (seconds / 60.0, "min"),
        ..172_800.0 => (seconds / 3600.0, "h"),
        _ => (seconds / 86_400.0, "days"),
    };
    format!("{} {unit}", value.round())
}

/// Reads the time at a text's beginning, in one or several units: `1373.8ms`, `1m2.5s`, `20 seconds`.
fn with_units(text: &str) -> Option<Duration> {
    let (mut rest, mut seconds) = (text.trim_start(), None);
    loop {
        let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (value, behind) = rest.split_at(number);
        let behind = behind.trim_start();
        let word = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, behind) = behind.split_at(word);
        let unit = match unit {
            "ms" | "msec" | "milliseconds" | "millisecond" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => break,
        };
        // A sentence may end behind its number.
        let Ok(value) = value.trim_end_matches('.').parse::<f64>() else { break };
        seconds = Some(seconds.unwrap_or(0.0) + value * unit);
        let behind = behind.trim_start_matches([' ', ',']);
        rest = behind.strip_prefix("and ").unwrap_or(behind);
    }
    Duration::try_from_secs_f64(seconds?).ok()
}

/// Computes the time until what a header says in seconds: from now, or since 1970, then perhaps in milliseconds.
fn until(value: &str, now: Option<i64>) -> Option<Duration> {
    let said: f64 = value.parse().ok()?;
    let seconds = match said {
        ..1e9 => said,
        ..1e11 => said - now? as f64,
        _ => said / 1000.0 - now? as f64,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

fn of_number(text: &str, unit: f64) -> Option<Duration> {
    let value: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(value * unit).ok()
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "as what it is compared with")]
    fn ms(value: u64) -> Option<Duration> {
        Some(Duration::from_millis(value))
    }

    #[test]
    fn sentences_say_how_long() {
        for (text, wait) in [
            ("Rate limit reached: Used 11, Requested 43. Please try again in 1.289s.", ms(1289)),
            ("Please try again in 7m12s. Visit the console.", ms(432_000)),
            ("Please try again in 6ms", ms(6)),
            ("Please retry after 26 seconds.", ms(26_000)),
            ("Please wait 1 minute and 30 seconds before retrying.", ms(90_000)),
            ("Your quota will reset after 2s.", ms(2000)),
            ("Limit resets in about 3 hours", ms(10_800_000)),
            ("Retry in 1 day, 2h", ms(93_600_000)),
            ("Please try again in a moment.", None),
            ("Please try again in 20.", None),
            ("Wait until 12:30.", None),
            ("You have 3 seconds per request.", None),
            ("", None),
        ] {
            assert_eq!(from_sentence(text), wait, "{text}");
        }
    }

    #[test]
    fn fields_say_it_with_and_without_units() {
        let read = |name: &str, value: Value| from_field(name, &value);
        assert_eq!(read("retryDelay", "1.5s".into()), ms(1500));
        assert_eq!(read("quotaResetDelay", "1373.8ms".into()), Some(Duration::from_secs_f64(1.3738)));
        assert_eq!(read("retry_after", 12.into()), ms(12_000));
        assert_eq!(read("retry_after_ms", 700.into()), ms(700));
        assert_eq!(read("retry-after", "soon".into()), None);
        assert_eq!(read("retries", 3.into()), None);
    }

    #[test]
    fn resets_are_those_of_limits_that_are_used_up() {
        let wait = |headers: &[(&str, &str)]| {
            let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            from_resets(&headers.iter().map(own).collect::<Vec<_>>())
        };
        let both = [
            ("x-ratelimit-reset-requests", "2m59.5s"),
            ("x-ratelimit-remaining-requests", "14"),
            ("x-ratelimit-reset-tokens", "7.5s"),
            ("x-ratelimit-remaining-tokens", "0"),
        ];
        assert_eq!(wait(&both), ms(7500));
        assert_eq!(wait(&[("ratelimit-reset", "30")]), ms(30_000));
        let date = ("date", "Thu, 29 Feb 2024 23:59:59 GMT");
        assert_eq!(wait(&[date, ("x-ratelimit-reset", "1709251209")]), ms(10_000));
        assert_eq!(wait(&[date, ("x-ratelimit-reset", "1709251209500")]), ms(10_500));
        assert_eq!(wait(&[("x-ratelimit-reset", "1709251209")]), None);
        assert_eq!(wait(&[("x-reset", "7s"), ("x-ratelimit-limit", "7")]), None);
    }

    #[test]
    fn waits_are_said_in_the_unit_that_fits() {
        let words = |seconds| in_words(Duration::from_secs_f64(seconds));
        assert_eq!(words(61.2), "62 s");
        assert_eq!(words(600.0), "10 min");
        assert_eq!(words(41_234.0), "11 h");
        assert_eq!(words(604_800.0), "7 days");
    }
}
