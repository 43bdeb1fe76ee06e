//! Texts like queries, taken from the passages that queries are to find.

use std::collections::HashSet;
use std::hash::Hasher;

use twox_hash::XxHash64;
use unicode_segmentation::UnicodeSegmentation;

/// Shorter sentences say too little.
const LEAST_WORDS: usize = 3;
/// Sentences are cut to as many words: about the longest question.
const MOST_WORDS: usize = 16;
/// ... and to as many characters, for scripts without spaces between words.
const MOST_CHARACTERS: usize = 120;
/// The number of headings among eight texts; where there are fewer, sentences take their place.
const HEADINGS_OF_EIGHT: usize = 3;

/// At most `limit` texts out of passages, each with its heading path: headings, whole paths of headings, and sentences.
///
/// Which ones are taken depends on what they say and not on where they stand, so the same passages give the same texts in
/// any order.
pub fn samples<'a>(passages: impl Iterator<Item = (&'a [String], &'a str)>, limit: usize) -> Vec<String> {
    let (mut headings, mut sentences) = (HashSet::new(), HashSet::new());
    for (path, text) in passages {
        headings.extend(path.iter().cloned());
        headings.insert(path.join(" "));
        for sentence in text.lines().flat_map(str::unicode_sentences) {
            sentences.extend(cut(sentence));
        }
    }
    headings.remove("");
    let sentences: HashSet<String> = sentences.difference(&headings).cloned().collect();
    let few = limit * HEADINGS_OF_EIGHT / 8;
    let headings = scattered(headings, few.max(limit.saturating_sub(sentences.len())));
    let rest = limit - headings.len();
    scattered(headings.into_iter().chain(scattered(sentences, rest)), limit)
}

/// The stretch of a sentence that is taken.
fn cut(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    if words.len() < LEAST_WORDS && sentence.chars().nth(MOST_WORDS).is_none() {
        return None;
    }
    let spare = words.len().saturating_sub(MOST_WORDS) as u64;
    // Which stretch of a longer one is as good as random, and the same every time.
    let start = (hash(sentence) % (spare + 1)) as usize;
    let stretch = words[start..].iter().take(MOST_WORDS).copied().collect::<Vec<_>>().join(" ");
    Some(stretch.chars().take(MOST_CHARACTERS).collect())
}

/// At most `limit` of the texts, in an order that looks random and is always the same.
fn scattered(texts: impl IntoIterator<Item = String>, limit: usize) -> Vec<String> {
    let mut texts: Vec<String> = texts.into_iter().collect();
    texts.sort_by_cached_key(|text| (hash(text), text.clone()));
    texts.truncate(limit);
    texts
}

fn hash(text: &str) -> u64 {
    let mut hash = XxHash64::with_seed(0);
    hash.write(text.as_bytes());
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(headings: &[&str]) -> Vec<String> {
        headings.iter().map(|&heading| heading.to_owned()).collect()
    }

    #[test]
    fn headings_and_sentences_are_taken_once() {
        let tea = path(&["Tea", "Green tea"]);
        let text = "Green tea steeps at 80 degrees. Never boil it.\nNo.\nGreen tea steeps at 80 degrees.";
        let all = samples([(&*tea, text), (&*tea, text)].into_iter(), 100);
        let mut sorted = all.clone();
        sorted.sort();
        let expected =
            ["Green tea", "Green tea steeps at 80 degrees.", "Never boil it.", "Tea", "Tea Green tea"];
        assert_eq!(sorted, expected);
        let other = path(&["Other"]);
        let more = [(&*other, "One of them."), (&*tea, text)];
        let forwards = samples(more.into_iter(), 6);
        assert_eq!(forwards.len(), 6);
        assert_eq!(forwards, samples(more.into_iter().rev(), 6));
    }

    #[test]
    fn long_sentences_are_cut_and_odd_ones_survive() {
        let long = "word ".repeat(5000) + &"字".repeat(5000);
        for text in samples([(&[][..], &*long)].into_iter(), 10) {
            assert!(text.split_whitespace().count() <= MOST_WORDS && text.chars().count() <= MOST_CHARACTERS);
        }
        assert!(samples([(&[][..], "\u{0} \n\n . ?")].into_iter(), 10).is_empty());
        assert!(samples([(&[][..], "One, two and three.")].into_iter(), 0).is_empty());
    }
}
