//! What holds for every document, and every budget.

use super::super::pieces::is_fence;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::prefix::prefix_within;
use super::super::*;
use crate::{Block, BlockKind, Metadata, Origin, PageFacts, Section};

fn options() -> impl Strategy<Value = ChunkOptions> {
    let budget = prop_oneof![16usize..40, 16usize..400];
    (budget, 0usize..60, 0usize..4).prop_map(|(budget, min_size, overlap)| ChunkOptions {
        budget,
        min_size,
        overlap,
    })
}

/// Blocks of marks alone may be left out, or lie between others.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn check(document: &Document, options: &ChunkOptions) -> Result<(), TestCaseError> {
    let chunks = chunk(document, options);
    prop_assert_eq!(&chunks, &chunk(document, options));
    let mut end = 0;
    let mut covered = String::new();
    for chunk in &chunks {
        let text = chunk.embedding_text();
        prop_assert!(size(&text) <= options.budget, "{} tokens: {text:?}", size(&text));
        let (repeated, body) = chunk.text.split_at(chunk.repeated);
        // A part of code may get the fences that it lies between.
        let (body, close) = body.split_at(chunk.range.len().min(body.len()));
        prop_assert_eq!(body, &document.text[chunk.range.clone()]);
        prop_assert!(close.is_empty() || is_fence(close.trim_start()), "{close:?}");
        prop_assert!(chunk.range.start >= end && !body.trim().is_empty());
        // Marks do not count: a fence repeats its language, a header's rule may be left out.
        prop_assert!(letters(&document.text[..end]).contains(&letters(repeated)), "{repeated:?}");
        prop_assert_eq!(document.origin.place(&chunk.range).span, chunk.span.clone());
        end = chunk.range.end;
        covered += body;
    }
    // No word of a block is lost: what lies between chunks are headings, and what belongs to no section.
    let mut ranges = chunks.iter().map(|chunk| chunk.range.clone()).peekable();
    let mut last = 0;
    for block in document.sections.iter().flat_map(|section| &section.blocks) {
        let (mut at, block_end) = (block.range.start.max(last), block.range.end);
        last = last.max(block_end);
        while at < block_end {
            while ranges.next_if(|range| range.end <= at).is_some() {}
            let start = ranges.peek().map_or(block_end, |range| range.start.clamp(at, block_end));
            let says = |c: char| !c.is_whitespace() && (!c.is_ascii() || c.is_ascii_alphanumeric());
            let between = &document.text[at..start];
            prop_assert!(!between.contains(says), "{between:?}");
            at = ranges.peek().map_or(block_end, |range| range.end.clamp(start, block_end)).max(start);
        }
    }
    // Nor is any doubled, and of a document without headings nothing else is there.
    if document.sections.iter().all(|section| section.heading.is_empty()) {
        let blocks = document.sections.iter().flat_map(|section| &section.blocks);
        let all = blocks.map(|block| &document.text[block.range.clone()]).collect::<String>();
        prop_assert_eq!(letters(&covered), letters(&all));
    }
    Ok(())
}

fn kind() -> impl Strategy<Value = BlockKind> {
    let table = BlockKind::Table { header: 0..0 };
    select(vec![
        BlockKind::Paragraph,
        BlockKind::List,
        table,
        BlockKind::Code,
        BlockKind::Ready { repeated: 0 },
    ])
}

fn prose() -> impl Strategy<Value = String> {
    prop_oneof![
        "([A-Za-z]{1,9}[ ,]|[0-9]\\.[0-9] mg |e\\.g\\. |Dr\\. |[.!?] |[é漢👨‍👩‍👧‍👦\u{301}]|\n(- )?){0,60}",
        "(\\| [a-z]{0,12} \\| [0-9]{1,3} \\|\n){1,30}",
        "[a-z]{0,300}",
        Just(String::new()),
    ]
}

/// A section: where its parent is from its own number, its heading, whether the text shows that, and its blocks.
type Draft = (prop::sample::Index, String, bool, Vec<(BlockKind, String)>);

