//! The way a placeholder is written, and how it is read again from what a model makes of it.

/// The label of a placeholder for what looks like another one and was typed by the person.
pub(super) const TYPED: &str = "LITERAL";

/// The most characters between the brackets: a label, a number and a letter or two.
const MAX_CHARS: usize = 48;

/// Writes the text between the brackets: `NAME_1`, and `NAME_1B` for another way in which the same was written.
pub(super) fn name(label: &str, number: u32, variant: u32) -> String {
    let mut name = format!("{label}_{number}");
    // The first way has no letter, the second is B, and behind Z comes BA.
    let (mut rest, at) = (variant, name.len());
    while rest > 0 {
        name.insert(at, char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    name
}

/// Label and number of what [`name`] wrote; `None` for anything else.
pub(super) fn group(name: &str) -> Option<(&str, u32)> {
    let (label, rest) = name.rsplit_once('_')?;
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_uppercase());
    let number =
        digits.parse().ok().filter(|_| digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit()))?;
    (label.starts_with(|c: char| c.is_ascii_uppercase()) && !digits.starts_with('0'))
        .then_some((label, number))
}

/// The placeholder at the beginning of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PlaceholderReading {
    /// No placeholder.
    No,
    /// The text that may become one, once there is more; so far its name begins like this.
    Begins(String),
    /// Something of a placeholder's form, its name in capitals, and its bytes.
    Is(String, usize),
}

/// Reads `[NAME_1]`, `\[NAME\_1\]`, and where `word` says that a word can begin here, `NAME_1` without brackets.
///
/// A model that writes Markdown escapes brackets and underscores, and one that writes JSON or code leaves the brackets
/// out, so all of these are the same. Brackets make any case clear enough; without them the capitals must be there.
pub(super) fn read(text: &str, word: bool) -> PlaceholderReading {
    let (escaped, inner) = match text.strip_prefix('\\') {
        Some("") => return PlaceholderReading::Begins(String::new()),
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let bracketed = inner.strip_prefix('[');
    if escaped && bracketed.is_none() || bracketed.is_none() && !word {
        return PlaceholderReading::No;
    }
    let body = bracketed.unwrap_or(inner);
    let mut name = String::new();
    let mut rest = body;
    loop {
        let Some(c) = rest.chars().next() else { return PlaceholderReading::Begins(name) };
        let c = match c {
            '\\' if rest.len() == 1 => return PlaceholderReading::Begins(name),
            '\\' if rest[1..].starts_with('_') => {
                rest = &rest[1..];
                '_'
            }
            'a'..='z' if bracketed.is_none() => return PlaceholderReading::No,
            c if c.is_ascii_alphanumeric() || c == '_' => c.to_ascii_uppercase(),
            _ => break,
        };
        if name.is_empty() && !c.is_ascii_uppercase() || name.len() >= MAX_CHARS {
            return PlaceholderReading::No;
        }
        name.push(c);
        rest = &rest[1..];
    }
    let end = match (bracketed.is_some(), escaped) {
        (true, true) => rest.strip_prefix("\\]"),
        (true, false) => rest.strip_prefix(']'),
        (false, _) => Some(rest).filter(|rest| !rest.starts_with(char::is_alphanumeric)),
    };
    match end {
        Some(end) if group(&name).is_some() => PlaceholderReading::Is(name, text.len() - end.len()),
        _ => PlaceholderReading::No,
    }
}

/// Returns true if a word can begin behind a character.
pub(super) fn ends_word(previous: char) -> bool {
    !previous.is_alphanumeric() && previous != '_'
}

/// Everything in a text that has a placeholder's form: its bytes and its name.
pub(super) fn all(text: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let mut all = Vec::new();
    let (mut at, mut previous) = (0, '\n');
    while let Some(c) = text[at..].chars().next() {
        let read = match c {
            '[' | '\\' | 'A'..='Z' => read(&text[at..], ends_word(previous)),
            _ => PlaceholderReading::No,
        };
        // Without brackets it ends with the text as well as at a sign.
        let read = match read {
            PlaceholderReading::Begins(name) if !matches!(c, '[' | '\\') && group(&name).is_some() => {
                let len = text.len() - at - usize::from(text.ends_with('\\'));
                PlaceholderReading::Is(name, len)
            }
            other => other,
        };
        let len = if let PlaceholderReading::Is(name, len) = read {
            all.push((at..at + len, name));
            len
        } else {
            c.len_utf8()
        };
        at += len;
        previous = text[..at].chars().next_back().unwrap_or('\n');
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_of_writing_one_thing_differ_in_a_letter() {
        let names: Vec<_> = [0, 1, 25, 26, 27].map(|variant| name("NAME", 3, variant)).to_vec();
        assert_eq!(names, ["NAME_3", "NAME_3B", "NAME_3Z", "NAME_3BA", "NAME_3BB"]);
        for name in &names {
            assert_eq!(group(name), Some(("NAME", 3)));
        }
        assert_eq!(group("STAFF_ID_12"), Some(("STAFF_ID", 12)));
        for other in
            ["NAME", "NAME_", "NAME_01", "NAME_1b", "_1", "NAME_1_", "NAME_1234567890", "1_1", "NAME_+1"]
        {
            assert_eq!(group(other), None, "{other}");
        }
    }

    #[test]
    fn placeholders_are_read_in_the_forms_that_models_write() {
        let names = |text: &str| {
            all(text).into_iter().map(|(span, name)| (text[span].to_owned(), name)).collect::<Vec<_>>()
        };
        for text in ["[NAME_1]", r"\[NAME\_1\]", r"\[NAME_1\]", "NAME_1", r"NAME\_1", "[name_1]"] {
            assert_eq!(names(&format!("a {text} b")), [(text.to_owned(), "NAME_1".to_owned())]);
            assert_eq!(names(text), [(text.to_owned(), "NAME_1".to_owned())]);
        }
        for text in [
            "xNAME_1",
            "NAME_1x",
            "NAME_1_",
            "name_1",
            "[NAME_01]",
            "[NAME]",
            "_NAME_1",
            "éNAME_1",
            "NAME_1é",
        ] {
            assert_eq!(names(text), [], "{text}");
        }
        assert_eq!(names("[[NAME_1]](x)"), [("[NAME_1]".to_owned(), "NAME_1".to_owned())]);
        assert_eq!(names(r"\[NAME_1]\]"), [("[NAME_1]".to_owned(), "NAME_1".to_owned())]);
        assert_eq!(names(r"NAME_1\"), [("NAME_1".to_owned(), "NAME_1".to_owned())]);
    }
}
