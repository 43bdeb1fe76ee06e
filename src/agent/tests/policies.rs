//! Each policy from question to answer, with a scripted model.

use pollster::block_on;
use serde_json::json;

use super::tools::ScriptedModel;
use super::*;
use crate::agent::{AnswerMode, Conversation, Enhance, Preset, Prompts, Purpose, SearchOnly, drive};
use ibid_llm::Image;
use ibid_platform::script::ScriptedClock;
use ibid_trust::cite::FlagKind;

fn with(policy: Policy) -> AgentOptions {
    AgentOptions { policy, ..options() }
}

#[allow(clippy::unnecessary_wraps, reason = "a script has failures too")]
fn text(text: &str) -> Result<ModelReply> {
    Ok(says(text, FinishReason::Stop))
}

fn broken() -> Result<ModelReply> {
    Err(Error::new(ErrorCode::ProviderUnavailable, "down"))
}

struct Played {
    answer: Result<Answer>,
    requests: Vec<ChatRequest>,
    queries: Vec<String>,
    conversation: Conversation,
}

impl Played {
    fn answer(&self) -> &Answer {
        self.answer.as_ref().unwrap()
    }

    /// What the model was told in its call of that number, from 0.
    fn said(&self, call: usize) -> String {
        match self.requests[call].messages.last() {
            Some(Message::User { content }) => content.clone(),
            other => panic!("{other:?}"),
        }
    }
}

fn play_in(
    conversation: Conversation,
    question: &str,
    options: AgentOptions,
    replies: Vec<Result<ModelReply>>,
) -> Played {
    let model = ScriptedModel::of(replies);
    let search = Passages::default();
    let mut run = AgentRun::in_conversation(question, options, conversation).unwrap();
    let clock = ScriptedClock::default();
    let answer = block_on(drive(&mut run, Some(&model), &SearchOnly(&search), &clock, None, &mut |_| {}));
    Played {
        answer,
        requests: model.requests.into_inner(),
        queries: search.queries.into_inner().into_iter().map(|query| query.text).collect(),
        conversation: run.conversation(),
    }
}

fn play(question: &str, options: AgentOptions, replies: Vec<Result<ModelReply>>) -> Played {
    play_in(Conversation::new(None), question, options, replies)
}

#[test]
fn classic_is_one_search_and_one_call() {
    let played = play(QUESTION, with(Policy::Classic), vec![text("40 mg/kg [1].")]);
    assert_eq!(played.queries, [QUESTION]);
    assert_eq!(played.requests.len(), 1);
    assert!(played.requests[0].tools.is_empty());
    assert!(played.said(0).contains("<source number=\"1\"") && played.said(0).ends_with(QUESTION));
    let answer = played.answer();
    assert_eq!((answer.policy, answer.turns, answer.searches), (Policy::Classic, 1, 1));
    assert_eq!(steps(answer), ["retrieve", "model", "verify"]);
    assert_eq!(answer.claims[0].sources, [1]);
    assert!(answer.created_at.starts_with("1970-01-01T") && answer.model.as_deref() == Some("scripted"));
}

#[test]
fn classic_can_rewrite_and_expand_its_query() {
    let enhance =
        Enhance { rewrite: true, abbreviations: [("AMX".to_owned(), "amoxicillin".to_owned())].into() };
    let options = AgentOptions { enhance, ..with(Policy::Classic) };
    let played =
        play("How much AMX?", options.clone(), vec![text("Query: \"AMX dose\""), text("40 mg/kg [1].")]);
    assert_eq!(played.queries, ["AMX (amoxicillin) dose"]);
    assert_eq!(steps(played.answer()), ["rewrite", "retrieve", "model", "verify"]);
    let played = play("How much AMX?", options, vec![broken(), text("40 mg/kg [1].")]);
    assert_eq!(
        played.queries,
        ["How much AMX (amoxicillin)?"],
        "a query that cannot be rewritten is the question"
    );
}

