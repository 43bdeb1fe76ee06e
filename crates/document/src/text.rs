//! Plain text: paragraphs with blank lines between them, in one section.

use std::ops::Range;

use super::encoding::Decoded;
use super::outline::Outline;
use super::{BlockKind, Document, Metadata};

pub(super) fn parse(source: String, decoded: Decoded) -> Document {
    let Decoded { text, origin, mut warnings } = decoded;
    let mut outline = Outline::default();
    for paragraph in paragraphs(&text) {
        outline.block(BlockKind::Paragraph, paragraph);
    }
    let mut metadata = Metadata::default();
    metadata.complete(&source, None);
    let sections = outline.into_sections(&metadata.title, &mut warnings);
    Document { source, text, origin, metadata, sections, warnings, ..Document::default() }
}

/// Lists the ranges of lines that have something on them.
pub(super) fn paragraphs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    let mut lines = text.split_inclusive('\n');
    std::iter::from_fn(move || {
        let mut open: Option<Range<usize>> = None;
        for line in lines.by_ref() {
            let start = at;
            at += line.len();
            match (line.trim().is_empty(), &mut open) {
                (true, Some(_)) => break,
                (true, None) => {}
                (false, Some(range)) => range.end = at,
                (false, None) => open = Some(start..at),
            }
        }
        open
    })
}

#[cfg(test)]
mod tests {
    use crate::Document;

    #[test]
    fn blank_lines_separate_paragraphs() {
        let document = Document::parse("notes/tea.txt", b"\n  One\ntwo\r\n \t\r\nthree\n\n\nfour").unwrap();
        assert_eq!(
            (document.metadata.title.as_str(), document.metadata.document_id.as_str()),
            ("tea", "notes/tea")
        );
        assert_eq!(document.sections.len(), 1);
        let blocks = document.sections[0].blocks.iter().map(|block| &document.text[block.range.clone()]);
        assert_eq!(blocks.collect::<Vec<_>>(), ["  One\ntwo\r\n", "three\n", "four"]);
        assert_eq!(document.sections[0].heading_path, ["tea"]);
    }
}
