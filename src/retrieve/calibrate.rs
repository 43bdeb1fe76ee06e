//! What similarity means in an index, measured on its own texts.

use crate::chunk::Chunk;
use crate::embed::{Embedder, Embedding, Task};
use crate::error::Result;
use crate::index::Calibration;

/// Chunks that stand in for queries: enough for a mean and a deviation to two digits.
const SAMPLES: usize = 400;
/// Random chunks that each is compared with.
const PAIRS: usize = 8;
/// A passage counts as relevant when its score stands this many deviations above that of unrelated text.
const DEVIATIONS: f32 = 2.0;
/// The first words of a chunk that stand in for a query, about as many as a question has.
const QUERY_WORDS: usize = 12;

/// Compares the beginnings of chunks, embedded as queries are, with random other chunks, embedded as documents.
///
/// `embeddings` are those of `chunks`, in the same order. The same input gives the same result.
pub fn calibrate(queries: &dyn Embedder, chunks: &[Chunk], embeddings: &[Embedding]) -> Result<Calibration> {
    let count = chunks.len().min(embeddings.len());
    if count < 2 {
        return Ok(Calibration::default());
    }
    let step = count.div_ceil(SAMPLES);
    let beginnings: Vec<String> = chunks.iter().step_by(step).map(|chunk| beginning(&chunk.text)).collect();
    let texts: Vec<&str> = beginnings.iter().map(String::as_str).collect();
    let mut scores = Vec::with_capacity(texts.len() * PAIRS);
    for (sample, query) in queries.embed(&texts, Task::Query)?.iter().enumerate() {
        let own = sample * step;
        // Steps of an odd size near the golden section visit places all over the index, without randomness.
        let others = (1..=PAIRS).map(|pair| (own + pair * (count * 1618 / 2618 | 1)) % count);
        scores.extend(others.filter(|&other| other != own).map(|other| query.cosine(&embeddings[other])));
    }
    let total = scores.len().max(1) as f32;
    let mean = scores.iter().sum::<f32>() / total;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f32>() / total;
    let deviation = variance.sqrt();
    Ok(Calibration { mean, deviation, threshold: mean + DEVIATIONS * deviation })
}

fn beginning(text: &str) -> String {
    text.split_whitespace().take(QUERY_WORDS).collect::<Vec<_>>().join(" ")
}
