//! Keeps the house as ARCHITECTURE.md draws it: who may import whom, who may reach the world outside, how long a file
//! may be. A failure names the file, the line and the rule.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test ends by panicking when something is amiss"
)]
#![allow(clippy::disallowed_methods, reason = "this test reads the sources; the bans are for the library")]

#[path = "architecture/paths.rs"]
mod paths;
#[path = "architecture/rules.rs"]
mod rules;
#[path = "architecture/selftest.rs"]
mod selftest;

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing that was written by hand.
const GENERATED: [&str; 6] =
    ["target", "node_modules", "dist", "test-results", "playwright-report", "fixtures"];
const SOURCES: [&str; 8] = ["rs", "ts", "js", "mjs", "css", "sh", "py", "html"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All source files below a folder, as paths from the repository's root with forward slashes, sorted.
fn sources_below(folder: &Path, extensions: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
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

#[test]
fn rooms_use_only_what_they_may() {
    let roots = rules::root_names(&read("src/lib.rs")).unwrap();
    let files = sources_below(&root().join("src"), &["rs"]);
    assert!(files.len() > rules::ROOMS.len(), "the sources were not found");
    let broken: Vec<String> =
        files.iter().flat_map(|file| rules::broken_imports(file, &read(file), &roots).unwrap()).collect();
    assert_none(&broken);
}

#[test]
fn every_room_is_on_the_plan() {
    for file in sources_below(&root().join("src"), &["rs"]) {
        let module = rules::module_of(&file);
        let Some(room) = module.first().map(String::as_str) else { continue };
        let known = rules::ROOMS.contains(&room) || rules::LEAVES.contains(&room);
        assert!(
            known,
            "{file}:1: `{room}` is no room of the house; add it to the plan in tests/architecture/rules.rs"
        );
    }
    for room in rules::ROOMS {
        let there =
            ["src/ROOM/mod.rs", "src/ROOM.rs"].map(|path| root().join(path.replace("ROOM", room)).exists());
        assert!(there.contains(&true), "the room `{room}` is on the plan and not in src/");
    }
}

#[test]
fn files_are_short() {
    let lengths: Vec<(String, usize)> = sources_below(root(), &SOURCES)
        .into_iter()
        .map(|file| {
            let lines = read(&file).lines().count();
            (file, lines)
        })
        .collect();
    assert_none(&rules::too_long(&lengths));
    let median = rules::median(&lengths);
    assert!(
        median <= rules::MEDIAN,
        "the median file has {median} lines; at most {} are wanted",
        rules::MEDIAN
    );
}

#[test]
fn unsafe_code_is_forbidden() {
    let manifest = read("Cargo.toml");
    let lints = manifest.split("[lints.rust]").nth(1).expect("Cargo.toml has [lints.rust]");
    let lints = lints.split("\n[").next().unwrap();
    let forbidden = lints.lines().any(|line| line.trim() == r#"unsafe_code = "forbid""#);
    assert!(forbidden, "Cargo.toml: [lints.rust] must say unsafe_code = \"forbid\"");
}

#[test]
fn tables_of_the_guides_repeat_no_row() {
    let mut broken = Vec::new();
    for file in sources_below(&root().join("docs"), &["md"]) {
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
