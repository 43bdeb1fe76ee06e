//! The driver, with a scripted network, clock and search.

use pollster::block_on;
use serde_json::json;

use super::*;
use crate::agent::{AnswerMode, Purpose, Replay, ReplayedModel, SearchOnly, drive};
use ibid_llm::{HttpModel, Provider};
use ibid_platform::script::{Scripted, ScriptedClock, ScriptedHttp};

/// No model at all, of a type that could be one.
const NO_MODEL: Option<&HttpModel<'static, ScriptedHttp, ScriptedClock>> = None;

fn provider() -> Provider {
    Provider::new("https://llm.example/v1", "m").unwrap().with_api_key("sk-secret-key-1")
}

/// What came of a run: its result, its events, the waits and what was sent.
struct Driven {
    result: Result<Answer>,
    events: Vec<AskEvent>,
    slept: Vec<u64>,
    http: ScriptedHttp,
}

impl Driven {
    fn text(&self) -> String {
        streamed(&self.events)
    }

    fn code(&self) -> ErrorCode {
        self.result.as_ref().unwrap_err().code()
    }

    fn types(&self) -> Vec<String> {
        let name = |event| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned();
        let mut types: Vec<String> = self.events.iter().map(name).collect();
        types.retain(|name| name != "step");
        types.dedup();
        types
    }
}

fn play_run(run: &mut AgentRun, script: Vec<Scripted>, search: &Passages, clock: &ScriptedClock) -> Driven {
    let http = ScriptedHttp::new(script);
    let mut events = Vec::new();
    let provider = provider();
    let model = HttpModel::new(&provider, &http, clock);
    let mut push = |event| events.push(event);
    let result = block_on(drive(run, Some(&model), &SearchOnly(search), clock, None, &mut push));
    if let Err(error) = &result {
        assert!(!error.to_string().contains("sk-secret"), "{error}");
    }
    let slept = clock.slept.borrow().iter().map(|wait| wait.as_millis() as u64).collect();
    Driven { result, events, slept, http }
}

fn play(script: Vec<Scripted>) -> Driven {
    play_run(&mut run(), script, &Passages::default(), &ScriptedClock::default())
}

fn search_reply() -> Scripted {
    Scripted::ok(stream(&calls(vec![call("a", &json!({"query": "amoxicillin"}))])))
}

fn answer_reply() -> Scripted {
    Scripted::ok(stream(&says("Kinder: 40 mg/kg – zweimal täglich [1]. Ausschlag [2].", FinishReason::Stop)))
}

#[test]
fn the_tool_loop() {
    let played = play(vec![search_reply(), answer_reply()]);
    let answer = played.result.as_ref().unwrap();
    assert_eq!(answer.text, "Kinder: 40 mg/kg – zweimal täglich [1]. Ausschlag [2].");
    assert_eq!(played.text(), answer.text);
    assert_eq!(answer.citations.iter().map(|cite| cite.source.hit.chunk).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(played.types(), ["guard", "turn", "search", "sources", "turn", "text"]);
    assert_eq!(
        serde_json::to_value(&played.events[3]).unwrap(),
        json!({"type": "search", "id": "a", "query": "amoxicillin", "maxResults": 10})
    );
    let sources = played.events.iter().find(|event| matches!(event, AskEvent::Sources { .. }));
    let sources = serde_json::to_value(sources).unwrap();
    assert_eq!((&sources["sources"][1]["number"], &sources["sources"][1]["chunk"]), (&json!(2), &json!(2)));
    let sent = played.http.sent();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0]["messages"].as_array().unwrap().len(), 2);
    assert_eq!(sent[1]["messages"][2]["tool_calls"][0]["id"], "a");
    assert_eq!(sent[1]["messages"][3]["tool_call_id"], "a");
    let url = played.http.requests.borrow()[0].url.clone();
    assert_eq!(url, "https://llm.example/v1/chat/completions");
}

