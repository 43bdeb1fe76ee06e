//! Replays recorded exchanges with real embedding and reranking services.
//!
//! The recordings are third-party data next to the checkout and no part of this repository; without them these tests
//! say so and pass. What a response holds is read from the recording by the simplest means there are, and compared with
//! what comes out of the whole client: request, status, checks, order.

use std::collections::BTreeMap;

use super::wire_cassettes::recordings::{Exchange, load};
use ibid::ErrorCode;
use ibid::embed::remote::{EmbeddingOptions, RemoteEmbedder};
use ibid::embed::{Embedding, Task};
use ibid::platform::script::{Scripted, ScriptedClock, ScriptedHttp};
use ibid::platform::{ProviderKind, RetryPolicy};
use ibid::retrieve::Reranker;
use ibid_engines::{RemoteReranker, RerankerOptions};
use serde_json::Value;

/// All recorded exchanges whose paths end in one of the given ways.
fn exchanges(endings: &[&str]) -> Vec<Exchange> {
    let mut found = load();
    found.retain(|exchange| endings.iter().any(|ending| exchange.path.ends_with(ending)));
    found
}

/// Answers one request with the recorded response.
fn replay(exchange: &Exchange) -> ScriptedHttp {
    ScriptedHttp::new([Scripted::status(exchange.status, &exchange.body)])
}

const NO_RETRY: RetryPolicy = RetryPolicy { max_retries: 0, initial_delay_ms: 0 };

/// The texts of a recorded request, or as many stand-ins as it has images.
fn texts(request: &Value) -> Vec<String> {
    let strings = |value: &Value| {
        let strings = value.as_array().into_iter().flatten();
        strings.map(|text| text.as_str().unwrap_or("image").to_owned()).collect::<Vec<_>>()
    };
    if let Some(text) = request["input"].as_str() {
        return vec![text.to_owned()];
    }
    let requests = request["requests"].as_array().into_iter().flatten();
    let parts: Vec<String> = requests
        .filter_map(|request| request["content"]["parts"][0]["text"].as_str().map(str::to_owned))
        .collect();
    [strings(&request["input"]), strings(&request["texts"]), strings(&request["images"]), parts].concat()
}

/// The vectors of a recorded response, in the order of its indexes if it has some.
fn vectors(response: &Value) -> Vec<Vec<f32>> {
    let vector = |value: &Value| -> Vec<f32> {
        value.as_array().expect("numbers").iter().map(|x| x.as_f64().expect("a number") as f32).collect()
    };
    if let Some(data) = response["data"].as_array() {
        let mut data: Vec<&Value> = data.iter().collect();
        data.sort_by_key(|item| item["index"].as_u64());
        return data.iter().map(|item| vector(&item["embedding"])).collect();
    }
    let embeddings = &response["embeddings"];
    let list = embeddings.as_array().or_else(|| embeddings["float"].as_array()).expect("embeddings");
    list.iter().map(|item| vector(if item["values"].is_array() { &item["values"] } else { item })).collect()
}

fn options(exchange: &Exchange) -> EmbeddingOptions {
    let provider = ProviderKind::named(exchange.provider()).expect("a known provider");
    let request = &exchange.request;
    let first = &request["requests"][0];
    let model =
        [&request["model"], &first["model"]].iter().find_map(|model| model.as_str()).expect("a model");
    let asked = [
        &request["dimensions"],
        &request["output_dimension"],
        &first["output_dimensionality"],
        &first["outputDimensionality"],
    ];
    let mut options = EmbeddingOptions::new(provider, model);
    options.dimensions = asked.iter().find_map(|asked| asked.as_u64()).and_then(|n| u32::try_from(n).ok());
    options.endpoint.retry = NO_RETRY;
    options
}

fn embed(exchange: &Exchange, dimensions: u32) -> (ibid::Result<Vec<Embedding>>, Value) {
    let replay = replay(exchange);
    let embedder = RemoteEmbedder::new(options(exchange), dimensions).expect("valid settings");
    let texts = texts(&exchange.request);
    // No batch of the recorded is larger than one request of ours but the one that was too large for its provider.
    let texts: Vec<&str> = texts.iter().map(String::as_str).take(embedder.options().batch_size()).collect();
    let result =
        pollster::block_on(embedder.embed(&replay, &ScriptedClock::default(), &texts, Task::Document));
    (result, replay.sent()[0].clone())
}

const EMBED: [&str; 3] = ["/embeddings", "/embed", ":batchEmbedContents"];

