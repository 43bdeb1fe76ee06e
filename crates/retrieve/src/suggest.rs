//! Suggestions from the titles and headings of an index.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use ibid_index::{Analyzer, Index};
use ibid_platform::{Result, order};

/// A query that will find something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// A title or a heading.
    pub text: String,
    /// The number of chunks that stand below it.
    pub chunks: u32,
}

/// The titles and headings of an index, made ready to be looked up while a query is typed.
#[derive(Debug)]
pub(super) struct Suggestions {
    analyzer: Analyzer,
    /// The most chunks first.
    headings: Vec<SuggestedHeading>,
}

#[derive(Debug)]
struct SuggestedHeading {
    text: String,
    /// Its words without case and accents, each behind a space.
    words: String,
    chunks: u32,
}

impl Suggestions {
    pub(super) fn of(index: &Index) -> Result<Self> {
        let analyzer = Analyzer::new(index.manifest().build.lexical.analyzed());
        let mut found: HashMap<String, SuggestedHeading> = HashMap::new();
        for (mut path, chunks) in index.heading_paths()? {
            // What stands twice in a path counts once.
            order::by(&mut path, String::cmp);
            path.dedup();
            for text in path {
                let words = words(analyzer, &text);
                if words.is_empty() {
                    continue;
                }
                let heading = found.entry(words.clone()).or_insert_with(|| SuggestedHeading {
                    text: text.clone(),
                    words,
                    chunks: 0,
                });
                heading.chunks = heading.chunks.saturating_add(chunks);
                // Of several spellings the first one by the alphabet is shown, whichever comes first.
                if text < heading.text {
                    heading.text = text;
                }
            }
        }
        let mut headings: Vec<SuggestedHeading> = found.into_values().collect();
        order::by(&mut headings, |a, b| b.chunks.cmp(&a.chunks).then_with(|| a.text.cmp(&b.text)));
        Ok(Self { analyzer, headings })
    }

    /// Lists the headings that have words which begin as those of `prefix` do, and in their order: first those that begin
    /// with it, then those with the most chunks.
    pub(super) fn find(&self, prefix: &str, limit: usize) -> Vec<Suggestion> {
        let wanted = words(self.analyzer, prefix);
        if wanted.is_empty() {
            return Vec::new();
        }
        let suggestion =
            |heading: &SuggestedHeading| Suggestion { text: heading.text.clone(), chunks: heading.chunks };
        let begins = |heading: &&SuggestedHeading| heading.words.starts_with(&wanted);
        let inside = |heading: &&SuggestedHeading| !begins(heading) && has_words(&heading.words, &wanted);
        let all = self.headings.iter().filter(begins).chain(self.headings.iter().filter(inside));
        all.take(limit).map(suggestion).collect()
    }
}

fn words(analyzer: Analyzer, text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 1);
    for token in analyzer.tokens(text).filter(|token| !token.joint) {
        words.push(' ');
        words.push_str(&analyzer.plain(&text[token.range]));
    }
    words
}

/// Returns true if each of the wanted words begins one of the words, in their order.
fn has_words(words: &str, wanted: &str) -> bool {
    let mut words = words.split(' ');
    wanted.split(' ').skip(1).all(|prefix| words.any(|word| word.starts_with(prefix)))
}
