//! Calling a model: over HTTP, with retries and time limits.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use super::encode;
use super::failure::{self, CallFailure};
use super::structured::{self, AsText};
use super::{ChatRequest, ModelReply, Provider, ReplyPart, StreamDecoder};
use ibid_platform::call::within;
use ibid_platform::{Clock, Http, HttpBody, HttpRequest, HttpResponse};
use ibid_platform::{Error, ErrorCode, Result};

/// The most parameters that are left out since the provider refused them.
const MOST_LEFT_OUT: usize = 4;

/// Something that happens while a model is called.
#[derive(Clone, Debug, PartialEq)]
pub enum CallEvent {
    /// A piece of the reply.
    Part(ReplyPart),
    /// The call failed and will be made again.
    Retry {
        /// The number of this retry, from 1.
        attempt: u32,
        /// The wait before it in milliseconds.
        delay_ms: u64,
        /// The error.
        reason: String,
    },
}

/// A model that replies to a request: a provider, or anything else that takes a conversation and continues it.
#[allow(
    async_fn_in_trait,
    reason = "futures here run on one thread: a page's event loop or a blocking command"
)]
pub trait Model {
    /// The model's name, for answers and traces.
    fn name(&self) -> &str;

    /// Replies, and tells about the reply's pieces as they come.
    ///
    /// # Errors
    /// Those of the model; [`ErrorCode::Aborted`] when the caller gave up.
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
/// broke off. A call that took too long is not made again, since the server may still be reading its prompt, and would
/// begin anew. A parameter that the provider does not know is left out of this and of further calls.
pub struct HttpModel<'a, H, C> {
    provider: &'a Provider,
    http: &'a H,
    clock: &'a C,
    /// True if the provider has refused a JSON Schema, so that the next replies are asked for by a tool.
    without_schema: Cell<bool>,
    /// The parameters that the provider has refused.
    refused: RefCell<Vec<String>>,
}

impl<'a, H: Http, C: Clock> HttpModel<'a, H, C> {
    /// Returns the model of a provider.
    pub fn new(provider: &'a Provider, http: &'a H, clock: &'a C) -> Self {
        Self { provider, http, clock, without_schema: Cell::new(false), refused: RefCell::default() }
    }

    async fn with_retries(
        &self,
        request: &ChatRequest,
        on_event: &mut dyn FnMut(CallEvent),
    ) -> Result<ModelReply, CallFailure> {
        let by_tool =
            (self.without_schema.get() && request.output.is_some()).then(|| structured::by_tool(request));
        let lowered = by_tool.is_some();
        let asked = by_tool.as_ref().unwrap_or(request);
        let (mut attempt, mut told) = (0, 0);
        loop {
            // Its body is asked again what it held, where the provider refuses a part of it.
            let http_request = encode::without(self.provider, asked, &self.refused.borrow())?;
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
            let mut reason = failed.error.message().to_owned();
            let mut delay = None;
            if let Some(name) = self.to_leave_out(&failed, &http_request) {
                reason = format!("{reason} Asking again without `{name}`.");
                self.refused.borrow_mut().push(name);
            } else if failed.no_tools && !request.tools.is_empty() {
                let error = Error::new(ErrorCode::ToolsUnsupported, reason).with_hint(
                    "Use the policy `classic`, which needs no tools, or a model that calls tools.",
                );
                return Err(CallFailure { error, ..failed });
            } else {
                attempt += 1;
                let retry = self.provider.endpoint.retry;
                delay = retry.after(&failed.error, attempt, self.clock.jitter());
                if delay.is_none() || failed.shown || failed.error.code() == ErrorCode::Timeout {
                    return Err(failed);
                }
            }
            told += 1;
            let delay = delay.unwrap_or_default();
            let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
            on_event(CallEvent::Retry { attempt: told, delay_ms, reason });
            if !delay.is_zero() {
                self.clock.sleep(delay).await?;
            }
        }
    }

    /// Finds the parameter that a call was refused for, if the call can be made without it.
    fn to_leave_out(&self, failed: &CallFailure, request: &HttpRequest) -> Option<String> {
        let refusal = failed.status.is_some_and(|status| matches!(status, 400 | 422));
        let few = self.refused.borrow().len() < MOST_LEFT_OUT;
        let body = (refusal && few).then(|| String::from_utf8_lossy(&request.body))?;
        encode::refused_parameter(&body, failed.param.as_deref(), failed.error.message())
    }

    async fn in_time(
        &self,
        request: HttpRequest,
        lowered: bool,
        on_event: &mut dyn FnMut(CallEvent),
    ) -> Result<ModelReply, CallFailure> {
        let shown = Cell::new(false);
        let attempt = self.attempt(request, lowered, &shown, on_event);
        let result = match within(self.clock, self.provider.endpoint.timeouts.step(), attempt).await {
            Ok(Some(result)) => result,
            Ok(None) => {
                Err(late("did not finish its reply", self.provider.endpoint.timeouts.step(), "stepMs"))
            }
            Err(error) => Err(error.into()),
        };
        result.map_err(|failed| CallFailure { shown: shown.get(), ..failed })
    }

