//! The time of a search for vectors, and the share of the true nearest that it finds: made-up vectors in clusters, with
//! and without a filter. `cargo bench --bench search`, and `cargo bench --bench search -- --test` for the recall alone.
#![allow(clippy::unwrap_used, clippy::print_stderr, missing_docs, reason = "a benchmark, not the library")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ibid::chunk::{ChunkOptions, chunk};
use ibid::document::{Document, MetadataValue};
use ibid::embed::{Embedding, Space};
use ibid::index::{
    Allowed, BuildOptions, Calibration, Filter, Index, IndexBuilder, VectorPath, VectorSearch,
};

const QUERIES: usize = 100;
/// Of a thousand documents that many have at least the rank of a filter.
const SHARES: [i64; 6] = [1, 10, 50, 200, 500, 1000];

/// Vectors around centres that are themselves around others, as those of real texts are.
fn vectors(count: usize, dimensions: usize) -> Vec<Embedding> {
    let mut state = 7u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    };
    let mut near =
        |centre: &[f32], spread: f32| -> Vec<f32> { centre.iter().map(|x| x + spread * random()).collect() };
    let origin = vec![0.0; dimensions];
    let topics: Vec<Vec<f32>> = (0..40).map(|_| near(&origin, 1.0)).collect();
    let themes: Vec<Vec<f32>> = (0..1000).map(|at| near(&topics[at % 40], 0.8)).collect();
    (0..count).map(|at| Embedding::normalized(near(&themes[at * 7919 % 1000], 0.8))).collect()
}

/// An index with a chunk for each document, whose `rank` is spread over 0 to 999, and queries.
fn build(count: usize, dimensions: usize) -> (Index, Vec<Embedding>) {
    let mut all = vectors(count + QUERIES, dimensions);
    let queries = all.split_off(count);
    let space = Space { name: "made up".into(), dimensions: dimensions as u32, fingerprint: "0".into() };
    let mut builder = IndexBuilder::new(space, ChunkOptions::default(), BuildOptions::default());
    for at in 0..count {
        let text = format!("Passage {at}.");
        let mut document = Document::parse(&format!("{at}.md"), text.as_bytes()).unwrap();
        let rank = (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        document.metadata.fields.insert("rank".into(), MetadataValue::Integer((rank % 1000) as i64));
        let chunks = chunk(&document, &ChunkOptions::default());
        builder.add(&document, &chunks).unwrap();
    }
    builder.embedded(&all).unwrap();
    let draft = builder.assemble().unwrap();
    let (probes, recall) = draft.probes(&queries).unwrap();
    let bytes = draft.finish(Calibration { probes, recall, ..Calibration::default() }).unwrap();
    (Index::open(bytes).unwrap(), queries)
}

fn allowed(index: &Index, share: i64) -> Allowed {
    let filter = serde_json::json!({ "rank": { "lt": share } });
    let filter = Filter::from_json(&filter).unwrap();
    index.allowed((share < 1000).then_some(&filter)).unwrap()
}

/// The share of the true ten nearest that is found, the way that was taken, and how many vectors were compared.
fn recall(index: &Index, queries: &[Embedding], share: i64, path: Option<VectorPath>) -> String {
    let allowed = allowed(index, share);
    let search = |query, path| {
        index.nearest(query, &VectorSearch { path, ..VectorSearch::default() }, &allowed).unwrap()
    };
    let (mut wanted, mut found, mut compared, mut paths) = (0, 0, 0, Vec::new());
    for query in queries {
        let exact = search(query, Some(VectorPath::Exact)).candidates;
        let fast = search(query, path);
        wanted += exact.len();
        let chunks: Vec<u32> = fast.candidates.iter().map(|candidate| candidate.chunk).collect();
        found += exact.iter().filter(|candidate| chunks.contains(&candidate.chunk)).count();
        compared += fast.compared();
        paths = fast.paths;
    }
    let recall = found as f64 / wanted as f64;
    format!("{paths:?} recall {recall:.3}, {} compared", compared / queries.len())
}

fn search(criterion: &mut Criterion) {
    let sizes = [(10_000, 256), (10_000, 384), (50_000, 256), (50_000, 384)];
    for (count, dimensions) in sizes {
        let (index, queries) = build(count, dimensions);
        let name = format!("{count} of {dimensions} dimensions");
        for share in SHARES {
            for path in [None, Some(VectorPath::Clusters)] {
                eprintln!("{name}, {share} of 1000, {path:?}: {}", recall(&index, &queries, share, path));
            }
        }
        let mut group = criterion.benchmark_group(&name);
        group.sample_size(30);
        for share in [10, 100, 500, 1000] {
            let allowed = allowed(&index, share);
            for path in [None, Some(VectorPath::Clusters), Some(VectorPath::Exact)] {
                let options = VectorSearch { path, ..VectorSearch::default() };
                let mut queries = queries.iter().cycle();
                let id = BenchmarkId::new(format!("{path:?}"), format!("{share} of 1000"));
                group.bench_function(id, |bencher| {
                    bencher.iter(|| index.nearest(queries.next().unwrap(), &options, &allowed).unwrap());
                });
            }
        }
        let filter = Filter::from_json(&serde_json::json!({ "rank": { "lt": 100 } })).unwrap();
        group.bench_function("evaluating a filter", |bencher| {
            bencher.iter(|| index.allowed(Some(&filter)).unwrap());
        });
    }
}

criterion_group!(benches, search);
criterion_main!(benches);
