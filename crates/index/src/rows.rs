//! The vectors of chunks in eight bits a component, a row for each chunk: read one by one when they are needed.
//!
//! A search by clusters does without them. A search with a strict filter compares them, and so does one for what is
//! like a passage. An update takes the vectors of unchanged chunks from them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::blocks::lock;
use super::container::{ReadRange, SharedBytes, corrupt, incomplete, u32_at};
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

fn verify(row: &[u8], chunk: u32) -> Result<()> {
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
    /// The first byte of the section in the file.
    at: u64,
    rows: Mutex<RowBytes>,
}

#[derive(Debug)]
enum RowBytes {
    Whole(SharedBytes),
    Fetched(BTreeMap<u32, SharedBytes>),
    /// They are read where they lie.
    InPlace(Arc<dyn ReadRange>),
}

impl RowStore {
    /// `length` is that of the section, which begins at byte `at` of the file; `section` is that section, if it is there.
    pub(super) fn open(
        count: u32,
        dimensions: usize,
        at: u64,
        length: u64,
        section: Option<SharedBytes>,
    ) -> Result<Self> {
        let rows = section.map_or_else(|| RowBytes::Fetched(BTreeMap::new()), RowBytes::Whole);
        let store = Self { dimensions, count, at, rows: Mutex::new(rows) };
        if store.row_bytes().checked_mul(u64::from(count)) == Some(length) {
            return Ok(store);
        }
        Err(corrupt("its vectors are not those its manifest announces"))
    }

    fn row_bytes(&self) -> u64 {
        (self.dimensions + TAIL_BYTES) as u64
    }

    /// Computes the range of the file with a chunk's row.
    fn range(&self, chunk: u32) -> Range<u64> {
        let start = self.at + self.row_bytes() * u64::from(chunk);
        start..start + self.row_bytes()
    }

    /// The same, if it has still to be fetched.
    pub(super) fn missing(&self, chunk: u32) -> Option<Range<u64>> {
        match &*lock(&self.rows) {
            RowBytes::Fetched(rows) if !rows.contains_key(&chunk) => Some(self.range(chunk)),
            _ => None,
        }
    }

    /// Takes over the rows that lie in fetched bytes of the file.
    pub(super) fn provide(&self, offset: u64, bytes: &SharedBytes) -> Result<()> {
        let mut rows = lock(&self.rows);
        let RowBytes::Fetched(fetched) = &mut *rows else { return Ok(()) };
        let row = self.row_bytes();
        let first = offset.saturating_sub(self.at).div_ceil(row);
        let end = offset.saturating_add(bytes.len() as u64).saturating_sub(self.at) / row;
        for chunk in first..end.min(u64::from(self.count)) {
            let start = (self.at + chunk * row - offset) as usize;
            let Some(row) = bytes.slice(start..start + row as usize) else { continue };
            verify(&row, chunk as u32)?;
            fetched.insert(chunk as u32, row);
        }
        Ok(())
    }

    /// From now on, reads what is missing when it is asked for.
    pub(super) fn read_from(&self, reader: &Arc<dyn ReadRange>) {
        *lock(&self.rows) = RowBytes::InPlace(Arc::clone(reader));
    }

    /// Reads the row of a chunk.
    fn row(&self, chunk: u32) -> Result<SharedBytes> {
        let row = match &*lock(&self.rows) {
            RowBytes::InPlace(reader) if chunk < self.count => {
                let row = reader.read(self.range(chunk))?;
                verify(&row, chunk)?;
                Some(row.into())
            }
            RowBytes::InPlace(_) => None,
            RowBytes::Whole(section) => {
                let range = self.range(chunk);
                section.slice((range.start - self.at) as usize..(range.end - self.at) as usize)
            }
            RowBytes::Fetched(rows) => rows.get(&chunk).cloned(),
        };
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
        let whole = RowStore::open(20, 10, 1000, length, Some(section.clone().into())).unwrap();
        assert!(whole.missing(3).is_none());
        assert_eq!(whole.get(19).unwrap(), vectors[19]);
        let store = RowStore::open(20, 10, 1000, length, None).unwrap();
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
        assert!(RowStore::open(20, 10, 0, length + 1, None).is_err());
        assert!(RowStore::open(u32::MAX, usize::MAX / 2, 0, length, None).is_err());
    }
}
