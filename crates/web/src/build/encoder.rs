//! The transformer on its own: it embeds queries for a page that wants better vectors than the table's, and documents that
//! are added there.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use ibid_embed::{DocumentEmbedder, Embedder, Embedding, Projection, Task, Transformer};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_web::convert::{thrown, to_js};

/// A transformer and what takes its vectors into the space that pages search in.
#[wasm_bindgen]
pub struct QueryEncoder {
    // Shared with the builders that embed by it, so that neither has to outlive the other.
    embedder: Rc<DocumentEmbedder>,
}

#[wasm_bindgen]
impl QueryEncoder {
    /// Opens a transformer of the packed bytes and of the projection that belongs to it.
    #[wasm_bindgen(constructor)]
    pub fn new(model: Vec<u8>, projection: &[u8]) -> Result<QueryEncoder, JsValue> {
        let open =
            || DocumentEmbedder::new(Transformer::from_bytes(model)?, Projection::from_bytes(projection)?);
        let embedder = Rc::new(open().map_err(|error| thrown(&error))?);
        Ok(Self { embedder })
    }

    /// Returns the space of the vectors: its `name`, `dimensions` and `fingerprint`.
    pub fn space(&self) -> Result<JsValue, JsValue> {
        to_js(self.embedder.space())
    }

    /// Computes the vectors of texts, one behind the other; zeros for a text without a token. `task` is `query` or
    /// `document`.
    #[allow(clippy::needless_pass_by_value, reason = "strings cross the boundary by value only")]
    pub fn embed(&self, texts: Vec<String>, task: &str) -> Result<Vec<f32>, JsValue> {
        self.vectors(&texts, task).map_err(|error| thrown(&error))
    }
}

impl QueryEncoder {
    pub(super) fn embedder(&self) -> Rc<DocumentEmbedder> {
        Rc::clone(&self.embedder)
    }

    fn vectors(&self, texts: &[String], task: &str) -> Result<Vec<f32>> {
        let task = match task {
            "query" => Task::Query,
            "document" => Task::Document,
            other => {
                let message = format!("The task of embedding is `query` or `document`, not `{other}`.");
                return Err(Error::new(ErrorCode::InvalidOption, message));
            }
        };
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embeddings = self.embedder.embed(&texts, task)?;
        Ok(embeddings.iter().flat_map(Embedding::as_slice).copied().collect())
    }
}
