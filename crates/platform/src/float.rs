//! Fractions read from text by whom it costs least: a page's engine reads them, and natively the standard library,
//! whose tables of powers would weigh 10 KB in a module.

/// Returns the number that a text is: digits, perhaps with a sign, a point and an exponent, and nothing else.
pub fn parse_float(text: &str) -> Option<f64> {
    let is_numeral = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    if has_digit && text.bytes().all(is_numeral) { read(text) } else { None }
}

#[cfg(target_arch = "wasm32")]
fn read(text: &str) -> Option<f64> {
    let number = js_sys::JsString::from(text).unchecked_into_f64();
    (!number.is_nan()).then_some(number)
}

#[cfg(not(target_arch = "wasm32"))]
fn read(text: &str) -> Option<f64> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_words_are_not() {
        for (text, number) in [("1", 1.0), ("-0.5", -0.5), ("+.25e1", 2.5), ("1.", 1.0), ("1E-3", 0.001)] {
            assert_eq!(parse_float(text), Some(number), "{text}");
        }
        for text in ["", " 1", "inf", "NaN", "0x10", "e5", "1e", "1-2", "--1", "1.2.3", "."] {
            assert_eq!(parse_float(text), None, "{text}");
        }
    }
}
