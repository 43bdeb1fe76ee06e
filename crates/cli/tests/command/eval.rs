//! `ibid eval` as somebody meets it who has a list of questions: files, tables, warnings, exit codes.
//!
//! The collection in `tests/fixtures/eval` was written for these tests.

use std::fs;
use std::path::Path;
use std::process::Output;

use super::support::{ibid, index_of, small_chunks, weights};
use ibid::chunk::ChunkOptions;
use ibid::index::Calibration;
use serde_json::Value;

const CORPUS: &str = include_str!("../../../../tests/fixtures/eval/corpus.jsonl");
const QUERIES: &str = include_str!("../../../../tests/fixtures/eval/queries.jsonl");
const QRELS: &str = include_str!("../../../../tests/fixtures/eval/qrels.tsv");
const ON_THE_INDEX: [&str; 6] = ["eval", "g.ibid", "--queries", "queries.jsonl", "--qrels", "qrels.tsv"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs the command on the index with further arguments; it must succeed.
fn eval(folder: &Path, further: &[&str]) -> Output {
    let output = ibid(folder, &[&ON_THE_INDEX[..], further].concat());
    assert_eq!(output.status.code(), Some(0), "{further:?}: {}", text(&output.stderr));
    output
}

fn json(folder: &Path, further: &[&str]) -> Value {
    serde_json::from_slice(&eval(folder, &[further, &["--json"]].concat()).stdout).unwrap()
}

fn index(name: &str, text: &str, options: &ChunkOptions) -> Vec<u8> {
    index_of(&[(name, text)], options, Calibration::default())
}

/// A folder with the collection and its index.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("queries.jsonl", QUERIES.as_bytes());
    write("qrels.tsv", QRELS.as_bytes());
    write("g.ibid", &index("corpus.jsonl", CORPUS, &ChunkOptions::default()));
    folder
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn a_table_says_how_good_an_index_is() {
    let folder = folder();
    let output = eval(folder.path(), &[]);
    let (table, notes) = (text(&output.stdout), text(&output.stderr));
    assert!(table.starts_with("g: 10 queries\n\n| settings | nDCG@10 | recall@10 | MRR@10 |"), "{table}");
    assert!(notes.contains("1 of 11 questions have no judgement"), "{notes}");

    let json = json(folder.path(), &[]);
    let collection = &json["collections"][0];
    assert_eq!((&collection["queries"], &collection["unjudged"]), (&10.into(), &1.into()));
    let row = &collection["rows"][0];
    assert!(number(&row["mean"]["ndcg"]) > 0.8, "{row}");
    assert!(number(&row["medianMilliseconds"]) > 0.0);
    assert_eq!((&row["settings"]["encoder"], &row["label"]), (&"table".into(), &"default".into()));

    // TREC's form of the same judgements gives the same figures, in whatever order.
    let mut lines: Vec<String> = QRELS
        .lines()
        .skip(1)
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            format!("{} 0 {} {}\n", columns[0], columns[1], columns[2])
        })
        .collect();
    lines.reverse();
    fs::write(folder.path().join("qrels.tsv"), lines.concat()).unwrap();
    assert_eq!(self::json(folder.path(), &[])["collections"][0]["rows"][0]["mean"], row["mean"]);
}

#[test]
fn each_question_has_a_line() {
    let folder = folder();
    let output = eval(folder.path(), &["--per-query", "-"]);
    let table = text(&output.stdout);
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 11);
    assert_eq!(lines[0][..6], ["collection", "settings", "query-id", "nDCG@10", "recall@10", "RR@10"]);
    assert!(lines.iter().all(|line| line.len() == 13));
    assert!(text(&output.stderr).contains("nDCG@10"), "the summary goes to stderr");
    assert_eq!((lines[1][2], lines[1][12]), ("q1", "How do I stop mint from spreading everywhere?"));
    let mean = lines[1..].iter().map(|line| line[3].parse::<f64>().unwrap()).sum::<f64>() / 10.0;
    let json = json(folder.path(), &["--per-query", "lines.tsv"]);
    assert!((mean - number(&json["collections"][0]["rows"][0]["mean"]["ndcg"])).abs() < 1e-4);
    assert_eq!(fs::read_to_string(folder.path().join("lines.tsv")).unwrap(), table);
}

