//! Index files that were damaged on the way, and files made by somebody who means harm: each gives an error or an index
//! that can be used, never a panic, and none makes the loader allocate much more than the file is long.
//!
//! `IBID_MUTATIONS` says how many crafted files to try instead of 5,000.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    unreachable_pub,
    dead_code,
    reason = "tests show what they measure and fail where they stand; the fuzz targets share their module with a crate"
)]

#[path = "../fuzz/src/targets/index/mod.rs"]
mod index;

use std::alloc::System;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Instant;

use ibid::index::Index;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What opening a file may allocate in all: that many times its length, and that many bytes more.
const TIMES: usize = 64;
const MORE: usize = 64 << 10;

/// Held by each test, since the allocator counts for all threads together.
static ALONE: Mutex<()> = Mutex::new(());

/// What became of the files that were tried.
#[derive(Default)]
struct Outcome {
    tried: usize,
    /// By the code of the error, or `opened`.
    results: BTreeMap<&'static str, usize>,
    /// The most that was allocated to open a file, in bytes and as a multiple of its length.
    most: usize,
    ratio: f64,
}

impl Outcome {
    /// Opens a file and uses what could be opened.
    fn open(&mut self, file: Vec<u8>, deep: bool) {
        let length = file.len();
        index::use_folder(&file);
        let region = Region::new(ALLOCATOR);
        let opened = Index::open(file);
        let allocated = region.change().bytes_allocated;
        assert!(allocated <= TIMES * length + MORE, "{allocated} bytes were allocated to open {length}");
        self.tried += 1;
        self.most = self.most.max(allocated);
        self.ratio = self.ratio.max(allocated as f64 / length.max(1) as f64);
        let name = opened.as_ref().map_or_else(|error| error.code().as_str(), |_| "opened");
        *self.results.entry(name).or_default() += 1;
        if let Ok(index) = opened {
            index::use_all(&index, deep);
        }
    }

    fn opened(&self) -> usize {
        self.results.get("opened").copied().unwrap_or_default()
    }

    fn print(&self, what: &str, started: Instant) {
        println!(
            "{what}: {} files in {:.1?}: {:?}; at most {} bytes allocated to open one, at most {:.1} times its length",
            self.tried,
            started.elapsed(),
            self.results,
            self.most,
            self.ratio
        );
    }
}

#[test]
fn every_truncation_and_every_flipped_bit_is_noticed() {
    let _alone = ALONE.lock();
    let started = Instant::now();
    let mut outcome = Outcome::default();
    for file in index::samples() {
        outcome.open(file.clone(), true);
        for end in 0..file.len() {
            outcome.open(file[..end].to_vec(), false);
        }
        for bit in 0..file.len() * 8 {
            let mut changed = file.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            outcome.open(changed, false);
        }
    }
    outcome.print("truncated or with one flipped bit", started);
    assert_eq!(outcome.opened(), index::samples().len(), "a damaged file was opened");
}

/// With valid checksums, only the checks of the content stand between a crafted file and a panic.
#[test]
fn crafted_files_never_panic() {
    let _alone = ALONE.lock();
    let started = Instant::now();
    let count = std::env::var("IBID_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(5000);
    let mut random = Random(20);
    let mut outcome = Outcome::default();
    for _ in 0..count {
        let recipe = random.bytes(1, 24);
        let tried = catch_unwind(AssertUnwindSafe(|| {
            let (file, deep) = index::craft(&recipe);
            outcome.open(file, deep);
        }));
        assert!(tried.is_ok(), "the recipe was {recipe:?}");
    }
    outcome.print("crafted", started);
    // Both outcomes must occur, or the test tests nothing.
    assert!(outcome.opened() > count / 50 && outcome.opened() < count);
}

/// xorshift64*, seeded, so that a failure comes again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 24
    }

    /// That many bytes at least, and that many at most.
    fn bytes(&mut self, least: usize, most: usize) -> Vec<u8> {
        let length = least + self.next() as usize % (most - least + 1);
        (0..length).map(|_| self.next() as u8).collect()
    }
}
