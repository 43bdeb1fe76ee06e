//! What the model can do besides searching: tools of the host's, collections, judgements, and ending by a tool.

use std::cell::RefCell;

use pollster::block_on;
use serde_json::json;

use super::*;
use crate::agent::{
    CollectionSpec, Conversation, CustomTool, FieldKind, FieldSpec, Host, Purpose, Stages, StepChange,
    StepState, StoppedBy, drive,
};
use ibid_llm::{CallEvent, Model, ToolChoice};
use ibid_platform::script::ScriptedClock;

/// A model whose replies are written beforehand.
#[derive(Default)]
pub(super) struct ScriptedModel {
    replies: RefCell<Vec<Result<ModelReply>>>,
    pub(super) requests: RefCell<Vec<ChatRequest>>,
}

impl ScriptedModel {
    pub(super) fn of(replies: Vec<Result<ModelReply>>) -> Self {
        let mut replies = replies;
        replies.reverse();
        Self { replies: RefCell::new(replies), requests: RefCell::default() }
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.replies.borrow().is_empty()
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &'static str {
        "scripted"
    }

    async fn call(&self, request: &ChatRequest, _on_event: &mut dyn FnMut(CallEvent)) -> Result<ModelReply> {
        self.requests.borrow_mut().push(request.clone());
        self.replies.borrow_mut().pop().expect("the script has a reply")
    }
}

/// A host with a calculator, and a say in everything.
#[derive(Default)]
struct Helpful {
    passages: Passages,
    collections: RefCell<Vec<Option<String>>>,
    states: RefCell<Vec<StepState>>,
    change: StepChange,
}

impl Host for Helpful {
    async fn search(&self, collection: Option<&str>, query: &Query) -> Result<Vec<Hit>> {
        self.collections.borrow_mut().push(collection.map(str::to_owned));
        self.passages.search(query).await
    }

    async fn call_tool(&self, call: &ToolCall) -> Result<String> {
        if call.arguments.contains("13") {
            return Err(Error::new(ErrorCode::Internal, "thirteen is bad luck"));
        }
        Ok(format!("{} gives 42", call.arguments))
    }

    async fn prepare_step(&self, state: &StepState) -> Result<StepChange> {
        self.states.borrow_mut().push(state.clone());
        Ok(self.change.clone())
    }
}

fn calculator() -> CustomTool {
    CustomTool {
        name: "calculate".to_owned(),
        description: "Calculates.".to_owned(),
        parameters: json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}),
        read_only: true,
        stage: Vec::new(),
    }
}

fn with_calculator() -> AgentOptions {
    AgentOptions { tools: vec![calculator()], ..options() }
}

fn play(
    options: AgentOptions,
    host: &Helpful,
    replies: Vec<ModelReply>,
) -> (Answer, Vec<ChatRequest>, Vec<AskEvent>) {
    let model = ScriptedModel::of(replies.into_iter().map(Ok).collect());
    let mut run = AgentRun::new(QUESTION, options).unwrap();
    let mut events = Vec::new();
    let clock = ScriptedClock::default();
    let mut push = |event| events.push(event);
    let answer = block_on(drive(&mut run, Some(&model), host, &clock, None, &mut push)).unwrap();
    (answer, model.requests.into_inner(), events)
}

fn final_answer() -> ModelReply {
    says("40 mg/kg [1].", FinishReason::Stop)
}

#[test]
fn tools_of_the_host_run_beside_searches() {
    let both = calls(vec![
        call("a", &json!({"query": "amoxicillin"})),
        raw_call("b", "calculate", "{\"n\": 7}"),
        raw_call("c", "calculate", "{\"n\": 13}"),
        raw_call("d", "calculate", "{\"n\": \"x\"}"),
    ]);
    let (answer, requests, events) = play(with_calculator(), &Helpful::default(), vec![both, final_answer()]);
    let results: Vec<_> = requests[1]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { call_id, content, is_error } => {
                Some((call_id.as_str(), content.as_str(), *is_error))
            }
            _ => None,
        })
        .collect();
    assert_eq!(results[1], ("b", "{\"n\": 7} gives 42", false));
    assert_eq!(results[2], ("c", "Error: thirteen is bad luck", true));
    assert!(results[3].1.contains("/n is string, not integer"), "{}", results[3].1);
    let kinds: Vec<_> = events
        .iter()
        .filter(|event| matches!(event, AskEvent::ToolCall { .. } | AskEvent::ToolResult { .. }))
        .collect();
    assert_eq!(kinds.len(), 4);
    assert_eq!((answer.searches, answer.turns), (1, 2));
    assert!(steps(&answer).contains(&"tool"));
}