#[test]
fn answers_are_looked_for_in_what_is_shown() {
    let folder = folder();
    let page = "# Pots\n\n## Mint\n\nSink a pot without a bottom into the bed.\n\n## Basil\n\nIt wants the sun all day.\n";
    fs::write(folder.path().join("g.ibid"), index("pots.md", page, &small_chunks(40))).unwrap();
    let questions = "{\"text\": \"stop mint\", \"relevant\": \"pots\", \"answer\": \"*without* a bottom\"}\n\
        {\"text\": \"mint in winter\", \"relevant\": \"pots\", \"answer\": \"cover it with straw\"}\n\
        {\"text\": \"basil\", \"relevant\": \"pots\"}\n";
    fs::write(folder.path().join("questions.jsonl"), questions).unwrap();
    let arguments = ["eval", "g.ibid", "--queries", "questions.jsonl", "--per-query", "lines.tsv"];
    let output = ibid(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.starts_with("g: 3 queries, 2 with an answer\n\n"), "{table}");
    assert!(table.contains("| answers@1600 | answers@6400 |") && table.contains("0.5000"), "{table}");
    let lines = fs::read_to_string(folder.path().join("lines.tsv")).unwrap();
    let read: Vec<&str> = lines.lines().skip(1).map(|line| line.split('\t').nth(11).unwrap()).collect();
    assert_eq!(read, ["36", "", ""]);
    let output = ibid(folder.path(), &[&arguments[..4], &["--json"]].concat());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let recall = &json["collections"][0]["rows"][0]["answerRecall"];
    assert_eq!((&recall[1]["characters"], &recall[1]["questions"]), (&6400.into(), &2.into()));
    assert!((number(&recall[1]["recall"]) - 0.5).abs() < 1e-9, "{recall}");
}

#[test]
fn of_two_grades_the_higher_counts() {
    let folder = folder();
    let judged = QRELS.lines().skip(1).map(|line| line.rsplit_once('\t').unwrap().0);
    let again = judged.fold(String::new(), |again, judged| again + judged + "\t0\n");
    let before = json(folder.path(), &[])["collections"][0]["rows"][0]["mean"].clone();
    fs::write(folder.path().join("qrels.tsv"), format!("{QRELS}{again}")).unwrap();
    let output = eval(folder.path(), &["--json"]);
    assert!(text(&output.stderr).contains("the higher grade counts"), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["collections"][0]["rows"][0]["mean"], before);
}

#[test]
fn settings_and_indexes_are_compared() {
    let folder = folder();
    let worse = ["--compare", "limit=1", "--compare", "mode=vector"];
    let rows = json(folder.path(), &worse)["collections"][0]["rows"].clone();
    assert!(rows[0].get("comparison").is_none());
    let compared = &rows[1]["comparison"];
    assert!(number(&compared["difference"]) < 0.0 && number(&compared["losses"]) >= 2.0, "{compared}");
    let sum = ["wins", "ties", "losses"].iter().map(|name| number(&compared[name])).sum::<f64>();
    assert!((sum - 10.0).abs() < 1e-9 && (0.0..=1.0).contains(&number(&compared["p"])), "{compared}");
    let table = text(&eval(folder.path(), &worse).stdout);
    assert!(table.contains("nDCG@10 compared with `default`:") && table.contains("| limit=1 "), "{table}");

    fs::copy(folder.path().join("g.ibid"), folder.path().join("h.ibid")).unwrap();
    let rows = json(folder.path(), &["--against", "h.ibid"])["collections"][0]["rows"].clone();
    assert_eq!((&rows[1]["label"], &rows[1]["mean"]), (&"h.ibid".into(), &rows[0]["mean"]));
    assert_eq!((&rows[1]["comparison"]["ties"], &rows[1]["comparison"]["p"]), (&10.into(), &1.0.into()));
}

