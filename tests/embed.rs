//! The embedding models against their references: tokens one by one, vectors by their cosine.
//!
//! The fixtures are the references' own output, made by `tools/make_embed_fixtures.py`.

use ibid::embed::{Embedder, Projection, Task, TokenTable};
use serde::Deserialize;

static QUERY_TABLE: &[u8] = include_bytes!("../models/query-table.bin");
static PROJECTION: &[u8] = include_bytes!("../models/projection.bin");
static TOKENS: &str = include_str!("fixtures/embed/tokens.jsonl");

#[test]
fn tokens_are_the_references() {
    #[derive(Deserialize)]
    struct Case {
        text: String,
        ids: Vec<u32>,
    }
    let table = TokenTable::from_bytes(QUERY_TABLE).unwrap();
    let wordpiece = table.wordpiece();
    let cases: Vec<Case> = TOKENS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() >= 500, "{} cases", cases.len());
    for case in cases {
        assert_eq!(wordpiece.encode(&case.text, usize::MAX), case.ids, "{:?}", case.text);
        let limit = case.ids.len() / 2;
        assert_eq!(
            wordpiece.encode(&case.text, limit),
            case.ids[..limit],
            "first {limit} of {:?}",
            case.text
        );
    }
}

#[test]
fn table_and_projection_share_a_space() {
    let table = TokenTable::from_bytes(QUERY_TABLE).unwrap();
    let projection = Projection::from_bytes(PROJECTION).unwrap();
    assert_eq!(table.space(), projection.space());
    assert_eq!((table.space().dimensions, projection.inputs()), (256, 384));
    assert_eq!(table.wordpiece().vocab_size(), 30522);
}

#[test]
fn queries_of_like_meaning_lie_close() {
    let table = TokenTable::from_bytes(QUERY_TABLE).unwrap();
    let texts =
        ["how to treat high blood pressure", "hypertension therapy", "train departure times in the morning"];
    let [a, b, c]: [_; 3] = table.embed(&texts, Task::Query).unwrap().try_into().unwrap();
    assert!(a.cosine(&b) > a.cosine(&c) + 0.2, "{} {}", a.cosine(&b), a.cosine(&c));
    assert!((a.cosine(&a) - 1.0).abs() < 1e-5);
}
