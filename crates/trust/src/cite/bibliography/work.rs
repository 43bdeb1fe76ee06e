//! The documents that passages are cited from.

use crate::cite::reference::Reference;
use crate::cite::source::Source;

/// A document that passages are cited from.
pub(super) struct CitedWork<'s> {
    /// Its id in the index.
    pub(super) id: &'s str,
    pub(super) reference: Reference,
}

/// The documents of these passages, each once, in the order in which they are first cited.
pub(super) fn documents<'s>(cited: &[&'s Source]) -> Vec<CitedWork<'s>> {
    let mut seen = std::collections::BTreeSet::new();
    cited
        .iter()
        .filter(|source| seen.insert(source.hit.document_id.as_str()))
        .map(|source| CitedWork { id: &source.hit.document_id, reference: Reference::of(&source.hit) })
        .collect()
}
