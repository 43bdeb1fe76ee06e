//! A provider's refusal, as an [`Error`] a person can act on.

use serde_json::Value;

use super::{Provider, too_long};
use ibid_platform::report::{self, ErrorReport, may_pass};
use ibid_platform::{Error, ErrorCode, wait};

/// The most bytes of an error's body that are worth reading.
pub const MAX_BODY_BYTES: usize = report::MAX_BODY_BYTES;

/// A failed call: the error, and what the provider says of it besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFailure {
    /// The error to report.
    pub error: Error,
    /// True if any of the reply was shown before it failed.
    pub(super) shown: bool,
    /// The status of the response that refused it.
    pub(super) status: Option<u16>,
    /// The parameter of the request that it complains of, if it has a field for that.
    pub(super) param: Option<String>,
    /// True if it says that there are no tools.
    pub(super) no_tools: bool,
}

impl CallFailure {
    pub(super) fn may_be_the_schema(&self) -> bool {
        matches!(self.status, Some(400 | 422 | 501)) && self.error.code() != ErrorCode::ContextLength
    }
}

impl From<Error> for CallFailure {
    fn from(error: Error) -> Self {
        // Whatever broke a connection may have passed by the next try.
        let error = if error.code() == ErrorCode::Network { error.retryable() } else { error };
        Self { error, shown: false, status: None, param: None, no_tools: false }
    }
}

/// Returns the failure that a response with a status outside 200 to 299 stands for.
///
/// The provider's own message is found in all body shapes that providers of the Chat Completions format are known to
/// send. It is quoted with the API key and header values blotted out, in case the body echoes them.
pub fn from_response(
    provider: &Provider,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> CallFailure {
    let report = ErrorReport::of_response(headers, body);
    let error = into_error(&report, provider, Some(status));
    let no_tools = says_no_tools(&report.message);
    CallFailure { error, shown: false, status: Some(status), param: report.param, no_tools }
}

/// Makes the error that an error object inside a stream, or in a body sent with status 200, stands for.
pub(super) fn from_body(provider: &Provider, value: &Value) -> Error {
    into_error(&ErrorReport::read(value), provider, None)
}

fn into_error(report: &ErrorReport, provider: &Provider, status: Option<u16>) -> Error {
    let quota = report.says(&["insufficient_quota", "billing_hard_limit_reached"]);
    let status = status.or(report.status).or_else(|| status_from_words(report));
    let code = if too_long::is(report, status) { ErrorCode::ContextLength } else { report.code(status) };
    let mut what = match code {
        ErrorCode::ProviderAuth => "The provider refused access",
        ErrorCode::ProviderNotFound => "The provider does not know this address or model",
        ErrorCode::ProviderRateLimit if quota => "The provider's quota is used up",
        ErrorCode::ProviderRateLimit => "The provider's rate limit is reached",
        ErrorCode::ProviderRequest => "The provider did not accept the request",
        ErrorCode::ContextLength => "The conversation with its sources is too long for the model",
        ErrorCode::ProviderUnavailable => "The provider failed",
        _ => "The provider answered unexpectedly",
    }
    .to_owned();
    if let Some(status) = status {
        what.push_str(" (HTTP ");
        what.push_str(&status.to_string());
        what.push(')');
    }
    let message = provider.endpoint.quote(&report.message);
    if message.is_empty() {
        what.push('.');
    } else {
        what.push_str(": ");
        what.push_str(&message);
    }
    let error = Error::new(code, what)
        .with_hint(hint(provider, report, code, status, quota))
        .with_retry_after(report.retry_after);
    let final_one = quota || code == ErrorCode::ContextLength;
    if may_pass(status) && !final_one { error.retryable() } else { error }
}

/// True if the message says that the model, or the server as it was started, has no tools. Servers have no code for it.
fn says_no_tools(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let of = |words: &[&str]| words.iter().any(|word| message.contains(word));
    of(&["tool", "function call", "function_call"])
        && of(&["not support", "n't support", "unsupported", "support tool", "not enabled", "requires --"])
}

/// Finds the status that an error inside a stream would have had as a response.
fn status_from_words(report: &ErrorReport) -> Option<u16> {
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
                "invalid_prompt",
                "context_length_exceeded",
                "exceed_context_size_error",
                "INVALID_ARGUMENT",
            ],
            400,
        ),
        (&["server_error", "api_error", "overloaded_error", "UNAVAILABLE", "INTERNAL"], 503),
    ];
    table.iter().find(|(words, _)| report.says(words)).map(|(_, status)| *status)
}