#[test]
fn a_model_without_tools_answers_by_the_classic_policy() {
    let no_tools = || Err(Error::new(ErrorCode::ToolsUnsupported, "m does not support tools"));
    let played = play(QUESTION, with(Policy::Tools), vec![no_tools(), text("40 mg/kg [1].")]);
    let answer = played.answer();
    assert_eq!((answer.policy, answer.text.as_str()), (Policy::Classic, "40 mg/kg [1]."));
    assert_eq!(steps(answer), ["model", "retrieve", "model", "verify"]);
    let note = answer.trace[0].note.as_deref().unwrap();
    assert!(note.starts_with("the model takes no tools; answered by the classic policy"), "{note}");
    assert!(!played.requests[0].tools.is_empty() && played.requests[1].tools.is_empty());
    // A question that goes on with another is made to stand alone first, and the search is not lost.
    let replies = vec![no_tools(), text("rash from amoxicillin"), text("Yes [2].")];
    let first = played.conversation;
    let second = play_in(first, "Does it cause a rash?", with(Policy::Tools), replies);
    assert_eq!(second.queries, ["rash from amoxicillin"]);
    // A model that says so of a call without tools is not asked for ever.
    let played = play(QUESTION, with(Policy::Classic), vec![no_tools()]);
    assert_eq!(played.answer.unwrap_err().code(), ErrorCode::ToolsUnsupported);
}

#[test]
fn a_model_that_does_not_search_has_the_question_searched_for() {
    let played = play(QUESTION, with(Policy::Tools), vec![text("50 mg/kg."), text("40 mg/kg [1].")]);
    let answer = played.answer();
    assert_eq!((answer.policy, answer.text.as_str()), (Policy::Classic, "40 mg/kg [1]."));
    assert_eq!(steps(answer), ["model", "retrieve", "model", "verify"]);
    assert_eq!(played.queries, [QUESTION]);
    // A second reply that is empty leaves quotes, and not the first.
    let played = play(QUESTION, with(Policy::Tools), vec![text("50 mg/kg."), text("")]);
    assert_eq!(played.answer().mode, AnswerMode::Extractive);
    let search = || Ok(calls(vec![call("a", &json!({"query": "amoxicillin"}))]));
    // Sources of the conversation may be enough for a later question.
    let first = play(QUESTION, with(Policy::Tools), vec![search(), text("40 mg/kg [1].")]).conversation;
    let second = play_in(first, "And how often?", with(Policy::Tools), vec![text("Twice daily [1].")]);
    assert_eq!(second.answer().policy, Policy::Tools);
    // An answer that is there outlives a search that fails.
    let (model, clock) = (ScriptedModel::of(vec![text("50 mg/kg.")]), ScriptedClock::default());
    let search = Passages { fails: Some(ErrorCode::Network), ..Passages::default() };
    let mut run = AgentRun::new(QUESTION, with(Policy::Tools)).unwrap();
    let answer = block_on(drive(&mut run, Some(&model), &SearchOnly(&search), &clock, None, &mut |_| {}));
    assert_eq!(answer.unwrap().flags[0].kind, FlagKind::NoSources);
}

#[test]
fn nothing_found_is_said_without_a_call() {
    for policy in [Policy::Classic, Policy::Extractive] {
        let played = play("Where is the moon tonight?", with(policy), Vec::new());
        assert_eq!(played.answer().text, ibid_trust::cite::NOTHING_FOUND);
        assert!(played.answer().sources.is_empty());
    }
    let played = play("Where is the moon tonight?", with(Policy::Tools), vec![text("In the sky.")]);
    assert_eq!(played.answer().flags[0].kind, FlagKind::NoSources);
}

#[test]
fn a_follow_up_is_made_to_stand_alone() {
    let first = play(QUESTION, with(Policy::Classic), vec![text("40 mg/kg [1].")]);
    let json = first.conversation.to_json().unwrap();
    let conversation = Conversation::from_json(&json).unwrap();
    let replies = vec![text("rash from amoxicillin"), text("Yes [2], at 40 mg/kg [1].")];
    let second = play_in(conversation, "Does it cause a rash?", with(Policy::Classic), replies);
    assert!(second.said(0).contains(QUESTION) && second.said(0).contains("Answer: 40 mg/kg [1]."));
    assert_eq!(second.queries, ["rash from amoxicillin"]);
    // The model sees what was said, and sources keep their numbers.
    assert_eq!(second.requests[1].messages[1], Message::User { content: QUESTION.to_owned() });
    let cited: Vec<_> =
        second.answer().citations.iter().map(|cite| (cite.number, cite.source.hit.chunk)).collect();
    assert_eq!(cited, [(2, 2), (1, 0)]);
}

