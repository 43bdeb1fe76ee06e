//! Calling a model: over HTTP, with retries and time limits.

use std::cell::Cell;
use std::time::Duration;

use super::structured::{self, AsText};
use super::{ChatRequest, ModelReply, Provider, ReplyPart, StreamDecoder, StructuredOutput, encode, failure};
use ibid_platform::call::within;
use ibid_platform::{Clock, Http, HttpBody, HttpRequest, HttpResponse};
use ibid_platform::{Error, ErrorCode, Result};

/// Something that happens while a model is called.
#[derive(Clone, Debug, PartialEq)]
pub enum CallEvent {
    /// A piece of the reply.
    Part(ReplyPart),
    /// The call failed and will be made again.
    Retry {
        /// Which retry this is, from 1.
        attempt: u32,
        /// The wait before it in milliseconds.
        delay_ms: u64,
        /// What went wrong.
        reason: String,
    },
}

/// Who replies to a request: a provider, or anything else that takes a conversation and continues it.
#[allow(
    async_fn_in_trait,
    reason = "futures here run on one thread: a page's event loop or a blocking command"
)]
pub trait Model {
    /// The model's name, for answers and traces.
    fn name(&self) -> &str;

    /// Replies, and tells of the reply's pieces as they come.
    ///
    /// # Errors
    /// Those of whoever replies; [`ErrorCode::Aborted`] when the caller gave up.
    async fn call(&self, request: &ChatRequest, on_event: &mut dyn FnMut(CallEvent)) -> Result<ModelReply>;
}

impl<M: Model + ?Sized> Model for &M {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn call(&self, request: &ChatRequest, on_event: &mut dyn FnMut(CallEvent)) -> Result<ModelReply> {
        (**self).call(request, on_event).await
    }
}

/// A provider's model, called over HTTP.
///
/// A call that fails in a way that may pass is made again by the provider's [`RetryPolicy`](super::RetryPolicy), as long
/// as none of the reply was shown: afterwards the failure is final, because a second reply would not go on where the first
/// broke off.
pub struct HttpModel<'a, H, C> {
    provider: &'a Provider,
    http: &'a H,
    clock: &'a C,
    /// Whether the provider has refused a JSON Schema, so that the next replies are asked for by a tool.
    without_schema: Cell<bool>,
}

impl<'a, H: Http, C: Clock> HttpModel<'a, H, C> {
    /// That provider's model.
    pub fn new(provider: &'a Provider, http: &'a H, clock: &'a C) -> Self {
        Self {
            provider,
            http,
            clock,
            without_schema: Cell::new(provider.structured_output == StructuredOutput::Tool),
        }
    }

    async fn with_retries(
        &self,
        request: &ChatRequest,
        on_event: &mut dyn FnMut(CallEvent),
    ) -> Result<ModelReply, FailedCall> {
        let by_tool =
            (self.without_schema.get() && request.output.is_some()).then(|| structured::by_tool(request));
        let lowered = by_tool.is_some();
        let http_request = encode(self.provider, by_tool.as_ref().unwrap_or(request))?;
        let mut attempt = 0;
        loop {
            let tried = self.in_time(http_request.clone(), lowered, on_event).await;
            let failed = match tried {
                Ok(mut reply) => {
                    if lowered {
                        structured::from_tool(&mut reply);
                    }
                    return Ok(reply);
                }
                Err(failed) => failed,
            };
            attempt += 1;
            let retry = self.provider.endpoint.retry;
            let delay = retry.after(&failed.error, attempt, failed.retry_after, self.clock.jitter());
            let delay = delay.filter(|_| !failed.shown);
            let Some(delay) = delay else { return Err(failed) };
            on_event(CallEvent::Retry {
                attempt,
                delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
                reason: failed.error.message().to_owned(),
            });
            self.clock.sleep(delay).await?;
        }
    }

    async fn in_time(
        &self,
        request: HttpRequest,
        lowered: bool,
        on_event: &mut dyn FnMut(CallEvent),
    ) -> Result<ModelReply, FailedCall> {
        let shown = Cell::new(false);
        let attempt = self.attempt(request, lowered, &shown, on_event);
        let result = match within(self.clock, self.provider.endpoint.timeouts.step(), attempt).await {
            Ok(Some(result)) => result,
            Ok(None) => {
                Err(late("did not finish its reply", self.provider.endpoint.timeouts.step(), "stepMs"))
            }
            Err(error) => Err(error.into()),
        };
        result.map_err(|failed| FailedCall { shown: shown.get(), ..failed })
    }

