//! The relevance of a passage to a query.

use super::query::Mode;
use ibid_index::{Calibration, ChunkCandidate, Manifest};

/// From here on a passage counts as relevant.
pub const RELEVANT: f32 = 0.5;

/// The nearness that makes a passage relevant where words are not looked at.
const NEARNESS: f32 = 0.8;
/// The coverage that makes a passage relevant where vectors are not looked at.
const COVERAGE: f32 = 0.55;

/// Returns the likelihood that a passage has to do with the query: 0 to 1, and `RELEVANT` where the line is.
///
/// Nearness is 0 for unrelated text of the index, and 1 for a passage as near as those that questions made of the index
/// find. Coverage counts by its square, and most of the words for more: some common words say little. In hybrid mode
/// either makes a passage relevant, or both together do. `docs/searching.md` has the measurements.
pub fn relevance(mode: Mode, calibration: &Calibration, cosine: Option<f32>, coverage: f32) -> f32 {
    let Calibration { unrelated, near, .. } = *calibration;
    let Some(cosine) = cosine.filter(|_| mode != Mode::Lexical) else {
        return ((coverage / COVERAGE).powi(2) * RELEVANT).clamp(0.0, 1.0);
    };
    // Too few texts to measure by: all that is not opposed to the query may be related.
    let nearness =
        if calibration.is_measured() { (cosine - unrelated) / (near - unrelated) } else { 1.0 + cosine };
    let squared = coverage * coverage;
    let words = squared.max(2.0 * squared * squared);
    let relevance = if mode == Mode::Vector { nearness / NEARNESS } else { nearness + words } * RELEVANT;
    relevance.clamp(0.0, 1.0)
}

/// The way from unrelated text to what the index's own questions find, as a share, that a query has to come along to have
/// hits when the index has none of its words. `docs/measurements/retrieval.md` has nonsense and questions by it.
const LEAST_NEARNESS: f32 = 0.5;
/// The cosine that does where the index is too small to be measured, by the model for English: below it are nine in ten
/// texts without meaning.
const LEAST_COSINE: f32 = 0.35;

/// Says whether a query that shares no word with the index is far from the best that vectors found, so that it most
/// likely means nothing of the index's. A model of many languages puts a question in another language as far away as
/// that: there only what is farther than chance is.
pub fn is_far(manifest: &Manifest, best: Option<&ChunkCandidate>) -> bool {
    let Some(best) = best else { return true };
    let Calibration { unrelated, near, .. } = manifest.calibration;
    if !manifest.calibration.is_measured() {
        return manifest.space.is_english() && best.score < LEAST_COSINE;
    }
    let least = if manifest.space.is_multilingual() { 0.0 } else { LEAST_NEARNESS };
    best.score < unrelated + least * (near - unrelated)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURED: Calibration =
        Calibration { unrelated: 0.2, near: 0.5, separation: 0.9, probes: 0, recall: 0.0 };

    fn is(mode: Mode, cosine: f32, coverage: f32) -> bool {
        relevance(mode, &MEASURED, Some(cosine), coverage) >= RELEVANT
    }

    #[test]
    fn vectors_alone_ask_for_most_of_the_way() {
        assert!(is(Mode::Vector, 0.45, 0.0) && !is(Mode::Vector, 0.43, 1.0));
    }

    #[test]
    fn words_and_vectors_make_up_for_each_other() {
        assert!(is(Mode::Hybrid, 0.51, 0.0), "as near as those that answer");
        assert!(!is(Mode::Hybrid, 0.4, 0.5), "half of the words are little");
        assert!(is(Mode::Hybrid, 0.4, 0.65), "a little of both");
        assert!(is(Mode::Hybrid, 0.1, 1.0), "all words");
        assert!(!is(Mode::Hybrid, 0.1, 0.9), "most words, but about something else");
        assert!(is(Mode::Lexical, 0.1, 0.6) && !is(Mode::Lexical, 0.9, 0.5), "no vectors are looked at");
    }

    #[test]
    fn it_stays_in_its_range_and_without_a_measure() {
        for mode in [Mode::Hybrid, Mode::Vector, Mode::Lexical] {
            for (cosine, coverage) in [(-1.0, 0.0), (1.0, 1.0), (0.3, 0.3)] {
                for cosine in [Some(cosine), None] {
                    let value = relevance(mode, &MEASURED, cosine, coverage);
                    assert!((0.0..=1.0).contains(&value), "{mode:?} {cosine:?} {coverage}: {value}");
                }
            }
        }
        let unmeasured = Calibration::default();
        assert!(relevance(Mode::Hybrid, &unmeasured, Some(0.1), 0.0) >= RELEVANT);
        assert!(relevance(Mode::Vector, &unmeasured, Some(-0.5), 0.0) < RELEVANT);
    }
}
