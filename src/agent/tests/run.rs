//! The state machine on its own, fed by hand.

use serde_json::json;

use super::*;
use crate::agent::AnswerMode;
use ibid_llm::ToolChoice;
use ibid_trust::cite::{FlagKind, NOTHING_FOUND};

#[test]
fn a_question_searched_and_answered() {
    let mut run = run();
    let first = request(&run);
    assert_eq!(first.tool_choice, ToolChoice::Auto);
    assert_eq!(first.tools[0].name, "search_documents");
    let [Message::System { content: system }, Message::User { content: user }] = &first.messages[..] else {
        panic!("{first:?}")
    };
    assert!(system.contains("<sources-n0nce42>") && user == QUESTION);

    let problems = replied(&mut run, calls(vec![call("a", &json!({"query": "dose", "max_results": 3}))]));
    assert_eq!(problems, []);
    assert_eq!(searches(&run), [("a".to_owned(), "dose".to_owned(), 3)]);
    let sources = found(&mut run, "a", vec![hit(4, "40 mg/kg <b>"), hit(9, "rash")]);
    assert_eq!(sources.iter().map(|source| source.number).collect::<Vec<_>>(), [1, 2]);
    let told = told(&run);
    assert_eq!(told[0].0, "a");
    assert!(
        told[0]
            .1
            .contains("<source number=\"1\" document=\"Pneumonia\" section=\"Treatment\">\n40 mg/kg &lt;b>")
    );

    run.model_replied(says(" 40 mg/kg [1]. Rarely a rash [2][7].\n", FinishReason::Stop)).unwrap();
    let answer = answer(&run);
    assert_eq!(answer.text, "40 mg/kg [1]. Rarely a rash [2][7].");
    let cited: Vec<_> = answer.citations.iter().map(|cite| (cite.number, cite.source.hit.chunk)).collect();
    assert_eq!(cited, [(1, 4), (2, 9)]);
    assert!(answer.flags.iter().any(|flag| flag.kind == FlagKind::UnknownSource));
    assert_eq!((answer.mode, answer.turns, answer.searches), (AnswerMode::Model, 2, 1));
    assert_eq!(answer.usage.unwrap().total_tokens, 12);
    assert_eq!(answer.sources.len(), 2);
}

#[test]
fn numbers_stay_over_searches() {
    let mut run = run();
    run.model_replied(calls(vec![call("a", &json!({"query": "x"})), call("b", &json!({"query": "y"}))]))
        .unwrap();
    assert_eq!(searches(&run).len(), 2);
    let second = found(&mut run, "b", vec![hit(1, "one"), hit(2, "two")]);
    assert_eq!(searches(&run).len(), 1, "the other search is still to be made");
    let first = found(&mut run, "a", vec![hit(3, "three"), hit(2, "two"), hit(3, "three")]);
    let numbers = |sources: &[Source]| sources.iter().map(|source| source.number).collect::<Vec<_>>();
    assert_eq!((numbers(&second), numbers(&first)), (vec![1, 2], vec![3, 2]));
    let ids: Vec<_> = told(&run).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["a", "b"], "results stand in the order of the calls");
    search_once(&mut run, "c", "z", vec![hit(1, "one"), hit(9, "nine")]);
    run.model_replied(says("A [4]. B [1].", FinishReason::Stop)).unwrap();
    let chunks: Vec<_> = answer(&run).citations.iter().map(|cite| cite.source.hit.chunk).collect();
    assert_eq!(chunks, [9, 1]);
}

