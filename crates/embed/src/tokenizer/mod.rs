//! Text to the numbers of a model's tokens.

mod unigram;
mod vocabulary;
mod wordpiece;

use std::borrow::Cow;

pub(super) use self::unigram::Unigram;
pub(super) use self::wordpiece::WordPiece;

/// A vocabulary and the way to split text into its tokens.
#[derive(Debug)]
pub enum Tokenizer {
    /// BERT's: the longest token that fits comes first.
    WordPiece(WordPiece),
    /// `SentencePiece`'s: the tokens that are together the most probable.
    Unigram(Unigram),
}

impl Tokenizer {
    /// Returns the ids of the text's first `max_tokens` tokens, without those that a model wants around them.
    pub fn encode(&self, text: &str, max_tokens: usize) -> Vec<u32> {
        match self {
            Self::WordPiece(wordpiece) => wordpiece.encode(text, max_tokens),
            Self::Unigram(unigram) => unigram.encode(text, max_tokens),
        }
    }

    /// Returns the number of tokens in the vocabulary. Ids are below it where all of the vocabulary is here.
    pub fn vocab_size(&self) -> usize {
        match self {
            Self::WordPiece(wordpiece) => wordpiece.vocabulary().len(),
            Self::Unigram(unigram) => unigram.len(),
        }
    }

    /// Returns the vocabulary, one token a line in the order of the ids, with a newline after the last.
    pub fn vocab(&self) -> Cow<'_, str> {
        match self {
            Self::WordPiece(wordpiece) => wordpiece.vocabulary().text().into(),
            Self::Unigram(unigram) => unigram.text(),
        }
    }

    /// Returns the token with that id.
    pub fn token(&self, id: u32) -> Option<&str> {
        match self {
            Self::WordPiece(wordpiece) => wordpiece.vocabulary().token(id),
            Self::Unigram(unigram) => unigram.token(id),
        }
    }

    /// Returns the id of a token in the vocabulary's own spelling: `##` in front of a continuation, or `▁` in front
    /// of a word.
    pub fn id(&self, token: &str) -> Option<u32> {
        match self {
            Self::WordPiece(wordpiece) => wordpiece.vocabulary().id(token),
            Self::Unigram(unigram) => unigram.id(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_a_number_and_a_number_its_token() {
        let vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\n.\naff\né\n";
        let tokenizer = Tokenizer::WordPiece(WordPiece::from_vocab(vocab).unwrap());
        assert_eq!(
            (tokenizer.vocab_size(), tokenizer.id("aff"), tokenizer.token(8)),
            (10, Some(8), Some("aff"))
        );
    }
}
