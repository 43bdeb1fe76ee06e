//! Rows of a token table that an index brings along, because they suit its texts better than the table's own.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..4 | the number of rows |
//! | 4 for each row | the tokens' ids, ascending |
//! | the rest | the rows in that order, as in a query table's file: for each group of 32 components an f16 scale and 16 bytes |
//!
//! All numbers are little-endian.

use ibid_platform::{Error, ErrorCode, Result};

#[cfg(not(target_arch = "wasm32"))]
use super::super::packed::half;
use super::super::table::group::{GROUP, GROUP_BYTES, add_group, scales_are_finite};

/// The factors by which the largest component of a group is divided to get its scale; the one is taken that rounds the
/// group best. Negative ones too, since -8 reaches further than 7.
#[cfg(not(target_arch = "wasm32"))]
const REACHES: [f32; 14] =
    [-8.0, -7.75, -7.5, -7.25, -7.0, -6.75, -6.5, -6.25, -6.0, 7.0, 6.75, 6.5, 6.25, 6.0];

/// Rows that take the place of a table's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDelta {
    bytes: Vec<u8>,
    rows: usize,
    row_bytes: usize,
}

impl TableDelta {
    /// Rounds rows of `dimensions` components (a multiple of 32) to 4 bits. The ids must ascend.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn encode(rows: &[(u32, Vec<f32>)]) -> Self {
        let mut bytes = (rows.len() as u32).to_le_bytes().to_vec();
        bytes.extend(rows.iter().flat_map(|(id, _)| id.to_le_bytes()));
        for group in rows.iter().flat_map(|(_, row)| row.as_chunks().0) {
            bytes.extend(round(group));
        }
        let row_bytes = rows.first().map_or(0, |(_, row)| row.len() / GROUP * GROUP_BYTES);
        Self { bytes, rows: rows.len(), row_bytes }
    }

    /// Reads what [`Self::to_bytes`] gave, for a table of that many components and tokens. Anything else is
    /// [`ErrorCode::IndexCorrupt`].
    pub fn from_bytes(bytes: impl Into<Vec<u8>>, dimensions: usize, tokens: usize) -> Result<Self> {
        let bytes = bytes.into();
        let row_bytes = dimensions / GROUP * GROUP_BYTES;
        let count = bytes.first_chunk().map(|&count| u32::from_le_bytes(count) as usize);
        let count = count.filter(|&count| {
            let length = count.checked_mul(4 + row_bytes).and_then(|length| length.checked_add(4));
            length == Some(bytes.len()) && dimensions.is_multiple_of(GROUP)
        });
        let rows = count.ok_or_else(|| corrupt("has not the length that its number of rows announces"))?;
        let delta = Self { bytes, rows, row_bytes };
        if !delta.ids().is_sorted_by(|a, b| a < b) || delta.ids().any(|id| id as usize >= tokens) {
            return Err(corrupt("names tokens that are not the table's"));
        }
        if !scales_are_finite(&delta.bytes[4 + rows * 4..]) {
            return Err(corrupt("has a scale that is not a number"));
        }
        Ok(delta)
    }

    /// The bytes that an index keeps.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The ids of the tokens, ascending.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        let ids = self.bytes[4..4 + self.rows * 4].as_chunks().0;
        ids.iter().map(|&id| u32::from_le_bytes(id))
    }

    /// Returns true if it has a row for a token.
    pub(crate) fn has(&self, id: u32) -> bool {
        self.place(id).is_some()
    }

    fn place(&self, id: u32) -> Option<usize> {
        let ids = self.bytes[4..4 + self.rows * 4].as_chunks().0;
        ids.binary_search_by_key(&id, |&id| u32::from_le_bytes(id)).ok()
    }

    /// Adds a token's row to a sum and says whether there is one.
    pub(crate) fn add(&self, id: u32, sum: &mut [f32]) -> bool {
        let Some(at) = self.place(id) else { return false };
        let start = 4 + self.rows * 4 + at * self.row_bytes;
        let row = &self.bytes[start..start + self.row_bytes];
        for (sum, group) in sum.as_chunks_mut().0.iter_mut().zip(row.as_chunks().0) {
            add_group(sum, group);
        }
        true
    }
}

