//! A text as words that are written alike: lower case, no accents, no apostrophes.

use std::ops::Range;

use super::fold::{fold, is_mark};
use super::script::{alike_latin, is_single};

/// The text between a word and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// Nothing that parts the sentence.
    None,
    /// A comma, a colon, a dash, a bracket, a line break.
    Clause,
    /// A full stop, another sign that ends a sentence, an empty line.
    Sentence,
}

/// A word of a text.
#[derive(Clone, Copy, Debug)]
struct Word {
    /// Its bytes in the text.
    start: usize,
    end: usize,
    /// The place where it begins in the folded text; it goes on until the next word does.
    at: usize,
    before: Gap,
}

/// The words of a text. Those of Chinese and Japanese, which are not set apart, are single characters here.
#[derive(Debug, Default)]
pub struct Words {
    folded: String,
    list: Vec<Word>,
}

impl Words {
    /// Splits and folds a text.
    pub fn of(text: &str) -> Self {
        let mut words = Self { folded: String::with_capacity(text.len() + 8), list: Vec::new() };
        let mut word: Option<(usize, usize)> = None;
        let mut gap = Gap::Sentence;
        let mut chars = text.char_indices().peekable();
        while let Some((start, char)) = chars.next() {
            // Nearly all letters are these, and need no table.
            if char.is_ascii_alphanumeric() {
                word.get_or_insert((start, words.folded.len()));
                words.folded.push(char.to_ascii_lowercase());
                continue;
            }
            if char == ' ' {
                words.push(&mut word, start, &mut gap);
                continue;
            }
            let next = chars.peek().map_or(' ', |&(_, next)| next);
            if is_single(char) {
                words.push(&mut word, start, &mut gap);
                word = Some((start, words.folded.len()));
                words.folded.push(char);
                words.push(&mut word, start + char.len_utf8(), &mut gap);
            } else if char.is_alphanumeric() || is_mark(char) {
                let begun = words.folded.len();
                if word.is_none() && is_mark(char) {
                    continue;
                }
                word.get_or_insert((start, begun));
                fold(char, &mut |plain| words.folded.push(plain));
            } else if is_apostrophe(char) && word.is_some() && next.is_alphanumeric() {
                // `can't` is `cant`; a quotation mark in front of a word is none of its letters.
            } else {
                words.push(&mut word, start, &mut gap);
                gap = gap.max(parting(char, next));
            }
        }
        words.push(&mut word, text.len(), &mut gap);
        words
    }

    fn push(&mut self, word: &mut Option<(usize, usize)>, end: usize, gap: &mut Gap) {
        if let Some((start, at)) = word.take() {
            latin(&mut self.folded, at);
            self.list.push(Word { start, end, at, before: *gap });
            *gap = Gap::None;
        }
    }

    /// Returns the number of words.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Returns a word, folded; empty beyond the last.
    pub fn get(&self, index: usize) -> &str {
        let Some(word) = self.list.get(index) else { return "" };
        let end = self.list.get(index + 1).map_or(self.folded.len(), |next| next.at);
        &self.folded[word.at..end]
    }

    /// Returns the text between a word and the one before it; the first begins a sentence.
    pub fn before(&self, index: usize) -> Gap {
        self.list.get(index).map_or(Gap::Sentence, |word| word.before)
    }

    /// Returns the bytes of some words in the text.
    pub fn span(&self, words: &Range<usize>) -> Range<usize> {
        let start = self.list.get(words.start).map_or(0, |word| word.start);
        let end = self.list.get(words.end.wrapping_sub(1)).map_or(start, |word| word.end);
        start..end.max(start)
    }
}

fn is_apostrophe(char: char) -> bool {
    matches!(char, '\'' | '’' | '‘' | 'ʼ' | '`' | '´')
}

fn parting(char: char, next: char) -> Gap {
    match char {
        // `3.5`, `guide.md` and `/?page=2` go on.
        '.' | '?' | '!' | ';' if next.is_alphanumeric() => Gap::None,
        '.' | '!' | '?' | ';' | '…' | '。' | '！' | '？' | '؟' | '।' | '\u{2029}' => Gap::Sentence,
        '\n' if next == '\n' => Gap::Sentence,
        ',' | ':' | '(' | ')' | '[' | ']' | '–' | '—' | '\n' | '，' | '、' | '：' | '،' => {
            Gap::Clause
        }
        _ => Gap::None,
    }
}

/// Writes the folded text from `at` on in Latin letters, if some of it is and the rest only looks like it.
fn latin(folded: &mut String, at: usize) {
    let word = &folded[at..];
    if word.is_ascii() || !word.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    if word.chars().any(|char| alike_latin(char).is_some()) {
        let plain: String = word.chars().map(|char| alike_latin(char).unwrap_or(char)).collect();
        folded.truncate(at);
        folded.push_str(&plain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Vec<String> {
        let words = Words::of(text);
        (0..words.count()).map(|index| words.get(index).to_owned()).collect()
    }

    #[test]
    fn words_are_written_alike() {
        assert_eq!(folded("I CAN'T breathe"), ["i", "cant", "breathe"]);
        assert_eq!(folded("can’t—self-harm"), ["cant", "self", "harm"]);
        assert_eq!(folded("'quoted' don`t"), ["quoted", "dont"]);
        assert_eq!(folded("Bébé s’étouffe, größer"), ["bebe", "setouffe", "grosser"]);
        assert_eq!(folded("cafe\u{301} ＩＧＮＯＲＥ 𝐢𝐠𝐧𝐨𝐫𝐞"), ["cafe", "ignore", "ignore"]);
        assert_eq!(folded("ignоre (with a Cyrillic о)")[0], "ignore");
        assert_eq!(folded("忽略 them"), ["忽", "略", "them"]);
        assert_eq!(folded("ŁÓDŹ Ÿ Žižka"), ["lodz", "y", "zizka"]);
        assert_eq!(folded("3.5 mg, guide.md"), ["3", "5", "mg", "guide", "md"]);
        assert!(folded(" ...'' ").is_empty());
    }

    #[test]
    fn gaps_and_places() {
        use Gap::{Clause, None, Sentence};

        let text = "Help! My dad, 60, fell.\n\nHe is pale\nand cold";
        let words = Words::of(text);
        let gaps: Vec<Gap> = (0..words.count()).map(|index| words.before(index)).collect();
        assert_eq!(gaps, [Sentence, Sentence, None, Clause, Clause, Sentence, None, None, Clause, None]);
        assert_eq!(&text[words.span(&(1..3))], "My dad");
        assert_eq!(words.span(&(4..4)).len(), 0);
    }
}
