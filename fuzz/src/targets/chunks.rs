//! The chunker, on documents of every format.

use ibid::chunk::{ChunkOptions, chunk as chunks_of, size};
use ibid::document::{Document, parse};

/// A name for each format, and one that leaves it to the content.
const NAMES: [&str; 6] = ["a.md", "a.html", "a.nxml", "a.txt", "a.jsonl", "README"];

/// Chunks a document: the first byte picks its format, the next three the options, the rest is the file.
pub fn chunk(data: &[u8]) {
    let Some((&[format, budget, min_size, more], file)) = data.split_first_chunk() else { return };
    let budget = usize::from(budget);
    let options = ChunkOptions {
        // Half of them are so small that hardly anything fits.
        budget: if more & 64 == 0 { 16 + budget / 4 } else { 16 + budget * 8 },
        min_size: usize::from(min_size),
        overlap: usize::from(more & 15),
    };
    let Ok(documents) = parse(NAMES[usize::from(format) % NAMES.len()], file) else { return };
    for document in &documents {
        check(document, &options);
    }
}

fn check(document: &Document, options: &ChunkOptions) {
    let chunks = chunks_of(document, options);
    assert!(chunks == chunks_of(document, options), "the same input gave other chunks");
    let mut end = 0;
    for chunk in &chunks {
        assert!(chunk.section < document.sections.len());
        assert!(size(&chunk.embedding_text()) <= options.budget, "the budget is exceeded");
        let (repeated, body) = chunk.text.split_at(chunk.repeated);
        // A part of code may get the fences that it lies between.
        let (body, close) = body.split_at(chunk.range.len().min(body.len()));
        assert_eq!(body, &document.text[chunk.range.clone()], "the range does not point at the text");
        let mark = |text: &str| text.trim().trim_start_matches(['>', ' ', '`', '~']).to_owned();
        assert!(close.is_empty() || close.ends_with(['`', '~']), "{close:?} is no fence");
        assert!(chunk.range.start >= end && !body.trim().is_empty());
        assert!(document.text[..end].contains(&mark(repeated)), "{repeated:?} was not there before");
        assert_eq!(document.origin.place(&chunk.range).span, chunk.span);
        end = chunk.range.end;
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
            // Lines and brackets between words are no passage.
            let says = |c: char| !c.is_whitespace() && (!c.is_ascii() || c.is_ascii_alphanumeric());
            assert!(!document.text[at..start].contains(says), "words are lost");
            at = ranges.peek().map_or(block_end, |range| range.end.clamp(start, block_end)).max(start);
        }
    }
}
