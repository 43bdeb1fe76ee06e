//! The chunks that a search may return.

use std::collections::HashMap;
use std::sync::Arc;

use super::evaluate::{Scope, Types};
use super::{Bits, Condition, Filter};
use crate::segment::Segment;
use crate::{Index, StoredChunk};
use ibid_platform::{Error, ErrorCode, Result};

/// More lists of ids than this in a filter could be written as one.
const MAX_LISTS: usize = 8;

/// The chunks that a search may return: those that have not been removed, and, with a filter, of those the ones that
/// stand in a document for which it holds. Made by [`Index::allowed`], and valid until the index changes. Cheap to
/// clone.
#[derive(Clone, Debug)]
pub struct Allowed {
    /// `None` when all chunks are.
    chunks: Option<Arc<Bits>>,
    /// One more than the greatest number of a chunk.
    end: u32,
    len: u32,
    /// For each segment what the filter holds for; `None` without a filter.
    matching: Option<Arc<Vec<Matching>>>,
}

/// What a filter holds for in a segment.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    pub documents: Bits,
    /// Chunks whose ids the filter names, by their numbers in the segment and in order, and for which of their
    /// documents it holds.
    pub(super) named: Vec<(u32, Arc<Bits>)>,
}

impl Matching {
    /// The documents that count for a chunk.
    pub(super) fn documents_for(&self, chunk: u32) -> &Bits {
        let named = self.named.binary_search_by_key(&chunk, |(chunk, _)| *chunk);
        named.map_or(&self.documents, |at| &self.named[at].1)
    }
}

impl Allowed {
    /// Chunks by their numbers, for tests.
    #[cfg(test)]
    pub(crate) fn of(end: u32, allowed: impl Iterator<Item = u32>) -> Self {
        let mut chunks = Bits::none(end);
        allowed.for_each(|at| chunks.insert(at));
        Self { len: chunks.count(), chunks: Some(Arc::new(chunks)), end, matching: None }
    }

    /// Whether the chunk of that number, counted over the whole index, may be returned.
    #[inline]
    pub fn contains(&self, chunk: u32) -> bool {
        self.chunks.as_ref().map_or(chunk < self.end, |chunks| chunks.contains(chunk))
    }

    /// The number of these chunks.
    pub fn len(&self) -> u64 {
        u64::from(self.len)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether all chunks of the index may be returned, so that none need be asked for.
    pub fn is_all(&self) -> bool {
        self.chunks.is_none()
    }

    /// Their numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.iter_in(0..self.end)
    }

    /// Their numbers in a range, in order.
    pub(crate) fn iter_in(&self, range: std::ops::Range<u32>) -> impl Iterator<Item = u32> {
        let all = if self.is_all() { range.start..range.end.min(self.end) } else { 0..0 };
        self.chunks.iter().flat_map(move |chunks| chunks.iter_in(range.clone())).chain(all)
    }

    /// How many there are in a range.
    pub(crate) fn count_in(&self, range: std::ops::Range<u32>) -> u32 {
        match &self.chunks {
            Some(chunks) => chunks.count_in(range),
            None => range.end.min(self.end).saturating_sub(range.start),
        }
    }

    pub(super) fn matching(&self, segment: usize) -> Option<&Matching> {
        self.matching.as_ref()?.get(segment)
    }
}

impl Index {
    /// The chunks that a search may return: all that have not been removed, or those for which a filter holds.
    ///
    /// A chunk that stands in several documents may be returned when the filter holds for one of them. Without a
    /// filter this costs nothing; with one, on an index of 10,000 documents, some microseconds a condition.
    ///
    /// # Errors
    /// [`ErrorCode::FilterInvalid`] when the filter asks for a field that no document has, or compares one with values
    /// of another type: the hint lists the fields with their types. [`ErrorCode::IndexCorrupt`] for metadata that cannot
    /// be read, which only a crafted file has.
    pub fn allowed(&self, filter: Option<&Filter>) -> Result<Allowed> {
        let Some(filter) = filter else {
            return Ok(self.state.live.get_or_init(|| live(&self.segments)).clone());
        };
        Types::of(&self.segments)?.check(filter)?;
        let mut lists = Vec::new();
        collect_lists(filter, &mut lists);
        if lists.len() > MAX_LISTS {
            let message = format!("The filter has more than {MAX_LISTS} lists of ids.");
            return Err(
                Error::new(ErrorCode::FilterInvalid, message).with_hint("Write them as one `has_id`.")
            );
        }
        let mut named: HashMap<u64, u8> = HashMap::new();
        for (at, list) in lists.iter().enumerate() {
            list.iter().for_each(|id| *named.entry(*id).or_default() |= 1 << at);
        }
        let end = self.chunk_end();
        let mut chunks = Bits::none(end);
        let mut matching = Vec::with_capacity(self.segments.len());
        let mut first = 0;
        for segment in &self.segments {
            let found = matching_in(segment, filter, &lists, &named)?;
            insert(&mut chunks, first, segment, &found);
            matching.push(found);
            first += segment.catalog().counts().chunks;
        }
        let len = chunks.count();
        Ok(Allowed { chunks: Some(Arc::new(chunks)), end, len, matching: Some(Arc::new(matching)) })
    }

