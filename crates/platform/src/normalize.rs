//! Unicode's composed form, by whom it costs least: a page's engine has the tables, and natively a crate brings them.

use std::borrow::Cow;

/// The text in Normalization Form C (UAX #15): `e` with a combining accent becomes `é`.
pub fn normalize(text: &str) -> Cow<'_, str> {
    // Below the combining characters nothing changes, and most text has nothing beyond.
    if text.chars().all(|char| char < '\u{300}') { Cow::Borrowed(text) } else { composed(text) }
}

#[cfg(target_arch = "wasm32")]
fn composed(text: &str) -> Cow<'_, str> {
    Cow::Owned(js_sys::JsString::from(text).normalize("NFC").into())
}

#[cfg(not(target_arch = "wasm32"))]
fn composed(text: &str) -> Cow<'_, str> {
    use unicode_normalization::{UnicodeNormalization, is_nfc};

    if is_nfc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_parts_is_composed() {
        assert_eq!(normalize("cafe\u{301}"), "café");
        assert_eq!(normalize("\u{1100}\u{1161}"), "가");
        for same in ["plain", "naïve", "日本語", ""] {
            assert!(matches!(normalize(same), Cow::Borrowed(_)), "{same}");
        }
    }
}
