mod filters;
mod pieces;
mod segments;

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

fn builder(graph: GraphMode) -> IndexBuilder {
    let options = BuildOptions { graph, ..BuildOptions::default() };
    IndexBuilder::new(space(), small_chunks(), options)
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
    builder.assemble().unwrap().finish(Calibration::default()).unwrap()
}

fn sections(numbers: Range<usize>) -> String {
    let section = |at| format!("# H\n\nThis passage has the number {at} and enough words to stay alone.\n\n");
    numbers.map(section).collect::<Vec<_>>().concat()
}

fn build(count: usize, graph: GraphMode) -> Vec<u8> {
    let mut builder = builder(graph);
    add(&mut builder, "dir/a.md", &sections(0..count));
    finish(builder)
}

#[test]
fn graph_and_signs_find_what_a_scan_finds() {
    let count = 3000;
    for mode in [GraphMode::Always, GraphMode::Never] {
        let index = Index::open(build(count, mode)).unwrap();
        assert_eq!(index.has_graph(), mode == GraphMode::Always);
        let queries = vectors(4000).split_off(3900);
        let mut found = 0;
        for query in &queries {
            let exact = index.scan(query, 10).unwrap();
            let fast = index.search(query, 10, 64).unwrap();
            assert_eq!(fast.len(), 10);
            assert!(fast.is_sorted_by(|a, b| a > b));
            found += exact.iter().filter(|candidate| fast.contains(candidate)).count();
        }
        assert!(found >= 970, "recall@10 of {mode:?} is {}", found as f32 / 1000.0);
        for every in [1000, 100, 20, 5, 2, 1] {
            filtered_search_finds_what_is_there(&index, mode, &queries, every);
        }
    }
}

/// With a filter that allows one in so many.
fn filtered_search_finds_what_is_there(index: &Index, mode: GraphMode, queries: &[Embedding], every: usize) {
    // Steps that have nothing to do with the clusters, of which there are 40.
    let chosen =
        (0..index.chunk_end()).filter(|at| (at.wrapping_mul(2_654_435_761) as usize).is_multiple_of(every));
    let allowed = Allowed::of(index.chunk_end(), chosen);
    let count = 10.min(allowed.len() as usize);
    for path in [None, Some(VectorPath::Graph), Some(VectorPath::Signs)] {
        let mut found = 0;
        for query in queries {
            let search =
                |path| index.nearest(query, &VectorSearch { path, ..VectorSearch::default() }, &allowed);
            let exact = search(Some(VectorPath::Exact)).unwrap().candidates;
            let fast = search(path).unwrap();
            assert_eq!((exact.len(), fast.candidates.len()), (count, count));
            found += exact.iter().filter(|candidate| fast.candidates.contains(candidate)).count();
        }
        let recall = found as f32 / (queries.len() * count) as f32;
        println!("{mode:?}, one in {every}, by {path:?}: {recall}");
        assert!(recall >= 0.97, "recall@{count} of {mode:?} with one in {every} by {path:?} is {recall}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes_in_any_order() {
    let documents = [("a.md", sections(0..30)), ("b.md", sections(30..50)), ("c.md", sections(20..40))];
    let build = |order: [usize; 3]| {
        let mut builder = builder(GraphMode::Always);
        order.iter().for_each(|&at| add(&mut builder, documents[at].0, &documents[at].1));
        finish(builder)
    };
    assert!(build([0, 1, 2]) == build([0, 1, 2]));
    assert!(build([0, 1, 2]) == build([2, 0, 1]));
}

#[test]
fn chunks_know_where_they_come_from() {
    let index = Index::open(build(3, GraphMode::Auto)).unwrap();
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
    let mut builder = builder(GraphMode::Auto);
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
    for mode in [GraphMode::Auto, GraphMode::Always] {
        let empty = Index::open(finish(builder(mode))).unwrap();
        let query = &vectors(1)[0];
        assert!(empty.search(query, 5, 64).unwrap().is_empty());
        let one = Index::open(build(1, mode)).unwrap();
        assert_eq!(one.search(query, 5, 64).unwrap().len(), 1);
    }
}

#[test]
fn a_query_of_other_dimensions_is_refused() {
    let index = Index::open(build(2, GraphMode::Auto)).unwrap();
    let error = index.search(&Embedding::normalized(vec![1.0; 3]), 5, 64).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ModelMismatch);
}

#[test]
fn the_builder_refuses_what_does_not_fit() {
    let mut builder = builder(GraphMode::Auto);
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