    /// The chunk of that number as [`Index::chunk`] gives it, with a place in a document that the filter holds for
    /// first. `None` for one that is not allowed.
    ///
    /// # Errors
    /// As [`Index::chunk`].
    pub fn chunk_allowed(&self, number: u32, allowed: &Allowed) -> Result<Option<StoredChunk>> {
        if !allowed.contains(number) {
            return Ok(None);
        }
        let Some(mut chunk) = self.chunk(number)? else { return Ok(None) };
        if let Some(at) = self.first_matching(number, allowed).filter(|at| *at > 0)
            && let Some(place) = chunk.duplicates.get_mut(at - 1)
        {
            // The others stay in their order.
            std::mem::swap(&mut chunk.place, place);
            chunk.duplicates[..at].rotate_right(1);
        }
        Ok(Some(chunk))
    }

    /// Which of a chunk's live places is the first in a document that the filter holds for.
    fn first_matching(&self, number: u32, allowed: &Allowed) -> Option<usize> {
        let (at, first) = self.segment_of(number)?;
        let (segment, chunk) = (self.segments.get(at)?, number - first);
        let documents = allowed.matching(at)?.documents_for(chunk);
        let catalog = segment.catalog();
        let places = catalog.places(chunk).map(|place| catalog.document_of(place.section));
        places.filter(|document| segment.is_live_document(*document)).position(|at| documents.contains(at))
    }

    /// The number of a chunk's segment, and of the first chunk in it.
    fn segment_of(&self, number: u32) -> Option<(usize, u32)> {
        let mut first = 0;
        for (at, segment) in self.segments.iter().enumerate() {
            let end = first + segment.catalog().counts().chunks;
            if number < end {
                return Some((at, first));
            }
            first = end;
        }
        None
    }
}

/// All chunks that have not been removed.
fn live(segments: &[Segment]) -> Allowed {
    let end: u32 = segments.iter().map(|segment| segment.catalog().counts().chunks).sum();
    let len: u32 = segments.iter().map(Segment::live_chunks).sum();
    let chunks = (len < end).then(|| {
        let (mut bits, mut first) = (Bits::none(end), 0);
        for segment in segments {
            let count = segment.catalog().counts().chunks;
            (0..count).filter(|&at| segment.is_live(at)).for_each(|at| bits.insert(first + at));
            first += count;
        }
        Arc::new(bits)
    });
    Allowed { chunks, end, len, matching: None }
}

fn collect_lists<'a>(filter: &'a Filter, lists: &mut Vec<&'a Vec<u64>>) {
    let conditions = filter.must.iter().chain(&filter.should).chain(&filter.must_not);
    for condition in conditions.chain(filter.min_should.iter().flat_map(|min| &min.conditions)) {
        match condition {
            Condition::HasId(ids) => lists.push(ids),
            Condition::Filter(filter) => collect_lists(filter, lists),
            Condition::Field { .. } => {}
        }
    }
}

/// For which documents of a segment the filter holds. It can differ from chunk to chunk only by their ids, so it is
/// evaluated once for all whose ids no list has, and once for each combination of lists that have one.
fn matching_in(
    segment: &Segment,
    filter: &Filter,
    lists: &[&Vec<u64>],
    named: &HashMap<u64, u8>,
) -> Result<Matching> {
    let live = segment.lookup().live_documents(segment);
    let evaluate = |listed| Scope { segment, live: &live, lists, listed }.filter(filter);
    let mut found = Matching { documents: evaluate(0)?, named: Vec::new() };
    if named.is_empty() {
        return Ok(found);
    }
    let mut sets: HashMap<u8, Arc<Bits>> = HashMap::new();
    let catalog = segment.catalog();
    for chunk in 0..catalog.counts().chunks {
        let Some(&listed) = catalog.chunk(chunk).and_then(|record| named.get(&record.id)) else { continue };
        let set = match sets.get(&listed) {
            Some(set) => Arc::clone(set),
            None => Arc::clone(sets.entry(listed).or_insert(Arc::new(evaluate(listed)?))),
        };
        found.named.push((chunk, set));
    }
    Ok(found)
}

/// Adds the chunks of a segment that stand in documents for which the filter holds.
fn insert(chunks: &mut Bits, first: u32, segment: &Segment, found: &Matching) {
    let catalog = segment.catalog();
    for document in found.documents.iter() {
        let range = segment.lookup().chunks_of(segment, document);
        chunks.insert_range(first + range.start..first + range.end);
    }
    for (chunk, document) in catalog.further_places() {
        if found.documents.contains(document) {
            chunks.insert(first + chunk);
        }
    }
    for (chunk, documents) in &found.named {
        let mut places = catalog.places(*chunk);
        let holds = places.any(|place| documents.contains(catalog.document_of(place.section)));
        if holds { chunks.insert(first + chunk) } else { chunks.remove(first + chunk) }
    }
}
