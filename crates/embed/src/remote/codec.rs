//! From texts to a request, and from a response to vectors. Nothing here touches the network.

use serde_json::{Map, Value, json};

use super::EmbeddingOptions;
use crate::Task;
use ibid_platform::endpoint::{self, strange};
use ibid_platform::json::{list, number, present};
use ibid_platform::report::ErrorReport;
use ibid_platform::{EmbeddingApi, HttpRequest};
use ibid_platform::{Error, Result};

impl EmbeddingOptions {
    /// Returns the request that has texts embedded. There are to be no more of them than
    /// [`EmbeddingOptions::batch_size`], and none of them blank: services refuse those.
    ///
    /// # Errors
    /// Those of [`EmbeddingOptions::validate`].
    pub fn request(&self, texts: &[&str], task: Task) -> Result<HttpRequest> {
        let body = endpoint::body(&self.body(texts, task))?;
        let key_header = self.provider.row().key_header;
        Ok(self.endpoint.request("POST", self.url()?, key_header, &[], body))
    }

    fn body(&self, texts: &[&str], task: Task) -> Value {
        let (model, way) = (self.model_name(), self.way());
        let mut more = Map::new();
        // Jina's version 2 has one way to embed, and no adapter that a task would choose.
        if let Some([field, document, query]) = way.task.filter(|_| !model.starts_with("jina-embeddings-v2"))
        {
            let word = if task == Task::Document { document } else { query };
            more.insert(field.to_owned(), word.into());
        }
        if let Some(dimensions) = self.dimensions {
            more.insert(way.dimensions.to_owned(), dimensions.into());
        }
        let with = |mut body: Value| {
            body.as_object_mut().into_iter().for_each(|fields| fields.extend(more.clone()));
            body
        };
        match way.api {
            // Each text is a request of its own, which repeats all that holds for it.
            EmbeddingApi::Gemini => {
                let model = format!("models/{model}");
                let request =
                    |text: &&str| with(json!({ "model": model, "content": { "parts": [{ "text": text }] } }));
                json!({ "requests": texts.iter().map(request).collect::<Vec<_>>() })
            }
            EmbeddingApi::Cohere => {
                with(json!({ "model": model, "texts": texts, "embedding_types": ["float"] }))
            }
            EmbeddingApi::OpenAi | EmbeddingApi::Ollama => with(json!({ "model": model, "input": texts })),
        }
    }

    /// Returns the vectors of a response with status 200 to `count` texts, in the order of the texts, as the service
    /// scaled them. They all have the same number of components, which is at least 1.
    ///
    /// # Errors
    /// [`ErrorCode::ProviderProtocol`](ibid_platform::ErrorCode::ProviderProtocol) for anything else, with what the service says where it says something.
    pub fn read(&self, response: &[u8], count: usize) -> Result<Vec<Vec<f32>>> {
        let value: Value = serde_json::from_slice(response)
            .map_err(|error| self.strange(&format!("its response is not JSON ({error})")))?;
        let vectors = match self.way().api {
            EmbeddingApi::OpenAi => self.indexed(list(&value, "data"), count)?,
            EmbeddingApi::Gemini => {
                let made = list(&value, "embeddings").iter();
                made.map(|made| floats(made.get("values"))).collect()
            }
            EmbeddingApi::Cohere => {
                in_order(value.get("embeddings").map_or(&[], |embeddings| match embeddings {
                    // As version 1 answers when it is not asked for a type.
                    Value::Array(vectors) => vectors,
                    by_type => list(by_type, "float"),
                }))
            }
            EmbeddingApi::Ollama => in_order(list(&value, "embeddings")),
        };
        if vectors.len() != count {
            // Some servers report a failure with status 200.
            let said =
                present(&value, "error").map(|error| ErrorReport::read(error).message).unwrap_or_default();
            let said = self.endpoint.quote(&said);
            return Err(self.strange(&if vectors.is_empty() && !said.is_empty() {
                format!("it says \"{said}\"")
            } else {
                format!("it gave {} for {}", counted(vectors.len(), "vector"), counted(count, "text"))
            }));
        }
        let vectors: Option<Vec<Vec<f32>>> = vectors.into_iter().collect();
        let vectors = vectors.filter(|vectors| vectors.iter().all(|vector| !vector.is_empty()));
        let vectors = vectors.ok_or_else(|| self.strange("a vector is not an array of numbers"))?;
        if vectors.windows(2).any(|two| two[0].len() != two[1].len()) {
            return Err(self.strange("its vectors have different lengths"));
        }
        Ok(vectors)
    }

    /// Vectors that say by `index` which text they belong to; one that does not say belongs where it stands.
    fn indexed(&self, items: &[Value], count: usize) -> Result<Vec<Option<Vec<f32>>>> {
        if items.len() != count {
            return Ok(in_order(items));
        }
        let mut vectors: Vec<Option<Option<Vec<f32>>>> = vec![None; count];
        for (place, item) in items.iter().enumerate() {
            let index = match present(item, "index") {
                Some(_) => number(item, "index").and_then(|index| usize::try_from(index).ok()),
                None => Some(place),
            };
            let slot = index.and_then(|index| vectors.get_mut(index)).filter(|slot| slot.is_none());
            *slot.ok_or_else(|| self.strange("a vector belongs to none of the texts"))? =
                Some(floats(item.get("embedding")));
        }
        Ok(vectors.into_iter().map(Option::flatten).collect())
    }

    /// Makes the error for a response that is not what the service's documentation says.
    fn strange(&self, what: &str) -> Error {
        strange(self.provider.row().name, what).with_hint(format!(
            "Check that `{}` is an embedding model, and that the base URL belongs to this service.",
            self.model_name()
        ))
    }
}

fn in_order(vectors: &[Value]) -> Vec<Option<Vec<f32>>> {
    vectors.iter().map(|vector| floats(Some(vector))).collect()
}

/// Reads the numbers of an array; `None` if it is none or holds anything else. Numbers beyond what `f32` holds
/// are infinite, which [`Space::embedding`] refuses.
fn floats(value: Option<&Value>) -> Option<Vec<f32>> {
    value?.as_array()?.iter().map(|number| number.as_f64().map(|number| number as f32)).collect()
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
