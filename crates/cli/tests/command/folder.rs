//! An index as a folder of parts: written, updated, opened like a file, and told when it is not whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{ibid, note, stderr};
use ibid::index::Index;
use serde_json::Value;

const BUILD: [&str; 9] =
    ["build", "docs", "-o", "site.ibid", "--encoder", "table", "--part-size", "64", "--json"];

fn built(folder: &Path, more: &[&str]) -> Value {
    let output = ibid(folder, &[&BUILD[..], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The files of the folder with their lengths.
fn files(folder: &Path) -> BTreeMap<String, u64> {
    let entries = fs::read_dir(folder.join("site.ibid")).unwrap().map(|entry| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len())
    });
    entries.collect()
}

#[test]
fn an_update_of_three_thousand_documents_is_one_index_whichever_way_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    (0..3000).for_each(|at| note(folder, at, "stands at its place"));
    let summary = built(folder, &[]);
    let before = files(folder);
    assert_eq!(summary["parts"].as_u64(), Some(before.len() as u64 - 1));
    let all: u64 = before.values().sum();
    assert_eq!(summary["new_bytes"].as_u64(), Some(all));
    assert!(before.len() > 10 && before.values().all(|length| *length <= 1 << 20), "{before:?}");

    note(folder, 1234, "was moved to zanzibar");
    let summary = built(folder, &["--update"]);
    assert_eq!(summary["update"]["changed"], 1);
    let after = files(folder);
    assert!(before.keys().all(|name| after.contains_key(name)), "open pages go on with the parts before");
    for index in
        ["site.ibid", "site.ibid/", "site.ibid/head", &format!("file://{}/site.ibid", folder.display())]
    {
        let output = ibid(folder, &["search", index, "what was moved to zanzibar", "--json"]);
        let hits: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(hits[0]["source"], "1234.md", "{index}: {}", stderr(&output));
    }
    let inspected = ibid(folder, &["inspect", "site.ibid", "--json"]);
    let inspected: Value = serde_json::from_slice(&inspected.stdout).unwrap();
    assert_eq!(inspected["manifest"]["documents"], 3000);
}

#[test]
fn parts_stay_for_one_more_build() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut builds = Vec::new();
    for text in ["stands", "lies", "hangs"] {
        (0..5).for_each(|at| note(folder, at, text));
        built(folder, &[]);
        builds.push(files(folder).into_keys().filter(|name| name != "head").collect::<Vec<_>>());
    }
    let [first, second, third] = &builds[..] else { panic!("{builds:?}") };
    assert_eq!((first.len(), second.len(), third.len()), (1, 2, 2));
    assert!(second.contains(&first[0]) && !third.contains(&first[0]));
    // Nothing has changed, and of the parts none is new.
    assert_eq!(
        built(folder, &[])["new_bytes"].as_u64(),
        Some(fs::metadata(folder.join("site.ibid/head")).unwrap().len())
    );
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    (0..5).for_each(|at| note(folder, at, "stands"));
    let build = &BUILD[..6];
    assert_eq!(ibid(folder, build).status.code(), Some(0));
    let file = fs::read(folder.join("site.ibid")).unwrap();
    built(folder, &[]);
    assert!(files(folder).contains_key("head"));
    assert_eq!(ibid(folder, build).status.code(), Some(0));
    let joined = files(folder);
    assert_eq!(joined.len(), 2, "{joined:?}");
    // Apart from the table of parts it is the same file.
    let part = joined.keys().find(|name| *name != "head").unwrap();
    let part = fs::read(folder.join("site.ibid").join(part)).unwrap();
    assert!(file.ends_with(&part));
    let head = fs::read(folder.join("site.ibid/head")).unwrap();
    Index::open([head, part].concat()).unwrap();
    // The documents, the index, and what pages search it by.
    assert_eq!(fs::read_dir(folder).unwrap().count(), 3);
    assert!(folder.join("ibid/query-table.bin").is_file());
}

#[test]
fn parts_that_are_missing_short_or_damaged_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    (0..5).for_each(|at| note(folder, at, "stands"));
    built(folder, &[]);
    let part = files(folder).into_keys().find(|name| name != "head").unwrap();
    let place = folder.join("site.ibid").join(&part);
    let bytes = fs::read(&place).unwrap();
    let told = |command: &str| {
        let query: &[&str] = if command == "search" { &["tea"] } else { &[] };
        let output = ibid(folder, &[&[command, "site.ibid"], query].concat());
        assert_eq!(output.status.code(), Some(1), "{command}");
        String::from_utf8(output.stderr).unwrap()
    };
    for command in ["search", "inspect"] {
        fs::remove_file(&place).unwrap();
        let missing = told(command);
        assert!(missing.contains(&format!("lacks its part `{part}`")), "{missing}");
        assert!(missing.contains("[index-truncated]"), "{missing}");
        fs::write(&place, &bytes[1..]).unwrap();
        assert!(told(command).contains("[index-truncated]"));
        fs::write(&place, vec![1; bytes.len()]).unwrap();
        assert!(told(command).contains("[index-corrupt]"));
        fs::write(&place, &bytes).unwrap();
    }
    // A build mends what is not as it should be.
    fs::write(&place, vec![1; bytes.len()]).unwrap();
    built(folder, &[]);
    assert!(fs::read(&place).unwrap() == bytes);
    let head = folder.join("site.ibid/head");
    fs::write(&head, &fs::read(&head).unwrap()[..200]).unwrap();
    assert!(told("search").contains("[index-truncated]"));
}

#[test]
fn a_build_mends_a_folder_whose_head_is_damaged_and_leaves_other_folders_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    (0..5).for_each(|at| note(folder, at, "stands"));
    built(folder, &[]);
    fs::write(folder.join("site.ibid/head"), "<!doctype html>").unwrap();
    let build = &BUILD[..6];
    assert_eq!(ibid(folder, build).status.code(), Some(0));
    assert_eq!(ibid(folder, &["search", "site.ibid", "tea"]).status.code(), Some(0));

    let into_docs = ["build", "docs", "-o", "docs", "--encoder", "table"];
    let refused = ibid(folder, &into_docs);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("[io]"), "{refused:?}");
    assert_eq!(fs::read_dir(folder.join("docs")).unwrap().count(), 5);
}
