//! Responses of another format than the one that was asked for, told by the look of a piece.

use serde_json::Value;

use ibid_platform::json::{list, present, text};
use ibid_platform::{Api, PROVIDERS};

/// A format that a response turned out to have.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    /// One that a provider can be set for.
    Known(Api),
    /// One that is not spoken here, with the remedy.
    Unspoken(&'static str, &'static str),
}

const COHERE: Foreign = Foreign::Unspoken(
    "Cohere's own chat",
    "Use Cohere's compatible address, https://api.cohere.ai/compatibility/v1, with the provider `openai`.",
);
const INTERACTIONS: Foreign = Foreign::Unspoken(
    "Gemini's interactions",
    "Set the provider `gemini` and the base URL https://generativelanguage.googleapis.com/v1beta.",
);
const COMPLETIONS: Foreign = Foreign::Unspoken(
    "the completions before chat",
    "Use a model and an address for chat; the address usually ends in /v1.",
);
const GENERATE: Foreign = Foreign::Unspoken(
    "Ollama's generate",
    "Set the provider `ollama` and the base URL of the server itself, such as http://localhost:11434.",
);

impl Foreign {
    pub(super) fn is(&self, api: Api) -> bool {
        *self == Self::Known(api)
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Known(api) => api.as_str(),
            Self::Unspoken(name, _) => name,
        }
    }

    pub(super) fn hint(&self) -> String {
        match self {
            Self::Known(api) => {
                let id = PROVIDERS.iter().find(|row| row.api == Some(*api)).map_or("", |row| row.id);
                format!("Set the provider to `{id}`, or correct the base URL.")
            }
            Self::Unspoken(_, hint) => (*hint).to_owned(),
        }
    }
}

/// Finds the format that a piece of a response shows, where it shows one.
pub(super) fn format(value: &Value) -> Option<Foreign> {
    let kind = text(value, "type").or_else(|| text(value, "event_type")).unwrap_or_default();
    let object = text(value, "object").unwrap_or_default();
    let message = present(value, "message");
    let blocks = |value: &Value| value.get("content").is_some_and(Value::is_array);
    // The formats tell their events by the sign between the words of their types.
    let begins = |starts: &[&str]| starts.iter().any(|start| kind.starts_with(start));
    let known = |api| Some(Foreign::Known(api));
    if begins(&["message_", "content_block_"]) || (kind == "message" && blocks(value)) {
        return known(Api::Messages);
    }
    if kind.starts_with("response.") || object == "response" {
        return known(Api::Responses);
    }
    let cohere =
        ["message-", "content-", "tool-call-", "tool-plan-", "citation-", "stream-", "text-generation"];
    if begins(&cohere) || (message.is_some_and(blocks) && value.get("finish_reason").is_some()) {
        return Some(COHERE);
    }
    if begins(&["interaction.", "content.", "step."]) || object == "interaction" {
        return Some(INTERACTIONS);
    }
    if let Some(choice) = list(value, "choices").first() {
        let chat = ["delta", "message"].iter().any(|key| choice.get(key).is_some());
        let text = choice.get("text").is_some_and(Value::is_string);
        return if chat || !text { known(Api::ChatCompletions) } else { Some(COMPLETIONS) };
    }
    if object.starts_with("chat.completion") {
        return known(Api::ChatCompletions);
    }
    if value.get("candidates").is_some_and(Value::is_array) {
        return known(Api::GenerateContent);
    }
    if value.get("done").is_some_and(Value::is_boolean) {
        let generates = value.get("response").is_some_and(Value::is_string) && message.is_none();
        return if generates { Some(GENERATE) } else { known(Api::OllamaChat) };
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::testing::SAMPLES;
    use ibid_platform::ErrorCode;

    #[test]
    fn every_format_read_as_another_is_named() {
        for sample in &SAMPLES {
            for other in &SAMPLES {
                if sample.kind == other.kind {
                    continue;
                }
                let text = |event: &str| event.replace('@', "Hello");
                let streamed = other.around(&[text(other.stream[1])]);
                for response in
                    [streamed, text(other.whole), text(other.stream[1]) + "\n" + &text(other.stream[2])]
                {
                    let error = sample.tested().error(&response);
                    assert_eq!(error.code(), ErrorCode::ProviderProtocol, "{response}");
                    let name = other.tested().0.api().as_str();
                    assert!(error.message().contains(name), "{:?}: {error}\n{response}", sample.kind);
                    assert!(error.hint().is_some_and(|hint| hint.contains("provider")), "{error}");
                }
            }
        }
    }

    #[test]
    fn formats_that_are_not_spoken_are_named_too() {
        let ends = "data: [DONE]\n\n";
        for (event, name) in [
            (r#"{"type":"message-start","delta":{"message":{"role":"assistant"}}}"#, "Cohere"),
            (r#"{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Hi"}}}}"#, "Cohere"),
            (
                r#"{"id":"x","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}]}}"#,
                "Cohere",
            ),
            (r#"{"event_type":"interaction.start","interaction":{"id":"x"}}"#, "interactions"),
            (
                r#"{"event_type":"content.delta","index":0,"delta":{"type":"text","text":"Hi"}}"#,
                "interactions",
            ),
            (
                r#"{"object":"interaction","outputs":[{"type":"text","text":"Hi"}],"status":"completed"}"#,
                "interactions",
            ),
            (
                r#"{"object":"text_completion","choices":[{"text":"Hi","index":0,"finish_reason":"stop"}]}"#,
                "before chat",
            ),
            (r#"{"response":"Hi","done":false}"#, "generate"),
        ] {
            for sample in &SAMPLES {
                for response in [format!("data: {event}\n\n{ends}"), event.to_owned()] {
                    let error = sample.tested().error(&response);
                    assert_eq!(error.code(), ErrorCode::ProviderProtocol, "{response}");
                    assert!(error.message().contains(name) && error.hint().is_some(), "{error} {response}");
                }
            }
        }
    }

    #[test]
    fn what_says_nothing_is_no_answer() {
        for response in ["data: [DONE]\n\n", "data: {\"kind\":\"other\",\"text\":\"Hi\"}\n\ndata: [DONE]\n\n"]
        {
            for sample in &SAMPLES {
                let code = sample.tested().error(response).code();
                assert_eq!(code, ErrorCode::ProviderProtocol, "{:?}: {response}", sample.kind);
            }
        }
    }
}
