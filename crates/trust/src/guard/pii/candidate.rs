//! Candidates that rules take for personal data, and what rules leave to each other.

use std::ops::Range;

use super::options::PiiKind;
use super::token::Scan;

/// A value of fewer characters may be anything where nothing tells it.
pub(super) const MIN_AGAIN_CHARS: usize = 4;

/// A stretch that a rule takes for personal data.
#[derive(Clone, Debug)]
pub(super) struct PiiCandidate {
    /// Its characters in the view; never empty.
    pub(super) range: Range<usize>,
    /// An index into the finder's labels.
    pub(super) label: usize,
}

impl PiiCandidate {
    pub(super) fn new(kind: PiiKind, range: Range<usize>) -> Self {
        Self { range, label: kind as usize }
    }
}

/// The tokens that belong to something that was found already.
pub(super) struct Taken(Vec<bool>);

impl Taken {
    pub(super) fn new(scan: &Scan, candidates: &[PiiCandidate]) -> Self {
        let mut taken = Self(vec![false; scan.tokens.len()]);
        candidates.iter().for_each(|candidate| taken.take(scan, &candidate.range));
        taken
    }

    /// Marks the tokens of a range of characters.
    pub(super) fn take(&mut self, scan: &Scan, range: &Range<usize>) {
        let first = scan.token_at(range.start);
        for (token, taken) in scan.tokens[first..].iter().zip(&mut self.0[first..]) {
            if token.start >= range.end {
                break;
            }
            *taken = true;
        }
    }

    pub(super) fn has(&self, token: usize) -> bool {
        self.0.get(token).copied().unwrap_or(false)
    }
}
