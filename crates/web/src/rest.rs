//! The second part of a module that `tools/build/split.mjs` has split: code that is not run at first.

use std::cell::RefCell;

use js_sys::Function;
use wasm_bindgen::prelude::*;

thread_local! {
    static LOAD: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Has a function load the rest of this module when code of it is called; with none, the rest is there. Of a module that
/// is whole it is never called.
#[wasm_bindgen(js_name = restBy)]
pub fn rest_by(load: Option<Function>) {
    LOAD.set(load);
}

/// Loads the rest of this module where that has not been done. Each call from the first part into the rest begins with it.
#[wasm_bindgen(js_name = needRest)]
pub fn need_rest() {
    if let Some(load) = LOAD.take()
        && let Err(error) = load.call0(&JsValue::UNDEFINED)
    {
        // The next call tries again.
        LOAD.set(Some(load));
        wasm_bindgen::throw_val(error);
    }
}
