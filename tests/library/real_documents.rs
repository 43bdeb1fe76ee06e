//! Reads real articles from `PubMed` Central.
//!
//! They are third-party data next to the checkout and no part of this repository; without them this test says so and
//! passes.

use std::fs;
use std::path::Path;

use ibid::document::{BlockKind, Document};

#[test]
fn articles_have_sections_and_tables_and_no_references() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/nxml");
    if !folder.is_dir() {
        println!("skipped: there are no articles at {}", folder.display());
        return;
    }
    for (name, sections, tables) in
        [("1471-2180-11-174", 24, 3), ("6605965a", 11, 2), ("mds526", 18, 4), ("pone.0046493", 22, 3)]
    {
        let bytes = fs::read(folder.join(format!("{name}.nxml"))).unwrap();
        let document = Document::parse(&format!("{name}.nxml"), &bytes).unwrap();
        let near = sections * 3 / 4..=sections * 4 / 3;
        assert!(near.contains(&document.sections.len()), "{name}: {} sections", document.sections.len());
        assert!(document.warnings.is_empty(), "{name}: {:?}", document.warnings);

        let blocks = document.sections.iter().flat_map(|section| &section.blocks);
        let headers: Vec<&str> = blocks
            .filter_map(|block| match &block.kind {
                BlockKind::Table { header } => Some(&document.text[header.clone()]),
                _ => None,
            })
            .collect();
        assert_eq!(headers.len(), tables, "{name}");
        let is_whole = |header: &&str| header.starts_with("Table ") && header.contains("\n| --- |");
        assert!(headers.iter().all(is_whole), "{name}: {headers:?}");

        let mut headings = document.sections.iter().flat_map(|section| &section.heading_path);
        assert!(!headings.any(|heading| heading.contains("References") || heading.contains("Acknowledg")));
        for field in ["pmid", "journal", "doi", "publication_date", "year", "document_type"] {
            assert!(document.metadata.fields.contains_key(field), "{name}: {field}");
        }
        assert!(document.text.len() > 15_000 && document.text.len() < bytes.len());

        // A long word stands in the file if it is said to; in tables, cells are repeated and put in another order.
        let lines = document.text.lines().filter(|line| !line.starts_with('|'));
        for word in lines.flat_map(str::split_whitespace).filter(|word| word.len() > 14) {
            let at = word.as_ptr() as usize - document.text.as_ptr() as usize;
            let span = document.origin.place(&(at..at + word.len())).span;
            let letters = |text: &[u8]| text.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
            assert!(letters(&bytes[span]) >= letters(word.as_bytes()), "{name}: {word}");
        }
    }
}
