//! Several models, each of which replaces the one before it if that fails.

use std::cell::Cell;

use super::{CallEvent, ChatRequest, Model, ModelReply};
use ibid_platform::{ErrorCode, Result};

/// Models in order. Where one fails, the next is called, and from then on no more the one that failed.
///
/// An aborted call stays aborted. A call of whose reply something was shown fails as it is, because another model would not
/// go on where that one broke off.
pub struct FallbackModels<M> {
    models: Vec<M>,
    at: Cell<usize>,
}

impl<M: Model> FallbackModels<M> {
    /// These models, of which there is at least one.
    pub fn new(models: Vec<M>) -> Self {
        Self { models, at: Cell::new(0) }
    }
}

impl<M: Model> Model for FallbackModels<M> {
    /// The name of the model that is called next.
    fn name(&self) -> &str {
        self.models.get(self.at.get()).map_or("", Model::name)
    }

    async fn call(&self, request: &ChatRequest, on_event: &mut dyn FnMut(CallEvent)) -> Result<ModelReply> {
        loop {
            let at = self.at.get();
            let Some(model) = self.models.get(at) else { return Ok(ModelReply::default()) };
            // Another model of the first provider, if the request names one.
            let own =
                (at > 0 && request.model.is_some()).then(|| ChatRequest { model: None, ..request.clone() });
            let mut shown = false;
            let mut report = |event| {
                shown |= matches!(&event, CallEvent::Part(part) if part.is_shown());
                on_event(event);
            };
            let error = match model.call(own.as_ref().unwrap_or(request), &mut report).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let next = self.models.get(at + 1).filter(|_| !shown && error.code() != ErrorCode::Aborted);
            let Some(next) = next else { return Err(error) };
            self.at.set(at + 1);
            let reason = format!("{} `{}` is asked instead.", error.message(), next.name());
            on_event(CallEvent::Retry { attempt: 1, delay_ms: 0, reason });
        }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use pollster::block_on;

    use super::*;
    use crate::{HttpModel, Provider};
    use ibid_platform::script::{Scripted, ScriptedClock, ScriptedHttp};

    fn chunk(text: &str) -> String {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    }

    fn asked(first: Scripted) -> (Vec<Result<ModelReply>>, Vec<String>, Vec<String>, String) {
        let mut providers = ["one", "two"].map(|name| Provider::new("https://h/v1", name).unwrap());
        for provider in &mut providers {
            provider.endpoint.retry.max_retries = 0;
        }
        let says = || Scripted::ok(chunk("Hi") + "data: [DONE]\n\n");
        let (http, clock) = (ScriptedHttp::new(vec![first, says(), says()]), ScriptedClock::default());
        let models =
            FallbackModels::new(providers.iter().map(|one| HttpModel::new(one, &http, &clock)).collect());
        let mut reasons = Vec::new();
        let request = ChatRequest { model: Some("other".to_owned()), ..ChatRequest::default() };
        let replies = (0..2).map(|_| {
            block_on(models.call(&request, &mut |event| {
                if let CallEvent::Retry { reason, .. } = event {
                    reasons.push(reason);
                }
            }))
        });
        let replies = replies.collect();
        let named = http.sent().into_iter().map(|sent| sent["model"].as_str().unwrap_or_default().to_owned());
        (replies, named.collect(), reasons, models.name().to_owned())
    }

    #[test]
    fn the_next_model_takes_over_for_good() {
        // What only counts tokens has shown a reader nothing.
        let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9}}\n\n".to_owned();
        for first in [Scripted::status(529, "{}"), Scripted::Breaks(usage, ErrorCode::Network)] {
            let (replies, named, reasons, name) = asked(first);
            assert!(replies.iter().all(|reply| reply.as_ref().is_ok_and(|reply| reply.text == "Hi")));
            assert_eq!(named, ["other", "two", "two"]);
            assert_eq!(name, "two");
            assert!(reasons.len() == 1 && reasons[0].ends_with("`two` is asked instead."), "{reasons:?}");
        }
    }

    #[test]
    fn a_reply_that_was_begun_and_a_run_that_was_given_up_have_no_successor() {
        for first in [Scripted::Breaks(chunk("Ha"), ErrorCode::Network), Scripted::Fails(ErrorCode::Aborted)]
        {
            let (replies, named, reasons, name) = asked(first);
            assert!(replies[0].is_err() && replies[1].is_ok() && reasons.is_empty());
            assert_eq!((named.len(), name.as_str()), (2, "one"));
        }
    }
}
