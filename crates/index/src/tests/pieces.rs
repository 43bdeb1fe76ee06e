//! Opening a file of which only a part is there, as a page does over HTTP.

use super::container::{CENTROIDS, CODES, TEXT};
use super::*;

/// An index with text of several blocks.
fn file() -> Vec<u8> {
    let mut builder = builder();
    add(&mut builder, "a.md", &sections(0..3000));
    finish(builder)
}

fn cut(file: &[u8], range: &Range<u64>) -> (u64, Vec<u8>) {
    (range.start, file[range.start as usize..range.end as usize].to_vec())
}

fn open(file: &[u8]) -> Result<Index> {
    let length = FileLayout::head_length(&file[..64])?;
    let layout = FileLayout::parse(&file[..length])?;
    let pieces = layout.needed().iter().map(|range| cut(file, range)).collect();
    Index::open_pieces(layout, pieces)
}

/// Provides what a search needs, and returns how many bytes that is.
fn provide_clusters(file: &[u8], index: &Index, query: &Embedding) -> u64 {
    let allowed = index.allowed(None).unwrap();
    let missing = index.nearest_so_far(query, &VectorSearch::default(), &allowed).unwrap().missing;
    for range in &missing {
        let (offset, bytes) = cut(file, range);
        index.provide(offset, bytes).unwrap();
    }
    missing.iter().map(|range| range.end - range.start).sum()
}

#[test]
fn text_is_fetched_for_the_hits_alone() {
    let file = file();
    let index = open(&file).unwrap();
    let query = &vectors(4000)[1234];
    provide_clusters(&file, &index, query);
    let hits = index.search(query, 3).unwrap();
    let chunks: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
    assert_eq!(index.chunk(chunks[0]).unwrap_err().code(), ErrorCode::IndexIncomplete);
    let missing = index.missing(&chunks);
    let bytes: u64 = missing.iter().map(|range| range.end - range.start).sum();
    assert!((1..=3).contains(&missing.len()) && bytes < 60_000, "{missing:?}");
    for range in &missing {
        let (offset, bytes) = cut(&file, range);
        index.provide(offset, bytes).unwrap();
    }
    assert!(index.missing(&chunks).is_empty());
    let whole = Index::open(file).unwrap();
    for chunk in chunks {
        assert_eq!(index.chunk(chunk).unwrap(), whole.chunk(chunk).unwrap());
    }
}

#[test]
fn what_is_needed_is_one_stretch_without_the_text() {
    let file = file();
    let layout = FileLayout::parse(&file).unwrap();
    let needed = layout.needed();
    let text = layout.find(TEXT).unwrap().range.clone();
    let vectors = layout.find(CODES).unwrap().range.clone();
    assert_eq!(needed.len(), 1);
    assert!(needed[0].end <= vectors.start && vectors.end <= text.start && text.end - text.start > 5_000);
    // All of the file is as good as what is needed, and then no text is missing.
    let index = Index::open_pieces(layout, vec![(0, file.clone())]).unwrap();
    assert!(index.missing(&[0, 2999]).is_empty());
    assert!(index.compact().is_ok());
}

#[test]
fn a_piece_that_is_missing_or_wrong_is_an_error() {
    let file = file();
    let layout = || FileLayout::parse(&file).unwrap();
    let needed = layout().needed().remove(0);
    let code = |pieces| Index::open_pieces(layout(), pieces).unwrap_err().code();
    assert_eq!(code(Vec::new()), ErrorCode::IndexCorrupt);
    assert_eq!(code(vec![cut(&file, &(needed.start..needed.end - 1))]), ErrorCode::IndexCorrupt);
    assert_eq!(code(vec![cut(&file, &(needed.start + 1..needed.end))]), ErrorCode::IndexCorrupt);
    let (offset, mut bytes) = cut(&file, &needed);
    bytes[5000] ^= 1;
    assert_eq!(code(vec![(offset, bytes)]), ErrorCode::IndexCorrupt);

    let index = open(&file).unwrap();
    let missing = index.missing(&[7]).remove(0);
    let (offset, mut bytes) = cut(&file, &missing);
    bytes[100] ^= 1;
    assert_eq!(index.provide(offset, bytes).unwrap_err().code(), ErrorCode::IndexCorrupt);
    assert_eq!(index.compact().err().unwrap().code(), ErrorCode::IndexIncomplete);
    // Bytes that nobody asked for do no harm.
    index.provide(u64::MAX, vec![1, 2, 3]).unwrap();
    index.provide(0, Vec::new()).unwrap();
}

