//! How long it takes to find personal data, for each thousand characters: `cargo bench --bench pii`.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark, not the library")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ibid::guard::pii::{Finder, PiiOptions, Redaction};

const CHARS: usize = 1_000;

/// Questions with much and with nothing to find, and texts that are made to be slow.
const TEXTS: [(&str, &str); 6] = [
    (
        "clinical",
        "Which dose of amoxicillin, 40-90 mg/kg a day, is right for a child of 12 kg with otitis media? ",
    ),
    (
        "personal",
        "My name is Maria Garcia, born on 12 March 1980, please call 202-555-0123 or write to maria@example.org. ",
    ),
    ("groups of digits", "1 "),
    ("at signs", "a@"),
    ("titles", "Dr. "),
    ("brackets", "("),
];

fn pii(c: &mut Criterion) {
    let finder = Finder::new(&PiiOptions::default()).unwrap();
    let mut group = c.benchmark_group("pii");
    group.throughput(Throughput::Elements(CHARS as u64));
    for (name, unit) in TEXTS {
        let text: String = unit.chars().cycle().take(CHARS).collect();
        group.bench_with_input(BenchmarkId::new("find", name), &text, |b, text| {
            b.iter(|| finder.find(black_box(text)));
        });
        let mut redaction = Redaction::default();
        let redacted = redaction.redact(&finder, &text);
        group.bench_with_input(BenchmarkId::new("restore", name), &redacted, |b, redacted| {
            b.iter(|| redaction.restore(black_box(redacted)));
        });
    }
    group.finish();
    c.bench_function("pii/finder", |b| b.iter(|| Finder::new(black_box(&PiiOptions::default())).unwrap()));
}

criterion_group!(benches, pii);
criterion_main!(benches);
