//! What the model is told of a person, and what an emergency comes to.

use pollster::block_on;
use serde_json::json;

use super::tools::ScriptedModel;
use super::*;
use crate::agent::{
    AnswerMode, CollectionSpec, Conversation, CustomTool, Host, OutputSpec, Preset, Prompts, drive,
};
use ibid_llm::{CallEvent, Model, ReplyPart};
use ibid_platform::script::ScriptedClock;
use ibid_trust::guard::pii::{PiiMode, PiiOptions};

const PRIVATE: &str =
    "My name is Maria Garcia, mail maria.garcia@example.org. What is the dose of amoxicillin?";

/// A model that sends its text in pieces of one character.
struct Stammering(ScriptedModel);

impl Model for Stammering {
    fn name(&self) -> &'static str {
        "stammering"
    }

    async fn call(&self, request: &ChatRequest, on_event: &mut dyn FnMut(CallEvent)) -> Result<ModelReply> {
        let reply = self.0.call(request, on_event).await?;
        for c in reply.text.chars() {
            on_event(CallEvent::Part(ReplyPart::Text(c.to_string())));
        }
        Ok(reply)
    }
}

/// Keeps what tools and searches are called with.
#[derive(Default)]
struct Listening {
    passages: Passages,
    arguments: RefCell<Vec<String>>,
}

impl Host for Listening {
    async fn search(&self, _: Option<&str>, query: &Query) -> Result<Vec<Hit>> {
        self.passages.search(query).await
    }

    async fn call_tool(&self, call: &ToolCall) -> Result<String> {
        self.arguments.borrow_mut().push(call.arguments.clone());
        Ok("Record of Maria Garcia, phone +44 20 7946 0958".to_owned())
    }
}

fn look_up(read_only: bool) -> CustomTool {
    CustomTool {
        name: "look_up".to_owned(),
        description: "Looks a person up.".to_owned(),
        parameters: json!({"type": "object", "properties": {"name": {"type": "string"}}}),
        read_only,
        stage: Vec::new(),
    }
}

fn play(
    run: &mut AgentRun,
    host: &Listening,
    replies: Vec<ModelReply>,
) -> (Answer, Vec<ChatRequest>, Vec<AskEvent>) {
    let model = Stammering(ScriptedModel::of(replies.into_iter().map(Ok).collect()));
    let mut events = Vec::new();
    let mut push = |event| events.push(event);
    let clock = ScriptedClock::default();
    let answer = block_on(drive(run, Some(&model), host, &clock, None, &mut push)).unwrap();
    (answer, model.0.requests.into_inner(), events)
}

fn sent(requests: &[ChatRequest]) -> String {
    serde_json::to_string(requests).unwrap()
}

#[test]
fn the_model_sees_placeholders_and_the_person_their_own_words() {
    let options = AgentOptions { tools: vec![look_up(true)], audit: true, ..options() };
    let mut run = AgentRun::new(PRIVATE, options).unwrap();
    let host = Listening::default();
    let both = calls(vec![
        call("a", &json!({"query": "amoxicillin for [NAME_1]"})),
        raw_call("b", "look_up", "{\"name\":\"[NAME_1]\"}"),
    ]);
    let reply = says("Dear [NAME_1], children get amoxicillin 40 mg/kg twice daily [1].", FinishReason::Stop);
    let (answer, requests, events) = play(&mut run, &host, vec![both, reply]);
    let sent = sent(&requests);
    for private in ["Maria", "Garcia", "example.org", "7946"] {
        assert!(!sent.contains(private), "{private}: {sent}");
    }
    assert!(sent.contains("[NAME_1]") && sent.contains("[EMAIL_1]"), "{sent}");
    assert_eq!(host.arguments.borrow()[0], "{\"name\":\"Maria Garcia\"}");
    assert_eq!(host.passages.queries.borrow()[0].text, "amoxicillin for Maria Garcia");
    assert!(answer.text.starts_with("Dear Maria Garcia, children"), "{}", answer.text);
    assert_eq!(answer.guard.pii["NAME"], 1);
    assert_eq!(streamed(&events), answer.text);
    let record = run.audit_record(None).unwrap().to_string();
    for private in ["Maria", "Garcia", "example.org", "7946"] {
        assert!(!record.contains(private), "{private}: {record}");
    }
    // The next question of the conversation does not tell either.
    let next = AgentRun::in_conversation("And for adults?", self::options(), run.conversation()).unwrap();
    let later = privacy::sent(&[request(&next)]);
    assert!(!later.contains("Maria") && later.contains("[NAME_1]"), "{later}");
}

