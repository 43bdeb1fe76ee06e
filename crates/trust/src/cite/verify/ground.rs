//! The ground on which claims are checked: sources with all that is derived from them, and the text of the answer.

use std::ops::Range;

use super::super::flag::{Flag, FlagKind, SourceSpan};
use super::super::source::Source;
use super::entity::Names;
use super::language::WrittenForm;
use super::passage::{Passage, PassageWindow};
use super::quote::flat;
use super::reading::TermTable;

/// A source with all that is derived from it once.
pub(super) struct Held {
    pub(super) passage: Passage,
    pub(super) names: Names,
    pub(super) flat: String,
    pub(super) written: WrittenForm,
}

impl Held {
    pub(super) fn new(source: &Source, terms: &mut TermTable) -> Self {
        let passage = Passage::new(source, terms);
        let mut names = Names::default();
        names.add(&passage.context);
        names.add(&passage.reading);
        let flat = flat(passage.reading.tokens.iter());
        Self { passage, names, flat, written: WrittenForm::of(&source.hit.text) }
    }
}

/// The data that the parts of a check share.
pub(super) struct Ground<'a> {
    pub(super) text: &'a str,
    pub(super) terms: &'a TermTable,
}

impl Ground<'_> {
    pub(super) fn quoted(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}

pub(super) fn flag(
    kind: FlagKind,
    span: Range<usize>,
    message: String,
    source: Option<(u32, Range<usize>)>,
) -> Flag {
    let source = source.map(|(number, span)| SourceSpan { number, span });
    Flag { kind, span, message, source }
}

/// Finds the place of a window: the number of its source, and its range there.
pub(super) fn place((held, window): &(&Held, PassageWindow)) -> (u32, Range<usize>) {
    (held.passage.number, window.span.clone())
}
