//! Runs that end before the model would have them end.

use std::cell::Cell;
use std::time::Duration;

use pollster::block_on;
use serde_json::json;

use super::tools::ScriptedModel;
use super::*;
use crate::agent::{Budget, Host, Price, SearchOnly, StoppedBy, drive};
use ibid_llm::{CallEvent, Model, ToolChoice, ToolSpec};
use ibid_platform::Clock;
use ibid_platform::script::ScriptedClock;
use ibid_trust::cite::FlagKind;

fn searching(id: &str) -> ModelReply {
    calls(vec![call(id, &json!({"query": format!("amoxicillin {id}")}))])
}

#[test]
fn a_budget_ends_a_run_gracefully() {
    // A search takes 12 tokens; of 30, after one search one more call fits.
    let options = |tokens| AgentOptions { budget: Budget { tokens: Some(tokens), cost: None }, ..options() };
    let mut run = AgentRun::new(QUESTION, options(30)).unwrap();
    run.model_replied(searching("a")).unwrap();
    run.retrieved("a", vec![hit(0, "Amoxicillin dose: 40 mg/kg.")]).unwrap();
    assert_eq!(request(&run).tool_choice, ToolChoice::None);
    run.model_replied(says("40 mg/kg [1].", FinishReason::Stop)).unwrap();
    assert_eq!(answer(&run).stopped_by, Some(StoppedBy::Tokens));
    // Of 12 nothing is left, and what was found is quoted.
    let mut run = AgentRun::new(QUESTION, options(12)).unwrap();
    run.model_replied(searching("a")).unwrap();
    run.retrieved("a", vec![hit(0, "Amoxicillin dose: 40 mg/kg.")]).unwrap();
    run.retrieved("question", Vec::new()).unwrap();
    let answer = answer(&run);
    assert_eq!(
        (answer.text.as_str(), answer.turns),
        ("Pneumonia › Treatment\n\nAmoxicillin dose: 40 mg/kg. [1]", 1)
    );
    assert!(answer.flags[0].message.contains("budget") && answer.flags[0].kind == FlagKind::NoModelAnswer);
}

#[test]
fn money_is_counted_where_all_prices_are_known() {
    let prices = [("scripted".to_owned(), Price { input: 1e6, output: 1e6, cached_input: None })].into();
    let options = AgentOptions { prices, budget: Budget { tokens: None, cost: Some(30.0) }, ..options() };
    let mut run = AgentRun::new(QUESTION, options).unwrap();
    run.set_model("scripted");
    run.model_replied(searching("a")).unwrap();
    run.retrieved("a", vec![hit(0, "x")]).unwrap();
    assert!(!run.may_use_tools(), "12 of 30 are spent, and 12 more would leave too little for another");
    run.model_replied(ModelReply { usage: searching("x").usage, ..says("x [1]", FinishReason::Stop) })
        .unwrap();
    assert_eq!((answer(&run).cost, answer(&run).stopped_by), (Some(24.0), Some(StoppedBy::Cost)));
    let mut run = self::run();
    run.set_model("other");
    search_once(&mut run, "a", "x", vec![hit(0, "x")]);
    run.model_replied(ModelReply { usage: searching("x").usage, ..says("x", FinishReason::Stop) }).unwrap();
    assert_eq!(answer(&run).cost, None);
}

#[test]
fn a_context_that_is_too_long_is_tried_once_with_less() {
    let too_long = Error::new(ErrorCode::ContextLength, "too long");
    let mut run = run();
    let long = "word ".repeat(400);
    search_once(&mut run, "a", "x", (0..5).map(|n| hit(n, &long)).collect());
    let before = told(&run)[0].1.len();
    assert!(run.model_failed(&too_long));
    let after = told(&run)[0].1.len();
    assert!(after * 4 < before, "{after} of {before}");
    assert!(run.model_failed(&too_long), "once");
    assert_eq!(searches(&run)[0].0, "question", "then what was found is quoted");
}

/// A clock on which each wait that is asked for takes place.
struct Passing {
    clock: ScriptedClock,
}

impl Clock for Passing {
    async fn sleep(&self, duration: Duration) -> Result<()> {
        self.clock.time.set(self.clock.time.get() + duration.as_secs_f64() * 1000.0);
        Ok(())
    }

    fn now(&self) -> f64 {
        self.clock.time.get()
    }
}

/// A host whose tool never returns.
struct Hanging(Passages);

impl Host for Hanging {
    async fn search(&self, _: Option<&str>, query: &Query) -> Result<Vec<Hit>> {
        self.0.search(query).await
    }

    async fn call_tool(&self, _: &ToolCall) -> Result<String> {
        std::future::pending().await
    }
}

#[test]
fn a_run_that_takes_too_long_ends_with_what_it_has() {
    let tool = serde_json::from_value(
        json!({"name": "wait", "description": "", "parameters": {}, "readOnly": true}),
    )
    .unwrap();
    let options = AgentOptions { tools: vec![tool], ..options() };
    let model = ScriptedModel::of(vec![Ok(searching("a")), Ok(calls(vec![raw_call("b", "wait", "{}")]))]);
    let mut run = AgentRun::new(QUESTION, options).unwrap();
    let clock = Passing { clock: ScriptedClock::default() };
    let host = Hanging(Passages::default());
    let limit = Some(Duration::from_secs(5));
    let answer = block_on(drive(&mut run, Some(&model), &host, &clock, limit, &mut |_| {})).unwrap();
    assert_eq!(answer.stopped_by, Some(StoppedBy::Timeout));
    assert!(answer.text.contains("40 mg/kg") && answer.flags[0].message.contains("time"), "{answer:?}");
    // The call that hung has a result, so that the conversation can go on.
    let next = AgentRun::in_conversation("Go on.", self::options(), run.conversation()).unwrap();
    assert!(format!("{:?}", request(&next).messages).contains("broken off"));
}

