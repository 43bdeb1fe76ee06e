//! Names between bars, and the words that they stand for.

use super::inline::name_until;

/// Lists the names that a text defines to stand for words or characters, each with these.
pub(super) fn definitions(text: &str) -> impl Iterator<Item = (&str, String)> {
    text.match_indices(".. |").filter_map(|(at, start)| {
        let is_first = text[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
        let rest = &text[at + start.len()..];
        let name = name_until(rest, "|").filter(|_| is_first)?;
        let definition = rest[name.len() + 1..].trim_start_matches(' ');
        if let Some(words) = definition.strip_prefix("replace::") {
            return Some((name, lines(words)));
        }
        let codes = definition.strip_prefix("unicode::")?.lines().next()?;
        let codes = codes.split(" ..").next().unwrap_or_default().split_whitespace();
        Some((name, codes.map(character).collect()))
    })
}

/// Gathers the words on a line, and on those below that are indented.
fn lines(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().into_iter();
    let more = lines.take_while(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    first.chain(more).flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// Reads the character of a code such as `U+2014` or `0x2014`, or else the text as it is.
fn character(code: &str) -> String {
    let digits = ["U+", "0x", "\\u", "x"].iter().find_map(|start| code.strip_prefix(start));
    let found = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
    found.map_or_else(|| code.to_owned(), String::from)
}
