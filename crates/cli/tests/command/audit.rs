//! `ibid audit` as a person or a script meets it: output, exit codes, real files.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{ibid, stderr, stdout};
use ibid::agent::audit::{chain, checkpoint, entry_hash};
use serde_json::{Value, json};

/// A log of that many runs, with numbers of every form.
fn log(runs: u32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for n in 0..runs {
        let record = json!({
            "version": 1, "kind": "run", "time": "2026-11-22T08:15:30.250Z", "question": format!("„Wie oft?“ \"{n}\"\n\u{1}"),
            "answer": "Every 8 hours [1].", "policy": "classic", "cost": 1.5e-7, "score": 1e300, "searches": [{"hits": [{}]}],
            "claims": [{"status": "supported", "coverage": 0.3}], "turns": n, "tokens": u64::MAX, "Ä": {"b": [], "a": null},
        });
        let previous = lines.last().and_then(|line| entry_hash(line));
        lines.push(chain(previous.as_deref(), &record));
    }
    lines
}

fn write(folder: &Path, lines: &[String]) {
    fs::write(folder.join("runs.jsonl"), lines.join("\n") + "\n").unwrap();
}

#[test]
fn an_intact_log_is_said_to_be_intact() {
    let folder = tempfile::tempdir().unwrap();
    let lines = log(3);
    let head = entry_hash(&lines[2]).unwrap();
    write(folder.path(), &lines);
    let output = ibid(folder.path(), &["audit", "verify", "runs.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), format!("3 lines, intact\nhead {head}\n"));
    let earlier = entry_hash(&lines[0]).unwrap();
    let known = ibid(folder.path(), &["audit", "verify", "runs.jsonl", "--head", &earlier]);
    assert!(stdout(&known).contains("the known head is in line 1\n"), "{}", stdout(&known));
    let json = ibid(folder.path(), &["audit", "verify", "runs.jsonl", "--json"]);
    let report: Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!(
        (&report["lines"], &report["head"], &report["problems"]),
        (&json!(3), &json!(head), &json!([]))
    );
}

#[test]
fn a_broken_log_fails_and_names_the_lines() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = log(4);
    let head = entry_hash(&lines[3]).unwrap();
    lines[1] = lines[1].replace("8 hours", "6 hours");
    write(folder.path(), &lines);
    let output = ibid(folder.path(), &["audit", "verify", "runs.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).starts_with("line 2: The line was changed"), "{}", stdout(&output));
    assert!(stderr(&output).contains("has a problem. [audit-broken]"), "{}", stderr(&output));

    // A missing end shows against a known head only.
    write(folder.path(), &log(4)[..3]);
    assert_eq!(ibid(folder.path(), &["audit", "verify", "runs.jsonl"]).status.code(), Some(0));
    let cut = ibid(folder.path(), &["audit", "verify", "runs.jsonl", "--head", &head, "--json"]);
    assert_eq!(cut.status.code(), Some(1));
    let report: Value = serde_json::from_str(&stdout(&cut)).unwrap();
    assert_eq!(report["problems"][0]["kind"], "head-missing");

    fs::write(folder.path().join("runs.jsonl"), "").unwrap();
    let empty = ibid(folder.path(), &["audit", "verify", "runs.jsonl"]);
    assert!(stdout(&empty).contains("holds no entry"), "{}", stdout(&empty));
}

#[test]
fn wrong_usage_and_files_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(ibid(folder.path(), &["audit", "verify"]).status.code(), Some(2));
    assert_eq!(
        ibid(folder.path(), &["audit", "verify", "none.jsonl", "--head", "abc"]).status.code(),
        Some(2)
    );
    for command in ["verify", "show"] {
        let missing = ibid(folder.path(), &["audit", command, "none.jsonl"]);
        assert_eq!(missing.status.code(), Some(1));
        assert!(
            stderr(&missing).contains("none.jsonl") && stderr(&missing).contains("[io]"),
            "{}",
            stderr(&missing)
        );
    }
}

#[test]
fn runs_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = log(3);
    lines[0] = checkpoint(1, &entry_hash(&lines[0]).unwrap(), "2026-11-22T09:00:00.000Z");
    write(folder.path(), &lines);
    let output = ibid(folder.path(), &["audit", "show", "runs.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    assert!(
        shown.starts_with("1  2026-11-22T09:00:00.000Z\n   1 older entries were dropped\n2  "),
        "{shown}"
    );
    assert!(shown.contains("   ? „Wie oft?“ \"2\"\n   = Every 8 hours [1].\n"), "{shown}");
    assert!(!stderr(&output).contains("broken"), "{}", stderr(&output));
    lines.remove(1);
    write(folder.path(), &lines);
    assert!(stderr(&ibid(folder.path(), &["audit", "show", "runs.jsonl"])).contains("the log is broken"));
}

/// The script of the documentation, which shares no line with ibid, comes to the same hashes.
#[test]
fn the_script_of_the_documentation_checks_a_log() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/audit-log.md")).unwrap();
    let script = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("check.py"), script).unwrap();
    let check =
        || Command::new("python3").args(["check.py", "runs.jsonl"]).current_dir(folder.path()).output();
    let mut lines = log(4);
    write(folder.path(), &lines);
    let Ok(output) = check() else {
        eprintln!("skipped: there is no python3 here");
        return;
    };
    let head = entry_hash(&lines[3]).unwrap();
    assert_eq!(stdout(&output), format!("head {head}\n"), "{}", stderr(&output));
    let dropped = entry_hash(&lines[0]).unwrap();
    lines[0] = checkpoint(1, &dropped, "2026-11-22T09:00:00.000Z");
    write(folder.path(), &lines);
    assert_eq!(stdout(&check().unwrap()), format!("head {head}\n"));
    lines[2] = lines[2].replace("8 hours", "6 hours");
    write(folder.path(), &lines);
    assert_eq!(stdout(&check().unwrap()), format!("line 3 was changed\nhead {head}\n"));
    lines.remove(2);
    write(folder.path(), &lines);
    assert_eq!(stdout(&check().unwrap()), format!("line 3 does not follow\nhead {head}\n"));
}
