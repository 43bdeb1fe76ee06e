//! BM25 as sparse vectors.
//!
//! A chunk's vector has for each term its saturated frequency, a query's a one, and the engine multiplies each by how rare
//! the term is (Qdrant's `idf` modifier, which has Lucene's formula). Their inner product is BM25, the same as an index
//! gives, but for the rounding of lengths there.
//!
//! A term's dimension is a hash of 32 bits. Among 100,000 terms about one pair shares a dimension, and a pair matters only to
//! queries for one of the two.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use twox_hash::XxHash64;

use ibid_index::{Analyzer, LexicalOptions, phrase_conditions};

/// A sparse vector: dimensions in order, each with its value.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct SparseVector {
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f32>,
}

impl SparseVector {
    fn of(weights: BTreeMap<u32, f32>) -> Self {
        let (indices, values) = weights.into_iter().unzip();
        Self { indices, values }
    }

    /// Returns true if it has no term.
    pub(super) fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }
}

/// The fields of a chunk that have terms.
#[derive(Clone, Copy)]
pub(super) struct PassageFields<'a> {
    pub(super) title: &'a str,
    pub(super) heading_path: &'a [String],
    pub(super) text: &'a str,
}

impl<'a> PassageFields<'a> {
    /// Each field with how much a term in it counts. Headings that repeat the title count as the title alone.
    fn weighed(self, options: &LexicalOptions) -> impl Iterator<Item = (&'a str, f32)> {
        let headings = self.heading_path.iter().filter(move |heading| *heading != self.title);
        let heading_boost = options.heading_boost;
        [(self.text, 1.0), (self.title, options.title_boost)]
            .into_iter()
            .chain(headings.map(move |heading| (heading.as_str(), heading_boost)))
            .filter(|(_, boost)| *boost > 0.0)
    }
}

/// Computes the length of a chunk in terms.
pub(super) fn length(fields: PassageFields<'_>, options: &LexicalOptions) -> usize {
    let analyzer = Analyzer::new(options.analyzed());
    let counted = |text: &str| analyzer.tokens(text).filter(|token| !token.stop && !token.joint).count();
    fields.weighed(options).map(|(text, _)| counted(text)).sum()
}

/// Lists the different terms of a chunk.
pub(super) fn of_fields(fields: PassageFields<'_>, options: &LexicalOptions) -> HashSet<u32> {
    let analyzer = Analyzer::new(options.analyzed());
    let all = fields.weighed(options);
    all.flat_map(|(text, _)| analyzer.tokens(text)).map(|token| dimension(&token.term)).collect()
}

/// Makes the vector of a chunk.
pub(super) fn of_chunk(
    fields: PassageFields<'_>,
    options: &LexicalOptions,
    average_length: f32,
) -> SparseVector {
    let analyzer = Analyzer::new(options.analyzed());
    let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
    for (text, boost) in fields.weighed(options) {
        for token in analyzer.tokens(text) {
            *weights.entry(dimension(&token.term)).or_default() += boost;
        }
    }
    let LexicalOptions { k1, b, .. } = *options;
    let share = length(fields, options) as f32 / average_length.max(1.0);
    let norm = k1 * (1.0 - b + b * share);
    weights.values_mut().for_each(|frequency| *frequency /= *frequency + norm);
    SparseVector::of(weights)
}

/// Makes the vector of a query. Stop words count only where there is nothing else.
pub(super) fn of_query(text: &str, options: &LexicalOptions) -> SparseVector {
    let analyzer = Analyzer::new(options.analyzed());
    let content = |all: bool| {
        let tokens = analyzer.tokens(text).filter(move |token| all || !token.stop);
        tokens.map(|token| (dimension(&token.term), 1.0)).collect::<BTreeMap<_, _>>()
    };
    let weights = content(false);
    SparseVector::of(if weights.is_empty() { content(true) } else { weights })
}