#[test]
fn a_call_that_cannot_be_done_is_told_and_the_model_may_try_again() {
    let mut run = run();
    let problems = replied(
        &mut run,
        calls(vec![
            raw_call("a", "search_documents", "{\"query\": \"feve"),
            raw_call("b", "web_search", "{}"),
            raw_call("c", "search_documents", "{\"query\": \"\"}"),
        ]),
    );
    assert_eq!(problems.iter().map(|(id, ..)| id.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(problems[1].1, "web_search");
    let told = told(&run);
    assert!(told[0].1.starts_with("Error: The arguments are not valid JSON"), "{told:?}");
    assert!(told[1].1.contains("no tool named"));
    assert_eq!(request(&run).tool_choice, ToolChoice::Auto);
    search_once(&mut run, "d", "fever", vec![hit(0, "x")]);
    run.model_replied(says("x [1]", FinishReason::Stop)).unwrap();
    assert_eq!((answer(&run).turns, answer(&run).searches), (3, 1));
}

#[test]
fn the_last_turn_has_no_tools() {
    let mut run = run();
    for id in ["a", "b", "c"] {
        assert!(run.may_use_tools());
        run.model_replied(calls(vec![raw_call(id, "nonsense", "{}")])).unwrap();
    }
    let last = request(&run);
    assert_eq!((run.turn(), last.tool_choice), (4, ToolChoice::None));
    assert!(told(&run)[0].1.ends_with("say so."), "the model is told that this is the end");
    // A model that calls a tool all the same, with a preamble, gets no further turn.
    let stubborn =
        ModelReply { text: "Let me look.".to_owned(), ..calls(vec![call("e", &json!({"query": "x"}))]) };
    run.model_replied(stubborn).unwrap();
    assert_eq!(searches(&run), [("question".to_owned(), QUESTION.to_owned(), 10)]);
    run.retrieved("question", vec![hit(0, "Amoxicillin dose: 40 mg/kg.")]).unwrap();
    let answer = answer(&run);
    assert_eq!(answer.text, "Pneumonia › Treatment\n\nAmoxicillin dose: 40 mg/kg. [1]");
    assert_eq!((answer.mode, answer.flags[0].kind), (AnswerMode::Extractive, FlagKind::NoModelAnswer));
    assert_eq!(answer.finish_reason, FinishReason::Stop);
}

#[test]
fn evidence_is_relevant_unless_the_options_say_otherwise() {
    let near = Hit { cosine: Some(0.2), relevance: 0.2, ..hit(0, "Amoxicillin dose: 40 mg/kg.") };
    let of_words = Hit { cosine: None, chunk: 1, ..near.clone() };
    let all_of_words = vec![of_words.clone()];
    let told_of = |options, found: Vec<Hit>| {
        let mut run = AgentRun::new(QUESTION, options).unwrap();
        search_once(&mut run, "a", "dose", found);
        told(&run)[0].1.contains("No passage is relevant")
    };
    assert!(told_of(options(), vec![near.clone()]));
    assert!(told_of(options(), vec![near.clone(), of_words]));
    assert!(!told_of(options(), all_of_words));
    let query = Query { min_relevance: Some(0.0), ..Query::default() };
    assert!(!told_of(AgentOptions { query, ..options() }, vec![near]));
}

#[test]
fn searches_and_steps_are_limited() {
    let mut run = run();
    let many = ["a", "b", "c", "d"].map(|id| call(id, &json!({"query": id}))).to_vec();
    let problems = replied(&mut run, calls(many));
    assert_eq!(problems.len(), 1);
    assert!(problems[0].2.contains("limit of searches"));
    for id in ["a", "b", "c"] {
        run.retrieved(id, Vec::new()).unwrap();
    }
    assert_eq!(request(&run).tool_choice, ToolChoice::None, "no searches are left");
    assert!(told(&run)[0].1.contains("No passage is relevant"));

    let few = AgentOptions { max_turns: 2, max_searches: 10, ..options() };
    let mut run = AgentRun::new(QUESTION, few).unwrap();
    let five = ["a", "b", "c", "d", "e"];
    let problems = replied(&mut run, calls(five.map(|id| call(id, &json!({"query": id}))).to_vec()));
    assert_eq!(problems.len(), 1, "one step of six is taken, one is kept for the answer");
    for id in &five[..4] {
        run.retrieved(id, Vec::new()).unwrap();
    }
    assert!(!run.may_use_tools());
}

#[test]
fn a_silent_model_is_stood_in_for() {
    for (finish, searched) in
        [(FinishReason::Stop, false), (FinishReason::Length, true), (FinishReason::Error, true)]
    {
        let mut run = run();
        if searched {
            search_once(&mut run, "a", "x", vec![hit(0, "Amoxicillin dose: 40 mg/kg.")]);
        }
        run.model_replied(says(" \n", finish)).unwrap();
        // What was asked is searched for, whatever the model has searched for.
        assert_eq!(searches(&run)[0].1, QUESTION);
        run.retrieved("question", Vec::new()).unwrap();
        let answer = answer(&run);
        assert_eq!((answer.finish_reason, answer.flags[0].kind), (finish, FlagKind::NoModelAnswer));
        assert_eq!(answer.text == NOTHING_FOUND, !searched);
    }
}

#[test]
fn a_model_that_says_that_the_sources_do_not_say_has_not_answered() {
    for (text, answerable) in [
        ("The sources do not say how long it is given.", false),
        ("Children get amoxicillin 40 mg/kg [1]. The sources do not say how long.", true),
    ] {
        let mut run = run();
        search_once(&mut run, "a", "x", vec![hit(3, "Children get amoxicillin 40 mg/kg. It is sweet.")]);
        run.model_replied(says(text, FinishReason::Stop)).unwrap();
        assert_eq!(answer(&run).answerable, answerable, "{text}");
    }
}

#[test]
fn a_cut_off_answer_is_kept_and_flagged() {
    for finish in [FinishReason::Length, FinishReason::ContentFilter, FinishReason::Error] {
        let mut run = run();
        search_once(&mut run, "a", "x", vec![hit(0, "x")]);
        run.model_replied(says("Half an ans", finish)).unwrap();
        let answer = answer(&run);
        assert_eq!((answer.text.as_str(), answer.flags[0].kind), ("Half an ans", FlagKind::CutOff));
    }
    // Tool calls that were cut off are not made.
    let mut run = run();
    let cut = ModelReply {
        finish_reason: FinishReason::Length,
        ..calls(vec![raw_call("a", "search_documents", "{")])
    };
    assert_eq!(replied(&mut run, cut), []);
    assert_eq!(searches(&run)[0].0, "question");
}

#[test]
fn without_a_model_the_passages_answer() {
    let mut run = extractive();
    let [(id, query, limit)] = &searches(&run)[..] else { panic!() };
    assert_eq!((query.as_str(), *limit), (QUESTION, 10));
    run.retrieved(id, vec![hit(3, "Children get amoxicillin 40 mg/kg. It is sweet.")]).unwrap();
    let answer = answer(&run);
    assert_eq!(answer.text, "Pneumonia › Treatment\n\nChildren get amoxicillin 40 mg/kg. [1]");
    assert!(answer.answerable && answer.confidence.is_none());
    assert_eq!((answer.mode, answer.turns, answer.searches), (AnswerMode::Extractive, 0, 1));
    assert_eq!((answer.flags.len(), answer.usage), (0, None));
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!((&json["mode"], &json["finishReason"]), (&json!("extractive"), &json!("stop")));
    assert_eq!(json["citations"][0]["source"]["headingPath"], json!(["Treatment"]));
}

#[test]
fn what_is_not_relevant_comes_nearest_and_is_not_quoted() {
    let far =
        |chunk| Hit { relevance: 0.2, cosine: Some(0.1), ..hit(chunk, "Children get amoxicillin 40 mg/kg.") };
    let mut run = extractive();
    run.retrieved("question", (0..5).map(far).collect()).unwrap();
    let nothing = answer(&run);
    assert_eq!(
        (nothing.text.as_str(), nothing.citations.len(), nothing.answerable),
        (NOTHING_FOUND, 0, false)
    );
    assert_eq!(nothing.sources.len(), 3);
    // Next to what is relevant they are left out.
    let mut run = extractive();
    let near = Hit { relevance: 0.9, ..far(5) };
    run.retrieved("question", vec![far(0), near]).unwrap();
    let quoted = answer(&run);
    assert_eq!((quoted.sources.len(), quoted.sources[0].hit.chunk, quoted.citations.len()), (1, 5, 1));
}

#[test]
fn ids_used_before_are_renamed() {
    let mut run = run();
    search_once(&mut run, "call00001", "x", Vec::new());
    run.model_replied(calls(vec![call("call00001", &json!({"query": "y"}))])).unwrap();
    let id = searches(&run)[0].0.clone();
    assert_ne!(id, "call00001");
    assert_eq!(id.len(), 9);
    run.retrieved(&id, Vec::new()).unwrap();
    let Message::Assistant { tool_calls, .. } = &request(&run).messages[4] else { panic!() };
    assert_eq!(tool_calls[0].id, id);
    let mut run = self::run();
    run.model_replied(calls(vec![call("0", &json!({"query": "x"})), call("0", &json!({"query": "y"}))]))
        .unwrap();
    let ids: Vec<_> = searches(&run).into_iter().map(|(id, ..)| id).collect();
    assert!(ids[0] == "0" && ids[1] != "0", "{ids:?}");
}

#[test]
fn what_was_not_asked_for_is_refused() {
    let mut run = run();
    assert_eq!(run.retrieved("a", Vec::new()).unwrap_err().code(), ErrorCode::Internal);
    run.model_replied(calls(vec![call("a", &json!({"query": "x"}))])).unwrap();
    assert_eq!(run.model_replied(says("x", FinishReason::Stop)).unwrap_err().code(), ErrorCode::Internal);
    assert!(run.retrieved("b", Vec::new()).is_err());
    run.retrieved("a", Vec::new()).unwrap();
    assert!(run.retrieved("a", Vec::new()).is_err());
}

#[test]
fn question_and_options_are_checked() {
    assert_eq!(AgentRun::new(" ", options()).unwrap_err().code(), ErrorCode::QuestionLength);
    let bad = [
        AgentOptions { max_turns: 1, ..options() },
        AgentOptions { max_searches: 0, ..options() },
        AgentOptions { max_results: 11, ..options() },
        AgentOptions { abstain_below: Some(f32::NAN), ..options() },
        AgentOptions { nonce: String::new(), ..options() },
        AgentOptions { nonce: "a> b c d".to_owned(), ..options() },
    ];
    for options in bad {
        assert_eq!(AgentRun::new(QUESTION, options).unwrap_err().code(), ErrorCode::InvalidOption);
    }
    assert!(serde_json::from_str::<AgentOptions>(r#"{"maxTurns":6,"policy":"extractive"}"#).is_ok());
    let written = serde_json::to_value(options()).unwrap();
    assert_eq!(serde_json::from_value::<AgentOptions>(written).unwrap(), options());
    assert!(serde_json::from_str::<AgentOptions>(r#"{"maxTurn":6}"#).is_err());
}

#[test]
fn a_run_goes_on_after_being_serialized_anywhere() {
    let play = |store: &dyn Fn(AgentRun) -> AgentRun| {
        let search = Passages::default();
        let mut replies = vec![
            says("40 mg/kg [1], rash [2].", FinishReason::Stop),
            calls(vec![call("b", &json!({"query": "rash"})), raw_call("c", "nonsense", "")]),
            calls(vec![call("a", &json!({"query": "amoxicillin"})), call("d", &json!({"query": "fever"}))]),
        ];
        let mut run = store(run());
        loop {
            match run.next_step() {
                Step::CallModel(_) => {
                    run.model_replied(replies.pop().unwrap()).unwrap();
                }
                Step::Retrieve(calls) => {
                    let call = &calls[0];
                    run.retrieved(&call.id, pollster::block_on(search.search(&call.query)).unwrap()).unwrap();
                }
                Step::Done(answer) => return *answer,
                other => panic!("{other:?}"),
            }
            run = store(run);
        }
    };
    let straight = play(&|run| run);
    let stored = play(&|run| {
        let copy: AgentRun = serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
        assert_eq!(copy, run);
        copy
    });
    assert_eq!(straight.citations.len(), 2);
    assert_eq!(straight, stored);
}
