//! Reading of what is to be checked.

use std::path::Path;

use ibid_native::files;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_trust::cite::Given;

/// The most bytes of a file with an answer. One with fifty long sources has about half a megabyte.
const MAX_BYTES: usize = 64 << 20;

const HINT: &str = "Use the output of `ibid ask --json`.";

/// Reads the answer in a file.
pub(super) fn answer(path: &Path) -> Result<Given> {
    Given::read(&text(path)?).map_err(|error| {
        let message = format!("`{}`: {}", path.display(), error.message());
        Error::new(error.code(), message).with_hint(HINT)
    })
}

/// Reads the text of a file, or of standard input.
pub(super) fn text(path: &Path) -> Result<String> {
    let bytes =
        if path.as_os_str() == "-" { files::read_input(MAX_BYTES as u64 + 1)? } else { files::read(path)? };
    let name = path.display();
    if bytes.len() > MAX_BYTES {
        let message = format!("`{name}` has more than {} MB.", MAX_BYTES >> 20);
        return Err(Error::new(ErrorCode::InvalidDocument, message).with_hint(HINT));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(ErrorCode::InvalidDocument, format!("`{name}` is not UTF-8 text, from byte {at} on."))
    })
}
