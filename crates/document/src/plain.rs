//! Markdown as plain text, for showing.
//!
//! This is part of each search, so it is written for few bytes of code: one pass over the bytes of each paragraph.

use super::markup::begins_item;

/// The most bytes of an address, a tag or a shortcode; what is longer is text.
const MOST_MARKUP: usize = 1024;

/// Returns a passage's text without markup, each paragraph, heading, list item and table row on a line of its own.
///
/// If the passage is `of_page`, it was read from HTML: it has the signs of these blocks and of code, and no other markup.
///
/// Link texts, the cells of tables, code and entities stay; addresses, tags, rulers and the signs of lists and headings go. What
/// only resembles markup (`2 * 3`, `snake_case`, `a < b`) stays as it is.
#[must_use]
pub fn plain(text: &str, of_page: bool) -> String {
    let mut out = Vec::with_capacity(text.len());
    // The lines of a paragraph, since a link may begin on one and end on the next.
    let mut paragraph = Vec::new();
    let (mut in_code, mut open) = (false, false);
    for line in text.split('\n') {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
            open = false;
            continue;
        }
        if trimmed.is_empty() || (!in_code && is_ruler(trimmed)) {
            open = false;
            continue;
        }
        open &= !in_code && !begins_item(line);
        if open {
            paragraph.push(b' ');
        } else {
            end(&mut paragraph, of_page, &mut out);
        }
        if in_code {
            begin(&mut out);
            out.extend_from_slice(trimmed.as_bytes());
            continue;
        }
        paragraph.extend_from_slice(content(trimmed));
        let is_heading = trimmed.starts_with('#');
        // A heading and a row of a table end with their line.
        open = !is_heading && !trimmed.starts_with('|');
        if is_heading {
            end(&mut paragraph, of_page, &mut out);
            if out.last().is_some_and(|&byte| is_word(byte)) {
                out.push(b':');
            }
        }
    }
    end(&mut paragraph, of_page, &mut out);
    // This one turned out to be the bracket of a link.
    out.retain(|&byte| byte != 0);
    String::from_utf8(out).unwrap_or_default()
}

/// Begins a line.
fn begin(out: &mut Vec<u8>) {
    if !out.is_empty() {
        out.push(b'\n');
    }
}

/// Writes a paragraph, and empties it.
fn end(paragraph: &mut Vec<u8>, of_page: bool, out: &mut Vec<u8>) {
    if !paragraph.is_empty() {
        begin(out);
        inline(paragraph, of_page, out);
        paragraph.clear();
    }
}

/// A line without words: under a heading, between sections, below a table's header, around an admonition.
fn is_ruler(line: &str) -> bool {
    line.starts_with(":::") || line.bytes().all(|byte| b"-=*_|:+ ".contains(&byte))
}

/// Returns the rest of a line behind the signs of quotations, lists and headings.
fn content(line: &str) -> &[u8] {
    let mut rest = line.as_bytes();
    while let [sign @ (b'#' | b'>' | b'-' | b'*' | b'+'), ..] = rest {
        let run = if *sign == b'#' { rest.iter().take_while(|byte| **byte == b'#').count() } else { 1 };
        match rest.get(run) {
            Some(b' ') => rest = rest[run..].trim_ascii_start(),
            Some(_) if *sign == b'>' => rest = &rest[run..],
            _ => break,
        }
    }
    if line.starts_with('#') {
        while let [before @ .., b'#'] = rest {
            rest = before;
        }
    }
    rest.strip_prefix(b"[ ] ").or(rest.strip_prefix(b"[x] ")).unwrap_or(rest)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte > 127
}

