//! Answering questions: the run, the model's provider and the citations. What is searched, the page says.

mod host;
mod model;
mod options;
pub mod trust;
mod utf16;

use std::pin::Pin;

use js_sys::{Function, Promise, Reflect};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use self::host::{PageHost, RunHost};
use self::model::{AskModel, NoModel};
use self::options::{AskOptions, Memory};
use self::trust::{provide_emergency_rules, provide_pii_rules};
use ibid::agent::{AgentRun, Answer, AskEvent, Replay, ReplayedModel, drive};
use ibid_llm::FallbackModels;
use ibid_platform::{Error, HttpRequest, Result, lazily};
use ibid_trust::guard;
use ibid_trust::guard::pii::{self, PiiMode};
use ibid_web::convert::{thrown, to_js};
use ibid_web::fetch::{Fetch, Timer, check};
use ibid_web::settled::promise;

/// The outcome of a run.
#[derive(Serialize)]
struct AskOutcome {
    answer: Answer,
    /// The conversation with it, as JSON for the next question.
    conversation: String,
    /// The run's record for the audit log, as JSON, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<String>,
}

/// The error, and the record of the run up to there.
type Failure = (Error, Option<String>);

/// Answers a question: a promise of an answer and of the conversation it is part of.
///
/// `host` has the page's functions: `search` is called with a query as JSON and returns a promise of hits as JSON, see
/// `Engine.find`; the others are those that the options make use of. An error has the record of what was done by then as its
/// property `audit`, if there is to be one. `on_event` is called with each `AskEvent` on the way;
/// what it throws is ignored. The promise is settled whatever happens.
#[wasm_bindgen]
pub fn ask(
    question: String,
    options: JsValue,
    host: JsValue,
    on_event: Function,
    signal: Option<AbortSignal>,
) -> Promise {
    promise(async move {
        let tell = |event: JsValue| drop(on_event.call1(&JsValue::NULL, &event));
        let mut emit = |event: AskEvent| to_js(&utf16::event(event)).into_iter().for_each(tell);
        let host = PageHost::new(host, signal.clone());
        let outcome = match Memory::read(&options) {
            Some(memory) => quoted(&question, memory, &host, signal, &mut emit).await.map_err(unrecorded),
            None => answered(Asked { question: &question, options, host: &host, signal }, &mut emit).await,
        };
        let AskOutcome { answer, conversation, audit } = outcome.map_err(|(error, audit)| {
            let thrown = thrown(&error);
            if let Some(audit) = audit {
                // Setting a property of a fresh object cannot fail.
                let _ = Reflect::set(&thrown, &"audit".into(), &audit.into());
            }
            thrown
        })?;
        to_js(&AskOutcome { answer: utf16::answer(answer), conversation, audit })
    })
}

fn unrecorded(error: Error) -> Failure {
    (error, None)
}

/// Quotes the best passages. It has no options, so the rest of the module need not be there.
async fn quoted(
    question: &str,
    memory: Memory,
    host: &PageHost,
    signal: Option<AbortSignal>,
    emit: &mut dyn FnMut(AskEvent),
) -> Result<AskOutcome> {
    check(signal.as_ref())?;
    let mut run = AgentRun::quoting(question, memory.conversation()?)?;
    run.set_conversation_id(memory.id);
    let answer = drive(&mut run, None::<&NoModel>, host, &Timer::new(signal), None, emit).await?;
    Ok(AskOutcome { answer, conversation: run.conversation().to_json()?, audit: None })
}

/// A question with options.
struct Asked<'a> {
    question: &'a str,
    options: JsValue,
    host: &'a PageHost,
    signal: Option<AbortSignal>,
}

type Outcome<'a> = Pin<Box<dyn Future<Output = Result<AskOutcome, Failure>> + 'a>>;

lazily!(fn answered<'a>(asked: Asked<'a>, emit: &'a mut dyn FnMut(AskEvent)) -> Outcome<'a> = boxed);

fn boxed<'a>(asked: Asked<'a>, emit: &'a mut dyn FnMut(AskEvent)) -> Outcome<'a> {
    Box::pin(run(asked, emit))
}

async fn run(
    Asked { question, options, host, signal }: Asked<'_>,
    emit: &mut dyn FnMut(AskEvent),
) -> Result<AskOutcome, Failure> {
    check(signal.as_ref()).map_err(unrecorded)?;
    let AskOptions { options, models, timeout, conversation, conversation_id, resume } =
        AskOptions::read(options).map_err(unrecorded)?;
    if options.looks_for_emergencies() && !guard::has_emergency_rules() {
        provide_emergency_rules(host.emergency_rules().await.map_err(unrecorded)?);
    }
    let leaves = !models.is_empty() || options.collections.iter().any(|collection| collection.remote);
    if leaves && options.pii.mode() != PiiMode::Off && !pii::has_pii_rules() {
        provide_pii_rules(host.pii_rules().await.map_err(unrecorded)?);
    }
    let keeper = host.keeper();
    let keep = keeper.as_ref().map(|keep| keep as &dyn Fn(String));
    // Without a model there is no answer that a run would have to get again.
    let replay = (!models.is_empty()).then(|| Replay::new(question, resume.as_deref(), keep).map(Box::new));
    let replay = replay.transpose().map_err(unrecorded)?;
    let mut run = AgentRun::in_conversation(question, options, conversation).map_err(unrecorded)?;
    run.set_conversation_id(conversation_id);
    let clock = Timer::new(signal.clone());
    let explain = async |request: &HttpRequest| host.explain(request).await;
    let fetches: Vec<_> =
        (0..models.len()).map(|at| Fetch::new(explain, host.fetch(at), signal.clone())).collect();
    let reached = models.iter().zip(&fetches).enumerate();
    let models: Vec<_> =
        reached.map(|(at, (entry, http))| AskModel::new(entry, at, http, &clock, host)).collect();
    let replay = replay.as_deref();
    let models = replay.map(|replay| ReplayedModel::new(FallbackModels::new(models), replay));
    let host = RunHost { page: host, replay };
    let answer = drive(&mut run, models.as_ref(), &host, &clock, timeout, emit).await;
    let audit = run.audit_record(answer.as_ref().err()).map(|record| record.to_string());
    match answer.and_then(|answer| Ok((answer, run.conversation().to_json()?))) {
        Ok((answer, conversation)) => Ok(AskOutcome { answer, conversation, audit }),
        Err(error) => Err((error, audit)),
    }
}
