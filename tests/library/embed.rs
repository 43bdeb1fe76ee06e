//! The embedding models against their references: tokens one by one, vectors by their cosine.
//!
//! The fixtures are the references' own output, made by `tools/make_embed_fixtures.py`.

#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "../tiny_model/mod.rs"]
mod tiny_model;

use ibid::ErrorCode;
use ibid::embed::{
    DocumentEmbedder, Embedder, Embedding, Projection, SourceModel, Task, TokenTable, Transformer, import,
};
use serde::Deserialize;

static QUERY_TABLE: &[u8] = include_bytes!("../../models/query-table.bin");
static PROJECTION: &[u8] = include_bytes!("../../models/projection.bin");
static TRANSFORMER: &[u8] = include_bytes!("../../models/minilm-distilled.ibidmodel");
static TEXTS: &str = include_str!("../fixtures/embed/texts.json");
static VECTORS: &[u8] = include_bytes!("../fixtures/embed/vectors.bin");
static TOKENS: &str = include_str!("../fixtures/embed/tokens.jsonl");

#[test]
fn tokens_are_the_references() {
    #[derive(Deserialize)]
    struct Case {
        text: String,
        tokens: Vec<String>,
    }
    let table = TokenTable::from_bytes(QUERY_TABLE).unwrap();
    let wordpiece = table.tokenizer();
    let vocabulary = wordpiece.vocab();
    let vocabulary: Vec<&str> = vocabulary.lines().collect();
    let cases: Vec<Case> = TOKENS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() >= 500, "{} cases", cases.len());
    for Case { text, tokens } in cases {
        let first = |limit| {
            let ids = wordpiece.encode(&text, limit).into_iter();
            ids.map(|id| vocabulary[id as usize]).collect::<Vec<_>>()
        };
        assert_eq!(first(usize::MAX), tokens, "{text:?}");
        let limit = tokens.len() / 2;
        assert_eq!(first(limit), tokens[..limit], "first {limit} of {text:?}");
    }
}

#[test]
fn table_and_projection_share_a_space() {
    let table = TokenTable::from_bytes(QUERY_TABLE).unwrap();
    let projection = Projection::from_bytes(PROJECTION).unwrap();
    assert_eq!(table.space(), projection.space());
    assert_eq!((table.space().dimensions, projection.inputs()), (256, 384));
    assert_eq!(table.tokenizer().vocab_size(), 30522);
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

#[test]
fn a_tiny_model_agrees_with_the_reference() {
    let model = Transformer::from_bytes(import_tiny(tiny_model::VOCAB.as_bytes()).unwrap()).unwrap();
    assert_eq!((model.name(), model.dimensions()), ("tiny", 64));
    let reference = tiny_model::reference();
    let texts: Vec<&str> = reference.texts.iter().map(String::as_str).collect();
    for ((text, vector), reference) in
        texts.iter().zip(model.embed(&texts, Task::Document)).zip(reference.vectors)
    {
        let cosine = vector.cosine(&Embedding::normalized(reference));
        assert!(cosine > 0.9995, "{cosine} for {text:?}");
    }
}

#[test]
fn a_tiny_model_computes_the_same_everywhere() {
    let model = Transformer::from_bytes(import_tiny(tiny_model::VOCAB.as_bytes()).unwrap()).unwrap();
    let vector = &model.embed(&[tiny_model::BITS_OF], Task::Document)[0];
    let bits: Vec<u32> = vector.as_slice().iter().map(|x| x.to_bits()).collect();
    assert_eq!(bits[..4], tiny_model::BITS);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let code = |vocab: &[u8]| import_tiny(vocab).unwrap_err().code();
    assert_eq!(code(b"[UNK]\n[CLS]\n[SEP]\n"), ErrorCode::ModelInvalid);
    assert_eq!(code(b"\xff"), ErrorCode::ModelInvalid);
    let model = Transformer::from_bytes(import_tiny(tiny_model::VOCAB.as_bytes()).unwrap()).unwrap();
    let projection = Projection::from_bytes(PROJECTION).unwrap();
    assert_eq!(DocumentEmbedder::new(model, projection).unwrap_err().code(), ErrorCode::ModelMismatch);
    assert_eq!(TokenTable::from_bytes(PROJECTION).unwrap_err().code(), ErrorCode::ModelInvalid);
}

fn import_tiny(vocab: &[u8]) -> ibid::Result<Vec<u8>> {
    let weights = tiny_model::weights();
    import(SourceModel { name: "tiny", config: tiny_model::CONFIG.as_bytes(), vocab, weights: &weights })
}

#[test]
fn vectors_are_the_references() {
    let model = model();
    let texts: Vec<String> = serde_json::from_str(TEXTS).unwrap();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = model.embed(&texts, Task::Document);
    assert_eq!((texts.len(), vectors.len(), VECTORS.len()), (100, 100, 100 * 384 * 2));
    let mut cosines = Vec::new();
    for ((text, vector), reference) in texts.iter().zip(&vectors).zip(VECTORS.chunks_exact(384 * 2)) {
        let reference =
            reference.as_chunks().0.iter().map(|&two| f32::from(i16::from_le_bytes(two))).collect();
        let cosine = vector.cosine(&Embedding::normalized(reference));
        assert!(cosine >= 0.997, "{cosine} for {text:?}");
        cosines.push(cosine);
    }
    let least = cosines.iter().copied().fold(1.0, f32::min);
    println!("cosine to the reference: mean {}, least {least}", cosines.iter().sum::<f32>() / 100.0);
}

#[test]
fn a_vector_does_not_depend_on_the_texts_around() {
    let model = model();
    let texts: Vec<String> = serde_json::from_str(TEXTS).unwrap();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = model.embed(&texts, Task::Document);
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(&model.embed(&[text], Task::Document)[0], vector, "{text:?}");
    }
    assert!(model.embed(&["", " \n"], Task::Document).iter().all(Embedding::is_zero));
}

#[test]
fn queries_by_table_find_documents_by_transformer() {
    let model = model();
    let table = TokenTable::from_bytes(QUERY_TABLE).unwrap();
    let embedder = DocumentEmbedder::new(model, Projection::from_bytes(PROJECTION).unwrap()).unwrap();
    assert_eq!(embedder.space(), table.space());
    let documents = [
        "Rinse a chemical burn of the eye with running water for at least fifteen minutes.",
        "The committee meets on the first Tuesday of every month in the old town hall.",
        "Bread made with rye flour keeps longer but rises less than bread made with wheat.",
        "Annual vaccination against influenza is recommended for everyone over 65.",
    ];
    let queries =
        ["acid in eye first aid", "when is the meeting", "rye or wheat loaf", "who should get a flu shot"];
    let documents = embedder.embed(&documents, Task::Document).unwrap();
    for (expected, query) in queries.iter().enumerate() {
        let query = table.embed_query(query).unwrap();
        let best =
            (0..4).max_by(|&a, &b| query.cosine(&documents[a]).total_cmp(&query.cosine(&documents[b])));
        assert_eq!(best, Some(expected));
    }
}

fn model() -> Transformer {
    Transformer::from_bytes(TRANSFORMER.to_vec()).unwrap()
}
