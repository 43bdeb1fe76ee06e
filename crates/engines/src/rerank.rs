//! Rerankers that are reached over the network.
//!
//! Four services, three shapes: Cohere's `/v2/rerank`, which Jina's and llama.cpp's `/v1/rerank` follow, and Voyage's, which
//! names two fields otherwise.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::body;
use ibid_platform::call::{Service, call};
use ibid_platform::json::{list, number};
use ibid_platform::secret::is_header;
use ibid_platform::{Clock, Http, HttpRequest, RetryPolicy, Secret, url};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::Reranker;

/// Whose format a reranker speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RerankerKind {
    /// [Cohere](https://docs.cohere.com/reference/rerank), version 2. Scores are 0 to 1.
    Cohere,
    /// [Jina](https://jina.ai/reranker). Scores are 0 to 1.
    Jina,
    /// [Voyage](https://docs.voyageai.com/reference/reranker-api). Scores are 0 to 1.
    Voyage,
    /// [llama.cpp](https://github.com/ggml-org/llama.cpp/tree/master/tools/server)'s server, started with `--reranking`.
    /// Scores are a model's raw numbers, which may be below 0.
    #[serde(alias = "llamacpp")]
    LlamaCpp,
}

impl RerankerKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Cohere => "Cohere",
            Self::Jina => "Jina",
            Self::Voyage => "Voyage",
            Self::LlamaCpp => "llama.cpp",
        }
    }

    /// The address that `/rerank` is appended to.
    const fn base_url(self) -> &'static str {
        match self {
            Self::Cohere => "https://api.cohere.com/v2",
            Self::Jina => "https://api.jina.ai/v1",
            Self::Voyage => "https://api.voyageai.com/v1",
            Self::LlamaCpp => "http://localhost:8080/v1",
        }
    }
}

/// Which reranker to call, and how.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RerankerOptions {
    /// Whose format it speaks: `cohere`, `jina`, `voyage` or `llama-cpp`.
    pub kind: RerankerKind,
    /// The model's name as the service spells it, such as `rerank-v3.5`; llama.cpp has only one and needs none.
    #[serde(default)]
    pub model: String,
    /// The address that `/rerank` is appended to; the service's own by default, for llama.cpp
    /// `http://localhost:8080/v1`.
    #[serde(default, rename = "baseURL", alias = "baseUrl")]
    pub base_url: Option<String>,
    /// The API key, sent as a bearer token.
    #[serde(default)]
    pub api_key: Option<Secret>,
    /// Further headers; one named `authorization` takes the place of the API key's.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
    /// How long an answer may take in milliseconds; 30,000 by default.
    #[serde(default)]
    pub timeout_ms: Option<u32>,
    /// How failures are retried.
    #[serde(default)]
    pub retry: RetryPolicy,
}