#[test]
fn a_conversation_of_the_tools_policy_goes_on() {
    let search = || Ok(calls(vec![call("a", &json!({"query": "amoxicillin"}))]));
    let first = play(QUESTION, with(Policy::Tools), vec![search(), text("40 mg/kg [1].")]);
    let conversation = Conversation::from_json(&first.conversation.to_json().unwrap()).unwrap();
    let second =
        play_in(conversation, "And for fever?", with(Policy::Tools), vec![search(), text("See [1].")]);
    let roles: Vec<_> = second.requests[0]
        .messages
        .iter()
        .map(|message| match message {
            Message::System { .. } => 's',
            Message::User { .. } => 'u',
            Message::Assistant { .. } => 'a',
            Message::Tool { .. } => 't',
        })
        .collect();
    assert_eq!(roles, ['s', 'u', 'a', 't', 'a', 'u']);
    assert_eq!(second.answer().citations.len(), 1);
}

#[test]
fn pipeline_takes_a_question_apart() {
    let replies = vec![
        text("COMPARATIVE"),
        text("1. dose of amoxicillin\n2. treatment of fever"),
        text("Amoxicillin 40 mg/kg [1]; fever: paracetamol [3]."),
        text("INSUFFICIENT\nrash"),
        text("Amoxicillin 40 mg/kg [1]; fever: paracetamol [3]; rash [2]."),
        text("SUFFICIENT"),
    ];
    let played = play("Compare amoxicillin and paracetamol", with(Policy::Pipeline), replies);
    assert_eq!(played.queries, ["dose of amoxicillin", "treatment of fever", "rash"]);
    let answer = played.answer();
    assert!(answer.text.ends_with("rash [2]."), "{}", answer.text);
    assert_eq!(
        steps(answer),
        [
            "classify",
            "decompose",
            "retrieve_sub_1",
            "retrieve_sub_2",
            "deduplicate",
            "rerank",
            "synthesize",
            "reflect",
            "retrieve_sub_3",
            "deduplicate",
            "rerank",
            "synthesize",
            "reflect",
            "verify",
        ]
    );
    assert_eq!((answer.turns, answer.searches, answer.sources.len()), (6, 3, 3));
    assert_eq!(answer.trace[0].note.as_deref(), Some("COMPARATIVE"));
    assert!(played.said(2).contains("1. dose of amoxicillin\n2. treatment of fever"));
}

#[test]
fn pipeline_survives_whatever_fails() {
    // No class, no decomposition, no judgement: what is left is one search and one answer.
    let played = play(QUESTION, with(Policy::Pipeline), vec![broken(), text("40 mg/kg [1]."), broken()]);
    assert_eq!(
        (played.queries.as_slice(), played.answer().text.as_str()),
        (&[QUESTION.to_owned()][..], "40 mg/kg [1].")
    );
    let failed: Vec<_> = played.answer().trace.iter().filter_map(|step| step.note.as_deref()).collect();
    assert!(failed.iter().any(|note| note.contains("SIMPLE")), "{failed:?}");
    // A later answer that fails leaves the earlier one.
    let replies = vec![text("SIMPLE"), text("40 mg/kg [1]."), text("INSUFFICIENT: rash"), broken()];
    let played = play(QUESTION, with(Policy::Pipeline), replies);
    assert_eq!(played.answer().text, "40 mg/kg [1].");
    // One that cites nothing does not take the place of one that does.
    let replies = vec![
        text("SIMPLE"),
        text("40 mg/kg [1]."),
        text("INSUFFICIENT\nrash"),
        text("I do not know."),
        text("SUFFICIENT"),
    ];
    assert_eq!(play(QUESTION, with(Policy::Pipeline), replies).answer().text, "40 mg/kg [1].");
    // Without any answer, what was found is quoted.
    let played = play(QUESTION, with(Policy::Pipeline), vec![text("SIMPLE"), broken()]);
    assert_eq!(played.answer().mode, AnswerMode::Extractive);
}

