//! Work that the page does for a run, and that must end when nobody waits for it any more.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{AbortController, AbortSignal};

use ibid_platform::{Error, ErrorCode, Result};

/// A piece of work with a signal of its own: it aborts with the run's signal, and when this is dropped before the work's end,
/// as a time limit does it. Otherwise a provider, or the page's own model, would go on for nobody.
pub struct Work {
    controller: AbortController,
    /// The run's signal, and what listens to it.
    run: Option<(AbortSignal, Closure<dyn FnMut()>)>,
    ended: bool,
}

impl Work {
    /// Begins a piece of work of the run with this signal.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] where the browser has no signals.
    pub fn begin(run: Option<&AbortSignal>) -> Result<Self> {
        let refused = |_| Error::new(ErrorCode::Internal, "The browser cannot abort this work.");
        let controller = AbortController::new().map_err(refused)?;
        let listen = |signal: &AbortSignal| {
            let own = controller.clone();
            // The reason is the run's, which ends with it in any case.
            let listener = Closure::<dyn FnMut()>::new(move || own.abort());
            let function = listener.as_ref().unchecked_ref();
            signal.add_event_listener_with_callback("abort", function).map_err(refused)?;
            Ok((signal.clone(), listener))
        };
        let run = run.map(listen).transpose()?;
        Ok(Self { controller, run, ended: false })
    }

    /// Returns the signal that tells the work to stop.
    #[must_use]
    pub fn signal(&self) -> AbortSignal {
        self.controller.signal()
    }

    /// Notes that the work is done, or has failed.
    pub fn end(&mut self) {
        self.ended = true;
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if let Some((signal, listener)) = &self.run {
            let function = listener.as_ref().unchecked_ref();
            // There is nothing to be done about one that stays: it aborts what has ended.
            let _ = signal.remove_event_listener_with_callback("abort", function);
        }
        if !self.ended {
            self.controller.abort();
        }
    }
}
