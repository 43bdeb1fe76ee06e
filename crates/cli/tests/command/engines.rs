//! Pushing an index into search engines and searching it there: the same hits as from the index.
//!
//! Chroma is the real server; Qdrant is its own client's engine behind a REST API, see `engines/qdrant.py`. Both are
//! Python packages. Where they are not installed the tests pass with a note, unless `IBID_REQUIRE_ENGINES` is set.

mod server;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use super::support::{command, index_of, small_chunks, stderr, table};
use ibid::chunk::{ChunkOptions, chunk};
use ibid::document::Document;
use ibid::embed::{Embedder, Task};
use ibid::index::{BuildOptions, Calibration, Filter, Index, IndexBuilder};
use ibid::retrieve::{Mode, Query, Retriever};
use ibid::{ErrorCode, Result};
use ibid_engines::{RemoteCollection, RemoteOptions, RemoteSearch};
use ibid_native::http::NativeHttp;
use ibid_native::system::{SystemClock, block_on};
use serde_json::{Value, json};
use server::{Engine, Server};

/// Documents on drinks. Two of them have a paragraph in common.
const DOCUMENTS: [(&str, &str); 4] = [
    (
        "tea.md",
        "---\nyear: 2021\nconditions: [thirst, cold]\npublication_date: 2021-05\ndraft: false\nweight: 1.5\n---\n# Tea\n\n\
         ## Water\n\nSteep green tea at 80 degrees for two minutes.\n\n## Storage\n\nKeep leaves dark, dry and away from \
         spices.\n\n## Safety\n\nNever leave a boiling kettle alone in the kitchen.\n",
    ),
    (
        "coffee.md",
        "---\nyear: 2024\nconditions: [fatigue]\npublication_date: 2024-02-10\ndraft: true\nweight: 2\n---\n# Coffee\n\n\
         ## Water\n\nBrew coffee at 93 degrees and no hotter.\n\n## Caffeine\n\nA cup has about 95 mg of caffeine.\n\n\
         ## Beans\n\nGrind the beans just before brewing.\n",
    ),
    (
        "mate.md",
        "---\nyear: 2019\nconditions: [thirst, fatigue]\npublication_date: 2019\nweight: 0.5\n---\n# Mate\n\n## Gourds\n\n\
         Mate is drunk from a gourd through a metal straw.\n\n## Caffeine\n\nA gourd has about 80 mg of caffeine.\n",
    ),
    (
        "second-tea.md",
        "---\nyear: 2024\nconditions: [cold]\npublication_date: 2024-02-10\ndraft: false\n---\n# Tea\n\n## Water\n\nSteep \
         green tea at 80 degrees for two minutes.\n\n## Milk\n\nMilk goes into the cup first.\n",
    ),
];

fn build(documents: &[(&str, &str)]) -> Vec<u8> {
    let calibration = Calibration { unrelated: 0.1, near: 0.3, separation: 0.9, ..Calibration::default() };
    index_of(documents, &small_chunks(24), calibration)
}

fn push(index: &Path, to: &str, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ibid"))
        .arg("push")
        .arg(index)
        .args(["--to", to, "--json"])
        .args(more)
        .env("ENGINE_KEY", "key-0123456789")
        .output()
        .unwrap()
}

