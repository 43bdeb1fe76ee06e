//! Inputs that would be slow if anything were quadratic, or would overflow the stack if anything recursed.

use super::super::*;
use super::{budget, document, parse};
use crate::{Block, BlockKind, Section};

/// Chunks it with budgets far apart. Quadratic work would not end here.
fn chunk_all(document: &Document) {
    for tokens in [16, 800] {
        let options = ChunkOptions { overlap: 1, ..budget(tokens) };
        let chunks = chunk(document, &options);
        let sizes: Vec<usize> = chunks.iter().map(|chunk| size(&chunk.embedding_text())).collect();
        assert_eq!(ChunkStats::of(&sizes, tokens).over_budget, 0);
        let kept: usize = chunks.iter().map(|chunk| chunk.range.len()).sum();
        assert!(kept <= document.text.len());
    }
}

fn one_block(kind: BlockKind, unit: &str) -> Document {
    let text = unit.repeat(400_000 / unit.len());
    document(&[(None, "A", &[(kind, &text)])])
}

#[test]
fn blocks_without_end_take_linear_time() {
    for unit in [
        "word ",
        "One sentence. ",
        "line\n",
        "a",
        "漢",
        "\u{301}",
        "- item\n",
        ". ",
        ".) ",
        "1. ",
        "🇳🇬",
        "a\u{200d}",
    ] {
        for kind in [BlockKind::Paragraph, BlockKind::List, BlockKind::Code, BlockKind::Ready { repeated: 0 }]
        {
            chunk_all(&one_block(kind, unit));
        }
    }
}

#[test]
fn tables_without_end_take_linear_time() {
    for header in [0..0, 0..12, 0..200_000, 0..usize::MAX] {
        let kind = BlockKind::Table { header };
        let mut document = one_block(kind, "| a | b |\n");
        document.sections[0].heading = 0..0;
        chunk_all(&document);
    }
}

#[test]
fn many_sections_and_blocks_take_linear_time() {
    chunk_all(&parse(&"# A\n\ntext\n\n".repeat(50_000)));
    chunk_all(&parse(&"text\n\n".repeat(200_000)));
    chunk_all(&parse(&("# T\n\n".to_owned() + &"## A\n\n### B\n\ntext\n\n".repeat(30_000))));
}

#[test]
fn sections_may_be_nested_without_end() {
    let mut deep = document(&[(None, "A", &[])]);
    deep.text = "text\n\n".repeat(100_000);
    let section = |number: usize| Section {
        heading_path: vec!["T".into(), "A".into()],
        parent: number.checked_sub(1),
        blocks: vec![Block { kind: BlockKind::Paragraph, range: number * 6..number * 6 + 4 }],
        ..Section::default()
    };
    deep.sections = (0..100_000).map(section).collect();
    chunk_all(&deep);
}

#[test]
fn heading_paths_may_be_long() {
    let mut long = document(&[(None, "A", &[(BlockKind::Paragraph, "text")])]);
    long.sections[0].heading_path = vec!["A heading".to_owned(); 100_000];
    chunk_all(&long);
    long.sections[0].heading_path = vec!["A heading ".repeat(100_000); 2];
    chunk_all(&long);
}