fn hint(
    provider: &Provider,
    report: &ErrorReport,
    code: ErrorCode,
    status: Option<u16>,
    quota: bool,
) -> String {
    if quota || status == Some(402) {
        return "Check the credit and plan of your account with the provider.".to_owned();
    }
    if code == ErrorCode::ContextLength {
        return "Ask for fewer results, or use a model with a larger context.".to_owned();
    }
    match code {
        ErrorCode::ProviderAuth if !provider.endpoint.has_key() => {
            "Set an API key: none was sent.".to_owned()
        }
        ErrorCode::ProviderAuth => {
            "Check that the API key is complete, belongs to this provider and may use this model.".to_owned()
        }
        ErrorCode::ProviderNotFound => format!(
            "Check the model's name ({}) and the base URL, which usually ends in /v1.",
            provider.endpoint.quote(&provider.model)
        ),
        ErrorCode::ProviderRateLimit => wait::advice(report.retry_after),
        ErrorCode::ProviderUnavailable => "Try again later, or use another model or provider.".to_owned(),
        ErrorCode::ProviderRequest => {
            "The model may not support a setting or tools: see the provider's message.".to_owned()
        }
        _ => "Check the base URL, and that it belongs to the provider you set.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
    fn a_wrong_key_is_one_though_it_is_called_a_bad_request() {
        let body = r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[
            {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}"#;
        assert_eq!(error(400, body).code(), ErrorCode::ProviderAuth);
        assert!(error(400, body).hint().unwrap().contains("API key"));
    }

    #[test]
    fn a_used_up_quota_and_a_full_context_are_told_apart() {
        let quota = error(429, r#"{"error":{"message":"m","code":"insufficient_quota"}}"#);
        assert!(!quota.is_retryable());
        assert!(quota.hint().unwrap().contains("credit"));
        let long = error(400, r#"{"error":{"message":"m","code":400,"type":"exceed_context_size_error"}}"#);
        assert_eq!(long.code(), ErrorCode::ContextLength);
        assert!(long.hint().unwrap().contains("larger context"));
        let said = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#;
        assert_eq!(error(400, said).code(), ErrorCode::ContextLength);
    }

    #[test]
    fn a_model_without_tools_is_told_by_its_servers_words() {
        let no_tools = |message: &str| {
            let body = serde_json::json!({"error": {"message": message}}).to_string();
            from_response(&provider(), 400, &[], body.as_bytes()).no_tools
        };
        for message in [
            "registry.ollama.ai/library/gemma:2b does not support tools",
            "No endpoints found that support tool use. Try disabling \"search\".",
            "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            "tools param requires --jinja flag",
            "`tool calling` is not supported with this model",
            "Function calling is not enabled for models/gemma-3-27b-it",
        ] {
            assert!(no_tools(message), "{message}");
        }
        for message in
            ["tool_call_id is missing", "This model does not support images.", "Invalid tool schema"]
        {
            assert!(!no_tools(message), "{message}");
        }
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
            from_response(&provider(), 429, &headers, body.as_bytes()).error.retry_after()
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
        let body =
            r#"{"error":{"code":429,"message":"m","details":[{"metadata":{"quotaResetDelay":"900ms"}}]}}"#;
        assert_eq!(wait(&[], body), ms(900));
        let said = r#"{"error":{"message":"Please try again in 1.25s."}}"#;
        assert_eq!(wait(&[], said), ms(1250));
        assert_eq!(wait(&[("x-ratelimit-reset-tokens", "3s")], "m"), ms(3000));
        assert_eq!(wait(&[("retry-after", "2"), ("x-ratelimit-reset-tokens", "3s")], said), ms(2000));
    }

    #[test]
    fn a_long_wait_is_told() {
        let daily = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m","details":[{"retryDelay":"41234s"}]}}"#;
        assert_eq!(error(429, daily).hint(), Some("Wait 11 h, then ask again."));
    }
}