#[test]
fn clusters_come_when_a_query_is_near_them() {
    let file = file();
    let (index, whole) = (open(&file).unwrap(), Index::open(file.clone()).unwrap());
    assert!(whole.missing_clusters().is_empty());
    let queries = vectors(4000).split_off(3900);
    assert_eq!(index.search(&queries[0], 10).unwrap_err().code(), ErrorCode::IndexIncomplete);
    let all: u64 = index.missing_clusters().iter().map(|range| range.end - range.start).sum();
    let first = provide_clusters(&file, &index, &queries[0]);
    assert!(first < all, "{first} of {all}");
    assert_eq!(provide_clusters(&file, &index, &queries[0]), 0);
    for query in &queries {
        provide_clusters(&file, &index, query);
        assert_eq!(index.search(query, 10).unwrap(), whole.search(query, 10).unwrap());
    }
    // The vector of a passage is a row of its own.
    assert_eq!(index.embedding(7).unwrap_err().code(), ErrorCode::IndexIncomplete);
    let row = index.missing_vectors(&[7]).remove(0);
    assert!(row.end - row.start < 200);
    let (offset, bytes) = cut(&file, &row);
    index.provide(offset, bytes).unwrap();
    assert_eq!(index.embedding(7).unwrap(), whole.embedding(7).unwrap());
    for range in index.missing_clusters() {
        let (offset, bytes) = cut(&file, &range);
        index.provide(offset, bytes).unwrap();
    }
    assert!(index.missing_clusters().is_empty());
}

#[test]
fn a_damaged_cluster_is_noticed() {
    let file = file();
    let index = open(&file).unwrap();
    let cluster = index.missing_clusters().remove(3);
    let (offset, mut bytes) = cut(&file, &cluster);
    bytes[3] ^= 1;
    assert_eq!(index.provide(offset, bytes).unwrap_err().code(), ErrorCode::IndexCorrupt);
    // The index asks for the damaged cluster once more.
    assert!(index.missing_clusters().contains(&cluster));
}

#[test]
fn a_strict_filter_is_answered_by_rows() {
    let file = file();
    let (index, whole) = (open(&file).unwrap(), Index::open(file.clone()).unwrap());
    let allowed = Allowed::of(3000, 100..110);
    let query = &vectors(4000)[3900];
    let missing = index.nearest_so_far(query, &VectorSearch::default(), &allowed).unwrap().missing;
    assert_eq!(missing.len(), 1);
    assert!(missing[0].end - missing[0].start < 10 * 200);
    let (offset, bytes) = cut(&file, &missing[0]);
    index.provide(offset, bytes).unwrap();
    let search = |index: &Index| index.nearest(query, &VectorSearch::default(), &allowed).unwrap();
    assert_eq!(search(&index), search(&whole));
    assert_eq!(search(&index).paths, [VectorPath::Exact]);
}

/// Centroids of the largest vectors, which are too long to come first.
#[test]
fn centroids_come_by_groups_where_they_are_long() {
    let space = Space { name: "wide".into(), dimensions: 4096, fingerprint: "f".into() };
    let mut builder = IndexBuilder::new(space, small_chunks(), BuildOptions::default());
    add(&mut builder, "a.md", &sections(0..4000));
    let wide = |near: &Embedding| {
        let numbers = near.as_slice().iter().cycle().take(4096).copied();
        Embedding::normalized(numbers.collect())
    };
    let texts = builder.pending(usize::MAX).len();
    let known: Vec<Embedding> = vectors(texts + 1).iter().map(wide).collect();
    builder.embedded(&known[..texts]).unwrap();
    let file = builder.assemble().unwrap().finish(Calibration::default()).unwrap();

    let (index, whole) = (open(&file).unwrap(), Index::open(file.clone()).unwrap());
    let options = VectorSearch { limit: 1, probes: Some(1), path: None };
    let everything = index.allowed(None).unwrap();
    let mut rounds = Vec::new();
    let query = &known[texts];
    loop {
        let missing = index.nearest_so_far(query, &options, &everything).unwrap().missing;
        if missing.is_empty() {
            break;
        }
        rounds.push(missing.iter().map(|range| range.end - range.start).sum::<u64>());
        for range in &missing {
            let (offset, bytes) = cut(&file, range);
            index.provide(offset, bytes).unwrap();
        }
    }
    // Some of the groups, then the cluster.
    let centroids = FileLayout::parse(&file).unwrap().find(CENTROIDS).unwrap().range.clone();
    assert_eq!(rounds.len(), 2, "{rounds:?}");
    assert!(rounds[0] < (centroids.end - centroids.start) / 2, "{rounds:?}");
    let search = |index: &Index| index.nearest(query, &options, &everything).unwrap();
    assert_eq!(search(&index), search(&whole));
}

