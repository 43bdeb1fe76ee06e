//! The WordPiece tokenizer of BERT's uncased models: text to the ids of a fixed vocabulary.
//!
//! Greedy longest match first, as in Schuster and Nakajima, "Japanese and Korean voice search" (2012), with BERT's
//! normalization in front. It agrees token for token with the reference, the `tokenizers` package reading
//! all-MiniLM-L6-v2's `tokenizer.json`; `tests/fixtures/embed/tokens.jsonl` is the reference's own output.

use super::vocabulary::{TextHash, Vocabulary};
use crate::packed::invalid;
use ibid_platform::Result;
use ibid_text::{Normalizer, Piece};

/// A word of more characters than this is unknown as a whole.
const MAX_WORD_CHARS: usize = 100;

/// Tokens that are found by their literal text, before normalization.
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// A vocabulary and the way to split text into its tokens.
#[derive(Debug)]
pub struct WordPiece {
    normalizer: &'static Normalizer,
    vocabulary: Vocabulary,
    unknown: u32,
    continued: TextHash,
    special: Vec<(&'static str, u32)>,
}

impl WordPiece {
    /// Takes a vocabulary: one token a line in the order of the ids, continuations marked by `##`, as in a model's
    /// `vocab.txt`. It must hold `[UNK]` and no token twice; anything else is
    /// [`ibid_platform::ErrorCode::ModelInvalid`].
    pub fn from_vocab(vocab: impl Into<String>) -> Result<Self> {
        let vocabulary = Vocabulary::read(vocab)?;
        let unknown = vocabulary.id("[UNK]");
        Ok(Self {
            normalizer: Normalizer::get(),
            unknown: unknown.ok_or_else(|| invalid("The vocabulary has no [UNK] token."))?,
            continued: TextHash::of("##"),
            special: SPECIAL.iter().filter_map(|&name| Some((name, vocabulary.id(name)?))).collect(),
            vocabulary,
        })
    }

    /// The tokens and their ids.
    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the ids of the text's first `max_tokens` tokens, without `[CLS]` and `[SEP]` around them.
    ///
    /// As in the reference, the literal texts `[PAD]`, `[UNK]`, `[CLS]`, `[SEP]` and `[MASK]` stand for the tokens of
    /// that name.
    pub fn encode(&self, text: &str, max_tokens: usize) -> Vec<u32> {
        let mut words = WordIds::of(self);
        self.read(text, &mut words, |words| words.ids.len() < max_tokens);
        words.end();
        words.ids.truncate(max_tokens);
        words.ids
    }

    /// Reads a text, without the end of its last word, as long as it is to go on.
    fn read(&self, text: &str, words: &mut WordIds<'_>, mut go_on: impl FnMut(&mut WordIds<'_>) -> bool) {
        let mut rest = text;
        while let Some(char) = rest.chars().next() {
            if !go_on(words) {
                break;
            }
            if char == '['
                && let Some((name, id)) = self.special.iter().find(|(name, _)| rest.starts_with(name))
            {
                words.end();
                words.ids.push(*id);
                rest = &rest[name.len()..];
                continue;
            }
            self.normalizer.push(char, &mut |piece| words.push(piece));
            rest = &rest[char.len_utf8()..];
        }
    }

    /// Appends the tokens of a normalized word.
    fn split(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        let mut start = 0;
        // Hashes at the ends of the characters after `start`, as far as the longest token reaches.
        let mut hashes: Vec<(usize, TextHash)> = Vec::new();
        while start < word.len() {
            let (prefix, mut state) =
                if start == 0 { ("", TextHash::of("")) } else { ("##", self.continued) };
            hashes.clear();
            for char in word[start..].chars() {
                let at = hashes.last().map_or(start, |&(end, _)| end);
                let end = at + char.len_utf8();
                if end - start + prefix.len() > self.vocabulary.longest() {
                    break;
                }
                state = state.and(&word[at..end]);
                hashes.push((end, state));
            }
            let longest = hashes
                .iter()
                .rev()
                .find_map(|&(end, hash)| Some((end, self.vocabulary.find(hash, prefix, &word[start..end])?)));
            let Some((end, id)) = longest else {
                ids.truncate(before);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            start = end;
        }
    }
}

/// The word being read and the ids of those before it.
struct WordIds<'a> {
    wordpiece: &'a WordPiece,
    ids: Vec<u32>,
    word: String,
    chars: usize,
}

impl<'a> WordIds<'a> {
    fn of(wordpiece: &'a WordPiece) -> Self {
        Self { wordpiece, ids: Vec::new(), word: String::new(), chars: 0 }
    }

    fn push(&mut self, piece: Piece) {
        match piece {
            Piece::Letter(char) => {
                self.chars += 1;
                // The rest of a word that is too long is only counted, not kept.
                if self.chars <= MAX_WORD_CHARS {
                    self.word.push(char);
                }
            }
            Piece::Single(char) => {
                self.end();
                self.wordpiece.split(char.encode_utf8(&mut [0; 4]), &mut self.ids);
            }
            Piece::Break => self.end(),
        }
    }

    fn end(&mut self) {
        if self.chars > MAX_WORD_CHARS {
            self.ids.push(self.wordpiece.unknown);
        } else if self.chars > 0 {
            self.wordpiece.split(&self.word, &mut self.ids);
        }
        self.word.clear();
        self.chars = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_platform::ErrorCode;

    fn small() -> WordPiece {
        WordPiece::from_vocab("[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\n.\naff\né\n").unwrap()
    }

    #[test]
    fn longest_match_first() {
        let wordpiece = small();
        assert_eq!(wordpiece.encode("Unaffable. aff", 9), [4, 5, 6, 7, 8]);
        assert_eq!(wordpiece.encode("unaffably", 9), [1]);
        assert!(wordpiece.encode("", 9).is_empty());
        assert!(wordpiece.encode(" \u{0}\n", 9).is_empty());
    }

    #[test]
    fn special_tokens_are_literal() {
        assert_eq!(small().encode("un[SEP]aff[sep]", 9), [4, 3, 8, 1, 1, 1]);
    }

    #[test]
    fn stops_at_the_limit() {
        assert_eq!(small().encode("unaffable unaffable", 4), [4, 5, 6, 4]);
        assert!(small().encode("unaffable", 0).is_empty());
    }

    #[test]
    fn a_very_long_word_is_unknown() {
        let wordpiece = WordPiece::from_vocab("[UNK]\na\n##a").unwrap();
        assert_eq!(wordpiece.encode(&"a".repeat(100), 200).len(), 100);
        assert_eq!(wordpiece.encode(&"a".repeat(101), 200), [0]);
    }

    #[test]
    fn unusable_vocabularies_are_refused() {
        for vocab in ["", "a\nb", "[UNK]\na\na"] {
            assert_eq!(
                WordPiece::from_vocab(vocab).unwrap_err().code(),
                ErrorCode::ModelInvalid,
                "{vocab:?}"
            );
        }
    }
}