/// Any tree of sections, well nested or not, over blocks of any kind.
fn documents() -> impl Strategy<Value = Document> {
    let heading = prop_oneof![3 => "[A-Za-z é]{1,12}", 1 => "[A-Za-z ]{30,90}"];
    let blocks = prop::collection::vec((kind(), prose()), 0..4);
    prop::collection::vec((any::<prop::sample::Index>(), heading, any::<bool>(), blocks), 0..12)
        .prop_map(document)
}

fn document(drafts: Vec<Draft>) -> Document {
    let mut text = String::new();
    let mut sections: Vec<Section> = Vec::new();
    for (number, (parent, title, shown, blocks)) in drafts.into_iter().enumerate() {
        let parent = parent.index(number + 1).checked_sub(1);
        let above = parent.map(|parent: usize| sections[parent].heading_path.clone());
        let mut heading_path = above.unwrap_or_else(|| vec!["Title".to_owned()]);
        let mut push = |part: &str| {
            let start = text.len();
            text += part;
            let end = text.len();
            text += "\n\n";
            start..end
        };
        let heading = if shown { push(&format!("## {title}")) } else { 0..0 };
        heading_path.push(title);
        let blocks = blocks.into_iter().map(|(kind, part)| {
            let range = push(&part);
            let kind = match kind {
                BlockKind::Table { .. } => {
                    let lines = part.split_inclusive('\n').take(2).map(str::len).sum::<usize>();
                    BlockKind::Table { header: range.start..range.start + lines }
                }
                kind => kind,
            };
            Block { kind, range }
        });
        let blocks = blocks.collect();
        sections.push(Section { heading_path, parent, anchor: None, heading, blocks });
    }
    let mut origin = Origin::of(text.as_bytes());
    origin.push(0..text.len(), 0..text.len());
    let source = "a.md".to_owned();
    Document {
        source,
        text,
        origin,
        metadata: Metadata::default(),
        sections,
        warnings: Vec::new(),
        page: PageFacts::default(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn chunks_of_markdown(
        markdown in "([-#a `>|*\\[\\]é。1.]{0,30}(\n|\n\n| )|[a-z]{60} |#{1,3} [a-z ]{1,50}\n|\\|a\\|b\\|\n\\|-\\|-\\|\n(\\|[a-z ]{1,20}\\|c\\|\n){1,9}){0,40}",
        options in options(),
    ) {
        prop_assume!(!markdown.trim().is_empty());
        check(&super::parse(&markdown), &options)?;
    }

    #[test]
    fn chunks_of_any_tree(document in documents(), options in options()) {
        check(&document, &options)?;
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300), options in options()) {
        // What is no text at all is refused before it comes here.
        if let Ok(document) = Document::parse("a.md", &bytes) {
            check(&document, &options)?;
        }
    }

    /// Ranges that no parser would give must not make it panic.
    #[test]
    fn documents_that_make_no_sense(
        text in "[a-zé\n. ]{0,60}",
        sections in prop::collection::vec((prop::option::of(0usize..9), 0usize..80, 0usize..80, kind()), 0..8),
        options in options(),
    ) {
        let made = sections.into_iter().map(|(parent, start, end, kind)| Section {
            parent,
            heading: end..start,
            blocks: vec![Block { kind, range: start..end }, Block { kind: BlockKind::Table { header: end..start }, range: end..start }],
            ..Section::default()
        });
        let sections = made.collect();
        let document = Document { text, sections, ..document(Vec::new()) };
        chunk(&document, &options);
    }

    #[test]
    fn a_prefix_leaves_half_of_the_budget(
        path in prop::collection::vec("[A-Za-z é👨‍👩‍👧‍👦]{0,60}", 0..9),
        budget in 16usize..200,
    ) {
        let options = ChunkOptions { budget, ..ChunkOptions::default() };
        let made = prefix_within(&path, &options);
        prop_assert!(size(&made) <= budget / 2);
        prop_assert!(made == prefix(&path) || size(&prefix(&path)) > budget / 2);
        prop_assert!(made.is_empty() || made.starts_with('[') && made.ends_with("] "));
    }
}