/// Coarse codes tell which rows to compare; what they tell before these have come is near enough to ask for the texts.
#[test]
fn coarse_codes_are_followed_by_rows() {
    let mut builder = builder();
    (0..5)
        .for_each(|part| add(&mut builder, &format!("{part}.md"), &sections(part * 2100..(part + 1) * 2100)));
    let texts = builder.pending(usize::MAX).len();
    let mut known = vectors(texts + 20);
    let queries = known.split_off(texts);
    builder.embedded(&known).unwrap();
    let file = builder.assemble().unwrap().finish(Calibration::default()).unwrap();
    let (index, whole) = (open(&file).unwrap(), Index::open(file.clone()).unwrap());
    let (options, all) = (VectorSearch::default(), index.allowed(None).unwrap());
    let so_far = |query| index.nearest_so_far(query, &options, &all).unwrap();
    let mut estimated = 0;
    for query in &queries {
        let clusters = so_far(query);
        assert!(!clusters.missing.is_empty() && !clusters.is_estimate);
        provide_clusters(&file, &index, query);
        let codes = so_far(query);
        assert!(codes.is_estimate && codes.nearest.candidates.len() == 10);
        assert_eq!(index.nearest(query, &options, &all).unwrap_err().code(), ErrorCode::IndexIncomplete);
        provide_clusters(&file, &index, query);
        let rows = so_far(query);
        assert!(rows.missing.is_empty() && !rows.is_estimate);
        assert_eq!(rows.nearest, whole.nearest(query, &options, &all).unwrap());
        for candidate in &rows.nearest.candidates {
            let exact = whole.embedding(candidate.chunk).unwrap().unwrap().cosine(query);
            assert!((candidate.score - exact).abs() < 0.002, "{candidate:?} {exact}");
            estimated +=
                usize::from(codes.nearest.candidates.iter().any(|codes| codes.chunk == candidate.chunk));
        }
    }
    assert!((120..200).contains(&estimated), "{estimated} of 200");
}

#[test]
fn a_chunk_that_no_cluster_had_is_compared_by_its_row() {
    let file = file();
    let (index, whole) = (open(&file).unwrap(), Index::open(file.clone()).unwrap());
    let query = &vectors(4000)[3900];
    provide_clusters(&file, &index, query);
    let (options, all) = (VectorSearch::default(), index.allowed(None).unwrap());
    let mut nearest = index.nearest(query, &options, &all).unwrap();
    let known = nearest.candidates[0].chunk;
    let other = (0..3000).find(|&chunk| nearest.scores(&[chunk]) == [None]).unwrap();
    assert_eq!(index.compare_also(&mut nearest, query, known).unwrap(), None);
    let missing = index.compare_also(&mut nearest, query, other).unwrap().unwrap();
    assert_eq!(vec![missing.clone()], index.missing_vectors(&[other]));
    let (offset, bytes) = cut(&file, &missing);
    index.provide(offset, bytes).unwrap();
    assert_eq!(index.compare_also(&mut nearest, query, other).unwrap(), None);
    let exact = whole.embedding(other).unwrap().unwrap().cosine(query);
    let score = nearest.scores(&[other])[0].unwrap();
    assert!((score - exact).abs() < 0.002 && score < nearest.least(), "{score} {exact}");
}
