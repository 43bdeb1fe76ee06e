use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{EmbeddingOptions, RemoteEmbedder};
use crate::{Embedding, Task};
use ProviderKind::{Cohere, Gemini, Jina, Mistral, Ollama, OpenAi, Voyage};
use ibid_platform::script::{Scripted, ScriptedClock, ScriptedHttp};
use ibid_platform::{Endpoint, PROVIDERS, ProviderKind};
use ibid_platform::{ErrorCode, Result};

const KEY: &str = "key-0123456789";

fn options(provider: ProviderKind) -> EmbeddingOptions {
    let endpoint = Endpoint::default().with_api_key(KEY);
    EmbeddingOptions { endpoint, ..EmbeddingOptions::new(provider, "m-1") }
}

fn body(options: &EmbeddingOptions, task: Task) -> Value {
    serde_json::from_slice(&options.request(&["tea", "rain"], task).unwrap().body).unwrap()
}

#[test]
fn each_provider_is_asked_in_its_own_words() {
    let plain = json!({ "model": "m-1", "input": ["tea", "rain"] });
    let with = |key: &str, value: &str| {
        let mut body = plain.clone();
        body[key] = value.into();
        body
    };
    let cohere = |kind: &str| json!({ "model": "m-1", "texts": ["tea", "rain"], "input_type": kind, "embedding_types": ["float"] });
    let gemini = |kind: &str| {
        let request = |text: &str| json!({ "model": "models/m-1", "content": { "parts": [{ "text": text }] }, "taskType": kind });
        json!({ "requests": [request("tea"), request("rain")] })
    };
    for (provider, document, query) in [
        (OpenAi, plain.clone(), plain.clone()),
        (Ollama, plain.clone(), plain.clone()),
        (Voyage, with("input_type", "document"), with("input_type", "query")),
        (Jina, with("task", "retrieval.passage"), with("task", "retrieval.query")),
        (Cohere, cohere("search_document"), cohere("search_query")),
        (Gemini, gemini("RETRIEVAL_DOCUMENT"), gemini("RETRIEVAL_QUERY")),
    ] {
        assert_eq!(body(&options(provider), Task::Document), document);
        assert_eq!(body(&options(provider), Task::Query), query);
    }
    let old = EmbeddingOptions { model: "jina-embeddings-v2-base-en".into(), ..options(Jina) };
    assert_eq!(body(&old, Task::Query).get("task"), None);
}

#[test]
fn dimensions_are_asked_for_by_the_name_that_each_has_for_them() {
    for (provider, key) in [
        (OpenAi, "/dimensions"),
        (Jina, "/dimensions"),
        (Ollama, "/dimensions"),
        (Mistral, "/output_dimension"),
        (Cohere, "/output_dimension"),
        (Voyage, "/output_dimension"),
        (Gemini, "/requests/1/outputDimensionality"),
    ] {
        let asked = EmbeddingOptions { dimensions: Some(256), ..options(provider) };
        assert_eq!(body(&asked, Task::Query).pointer(key), Some(&json!(256)), "{key}");
        assert_eq!(body(&options(provider), Task::Query).pointer(key), None);
    }
}

#[test]
fn the_key_goes_where_the_provider_looks_for_it() {
    let headers = |options: &EmbeddingOptions| options.request(&["tea"], Task::Query).unwrap().headers;
    let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert!(headers(&options(OpenAi)).contains(&own("authorization", "Bearer key-0123456789")));
    assert!(headers(&options(Gemini)).contains(&own("x-goog-api-key", KEY)));
    assert_eq!(headers(&EmbeddingOptions::new(Ollama, "m")).len(), 1);
}