#[test]
fn recorded_embeddings_are_read_whole() {
    let mut counts = BTreeMap::<String, usize>::new();
    for exchange in exchanges(&EMBED).iter().filter(|exchange| exchange.status == 200) {
        let name = &exchange.name();
        let expected = vectors(&serde_json::from_str(&exchange.body).expect("JSON"));
        let (result, sent) = embed(exchange, expected[0].len() as u32);
        let made = result.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(made.len(), expected.len(), "{name}");
        for (made, expected) in made.iter().zip(expected) {
            let expected = Embedding::normalized(expected);
            let difference = made.as_slice().iter().zip(expected.as_slice()).map(|(a, b)| (a - b).abs());
            assert!(difference.fold(0.0, f32::max) < 1e-6, "{name}");
        }
        // What we ask for is what was asked for, but for the task, which ibid always says if there is one.
        for key in ["model", "input", "texts", "dimensions", "output_dimension"] {
            if !exchange.request["images"].is_array() && exchange.request["input"].is_array() {
                assert_eq!(sent[key], exchange.request[key], "{name}: {key}");
            }
        }
        *counts.entry(exchange.provider().to_owned()).or_default() += 1;
    }
    println!("embeddings: {counts:?}");
}

#[test]
fn recorded_refusals_are_told_in_the_services_own_words() {
    let mut count = 0;
    for exchange in exchanges(&EMBED).iter().filter(|exchange| exchange.status != 200) {
        let name = &exchange.name();
        let dimensions = options(exchange).dimensions.unwrap_or(8);
        let error = embed(exchange, dimensions).0.expect_err(name);
        let code = match exchange.status {
            404 => ErrorCode::ProviderNotFound,
            400..=499 => ErrorCode::ProviderRequest,
            _ => ErrorCode::ProviderUnavailable,
        };
        assert_eq!(error.code(), code, "{name}");
        let response: Value = serde_json::from_str(&exchange.body).expect("JSON");
        let message =
            response["error"]["message"].as_str().or(response["message"].as_str()).expect("a message");
        let shown: String = message.chars().take(100).collect();
        assert!(error.message().contains(&shown), "{name}: {error}");
        count += 1;
    }
    println!("refused embeddings: {count}");
}

#[test]
fn other_dimensions_than_those_of_the_index_are_refused() {
    for exchange in exchanges(&EMBED).iter().filter(|exchange| exchange.status == 200) {
        if options(exchange).dimensions.is_none() {
            let error = embed(exchange, 7).0.expect_err(&exchange.name());
            assert_eq!(error.code(), ErrorCode::ModelMismatch, "{}", exchange.name());
        }
    }
}

#[test]
fn recorded_reranks_are_read_whole() {
    let (mut read, mut refused) = (0, 0);
    for exchange in &exchanges(&["/rerank"]) {
        let name = &exchange.name();
        let options: RerankerOptions = serde_json::from_value(serde_json::json!({
            "kind": "llama-cpp", "model": exchange.request["model"], "retry": { "maxRetries": 0 },
        }))
        .expect("valid settings");
        assert_eq!((exchange.provider(), exchange.path.as_str()), ("llamacpp", "/v1/rerank"));
        let replay = replay(exchange);
        let clock = ScriptedClock::default();
        let reranker = RemoteReranker::new(options, &replay, &clock).expect("valid settings");
        let query = exchange.request["query"].as_str().expect("a query");
        let documents: Vec<&str> = exchange.request["documents"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let result = pollster::block_on(reranker.rerank(query, &documents));
        if documents.is_empty() {
            // Nothing is sent for nothing, so that there is no refusal either.
            assert!(result.expect(name).is_empty() && replay.sent().is_empty());
            continue;
        }
        assert_eq!(replay.sent()[0]["documents"], exchange.request["documents"], "{name}");
        if exchange.status != 200 {
            assert_eq!(result.expect_err(name).code(), ErrorCode::ProviderUnavailable, "{name}");
            refused += 1;
            continue;
        }
        let scores = result.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(scores.len(), documents.len());
        let response: Value = serde_json::from_str(&exchange.body).expect("JSON");
        let results = response["results"].as_array().expect("results");
        for result in results {
            let index = result["index"].as_u64().and_then(|n| usize::try_from(n).ok()).expect("an index");
            let score = result["relevance_score"].as_f64().expect("a score") as f32;
            assert!((scores[index] - score).abs() < 1e-6, "{name}");
        }
        read += 1;
    }
    println!("reranks: {read} read, {refused} refused");
}
