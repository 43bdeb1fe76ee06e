//! The description of a collection: the parts of an index's manifest that a search needs.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::frequent::Frequent;
use super::terms::{self, PassageFields};
use ibid_document::FieldType;
use ibid_embed::Space;
use ibid_index::{Calibration, Index, LexicalOptions};
use ibid_platform::{Error, ErrorCode, Result, json};

/// The version of what [`push`](super::push) writes. A collection of another version has to be pushed anew.
const VERSION: u32 = 1;
/// The share by which the average length may have moved before it is written anew, as a share. Every point's BM25 weights depend on
/// it, so following each small move would write all points again at every update.
const DRIFT: f32 = 0.1;

/// The description of a collection, stored with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// The version of the form of points and payloads.
    pub version: u32,
    /// The program and version that wrote it.
    pub generator: String,
    /// The space of its vectors; queries must be embedded into the same one.
    pub space: Space,
    /// The calibration of similarities among its texts.
    pub calibration: Calibration,
    /// The way its texts were made searchable by words.
    pub lexical: LexicalOptions,
    /// The average length of a chunk in terms, which BM25 weights were made with.
    pub average_length: f32,
    /// The rarity of its words.
    pub frequent: Frequent,
    /// The fields of its documents' metadata with their types.
    pub fields: BTreeMap<String, FieldType>,
    /// The number of documents.
    pub documents: u32,
    /// The number of chunks.
    pub chunks: u32,
    /// The number of points beyond one for each chunk, since a chunk has a point for each document that it stands in.
    pub copies: u32,
}

impl Description {
    /// Reads all of an index's passages for what has to be known before its first point can be made.
    pub(super) fn of(index: &Index) -> Result<Self> {
        let manifest = index.manifest();
        let options = manifest.build.lexical;
        let (mut length, mut chunks, mut copies) = (0usize, 0u32, 0u32);
        let (mut known, mut counts) = (HashSet::new(), HashMap::new());
        for number in 0..index.chunk_end() {
            let Some(chunk) = index.chunk(number)? else { continue };
            let place = &chunk.place;
            let title = &place.document.metadata.title;
            let fields =
                PassageFields { title, heading_path: &place.section.heading_path, text: &chunk.text };
            length += terms::length(fields, &options);
            chunks += 1;
            for term in terms::of_fields(fields, &options) {
                *counts.entry(term).or_default() += 1;
            }
            let places = std::iter::once(place).chain(&chunk.duplicates);
            let documents: HashSet<&str> =
                places.map(|place| place.document.metadata.document_id.as_str()).collect();
            let is_known = !known.insert(chunk.id);
            copies += documents.len() as u32 - u32::from(!is_known);
        }
        let types = index.field_types().into_iter();
        let fields = types.map(|(name, field_type)| (name.to_owned(), field_type)).collect();
        Ok(Self {
            version: VERSION,
            generator: concat!("ibid ", env!("CARGO_PKG_VERSION")).to_owned(),
            space: manifest.space.clone(),
            calibration: manifest.calibration,
            lexical: options,
            average_length: length as f32 / chunks.max(1) as f32,
            frequent: Frequent::of(counts, chunks),
            fields,
            documents: manifest.documents,
            chunks: manifest.chunks,
            copies,
        })
    }

    /// Reads what was stored.
    pub(super) fn read(text: &str) -> Result<Self> {
        let description: Self = json::read(text).map_err(|_| foreign())?;
        if !description.frequent.is_sound() {
            return Err(foreign());
        }
        if description.version != VERSION {
            return Err(Error::new(
                ErrorCode::ModelMismatch,
                format!("The collection was pushed by {}, in another format.", description.generator),
            )
            .with_hint("Push the index into a new collection with this version of ibid."));
        }
        Ok(description)
    }

    /// Refuses to mix vectors of two spaces.
    pub fn check(&self, space: &Space) -> Result<()> {
        if self.space == *space {
            return Ok(());
        }
        let show = |space: &Space| {
            format!("{} ({} dimensions, fingerprint {})", space.name, space.dimensions, space.fingerprint)
        };
        let message =
            format!("The collection was embedded with {}, not with {}.", show(&self.space), show(space));
        Err(Error::new(ErrorCode::ModelMismatch, message)
            .with_hint("Use another collection, or the model that this one was embedded with."))
    }

    /// Chooses the average length to go on with: the stored one as long as it is about right.
    pub(super) fn settled_length(&self, now: f32) -> f32 {
        let moved = (now - self.average_length).abs() > DRIFT * self.average_length;
        if moved || !self.average_length.is_normal() { now } else { self.average_length }
    }
}

/// Makes the error for a collection that ibid has not made.
pub(super) fn foreign() -> Error {
    Error::new(ErrorCode::ModelMismatch, "The collection was not made by `ibid push`.")
        .with_hint("Use another name: points from an unknown model cannot be searched together with others.")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The description of a collection with a field of each kind, for tests.
    pub(crate) fn description() -> Description {
        use FieldType::{Boolean, Date, Float, Integer, Keyword, Keywords};
        let fields = [
            ("year", Integer),
            ("weight", Float),
            ("draft", Boolean),
            ("published", Date),
            ("kind", Keyword),
            ("conditions", Keywords),
        ];
        Description {
            version: VERSION,
            generator: "ibid".to_owned(),
            space: Space { name: "s".to_owned(), dimensions: 2, fingerprint: "f".to_owned() },
            calibration: Calibration::default(),
            lexical: LexicalOptions::default(),
            average_length: 10.0,
            frequent: Frequent::default(),
            fields: fields.map(|(name, field_type)| (name.to_owned(), field_type)).into(),
            documents: 1,
            chunks: 1,
            copies: 0,
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let text = serde_json::to_string(&description()).unwrap();
        assert_eq!(Description::read(&text).unwrap(), description());
        for text in ["", "{}", "[]", &text.replace("\"version\":1", "\"version\":2")] {
            assert_eq!(Description::read(text).unwrap_err().code(), ErrorCode::ModelMismatch, "{text}");
        }
    }

    #[test]
    fn another_space_is_refused() {
        let other = Space { fingerprint: "g".to_owned(), ..description().space };
        assert_eq!(description().check(&other).unwrap_err().code(), ErrorCode::ModelMismatch);
        assert!(description().check(&description().space).is_ok());
    }

    #[test]
    fn the_average_length_follows_only_when_it_moved() {
        let about = |now| description().settled_length(now).to_string();
        assert_eq!((about(10.5), about(12.0), about(8.0)), ("10".into(), "12".into(), "8".into()));
    }
}