/// A group of components as 4-bit numbers with a scale, at the least squared error that any of [`REACHES`] gives.
#[cfg(not(target_arch = "wasm32"))]
fn round(group: &[f32; GROUP]) -> [u8; GROUP_BYTES] {
    let peak = group.iter().copied().fold(0.0_f32, |peak, x| if x.abs() > peak.abs() { x } else { peak });
    let mut best = (f32::INFINITY, [0x88; GROUP_BYTES]);
    best.1[..2].fill(0);
    for reach in REACHES {
        let bits = to_half(peak / reach);
        let scale = half(bits);
        let code = |x: f32| if scale == 0.0 { 0.0 } else { (x / scale).round_ties_even().clamp(-8.0, 7.0) };
        let error: f32 = group.iter().map(|&x| (code(x) * scale - x).powi(2)).sum();
        if error < best.0 {
            let mut bytes = [0; GROUP_BYTES];
            bytes[..2].copy_from_slice(&bits.to_le_bytes());
            let (low, high) = group.split_at(GROUP / 2);
            for ((byte, &low), &high) in bytes[2..].iter_mut().zip(low).zip(high) {
                *byte = (code(low) + 8.0) as u8 | ((code(high) + 8.0) as u8) << 4;
            }
            best = (error, bytes);
        }
    }
    best.1
}

/// The bits of the half-precision number nearest to a number, of two equally near ones the even one; the greatest
/// finite one beyond its reach, zero below it.
#[cfg(not(target_arch = "wasm32"))]
fn to_half(number: f32) -> u16 {
    let sign = (number.to_bits() >> 16) as u16 & 0x8000;
    let magnitude = number.abs();
    if magnitude < 6.103_515_6e-5 {
        // Subnormals, in units of 2 to the -24th.
        return sign | (magnitude * 16_777_216.0).round_ties_even() as u16;
    }
    let bits = magnitude.to_bits();
    let rounded = (bits + 0xfff + (bits >> 13 & 1)) >> 13;
    sign | rounded.saturating_sub(112 << 10).min(0x7bff) as u16
}

fn corrupt(problem: &str) -> Error {
    Error::new(ErrorCode::IndexCorrupt, format!("What the index adds to the query table {problem}."))
        .with_hint("Build the index again.")
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn sample() -> TableDelta {
        let row = |factor: f32| (0..64).map(|at| factor * (at as f32 - 20.0)).collect::<Vec<f32>>();
        TableDelta::encode(&[(3, row(0.01)), (7, row(-2.0)), (9, vec![0.0; 64])])
    }

    #[test]
    fn rows_come_back_rounded() {
        let delta = sample();
        assert_eq!(TableDelta::from_bytes(delta.to_bytes(), 64, 10).unwrap(), delta);
        assert_eq!((delta.len(), delta.ids().collect::<Vec<_>>()), (3, vec![3, 7, 9]));
        let mut sum = vec![1.0; 64];
        assert!(delta.add(7, &mut sum) && !delta.add(4, &mut sum));
        for (at, x) in sum.iter().enumerate() {
            let exact = 1.0 - 2.0 * (at as f32 - 20.0);
            assert!((x - exact).abs() <= 6.2, "{at}: {x} for {exact}");
        }
        let mut zero = vec![0.0; 64];
        assert!(delta.add(9, &mut zero) && zero.iter().all(|&x| x == 0.0));
        assert!(TableDelta::from_bytes(TableDelta::encode(&[]).to_bytes(), 64, 10).unwrap().is_empty());
    }

    #[test]
    fn bytes_that_are_no_rows_are_refused() {
        let good = sample().to_bytes().to_vec();
        let code = |bytes: &[u8], dimensions, tokens| {
            TableDelta::from_bytes(bytes, dimensions, tokens).map_err(|error| error.code())
        };
        assert!(code(&good, 64, 10).is_ok());
        for end in 0..good.len() {
            assert_eq!(code(&good[..end], 64, 10), Err(ErrorCode::IndexCorrupt));
        }
        assert_eq!(code(&good, 32, 10), Err(ErrorCode::IndexCorrupt));
        assert_eq!(code(&good, 64, 9), Err(ErrorCode::IndexCorrupt), "a token the table lacks");
        let mut unsorted = good.clone();
        unsorted[4] = 8;
        assert_eq!(code(&unsorted, 64, 10), Err(ErrorCode::IndexCorrupt));
        let mut infinite = good.clone();
        infinite[16..18].copy_from_slice(&0x7c00_u16.to_le_bytes());
        assert_eq!(code(&infinite, 64, 10), Err(ErrorCode::IndexCorrupt));
        let mut many = good;
        many[..4].fill(255);
        assert_eq!(code(&many, 64, 10), Err(ErrorCode::IndexCorrupt));
    }

    #[test]
    fn half_precision_is_the_nearest() {
        for bits in (0..0x7c00).chain(0x8001..0xfc00) {
            assert_eq!(to_half(half(bits)), bits, "{bits:#x}");
        }
        assert_eq!((to_half(1e30), to_half(-1e-30)), (0x7bff, 0x8000));
    }
}
