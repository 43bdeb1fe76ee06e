//! The Unigram tokenizer of multilingual models: text to the ids of a vocabulary whose pieces have scores.
//!
//! Of all ways to split a word into pieces it takes the one whose scores, which are logarithms of probabilities, have the
//! greatest sum (Kudo, "Subword regularization", 2018). It agrees token for token with the reference, the `sentencepiece`
//! package with XLM-R's model, except in characters younger than its table, and in marks of Latin letters that are out of
//! their order: they are put into it.
//! `tests/fixtures/embed/unigram.json` is the reference's own output.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use super::vocabulary::{TextHash, Vocabulary};
use crate::packed::invalid;
use ibid_platform::{Result, normalize_compatible};

/// The name of the piece that stands for a character that no piece has.
const UNKNOWN: &str = "<unk>";
/// Stands in front of a word, where a space was.
const SPACE: char = '\u{2581}';
/// An unknown character scores this much less than the least probable piece, as in the reference.
const UNKNOWN_PENALTY: f32 = 10.0;

/// Pieces, the logarithms of their probabilities, and the way to split text into them.
#[derive(Debug)]
pub struct Unigram {
    pieces: Pieces,
    scripts: Vec<ScriptPieces>,
    unknown: u32,
    unknown_score: f32,
}

/// Pieces that are numbered one after the other.
#[derive(Debug)]
struct Pieces {
    /// The id of the first.
    first: u32,
    vocabulary: Vocabulary,
    scores: Vec<f32>,
}

/// The pieces with letters of a script, which texts without these do not need.
#[derive(Debug)]
struct ScriptPieces {
    letters: Vec<RangeInclusive<u32>>,
    first: u32,
    pieces: OnceLock<Pieces>,
}

/// The best way to what ends at some byte of a word.
#[derive(Clone, Copy)]
struct Way {
    score: f32,
    /// The place where its last piece begins.
    from: usize,
    id: u32,
}

impl Unigram {
    /// Takes pieces, one a line in the order of their ids, in which `▁` stands for a space, and their scores. Pieces that
    /// score zero, such as `<unk>` and `</s>`, are not found in text.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::ModelInvalid`] for a piece that is there twice, scores above zero or of another
    /// number than pieces, and pieces without `<unk>`.
    pub fn new(pieces: impl Into<String>, scores: Vec<f32>) -> Result<Self> {
        let pieces = Pieces::read(0, pieces, scores)?;
        let unknown = pieces.vocabulary.id(UNKNOWN);
        let unknown = unknown.ok_or_else(|| invalid("The vocabulary has no <unk> piece."))?;
        let least = pieces.scores.iter().fold(0.0_f32, |least, &score| least.min(score));
        Ok(Self { pieces, scripts: Vec::new(), unknown, unknown_score: least - UNKNOWN_PENALTY })
    }

    /// The same with pieces that come later: letters and a number of them for each script, whose ids follow each other, and
    /// no score of which is below `least`.
    #[must_use]
    pub(crate) fn with_scripts(
        mut self,
        scripts: impl Iterator<Item = (Vec<RangeInclusive<u32>>, u32)>,
        least: f32,
    ) -> Self {
        let mut first = self.pieces.vocabulary.len() as u32;
        for (letters, count) in scripts {
            self.scripts.push(ScriptPieces { letters, first, pieces: OnceLock::new() });
            first = first.saturating_add(count);
        }
        self.unknown_score = self.unknown_score.min(least - UNKNOWN_PENALTY);
        self
    }

    /// Takes the pieces of the script of that number, once; [`Unigram::new`] says which are refused.
    pub(crate) fn provide(&self, number: usize, pieces: impl Into<String>, scores: Vec<f32>) -> Result<()> {
        if let Some(script) = self.scripts.get(number) {
            let pieces = Pieces::read(script.first, pieces, scores)?;
            // A faster thread had the same ones.
            let _ = script.pieces.set(pieces);
        }
        Ok(())
    }

    /// Lists the numbers of the scripts whose pieces are not here: those with letters in a text, or all.
    pub(crate) fn lacking(&self, text: Option<&str>) -> Vec<usize> {
        let text = text.map(normalized);
        let is_lacking = |script: &ScriptPieces| {
            script.pieces.get().is_none() && text.as_deref().is_none_or(|text| script.is_in(text))
        };
        (0..self.scripts.len()).filter(|&number| is_lacking(&self.scripts[number])).collect()
    }

    /// The pieces that are here.
    fn sets(&self) -> impl Iterator<Item = &Pieces> {
        std::iter::once(&self.pieces).chain(self.scripts.iter().filter_map(|script| script.pieces.get()))
    }

    /// The number of pieces that are here.
    pub(super) fn len(&self) -> usize {
        self.sets().map(|set| set.vocabulary.len()).sum()
    }

