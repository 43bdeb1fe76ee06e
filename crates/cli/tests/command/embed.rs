//! Embedding texts through the `ibid` command.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use super::support::{command, weights};
use ibid::embed::TokenTable;
use serde_json::Value;

fn ibid(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = command(folder, &[&["embed"], arguments].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|&number| f32::from_le_bytes(number)).collect()
}

#[test]
fn every_format_holds_the_vectors_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let table = TokenTable::from_bytes(include_bytes!("../../../../models/query-table.bin")).unwrap();
    let expected = ["green tea", "", "maté"].map(|text| table.embed_query(text).unwrap());
    let input = "green tea\n\nmaté\n";

    let lines = ibid(folder.path(), &["--encoder", "table"], input.as_bytes());
    assert_eq!(lines.status.code(), Some(0));
    let lines: Vec<Value> = String::from_utf8(lines.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[2]["text"], "maté");
    for (line, expected) in lines.iter().zip(&expected) {
        let vector: Vec<f32> = serde_json::from_value(line["embedding"].clone()).unwrap();
        assert_eq!(vector, expected.as_slice());
    }

    let expected: Vec<f32> = expected.iter().flat_map(|embedding| embedding.as_slice().to_vec()).collect();
    let bare = ibid(folder.path(), &["--encoder", "table", "--format", "f32"], input.as_bytes());
    assert_eq!(numbers(&bare.stdout), expected);

    let json = "{\"text\": \"green tea\"}\n\n{\"text\": \"\"}\n{\"text\": \"maté\", \"n\": 1}\n";
    fs::write(folder.path().join("texts.jsonl"), json).unwrap();
    let arguments = ["texts.jsonl", "--encoder", "table", "--format", "npy", "-o", "vectors.npy"];
    assert_eq!(ibid(folder.path(), &arguments, b"").status.code(), Some(0));
    let file = fs::read(folder.path().join("vectors.npy")).unwrap();
    let (head, body) = file.split_at(128);
    assert!(String::from_utf8_lossy(head).contains("'shape': (3, 256)"));
    assert_eq!(numbers(body), expected);
}

#[test]
fn no_texts_give_no_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let none = ibid(folder.path(), &["--encoder", "table", "--format", "f32"], b"");
    assert_eq!((none.status.code(), none.stdout.len()), (Some(0), 0));
}

#[test]
fn bad_input_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, input, status, code) in [
        (&["--encoder", "table"][..], &b"{\"id\": 1}\n"[..], 1, "[invalid-document]"),
        (&["--encoder", "table"], b"\xff", 1, "[invalid-document]"),
        (&["--encoder", "table", "--task", "document"], b"tea", 2, "[invalid-option]"),
        (&["missing.txt", "--encoder", "table"], b"", 1, "[io]"),
        (&["--model", "missing.ibidmodel"], b"tea", 1, "[io]"),
    ] {
        let output = ibid(folder.path(), arguments, input);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{told}");
        assert!(told.contains(code), "{told}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_transformer_embeds_queries_and_documents_alike() {
    let model = weights();
    let folder = tempfile::tempdir().unwrap();
    let run = |task: &str| {
        let arguments = ["--model", &model, "--format", "f32", "--task", task];
        ibid(folder.path(), &arguments, b"green tea\nBlack tea wants boiling water.\n").stdout
    };
    let vectors = run("query");
    assert_eq!(vectors.len(), 2 * 256 * 4);
    let first = &numbers(&vectors)[..256];
    assert!((first.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4);
    assert_eq!(vectors, run("document"));
}
