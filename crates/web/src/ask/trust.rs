//! Work without a run: reading and checking an answer, a question and an audit log. JSON goes in and out, with
//! places in UTF-16 units.

use std::pin::Pin;

use js_sys::{Function, Promise};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use super::utf16;
use ibid::agent::audit;
use ibid_platform::call::pauses;
use ibid_platform::{Error, ErrorCode, Result, lazily};
use ibid_platform::{Units, json};
use ibid_trust::cite::{self, Claim, Confidence, Flag, Given, SourceRegister};
use ibid_trust::guard::pii::{Finder, PiiOptions, Redaction};
use ibid_trust::guard::{self, GuardOptions};
use ibid_web::convert::thrown;
use ibid_web::fetch::Timer;
use ibid_web::settled::promise;

/// Checks an answer against its sources: a promise of its claims, the flags and the confidence. A long one is gone
/// through in slices, so that the page is not held.
#[wasm_bindgen]
pub fn verify(answer: String) -> Promise {
    #[derive(Serialize)]
    struct Verification<'a> {
        claims: &'a [Claim],
        flags: &'a [Flag],
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<Confidence>,
    }
    async fn checked(answer: String) -> Result<String> {
        let Given { text, sources } = Given::read(&answer)?;
        let clock = Timer::new(None);
        let mut found = cite::recheck_in_slices(&text, &sources, &mut pauses(&clock)).await?;
        utf16::claims(&text, &sources, &mut found.claims);
        utf16::flags(&text, &sources, &mut found.flags);
        write(&Verification { claims: &found.claims, flags: &found.flags, confidence: found.confidence })
    }
    fn boxed(answer: String) -> Pin<Box<dyn Future<Output = Result<String>>>> {
        Box::pin(checked(answer))
    }
    lazily!(fn check(answer: String) -> Pin<Box<dyn Future<Output = Result<String>>>> = boxed);
    promise(async { check(answer).await.map(JsValue::from).map_err(|error| thrown(&error)) })
}

/// Returns the blocks of an answer's text so far; `knows` tells whether there is a source of a number.
#[wasm_bindgen(js_name = partialTree)]
pub fn partial_tree(text: &str, knows: &Function) -> Result<String, JsValue> {
    let is_source =
        |number: u32| knows.call1(&JsValue::NULL, &number.into()).is_ok_and(|told| told.is_truthy());
    let mut tree = cite::partial_tree(text, &is_source);
    utf16::tree(text, &mut tree);
    write(&tree).map_err(|error| thrown(&error))
}

/// Writes the cited sources of an answer as a bibliography.
#[wasm_bindgen]
pub fn bibliography(answer: &str, format: &str) -> Result<String, JsValue> {
    fn listed(answer: &str, format: &str) -> Result<String> {
        let format = json::of(format.into())
            .map_err(|_| invalid("The format of a bibliography is `list`, `csl-json` or `bibtex`."))?;
        let Given { text, sources } = Given::read(answer)?;
        let found = cite::check(&text, &SourceRegister::from(sources.clone())).citations;
        let mut cited: Vec<u32> = found.iter().map(|citation| citation.number).collect();
        cited.sort_unstable();
        cited.dedup();
        Ok(cite::bibliography(&sources, &cited, format))
    }
    lazily!(fn list(answer: &str, format: &str) -> Result<String> = listed);
    list(answer, format).map_err(|error| thrown(&error))
}

/// Takes the rules for emergencies, which this module does not contain; before [`inspect`] looks for them.
#[wasm_bindgen(js_name = provideEmergencyRules)]
pub fn provide_emergency_rules(text: String) {
    lazily!(fn provide(text: &'static str) -> () = guard::provide_emergency_rules);
    provide(text.leak());
}

/// Takes the rules for personal data, which this module does not contain; before [`redact`] looks for them.
#[wasm_bindgen(js_name = providePiiRules)]
pub fn provide_pii_rules(text: String) {
    lazily!(fn provide(text: &'static str) -> () = guard::pii::provide_pii_rules);
    provide(text.leak());
}

/// Inspects a question with the guard.
#[wasm_bindgen]
pub fn inspect(text: &str, options: &str) -> Result<String, JsValue> {
    fn verdict(text: &str, options: &str) -> Result<String> {
        let options: GuardOptions = read(options)?;
        write(&utf16::guarded(guard::inspect(text, &options)?.into()))
    }
    lazily!(fn judge(text: &str, options: &str) -> Result<String> = verdict);
    judge(text, options).map_err(|error| thrown(&error))
}

/// Replaces personal data in a text by placeholders, and says where it stood.
#[wasm_bindgen]
pub fn redact(text: &str, options: &str) -> Result<String, JsValue> {
    fn redacted(text: &str, options: &str) -> Result<String> {
        let options: PiiOptions = read(options)?;
        let finder = Finder::new(&options.resolve(true))?;
        let mut units = Units::new(text);
        let found: Vec<Value> = finder
            .find(text)
            .into_iter()
            .map(|found| json!({"span": units.range(&found.span), "label": found.label}))
            .collect();
        Ok(json!({"text": Redaction::default().redact(&finder, text), "found": found}).to_string())
    }
    lazily!(fn hide(text: &str, options: &str) -> Result<String> = redacted);
    hide(text, options).map_err(|error| thrown(&error))
}

/// The line of an audit log for a record, behind the line of the hash `previous`.
#[wasm_bindgen(js_name = auditLine)]
#[allow(
    clippy::needless_pass_by_value,
    reason = "an optional text crosses the boundary as a text of its own"
)]
pub fn audit_line(previous: Option<String>, record: &str) -> Result<String, JsValue> {
    fn chained(previous: Option<&str>, record: &str) -> Result<String> {
        Ok(audit::chain(previous, &read(record)?))
    }
    lazily!(fn chain(previous: Option<&str>, record: &str) -> Result<String> = chained);
    chain(previous.as_deref(), record).map_err(|error| thrown(&error))
}

/// The faults of an audit log, if there are any; `head` is a hash that has to be in it.
#[wasm_bindgen(js_name = auditCheck)]
#[allow(
    clippy::needless_pass_by_value,
    reason = "an optional text crosses the boundary as a text of its own"
)]
pub fn audit_check(lines: &str, head: Option<String>) -> Result<String, JsValue> {
    fn faults(lines: &str, head: Option<&str>) -> Result<String> {
        write(&audit::verify(lines, head))
    }
    lazily!(fn find(lines: &str, head: Option<&str>) -> Result<String> = faults);
    find(lines, head.as_deref()).map_err(|error| thrown(&error))
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T> {
    json::read(json).map_err(|error| invalid(&format!("The value cannot be read: {error}.")))
}

fn write(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| {
        Error::new(ErrorCode::Internal, format!("The result could not be passed on: {error}."))
    })
}

fn invalid(message: &str) -> Error {
    Error::new(ErrorCode::InvalidOption, message)
}
