//! The boundary to JavaScript, in real browsers: `wasm-pack test --headless --chrome --firefox`.
#![cfg(target_arch = "wasm32")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail where it stands")]

use ibid::chunk::{Characters, ChunkOptions, chunk, embedding_texts};
use ibid::document::Document;
use ibid::embed::{Embedder, SourceModel, Task, TokenTable, Transformer, import};
use ibid::index::{Calibration, IndexBuilder};
use ibid::web::Engine;
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{AbortController, AbortSignal};

mod tiny_model;

wasm_bindgen_test_configure!(run_in_browser);

const TABLE: &[u8] = include_bytes!("../models/query-table.bin");
const TEA: &str = "# Tea\n\nGreen tea 🍵 steeps at 80 degrees for two minutes.\n\n## Black tea\n\nBlack tea wants boiling water.\n";
const BIKES: &str = "# Bicycles\n\n## Chains\n\nOil the chain of a bicycle every month.\n";

/// An index made in the page. Its passages are embedded as if they were queries, which is close enough to find them.
fn index() -> Vec<u8> {
    let table = TokenTable::from_bytes(TABLE.to_vec()).unwrap();
    let mut builder = IndexBuilder::new(table.space().clone());
    // So small that the two sections about tea are two passages.
    let options = ChunkOptions { budget: 16, min_size: 0, ..ChunkOptions::default() };
    for (name, text) in [("tea.md", TEA), ("bikes.md", BIKES)] {
        let document = Document::parse(name, text.as_bytes()).unwrap();
        let chunks = chunk(&document, &options);
        let texts = embedding_texts(&document, &chunks, &options, &Characters);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        builder.add(&document, &chunks, table.embed(&texts, Task::Query).unwrap()).unwrap();
    }
    builder.finish(Calibration { threshold: 0.3, ..Calibration::default() }).unwrap()
}

fn engine() -> Engine {
    Engine::new(index(), TABLE.to_vec()).unwrap()
}

fn get(object: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(object.clone(), |object, name| Reflect::get(&object, &name.into()).unwrap())
}

fn text(object: &JsValue, path: &str) -> String {
    get(object, path).as_string().unwrap()
}

fn code(error: &JsValue) -> String {
    assert!(error.is_instance_of::<js_sys::Error>());
    text(error, "code")
}

fn object(json: &str) -> JsValue {
    js_sys::JSON::parse(json).unwrap()
}

/// Asks and collects the events; the result is the promise's.
async fn ask(
    question: &str,
    options: &str,
    signal: Option<AbortSignal>,
) -> (Array, Result<JsValue, JsValue>) {
    let events = Array::new();
    let push: Function = Reflect::get(&events, &"push".into()).unwrap().unchecked_into();
    let on_event: Function = push.bind0(&events).unchecked_into();
    let promise = engine().ask(question.into(), object(options), on_event, signal);
    let result = JsFuture::from(promise).await;
    (events, result)
}

#[wasm_bindgen_test]
fn info_tells_what_was_loaded() {
    let info = engine().info().unwrap();
    assert_eq!(get(&info, "documents").as_f64(), Some(2.0));
    assert_eq!(get(&info, "chunks").as_f64(), Some(3.0));
    assert_eq!(get(&info, "dimensions").as_f64(), Some(256.0));
    assert_eq!(get(&info, "formatVersion").as_f64(), Some(1.0));
}

#[wasm_bindgen_test]
fn search_returns_plain_objects() {
    let hits: Array =
        engine().search("steeping green tea".into(), JsValue::UNDEFINED).unwrap().unchecked_into();
    let hit = hits.get(0);
    assert!(hit.is_instance_of::<Object>());
    assert_eq!(text(&hit, "documentId"), "tea");
    assert_eq!(text(&hit, "source"), "tea.md");
    assert_eq!(text(&hit, "headingPath.0"), "Tea");
    assert!(get(&hit, "url").is_null());
    assert_eq!(get(&hit, "line").as_f64(), Some(3.0));
}

