//! Files: finding documents, reading them, and writing results whole or not at all.
#![expect(clippy::disallowed_methods, reason = "this is where the command line reaches the file system")]

mod find;
pub mod index;
mod remote;
mod site;
pub mod vectors;
pub mod write;

use std::path::PathBuf;

pub(super) use find::{DOCUMENT_ENDINGS, DocumentFile, FoundFiles, find};
pub use find::{below, source_name};
pub(super) use site::FoundSite;
pub use write::{
    check_writable, create_folder, create_folder_of, failed, read, read_if_there, read_input, write,
};

use crate::system::variable;

/// Finds the folder `ibid` where this user's programs keep files of a kind, by the XDG Base Directory Specification:
/// below what the environment names, else below `usual` in the home folder.
pub(crate) fn own_folder(name: &str, usual: &str) -> Option<PathBuf> {
    let home = || Some(PathBuf::from(variable("HOME").or_else(|| variable("USERPROFILE"))?).join(usual));
    Some(variable(name).map(PathBuf::from).or_else(home)?.join("ibid"))
}
