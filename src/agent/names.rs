//! The names of the tools that a run brings itself.

/// The tool that searches.
pub const SEARCH_TOOL: &str = "search_documents";
/// The tool by which the model judges its results.
pub(super) const EVALUATE_TOOL: &str = "evaluate_results";
/// The tool by which the model gives its answer.
pub(super) const DONE_TOOL: &str = "done";
/// The tool that writes down conditions and findings of a case.
pub(super) const RECORD_TOOL: &str = "record_findings";
/// The tool that has a case assessed.
pub(super) const ASSESS_TOOL: &str = "assess_case";
/// The tool that closes a case.
pub(super) const CLOSE_TOOL: &str = "close_case";

/// The names that no custom tool may have.
pub(super) const BUILT_IN: [&str; 6] =
    [SEARCH_TOOL, EVALUATE_TOOL, DONE_TOOL, RECORD_TOOL, ASSESS_TOOL, CLOSE_TOOL];
