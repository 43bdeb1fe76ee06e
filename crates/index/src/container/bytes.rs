//! Bytes that many can look at without copying them, and the numbers in them.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// A part of a buffer that is shared.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedBytes {
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl SharedBytes {
    /// Takes the part of these bytes in `range`; `None` when it reaches beyond them.
    pub(crate) fn slice(&self, range: Range<usize>) -> Option<Self> {
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        let range = self.range.start + range.start..self.range.start + range.end;
        Some(Self { buffer: Arc::clone(&self.buffer), range })
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), buffer: Arc::new(bytes) }
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // The range was checked where it was made; an empty slice is what remains for the compiler.
        self.buffer.get(self.range.clone()).unwrap_or_default()
    }
}

/// Reads the bytes as little-endian numbers; a rest of fewer than four bytes is passed over.
pub(crate) fn words(bytes: &[u8]) -> impl ExactSizeIterator<Item = u32> + '_ {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word))
}

/// Reads the little-endian number at a byte; 0 past the end.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_le_bytes(*word))
}

/// Reads the little-endian number at a byte; 0 past the end.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_le_bytes(*word))
}