    async fn attempt(
        &self,
        request: HttpRequest,
        lowered: bool,
        shown: &Cell<bool>,
        on_event: &mut dyn FnMut(CallEvent),
    ) -> Result<ModelReply, FailedCall> {
        let timeouts = self.provider.endpoint.timeouts;
        let head = within(self.clock, timeouts.first_chunk(), self.http.send(request)).await?;
        let mut response =
            head.ok_or_else(|| late("did not answer", timeouts.first_chunk(), "firstChunkMs"))??;
        if !(200..300).contains(&response.status) {
            return Err(self.refused(response).await);
        }
        let mut as_text = lowered.then(AsText::default);
        let mut show = |parts: Vec<ReplyPart>| {
            for part in parts {
                let part = match &mut as_text {
                    Some(as_text) => as_text.part(part),
                    None => Some(part),
                };
                let Some(part) = part else { continue };
                shown.set(shown.get() || matches!(part, ReplyPart::Text(_) | ReplyPart::Reasoning(_)));
                on_event(CallEvent::Part(part));
            }
        };
        let mut decoder = StreamDecoder::new(self.provider);
        let mut first = true;
        while !decoder.is_done() {
            let (limit, option) =
                if first { (timeouts.first_chunk(), "firstChunkMs") } else { (timeouts.idle(), "idleMs") };
            match within(self.clock, limit, response.body.chunk()).await? {
                None if decoder.is_complete() => break,
                None => return Err(late("fell silent", limit, option)),
                Some(Ok(Some(piece))) => show(decoder.push(&piece)?),
                Some(Ok(None)) => break,
                // All of the reply is there, and nobody misses what the connection still had.
                Some(Err(error)) if error.code() == ErrorCode::Network && decoder.is_complete() => break,
                Some(Err(error)) => return Err(error.into()),
            }
            first = false;
        }
        let (parts, reply) = decoder.finish()?;
        show(parts);
        Ok(reply)
    }

    /// The failure that a refused request is, told by as much of the body as can be had.
    async fn refused<B: HttpBody>(&self, mut response: HttpResponse<B>) -> FailedCall {
        let mut body = Vec::new();
        while body.len() < failure::MAX_BODY_BYTES {
            match within(self.clock, self.provider.endpoint.timeouts.idle(), response.body.chunk()).await {
                Ok(Some(Ok(Some(piece)))) => body.extend_from_slice(&piece),
                Ok(Some(Err(error))) | Err(error) if error.code() == ErrorCode::Aborted => {
                    return error.into();
                }
                // The status says enough where the body breaks off.
                Ok(_) | Err(_) => break,
            }
        }
        let failure = failure::from_response(self.provider, response.status, &response.headers, &body);
        let status = Some(response.status);
        FailedCall { error: failure.error, retry_after: failure.retry_after, shown: false, status }
    }
}

impl<H: Http, C: Clock> Model for HttpModel<'_, H, C> {
    fn name(&self) -> &str {
        &self.provider.model
    }

    async fn call(&self, request: &ChatRequest, on_event: &mut dyn FnMut(CallEvent)) -> Result<ModelReply> {
        match self.with_retries(request, on_event).await {
            Ok(reply) => Ok(reply),
            // A server that knows no schemas says so before it replies; by a tool it may understand.
            Err(failed) if failed.may_be_the_schema() && self.may_fall_back(request) => {
                self.without_schema.set(true);
                let refusal = failed.error;
                self.with_retries(request, on_event).await.map_err(|failed| {
                    // What was refused again was not refused for its schema.
                    if failed.may_be_the_schema() { refusal } else { failed.error }
                })
            }
            Err(failed) => Err(failed.error),
        }
    }
}

impl<H: Http, C: Clock> HttpModel<'_, H, C> {
    fn may_fall_back(&self, request: &ChatRequest) -> bool {
        request.output.is_some()
            && !self.without_schema.get()
            && self.provider.structured_output == StructuredOutput::Auto
    }
}

fn late(what: &str, limit: Duration, option: &str) -> FailedCall {
    let message = format!("The provider {what} within {} s.", limit.as_secs_f32());
    let hint = format!("Try again, or allow more time by `timeouts.{option}`.");
    Error::new(ErrorCode::Timeout, message).with_hint(hint).retryable().into()
}

/// A failed call.
struct FailedCall {
    error: Error,
    retry_after: Option<Duration>,
    /// Whether any of the reply was shown before it failed.
    shown: bool,
    /// The status of the response that refused it.
    status: Option<u16>,
}

impl FailedCall {
    fn may_be_the_schema(&self) -> bool {
        matches!(self.status, Some(400 | 422 | 501)) && self.error.code() != ErrorCode::ContextLength
    }
}

