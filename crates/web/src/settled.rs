//! Futures that always come to an end that the page is told.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use js_sys::{Function, Promise};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::future_to_promise;

use crate::convert::{caught, thrown};
use ibid_platform::{Error, ErrorCode};

/// The value or error that a promise of JavaScript is settled with.
type Outcome = Result<JsValue, JsValue>;

/// State that the calls of JavaScript share with the future that makes them.
struct SettledWork {
    future: RefCell<Pin<Box<dyn Future<Output = Outcome>>>>,
    waker: RefCell<Waker>,
    output: RefCell<Option<Outcome>>,
}

/// Makes a promise of what is worked out, which is settled whatever happens. All of them are compiled as one.
pub fn promise(work: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> Promise {
    let work: Pin<Box<dyn Future<Output = Result<JsValue, JsValue>>>> = Box::pin(work);
    future_to_promise(settled(work))
}

/// Completes a future, even if it is torn off in the middle.
///
/// A panic is a trap here, and an exception that an imported function throws if none is expected passes through
/// all of Rust's frames: neither unwinds, and both leave the executor without ever settling the promise that the page
/// waits for. So each step of the future is made in a call by way of JavaScript, which catches both.
///
/// # Errors
/// An error that the page threw keeps its code; anything else is [`ErrorCode::Internal`]. The future's data is then never
/// freed, since nobody knows how far it was in changing it.
async fn settled(future: Pin<Box<dyn Future<Output = Outcome>>>) -> Outcome {
    let work = Rc::new(SettledWork {
        future: RefCell::new(future),
        waker: RefCell::new(Waker::noop().clone()),
        output: RefCell::new(None),
    });
    let shared = Rc::clone(&work);
    let step = Closure::<dyn FnMut()>::new(move || {
        let waker = shared.waker.borrow().clone();
        let polled = shared.future.borrow_mut().as_mut().poll(&mut Context::from_waker(&waker));
        if let Poll::Ready(output) = polled {
            *shared.output.borrow_mut() = Some(output);
        }
    });
    let function: Function = step.as_ref().unchecked_ref::<Function>().clone();
    let ended = poll_fn(|context| {
        context.waker().clone_into(&mut work.waker.borrow_mut());
        match function.call0(&JsValue::NULL) {
            Ok(_) => work.output.borrow_mut().take().map_or(Poll::Pending, |output| Poll::Ready(Ok(output))),
            Err(thrown) => Poll::Ready(Err(torn_off(&thrown))),
        }
    })
    .await;
    ended.unwrap_or_else(|error| {
        std::mem::forget((step, work));
        Err(thrown(&error))
    })
}

/// Makes the error that the page threw, such as that the rest of this module cannot be fetched, or else a defect.
fn torn_off(thrown: &JsValue) -> Error {
    let error = caught(thrown, || Error::new(ErrorCode::Internal, "unknown"));
    if error.code() != ErrorCode::Internal {
        return error;
    }
    Error::new(ErrorCode::Internal, format!("The work was interrupted ({}).", error.message())).with_hint(
        "This is a bug in ibid, or in the page's replacement of a browser function: please \
            report it. Reloading the page may help.",
    )
}
