//! The meaning of a failure of the model or of the reranker for the run.
//!
//! | the call was for | a failure that may pass, or is about this call alone | one that the next call meets too ([`lasts`]) |
//! | --- | --- | --- |
//! | a query, a class, sub-queries | the run goes on without | is the run's |
//! | the answer, by tools that the model does not take | the run goes on by the classic policy | |
//! | the answer, with none so far | passages that were found are quoted; with none, it is the run's. A context that is too long is tried once with less of the sources | the same |
//! | a better answer | the answer so far is it | the same |
//! | judging or mending the answer | the answer stands as it is | the same, and the model is asked for nothing more |
//! | the answer's form | the answer says why it has none | the same |
//! | an order of passages | they keep theirs | is the run's |
//!
//! An answer that has been written is never lost to a later failure. The trace says that the call failed,
//! either way.

use ibid_platform::{Error, ErrorCode};

/// Tells whether the next call would fail for the same reason: the key, the address or the credit will be no
/// better within a run.
pub(super) fn lasts(error: &Error) -> bool {
    match error.code() {
        ErrorCode::ProviderAuth | ErrorCode::ProviderNotFound | ErrorCode::InvalidOption => true,
        // A limit passes, a used up quota does not.
        ErrorCode::ProviderRateLimit => !error.is_retryable(),
        _ => false,
    }
}
