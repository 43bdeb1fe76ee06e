//! The tokens of a model: by number, and found by their text.

use crate::packed::invalid;
use ibid_platform::Result;

/// The longest run of occupied slots that a lookup walks. Ordinary vocabularies stay below 100; the bound is there so
/// that one made to collide cannot make loading slow.
const MAX_PROBES: usize = 1024;

/// FNV-1a, chosen because the hash of every prefix of a word comes out of one pass over it.
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// The hash of a text that is read bit by bit.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextHash(u64);

impl TextHash {
    /// Computes the hash of a text so far.
    pub(super) fn of(text: &str) -> Self {
        Self(FNV_BASIS).and(text)
    }

    /// Computes the hash of the same text with more behind it.
    #[must_use]
    pub(super) fn and(self, text: &str) -> Self {
        let add = |state: u64, &byte: &u8| (state ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        Self(text.as_bytes().iter().fold(self.0, add))
    }
}

/// Tokens in the order of their numbers.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// The tokens, one a line.
    text: String,
    /// The place where each token starts in `text`; one more entry than tokens, and the newline belongs to no token.
    starts: Vec<u32>,
    /// An open-addressing table of numbers plus one; zero is an empty slot.
    slots: Vec<u32>,
    longest: usize,
}

impl Vocabulary {
    /// Takes tokens, one a line. An empty one, one that is there twice and a vocabulary without any is
    /// [`ErrorCode::ModelInvalid`].
    pub(super) fn read(vocab: impl Into<String>) -> Result<Self> {
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
        let slots = vec![0; (count * 2).next_power_of_two()];
        let mut this = Self { text, starts, slots, longest: 0 };
        for id in 0..count as u32 {
            this.insert(id)?;
        }
        Ok(this)
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// All tokens, one a line, with a newline after the last.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the longest token.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Looks up the token of that number.
    pub(super) fn token(&self, id: u32) -> Option<&str> {
        let start = *self.starts.get(id as usize)?;
        let end = *self.starts.get(id as usize + 1)?;
        self.text.get(start as usize..end as usize - 1)
    }

    /// Looks up the number of a token.
    pub(super) fn id(&self, token: &str) -> Option<u32> {
        self.find(TextHash::of(token), "", token)
    }

    /// Finds the number of the token that reads `prefix` then `rest`, given the hash of both.
    pub(super) fn find(&self, hash: TextHash, prefix: &str, rest: &str) -> Option<u32> {
        for slot in self.probe(hash) {
            let id = self.slots[slot].checked_sub(1)?;
            if self.token(id)?.strip_prefix(prefix) == Some(rest) {
                return Some(id);
            }
        }
        None
    }

    fn insert(&mut self, id: u32) -> Result<()> {
        let token = self.token(id).unwrap_or_default();
        if token.is_empty() {
            return Err(invalid(format!("Token {id} of the vocabulary is empty.")));
        }
        let hash = TextHash::of(token);
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

    fn probe(&self, TextHash(hash): TextHash) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len() - 1;
        let start = (hash ^ (hash >> 32)) as usize;
        (0..MAX_PROBES.min(mask + 1)).map(move |step| start.wrapping_add(step) & mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_platform::ErrorCode;

    #[test]
    fn tokens_and_numbers_are_each_others_inverse() {
        let vocabulary = Vocabulary::read("un\n##un\né\n").unwrap();
        assert_eq!((vocabulary.len(), vocabulary.longest()), (3, 4));
        for id in 0..3 {
            assert_eq!(vocabulary.id(vocabulary.token(id).unwrap()), Some(id));
        }
        assert_eq!((vocabulary.token(3), vocabulary.id("u")), (None, None));
        assert_eq!(vocabulary.find(TextHash::of("##").and("un"), "##", "un"), Some(1));
    }

    #[test]
    fn unusable_vocabularies_are_refused() {
        for vocab in ["", "\n\n", "a\nb\na", "a\n\nb"] {
            assert_eq!(Vocabulary::read(vocab).unwrap_err().code(), ErrorCode::ModelInvalid, "{vocab:?}");
        }
    }
}
