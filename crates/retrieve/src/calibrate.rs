//! What similarity means in an index, measured on its own texts.

use ibid_embed::{Embedder, Embedding, Task, embed_all};
use ibid_index::{Calibration, IndexDraft};
use ibid_platform::{Error, ErrorCode, Result};

/// Chunks that stand in for queries: enough for a mean and a deviation to two digits.
const SAMPLES: usize = 400;
/// Random chunks that each is compared with.
const PAIRS: usize = 8;
/// A passage counts as relevant when its score stands this many deviations above that of unrelated text.
const DEVIATIONS: f32 = 1.5;
/// The first words of a chunk that stand in for a query, about as many as a question has.
const QUERY_WORDS: usize = 12;

/// Compares the beginnings of chunks, embedded as queries are, with random other chunks. The same index gives the same
/// result.
pub fn calibrate(queries: &dyn Embedder, draft: &IndexDraft) -> Result<Calibration> {
    let texts = calibration_texts(draft);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    calibrate_with(draft, &embed_all(queries, &texts, Task::Query, &mut |_| {})?)
}

/// The beginnings of chunks that [`calibrate`] embeds, at most 400 of at most 12 words; none of an index that is too small.
/// For those who cannot embed on the spot: [`calibrate_with`] takes what comes of them.
pub fn calibration_texts(draft: &IndexDraft) -> Vec<String> {
    if draft.texts().len() < 2 {
        return Vec::new();
    }
    draft.texts().step_by(step(draft)).map(beginning).collect()
}

/// The other half of [`calibrate`], by the embeddings of the [`calibration_texts`] of the same draft, in their order.
///
/// # Errors
/// [`ErrorCode::InvalidOption`] when there is not one for each text.
pub fn calibrate_with(draft: &IndexDraft, queries: &[Embedding]) -> Result<Calibration> {
    let count = draft.texts().len();
    let step = step(draft);
    let awaited = if count < 2 { 0 } else { count.div_ceil(step) };
    if queries.len() != awaited {
        let message =
            format!("To calibrate the index {awaited} embeddings are needed, not {}.", queries.len());
        return Err(Error::new(ErrorCode::InvalidOption, message));
    }
    if awaited == 0 {
        return Ok(Calibration::default());
    }
    let mut scores = Vec::with_capacity(queries.len() * PAIRS);
    for (sample, query) in queries.iter().enumerate() {
        let own = sample * step;
        // Reduced in 64 bits everywhere: a page's `usize` has 32, and would choose other pairs.
        let others = (0..PAIRS).map(|pair| (scatter((own * PAIRS + pair) as u64) % count as u64) as usize);
        scores.extend(others.filter(|&other| other != own).map(|other| draft.score(query, other)));
    }
    let total = scores.len().max(1) as f32;
    let mean = scores.iter().sum::<f32>() / total;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f32>() / total;
    let deviation = variance.sqrt();
    Ok(Calibration { mean, deviation, threshold: mean + DEVIATIONS * deviation })
}

/// Every how many chunks one is a sample.
fn step(draft: &IndexDraft) -> usize {
    draft.texts().len().div_ceil(SAMPLES).max(1)
}

/// A number that looks random and is always the same for the same input: the finalizer of `SplitMix64` (Steele, Lea
/// and Flood, 2014).
fn scatter(value: u64) -> u64 {
    let mixed =
        (value ^ (value >> 30)).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) >> 1
}

fn beginning(text: &str) -> String {
    text.split_whitespace().take(QUERY_WORDS).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_document::Document;
    use ibid_document::chunk::{ChunkOptions, chunk};
    use ibid_embed::Space;
    use ibid_index::{BuildOptions, GraphMode, IndexBuilder};

    /// Puts a text on the unit circle at the angle that its number says.
    struct Circle(Space);

    impl Embedder for Circle {
        fn space(&self) -> &Space {
            &self.0
        }

        fn embed(&self, texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
            let angle = |text: &&str| text.parse::<f32>().unwrap_or_default().to_radians();
            Ok(texts
                .iter()
                .map(angle)
                .map(|angle| Embedding::normalized(vec![angle.cos(), angle.sin()]))
                .collect())
        }
    }

    fn calibrated(angles: impl Iterator<Item = u32>) -> Calibration {
        let (circle, draft) = drafted(angles);
        calibrate(&circle, &draft).unwrap()
    }

    fn drafted(angles: impl Iterator<Item = u32>) -> (Circle, IndexDraft) {
        let circle = Circle(Space { name: "circle".into(), dimensions: 2, fingerprint: "0".into() });
        let options = BuildOptions { graph: GraphMode::Never, ..BuildOptions::default() };
        let mut builder = IndexBuilder::new(circle.0.clone(), ChunkOptions::default(), options);
        for (at, angle) in angles.enumerate() {
            // The heading keeps apart those whose text is the same.
            let document = Document::parse(&format!("{at:05}.md"), format!("{angle}").as_bytes()).unwrap();
            builder.add(&document, &chunk(&document, &ChunkOptions::default())).unwrap();
            builder.embedded(&circle.embed(&[&angle.to_string()], Task::Document).unwrap()).unwrap();
        }
        let draft = builder.assemble().unwrap();
        (circle, draft)
    }

    #[test]
    fn the_background_is_that_of_random_pairs() {
        // On a full circle the cosine of random pairs has mean 0 and deviation 1/sqrt(2).
        let spread = calibrated((0..3600).map(|at| at % 360));
        assert!(spread.mean.abs() < 0.05 && (spread.deviation - 0.707).abs() < 0.05, "{spread:?}");
        // Texts of a single subject are all alike, and the threshold rises with them.
        let narrow = calibrated((0..100).map(|at| at % 10));
        assert!(narrow.mean > 0.98 && narrow.threshold > narrow.mean, "{narrow:?}");
    }

    #[test]
    fn whoever_embeds_elsewhere_gets_the_same() {
        let (circle, draft) = drafted((0..900).map(|at| at % 360));
        let texts = calibration_texts(&draft);
        assert_eq!(texts.len(), 300);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let queries = circle.embed(&texts, Task::Query).unwrap();
        assert_eq!(calibrate_with(&draft, &queries).unwrap(), calibrate(&circle, &draft).unwrap());
        let error = calibrate_with(&draft, &queries[1..]).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidOption);
    }

    #[test]
    fn too_few_texts_leave_everything_relevant() {
        assert_eq!(calibrated(0..1), Calibration::default());
        assert_eq!(calibrated(0..0), Calibration::default());
    }
}
