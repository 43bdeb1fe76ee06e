//! Whether a passage has to do with a query at all.

use super::query::Mode;
use ibid_index::Calibration;

/// From here on a passage counts as relevant.
pub(super) const RELEVANT: f32 = 0.5;

/// A passage that has none of the query's words is relevant when its cosine stands so many deviations above that of
/// unrelated text ...
const DEVIATIONS: f32 = 4.0;
/// ... and one that is no nearer than unrelated text, when it has this share of what the query's words tell. What is
/// between is relevant when both together reach the line.
const COVERAGE: f32 = 0.6;

/// The likelihood that a passage has to do with the query: 0 to 1, and `RELEVANT` where the line is.
///
/// With vectors alone the line is the index's calibrated threshold. In hybrid mode words help over it those that are less
/// near, and without them it lies higher: that refuses more of what merely sounds alike. The constants are measured;
/// see `docs/retrieval.md`.
pub fn relevance(mode: Mode, calibration: &Calibration, cosine: Option<f32>, coverage: f32) -> f32 {
    let Calibration { mean, deviation, threshold } = *calibration;
    let cosine = cosine.unwrap_or(mean);
    let measured = deviation.is_normal() && deviation > 0.0;
    let relevance = match mode {
        // Too few texts to tell how alike unrelated ones are: the threshold alone decides.
        Mode::Hybrid | Mode::Vector if !measured => {
            return if cosine >= threshold { 1.0 } else { coverage * RELEVANT / COVERAGE }.clamp(0.0, 1.0);
        }
        Mode::Vector => RELEVANT + (cosine - threshold) / deviation * RELEVANT / DEVIATIONS,
        Mode::Hybrid => ((cosine - mean) / deviation / DEVIATIONS + coverage / COVERAGE) * RELEVANT,
        Mode::Lexical => coverage / COVERAGE * RELEVANT,
    };
    relevance.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURED: Calibration = Calibration { mean: 0.2, deviation: 0.1, threshold: 0.35 };

    fn is(mode: Mode, cosine: f32, coverage: f32) -> bool {
        relevance(mode, &MEASURED, Some(cosine), coverage) >= RELEVANT
    }

    #[test]
    fn by_vectors_alone_the_threshold_is_the_line() {
        assert!(is(Mode::Vector, 0.3501, 0.0) && !is(Mode::Vector, 0.3499, 0.0));
    }

    #[test]
    fn words_and_vectors_make_up_for_each_other() {
        assert!(!is(Mode::Hybrid, 0.35, 0.0), "near, but not a word");
        assert!(is(Mode::Hybrid, 0.61, 0.0), "very near");
        assert!(is(Mode::Hybrid, 0.2, 0.61), "the words alone");
        assert!(is(Mode::Hybrid, 0.35, 0.4), "a little of both");
        assert!(!is(Mode::Hybrid, 0.1, 0.61), "the words, but about something else");
    }

    #[test]
    fn it_stays_in_its_range_and_without_a_measure() {
        for mode in [Mode::Hybrid, Mode::Vector, Mode::Lexical] {
            for (cosine, coverage) in [(-1.0, 0.0), (1.0, 1.0), (0.3, 0.3)] {
                let value = relevance(mode, &MEASURED, Some(cosine), coverage);
                assert!((0.0..=1.0).contains(&value), "{mode:?} {cosine} {coverage}: {value}");
            }
        }
        let unmeasured = Calibration::default();
        assert!(relevance(Mode::Hybrid, &unmeasured, Some(0.1), 0.0) >= RELEVANT);
        let fixed = Calibration { threshold: 0.3, ..unmeasured };
        assert!(relevance(Mode::Vector, &fixed, Some(0.29), 0.0) < RELEVANT);
        assert!(relevance(Mode::Hybrid, &fixed, Some(0.29), 0.7) >= RELEVANT);
    }
}
