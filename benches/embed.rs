//! How long embedding takes: a query by the table, and texts of several lengths by the transformer, on one core and on
//! all. `cargo bench --bench embed`.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark, not the library")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ibid::embed::{Task, TokenTable, Transformer};

static QUERY_TABLE: &[u8] = include_bytes!("../models/query-table.bin");
static TRANSFORMER: &[u8] = include_bytes!("../models/minilm-distilled.ibidmodel");

/// About one token a word.
const WORDS: &str = "the nurse checks the oxygen before the first visitors arrive and records how much of it is left in \
                     each room so that nobody has to guess in the morning when the other shift takes over the ward";

fn table(criterion: &mut Criterion) {
    criterion.bench_function("table/load", |bencher| {
        bencher.iter(|| TokenTable::from_bytes(black_box(QUERY_TABLE)).unwrap());
    });
    let table = TokenTable::from_bytes(QUERY_TABLE).unwrap();
    for query in ["HbA1c target", "how much amoxicillin for a child with otitis media"] {
        let id = format!("table/query of {} characters", query.len());
        criterion
            .bench_function(&id, |bencher| bencher.iter(|| table.embed_query(black_box(query)).unwrap()));
    }
}

fn transformer(criterion: &mut Criterion) {
    let model = Transformer::from_bytes(TRANSFORMER.to_vec()).unwrap();
    let mut group = criterion.benchmark_group("transformer");
    group.sample_size(20);
    for tokens in [16, 64, 256] {
        // With [CLS] and [SEP], exactly that many.
        let words: Vec<&str> = WORDS.split(' ').cycle().take(tokens - 2).collect();
        let text = words.join(" ");
        assert_eq!(model.tokenizer().encode(&text, usize::MAX).len(), tokens - 2);
        group.throughput(Throughput::Elements(tokens as u64));
        group.bench_function(BenchmarkId::new("one text, one core", tokens), |bencher| {
            bencher.iter(|| model.embed(black_box(&[&text]), Task::Document));
        });
        let texts = vec![text.as_str(); 4096 / tokens];
        group.throughput(Throughput::Elements(4096));
        group.bench_function(BenchmarkId::new("many texts, all cores", tokens), |bencher| {
            bencher.iter(|| model.embed(black_box(&texts), Task::Document));
        });
    }
    group.finish();
}

criterion_group!(benches, table, transformer);
criterion_main!(benches);
