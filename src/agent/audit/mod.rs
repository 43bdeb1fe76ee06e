//! The audit log: what each run did, one line each, in a chain in which a change shows.
//!
//! While a run goes, its [`Trail`] notes what was searched for, what was found and what the model was sent,
//! the last two only by their hashes. [`Trail::record`] makes one JSON object of it and the answer. [`chain`]
//! makes that an *entry*: a line that holds the hash of the line before and its own. [`Verifier`] checks
//! such lines, and [`checkpoint`] stands for those that were dropped for their age.
//!
//! An entry is one line of *canonical JSON*, ended by a line feed:
//!
//! - the members of each object are sorted by the code points of their names, and there is no white space between tokens;
//! - strings escape only `"`, `\` and the control characters below U+0020: as `\b`, `\t`, `\n`, `\f` or `\r` where there is
//!   such a form, else as `\u` and four hexadecimal digits in lower case; all else is UTF-8;
//! - numbers are written once, by the writer of the line, and the checker keeps their spelling.
//!
//! Its `hash` is the SHA-256 (FIPS 180-4) of the bytes of that line without the member `hash` and without the
//! line feed, in lower-case hexadecimal digits. Its `previous` is the hash of the entry before, or null.

mod canonical;
mod chain;
mod check;
mod report;
#[cfg(test)]
mod tests;
mod trail;

pub use canonical::{MAX_LINE, VERSION};
pub use chain::{chain, checkpoint, entry_hash};
pub use check::{Verifier, verify};
pub use report::{LogProblem, LogReport, ProblemKind};
pub use trail::Trail;
