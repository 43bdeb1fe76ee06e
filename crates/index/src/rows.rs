//! The vectors of chunks in eight bits a component, a row for each chunk: read one by one when they are needed.
//!
//! A search by clusters does without them. A search with a strict filter compares them, and so does one for what is
//! like a passage. An update takes the vectors of unchanged chunks from them.

use std::ops::Range;

use super::blocks::BlockSection;
use super::container::{SharedBytes, corrupt, incomplete, u32_at};
use super::stretches::Stretches;
use ibid_platform::{Result, checksum};
use ibid_vectors::{QueryCodes, VectorCodes};

/// The bytes of a row behind its codes: their scale, and the checksum of both.
const TAIL_BYTES: usize = 8;

/// Makes the section's bytes.
pub(super) fn encode(vectors: &[VectorCodes]) -> Vec<u8> {
    let mut out = Vec::with_capacity(vectors.iter().map(|vector| vector.codes.len() + TAIL_BYTES).sum());
    for vector in vectors {
        let start = out.len();
        out.extend_from_slice(&vector.codes);
        out.extend_from_slice(&vector.scale.to_le_bytes());
        let sum = short_checksum(&out[start..]);
        out.extend_from_slice(&sum.to_le_bytes());
    }
    out
}

/// Enough to notice a damaged row.
fn short_checksum(bytes: &[u8]) -> u32 {
    checksum(&[bytes]) as u32
}

fn verify(chunk: usize, row: &[u8]) -> Result<()> {
    if short_checksum(&row[..row.len() - 4]) == u32_at(row, row.len() - 4) {
        return Ok(());
    }
    Err(corrupt(format!("the checksum of its vector {chunk} does not match")))
}

/// The rows of a section: all of them, or those that have been fetched.
#[derive(Debug)]
pub(super) struct RowStore {
    dimensions: usize,
    count: u32,
    /// Their bytes in the file.
    pub(super) rows: Stretches,
}

impl RowStore {
    /// Opens the section with the rows of that number of chunks.
    pub(super) fn open(count: u32, dimensions: usize, section: BlockSection) -> Result<Self> {
        let BlockSection { at, length, bytes } = section;
        let store = Self { dimensions, count, rows: Stretches::new(at, bytes) };
        if store.row_bytes().checked_mul(u64::from(count)) == Some(length) {
            return Ok(store);
        }
        Err(corrupt("its vectors are not those its manifest announces"))
    }

    fn row_bytes(&self) -> u64 {
        (self.dimensions + TAIL_BYTES) as u64
    }

    /// Computes the range of the section with a chunk's row.
    fn place(&self, chunk: u64) -> Range<u64> {
        self.row_bytes() * chunk..self.row_bytes() * (chunk + 1)
    }

    /// Finds the range of the file with a chunk's row, if it has still to be fetched.
    pub(super) fn missing(&self, chunk: u32) -> Option<Range<u64>> {
        self.rows.missing(chunk as usize, self.place(u64::from(chunk)))
    }

    /// Takes over the rows that lie in fetched bytes of the file.
    pub(super) fn provide(&self, offset: u64, bytes: &SharedBytes) -> Result<()> {
        let first = offset.saturating_sub(self.rows.at).div_ceil(self.row_bytes());
        let mut rows = (first..u64::from(self.count)).map(|chunk| (chunk as usize, self.place(chunk)));
        self.rows.provide(offset, bytes, &mut rows, &verify)
    }

    /// Reads the row of a chunk.
    fn row(&self, chunk: u32) -> Result<SharedBytes> {
        let place = self.place(u64::from(chunk));
        let row = if chunk < self.count { self.rows.get(chunk as usize, place, &verify)? } else { None };
        row.ok_or_else(|| incomplete("A vector of this index", "`Index::missing_vectors`"))
    }

    fn scale(&self, row: &[u8]) -> f32 {
        let scale = f32::from_bits(u32_at(row, self.dimensions));
        // No writer leaves another one.
        if (0.0..=1.0).contains(&scale) { scale } else { 0.0 }
    }

    /// Reads the vector of a chunk.
    pub(super) fn get(&self, chunk: u32) -> Result<VectorCodes> {
        let row = self.row(chunk)?;
        Ok(VectorCodes { scale: self.scale(&row), codes: row[..self.dimensions].into() })
    }

    /// Computes the cosine between a query and the vector of a chunk.
    pub(super) fn score(&self, query: &QueryCodes, chunk: u32) -> Result<f32> {
        let row = self.row(chunk)?;
        Ok(query.score(&row[..self.dimensions], self.scale(&row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_embed::Embedding;
    use ibid_platform::ErrorCode;

    fn vectors() -> Vec<VectorCodes> {
        let vector = |at: usize| (0..10).map(|x| ((at * 10 + x) as f32).sin()).collect();
        (0..20).map(|at| VectorCodes::new(&Embedding::normalized(vector(at)))).collect()
    }

    #[test]
    fn rows_come_one_by_one() {
        let (vectors, section) = (vectors(), encode(&vectors()));
        let length = section.len() as u64;
        let open = |count, dimensions, length, bytes| {
            RowStore::open(count, dimensions, BlockSection { at: 1000, length, bytes })
        };
        let whole = open(20, 10, length, Some(section.clone().into())).unwrap();
        assert!(whole.missing(3).is_none());
        assert_eq!(whole.get(19).unwrap(), vectors[19]);
        let store = open(20, 10, length, None).unwrap();
        assert_eq!(store.get(3).unwrap_err().code(), ErrorCode::IndexIncomplete);
        let range = store.missing(3).unwrap();
        let at = |range: &Range<u64>| range.start as usize - 1000..range.end as usize - 1000;
        // The store passes over halves of rows.
        let wider = range.start - 9..range.end + 17;
        store.provide(wider.start, &section[at(&wider)].to_vec().into()).unwrap();
        assert_eq!(store.get(3).unwrap(), vectors[3]);
        assert!(store.missing(2).is_some() && store.missing(4).is_some());
        let mut damaged = section.clone();
        damaged[40] ^= 1;
        assert_eq!(store.provide(1000, &damaged.into()).unwrap_err().code(), ErrorCode::IndexCorrupt);
        store.provide(0, &[vec![0; 1000], section.clone()].concat().into()).unwrap();
        assert!((0..20).all(|chunk| store.get(chunk).unwrap() == vectors[chunk as usize]));
        assert!(open(20, 10, length + 1, None).is_err());
        assert!(open(u32::MAX, usize::MAX / 2, length, None).is_err());
    }
}
