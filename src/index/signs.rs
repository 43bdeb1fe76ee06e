//! One bit a component: enough to tell which vectors are worth comparing exactly.
//!
//! The number of components whose signs differ grows with the angle between two vectors (Charikar, "Similarity
//! estimation techniques from rounding algorithms", STOC 2002). Counting them takes one instruction for 64 components,
//! so a collection of some ten thousand vectors is passed over in the time in which a graph would be searched.

use super::container::u64_at;

/// Borrowed signs of all vectors of a segment, `words` times 64 bits each.
#[derive(Clone, Copy)]
pub(super) struct Signs<'a> {
    section: &'a [u8],
    words: usize,
}

/// The number of 64-bit words that the signs of a vector take.
pub(super) fn words_of(dimensions: usize) -> usize {
    dimensions.div_ceil(64)
}

/// The bits, the first in the lowest place of the first word.
pub(super) fn pack(positive: impl Iterator<Item = bool>) -> Vec<u64> {
    let mut words = Vec::new();
    for (at, positive) in positive.enumerate() {
        if at % 64 == 0 {
            words.push(0);
        }
        if let Some(word) = words.last_mut() {
            *word |= u64::from(positive) << (at % 64);
        }
    }
    words
}

impl<'a> Signs<'a> {
    /// `None` when the section's length is not that of `count` vectors.
    pub(super) fn new(section: &'a [u8], count: usize, dimensions: usize) -> Option<Self> {
        let words = words_of(dimensions);
        let expected = count.checked_mul(words)?.checked_mul(8)?;
        (section.len() == expected).then_some(Self { section, words })
    }

    /// The numbers of the `keep` vectors whose signs differ from the query's in the fewest places, in order of their
    /// number; of those that differ equally, the first. Vectors that `allowed` refuses are passed over.
    pub(super) fn nearest(self, query: &[u64], keep: usize, allowed: impl Fn(u32) -> bool) -> Vec<u32> {
        let limit = self.words * 64;
        let bytes = self.words * 8;
        if bytes == 0 || query.len() != self.words {
            return Vec::new();
        }
        let mut counts = vec![0usize; limit + 1];
        // A vector that is not allowed is marked as farther away than any can be.
        let distances: Vec<u32> = self
            .section
            .chunks_exact(bytes)
            .zip(0u32..)
            .map(|(signs, id)| {
                if !allowed(id) {
                    return u32::MAX;
                }
                let differing = |(at, word): (usize, &u64)| (u64_at(signs, at * 8) ^ word).count_ones();
                let distance: u32 = query.iter().enumerate().map(differing).sum();
                counts[distance as usize] += 1;
                distance
            })
            .collect();
        let mut room = keep;
        let mut reach = 0;
        while let Some(&count) = counts.get(reach).filter(|count| **count < room) {
            room -= count;
            reach += 1;
        }
        // All nearer than `reach` are kept, and of those at `reach` as many as there is room for.
        let mut found = Vec::with_capacity(keep.min(distances.len()));
        for (id, &distance) in (0u32..).zip(&distances) {
            if (distance as usize) < reach {
                found.push(id);
            } else if distance as usize == reach && room > 0 {
                room -= 1;
                found.push(id);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn section(vectors: &[Vec<bool>]) -> Vec<u8> {
        vectors.iter().flat_map(|vector| pack(vector.iter().copied())).flat_map(u64::to_le_bytes).collect()
    }

    #[test]
    fn bits_go_where_the_format_says() {
        assert_eq!(pack([true, false, true].into_iter()), [5]);
        assert_eq!(pack((0..65).map(|at| at == 64)), [0, 1]);
        assert!(Signs::new(&[0; 15], 1, 65).is_none());
        assert!(Signs::new(&[0; 16], 1, 65).is_some());
    }

    proptest! {
        #[test]
        fn the_nearest_are_those_of_a_sort(
            vectors in prop::collection::vec(prop::collection::vec(any::<bool>(), 70), 0..60),
            query in prop::collection::vec(any::<bool>(), 70),
            keep in 0usize..70,
        ) {
            let bytes = section(&vectors);
            let signs = Signs::new(&bytes, vectors.len(), 70).unwrap();
            let allowed = |id: u32| id % 5 != 3;
            let distance = |id: u32| vectors[id as usize].iter().zip(&query).filter(|(a, b)| a != b).count();
            let mut expected: Vec<u32> = (0..vectors.len() as u32).filter(|id| allowed(*id)).collect();
            expected.sort_by_key(|&id| (distance(id), id));
            expected.truncate(keep);
            expected.sort_unstable();
            prop_assert_eq!(signs.nearest(&pack(query.iter().copied()), keep, allowed), expected);
        }
    }
}
