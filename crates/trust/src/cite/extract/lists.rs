//! Lists of words that say what a question wants.

/// All lists, in sections.
const LISTS: &str = include_str!(concat!(env!("OUT_DIR"), "/cite-extract-words.txt"));

/// Returns true if a section has the word.
pub(super) fn has_word(section: &str, word: &str) -> bool {
    lines(section).any(|line| line.split(' ').any(|known| known == word))
}

/// Lists the lines of a section.
pub(super) fn lines(section: &str) -> impl Iterator<Item = &'static str> {
    let named = |part: &&str| part.strip_prefix(section).is_some_and(|rest| rest.starts_with(']'));
    LISTS.split("\n[").find(named).unwrap_or_default().lines().skip(1).filter(|line| !line.is_empty())
}
