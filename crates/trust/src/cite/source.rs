//! The numbers of passages.

use std::ops::Range;

use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use ibid_platform::json::{self, Fields};
use ibid_retrieve::Hit;

/// A retrieved passage with its number in the run.
///
/// In JSON it is an object with the fields of the hit and its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The number that citations use, from 1.
    pub number: u32,
    /// The passage.
    pub hit: Hit,
    /// Byte ranges in its text that address a model rather than a reader.
    pub instructions: Vec<Range<usize>>,
}

// Serde's own way to flatten a field compiles all that is in it once more, in both directions, for a form that is only used
// there. By way of a JSON object it is compiled once.
impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Ok(Value::Object(mut fields)) = json::tree(&self.hit) else {
            return Err(S::Error::custom("the hit is no object"));
        };
        fields.insert(NUMBER.to_owned(), self.number.into());
        if !self.instructions.is_empty() {
            let spans = self.instructions.iter().map(|span| json!({"start": span.start, "end": span.end}));
            fields.insert(INSTRUCTIONS.to_owned(), spans.collect());
        }
        fields.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Fields::deserialize(deserializer)?;
        Ok(Self {
            number: fields.take(NUMBER)?,
            instructions: fields.take_or(INSTRUCTIONS, Vec::new())?,
            hit: fields.rest()?,
        })
    }
}

const NUMBER: &str = "number";
const INSTRUCTIONS: &str = "instructions";

/// The passages of one run, in the order they were first retrieved.
///
/// A passage keeps the number of its first retrieval in all later searches and in the answer. It is the same passage
/// if document and chunk are the same; score and highlights, which belong to one query, stay those of the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SourceRegister {
    sources: Vec<Source>,
}

impl SourceRegister {
    /// Returns the hit as a source, with the number it has or now gets; score and highlights are the hit's own.
    pub fn register(&mut self, hit: Hit) -> Source {
        self.register_with(hit, |_| Vec::new())
    }

    /// Returns the same; if the source is new, `instructions` says which parts of its text address a model.
    pub fn register_with(
        &mut self,
        hit: Hit,
        instructions: impl FnOnce(&str) -> Vec<Range<usize>>,
    ) -> Source {
        let known = self
            .sources
            .iter()
            .find(|source| source.hit.id == hit.id && source.hit.document_id == hit.document_id);
        if let Some(known) = known {
            return Source { number: known.number, hit, instructions: known.instructions.clone() };
        }
        let instructions = instructions(&hit.text);
        let source = Source { number: self.sources.len() as u32 + 1, hit, instructions };
        self.sources.push(source.clone());
        source
    }

    /// Returns the source of that number.
    pub fn get(&self, number: u32) -> Option<&Source> {
        self.sources.iter().find(|source| source.number == number)
    }

    /// All sources, by number.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Returns true if nothing has been retrieved yet.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }
}

impl From<Vec<Source>> for SourceRegister {
    /// Gathers the sources as they are numbered.
    fn from(sources: Vec<Source>) -> Self {
        Self { sources }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A hit in the document `d`, for tests.
    pub(crate) fn hit(chunk: u32, text: &str) -> Hit {
        Hit {
            chunk,
            id: format!("{chunk:016x}"),
            score: 0.5,
            document_id: "d".to_owned(),
            title: "Doc".to_owned(),
            source: "d.md".to_owned(),
            heading_path: vec!["A".to_owned(), "B".to_owned()],
            text: text.to_owned(),
            span: 0..text.len(),
            line: 1,
            chunk_index: chunk,
            total_chunks: 9,
            ..Hit::default()
        }
    }

    #[test]
    fn numbers_start_at_one_and_stay() {
        let mut register = SourceRegister::default();
        assert_eq!(register.register(hit(7, "seven")).number, 1);
        assert_eq!(register.register(hit(3, "three")).number, 2);
        let again = register.register(Hit { score: 0.9, ..hit(7, "seven") });
        assert_eq!((again.number, again.hit.score.to_string().as_str()), (1, "0.9"));
        let elsewhere = register.register(Hit { document_id: "e".to_owned(), ..hit(7, "other") });
        assert_eq!(elsewhere.number, 3);
        assert_eq!(register.get(1).unwrap().hit.score.to_string(), "0.5");
        assert_eq!(register.get(2).unwrap().hit.text, "three");
        assert!(register.get(0).is_none() && register.get(4).is_none());
    }

    #[test]
    fn serialized_it_is_a_flat_list() {
        let mut register = SourceRegister::default();
        register.register(hit(7, "seven"));
        let json = serde_json::to_value(&register).unwrap();
        assert_eq!((&json[0]["number"], &json[0]["documentId"]), (&1.into(), &"d".into()));
        assert_eq!(serde_json::from_value::<SourceRegister>(json).unwrap(), register);
    }
}
