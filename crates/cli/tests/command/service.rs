//! Building and searching with a service that embeds, through the `ibid` command and over real HTTP.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Mutex};

use super::http::{listen, read_request, response};
use super::support::command;
use serde_json::{Value, json};

const KEY: &str = "key-0123456789";

/// What the service does with one request, counted from 0, instead of embedding.
type Behaviour = fn(usize) -> Option<(u16, &'static str, &'static str)>;

/// A request as it came.
struct Seen {
    head: String,
    body: Value,
}

impl Seen {
    fn texts(&self) -> Vec<String> {
        let texts = self.body["input"].as_array().or(self.body["texts"].as_array()).unwrap();
        texts.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    }
}

/// A service that speaks the formats of OpenAI and Cohere, and embeds a text as the counts of its letters. It listens as
/// long as the test runs.
struct Service {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Service {
    fn start(behaviour: Behaviour) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = seen.clone();
        let host = listen(move |mut stream| {
            let (head, body) = read_request(&mut stream);
            let request =
                Seen { head: head.to_ascii_lowercase(), body: serde_json::from_slice(&body).unwrap() };
            let mut kept = kept.lock().unwrap();
            let response = match behaviour(kept.len()) {
                Some((status, headers, body)) => response(status, headers, body),
                None => response(200, "", &answer(&request).to_string()),
            };
            kept.push(request);
            drop(kept);
            stream.write_all(response.as_bytes()).unwrap();
        });
        let url = format!("http://{host}/v1");
        Self { url, seen }
    }

    fn requests(&self) -> Vec<Seen> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }

    /// The number of texts each request had since this was asked last.
    fn batches(&self) -> Vec<usize> {
        self.requests().iter().map(|seen| seen.texts().len()).collect()
    }
}

/// The vectors of a request's texts. The model `wide` has 8 dimensions, and any other 27 unless fewer are asked for.
fn answer(request: &Seen) -> Value {
    let asked = request.body["dimensions"].as_u64().or(request.body["output_dimension"].as_u64());
    let own = if request.body["model"] == "wide" { 8 } else { 27 };
    let length = asked.map_or(own, |asked| usize::try_from(asked).unwrap());
    let vector = |text: &String| {
        let mut vector = vec![0.0; length];
        vector[0] = 0.01;
        for letter in text.bytes().filter(u8::is_ascii_alphabetic) {
            vector[usize::from(letter.to_ascii_lowercase() - b'a') % length] += 1.0;
        }
        vector
    };
    let vectors: Vec<Vec<f64>> = request.texts().iter().map(vector).collect();
    if request.head.contains("/embed http") {
        return json!({ "id": "1", "embeddings": { "float": vectors } });
    }
    // Backwards, since the order is told by the index.
    let data = vectors.iter().enumerate().rev();
    let data: Vec<Value> =
        data.map(|(index, vector)| json!({ "index": index, "embedding": vector })).collect();
    json!({ "data": data, "model": request.body["model"], "usage": { "prompt_tokens": 1 } })
}

fn ibid(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).env("IBID_EMBEDDING_API_KEY", KEY).output().unwrap()
}

fn stderr(output: &Output) -> String {
    let told = super::support::stderr(output);
    assert!(!told.contains(KEY), "{told}");
    told
}

/// A folder with that many documents of one chunk each.
fn documents(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    for number in 0..count {
        document(folder.path(), number, "plain words");
    }
    folder
}

fn document(folder: &Path, number: usize, text: &str) {
    let content = format!("# Number {number}\n\n{text} of document {number}, and nothing else.\n");
    fs::write(folder.join(format!("docs/{number:03}.md")), content).unwrap();
}

fn build(folder: &Path, url: &str, more: &[&str]) -> Output {
    let arguments =
        ["build", "docs", "-o", "site.ibid", "--embeddings", "openai", "--embedding-model", "letters"];
    ibid(folder, &[&arguments[..], &["--embedding-url", url], more].concat())
}

