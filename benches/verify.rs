//! How long it takes to hold an answer of a dozen sentences against five sources of about 400 words each, and how that
//! grows with the answer. `cargo bench --bench verify`.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark, not the library")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ibid::cite::{Claim, Source, claims, verify};
use ibid::retrieve::Hit;

const SENTENCES: [&str; 6] = [
    "Children between 2 and 59 months with fast breathing are given amoxicillin 40 mg/kg twice daily for five days",
    "The treatment should not be stopped before the seventh day unless a rash appears",
    "In a trial of 1,200 patients in Norway the new regimen reduced deaths by 12.5 % within 30 days",
    "The index is read in ranges, so that a page fetches at most 300 kB before the first answer",
    "The guideline of the World Health Organization recommends zinc 20 mg daily for 10 to 14 days",
    "Ceftriaxone is contraindicated in newborns who receive calcium by infusion",
];

fn sources() -> Vec<Source> {
    let text = |number: usize| -> String {
        let sentence = |at: usize| {
            let base = SENTENCES[(at + number) % SENTENCES.len()];
            // Words of its own, so that the sources are not all alike.
            format!("{base}, as part {} of study{number} says of ward{at}.", at * 7 + number)
        };
        (0..20).map(sentence).collect::<Vec<_>>().join(" ")
    };
    (1..=5)
        .map(|number| Source {
            number,
            hit: Hit { text: text(number as usize), ..Hit::default() },
            ..Source::default()
        })
        .collect()
}

fn answer(sentences: usize) -> String {
    let sentence = |at: usize| {
        let (one, other) = (at % 5 + 1, (at + 2) % 5 + 1);
        format!("{} [{one}][{other}].", SENTENCES[at % SENTENCES.len()])
    };
    (0..sentences).map(sentence).collect::<Vec<_>>().join(" ")
}

fn bench(criterion: &mut Criterion) {
    let sources = sources();
    let mut group = criterion.benchmark_group("verify");
    group.sample_size(20);
    for count in [1, 12, 120, 1200] {
        let text = answer(count);
        let found = claims(&text);
        group.bench_with_input(BenchmarkId::new("sentences", count), &count, |bencher, _| {
            bencher.iter(|| {
                let mut claims: Vec<Claim> = found.clone();
                black_box(verify(&text, &mut claims, &sources))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
