mod additions;
mod filters;
mod folder;
mod pieces;

use std::ops::Range;

use super::*;
use ibid_document::Document;
use ibid_document::chunk::{ChunkOptions, chunk};
use ibid_embed::{Embedding, Space};
use ibid_platform::{ErrorCode, Result};

const DIMENSIONS: usize = 96;

fn space() -> Space {
    Space { name: "test".into(), dimensions: DIMENSIONS as u32, fingerprint: "f".into() }
}

/// Vectors in loose clusters, as those of real texts are.
fn vectors(count: usize) -> Vec<Embedding> {
    let mut state = 7u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    };
    let centers: Vec<Vec<f32>> = (0..40).map(|_| (0..DIMENSIONS).map(|_| random()).collect()).collect();
    let near =
        |at: usize, random: &mut dyn FnMut() -> f32| centers[at % 40].iter().map(|x| x + random()).collect();
    (0..count).map(|at| Embedding::normalized(near(at, &mut random))).collect()
}

fn builder() -> IndexBuilder {
    IndexBuilder::new(space(), small_chunks(), BuildOptions::default())
}

/// So small that each section of the test documents is a chunk of its own.
fn small_chunks() -> ChunkOptions {
    ChunkOptions { budget: 20, min_size: 0, ..ChunkOptions::default() }
}

fn add(builder: &mut IndexBuilder, source: &str, markdown: &str) {
    let document = Document::parse(source, markdown.as_bytes()).unwrap();
    builder.add(&document, &chunk(&document, &small_chunks())).unwrap();
}

/// Embeds each text by the number in it, so that the same text has the same vector.
fn embed(builder: &mut IndexBuilder) {
    let known = vectors(4000);
    let number = |text: &&str| {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        digits.parse::<usize>().unwrap_or_default() % known.len()
    };
    let embeddings: Vec<Embedding> =
        builder.pending(usize::MAX).iter().map(|text| known[number(text)].clone()).collect();
    builder.embedded(&embeddings).unwrap();
}

fn finish(mut builder: IndexBuilder) -> Vec<u8> {
    embed(&mut builder);
    let draft = builder.assemble().unwrap();
    let (probes, recall) = draft.probes(&vectors(4000)[3800..3900]).unwrap();
    draft.finish(Calibration { probes, recall, ..Calibration::default() }).unwrap()
}

fn sections(numbers: Range<usize>) -> String {
    let section = |at| format!("# H\n\nThis passage has the number {at} and enough words to stay alone.\n\n");
    numbers.map(section).collect::<Vec<_>>().concat()
}

fn build(count: usize) -> Vec<u8> {
    let mut builder = builder();
    add(&mut builder, "dir/a.md", &sections(0..count));
    finish(builder)
}

/// The share of what a scan finds that a search finds too.
fn recall(index: &Index, queries: &[Embedding], options: VectorSearch, allowed: &Allowed) -> f32 {
    let (mut found, mut all) = (0, 0);
    for query in queries {
        let search = |path| index.nearest(query, &VectorSearch { path, ..options }, allowed).unwrap();
        let (exact, fast) = (search(Some(VectorPath::Exact)), search(options.path));
        assert_eq!(exact.candidates.len(), fast.candidates.len());
        assert!(fast.candidates.is_sorted_by(|a, b| a > b));
        let chunks: Vec<u32> = fast.candidates.iter().map(|candidate| candidate.chunk).collect();
        found += exact.candidates.iter().filter(|candidate| chunks.contains(&candidate.chunk)).count();
        all += exact.candidates.len();
    }
    found as f32 / all as f32
}

