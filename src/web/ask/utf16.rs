//! Answers and events for JavaScript.

use crate::agent::{Answer, AskEvent};
use crate::cite::{Citation, Source};
use crate::web::utf16::{Utf16, units};

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
        for claim in &mut self.claims {
            let span = units(text, &(claim.start..claim.end));
            (claim.start, claim.end) = (span.start, span.end);
        }
        self.sources = self.sources.utf16();
        self
    }
}

impl Utf16 for AskEvent {
    fn utf16(self) -> Self {
        match self {
            Self::Sources { id, query, collection, sources } => {
                Self::Sources { id, query, collection, sources: sources.utf16() }
            }
            other => other,
        }
    }
}
