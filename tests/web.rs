//! The boundary to JavaScript, in real browsers: `wasm-pack test --headless --chrome --firefox`.
#![cfg(target_arch = "wasm32")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail where it stands")]

use std::cell::Cell;
use std::rc::Rc;

use ibid::chunk::{ChunkOptions, chunk};
use ibid::document::Document;
use ibid::embed::{Embedder, SourceModel, Space, Task, TokenTable, Transformer, import};
use ibid::index::{BuildOptions, Calibration, IndexBuilder};
use js_sys::{Array, Float64Array, Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{AbortController, AbortSignal};

use self::ask::{ask as ask_page, trust::partial_tree};
use self::search::{Engine, head_length, needed_ranges, table_head_length};

#[path = "../crates/web/src/ask/mod.rs"]
pub mod ask;
#[path = "../crates/web/src/search/mod.rs"]
pub mod search;
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
    let table = TokenTable::from_bytes(TABLE).unwrap();
    let mut builder =
        IndexBuilder::new(table.space().clone(), ChunkOptions::default(), BuildOptions::default());
    for (name, text) in documents {
        let document = Document::parse(name, text.as_bytes()).unwrap();
        let options = ChunkOptions { budget: 16, min_size: 0, ..ChunkOptions::default() };
        builder.add(&document, &chunk(&document, &options)).unwrap();
    }
    builder.embedded(&table.embed(&builder.pending(10), Task::Query).unwrap()).unwrap();
    let calibration = Calibration { near: 0.375, ..Calibration::default() };
    builder.assemble().unwrap().finish(calibration).unwrap()
}

/// The bytes of the query table as JavaScript has them.
fn table() -> JsValue {
    js_sys::Uint8Array::from(TABLE).into()
}

