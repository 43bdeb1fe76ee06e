//! What a codec says of a response.

use serde_json::Value;

use super::draft::ReplyDraft;

/// What is wrong with a piece of a stream.
pub(crate) enum ReplyProblem {
    /// It is not what the format says.
    Protocol(&'static str),
    /// It is the provider's report of a failure.
    Reported(Value),
}

/// What the pieces of a stream mean.
pub(crate) trait ReplyFormat {
    /// Takes in the data of an event, a line, or the one document that a server sends which ignores that it was to
    /// stream. `event` is the event's name, if it has one.
    ///
    /// # Errors
    /// What is wrong with it, in words that follow "The provider's response"; or the error that it reports.
    fn value(&mut self, event: &str, value: &Value, draft: &mut ReplyDraft) -> Result<(), ReplyProblem>;

    /// Completes the reply, when no more comes.
    fn finish(&mut self, _draft: &mut ReplyDraft) {}

    /// Whether the stream is lines of JSON, and not events.
    fn is_lines(&self) -> bool {
        false
    }

    /// How a wrong address is mended.
    fn hint(&self) -> &'static str;
}
