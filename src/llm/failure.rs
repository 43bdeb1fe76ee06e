//! What a provider says when it does not answer, as an [`Error`] a person can act on.

use std::time::Duration;

use serde_json::Value;

use super::json::{list, number, present, text};
use super::{Provider, Secret, http_date};
use crate::error::{Error, ErrorCode};

/// The most bytes of an error's body that are worth reading.
pub const MAX_BODY_BYTES: usize = 64 << 10;

/// The most characters of a provider's own message that go into an error.
const MAX_MESSAGE_CHARS: usize = 500;

/// What stands in a quoted message where a secret stood.
const BLOT: &str = "[secret]";

/// A failed call: the error, and how long the provider asks to wait before the next try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What to report.
    pub error: Error,
    /// The wait that the provider asks for, if it does.
    pub retry_after: Option<Duration>,
}

/// The failure that a response with a status outside 200 to 299 stands for.
///
/// The provider's own message is found in all body shapes that providers of the Chat Completions format are known to
/// send. It is quoted with the API key and header values blotted out, in case the body echoes them.
pub fn from_response(provider: &Provider, status: u16, headers: &[(String, String)], body: &[u8]) -> Failure {
    let body = String::from_utf8_lossy(body);
    let report = match serde_json::from_str::<Value>(&body) {
        Ok(value) => Report::read(&value),
        Err(_) => Report { message: plain_text(&body), ..Report::default() },
    };
    let retry_after = wait_from_headers(headers).or(report.retry_after);
    Failure { error: report.into_error(provider, Some(status)), retry_after }
}

/// The error that an error object inside a stream, or in a body sent with status 200, stands for.
pub(super) fn from_body(provider: &Provider, value: &Value) -> Error {
    Report::read(value).into_error(provider, None)
}