fn service_flags(url: &str) -> [&str; 6] {
    ["--embeddings", "openai", "--embedding-model", "letters", "--embedding-url", url]
}

#[test]
fn an_index_is_built_and_searched_by_a_service() {
    let folder = documents(0);
    for (number, letter) in ('f'..='z').enumerate() {
        document(folder.path(), number, &letter.to_string().repeat(40));
    }
    let service = Service::start(|_| None);
    let built = build(folder.path(), &service.url, &[]);
    assert_eq!(built.status.code(), Some(0), "{}", stderr(&built));
    let requests = service.requests();
    assert!(requests.iter().all(|seen| seen.head.contains(&format!("bearer {KEY}"))));
    assert!(requests.iter().all(|seen| seen.head.starts_with("post /v1/embeddings")));
    // A word to learn the dimensions, and the chunks: they are too few to calibrate by.
    assert_eq!(requests.iter().map(|seen| seen.texts().len()).collect::<Vec<_>>(), [1, 21]);

    let inspected = ibid(folder.path(), &["inspect", "site.ibid", "--json"]);
    let manifest: Value = serde_json::from_slice(&inspected.stdout).unwrap();
    let space = &manifest["manifest"]["space"];
    assert_eq!((&space["name"], &space["dimensions"]), (&json!("openai/letters"), &json!(27)));

    let rare = "z".repeat(40);
    for command in ["search", "ask"] {
        let arguments = [&[command, "site.ibid", &rare, "--json"][..], &service_flags(&service.url)].concat();
        let found = ibid(folder.path(), &arguments);
        assert_eq!(found.status.code(), Some(0), "{}", stderr(&found));
        let printed = String::from_utf8(found.stdout).unwrap();
        assert!(printed.contains("020.md"), "{command}: {printed}");
        let requests = service.requests();
        assert_eq!((requests.len(), requests[0].texts()), (1, vec![rare.clone()]));
    }

    let merged = ibid(folder.path(), &["merge", "site.ibid", "-o", "merged.ibid"]);
    assert_eq!(merged.status.code(), Some(0), "{}", stderr(&merged));
    assert!(service.requests().is_empty());
}

