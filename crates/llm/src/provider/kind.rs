//! Providers by name, and the formats they speak.

use serde::{Deserialize, Serialize};

/// A format of requests and responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// `OpenAI`'s Chat Completions, and everything compatible with it.
    ChatCompletions,
    /// `OpenAI`'s Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
    /// Gemini's `generateContent`.
    GenerateContent,
    /// Ollama's own chat.
    OllamaChat,
}

/// Who serves a model. The text form, in JSON and on the command line, is the name in lower case, such as `openai-responses`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ProviderKind {
    /// `OpenAI` by Chat Completions, or any server compatible with it at an address of its own.
    #[default]
    OpenAi,
    /// `OpenAI` by Responses, or a server compatible with that.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Anthropic.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// Ollama, by its own format.
    Ollama,
    /// `OpenRouter`.
    OpenRouter,
    /// Groq.
    Groq,
    /// Mistral.
    Mistral,
    /// `DeepSeek`.
    DeepSeek,
    /// xAI.
    XAi,
    /// Together.
    Together,
    /// A vLLM server on this machine.
    Vllm,
    /// A llama.cpp server on this machine.
    LlamaCpp,
    /// LM Studio on this machine.
    LmStudio,
}

impl ProviderKind {
    /// All of them, in the order they are told in.
    pub const ALL: [Self; 14] = [
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::OpenRouter,
        Self::Groq,
        Self::Mistral,
        Self::DeepSeek,
        Self::XAi,
        Self::Together,
        Self::Vllm,
        Self::LlamaCpp,
        Self::LmStudio,
    ];

    /// The text form.
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    /// The address where it is reached if none is given.
    pub const fn base_url(self) -> &'static str {
        self.facts().1
    }

    /// The format it speaks.
    pub const fn api(self) -> Api {
        match self {
            Self::OpenAiResponses => Api::Responses,
            Self::Anthropic => Api::Messages,
            Self::Gemini => Api::GenerateContent,
            Self::Ollama => Api::OllamaChat,
            _ => Api::ChatCompletions,
        }
    }

    /// The provider of that text form.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    const fn facts(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenAi => ("openai", "https://api.openai.com/v1"),
            Self::OpenAiResponses => ("openai-responses", "https://api.openai.com/v1"),
            Self::Anthropic => ("anthropic", "https://api.anthropic.com/v1"),
            Self::Gemini => ("gemini", "https://generativelanguage.googleapis.com/v1beta"),
            Self::Ollama => ("ollama", "http://localhost:11434"),
            Self::OpenRouter => ("openrouter", "https://openrouter.ai/api/v1"),
            Self::Groq => ("groq", "https://api.groq.com/openai/v1"),
            Self::Mistral => ("mistral", "https://api.mistral.ai/v1"),
            Self::DeepSeek => ("deepseek", "https://api.deepseek.com"),
            Self::XAi => ("xai", "https://api.x.ai/v1"),
            Self::Together => ("together", "https://api.together.xyz/v1"),
            Self::Vllm => ("vllm", "http://localhost:8000/v1"),
            Self::LlamaCpp => ("llamacpp", "http://localhost:8080/v1"),
            Self::LmStudio => ("lmstudio", "http://localhost:1234/v1"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_serialized_form() {
        for kind in ProviderKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(ProviderKind::named(kind.name()), Some(kind));
            assert!(kind.base_url().starts_with("http"));
        }
        assert_eq!(ProviderKind::named("OpenAI"), None);
    }
}
