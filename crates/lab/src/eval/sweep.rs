//! Sweeps: the same questions with one setting at several values.

use ibid_platform::{Error, ErrorCode, Result};

/// The most values of a sweep. Each costs a run over all questions.
const MOST: usize = 200;

/// The setting that is tried at several values.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sweep {
    /// A setting, and its values as they are written in settings.
    Setting(String, Vec<String>),
    /// The size of chunks, for each of which an index is built.
    Budget(Vec<usize>),
}

/// Reads `name=start:end:step` or `name=value,value`.
pub(super) fn parse(text: &str) -> Result<Sweep, String> {
    let (name, values) =
        text.split_once('=').ok_or("there is no `=`; write for instance `weight=0:1:0.1`")?;
    let name = name.trim();
    let values: Vec<String> = if values.contains(':') {
        range(values)?
    } else {
        values.split(',').map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).collect()
    };
    if name.is_empty() || values.is_empty() {
        return Err("a name and at least one value are needed, such as `weight=0.3,0.5`".to_owned());
    }
    if values.len() > MOST {
        return Err(format!("{} values are more than {MOST}", values.len()));
    }
    if name != "budget" {
        return Ok(Sweep::Setting(name.to_owned(), values));
    }
    let number =
        |value: &String| value.parse().map_err(|_| format!("the budget `{value}` is no whole number"));
    Ok(Sweep::Budget(values.iter().map(number).collect::<Result<_, _>>()?))
}

/// The values of `start:end:step`, both ends included.
fn range(text: &str) -> Result<Vec<String>, String> {
    let numbers: Vec<f64> = text
        .split(':')
        .map(|number| number.trim().parse().ok().filter(|number: &f64| number.is_finite()))
        .collect::<Option<_>>()
        .ok_or_else(|| format!("`{text}` is not of the form START:END:STEP with numbers"))?;
    let [start, end, step] = numbers[..] else {
        return Err(format!("`{text}` is not of the form START:END:STEP"));
    };
    if step <= 0.0 || end < start {
        return Err(format!("`{text}` must go upwards in steps above 0"));
    }
    // A little more, since 0.1 is no binary number and the end is meant to be reached.
    let steps = ((end - start) / step + 1e-6).floor();
    if steps >= MOST as f64 {
        return Err(format!("`{text}` has more than {MOST} values"));
    }
    let value = |at: usize| {
        // Rounded to what was meant: 0.3, not 0.30000000000000004.
        let value = ((start + at as f64 * step) * 1e6).round() / 1e6;
        value.to_string()
    };
    Ok((0..=steps as usize).map(value).collect())
}

/// The error for an option that goes together with another one only.
pub(super) fn needs(option: &str, other: &str) -> Error {
    Error::new(ErrorCode::InvalidOption, format!("`{option}` needs {other}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists_are_values() {
        let values = |text: &str| match parse(text).unwrap() {
            Sweep::Setting(_, values) => values.join(" "),
            Sweep::Budget(values) => format!("{values:?}"),
        };
        assert_eq!(values("weight=0:1:0.1"), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
        assert_eq!(values("ef = 10:35:10"), "10 20 30");
        assert_eq!(values("mode=vector, lexical"), "vector lexical");
        assert_eq!(values("budget=64,128,256"), "[64, 128, 256]");
        assert_eq!(values("budget=100:300:100"), "[100, 200, 300]");
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in [
            "",
            "weight",
            "=1",
            "weight=",
            "weight=0:1",
            "weight=0:1:0",
            "weight=1:0:0.1",
            "weight=0:1:1e-9",
            "a=0:x:1",
            "budget=a",
            "budget=0.5",
            "weight=0:inf:1",
            "weight=0:NaN:1",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&format!("x={}", "1,".repeat(300))).is_err());
    }
}
