//! Words and phrases of one's own, found as whole words in any case.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::view::{View, key};
use ibid_text::fold_one;

/// Phrases with what is known of each.
///
/// Looking costs, for each word of a text, one step for each length in words that some phrase with this first word has.
pub(super) struct Phrases<T> {
    /// By key: see [`key`].
    known: HashMap<String, T>,
    /// By first word, the lengths in words of the phrases that begin with it, the longest last.
    lengths: HashMap<String, BTreeSet<usize>>,
}

/// Phrases of more words are cut to this many.
const MAX_WORDS: usize = 16;

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self { known: HashMap::new(), lengths: HashMap::new() }
    }
}

impl<T> Phrases<T> {
    pub(super) fn insert(&mut self, phrase: &str, value: T) {
        let words = key(phrase);
        let count = words.split(' ').count().min(MAX_WORDS);
        let Some(first) = words.split(' ').next().filter(|first| !first.is_empty()) else { return };
        self.lengths.entry(first.to_owned()).or_default().insert(count);
        let cut: Vec<&str> = words.split(' ').take(MAX_WORDS).collect();
        self.known.entry(cut.join(" ")).or_insert(value);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        self.known.contains_key(key)
    }

    /// Calls `found` with the characters of every phrase, the longest at each place.
    pub(super) fn find(&self, view: &View, found: &mut dyn FnMut(Range<usize>, &T)) {
        if self.is_empty() {
            return;
        }
        let words = ViewWords::new(view);
        let mut at = 0;
        while at < words.ranges.len() {
            let lengths = self.lengths.get(words.join(at..at + 1)).into_iter().flatten().rev();
            let mut fits = lengths.filter(|&&count| at + count <= words.ranges.len());
            let hit = fits.find_map(|&count| Some((count, self.known.get(words.join(at..at + count))?)));
            match hit {
                Some((count, value)) => {
                    found(words.ranges[at].start..words.ranges[at + count - 1].end, value);
                    at += count;
                }
                None => at += 1,
            }
        }
    }

    /// Calls `met` with every phrase that stands somewhere, also inside another.
    pub(super) fn met(&self, view: &View, met: &mut dyn FnMut(&T)) {
        let words = ViewWords::new(view);
        for at in 0..words.ranges.len() {
            for &count in self.lengths.get(words.join(at..at + 1)).into_iter().flatten() {
                if at + count <= words.ranges.len()
                    && let Some(value) = self.known.get(words.join(at..at + count))
                {
                    met(value);
                }
            }
        }
    }
}

/// The words of a view, as [`key`] writes them.
struct ViewWords {
    /// Their characters.
    ranges: Vec<Range<usize>>,
    /// Their places in `text`.
    places: Vec<Range<usize>>,
    /// All of them, with single spaces.
    text: String,
}

impl ViewWords {
    fn new(view: &View) -> Self {
        let mut words = Self { ranges: Vec::new(), places: Vec::new(), text: String::new() };
        let mut at = 0;
        while at < view.len() {
            let start = at;
            while view.at(at).is_alphanumeric() {
                at += 1;
            }
            if at == start {
                at += 1;
                continue;
            }
            if !words.text.is_empty() {
                words.text.push(' ');
            }
            let from = words.text.len();
            words.text.extend(view.chars[start..at].iter().map(|&c| fold_one(c)));
            words.places.push(from..words.text.len());
            words.ranges.push(start..at);
        }
        words
    }

    /// Some words that follow each other.
    fn join(&self, words: Range<usize>) -> &str {
        &self.text[self.places[words.start].start..self.places[words.end - 1].end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_in_any_case_and_the_longest_of_them() {
        let mut phrases = Phrases::default();
        phrases.insert("Ward 7", 1);
        phrases.insert("ward 7 north", 2);
        phrases.insert("Zürich", 3);
        phrases.insert(" - ", 4);
        let text = "WARD-7 North, ward 7, ward 77, zurich, Zürichsee";
        let view = View::new(text);
        let mut hits = Vec::new();
        phrases.find(&view, &mut |range, value| hits.push((&text[view.bytes(&range)], *value)));
        assert_eq!(hits, [("WARD-7 North", 2), ("ward 7", 1), ("zurich", 3)]);
    }
}