#[test]
fn parallel_calls_bad_calls_and_recovery() {
    let first = calls(vec![
        call("a", &json!({"query": "amoxicillin"})),
        raw_call("b", "search_documents", "{\"query\": \"fe"),
        raw_call("c", "delete_documents", "{}"),
    ]);
    let second = calls(vec![call("d", &json!({"query": "fever", "max_results": 1}))]);
    let last = says("A [1], B [3].", FinishReason::Stop);
    let played =
        play(vec![Scripted::ok(stream(&first)), Scripted::ok(stream(&second)), Scripted::ok(stream(&last))]);
    let answer = played.result.as_ref().unwrap();
    assert_eq!(answer.citations.iter().map(|cite| cite.source.hit.chunk).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((answer.turns, answer.searches, answer.usage.unwrap().input_tokens), (3, 2, 20));
    let errors: Vec<_> = played
        .events
        .iter()
        .filter_map(|event| match event {
            AskEvent::ToolError { id, name, .. } => Some((id.as_str(), name.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(errors, [("b", "search_documents"), ("c", "delete_documents")]);
    let messages = played.http.sent()[1]["messages"].clone();
    assert_eq!(
        messages[2]["tool_calls"][1]["function"]["arguments"], "{}",
        "broken arguments are not sent back"
    );
    assert!(messages[4]["content"].as_str().unwrap().starts_with("Error:"));
}

#[test]
fn a_text_starts_anew_with_its_own_first_piece_alone() {
    let options = AgentOptions { policy: Policy::Pipeline, ..options() };
    let mut run = AgentRun::new(QUESTION, options).unwrap();
    let replies = ["SIMPLE", "40 mg/kg [1].", "INSUFFICIENT: rash", "40 mg/kg [1], rash [2].", "SUFFICIENT"];
    let script = replies.map(|text| Scripted::ok(stream(&says(text, FinishReason::Stop))));
    let played = play_run(&mut run, script.into(), &Passages::default(), &ScriptedClock::default());
    let anew = played.events.iter().filter(|event| matches!(event, AskEvent::Text { restart: true, .. }));
    assert_eq!(anew.count(), 2, "two answers were written, and what else was asked has no text");
    assert_eq!(played.text(), played.result.unwrap().text);
    let pieces = played.events.iter().filter(|event| matches!(event, AskEvent::Text { .. }));
    let pieces: Vec<_> = pieces.map(|event| serde_json::to_value(event).unwrap()).collect();
    assert_eq!(pieces[0], json!({"type": "text", "delta": "40 ", "restart": true}));
    assert_eq!(pieces[1], json!({"type": "text", "delta": "mg/kg "}));
}

#[test]
fn the_last_turn_is_sent_without_tools() {
    let bad = || Scripted::ok(stream(&calls(vec![raw_call("a", "nonsense", "{}")])));
    let played = play(vec![bad(), bad(), bad(), answer_reply()]);
    assert!(played.result.is_ok());
    let choices: Vec<_> = played.http.sent().iter().map(|body| body["tool_choice"].clone()).collect();
    assert_eq!(choices, ["auto", "auto", "auto", "none"]);
    assert!(played.events.contains(&AskEvent::Text { delta: "[2].".to_owned(), restart: false }));
    assert!(played.events.contains(&AskEvent::Turn { turn: 4, purpose: Purpose::Answer, tools: false }));
}

#[test]
fn refusals_have_their_codes_and_are_not_retried() {
    let body = r#"{"error":{"message":"no sk-secret-key-1 here"}}"#;
    for (status, code) in [
        (401, ErrorCode::ProviderAuth),
        (404, ErrorCode::ProviderNotFound),
        (400, ErrorCode::ProviderRequest),
    ] {
        let played = play(vec![Scripted::status(status, body)]);
        assert_eq!((played.code(), played.slept.len()), (code, 0));
        assert!(played.result.unwrap_err().message().contains("no [secret] here"));
    }
}

#[test]
fn rate_limit_then_answer() {
    let limited =
        Scripted::Responds(429, vec![("retry-after", "7")], "{\"error\":{\"message\":\"slow\"}}".to_owned());
    let played = play(vec![limited, Scripted::status(503, "busy"), search_reply(), answer_reply()]);
    assert!(played.result.is_ok());
    assert_eq!(played.slept, [7000, 4000]);
    assert_eq!(
        serde_json::to_value(&played.events[2]).unwrap(),
        json!({"type": "retry", "attempt": 1, "delayMs": 7000,
            "reason": "The provider's rate limit is reached (HTTP 429): slow"})
    );
}

#[test]
fn a_server_that_stays_down_is_given_up_on() {
    let played = play((0..3).map(|_| Scripted::status(500, "")).collect());
    assert_eq!((played.code(), played.slept.as_slice()), (ErrorCode::ProviderUnavailable, &[2000, 4000][..]));
    let played = play((0..3).map(|_| Scripted::Fails(ErrorCode::Network)).collect());
    assert_eq!(played.code(), ErrorCode::Network);
    assert!(played.result.unwrap_err().is_retryable());
    let mut patient = provider();
    patient.endpoint.retry.max_retries = 0;
    let http = ScriptedHttp::new([Scripted::status(500, "")]);
    let clock = ScriptedClock::default();
    let model = HttpModel::new(&patient, &http, &clock);
    let search = Passages::default();
    let result = block_on(drive(&mut run(), Some(&model), &SearchOnly(&search), &clock, None, &mut |_| {}));
    assert_eq!(result.unwrap_err().code(), ErrorCode::ProviderUnavailable);
    assert!(clock.slept.borrow().is_empty());
}

#[test]
fn a_dropped_connection_is_retried_only_before_any_text() {
    let silent = || Scripted::Breaks("data: {\"choices\":[]}\n\ndata: {\"cho".to_owned(), ErrorCode::Network);
    let played = play(vec![silent(), Scripted::ok(""), search_reply(), answer_reply()]);
    assert!(played.result.is_ok());
    assert_eq!(played.slept, [2000, 4000]);

    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hal\"}}]}\n\n";
    for broken in [Scripted::ok(text), Scripted::Breaks(text.to_owned(), ErrorCode::Network)] {
        let played = play(vec![broken]);
        assert_eq!((played.code(), played.slept.len()), (ErrorCode::Network, 0));
        assert_eq!(played.text(), "Hal");
    }

    let finished = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n";
    let played = play(vec![search_reply(), Scripted::Breaks(finished.to_owned(), ErrorCode::Network)]);
    assert_eq!(played.result.unwrap().text, "Hi", "nothing of the reply is missing");
}

#[test]
fn errors_in_the_stream() {
    let error = "data: {\"error\":{\"code\":502,\"message\":\"upstream\"}}\n\n";
    let played = play(vec![Scripted::ok(error), search_reply(), answer_reply()]);
    assert!(played.result.is_ok());
    assert_eq!(played.slept, [2000]);
    let late = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"Hal\"}}}}]}}\n\n{error}");
    let played = play(vec![Scripted::ok(late)]);
    assert_eq!((played.code(), played.slept.len()), (ErrorCode::ProviderUnavailable, 0));
    for nonsense in ["data: {nonsense\n\n", "<html>", "Welcome to nginx!"] {
        let played = play(vec![Scripted::ok(nonsense)]);
        assert_eq!((played.code(), played.slept.len()), (ErrorCode::ProviderProtocol, 0), "{nonsense}");
    }
}

#[test]
fn reading_stops_at_the_end_mark() {
    let body = stream(&says("Hi", FinishReason::Stop));
    let played = play(vec![search_reply(), Scripted::Breaks(body, ErrorCode::Internal)]);
    assert_eq!(played.result.unwrap().text, "Hi");
}

#[test]
fn a_server_that_does_not_stream() {
    let whole = json!({"choices": [{"message": {"content": "Hi [1]"}, "finish_reason": "stop"}]}).to_string();
    let played = play(vec![search_reply(), Scripted::ok(whole)]);
    assert_eq!(played.text(), "Hi [1]");
    assert_eq!(played.result.unwrap().text, "Hi [1]");
}

#[test]
fn an_abort_passes_through_from_anywhere() {
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hal\"}}]}\n\n";
    for script in [
        vec![Scripted::Fails(ErrorCode::Aborted)],
        vec![Scripted::Breaks(text.to_owned(), ErrorCode::Aborted)],
        vec![Scripted::Breaks(String::new(), ErrorCode::Aborted)],
        vec![search_reply(), Scripted::Fails(ErrorCode::Aborted)],
    ] {
        let played = play(script);
        assert_eq!((played.code(), played.slept.len()), (ErrorCode::Aborted, 0));
        assert!(played.http.is_used_up());
    }
    let clock = ScriptedClock { aborts: true, ..ScriptedClock::default() };
    let played = play_run(&mut run(), vec![Scripted::status(429, "")], &Passages::default(), &clock);
    assert_eq!((played.code(), played.slept.as_slice()), (ErrorCode::Aborted, &[2000][..]));
    let search = Passages { fails: Some(ErrorCode::Aborted), ..Passages::default() };
    let played = play_run(&mut run(), vec![search_reply()], &search, &ScriptedClock::default());
    assert_eq!(played.code(), ErrorCode::Aborted);
}

#[test]
fn a_failed_run_can_be_driven_on() {
    let mut run = run();
    let played = play_run(
        &mut run,
        vec![search_reply(), Scripted::status(401, "")],
        &Passages::default(),
        &ScriptedClock::default(),
    );
    assert_eq!(played.code(), ErrorCode::ProviderAuth);
    let mut run: AgentRun = serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
    let played = play_run(&mut run, vec![answer_reply()], &Passages::default(), &ScriptedClock::default());
    let straight = play(vec![search_reply(), answer_reply()]).result.unwrap();
    let resumed = played.result.unwrap();
    assert_eq!((resumed.text, resumed.citations), (straight.text, straight.citations));
}

#[test]
fn without_a_provider() {
    let search = Passages::default();
    let mut events = Vec::new();
    let (host, clock) = (SearchOnly(&search), ScriptedClock::default());
    let mut push = |event| events.push(event);
    let answer = block_on(drive(&mut extractive(), NO_MODEL, &host, &clock, None, &mut push)).unwrap();
    assert_eq!(answer.mode, AnswerMode::Extractive);
    assert!(answer.text.contains("Children get amoxicillin 40 mg/kg twice daily. [1]"), "{}", answer.text);
    assert!(matches!(
        &events[..4],
        [AskEvent::Guard { .. }, AskEvent::Search { .. }, AskEvent::Step { .. }, AskEvent::Sources { .. }]
    ));
    assert_eq!(search.queries.borrow()[0].text, QUESTION);
    let error = block_on(drive(&mut run(), NO_MODEL, &host, &clock, None, &mut |_| {})).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidOption);
}

/// Drives a run of the question with a replay of `kept`; the answer, and the run as it is kept at each answer.
fn replayed(script: Vec<Scripted>, kept: Option<&str>) -> (Result<Answer>, Vec<String>) {
    let keeping = RefCell::new(Vec::new());
    let keep = |run: String| keeping.borrow_mut().push(run);
    let replay = Replay::new(QUESTION, kept, Some(&keep)).unwrap();
    let (http, clock) = (ScriptedHttp::new(script), ScriptedClock::default());
    let mut provider = provider();
    provider.endpoint.retry.max_retries = 0;
    let model = ReplayedModel::new(HttpModel::new(&provider, &http, &clock), &replay);
    let search = Passages::default();
    let answer = block_on(drive(&mut run(), Some(&model), &SearchOnly(&search), &clock, None, &mut |_| {}));
    let kept = keeping.take();
    (answer, kept)
}

#[test]
fn a_run_that_broke_off_goes_on_by_the_answers_it_got() {
    let (whole, kept) = replayed(vec![search_reply(), answer_reply()], None);
    assert_eq!(kept.len(), 2);
    assert!(kept.iter().all(|run| !run.contains("sk-secret")));
    let (answer, _) = replayed(vec![answer_reply()], Some(&kept[0]));
    let (answer, whole) = (answer.unwrap(), whole.unwrap());
    assert_eq!((&answer.text, answer.turns, answer.searches), (&whole.text, whole.turns, whole.searches));
    assert_eq!((&answer.sources, answer.usage), (&whole.sources, whole.usage));
    // Nothing is left to be called.
    assert_eq!(replayed(vec![], Some(&kept[1])).0.unwrap().text, whole.text);
    for (question, kept) in [("Another question?", kept[1].as_str()), (QUESTION, "{}"), (QUESTION, "")] {
        let error = Replay::new(question, Some(kept), None).err().unwrap();
        assert_eq!(error.code(), ErrorCode::InvalidOption);
    }
}

#[test]
fn a_failure_that_a_run_outlived_is_replayed_and_the_last_is_not() {
    // Without tools the classic policy answers.
    let refused = || Scripted::status(400, r#"{"error":{"message":"This model does not support tools"}}"#);
    let (failed, kept) = replayed(vec![refused(), Scripted::status(401, "{}")], None);
    assert!(failed.is_err());
    assert_eq!(kept.len(), 1, "{kept:?}");
    let (answer, _) = replayed(vec![answer_reply()], Some(&kept[0]));
    assert_eq!(answer.unwrap().policy, Policy::Classic);
}

#[test]
fn tools_are_not_called_again() {
    let (asked, other) = (raw_call("a", "book", "{}"), raw_call("b", "book", "{}"));
    let kept = RefCell::new(String::new());
    let keep = |run| drop(kept.replace(run));
    let first = Replay::new(QUESTION, None, Some(&keep)).unwrap();
    first.tool_answered(&asked, &Ok("Booked.".to_owned()));
    first.tool_answered(&other, &Err(Error::new(ErrorCode::InvalidOption, "Full.")));
    first.tool_answered(&other, &Err(Error::new(ErrorCode::Aborted, "Gone.")));
    let second = Replay::new(QUESTION, Some(&kept.borrow()), None).unwrap();
    assert_eq!(second.of_tool(&other).unwrap().unwrap_err().message(), "Full.");
    assert_eq!(second.of_tool(&asked), Some(Ok("Booked.".to_owned())));
    assert_eq!(second.of_tool(&asked), None);
}

#[test]
fn an_output_is_told_while_it_grows() {
    let output = serde_json::from_value(json!({"schema": {"type": "object"}})).unwrap();
    let options = AgentOptions { output: Some(output), policy: Policy::Classic, ..options() };
    let mut run = AgentRun::new(QUESTION, options).unwrap();
    let script = ["Give 40 mg/kg [1].", "{\"drug\": \"amoxicillin\", \"doses\": [40, 45]}"]
        .map(|text| Scripted::ok(stream(&says(text, FinishReason::Stop))));
    let played = play_run(&mut run, script.into(), &Passages::default(), &ScriptedClock::default());
    let partial: Vec<&Value> = played
        .events
        .iter()
        .filter_map(|event| match event {
            AskEvent::Output { partial } => Some(partial),
            _ => None,
        })
        .collect();
    assert_eq!(
        partial,
        [
            &json!({}),
            &json!({"drug": "amoxicillin"}),
            &json!({"drug": "amoxicillin", "doses": [40]}),
            &json!({"drug": "amoxicillin", "doses": [40, 45]}),
        ]
    );
    assert_eq!(played.result.unwrap().output.as_ref(), partial.last().copied());
}
