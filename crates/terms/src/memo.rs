//! The terms of words that came by lately: texts repeat theirs, and a stem takes longer than finding it again.

use std::borrow::Cow;
use std::cell::RefCell;

use ibid_text::Language;

use super::{fold, stem};

/// The words that are kept. Nine in ten of a text's words are among its language's thousand most frequent, and
/// with four slots for each, few drive each other out.
const SLOTS: usize = 4096;
/// Longer words are not kept.
const LONGEST: usize = 32;

/// A word with its term.
#[derive(Clone, Debug)]
struct KnownWord {
    language: Language,
    word: Box<str>,
    term: Box<str>,
    stop: bool,
}

thread_local! {
    static KNOWN: RefCell<Vec<Option<KnownWord>>> = const { RefCell::new(Vec::new()) };
}

/// Returns a word's term, and whether it is a stop word.
pub(crate) fn term(language: Language, word: &str) -> (Cow<'_, str>, bool) {
    if word.len() > LONGEST {
        return made(language, word);
    }
    KNOWN.with_borrow_mut(|known| {
        known.resize(SLOTS, None);
        let slot = &mut known[slot(word)];
        if let Some(known) = slot.as_ref().filter(|known| *known.word == *word && known.language == language)
        {
            // Most words are their own terms, and nothing has to be copied.
            let term =
                if *known.term == *word { Cow::Borrowed(word) } else { Cow::Owned((*known.term).into()) };
            return (term, known.stop);
        }
        let (term, stop) = made(language, word);
        *slot = Some(KnownWord { language, word: word.into(), term: (*term).into(), stop });
        (term, stop)
    })
}

fn made(language: Language, word: &str) -> (Cow<'_, str>, bool) {
    (fold::term(language, word), stem::is_stop_word(language, &fold::lower(language, word)))
}

/// FNV-1a (Fowler, Noll and Vo), whose lower bits are good enough for so few slots.
fn slot(word: &str) -> usize {
    let hash =
        word.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 16) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_same_however_often_it_comes() {
        let words = ["the", "doses", "Naïve", "a\u{301}", "", "patients"];
        for _ in 0..2 {
            for language in [Language::English, Language::German, Language::None] {
                for word in words {
                    assert_eq!(term(language, word), made(language, word), "{language} {word}");
                }
            }
        }
    }
}
