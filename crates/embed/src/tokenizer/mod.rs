//! Text to the numbers of a model's tokens.

mod unigram;
mod vocabulary;
mod wordpiece;

use std::borrow::Cow;

use ibid_document::chunk::Sizer;

pub(super) use self::unigram::Unigram;
pub(super) use self::wordpiece::WordPiece;

/// A text of more characters for each of its tokens counts as larger than it is where sizes matter.
const MOST_CHARS_PER_TOKEN: usize = 16;

/// A vocabulary and the way to split text into its tokens.
#[derive(Debug)]
pub enum Tokenizer {
    /// BERT's: the longest token that fits comes first.
    WordPiece(WordPiece),
    /// `SentencePiece`'s: the tokens that are together the most probable.
    Unigram(Unigram),
}

impl Tokenizer {
    /// The ids of the text's first `max_tokens` tokens, without those that a model wants around them.
    pub fn encode(&self, text: &str, max_tokens: usize) -> Vec<u32> {
        match self {
            Self::WordPiece(wordpiece) => wordpiece.encode(text, max_tokens),
            Self::Unigram(unigram) => unigram.encode(text, max_tokens),
        }
    }

    /// The number of tokens in the vocabulary. Ids are below it where all of the vocabulary is here.
    pub fn vocab_size(&self) -> usize {
        match self {
            Self::WordPiece(wordpiece) => wordpiece.vocabulary().len(),
            Self::Unigram(unigram) => unigram.len(),
        }
    }

    /// The vocabulary, one token a line in the order of the ids, with a newline after the last.
    pub fn vocab(&self) -> Cow<'_, str> {
        match self {
            Self::WordPiece(wordpiece) => wordpiece.vocabulary().text().into(),
            Self::Unigram(unigram) => unigram.text(),
        }
    }

    /// The token with that id.
    pub fn token(&self, id: u32) -> Option<&str> {
        match self {
            Self::WordPiece(wordpiece) => wordpiece.vocabulary().token(id),
            Self::Unigram(unigram) => unigram.token(id),
        }
    }

    /// The id of a token in the vocabulary's own spelling: `##` in front of a continuation, or `▁` in front of a word.
    pub fn id(&self, token: &str) -> Option<u32> {
        match self {
            Self::WordPiece(wordpiece) => wordpiece.vocabulary().id(token),
            Self::Unigram(unigram) => unigram.id(token),
        }
    }
}

/// Counts the tokens of all of the text.
///
/// What the model does not read (a word too long for it, marks without a letter, blanks) may be of any length and
/// still be one token or none. A text therefore counts as at least one token for each sixteen characters, which ordinary
/// texts never come near, lest a chunk grow without end.
impl Sizer for Tokenizer {
    fn size(&self, text: &str) -> usize {
        let count = match self {
            Self::WordPiece(wordpiece) => wordpiece.count(text),
            Self::Unigram(unigram) => unigram.encode(text, usize::MAX).len(),
        };
        count.max(text.chars().count() / MOST_CHARS_PER_TOKEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_all_of_the_text() {
        let vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\n.\naff\né\n";
        let tokenizer = Tokenizer::WordPiece(WordPiece::from_vocab(vocab).unwrap());
        for text in ["", "Unaffable. aff", "un[SEP]aff[sep]", " \u{0}\n", "é [[CLS]"] {
            assert_eq!(tokenizer.size(text), tokenizer.encode(text, usize::MAX).len(), "{text:?}");
        }
        assert_eq!(tokenizer.size(&"unaffable. ".repeat(5000)), 20_000);
        // More than the one unknown token, or the none, that it is.
        assert_eq!(tokenizer.size(&"x".repeat(4000)), 250);
        assert_eq!(tokenizer.size(&"\u{301}".repeat(4000)), 250);
        assert_eq!(
            (tokenizer.vocab_size(), tokenizer.id("aff"), tokenizer.token(8)),
            (10, Some(8), Some("aff"))
        );
    }
}
