//! The `ibid` command as a person or a script meets it: arguments, output, exit codes, real files, a real server.

use crate::http::{read_request, response};
use crate::support;

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::thread::JoinHandle;

use ibid::index::Calibration;
use support::{command, ibid, index_of, small_chunks, stderr, stdout, weights};

const TEA: &str =
    "# Tea\n\nGreen tea steeps at 80 degrees.\n\n## Black tea\n\nBlack tea wants boiling water.\n";

/// A folder with `tea.ibid`, whose passages are embedded as if they were queries: that needs no weights.
fn folder_with_index() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let calibration = Calibration { near: 0.375, ..Calibration::default() };
    let index = index_of(&[("tea.md", TEA)], &small_chunks(16), calibration);
    fs::write(folder.path().join("tea.ibid"), index).unwrap();
    folder
}

#[test]
fn wrong_usage_is_told_from_failure() {
    let folder = folder_with_index();
    let code = |arguments: &[&str]| ibid(folder.path(), arguments).status.code();
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&["build", "--help"]), Some(0));
    assert_eq!(code(&["polish"]), Some(2));
    assert_eq!(code(&["search", "tea.ibid"]), Some(2));
    assert_eq!(code(&["search", "tea.ibid", "tea", "--limit", "0"]), Some(2));
    assert_eq!(code(&["ask", "tea.ibid", "why?", "--base-url", "http://127.0.0.1:9"]), Some(2));
    assert_eq!(code(&["ask", "tea.ibid", "why?", "--model", "m", "--provider", "nobody"]), Some(2));
    assert_eq!(code(&["search", "missing.ibid", "tea"]), Some(1));
}

