//! The boundary to JavaScript, in real browsers: `wasm-pack test --headless --chrome --firefox`.
#![cfg(target_arch = "wasm32")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail where it stands")]

use std::cell::Cell;
use std::rc::Rc;

use ibid::chunk::{ChunkOptions, chunk};
use ibid::document::Document;
use ibid::embed::{Embedder, SourceModel, Task, TokenTable, Transformer, import};
use ibid::index::{BuildOptions, Calibration, IndexBuilder};
use ibid::web::{Engine, head_length, needed_ranges};
use js_sys::{Array, Float64Array, Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{AbortController, AbortSignal};

mod tiny_model;

wasm_bindgen_test_configure!(run_in_browser);

const TABLE: &[u8] = include_bytes!("../models/query-table.bin");
const TEA: &str = "# Tea\n\nGreen tea 🍵 steeps at 80 degrees for two minutes.\n\n## Black tea\n\nBlack tea wants boiling water.\n";
const BIKES: &str = "# Bicycles\n\n## Chains\n\nOil the chain of a bicycle every month.\n";

fn index() -> Vec<u8> {
    index_of(&[("tea.md", TEA), ("bikes.md", BIKES)])
}

/// An index made in the page. Its passages are embedded as if they were queries, which is close enough to find them.
fn index_of(documents: &[(&str, &str)]) -> Vec<u8> {
    let table = TokenTable::from_bytes(TABLE.to_vec()).unwrap();
    let mut builder =
        IndexBuilder::new(table.space().clone(), ChunkOptions::default(), BuildOptions::default());
    for (name, text) in documents {
        let document = Document::parse(name, text.as_bytes()).unwrap();
        let options = ChunkOptions { budget: 16, min_size: 0, ..ChunkOptions::default() };
        builder.add(&document, &chunk(&document, &options)).unwrap();
    }
    builder.embedded(&table.embed(&builder.pending(10), Task::Query).unwrap()).unwrap();
    let calibration = Calibration { threshold: 0.3, ..Calibration::default() };
    builder.assemble().unwrap().finish(calibration).unwrap()
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

async fn search(engine: &Engine, query: &str, options: &str) -> Result<JsValue, JsValue> {
    JsFuture::from(engine.search(query.into(), object(options))).await
}

#[wasm_bindgen_test]
fn info_tells_what_was_loaded() {
    let info = engine().info().unwrap();
    assert_eq!(get(&info, "documents").as_f64(), Some(2.0));
    assert_eq!(get(&info, "chunks").as_f64(), Some(3.0));
    assert_eq!(get(&info, "dimensions").as_f64(), Some(256.0));
    assert_eq!(get(&info, "formatVersion").as_f64(), Some(2.0));
    assert_eq!(text(&info, "encoder"), "transformer");
    assert_eq!(get(&info, "hasGraph"), JsValue::FALSE);
    assert_eq!(get(&info, "calibration.threshold"), get(&info, "threshold"));
    assert_eq!(get(&info, "chunking.budget").as_f64(), Some(800.0));
    assert_eq!(text(&info, "segments.0.encoder"), "transformer");
    assert_eq!(get(&info, "segments.0.documents").as_f64(), Some(2.0));
}

#[wasm_bindgen_test]
async fn search_returns_plain_objects() {
    let promise = engine().search("steeping green tea".into(), JsValue::UNDEFINED);
    let hits: Array = JsFuture::from(promise).await.unwrap().unchecked_into();
    let hit = hits.get(0);
    assert!(hit.is_instance_of::<Object>());
    assert_eq!(text(&hit, "documentId"), "tea");
    assert_eq!(text(&hit, "source"), "tea.md");
    assert_eq!(text(&hit, "headingPath.0"), "Tea");
    assert!(get(&hit, "url").is_null());
    assert_eq!(get(&hit, "line").as_f64(), Some(3.0));
}

#[wasm_bindgen_test]
async fn highlights_are_utf16_offsets() {
    let hits = search(&engine(), "minutes", r#"{"limit":1,"threshold":-1}"#).await.unwrap();
    let passage: js_sys::JsString = get(&hits, "0.text").unchecked_into();
    let at = |name: &str| get(&hits, &format!("0.highlights.0.{name}")).as_f64().unwrap() as u32;
    assert_eq!(String::from(passage.slice(at("start"), at("end"))), "minutes");
}

#[wasm_bindgen_test]
async fn errors_are_error_objects_with_codes() {
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

    let engine = engine();
    for (query, options, expected) in [
        ("  ", "{}", "query-empty"),
        ("tea", r#"{"limit":0}"#, "invalid-option"),
        ("tea", r#"{"limit":"many"}"#, "invalid-option"),
    ] {
        assert_eq!(code(&search(&engine, query, options).await.unwrap_err()), expected);
    }
}

fn pieces(file: &[u8], ranges: &[f64]) -> (Vec<f64>, Array) {
    let cut = |range: &[f64]| js_sys::Uint8Array::from(&file[range[0] as usize..range[1] as usize]);
    (ranges.chunks(2).map(|range| range[0]).collect(), ranges.chunks(2).map(cut).collect())
}

/// Everything but the text, as a page gets it over HTTP.
fn open_pieces(file: &[u8], reader: &Function) -> Engine {
    let mut ranges = vec![0.0, head_length(&file[..64]).unwrap() as f64];
    ranges.extend(needed_ranges(&file[..ranges[1] as usize]).unwrap());
    let (offsets, pieces) = pieces(file, &ranges);
    Engine::of_pieces(&offsets, &pieces, TABLE.to_vec(), reader.clone()).unwrap()
}

#[wasm_bindgen_test]
async fn text_is_read_when_it_is_needed() {
    let asked = Rc::new(Cell::new(0));
    let count = Rc::clone(&asked);
    let read = Closure::<dyn FnMut(Float64Array) -> Promise>::new(move |ranges: Float64Array| {
        count.set(count.get() + 1);
        Promise::resolve(&JsValue::from(pieces(&index(), &ranges.to_vec()).1))
    });
    let engine = open_pieces(&index(), read.as_ref().unchecked_ref());
    assert_eq!(code(&engine.to_bytes().unwrap_err()), "index-incomplete");
    let hits = search(&engine, "steeping green tea", "{}").await.unwrap();
    assert!(text(&hits, "0.text").contains("80 degrees"));
    search(&engine, "black tea", "{}").await.unwrap();
    assert_eq!(asked.get(), 1);
    JsFuture::from(engine.complete()).await.unwrap();
    assert!(engine.to_bytes().unwrap() == index());
}

#[wasm_bindgen_test]
async fn what_the_reader_throws_is_passed_on() {
    let error = js_sys::Error::new("gone");
    Reflect::set(&error, &"code".into(), &"aborted".into()).unwrap();
    let read = Closure::<dyn FnMut() -> Promise>::new(move || Promise::reject(&error));
    let engine = open_pieces(&index(), read.as_ref().unchecked_ref());
    let error = search(&engine, "steeping green tea", "{}").await.unwrap_err();
    assert_eq!((code(&error), text(&error, "message")), ("aborted".into(), "gone".into()));
    // A reader that says again and again that the index was replaced is given up on.
    let read = Closure::<dyn FnMut() -> Promise>::new(|| Promise::resolve(&JsValue::NULL));
    let engine = open_pieces(&index(), read.as_ref().unchecked_ref());
    assert_eq!(code(&search(&engine, "steeping green tea", "{}").await.unwrap_err()), "network");
}

#[wasm_bindgen_test]
async fn documents_come_and_go() {
    let engine = engine();
    assert!(engine.remove("bikes") && !engine.remove("bikes"));
    let tea = index_of(&[("tea.md", "# Tea\n\nWhite tea steeps at 70 degrees.\n")]);
    engine.attach(tea).unwrap();
    let hits = search(&engine, "white tea degrees", "{}").await.unwrap();
    assert!(text(&hits, "0.text").contains("70 degrees"));
    assert_eq!(get(&engine.info().unwrap(), "documents").as_f64(), Some(1.0));
    let again = Engine::new(engine.to_bytes().unwrap(), TABLE.to_vec()).unwrap();
    assert_eq!(get(&again.info().unwrap(), "chunks").as_f64(), Some(1.0));
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