#[test]
fn pipeline_reflects_three_times_at_most() {
    let round = |n: usize| [text("40 mg/kg [1]."), text(&format!("INSUFFICIENT\nrash number {n}"))];
    let replies = vec![text("SIMPLE")].into_iter().chain((0..3).flat_map(round)).collect();
    let played = play(QUESTION, with(Policy::Pipeline), replies);
    assert_eq!(played.answer().turns, 6, "three answers, two judgements, one class");
    assert_eq!(played.queries.len(), 3);
}

#[test]
fn a_failed_sub_query_does_not_sink_the_rest() {
    let mut run = AgentRun::new(QUESTION, with(Policy::Pipeline)).unwrap();
    run.model_replied(says("COMPARATIVE", FinishReason::Stop)).unwrap();
    run.model_replied(says("1. one thing\n2. another", FinishReason::Stop)).unwrap();
    run.search_failed("q1", Error::new(ErrorCode::Network, "gone")).unwrap();
    run.retrieved("q2", vec![hit(0, "40 mg/kg")]).unwrap();
    assert_eq!(model_call(&run).purpose, Purpose::Synthesize);
    let mut run = AgentRun::new(QUESTION, with(Policy::Pipeline)).unwrap();
    run.model_replied(says("SIMPLE", FinishReason::Stop)).unwrap();
    let error = run.search_failed("q1", Error::new(ErrorCode::Network, "gone")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Network, "all of them failed");
}

#[test]
fn pipeline_lets_the_host_rerank() {
    let options = AgentOptions { rerank: true, ..with(Policy::Pipeline) };
    let mut run = AgentRun::new(QUESTION, options).unwrap();
    run.model_replied(says("SIMPLE", FinishReason::Stop)).unwrap();
    run.retrieved("q1", (0..7).map(|n| hit(n, &format!("passage {n}"))).collect()).unwrap();
    let Step::Rerank { texts, .. } = run.next_step() else { panic!() };
    assert_eq!(texts.len(), 7);
    run.reranked(Some(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])).unwrap();
    let said = asked(&run);
    assert!(said.contains("passage 6") && !said.contains("passage 1"), "{said}");
    assert!(said.find("passage 6") < said.find("passage 5"));
}

const CASE: &str = "Amoxicillin allergy; fever. symptom: rash for 3 days. medical_history: none.";

#[test]
fn a_case_is_assessed_by_one_search_a_condition() {
    let options = AgentOptions {
        prompts: Prompts { preset: Preset::Clinical, ..Prompts::default() },
        ..with(Policy::Auto)
    };
    let played = play(CASE, options, vec![text("The rash speaks for it [1].")]);
    assert_eq!(played.queries.len(), 2);
    assert_eq!(played.queries[0], "Amoxicillin allergy. symptom: rash for 3 days. medical_history: none.");
    let said = played.said(0);
    assert!(said.contains("- Amoxicillin allergy\n- fever") && said.contains("- symptom: rash for 3 days"));
    assert_eq!(said.matches("<sources-").count(), 2);
    let Message::System { content } = &played.requests[0].messages[0] else { panic!() };
    assert!(content.contains("definitive diagnosis"));
    assert_eq!(played.answer().policy, Policy::Case);
    assert_eq!(steps(played.answer()), ["retrieve_sub_1", "retrieve_sub_2", "assess", "verify"]);
}

