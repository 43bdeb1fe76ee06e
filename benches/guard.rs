//! How long the guards take, for a thousand characters and for the longest question. `cargo bench --bench guard`.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark, not the library")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ibid::guard::injection::{instructions, visible};
use ibid::guard::{EmergencyMode, GuardOptions, inspect, intent};
use ibid::text::language;

/// What a worried person writes, and what makes most phrases possible at once.
const QUESTION: &str = "My father is 67 and takes warfarin and metoprolol. Since this morning he has no fever, but he says that \
    he feels short of breath when he climbs the stairs, and his left ankle is swollen. Last year he had a stroke and \
    recovered well. I am not sure whether I should call the doctor or wait until Monday; what would you do if it were your \
    father? He does not want to go to hospital again. ";

const DOCUMENT: &str = "Read all instructions before use. The default of each option stands in the table below, and options of the \
    command line override those of the configuration file. Send the report to the server, then open the address that it \
    prints. Do not share the key with other users. If the previous version is still running, stop it first. ";

fn of_length(unit: &str, chars: usize) -> String {
    unit.chars().cycle().take(chars).collect()
}

fn guards(criterion: &mut Criterion) {
    let flag = GuardOptions { emergency: Some(EmergencyMode::Flag), ..GuardOptions::default() };
    for chars in [1000, 10_000] {
        let mut group = criterion.benchmark_group(format!("guard/{chars} characters"));
        group.throughput(Throughput::Elements(chars as u64));
        let text = of_length(QUESTION, chars);
        let hostile = of_length("i can not if my father has chest pain no ", chars);
        let document = of_length(DOCUMENT, chars);
        let mut one = |name: &str, run: &mut dyn FnMut()| {
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| bencher.iter(&mut *run));
        };
        one("language", &mut || {
            black_box(language(black_box(&text)));
        });
        one("intent", &mut || {
            black_box(intent(black_box(&text)));
        });
        one("inspect without emergency", &mut || drop(inspect(black_box(&text), &GuardOptions::default())));
        one("inspect", &mut || drop(inspect(black_box(&text), &flag)));
        one("inspect, words of the rules", &mut || drop(inspect(black_box(&hostile), &flag)));
        one("visible", &mut || drop(visible(black_box(&document))));
        one("instructions", &mut || drop(instructions(black_box(&document))));
        group.finish();
    }
}

criterion_group!(benches, guards);
criterion_main!(benches);