/// Finds the words of a query that say something, as they are written, without quotes and signs.
pub(super) fn words_of(text: &str, options: &LexicalOptions) -> Vec<String> {
    let analyzer = Analyzer::new(options.analyzed());
    let tokens = analyzer.tokens(text).filter(|token| !token.stop && !token.joint);
    let mut words: Vec<String> =
        tokens.filter_map(|token| text.get(token.range)).map(str::to_owned).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Finds the phrases of a query, each as its terms: what is in "double quotes".
pub(super) fn phrases_of(text: &str, options: &LexicalOptions) -> Vec<Vec<u32>> {
    let phrases = phrase_conditions(text).into_iter().map(|range| sequence(&text[range], options));
    phrases.filter(|terms| !terms.is_empty()).collect()
}

/// Returns true if one of the fields has the terms one after the other.
pub(super) fn has_phrase(fields: PassageFields<'_>, phrase: &[u32], options: &LexicalOptions) -> bool {
    let headings = fields.heading_path.iter().map(String::as_str);
    let mut texts = [fields.text, fields.title].into_iter().chain(headings);
    texts.any(|text| sequence(text, options).windows(phrase.len()).any(|terms| terms == phrase))
}

/// Lists the terms of a text in its order.
fn sequence(text: &str, options: &LexicalOptions) -> Vec<u32> {
    let tokens = Analyzer::new(options.analyzed()).tokens(text);
    tokens.filter(|token| !token.joint).map(|token| dimension(&token.term)).collect()
}

fn dimension(term: &str) -> u32 {
    let hash = XxHash64::oneshot(0, term.as_bytes());
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the scores of nothing and of all are exactly that")]
mod tests {
    use super::*;

    fn chunk(text: &str) -> SparseVector {
        let headings = ["Tea".to_owned(), "Water".to_owned()];
        let fields = PassageFields { title: "Tea", heading_path: &headings, text };
        of_chunk(fields, &LexicalOptions::default(), 10.0)
    }

    fn product(a: &SparseVector, b: &SparseVector) -> f32 {
        let value = |index| b.indices.binary_search(index).map_or(0.0, |at| b.values[at]);
        a.indices.iter().zip(&a.values).map(|(index, weight)| weight * value(index)).sum()
    }

    #[test]
    fn a_query_meets_the_chunks_that_have_its_stems() {
        let options = LexicalOptions::default();
        let query = of_query("the steeping leaves", &options);
        assert_eq!(query.indices.len(), 2);
        let (often, once) = (chunk("Steep leaves, steep leaves."), chunk("Steep a leaf once, for a while."));
        assert!(product(&query, &often) > product(&query, &once));
        assert_eq!(product(&query, &chunk("Boil milk.")), 0.0);
        assert!(product(&of_query("water", &options), &chunk("Boil milk.")) > 0.0);
        assert_eq!(of_query("the of", &options).indices.len(), 2);
        assert!(of_query(" ?! ", &options).is_empty());
    }

    #[test]
    fn weights_are_those_of_bm25() {
        let options = LexicalOptions { heading_boost: 0.0, title_boost: 0.0, ..LexicalOptions::default() };
        let fields = PassageFields { title: "T", heading_path: &[], text: "milk milk tea" };
        assert_eq!(length(fields, &options), 3);
        let sparse = of_chunk(fields, &options, 6.0);
        let norm = 1.2 * (0.25 + 0.75 * 0.5);
        let milk = product(&of_query("milk", &options), &sparse);
        assert!((milk - 2.0 / (2.0 + norm)).abs() < 1e-6, "{milk}");
        assert!(sparse.indices.is_sorted());
    }

    #[test]
    fn phrases_stand_in_quotes() {
        let options = LexicalOptions::default();
        let phrases = phrases_of("\"green tea\" \"\"", &options);
        assert_eq!(phrases.len(), 1);
        assert!(phrases_of("a \"green tea\"", &options).is_empty());
        let has =
            |text| has_phrase(PassageFields { title: "T", heading_path: &[], text }, &phrases[0], &options);
        assert!(has("Drink green teas daily.") && !has("Tea is green.") && !has(""));
    }

    #[test]
    fn words_are_as_they_were_written() {
        let words = words_of("\"Green tea\" in the IL-6 study", &LexicalOptions::default());
        assert!(words.contains(&"Green".to_owned()) && words.contains(&"study".to_owned()));
        assert!(!words.contains(&"the".to_owned()));
    }
}
