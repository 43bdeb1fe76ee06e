//! The relevance of a passage to a query.

use super::query::Mode;
use ibid_embed::Space;
use ibid_index::{Calibration, ChunkCandidate, Manifest};

/// From here on a passage counts as relevant.
pub const RELEVANT: f32 = 0.5;

/// The way from nearness and coverage to relevance.
struct Measure {
    /// The share of nearness that coverage counts.
    words: f32,
    /// The part of their sum that chance explains.
    chance: f32,
    /// The sum above that which makes sure.
    whole: f32,
}

/// By the model for English: words that a passage happens to have say little.
const ENGLISH: Measure = Measure { words: 1.0 / 3.0, chance: 0.2, whole: 1.0 };
/// By a model of many languages: all that is in one language is near to it, and words say most.
const MULTILINGUAL: Measure = Measure { words: 2.0, chance: 0.0, whole: 3.3 };
/// The coverage of a passage that has all words of a query.
const ALL_WORDS: f32 = 0.999;
/// The coverage that makes a passage relevant if vectors are not looked at.
const COVERAGE: f32 = 0.55;

/// Returns the likelihood that a passage has to do with the query: 0 to 1, and `RELEVANT` where the line is.
///
/// Nearness is 0 for unrelated text of the index, and 1 for a passage as near as those that questions made of the index
/// find. Coverage adds up to a third to it, so that words alone never make sure; by a model of many languages they are most
/// of it. A passage with all words is at least `RELEVANT` unless it is farther away than unrelated text. An index that was too
/// small to be measured cannot tell: there it is `RELEVANT`. `docs/measurements.md` has the measurements.
pub fn relevance(
    mode: Mode,
    space: &Space,
    calibration: &Calibration,
    cosine: Option<f32>,
    coverage: f32,
) -> f32 {
    let Some(cosine) = cosine.filter(|_| mode != Mode::Lexical) else {
        return (coverage / COVERAGE * RELEVANT).clamp(0.0, 1.0);
    };
    if !calibration.is_measured() {
        return RELEVANT;
    }
    let Calibration { unrelated, near, .. } = *calibration;
    let nearness = (cosine - unrelated) / (near - unrelated);
    if mode == Mode::Vector {
        return (nearness - ENGLISH.chance).clamp(0.0, 1.0);
    }
    // Who types a word wants the passages that have it, unless they are farther than chance.
    let least = if coverage >= ALL_WORDS && nearness > 0.0 { RELEVANT } else { 0.0 };
    let Measure { words, chance, whole } = if space.is_multilingual() { MULTILINGUAL } else { ENGLISH };
    ((nearness + words * coverage - chance) / whole).clamp(least, 1.0)
}

/// The way from unrelated text to what the index's own questions find, as a share, that a query has to come along to have
/// hits when the index has none of its words. `docs/measurements.md` has everyday questions by it.
const LEAST_NEARNESS: f32 = 0.5;
/// The cosine that does where the index is too small to be measured, by the model for English: below it are nine in ten
/// texts without meaning.
const LEAST_COSINE: f32 = 0.35;

/// Says whether a query that shares no word with the index is far from the best that vectors found, so that it most
/// likely means nothing of the index's. A model of many languages puts a question in another language as far away as
/// that, or farther: there nothing is far.
pub fn is_far(manifest: &Manifest, best: Option<&ChunkCandidate>) -> bool {
    let Some(best) = best else { return true };
    let Calibration { unrelated, near, .. } = manifest.calibration;
    match manifest.calibration.is_measured() {
        _ if manifest.space.is_multilingual() => false,
        true => best.score < unrelated + LEAST_NEARNESS * (near - unrelated),
        false => manifest.space.is_english() && best.score < LEAST_COSINE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURED: Calibration =
        Calibration { unrelated: 0.2, near: 0.5, separation: 0.9, probes: 0, recall: 0.0 };

    fn in_space(name: &str, calibration: &Calibration, cosine: f32, coverage: f32) -> f32 {
        let space = Space { name: name.into(), dimensions: 256, fingerprint: "0".into() };
        relevance(Mode::Hybrid, &space, calibration, Some(cosine), coverage)
    }

    fn of(mode: Mode, cosine: Option<f32>, coverage: f32) -> f32 {
        let space = Space { name: "circle".into(), dimensions: 2, fingerprint: "0".into() };
        relevance(mode, &space, &MEASURED, cosine, coverage)
    }

    fn is(mode: Mode, cosine: f32, coverage: f32) -> bool {
        of(mode, Some(cosine), coverage) >= RELEVANT
    }

    #[test]
    fn vectors_alone_ask_for_most_of_the_way() {
        assert!(is(Mode::Vector, 0.42, 0.0) && !is(Mode::Vector, 0.4, 1.0));
    }

    #[test]
    fn words_help_but_never_make_up_for_what_is_far() {
        assert!(is(Mode::Hybrid, 0.42, 0.0), "most of the way to those that answer");
        assert!(!is(Mode::Hybrid, 0.37, 0.3), "some of the words are little");
        assert!(is(Mode::Hybrid, 0.37, 0.5), "a little of both");
        assert!(
            is(Mode::Hybrid, 0.34, 0.9) && !is(Mode::Hybrid, 0.3, 0.9),
            "most words, about something else"
        );
        assert!((of(Mode::Hybrid, Some(0.25), 1.0) - RELEVANT).abs() < 1e-6, "all words, and no more");
        assert!(of(Mode::Hybrid, Some(0.15), 1.0) < 0.2, "all words, farther than chance");
        assert!(is(Mode::Lexical, 0.1, 0.6) && !is(Mode::Lexical, 0.9, 0.5), "no vectors are looked at");
        assert!(of(Mode::Lexical, None, 1.0) < 1.0, "which are never sure");
    }

    #[test]
    fn by_a_model_of_many_languages_words_say_most() {
        let of = |cosine, coverage| in_space("multilingual-e5-small/256", &MEASURED, cosine, coverage);
        assert!(of(0.5, 0.2) < RELEVANT && of(0.4, 0.6) > RELEVANT, "all of a language is near");
        assert!(of(0.5, 1.0) < 1.0);
    }

    #[test]
    fn it_stays_in_its_range_and_a_small_index_cannot_tell() {
        for mode in [Mode::Hybrid, Mode::Vector, Mode::Lexical] {
            for (cosine, coverage) in [(-1.0, 0.0), (1.0, 1.0), (0.3, 0.3)] {
                for cosine in [Some(cosine), None] {
                    let value = of(mode, cosine, coverage);
                    assert!((0.0..=1.0).contains(&value), "{mode:?} {cosine:?} {coverage}: {value}");
                }
            }
        }
        for cosine in [-0.5, 0.1, 0.9] {
            assert!((in_space("circle", &Calibration::default(), cosine, 0.2) - RELEVANT).abs() < 1e-6);
        }
    }
}