impl RerankerOptions {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] naming the setting; a key or header value is never quoted.
    pub fn validate(&self) -> Result<()> {
        self.endpoint()?;
        let wrong = |message: &str| Err(Error::new(ErrorCode::InvalidOption, message));
        if self.model.trim().is_empty() && self.kind != RerankerKind::LlamaCpp {
            return wrong("The reranker's model has no name.");
        }
        let key = self.api_key.iter().map(|key| ("authorization", key));
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value));
        if key.chain(headers).any(|(name, value)| !is_header(name, value.expose())) {
            return wrong(
                "The reranker's API key or a header cannot be sent: HTTP forbids some of its characters.",
            );
        }
        Ok(())
    }

    fn endpoint(&self) -> Result<String> {
        let base = self.base_url.as_deref().unwrap_or(self.kind.base_url());
        let (base, query) = url::split(base).map_err(|problem| {
            let message = format!("The reranker's base URL {problem}.");
            Error::new(ErrorCode::InvalidOption, message)
                .with_hint("Give an address such as https://api.jina.ai/v1, or none for the service's own.")
        })?;
        let base = base.trim_end_matches('/').trim_end_matches("/rerank");
        Ok(query.map_or_else(|| format!("{base}/rerank"), |query| format!("{base}/rerank?{query}")))
    }

    fn request(&self, query: &str, texts: &[&str]) -> Result<HttpRequest> {
        let count = texts.len();
        let mut request = json!({ "query": query, "documents": texts });
        if !self.model.trim().is_empty() {
            request["model"] = self.model.trim().into();
        }
        // All scores are wanted, and none of the texts back.
        request[if self.kind == RerankerKind::Voyage { "top_k" } else { "top_n" }] = count.into();
        if matches!(self.kind, RerankerKind::Jina | RerankerKind::Voyage) {
            request["return_documents"] = false.into();
        }
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let own: Vec<(String, String)> = self
            .headers
            .iter()
            .map(|(name, value)| (name.to_lowercase(), value.expose().to_owned()))
            .collect();
        let key = self.api_key.as_ref().map(Secret::expose).filter(|key| !key.is_empty());
        if let Some(key) = key.filter(|_| own.iter().all(|(name, _)| name != "authorization")) {
            headers.push(("authorization".to_owned(), format!("Bearer {key}")));
        }
        headers.extend(own);
        Ok(HttpRequest { method: "POST", url: self.endpoint()?, headers, body: body(&request)? })
    }

    /// The scores of all texts, in their order. One that the service leaves out is below all others.
    fn read(&self, bytes: &[u8], count: usize) -> Result<Vec<f32>> {
        let strange = |what: &str| {
            let message = format!("{} answered unexpectedly: {what}.", self.kind.name());
            Error::new(ErrorCode::ProviderProtocol, message)
                .with_hint("Check that the base URL is that of a reranker of this kind.")
        };
        let response: Value =
            serde_json::from_slice(bytes).map_err(|_| strange("its response is no JSON"))?;
        let key = if self.kind == RerankerKind::Voyage { "data" } else { "results" };
        let mut scores: Vec<Option<f32>> = vec![None; count];
        for result in list(&response, key) {
            let score = result.get("relevance_score").and_then(Value::as_f64).map(|score| score as f32);
            let score =
                score.filter(|score| score.is_finite()).ok_or_else(|| strange("a result has no score"))?;
            let at = number(result, "index").and_then(|index| usize::try_from(index).ok());
            let slot = at.and_then(|at| scores.get_mut(at));
            *slot.ok_or_else(|| strange("a result is of no text that was sent"))? = Some(score);
        }
        let known = scores.iter().flatten();
        if known.clone().next().is_none() && count > 0 {
            return Err(strange("it has no results"));
        }
        // Those left out keep the order in which they came.
        let least = known.fold(f32::MAX, |least, score| least.min(*score));
        let behind = |at: usize| least - 1.0 - at as f32;
        Ok(scores.iter().enumerate().map(|(at, score)| score.unwrap_or_else(|| behind(at))).collect())
    }
}

/// A reranker that is reached over the network.
pub struct RemoteReranker<'a, H, C> {
    options: RerankerOptions,
    http: &'a H,
    clock: &'a C,
}

impl<'a, H: Http, C: Clock> RemoteReranker<'a, H, C> {
    /// A reranker of these settings.
    ///
    /// # Errors
    /// Those of [`RerankerOptions::validate`].
    pub fn new(options: RerankerOptions, http: &'a H, clock: &'a C) -> Result<Self> {
        options.validate()?;
        Ok(Self { options, http, clock })
    }
}

