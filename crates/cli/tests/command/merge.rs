//! Joining indexes that were built apart.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::{ibid, note, stderr};
use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let output = ibid(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    output
}

/// Builds an index of some documents by the query table.
fn build(folder: &Path, output: &str, numbers: &[usize], more: &[&str]) {
    let paths: Vec<String> = numbers.iter().map(|at| format!("docs/{at:04}.md")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    run(folder, &[&["build", "-o", output, "--encoder", "table"], &paths[..], more].concat());
}

#[test]
fn what_was_built_apart_is_what_one_build_gives() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    (0..60).for_each(|at| note(folder, at, "stands at its place"));
    let all: Vec<usize> = (0..60).collect();
    build(folder, "whole.ibid", &all, &[]);
    for (part, numbers) in all.chunks(20).enumerate() {
        build(folder, &format!("{part}.ibid"), numbers, &[]);
    }
    run(folder, &["merge", "2.ibid", "0.ibid", "1.ibid", "-o", "merged.ibid"]);
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(read("merged.ibid") == read("whole.ibid"), "merging and building differ");
}

#[test]
fn of_documents_with_one_id_the_last_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    (0..3).for_each(|at| note(folder, at, "stands at its place"));
    build(folder, "old.ibid", &[0, 1], &[]);
    note(folder, 1, "was moved to zanzibar");
    build(folder, "new.ibid", &[1, 2], &[]);
    let told = stderr(&run(folder, &["merge", "old.ibid", "new.ibid", "-o", "merged.ibid"]));
    assert!(told.contains("documents in several indexes, the last of which was kept: 1 (0001)"), "{told}");
    assert!(told.contains("3 documents"), "{told}");
    let search = ["search", "merged.ibid", "bicycle of number 1", "--json", "--limit", "1"];
    let hits: Value = serde_json::from_slice(&run(folder, &search).stdout).unwrap();
    assert!(hits[0]["text"].as_str().unwrap().contains("zanzibar"), "{hits}");
}

#[test]
fn what_does_not_fit_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    (0..2).for_each(|at| note(folder, at, "stands at its place"));
    build(folder, "one.ibid", &[0], &[]);
    build(folder, "other.ibid", &[1], &["--budget", "400"]);
    fs::write(folder.join("page.ibid"), "<!doctype html>").unwrap();
    for (other, code) in [("other.ibid", "invalid-option"), ("page.ibid", "index-foreign")] {
        let refused = ibid(folder, &["merge", "one.ibid", other, "-o", "merged.ibid"]);
        let told = stderr(&refused);
        assert_ne!(refused.status.code(), Some(0));
        assert!(told.contains(code) && told.contains(other), "{told}");
        assert!(!folder.join("merged.ibid").exists());
    }
}
