//! PDF and DOCX. A file of thousands of objects by any program is read in a process of its own, so that one that is
//! broken on purpose ends nothing but its own reading.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::files;
use ibid_document::{Document, Warning};
use ibid_platform::{Error, ErrorCode, Result};

/// The command that reads one file, which only a build calls: its name, the document's, and the path.
pub const COMMAND: &str = "--read-paper";
/// The longest that one page may take; usual ones take a hundredth of a second.
const LONGEST: Duration = Duration::from_secs(30);
/// The exit code if a page takes longer.
const TOO_LONG: i32 = 124;

/// A file that was read, as HTML.
pub(crate) struct Paper {
    pub(crate) html: String,
    is_pdf: bool,
}

impl Paper {
    /// Reads the file at a path, whose document goes by a name.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidDocument`] for a file that cannot be read, [`ErrorCode::Io`] if no process can be started.
    pub(crate) fn read(name: &str, path: &Path) -> Result<Self> {
        let own = |error: std::io::Error| {
            let message = format!("`{name}` cannot be read: no process can be started ({error}).");
            Error::new(ErrorCode::Io, message)
        };
        let program = std::env::current_exe().map_err(own)?;
        let read = Command::new(program).arg(COMMAND).arg(name).arg(path).output().map_err(own)?;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap_or_default();
        let why = match read.status.code() {
            Some(0) => return Ok(Self { html: text(read.stdout), is_pdf: ibid_papers::is_pdf(name) }),
            // The reader's own words, with the hint behind a line end.
            Some(1) => {
                let words = text(read.stdout);
                let (message, hint) = words.split_once('\n').unwrap_or((&words, ""));
                let error = Error::new(ErrorCode::InvalidDocument, message.to_owned());
                return Err(if hint.is_empty() { error } else { error.with_hint(hint.to_owned()) });
            }
            Some(TOO_LONG) => "one of its pages takes longer than 30 seconds",
            _ => "its reader failed",
        };
        Err(Error::new(ErrorCode::InvalidDocument, format!("`{name}` cannot be read: {why}.")))
    }

    /// Gives the document its pages, and a warning of those that have no text.
    pub(crate) fn complete(&self, document: &mut Document) {
        document.number_pages(&if self.is_pdf { ibid_papers::pages(&self.html) } else { Vec::new() });
        if let Some(numbers) = ibid_papers::empty_pages(&self.html) {
            let kind = "pages are images without text, which `ocrmypdf` can add";
            document.warnings.push(Warning::new(kind, numbers));
        }
    }
}

/// Reads one file for a process that waits for it: HTML on stdout, or the reason why not. Returns the exit code.
///
/// # Errors
/// [`ErrorCode::Io`] when stdout cannot be written.
pub fn read_for_parent(name: &str, path: &Path) -> Result<u8> {
    let page = Arc::new(AtomicUsize::new(0));
    let watched = Arc::clone(&page);
    thread::spawn(move || {
        let mut last = 0;
        loop {
            thread::park_timeout(LONGEST);
            let now = watched.load(Ordering::Relaxed);
            if now == last {
                std::process::exit(TOO_LONG);
            }
            last = now;
        }
    });
    // The first turn is the opening of the file.
    page.store(1, Ordering::Relaxed);
    let bytes = files::read(path)?;
    match ibid_papers::html(name, &bytes, &mut |number| page.store(number + 1, Ordering::Relaxed)) {
        Ok(html) => crate::print(&html).map(|()| 0),
        Err(error) => {
            let hint = error.hint().unwrap_or_default();
            crate::print(&[error.message(), "\n", hint].concat()).map(|()| 1)
        }
    }
}