/// A model that never says a word, or only after some replies.
struct SilentModel(ScriptedModel);

impl Model for SilentModel {
    fn name(&self) -> &'static str {
        "silent"
    }

    async fn call(&self, request: &ChatRequest, on_event: &mut dyn FnMut(CallEvent)) -> Result<ModelReply> {
        if self.0.is_used_up() { std::future::pending().await } else { self.0.call(request, on_event).await }
    }
}

/// A search that is never answered, as often as that, and then at once.
struct Slow(Passages, Cell<u32>);

impl Host for Slow {
    async fn search(&self, _: Option<&str>, query: &Query) -> Result<Vec<Hit>> {
        if self.1.get() > 0 {
            self.1.set(self.1.get() - 1);
            return std::future::pending().await;
        }
        self.0.search(query).await
    }
}

#[test]
fn a_silent_provider_ends_in_quotes_whatever_the_policy() {
    let nothing = || Ok(calls(vec![call("a", &json!({"query": "xyz"}))]));
    for (policy, replies, slow) in [
        (Policy::Tools, vec![], 0),
        (Policy::Tools, vec![nothing()], 0),
        (Policy::Tools, vec![Ok(searching("a"))], 1),
        (Policy::Classic, vec![], 0),
        (Policy::Classic, vec![], 1),
        (Policy::Pipeline, vec![], 0),
        (Policy::Pipeline, vec![Ok(says("COMPARATIVE", FinishReason::Stop))], 0),
        (Policy::Case, vec![], 0),
        (Policy::Auto, vec![], 0),
        (Policy::Extractive, vec![], 1),
    ] {
        let host = Slow(Passages::default(), Cell::new(slow));
        let model = SilentModel(ScriptedModel::of(replies));
        let clock = Passing { clock: ScriptedClock::default() };
        let limit = Some(Duration::from_millis(800));
        let mut run = AgentRun::new(QUESTION, AgentOptions { policy, ..options() }).unwrap();
        let answer = block_on(drive(&mut run, Some(&model), &host, &clock, limit, &mut |_| {})).unwrap();
        assert!(answer.text.contains("Children get amoxicillin 40 mg/kg"), "{policy:?}: {}", answer.text);
        assert_eq!((answer.stopped_by, answer.sources.is_empty()), (Some(StoppedBy::Timeout), false));
        assert_eq!(answer.flags[0].kind, FlagKind::NoModelAnswer);
    }
    // A search that is never answered either does not keep the run.
    let (host, model) = (Slow(Passages::default(), Cell::new(9)), SilentModel(ScriptedModel::of(vec![])));
    let clock = Passing { clock: ScriptedClock::default() };
    let limit = Some(Duration::from_millis(800));
    let answer = block_on(drive(&mut run(), Some(&model), &host, &clock, limit, &mut |_| {})).unwrap();
    assert_eq!((answer.stopped_by, answer.sources.len()), (Some(StoppedBy::Timeout), 0));
}

#[test]
fn an_aborted_run_leaves_a_valid_conversation() {
    let mut run = run();
    run.model_replied(calls(vec![call("a", &json!({"query": "x"})), call("b", &json!({"query": "y"}))]))
        .unwrap();
    run.retrieved("a", vec![hit(0, "x")]).unwrap();
    let next = AgentRun::in_conversation("Go on.", options(), run.conversation()).unwrap();
    let results =
        request(&next).messages.into_iter().filter(|message| matches!(message, Message::Tool { .. }));
    assert_eq!(results.count(), 2);
}

#[test]
fn huge_arguments_are_told_and_not_read() {
    let mut run = run();
    let huge = format!("{{\"query\": \"{}\"}}", "x".repeat(10 << 20));
    let problems = replied(&mut run, calls(vec![raw_call("a", "search_documents", &huge)]));
    assert!(problems[0].2.contains("longer than"), "{}", problems[0].2);
}

#[test]
fn specs_and_choices_have_their_shapes() {
    // What a page reads as JSON.
    let spec = ToolSpec { name: "n".to_owned(), description: "d".to_owned(), parameters: json!({}) };
    assert_eq!(
        serde_json::to_value(&spec).unwrap(),
        json!({"name": "n", "description": "d", "parameters": {}})
    );
    assert_eq!(serde_json::to_value(ToolChoice::Tool("x".to_owned())).unwrap(), json!({"tool": "x"}));
}

#[test]
fn a_silent_search_is_an_error_of_its_own() {
    let search = Passages { fails: Some(ErrorCode::IndexIncomplete), ..Passages::default() };
    let model = ScriptedModel::of(vec![Ok(searching("a"))]);
    let (mut run, clock) = (run(), ScriptedClock::default());
    let result = block_on(drive(&mut run, Some(&model), &SearchOnly(&search), &clock, None, &mut |_| {}));
    assert_eq!(result.unwrap_err().code(), ErrorCode::IndexIncomplete);
}
