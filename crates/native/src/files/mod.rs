//! Files: finding documents, reading them, and writing results whole or not at all.
#![expect(clippy::disallowed_methods, reason = "this is where the command line reaches the file system")]

mod find;
pub mod index;
mod remote;
mod site;
pub mod vectors;
pub mod write;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub(super) use find::{DOCUMENT_ENDINGS, DocumentFile, FoundFiles, find};
pub(super) use site::FoundSite;
pub use write::{check_writable, create_folder, create_folder_of, write};

use ignore::{DirEntry, WalkBuilder};

use crate::system::variable;
use ibid_platform::{Error, ErrorCode, Result};

/// The error for a path that cannot be read, written and so on, with advice where the system's words give none.
pub fn failed(what: &str, path: &Path, error: &std::io::Error) -> Error {
    let described = Error::new(ErrorCode::Io, format!("`{}` cannot be {what}: {error}.", path.display()));
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            described.with_hint("Free some space, then run the same command again.")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            described.with_hint("Name a place that you have the right to use.")
        }
        _ => described,
    }
}

/// The bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| failed("read", path, &error))
}

/// The bytes of a file, or `None` where there is no such file.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path, &error)),
    }
}

/// The files below a folder, sorted, without following links. A folder further down that cannot be read has none.
pub fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    fs::read_dir(folder).map_err(|error| failed("read", folder, &error))?;
    let walk = WalkBuilder::new(folder).standard_filters(false).build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut paths: Vec<PathBuf> = files.map(DirEntry::into_path).collect();
    paths.sort();
    Ok(paths)
}

/// The folder `ibid` where this user's programs keep files of a kind, by the XDG Base Directory Specification: below what
/// the environment names, else below `usual` in the home folder.
pub(crate) fn own_folder(name: &str, usual: &str) -> Option<PathBuf> {
    let home = || Some(PathBuf::from(variable("HOME").or_else(|| variable("USERPROFILE"))?).join(usual));
    Some(variable(name).map(PathBuf::from).or_else(home)?.join("ibid"))
}

/// A path as documents are named by it: with `/` between folders and no `./` in front.
pub fn source_name(path: &Path) -> String {
    let name = path.to_string_lossy().replace('\\', "/");
    let mut name = name.as_str();
    while let Some(rest) = name.strip_prefix("./") {
        name = rest.trim_start_matches('/');
    }
    name.to_owned()
}
