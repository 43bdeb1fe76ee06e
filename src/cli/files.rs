//! The only place that touches files.
#![expect(clippy::disallowed_methods, reason = "this is where the command line reaches the file system")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::error::{Error, ErrorCode, Result};

/// The endings of files that a folder is searched for.
const DOCUMENT_ENDINGS: [&str; 2] = ["md", "markdown"];

fn failed(what: &str, path: &Path, error: &impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::Io, format!("`{}` cannot be {what}: {error}.", path.display()))
}

/// The bytes of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| failed("read", path, &error))
}

/// Writes a file whole or not at all: beside its place first, then renamed into it, so that an index in use stays
/// intact when the disk is full or the command is interrupted.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let result = fs::File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    result.map_err(|error| {
        let _ = fs::remove_file(&beside);
        failed("written", path, &error)
    })
}

/// Makes the folder that a file is to be written into, if it is not there.
pub(super) fn create_folder_of(path: &Path) -> Result<()> {
    path.parent()
        .map_or(Ok(()), |folder| fs::create_dir_all(folder).map_err(|error| failed("written", path, &error)))
}

/// The documents at the given paths, sorted by name: a file as it is, a folder with all in it that ends like a
/// document. Hidden files, and those that `.gitignore` or `.ignore` names, are passed over; links are not followed.
pub(super) fn documents(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_file() {
            found.push(path.clone());
            continue;
        }
        for entry in WalkBuilder::new(path).require_git(false).build() {
            let entry = entry.map_err(|error| failed("read", path, &error))?;
            let ending =
                entry.path().extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
            let is_document = ending.is_some_and(|ending| DOCUMENT_ENDINGS.contains(&ending.as_str()));
            if is_document && entry.file_type().is_some_and(|kind| kind.is_file()) {
                found.push(entry.into_path());
            }
        }
    }
    found.sort_by_cached_key(|path| source_name(path));
    found.dedup_by_key(|path| source_name(path));
    Ok(found)
}

/// A path as documents are named by it: with `/` between folders and no `./` in front.
pub(super) fn source_name(path: &Path) -> String {
    let name = path.to_string_lossy().replace('\\', "/");
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}