#[test]
fn an_address_that_a_document_told_the_model_gets_no_name() {
    const SAID: &str = "[[NAME_1]'s guideline](<https://e.example/doc#[NAME_1]>) [1] and <https://e.example/[NAME_1]>, \
        ![x](//e.example/[NAME_1].png) for [NAME_1].\n\n[y]: https://e.example/[NAME_1]";
    let form =
        json!({"type": "object", "properties": {"link": {"type": "string"}, "name": {"type": "string"}}});
    let output = Some(OutputSpec { name: "answer".to_owned(), schema: form });
    let options = AgentOptions { policy: Policy::Classic, output, ..options() };
    let mut run = AgentRun::new(PRIVATE, options).unwrap();
    let hostile = Hit { url: Some("https://e.example/doc".to_owned()), ..hit(0, "Amoxicillin 40 mg/kg.") };
    run.retrieved("q1", vec![hostile]).unwrap();
    let form = r#"{"link": "https://e.example/[NAME_1]", "name": "[NAME_1]"}"#;
    let replies = vec![says(SAID, FinishReason::Stop), says(form, FinishReason::Stop)];
    let (answer, _, events) = play(&mut run, &Listening::default(), replies);
    assert_eq!(streamed(&events), answer.text);
    assert!(answer.text.starts_with("[Maria Garcia's guideline](<https://e.example/doc#[NAME_1]>) [1]"));
    assert!(answer.text.contains(" for Maria Garcia."), "{}", answer.text);
    let told = serde_json::to_string(&(&answer, &events)).unwrap();
    for (at, _) in told.match_indices("e.example/") {
        let address: String =
            told[at..].chars().take_while(|c| !c.is_whitespace() && !")\"".contains(*c)).collect();
        assert!(!address.contains("Maria") && !address.contains("Garcia"), "{address}");
    }
    let tree = serde_json::to_value(&answer.tree).unwrap();
    assert_eq!(tree[0]["children"][0]["url"], "https://e.example/doc", "a source's own address");
    assert_eq!(answer.output.unwrap(), json!({"link": "https://e.example/[NAME_1]", "name": "Maria Garcia"}));
}

#[test]
fn who_asks_is_not_searched_for() {
    for policy in [Policy::Extractive, Policy::Classic, Policy::Pipeline] {
        let mut run = AgentRun::new(PRIVATE, AgentOptions { policy, ..options() }).unwrap();
        if policy == Policy::Pipeline {
            run.model_replied(says("SIMPLE", FinishReason::Stop)).unwrap();
        }
        assert_eq!(searches(&run)[0].1, "What is the dose of amoxicillin?", "{policy:?}");
    }
    // A question about a person has nothing else to be found by.
    let about = AgentOptions { policy: Policy::Extractive, ..options() };
    let run = AgentRun::new("Who is Dr. Maria Garcia?", about).unwrap();
    assert_eq!(searches(&run)[0].1, "Who is Dr. Maria Garcia?");
}

#[test]
fn a_search_that_leaves_the_page_has_no_personal_data() {
    let remote = CollectionSpec { remote: true, ..CollectionSpec::default() };
    let options = AgentOptions { collections: vec![remote], policy: Policy::Classic, ..options() };
    let run = AgentRun::new(PRIVATE, options).unwrap();
    let query = searches(&run)[0].1.clone();
    assert!(query.contains("amoxicillin") && !query.contains("Maria") && !query.contains("NAME"), "{query}");
}

#[test]
fn history_from_elsewhere_is_hidden_too() {
    let said = json!({"version": 1, "register": [], "items": [
        {"role": "user", "content": "I am Dr. Erika Musterfrau, call +44 20 7946 0958."},
        {"role": "assistant", "content": "Good morning, Dr. Erika Musterfrau.", "toolCalls": [], "echo": {}},
    ]});
    let conversation = Conversation::from_json(&said.to_string()).unwrap();
    let run = AgentRun::in_conversation(QUESTION, options(), conversation).unwrap();
    let sent = sent(&[request(&run)]);
    assert!(!sent.contains("Musterfrau") && !sent.contains("7946"), "{sent}");
}

#[test]
fn what_was_typed_like_a_placeholder_stays_what_it_is() {
    let mut run =
        AgentRun::new("My name is Maria Garcia. What does [NAME_1] mean in a template?", options()).unwrap();
    let reply = says("[NAME_1] stands for a name.", FinishReason::Stop);
    let (_, requests, _) = play(&mut run, &Listening::default(), vec![reply]);
    assert!(!sent(&requests).contains("Maria"), "{}", sent(&requests));
}

#[test]
fn personal_data_can_be_flagged_only_or_ignored() {
    for (mode, counted) in [(PiiMode::Flag, 1), (PiiMode::Off, 0)] {
        let pii = PiiOptions { mode: Some(mode), ..PiiOptions::default() };
        let options = AgentOptions { pii, audit: true, policy: Policy::Classic, ..options() };
        let mut run = AgentRun::new(PRIVATE, options).unwrap();
        run.retrieved("q1", vec![hit(0, "Children get amoxicillin 40 mg/kg twice daily.")]).unwrap();
        assert!(asked(&run).contains("Maria Garcia"));
        run.model_replied(says("Amoxicillin 40 mg/kg [1].", FinishReason::Stop)).unwrap();
        assert_eq!(answer(&run).guard.pii.get("NAME").copied().unwrap_or_default(), counted);
        let record = run.audit_record(None).unwrap().to_string();
        assert!(!record.contains("Maria"), "a log never holds it: {record}");
    }
}

