//! Plain objects in, plain objects out, and errors as `Error` objects.

use js_sys::Reflect;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

use crate::error::{Error, ErrorCode};

/// A plain object of the value: maps become objects, missing values `null`.
pub(super) fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|error| {
        thrown(&Error::new(ErrorCode::Internal, format!("The result could not be passed on: {error}.")))
    })
}

/// An `Error` object with `code`, `hint` and `retryable`.
pub(super) fn thrown(error: &Error) -> JsValue {
    let object = js_sys::Error::new(error.message());
    let set = |name: &str, value: JsValue| {
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(name), &value);
    };
    set("code", error.code().as_str().into());
    set("hint", error.hint().map_or(JsValue::UNDEFINED, JsValue::from));
    set("retryable", error.is_retryable().into());
    object.into()
}

/// Reads an options object; `undefined` and `null` are one without any option.
pub(super) fn read<T: DeserializeOwned + Default>(options: JsValue) -> Result<T, JsValue> {
    if options.is_null() || options.is_undefined() {
        return Ok(T::default());
    }
    serde_wasm_bindgen::from_value(options).map_err(|error| {
        let message = format!("The options cannot be read: {error}.");
        thrown(&Error::new(ErrorCode::InvalidOption, message))
    })
}