impl From<Error> for FailedCall {
    fn from(error: Error) -> Self {
        // Whatever broke a connection may have passed by the next try.
        let error = if error.code() == ErrorCode::Network { error.retryable() } else { error };
        Self { error, retry_after: None, shown: false, status: None }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use pollster::block_on;
    use serde_json::{Value, json};

    use super::*;
    use crate::{FinishReason, OutputForm};
    use ibid_platform::script::{Scripted, ScriptedClock, ScriptedHttp};

    fn provider() -> Provider {
        let mut provider = Provider::new("https://h/v1", "m").unwrap();
        provider.endpoint.retry.max_retries = 1;
        provider
    }

    fn chunk(delta: &Value, finish: &Value) -> String {
        format!("data: {}\n\n", json!({"choices": [{"delta": delta, "finish_reason": finish}]}))
    }

    fn says(text: &str) -> Scripted {
        Scripted::ok(chunk(&json!({"content": text}), &json!("stop")) + "data: [DONE]\n\n")
    }

    fn formed() -> ChatRequest {
        let form = OutputForm { name: "dose".to_owned(), schema: json!({"type": "object"}) };
        ChatRequest { output: Some(form), ..ChatRequest::default() }
    }

    fn call(
        provider: &Provider,
        script: Vec<Scripted>,
        requests: &[ChatRequest],
    ) -> (Vec<Result<ModelReply>>, Vec<Value>, String) {
        let (http, clock) = (ScriptedHttp::new(script), ScriptedClock::default());
        let model = HttpModel::new(provider, &http, &clock);
        let mut text = String::new();
        let mut report = |event| {
            if let CallEvent::Part(ReplyPart::Text(delta)) = event {
                text.push_str(&delta);
            }
        };
        let replies = requests.iter().map(|request| block_on(model.call(request, &mut report))).collect();
        assert!(http.is_used_up());
        (replies, http.sent(), text)
    }

    #[test]
    fn a_provider_without_schemas_is_asked_by_a_tool_from_then_on() {
        let refused = Scripted::status(400, r#"{"error":{"message":"response_format is not supported"}}"#);
        let tool = || {
            let function = json!({"name": "give_answer", "arguments": "{\"mg\":5}"});
            let delta = json!({"tool_calls": [{"index": 0, "id": "a", "function": function}]});
            Scripted::ok(chunk(&delta, &json!("tool_calls")) + "data: [DONE]\n\n")
        };
        let (replies, sent, text) = call(&provider(), vec![refused, tool(), tool()], &[formed(), formed()]);
        for reply in replies {
            let reply = reply.unwrap();
            assert_eq!((reply.text.as_str(), reply.finish_reason), ("{\"mg\":5}", FinishReason::Stop));
        }
        assert!(sent[0]["response_format"].is_object() && sent[0]["tools"].is_null());
        assert_eq!(sent[1]["tool_choice"]["function"]["name"], "give_answer");
        assert!(sent[2]["response_format"].is_null(), "it is not tried again");
        assert_eq!(text, "{\"mg\":5}{\"mg\":5}", "arguments are shown as the text they are");
    }

    #[test]
    fn a_refusal_for_another_reason_stays_what_it_was() {
        let refused =
            |message: &str| Scripted::status(400, &json!({"error": {"message": message}}).to_string());
        let (replies, ..) = call(&provider(), vec![refused("no such field"), refused("again")], &[formed()]);
        assert!(replies[0].as_ref().unwrap_err().message().ends_with("no such field"));
        let only = Provider { structured_output: StructuredOutput::Schema, ..provider() };
        let (replies, ..) = call(&only, vec![refused("no")], &[formed()]);
        assert!(replies[0].is_err());
    }

    /// A network that is silent from some point on.
    struct Silent(Option<&'static str>);

    struct Body(Option<&'static str>);

    impl HttpBody for Body {
        async fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
            match self.0.take() {
                Some(piece) if !piece.is_empty() => Ok(Some(piece.as_bytes().to_vec())),
                _ => std::future::pending().await,
            }
        }
    }

    impl Http for Silent {
        type Body = Body;

        async fn send(&self, _: HttpRequest) -> Result<HttpResponse<Body>> {
            match self.0 {
                Some(piece) => Ok(HttpResponse { status: 200, headers: Vec::new(), body: Body(Some(piece)) }),
                None => std::future::pending().await,
            }
        }
    }

    #[test]
    fn silence_ends_as_a_time_limit() {
        let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hal\"}}]}\n\n";
        let done = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n";
        for (http, expected, waits) in [
            // Before anything came it is tried again; afterwards not.
            (Silent(None), "did not answer within 60 s", 3),
            (Silent(Some("")), "fell silent within 60 s", 3),
            (Silent(Some(text)), "fell silent within 60 s", 1),
        ] {
            let (provider, clock) = (provider(), ScriptedClock::default());
            let model = HttpModel::new(&provider, &http, &clock);
            let error = block_on(model.call(&ChatRequest::default(), &mut |_| {})).unwrap_err();
            assert_eq!((error.code(), error.is_retryable()), (ErrorCode::Timeout, true));
            assert!(error.message().contains(expected), "{error}");
            assert_eq!(clock.slept.borrow().len(), waits);
        }
        let (provider, clock) = (provider(), ScriptedClock::default());
        let http = Silent(Some(done));
        let model = HttpModel::new(&provider, &http, &clock);
        let reply = block_on(model.call(&ChatRequest::default(), &mut |_| {})).unwrap();
        assert_eq!(reply.text, "Hi", "nothing of the reply is missing");
    }

    #[test]
    fn a_response_may_be_bounded() {
        let small = Provider { max_response_bytes: Some(100), ..provider() };
        let (replies, ..) = call(&small, vec![says(&"long ".repeat(100))], &[ChatRequest::default()]);
        assert_eq!(replies[0].as_ref().unwrap_err().code(), ErrorCode::ProviderProtocol);
    }
}
