//! Numbers in words and in figures with separators.

const SMALL: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
                     seventeen eighteen nineteen";

const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";

const ORDINALS: &str = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth \
                        fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth";

/// Other words that a quantity can begin with.
const OTHERS: &str = "half demi quarter hundred hundreds thousand thousands million millions billion billions trillion trillions \
                      dozen tausend mille mil once twice thrice qd qday bid bd tid tds qid qds every each alle toutes cada";

/// All words that a quantity can begin with, but for the names of months.
pub(super) fn starts() -> impl Iterator<Item = &'static str> {
    [SMALL, TENS, ORDINALS, OTHERS].into_iter().flat_map(str::split_ascii_whitespace)
}

/// The value of a word below a hundred that stands for a number.
pub(super) fn small(word: &str) -> Option<f64> {
    SMALL.split(' ').position(|known| known == word).map(|at| at as f64).or_else(|| tens(word))
}

pub(super) fn tens(word: &str) -> Option<f64> {
    TENS.split(' ').position(|known| known == word).map(|at| at as f64 * 10.0 + 20.0)
}

/// The value of a word that multiplies what stands before it.
pub(super) fn magnitude(word: &str) -> Option<f64> {
    Some(match word {
        "hundred" | "hundreds" => 1e2,
        "thousand" | "thousands" | "tausend" | "mille" | "mil" => 1e3,
        "dozen" => 12.0,
        "million" | "millions" | "mio" | "millionen" | "mln" | "millones" => 1e6,
        "billion" | "billions" | "bn" | "mrd" | "milliarden" | "milliard" | "milliards" => 1e9,
        "trillion" | "trillions" => 1e12,
        _ => return None,
    })
}

/// The number that an ordinal stands for.
pub(super) fn ordinal(word: &str) -> Option<f64> {
    ORDINALS.split(' ').position(|known| known == word).map(|at| at as f64 + 1.0)
}

/// How often a day, week, month or year a word says, and how many seconds that is.
pub(super) fn period(word: &str) -> Option<f64> {
    Some(match word {
        "hourly" | "hour" => 3600.0,
        "daily" | "nightly" | "day" | "taglich" | "tag" => 86400.0,
        "weekly" | "week" | "wochentlich" | "woche" => 604_800.0,
        "monthly" | "month" | "monatlich" | "monat" => 2_629_800.0,
        "yearly" | "annually" | "year" | "jahrlich" | "jahr" => 31_557_600.0,
        _ => return None,
    })
}

/// How often a day a prescriber's abbreviation says.
pub(super) fn abbreviated(word: &str) -> Option<f64> {
    match word {
        "qd" | "qday" => Some(1.0),
        "bid" | "bd" => Some(2.0),
        "tid" | "tds" => Some(3.0),
        "qid" | "qds" => Some(4.0),
        _ => {
            // "q12h"
            let hours: f64 = word.strip_prefix('q')?.strip_suffix('h')?.parse().ok()?;
            (hours > 0.0).then_some(24.0 / hours)
        }
    }
}

/// How many times a word says.
pub(super) fn times(word: &str) -> Option<f64> {
    match word {
        "once" => Some(1.0),
        "twice" => Some(2.0),
        "thrice" => Some(3.0),
        _ => None,
    }
}

/// The value of digits with separators, and the other one that it may have: "1,500" is 1500 or 1.5.
pub(super) fn decimal(text: &str) -> Option<(f64, Option<f64>)> {
    let plain = |text: &str| -> Option<f64> {
        // More digits than that are no number that anyone compares.
        let digits: String = text.chars().filter(char::is_ascii_digit).take(30).collect();
        digits.parse().ok()
    };
    let last = text.rfind(['.', ',']);
    let Some(last) = last else { return plain(text).map(|value| (value, None)) };
    let separator = text.as_bytes().get(last).copied()?;
    let (whole, part) = (text.get(..last)?, text.get(last + 1..)?);
    let fractional = || -> Option<f64> {
        let part: String = part.chars().take(15).collect();
        let scale = 10_f64.powi(part.len() as i32);
        Some(plain(whole).unwrap_or(0.0) + plain(&part)? / scale)
    };
    let repeated = whole.bytes().any(|byte| byte == separator);
    let groups = part.len() == 3 && !whole.is_empty() && whole.len() <= 3 && whole != "0";
    if repeated {
        return plain(text).map(|value| (value, None));
    }
    if whole.contains(['.', ',']) {
        return fractional().map(|value| (value, None));
    }
    match (separator, groups) {
        (b',', true) => Some((plain(text)?, fractional())),
        (_, true) => Some((fractional()?, plain(text))),
        (_, false) => fractional().map(|value| (value, None)),
    }
}