#[wasm_bindgen_test]
fn highlights_are_utf16_offsets() {
    let hits = engine().search("minutes".into(), object(r#"{"limit":1,"threshold":-1}"#)).unwrap();
    let passage: js_sys::JsString = get(&hits, "0.text").unchecked_into();
    let at = |name: &str| get(&hits, &format!("0.highlights.0.{name}")).as_f64().unwrap() as u32;
    assert_eq!(String::from(passage.slice(at("start"), at("end"))), "minutes");
}

#[wasm_bindgen_test]
fn errors_are_error_objects_with_codes() {
    let open = |index: Vec<u8>, table: &[u8]| {
        Engine::new(index, table.to_vec()).err().map(|error| code(&error)).unwrap()
    };
    assert_eq!(open(b"<html>".to_vec(), TABLE), "index-foreign");
    assert_eq!(open(index()[..500].to_vec(), TABLE), "index-truncated");
    let mut damaged = index();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    assert_eq!(open(damaged, TABLE), "index-corrupt");
    assert_eq!(open(index(), &TABLE[..1000]), "model-invalid");

    let search =
        |query: &str, options: &str| code(&engine().search(query.into(), object(options)).unwrap_err());
    assert_eq!(search("  ", "{}"), "query-empty");
    assert_eq!(search("tea", r#"{"limit":0}"#), "invalid-option");
    assert_eq!(search("tea", r#"{"limit":"many"}"#), "invalid-option");
}

#[wasm_bindgen_test]
async fn asking_without_a_model_quotes_passages() {
    let (events, answer) = ask("At how many degrees does green tea steep?", "{}", None).await;
    let answer = answer.unwrap();
    assert_eq!(text(&answer, "mode"), "extractive");
    assert!(text(&answer, "text").contains("80 degrees") && text(&answer, "text").contains("[1]"));
    assert_eq!(text(&answer, "sources.0.documentId"), "tea");
    let passage: js_sys::JsString = get(&answer, "text").unchecked_into();
    let span = |name: &str| get(&answer, &format!("citations.0.span.{name}")).as_f64().unwrap() as u32;
    assert!(String::from(passage.slice(span("start"), span("end"))).contains('1'));
    let types: Vec<String> = events.iter().map(|event| text(&event, "type")).collect();
    assert!(types.contains(&"search".into()) && types.contains(&"sources".into()), "{types:?}");
}

#[wasm_bindgen_test]
async fn bad_questions_and_options_are_refused() {
    assert_eq!(code(&ask(" a ", "{}", None).await.1.unwrap_err()), "question-length");
    let provider = r#"{"llm":{"baseURL":"ftp://x","model":"m"}}"#;
    assert_eq!(code(&ask("what is tea?", provider, None).await.1.unwrap_err()), "invalid-option");
}

#[wasm_bindgen_test]
async fn an_unreachable_provider_is_a_network_error() {
    let provider = r#"{"llm":{"baseURL":"http://127.0.0.1:9/v1","model":"m","retry":{"maxRetries":0}}}"#;
    let error = ask("what is tea?", provider, None).await.1.unwrap_err();
    assert_eq!(code(&error), "network");
    assert!(get(&error, "retryable").is_truthy());
}

#[wasm_bindgen_test]
async fn an_aborted_run_says_so() {
    let controller = AbortController::new().unwrap();
    controller.abort();
    let provider = r#"{"llm":{"baseURL":"http://127.0.0.1:9/v1","model":"m"}}"#;
    let error = ask("what is tea?", provider, Some(controller.signal())).await.1.unwrap_err();
    assert_eq!(code(&error), "aborted");
}

/// The transformer is not called by the page yet, but it is one code: what it computes natively, it computes here.
#[wasm_bindgen_test]
fn the_encoder_computes_what_it_computes_natively() {
    let (weights, config) = (tiny_model::weights(), tiny_model::CONFIG.as_bytes());
    let source = SourceModel { name: "tiny", config, vocab: tiny_model::VOCAB.as_bytes(), weights: &weights };
    let model = Transformer::from_bytes(import(source).unwrap()).unwrap();
    let bits: Vec<u32> =
        model.embed(&[tiny_model::BITS_OF])[0].as_slice().iter().map(|x| x.to_bits()).collect();
    assert_eq!(bits[..4], tiny_model::BITS);
    let reference = tiny_model::reference();
    let texts: Vec<&str> = reference.texts.iter().map(String::as_str).collect();
    for (vector, expected) in model.embed(&texts).iter().zip(&reference.vectors) {
        let cosine: f32 = vector.as_slice().iter().zip(expected).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.9995, "{cosine}");
    }
}
