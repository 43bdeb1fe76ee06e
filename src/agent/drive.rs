//! Doing what a run says.

use std::time::Duration;

use super::{AgentRun, Answer, AskEvent, Step};
use crate::error::{Error, ErrorCode, Result};
use crate::llm::{ChatRequest, ModelReply, Part, Provider, failure, openai};
use crate::platform::{Clock, Http, HttpBody, HttpRequest, HttpResponse};
use crate::retrieve::Search;

/// Drives a run to its answer, reporting what happens on the way.
///
/// A failed call of the model is retried by the provider's [`RetryPolicy`](crate::llm::RetryPolicy) as long as none of
/// the reply's text has been shown. After an error the run stands where it stood before the failed step, and can be
/// driven again.
///
/// # Errors
/// The provider's, the network's and the search's errors as they are; [`ErrorCode::Aborted`] at once, never retried;
/// [`ErrorCode::InvalidOption`] if the run needs a model and there is no provider.
pub async fn drive<H: Http, C: Clock, S: Search + ?Sized>(
    run: &mut AgentRun,
    provider: Option<&Provider>,
    http: &H,
    clock: &C,
    search: &S,
    on_event: &mut dyn FnMut(AskEvent),
) -> Result<Answer> {
    loop {
        match run.next_step() {
            Step::CallModel(request) => {
                let provider = provider.ok_or_else(|| {
                    Error::new(ErrorCode::InvalidOption, "This run needs a model, but no provider is set.")
                        .with_hint("Set a provider, or use the extractive policy.")
                })?;
                on_event(AskEvent::Turn { turn: run.turn(), tools: run.may_search() });
                let reply = call_model(&request, provider, http, clock, on_event).await?;
                for problem in run.model_replied(reply)? {
                    let (id, name, message) = (problem.id, problem.name, problem.message);
                    on_event(AskEvent::ToolError { id, name, message });
                }
            }
            Step::Retrieve(calls) => {
                for call in calls {
                    let (id, query) = (call.id, call.query.text.clone());
                    on_event(AskEvent::Search {
                        id: id.clone(),
                        query: query.clone(),
                        max_results: call.query.limit,
                    });
                    let hits = search.search(&call.query).await?;
                    let sources = run.retrieved(&id, hits)?;
                    on_event(AskEvent::Sources { id, query, sources });
                }
            }
            Step::Done(answer) => return Ok(*answer),
        }
    }
}

/// A failed call.
struct Failed {
    error: Error,
    retry_after: Option<Duration>,
    /// Whether text of the reply was shown before it failed.
    shown: bool,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        // Whatever broke a connection may have passed by the next try.
        let error = if error.code() == ErrorCode::Network { error.retryable() } else { error };
        Self { error, retry_after: None, shown: false }
    }
}

/// Calls the model, again where that may help, and returns its whole reply.
pub(super) async fn call_model<H: Http, C: Clock>(
    request: &ChatRequest,
    provider: &Provider,
    http: &H,
    clock: &C,
    on_event: &mut dyn FnMut(AskEvent),
) -> Result<ModelReply> {
    let request = openai::encode(provider, request)?;
    let mut attempt = 0;
    loop {
        let failed = match try_call(request.clone(), provider, http, on_event).await {
            Ok(reply) => return Ok(reply),
            Err(failed) => failed,
        };
        attempt += 1;
        let delay = provider.retry.after(&failed.error, attempt, failed.retry_after);
        let delay = delay.filter(|_| !failed.shown);
        let Some(delay) = delay else { return Err(failed.error) };
        on_event(AskEvent::Retry {
            attempt,
            delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
            reason: failed.error.message().to_owned(),
        });
        clock.sleep(delay).await?;
    }
}

async fn try_call<H: Http>(
    request: HttpRequest,
    provider: &Provider,
    http: &H,
    on_event: &mut dyn FnMut(AskEvent),
) -> Result<ModelReply, Failed> {
    let mut response = http.send(request).await?;
    if !(200..300).contains(&response.status) {
        return Err(refused(provider, response).await);
    }
    let mut shown = false;
    let mut show = |parts: Vec<Part>| {
        for part in parts {
            if let Part::Text(delta) = part {
                shown = true;
                on_event(AskEvent::Text { delta });
            }
        }
    };
    let mut decoder = openai::StreamDecoder::new(provider);
    let result = loop {
        if decoder.is_done() {
            break Ok(());
        }
        match response.body.chunk().await {
            Ok(Some(piece)) => match decoder.push(&piece) {
                Ok(parts) => show(parts),
                Err(error) => break Err(error),
            },
            Ok(None) => break Ok(()),
            // All of the reply is there, and nobody misses what the connection still had.
            Err(error) if error.code() == ErrorCode::Network && decoder.is_complete() => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let result = result.and_then(|()| decoder.finish()).map(|(parts, reply)| {
        show(parts);
        reply
    });
    result.map_err(|error| Failed { shown, ..Failed::from(error) })
}

/// The failure that a refused request is, told by as much of the body as can be had.
async fn refused<B: HttpBody>(provider: &Provider, mut response: HttpResponse<B>) -> Failed {
    let mut body = Vec::new();
    while body.len() < failure::MAX_BODY_BYTES {
        match response.body.chunk().await {
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Err(error) if error.code() == ErrorCode::Aborted => return error.into(),
            // The status says enough where the body breaks off.
            Ok(None) | Err(_) => break,
        }
    }
    let failure = failure::from_response(provider, response.status, &response.headers, &body);
    Failed { error: failure.error, retry_after: failure.retry_after, shown: false }
}
