//! What came of it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What came of holding a claim against its sources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimCheck {
    /// The result in a word.
    pub status: ClaimStatus,
    /// How much of what the claim says stands in the best window of its sources, 0 to 1, by the weight of its words.
    pub coverage: f32,
    /// The place in each cited source that says most of it, in the order of the citations.
    pub evidence: Vec<ClaimEvidence>,
    /// Sources that would support the claim and are not cited for it, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<ClaimEvidence>,
}

/// Whether a claim stands in its sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClaimStatus {
    /// It does, as far as can be computed.
    Supported,
    /// Some of it does, and nothing contradicts it.
    Partly,
    /// It does not, or something in it contradicts its sources.
    Unsupported,
    /// It cites nothing.
    Uncited,
    /// It states nothing that could be checked, such as a question or a remark on the sources, or it is in another script.
    #[default]
    NotChecked,
}

/// A place in a source that says what a claim says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimEvidence {
    /// The source's number.
    pub number: u32,
    /// The byte range in the source's text, of one to three sentences.
    pub span: Range<usize>,
    /// How much of the claim stands there, 0 to 1.
    pub coverage: f32,
}