/// A text by the provider, fit to be quoted: one line, bounded, without secrets.
pub(super) fn quote(provider: &Provider, message: &str) -> String {
    let mut message = message.to_owned();
    if let Some(key) = provider.api_key.as_ref().map(Secret::expose).filter(|key| key.len() >= 4) {
        message = message.replace(key, BLOT);
        // Providers like to echo a key with its middle starred out; the ends of a key are nobody's business either.
        if let Some(start) = key.get(..6).filter(|start| key.len() >= 12 && !BLOT.contains(start)) {
            while let Some(at) = message.find(start) {
                let end =
                    message[at..].find([' ', '"', '\'', ',', '\n']).map_or(message.len(), |len| at + len);
                message.replace_range(at..end, BLOT);
            }
        }
    }
    for value in provider.headers.values().map(Secret::expose) {
        // What a scheme name such as `Bearer` stands before is a secret by itself. Short values are none.
        let bare = value.rsplit(' ').next().unwrap_or(value);
        for secret in [value, bare].into_iter().filter(|secret| secret.len() >= 8) {
            message = message.replace(secret, BLOT);
        }
    }
    let mut line = String::new();
    for word in message.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if let Some((end, _)) = line.char_indices().nth(MAX_MESSAGE_CHARS) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// What can be read from an error's body.
#[derive(Default)]
struct Report {
    message: String,
    /// The fields `code`, `type` and `status`, as words.
    words: Vec<String>,
    status: Option<u16>,
    retry_after: Option<Duration>,
}

impl Report {
    fn read(value: &Value) -> Self {
        let mut report = Self::default();
        report.collect(value, 0);
        report
    }

    /// Shapes: `{error:{message,code,type,..}}`, `{error:"…"}`, `{message,code,..}`, `{message:{detail:..}}`,
    /// `{detail:"…"}`, `{detail:[{loc,msg}]}`, and an array around any of them.
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
                self.status = ["code", "status", "raw_status_code", "status_code"]
                    .iter()
                    .find_map(|key| number(value, key))
                    .and_then(|code| u16::try_from(code).ok())
                    .filter(|code| (400..600).contains(code))
                    .or(self.status);
                for detail in list(value, "details") {
                    self.retry_after =
                        text(detail, "retryDelay").and_then(seconds_suffixed).or(self.retry_after);
                }
                if let Some(inner) = ["error", "message", "detail", "msg"]
                    .iter()
                    .find_map(|key| present(value, key).filter(|inner| **inner != Value::Bool(true)))
                {
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

    fn says(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }

    fn into_error(self, provider: &Provider, status: Option<u16>) -> Error {
        let quota = self.says(&["insufficient_quota", "billing_hard_limit_reached"]);
        let too_long = self.says(&["context_length_exceeded", "exceed_context_size_error"]);
        let status = status.or(self.status).or_else(|| self.status_from_words());
        let (code, mut what) = match status {
            Some(401 | 403) => (ErrorCode::ProviderAuth, "The provider refused access".to_owned()),
            Some(404) => {
                (ErrorCode::ProviderNotFound, "The provider does not know this address or model".to_owned())
            }
            Some(429) if quota => {
                (ErrorCode::ProviderRateLimit, "The provider's quota is used up".to_owned())
            }
            Some(429) => (ErrorCode::ProviderRateLimit, "The provider's rate limit is reached".to_owned()),
            Some(400..=499) => {
                (ErrorCode::ProviderRequest, "The provider did not accept the request".to_owned())
            }
            None | Some(500..) => (ErrorCode::ProviderUnavailable, "The provider failed".to_owned()),
            Some(_) => (ErrorCode::ProviderProtocol, "The provider answered unexpectedly".to_owned()),
        };
        if let Some(status) = status {
            what.push_str(" (HTTP ");
            what.push_str(&status.to_string());
            what.push(')');
        }
        let message = quote(provider, &self.message);
        if message.is_empty() {
            what.push('.');
        } else {
            what.push_str(": ");
            what.push_str(&message);
        }
        let error = Error::new(code, what).with_hint(hint(provider, code, status, quota, too_long));
        let passing = matches!(status, None | Some(408 | 409 | 429 | 500..=599));
        if passing && !quota { error.retryable() } else { error }
    }

    /// The status that an error inside a stream would have had as a response.
    fn status_from_words(&self) -> Option<u16> {
        let table: [(&[&str], u16); 6] = [
            (&["invalid_api_key", "authentication_error", "UNAUTHENTICATED"], 401),
            (&["permission_error", "PERMISSION_DENIED"], 403),
            (&["model_not_found", "not_found_error", "NOT_FOUND"], 404),
            (
                &[
                    "rate_limit_exceeded",
                    "rate_limit_error",
                    "insufficient_quota",
                    "RESOURCE_EXHAUSTED",
                    "rate_limit",
                ],
                429,
            ),
            (
                &[
                    "invalid_request_error",
                    "context_length_exceeded",
                    "exceed_context_size_error",
                    "INVALID_ARGUMENT",
                ],
                400,
            ),
            (&["server_error", "api_error", "overloaded_error", "UNAVAILABLE", "INTERNAL"], 503),
        ];
        table.iter().find(|(words, _)| self.says(words)).map(|(_, status)| *status)
    }
}

fn hint(provider: &Provider, code: ErrorCode, status: Option<u16>, quota: bool, too_long: bool) -> String {
    if quota || status == Some(402) {
        return "Check the credit and plan of your account with the provider.".to_owned();
    }
    if too_long {
        return "The conversation with its sources does not fit the model: ask for fewer results, or use a model with \
                a larger context."
            .to_owned();
    }
    match code {
        ErrorCode::ProviderAuth if provider.api_key.is_none() && provider.headers.is_empty() => {
            "Set an API key; none was sent.".to_owned()
        }
        ErrorCode::ProviderAuth => {
            "Check that the API key is complete, belongs to this provider and may use this model.".to_owned()
        }
        ErrorCode::ProviderNotFound => format!(
            "Check the model's name ({}) and the base URL, which usually ends in /v1.",
            quote(provider, &provider.model)
        ),
        ErrorCode::ProviderRateLimit => "Wait a little, then ask again.".to_owned(),
        ErrorCode::ProviderUnavailable => "Try again later, or use another model or provider.".to_owned(),
        ErrorCode::ProviderRequest => {
            "The model may not support a setting or tools; see the provider's message.".to_owned()
        }
        _ => "Check that the base URL is that of a Chat Completions API.".to_owned(),
    }
}

/// The text of a body that is no JSON.
fn plain_text(body: &str) -> String {
    let start = body.trim_start().get(..15).unwrap_or_default().to_ascii_lowercase();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        "an HTML page".to_owned()
    } else {
        body.to_owned()
    }
}

/// `retry-after-ms` in milliseconds, else `retry-after` in seconds or as a date.
///
/// A date is compared with the response's own `date`, so that no clock is needed and a wrong one does no harm.
pub(crate) fn wait_from_headers(headers: &[(String, String)]) -> Option<Duration> {
    let header = |name: &str| headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim());
    if let Some(wait) = header("retry-after-ms").and_then(|value| duration(value, 0.001)) {
        return Some(wait);
    }
    let after = header("retry-after")?;
    duration(after, 1.0).or_else(|| {
        let seconds = http_date::parse(after)? - http_date::parse(header("date")?)?;
        u64::try_from(seconds).ok().map(Duration::from_secs)
    })
}

