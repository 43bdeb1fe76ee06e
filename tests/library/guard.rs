//! The guards on labelled cases: every `tests/guard/{emergency,injection,intent}*.jsonl` that is there.
//!
//! `cargo test --test library guard -- --nocapture` prints the tables of docs/measurements.md. For each file there are least
//! values, so that a rule that breaks others is noticed. Files with `held-back` in their name were written by somebody who
//! had not seen the rules: their cases are counted and not shown, and their least values follow no figure that was reached.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ibid::guard::injection::{instructions, visible};
use ibid::guard::{EmergencyCategory, EmergencyMode, GuardOptions, Intent, inspect, intent};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The lines of a kind of case by file, each with its place.
pub(crate) fn lines<T: DeserializeOwned>(kind: &str) -> Vec<(String, Vec<(String, T)>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guard");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let name = |file: &Path| file.file_name().unwrap().to_string_lossy().into_owned();
    let files = files.iter().map(|file| (name(file), file)).filter(|(name, _)| name.starts_with(kind));
    let read = |(name, file): (String, &PathBuf)| {
        let text = std::fs::read_to_string(file).unwrap();
        let lines = text.lines().enumerate().map(|(number, line)| {
            let place = format!("{name}:{}", number + 1);
            let line = serde_json::from_str(line).unwrap_or_else(|error| panic!("{place}: {error}"));
            (place, line)
        });
        let lines = lines.collect();
        (name, lines)
    };
    let all: Vec<_> = files.map(read).collect();
    assert!(!all.is_empty(), "there are no cases of {kind}");
    all
}

/// The labelled cases of a kind by file: texts, with what `label` says of them.
fn cases(kind: &str) -> Vec<(String, Vec<(String, Value)>)> {
    let label = if kind == "injection" { "instructions" } else { kind };
    let read = |(name, lines): (String, Vec<(String, Value)>)| {
        let mut seen = BTreeSet::new();
        let cases = lines.into_iter().map(|(place, case)| {
            let text = case["text"].as_str().unwrap_or_else(|| panic!("{place}: no text")).to_owned();
            assert!(case.get(label).is_some(), "{place}: no `{label}`");
            assert!(seen.insert(text.clone()), "{place}: written twice");
            (text, case[label].clone())
        });
        let cases = cases.collect();
        (name, cases)
    };
    lines(kind).into_iter().map(read).collect()
}

/// Precision and recall below which something has broken, of cases that no rule was made for.
const FLOOR: (f64, f64) = (0.6, 0.4);

/// The same of requests that stand in passages about something else, and name no model. A rule that found more of them
/// would take what a guideline tells its readers for one.
const EMBEDDED: (f64, f64) = (0.97, 0.5);

/// Returns true if the cases were written blind. They stay so: nobody who changes rules reads them.
pub(crate) fn is_held_back(file: &str) -> bool {
    file.contains("held-back")
}

/// The number of times something was rightly found, wrongly found and missed.
#[derive(Clone, Copy, Default)]
struct Counts {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Counts {
    fn add(&mut self, wanted: bool, found: bool) {
        match (wanted, found) {
            (true, true) => self.right += 1,
            (false, true) => self.wrong += 1,
            (true, false) => self.missed += 1,
            (false, false) => {}
        }
    }

