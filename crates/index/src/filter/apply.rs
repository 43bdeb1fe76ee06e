//! A filter, or none, to the chunks that a search may return.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::condition::{Condition, Filter};
use super::evaluate::{FilterScope, Types};
use crate::allowed::{Allowed, Matching};
use crate::bits::Bits;
use crate::metadata::BUILT_IN;
use crate::open::Index;
use crate::open_file::{OpenFile, with_first_chunks};
use crate::places::live_documents;
use crate::stored::StoredChunk;
use ibid_platform::ranges::requests;
use ibid_platform::{Error, ErrorCode, Result};

/// More lists of ids than this in a filter could be written as one.
const MAX_LISTS: usize = 8;

impl Index {
    /// Returns the chunks that a search may return: all that have not been removed, or those for which a filter holds.
    ///
    /// A chunk that stands in several documents may be returned when the filter holds for one of them. Without a
    /// filter this costs nothing; with one, on an index of 10,000 documents, some microseconds a condition.
    ///
    /// # Errors
    /// [`ErrorCode::FilterInvalid`] when the filter asks for a field that no document has, or compares one with values
    /// of another type: the hint lists the fields with their types. [`ErrorCode::IndexIncomplete`] when something has to be
    /// fetched first ([`Index::missing_fields`]), [`ErrorCode::IndexCorrupt`] for metadata that cannot be read, which only a
    /// crafted file has.
    pub fn allowed(&self, filter: Option<&Filter>) -> Result<Allowed> {
        let Some(filter) = filter else { return Ok(self.all_allowed()) };
        Types::of(self).check(filter)?;
        let mut lists = Vec::new();
        collect(filter, &mut lists, &mut Vec::new());
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
        let mut matching = Vec::with_capacity(self.files.len());
        for (first, file) in with_first_chunks(&self.files) {
            let found = matching_in(file, filter, &lists, &named)?;
            insert(&mut chunks, first, file, &found);
            matching.push(found);
        }
        let len = chunks.count();
        Ok(Allowed { chunks: Some(Arc::new(chunks)), end, len, matching: Some(Arc::new(matching)) })
    }

    /// Returns the chunks that a search without a filter may return.
    pub fn all_allowed(&self) -> Allowed {
        self.live.get_or_init(|| live(&self.files)).clone()
    }

    /// Returns the bytes of the file to fetch before a filter can be evaluated and facets can be counted: the columns
    /// of their fields, for names of documents the directory, and for ids of chunks all text.
    pub fn missing_fields(&self, filter: Option<&Filter>, facets: &[String]) -> Vec<Range<u64>> {
        let (mut lists, mut keys) = (Vec::new(), facets.iter().collect());
        if let Some(filter) = filter {
            collect(filter, &mut lists, &mut keys);
        }
        let mut missing = Vec::new();
        for key in keys {
            if BUILT_IN.contains(&key.as_str()) {
                missing.extend(self.missing_directory());
            }
            missing.extend(self.files.iter().filter_map(|file| file.metadata.missing(key)));
        }
        if !lists.is_empty() {
            missing.extend(self.missing(&(0..self.chunk_end()).collect::<Vec<_>>()));
        }
        requests(missing)
    }

    /// Returns the chunk of that number as [`Index::chunk`] gives it, with a place in a document that the filter
    /// holds for first. `None` for one that is not allowed.
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

    /// Finds the first of a chunk's live places in a document that the filter holds for.
    fn first_matching(&self, number: u32, allowed: &Allowed) -> Option<usize> {
        let (at, chunk) = self.file_of(number)?;
        let file = self.files.get(at)?;
        let documents = allowed.matching(at)?.documents_for(chunk);
        live_documents(file, chunk).position(|at| documents.contains(at))
    }
}

/// All chunks that have not been removed.
fn live(files: &[OpenFile]) -> Allowed {
    let end: u32 = files.iter().map(OpenFile::chunk_count).sum();
    let len: u32 = files.iter().map(OpenFile::live_chunks).sum();
    let chunks = (len < end).then(|| {
        let mut bits = Bits::none(end);
        for (first, file) in with_first_chunks(files) {
            let live = (0..file.chunk_count()).filter(|&at| file.is_live(at));
            live.for_each(|at| bits.insert(first + at));
        }
        Arc::new(bits)
    });
    Allowed { chunks, end, len, matching: None }
}

/// Notes the lists of ids in a filter, and the names of its fields.
fn collect<'a>(filter: &'a Filter, lists: &mut Vec<&'a Vec<u64>>, keys: &mut Vec<&'a String>) {
    let conditions = filter.must.iter().chain(&filter.should).chain(&filter.must_not);
    for condition in conditions.chain(filter.min_should.iter().flat_map(|min| &min.conditions)) {
        match condition {
            Condition::HasId(ids) => lists.push(ids),
            Condition::Filter(filter) => collect(filter, lists, keys),
            Condition::Field { key, .. } => keys.push(key),
        }
    }
}

/// For which documents of a file the filter holds. It can differ from chunk to chunk only by their ids, so it is
/// evaluated once for all whose ids no list has, and once for each combination of lists that have one.
fn matching_in(
    file: &OpenFile,
    filter: &Filter,
    lists: &[&Vec<u64>],
    named: &HashMap<u64, u8>,
) -> Result<Matching> {
    let evaluate = |listed| FilterScope { file, lists, listed }.filter(filter);
    let mut found = Matching { documents: evaluate(0)?, named: Vec::new() };
    if named.is_empty() {
        return Ok(found);
    }
    let mut sets: HashMap<u8, Arc<Bits>> = HashMap::new();
    for chunk in 0..file.chunk_count() {
        let Some((block, at)) = file.passages.find(chunk)? else { continue };
        let Some(&listed) = block.passages.get(at).and_then(|passage| named.get(&passage.id)) else {
            continue;
        };
        let set = match sets.get(&listed) {
            Some(set) => Arc::clone(set),
            None => Arc::clone(sets.entry(listed).or_insert(Arc::new(evaluate(listed)?))),
        };
        found.named.push((chunk, set));
    }
    Ok(found)
}

/// Adds the chunks of a file that stand in documents for which the filter holds.
fn insert(chunks: &mut Bits, first: u32, file: &OpenFile, found: &Matching) {
    let home = &file.home;
    for document in found.documents.iter() {
        let range = home.chunks_of(document);
        chunks.insert_range(first + range.start..first + range.end);
    }
    for place in home.further() {
        if found.documents.contains(place.document) {
            chunks.insert(first + place.chunk);
        }
    }
    for (chunk, documents) in &found.named {
        let holds = home.documents_of(*chunk).any(|document| documents.contains(document));
        if holds { chunks.insert(first + chunk) } else { chunks.remove(first + chunk) }
    }
}
