//! `ibid verify` with an index, as a person or a script meets it: what became of the passages since.

use crate::support;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use support::{ibid, stderr, stdout, weights};

const TEA: &str = "# Tea\n\nGreen tea steeps at 80 degrees for two minutes.\n";
const COFFEE: &str = "# Coffee\n\nCoffee brews at 93 degrees for four minutes.\n";
const MATE: &str = "# Maté\n\nMaté is drunk from a gourd through a metal straw.\n";

/// The documents as they are now, in an index of that name.
fn build(folder: &Path, model: &str, documents: &[(&str, &str)], name: &str) {
    let docs = folder.join("docs");
    let _ = fs::remove_dir_all(&docs);
    fs::create_dir(&docs).unwrap();
    for (name, text) in documents {
        fs::write(docs.join(name), text).unwrap();
    }
    let output = ibid(folder, &["build", "docs", "-o", name, "--model", model]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// An answer from these documents, made of what a search finds for each, with a sentence on each of its sources.
fn answer(folder: &Path, index: &str) -> Value {
    let mut sources = Vec::new();
    let said = [
        ("green tea", "Green tea steeps at 80 degrees for two minutes [1]."),
        ("coffee", "Coffee brews at 93 degrees for four minutes [2]."),
        ("gourd", "Maté is drunk from a gourd through a metal straw [3]."),
    ];
    for (number, (query, _)) in (1..).zip(said) {
        let output = ibid(folder, &["search", index, query, "--json", "--limit", "1"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut source = found[0].clone();
        source["number"] = json!(number);
        sources.push(source);
    }
    json!({"text": said.map(|(_, sentence)| sentence).join(" "), "sources": sources})
}

#[test]
fn each_source_is_looked_up_in_the_index() {
    let model = weights();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    build(folder, &model, &[("tea.md", TEA), ("coffee.md", COFFEE), ("mate.md", MATE)], "then.ibid");
    let answer = answer(folder, "then.ibid");
    let file = folder.join("answer.json");
    fs::write(&file, answer.to_string()).unwrap();
    let verify = |arguments: &[&str]| ibid(folder, &[&["verify", "answer.json"], arguments].concat());
    let report = |output: &Output| serde_json::from_str::<Value>(&stdout(output)).unwrap();

    // Nothing has changed.
    let same = verify(&["--index", "then.ibid"]);
    assert_eq!(same.status.code(), Some(0), "{}{}", stdout(&same), stderr(&same));
    assert!(
        stdout(&same).contains("3 claims: 3 supported") && !stdout(&same).contains('!'),
        "{}",
        stdout(&same)
    );
    let json = verify(&["--index", "then.ibid", "--json"]);
    assert_eq!(json.status.code(), Some(0));
    assert_eq!((&report(&json)["changes"], &report(&json)["flags"]), (&json!([]), &json!([])));
    // Without an index nothing is said about it.
    let alone = verify(&["--json"]);
    assert_eq!(alone.status.code(), Some(0));
    assert!(report(&alone).get("changes").is_none(), "{}", stdout(&alone));

    // One passage is as it was, one says something else at its place, and the document of one is gone.
    let coffee = COFFEE.replace("93", "95");
    build(folder, &model, &[("tea.md", TEA), ("coffee.md", &coffee)], "now.ibid");
    let changed = verify(&["--index", "now.ibid"]);
    assert_eq!(changed.status.code(), Some(1));
    let marked: Vec<String> =
        stdout(&changed).lines().filter(|line| line.contains('!')).map(str::to_owned).collect();
    assert_eq!(marked, ["! [2] coffee.md has changed in the index", "! [3] mate.md is gone from the index"]);
    assert_eq!(stderr(&changed), "");
    let json = verify(&["--index", "now.ibid", "--json"]);
    assert_eq!(json.status.code(), Some(1));
    let expected = json!([{"number": 2, "kind": "changed"}, {"number": 3, "kind": "gone"}]);
    assert_eq!(report(&json)["changes"], expected);
    assert_eq!(report(&json)["flags"], json!([]), "the answer still says what its sources said");

    // A source that the answer's file has changed is not the index's passage either.
    let mut forged = answer;
    forged["sources"][0]["text"] = json!("Green tea steeps at 80 degrees for two minutes, or three.");
    fs::write(&file, forged.to_string()).unwrap();
    let forged = verify(&["--index", "then.ibid", "--json"]);
    assert_eq!(forged.status.code(), Some(1));
    assert_eq!(report(&forged)["changes"], json!([{"number": 1, "kind": "changed"}]));
}

#[test]
fn values_that_a_source_does_not_have_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "Green tea steeps at 80 degrees for 120 seconds in 45 ml [1].";
    let source = json!({"number": 1, "text": "Green tea steeps at 80 degrees for two minutes."});
    fs::write(folder.join("answer.json"), json!({"text": text, "sources": [source]}).to_string()).unwrap();
    let said = stdout(&ibid(folder, &["verify", "answer.json"]));
    assert!(said.contains("for two minutes.\n      not there: 45 ml\n"), "{said}");
    let report: Value =
        serde_json::from_str(&stdout(&ibid(folder, &["verify", "answer.json", "--json"]))).unwrap();
    let values = &report["claims"][0]["check"]["evidence"][0]["values"];
    let span = |start: usize, end: usize| json!({"start": start, "end": end});
    assert_eq!(values[1], json!({"kind": "number", "span": span(35, 46), "found": span(35, 46)}));
    assert_eq!(values[2], json!({"kind": "number", "span": span(50, 55), "found": null}));
}

#[test]
fn what_is_no_index_is_told_apart_from_a_changed_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let answer = json!({"text": "Tea [1].", "sources": [{"number": 1, "text": "Tea."}]});
    fs::write(folder.join("answer.json"), answer.to_string()).unwrap();
    fs::write(folder.join("other.ibid"), "not an index at all, but long enough to be looked at").unwrap();
    for (index, code) in [("missing.ibid", "[io]"), ("other.ibid", "[index-foreign]")] {
        let output = ibid(folder, &["verify", "answer.json", "--index", index]);
        assert_eq!(output.status.code(), Some(1), "{index}");
        assert!(stderr(&output).contains(code), "{}", stderr(&output));
        assert_eq!(stdout(&output), "", "nothing is said about the answer");
    }
    let both = ibid(folder, &["verify", "--evaluate", "claims.jsonl", "--index", "other.ibid"]);
    assert_eq!(both.status.code(), Some(2), "{}", stderr(&both));
}
