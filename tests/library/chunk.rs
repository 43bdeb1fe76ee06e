//! Chunks of real documents, by both ways to count. The guidelines are not part of the project; without them, those
//! tests skip themselves.

use ibid::chunk::{Characters, Chunk, ChunkOptions, ChunkStats, Sizer, chunk_with};
use ibid::document::Document;
use ibid::embed::TokenTable;

static QUERY_TABLE: &[u8] = include_bytes!("../../models/query-table.bin");
const GUIDELINES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/retrieval/nstg/documents.jsonl");

/// A handbook with everything that needs a cut of its own kind, in several scripts.
fn handbook() -> Document {
    let prose =
        "Give 0.5 mg/kg i.v. at once, e.g. by Dr. Okoro. Überwachen Sie danach 30 min. 毎日二回服用する。 "
            .repeat(9);
    let table = "| drug | dose |\n|---|---|\n".to_owned() + &"| amoxicillin | 40 mg/kg |\n".repeat(30);
    let list = "- wash your hands\n  before and after\n".repeat(20);
    let code = "```\nfn dose(kilograms: f32) -> f32 {\n    kilograms * 40.0\n}\n```\n".repeat(4);
    let word = "x".repeat(900);
    let deep = (2..=6).map(|level| format!("{} A rather long heading\n\n{prose}\n\n", "#".repeat(level)));
    let deep: String = deep.collect();
    let markdown = format!(
        "# Handbook\n\n{prose}\n\n{table}\n\n{list}\n\n{code}\n\n{word}\n\n{deep}## Tiny\n\na\n\n## Wee\n\nb\n"
    );
    Document::parse("handbook.md", markdown.as_bytes()).unwrap()
}

fn sizes(chunks: &[Chunk], sizer: &dyn Sizer) -> Vec<usize> {
    chunks.iter().map(|chunk| sizer.size(&chunk.embedding_text())).collect()
}

#[test]
fn neither_sizer_is_exceeded() {
    let table = TokenTable::from_bytes(QUERY_TABLE).unwrap();
    let document = handbook();
    let sizers: [&dyn Sizer; 2] = [&Characters, table.tokenizer()];
    for sizer in sizers {
        for budget in [16, 17, 31, 64, 200, 512, 4000] {
            for (overlap, prefix) in [(0, true), (2, true), (0, false)] {
                let options = ChunkOptions { budget, overlap, prefix, ..ChunkOptions::default() };
                let chunks = chunk_with(&document, &options, sizer);
                let stats = ChunkStats::of(&sizes(&chunks, sizer), budget);
                assert_eq!(stats.over_budget, 0);
                let words: String = chunks.iter().map(|chunk| &document.text[chunk.range.clone()]).collect();
                assert_eq!(words.matches("amoxicillin").count(), 30);
                assert_eq!(words.matches("Okoro").count(), 54);
                let prefixed = |chunk: &Chunk| chunk.embedding_text().starts_with('[');
                assert!(chunks.iter().all(|chunk| prefixed(chunk) == prefix));
            }
        }
    }
}

#[test]
fn no_chunk_of_the_guidelines_is_over_budget() {
    let Ok(lines) = std::fs::read_to_string(GUIDELINES) else {
        eprintln!("skipped: {GUIDELINES} is not there");
        return;
    };
    let record = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let parse =
        |line: &str| Document::parse("a.md", record(line)["markdown"].as_str().unwrap().as_bytes()).unwrap();
    let documents: Vec<Document> = lines.lines().map(parse).collect();
    let table = TokenTable::from_bytes(QUERY_TABLE).unwrap();
    let sizers: [(&str, &dyn Sizer); 2] =
        [("characters / 4", &Characters), ("the model's tokens", table.tokenizer())];
    for (name, sizer) in sizers {
        for budget in [16, 64, 256, 800] {
            let options = ChunkOptions { budget, ..ChunkOptions::default() };
            let sizes_of = |document| sizes(&chunk_with(document, &options, sizer), sizer);
            let stats = ChunkStats::of(&documents.iter().flat_map(sizes_of).collect::<Vec<_>>(), budget);
            println!("{name}, budget {budget}\n{stats}\n");
            assert_eq!(stats.over_budget, 0);
            assert!(stats.count > 0);
        }
    }
}
