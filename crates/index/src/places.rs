//! Where chunks stand, without their text.

use std::collections::HashMap;

use super::open::Index;
use super::records::DocumentRecord;
use super::segment::Segment;
use ibid_platform::Result;

impl Index {
    /// The document of a chunk, the first one of several; `None` for a chunk that does not exist or has been removed.
    ///
    /// # Errors
    /// As [`Index::documents`].
    pub fn document_of(&self, chunk: u32) -> Result<Option<DocumentRecord>> {
        let Some((segment, number)) = self.place_of(chunk) else { return Ok(None) };
        segment.catalog().document(number.0).map(Some)
    }

    /// A number that chunks have in common when they stand in the same document, the first one of several.
    pub fn document_number(&self, chunk: u32) -> Option<u64> {
        let (at, number) = self.segment_of(chunk)?;
        let (document, _) = live_places(self.segments.get(at)?, number).next()?;
        Some((at as u64) << 32 | u64::from(document))
    }

    /// The headings above a chunk, outermost first; none for a chunk that does not exist.
    pub fn heading_path(&self, chunk: u32) -> Vec<String> {
        let place = self.place_of(chunk);
        place.map_or_else(Vec::new, |(segment, (_, section))| segment.catalog().section(section).heading_path)
    }

    /// The chunk that stands at a number of a document, counted from 0.
    pub fn chunk_at(&self, document_id: &str, index: u32) -> Option<u32> {
        let (at, document) = self.find_document(document_id)?;
        let first: u32 = self.segments.iter().take(at).map(Segment::chunk_count).sum();
        Some(first + self.segments.get(at)?.catalog().chunk_at(document, index)?)
    }

    /// The chunks up to so many places before and behind a chunk, in each of its documents.
    pub fn beside(&self, chunk: u32, count: u32) -> Vec<u32> {
        let Some((segment, number)) = self.locate(chunk) else { return Vec::new() };
        let (first, catalog) = (chunk - number, segment.catalog());
        let mut found = Vec::new();
        for place in catalog.places(number) {
            let document = catalog.document_of(place.section);
            let at = place.index;
            let around = at.saturating_sub(count)..=at.saturating_add(count);
            found.extend(around.filter_map(|at| Some(first + catalog.chunk_at(document, at)?)));
        }
        found
    }

    /// Each heading path with the number of chunks right below it.
    pub fn heading_paths(&self) -> Vec<(Vec<String>, u32)> {
        let mut paths = Vec::new();
        for segment in &self.segments {
            let catalog = segment.catalog();
            let mut counts: HashMap<u32, u32> = HashMap::new();
            for chunk in (0..segment.chunk_count()).filter(|&chunk| segment.is_live(chunk)) {
                let sections = live_places(segment, chunk).map(|(_, section)| section);
                sections.for_each(|section| *counts.entry(section).or_default() += 1);
            }
            let path = |(section, count)| (catalog.section(section).heading_path, count);
            paths.extend(counts.into_iter().map(path));
        }
        paths
    }

    /// The segment of a chunk with its first live place: its document and section there.
    fn place_of(&self, chunk: u32) -> Option<(&Segment, (u32, u32))> {
        let (segment, number) = self.locate(chunk)?;
        let place = live_places(segment, number).next()?;
        Some((segment, place))
    }
}

/// The documents and sections that a chunk stands in.
fn live_places(segment: &Segment, chunk: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
    let catalog = segment.catalog();
    let places = catalog.places(chunk).map(move |place| (catalog.document_of(place.section), place.section));
    places.filter(|&(document, _)| segment.is_live_document(document))
}
