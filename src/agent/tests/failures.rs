//! What failures of the model and of the reranker come to, by what was asked for and by what failed.

use serde_json::json;

use super::*;
use crate::agent::{Conversation, Enhance, Purpose, VerifyPolicy};

/// Failures that the next call would meet too.
const LASTING: [ErrorCode; 4] = [
    ErrorCode::ProviderAuth,
    ErrorCode::ProviderNotFound,
    ErrorCode::ProviderRateLimit,
    ErrorCode::InvalidOption,
];

/// Failures that may pass, or that are about one call alone.
const PASSING: [ErrorCode; 5] = [
    ErrorCode::ProviderUnavailable,
    ErrorCode::Network,
    ErrorCode::Timeout,
    ErrorCode::ProviderRequest,
    ErrorCode::ProviderProtocol,
];

fn failure(code: ErrorCode) -> Error {
    Error::new(code, "scripted")
}

fn stop(text: &str) -> ModelReply {
    says(text, FinishReason::Stop)
}

fn purpose(run: &AgentRun) -> Purpose {
    model_call(run).purpose
}

/// Runs that wait for a query, a class and sub-queries.
fn before_any_answer() -> [AgentRun; 3] {
    let rewriting = AgentOptions {
        policy: Policy::Classic,
        enhance: Enhance { rewrite: true, ..Enhance::default() },
        ..options()
    };
    let pipeline =
        || AgentRun::new(QUESTION, AgentOptions { policy: Policy::Pipeline, ..options() }).unwrap();
    let mut decomposing = pipeline();
    decomposing.model_replied(stop("COMPARATIVE")).unwrap();
    let runs = [AgentRun::new(QUESTION, rewriting).unwrap(), pipeline(), decomposing];
    assert_eq!(runs.each_ref().map(purpose), [Purpose::Rewrite, Purpose::Classify, Purpose::Decompose]);
    runs
}

#[test]
fn a_wrong_key_ends_the_run_at_its_first_call() {
    for code in LASTING {
        for mut run in before_any_answer() {
            let before = run.clone();
            assert!(!run.model_failed(&failure(code)), "{code:?}");
            assert_eq!(run, before, "it can be driven on with another key");
        }
    }
}

#[test]
fn a_driven_run_makes_no_second_call_with_a_wrong_key() {
    let [mut rewriting, ..] = before_any_answer();
    let (model, search) =
        (tools::ScriptedModel::of(vec![Err(failure(ErrorCode::ProviderAuth))]), Passages::default());
    let (host, clock) = (crate::agent::SearchOnly(&search), ibid_platform::script::ScriptedClock::default());
    let mut ignore = |_| {};
    let driven = crate::agent::drive(&mut rewriting, Some(&model), &host, &clock, None, &mut ignore);
    assert_eq!(pollster::block_on(driven).unwrap_err().code(), ErrorCode::ProviderAuth);
    assert_eq!((model.requests.borrow().len(), search.queries.borrow().len()), (1, 0));
}

#[test]
fn what_may_pass_costs_only_the_step() {
    let limited = failure(ErrorCode::ProviderRateLimit).retryable();
    for error in PASSING.map(failure).into_iter().chain([limited]) {
        for mut run in before_any_answer() {
            assert!(run.model_failed(&error), "{error}");
            assert_eq!(searches(&run)[0].1, QUESTION);
            run.retrieved("q1", vec![hit(0, "Children get amoxicillin 40 mg/kg twice daily.")]).unwrap();
            run.model_replied(stop("40 mg/kg [1].")).unwrap();
            while !matches!(run.next_step(), Step::Done(_)) {
                assert!(run.model_failed(&error));
            }
            let notes: Vec<_> = answer(&run).trace.into_iter().filter_map(|step| step.note).collect();
            assert!(notes.iter().any(|note| note.starts_with("failed: scripted")), "{notes:?}");
        }
    }
}

#[test]
fn passages_are_quoted_where_the_model_fails_behind_them() {
    let told = "Children get amoxicillin 40 mg/kg twice daily.";
    let limit = failure(ErrorCode::ProviderRateLimit).with_hint("Wait 11 h, then ask again.");
    for error in PASSING[..3].iter().map(|code| failure(*code)).chain([limit]) {
        let mut classic =
            AgentRun::new(QUESTION, AgentOptions { policy: Policy::Classic, ..options() }).unwrap();
        classic.retrieved("q1", vec![hit(0, told)]).unwrap();
        let mut searching = run();
        search_once(&mut searching, "a", "rash", vec![hit(1, "A rash is no allergy.")]);
        for mut run in [classic, searching] {
            assert!(run.model_failed(&error), "{error}");
            if let Step::Retrieve(_) = run.next_step() {
                run.retrieved("question", vec![hit(0, told)]).unwrap();
            }
            let answer = answer(&run);
            assert!(answer.text.contains(told) && !answer.text.contains("rash"), "{}", answer.text);
            assert_eq!(answer.finish_reason, FinishReason::Error);
            let said = &answer.flags[0].message;
            assert!(said.starts_with("scripted") && said.contains("quoted instead"), "{said}");
            assert!(error.hint().is_none_or(|hint| said.contains(hint)), "{said}");
        }
    }
}