    /// The pieces that are here, one a line.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self.sets().map(|set| set.vocabulary.text()).collect::<Vec<_>>()[..] {
            [all] => all.into(),
            ref sets => sets.concat().into(),
        }
    }

    /// Looks up the piece of that id.
    pub(super) fn token(&self, id: u32) -> Option<&str> {
        self.sets().find_map(|set| set.vocabulary.token(id.checked_sub(set.first)?))
    }

    /// Looks up the id of a piece.
    pub(super) fn id(&self, piece: &str) -> Option<u32> {
        self.sets().find_map(|set| Some(set.first + set.vocabulary.id(piece)?))
    }

    /// Returns the ids of the text's first `max_tokens` pieces.
    pub fn encode(&self, text: &str, max_tokens: usize) -> Vec<u32> {
        let mut ids = Vec::new();
        let mut word = String::new();
        let mut ways = Vec::new();
        let mut score = 0.0;
        let text = normalized(text);
        let mut chars = text.chars().filter(|&char| !is_dropped(char));
        while ids.len() < max_tokens {
            let char = chars.next();
            match char {
                Some(char) if !is_space(char) => {
                    if word.is_empty() {
                        word.push(SPACE);
                    }
                    word.push(char);
                }
                _ => {
                    score = self.split(&word, score, &mut ways, &mut ids);
                    word.clear();
                }
            }
            if char.is_none() {
                break;
            }
        }
        ids.truncate(max_tokens);
        ids
    }

    /// Appends the pieces of a word, and returns the score of the text so far. It grows from word to word since the
    /// reference's does, whose rounding chooses between equal ways. `ways` is a buffer.
    fn split(&self, word: &str, score: f32, ways: &mut Vec<Way>, ids: &mut Vec<u32>) -> f32 {
        let scripts = self.scripts.iter().filter(|script| script.is_in(word));
        let mut sets = vec![&self.pieces];
        sets.extend(scripts.filter_map(|script| script.pieces.get()));
        let longest = sets.iter().map(|set| set.vocabulary.longest()).max().unwrap_or(0);
        ways.clear();
        ways.resize(word.len() + 1, Way { score: f32::NEG_INFINITY, from: 0, id: self.unknown });
        ways[0].score = score;
        for (from, first) in word.char_indices() {
            let before = ways[from].score;
            let mut offer = |end: usize, score: f32, id: u32| {
                if before + score > ways[end].score {
                    ways[end] = Way { score: before + score, from, id };
                }
            };
            offer(from + first.len_utf8(), self.unknown_score, self.unknown);
            let mut hash = TextHash::of("");
            for (at, char) in word[from..].char_indices() {
                let end = from + at + char.len_utf8();
                if end - from > longest {
                    break;
                }
                hash = hash.and(&word[from + at..end]);
                let found = |set: &&Pieces| set.find(hash, &word[from..end]);
                if let Some((id, score)) = sets.iter().find_map(found) {
                    offer(end, score, id);
                }
            }
        }
        let first = ids.len();
        let mut end = word.len();
        while end > 0 {
            let Way { from, id, .. } = ways[end];
            // Unknown characters in a row are one token.
            if id != self.unknown || ids[first..].last() != Some(&id) {
                ids.push(id);
            }
            end = from;
        }
        ids[first..].reverse();
        ways[word.len()].score
    }
}

impl ScriptPieces {
    /// Says whether a text has letters of the script.
    fn is_in(&self, text: &str) -> bool {
        text.chars().any(|char| self.letters.iter().any(|range| range.contains(&u32::from(char))))
    }
}

impl Pieces {
    fn read(first: u32, pieces: impl Into<String>, scores: Vec<f32>) -> Result<Self> {
        let vocabulary = Vocabulary::read(pieces)?;
        if scores.len() == vocabulary.len() && scores.iter().all(|score| (f32::MIN..=0.0).contains(score)) {
            return Ok(Self { first, vocabulary, scores });
        }
        Err(invalid("The scores of the vocabulary are not one number below zero for each piece."))
    }

    /// Finds the id of a piece that is found in text, and its score.
    fn find(&self, hash: TextHash, piece: &str) -> Option<(u32, f32)> {
        let at = self.vocabulary.find(hash, "", piece)?;
        let score = self.scores[at as usize];
        (score < 0.0).then_some((self.first + at, score))
    }
}

/// Writes the text as the model was trained on it, apart from blanks.
fn normalized(text: &str) -> String {
    let mut out = String::new();
    for part in text.split_inclusive(is_kept) {
        let before = part.trim_end_matches(is_kept);
        out += &normalize_compatible(before);
        out += &part[before.len()..];
    }
    out
}

