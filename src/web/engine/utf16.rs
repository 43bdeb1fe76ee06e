//! Hits, answers and events for JavaScript, whose strings are indexed by UTF-16 units instead of bytes.

use std::ops::Range;

use serde::Serialize;

use crate::agent::{Answer, AskEvent};
use crate::cite::{Citation, Source};
use crate::retrieve::Hit;

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
