//! Gives commands the machine: documents and files that arguments name, the terminal, native HTTP, time, and models.
//! `ibid-cli` and `ibid-lab` use it.

pub mod collect;
pub mod download;
pub mod embedding;
mod family;
pub mod files;
pub mod http;
pub mod interrupt;
pub mod language;
pub mod model;
mod named;
pub mod pages;
pub mod papers;
mod pending;
mod progress;
pub mod settings;
pub mod system;
pub mod web;
mod weights;

pub use family::Family;
pub use named::{named, provider};
pub use pending::{EmbeddedWork, embed_all};
pub use progress::Progress;
pub use weights::fetch_model;

use std::io::Write;

use ibid_platform::{Error, ErrorCode, Result};
use serde::Serialize;

/// Writes a line on stderr. Where even that fails there is nobody left to tell.
pub fn note(line: &str) {
    progress::write_line(line);
}

/// Text on stdout. A reader that has gone away, such as `head`, ends the output but is no failure.
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

/// As `print`, for what need not be text.
pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::new(
            ErrorCode::Io,
            format!("Standard output cannot be written: {}.", system::in_words(&error)),
        )),
        _ => Ok(()),
    }
}

/// Prints a value as indented JSON on stdout.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::new(ErrorCode::Internal, format!("The result has no JSON form: {error}.")))?;
    print(&(text + "\n"))
}

/// Returns the word that a value is in JSON.
pub fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