impl<H: Http, C: Clock> Reranker for RemoteReranker<'_, H, C> {
    /// # Errors
    /// The service's and the network's, as [`ErrorCode`] has them for providers.
    async fn rerank(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let options = &self.options;
        let service = Service {
            name: options.kind.name(),
            api_key: options.api_key.as_ref(),
            headers: &options.headers,
            retry: options.retry,
            timeout: Duration::from_millis(u64::from(options.timeout_ms.unwrap_or(30_000).max(1))),
        };
        let request = options.request(query, texts)?;
        let response = call(self.http, self.clock, &service, &request).await?;
        options.read(&response, texts.len())
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use ibid_platform::script::{Scripted, ScriptedClock, ScriptedHttp};

    fn options(kind: &str) -> RerankerOptions {
        let json = json!({ "kind": kind, "model": "m-1", "apiKey": "key-0123456789" });
        serde_json::from_value(json).unwrap()
    }

    fn rerank(kind: &str, response: &str) -> (Result<Vec<f32>>, Value, String) {
        let (http, clock) = (ScriptedHttp::new([Scripted::ok(response)]), ScriptedClock::default());
        let reranker = RemoteReranker::new(options(kind), &http, &clock).unwrap();
        let result = pollster::block_on(reranker.rerank("how hot", &["cold", "80 degrees", "later"]));
        let url = http.requests.borrow()[0].url.clone();
        (result, http.sent().remove(0), url)
    }

    const COHERE: &str = r#"{"id":"1","results":[{"index":1,"relevance_score":0.97},{"index":0,"relevance_score":0.2},
        {"index":2,"relevance_score":0.01}],"meta":{"billed_units":{"search_units":1}}}"#;
    const JINA: &str = r#"{"model":"m-1","usage":{"total_tokens":9},"results":[{"index":1,"relevance_score":0.97},
        {"index":0,"relevance_score":0.2},{"index":2,"relevance_score":0.01}]}"#;
    const VOYAGE: &str = r#"{"object":"list","data":[{"relevance_score":0.97,"index":1},{"relevance_score":0.2,"index":0},
        {"relevance_score":0.01,"index":2}],"model":"m-1","usage":{"total_tokens":9}}"#;
    const LLAMA: &str = r#"{"model":"m-1","object":"list","usage":{"prompt_tokens":9,"total_tokens":9},"results":[
        {"index":0,"relevance_score":-3.5},{"index":1,"relevance_score":4.25},{"index":2,"relevance_score":-8}]}"#;

    #[test]
    fn scores_come_back_in_the_order_of_the_texts() {
        for (kind, response) in [("cohere", COHERE), ("jina", JINA), ("voyage", VOYAGE)] {
            assert_eq!(rerank(kind, response).0.unwrap(), [0.2, 0.97, 0.01], "{kind}");
        }
        assert_eq!(rerank("llama-cpp", LLAMA).0.unwrap(), [-3.5, 4.25, -8.0]);
    }

    #[test]
    fn each_service_is_asked_in_its_own_words() {
        let (_, sent, url) = rerank("cohere", COHERE);
        assert_eq!(url, "https://api.cohere.com/v2/rerank");
        let texts = ["cold", "80 degrees", "later"];
        assert_eq!(sent, json!({ "model": "m-1", "query": "how hot", "documents": texts, "top_n": 3 }));
        let (_, sent, url) = rerank("voyage", VOYAGE);
        assert_eq!((url.as_str(), &sent["top_k"]), ("https://api.voyageai.com/v1/rerank", &json!(3)));
        assert_eq!(sent["return_documents"], json!(false));
        assert_eq!(rerank("jina", JINA).2, "https://api.jina.ai/v1/rerank");
        let local = RerankerOptions { base_url: Some("http://h:1/v1/rerank".into()), ..options("llama-cpp") };
        assert_eq!(local.endpoint().unwrap(), "http://h:1/v1/rerank");
    }

    #[test]
    fn what_is_left_out_stays_behind_in_its_order() {
        let scores = rerank("jina", r#"{"results":[{"index":2,"relevance_score":0.5}]}"#).0.unwrap();
        assert!(scores[2] > scores[0] && scores[0] > scores[1]);
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        for response in [
            "",
            "[]",
            "{}",
            r#"{"results":[]}"#,
            r#"{"results":[{"index":0}]}"#,
            r#"{"results":[{"index":3,"relevance_score":1}]}"#,
            r#"{"results":[{"index":-1,"relevance_score":1}]}"#,
            r#"{"results":[{"index":0,"relevance_score":1e300}]}"#,
        ] {
            let error = rerank("cohere", response).0.unwrap_err();
            assert_eq!(error.code(), ErrorCode::ProviderProtocol, "{response}");
        }
    }

    #[test]
    fn settings_are_checked_and_keys_are_not_shown() {
        let wrong = |change: fn(&mut RerankerOptions)| {
            let mut options = options("cohere");
            change(&mut options);
            options.validate().unwrap_err().code() == ErrorCode::InvalidOption
        };
        assert!(wrong(|options| options.model = " ".into()));
        assert!(wrong(|options| options.base_url = Some("ftp://h".into())));
        assert!(wrong(|options| options.api_key = Some(Secret::new("a\nb"))));
        assert!(!format!("{:?}", options("cohere")).contains("0123456789"));
        assert!(serde_json::from_value::<RerankerOptions>(json!({ "kind": "other" })).is_err());
    }
}
