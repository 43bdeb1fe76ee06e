//! The relevance of a passage to a query.

use super::query::Mode;
use ibid_index::{Calibration, ChunkCandidate, Manifest};

/// From here on a passage counts as relevant.
pub const RELEVANT: f32 = 0.5;

/// The nearness that makes a passage relevant without a word of the query.
const NEARNESS: f32 = 0.85;
/// The nearness that all words of the query stand for.
const OF_WORDS: f32 = 0.5;
/// The nearness of a passage that has no cosine: it needs most of the words.
const UNKNOWN: f32 = 0.5;

/// Returns the likelihood that a passage has to do with the query: 0 to 1, and `RELEVANT` where the line is.
///
/// Nearness is 0 for unrelated text of the index, and 1 for a passage as near as those that questions made of the index
/// find. Coverage, the share of the query's words, stands for at most half of that: what is said every day has all its words
/// in any index. `docs/measurements/retrieval.md` has the measurements.
pub fn relevance(mode: Mode, calibration: &Calibration, cosine: Option<f32>, coverage: f32) -> f32 {
    let Calibration { unrelated, near, .. } = *calibration;
    let nearness = match cosine.filter(|_| mode != Mode::Lexical) {
        None => UNKNOWN,
        // Too few texts to measure by: all that is not opposed to the query may be related.
        Some(cosine) if !calibration.is_measured() => 1.0 + cosine,
        Some(cosine) => (cosine - unrelated) / (near - unrelated),
    };
    let words = if mode == Mode::Vector { 0.0 } else { OF_WORDS * coverage };
    ((nearness + words) / NEARNESS * RELEVANT).clamp(0.0, 1.0)
}

/// The way from unrelated text to what the index's own questions find, as a share, that a query has to come along to have
/// hits when the index has none of its words. `docs/measurements/retrieval.md` has nonsense and questions by it.
const LEAST_NEARNESS: f32 = 0.5;
/// The cosine that does where the index is too small to be measured, by the model for English: below it are nine in ten
/// texts without meaning.
const LEAST_COSINE: f32 = 0.35;

/// Says whether a query that shares no word with the index is far from the best that vectors found, so that it most
/// likely means nothing of the index's. A model of many languages puts a question in another language as far away as
/// that, and farther than chance, so that there nothing is too far.
pub fn is_far(manifest: &Manifest, best: Option<&ChunkCandidate>) -> bool {
    let Some(best) = best else { return true };
    let Calibration { unrelated, near, .. } = manifest.calibration;
    if !manifest.calibration.is_measured() {
        return manifest.space.is_english() && best.score < LEAST_COSINE;
    }
    !manifest.space.is_multilingual() && best.score < unrelated + LEAST_NEARNESS * (near - unrelated)
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
        assert!(is(Mode::Vector, 0.46, 0.0) && !is(Mode::Vector, 0.44, 1.0));
    }

    #[test]
    fn words_and_vectors_make_up_for_each_other() {
        assert!(is(Mode::Hybrid, 0.46, 0.0), "nearly as near as those that answer");
        assert!(is(Mode::Hybrid, 0.4, 0.5) && is(Mode::Hybrid, 0.31, 1.0), "a little of both");
        assert!(!is(Mode::Hybrid, 0.28, 1.0), "all words, but about something else");
        assert!(is(Mode::Lexical, 0.1, 0.75) && !is(Mode::Lexical, 0.9, 0.65), "no vectors are looked at");
    }

    #[test]
    fn words_alone_make_nothing_certain() {
        for (mode, cosine) in [(Mode::Lexical, None), (Mode::Hybrid, None), (Mode::Hybrid, Some(0.2))] {
            assert!(relevance(mode, &MEASURED, cosine, 1.0) < 0.7, "{mode:?} {cosine:?}");
        }
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