#[test]
fn a_build_that_names_no_output_writes_the_index_of_a_site() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tea.md"), TEA).unwrap();
    let output = ibid(folder.path(), &["build", "tea.md", "--encoder", "table"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(ibid(folder.path(), &["search", "site.ibid", "green tea"]).status.code(), Some(0));
}

#[test]
fn search_prints_passages_with_their_place() {
    let folder = folder_with_index();
    let found = ibid(folder.path(), &["search", "tea.ibid", "how hot for green tea"]);
    assert_eq!(found.status.code(), Some(0));
    let text = stdout(&found);
    assert!(
        text.starts_with("1. Tea\n   tea.md:3\n   ") && text.contains("80 degrees") && !text.contains('#'),
        "{text}"
    );

    let json = ibid(folder.path(), &["search", "tea.ibid", "boiling", "--limit", "1", "--json"]);
    let hits: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(hits[0]["headingPath"], serde_json::json!(["Tea", "Black tea"]));
    assert_eq!(hits[0]["highlights"], serde_json::json!([{"start": 16, "end": 23}]));
    assert_eq!(hits[0]["span"], serde_json::json!({"start": 54, "end": 84}));

    let none = ibid(folder.path(), &["search", "tea.ibid", "stock exchange"]);
    assert_eq!(
        (none.status.code(), stdout(&none)),
        (
            Some(0),
            "No results for \"stock exchange\". Check the spelling, or use fewer or other words.\n"
                .to_owned()
        )
    );
}

#[test]
fn search_takes_everything_that_a_query_can_say() {
    let folder = folder_with_index();
    let search = |arguments: &[&str]| {
        let output = ibid(folder.path(), &[&["search", "tea.ibid"], arguments].concat());
        (output.status.code(), stdout(&output), stderr(&output))
    };
    let (code, text, _) = search(&["boiling water", "--explain", "--neighbours", "1"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("hybrid search in 2 passages") && text.contains("coverage"), "{text}");
    assert!(text.contains("   | Green tea steeps"), "{text}");
    for mode in ["hybrid", "vector", "lexical"] {
        let (_, text, _) = search(&["boiling", "--mode", mode, "--evidence"]);
        assert!(text.starts_with("1. Tea > Black tea"), "{mode}: {text}");
    }
    assert!(search(&["boi", "--mode", "lexical"]).1.contains("boiling"));
    assert!(search(&["watre boi", "--mode", "lexical"]).1.contains("water"));
    let (code, text, _) = search(&["--boiling", "--mode", "lexical"]);
    assert!(code == Some(0) && text.contains("boiling"), "a flag is a query: {text}");
    assert!(search(&["\"water boiling\""]).1.starts_with("No results for \"\"water boiling\"\"."));
    let (_, json, _) = search(&["tea", "--json", "--explain", "--weight", "0.7"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["explain"]["mode"], "hybrid");
    assert_eq!(json["hits"][0]["documentId"], "tea");

    for (arguments, code, told) in [
        (["tea", "--filter", "{"], 2, "not JSON"),
        (["tea", "--filter", "{\"colour\": \"red\"}"], 1, "[filter-invalid]"),
        (["tea", "--facet", "colour"], 1, "[filter-invalid]"),
        (["tea", "--mode", "magic"], 2, "magic"),
        (["tea", "--neighbours", "9"], 2, "neighbours"),
        (["tea", "--evidence", "rumour"], 2, "rumour"),
        (["tea", "--weight", "2"], 2, "lexicalWeight"),
    ] {
        let (exit, _, stderr) = search(&arguments);
        assert_eq!((exit, stderr.contains(told)), (Some(code), true), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_bad_index_or_query_is_explained() {
    let folder = folder_with_index();
    let index = fs::read(folder.path().join("tea.ibid")).unwrap();
    fs::write(folder.path().join("cut.ibid"), &index[..index.len() / 2]).unwrap();
    fs::write(folder.path().join("page.ibid"), "<html></html>").unwrap();
    fs::create_dir(folder.path().join("site")).unwrap();
    for (file, query, code) in [
        ("cut.ibid", "tea", "[index-truncated]"),
        ("site", "tea", "[index-foreign]"),
        ("page.ibid", "tea", "[index-foreign]"),
        ("tea.ibid", "  ", "[query-empty]"),
    ] {
        let output = ibid(folder.path(), &["search", file, query]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(code) && stderr(&output).contains("hint:"), "{}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn ask_without_a_model_quotes() {
    let folder = folder_with_index();
    let output = ibid(folder.path(), &["ask", "tea.ibid", "How hot for green tea?"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).starts_with("Tea\n\nGreen tea steeps at 80 degrees. [1]"), "{}", stdout(&output));
    assert!(stdout(&output).contains("[1] Tea  tea.md:3"), "{}", stdout(&output));
    assert!(stderr(&output).contains("searching: How hot for green tea?"));
}

#[test]
fn ask_lists_what_comes_nearest_where_nothing_answers() {
    let folder = folder_with_index();
    let output = ibid(folder.path(), &["ask", "tea.ibid", "Which tea did the emperor of China like best?"]);
    assert_eq!(output.status.code(), Some(0));
    let said = stdout(&output);
    assert!(said.starts_with("No passage in these documents answers this question."), "{said}");
    assert!(said.contains("\nNearest passages\n- Tea  tea.md:3\n"), "{said}");
    assert!(!said.contains("Sources"), "{said}");
}

#[test]
fn an_error_says_what_to_do_and_has_no_number_of_the_system() {
    let folder = folder_with_index();
    let asked = ["ask", "tea.ibid", "why?", "--model", "m", "--provider", "ollama", "--timeout", "9"];
    let output = ibid(folder.path(), &[&asked[..], &["--base-url", "http://127.0.0.1:9"]].concat());
    let said = stderr(&output);
    assert!(said.contains("Is Ollama running? Start it with `ollama serve`."), "{said}");
    let missing = stderr(&ibid(folder.path(), &["search", "missing.ibid", "tea"]));
    assert!(!said.contains("os error") && !missing.contains("os error"), "{said}{missing}");
}

/// Answers each connection with the next response, and returns the requests.
fn serve(responses: Vec<String>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let answer = move || {
        let answer_one = |response: String| {
            let (mut stream, _) = listener.accept().unwrap();
            let (head, body) = read_request(&mut stream);
            stream.write_all(response.as_bytes()).unwrap();
            head + std::str::from_utf8(&body).unwrap()
        };
        responses.into_iter().map(answer_one).collect()
    };
    (address, std::thread::spawn(answer))
}

fn stream(deltas: &[&str]) -> String {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let events = deltas.iter().map(|delta| format!("data: {{\"choices\":[{{\"index\":0,{delta}}}]}}\n\n"));
    head.to_owned() + &events.collect::<Vec<_>>().concat() + "data: [DONE]\n\n"
}

#[test]
fn ask_lets_a_model_search_and_cite() {
    let folder = folder_with_index();
    let (address, server) = serve(vec![
        stream(&[
            r#""delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"search_documents","arguments":""}}]}"#,
            r#""delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"query\":\"green tea\"}"}}]}"#,
            r#""delta":{},"finish_reason":"tool_calls""#,
        ]),
        stream(&[
            r#""delta":{"content":"At 80 degrees [1], not 90 [7]."}"#,
            r#""delta":{},"finish_reason":"stop""#,
        ]),
    ]);
    let arguments = ["ask", "tea.ibid", "How hot for green tea?", "--base-url", &address, "--model", "m"];
    let output = command(folder.path(), &arguments).env("IBID_API_KEY", "sk-secret").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("At 80 degrees [1], not 90 [7].\n\nSources\n[1] Tea  tea.md:3\n"), "{text}");
    assert!(text.contains("cites [7]"), "{text}");
    assert!(stderr(&output).contains("searching: green tea"));
    assert!(!(text + &stderr(&output)).contains("sk-secret"));
    let requests = server.join().unwrap();
    assert!(requests[0].to_lowercase().contains("authorization: bearer sk-secret"));
    assert!(requests[1].contains("Green tea steeps at 80 degrees."));
}

#[test]
fn a_refused_key_and_a_dead_server_are_explained() {
    let folder = folder_with_index();
    let body = r#"{"error":{"message":"Incorrect API key provided: sk-secret"}}"#;
    let (address, server) = serve(vec![response(401, "", body)]);
    let arguments = ["ask", "tea.ibid", "How hot?", "--base-url", &address, "--model", "m"];
    let output = command(folder.path(), &arguments).env("IBID_API_KEY", "sk-secret").output().unwrap();
    server.join().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("[provider-auth]") && !stderr(&output).contains("sk-secret"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn build_writes_the_same_index_for_the_same_documents() {
    let weights = weights();
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs/deep");
    fs::create_dir_all(&docs).unwrap();
    fs::write(folder.path().join("docs/tea.md"), TEA).unwrap();
    fs::write(
        docs.join("iron.markdown"),
        "---\ntitle: Iron\nmenu: {a: 1}\n---\nIron tablets darken the stool.\n",
    )
    .unwrap();
    fs::write(folder.path().join("docs/broken.md"), b"# Caf\xe9").unwrap();
    fs::write(folder.path().join("docs/ignored.md"), "# Secret\n\nNot to be found.").unwrap();
    fs::write(folder.path().join("docs/.gitignore"), "ignored.md\n").unwrap();
    fs::write(folder.path().join("docs/notes.log"), "no document").unwrap();

    let build = |output: &str| ibid(folder.path(), &["build", "docs", "-o", output, "--model", &weights]);
    let first = build("a.ibid");
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    let report = stderr(&first);
    assert!(report.contains("2 documents, 2 chunks, 1 left out"), "{report}");
    assert!(report.contains("`broken.md`") && report.contains("`menu`"), "{report}");
    build("b.ibid");
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("a.ibid") == read("b.ibid"));

    let found = ibid(folder.path(), &["search", "a.ibid", "Which tablets change the colour of stool?"]);
    assert!(stdout(&found).starts_with("1. Iron\n"), "{}", stdout(&found));
    assert!(stdout(&found).contains("deep/iron.markdown:5"), "{}", stdout(&found));
}

#[test]
fn a_build_that_fails_leaves_the_old_index_alone() {
    let folder = folder_with_index();
    let before = fs::read(folder.path().join("tea.ibid")).unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let nothing = ibid(folder.path(), &["build", "empty", "-o", "tea.ibid"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(stderr(&nothing).contains("No documents were found"));
    fs::write(folder.path().join("a.md"), "# A\n\ntext").unwrap();
    let no_model = ibid(folder.path(), &["build", "a.md", "-o", "tea.ibid", "--model", "none"]);
    assert_eq!(no_model.status.code(), Some(1));
    let foreign = ibid(folder.path(), &["build", "a.md", "-o", "tea.ibid", "--model", "a.md"]);
    assert!(stderr(&foreign).contains("[model-invalid]"), "{}", stderr(&foreign));
    assert!(fs::read(folder.path().join("tea.ibid")).unwrap() == before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}
