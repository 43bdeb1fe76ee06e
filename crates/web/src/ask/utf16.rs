//! Answers and events for JavaScript.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use ibid::agent::{Answer, AskEvent, Guarded};
use ibid_platform::Units;
use ibid_trust::cite::{Citation, Claim, Flag, Node, Source};
use ibid_web::utf16;

fn source(mut source: Source) -> Source {
    let mut units = Units::new(&source.hit.text);
    source.instructions.iter_mut().for_each(|span| *span = units.range(span));
    source.hit = utf16::hit(source.hit);
    source
}

pub(super) fn guarded(mut guarded: Guarded) -> Guarded {
    let mut units = Units::new(&guarded.question);
    guarded.notices.iter_mut().for_each(|notice| notice.span = units.range(&notice.span));
    guarded.emergency.iter_mut().for_each(|emergency| emergency.span = units.range(&emergency.span));
    guarded
}

pub(super) fn answer(mut answer: Answer) -> Answer {
    // Each list is in the order of the text.
    let mut units = Units::new(&answer.text);
    let mut turned: BTreeMap<u32, Arc<Source>> = BTreeMap::new();
    let citations = answer.citations.into_iter();
    answer.citations = citations
        .map(|Citation { number, span, source }| {
            let source =
                turned.entry(number).or_insert_with(|| Arc::new(self::source(Arc::unwrap_or_clone(source))));
            Citation { number, span: units.range(&span), source: Arc::clone(source) }
        })
        .collect();
    tree(&answer.text, &mut answer.tree);
    claims(&answer.text, &answer.sources, &mut answer.claims);
    flags(&answer.text, &answer.sources, &mut answer.flags);
    answer.sources = answer.sources.into_iter().map(source).collect();
    answer.guard = guarded(answer.guard);
    answer
}

pub(super) fn event(event: AskEvent) -> AskEvent {
    match event {
        AskEvent::Sources { id, query, collection, sources } => {
            AskEvent::Sources { id, query, collection, sources: sources.into_iter().map(source).collect() }
        }
        AskEvent::Guard { guard } => AskEvent::Guard { guard: guarded(guard) },
        other => other,
    }
}

/// The tree of a text.
pub(super) fn tree(text: &str, nodes: &mut [Node]) {
    let mut units = Units::new(text);
    Node::for_each_span(nodes, &mut |start, end| {
        let span = units.range(&(*start..*end));
        (*start, *end) = (span.start, span.end);
    });
}

/// Lists the claims of a text, with places in the text and in the sources.
pub(super) fn claims(text: &str, sources: &[Source], claims: &mut [Claim]) {
    let mut units = Units::new(text);
    for claim in claims {
        let span = units.range(&(claim.start..claim.end));
        (claim.start, claim.end) = (span.start, span.end);
        let Some(check) = &mut claim.check else { continue };
        for evidence in check.evidence.iter_mut().chain(&mut check.alternatives) {
            evidence.values.iter_mut().for_each(|value| value.span = units.range(&value.span));
            let found = evidence.values.iter_mut().filter_map(|value| value.found.as_mut());
            in_source(sources, evidence.number, [&mut evidence.span].into_iter().chain(found));
        }
    }
}

/// The same for flags.
pub(super) fn flags(text: &str, sources: &[Source], flags: &mut [Flag]) {
    let mut units = Units::new(text);
    for flag in flags {
        flag.span = units.range(&flag.span);
        if let Some(place) = &mut flag.source {
            in_source(sources, place.number, [&mut place.span]);
        }
    }
}

fn in_source<'s>(sources: &[Source], number: u32, spans: impl IntoIterator<Item = &'s mut Range<usize>>) {
    if let Some(source) = sources.iter().find(|source| source.number == number) {
        let mut units = Units::new(&source.hit.text);
        spans.into_iter().for_each(|span| *span = units.range(span));
    }
}
