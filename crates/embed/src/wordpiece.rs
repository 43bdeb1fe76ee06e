//! The WordPiece tokenizer of BERT's uncased models: text to the ids of a fixed vocabulary.
//!
//! Greedy longest match first, as in Schuster and Nakajima, "Japanese and Korean voice search" (2012), with BERT's
//! normalization in front. It agrees token for token with the reference, the `tokenizers` package reading
//! all-MiniLM-L6-v2's `tokenizer.json`; `tests/fixtures/embed/tokens.jsonl` is the reference's own output.

use super::normalizer::{Normalizer, Piece};
use ibid_document::chunk::Sizer;
use ibid_platform::{Error, ErrorCode, Result};

/// A word of more characters than this is unknown as a whole.
const MAX_WORD_CHARS: usize = 100;

/// A text of more characters for each of its tokens counts as larger than it is where sizes matter.
const MOST_CHARS_PER_TOKEN: usize = 16;

/// The longest run of occupied slots that a lookup walks. Ordinary vocabularies stay below 100; the bound is there so
/// that one made to collide cannot make loading slow.
const MAX_PROBES: usize = 1024;

/// Tokens that are found by their literal text, before normalization.
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// FNV-1a, chosen because the hash of every prefix of a word comes out of one pass over it.
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// A vocabulary and the way to split text into its tokens.
#[derive(Debug)]
pub struct WordPiece {
    normalizer: Normalizer,
    /// The tokens, one a line, in the order of their ids.
    text: String,
    /// Where each token starts in `text`; one more entry than tokens, and the newline belongs to no token.
    starts: Vec<u32>,
    /// An open-addressing table of ids plus one; zero is an empty slot.
    slots: Vec<u32>,
    longest: usize,
    unknown: u32,
    continued: u64,
    special: Vec<(&'static str, u32)>,
}

impl WordPiece {
    /// Takes a vocabulary: one token a line in the order of the ids, continuations marked by `##`, as in a model's
    /// `vocab.txt`. It must hold `[UNK]` and no token twice; anything else is [`ErrorCode::ModelInvalid`].
    pub fn from_vocab(vocab: impl Into<String>) -> Result<Self> {
        let mut text: String = vocab.into();
        while text.ends_with('\n') {
            text.pop();
        }
        text.push('\n');
        if u32::try_from(text.len()).is_err() {
            return Err(invalid("The vocabulary is larger than 4 GiB."));
        }
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at as u32 + 1));
        let count = starts.len() - 1;
        let mut this = Self {
            normalizer: Normalizer::new(),
            text,
            starts,
            slots: vec![0; (count * 2).next_power_of_two()],
            longest: 0,
            unknown: 0,
            continued: hash(FNV_BASIS, b"##"),
            special: Vec::new(),
        };
        for id in 0..count as u32 {
            this.insert(id)?;
        }
        this.unknown = this.id("[UNK]").ok_or_else(|| invalid("The vocabulary has no [UNK] token."))?;
        this.special = SPECIAL.iter().filter_map(|&name| Some((name, this.id(name)?))).collect();
        Ok(this)
    }

    /// The number of tokens in the vocabulary; ids are below it.
    pub fn vocab_size(&self) -> usize {
        self.starts.len() - 1
    }

    /// The vocabulary, one token a line in the order of the ids, with a newline after the last.
    pub fn vocab(&self) -> &str {
        &self.text
    }

    /// The token with that id.
    pub fn token(&self, id: u32) -> Option<&str> {
        let start = *self.starts.get(id as usize)?;
        let end = *self.starts.get(id as usize + 1)?;
        self.text.get(start as usize..end as usize - 1)
    }

    /// The id of a token, given in the vocabulary's own spelling (`##` in front of a continuation).
    pub fn id(&self, token: &str) -> Option<u32> {
        self.find(hash(FNV_BASIS, token.as_bytes()), "", token)
    }

    /// The ids of the text's first `max_tokens` tokens, without `[CLS]` and `[SEP]` around them.
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

    fn insert(&mut self, id: u32) -> Result<()> {
        let token = self.token(id).unwrap_or_default();
        if token.is_empty() {
            return Err(invalid(format!("Token {id} of the vocabulary is empty.")));
        }
        let hash = hash(FNV_BASIS, token.as_bytes());
        if self.find(hash, "", token).is_some() {
            return Err(invalid(format!("The vocabulary holds \"{token}\" twice.")));
        }
        let longest = self.longest.max(token.len());
        let free = self.probe(hash).find(|&slot| self.slots[slot] == 0);
        let slot = free.ok_or_else(|| invalid("The vocabulary's tokens are too alike to be looked up."))?;
        self.slots[slot] = id + 1;
        self.longest = longest;
        Ok(())
    }

    fn probe(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len() - 1;
        let start = (hash ^ (hash >> 32)) as usize;
        (0..MAX_PROBES.min(mask + 1)).map(move |step| start.wrapping_add(step) & mask)
    }

    /// The id of the token that reads `prefix` then `rest`, given the hash of both.
    fn find(&self, hash: u64, prefix: &str, rest: &str) -> Option<u32> {
        for slot in self.probe(hash) {
            let id = self.slots[slot].checked_sub(1)?;
            if self.token(id)?.strip_prefix(prefix) == Some(rest) {
                return Some(id);
            }
        }
        None
    }

    /// Appends the tokens of a normalized word.
    fn split(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        let mut start = 0;
        // Hashes at the ends of the characters after `start`, as far as the longest token reaches.
        let mut hashes: Vec<(usize, u64)> = Vec::new();
        while start < word.len() {
            let (prefix, mut state) = if start == 0 { ("", FNV_BASIS) } else { ("##", self.continued) };
            hashes.clear();
            for char in word[start..].chars() {
                let at = hashes.last().map_or(start, |&(end, _)| end);
                let end = at + char.len_utf8();
                if end - start + prefix.len() > self.longest {
                    break;
                }
                state = hash(state, &word.as_bytes()[at..end]);
                hashes.push((end, state));
            }
            let longest = hashes
                .iter()
                .rev()
                .find_map(|&(end, hash)| Some((end, self.find(hash, prefix, &word[start..end])?)));
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

/// Counts the tokens of all of the text, without `[CLS]` and `[SEP]` around them.
///
/// What the model does not read (a word too long for it, marks without a letter, blanks) may be of any length and
/// still be one token or none. A text therefore counts as at least one token for each sixteen characters, which ordinary
/// texts never come near, lest a chunk grow without end.
impl Sizer for WordPiece {
    fn size(&self, text: &str) -> usize {
        let mut words = WordIds::of(self);
        let mut count = 0;
        self.read(text, &mut words, |words| {
            count += words.ids.len();
            words.ids.clear();
            true
        });
        words.end();
        (count + words.ids.len()).max(text.chars().count() / MOST_CHARS_PER_TOKEN)
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

fn hash(state: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(state, |state, &byte| (state ^ u64::from(byte)).wrapping_mul(FNV_PRIME))
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::ModelInvalid, message).with_hint("Fetch or import the model again.")
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_size_is_that_of_all_of_the_text() {
        let wordpiece = small();
        for text in ["", "Unaffable. aff", "un[SEP]aff[sep]", " \u{0}\n", "é [[CLS]"] {
            assert_eq!(wordpiece.size(text), wordpiece.encode(text, usize::MAX).len(), "{text:?}");
        }
        assert_eq!(wordpiece.size(&"unaffable. ".repeat(5000)), 20_000);
        // More than the one unknown token, or the none, that it is.
        assert_eq!(wordpiece.size(&"x".repeat(4000)), 250);
        assert_eq!(wordpiece.size(&"\u{301}".repeat(4000)), 250);
    }

    #[test]
    fn tokens_and_ids_are_each_others_inverse() {
        let wordpiece = small();
        assert_eq!(wordpiece.vocab_size(), 10);
        for id in 0..10 {
            assert_eq!(wordpiece.id(wordpiece.token(id).unwrap()), Some(id));
        }
        assert_eq!(wordpiece.token(10), None);
        assert_eq!(wordpiece.id("##un"), None);
    }

    #[test]
    fn unusable_vocabularies_are_refused() {
        for vocab in ["", "\n\n", "a\nb", "[UNK]\na\na", "[UNK]\n\na"] {
            assert_eq!(
                WordPiece::from_vocab(vocab).unwrap_err().code(),
                ErrorCode::ModelInvalid,
                "{vocab:?}"
            );
        }
    }
}
