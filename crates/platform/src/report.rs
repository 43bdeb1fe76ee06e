//! The message of a server that refuses, in all the shapes that are about.

use std::time::Duration;

use serde_json::Value;

use super::json::{self, list, number, present, text};
use super::wait;
use crate::error::ErrorCode;

/// The most bytes of an error's body that are worth reading.
pub const MAX_BODY_BYTES: usize = 64 << 10;

/// Chooses the code of a response's status outside 200 to 299; `None` for a failure that was told without one.
fn code_of(status: Option<u16>) -> ErrorCode {
    match status {
        Some(401 | 403) => ErrorCode::ProviderAuth,
        Some(404) => ErrorCode::ProviderNotFound,
        Some(429) => ErrorCode::ProviderRateLimit,
        Some(400..=499) => ErrorCode::ProviderRequest,
        None | Some(500..) => ErrorCode::ProviderUnavailable,
        Some(_) => ErrorCode::ProviderProtocol,
    }
}

/// Returns true if a failure with that status may have passed when the same is tried again.
pub fn may_pass(status: Option<u16>) -> bool {
    matches!(status, None | Some(408 | 409 | 429 | 500..=599))
}

/// The message and code in an error's body.
#[derive(Default)]
pub struct ErrorReport {
    /// The message; empty if there is none.
    pub message: String,
    /// The fields `code`, `type` and `status`, and the `reason` among Google's details, as words.
    pub words: Vec<String>,
    /// The name of the parameter that the body complains of, the last part of its path.
    pub param: Option<String>,
    /// The status that the body names.
    pub status: Option<u16>,
    /// The wait that the headers or the body ask for.
    pub retry_after: Option<Duration>,
}

impl ErrorReport {
    /// Reads the head and body of a response that is an error.
    pub fn of_response(headers: &[(String, String)], body: &[u8]) -> Self {
        let body = String::from_utf8_lossy(body);
        let mut report = match json::parse(&body) {
            Ok(value) => Self::read(&value),
            Err(_) => Self::read(&Value::String(plain_text(&body))),
        };
        report.retry_after =
            wait::from_headers(headers).or(report.retry_after).or_else(|| wait::from_resets(headers));
        report
    }

    /// Reads the body of an error, in any of the shapes that services have.
    pub fn read(value: &Value) -> Self {
        let mut report = Self::default();
        report.collect(value, 0);
        report.retry_after = report.retry_after.or_else(|| wait::from_sentence(&report.message));
        report
    }

    /// Shapes: `{error:{message,code,type,..}}`, `{error:"…"}`, `{message,code,..}`, `{message:{detail:..}}`,
    /// `{detail:"…"}`, `{detail:[{loc,msg}]}`, `{status:{error:"…"}}`, `{error:"Name",message:"…"}`, and an array around any of them.
    fn collect(&mut self, value: &Value, depth: u8) {
        if depth > 4 {
            return;
        }
        match value {
            Value::String(message) => message.clone_into(&mut self.message),
            Value::Array(values) => {
                if let Some(first) = values.first() {
                    self.collect(first, depth + 1);
                }
            }
            Value::Object(_) => {
                for key in ["code", "type", "status"] {
                    if let Some(word) = text(value, key) {
                        self.words.push(word.to_owned());
                    }
                }
                let place =
                    list(value, "loc").last().and_then(Value::as_str).or_else(|| text(value, "param"));
                let name = place.and_then(|place| place.rsplit(['.', '/']).next());
                self.param = name.map(str::to_owned).or_else(|| self.param.take());
                self.status = ["code", "status", "raw_status_code", "status_code"]
                    .iter()
                    .find_map(|key| number(value, key))
                    .and_then(|code| u16::try_from(code).ok())
                    .filter(|code| (400..600).contains(code))
                    .or(self.status);
                for detail in list(value, "details") {
                    self.words.extend(text(detail, "reason").map(str::to_owned));
                    self.wait(detail);
                    detail.get("metadata").into_iter().for_each(|metadata| self.wait(metadata));
                }
                self.wait(value);
                // Where both are texts, the first is the name of a class of errors.
                let keys: &[&str] = if text(value, "error").is_some() && text(value, "message").is_some() {
                    &["message"]
                } else {
                    &["error", "message", "detail", "msg", "status"]
                };
                let said = |key: &&str| {
                    present(value, key).filter(|inner| {
                        **inner != Value::Bool(true) && (*key != "status" || inner.is_object())
                    })
                };
                if let Some(inner) = keys.iter().find_map(said) {
                    self.collect(inner, depth + 1);
                }
                // A router says "Provider returned error" and what the provider returned in its metadata.
                if let Some(raw) = value.get("metadata").and_then(|metadata| text(metadata, "raw")) {
                    self.message.push_str(": ");
                    self.message.push_str(raw);
                }
            }
            _ => {}
        }
    }

    /// Takes in the wait that a field names; the longer one where there are two.
    fn wait(&mut self, value: &Value) {
        let fields = value.as_object().into_iter().flatten();
        let named = fields.filter_map(|(name, value)| wait::from_field(name, value)).max();
        self.retry_after = self.retry_after.max(named);
    }

    /// Returns the code of the error, by its status as `code_of` has it; but Google calls a wrong key a bad request.
    pub fn code(&self, status: Option<u16>) -> ErrorCode {
        if self.says(&["API_KEY_INVALID"]) { ErrorCode::ProviderAuth } else { code_of(status) }
    }

    /// Says whether any of its words is among these.
    pub fn says(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }
}

/// Reads the text of a body that is no JSON.
fn plain_text(body: &str) -> String {
    let start = body.trim_start().get(..15).unwrap_or_default().to_ascii_lowercase();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        "an HTML page".to_owned()
    } else {
        body.to_owned()
    }
}
