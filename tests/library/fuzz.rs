//! A short run of every fuzz target without a fuzzer: seeds are changed by a seeded generator, so that a failure comes
//! again, and every input that once broke something is tried once more.
//!
//! `IBID_FUZZ_INPUTS` says how many inputs each target gets instead of its usual number. An input that breaks a target
//! is written to a file, whose name is printed; `fuzz/README.md` tells what to do with it.

mod mutate;
#[path = "../../fuzz/src/targets/mod.rs"]
mod targets;

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mutate::Mutator;
use targets::{TARGETS, Target};

fn folder(kind: &str, name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "fuzz", kind, name].iter().collect()
}

/// The files of a folder in the order of their names; none if it is not there.
fn files_in(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// The seeds as they are, the inputs of earlier failures, then `count` changed seeds.
fn run(name: &str, count: usize) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = [files_in(&folder("seeds", name)), (target.seeds)()].concat();
    assert!(!seeds.is_empty(), "`{name}` has no seeds");
    let dictionary =
        fs::read_to_string(folder("dictionaries", name).with_extension("dict")).unwrap_or_default();
    let mut mutator = Mutator::new(&dictionary, &seeds);

    let count = std::env::var("IBID_FUZZ_INPUTS").ok().and_then(|count| count.parse().ok()).unwrap_or(count);
    let started = Instant::now();
    let mut slowest = Duration::ZERO;
    let known = [seeds.clone(), files_in(&folder("regressions", name))].concat();
    let total = known.len() + count;
    for input in known.into_iter().chain((0..count).map(|_| mutator.input())) {
        slowest = slowest.max(attempt(target, &input));
    }
    println!("{name}: {total} inputs in {:.1?}, the slowest in {slowest:.1?}", started.elapsed());
}

/// Runs a target and returns how long it took.
fn attempt(target: &Target, input: &[u8]) -> Duration {
    let started = Instant::now();
    if catch_unwind(|| (target.run)(input)).is_err() {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}", target.name));
        fs::write(&path, input).unwrap();
        panic!("`{}` broke on the input that is now in {}", target.name, path.display());
    }
    started.elapsed()
}

/// A test for each target, so that they run next to each other, with the number of inputs it gets.
macro_rules! targets {
    ($($name:ident: $count:literal,)*) => {
        $(#[test]
        fn $name() {
            run(stringify!($name), $count);
        })*

        #[test]
        fn every_target_is_run() {
            let run = [$(stringify!($name)),*];
            assert!(TARGETS.iter().map(|target| target.name).eq(run));
            let manifest = include_str!("../../fuzz/Cargo.toml");
            for name in run {
                assert!(manifest.contains(&format!("name = \"{name}\"")), "`{name}` is not in fuzz/Cargo.toml");
            }
        }
    };
}

targets! {
    markdown: 2000,
    front_matter: 2500,
    rst: 2000,
    notebook: 2000,
    nxml: 2000,
    html: 1250,
    text: 3000,
    jsonl: 2000,
    sidecar: 3000,
    archive: 750,
    chunk: 600,
    filter: 3000,
    index_open: 5000,
    index_crafted: 2000,
    index_pieces: 400,
    lexical: 1000,
    reply: 2000,
    cite: 1000,
    audit: 1000,
    pii: 750,
    inspect: 1000,
}
