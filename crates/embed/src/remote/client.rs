//! Sending batches of texts, at a measured pace, and checking what comes back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::EmbeddingOptions;
use crate::{Embedding, Space, Task};
use ibid_platform::call::call;
use ibid_platform::{Clock, Http};
use ibid_platform::{Error, ErrorCode, Result};

/// The most bytes of the texts of one request, unless it is a single text. Services limit the tokens of a request as well,
/// the strictest known of them to 120,000, and a token seldom has fewer than three bytes in any language.
const MAX_BYTES: usize = 300_000;
/// The text that is embedded to learn how many dimensions a model has.
const PROBE: &str = "dimensions";

/// A model of a service, whose vectors are of one space.
#[derive(Debug)]
pub struct RemoteEmbedder {
    options: EmbeddingOptions,
    space: Space,
    /// The time of the last request, as the bits of the clock's milliseconds: the next has to keep its distance.
    asked_at: AtomicU64,
}

impl RemoteEmbedder {
    /// Returns the embedder of these settings, whose vectors are expected to have that many dimensions: those that
    /// were asked for, or those of the index that is to be searched. Nothing is sent.
    ///
    /// # Errors
    /// Those of [`EmbeddingOptions::validate`]; [`ErrorCode::ModelMismatch`] when other dimensions were asked for.
    pub fn new(options: EmbeddingOptions, dimensions: u32) -> Result<Self> {
        options.validate()?;
        if let Some(asked) = options.dimensions.filter(|asked| *asked != dimensions) {
            let message = format!(
                "{} is set to {asked} dimensions, but the index needs {dimensions}.",
                options.space_name()
            );
            return Err(Error::new(ErrorCode::ModelMismatch, message)
                .with_hint(format!("Ask for {dimensions} dimensions, as when the index was built.")));
        }
        let space = options.space(dimensions)?;
        Ok(Self { options, space, asked_at: AtomicU64::new(f64::NEG_INFINITY.to_bits()) })
    }

    /// Returns the embedder of these settings, which asks the service how many dimensions its vectors have, by
    /// embedding a word, unless they are said.
    ///
    /// # Errors
    /// As [`RemoteEmbedder::new`] and [`RemoteEmbedder::embed`].
    pub async fn connect<H: Http, C: Clock>(options: EmbeddingOptions, http: &H, clock: &C) -> Result<Self> {
        if let Some(dimensions) = options.dimensions {
            return Self::new(options, dimensions);
        }
        // Checked by a placeholder first, which nobody sees.
        let mut embedder = Self::new(options, 1)?;
        let probed = embedder.ask(http, clock, &[PROBE], Task::Query).await?;
        let dimensions = probed.first().map_or(0, Vec::len);
        embedder.space = embedder.options.space(u32::try_from(dimensions).unwrap_or(u32::MAX))?;
        Ok(embedder)
    }

    /// Returns the settings.
    pub fn options(&self) -> &EmbeddingOptions {
        &self.options
    }

    /// Returns the space of the vectors.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Embeds any number of texts: an embedding for each, in their order; zeros for a blank one, which no service takes.
    ///
    /// # Errors
    /// Those of the service, as [`ErrorCode`] has them for providers, and of the network;
    /// [`ErrorCode::ProviderProtocol`] for a response that is not as documented, [`ErrorCode::ModelMismatch`] for vectors of
    /// other dimensions than the space's, [`ErrorCode::EmbedderFailed`] for one that is zero or not finite.
    pub async fn embed<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        texts: &[&str],
        task: Task,
    ) -> Result<Vec<Embedding>> {
        let mut all = Vec::with_capacity(texts.len());
        while let Some(rest) = texts.get(all.len()..).filter(|rest| !rest.is_empty()) {
            let batch = &rest[..self.batch(rest)];
            all.extend(self.embed_batch(http, clock, batch, task).await?);
        }
        Ok(all)
    }

    /// Counts the texts of the next request: at least one.
    fn batch(&self, texts: &[&str]) -> usize {
        let mut bytes = 0;
        let fitting = texts.iter().take(self.options.batch_size()).take_while(|text| {
            bytes += text.len();
            bytes <= MAX_BYTES
        });
        fitting.count().max(1)
    }

    async fn embed_batch<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        texts: &[&str],
        task: Task,
    ) -> Result<Vec<Embedding>> {
        let sent: Vec<&str> = texts.iter().copied().filter(|text| !is_blank(text)).collect();
        let vectors = if sent.is_empty() { Vec::new() } else { self.ask(http, clock, &sent, task).await? };
        let dimensions = self.space.dimensions as usize;
        if let Some(other) = vectors.first().map(Vec::len).filter(|&length| length != dimensions) {
            return Err(self.other_dimensions(other));
        }
        let mut made = vectors.into_iter();
        let embedding = |text: &&str| {
            let vector = if is_blank(text) { None } else { made.next() };
            let zeros = || Embedding::normalized(vec![0.0; dimensions]);
            vector.map_or_else(|| Ok(zeros()), |vector| self.space.embedding(vector))
        };
        texts.iter().map(embedding).collect()
    }

    async fn ask<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        texts: &[&str],
        task: Task,
    ) -> Result<Vec<Vec<f32>>> {
        let options = &self.options;
        if let Some(rate) = options.requests_per_minute {
            let distance = 60_000.0 / f64::from(rate);
            let wait = f64::from_bits(self.asked_at.load(Ordering::Relaxed)) + distance - clock.now();
            if wait > 0.0 {
                // A clock that was set back makes it wait for no longer than the distance.
                clock.sleep(Duration::from_secs_f64(wait.min(distance) / 1000.0)).await?;
            }
            self.asked_at.store(clock.now().to_bits(), Ordering::Relaxed);
        }
        let (name, request) = (options.provider.row().name, options.request(texts, task)?);
        let response = call(http, clock, name, &options.endpoint, &request).await?;
        options.read(&response, texts.len())
    }

    fn other_dimensions(&self, given: usize) -> Error {
        let (name, needed) = (&self.space.name, self.space.dimensions);
        let message = format!("{name} gave vectors of {given} dimensions, but {needed} are needed.");
        let hint = if self.options.dimensions.is_some() {
            "This model, or the server, does not shorten its vectors; ask for no dimensions, or use another model."
                .to_owned()
        } else {
            format!(
                "Ask for {needed} dimensions, if the index was built so, and check that it is the same model."
            )
        };
        Error::new(ErrorCode::ModelMismatch, message).with_hint(hint)
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
