use proptest::prelude::*;

use super::*;
use crate::chunk::{ChunkOptions, chunk};
use crate::document::Document;

const DIMENSIONS: usize = 32;

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

fn build(count: usize) -> Vec<u8> {
    let mut builder = IndexBuilder::new(space());
    let section = |at| format!("# H{at}\n\nText number {at}.\n\n");
    let markdown = (0..count).map(section).collect::<Vec<_>>().concat();
    let document = Document::parse("dir/a.md", markdown.as_bytes()).unwrap();
    let options = ChunkOptions { min_size: 0, ..ChunkOptions::default() };
    builder.add(&document, &chunk(&document, &options), vectors(count)).unwrap();
    builder.finish(Calibration::default()).unwrap()
}

#[test]
fn the_graph_finds_what_a_scan_finds() {
    let count = 3000;
    let index = Index::open(build(count)).unwrap();
    let queries = vectors(count + 100).split_off(count);
    let mut found = 0;
    for query in &queries {
        let exact = index.scan(query, 10).unwrap();
        let graph = index.search(query, 10, 64).unwrap();
        assert_eq!(graph.len(), 10);
        assert!(graph.is_sorted_by(|a, b| a > b));
        found += exact.iter().filter(|candidate| graph.contains(candidate)).count();
    }
    assert!(found >= 970, "recall@10 is {}", found as f32 / 1000.0);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(build(500), build(500));
}

#[test]
fn chunks_know_where_they_come_from() {
    let index = Index::open(build(3)).unwrap();
    let chunk = index.chunk(2).unwrap();
    assert_eq!(chunk.text, "Text number 2.");
    assert_eq!(chunk.section.heading_path, ["H0", "H2"]);
    assert_eq!(chunk.section.anchor.as_deref(), Some("h2"));
    assert_eq!((chunk.line, chunk.document.source.as_str()), (11, "dir/a.md"));
    assert_eq!(chunk.document.metadata.document_id, "dir/a");
    assert!(index.chunk(3).is_none());
    assert_eq!(index.manifest().chunks, 3);
}

#[test]
fn an_index_of_nothing_and_of_one_work() {
    let empty = Index::open(IndexBuilder::new(space()).finish(Calibration::default()).unwrap()).unwrap();
    let query = &vectors(1)[0];
    assert!(empty.search(query, 5, 64).unwrap().is_empty());
    let one = Index::open(build(1)).unwrap();
    assert_eq!(one.search(query, 5, 64).unwrap().len(), 1);
}

#[test]
fn a_query_of_other_dimensions_is_refused() {
    let index = Index::open(build(2)).unwrap();
    let error = index.search(&Embedding::normalized(vec![1.0; 3]), 5, 64).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ModelMismatch);
}

#[test]
fn the_builder_refuses_what_does_not_fit() {
    let document = Document::parse("a.md", b"text").unwrap();
    let chunks = chunk(&document, &ChunkOptions::default());
    let mut builder = IndexBuilder::new(space());
    for bad in [vec![], vec![Embedding::normalized(vec![1.0; 3])]] {
        assert_eq!(builder.add(&document, &chunks, bad).unwrap_err().code(), ErrorCode::InvalidOption);
    }
    builder.add(&document, &chunks, vectors(1)).unwrap();
    assert_eq!(builder.add(&document, &chunks, vectors(1)).unwrap_err().code(), ErrorCode::InvalidDocument);
}

/// Rewrites one section and all checksums, as somebody would who means harm.
fn with_section(id: SectionId, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let bytes = build(40);
    let sections = format::read(&bytes).unwrap();
    let ids = [MANIFEST, VECTORS, GRAPH, CHUNKS, DOCUMENTS, SECTIONS, TEXT];
    let mut parts = ids.map(|id| (id, bytes[sections.range(id).unwrap()].to_vec()));
    if let Some((_, part)) = parts.iter_mut().find(|(known, _)| *known == id) {
        change(part);
    }
    format::write(&parts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// With valid checksums, only the checks of the content stand between a crafted file and a panic.
    #[test]
    fn crafted_sections_never_panic(section in 0usize..7, edits in prop::collection::vec((any::<u16>(), any::<u8>()), 1..6)) {
        let id = [MANIFEST, VECTORS, GRAPH, CHUNKS, DOCUMENTS, SECTIONS, TEXT][section];
        let file = with_section(id, |part| for (at, byte) in &edits {
            let at = *at as usize % part.len();
            part[at] = *byte;
        });
        if let Ok(index) = Index::open(file) {
            let _ = index.search(&vectors(1)[0], 5, 64);
            let readable = (0..41).filter_map(|number| index.chunk(number)).count();
            prop_assert!(readable <= 40);
        }
    }

    #[test]
    fn cut_sections_never_panic(section in 0usize..7, length in any::<u16>()) {
        let id = [MANIFEST, VECTORS, GRAPH, CHUNKS, DOCUMENTS, SECTIONS, TEXT][section];
        let file = with_section(id, |part| part.truncate(length as usize % part.len()));
        prop_assert_eq!(Index::open(file).unwrap_err().code(), ErrorCode::IndexCorrupt);
    }
}
