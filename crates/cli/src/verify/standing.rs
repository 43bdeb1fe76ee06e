//! Comparison of the passages that an answer was made from with an index.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use ibid_index::Index;
use ibid_platform::Result;
use ibid_trust::cite::Source;

/// A source that does not stand in the index as it is in the answer.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Change {
    /// The source's number.
    pub(super) number: u32,
    pub(super) kind: ChangeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ChangeKind {
    /// Nothing in the index has its id, nor is there a passage at its place.
    Gone,
    /// At its place in the document another text stands now.
    Changed,
}

/// Finds the sources whose passages are gone or changed.
pub(super) fn check(bytes: Vec<u8>, sources: &[Source]) -> Result<Vec<Change>> {
    let index = Index::open(bytes)?;
    let wanted: HashSet<&str> = sources.iter().map(|source| source.hit.id.as_str()).collect();
    let mut texts: HashMap<String, String> = HashMap::new();
    for chunk in 0..index.chunk_end() {
        let Some(stored) = index.chunk(chunk)? else { continue };
        let id = format!("{:016x}", stored.id);
        if wanted.contains(id.as_str()) {
            texts.insert(id, stored.text);
        }
    }
    let mut changes = Vec::new();
    for source in sources {
        let hit = &source.hit;
        let kind = match texts.get(&hit.id) {
            Some(text) if *text == hit.text => continue,
            Some(_) => ChangeKind::Changed,
            None => match index.chunk_at(&hit.document_id, hit.chunk_index)? {
                Some(_) => ChangeKind::Changed,
                None => ChangeKind::Gone,
            },
        };
        changes.push(Change { number: source.number, kind });
    }
    Ok(changes)
}
