//! The way to chunk.

use std::ops::RangeInclusive;

use serde::Serialize;

use ibid_platform::{Error, ErrorCode, Result};

/// Below 16 tokens a chunk is no passage; above 32,768 no embedding model reads it to its end.
const BUDGETS: RangeInclusive<usize> = 16..=32_768;
/// The most sentences that chunks may overlap by.
const MAX_OVERLAP: usize = 16;

/// The way to chunk. Sizes are in tokens of four characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChunkOptions {
    /// The most tokens a chunk may have with its prefix, from 16 to 32,768; 180 by default.
    pub budget: usize,
    /// Sections smaller than this are merged with tiny neighbours under the same parent until they have this size
    /// together; at most 32,768, and 0 merges nothing. 64 by default: about 40 words, below which a passage hardly
    /// says anything that its headings do not. It may be larger than the budget, which is kept all the same.
    pub min_size: usize,
    /// The number of sentences from the end of a chunk the next one of the same section begins with, at most 16; 0 by
    /// default. They take at most a quarter of a chunk: what does not fit in there is not repeated.
    pub overlap: usize,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self { budget: 180, min_size: 64, overlap: 0 }
    }
}

ibid_platform::deserialize!(ChunkOptions over default: budget, min_size, overlap);

impl ChunkOptions {
    /// Checks that each number is in its range.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`], naming the option and its range.
    pub fn validate(&self) -> Result<()> {
        let checks = [
            ("budget", self.budget, BUDGETS, "tokens"),
            ("min_size", self.min_size, 0..=*BUDGETS.end(), "tokens"),
            ("overlap", self.overlap, 0..=MAX_OVERLAP, "sentences"),
        ];
        for (name, value, range, unit) in checks {
            if !range.contains(&value) {
                let (least, most) = range.into_inner();
                return Err(Error::new(
                    ErrorCode::InvalidOption,
                    format!(
                        "The chunk option `{name}` is {value}; it must be from {least} to {most} {unit}."
                    ),
                )
                .with_hint(format!("Leave `{name}` out to use its default.")));
            }
        }
        Ok(())
    }

    /// The same with each number moved into its range, for functions that return no error.
    pub(super) fn clamped(&self) -> Self {
        Self {
            budget: self.budget.clamp(*BUDGETS.start(), *BUDGETS.end()),
            min_size: self.min_size.min(*BUDGETS.end()),
            overlap: self.overlap.min(MAX_OVERLAP),
        }
    }
}