#[test]
fn vectors_come_back_in_the_order_of_the_texts() {
    for (provider, response) in [
        (OpenAi, r#"{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}],"model":"m-1"}"#),
        (OpenAi, r#"{"data":[{"embedding":[1,2]},{"embedding":[3,4]}]}"#),
        (Gemini, r#"{"embeddings":[{"values":[1,2]},{"values":[3,4]}]}"#),
        (Cohere, r#"{"id":"1","embeddings":{"float":[[1,2],[3,4]]},"response_type":"embeddings_by_type"}"#),
        (Cohere, r#"{"embeddings":[[1,2],[3,4]],"response_type":"embeddings_floats"}"#),
        (Ollama, r#"{"model":"m-1","embeddings":[[1,2],[3,4]],"total_duration":1}"#),
    ] {
        let vectors = options(provider).read(response.as_bytes(), 2).unwrap();
        assert_eq!(vectors, [[1.0, 2.0], [3.0, 4.0]], "{response}");
    }
}

#[test]
fn responses_that_are_not_as_documented_are_refused() {
    for (provider, response, said) in [
        (OpenAi, "", "not JSON"),
        (OpenAi, "[]", "0 vectors for 2 texts"),
        (OpenAi, r#"{"data":[{"index":0,"embedding":[1]}]}"#, "1 vector for 2 texts"),
        (
            OpenAi,
            r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]}"#,
            "none of the texts",
        ),
        (
            OpenAi,
            r#"{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[2]}]}"#,
            "none of the texts",
        ),
        (
            OpenAi,
            r#"{"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[2]}]}"#,
            "none of the texts",
        ),
        (OpenAi, r#"{"data":[{"embedding":[1]},{"embedding":"AACAPw=="}]}"#, "not an array of numbers"),
        (OpenAi, r#"{"data":[{"embedding":[]},{"embedding":[]}]}"#, "not an array of numbers"),
        (OpenAi, r#"{"data":[{"embedding":[1]},{"embedding":[1,2]}]}"#, "different lengths"),
        (OpenAi, r#"{"error":{"message":"no such model for key-0123456789"}}"#, "no such model for [secret]"),
        (Gemini, r#"{"embeddings":[{"values":[1]},{"values":[null]}]}"#, "not an array of numbers"),
        (Cohere, r#"{"embeddings":{"int8":[[1],[2]]}}"#, "0 vectors"),
        (Ollama, r#"{"embedding":[1,2]}"#, "0 vectors"),
    ] {
        let error = options(provider).read(response.as_bytes(), 2).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ProviderProtocol, "{response}");
        assert!(error.message().contains(said) && !error.message().contains(KEY), "{error}");
    }
}

/// A response with the vector (1, text number) for each text.
fn answer(count: usize) -> Scripted {
    let vectors: Vec<Value> = (0..count).map(|at| json!({ "index": at, "embedding": [1, at] })).collect();
    Scripted::ok(json!({ "data": vectors }).to_string())
}

struct EmbeddingRun {
    result: Result<Vec<Embedding>>,
    /// The number of texts each request had.
    batches: Vec<usize>,
    slept: Vec<Duration>,
}

fn embed(options: EmbeddingOptions, texts: &[&str], script: Vec<Scripted>) -> EmbeddingRun {
    let (http, clock) = (ScriptedHttp::new(script), ScriptedClock::default());
    let embedder = RemoteEmbedder::new(options, 2).unwrap();
    let result = pollster::block_on(embedder.embed(&http, &clock, texts, Task::Document));
    assert!(http.is_used_up());
    let batches = http.sent().iter().map(|body| body["input"].as_array().unwrap().len()).collect();
    EmbeddingRun { result, batches, slept: clock.slept.take() }
}

#[test]
fn texts_go_in_batches_and_come_back_scaled() {
    let run = embed(options(OpenAi), &["a"; 230], vec![answer(100), answer(100), answer(30)]);
    let made = run.result.unwrap();
    assert_eq!((made.len(), run.batches.as_slice()), (230, [100, 100, 30].as_slice()));
    assert!((made[1].as_slice()[1] - 0.5_f32.sqrt()).abs() < 1e-6);
    assert!(embed(options(OpenAi), &[], vec![]).result.unwrap().is_empty());
    let small = EmbeddingOptions { batch_size: Some(2), ..options(OpenAi) };
    assert_eq!(embed(small, &["a"; 3], vec![answer(2), answer(1)]).batches, [2, 1]);
}

#[test]
fn long_texts_make_smaller_batches() {
    let long = "x".repeat(200_000);
    let texts = ["a", &long, &long, "b", &"y".repeat(400_000), "c"];
    let script = vec![answer(2), answer(2), answer(1), answer(1)];
    let run = embed(options(OpenAi), &texts, script);
    assert_eq!((run.result.unwrap().len(), run.batches), (6, vec![2, 2, 1, 1]));
}

#[test]
fn blank_texts_are_not_sent_and_are_near_to_nothing() {
    let run = embed(options(OpenAi), &["a", " \n", "b", ""], vec![answer(2)]);
    let made = run.result.unwrap();
    assert_eq!(run.batches, [2]);
    assert_eq!(made.iter().map(Embedding::is_zero).collect::<Vec<_>>(), [false, true, false, true]);
    assert!((made[2].as_slice()[1] - 0.5_f32.sqrt()).abs() < 1e-6);
    assert!(embed(options(OpenAi), &[" "], vec![]).result.unwrap()[0].is_zero());
}

#[test]
fn a_batch_that_is_refused_ends_it() {
    let refused = Scripted::status(401, r#"{"error":{"message":"no key-0123456789"}}"#);
    let run = embed(options(OpenAi), &["a"; 101], vec![answer(100), refused]);
    let error = run.result.unwrap_err();
    assert_eq!((error.code(), run.batches.as_slice()), (ErrorCode::ProviderAuth, [100, 1].as_slice()));
    assert!(
        error.message().starts_with("OpenAI refused access") && !error.message().contains(KEY),
        "{error}"
    );
}

#[test]
fn it_waits_as_the_service_asks_and_as_the_pace_allows() {
    let busy = Scripted::Responds(429, vec![("retry-after", "7")], "{}".into());
    let paced = EmbeddingOptions { requests_per_minute: Some(20), ..options(OpenAi) };
    let run = embed(paced, &["a"; 250], vec![answer(100), busy, answer(100), answer(50)]);
    assert_eq!(run.result.unwrap().len(), 250);
    // The scripted clock goes on by a millisecond each time it is asked.
    assert_eq!(run.slept, [2999, 7000, 2999].map(Duration::from_millis));
}

#[test]
fn vectors_have_to_be_of_the_space() {
    let one = |embedding: Value| Scripted::ok(json!({ "data": [{ "embedding": embedding }] }).to_string());
    for (vector, code) in [
        (json!([1, 2, 3]), ErrorCode::ModelMismatch),
        (json!([0, 0]), ErrorCode::EmbedderFailed),
        (json!([1e300, 0]), ErrorCode::EmbedderFailed),
    ] {
        let error = embed(options(OpenAi), &["a"], vec![one(vector)]).result.unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.message().contains("openai/m-1") && error.hint().is_some(), "{error}");
    }
    let other = EmbeddingOptions { dimensions: Some(3), ..options(OpenAi) };
    assert_eq!(RemoteEmbedder::new(other, 2).unwrap_err().code(), ErrorCode::ModelMismatch);
}

#[test]
fn dimensions_are_asked_for_where_nobody_says_them() {
    let (http, clock) = (ScriptedHttp::new([answer(1)]), ScriptedClock::default());
    let embedder = pollster::block_on(RemoteEmbedder::connect(options(OpenAi), &http, &clock)).unwrap();
    assert_eq!((embedder.space().dimensions, embedder.space().name.as_str()), (2, "openai/m-1"));
    let said = EmbeddingOptions { dimensions: Some(7), ..options(OpenAi) };
    let embedder = pollster::block_on(RemoteEmbedder::connect(said, &http, &clock)).unwrap();
    assert_eq!(embedder.space().dimensions, 7);
    assert_eq!(http.requests.borrow().len(), 1);
}

/// Any JSON, of the names that responses have.
fn json() -> impl Strategy<Value = Value> {
    let names = ["data", "index", "embedding", "embeddings", "values", "float", "error", "message"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1_i64..4).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 32, 4, move |inner| {
        let object = prop::collection::btree_map(prop::sample::select(names.to_vec()), inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            object.prop_map(|fields| json!(fields)),
        ]
    })
}

proptest! {
    #[test]
    fn any_response_is_read_or_refused(response in json(), noise in ".*", count in 0_usize..4) {
        for provider in PROVIDERS.iter().filter(|row| row.embedding.is_some()).map(|row| row.kind) {
            let _ = options(provider).read(noise.as_bytes(), count);
            if let Ok(read) = options(provider).read(response.to_string().as_bytes(), count) {
                prop_assert_eq!(read.len(), count);
            }
        }
    }

    #[test]
    fn what_is_read_has_the_shape_that_is_promised(
        vectors in prop::collection::vec(prop::collection::vec(any::<f32>(), 0..3), 0..4),
        count in 0_usize..4,
    ) {
        let response = json!({ "embeddings": vectors }).to_string();
        if let Ok(read) = options(Ollama).read(response.as_bytes(), count) {
            prop_assert_eq!(read.len(), count);
            prop_assert!(read.iter().all(|vector| !vector.is_empty() && vector.len() == read[0].len()));
        }
    }
}
