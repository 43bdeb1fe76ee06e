//! The services that embed, and what differs between them beside their formats.

use serde::{Deserialize, Serialize};

/// A service that embeds texts.
///
/// Its text form, the same in JSON, in TypeScript and on the command line, is the variant's name in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingProvider {
    /// [OpenAI](https://platform.openai.com/docs/api-reference/embeddings), and whatever speaks its format at another
    /// address.
    OpenAi,
    /// [OpenRouter](https://openrouter.ai/docs/api/reference/embeddings).
    OpenRouter,
    /// [Mistral](https://docs.mistral.ai/api/endpoint/embeddings).
    Mistral,
    /// [Together](https://docs.together.ai/reference/embeddings).
    Together,
    /// [Gemini](https://ai.google.dev/gemini-api/docs/embeddings), by its own format, with task types.
    Gemini,
    /// [Cohere](https://docs.cohere.com/reference/embed), version 2.
    Cohere,
    /// [Voyage](https://docs.voyageai.com/reference/embeddings-api).
    Voyage,
    /// [Jina](https://jina.ai/embeddings).
    Jina,
    /// [Ollama](https://docs.ollama.com/api/embed), by its own format.
    Ollama,
    /// [llama.cpp](https://github.com/ggml-org/llama.cpp/tree/master/tools/server)'s server, started with `--embeddings`.
    #[serde(alias = "llama-cpp")]
    LlamaCpp,
    /// [vLLM](https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html).
    Vllm,
    /// [LM Studio](https://lmstudio.ai/docs/developer/openai-compat/embeddings).
    LmStudio,
}

/// How requests and responses of a service are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// `{model, input, ...}` to `{data: [{index, embedding}]}`, with small differences in the request.
    OpenAi,
    Gemini,
    Cohere,
    Ollama,
}

impl EmbeddingProvider {
    /// All of them, in the order in which they are documented.
    pub const ALL: [Self; 12] = [
        Self::OpenAi,
        Self::Gemini,
        Self::Cohere,
        Self::Voyage,
        Self::Jina,
        Self::Mistral,
        Self::OpenRouter,
        Self::Together,
        Self::Ollama,
        Self::LlamaCpp,
        Self::Vllm,
        Self::LmStudio,
    ];

    /// The text form, such as `openai`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenRouter => "openrouter",
            Self::Mistral => "mistral",
            Self::Together => "together",
            Self::Gemini => "gemini",
            Self::Cohere => "cohere",
            Self::Voyage => "voyage",
            Self::Jina => "jina",
            Self::Ollama => "ollama",
            Self::LlamaCpp => "llamacpp",
            Self::Vllm => "vllm",
            Self::LmStudio => "lmstudio",
        }
    }

    /// The provider of that text form.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == name)
    }

    /// Its name for a person.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI",
            Self::OpenRouter => "OpenRouter",
            Self::Mistral => "Mistral",
            Self::Together => "Together",
            Self::Gemini => "Gemini",
            Self::Cohere => "Cohere",
            Self::Voyage => "Voyage",
            Self::Jina => "Jina",
            Self::Ollama => "Ollama",
            Self::LlamaCpp => "llama.cpp",
            Self::Vllm => "vLLM",
            Self::LmStudio => "LM Studio",
        }
    }

    /// The address that its paths are appended to.
    pub const fn base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::OpenRouter => "https://openrouter.ai/api/v1",
            Self::Mistral => "https://api.mistral.ai/v1",
            Self::Together => "https://api.together.xyz/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            Self::Cohere => "https://api.cohere.com/v2",
            Self::Voyage => "https://api.voyageai.com/v1",
            Self::Jina => "https://api.jina.ai/v1",
            Self::Ollama => "http://localhost:11434",
            Self::LlamaCpp => "http://localhost:8080/v1",
            Self::Vllm => "http://localhost:8000/v1",
            Self::LmStudio => "http://localhost:1234/v1",
        }
    }

    /// Whether it runs on a machine of the user's own, and so usually asks for no key.
    pub const fn is_local(self) -> bool {
        matches!(self, Self::Ollama | Self::LlamaCpp | Self::Vllm | Self::LmStudio)
    }

    /// The most texts of one request: 100, or the service's own limit where that is lower.
    pub const fn batch_size(self) -> usize {
        match self {
            Self::Cohere => 96,
            _ => 100,
        }
    }

    pub(super) const fn format(self) -> Format {
        match self {
            Self::Gemini => Format::Gemini,
            Self::Cohere => Format::Cohere,
            Self::Ollama => Format::Ollama,
            _ => Format::OpenAi,
        }
    }

    /// What the request calls the number of dimensions.
    pub(super) const fn dimensions_key(self) -> &'static str {
        match self {
            Self::Gemini => "outputDimensionality",
            Self::Cohere | Self::Voyage | Self::Mistral => "output_dimension",
            _ => "dimensions",
        }
    }

    /// The header that carries the key, and what stands in front of the key in it.
    pub(super) const fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::Gemini => ("x-goog-api-key", ""),
            _ => ("authorization", "Bearer "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_forms_are_the_serialized_ones() {
        for provider in EmbeddingProvider::ALL {
            assert_eq!(serde_json::to_value(provider).unwrap(), provider.as_str());
            assert_eq!(EmbeddingProvider::from_name(provider.as_str()), Some(provider));
            assert!((1..=100).contains(&provider.batch_size()));
        }
        assert_eq!(EmbeddingProvider::from_name("OpenAI"), None);
    }
}