/// Writes a line without links' addresses, emphasis, tags and escapes, unless it is `literal`, and the cells of a row with
/// commas between them.
fn inline(line: &[u8], literal: bool, out: &mut Vec<u8>) {
    let begin = out.len();
    let is_row = line.starts_with(b"|");
    let mut brackets = Vec::new();
    let (mut at, mut in_code) = (0, false);
    // The end of a link or of code, behind which another one begins a word of its own.
    let mut whole = usize::MAX;
    while let Some(&byte) = line.get(at) {
        let next = line.get(at + 1).copied().unwrap_or(b' ');
        let (mut length, mut stands) = (1, true);
        match byte {
            b'\\' if next.is_ascii_punctuation() && (!(literal || in_code) || next == b'|') => at += 1,
            b'|' if is_row => {
                cell(begin, out);
                stands = false;
            }
            b' ' if !in_code => stands = out.len() > begin && out.last() != Some(&b' '),
            _ if literal => {}
            b'`' => {
                length = run(line, at);
                in_code = !in_code;
                stands = false;
                if in_code && is_apart(out, whole, line.get(at + length)) {
                    out.push(b' ');
                }
                whole = out.len();
            }
            _ if in_code => {}
            b'!' => stands = next != b'[',
            b'[' => brackets.push((out.len(), is_apart(out, whole, Some(&next)))),
            b']' if !brackets.is_empty() => {
                let (opened, is_apart) = brackets.pop().unwrap_or_default();
                if out.get(opened + 1) == Some(&b'^') {
                    out.truncate(opened);
                    // That of a note itself goes with its colon.
                    (length, stands) = (1 + usize::from(next == b':' && opened == begin), false);
                } else if let Some(end) = target(line, at, next) {
                    out[opened] = if is_apart { b' ' } else { 0 };
                    whole = out.len();
                    (length, stands) = (end - at, false);
                }
            }
            b'*' | b'_' | b'~' => {
                length = run(line, at);
                stands = !is_emphasis(byte, length, out.last(), line.get(at + length));
            }
            b'<' | b'{' => {
                if let Some(end) = tag(line, at, next, out) {
                    (length, stands) = (end - at, false);
                }
            }
            _ => {}
        }
        if stands {
            out.extend_from_slice(&line[at..at + length]);
        }
        at += length;
    }
    trim(begin, is_row, out);
}

/// Returns true for marks that are no text: those around words, of which strikethrough has two.
fn is_emphasis(mark: u8, length: usize, before: Option<&u8>, after: Option<&u8>) -> bool {
    let (before, after) = (before.copied().unwrap_or(b' '), after.copied().unwrap_or(b' '));
    let is_apart = before <= b' ' && after <= b' ';
    let is_inside = is_word(before) && is_word(after) && (length == 1 || mark == b'_');
    !is_apart && !is_inside && (mark != b'~' || length == 2)
}

/// Finds the end of the tag or the shortcode that begins at a place. Writes the address that stands as a tag.
fn tag(line: &[u8], at: usize, next: u8, out: &mut Vec<u8>) -> Option<usize> {
    if line[at] == b'{' {
        let is_shortcode = next == b'{' && matches!(line.get(at + 2), Some(b'<' | b'%'));
        return if is_shortcode { find(line, at, b"}}") } else { None };
    }
    if !next.is_ascii_alphabetic() && next != b'/' && next != b'!' {
        return None;
    }
    let end = find(line, at, b">")?;
    let inside = &line[at + 1..end - 1];
    if inside.contains(&b':') && !inside.contains(&b' ') {
        out.extend_from_slice(inside);
    }
    Some(end)
}

/// Returns true for a word that begins directly behind a link or code.
fn is_apart(out: &[u8], whole: usize, next: Option<&u8>) -> bool {
    out.len() == whole
        && out.last().is_some_and(u8::is_ascii_alphanumeric)
        && next.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'`' | b'*'))
}

/// Takes spaces from the end of a line, and the commas behind a row's last cell.
fn trim(begin: usize, commas: bool, out: &mut Vec<u8>) {
    while out.len() > begin && matches!(out.last(), Some(&byte) if byte == b' ' || commas && byte == b',') {
        out.pop();
    }
}

/// Ends a cell of a row, unless it is empty.
fn cell(begin: usize, out: &mut Vec<u8>) {
    trim(begin, false, out);
    if out.len() > begin {
        out.extend_from_slice(if out.last() == Some(&b',') { b" " } else { b", " });
    }
}

