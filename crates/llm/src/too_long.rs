//! Telling a full context from other refusals, by the shape of what a provider says.

use ibid_platform::report::ErrorReport;

/// Names of what is sent, which may be too long.
const SENT: &[&str] =
    &["context", "prompt", "input", "message", "request", "conversation", "text", "history"];

/// Names of its measures.
const MEASURES: &[&str] = &["context", "token", "length", "long", "prompt"];

/// Words that say of a measure that it is passed, or where it ends.
const PASSED: &[&str] = &[
    "exceed",
    "too long",
    "too large",
    "too many",
    "too big",
    "longer than",
    "larger than",
    "greater than",
    "more than",
    "less than",
    "fewer than",
    "bigger than",
    "beyond",
    "overflow",
    "over the",
    "above",
    "reduce",
    "shorten",
    "shorter",
    "maximum",
    "max ",
    "limit",
    "not enough",
    "not fit",
    "n't fit",
    "at most",
    "<=",
    "is full",
    "range of",
];

/// Words of a limit of the reply, which a shorter question does not mend.
const REPLY: &[&str] = &["output", "completion", "generated", "generate"];

/// Says whether a refusal with that status says that the conversation is too long for the model. Providers have no
/// common code for it: what they say names what was sent, its measure, and that it is passed.
pub(super) fn is(report: &ErrorReport, status: Option<u16>) -> bool {
    match status {
        Some(413) => true,
        Some(400 | 422) => report.words.iter().any(|word| is_name(word)) || says(report),
        // Servers that stop in the middle of their work, and requests that no wait makes small enough.
        Some(500) => has(&report.message, &["context"]) && says(report),
        Some(429) => has(&report.message, &["too large"]) && says(report),
        _ => false,
    }
}

fn says(report: &ErrorReport) -> bool {
    let lower = report.message.to_ascii_lowercase();
    if has(&lower, &["context"]) && has(&lower, &["length", "window", "size", "limit"]) && has(&lower, PASSED)
    {
        return true;
    }
    // The name of a parameter is no word of the sentence.
    let is_word = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let joined = word.contains(['_', '[', '.']) && word.contains(|c: char| c.is_ascii_alphabetic());
        let camel =
            word.as_bytes().windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
        !joined && !camel
    };
    let words: Vec<&str> = lower
        .split_whitespace()
        .zip(report.message.split_whitespace())
        .filter_map(|(lower, word)| is_word(&word).then_some(lower))
        .collect();
    let named = words.len() < lower.split_whitespace().count();
    let said = words.join(" ") + " ";
    let limits_reply = named || report.param.is_some() || has(&said, REPLY);
    let sent = has(&said, SENT) || (has(&said, &["token"]) && !limits_reply);
    // `tokens + max_new_tokens must be <= 4097` is a sum of both.
    let sum = has(&said, &["token"]) && has(&said, &["+", "less than"]);
    (sent || sum) && has(&said, MEASURES) && has(&said, PASSED)
}

/// Says whether a code is such a name as `context_length_exceeded` or `tokens_limit_reached`.
fn is_name(code: &str) -> bool {
    let code = code.to_ascii_lowercase();
    let sent = ["context", "prompt", "token", "request"];
    has(&code, &sent)
        && has(&code, &["exceed", "too_l", "toolong", "limit", "overflow"])
        && !has(&code, &["rate"])
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use ibid_platform::{Error, ErrorCode};

    use crate::{Provider, failure};

    fn error(status: u16, body: &serde_json::Value) -> Error {
        let provider = Provider::new("https://h/v1", "m").unwrap();
        failure::from_response(&provider, status, &[], body.to_string().as_bytes()).error
    }

    fn said(status: u16, message: &str) -> ErrorCode {
        error(status, &serde_json::json!({"error": {"message": message, "type": "invalid_request_error"}}))
            .code()
    }

    #[test]
    fn a_full_context_is_known_by_any_words() {
        for message in [
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the \
             messages, 1000 in the completion).",
            "This model only takes a prompt of up to 500 tokens, but the maximum was passed: 812",
            "Your messages are longer than this model allows: 9100 tokens, limit 8192",
            "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.",
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
            "Prompt exceeds max length",
            "Range of input length should be [1, 30720]",
            "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512 `max_new_tokens`",
            "`inputs` must have less than 4096 tokens. Given: 5000",
            "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with \
             context length of only 4096 tokens, which is not enough.",
            "the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
            "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
            "Please shorten the conversation: it has more tokens than fit",
            "input (4002 tokens) is too large to process. increase the physical batch size (current batch size: 512)",
        ] {
            for status in [400, 422] {
                assert_eq!(said(status, message), ErrorCode::ContextLength, "{status} {message}");
            }
        }
        assert_eq!(said(413, "Request Entity Too Large"), ErrorCode::ContextLength);
        let per_minute = "Request too large for m on tokens per min (TPM): Limit 30000, Requested 40000.";
        assert_eq!(said(429, per_minute), ErrorCode::ContextLength);
        assert_eq!(said(500, "the input exceeds the context length"), ErrorCode::ContextLength);
        for code in [
            "context_length_exceeded",
            "exceed_context_size_error",
            "prompt_too_long",
            "tokens_limit_reached",
        ] {
            assert_eq!(
                error(400, &serde_json::json!({"error": {"message": "m", "code": code}})).code(),
                ErrorCode::ContextLength
            );
        }
    }

    #[test]
    fn other_refusals_are_not_taken_for_it() {
        for message in [
            "max_tokens must be at most 8192",
            "max_tokens is too large: 9. This model supports at most 4 completion tokens, whereas you provided 9.",
            "max_tokens is too large: 9. This model supports at most 4 tokens.",
            "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
            "Unable to submit request because it has a maxOutputTokens value of 65536 but the supported range is \
             from 1 to 8192",
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            "`max_tokens` must be greater than `thinking.budget_tokens`",
            "Invalid 'tools': array too long. Expected an array with maximum length 128.",
            "Invalid 'messages[3].tool_call_id': string too long. Expected a string with maximum length 40.",
            "messages.0.content.1.image: image exceeds 5 MB maximum",
            "Too many images in request, at most 10",
            "Too many inputs in request, split into more batches.",
            "The maximum number of tools in a request is 128",
            "temperature must be at most 2",
            "Request contains an invalid argument.",
            "Unknown parameter: 'response_format'.",
        ] {
            assert_eq!(said(400, message), ErrorCode::ProviderRequest, "{message}");
        }
        let credit = "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but \
                      can only afford 2000.";
        assert_eq!(said(402, credit), ErrorCode::ProviderRequest);
        assert_eq!(
            said(429, "Too many tokens, please wait before trying again."),
            ErrorCode::ProviderRateLimit
        );
        assert_eq!(said(500, "out of memory"), ErrorCode::ProviderUnavailable);
    }
}
