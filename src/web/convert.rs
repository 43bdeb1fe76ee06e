//! What JavaScript gets: plain objects, offsets in UTF-16 units, errors as `Error` objects.

use std::ops::Range;

use js_sys::Reflect;
use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::agent::{Answer, AskEvent};
use crate::cite::{Citation, Source};
use crate::error::{Error, ErrorCode};
use crate::index::Index;
use crate::retrieve::Hit;

/// A plain object of the value: maps become objects, missing values `null`.
pub(super) fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|error| {
        thrown(&Error::new(ErrorCode::Internal, format!("The result could not be passed on: {error}.")))
    })
}

/// An `Error` object with `code`, `hint` and `retryable`.
pub(super) fn thrown(error: &Error) -> JsValue {
    let object = js_sys::Error::new(error.message());
    let set = |name: &str, value: JsValue| {
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(name), &value);
    };
    set("code", error.code().as_str().into());
    set("hint", error.hint().map_or(JsValue::UNDEFINED, JsValue::from));
    set("retryable", error.is_retryable().into());
    object.into()
}

/// The last event of a run that succeeds.
#[derive(Serialize)]
pub(super) struct Completed<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    answer: &'a Answer,
}

impl<'a> Completed<'a> {
    pub(super) fn new(answer: &'a Answer) -> Self {
        Self { kind: "answer", answer }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexInfo<'a> {
    format_version: u32,
    generator: &'a str,
    documents: u32,
    sections: u32,
    chunks: u32,
    model: &'a str,
    fingerprint: &'a str,
    dimensions: u32,
    threshold: f32,
    bytes: u64,
}

impl<'a> IndexInfo<'a> {
    pub(super) fn of(index: &'a Index) -> Self {
        let manifest = index.manifest();
        Self {
            format_version: index.format_version(),
            generator: &manifest.generator,
            documents: manifest.documents,
            sections: manifest.sections,
            chunks: manifest.chunks,
            model: &manifest.space.name,
            fingerprint: &manifest.space.fingerprint,
            dimensions: manifest.space.dimensions,
            threshold: manifest.calibration.threshold,
            bytes: index.byte_size(),
        }
    }
}

/// The same value with every byte range of a text turned into a range of UTF-16 units of that text.
pub(super) trait Utf16 {
    #[must_use]
    fn utf16(self) -> Self;
}

impl<T: Utf16> Utf16 for Vec<T> {
    fn utf16(self) -> Self {
        self.into_iter().map(Utf16::utf16).collect()
    }
}

impl Utf16 for Hit {
    fn utf16(mut self) -> Self {
        for range in &mut self.highlights {
            *range = units(&self.text, range);
        }
        self
    }
}

impl Utf16 for Source {
    fn utf16(mut self) -> Self {
        self.hit = self.hit.utf16();
        self
    }
}

impl Utf16 for Answer {
    fn utf16(mut self) -> Self {
        let text = &self.text;
        self.flags.iter_mut().for_each(|flag| flag.span = units(text, &flag.span));
        let citations = self.citations.into_iter();
        self.citations = citations
            .map(|citation| Citation {
                span: units(text, &citation.span),
                source: citation.source.utf16(),
                ..citation
            })
            .collect();
        self.sources = self.sources.utf16();
        self
    }
}

impl Utf16 for AskEvent {
    fn utf16(self) -> Self {
        match self {
            Self::Sources { id, query, sources } => Self::Sources { id, query, sources: sources.utf16() },
            other => other,
        }
    }
}

fn units(text: &str, range: &Range<usize>) -> Range<usize> {
    let count = |part: &str| part.encode_utf16().count();
    let start = text.get(..range.start).map_or(0, count);
    start..start + text.get(range.clone()).map_or(0, count)
}
