//! Keeps what the compiler cannot of the house as ARCHITECTURE.md draws it: which crate may use which, how long a file
//! may be, which lints hold everywhere. A failure names the file and the rule.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "this test reads the sources, and ends by panicking when something is amiss"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// The crates in import order: each uses only those before it. `ibid` is the package in `src/`.
const ORDER: [&str; 18] = [
    "platform", "text", "document", "vectors", "embed", "terms", "index", "retrieve", "build", "trust",
    "llm", "engines", "ibid", "papers", "native", "lab", "web", "cli",
];
/// Folders that hold nothing that was written by hand.
const GENERATED: [&str; 6] =
    ["target", "node_modules", "dist", "test-results", "playwright-report", "fixtures"];
const SOURCES: [&str; 8] = ["rs", "ts", "js", "mjs", "css", "sh", "py", "html"];
/// The most lines of one file, and of the median file.
const LONGEST: usize = 500;
const MEDIAN: usize = 260;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder with one of the extensions, as paths from the repository's root.
fn files_below(folder: &str, extensions: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![root().join(folder)];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with('.') && !GENERATED.contains(&name.as_str()) {
                    waiting.push(path);
                }
            } else if path.extension().is_some_and(|ext| extensions.iter().any(|wanted| ext == *wanted)) {
                let inner = path.strip_prefix(root()).unwrap();
                found.push(inner.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
}

fn assert_none(broken: &[String]) {
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}

/// The manifest of each crate, and its place in the order.
fn manifests() -> Vec<(String, usize)> {
    let mut manifests = vec![("Cargo.toml".to_owned(), "ibid")];
    let folders: Vec<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    manifests.extend(folders.iter().map(|name| (format!("crates/{name}/Cargo.toml"), name.as_str())));
    manifests
        .into_iter()
        .map(|(file, name)| {
            let place = ORDER.iter().position(|known| *known == name);
            (file, place.unwrap_or_else(|| panic!("crates/{name} has no place in ORDER")))
        })
        .collect()
}

#[test]
fn crates_use_only_those_before_them() {
    let mut broken = Vec::new();
    for (file, place) in manifests() {
        let text = read(&file);
        let mut counts = false;
        for line in text.lines() {
            if line.starts_with('[') {
                // Tests may use what they like, and the workspace's own table names all.
                counts =
                    line.contains("dependencies]") && !line.contains("dev-") && !line.contains("workspace");
                continue;
            }
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            let used = if name == "ibid" { Some("ibid") } else { name.strip_prefix("ibid-") };
            let after = used.and_then(|used| ORDER.iter().position(|known| *known == used));
            if counts && after.is_some_and(|after| after >= place) {
                broken.push(format!("{file}: `{name}` comes later in the import order"));
            }
        }
    }
    assert_none(&broken);
}

#[test]
fn every_crate_takes_the_lints() {
    let forbidden = read("Cargo.toml").contains("unsafe_code = \"forbid\"");
    assert!(forbidden, "Cargo.toml: [workspace.lints.rust] must say unsafe_code = \"forbid\"");
    let without =
        manifests().into_iter().filter(|(file, _)| !read(file).contains("[lints]\nworkspace = true"));
    assert_none(
        &without.map(|(file, _)| format!("{file}: takes no lints of the workspace")).collect::<Vec<_>>(),
    );
}

#[test]
fn files_are_short() {
    let mut lengths: Vec<(usize, String)> =
        files_below("", &SOURCES).into_iter().map(|file| (read(&file).lines().count(), file)).collect();
    lengths.sort();
    let long = lengths.iter().filter(|(lines, _)| *lines > LONGEST);
    assert_none(
        &long
            .map(|(lines, file)| format!("{file}: {lines} lines; split it at {LONGEST}"))
            .collect::<Vec<_>>(),
    );
    let median = lengths[lengths.len() / 2].0;
    assert!(median <= MEDIAN, "the median file has {median} lines; at most {MEDIAN} are wanted");
}

#[test]
fn tables_of_the_guides_repeat_no_row() {
    let mut broken = Vec::new();
    for file in files_below("docs", &["md"]) {
        let text = read(&file);
        // The first cell names what a row is about.
        let mut named: Vec<&str> = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let Some(cell) = line.strip_prefix("| `").and_then(|row| row.split_once('`')) else {
                named.clear();
                continue;
            };
            if cell.1.starts_with(" |") && named.contains(&cell.0) {
                broken.push(format!("{file}:{number}: a row above it is about `{}` too", cell.0));
            }
            named.push(cell.0);
        }
    }
    assert_none(&broken);
}