/// Finds the end of the address or the label behind a link's text.
fn target(line: &[u8], at: usize, opens: u8) -> Option<usize> {
    let closes: &[u8] = match opens {
        b'(' => b")",
        b'[' => b"]",
        _ => return None,
    };
    find(line, at + 1, closes)
}

/// Counts how often the byte at a place is repeated.
fn run(line: &[u8], at: usize) -> usize {
    line[at..].iter().take_while(|byte| **byte == line[at]).count()
}

/// Finds the end of the next `sign` behind a place, if it is near.
fn find(line: &[u8], at: usize, sign: &[u8]) -> Option<usize> {
    let near = line[at..].windows(sign.len()).take(MOST_MARKUP);
    near.into_iter().position(|found| found == sign).map(|found| at + found + sign.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    fn plain(text: &str) -> String {
        super::plain(text, false)
    }

    #[test]
    fn each_block_stands_on_a_line() {
        let text = "## Doses ##\n\nGive **one** dose\nat night.\n\n- *mild*: [5 mg](dose.md)\n- [x] severe\n  pain\n\n> A note\n\n---\n1. Rest";
        assert_eq!(plain(text), "Doses:\nGive one dose at night.\nmild: 5 mg\nsevere pain\nA note\n1. Rest");
    }

    #[test]
    fn rows_are_cells() {
        let text = "| Drug | Dose |\n| --- | ---: |\n| `a \\| b` | 5 mg |\n|  | 7 |";
        assert_eq!(plain(text), "Drug, Dose\na | b, 5 mg\n7");
    }

    #[test]
    fn code_is_text() {
        assert_eq!(
            plain("Run it:\n\n```sh\n# not *a* heading\n\nibid build\n```\nand ``a ` b``."),
            "Run it:\n# not *a* heading\nibid build\nand a b."
        );
        assert_eq!(plain(":::tip\nUse `__init__`\n:::"), "Use __init__");
    }

    #[test]
    fn words_of_a_page_are_no_markup() {
        let text =
            "Show <eol> of `x`.\n\n- f(*, _key=None, **all)\n\n| a[0](b) | x \\| y |\n\n```\nlet *x\n```";
        assert_eq!(
            super::plain(text, true),
            "Show <eol> of `x`.\nf(*, _key=None, **all)\na[0](b), x | y\nlet *x"
        );
    }

    #[test]
    fn links_and_tags_leave_their_text() {
        assert_eq!(plain("See ![a [b]](x.png) and [c][ref], [d], note[^1]."), "See a [b] and c, [d], note.");
        assert_eq!(
            plain("[two (2)](https://e.example/a_b) <br/>H<sub>2</sub>O <https://e.example> <!-- no --> end"),
            "two (2) H2O https://e.example end"
        );
        assert_eq!(plain("[^1]: Once, in May."), "Once, in May.");
        assert_eq!(plain("See [some\nsizes](a.md), **bold\nwords**."), "See some sizes, bold words.");
        assert_eq!(
            plain(
                "[`onOpen`](a)[`opened`](b) `x`[y](z) `f`[0] [a](b)s **un**like [\u{77f3}](a)[\u{6a4b}](b)"
            ),
            "onOpen opened x y f[0] as unlike \u{77f3}\u{6a4b}"
        );
        assert_eq!(plain("{{< note >}}Salt & water{{< /note >}} &c"), "Salt & water &c");
    }

    #[test]
    fn what_only_resembles_markup_stays() {
        for text in [
            "2 * 3 = 6",
            "snake_case_name",
            "a < b and c > d",
            "5*3",
            "~5 mg",
            "x[1] (y)",
            "a])",
            "\u{1f600} 緑茶_の",
            "C# and F#",
        ] {
            assert_eq!(plain(text), text);
        }
        assert_eq!(plain("\\*not\\* \\[a\\](b)"), "*not* [a](b)");
    }

    proptest! {
        #[test]
        fn any_text_has_a_plain_one(text in "([-a-z0-9*_~`#>|<&{}!\\[\\]()\\\\^: \n]|[é緑]){0,200}") {
            prop_assert!(plain(&text).len() <= 2 * text.len());
        }
    }
}
