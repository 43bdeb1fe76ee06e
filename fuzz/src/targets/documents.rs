//! The parsers of documents and of their metadata.

use ibid::document::{BlockKind, Document, SIDECAR_ENDINGS, parse};

/// Reads bytes as markdown.
pub fn markdown(data: &[u8]) {
    read("a.md", data);
}

/// Reads bytes as the front matter of a markdown file: YAML or TOML, as the first bit says.
pub fn front_matter(data: &[u8]) {
    let (&first, rest) = data.split_first().unwrap_or((&0, &[]));
    let fence: &[u8] = if first % 2 == 0 { b"---\n" } else { b"+++\n" };
    read("a.md", &[fence, rest, b"\n", fence, b"\nWords.\n"].concat());
}

/// Reads bytes as reStructuredText.
pub fn rst(data: &[u8]) {
    read("a.rst", data);
}

/// Reads bytes as a notebook.
pub fn notebook(data: &[u8]) {
    read("a.ipynb", data);
}

/// Reads bytes as JATS or BITS.
pub fn nxml(data: &[u8]) {
    read("a.nxml", data);
}

/// Reads bytes as a page of a site.
pub fn html(data: &[u8]) {
    read("a.html", data);
}

/// Reads bytes as plain text, and as whatever a name without an ending lets them be.
pub fn text(data: &[u8]) {
    read("a.txt", data);
    read("README", data);
}

/// Reads bytes as ready-made chunks.
pub fn jsonl(data: &[u8]) {
    read("a.jsonl", data);
}

/// Reads bytes as the metadata next to a document; the first one says in which format.
pub fn sidecar(data: &[u8]) {
    let (&first, rest) = data.split_first().unwrap_or((&0, &[]));
    let ending = SIDECAR_ENDINGS[usize::from(first) % SIDECAR_ENDINGS.len()];
    let Ok(mut document) = Document::parse("a.md", b"# Title\n\nWords.\n\n## Part\n\nMore.\n") else {
        return;
    };
    if document.apply_sidecar(&format!("a.md{ending}"), rest).is_ok() {
        holds_together(&document, None);
        assert!(document.sections.iter().all(|section| !section.heading_path.is_empty()));
    }
}

fn read(name: &str, data: &[u8]) {
    if let Ok(documents) = parse(name, data) {
        assert!(!documents.is_empty());
        // A file of chunks tells places in other files.
        let length = (name != "a.jsonl").then_some(data.len());
        documents.iter().for_each(|document| holds_together(document, length));
    }
}

/// Whatever was read can be chunked and cited: blocks in order, on character boundaries, within the text; parents
/// before their children; places within the file, whose length is given if known.
pub fn holds_together(document: &Document, length: Option<usize>) {
    let mut end = 0;
    for (number, section) in document.sections.iter().enumerate() {
        assert!(section.parent.is_none_or(|parent| parent < number));
        assert!(!section.heading_path.is_empty());
        assert!(section.heading_path.iter().skip(1).all(|heading| !heading.is_empty()));
        assert!(document.text.get(section.heading.clone()).is_some());
        for block in &section.blocks {
            assert!(block.range.start >= end && document.text.get(block.range.clone()).is_some());
            end = block.range.end;
            if let BlockKind::Table { header } = &block.kind {
                assert!(header.start == block.range.start && header.end <= block.range.end);
                assert!(document.text.get(header.clone()).is_some());
            }
            let place = document.origin.place(&block.range);
            assert!(place.span.start <= place.span.end && place.line >= 1);
            assert!(length.is_none_or(|length| place.span.end <= length));
        }
    }
}
