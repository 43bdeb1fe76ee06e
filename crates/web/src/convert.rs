//! Plain objects in, plain objects out, and errors as `Error` objects.

use js_sys::Reflect;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

use ibid_embed::Space;
use ibid_platform::json;
use ibid_platform::{Error, ErrorCode};

/// The space of an embedder that JavaScript brings along.
#[derive(Deserialize)]
pub struct ForeignSpace {
    name: String,
    dimensions: u32,
    fingerprint: Option<String>,
}

impl ForeignSpace {
    /// Makes the space itself.
    ///
    /// # Errors
    /// As [`Space::foreign`].
    pub fn space(&self) -> ibid_platform::Result<Space> {
        Space::foreign(&self.name, self.dimensions, self.fingerprint.as_deref())
    }
}

/// Makes a plain object of the value: maps become objects, missing values `null`. JSON is the way there, since engines
/// parse it faster than they take an object field by field, and what also writes it is compiled once.
pub fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let failed = |why: &dyn std::fmt::Display| {
        thrown(&Error::new(ErrorCode::Internal, format!("The result could not be passed on: {why}.")))
    };
    let text = serde_json::to_string(value).map_err(|error| failed(&error))?;
    js_sys::JSON::parse(&text).map_err(|_| failed(&"it is not JSON"))
}

/// Makes an `Error` object with `code`, `hint`, `retryable` and, in milliseconds, `retryAfter`.
pub fn thrown(error: &Error) -> JsValue {
    let object = js_sys::Error::new(error.message());
    let set = |name: &str, value: JsValue| {
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(name), &value);
    };
    set("code", error.code().as_str().into());
    set("hint", error.hint().map_or(JsValue::UNDEFINED, JsValue::from));
    set("retryable", error.is_retryable().into());
    if let Some(wait) = error.retry_after() {
        set("retryAfter", (wait.as_millis() as f64).into());
    }
    object.into()
}

/// Reads an options object; `undefined` and `null` are one without any option.
pub fn read<T: DeserializeOwned + Default>(options: JsValue) -> Result<T, JsValue> {
    if options.is_null() || options.is_undefined() {
        return Ok(T::default());
    }
    parsed(options).map_err(|error| thrown(&error))
}

/// Reads an object that has to be there.
pub fn parsed<T: DeserializeOwned>(object: JsValue) -> ibid_platform::Result<T> {
    let tree = serde_wasm_bindgen::from_value(object).map_err(|error| invalid_options(&error))?;
    json::of(tree).map_err(|error| invalid_options(&error))
}

pub(crate) fn invalid_options(error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorCode::InvalidOption, format!("The options cannot be read: {error}."))
}

/// Makes the error that JavaScript threw: one of ours keeps its code, whatever else it was is `unknown` with its message.
pub fn caught(error: &JsValue, unknown: fn() -> Error) -> Error {
    let text =
        |name: &str| Reflect::get(error, &JsValue::from_str(name)).ok().and_then(|value| value.as_string());
    let unknown = unknown();
    let message = text("message").unwrap_or_else(|| unknown.message().to_owned());
    let code = text("code").and_then(|code| ErrorCode::from_name(&code));
    let mut out = Error::new(code.unwrap_or(unknown.code()), message);
    if let Some(hint) = text("hint") {
        out = out.with_hint(hint);
    }
    let retryable = Reflect::get(error, &JsValue::from_str("retryable")).is_ok_and(|value| value.is_truthy());
    if retryable { out.retryable() } else { out }
}