/// Returns true for a character that the reference leaves as it is, and Unicode's normalization would not.
///
/// Those are a tilde that is common in Chinese and Japanese, the sign of an era that is younger than the reference's table,
/// and the vowel signs of Hebrew and Arabic, which the reference does not put into order.
fn is_kept(char: char) -> bool {
    matches!(char, '～' | '㋿' | '\u{5b0}'..='\u{5c7}' | '\u{64b}'..='\u{652}' | '\u{670}')
}

/// Returns true if the reference drops a character.
fn is_dropped(char: char) -> bool {
    matches!(char, '\u{1}'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{8f}' | '\u{9f}')
}

/// Returns true if the reference takes a character for a space, once it is normalized.
fn is_space(char: char) -> bool {
    matches!(
        char,
        ' ' | '\t' | '\n' | '\u{c}' | '\r' | '\u{1680}' | '\u{200b}'
            ..='\u{200f}' | '\u{2028}' | '\u{2029}' | SPACE | '\u{feff}' | '\u{fffd}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_platform::ErrorCode;
    use serde::Deserialize;

    /// Pieces with their scores, `▁` for a space.
    fn small() -> Unigram {
        let pieces = [
            ("<s>", 0.0),
            ("<unk>", 0.0),
            ("▁", -3.0),
            ("▁fe", -4.0),
            ("ver", -4.0),
            ("▁fever", -9.0),
            ("s", -2.0),
            ("é", -5.0),
            ("1", -2.5),
            ("高", -6.0),
            ("血压", -7.0),
            ("高血压", -12.0),
        ];
        let text: String = pieces.iter().flat_map(|(piece, _)| [piece, "\n"]).collect();
        Unigram::new(text, pieces.iter().map(|&(_, score)| score).collect()).unwrap()
    }

    #[test]
    fn tokens_are_the_references() {
        #[derive(Deserialize)]
        struct Fixture {
            pieces: Vec<(u32, String, f32)>,
            texts: Vec<Case>,
        }
        #[derive(Deserialize)]
        struct Case {
            text: String,
            ids: Vec<u32>,
        }
        let file = include_str!("../../../../tests/fixtures/embed/unigram.json");
        let Fixture { pieces, texts } = serde_json::from_str(file).unwrap();
        let vocab: String = pieces.iter().flat_map(|(_, piece, _)| [piece, "\n"]).collect();
        let unigram = Unigram::new(vocab, pieces.iter().map(|piece| piece.2).collect()).unwrap();
        assert!(texts.len() > 150, "{} texts", texts.len());
        for Case { text, ids } in texts {
            let found = unigram.encode(&text, usize::MAX);
            let found: Vec<u32> = found.iter().map(|&at| pieces[at as usize].0).collect();
            assert_eq!(found, ids, "{text:?}");
        }
    }

    #[test]
    fn the_most_probable_pieces_are_taken() {
        let unigram = small();
        assert_eq!(unigram.encode("fevers", 9), [3, 4, 6]);
        assert_eq!(unigram.encode("高血压", 9), [2, 11]);
        assert_eq!(unigram.encode("  s \n\u{3000}s ", 9), [2, 6, 2, 6]);
        assert_eq!(unigram.encode("fever fever", 3), [3, 4, 3]);
        assert!(unigram.encode("fever", 0).is_empty());
        for blank in ["", " ", "\u{1}\u{200b}\n"] {
            assert!(unigram.encode(blank, 9).is_empty());
        }
    }

    #[test]
    fn text_is_normalized() {
        let unigram = small();
        assert_eq!(unigram.encode("e\u{301}é①ｓ", 9), [2, 7, 7, 8, 6]);
        assert_eq!(unigram.encode("s\u{200d}s▁s\u{7f}s", 9), [2, 6, 2, 6, 2, 6, 6]);
        assert_eq!(normalized("ﬁ～１"), "fi～1");
    }

    #[test]
    fn unknown_characters_in_a_row_are_one_token() {
        assert_eq!(small().encode("sxyz s <s>", 20), [2, 6, 1, 2, 6, 2, 1, 6, 1]);
    }

    #[test]
    fn unusable_vocabularies_are_refused() {
        for (pieces, scores) in [
            ("<unk>\na", vec![0.0]),
            ("<unk>\na", vec![0.0, 1.0]),
            ("<unk>\na", vec![0.0, f32::NAN]),
            ("<unk>\na", vec![0.0, f32::NEG_INFINITY]),
            ("b\na", vec![-1.0, -1.0]),
            ("<unk>\na\na", vec![0.0, -1.0, -1.0]),
            ("", vec![]),
        ] {
            assert_eq!(
                Unigram::new(pieces, scores).unwrap_err().code(),
                ErrorCode::ModelInvalid,
                "{pieces:?}"
            );
        }
    }
}