    async fn attempt(
        &self,
        request: HttpRequest,
        lowered: bool,
        shown: &Cell<bool>,
        on_event: &mut dyn FnMut(CallEvent),
    ) -> Result<ModelReply, CallFailure> {
        let mut as_text = lowered.then(AsText::default);
        let mut show = |parts: Vec<ReplyPart>| {
            for part in parts {
                let part = match &mut as_text {
                    Some(as_text) => as_text.part(part),
                    None => Some(part),
                };
                let Some(part) = part else { continue };
                shown.set(shown.get() || part.is_shown());
                on_event(CallEvent::Part(part));
            }
        };
        let Provider { endpoint, kind, .. } = self.provider;
        let mut decoder = StreamDecoder::new(self.provider);
        let begun = async {
            let mut response = self.http.send(request).await?;
            let ok = (200..300).contains(&response.status);
            let more = ok && listen(&mut response.body, &mut decoder, &mut show).await?;
            Ok::<_, Error>((response, ok, more))
        };
        let first = endpoint.first_chunk(kind.row().base_url);
        let begun = within(self.clock, first, begun).await?;
        let begun = begun.ok_or_else(|| late("did not begin its reply", first, "firstChunkMs"))?;
        let (mut response, ok, mut more) = begun?;
        if !ok {
            return Err(self.refused(response).await);
        }
        let idle = endpoint.timeouts.idle();
        while more {
            match within(self.clock, idle, listen(&mut response.body, &mut decoder, &mut show)).await? {
                Some(heard) => more = heard?,
                None if decoder.is_complete() => break,
                None => return Err(late("fell silent", idle, "idleMs")),
            }
        }
        let (parts, reply) = decoder.finish()?;
        show(parts);
        Ok(reply)
    }

    /// Makes the failure that a refused request is, with as much of the body as arrives.
    async fn refused<B: HttpBody>(&self, mut response: HttpResponse<B>) -> CallFailure {
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
        failure::from_response(self.provider, response.status, &response.headers, &body)
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
        request.output.is_some() && !self.without_schema.get()
    }
}

/// Takes in a response until the provider has said something, and tells whether there is more of it. Comments and pings
/// say nothing.
async fn listen<B: HttpBody>(
    body: &mut B,
    decoder: &mut StreamDecoder<'_>,
    show: &mut dyn FnMut(Vec<ReplyPart>),
) -> Result<bool> {
    let heard = decoder.heard();
    while !decoder.is_done() && decoder.heard() == heard {
        match body.chunk().await {
            Ok(Some(piece)) => show(decoder.push(&piece)?),
            Ok(None) => return Ok(false),
            // All of the reply is there, and nobody misses what the connection still had.
            Err(error) if error.code() == ErrorCode::Network && decoder.is_complete() => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(!decoder.is_done())
}

fn late(what: &str, limit: Duration, option: &str) -> CallFailure {
    let message = format!("The provider {what} within {} s.", limit.as_secs_f32());
    let hint = format!("Try again, or allow more time with `timeouts.{option}`.");
    Error::new(ErrorCode::Timeout, message).with_hint(hint).retryable().into()
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
    }

    #[test]
    fn a_parameter_that_is_refused_is_left_out_once_and_for_all() {
        let refused = |name: &str, message: &str| {
            Scripted::status(400, &json!({"error": {"message": message, "param": name}}).to_string())
        };
        let script = vec![
            refused("max_tokens", "Unsupported parameter: use 'max_completion_tokens' instead."),
            refused("temperature", "This value is not supported; only the default is."),
            says("Hi"),
            says("Ho"),
        ];
        let requests = [ChatRequest::default(), ChatRequest::default()];
        let (replies, sent, text) = call(&provider(), script, &requests);
        assert!(replies.iter().all(Result::is_ok));
        let has = |at: usize| {
            ["max_tokens", "max_completion_tokens", "temperature"].map(|name| !sent[at][name].is_null())
        };
        assert_eq!([has(0), has(1)], [[true, false, true], [false, true, true]]);
        assert_eq!([has(2), has(3)], [[false, true, false]; 2]);
        assert_eq!(text, "HiHo");
        // What is refused though it was left out, and what nobody sent, is an error.
        let unknown = "Unknown parameter: 'top_k'.";
        let (replies, sent, _) = call(&provider(), vec![refused("top_k", unknown)], &requests[..1]);
        assert!(replies[0].as_ref().unwrap_err().message().ends_with(unknown));
        assert_eq!(sent.len(), 1);
    }

    #[test]
    fn a_model_without_tools_has_a_code_of_its_own() {
        let refused = || Scripted::status(400, r#"{"error":"gemma does not support tools"}"#);
        let tool = crate::testing::tools(&["search"]);
        let with_tools = ChatRequest { tools: tool, ..ChatRequest::default() };
        let (replies, ..) = call(&provider(), vec![refused()], &[with_tools]);
        let error = replies[0].as_ref().unwrap_err();
        assert_eq!(error.code(), ErrorCode::ToolsUnsupported);
        assert!(error.hint().unwrap().contains("classic"));
        let (replies, ..) = call(&provider(), vec![refused()], &[ChatRequest::default()]);
        assert_eq!(replies[0].as_ref().unwrap_err().code(), ErrorCode::ProviderRequest);
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
            // It is not tried again, since the server may still be reading the prompt.
            (Silent(None), "did not begin its reply within 60 s", 1),
            (Silent(Some("")), "did not begin its reply within 60 s", 1),
            (Silent(Some(": still here\n\ndata: {\"type\":\"ping\"}\n\n")), "did not begin its reply", 1),
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
}