    fn precision(self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    fn recall(self) -> f64 {
        share(self.right, self.right + self.missed)
    }

    fn row(self, name: &str) {
        let Self { right, wrong, missed } = self;
        let (precision, recall) = (100.0 * self.precision(), 100.0 * self.recall());
        println!(
            "| {name} | {} | {right} | {wrong} | {missed} | {precision:.1} | {recall:.1} |",
            right + missed
        );
    }

    fn assert_least(self, file: &str, precision: f64, recall: f64) {
        let (precision, recall) = match file {
            _ if is_held_back(file) => FLOOR,
            // Half of these were never looked at, and all stand in passages of two sentences.
            "injection-embedded.jsonl" => EMBEDDED,
            _ => (precision, recall),
        };
        assert!(self.precision() >= precision, "{file}: precision {:.3}", self.precision());
        assert!(self.recall() >= recall, "{file}: recall {:.3}", self.recall());
    }
}

pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

fn heading(file: &str, cases: usize) {
    println!("\n{file}, {cases} cases");
    println!("| | labelled | found | wrongly | missed | precision % | recall % |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
}

/// Names a case that went wrong; those that were written blind stay unread, so that no rule follows them.
fn complain(file: &str, said: &str, text: &str) {
    if !is_held_back(file) {
        println!("  {said}: {text}");
    }
}

#[test]
fn emergencies() {
    let options = GuardOptions { emergency: Some(EmergencyMode::Answer), ..GuardOptions::default() };
    for (file, cases) in cases("emergency") {
        let mut all = Counts::default();
        let mut by_category: BTreeMap<EmergencyCategory, Counts> = BTreeMap::new();
        let mut right_category = 0;
        for (text, label) in &cases {
            let wanted = label.as_str().map(|name| {
                EmergencyCategory::from_name(name).unwrap_or_else(|| panic!("{file}: no category {name}"))
            });
            let verdict = inspect(text, &options).unwrap();
            let found = verdict.emergency.as_ref();
            if let Some(found) = found {
                assert_eq!(&verdict.question[found.span.clone()], found.matched, "{text}");
            }
            let category = found.map(|found| found.category);
            all.add(wanted.is_some(), category.is_some());
            right_category += usize::from(wanted.is_some() && wanted == category);
            for of in EmergencyCategory::ALL {
                by_category.entry(of).or_default().add(wanted == Some(of), category == Some(of));
            }
            match (wanted, found) {
                (None, Some(found)) => {
                    complain(&file, &format!("wrongly {:?} `{}`", found.category, found.matched), text);
                }
                (Some(wanted), None) => complain(&file, &format!("missed {wanted:?}"), text),
                (Some(wanted), Some(found)) if wanted != found.category => {
                    complain(
                        &file,
                        &format!("{:?} `{}` for {wanted:?}", found.category, found.matched),
                        text,
                    );
                }
                _ => {}
            }
        }
        heading(&file, cases.len());
        all.row("any emergency");
        for (category, counts) in &by_category {
            counts.row(category.as_str());
        }
        println!("category right in {right_category} of {} that were found", all.right);
        all.assert_least(&file, 0.99, 0.97);
    }
}

#[test]
fn instructions_in_documents() {
    for (file, cases) in cases("injection") {
        let mut all = Counts::default();
        for (text, label) in &cases {
            let wanted =
                label.as_bool().unwrap_or_else(|| panic!("{file}: `{text}` is neither true nor false"));
            let text = visible(text);
            let found = instructions(&text);
            all.add(wanted, !found.is_empty());
            match found.first() {
                None if wanted => complain(&file, "missed", &text),
                Some(first) if !wanted => {
                    complain(
                        &file,
                        &format!("wrongly {} `{}`", first.rule, &text[first.span.clone()]),
                        &text,
                    );
                }
                _ => {}
            }
        }
        heading(&file, cases.len());
        all.row("instructions");
        all.assert_least(&file, 0.98, 0.97);
    }
}

#[test]
fn intents() {
    for (file, cases) in cases("intent") {
        let mut by_intent: BTreeMap<Intent, Counts> = BTreeMap::new();
        let mut right = 0;
        for (text, label) in &cases {
            let wanted: Intent =
                serde_json::from_value(label.clone()).unwrap_or_else(|error| panic!("{file}: {error}"));
            let found = intent(text);
            right += usize::from(wanted == found);
            if wanted != found {
                complain(&file, &format!("{found:?} for {wanted:?}"), text);
            }
            for of in Intent::ALL {
                by_intent.entry(of).or_default().add(wanted == of, found == of);
            }
        }
        heading(&file, cases.len());
        for (intent, counts) in &by_intent {
            counts.row(intent.as_str());
        }
        let accuracy = share(right, cases.len());
        println!("right: {right} of {}, {:.1} %", cases.len(), 100.0 * accuracy);
        assert!(accuracy >= if is_held_back(&file) { FLOOR.1 } else { 0.93 }, "{file}: {accuracy:.3}");
    }
}
