//! Attributes that say something in words: of an image, and of an abbreviation.

use std::collections::HashSet;

use super::furniture::is_hidden;
use super::marks::{AuthorMarks, MarkStep, on_one_line};
use crate::tags::{Tag, Token};
use crate::writer::resolved;

/// Fewer words name a thing, such as a logo, and say nothing of it; more are a text that the page has elsewhere.
const LEAST_WORDS: usize = 3;
const MOST_BYTES: usize = 600;
/// The tokens behind an image in which a caption may repeat it.
const NEAR: usize = 12;

impl AuthorMarks {
    /// Adds the words of images, and of abbreviations once for each, as steps for the reader.
    pub(super) fn add_spoken(&mut self, page: &str, tokens: &[Token]) {
        let mut known = HashSet::new();
        for (at, token) in tokens.iter().enumerate() {
            let Token::Start(tag) = token else { continue };
            if let Some(words) = of_image(tag) {
                let near = tokens[at..].iter().take(NEAR);
                let repeats = |token: &Token| matches!(token, Token::Text(range) if resolved(&page[range.clone()]).trim() == words);
                if !near.clone().any(repeats) {
                    self.steps.entry(at).or_default().push(MarkStep::text(words));
                }
            } else if tag.name == "abbr"
                && let Some(words) = tag.get("title").map(str::trim).filter(|words| says(words, 2))
                && matches!(tokens.get(at + 2), Some(Token::End(name)) if name == "abbr")
                && known.insert(words)
            {
                self.steps
                    .entry(at + 2)
                    .or_default()
                    .push(MarkStep::Note(format!("({})", on_one_line(words))));
            }
        }
    }
}

/// Reads the words of an image, if they say something.
fn of_image(tag: &Tag) -> Option<&str> {
    if (tag.name != "img" && tag.get("role") != Some("img")) || is_hidden(tag) {
        return None;
    }
    let words = ["alt", "aria-label", "title"].iter().filter_map(|attribute| tag.get(attribute));
    words.map(str::trim).find(|words| says(words, LEAST_WORDS))
}

/// Returns true for a text of that many words. A formula is none, and neither is an address.
fn says(text: &str, words: usize) -> bool {
    let is_word = |word: &&str| word.chars().any(char::is_alphabetic);
    // A pair of characters of a script without spaces is about a word.
    let unspaced = text.chars().filter(|c| ibid_text::is_unspaced(*c)).count() / 2;
    text.len() <= MOST_BYTES
        && !text.contains(['\\', '{', '}'])
        && !text.contains("://")
        && text.split_whitespace().filter(is_word).count().max(unspaced) >= words
}
