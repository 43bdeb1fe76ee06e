//! The table of providers: all that is known of a service before it is called.
//!
//! Models, embedders, rerankers and the command take names, addresses, formats and quirks from here.
//! `tests/providers.rs` writes the package's copy and holds the demo and the guides to it.

use serde::{Deserialize, Deserializer};

use super::url;

crate::named! {
    /// A format of conversations with a model.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Api {
        /// `OpenAI`'s Chat Completions, and everything compatible with it.
        ChatCompletions = "Chat Completions",
        /// `OpenAI`'s Responses.
        Responses = "Responses",
        /// Anthropic's Messages.
        Messages = "Messages",
        /// Gemini's `generateContent`.
        GenerateContent = "generateContent",
        /// Ollama's own chat.
        OllamaChat = "Ollama's chat",
    }
}

/// A format of embedding requests and responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingApi {
    /// `{model, input, ...}` to `{data: [{index, embedding}]}`, with small differences in the request.
    OpenAi,
    /// Gemini's `batchEmbedContents`.
    Gemini,
    /// Cohere's version 2.
    Cohere,
    /// Ollama's own.
    Ollama,
}

/// A provider of models. The text form, in JSON, in TypeScript and on the command line, is [`ProviderRow::id`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProviderKind {
    /// [OpenAI](https://platform.openai.com/docs/api-reference) by Chat Completions, or any server compatible
    /// with it at an address of its own.
    #[default]
    OpenAi,
    /// `OpenAI` by Responses, or a server compatible with that.
    OpenAiResponses,
    /// [Anthropic](https://platform.claude.com/docs/en/api/messages).
    Anthropic,
    /// [Google's Gemini](https://ai.google.dev/gemini-api/docs).
    Gemini,
    /// [Cohere](https://docs.cohere.com/reference/embed), version 2.
    Cohere,
    /// [Voyage](https://docs.voyageai.com/reference/embeddings-api).
    Voyage,
    /// [Jina](https://jina.ai/embeddings).
    Jina,
    /// [OpenRouter](https://openrouter.ai/docs/api/reference).
    OpenRouter,
    /// [Groq](https://console.groq.com/docs/api-reference).
    Groq,
    /// [Mistral](https://docs.mistral.ai/api).
    Mistral,
    /// [DeepSeek](https://api-docs.deepseek.com).
    DeepSeek,
    /// [xAI](https://docs.x.ai/docs/api-reference).
    XAi,
    /// [Together](https://docs.together.ai/reference).
    Together,
    /// [Ollama](https://docs.ollama.com/api), by its own formats.
    Ollama,
    /// [LM Studio](https://lmstudio.ai/docs/developer/openai-compat) on this machine.
    LmStudio,
    /// A [llama.cpp](https://github.com/ggml-org/llama.cpp/tree/master/tools/server) server on this machine.
    LlamaCpp,
    /// A [vLLM](https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html) server on this machine.
    Vllm,
}

/// A provider's row in the table.
#[derive(Debug, PartialEq, Eq)]
pub struct ProviderRow {
    /// The provider.
    pub kind: ProviderKind,
    /// The text form, such as `openai-responses`.
    pub id: &'static str,
    /// The name for a person.
    pub name: &'static str,
    /// The address that paths are appended to.
    pub base_url: &'static str,
    /// True for a server on a machine of the user's own, which usually asks for no key.
    pub is_local: bool,
    /// The header that carries the key: as a bearer token in `authorization`, else alone.
    pub key_header: &'static str,
    /// The format of conversations, if it has models that answer.
    pub api: Option<Api>,
    /// The word that makes a model call some tool, in Chat Completions.
    pub any_tool: &'static str,
    /// True where token counts at the end of a stream have to be asked for. A server that refuses that sends
    /// them anyway.
    pub counts_on_request: bool,
    /// True where Chat Completions take the effort as `reasoning.effort`, for all the models behind it.
    pub nests_reasoning: bool,
    /// The way it embeds, if it does.
    pub embedding: Option<EmbeddingRow>,
    /// The way it reranks, if it does.
    pub reranking: Option<RerankingRow>,
}

