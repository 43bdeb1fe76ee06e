//! A service as an embedder, which waits for the network.

use crate::http::NativeHttp;
use crate::system::{SystemClock, block_on};
use ibid_embed::remote::{EmbeddingOptions, RemoteEmbedder};
use ibid_embed::{Embedder, Embedding, Space, Task};
use ibid_platform::Result;

/// A model of a service.
pub(super) struct Service {
    remote: RemoteEmbedder,
    http: NativeHttp,
}

impl Service {
    /// Opens the model of these settings, whose vectors have that many dimensions. Nothing is sent.
    pub(super) fn new(options: EmbeddingOptions, dimensions: u32) -> Result<Self> {
        let remote = RemoteEmbedder::new(options, dimensions)?;
        Ok(Self { remote, http: NativeHttp::for_services() })
    }

    /// Opens the model of these settings, which is asked how many dimensions its vectors have.
    pub(super) fn connect(options: EmbeddingOptions) -> Result<Self> {
        let http = NativeHttp::for_services();
        let remote = block_on(RemoteEmbedder::connect(options, &http, &SystemClock))?;
        Ok(Self { remote, http })
    }
}

impl Embedder for Service {
    fn space(&self) -> &Space {
        self.remote.space()
    }

    fn batch_size(&self) -> usize {
        self.remote.options().batch_size()
    }

    fn embed(&self, texts: &[&str], task: Task) -> Result<Vec<Embedding>> {
        block_on(self.remote.embed(&self.http, &SystemClock, texts, task))
    }
}
