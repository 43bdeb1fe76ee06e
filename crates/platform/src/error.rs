//! One opaque error type for the whole crate, with stable codes.
//!
//! A caller matches on [`Error::code`]; a person reads [`Error::message`] and, where something can be done about
//! it, [`Error::hint`]. Codes are part of the public interface: they may be added to, never renamed.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

crate::named! {
    /// The kind of an error, in a form that programs can rely on.
    ///
    /// The text form, the same in Rust ([`ErrorCode::as_str`]), JSON and TypeScript, is the variant's name in
    /// kebab case, such as `index-corrupt`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ErrorCode {
        /// An option has a value outside its documented range. Mend: see the option's documentation.
        InvalidOption = "invalid-option",
        /// A document could not be read as the format it claims to be. Mend: correct the named file.
        InvalidDocument = "invalid-document",
        /// A file was left out on purpose: it holds no text to be searched, such as a book's list of references. There is
        /// nothing to mend.
        DocumentSkipped = "document-skipped",
        /// A field of the metadata has values of two types that do not go together. Mend: write it alike in both of the
        /// named documents.
        MetadataType = "metadata-type",
        /// A filter is not written as it must be, or asks for a field that the index has not or whose values are of another
        /// type. Mend: see the place and the fields that the message and its hint name.
        FilterInvalid = "filter-invalid",
        /// The bytes are no ibid index at all, an error page for instance. Mend: check the index's address.
        IndexForeign = "index-foreign",
        /// The index ends before its own length says so. Mend: download or build it again.
        IndexTruncated = "index-truncated",
        /// A checksum or an internal reference of the index does not hold. Mend: download or build it again.
        IndexCorrupt = "index-corrupt",
        /// The index was written by a newer version of ibid. Mend: update ibid.
        IndexVersion = "index-version",
        /// A passage was asked for whose text has not been fetched yet. Mend: fetch what `Index::missing` names.
        IndexIncomplete = "index-incomplete",
        /// The index was embedded with another model than the one loaded. Mend: load the model the message names.
        ModelMismatch = "model-mismatch",
        /// A model file is damaged or is no model file. Mend: fetch or import it again.
        ModelInvalid = "model-invalid",
        /// An embedder that is not part of ibid failed, is missing, or gave something that is no embedding: a vector of
        /// another length, of zeros, with a number that is not finite. Mend: see the message; the embedder is its owner's.
        EmbedderFailed = "embedder-failed",
        /// A query was to be embedded by rows of the query table that have not been fetched yet. Mend: fetch what
        /// `TokenTable::missing` names.
        ModelIncomplete = "model-incomplete",
        /// The search query has no text. Mend: ask for something.
        QueryEmpty = "query-empty",
        /// The question is shorter than 3 or longer than 10,000 characters. Mend: rephrase it.
        QuestionLength = "question-length",
        /// The question has markup, script or SQL in it, and the host's options block that. Mend: ask without it, or flag it
        /// instead of blocking it.
        QuestionBlocked = "question-blocked",
        /// The provider, a service such as a language model, a reranker or a search engine, refused the API key (HTTP 401 or
        /// 403). Mend: check the key.
        ProviderAuth = "provider-auth",
        /// The provider does not know the address, the model or the collection (HTTP 404). Mend: check the base URL and the
        /// name.
        ProviderNotFound = "provider-not-found",
        /// The provider's rate limit or quota is used up (HTTP 429). Mend: wait, then try again.
        ProviderRateLimit = "provider-rate-limit",
        /// The provider does not accept the request (any other HTTP 4xx). Mend: see the message it sent.
        ProviderRequest = "provider-request",
        /// The model, or the server as it was started, takes no tools. A run goes on by the classic policy, which needs none.
        /// Mend: choose that policy, or a model that calls tools.
        ToolsUnsupported = "tools-unsupported",
        /// The conversation with its sources does not fit the model. Mend: ask for fewer results, or use a model with a larger
        /// context.
        ContextLength = "context-length",
        /// The model's reply is not JSON of the form that was asked for, and was not when it was asked again. Mend: simplify the
        /// schema, or use another model.
        OutputInvalid = "output-invalid",
        /// The provider failed (HTTP 5xx). Mend: try again later.
        ProviderUnavailable = "provider-unavailable",
        /// The provider's response is not what its protocol says, or a redirect, which is not followed. Mend: check that the base
        /// URL speaks it, and is the final one.
        ProviderProtocol = "provider-protocol",
        /// No connection, or it broke off before the response was complete. Mend: check the network, then try again.
        Network = "network",
        /// A service did not answer in the time that it was given. Mend: try again, or allow more time.
        Timeout = "timeout",
        /// The caller aborted the operation.
        Aborted = "aborted",
        /// An audit log is not what was written: lines were changed, removed, inserted or moved, or its last one is broken. Mend:
        /// keep it as evidence, and go on in a new file.
        AuditBroken = "audit-broken",
        /// A file could not be read or written. Mend: see the message.
        Io = "io",
        /// A defect in ibid. Mend: please report it.
        Internal = "internal",
    }
}

crate::json_by_name!(ErrorCode, "code");

/// An error: a stable code, what happened in words and, where something can be done about it, a hint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    code: ErrorCode,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    retryable: bool,
    #[serde(rename = "retryAfter", default, skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

impl Error {
    /// Makes an error that a retry will not fix.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, retryable: false, retry_after_ms: None }
    }

    /// Returns the same error with advice on how to fix it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Does the same error, marked as one that a later retry may fix.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Returns the same error with the wait that a service asked for.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after_ms = wait.and_then(|wait| u64::try_from(wait.as_millis()).ok());
        self
    }

    /// Returns the stable code to match on.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns the message, in words for a person. Not stable.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns a remedy, if there is one. Not stable.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the message and the hint as one text.
    pub fn in_words(&self) -> String {
        self.hint().map_or_else(|| self.message.clone(), |hint| [&self.message, " ", hint].concat())
    }

    /// Returns true if the same call may succeed later without any change.
    pub fn is_retryable(&self) -> bool {
        self.retryable
    }

    /// Returns the wait that the service asks for before the next call, where it says so; in whole milliseconds.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after_ms.map(Duration::from_millis)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.message, self.code.as_str())?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_is_the_serialized_form() {
        for code in [
            ErrorCode::IndexCorrupt,
            ErrorCode::FilterInvalid,
            ErrorCode::ProviderRateLimit,
            ErrorCode::AuditBroken,
            ErrorCode::QuestionBlocked,
            ErrorCode::Internal,
        ] {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }

    #[test]
    fn display_names_code_and_hint() {
        let error = Error::new(ErrorCode::IndexForeign, "This is no index.").with_hint("Check the address.");
        assert_eq!(error.to_string(), "This is no index. [index-foreign]\n  hint: Check the address.");
    }
}
