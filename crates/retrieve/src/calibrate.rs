//! Similarities in an index, measured on questions made of its own texts.

use ibid_embed::{Embedder, Embedding, Task, embed_all};
use ibid_index::{Calibration, IndexDraft};
use ibid_platform::{Error, ErrorCode, Result, order};
use ibid_text::is_unspaced;

/// The most questions: enough for a median and a share to two digits.
const QUESTIONS: usize = 400;
/// The fewest: what few passages say of near and unrelated text is chance.
const LEAST_QUESTIONS: usize = 20;
/// The documents and the passages, fewer than both of which are too much alike to say what unrelated is.
const LEAST_DOCUMENTS: usize = 10;
const LEAST_PASSAGES: usize = 100;
/// The random passages that each is compared with.
const PAIRS: usize = 8;
/// The most passages among which the nearest to a question is sought.
const COMPARED: usize = 10_000;
/// The words of the stretch that a question is made of: half of them is as long as questions are.
const STRETCH: usize = 20;
/// The fewest words of a question.
const LEAST_WORDS: usize = 3;
/// The most characters of a word. One of a script without spaces weighs as much as several, so that two are a word.
const LONGEST_WORD: usize = 40;
const UNSPACED_WEIGHT: usize = 20;

/// A question made of a stretch of a passage, and that passage's number.
struct MadeQuestion {
    chunk: usize,
    text: String,
}

/// Measures the similarities of an index with questions that are made of its own text: stretches of 20 words, half of
/// them left out (after the inverse cloze task of Lee et al., 2019). The same index gives the same result.
pub fn calibrate(queries: &dyn Embedder, draft: &IndexDraft) -> Result<Calibration> {
    let texts = calibration_texts(draft);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    calibrate_with(draft, &embed_all(queries, &texts, Task::Query, &mut |_| {})?)
}

/// Returns the questions that [`calibrate`] embeds, 20 to 400; none of an index that is too small for 20. A program
/// that embeds elsewhere hands their embeddings to [`calibrate_with`].
pub fn calibration_texts(draft: &IndexDraft) -> Vec<String> {
    questions(draft).into_iter().map(|question| question.text).collect()
}

/// Returns the other half of [`calibrate`], by the embeddings of the [`calibration_texts`] of the same draft, in
/// their order.
///
/// # Errors
/// [`ErrorCode::InvalidOption`] when there is not one for each text.
pub fn calibrate_with(draft: &IndexDraft, embeddings: &[Embedding]) -> Result<Calibration> {
    let questions = questions(draft);
    if questions.len() != embeddings.len() {
        let message = format!(
            "To calibrate the index {} embeddings are needed, not {}.",
            questions.len(),
            embeddings.len()
        );
        return Err(Error::new(ErrorCode::InvalidOption, message));
    }
    let count = draft.texts().len();
    let step = count.div_ceil(COMPARED).max(1);
    let (mut unrelated, mut pairs, mut nearer) = (0.0, 0_u32, 0_u32);
    let mut best = Vec::with_capacity(questions.len());
    for (number, (question, embedding)) in questions.iter().zip(embeddings).enumerate() {
        let score = draft.scorer(embedding);
        let own = score(question.chunk);
        // Reduced in 64 bits everywhere: a page's `usize` has 32, and would choose other pairs.
        let others = (0..PAIRS).map(|pair| (scatter((number * PAIRS + pair) as u64) % count as u64) as usize);
        for other in others.filter(|&other| other != question.chunk).map(&score) {
            unrelated += f64::from(other);
            pairs += 1;
            nearer += u32::from(own > other);
        }
        best.push((0..count).step_by(step).map(&score).fold(own, f32::max));
    }
    if pairs == 0 {
        return Ok(Calibration::default());
    }
    order::by(&mut best, f32::total_cmp);
    let (probes, recall) = draft.probes(embeddings)?;
    Ok(Calibration {
        unrelated: (unrelated / f64::from(pairs)) as f32,
        near: best[best.len() / 2],
        separation: (f64::from(nearer) / f64::from(pairs)) as f32,
        probes,
        recall,
    })
}

/// Makes questions of stretches that are spread evenly over the passages.
fn questions(draft: &IndexDraft) -> Vec<MadeQuestion> {
    let count = draft.texts().len();
    if count < 2 || (draft.document_count() < LEAST_DOCUMENTS && count < LEAST_PASSAGES) {
        return Vec::new();
    }
    let each = QUESTIONS.div_ceil(count) as u64;
    let chunks = draft.texts().enumerate().step_by(count.div_ceil(QUESTIONS));
    let made = chunks.flat_map(|(chunk, text)| {
        let words = words(text);
        let most = (words.len() / STRETCH).max(1) as u64;
        let texts: Vec<String> = (0..each.min(most))
            .filter_map(|at| question(&words, scatter(chunk as u64 * each + at)))
            .collect();
        texts.into_iter().map(move |text| MadeQuestion { chunk, text })
    });
    let made: Vec<MadeQuestion> = made.take(QUESTIONS).collect();
    if made.len() < LEAST_QUESTIONS { Vec::new() } else { made }
}

