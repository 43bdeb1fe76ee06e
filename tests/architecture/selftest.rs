//! The checker itself, on sources given as text: a rule that finds nothing anywhere would pass in silence.

use super::rules::{self, RootNames};

fn roots() -> RootNames {
    rules::root_names("pub use error::{Error, Result};\npub use agent::AgentRun as Run;").unwrap()
}

fn broken(file: &str, source: &str) -> Vec<String> {
    rules::broken_imports(file, source, &roots()).unwrap()
}

/// Asserts that the one line that breaks a rule is found, with its file, its line and words of the rule.
fn refused(file: &str, source: &str, line: usize, rule: &str) {
    let found = broken(file, source);
    assert_eq!(found.len(), 1, "{source}\n{found:?}");
    assert!(found[0].starts_with(&format!("{file}:{line}: ")), "{found:?}");
    assert!(found[0].contains(rule), "{found:?}");
}

fn allowed(file: &str, source: &str) {
    assert_eq!(broken(file, source), Vec::<String>::new(), "{source}");
}

const LATER: &str = "comes after `index` in the import order";

#[test]
fn a_later_room_is_refused_however_it_is_named() {
    let file = "src/index/hnsw.rs";
    refused(file, "\nuse crate::retrieve::Hit;", 2, LATER);
    refused(file, "use crate::{error::Error, retrieve::{self}};", 1, LATER);
    refused(file, "use crate::retrieve as found;", 1, LATER);
    refused(file, "fn f() {\n    crate::agent::run();\n}", 2, LATER);
    refused(file, "fn f(x: &crate::agent::Run) {}", 1, LATER);
    refused(file, "use super::super::retrieve::Hit;", 1, LATER);
    refused(file, "mod tests { use super::super::super::agent::X; }", 1, LATER);
    refused(file, "fn f() { assert_eq!(1, crate::agent::count()); }", 1, LATER);
    refused(file, "#[serde(with = \"crate::agent::codec\")] struct S;", 1, LATER);
    refused(file, "#[cfg(test)]\nmod tests {\n    use crate::agent::X;\n}", 3, LATER);
    refused(file, "macro_rules! m { () => { $crate::agent::x() } }", 1, LATER);
    refused(file, "use ibid::agent::X;", 1, LATER);
}

#[test]
fn the_crate_root_is_no_way_round() {
    refused("src/index/mod.rs", "use crate::Run;", 1, LATER);
    refused("src/index/mod.rs", "use crate::*;", 1, "everything at once");
    refused("src/index/mod.rs", "use super::*;", 1, "everything at once");
    refused("src/index/mod.rs", "use crate as house;", 1, "second name");
    refused("src/index/mod.rs", "extern crate self as house;", 1, "second name");
    refused("src/index/mod.rs", "use crate::Unheard;", 1, "no room `Unheard`");
    allowed("src/index/mod.rs", "use crate::{Error, Result};\nfn f() -> crate::Result<()> { Ok(()) }");
}

#[test]
fn what_comes_before_is_allowed() {
    allowed("src/agent/mod.rs", "use crate::{cite::X, guard::Y, llm::Z, retrieve::Hit, error::Error};");
    allowed("src/index/hnsw.rs", "pub(crate) use super::format::Header;\npub(super) fn f() {}");
    allowed("src/index/hnsw.rs", "#[cfg(test)] mod tests { use super::*; use super::super::store::S; }");
    allowed("src/index/mod.rs", "mod hnsw;\npub use hnsw::Graph;\nuse self::hnsw::Node;");
    allowed("src/web/mod.rs", "use crate::agent::X; use wasm_bindgen::prelude::*; use web_sys::Window;");
    allowed("src/cli/mod.rs", "use crate::index::X; use std::fs; use std::time::Instant; use std::env;");
    allowed("src/main.rs", "fn main() -> std::process::ExitCode { ibid::cli::main() }");
}

#[test]
fn nobody_imports_a_leaf() {
    refused("src/agent/mod.rs", "use crate::web::Dto;", 1, "it is a leaf");
    refused("src/web/mod.rs", "use crate::cli::Args;", 1, "it is a leaf");
    refused("src/cli/mod.rs", "use crate::web::Dto;", 1, "it is a leaf");
}

#[test]
fn strangers_stay_strangers() {
    refused("src/llm/openai.rs", "use crate::retrieve::Hit;", 1, "a codec");
    refused("src/llm/openai.rs", "use crate::index::Index;", 1, "a codec");
    refused("src/guard/mod.rs", "use crate::agent::Run;", 1, "a guard looks at text");
    refused("src/cite/mod.rs", "use crate::agent::Run;", 1, "by computation");
}

#[test]
fn the_index_calls_no_embedder() {
    let rule = "calls no embedder";
    refused("src/index/build.rs", "use crate::embed::Encoder;", 1, rule);
    refused("src/index/build.rs", "use crate::embed;", 1, rule);
    refused("src/index/build.rs", "use crate::embed::*;", 1, rule);
    refused("src/index/build.rs", "fn f() { crate::embed::table::Table::open(); }", 1, rule);
    allowed("src/index/build.rs", "use crate::embed::{Embedding, Space, fold_accents};");
    allowed("src/index/build.rs", "fn f() { crate::embed::Embedding::normalized(v); }");
    allowed("src/retrieve/mod.rs", "use crate::embed::Encoder;");
}

#[test]
fn the_world_outside_is_reached_by_few() {
    refused("src/chunk/mod.rs", "use std::fs::File;", 1, "command line only");
    refused("src/chunk/mod.rs", "fn f() { std::fs::read(\"x\"); }", 1, "command line only");
    refused("src/agent/mod.rs", "use std::time::{Duration, Instant};", 1, "platform::Clock");
    refused("src/agent/mod.rs", "fn f() { println!(\"{:?}\", std::time::SystemTime::now()); }", 1, "Clock");
    refused("src/llm/mod.rs", "use std::net::TcpStream;", 1, "platform::Http");
    refused("src/llm/mod.rs", "fn f() { let key = std::env::var(\"KEY\"); }", 1, "environment");
    refused("src/index/hnsw.rs", "use rand::rng;", 1, "randomness");
    refused("src/llm/mod.rs", "use wasm_bindgen::JsValue;", 1, "boundary");
    allowed("src/platform/mod.rs", "use std::time::{Duration, Instant};");
    allowed("src/agent/mod.rs", "use std::time::Duration;");
}

#[test]
fn long_files_are_named() {
    let files = [("a.rs".to_owned(), 500), ("b.ts".to_owned(), 501), ("c.sh".to_owned(), 10)];
    let found = rules::too_long(&files);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("b.ts:500: the file has 501 lines"), "{found:?}");
    assert_eq!(rules::median(&files), 500);
}

#[test]
fn modules_follow_from_file_names() {
    assert_eq!(rules::module_of("src/index/mod.rs"), ["index"]);
    assert_eq!(rules::module_of("src/index/hnsw.rs"), ["index", "hnsw"]);
    assert_eq!(rules::module_of("src/error.rs"), ["error"]);
    assert_eq!(rules::module_of("src/main.rs"), ["cli"]);
    assert!(rules::module_of("src/lib.rs").is_empty());
}
