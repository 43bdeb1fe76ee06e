//! Answers and events for JavaScript.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::agent::{Answer, AskEvent, Guarded};
use crate::cite::{Citation, Claim, Flag, Node, Source};
use crate::platform::Units;
use crate::web::utf16::Utf16;

impl Utf16 for Source {
    fn utf16(mut self) -> Self {
        let mut units = Units::new(&self.hit.text);
        self.instructions.iter_mut().for_each(|span| *span = units.range(span));
        self.hit = self.hit.utf16();
        self
    }
}

impl Utf16 for Guarded {
    fn utf16(mut self) -> Self {
        let mut units = Units::new(&self.question);
        self.notices.iter_mut().for_each(|notice| notice.span = units.range(&notice.span));
        self.emergency.iter_mut().for_each(|emergency| emergency.span = units.range(&emergency.span));
        self
    }
}

impl Utf16 for Answer {
    fn utf16(mut self) -> Self {
        // Each list is in the order of the text.
        let mut units = Units::new(&self.text);
        let mut turned: BTreeMap<u32, Arc<Source>> = BTreeMap::new();
        let citations = self.citations.into_iter();
        self.citations = citations
            .map(|Citation { number, span, source }| {
                let source =
                    turned.entry(number).or_insert_with(|| Arc::new(Arc::unwrap_or_clone(source).utf16()));
                Citation { number, span: units.range(&span), source: Arc::clone(source) }
            })
            .collect();
        Node::for_each_span(&mut self.tree, &mut |start, end| {
            let span = units.range(&(*start..*end));
            (*start, *end) = (span.start, span.end);
        });
        claims(&self.text, &self.sources, &mut self.claims);
        flags(&self.text, &self.sources, &mut self.flags);
        self.sources = self.sources.utf16();
        self.guard = self.guard.utf16();
        self
    }
}

impl Utf16 for AskEvent {
    fn utf16(self) -> Self {
        match self {
            Self::Sources { id, query, collection, sources } => {
                Self::Sources { id, query, collection, sources: sources.utf16() }
            }
            Self::Guard { guard } => Self::Guard { guard: guard.utf16() },
            other => other,
        }
    }
}

/// The claims of a text, with places in the text and in the sources.
pub(super) fn claims(text: &str, sources: &[Source], claims: &mut [Claim]) {
    let mut units = Units::new(text);
    for claim in claims {
        let span = units.range(&(claim.start..claim.end));
        (claim.start, claim.end) = (span.start, span.end);
        let Some(check) = &mut claim.check else { continue };
        for evidence in check.evidence.iter_mut().chain(&mut check.alternatives) {
            in_source(sources, evidence.number, &mut evidence.span);
        }
    }
}

/// The same for flags.
pub(super) fn flags(text: &str, sources: &[Source], flags: &mut [Flag]) {
    let mut units = Units::new(text);
    for flag in flags {
        flag.span = units.range(&flag.span);
        if let Some(place) = &mut flag.source {
            in_source(sources, place.number, &mut place.span);
        }
    }
}

fn in_source(sources: &[Source], number: u32, span: &mut Range<usize>) {
    if let Some(source) = sources.iter().find(|source| source.number == number) {
        *span = Units::new(&source.hit.text).range(span);
    }
}