fn engine() -> Engine {
    Engine::new(index(), &table()).unwrap()
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

/// What a page does for a run: it searches by that function.
fn host(search: &JsValue) -> JsValue {
    let host = js_sys::Object::new();
    Reflect::set(&host, &"search".into(), search).unwrap();
    host.into()
}

/// Asks and collects the events; the result is the promise's answer.
async fn ask(
    question: &str,
    options: &str,
    signal: Option<AbortSignal>,
) -> (Array, Result<JsValue, JsValue>) {
    let events = Array::new();
    let push: Function = Reflect::get(&events, &"push".into()).unwrap().unchecked_into();
    let on_event: Function = push.bind0(&events).unchecked_into();
    // The page stands between the two modules, as the package does.
    let engine = engine();
    let search = Closure::<dyn FnMut(String) -> Promise>::new(move |query| engine.find(query, None));
    let promise = ask_page(question.into(), object(options), host(search.as_ref()), on_event, signal);
    let result = JsFuture::from(promise).await;
    (events, result.map(|outcome| get(&outcome, "answer")))
}

/// A query for a text, with options as an object in JSON.
fn query(text: &str, options: &str) -> String {
    let mut query: serde_json::Value = serde_json::from_str(options).unwrap();
    query["text"] = text.into();
    query.to_string()
}

/// The hits of a search.
async fn search(engine: &Engine, text: &str, options: &str) -> Result<JsValue, JsValue> {
    let found = JsFuture::from(engine.search(query(text, options), None)).await?;
    Ok(get(&object(&found.as_string().unwrap()), "hits"))
}

#[wasm_bindgen_test]
fn info_tells_what_was_loaded() {
    let info = engine().info().unwrap();
    assert_eq!(get(&info, "documents").as_f64(), Some(2.0));
    assert_eq!(get(&info, "chunks").as_f64(), Some(3.0));
    assert_eq!(get(&info, "dimensions").as_f64(), Some(256.0));
    assert_eq!(get(&info, "formatVersion").as_f64(), Some(1.0));
    assert_eq!(text(&info, "encoder"), "transformer");
    assert!(get(&info, "calibration.near").as_f64() >= get(&info, "calibration.unrelated").as_f64());
    assert_eq!(get(&info, "chunking.budget").as_f64(), Some(180.0));
}

#[wasm_bindgen_test]
async fn search_returns_what_javascript_can_read() {
    let hit = get(&search(&engine(), "steeping green tea", "{}").await.unwrap(), "0");
    assert_eq!(text(&hit, "documentId"), "tea");
    assert_eq!(text(&hit, "source"), "tea.md");
    assert_eq!(text(&hit, "headingPath.0"), "Tea");
    assert!(get(&hit, "url").is_null());
    assert_eq!(get(&hit, "line").as_f64(), Some(3.0));
}

#[wasm_bindgen_test]
async fn highlights_are_utf16_offsets() {
    let hits = search(&engine(), "minutes", r#"{"limit":1}"#).await.unwrap();
    let passage: js_sys::JsString = get(&hits, "0.text").unchecked_into();
    let at = |name: &str| get(&hits, &format!("0.highlights.0.{name}")).as_f64().unwrap() as u32;
    assert_eq!(String::from(passage.slice(at("start"), at("end"))), "minutes");
}

#[wasm_bindgen_test]
async fn what_needs_no_text_is_told_at_once() {
    let engine = engine();
    let vector = TokenTable::from_bytes(TABLE).unwrap().embed_query("oil the chain of a bicycle").unwrap();
    let nearest = async |vector: &[f32], options: &str| {
        JsFuture::from(engine.nearest(vector.to_vec(), options.to_owned())).await
    };
    let near = nearest(vector.as_slice(), r#"{"limit":1}"#).await.unwrap();
    let near = object(&near.as_string().unwrap());
    let chunk = get(&near, "0.chunk").as_f64().unwrap();
    let like = format!(r#"{{"like":{{"chunk":{chunk}}},"minRelevance":0}}"#);
    let hits = search(&engine, "", &like).await.unwrap();
    assert_eq!(text(&hits, "0.documentId"), "tea");
    assert_eq!(text(&object(&engine.suggest("bicy", 3).unwrap()), "0.text"), "Bicycles");
    assert_eq!(code(&nearest(&[1.0], "{}").await.unwrap_err()), "embedder-failed");
    assert_eq!(code(&nearest(&[1.0], r#"{"most":1}"#).await.unwrap_err()), "invalid-option");
    let facets = JsFuture::from(engine.facets(r#"["year"]"#.to_owned(), "null".to_owned()));
    assert_eq!(code(&facets.await.unwrap_err()), "filter-invalid");
}

#[wasm_bindgen_test]
async fn a_rerankers_scores_decide() {
    let engine = engine();
    let asked = query("green tea", r#"{"minRelevance":0}"#);
    let found = JsFuture::from(engine.candidates(asked.clone(), None)).await.unwrap();
    let candidates: Array = object(&found.as_string().unwrap()).unchecked_into();
    let chunks: Vec<u32> = candidates.iter().map(|pair| get(&pair, "0").as_f64().unwrap() as u32).collect();
    // The last comes first.
    let scores = (0..chunks.len()).map(|rank| rank as f32).collect();
    let last = chunks[chunks.len() - 1];
    let found = JsFuture::from(engine.search_scored(asked, chunks, scores, None)).await.unwrap();
    let found = object(&found.as_string().unwrap());
    assert_eq!(get(&found, "hits.0.chunk").as_f64(), Some(f64::from(last)));
}

#[wasm_bindgen_test]
async fn errors_are_error_objects_with_codes() {
    let open = |index: Vec<u8>, table: &[u8]| {
        Engine::new(index, &js_sys::Uint8Array::from(table)).err().map(|error| code(&error)).unwrap()
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

/// Opens an index of which only the part is there that a search needs first, as a page does over HTTP.
fn open_pieces(file: &[u8], reader: &Function) -> Engine {
    let mut ranges = vec![0.0, head_length(&file[..64]).unwrap() as f64];
    ranges.extend(needed_ranges(&file[..ranges[1] as usize]).unwrap());
    let (offsets, pieces) = pieces(file, &ranges);
    Engine::of_pieces(&offsets, &pieces, false, &table(), true, reader.clone()).unwrap()
}

#[wasm_bindgen_test]
async fn rows_are_read_when_a_query_has_their_tokens() {
    let asked = Rc::new(Cell::new(0));
    let count = Rc::clone(&asked);
    let read = Closure::<dyn FnMut(String, Float64Array) -> Promise>::new(
        move |part: String, ranges: Float64Array| {
            assert_eq!(part, "model");
            count.set(count.get() + 1);
            Promise::resolve(&JsValue::from(pieces(TABLE, &ranges.to_vec()).1))
        },
    );
    let head = table_head_length(&TABLE[..40]).unwrap() as usize;
    let whole = Array::of1(&js_sys::Uint8Array::from(index().as_slice()));
    let rows = js_sys::Uint8Array::from(&TABLE[..head]);
    let reader: &Function = read.as_ref().unchecked_ref();
    let part = Engine::of_pieces(&[0.0], &whole, true, &rows, false, reader.clone()).unwrap();
    for _ in 0..2 {
        let hits = search(&part, "steeping green tea", "{}").await.unwrap();
        assert_eq!(text(&hits, "0.documentId"), "tea");
        assert_eq!(asked.get(), 1);
    }
    JsFuture::from(part.prefetch(true)).await.unwrap();
    let all = asked.get();
    JsFuture::from(part.prefetch(true)).await.unwrap();
    assert!(search(&part, "zoonotic quokkas", "{}").await.is_ok());
    assert!(all > 5 && asked.get() == all);
    part.replace_table(TABLE.to_vec()).unwrap();
    assert!(part.replace_table(vec![1, 2, 3]).is_err());
}

#[wasm_bindgen_test]
async fn text_is_read_when_it_is_needed() {
    let asked = Rc::new(Cell::new(0));
    let count = Rc::clone(&asked);
    let read = Closure::<dyn FnMut(String, Float64Array) -> Promise>::new(move |_, ranges: Float64Array| {
        count.set(count.get() + 1);
        Promise::resolve(&JsValue::from(pieces(&index(), &ranges.to_vec()).1))
    });
    let engine = open_pieces(&index(), read.as_ref().unchecked_ref());
    assert!(engine.file().is_none());
    let hits = search(&engine, "steeping green tea", "{}").await.unwrap();
    assert!(text(&hits, "0.text").contains("80 degrees"));
    search(&engine, "black tea", "{}").await.unwrap();
    // Terms and the cluster came first, then the text; all have but one block here.
    assert_eq!(asked.get(), 2);
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
    assert!(engine.remove("bikes").unwrap() && !engine.remove("bikes").unwrap());
    let tea = index_of(&[("tea.md", "# Tea\n\nWhite tea steeps at 70 degrees.\n")]);
    engine.attach(tea).unwrap();
    let hits = search(&engine, "white tea degrees", "{}").await.unwrap();
    assert!(text(&hits, "0.text").contains("70 degrees"));
    assert_eq!(get(&engine.info().unwrap(), "documents").as_f64(), Some(1.0));
    assert_eq!(get(&engine.info().unwrap(), "chunks").as_f64(), Some(1.0));
    assert!(engine.file().unwrap() == index(), "the file that was opened is as it was");
}

/// A function that embeds a text as `made` says, and what it was asked for.
fn embedder(made: impl Fn() -> Result<JsValue, JsValue> + 'static) -> (Closure<Embed>, Rc<Cell<u32>>) {
    let asked = Rc::new(Cell::new(0));
    let count = Rc::clone(&asked);
    let closure = Closure::<Embed>::new(move |_: JsValue, _: JsValue| {
        count.set(count.get() + 1);
        match made() {
            Ok(vector) => Promise::resolve(&vector),
            Err(error) => Promise::reject(&error),
        }
    });
    (closure, asked)
}

type Embed = dyn FnMut(JsValue, JsValue) -> Promise;

/// The table's vector of a text about bicycles, whatever is asked for.
fn bicycles() -> JsValue {
    let vector = TokenTable::from_bytes(TABLE).unwrap().embed_query("oil the chain of a bicycle").unwrap();
    js_sys::Float32Array::from(vector.as_slice()).into()
}

#[wasm_bindgen_test]
async fn the_page_may_embed_queries_itself() {
    let engine = engine();
    let (embed, asked) = embedder(|| Ok(bicycles()));
    engine.embed_by(Some(embed.as_ref().unchecked_ref::<Function>().clone()));
    let hits = search(&engine, "green tea", r#"{"mode":"vector"}"#).await.unwrap();
    assert_eq!(text(&hits, "0.documentId"), "bikes");
    // What a question searches for goes the same way.
    let found = JsFuture::from(engine.find(query("green tea", r#"{"mode":"vector"}"#), None)).await.unwrap();
    assert_eq!(text(&object(&found.as_string().unwrap()), "0.documentId"), "bikes");
    assert_eq!(asked.get(), 2);
    assert_eq!(code(&search(&engine, " ", "{}").await.unwrap_err()), "query-empty");
    assert_eq!(asked.get(), 2);
    // A text without a token finds nothing.
    let (embed_nothing, _) = embedder(|| Ok(js_sys::Float32Array::new_with_length(0).into()));
    engine.embed_by(Some(embed_nothing.as_ref().unchecked_ref::<Function>().clone()));
    let hits: Array = search(&engine, "\u{200b}", "{}").await.unwrap().unchecked_into();
    assert_eq!(hits.length(), 0);
    // What gives nothing, and what is taken away again, leaves it to the table.
    let (embed, _) = embedder(|| Ok(JsValue::NULL));
    for embed in [Some(embed.as_ref().unchecked_ref::<Function>().clone()), None] {
        engine.embed_by(embed);
        let hits = search(&engine, "green tea", "{}").await.unwrap();
        assert_eq!(text(&hits, "0.documentId"), "tea");
    }
}

#[wasm_bindgen_test]
async fn what_is_no_vector_is_the_embedders_failure() {
    let numbers = |numbers: &'static [f32]| move || Ok(js_sys::Float32Array::from(numbers).into());
    let of_length = |number: f32| move || Ok(js_sys::Float32Array::from(&[number; 256][..]).into());
    let rejected = || {
        let error = js_sys::Error::new("Given up.");
        Reflect::set(&error, &"code".into(), &"aborted".into()).unwrap();
        Err(error.into())
    };
    let made: [(Closure<Embed>, &str); 7] = [
        (embedder(numbers(&[1.0])).0, "embedder-failed"),
        (embedder(of_length(0.0)).0, "embedder-failed"),
        (embedder(of_length(f32::NAN)).0, "embedder-failed"),
        (embedder(of_length(f32::INFINITY)).0, "embedder-failed"),
        (embedder(|| Ok("a vector".into())).0, "embedder-failed"),
        (embedder(|| Err(js_sys::Error::new("Whatever.").into())).0, "embedder-failed"),
        (embedder(rejected).0, "aborted"),
    ];
    let engine = engine();
    for (embed, expected) in made {
        engine.embed_by(Some(embed.as_ref().unchecked_ref::<Function>().clone()));
        assert_eq!(code(&search(&engine, "green tea", "{}").await.unwrap_err()), expected);
    }
}

#[wasm_bindgen_test]
async fn an_index_of_the_pages_own_embedder_needs_no_table() {
    let space = Space::foreign("letters", 3, None).unwrap();
    let mut builder = IndexBuilder::new(space.clone(), ChunkOptions::default(), BuildOptions::default());
    let document = Document::parse("tea.md", TEA.as_bytes()).unwrap();
    builder.add(&document, &chunk(&document, &ChunkOptions::default())).unwrap();
    let vectors = vec![space.embedding(vec![1.0, 2.0, 3.0]).unwrap(); builder.pending_count()];
    builder.embedded(&vectors).unwrap();
    let index = builder.assemble().unwrap().finish(Calibration::default()).unwrap();
    let open = |space: &str| Engine::new(index.clone(), &object(space));
    let engine = open(r#"{"name":"letters","dimensions":3}"#).unwrap();
    assert_eq!(code(&search(&engine, "tea", "{}").await.unwrap_err()), "embedder-failed");
    let (embed, _) = embedder(|| Ok(js_sys::Float32Array::from(&[2.0, 4.0, 6.0][..]).into()));
    engine.embed_by(Some(embed.as_ref().unchecked_ref::<Function>().clone()));
    assert_eq!(text(&search(&engine, "tea", "{}").await.unwrap(), "0.documentId"), "tea");
    for (space, expected) in [
        (r#"{"name":"letters","dimensions":4}"#, "model-mismatch"),
        (r#"{"name":"letters","dimensions":3,"fingerprint":"2"}"#, "model-mismatch"),
        (r#"{"name":"letters","dimensions":0}"#, "invalid-option"),
        (r#"{"name":"","dimensions":3}"#, "invalid-option"),
        (r#"{"dimensions":3}"#, "invalid-option"),
        ("7", "invalid-option"),
    ] {
        assert_eq!(open(space).err().map(|error| code(&error)).as_deref(), Some(expected), "{space}");
    }
    assert_eq!(
        Engine::new(index.clone(), &table()).err().map(|error| code(&error)).unwrap(),
        "model-mismatch"
    );
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
fn an_unfinished_answer_has_a_tree() {
    let knows = Function::new_with_args("number", "return number < 3;");
    assert_eq!(
        partial_tree("🍵 **tea** [2, 9]. Se", &knows).unwrap(),
        "[{\"type\":\"paragraph\",\"children\":[\
            {\"type\":\"text\",\"text\":\"🍵 \",\"start\":0,\"end\":3},\
            {\"type\":\"strong\",\"children\":[{\"type\":\"text\",\"text\":\"tea\",\"start\":5,\"end\":8}]},\
            {\"type\":\"text\",\"text\":\" \",\"start\":10,\"end\":11},\
            {\"type\":\"citation\",\"number\":2,\"start\":11,\"end\":17},\
            {\"type\":\"text\",\"text\":\"[9]\",\"start\":11,\"end\":17},\
            {\"type\":\"text\",\"text\":\". Se\",\"start\":17,\"end\":21}]}]"
    );
}

#[wasm_bindgen_test]
async fn bad_questions_and_options_are_refused() {
    assert_eq!(code(&ask(" a ", "{}", None).await.1.unwrap_err()), "question-length");
    let provider = r#"{"models":[{"llm":{"baseURL":"ftp://x","model":"m"}}]}"#;
    assert_eq!(code(&ask("what is tea?", provider, None).await.1.unwrap_err()), "invalid-option");
}

#[wasm_bindgen_test]
async fn what_a_search_throws_ends_the_run_with_its_code() {
    let error = js_sys::Error::new("gone");
    Reflect::set(&error, &"code".into(), &"index-corrupt".into()).unwrap();
    let search = Closure::<dyn FnMut() -> Promise>::new(move || Promise::reject(&error));
    let host = host(search.as_ref());
    let promise = ask_page("what is tea?".into(), object("{}"), host, Function::new_no_args(""), None);
    let error = JsFuture::from(promise).await.unwrap_err();
    assert_eq!((code(&error), text(&error, "message")), ("index-corrupt".into(), "gone".into()));
}

#[wasm_bindgen_test]
async fn an_unreachable_provider_is_a_network_error() {
    let provider =
        r#"{"models":[{"llm":{"baseURL":"http://127.0.0.1:9/v1","model":"m","retry":{"maxRetries":0}}}]}"#;
    let error = ask("what is tea?", provider, None).await.1.unwrap_err();
    assert_eq!(code(&error), "network");
    assert!(get(&error, "retryable").is_truthy());
}

#[wasm_bindgen_test]
async fn a_run_that_is_torn_off_still_settles() {
    // No browser has such a signal, but an exception out of any of its functions, and a panic, come the same way.
    let made = Function::new_no_args("return { get aborted() { throw new Error('out of order'); } };");
    let signal: AbortSignal = made.call0(&JsValue::NULL).unwrap().unchecked_into();
    let (_, result) = ask("How hot is green tea?", "{}", Some(signal)).await;
    let error = result.unwrap_err();
    assert_eq!(code(&error), "internal");
    assert!(text(&error, "message").contains("out of order"), "{error:?}");
    // The module goes on with other questions.
    let (_, answer) = ask("How hot is green tea?", "{}", None).await;
    assert!(text(&answer.unwrap(), "text").contains("80 degrees"));
}

#[wasm_bindgen_test]
async fn an_aborted_run_says_so() {
    let controller = AbortController::new().unwrap();
    controller.abort();
    let provider = r#"{"models":[{"llm":{"baseURL":"http://127.0.0.1:9/v1","model":"m"}}]}"#;
    let error = ask("what is tea?", provider, Some(controller.signal())).await.1.unwrap_err();
    assert_eq!(code(&error), "aborted");
}

/// The transformer is not called by the page yet, but it is one code: what it computes natively, it computes here.
#[wasm_bindgen_test]
fn the_encoder_computes_what_it_computes_natively() {
    let (weights, config) = (tiny_model::weights(), tiny_model::CONFIG.as_bytes());
    let source = SourceModel { name: "tiny", config, vocab: tiny_model::VOCAB.as_bytes(), weights: &weights };
    let model = Transformer::from_bytes(import(source).unwrap()).unwrap();
    let bits: Vec<u32> = model.embed(&[tiny_model::BITS_OF], Task::Document)[0]
        .as_slice()
        .iter()
        .map(|x| x.to_bits())
        .collect();
    assert_eq!(bits[..4], tiny_model::BITS);
    let reference = tiny_model::reference();
    let texts: Vec<&str> = reference.texts.iter().map(String::as_str).collect();
    for (vector, expected) in model.embed(&texts, Task::Document).iter().zip(&reference.vectors) {
        let cosine: f32 = vector.as_slice().iter().zip(expected).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.9995, "{cosine}");
    }
}