#[test]
fn a_sites_own_list_may_name_sections() {
    let folder = tempfile::tempdir().unwrap();
    let page = "# Bread\n\nFlour, water and salt are all it takes.\n\n## Sourdough\n\nThe starter is fed each morning \
        with flour and water.\n\n## Rolls\n\nThey go into the oven at 230 degrees for twenty minutes.\n";
    fs::write(folder.path().join("g.ibid"), index("docs/bread.md", page, &small_chunks(40))).unwrap();
    let questions = "{\"text\": \"feed the starter\", \"relevant\": \"docs/bread#sourdough\"}\n\
        {\"text\": \"oven temperature for rolls\", \"relevant\": {\"docs/bread.md#rolls\": 2, \"docs/bread#soup\": 1}}\n";
    fs::write(folder.path().join("questions.jsonl"), questions).unwrap();
    let output = ibid(folder.path(), &["eval", "g.ibid", "--queries", "questions.jsonl", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("1 of 3 judged ids are not in g.ibid, such as `docs/bread#soup`"));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mean = &json["collections"][0]["rows"][0]["mean"];
    assert!((number(&mean["recall"]) - 0.75).abs() < 1e-9, "{mean}");
    assert!((number(&mean["reciprocalRank"]) - 1.0).abs() < 1e-9, "{mean}");
}

#[test]
fn a_folder_of_collections_is_one_table() {
    let model = weights();
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        let place = folder.path().join("beir").join(name);
        fs::create_dir_all(place.join("qrels")).unwrap();
        fs::write(place.join("corpus.jsonl"), CORPUS).unwrap();
        fs::write(place.join("queries.jsonl"), QUERIES).unwrap();
        fs::write(place.join("qrels/test.tsv"), QRELS).unwrap();
        // The index is there already, and is recognized as that of these documents.
        let index = index(&format!("beir/{name}/corpus.jsonl"), CORPUS, &ChunkOptions::default());
        fs::write(folder.path().join(format!("beir/{name}.ibid")), index).unwrap();
    }
    fs::create_dir_all(folder.path().join("beir/notes")).unwrap();
    fs::create_dir_all(folder.path().join("beir/half")).unwrap();
    fs::write(folder.path().join("beir/half/corpus.jsonl"), CORPUS).unwrap();
    let arguments = ["eval", "--collections", "beir", "--compare", "limit=1", "--model"];
    let output = ibid(folder.path(), &[&arguments[..], &[&model]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.starts_with("nDCG@10\n\n| settings |"), "{table}");
    assert!(table.contains("recall@10\n\n") && table.contains("|    one |"), "{table}");
    assert!(text(&output.stderr).contains("half: left out"), "{}", text(&output.stderr));
    let output = ibid(folder.path(), &["eval", "--collections", "beir/notes"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no folder with a test collection"));
}

#[test]
fn wrong_usage_is_explained() {
    let folder = folder();
    for (further, word) in [
        (vec!["-k", "0"], "from 1 to 50"),
        (vec!["-k", "51"], "from 1 to 50"),
        (vec!["--set", "mode=magic"], "magic"),
        (vec!["--compare", "sped=1"], "sped"),
        (vec!["--json", "--per-query", "-"], "standard output"),
        (vec!["--collections", "x"], "cannot be used with"),
    ] {
        let output = ibid(folder.path(), &[&ON_THE_INDEX[..], &further].concat());
        assert_eq!(output.status.code(), Some(2), "{further:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(word), "{further:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
    for incomplete in [vec!["eval"], vec!["eval", "g.ibid"]] {
        assert_eq!(ibid(folder.path(), &incomplete).status.code(), Some(2), "{incomplete:?}");
    }
}

#[test]
fn bad_files_are_named_with_their_line() {
    let folder = folder();
    let failed = |name: &str, content: &[u8]| {
        let place = folder.path().join(name);
        let before = fs::read(&place).unwrap();
        fs::write(&place, content).unwrap();
        let output = ibid(folder.path(), &ON_THE_INDEX);
        fs::write(&place, before).unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    assert!(
        failed("qrels.tsv", b"q1\tmint\t2\nq1\tmint\n").contains("`qrels.tsv`, line 2: it has 2 columns")
    );
    assert!(failed("qrels.tsv", b"q1\tmint\tgood\nq2\tmint\tbad\n").contains("line 2: the grade `bad`"));
    assert!(
        failed("qrels.tsv", b"other\tmint\t1\n").contains("No judgement in `qrels.tsv` is for a question")
    );
    assert!(failed("qrels.tsv", b"").contains("holds no judgement"));
    assert!(
        failed("queries.jsonl", b"{\"_id\": 1}\n").contains("`queries.jsonl`, line 1: missing field `text`")
    );
    assert!(failed("queries.jsonl", b"\xff\xfe{").contains("is not UTF-8"));
    assert!(failed("g.ibid", b"<html>").contains("[index-foreign]"));

    // Judgements of another collection: it runs, and says what is the matter.
    fs::write(folder.path().join("qrels.tsv"), "q1\tp1\t1\nq2\tp2\t1\nq3\tfrost\t1\n").unwrap();
    let notes = text(&eval(folder.path(), &[]).stderr);
    assert!(notes.contains("2 of 3 judged ids are not in g.ibid") && notes.contains("hint:"), "{notes}");
    let alone = ibid(folder.path(), &["eval", "g.ibid", "--queries", "queries.jsonl"]);
    assert!(text(&alone.stderr).contains("--qrels FILE"), "{}", text(&alone.stderr));
}
