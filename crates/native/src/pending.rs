//! Embeds what a builder has pending.

use std::time::Duration;

use crate::progress;
use crate::system::Stopwatch;
use ibid_embed::{Embedder, Task};
use ibid_index::IndexBuilder;
use ibid_platform::Result;

/// The number of chunks that were embedded, and how long that took.
pub struct EmbeddedWork {
    /// The number of chunks.
    pub chunks: usize,
    /// The time it took.
    pub time: Duration,
}

/// Embeds each chunk under its heading path.
pub fn embed_all(builder: &mut IndexBuilder, embedder: &dyn Embedder) -> Result<EmbeddedWork> {
    let clock = Stopwatch::start();
    let count = builder.pending_count();
    let bar = progress("embedding", count, "chunks");
    while builder.pending_count() > 0 {
        let batch = builder.pending(embedder.batch_size().max(1));
        let embeddings =
            ibid_embed::embed_all(embedder, &batch, Task::Document, &mut |done| bar.inc(done as u64))?;
        builder.embedded(&embeddings)?;
    }
    bar.finish_and_clear();
    Ok(EmbeddedWork { chunks: count, time: clock.elapsed() })
}
