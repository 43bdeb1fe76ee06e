//! How fast documents are read and chunked, next to the `text-splitter` crate on the same texts.
//! `cargo bench --bench chunk`; the texts are clinical guidelines if they lie next to the repository, else made up.
//!
//! In the end it prints the medians of runs that took turns, as megabytes a second and their ratio.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark, not the library")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ibid::chunk::{ChunkOptions, chunk};
use ibid::document::Document;
use text_splitter::{ChunkConfig, MarkdownSplitter};

const GUIDELINES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/retrieval/nstg/documents.jsonl");

/// Budgets in tokens of four characters: ibid's default, and one at which most blocks are cut.
const BUDGETS: [usize; 2] = [800, 64];
const ROUNDS: usize = 21;

#[allow(clippy::disallowed_methods, reason = "a benchmark reads texts that are not committed")]
fn texts() -> (&'static str, Vec<String>) {
    let Ok(lines) = std::fs::read_to_string(GUIDELINES) else { return ("made-up handbooks", made_up()) };
    let record = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let text = |line: &str| record(line)["markdown"].as_str().unwrap().to_owned();
    ("guidelines", lines.lines().map(text).collect())
}

/// Handbooks with headings, paragraphs, lists, tables and code, about 1 MB in all.
fn made_up() -> Vec<String> {
    let words = [
        "the", "nurse", "checks", "oxygen", "before", "visitors", "arrive,", "e.g.", "0.5 mg", "twice.",
        "Then",
    ];
    let mut state = 7usize;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut prose = |length: usize| {
        let length = length / 2 + next(length);
        (0..length).map(|_| words[next(words.len())]).collect::<Vec<_>>().join(" ")
    };
    let mut section = |number: usize| {
        let items = [prose(9), prose(9), prose(9)].map(|item| format!("- {item}\n")).concat();
        let rows = [prose(4), prose(4)].map(|cell| format!("| {cell} | {number} mg |\n")).concat();
        let heading = "#".repeat(2 + number % 2);
        format!(
            "{heading} Section {number}\n\n{}\n\n{items}\n| drug | dose |\n|---|---|\n{rows}\n```\nlet x = {number};\n```\n\n{}\n\n",
            prose(60),
            prose(120)
        )
    };
    (0..60)
        .map(|number| format!("# Handbook {number}\n\n") + &(0..15).map(&mut section).collect::<String>())
        .collect()
}

fn options(budget: usize) -> ChunkOptions {
    ChunkOptions { budget, ..ChunkOptions::default() }
}

fn ours(texts: &[String], options: &ChunkOptions) -> usize {
    let chunks = |text: &String| chunk(&Document::parse("a.md", text.as_bytes()).unwrap(), options).len();
    texts.iter().map(chunks).sum()
}

fn theirs(texts: &[String], budget: usize) -> usize {
    let splitter = MarkdownSplitter::new(ChunkConfig::new(budget * 4));
    texts.iter().map(|text| splitter.chunks(text).count()).sum()
}

fn chunking(criterion: &mut Criterion) {
    let (name, texts) = texts();
    let bytes: usize = texts.iter().map(String::len).sum();
    let parse = |text: &String| Document::parse("a.md", text.as_bytes()).unwrap();
    let documents: Vec<Document> = texts.iter().map(parse).collect();
    let mut group = criterion.benchmark_group(format!("chunk/{name}"));
    group.sample_size(20).throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("parse", |bencher| {
        bencher.iter(|| texts.iter().map(|text| parse(text).sections.len()).sum::<usize>());
    });
    for budget in BUDGETS {
        let options = options(budget);
        group.bench_function(format!("chunk/{budget}"), |bencher| {
            bencher.iter(|| documents.iter().map(|document| chunk(document, &options).len()).sum::<usize>());
        });
        group.bench_function(format!("parse and chunk/{budget}"), |bencher| {
            bencher.iter(|| ours(black_box(&texts), &options));
        });
    }
    group.finish();
    for budget in BUDGETS {
        compare(name, &texts, bytes, budget);
    }
}

/// Lets both take turns, so that whatever else the machine does slows both.
fn compare(name: &str, texts: &[String], bytes: usize, budget: usize) {
    let options = options(budget);
    let (mut ours_took, mut theirs_took) = (Vec::new(), Vec::new());
    let mut counts = (0, 0);
    for _ in 0..ROUNDS {
        let (took, count) = timed(|| ours(black_box(texts), &options));
        ours_took.push(took);
        counts.0 = count;
        let (took, count) = timed(|| theirs(black_box(texts), budget));
        theirs_took.push(took);
        counts.1 = count;
    }
    let speed = |mut took: Vec<Duration>| {
        took.sort_unstable();
        bytes as f64 / took[took.len() / 2].as_secs_f64() / 1e6
    };
    let (ours, theirs) = (speed(ours_took), speed(theirs_took));
    println!(
        "{name}, {:.1} MB, budget {budget} tokens: ibid {ours:.0} MB/s ({} chunks), text-splitter {theirs:.1} MB/s ({} chunks), ratio {:.1}",
        bytes as f64 / 1e6,
        counts.0,
        counts.1,
        ours / theirs
    );
}

#[allow(clippy::disallowed_methods, reason = "a benchmark needs a clock")]
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let made = work();
    (start.elapsed(), made)
}

criterion_group!(benches, chunking);
criterion_main!(benches);
