//! Embeds what a builder has pending.

use std::time::Duration;

use crate::Progress;
use crate::embedding::Kept;
use crate::system::Stopwatch;
use ibid_embed::{Embedder, Task};
use ibid_index::IndexBuilder;
use ibid_platform::Result;

/// The number of chunks that were embedded, and how long that took.
#[derive(Default)]
pub struct EmbeddedWork {
    /// The number of chunks.
    pub chunks: usize,
    /// The number of others, whose vectors earlier builds have kept.
    pub kept: usize,
    /// The time it took.
    pub time: Duration,
}

/// Embeds each chunk under its heading path, unless its vector was kept.
pub fn embed_all(builder: &mut IndexBuilder, embedder: &Kept) -> Result<EmbeddedWork> {
    let clock = Stopwatch::start();
    let bar = Progress::uncounted("looking for cached vectors");
    // All of them first, so that the rest goes in full batches.
    let kept = builder.recall(|text| embedder.known(text, Task::Document));
    let count = builder.pending_count();
    drop(bar);
    let bar = Progress::new("embedding", count, "passages");
    while builder.pending_count() > 0 {
        let batch = builder.pending(embedder.batch_size().max(1));
        let embeddings =
            ibid_embed::embed_all(embedder, &batch, Task::Document, &mut |done| bar.advance(done))?;
        builder.embedded(&embeddings)?;
    }
    drop(bar);
    Ok(EmbeddedWork { chunks: count, kept, time: clock.elapsed() })
}
