//! An index is what `docs/index-format.md` says: a reader that was written from that page alone finds the same passages.

use std::fmt::Write;
use std::io::Write as _;
use std::process::{Command, Stdio};

use ibid::chunk::{ChunkOptions, chunk};
use ibid::document::Document;
use ibid::embed::{Embedder, Task, TokenTable};
use ibid::index::{BuildOptions, Index, IndexBuilder, LexicalScratch};
use ibid::retrieve::calibrate;

/// Passages that differ enough to lie in many clusters.
fn handbook(part: usize) -> String {
    const THINGS: [&str; 12] = [
        "tea", "bicycles", "bees", "knots", "rivers", "bread", "clocks", "maps", "salt", "rain", "bridges",
        "owls",
    ];
    const DOINGS: [&str; 9] =
        ["care for", "repair", "draw", "measure", "store", "find", "count", "describe", "protect"];
    let mut text = format!("# Part {part}\n\n");
    for at in 0..40 {
        let (thing, doing) = (THINGS[(part + at * 7) % 12], DOINGS[(part * 5 + at) % 9]);
        let other = THINGS[(at * 5 + part * 3) % 12];
        let _ = write!(
            text,
            "## How to {doing} {thing} {at}\n\nWhoever wants to {doing} {thing} begins with {other} in place {part}, and notes {at} \
             things about it before going on to the next.\n\n"
        );
    }
    text
}

/// Words that are terms as they are.
const TERMS: [&str; 3] = ["salt", "owl", "count"];

#[test]
fn a_reader_written_from_the_page_finds_the_same() {
    assert!((700..1000).contains(&finds_the_same(20)));
}

/// As many passages as have coarse codes, which are compared again by rows.
#[test]
fn the_reader_finds_the_same_by_coarse_codes() {
    assert!(finds_the_same(260) > 10_000);
}

/// Compares both readers on an index of that many parts; returns the number of its passages.
fn finds_the_same(parts: usize) -> u32 {
    let table = TokenTable::from_bytes(include_bytes!("../../models/query-table.bin")).unwrap();
    let chunking = ChunkOptions { budget: 60, min_size: 0, ..ChunkOptions::default() };
    let mut builder = IndexBuilder::new(table.space().clone(), chunking.clone(), BuildOptions::default());
    for part in 0..parts {
        let document = Document::parse(&format!("part-{part}.md"), handbook(part).as_bytes()).unwrap();
        builder.add(&document, &chunk(&document, &chunking)).unwrap();
    }
    builder.embedded(&table.embed(&builder.pending(usize::MAX), Task::Query).unwrap()).unwrap();
    let draft = builder.assemble().unwrap();
    let calibration = calibrate(&table, &draft).unwrap();
    let file = draft.finish(calibration).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("handbook.ibid");
    std::fs::write(&place, &file).unwrap();
    let index = Index::open(file).unwrap();
    assert!((4..90).contains(&index.manifest().calibration.probes));
    let chunks = index.manifest().chunks;
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3");
        return chunks;
    }

    let query = table.embed_query("how are old clocks repaired").unwrap();
    let mut reader = Command::new("python3")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/format/read_index.py"))
        .arg(&place)
        .args(TERMS)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let vector = serde_json::to_vec(query.as_slice()).unwrap();
    reader.stdin.take().unwrap().write_all(&vector).unwrap();
    let output = reader.wait_with_output().unwrap();
    assert!(output.status.success());
    let read: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    has_the_same_terms(&index, &read["terms"]);
    let read = read["nearest"].as_array().unwrap();

    let found = index.search(&query, 10).unwrap();
    assert_eq!(read.len(), found.len());
    for (theirs, ours) in read.iter().zip(&found) {
        let near = |name: &str, cosine: f32| (theirs[name].as_f64().unwrap() as f32 - cosine).abs() < 0.002;
        assert!(near("cosine", ours.score), "{theirs} {ours:?}");
        // Passages that are equally near may stand in either order.
        let chunk = theirs["chunk"].as_u64().unwrap() as u32;
        let stored = index.chunk(chunk).unwrap().unwrap();
        let exact = index.embedding(chunk).unwrap().unwrap().cosine(&query);
        assert!(near("exact", exact), "{theirs} {exact}");
        assert_eq!(theirs["text"], stored.text);
        assert_eq!(theirs["source"], stored.place.document.source);
        assert_eq!(theirs["heading_path"], serde_json::json!(stored.place.section.heading_path));
        assert_eq!(theirs["line"], stored.place.line);
    }
    chunks
}

/// Compares the scores of all passages by [`TERMS`], and whether their headings have one.
fn has_the_same_terms(index: &Index, read: &serde_json::Value) {
    let read = read.as_object().unwrap();
    let (mut scratch, limit) = (LexicalScratch::new(), index.manifest().chunks as usize);
    let found = index.lexical(&TERMS.join(" "), limit, &index.allowed(None).unwrap(), &mut scratch).unwrap();
    assert_eq!(read.len(), found.candidates.len());
    assert!((100..limit).contains(&read.len()), "some have none of the terms: {}", read.len());
    let mut with_heading = 0;
    for candidate in &found.candidates {
        let theirs = &read[&candidate.chunk.to_string()];
        assert!(
            (theirs[0].as_f64().unwrap() as f32 - candidate.score).abs() < 1e-3,
            "{theirs} {candidate:?}"
        );
        let headings = found.heading_coverage(&scratch, candidate.chunk);
        assert_eq!(theirs[1], headings > 0.0, "{theirs} {candidate:?}");
        with_heading += u32::from(headings > 0.0);
    }
    assert!((1..found.candidates.len() as u32).contains(&with_heading));
}
