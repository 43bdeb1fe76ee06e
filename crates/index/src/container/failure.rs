//! Messages for index files that cannot be read.

use super::format::{FORMAT_VERSION, SectionId};
use ibid_platform::{Error, ErrorCode, Result};

/// Makes the error for a file that contradicts itself.
pub(crate) fn corrupt(what: impl AsRef<str>) -> Error {
    Error::new(ErrorCode::IndexCorrupt, format!("This index is damaged: {}.", what.as_ref()))
        .with_hint("Download or build it again.")
}

/// Makes the error for what has not been fetched yet, and the methods that name its bytes.
pub(crate) fn incomplete(what: &str, named_by: &str) -> Error {
    Error::new(ErrorCode::IndexIncomplete, format!("{what} has not been fetched yet."))
        .with_hint(format!("Fetch the ranges from {named_by} and pass them to `Index::provide`."))
}

/// Tells what has not been fetched yet, which is `None`, from what cannot be read.
///
/// # Errors
/// All but [`ErrorCode::IndexIncomplete`].
pub fn if_fetched<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if error.code() == ErrorCode::IndexIncomplete => Ok(None),
        found => found.map(Some),
    }
}

/// Makes the error for a file that lacks a section.
pub(crate) fn missing(section: SectionId) -> Error {
    corrupt(format!("its section `{}` is missing", String::from_utf8_lossy(&section)))
}

/// Makes the error for more than the format can number.
pub(crate) fn too_large(what: &str, limit: usize) -> Error {
    Error::new(ErrorCode::InvalidDocument, format!("One index can hold at most {limit} {what}."))
        .with_hint("Build several indexes, each from some of the documents.")
}

pub(super) fn other_version(version: u32, features: u32) -> Error {
    Error::new(
        ErrorCode::IndexVersion,
        format!(
            "This index has format version {version} (features {features:#x}); this ibid reads version \
             {FORMAT_VERSION}."
        ),
    )
    .with_hint("Rebuild the index with this version of ibid or, if the index is newer, update ibid.")
}

pub(super) fn truncated(have: u64, want: Option<u64>) -> Error {
    let whole = want.map_or(String::new(), |want| format!(" of {want}"));
    Error::new(ErrorCode::IndexTruncated, format!("This index is cut off: it has only {have}{whole} bytes."))
        .with_hint("Download it again; if that does not help, build and upload it again.")
}

pub(super) fn foreign(file: &[u8]) -> Error {
    let looks_like_page = file.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<');
    let (what, hint) = if file.is_empty() {
        ("it is empty", "Check that the upload of the index completed.")
    } else if looks_like_page {
        (
            "it looks like an HTML page",
            "Check the index's address: the server may have answered with an error page.",
        )
    } else {
        ("its first bytes are wrong", "Build one with `ibid build DOCUMENTS -o FILE`.")
    };
    Error::new(ErrorCode::IndexForeign, format!("This is not an ibid index: {what}.")).with_hint(hint)
}
