//! Reading a file where it lies.

use std::fmt::Debug;
use std::ops::Range;

use ibid_platform::Result;

/// Reads stretches of an index's file when a search needs them: from a disk, or from parts in a folder.
pub trait ReadRange: Debug + Send + Sync {
    /// The length of the file in bytes.
    fn length(&self) -> u64;

    /// Reads the bytes of a range within the file.
    ///
    /// # Errors
    /// Those of wherever the file lies.
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>>;
}