#[test]
fn a_service_reranks_what_was_found() {
    let folder = documents(2);
    let service = Service::start(|_| None);
    assert_eq!(build(folder.path(), &service.url, &[]).status.code(), Some(0));
    let reranker = Service::start(|_| {
        let scores = r#"{"results":[{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":0.9}]}"#;
        Some((200, "", scores))
    });
    let found = |more: &[&str]| -> Vec<Value> {
        let arguments = ["search", "site.ibid", "plain words", "--min-relevance", "0", "--json"];
        let output = ibid(folder.path(), &[&arguments[..], &service_flags(&service.url), more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let hits: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        hits.into_iter().map(|hit| hit["source"].clone()).collect()
    };
    let mut ranked = found(&[]);
    ranked.reverse();
    assert_eq!(found(&["--rerank", "llamacpp", "--rerank-url", &reranker.url]), ranked);
    let [asked] = &reranker.requests()[..] else { panic!("one request") };
    assert!(asked.head.starts_with("post /v1/rerank"), "{}", asked.head);
    assert_eq!(asked.body["query"], "plain words");
    assert_eq!(asked.body["documents"].as_array().unwrap().len(), 2);
}

#[test]
fn a_build_that_broke_off_goes_on_where_it_was() {
    let folder = documents(250);
    // The word for the dimensions, two batches, then the service refuses.
    let service =
        Service::start(|number| (number >= 3).then_some((401, "", r#"{"error":"no key-0123456789"}"#)));
    let broken = build(folder.path(), &service.url, &[]);
    let told = stderr(&broken);
    assert_eq!(broken.status.code(), Some(1));
    assert!(told.contains("[provider-auth]") && told.contains("run the same command to continue"), "{told}");
    assert!(!folder.path().join("site.ibid").exists());
    assert_eq!(service.batches(), [1, 100, 100, 50]);

    let service = Service::start(|_| None);
    assert_eq!(build(folder.path(), &service.url, &[]).status.code(), Some(0));
    // Of the 201 questions that the index is calibrated by, 13 are the same as others.
    assert_eq!(service.batches(), [50, 100, 87, 1]);
    let resumed = fs::read(folder.path().join("site.ibid")).unwrap();

    // The same in one go has the same bytes.
    let other = documents(250);
    assert_eq!(build(other.path(), &service.url, &[]).status.code(), Some(0));
    assert_eq!(resumed, fs::read(other.path().join("site.ibid")).unwrap());
    service.requests();

    // What is there already is not paid for again; what is new is.
    assert_eq!(build(folder.path(), &service.url, &[]).status.code(), Some(0));
    assert!(service.requests().is_empty());
    assert_eq!(resumed, fs::read(folder.path().join("site.ibid")).unwrap());
    document(folder.path(), 7, "other words");
    assert_eq!(build(folder.path(), &service.url, &["--update"]).status.code(), Some(0));
    assert_eq!(service.batches(), [1]);
}

#[test]
fn a_damaged_file_of_kept_vectors_costs_only_what_is_lost() {
    let folder = documents(5);
    let service = Service::start(|_| None);
    assert_eq!(build(folder.path(), &service.url, &[]).status.code(), Some(0));
    let index = fs::read(folder.path().join("site.ibid")).unwrap();
    service.requests();
    let mut kept_files =
        fs::read_dir(folder.path().join(".ibid-cache")).unwrap().map(|entry| entry.unwrap().path());
    let file = kept_files.find(|path| path.extension().is_some_and(|ending| ending == "vectors")).unwrap();
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 5]).unwrap();
    assert_eq!(build(folder.path(), &service.url, &[]).status.code(), Some(0));
    assert_eq!(service.batches(), [1]);
    assert_eq!(
        (index, bytes),
        (fs::read(folder.path().join("site.ibid")).unwrap(), fs::read(&file).unwrap())
    );
}

#[test]
fn a_busy_service_is_waited_for() {
    let folder = documents(2);
    let service = Service::start(|number| (number < 2).then_some((429, "retry-after: 0\r\n", "{}")));
    let built = build(folder.path(), &service.url, &["--embedding-dimensions", "9"]);
    assert_eq!(built.status.code(), Some(0), "{}", stderr(&built));
    let requests = service.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|seen| seen.body["dimensions"] == 9));
}

#[test]
fn another_model_than_that_of_the_index_is_refused() {
    let folder = documents(2);
    let service = Service::start(|_| None);
    let url = service.url.as_str();
    assert_eq!(build(folder.path(), url, &["--embedding-dimensions", "9"]).status.code(), Some(0));
    service.requests();
    let with = |more: &[&str]| ibid(folder.path(), &[&["search", "site.ibid", "words"][..], more].concat());
    let asked = |output: &Output| {
        let told = stderr(output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(
            told.contains("[model-mismatch]") && told.contains("openai/letters with 9 dimensions"),
            "{told}"
        );
        assert!(told.contains("--embeddings openai --embedding-model letters"), "{told}");
        assert!(told.contains("--embedding-dimensions 9"), "{told}");
    };
    asked(&with(&[]));
    let of = |provider, model, dimensions| {
        [
            "--embeddings",
            provider,
            "--embedding-model",
            model,
            "--embedding-dimensions",
            dimensions,
            "--embedding-url",
            url,
        ]
    };
    asked(&with(&of("openai", "other", "9")));
    asked(&with(&of("vllm", "letters", "9")));
    asked(&with(&of("openai", "letters", "8")));
    assert!(service.requests().is_empty(), "nothing is sent for what cannot be compared");

    // Without the dimensions, the service is what tells.
    let other = with(&service_flags(url));
    let told = stderr(&other);
    assert!(told.contains("[model-mismatch]") && told.contains("27 dimensions, but 9 are needed"), "{told}");
    assert!(told.contains("Ask for 9 dimensions"), "{told}");
    assert_eq!(with(&of("openai", "letters", "9")).status.code(), Some(0));
    // Words need no vectors.
    service.requests();
    assert_eq!(with(&["--mode", "lexical"]).status.code(), Some(0));
    assert!(service.requests().is_empty());

    // An index of ibid's own, and updates.
    let update = ibid(
        folder.path(),
        &[
            "build",
            "docs",
            "-o",
            "site.ibid",
            "--update",
            "--embeddings",
            "cohere",
            "--embedding-model",
            "letters",
            "--embedding-url",
            url,
        ],
    );
    assert!(stderr(&update).contains("[model-mismatch]"), "{}", stderr(&update));
}

#[test]
fn questions_and_texts_are_embedded_by_a_service_too() {
    let folder = documents(3);
    let service = Service::start(|_| None);
    assert_eq!(build(folder.path(), &service.url, &[]).status.code(), Some(0));
    service.requests();
    let questions = (0..3).map(
        |n| json!({ "_id": n.to_string(), "text": format!("number {n}"), "relevant": [format!("{n:03}")] }),
    );
    let lines: Vec<String> = questions.map(|question| question.to_string()).collect();
    fs::write(folder.path().join("q.jsonl"), lines.join("\n")).unwrap();
    let eval = ["eval", "site.ibid", "--queries", "q.jsonl"];
    let measured = ibid(folder.path(), &[&eval[..], &service_flags(&service.url)[..]].concat());
    assert_eq!(measured.status.code(), Some(0), "{}", stderr(&measured));
    assert_eq!(service.batches(), [3]);
    let told = stderr(&ibid(folder.path(), &eval));
    assert!(told.contains("[model-mismatch]") && told.contains("--embeddings openai"), "{told}");

    fs::write(folder.path().join("texts.txt"), "tea\n\nrain\n").unwrap();
    let flags = ["--embeddings", "cohere", "--embedding-model", "wide", "--embedding-url", &service.url];
    let embedded = ibid(folder.path(), &[&["embed", "texts.txt"][..], &flags].concat());
    assert_eq!(embedded.status.code(), Some(0), "{}", stderr(&embedded));
    let lines = String::from_utf8(embedded.stdout).unwrap();
    let vectors: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((vectors.len(), vectors[2]["embedding"].as_array().unwrap().len()), (3, 8));
    let requests = service.requests();
    assert_eq!(requests[1].texts(), ["tea", "rain"]);
    assert_eq!(requests[1].body["input_type"], "search_document");
}

#[test]
fn wrong_usage_is_explained() {
    let folder = documents(1);
    let service = Service::start(|_| None);
    let url = service.url.as_str();
    for (more, said) in
        [(&["--model", "x.ibidmodel"][..], "[invalid-option]"), (&["--embedding-dimensions", "5000"], "5000")]
    {
        let output = build(folder.path(), url, more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
    let unknown =
        ibid(folder.path(), &["build", "docs", "-o", "x", "--embeddings", "acme", "--embedding-model", "m"]);
    assert!(stderr(&unknown).contains("openai"), "{}", stderr(&unknown));
    let alone = ibid(folder.path(), &["build", "docs", "-o", "x", "--embeddings", "openai"]);
    assert!(stderr(&alone).contains("--embedding-model"), "{}", stderr(&alone));
    assert!(service.requests().is_empty());
}

#[test]
fn what_is_no_vector_fails_the_build() {
    let folder = documents(1);
    let service = Service::start(|number| {
        Some((
            200,
            "",
            if number == 0 {
                r#"{"data":[{"embedding":[1,2]}]}"#
            } else {
                r#"{"data":[{"embedding":[0,0]}]}"#
            },
        ))
    });
    let built = build(folder.path(), &service.url, &[]);
    assert_eq!(built.status.code(), Some(1));
    assert!(stderr(&built).contains("[embedder-failed]"), "{}", stderr(&built));
    assert!(!folder.path().join("site.ibid").exists());
}