#[test]
fn an_interview_collects_then_assesses_then_closes() {
    let names = |played: &Played, call: usize| -> Vec<String> {
        played.requests[call].tools.iter().map(|tool| tool.name.clone()).collect()
    };
    let record = |conditions: &[&str], findings: &[&str]| {
        let arguments = json!({"conditions": conditions, "findings": findings}).to_string();
        Ok(calls(vec![raw_call("a", "record_findings", &arguments)]))
    };
    let first = play(
        "My child has a rash.",
        with(Policy::Case),
        vec![record(&["Amoxicillin allergy"], &[]), text("Since when?")],
    );
    assert_eq!(names(&first, 0), ["record_findings"], "there is nothing to assess yet");
    assert_eq!(first.answer().text, "Since when?");
    let next = |played: Played| Conversation::from_json(&played.conversation.to_json().unwrap()).unwrap();
    let second = play_in(
        next(first),
        "For three days.",
        with(Policy::Auto),
        vec![
            record(&[], &["symptom: rash for 3 days"]),
            Ok(calls(vec![raw_call("b", "assess_case", "{}")])),
            text("It speaks for it [1]."),
        ],
    );
    assert_eq!(names(&second, 1), ["record_findings", "assess_case"]);
    assert_eq!(second.queries, ["Amoxicillin allergy. symptom: rash for 3 days."]);
    assert_eq!((second.answer().policy, second.answer().citations.len()), (Policy::Case, 1));
    let close = json!({"message": "Get well soon."}).to_string();
    let third = play_in(
        next(second),
        "Thank you.",
        with(Policy::Auto),
        vec![Ok(calls(vec![raw_call("c", "close_case", &close)]))],
    );
    assert!(names(&third, 0).contains(&"close_case".to_owned()));
    assert_eq!(third.answer().text, "Get well soon.");
}

#[test]
fn output_is_validated_and_repaired_once() {
    let schema = json!({"type": "object", "properties": {"mg": {"type": "number"}}, "required": ["mg"]});
    let output = serde_json::from_value(json!({"schema": schema})).unwrap();
    let options = AgentOptions { output: Some(output), ..with(Policy::Classic) };
    let good =
        play(QUESTION, options.clone(), vec![text("40 mg/kg [1]."), text("```json\n{\"mg\": 40}\n```")]);
    assert_eq!(
        (good.answer().output.clone(), good.answer().output_problem.clone()),
        (Some(json!({"mg": 40})), None)
    );
    assert_eq!(good.requests[1].output.as_ref().unwrap().schema, schema);
    assert_eq!(good.answer().text, "40 mg/kg [1].");
    let repaired = play(
        QUESTION,
        options.clone(),
        vec![text("40 mg/kg [1]."), text("{\"mg\": \"40\"}"), text("{\"mg\": 40}")],
    );
    assert_eq!(repaired.answer().output, Some(json!({"mg": 40})));
    assert!(repaired.said(2).contains("/mg is string, not number"));
    let hopeless = play(QUESTION, options.clone(), vec![text("40 mg/kg [1]."), text("no"), text("never")]);
    assert_eq!((hopeless.answer().output.clone(), hopeless.answer().turns), (None, 3));
    assert!(hopeless.answer().output_problem.as_ref().unwrap().contains("does not fit"));
    let failed = play(QUESTION, options, vec![text("40 mg/kg [1]."), broken()]);
    assert_eq!(failed.answer().text, "40 mg/kg [1].", "the answer is not lost with its form");
}

#[test]
fn images_go_to_the_model_that_answers() {
    let image = Image { media_type: "image/png".to_owned(), data: "iVBORw0=".to_owned() };
    let options = AgentOptions { images: vec![image.clone()], ..with(Policy::Classic) };
    let played = play(QUESTION, options.clone(), vec![text("40 mg/kg [1].")]);
    assert_eq!(played.requests[0].images, [image]);
    let alone = AgentOptions { policy: Policy::Extractive, ..options.clone() };
    let message = AgentRun::new(QUESTION, alone).unwrap_err().message().to_owned();
    assert!(message.contains("no model"), "{message}");
    // An answer is put into its form without them.
    let output = serde_json::from_value(json!({"schema": {"type": "object"}})).unwrap();
    let options = AgentOptions { output: Some(output), ..options };
    let played = play(QUESTION, options, vec![text("40 mg/kg [1]."), text("{}")]);
    assert_eq!(played.requests.iter().map(|request| request.images.len()).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn templates_can_be_replaced() {
    let prompts = Prompts { answer: Some("Q: {{question}} S: {{sources}}".to_owned()), ..Prompts::default() };
    let played =
        play(QUESTION, AgentOptions { prompts, ..with(Policy::Classic) }, vec![text("40 mg/kg [1].")]);
    assert!(played.said(0).starts_with(&format!("Q: {QUESTION} S: <sources-n0nce42")));
}
