//! Packing of sections that are needed first: deflated in the file, and unpacked once, when an index is opened.

use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use super::container::{SectionId, SharedBytes, corrupt, u32_at};
use ibid_platform::Result;

/// The length of the section, unpacked, before it.
const HEAD_BYTES: usize = 4;
/// The most that a section may shrink, so that a small file cannot make its reader reserve much. The writer fills up
/// with zeros where deflate packs better; sections of real documents stay below.
const BEST_RATIO: usize = 8;

/// Packs bytes with deflate (RFC 1951).
pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    // Level 9 costs little compared with embedding the same text.
    miniz_oxide::deflate::compress_to_vec(bytes, 9)
}

/// Packs a section.
pub(super) fn pack(section: &[u8]) -> Vec<u8> {
    let mut packed = deflate(section);
    packed.resize(packed.len().max(section.len().div_ceil(BEST_RATIO)), 0);
    let body = if packed.len() < section.len() { &packed } else { section };
    [&(section.len() as u32).to_le_bytes(), body].concat()
}

/// Unpacks a section.
pub(super) fn unpack(id: SectionId, section: &SharedBytes) -> Result<SharedBytes> {
    let read = || {
        let (head, packed) = section.split_at_checked(HEAD_BYTES)?;
        let length = u32_at(head, 0) as usize;
        if length == packed.len() {
            return section.slice(HEAD_BYTES..section.len());
        }
        if length < packed.len() || length > packed.len().saturating_mul(BEST_RATIO) {
            return None;
        }
        let mut out = vec![0; length];
        let unpacked = decompress_slice_iter_to_slice(&mut out, std::iter::once(packed), false, true).ok()?;
        (unpacked == length).then(|| out.into())
    };
    let damaged = || corrupt(format!("its section `{}` cannot be unpacked", String::from_utf8_lossy(&id)));
    read().ok_or_else(damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(section in prop::collection::vec(0u8..3, 0..2000)) {
            let packed = pack(&section);
            prop_assert!(packed.len() <= section.len() + HEAD_BYTES);
            prop_assert!(*unpack(*b"test", &packed.into()).unwrap() == *section);
        }

        #[test]
        fn no_bytes_make_it_panic_or_reserve_much(
            section in prop::collection::vec(any::<u8>(), 0..80),
            length in 0u32..700,
        ) {
            let section: SharedBytes = [length.to_le_bytes().to_vec(), section].concat().into();
            if let Ok(out) = unpack(*b"test", &section) {
                prop_assert!(out.len() <= section.len() * BEST_RATIO);
            }
        }
    }
}
