//! The trait of a codec that reads responses.

use serde_json::Value;

use super::draft::ReplyDraft;

/// A fault of a piece of a stream.
pub(crate) enum ReplyProblem {
    /// It is not what the format says.
    Protocol(&'static str),
    /// It is the provider's report of a failure.
    Reported(Value),
}

/// The meaning of a stream's pieces.
pub(crate) trait ReplyFormat {
    /// Takes in the data of an event, a line, or the one document that a server sends which ignores that it
    /// was to stream. `event` is the event's name, if it has one.
    ///
    /// # Errors
    /// A fault of it, in words that follow "The provider's response"; or the error that it reports.
    fn value(&mut self, event: &str, value: &Value, draft: &mut ReplyDraft) -> Result<(), ReplyProblem>;

    /// Completes the reply, when no more comes.
    fn finish(&mut self, _draft: &mut ReplyDraft) {}

    /// True if the stream is lines of JSON, and not events.
    fn is_lines(&self) -> bool {
        false
    }

    /// The mend of a wrong address.
    fn hint(&self) -> &'static str;
}
