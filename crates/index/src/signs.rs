//! One bit a component: enough to tell which vectors are worth comparing exactly.
//!
//! The number of components whose signs differ grows with the angle between two vectors (Charikar, "Similarity
//! estimation techniques from rounding algorithms", STOC 2002). Counting them takes one instruction for 64 components,
//! so a collection of some ten thousand vectors is passed over in the time in which a graph would be searched.

use super::candidate::Scratch;

/// Borrowed signs of all vectors of a segment, `words` times 64 bits each.
#[derive(Clone, Copy)]
pub(super) struct VectorSigns<'a> {
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

impl<'a> VectorSigns<'a> {
    /// `None` when the section's length is not that of `count` vectors.
    pub(super) fn new(section: &'a [u8], count: usize, dimensions: usize) -> Option<Self> {
        let words = words_of(dimensions);
        let expected = count.checked_mul(words)?.checked_mul(8)?;
        (section.len() == expected).then_some(Self { section, words })
    }

    /// Hands on the numbers of the `keep` vectors whose signs differ from the query's in the fewest places, in order of
    /// their numbers; of those that differ equally, the first. Asked are the vectors in `ids`, and of these only what is
    /// allowed is handed on: few are best listed, many tested.
    pub(super) fn nearest(
        self,
        query: &[u64],
        keep: usize,
        ids: impl Iterator<Item = u32> + Clone,
        allowed: impl Fn(u32) -> bool,
        scratch: &mut Scratch,
        mut take: impl FnMut(u32),
    ) {
        if self.words == 0 || query.len() != self.words {
            return;
        }
        let Scratch { distances, counts, .. } = scratch;
        // What is not allowed is farther away than anything can be.
        let furthest = self.words * 64;
        let or_refused = |id, distance| if allowed(id) { distance as u16 } else { furthest as u16 + 1 };
        distances.clear();
        // The dimensions that there are, so that the compiler knows how far to unroll.
        match self.words {
            4 => distances.extend(ids.clone().map(|id| or_refused(id, self.distance::<4>(query, id)))),
            6 => distances.extend(ids.clone().map(|id| or_refused(id, self.distance::<6>(query, id)))),
            _ => distances.extend(ids.clone().map(|id| or_refused(id, self.any_distance(query, id)))),
        }
        counts.clear();
        counts.resize(furthest + 2, 0);
        distances.iter().for_each(|&distance| counts[usize::from(distance)] += 1);
        let mut room = keep;
        let mut reach = 0;
        while reach <= furthest && (counts[reach] as usize) < room {
            room -= counts[reach] as usize;
            reach += 1;
        }
        // All nearer than `reach` are kept, and of those at `reach` as many as there is room for.
        for (id, &distance) in ids.zip(&*distances) {
            let distance = usize::from(distance);
            if distance < reach {
                take(id);
            } else if distance == reach && room > 0 && distance <= furthest {
                room -= 1;
                take(id);
            }
        }
    }

    /// The number of places in which a vector's signs differ from the query's.
    #[inline]
    fn distance<const WORDS: usize>(self, query: &[u64], id: u32) -> u32 {
        let vectors = self.section.as_chunks::<8>().0.as_chunks::<WORDS>().0;
        let (Some(signs), Some(query)) = (vectors.get(id as usize), query.first_chunk::<WORDS>()) else {
            return WORDS as u32 * 64;
        };
        (0..WORDS).map(|at| (u64::from_le_bytes(signs[at]) ^ query[at]).count_ones()).sum()
    }

    /// The same for any number of words.
    fn any_distance(self, query: &[u64], id: u32) -> u32 {
        let words = self.section.as_chunks::<8>().0.chunks_exact(self.words).nth(id as usize);
        let differing = |(word, query): (&[u8; 8], &u64)| (u64::from_le_bytes(*word) ^ query).count_ones();
        words.map_or(self.words as u32 * 64, |words| words.iter().zip(query).map(differing).sum())
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
        assert!(VectorSigns::new(&[0; 15], 1, 65).is_none());
        assert!(VectorSigns::new(&[0; 16], 1, 65).is_some());
    }

    proptest! {
        #[test]
        fn the_nearest_are_those_of_a_sort(
            vectors in prop::collection::vec(prop::collection::vec(any::<bool>(), 70), 0..60),
            query in prop::collection::vec(any::<bool>(), 70),
            keep in 0usize..70,
        ) {
            let bytes = section(&vectors);
            let signs = VectorSigns::new(&bytes, vectors.len(), 70).unwrap();
            let allowed = |id: u32| id % 5 != 3;
            let distance = |id: u32| vectors[id as usize].iter().zip(&query).filter(|(a, b)| a != b).count();
            let mut expected: Vec<u32> = (0..vectors.len() as u32).filter(|id| allowed(*id)).collect();
            expected.sort_by_key(|&id| (distance(id), id));
            expected.truncate(keep);
            expected.sort_unstable();
            let (mut found, mut scratch) = (Vec::new(), Scratch::default());
            let query = pack(query.iter().copied());
            let all = 0..vectors.len() as u32;
            signs.nearest(&query, keep, all.clone(), allowed, &mut scratch, |id| found.push(id));
            prop_assert_eq!(&found, &expected);
            found.clear();
            let listed = all.filter(|id| allowed(*id));
            signs.nearest(&query, keep, listed, |_| true, &mut scratch, |id| found.push(id));
            prop_assert_eq!(found, expected);
        }
    }
}
