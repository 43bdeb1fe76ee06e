//! A service as an embedder: it waits for the network, and keeps what comes of it.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::cache::{Cache, Key, key};
use crate::http::NativeHttp;
use crate::note;
use crate::system::{SystemClock, block_on};
use ibid_embed::remote::{EmbeddingOptions, RemoteEmbedder};
use ibid_embed::{Embedder, Embedding, Space, Task};
use ibid_platform::{Error, ErrorCode, Result};

/// A model of a service. Copies share its connection and what it keeps.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    remote: RemoteEmbedder,
    http: NativeHttp,
    cache: Option<Mutex<Cache>>,
}

impl Service {
    fn of(remote: RemoteEmbedder) -> Self {
        Self(Arc::new(Inner { remote, http: NativeHttp::for_services(), cache: None }))
    }

    /// The model of these settings, whose vectors have so many dimensions. Nothing is sent.
    pub(super) fn new(options: EmbeddingOptions, dimensions: u32) -> Result<Self> {
        RemoteEmbedder::new(options, dimensions).map(Self::of)
    }

    /// The model of these settings, which is asked how many dimensions its vectors have.
    pub(super) fn connect(options: EmbeddingOptions) -> Result<Self> {
        let http = NativeHttp::for_services();
        block_on(RemoteEmbedder::connect(options, &http, &SystemClock)).map(Self::of)
    }

    /// The same, with its vectors kept in a file. Where the file was not chosen by anybody, it works without one as well.
    pub(super) fn keeping(self, path: PathBuf, is_chosen: bool) -> Result<Self> {
        let cache = match Cache::open(path, self.space()) {
            Ok(cache) => cache,
            Err(error) if is_chosen => return Err(error),
            Err(error) => {
                note(&format!("warning: what the service embeds is not kept: {}", error.message()));
                return Ok(self);
            }
        };
        if !cache.may_write() {
            note(&format!(
                "note: another command writes to {}; what this one embeds is not kept",
                cache.path().display()
            ));
        }
        let Ok(inner) = Arc::try_unwrap(self.0) else {
            return Err(Error::new(ErrorCode::Internal, "A service is in use before it is ready."));
        };
        Ok(Self(Arc::new(Inner { cache: Some(Mutex::new(cache)), ..inner })))
    }

    /// Does something with what is kept, where something is.
    fn with_cache<T>(&self, act: impl FnOnce(&mut Cache) -> T) -> Option<T> {
        let cache = self.0.cache.as_ref()?;
        Some(act(&mut cache.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Keeps vectors. That they cannot be kept is no reason to lose them.
    fn keep(&self, keys: &[Key], embeddings: &[Embedding]) {
        if let Some(Err(error)) = self.with_cache(|cache| cache.add(keys, embeddings)) {
            note(&format!("warning: what the service embeds is not kept any more: {}", error.message()));
        }
    }

    /// An error, with what it means for what is kept.
    fn told(&self, error: Error) -> Error {
        let kept_in = |cache: &mut Cache| cache.may_write().then(|| cache.path().display().to_string());
        let Some(path) = self.with_cache(kept_in).flatten() else { return error };
        if error.code() != ErrorCode::ModelMismatch {
            note(&format!("what was embedded so far is kept in {path}; the same command goes on from there"));
            return error;
        }
        let hint = error.hint().map_or(String::new(), |hint| format!("{hint} "));
        error.with_hint(format!("{hint}If the service has another model of that name now, remove {path}."))
    }
}

impl Embedder for Service {
    fn space(&self) -> &Space {
        self.0.remote.space()
    }

    fn batch_size(&self) -> usize {
        self.0.remote.options().batch_size()
    }

    fn embed(&self, texts: &[&str], task: Task) -> Result<Vec<Embedding>> {
        let keys: Vec<Key> = texts.iter().map(|text| key(text, task)).collect();
        let known = self.with_cache(|cache| keys.iter().map(|key| cache.get(key)).collect::<Vec<_>>());
        let mut known = known.unwrap_or_else(|| vec![None; texts.len()]);
        let missing: Vec<usize> = (0..texts.len()).filter(|&at| known[at].is_none()).collect();
        if !missing.is_empty() {
            let new: Vec<&str> = missing.iter().map(|&at| texts[at]).collect();
            let new_keys: Vec<Key> = missing.iter().map(|&at| keys[at]).collect();
            let mut done = |range: Range<usize>, made: &[Embedding]| {
                self.keep(&new_keys[range], made);
            };
            let made = self.0.remote.embed(&self.0.http, &SystemClock, &new, task, &mut done);
            let made = block_on(made).map_err(|error| self.told(error))?;
            for (at, embedding) in missing.into_iter().zip(made) {
                known[at] = Some(embedding.as_slice().to_vec());
            }
        }
        // Scaled once more, whether it was kept or is new: rounding then does the same to both, and an index that was built
        // in two goes has the same bytes as one that was built in one.
        Ok(known.into_iter().map(|vector| Embedding::normalized(vector.unwrap_or_default())).collect())
    }
}
