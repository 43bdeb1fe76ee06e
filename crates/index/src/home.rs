//! The document of each chunk: all that filters and grouping need, in a byte or two for each document.

use std::ops::Range;

use super::container::corrupt;
use super::records::DuplicateRecord;
use super::varint::{read_varint, write_varint};
use ibid_document::USUAL_WEIGHT;
use ibid_platform::Result;

/// The documents that the chunks of a file stand in.
#[derive(Debug)]
pub(super) struct Home {
    /// The first chunk of each document, and behind the last one the number of chunks.
    first_chunks: Vec<u32>,
    /// By chunks.
    further: Vec<FurtherPlace>,
    /// The end of each stretch of chunks with the same weight, with that weight.
    weights: Vec<(u32, u32)>,
}

/// A place of a chunk that is not its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FurtherPlace {
    pub(super) chunk: u32,
    pub(super) document: u32,
    /// The chunk's number in that document, from 0.
    index: u32,
}

/// Makes the section's bytes: for each document how many chunks have their first place in it; then the number of further
/// places, and of each how far its chunk lies behind the one before, its document, and its number there; then, if a chunk
/// has a weight, the length of each stretch of chunks that weigh the same, and their weight, up to the last unusual one.
pub(super) fn encode(
    counts: &[u32],
    further: &[DuplicateRecord],
    sections: &[u32],
    weights: &[u16],
) -> Vec<u8> {
    let mut out = Vec::new();
    counts.iter().for_each(|count| write_varint(&mut out, *count));
    write_varint(&mut out, further.len() as u32);
    let mut before = 0;
    for DuplicateRecord { chunk, place } in further {
        let document = sections.get(place.section as usize).copied().unwrap_or_default();
        [chunk - before, document, place.index].iter().for_each(|number| write_varint(&mut out, *number));
        before = *chunk;
    }
    let unusual = weights.iter().rposition(|weight| *weight != USUAL_WEIGHT).map_or(0, |last| last + 1);
    for same in weights[..unusual].chunk_by(|a, b| a == b) {
        write_varint(&mut out, same.len() as u32);
        write_varint(&mut out, same[0].into());
    }
    out
}

impl Home {
    pub(super) fn open(section: &[u8], documents: u32, chunks: u32) -> Result<Self> {
        let read = || {
            let mut rest = section;
            // Each document takes a byte at least.
            let mut first_chunks = Vec::with_capacity((documents as usize).min(rest.len()) + 1);
            let mut next = 0u32;
            for _ in 0..documents {
                first_chunks.push(next);
                next = next.checked_add(read_varint(&mut rest)?)?;
            }
            first_chunks.push(next);
            let count = read_varint(&mut rest)? as usize;
            let mut further = Vec::with_capacity(count.min(rest.len()));
            let mut chunk = 0u32;
            for _ in 0..count {
                chunk = chunk.checked_add(read_varint(&mut rest)?)?;
                let (document, index) = (read_varint(&mut rest)?, read_varint(&mut rest)?);
                if chunk >= chunks || document >= documents {
                    return None;
                }
                further.push(FurtherPlace { chunk, document, index });
            }
            let (mut weights, mut end) = (Vec::new(), 0u32);
            while !rest.is_empty() {
                end = end.checked_add(read_varint(&mut rest)?)?;
                weights.push((end, read_varint(&mut rest)?));
            }
            (end <= chunks && next == chunks).then_some(Self { first_chunks, further, weights })
        };
        read().ok_or_else(|| corrupt("its chunks and documents contradict each other"))
    }

    /// Finds the document that a chunk has its first place in.
    pub(super) fn document_of(&self, chunk: u32) -> u32 {
        // Documents without a chunk begin where the next one does.
        (self.first_chunks.partition_point(|first| *first <= chunk) as u32).saturating_sub(1)
    }

    /// Reads the weight of a chunk, in hundredths.
    pub(super) fn weight(&self, chunk: u32) -> u32 {
        let at = self.weights.partition_point(|(end, _)| *end <= chunk);
        self.weights.get(at).map_or(USUAL_WEIGHT.into(), |(_, weight)| *weight)
    }

    /// All documents that a chunk stands in, the one of its first place first.
    pub(super) fn documents_of(&self, chunk: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.further.partition_point(|place| place.chunk < chunk);
        let further = self.further[start..].iter().take_while(move |place| place.chunk == chunk);
        std::iter::once(self.document_of(chunk)).chain(further.map(|place| place.document))
    }

