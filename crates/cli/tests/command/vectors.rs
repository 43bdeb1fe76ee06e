//! Building from vectors that another program made.

use std::fs;
use std::path::Path;

use crate::support::ibid;
use serde_json::{Value, json};

fn run(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = ibid(folder, arguments);
    let told = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.success(), String::from_utf8(told).unwrap())
}

/// A folder with documents, one of which has the text of another, and their texts for another program.
fn site() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("docs")).unwrap();
    for (name, text) in
        [("a", "Green tea steeps at 80 degrees."), ("b", "Bicycles need air."), ("c", "Rivers flow.")]
    {
        fs::write(path.join(format!("docs/{name}.md")), format!("# About\n\n{text}\n")).unwrap();
    }
    fs::copy(path.join("docs/a.md"), path.join("docs/d.md")).unwrap();
    assert!(run(path, &["chunk", "docs", "--texts", "-o", "texts.jsonl"]).0);
    folder
}

fn lines(folder: &Path) -> Vec<Value> {
    let texts = fs::read_to_string(folder.join("texts.jsonl")).unwrap();
    texts.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A matrix as NumPy writes it, of numbers of `item` bytes.
fn matrix(rows: &[Vec<f32>], item: usize) -> Vec<u8> {
    let columns = rows.first().map_or(0, Vec::len);
    let head =
        format!("{{'descr': '<f{item}', 'fortran_order': False, 'shape': ({}, {columns}), }}\n", rows.len());
    let mut out = b"\x93NUMPY\x01\0".to_vec();
    out.extend((head.len() as u16).to_le_bytes());
    out.extend(head.bytes());
    for x in rows.iter().flatten() {
        match item {
            8 => out.extend(f64::from(*x).to_le_bytes()),
            _ => out.extend(x.to_le_bytes()),
        }
    }
    out
}

#[test]
fn vectors_from_elsewhere_make_the_same_index() {
    let folder = site();
    let folder = folder.path();
    assert_eq!(lines(folder).len(), 3, "each text once");
    for (form, file) in [("npy", "vectors.npy"), ("jsonl", "vectors.jsonl")] {
        let embedded = ["embed", "texts.jsonl", "--encoder", "table", "--format", form, "-o", file];
        assert!(run(folder, &embedded).0);
        let (is_built, told) = run(folder, &["build", "docs", "-o", "new.ibid", "--vectors", file]);
        assert!(is_built, "{told}");
        let (_, found) =
            run(folder, &["search", "new.ibid", "hot water for tea", "--json", "--min-relevance", "0"]);
        assert!(found.contains("80 degrees"), "{found}");
    }
    assert!(run(folder, &["build", "docs", "-o", "table.ibid", "--encoder", "table"]).0);
    let vectors = |index: &str| {
        let (_, found) =
            run(folder, &["search", index, "tea", "--json", "--mode", "vector", "--min-relevance", "0"]);
        let found: Value = serde_json::from_str(&found).unwrap();
        found.as_array().unwrap().iter().map(|hit| hit["cosine"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(vectors("new.ibid"), vectors("table.ibid"));
}

#[test]
fn vectors_of_any_model_are_taken_by_its_name() {
    let folder = site();
    let folder = folder.path();
    let rows: Vec<Vec<f32>> =
        (0..3).map(|at| (0..5).map(|x| if x == at { 1.0 } else { 0.1 }).collect()).collect();
    let by_id: String = lines(folder)
        .iter()
        .zip(&rows)
        .rev()
        .map(|(line, row)| json!({ "id": line["id"], "embedding": row }).to_string() + "\n")
        .collect();
    fs::write(folder.join("v.jsonl"), by_id).unwrap();
    fs::write(folder.join("v4.npy"), matrix(&rows, 4)).unwrap();
    fs::write(folder.join("v8.npy"), matrix(&rows, 8)).unwrap();
    let mut built = Vec::new();
    for file in ["v.jsonl", "v4.npy", "v8.npy"] {
        let own = ["build", "docs", "-o", "own.ibid", "--vectors", file, "--vectors-model", "acme-2"];
        let (is_built, told) = run(folder, &own);
        assert!(is_built, "{told}");
        built.push(fs::read(folder.join("own.ibid")).unwrap());
    }
    assert!(built.windows(2).all(|pair| pair[0] == pair[1]));
    let (_, inspected) = run(folder, &["inspect", "own.ibid"]);
    assert!(inspected.contains("Model acme-2 (5 dimensions"), "{inspected}");
}

#[test]
fn vectors_that_do_not_fit_are_told() {
    let folder = site();
    let folder = folder.path();
    let row = vec![0.5; 256];
    let line = |text: &str, row: &[f32]| json!({ "text": text, "embedding": row }).to_string() + "\n";
    let whole = matrix(&vec![row.clone(); 3], 4);
    let mut fortran = whole.clone();
    let order = fortran.windows(5).position(|bytes| bytes == b"False").unwrap();
    fortran[order..order + 5].copy_from_slice(b"True ");
    let cases: [(&str, Vec<u8>, &str); 9] = [
        ("few.npy", matrix(&vec![row.clone(); 2], 4), "it has 2 rows, but the documents have 3 texts"),
        ("narrow.npy", matrix(&vec![vec![0.5; 128]; 3], 4), "its vectors have 128 dimensions, but those of"),
        ("cut.npy", whole[..whole.len() - 1].to_vec(), "its length does not match the matrix"),
        ("head.npy", whole[..20].to_vec(), "its header is cut off"),
        ("half.npy", matrix(&vec![row.clone(); 3], 2), "neither float32 nor float64"),
        ("turned.npy", fortran, "its rows are not in C order"),
        (
            "few.jsonl",
            line("Rivers flow.", &row).into_bytes(),
            "it lacks the vectors of 3 of 3 texts, such as `[About]",
        ),
        (
            "mixed.jsonl",
            (line("a", &row) + &line("b", &row[1..])).into_bytes(),
            "line 2 has a vector of 255 numbers",
        ),
        ("bad.jsonl", b"{\"text\": 1}\n".to_vec(), "line 1 cannot be read"),
    ];
    for (file, bytes, expected) in cases {
        fs::write(folder.join(file), bytes).unwrap();
        let (is_built, told) = run(folder, &["build", "docs", "-o", "none.ibid", "--vectors", file]);
        assert!(!is_built && told.contains(expected) && told.contains("[embedder-failed]"), "{file}: {told}");
    }
    let zeros = matrix(&vec![vec![0.0; 256]; 3], 4);
    fs::write(folder.join("zeros.npy"), zeros).unwrap();
    let (is_built, told) = run(folder, &["build", "docs", "-o", "none.ibid", "--vectors", "zeros.npy"]);
    assert!(!is_built && told.contains("a vector of zeros"), "{told}");
    assert!(!folder.join("none.ibid").exists());
}
