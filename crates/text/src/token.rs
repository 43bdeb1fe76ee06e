//! The token: what a text is searched by, in passages and in queries alike.
//!
//! A *token* is a word of Unicode with the signs of its name: the `+` and `#` behind its last letter (`C++`, `C#`) and
//! the full stop in front of its first (`.NET`). A *compound* is written in one, out of several words: by capitals
//! (`onMounted`), by hyphens or underscores (`content-id`), or with such signs. It is searched by its whole and by its
//! parts, and the whole tells more. A single letter is no part: `e-mail` is not about the letter E. A word with
//! umlauts is searched by both of its spellings without them, `Koln` and `Koeln`.

/// Returns the signs behind and before a word that belong to it, as the bytes where the word begins and ends with them.
///
/// ```
/// assert_eq!(ibid_text::with_signs("In C++, say", 3, 4), (3, 6));
/// assert_eq!(ibid_text::with_signs("a .NET app", 3, 6), (2, 6));
/// assert_eq!(ibid_text::with_signs("a+b", 0, 1), (0, 1));
/// ```
pub fn with_signs(text: &str, start: usize, end: usize) -> (usize, usize) {
    let word = &text[start..end];
    let (before, after) = (&text[..start], &text[end..]);
    let named = before.strip_suffix('.').is_some_and(|before| {
        word.starts_with(char::is_alphabetic)
            && !before.ends_with(|char: char| char.is_alphanumeric() || matches!(char, '.' | ')' | ']' | '/'))
    });
    let rest = after.trim_start_matches(['+', '#']);
    let signs = after.len() - rest.len();
    let goes_on = rest.starts_with(char::is_alphabetic)
        // `C++17` is about `C++`; `x+1` is a sum.
        || (signs == 1 && rest.starts_with(char::is_alphanumeric));
    let signed = word.ends_with(char::is_alphabetic) && !goes_on;
    (start - usize::from(named), end + if signed { signs } else { 0 })
}

/// Returns the words that capitals part in a word, each with its place, without single letters: `get` and `Item` of
/// `getItem`, `XML` and `Http` of `XMLHttp`. None of a word in one piece.
pub fn capital_parts(word: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = word.as_bytes();
    let is = |at: usize, test: fn(&u8) -> bool| bytes.get(at).is_some_and(test);
    let begins = move |at: usize| {
        is(at, u8::is_ascii_uppercase)
            && (is(at - 1, u8::is_ascii_lowercase)
                || (is(at - 1, u8::is_ascii_alphanumeric) && is(at + 1, u8::is_ascii_lowercase)))
    };
    let ends = (1..bytes.len()).filter(move |&at| begins(at)).chain([word.len()]);
    let parts = ends.scan(0, |start, end| Some((std::mem::replace(start, end), end)));
    parts
        .filter(|(start, end)| (2..word.len()).contains(&(end - start)))
        .map(|(start, end)| (start, &word[start..end]))
}

/// Says whether the text between two words makes a compound of them.
pub fn binds(between: &str) -> bool {
    matches!(between, "-" | "\u{2010}" | "\u{2011}" | "_")
}

/// Returns a word with its umlauts spelled out, `ue` for `ü`; `None` for a word without.
pub fn without_umlauts(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let (mut out, mut found) = (String::with_capacity(word.len() + 2), false);
    for char in word.chars() {
        let spelled = match char {
            'ä' | 'Ä' => "ae",
            'ö' | 'Ö' => "oe",
            'ü' | 'Ü' => "ue",
            '\u{308}' if out.ends_with(['a', 'o', 'u', 'A', 'O', 'U']) => "e",
            other => {
                out.push(other);
                continue;
            }
        };
        out.push_str(spelled);
        found = true;
    }
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_belong_to_names_only() {
        let signed = |text: &str, word: &str| {
            let start = text.find(word).unwrap_or_default();
            let (start, end) = with_signs(text, start, start + word.len());
            text[start..end].to_owned()
        };
        for (text, word, expected) in [
            ("C#", "C", "C#"),
            ("C++17 came", "C", "C++"),
            ("notepad++.", "notepad", "notepad++"),
            ("(.NET)", "NET", ".NET"),
            ("ASP.NET", "NET", "NET"),
            ("End.Next", "Next", "Next"),
            ("and ...more", "more", "more"),
            (".5 mg", "5", "5"),
            ("page#part", "page", "page"),
            ("Ctrl+C", "Ctrl", "Ctrl"),
            ("x+1", "x", "x"),
            ("18+", "18", "18"),
            ("# Title #", "Title", "Title"),
        ] {
            assert_eq!(signed(text, word), expected, "{text}");
        }
    }

    #[test]
    fn capitals_part_words() {
        let parts = |word: &str| capital_parts(word).map(|(_, part)| part.to_owned()).collect::<Vec<_>>();
        assert_eq!(parts("unlockWithCode"), ["unlock", "With", "Code"]);
        assert_eq!(parts("XMLHttpRequest"), ["XML", "Http", "Request"]);
        assert_eq!(parts("base64Encode"), ["base64", "Encode"]);
        assert_eq!(parts("eGFR"), ["GFR"]);
        for whole in ["plain", "Title", "NASA", "pH", "CYP2D6", "", "é", "ПрИвет"] {
            assert!(parts(whole).is_empty(), "{whole}");
        }
    }

    #[test]
    fn umlauts_are_spelled_out_composed_or_not() {
        assert_eq!(without_umlauts("Köln").as_deref(), Some("Koeln"));
        assert_eq!(without_umlauts("u\u{308}ber").as_deref(), Some("ueber"));
        assert_eq!(without_umlauts("Élan").or(without_umlauts("nai\u{308}ve")), None);
    }
}