#[test]
fn a_model_that_repeats_itself_is_stopped() {
    let mut run =
        AgentRun::new(QUESTION, AgentOptions { max_turns: 10, max_searches: 10, ..options() }).unwrap();
    search_once(&mut run, "a", "Dose of  amoxicillin", vec![hit(0, "Amoxicillin dose: 40 mg/kg.")]);
    for (id, expected) in [("b", true), ("c", false)] {
        let problems = replied(&mut run, calls(vec![call(id, &json!({"query": "dose of amoxicillin"}))]));
        assert!(problems[0].2.contains("very search"), "{problems:?}");
        assert_eq!(run.may_use_tools(), expected);
    }
    assert_eq!(request(&run).tool_choice, ToolChoice::None);
    run.model_replied(final_answer()).unwrap();
    assert_eq!(answer(&run).stopped_by, Some(StoppedBy::Repetition));
    assert_eq!(answer(&run).searches, 1);
}

#[test]
fn the_model_chooses_a_collection_and_filters() {
    let field =
        FieldSpec { name: "kind".to_owned(), kind: FieldKind::Keyword, values: vec!["rct".to_owned()] };
    let collection = |name: &str| CollectionSpec {
        name: name.to_owned(),
        fields: vec![field.clone()],
        ..CollectionSpec::default()
    };
    let options =
        AgentOptions { collections: vec![collection("adults"), collection("children")], ..options() };
    let host = Helpful::default();
    let first = calls(vec![
        call("a", &json!({"query": "amoxicillin", "collection": "children", "filter": {"kind": "rct"}})),
        call("b", &json!({"query": "fever"})),
        call("c", &json!({"query": "rash", "collection": "animals"})),
    ]);
    let (_, requests, events) = play(options, &host, vec![first, final_answer()]);
    assert_eq!(*host.collections.borrow(), [Some("children".to_owned()), Some("adults".to_owned())]);
    let queries = host.passages.queries.borrow();
    assert!(queries[0].filter.is_some() && queries[1].filter.is_none());
    assert!(format!("{requests:?}").contains("no collection named"));
    assert!(events.iter().any(
        |event| matches!(event, AskEvent::Sources { collection: Some(name), .. } if name == "children")
    ));
}

#[test]
fn a_single_collection_goes_without_saying() {
    let collection = CollectionSpec { name: "adults".to_owned(), ..CollectionSpec::default() };
    let host = Helpful::default();
    let first = calls(vec![call("a", &json!({"query": "amoxicillin", "collection": "adults"}))]);
    let options = AgentOptions { collections: vec![collection], ..options() };
    let (_, requests, events) = play(options, &host, vec![first, final_answer()]);
    assert_eq!(*host.collections.borrow(), [None]);
    assert!(!format!("{requests:?}").contains("collection=\\"));
    assert!(events.iter().all(|event| !matches!(event, AskEvent::Search { collection: Some(_), .. })));
}

