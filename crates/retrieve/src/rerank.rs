//! A second opinion on the best candidates, from whatever reads the query and a passage together.

use ibid_platform::Result;

/// Scores passages by reading them together with the query: a remote service, a language model, or something local.
#[allow(
    async_fn_in_trait,
    reason = "futures here run on one thread: a page's event loop or a blocking command"
)]
pub trait Reranker {
    /// Computes a score for each text, in their order; higher is better, on any scale.
    async fn rerank(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>>;
}
