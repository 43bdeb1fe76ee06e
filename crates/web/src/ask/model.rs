//! The model that answers: a provider's over HTTP, or one of the page's own.

use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::JsFuture;

use super::host::{PageHost, write};
use super::options::ModelEntry;
use ibid_llm::{CallEvent, ChatRequest, CustomReply, HttpModel, Model, ModelReply};
use ibid_platform::{Clock, Error, ErrorCode, Http, Result};
use ibid_web::convert::caught;
use ibid_web::work::Work;

/// One of the models of a run.
pub(super) enum AskModel<'a, H, C> {
    Provider(Box<HttpModel<'a, H, C>>),
    Page {
        name: &'a str,
        /// Its place among the models.
        at: usize,
        host: &'a PageHost,
    },
}

impl<'a, H: Http, C: Clock> AskModel<'a, H, C> {
    pub(super) fn new(
        entry: &'a ModelEntry,
        at: usize,
        http: &'a H,
        clock: &'a C,
        host: &'a PageHost,
    ) -> Self {
        match &entry.llm {
            Some(provider) => Self::Provider(Box::new(HttpModel::new(provider, http, clock))),
            None => Self::Page { name: &entry.custom, at, host },
        }
    }
}

impl<H: Http, C: Clock> Model for AskModel<'_, H, C> {
    fn name(&self) -> &str {
        match self {
            Self::Provider(model) => model.name(),
            Self::Page { name, .. } => name,
        }
    }

    async fn call(&self, request: &ChatRequest, on_event: &mut dyn FnMut(CallEvent)) -> Result<ModelReply> {
        match self {
            Self::Provider(model) => model.call(request, on_event).await,
            Self::Page { at, host, .. } => call_page(host, *at, request, on_event).await,
        }
    }
}

/// The model of a run that has none.
pub(super) enum NoModel {}

impl Model for NoModel {
    fn name(&self) -> &str {
        match *self {}
    }

    async fn call(&self, _: &ChatRequest, _: &mut dyn FnMut(CallEvent)) -> Result<ModelReply> {
        match *self {}
    }
}

/// Pieces that have come and were not handed on.
#[derive(Default)]
struct Queue {
    pieces: Vec<String>,
    waker: Option<Waker>,
}

/// Has the page's model of that number reply.
async fn call_page(
    host: &PageHost,
    at: usize,
    request: &ChatRequest,
    on_event: &mut dyn FnMut(CallEvent),
) -> Result<ModelReply> {
    let failed = || Error::new(ErrorCode::ProviderUnavailable, "The model failed.");
    let queue = Rc::new(RefCell::new(Queue::default()));
    let come = Rc::clone(&queue);
    // The page calls this while it reads its model's stream. It may be called long after the run was aborted.
    let on_part = Closure::<dyn FnMut(String)>::new(move |piece| {
        let mut queue = come.borrow_mut();
        queue.pieces.push(piece);
        if let Some(waker) = queue.waker.take() {
            waker.wake();
        }
    });
    let mut work = Work::begin(host.signal.as_ref())?;
    let arguments =
        [JsValue::from(at as u32), write(request)?, on_part.into_js_value(), work.signal().into()];
    let mut ended = pin!(JsFuture::from(host.start("callModel", &arguments, failed)?));
    let mut reply = CustomReply::default();
    std::future::poll_fn(|context| {
        let end = ended.as_mut().poll(context);
        let pieces = {
            let mut queue = queue.borrow_mut();
            queue.waker = Some(context.waker().clone());
            std::mem::take(&mut queue.pieces)
        };
        for piece in pieces {
            for part in reply.push(&piece)? {
                on_event(CallEvent::Part(part));
            }
        }
        match end {
            Poll::Ready(end) => {
                work.end();
                Poll::Ready(end.map(drop).map_err(|error| caught(&error, failed)))
            }
            Poll::Pending => Poll::Pending,
        }
    })
    .await?;
    let (parts, reply) = reply.finish();
    parts.into_iter().for_each(|part| on_event(CallEvent::Part(part)));
    Ok(reply)
}
