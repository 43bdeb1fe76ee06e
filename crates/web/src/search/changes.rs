//! Changing the index that is open, in the second part.

use super::parts::Shared;
use ibid_index::Index;
use ibid_platform::{Result, lazily};

lazily!(pub(super) fn attach(shared: &Shared, index: Vec<u8>) -> Result<()> = attach_to);
lazily!(pub(super) fn remove(shared: &Shared, document_id: &str) -> Result<bool> = remove_from);

fn attach_to(shared: &Shared, index: Vec<u8>) -> Result<()> {
    shared.changing()?.index_mut().attach(Index::open(index)?)
}

fn remove_from(shared: &Shared, document_id: &str) -> Result<bool> {
    shared.changing()?.index_mut().remove(document_id)
}
