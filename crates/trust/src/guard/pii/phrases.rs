//! Words and phrases of one's own, found as whole words in any case.

use std::collections::BTreeMap;
use std::ops::Range;

use super::view::{View, key};
use ibid_text::fold_one;

/// Phrases, each with a number.
///
/// Looking costs, for each word of a text, one step for each length in words that some phrase with this first word has.
#[derive(Default)]
pub(super) struct Phrases {
    /// By key: see [`key`].
    known: BTreeMap<String, u32>,
    /// By first word, a bit for each length in words of the phrases that begin with it.
    lengths: BTreeMap<String, u32>,
}

/// Phrases of more words are cut to this many.
const MAX_WORDS: usize = 16;

impl Phrases {
    pub(super) fn insert(&mut self, phrase: &str, number: usize) {
        let key = key(phrase);
        let words: Vec<&str> = key.split(' ').take(MAX_WORDS).collect();
        if words[0].is_empty() {
            return;
        }
        *self.lengths.entry(words[0].to_owned()).or_default() |= 1 << words.len();
        self.known.entry(words.join(" ")).or_insert(number as u32);
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        self.known.contains_key(key)
    }

    /// Lists the phrases that begin at a word, the longest first: their words and numbers.
    fn at(&self, words: &ViewWords, at: usize) -> impl Iterator<Item = (usize, usize)> {
        let lengths = self.lengths.get(words.join(at..at + 1)).copied().unwrap_or(0);
        let most = MAX_WORDS.min(words.ranges.len() - at);
        let counts = (1..=most).rev().filter(move |count| lengths & 1 << count != 0);
        counts.filter_map(move |count| Some((count, *self.known.get(words.join(at..at + count))? as usize)))
    }

    /// Calls `found` with the characters of every phrase, the longest at each place.
    pub(super) fn find(&self, view: &View, found: &mut dyn FnMut(Range<usize>, usize)) {
        if self.known.is_empty() {
            return;
        }
        let words = ViewWords::new(view);
        let mut at = 0;
        while at < words.ranges.len() {
            let hit = self.at(&words, at).next();
            if let Some((count, number)) = hit {
                found(words.ranges[at].start..words.ranges[at + count - 1].end, number);
            }
            at += hit.map_or(1, |(count, _)| count);
        }
    }

    /// Calls `met` with every phrase that stands somewhere, also inside another.
    pub(super) fn met(&self, view: &View, met: &mut dyn FnMut(usize)) {
        let words = ViewWords::new(view);
        for at in 0..words.ranges.len() {
            self.at(&words, at).for_each(|(_, number)| met(number));
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
        phrases.find(&view, &mut |range, value| hits.push((&text[view.bytes(&range)], value)));
        assert_eq!(hits, [("WARD-7 North", 2), ("ward 7", 1), ("zurich", 3)]);
    }
}