#[test]
fn a_filter_narrows_what_the_caller_allows() {
    let query = Query::from_json(r#"{"filter": {"year": 2020}}"#).unwrap();
    let options = AgentOptions { query, ..options() };
    let host = Helpful::default();
    let first = calls(vec![call("a", &json!({"query": "amoxicillin", "filter": {"year": 1990}}))]);
    play(options, &host, vec![first, final_answer()]);
    let filter = host.passages.queries.borrow()[0].filter.clone().unwrap().to_json().to_string();
    assert!(filter.contains("2020") && filter.contains("1990"), "{filter}");
}

#[test]
fn the_answer_can_be_given_by_a_tool() {
    let options = AgentOptions { done_tool: true, evaluate_tool: true, ..options() };
    let mut run = AgentRun::new(QUESTION, options).unwrap();
    assert_eq!(request(&run).tool_choice, ToolChoice::Required);
    assert_eq!(request(&run).tools.len(), 3);
    search_once(&mut run, "a", "amoxicillin", vec![hit(0, "40 mg/kg")]);
    replied(&mut run, calls(vec![raw_call("b", "evaluate_results", "{\"sufficient\": true}")]));
    assert!(told(&run)[0].1.starts_with("Noted."));
    let done = json!({"answer": "40 mg/kg.", "sources": [1, 9]}).to_string();
    replied(&mut run, calls(vec![raw_call("c", "done", &done), call("d", &json!({"query": "more"}))]));
    let answer = answer(&run);
    assert_eq!((answer.text.as_str(), answer.citations.len()), ("40 mg/kg. [1]", 1));
    let json = run.conversation().to_json().unwrap();
    assert!(Conversation::from_json(&json).is_ok());
}

#[test]
fn the_host_changes_a_step() {
    let change = StepChange {
        model: Some("bigger".to_owned()),
        tools: Some(vec!["calculate".to_owned()]),
        tool_choice: Some(ToolChoice::Required),
        system: Some("Be brief.".to_owned()),
        messages: None,
    };
    let host = Helpful { change, ..Helpful::default() };
    let options = AgentOptions { prepare_step: true, ..with_calculator() };
    let (_, requests, _) = play(options, &host, vec![final_answer()]);
    assert_eq!(requests[0].model.as_deref(), Some("bigger"));
    assert_eq!(requests[0].messages[0], Message::System { content: "Be brief.".to_owned() });
    assert_eq!(requests[0].tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["calculate"]);
    assert_eq!(requests[0].tool_choice, ToolChoice::Required);
    let states = host.states.borrow();
    assert_eq!((states.len(), states[0].turn), (1, 1));
    assert_eq!(serde_json::to_value(&states[0]).unwrap()["purpose"], "answer");
    let pipeline = AgentOptions { policy: Policy::Pipeline, prepare_step: true, ..super::options() };
    let Step::Prepare(state) = AgentRun::new(QUESTION, pipeline).unwrap().next_step() else { panic!() };
    assert_eq!(state.purpose, Purpose::Classify);
}

#[test]
fn a_host_that_leaves_no_choice_has_the_model_answer() {
    let host = Helpful {
        change: StepChange { tool_choice: Some(ToolChoice::None), ..StepChange::default() },
        ..Helpful::default()
    };
    let options = AgentOptions { prepare_step: true, ..options() };
    let (_, requests, _) = play(options, &host, vec![final_answer()]);
    assert_eq!(requests[0].tool_choice, ToolChoice::None);
}

#[test]
fn tools_exist_in_their_stages() {
    let stages: Stages = serde_json::from_str(
        r#"{"initial":"intake","transitions":[{"from":"intake","tool":"calculate","to":"done"}]}"#,
    )
    .unwrap();
    let mut after = CustomTool { name: "close".to_owned(), ..calculator() };
    after.stage = vec!["done".to_owned()];
    let mut first = calculator();
    first.stage = vec!["intake".to_owned()];
    let options = AgentOptions { tools: vec![first, after], stages: Some(stages), ..options() };
    let mut run = AgentRun::new(QUESTION, options.clone()).unwrap();
    let names = |run: &AgentRun| request(run).tools.into_iter().map(|tool| tool.name).collect::<Vec<_>>();
    assert_eq!(names(&run), ["search_documents", "calculate"]);
    run.model_replied(calls(vec![raw_call("a", "calculate", "{\"n\":1}")])).unwrap();
    run.tool_returned("a", "1", false).unwrap();
    assert_eq!(names(&run), ["search_documents", "close"]);
    let problems = replied(&mut run, calls(vec![raw_call("b", "calculate", "{\"n\":1}")]));
    assert!(problems[0].2.contains("no tool named"), "{problems:?}");
    // The next question of the conversation begins in the stage that this one has come to.
    let next = AgentRun::in_conversation(QUESTION, options, run.conversation()).unwrap();
    assert_eq!(names(&next), ["search_documents", "close"]);
}

#[test]
fn names_must_be_told_apart() {
    let mut taken = calculator();
    taken.name = "search_documents".to_owned();
    for tools in [vec![taken], vec![calculator(), calculator()]] {
        let error = AgentRun::new(QUESTION, AgentOptions { tools, ..options() }).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidOption);
    }
}

#[test]
fn a_bare_call_counts_only_where_it_may() {
    let bare =
        || says(r#"{"name": "search_documents", "arguments": {"query": "amoxicillin"}}"#, FinishReason::Stop);
    let mut run = run();
    run.model_replied(bare()).unwrap();
    assert_eq!(searches(&run)[0].1, "amoxicillin");
    let mut run = AgentRun::new(QUESTION, AgentOptions { policy: Policy::Classic, ..options() }).unwrap();
    run.retrieved("q1", vec![hit(0, "Amoxicillin dose: 40 mg/kg.")]).unwrap();
    run.model_replied(bare()).unwrap();
    assert!(answer(&run).text.starts_with('{'));
}

#[test]
fn a_search_that_fails_is_told_once_something_was_found() {
    let mut run = run();
    search_once(&mut run, "a", "amoxicillin", vec![hit(0, "40 mg/kg")]);
    run.model_replied(calls(vec![call("b", &json!({"query": "rash"}))])).unwrap();
    run.search_failed("b", Error::new(ErrorCode::Network, "gone")).unwrap();
    assert_eq!(told(&run)[0].1, "Error: The search failed: gone");
    run.model_replied(final_answer()).unwrap();
    assert_eq!(answer(&run).citations.len(), 1);
    let mut first = self::run();
    first.model_replied(calls(vec![call("a", &json!({"query": "x"}))])).unwrap();
    assert_eq!(
        first.search_failed("a", Error::new(ErrorCode::IndexCorrupt, "bad")).unwrap_err().code(),
        ErrorCode::IndexCorrupt
    );
}
