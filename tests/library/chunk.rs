//! Chunks of real documents. The guidelines are not part of the project; without them, that test skips itself.

use ibid::chunk::{Chunk, ChunkOptions, ChunkStats, chunk, size};
use ibid::document::Document;

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

fn sizes(chunks: &[Chunk]) -> Vec<usize> {
    chunks.iter().map(|chunk| size(&chunk.embedding_text())).collect()
}

#[test]
fn no_budget_is_exceeded() {
    let document = handbook();
    for budget in [16, 17, 31, 64, 200, 512, 4000] {
        for overlap in [0, 2] {
            let options = ChunkOptions { budget, overlap, ..ChunkOptions::default() };
            let chunks = chunk(&document, &options);
            let stats = ChunkStats::of(&sizes(&chunks), budget);
            assert_eq!(stats.over_budget, 0);
            let words: String = chunks.iter().map(|chunk| &document.text[chunk.range.clone()]).collect();
            assert_eq!(words.matches("amoxicillin").count(), 30);
            assert_eq!(words.matches("Okoro").count(), 54);
            assert!(chunks.iter().all(|chunk| chunk.embedding_text().starts_with('[')));
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
    for budget in [16, 64, 256, 800] {
        let options = ChunkOptions { budget, ..ChunkOptions::default() };
        let sizes_of = |document| sizes(&chunk(document, &options));
        let stats = ChunkStats::of(&documents.iter().flat_map(sizes_of).collect::<Vec<_>>(), budget);
        println!("budget {budget}\n{stats}\n");
        assert_eq!(stats.over_budget, 0);
        assert!(stats.count > 0);
    }
}
