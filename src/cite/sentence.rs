//! The sentences of an answer, and of a passage.

use std::ops::Range;

/// The byte ranges of what can be quoted: sentences, and whole tables and blocks of code, which mean nothing in part.
/// Headings are left out.
pub(super) fn sentences(text: &str) -> Vec<(usize, usize)> {
    let mut sentences = Vec::new();
    let mut push = |start: usize, end: usize| {
        let Some(raw) = text.get(start..end) else { return };
        let sentence = raw.trim();
        let start = start + (raw.len() - raw.trim_start().len());
        if sentence.chars().any(char::is_alphanumeric) {
            sentences.push((start, start + sentence.len()));
        }
    };
    for (whole, block) in blocks(text) {
        let mut start = block.start;
        let prose = if whole { "" } else { text.get(block.clone()).unwrap_or_default() };
        for (at, c) in prose.char_indices() {
            let end = at + c.len_utf8();
            let ends = match c {
                '。' | '！' | '？' => true,
                '.' | '!' | '?' => {
                    let mut rest = prose.get(end..).unwrap_or_default().chars();
                    // "e.g. this" and "2.5 mg" go on; so does "5 mg p.o. twice".
                    rest.next().is_none_or(char::is_whitespace)
                        && rest.find(|next| !next.is_whitespace()).is_none_or(|next| !next.is_lowercase())
                }
                _ => false,
            };
            if ends {
                push(start, block.start + end);
                start = block.start + end;
            }
        }
        push(start, block.end);
    }
    sentences
}

/// Paragraphs, list items, and, marked with `true`, tables and fenced code. A line that goes on with what the line
/// before began belongs to the same block.
fn blocks(text: &str) -> Vec<(bool, Range<usize>)> {
    let mut blocks: Vec<(bool, Range<usize>)> = Vec::new();
    let (mut open, mut fenced) = (false, false);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let content = line.trim();
        let fence = content.starts_with("```") || content.starts_with("~~~");
        let whole = fenced || fence || content.starts_with('|');
        if !fenced && (content.is_empty() || content.starts_with('#')) {
            open = false;
            continue;
        }
        match blocks.last_mut() {
            Some((last, block)) if open && *last == whole && (whole || !begins_item(content)) => {
                block.end = range.end;
            }
            _ => blocks.push((whole, range)),
        }
        open = !(fenced && fence);
        fenced ^= fence;
    }
    blocks
}

/// Whether a line begins an item of a list, or a quotation.
fn begins_item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "));
    numbered || ["- ", "* ", "+ ", "> "].iter().any(|mark| line.starts_with(mark))
}