/// The way a provider embeds.
#[derive(Debug, PartialEq, Eq)]
pub struct EmbeddingRow {
    /// The format.
    pub api: EmbeddingApi,
    /// The request's field for the number of dimensions.
    pub dimensions: &'static str,
    /// The most texts of one request: 100, or the service's own limit where that is lower.
    pub batch_size: usize,
    /// The field that says what texts are embedded for, with its words for a document and for a query.
    pub task: Option<[&'static str; 3]>,
}

/// The way a provider reranks, by requests like those of Cohere's `/v2/rerank`.
#[derive(Debug, PartialEq, Eq)]
pub struct RerankingRow {
    /// The request's field for the number of results.
    pub limit: &'static str,
    /// The response's field that has the results.
    pub results: &'static str,
    /// True where the request may say not to send the texts back.
    pub omits_texts: bool,
    /// True if there is one model only, which needs no name.
    pub has_one_model: bool,
}

/// A provider of Chat Completions as `OpenAI` has them.
const fn chat(
    kind: ProviderKind,
    id: &'static str,
    name: &'static str,
    base_url: &'static str,
) -> ProviderRow {
    ProviderRow {
        kind,
        id,
        name,
        base_url,
        is_local: false,
        key_header: "authorization",
        api: Some(Api::ChatCompletions),
        any_tool: "required",
        counts_on_request: true,
        nests_reasoning: false,
        embedding: None,
        reranking: None,
    }
}

impl EmbeddingRow {
    /// The way `OpenAI` embeds.
    pub const USUAL: Self =
        Self { api: EmbeddingApi::OpenAi, dimensions: "dimensions", batch_size: 100, task: None };
}

impl RerankingRow {
    /// The way Cohere reranks.
    pub const USUAL: Self =
        Self { limit: "top_n", results: "results", omits_texts: false, has_one_model: false };
}

/// A row, of which only what differs from [`chat`] is said.
macro_rules! row {
    ($kind:ident, $id:literal, $name:literal, $url:literal $(, $field:ident: $value:expr)*) => {
        ProviderRow { $($field: $value,)* ..chat(ProviderKind::$kind, $id, $name, $url) }
    };
}

/// The fields of an embedding or reranking row, of which only what differs from another is said.
macro_rules! way {
    ($row:ident $(, $field:ident: $value:expr)*) => { Some($row { $($field: $value,)* ..$row::USUAL }) };
}

/// All providers, in the order in which they are listed everywhere.
pub static PROVIDERS: [ProviderRow; 17] = [
    row!(OpenAi, "openai", "OpenAI", "https://api.openai.com/v1", embedding: Some(EmbeddingRow::USUAL)),
    row!(OpenAiResponses, "openai-responses", "OpenAI (Responses)", "https://api.openai.com/v1",
        api: Some(Api::Responses)),
    row!(Anthropic, "anthropic", "Anthropic", "https://api.anthropic.com/v1",
        key_header: "x-api-key", api: Some(Api::Messages)),
    row!(Gemini, "gemini", "Gemini", "https://generativelanguage.googleapis.com/v1beta",
        key_header: "x-goog-api-key", api: Some(Api::GenerateContent),
        embedding: way!(EmbeddingRow, api: EmbeddingApi::Gemini, dimensions: "outputDimensionality",
            task: Some(["taskType", "RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]))),
    row!(Cohere, "cohere", "Cohere", "https://api.cohere.com/v2", api: None,
        embedding: Some(EmbeddingRow { api: EmbeddingApi::Cohere, dimensions: "output_dimension", batch_size: 96,
            task: Some(["input_type", "search_document", "search_query"]) }),
        reranking: Some(RerankingRow::USUAL)),
    row!(Voyage, "voyage", "Voyage", "https://api.voyageai.com/v1", api: None,
        embedding: way!(EmbeddingRow, dimensions: "output_dimension",
            task: Some(["input_type", "document", "query"])),
        reranking: way!(RerankingRow, limit: "top_k", results: "data", omits_texts: true)),
    row!(Jina, "jina", "Jina", "https://api.jina.ai/v1", api: None,
        embedding: way!(EmbeddingRow, task: Some(["task", "retrieval.passage", "retrieval.query"])),
        reranking: way!(RerankingRow, omits_texts: true)),
    row!(OpenRouter, "openrouter", "OpenRouter", "https://openrouter.ai/api/v1",
        nests_reasoning: true, embedding: Some(EmbeddingRow::USUAL)),
    row!(Groq, "groq", "Groq", "https://api.groq.com/openai/v1"),
    row!(Mistral, "mistral", "Mistral", "https://api.mistral.ai/v1", any_tool: "any", counts_on_request: false,
        embedding: way!(EmbeddingRow, dimensions: "output_dimension")),
    row!(DeepSeek, "deepseek", "DeepSeek", "https://api.deepseek.com"),
    row!(XAi, "xai", "xAI", "https://api.x.ai/v1"),
    row!(Together, "together", "Together", "https://api.together.xyz/v1", embedding: Some(EmbeddingRow::USUAL)),
    row!(Ollama, "ollama", "Ollama", "http://localhost:11434", is_local: true, api: Some(Api::OllamaChat),
        embedding: way!(EmbeddingRow, api: EmbeddingApi::Ollama)),
    row!(LmStudio, "lmstudio", "LM Studio", "http://localhost:1234/v1", is_local: true,
        embedding: Some(EmbeddingRow::USUAL)),
    row!(LlamaCpp, "llamacpp", "llama.cpp", "http://localhost:8080/v1", is_local: true,
        embedding: Some(EmbeddingRow::USUAL), reranking: way!(RerankingRow, has_one_model: true)),
    row!(Vllm, "vllm", "vLLM", "http://localhost:8000/v1", is_local: true,
        embedding: Some(EmbeddingRow::USUAL)),
];

impl ProviderKind {
    /// All that is known of it.
    pub fn row(self) -> &'static ProviderRow {
        &PROVIDERS[self as usize]
    }

    /// Returns the provider of that text form; `llama-cpp` is one too.
    pub fn named(id: &str) -> Option<Self> {
        let id = if id == "llama-cpp" { "llamacpp" } else { id };
        PROVIDERS.iter().find(|row| row.id == id).map(|row| row.kind)
    }
}

impl ProviderRow {
    /// Returns the provider whose servers are at that address, by its host.
    pub fn at(url: &str) -> Option<&'static Self> {
        let host = url::host(url);
        PROVIDERS.iter().filter(|row| !row.is_local).find(|row| {
            let domain = url::host(row.base_url);
            let domain = domain.strip_prefix("api.").unwrap_or(&domain);
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }
}

impl<'de> Deserialize<'de> for ProviderKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        Self::named(&id).ok_or_else(|| serde::de::Error::custom(format_args!("there is no provider `{id}`")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_provider_has_its_row_and_a_name_of_its_own() {
        for (at, row) in PROVIDERS.iter().enumerate() {
            assert_eq!((row.kind as usize, ProviderKind::named(row.id)), (at, Some(row.kind)));
            assert!(row.base_url.starts_with("http") && !row.base_url.ends_with('/'), "{}", row.id);
            assert!(row.api.is_some() || row.embedding.is_some(), "{}", row.id);
            assert!(row.embedding.as_ref().is_none_or(|way| (1..=100).contains(&way.batch_size)));
        }
        assert_eq!(PROVIDERS.iter().map(|row| row.id).collect::<HashSet<_>>().len(), PROVIDERS.len());
        assert_eq!(ProviderKind::named("OpenAI"), None);
    }

    #[test]
    fn names_are_the_form_in_json() {
        let read = |json: &str| serde_json::from_str::<ProviderKind>(json);
        assert_eq!(read(r#""openai-responses""#).unwrap(), ProviderKind::OpenAiResponses);
        assert_eq!(read(r#""llama-cpp""#).unwrap(), ProviderKind::LlamaCpp);
        assert!(read(r#""other""#).unwrap_err().to_string().contains("`other`"));
    }
}
