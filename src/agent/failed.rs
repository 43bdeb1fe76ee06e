//! What a failure of the model or of the reranker means for the run.
//!
//! | the call was for | a failure that may pass, or is about this call alone | one that the next call meets too ([`lasts`]) |
//! | --- | --- | --- |
//! | a query, a class, sub-queries | the run goes on without | is the run's |
//! | the answer, with none so far | is the run's; a context that is too long is tried once with less of the sources | is the run's |
//! | a better answer | the answer so far is it | the same |
//! | judging or mending the answer | the answer stands as it is | the same, and the model is asked for nothing more |
//! | the answer's form | the answer says why it has none | the same |
//! | an order of passages | they keep theirs | is the run's |
//!
//! An answer that has been written is never lost to a later failure. The trace has what failed, either way.

use super::memory::Shown;
use super::run::AgentRun;
use super::state::State;
use ibid_llm::FinishReason;
use ibid_platform::{Error, ErrorCode, Result};

/// Whether the next call would fail for the same reason: the key, the address or the credit will be no better within a run.
fn lasts(error: &Error) -> bool {
    match error.code() {
        ErrorCode::ProviderAuth | ErrorCode::ProviderNotFound | ErrorCode::InvalidOption => true,
        // A limit passes, a used up quota does not.
        ErrorCode::ProviderRateLimit => !error.is_retryable(),
        _ => false,
    }
}

impl AgentRun {
    /// Whether the run can go on although the model could not be called: with fewer sources where the context was too long,
    /// without the step where it can do without, or with the best answer so far. If not, the error is the run's, which stands
    /// where it stood and can be driven on. A wrong key, address or model, or a used up quota, is the run's as long as there is
    /// no answer: whatever the call was for, the next one would fail for the same reason.
    pub fn model_failed(&mut self, error: &Error) -> bool {
        let Some(purpose) = self.purpose() else { return false };
        let lasts = lasts(error);
        if lasts && self.draft.is_none() {
            return false;
        }
        let optional = matches!(
            self.state,
            State::Rewrite
                | State::Classify
                | State::Decompose
                | State::Reflect
                | State::Judge
                | State::Revise
                | State::Format(_)
        );
        if !optional && error.code() == ErrorCode::ContextLength && self.shown == Shown::default() {
            self.shown = Shown { chars: Some(600), sources: Some(3) };
            self.trace
                .end(purpose.step())
                .says("too long for the model; tried again with less of the sources");
            return true;
        }
        if optional || self.draft.is_some() {
            self.trace.end(purpose.step()).says(format!("failed: {}", error.message()));
        }
        let problem = format!("The model could not be asked for it: {}", error.message());
        if lasts {
            self.review.ask_no_more(&problem);
        }
        match self.state {
            State::Rewrite => self.question_is_ready(),
            State::Classify => self.classified(""),
            State::Decompose => self.decomposed(""),
            State::Reflect => self.reflected(""),
            State::Judge => self.judged(""),
            State::Revise => self.revised("", FinishReason::Error),
            State::Format(_) => self.finish(None, Some(problem)),
            _ => {
                let Some(draft) = self.draft.take() else { return false };
                self.conclude(&draft.text, draft.finish);
            }
        }
        true
    }

    /// Takes in that the reranker failed. What was found keeps the order it has.
    ///
    /// # Errors
    /// The error itself where the reranker will not do better the next time, as with a wrong key, or where it is
    /// [`ErrorCode::Aborted`]; [`ErrorCode::Internal`] if no scores were awaited.
    pub fn rerank_failed(&mut self, error: Error) -> Result<()> {
        // What a page's own function throws is `InvalidOption`, though it may have thrown it for a moment's trouble.
        if error.code() == ErrorCode::Aborted || (error.code() != ErrorCode::InvalidOption && lasts(&error)) {
            return Err(error);
        }
        self.reranked(None)?;
        self.trace.last().says(format!("failed: {}", error.message()));
        Ok(())
    }
}
