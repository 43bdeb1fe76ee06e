//! Unicode's composed forms, by whom it costs least: a page's engine has the tables, and natively a crate brings them.

use std::borrow::Cow;

/// Returns the text in Normalization Form C (UAX #15): `e` with a combining accent becomes `é`.
pub fn normalize(text: &str) -> Cow<'_, str> {
    // Below the combining characters nothing changes, and most text has nothing beyond.
    if text.chars().all(|char| char < '\u{300}') { Cow::Borrowed(text) } else { composed(text) }
}

/// Returns the text in Normalization Form KC (UAX #15): composed as well, and `ﬁ`, `１` and `①` become `fi`, `1` and
/// `1`.
pub fn normalize_compatible(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { compatible(text) }
}

#[cfg(target_arch = "wasm32")]
fn composed(text: &str) -> Cow<'_, str> {
    Cow::Owned(js_sys::JsString::from(text).normalize("NFC").into())
}

#[cfg(target_arch = "wasm32")]
fn compatible(text: &str) -> Cow<'_, str> {
    Cow::Owned(js_sys::JsString::from(text).normalize("NFKC").into())
}

#[cfg(not(target_arch = "wasm32"))]
fn composed(text: &str) -> Cow<'_, str> {
    use unicode_normalization::{UnicodeNormalization, is_nfc};

    if is_nfc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

#[cfg(not(target_arch = "wasm32"))]
fn compatible(text: &str) -> Cow<'_, str> {
    use unicode_normalization::{UnicodeNormalization, is_nfkc};

    if is_nfkc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfkc().collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_parts_is_composed() {
        for form in [normalize, normalize_compatible] {
            assert_eq!(form("cafe\u{301}"), "café");
            assert_eq!(form("\u{1100}\u{1161}"), "가");
            for same in ["plain", "naïve", "日本語", ""] {
                assert!(matches!(form(same), Cow::Borrowed(_)), "{same}");
            }
        }
    }

    #[test]
    fn other_shapes_of_a_character_become_the_common_one() {
        assert_eq!(normalize_compatible("ﬁ１①"), "fi11");
        assert_eq!(normalize("ﬁ１①"), "ﬁ１①");
    }
}