#[test]
fn quotes_come_from_what_the_model_found_where_the_question_finds_nothing() {
    let mut run = run();
    search_once(&mut run, "a", "dose", vec![hit(0, "Children get amoxicillin 40 mg/kg.")]);
    run.model_replied(says("", FinishReason::Stop)).unwrap();
    run.search_failed("question", failure(ErrorCode::Network)).unwrap();
    assert!(answer(&run).text.contains("40 mg/kg"));
}

#[test]
fn an_answer_is_kept_and_the_model_is_asked_for_nothing_more() {
    let output = serde_json::from_value(json!({"schema": {"type": "object"}})).unwrap();
    let all = AgentOptions {
        policy: Policy::Pipeline,
        verify: VerifyPolicy::Repair,
        judge: true,
        output: Some(output),
        ..options()
    };
    let wrong = "Children get amoxicillin 400 mg/kg twice daily [1].";
    let drafted = || {
        let mut run = AgentRun::new(QUESTION, all.clone()).unwrap();
        run.model_replied(stop("SIMPLE")).unwrap();
        run.retrieved("q1", vec![hit(0, "Children get amoxicillin 40 mg/kg twice daily.")]).unwrap();
        run.model_replied(stop(wrong)).unwrap();
        run
    };
    let reflecting = drafted();
    let mut revising = drafted();
    revising.model_replied(stop("SUFFICIENT")).unwrap();
    let mut rewriting = drafted();
    rewriting.model_replied(stop("INSUFFICIENT: rash")).unwrap();
    let id = searches(&rewriting)[0].0.clone();
    rewriting.retrieved(&id, vec![hit(1, "Amoxicillin causes rash.")]).unwrap();
    let mut forming = drafted();
    forming.model_replied(stop("SUFFICIENT")).unwrap();
    while purpose(&forming) != Purpose::Format {
        forming.model_replied(stop("")).unwrap();
    }
    let runs = [reflecting, revising, rewriting, forming];
    assert_eq!(
        runs.each_ref().map(purpose),
        [Purpose::Reflect, Purpose::Revise, Purpose::Synthesize, Purpose::Format]
    );
    for code in LASTING {
        for mut run in runs.clone() {
            assert!(run.model_failed(&failure(code)));
            let answer = answer(&run);
            assert_eq!(answer.text, wrong);
            assert!(answer.output_problem.unwrap().ends_with("scripted"));
            assert!(
                answer.trace.iter().any(|step| {
                    step.note.as_ref().is_some_and(|note| note.starts_with("failed: scripted"))
                })
            );
        }
    }
}

#[test]
fn a_conversation_that_goes_on_is_not_answered_with_a_wrong_key_either() {
    let mut first = AgentRun::new(QUESTION, AgentOptions { policy: Policy::Classic, ..options() }).unwrap();
    first.retrieved("q1", vec![hit(0, "Children get amoxicillin 40 mg/kg twice daily.")]).unwrap();
    first.model_replied(stop("40 mg/kg [1].")).unwrap();
    let said: Conversation = first.conversation();
    let options = AgentOptions { policy: Policy::Classic, ..options() };
    let mut second = AgentRun::in_conversation("And for adults?", options, said).unwrap();
    assert_eq!(purpose(&second), Purpose::Rewrite);
    assert!(!second.model_failed(&failure(ErrorCode::ProviderAuth)));
}

#[test]
fn a_reranker_that_fails_leaves_the_order_unless_it_will_not_do_better() {
    let options = AgentOptions { policy: Policy::Pipeline, rerank: true, ..options() };
    let mut waiting = AgentRun::new(QUESTION, options).unwrap();
    waiting.model_replied(stop("SIMPLE")).unwrap();
    let hits = (0..7).map(|n| hit(n, &format!("passage {n}"))).collect();
    waiting.retrieved("q1", hits).unwrap();
    for code in [ErrorCode::ProviderAuth, ErrorCode::ProviderNotFound, ErrorCode::Aborted] {
        let mut run = waiting.clone();
        assert_eq!(run.rerank_failed(failure(code)).unwrap_err().code(), code);
        assert_eq!(run, waiting);
    }
    for code in [ErrorCode::InvalidOption, ErrorCode::Network, ErrorCode::Timeout] {
        let mut run = waiting.clone();
        run.rerank_failed(failure(code)).unwrap();
        let said = asked(&run);
        assert!(said.contains("passage 0") && !said.contains("passage 6"), "{said}");
        run.model_replied(stop("Passage 0 says so [1].")).unwrap();
        run.model_replied(stop("SUFFICIENT")).unwrap();
        let rerank = answer(&run).trace.into_iter().find(|step| step.name == "rerank").unwrap();
        assert_eq!(rerank.note.as_deref(), Some("failed: scripted"));
    }
    assert_eq!(run().rerank_failed(failure(ErrorCode::Network)).unwrap_err().code(), ErrorCode::Internal);
}