fn pushed(index: &Path, to: &str, more: &[&str]) -> Value {
    let output = push(index, to, more);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn open(to: &str, key: &str) -> Result<RemoteCollection> {
    let mut options = RemoteOptions::of_target(to)?;
    options.endpoint = options.endpoint.with_api_key(key);
    options.endpoint.retry.max_retries = 0;
    block_on(RemoteCollection::open(options.remote()?, &NativeHttp::for_services(), &SystemClock))
}

fn filtered(filter: &Value, mode: Mode) -> Query {
    Query {
        text: "How hot is the water for green tea?".into(),
        limit: 20,
        min_relevance: Some(0.0),
        mode: Some(mode),
        filter: if filter.is_null() { None } else { Some(Filter::from_json(filter).unwrap()) },
        ..Query::default()
    }
}

/// Filters that an index and both engines understand.
fn filters() -> Vec<Value> {
    vec![
        Value::Null,
        json!({ "year": 2024 }),
        json!({ "year": { "gte": 2020.5 } }),
        json!({ "year": { "gt": 2019, "lt": 2024 } }),
        json!({ "weight": { "gte": 1.5 } }),
        json!({ "draft": true }),
        json!({ "conditions": "thirst" }),
        json!({ "conditions": ["fatigue", "cold"] }),
        json!({ "publication_date": { "gte": "2021-01-01", "lt": "2024-02-10" } }),
        json!({ "publication_date": "2021-05" }),
        json!({ "document_id": "mate" }),
        json!({ "year": 2024, "conditions": "cold" }),
        json!({ "not": { "draft": true } }),
        json!({ "must_not": [{ "key": "year", "range": { "gte": 2021 } }] }),
        json!({ "must_not": [{ "key": "conditions", "match": { "any": ["fatigue", "cold"] } }] }),
        json!({ "must_not": [{ "key": "weight", "range": { "lt": 1 } }] }),
        json!({ "must": [{ "is_empty": { "key": "draft" } }] }),
        json!({ "should": [{ "key": "year", "match": { "value": 2019 } }, { "key": "draft", "match": { "value": true } }] }),
        json!({ "must": [{ "key": "year", "match": { "except": [2024, 2019] } }] }),
        json!({ "year": 1900 }),
    ]
}

/// The command searches and asks a collection with the same options as the index in the folder.
fn searched_by_command(folder: &Path, to: &str) {
    let said = |arguments: &[&str]| {
        let mut command = command(folder, arguments);
        command.env("ENGINE_KEY", "key-0123456789").output().unwrap()
    };
    let found = |named: &str| -> Value {
        let filter = json!({ "year": { "gte": 2020 } }).to_string();
        let output = said(&[
            "search",
            named,
            "green tea water",
            "--filter",
            &filter,
            "--json",
            "--api-key-env",
            "ENGINE_KEY",
        ]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()[0]["id"].clone()
    };
    assert_eq!(found(to), found("drinks.ibid"));
    let asked = said(&["ask", to, "How hot is the water for green tea?", "--api-key-env", "ENGINE_KEY"]);
    assert!(String::from_utf8_lossy(&asked.stdout).contains("80 degrees"));
    let refused = said(&["search", to, "tea", "--facet", "year", "--api-key-env", "ENGINE_KEY"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("`facets` is for an index"));
}

/// Everything that is the same on both engines.
fn exercise(engine: Engine) {
    let Some(server) = Server::start(engine) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("drinks.ibid");
    let bytes = build(&DOCUMENTS);
    std::fs::write(&file, &bytes).unwrap();
    let local = Retriever::new(Index::open(bytes).unwrap(), Box::new(table())).unwrap();
    let to = server.target("drinks");
    let key = ["--api-key-env", "ENGINE_KEY"];

    // What is not there cannot be searched, and a trial run does not make it.
    let absent = open(&to, "key-0123456789").err().unwrap();
    assert_eq!(absent.code(), ErrorCode::ProviderNotFound);
    let trial = pushed(&file, &to, &["--dry-run", key[0], key[1]]);
    assert_eq!(trial["created"], true);
    assert!(open(&to, "key-0123456789").is_err());

    // A chunk that two documents have is two points, which are pushed once.
    let chunks = u64::from(local.index().manifest().chunks);
    let first = pushed(&file, &to, &key);
    assert_eq!((&first["created"], &first["written"]), (&json!(true), &json!(chunks + 1)));
    let again = pushed(&file, &to, &key);
    assert_eq!((&again["written"], &again["unchanged"]), (&json!(0), &json!(chunks + 1)));

    let collection = open(&to, "key-0123456789").unwrap();
    let embedder = table();
    let http = NativeHttp::for_services();
    let remote = RemoteSearch::new(&collection, &embedder, &http, &SystemClock).unwrap();
    for mode in [Mode::Vector, Mode::Hybrid, Mode::Lexical] {
        for filter in filters() {
            let query = filtered(&filter, mode);
            let theirs = block_on(remote.retrieve(&query)).unwrap().hits;
            let ours = local.retrieve(&query).unwrap().hits;
            // Of a chunk that stands in two documents that the filter matches, either may be named.
            let ids =
                |hits: &[ibid::retrieve::Hit]| hits.iter().map(|hit| hit.id.clone()).collect::<BTreeSet<_>>();
            if engine == Engine::Chroma && mode == Mode::Lexical {
                // It looks for the words as they stand, not for their stems.
                assert!(ids(&theirs).is_subset(&ids(&ours)), "{filter}");
            } else {
                assert_eq!(ids(&theirs), ids(&ours), "{mode:?} {filter}");
            }
            for (hit, own) in theirs.iter().filter_map(|hit| {
                let own = ours.iter().find(|own| own.id == hit.id && own.document_id == hit.document_id);
                Some((hit, own?))
            }) {
                assert_eq!(
                    (&hit.text, &hit.heading_path, &hit.span),
                    (&own.text, &own.heading_path, &own.span)
                );
                assert_eq!(
                    (&hit.title, &hit.source, &hit.url, hit.line),
                    (&own.title, &own.source, &own.url, own.line)
                );
                assert_eq!(hit.metadata, own.metadata);
                assert_eq!(hit.duplicates.len(), own.duplicates.len());
                let apart =
                    hit.cosine.unwrap_or_default() - own.cosine.unwrap_or(hit.cosine.unwrap_or_default());
                assert!(apart.abs() < 0.01, "{mode:?} {filter}: {:?} and {:?}", hit.cosine, own.cosine);
            }
            let best = |hits: &[ibid::retrieve::Hit]| hits.first().map(|hit| hit.id.clone());
            assert_eq!(best(&theirs), best(&ours), "{mode:?} {filter}");
        }
    }
    let relevant = Query::new("caffeine in a gourd");
    let best = block_on(remote.retrieve(&relevant)).unwrap().hits;
    assert!(best[0].text.contains("80 mg") && !best[0].highlights.is_empty() && best[0].relevance >= 0.5);

    // Mistakes are told before anything is asked, with the fields there are.
    let unknown = filtered(&json!({ "specialty": "x" }), Mode::Hybrid);
    let error = block_on(remote.retrieve(&unknown)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::FilterInvalid);
    assert!(error.hint().unwrap().contains("publication_date (date)"), "{error}");
    let short = Query { vector: Some(vec![1.0]), ..Query::new("x") };
    assert_eq!(block_on(remote.retrieve(&short)).unwrap_err().code(), ErrorCode::ModelMismatch);

    searched_by_command(folder.path(), &to);

    // A changed index writes what is new, and takes away what is gone when it is told to.
    let smaller = folder.path().join("smaller.ibid");
    std::fs::write(&smaller, build(&DOCUMENTS[..2])).unwrap();
    let kept = pushed(&smaller, &to, &["--dry-run", "--prune", key[0], key[1]]);
    assert!(kept["removed"].as_u64().unwrap() > 0);
    let pruned = pushed(&smaller, &to, &["--prune", key[0], key[1]]);
    assert_eq!(pruned["removed"], kept["removed"]);
    assert_eq!(pushed(&smaller, &to, &["--prune", key[0], key[1]])["removed"], 0);
    let collection = open(&to, "key-0123456789").unwrap();
    let http = NativeHttp::for_services();
    let remote = RemoteSearch::new(&collection, &embedder, &http, &SystemClock).unwrap();
    let query = filtered(&Value::Null, Mode::Vector);
    let hits = block_on(remote.retrieve(&query)).unwrap().hits;
    assert!(hits.iter().all(|hit| hit.document_id == "tea" || hit.document_id == "coffee"));

    // Vectors of another model are not mixed in.
    let mut builder = IndexBuilder::new(
        ibid::embed::Space { fingerprint: "another".into(), ..embedder.space().clone() },
        ChunkOptions::default(),
        BuildOptions::default(),
    );
    let document = Document::parse("a.md", b"# A\n\nB.\n").unwrap();
    builder.add(&document, &chunk(&document, &ChunkOptions::default())).unwrap();
    builder.embedded(&embedder.embed(&builder.pending(9), Task::Query).unwrap()).unwrap();
    let foreign = folder.path().join("foreign.ibid");
    std::fs::write(&foreign, builder.assemble().unwrap().finish(Calibration::default()).unwrap()).unwrap();
    let refused = push(&foreign, &to, &key);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        said.contains("[model-mismatch]") && said.contains("another") && !said.contains("0123456789"),
        "{said}"
    );
}

#[test]
fn chroma() {
    exercise(Engine::Chroma);
}

#[test]
fn qdrant() {
    exercise(Engine::Qdrant);
}

#[test]
fn a_wrong_key_is_refused_and_not_shown() {
    let Some(server) = Server::start(Engine::Qdrant) else { return };
    let error = open(&server.target("drinks"), "key-that-is-wrong").err().unwrap();
    assert_eq!(error.code(), ErrorCode::ProviderAuth);
    assert!(!error.to_string().contains("key-that"), "{error}");
}

#[test]
fn what_chroma_cannot_be_asked_is_named() {
    let Some(server) = Server::start(Engine::Chroma) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("drinks.ibid");
    std::fs::write(&file, build(&DOCUMENTS)).unwrap();
    pushed(&file, &server.target("drinks"), &[]);
    let collection = open(&server.target("drinks"), "").unwrap();
    let embedder = table();
    let http = NativeHttp::for_services();
    let remote = RemoteSearch::new(&collection, &embedder, &http, &SystemClock).unwrap();
    let filter = json!({ "must": [{ "key": "conditions", "values_count": { "gte": 2 } }] });
    let error = block_on(remote.retrieve(&filtered(&filter, Mode::Vector))).unwrap_err();
    assert_eq!(error.code(), ErrorCode::FilterInvalid);
    assert!(error.message().contains("`conditions`") && error.message().contains("values_count"), "{error}");
}

#[test]
fn nothing_at_the_address_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let error = open("qdrant://127.0.0.1:9/drinks", "").err().unwrap();
    assert_eq!((error.code(), error.is_retryable()), (ErrorCode::Network, true));
    assert!(error.message().contains("Qdrant") && error.hint().unwrap().contains("CORS"), "{error}");
    let file = folder.path().join("drinks.ibid");
    std::fs::write(&file, build(&DOCUMENTS)).unwrap();
    for (to, more, said) in [
        ("http://127.0.0.1/drinks", vec![], "qdrant://"),
        ("qdrant://127.0.0.1:9", vec![], "names no collection"),
        (
            "qdrant://127.0.0.1:9/drinks",
            vec!["--api-key-env", "IBID_NO_SUCH_VARIABLE"],
            "IBID_NO_SUCH_VARIABLE",
        ),
    ] {
        let output = push(&file, to, &more);
        assert_eq!(output.status.code(), Some(2), "{to}");
        assert!(stderr(&output).contains(said), "{to}");
    }
}
