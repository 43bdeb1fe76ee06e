//! Measures in how many texts of one's own instructions to a model are noticed:
//!
//! ```sh
//! cargo run --release -p ibid-trust --example instructions -- FILE.jsonl …
//! ```
//!
//! A line is `{"text": "..."}`. `--found` shows what was noticed, `--missed` the texts if nothing was.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement, not the library"
)]

use std::collections::BTreeMap;
use std::{env, fs};

use ibid_trust::guard::injection::{instructions, visible};
use serde_json::Value;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let wants = |flag: &str| arguments.iter().any(|argument| argument == flag);
    for path in arguments.iter().filter(|argument| !argument.starts_with("--")) {
        let (mut texts, mut noticed) = (0_u32, 0_u32);
        let mut rules: BTreeMap<String, usize> = BTreeMap::new();
        for line in fs::read_to_string(path).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let text = visible(line["text"].as_str().unwrap());
            let found = instructions(&text);
            texts += 1;
            noticed += u32::from(!found.is_empty());
            if found.is_empty() && wants("--missed") {
                println!("missed {text:?}");
            }
            for one in found {
                if wants("--found") {
                    println!("found {} {:?} in {text:?}", one.rule, &text[one.span.clone()]);
                }
                *rules.entry(one.rule).or_default() += 1;
            }
        }
        println!(
            "{path}: {noticed} of {texts} texts, {:.1} %; {rules:?}",
            100.0 * f64::from(noticed) / f64::from(texts)
        );
    }
}
