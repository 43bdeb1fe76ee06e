//! Indexes of paragraphs in German, Spanish, Chinese and Arabic are searched by words alone unless told otherwise.
//!
//! The collections are third-party data next to the checkout and no part of this repository; without them this test
//! says so and passes.

use std::fs;
use std::path::Path;

use ibid::chunk::{ChunkOptions, chunk};
use ibid::document;
use ibid::embed::{Embedder, Task, TokenTable};
use ibid::index::{BuildOptions, Encoder, Index, IndexBuilder};
use ibid::retrieve::{Mode, Query, Retriever, calibrate};
use serde_json::Value;

const TABLE: &[u8] = include_bytes!("../../models/query-table.bin");

/// The paragraphs of a collection, each a document, embedded by the table of queries.
fn index(folder: &Path) -> Retriever {
    let table = TokenTable::from_bytes(TABLE).unwrap();
    let options = BuildOptions { encoder: Encoder::Table, ..BuildOptions::default() };
    let mut builder = IndexBuilder::new(table.space().clone(), ChunkOptions::default(), options);
    for line in fs::read_to_string(folder.join("corpus.jsonl")).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let source = format!("{}.md", line["_id"].as_str().unwrap());
        for document in document::parse(&source, line["text"].as_str().unwrap().as_bytes()).unwrap() {
            builder.add(&document, &chunk(&document, &ChunkOptions::default())).unwrap();
        }
    }
    builder.embedded(&table.embed(&builder.pending(usize::MAX), Task::Query).unwrap()).unwrap();
    let draft = builder.assemble().unwrap();
    let calibration = calibrate(&table, &draft).unwrap();
    Retriever::new(Index::open(draft.finish(calibration).unwrap()).unwrap(), Box::new(table)).unwrap()
}

#[test]
fn paragraphs_in_other_languages_rank_by_words_alone() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/retrieval_multilingual");
    if !all.is_dir() {
        println!("skipped: there are no collections at {}", all.display());
        return;
    }
    for language in ["de", "es", "zh", "ar"] {
        let folder = all.join(language);
        let retriever = index(&folder);
        assert_eq!(retriever.index().manifest().language.as_deref(), Some(language));
        let queries = fs::read_to_string(folder.join("queries.jsonl")).unwrap();
        for line in queries.lines().step_by(60) {
            let line: Value = serde_json::from_str(line).unwrap();
            let query = Query::new(line["text"].as_str().unwrap());
            let found = |query: &Query| -> Vec<String> {
                retriever.retrieve(query).unwrap().hits.into_iter().map(|hit| hit.source).collect()
            };
            let by_words = found(&Query { mode: Some(Mode::Lexical), ..query.clone() });
            assert!(!by_words.is_empty(), "{}", query.text);
            assert_eq!(found(&query), by_words, "{}", query.text);
        }
    }
}
