//! Measures how much labelled personal data is found in one's own lines, and how often something is taken for it:
//!
//! ```sh
//! cargo run --release -p ibid-trust --example pii -- FILE.jsonl …
//! ```
//!
//! A line is `{"text": "...", "pii": [["NAME", "Maria Garcia"]]}`, the values in the order of the text. `--show` names
//! what went wrong.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement, not the library"
)]

use std::collections::BTreeMap;
use std::ops::Range;
use std::{env, fs};

use ibid_trust::guard::pii::{Finder, PiiOptions};
use serde_json::Value;

#[derive(Default)]
struct Tally {
    labelled: usize,
    covered: usize,
    found: usize,
    right: usize,
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let shown = arguments.iter().any(|argument| argument == "--show");
    let finder = Finder::new(&PiiOptions::default()).unwrap();
    for path in arguments.iter().filter(|argument| !argument.starts_with("--")) {
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        let (mut lines, mut touched) = (0, 0);
        for line in fs::read_to_string(path).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let text = line["text"].as_str().unwrap();
            let labels = labels(&line, text);
            let found = finder.find(text);
            lines += 1;
            touched += usize::from(!found.is_empty());
            for (kind, place) in &labels {
                let covered =
                    found.iter().any(|one| one.span.start <= place.start && place.end <= one.span.end);
                let tally = tallies.entry(kind.clone()).or_default();
                tally.labelled += 1;
                tally.covered += usize::from(covered);
                if shown && !covered {
                    println!("missed {kind} {:?} in: {text:?}", &text[place.clone()]);
                }
            }
            for one in &found {
                let right =
                    labels.iter().any(|(_, place)| place.start < one.span.end && one.span.start < place.end);
                let tally = tallies.entry(one.label.clone()).or_default();
                tally.found += 1;
                tally.right += usize::from(right);
                if shown && !right {
                    println!("wrong {} {:?} in: {text:?}", one.label, &text[one.span.clone()]);
                }
            }
        }
        println!("\n{path}: {lines} lines, {touched} with something found\n");
        println!(
            "| kind | labelled | covered | recall | found | precision |\n| --- | ---: | ---: | ---: | ---: | ---: |"
        );
        for (kind, Tally { labelled, covered, found, right }) in &tallies {
            let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
            let (recall, precision) = (share(*covered, *labelled), share(*right, *found));
            println!("| {kind} | {labelled} | {covered} | {recall:.1} % | {found} | {precision:.1} % |");
        }
    }
}

/// The labels of a line with the bytes of their values.
fn labels(line: &Value, text: &str) -> Vec<(String, Range<usize>)> {
    let mut behind = 0;
    let mut labels = Vec::new();
    for label in line["pii"].as_array().unwrap() {
        let (kind, value) = (label[0].as_str().unwrap(), label[1].as_str().unwrap());
        let at = text[behind..].find(value).map_or_else(|| text.find(value).unwrap(), |at| at + behind);
        behind = at + value.len();
        labels.push((kind.to_owned(), at..behind));
    }
    labels
}