/// A duration such as `34.4s`.
fn seconds_suffixed(text: &str) -> Option<Duration> {
    duration(text.strip_suffix('s')?, 1.0)
}

fn duration(text: &str, unit: f64) -> Option<Duration> {
    let value: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(value * unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider() -> Provider {
        Provider::new("https://h/v1", "some-model").unwrap().with_api_key("sk-proj-0123456789abcdef")
    }

    fn error(status: u16, body: &str) -> Error {
        from_response(&provider(), status, &[], body.as_bytes()).error
    }

    #[test]
    fn statuses_have_their_codes() {
        for (status, code, retryable) in [
            (400, ErrorCode::ProviderRequest, false),
            (401, ErrorCode::ProviderAuth, false),
            (402, ErrorCode::ProviderRequest, false),
            (403, ErrorCode::ProviderAuth, false),
            (404, ErrorCode::ProviderNotFound, false),
            (408, ErrorCode::ProviderRequest, true),
            (409, ErrorCode::ProviderRequest, true),
            (422, ErrorCode::ProviderRequest, false),
            (429, ErrorCode::ProviderRateLimit, true),
            (500, ErrorCode::ProviderUnavailable, true),
            (529, ErrorCode::ProviderUnavailable, true),
            (302, ErrorCode::ProviderProtocol, false),
        ] {
            let error = error(status, "");
            assert_eq!((error.code(), error.is_retryable()), (code, retryable), "{status}");
            assert!(error.message().ends_with(&format!("(HTTP {status}).")), "{}", error.message());
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn the_message_is_found_in_every_shape() {
        for body in [
            r#"{"error":{"message":"MSG","type":"t","param":null,"code":"c"}}"#,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"MSG"}}"#,
            r#"{"error":{"code":400,"message":"MSG","status":"INVALID_ARGUMENT","details":[]}}"#,
            r#"[{"error":{"code":400,"message":"MSG","status":"INVALID_ARGUMENT"}}]"#,
            r#"{"id":"x","message":"MSG"}"#,
            r#"{"error":"MSG"}"#,
            r#"{"error":true,"message":"MSG"}"#,
            r#"{"detail":"MSG"}"#,
            r#"{"object":"error","message":{"detail":[{"loc":["body"],"msg":"MSG","type":"extra_forbidden"}]}}"#,
            r#"{"error":{"code":400,"message":"MSG","type":"exceed_context_size_error","n_prompt_tokens":9}}"#,
            "MSG",
        ] {
            assert!(error(400, body).message().ends_with("(HTTP 400): MSG"), "{body}");
        }
        let routed = r#"{"error":{"message":"Provider returned error","metadata":{"raw":"MSG"}}}"#;
        assert!(error(400, routed).message().ends_with("Provider returned error: MSG"));
        assert!(error(502, "<!DOCTYPE html><html>").message().ends_with("an HTML page"));
    }

    #[test]
    fn a_used_up_quota_and_a_full_context_are_told_apart() {
        let quota = error(429, r#"{"error":{"message":"m","code":"insufficient_quota"}}"#);
        assert!(!quota.is_retryable());
        assert!(quota.hint().unwrap().contains("credit"));
        let long = error(400, r#"{"error":{"message":"m","code":400,"type":"exceed_context_size_error"}}"#);
        assert!(long.hint().unwrap().contains("larger context"));
    }

    #[test]
    fn secrets_are_blotted_out_and_messages_bounded() {
        let body = r#"{"error":{"message":"Bad key sk-proj-0123456789abcdef, alias sk-proj-****cdef."}}"#;
        let message = error(401, body).to_string();
        assert!(!message.contains("sk-proj") && !message.contains("cdef"), "{message}");
        assert!(message.contains("Bad key [secret], alias [secret]"), "{message}");
        let long = error(500, &"word\n\u{0}".repeat(10_000));
        assert!(long.message().chars().count() < 600);
        assert!(!long.message().contains('\n'));
    }

    #[test]
    fn errors_in_a_stream_get_the_status_they_would_have_had() {
        for (body, code, retryable) in [
            (r#"{"error":{"code":502,"message":"m"}}"#, ErrorCode::ProviderUnavailable, true),
            (r#"{"error":{"code":"rate_limit_exceeded","message":"m"}}"#, ErrorCode::ProviderRateLimit, true),
            (
                r#"{"error":{"type":"invalid_request_error","message":"m"}}"#,
                ErrorCode::ProviderRequest,
                false,
            ),
            (r#"{"error":{"code":"invalid_api_key","message":"m"}}"#, ErrorCode::ProviderAuth, false),
            (r#"{"error":{"type":"overloaded_error","message":"m"}}"#, ErrorCode::ProviderUnavailable, true),
            (r#"{"error":"out of memory"}"#, ErrorCode::ProviderUnavailable, true),
        ] {
            let error = from_body(&provider(), &serde_json::from_str(body).unwrap());
            assert_eq!((error.code(), error.is_retryable()), (code, retryable), "{body}");
        }
    }

    #[test]
    fn the_wait_is_read_from_headers_and_body() {
        let wait = |headers: &[(&str, &str)], body: &str| {
            let headers: Vec<_> =
                headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            from_response(&provider(), 429, &headers, body.as_bytes()).retry_after
        };
        let ms = |value| Some(Duration::from_millis(value));
        assert_eq!(wait(&[("retry-after-ms", "1500"), ("retry-after", "9")], ""), ms(1500));
        assert_eq!(wait(&[("retry-after", "9")], ""), ms(9000));
        let (date, later) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:47 GMT");
        assert_eq!(wait(&[("retry-after", later), ("date", date)], ""), ms(10_000));
        assert_eq!(wait(&[("retry-after", date), ("date", later)], ""), None);
        assert_eq!(wait(&[("retry-after", later)], ""), None);
        for bad in ["-1", "NaN", "inf", "soon", "1e300"] {
            assert_eq!(wait(&[("retry-after", bad)], ""), None, "{bad}");
        }
        let body = r#"[{"error":{"code":429,"message":"m","details":[{"retryDelay":"34.4s"}]}}]"#;
        assert_eq!(wait(&[], body), ms(34_400));
    }
}
