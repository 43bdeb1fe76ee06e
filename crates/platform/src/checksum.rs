//! The checksum of the files that this project makes.

use std::hash::Hasher;

use twox_hash::XxHash64;

/// The bytes that are hashed by a call. A page's engine optimizes a function while it runs, which counts from the next call
/// on.
const AT_ONCE: usize = 1 << 16;

/// XXH64 with seed 0, as specified by the [xxHash project](https://xxhash.com), of parts as if they were one.
pub fn checksum(parts: &[&[u8]]) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    parts.iter().flat_map(|part| part.chunks(AT_ONCE)).for_each(|bytes| hasher.write(bytes));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_as_if_they_were_one() {
        let bytes: Vec<u8> = (0..3 * AT_ONCE + 5).map(|at| at as u8).collect();
        let (one, other) = bytes.split_at(77);
        assert_eq!(checksum(&[one, &[], other]), XxHash64::oneshot(0, &bytes));
        assert_eq!(checksum(&[]), 0xef46_db37_51d8_e999);
    }
}