#[test]
fn clusters_find_what_a_scan_finds() {
    let index = Index::open(build(3000)).unwrap();
    let Calibration { probes, recall: measured, .. } = index.manifest().calibration;
    assert!((4..=100).contains(&probes) && measured >= 0.95, "{probes} {measured}");
    let queries = vectors(4000).split_off(3900);
    // Vectors that are random about their centres are as hard to tell apart as any.
    let all = index.allowed(None).unwrap();
    let usual = recall(&index, &queries, VectorSearch::default(), &all);
    let every =
        recall(&index, &queries, VectorSearch { probes: Some(1000), ..VectorSearch::default() }, &all);
    assert!(usual >= 0.85 && every >= 0.9, "{usual} {every}");
    for every in [1000, 100, 20, 5, 2, 1] {
        // Steps that have nothing to do with the centres, of which there are 40: the low bits of the product would.
        let chosen =
            (0..3000u32).filter(|at| ((at.wrapping_mul(2_654_435_761) >> 16) as usize).is_multiple_of(every));
        let allowed = Allowed::of(3000, chosen);
        let search = |path| VectorSearch { path, ..VectorSearch::default() };
        let (usual, clusters) = (
            recall(&index, &queries, search(None), &allowed),
            recall(&index, &queries, search(Some(VectorPath::Clusters)), &allowed),
        );
        println!("one in {every}: {usual} {clusters}");
        assert!(usual >= 0.85 && clusters >= 0.85, "one in {every}: {usual} {clusters}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes_in_any_order() {
    let documents = [("a.md", sections(0..30)), ("b.md", sections(30..50)), ("c.md", sections(20..40))];
    let build = |order: [usize; 3]| {
        let mut builder = builder();
        order.iter().for_each(|&at| add(&mut builder, documents[at].0, &documents[at].1));
        finish(builder)
    };
    assert!(build([0, 1, 2]) == build([0, 1, 2]));
    assert!(build([0, 1, 2]) == build([2, 0, 1]));
}

#[test]
fn chunks_know_where_they_come_from() {
    let index = Index::open(build(3)).unwrap();
    let chunk = index.chunk(2).unwrap().unwrap();
    assert!(chunk.text.starts_with("This passage has the number 2"), "{}", chunk.text);
    assert_eq!(chunk.place.section.heading_path, ["H"]);
    assert_eq!(chunk.place.section.anchor.as_deref(), Some("h-2"));
    assert_eq!((chunk.place.line, chunk.place.document.source.as_str()), (11, "dir/a.md"));
    assert_eq!((chunk.place.index, chunk.place.document.chunks), (2, 3));
    assert_eq!(chunk.place.document.metadata.document_id, "dir/a");
    assert!(chunk.duplicates.is_empty());
    assert!(index.chunk(3).unwrap().is_none());
    assert_eq!(index.manifest().chunks, 3);
    assert_eq!(index.manifest().chunking.budget, 20);
}

#[test]
fn equal_chunks_are_kept_once_with_all_their_places() {
    let mut builder = builder();
    add(&mut builder, "b.md", &sections(5..8));
    add(&mut builder, "a.md", &sections(7..9));
    add(&mut builder, "c.md", "# Other\n\nThis passage has the number 7 and enough words to stay alone.\n");
    assert_eq!((builder.pending_count(), builder.chunk_count()), (5, 5));
    let index = Index::open(finish(builder)).unwrap();
    let first = index.chunk(0).unwrap().unwrap();
    assert_eq!((first.place.document.source.as_str(), first.place.line), ("a.md", 3));
    let other = &first.duplicates[0];
    assert_eq!((other.document.source.as_str(), other.line, other.index), ("b.md", 11, 2));
    // Under another heading it is another chunk.
    assert_eq!(index.manifest().chunks, 5);
    assert_eq!(index.chunk(4).unwrap().unwrap().place.document.source, "c.md");
}

#[test]
fn an_index_of_nothing_and_of_one_work() {
    let empty = Index::open(finish(builder())).unwrap();
    let query = &vectors(1)[0];
    assert!(empty.search(query, 5).unwrap().is_empty());
    let one = Index::open(build(1)).unwrap();
    assert_eq!(one.search(query, 5).unwrap().len(), 1);
}

#[test]
fn a_query_of_other_dimensions_is_refused() {
    let index = Index::open(build(2)).unwrap();
    let error = index.search(&Embedding::normalized(vec![1.0; 3]), 5).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ModelMismatch);
}

#[test]
fn the_builder_refuses_what_does_not_fit() {
    let mut builder = builder();
    add(&mut builder, "a.md", "text");
    for bad in [vec![Embedding::normalized(vec![1.0; 3])], vectors(2)] {
        assert_eq!(builder.embedded(&bad).unwrap_err().code(), ErrorCode::InvalidOption);
    }
    let document = Document::parse("a.md", b"other").unwrap();
    let chunks = chunk(&document, &small_chunks());
    assert_eq!(builder.add(&document, &chunks).unwrap_err().code(), ErrorCode::InvalidDocument);
    assert_eq!(builder.pending_count(), 1, "a document that is refused leaves nothing behind");
    assert_eq!(builder.assemble().err().unwrap().code(), ErrorCode::InvalidOption);
}