/// Splits a text at its spaces, and every two characters where spaces part no words.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        let (mut start, mut length) = (0, 0);
        for (at, char) in word.char_indices() {
            let weight = if is_unspaced(char) { UNSPACED_WEIGHT } else { 1 };
            length += weight;
            if length > LONGEST_WORD {
                words.push(&word[start..at]);
                (start, length) = (at, weight);
            }
        }
        words.push(&word[start..]);
    }
    words
}

/// Makes a question of a stretch that the seed chooses, without half of its words; `None` if too few are left.
fn question(words: &[&str], seed: u64) -> Option<String> {
    let start = (seed % (words.len().saturating_sub(STRETCH) as u64 + 1)) as usize;
    let stretch = words.iter().skip(start).take(STRETCH).enumerate();
    let kept: Vec<&str> = stretch
        .filter(|(at, _)| scatter(seed + *at as u64).is_multiple_of(2))
        .map(|(_, word)| *word)
        .collect();
    (kept.len() >= LEAST_WORDS).then(|| kept.join(" "))
}

/// Computes a number that looks random and is always the same for the same input: the finalizer of `SplitMix64` (Steele,
/// Lea and Flood, 2014).
fn scatter(value: u64) -> u64 {
    let mixed =
        (value ^ (value >> 30)).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) >> 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_document::Document;
    use ibid_document::chunk::{ChunkOptions, chunk};
    use ibid_embed::Space;
    use ibid_index::{BuildOptions, IndexBuilder};

    /// Puts a text on the unit circle at the angle that its first word says.
    struct Circle(Space);

    impl Embedder for Circle {
        fn space(&self) -> &Space {
            &self.0
        }

        fn embed(&self, texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
            let first = |text: &&str| text.split(' ').next().and_then(|word| word.parse::<f32>().ok());
            let angle = |text: &&str| first(text).unwrap_or_default().to_radians();
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
        let mut builder =
            IndexBuilder::new(circle.0.clone(), ChunkOptions::default(), BuildOptions::default());
        for (at, angle) in angles.enumerate() {
            let text = vec![angle.to_string(); STRETCH].join(" ");
            // The heading keeps apart those whose text is the same.
            let document = Document::parse(&format!("{at:05}.md"), text.as_bytes()).unwrap();
            builder.add(&document, &chunk(&document, &ChunkOptions::default())).unwrap();
            builder.embedded(&circle.embed(&[&text], Task::Document).unwrap()).unwrap();
        }
        let draft = builder.assemble().unwrap();
        (circle, draft)
    }

    #[test]
    fn near_and_unrelated_are_told_apart() {
        // On a full circle the cosine of random pairs has mean 0, and a question lies where its passage does.
        let spread = calibrated((0..3600).map(|at| at % 360));
        assert!(spread.unrelated.abs() < 0.05 && spread.near > 0.99, "{spread:?}");
        assert!(spread.separation > 0.98, "{spread:?}");
        // Texts of a single subject are all alike.
        let narrow = calibrated((0..100).map(|at| at % 10));
        assert!(narrow.unrelated > 0.98 && narrow.near > narrow.unrelated, "{narrow:?}");
        // Vectors that are all the same tell nothing apart.
        assert!(calibrated((0..100).map(|_| 5)).separation < 0.01);
    }

    #[test]
    fn a_program_that_embeds_elsewhere_gets_the_same() {
        let (circle, draft) = drafted((0..900).map(|at| at % 360));
        let texts = calibration_texts(&draft);
        assert!(
            (200..=300).contains(&texts.len()),
            "every third passage, but for those with too few words left"
        );
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let queries = circle.embed(&texts, Task::Query).unwrap();
        assert_eq!(calibrate_with(&draft, &queries).unwrap(), calibrate(&circle, &draft).unwrap());
        let error = calibrate_with(&draft, &queries[1..]).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidOption);
    }

    #[test]
    fn questions_are_half_of_a_stretch() {
        let numbers: Vec<String> = (0..100).map(|at| at.to_string()).collect();
        let text = numbers.join(" ");
        let made = question(&words(&text), 7).unwrap();
        let kept: Vec<usize> = made.split(' ').map(|word| word.parse().unwrap()).collect();
        assert!((5..=15).contains(&kept.len()) && kept.is_sorted(), "{made}");
        assert!(kept[kept.len() - 1] - kept[0] < STRETCH, "{made}");
        assert_eq!(question(&words("two words"), 7), None);
        assert_eq!(words("防守只丢了 308分 a"), ["防守", "只丢", "了", "308分", "a"]);
        let unspaced = "用法用量一日三回食後".repeat(30);
        assert!(question(&words(&unspaced), 7).is_some_and(|made| made.chars().count() > 10));
    }

    #[test]
    fn too_few_texts_leave_everything_relevant() {
        assert_eq!(calibrated(0..10), Calibration::default());
        assert_eq!(calibrated(0..0), Calibration::default());
    }
}
