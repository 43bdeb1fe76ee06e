//! Rerankers that are reached over the network.
//!
//! Four services, three shapes: Cohere's `/v2/rerank`, which Jina's and llama.cpp's `/v1/rerank` follow, and
//! Voyage's, which names two fields otherwise.

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use ibid_platform::call::call;
use ibid_platform::endpoint::{body, strange};
use ibid_platform::json::{Fields, list, number};
use ibid_platform::{Clock, Endpoint, Http, HttpRequest, ProviderKind, RerankingRow};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::Reranker;

/// The reranker to call, and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct RerankerOptions {
    /// The service: `cohere`, `voyage`, `jina` or `llamacpp`. Scores are 0 to 1; those of llama.cpp are a
    /// model's raw numbers, which may be below 0.
    pub kind: ProviderKind,
    /// The model's name as the service spells it, such as `rerank-v3.5`; llama.cpp has only one and needs
    /// none.
    pub model: String,
    /// The service's address, key, headers and retries; an answer may take 30,000 milliseconds by default.
    pub endpoint: Endpoint,
}

impl<'de> Deserialize<'de> for RerankerOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Fields::deserialize(deserializer)?;
        let options = Self {
            kind: fields.take("kind")?,
            model: fields.take_or("model", String::new())?,
            endpoint: Endpoint::within(30_000).take(&mut fields)?,
        };
        fields.none_left()?;
        Ok(options)
    }
}

impl RerankerOptions {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] naming the setting; a key or header value is never quoted.
    pub(crate) fn validate(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::new(ErrorCode::InvalidOption, message));
        let row = self.kind.row();
        let Some(way) = &row.reranking else {
            return wrong(format!("{} has no reranking models.", row.name));
        };
        self.url()?;
        if self.model.trim().is_empty() && !way.has_one_model {
            return wrong("The reranker's model has no name.".to_owned());
        }
        self.endpoint.check()
    }

    /// Looks up the way the service reranks; one that does not is refused before it is asked.
    fn way(&self) -> &'static RerankingRow {
        self.kind.row().reranking.as_ref().unwrap_or(&RerankingRow::USUAL)
    }

    fn url(&self) -> Result<String> {
        self.endpoint.url("reranker", self.kind.row().base_url, "rerank")
    }

    fn request(&self, query: &str, texts: &[&str]) -> Result<HttpRequest> {
        let way = self.way();
        let mut request = json!({ "query": query, "documents": texts });
        if !self.model.trim().is_empty() {
            request["model"] = self.model.trim().into();
        }
        // All scores are wanted, and none of the texts back.
        request[way.limit] = texts.len().into();
        if way.omits_texts {
            request["return_documents"] = false.into();
        }
        let key_header = self.kind.row().key_header;
        Ok(self.endpoint.request("POST", self.url()?, key_header, &[], body(&request)?))
    }

    /// Reads the scores of all texts, in their order. One that the service leaves out is below all others.
    fn read(&self, bytes: &[u8], count: usize) -> Result<Vec<f32>> {
        let strange = |what: &str| {
            strange(self.kind.row().name, what)
                .with_hint("Check that the base URL belongs to this kind of reranker.")
        };
        let response: Value =
            serde_json::from_slice(bytes).map_err(|_| strange("its response is not JSON"))?;
        let mut scores: Vec<Option<f32>> = vec![None; count];
        for result in list(&response, self.way().results) {
            let score = result.get("relevance_score").and_then(Value::as_f64).map(|score| score as f32);
            let score =
                score.filter(|score| score.is_finite()).ok_or_else(|| strange("a result has no score"))?;
            let at = number(result, "index").and_then(|index| usize::try_from(index).ok());
            let slot = at.and_then(|at| scores.get_mut(at));
            *slot.ok_or_else(|| strange("a result matches no text that was sent"))? = Some(score);
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
    /// Makes a reranker of these settings.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for a setting that cannot be followed.
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
        let (name, request) = (options.kind.row().name, options.request(query, texts)?);
        let response = call(self.http, self.clock, name, &options.endpoint, &request).await?;
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
        assert!(wrong(|options| options.endpoint.base_url = "ftp://h".into()));
        assert!(wrong(|options| options.endpoint = Endpoint::default().with_api_key("a\nb")));
        assert!(wrong(|options| options.kind = ProviderKind::Mistral));
        assert!(!format!("{:?}", options("cohere")).contains("0123456789"));
        assert!(serde_json::from_value::<RerankerOptions>(json!({ "kind": "other" })).is_err());
    }
}