#[test]
fn a_tool_that_does_something_waits_for_an_approval() {
    let options = AgentOptions { tools: vec![look_up(false)], ..options() };
    let mut run = AgentRun::new(QUESTION, options).unwrap();
    let host = Listening::default();
    let asks = calls(vec![raw_call("a", "look_up", "{\"name\":\"x\"}")]);
    let (_, requests, _) = play(&mut run, &host, vec![asks, says("I cannot.", FinishReason::Stop)]);
    assert!(host.arguments.borrow().is_empty());
    assert!(sent(&requests[1..]).contains("was not approved"));
}

#[test]
fn an_emergency_is_answered_before_any_call() {
    let clinical = || Prompts { preset: Preset::Clinical, ..Prompts::default() };
    let question = "I have crushing chest pain and my left arm is numb, what should I do?";
    let run = AgentRun::new(question, AgentOptions { prompts: clinical(), ..options() }).unwrap();
    let advice = answer(&run);
    assert_eq!((advice.mode, advice.turns, advice.searches), (AnswerMode::Guard, 0, 0));
    let emergency = advice.guard.emergency.as_ref().unwrap();
    assert_eq!(advice.text, emergency.message);
    assert_eq!(&advice.guard.question[emergency.span.clone()], emergency.matched);
    assert!(!advice.tree.is_empty() && advice.citations.is_empty());
    for (question, prompts) in
        [(question, Prompts::default()), ("What are the symptoms of a heart attack?", clinical())]
    {
        let run = AgentRun::new(question, AgentOptions { prompts, ..options() }).unwrap();
        assert!(matches!(run.next_step(), Step::CallModel(_)), "{question}");
    }
}

#[test]
fn a_failed_run_leaves_a_record() {
    let mut run = AgentRun::new(PRIVATE, AgentOptions { audit: true, ..options() }).unwrap();
    search_once(&mut run, "a", "amoxicillin", vec![hit(0, "x")]);
    assert!(run.audit_record(None).is_none(), "it has not ended");
    let error = Error::new(ErrorCode::ProviderAuth, "no");
    let record = run.audit_record(Some(&error)).unwrap();
    assert_eq!(record["error"], "provider-auth");
    assert_eq!(record["searches"][0]["query"], "amoxicillin");
    assert!(!record.to_string().contains("Maria"));
    assert!(AgentRun::new(QUESTION, options()).unwrap().audit_record(Some(&error)).is_none());
}

#[test]
fn a_name_that_the_index_publishes_is_not_hidden() {
    let asked = "How do I style the options of Robin Hood in a form?";
    let titled =
        |title: &str| Hit { title: title.to_owned(), ..hit(0, "Robin Hood styles options by a class.") };
    for (hits, public) in [
        (Ok(vec![titled("Using Robin Hood hashing")]), true),
        (Ok(vec![Hit { heading_path: vec!["ROBIN HOOD".to_owned()], ..titled("Forms") }]), true),
        (Ok(vec![titled("Hood, and Robin")]), false),
        (Ok(vec![titled("Robin"), titled("Hood")]), false),
        (Ok(Vec::new()), false),
        (Err(Error::new(ErrorCode::Network, "down")), false),
    ] {
        for policy in [Policy::Classic, Policy::Tools] {
            let mut run = AgentRun::new(asked, AgentOptions { policy, ..options() }).unwrap();
            assert_eq!(searches(&run)[0].1, "Robin Hood");
            assert!(run.take_events().is_empty(), "the verdict is not known yet");
            match hits.clone() {
                Ok(hits) => run.retrieved("n1", hits).unwrap(),
                Err(error) => run.search_failed("n1", error).unwrap(),
            }
            let AskEvent::Guard { guard } = &run.take_events()[0] else { panic!() };
            assert_eq!(guard.pii.is_empty(), public);
            if policy == Policy::Classic {
                assert_eq!(searches(&run)[0].1.contains("Robin Hood"), public);
                run.retrieved("q1", vec![hit(0, "A class styles options.")]).unwrap();
            }
            let sent = sent(&[request(&run)]);
            assert_eq!(sent.contains("Robin Hood"), public, "{sent}");
        }
    }
}

#[test]
fn a_name_is_not_looked_up_where_that_would_tell_it_or_where_it_only_says_who_asks() {
    let remote = CollectionSpec { name: "cloud".to_owned(), remote: true, ..CollectionSpec::default() };
    let elsewhere = AgentOptions { collections: vec![remote], policy: Policy::Classic, ..options() };
    let run = AgentRun::new("How do I style the options of Robin Hood in a form?", elsewhere).unwrap();
    assert!(!searches(&run)[0].1.contains("Robin"));
    let own = AgentRun::new(PRIVATE, AgentOptions { policy: Policy::Classic, ..options() }).unwrap();
    assert_eq!(searches(&own)[0].0, "q1");
}
