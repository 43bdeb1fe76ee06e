//! Answers and events for JavaScript.

use crate::agent::{Answer, AskEvent};
use crate::cite::{Citation, Node, Source};
use crate::platform::Units;
use crate::web::utf16::Utf16;

impl Utf16 for Source {
    fn utf16(mut self) -> Self {
        self.hit = self.hit.utf16();
        self
    }
}

impl Utf16 for Answer {
    fn utf16(mut self) -> Self {
        // Each list is in the order of the text.
        let mut units = Units::new(&self.text);
        self.flags.iter_mut().for_each(|flag| flag.span = units.range(&flag.span));
        let citations = self.citations.into_iter();
        self.citations = citations
            .map(|citation| Citation {
                span: units.range(&citation.span),
                source: citation.source.utf16(),
                ..citation
            })
            .collect();
        let mut change = |start: &mut usize, end: &mut usize| {
            let span = units.range(&(*start..*end));
            (*start, *end) = (span.start, span.end);
        };
        self.claims.iter_mut().for_each(|claim| change(&mut claim.start, &mut claim.end));
        Node::for_each_span(&mut self.tree, &mut change);
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