    /// All places of a chunk, the first one first: its document, and its number there.
    pub(super) fn places_of(&self, chunk: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let document = self.document_of(chunk);
        let rank = chunk.saturating_sub(self.chunks_of(document).start);
        // Those that have their first place elsewhere take numbers too.
        let others = |index: u32| {
            let before = |place: &&FurtherPlace| place.document == document && place.index <= index;
            self.further.iter().filter(before).count() as u32
        };
        let mut index = rank;
        while index < rank + others(index) {
            index = rank + others(index);
        }
        let start = self.further.partition_point(|place| place.chunk < chunk);
        let further = self.further[start..].iter().take_while(move |place| place.chunk == chunk);
        std::iter::once((document, index)).chain(further.map(|place| (place.document, place.index)))
    }

    /// Finds the chunks whose first place is in a document.
    pub(super) fn chunks_of(&self, document: u32) -> Range<u32> {
        let at = document as usize;
        match self.first_chunks.get(at..at.saturating_add(2)) {
            Some(&[start, end]) => start..end,
            _ => 0..0,
        }
    }

    /// The places that are not the first of their chunk.
    pub(super) fn further(&self) -> &[FurtherPlace] {
        &self.further
    }

    /// Finds the chunk that stands at a number of a document.
    pub(super) fn chunk_at(&self, document: u32, index: u32) -> Option<u32> {
        let here = || self.further.iter().filter(|place| place.document == document);
        if let Some(place) = here().find(|place| place.index == index) {
            return Some(place.chunk);
        }
        // The chunks that have their first place here follow each other; the others are left out.
        let others = here().filter(|place| place.index < index).count() as u32;
        let chunks = self.chunks_of(document);
        let chunk = chunks.start.checked_add(index.checked_sub(others)?)?;
        chunks.contains(&chunk).then_some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::super::records::PlaceRecord;
    use super::*;

    fn duplicate(chunk: u32, section: u32, index: u32) -> DuplicateRecord {
        DuplicateRecord {
            chunk,
            place: PlaceRecord { section, index, line: 1, span: (0, 1), repeated: 0, anchors: Vec::new() },
        }
    }

    #[test]
    fn chunks_and_documents_find_each_other() {
        // Document 0 has chunks 0 to 2, 1 none of its own, 2 chunks 3 and 4; chunk 1 stands in 1 and 2 too.
        let section = encode(
            &[3, 0, 2],
            &[duplicate(1, 7, 0), duplicate(1, 8, 1)],
            &[0, 0, 0, 0, 0, 0, 0, 1, 2],
            &[100; 5],
        );
        let home = Home::open(&section, 3, 5).unwrap();
        assert_eq!((0..5).map(|chunk| home.document_of(chunk)).collect::<Vec<_>>(), [0, 0, 0, 2, 2]);
        assert_eq!(home.documents_of(1).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(home.documents_of(4).collect::<Vec<_>>(), [2]);
        assert_eq!(home.places_of(1).collect::<Vec<_>>(), [(0, 1), (1, 0), (2, 1)]);
        assert_eq!(home.places_of(3).collect::<Vec<_>>(), [(2, 0)]);
        assert_eq!(home.places_of(4).collect::<Vec<_>>(), [(2, 2)]);
        assert_eq!((home.chunks_of(0), home.chunks_of(1), home.chunks_of(9)), (0..3, 3..3, 0..0));
        let at = |document, index| home.chunk_at(document, index);
        assert_eq!((at(0, 1), at(0, 3), at(1, 0), at(1, 1)), (Some(1), None, Some(1), None));
        assert_eq!((at(2, 0), at(2, 1), at(2, 2), at(2, 3)), (Some(3), Some(1), Some(4), None));
        for end in 0..section.len() {
            assert!(Home::open(&section[..end], 3, 5).is_err());
        }
        assert!(Home::open(&section, 3, 6).is_err() && Home::open(&section, 4, 5).is_err());
        assert!(Home::open(&section, u32::MAX, 5).is_err());
        let weighed = encode(&[5], &[], &[], &[100, 50, 50, 1000, 100]);
        let home = Home::open(&weighed, 1, 5).unwrap();
        assert_eq!((0..6).map(|chunk| home.weight(chunk)).collect::<Vec<_>>(), [100, 50, 50, 1000, 100, 100]);
        assert!(Home::open(&weighed[..weighed.len() - 1], 1, 5).is_err() && weighed.len() > 8);
        assert_eq!(encode(&[5], &[], &[], &[100; 5]).len(), 2);
    }
}
