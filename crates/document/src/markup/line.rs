//! One line of markdown: where it ends, and whether it begins something.

/// Finds the end of the line that begins or goes on at `at`, with its line feed.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length + 1)
}

/// Returns true if a line begins an item of a list, a quotation, a heading or a row of a table: in markdown, or as text
/// extracted from other formats shows lists.
pub(crate) fn begins_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let behind = match line.chars().next() {
        Some('>' | '|') => return true,
        Some(bullet @ ('-' | '*' | '+' | '#' | '•' | '■' | '●' | '▪' | '◦' | '‣' | '–' | '—')) => {
            line.trim_start_matches(bullet)
        }
        // Longer numbers are rather years at the beginning of a line.
        Some(_) if (1..=3).contains(&digits) => match line[digits..].strip_prefix(['.', ')']) {
            Some(behind) => behind,
            None => return false,
        },
        _ => return false,
    };
    behind.is_empty() || behind.starts_with(char::is_whitespace)
}
