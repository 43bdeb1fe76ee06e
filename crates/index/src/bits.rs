//! A set of small numbers, one bit for each: what conditions are evaluated to.

use std::ops::Range;

/// A set of numbers below an end that is fixed when it is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    end: u32,
}

impl Bits {
    /// Makes the empty set of numbers below `end`.
    pub(crate) fn none(end: u32) -> Self {
        Self { words: vec![0; end.div_ceil(64) as usize], end }
    }

    /// All numbers below `end`.
    pub(crate) fn all(end: u32) -> Self {
        let mut bits = Self::none(end);
        bits.insert_range(0..end);
        bits
    }

    /// Adds a number; one past the end is passed over.
    pub(crate) fn insert(&mut self, at: u32) {
        if at < self.end {
            self.words[at as usize / 64] |= 1 << (at % 64);
        }
    }

    pub(crate) fn insert_range(&mut self, range: Range<u32>) {
        for (word, mask) in masks(range.start..range.end.min(self.end)) {
            self.words[word] |= mask;
        }
    }

    pub(crate) fn remove(&mut self, at: u32) {
        if at < self.end {
            self.words[at as usize / 64] &= !(1 << (at % 64));
        }
    }

    #[inline]
    pub(crate) fn contains(&self, at: u32) -> bool {
        self.words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    pub(crate) fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    pub(crate) fn count_in(&self, range: Range<u32>) -> u32 {
        let count = |(word, mask): (usize, u64)| (self.words[word] & mask).count_ones();
        masks(range.start..range.end.min(self.end)).map(count).sum()
    }

    /// Keeps what is in both.
    pub(crate) fn and(&mut self, other: &Self) {
        self.zip(other, |word, other| word & other);
    }

    /// Adds what is in the other.
    pub(crate) fn or(&mut self, other: &Self) {
        self.zip(other, |word, other| word | other);
    }

    /// Takes out what is in the other.
    pub(crate) fn minus(&mut self, other: &Self) {
        self.zip(other, |word, other| word & !other);
    }

    /// Both have the same end.
    fn zip(&mut self, other: &Self, combine: impl Fn(u64, u64) -> u64) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, &other)| *word = combine(*word, other));
    }

    /// Lists the numbers in a range, in order.
    pub(crate) fn iter_in(&self, range: Range<u32>) -> impl Iterator<Item = u32> + '_ {
        masks(range.start..range.end.min(self.end)).flat_map(|(word, mask)| {
            let mut rest = self.words[word] & mask;
            std::iter::from_fn(move || {
                let at = (rest != 0).then(|| word as u32 * 64 + rest.trailing_zeros());
                rest &= rest.wrapping_sub(1);
                at
            })
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.iter_in(0..self.end)
    }
}

/// Lists the words that a range of bits reaches into, each with those of its bits that are in the range.
fn masks(range: Range<u32>) -> impl Iterator<Item = (usize, u64)> {
    let words = if range.is_empty() { 0..0 } else { range.start / 64..(range.end - 1) / 64 + 1 };
    words.map(move |word| {
        let from = range.start.saturating_sub(word * 64);
        let past = (word * 64 + 63).saturating_sub(range.end - 1);
        (word as usize, (u64::MAX << from) & (u64::MAX >> past))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_set(
            end in 0u32..200,
            one in prop::collection::btree_set(0u32..200, 0..40),
            two in prop::collection::btree_set(0u32..200, 0..40),
            (from, to) in (0u32..220, 0u32..220),
        ) {
            let below = |set: &BTreeSet<u32>| set.iter().copied().filter(|at| *at < end).collect::<BTreeSet<_>>();
            let bits = |set: &BTreeSet<u32>| {
                let mut bits = Bits::none(end);
                set.iter().for_each(|at| bits.insert(*at));
                bits
            };
            let set = |bits: &Bits| bits.iter().collect::<BTreeSet<_>>();
            let (a, b) = (below(&one), below(&two));
            prop_assert_eq!(set(&bits(&one)), a.clone());
            prop_assert_eq!(bits(&one).count() as usize, a.len());
            prop_assert!((0..250).all(|at| bits(&one).contains(at) == a.contains(&at)));
            let with = |combine: fn(&mut Bits, &Bits)| {
                let mut bits_a = bits(&one);
                combine(&mut bits_a, &bits(&two));
                set(&bits_a)
            };
            prop_assert_eq!(with(Bits::and), &a & &b);
            prop_assert_eq!(with(Bits::or), &a | &b);
            prop_assert_eq!(with(Bits::minus), &a - &b);
            let inside: Vec<u32> = a.iter().copied().filter(|at| (from..to).contains(at)).collect();
            prop_assert_eq!(bits(&one).iter_in(from..to).collect::<Vec<_>>(), inside.clone());
            prop_assert_eq!(bits(&one).count_in(from..to) as usize, inside.len());
            let mut ranged = bits(&one);
            ranged.insert_range(from..to);
            prop_assert_eq!(set(&ranged), &a | &(from..to.max(from)).filter(|at| *at < end).collect());
            for at in 0..250 {
                ranged.remove(at);
            }
            prop_assert_eq!(ranged, Bits::none(end));
            prop_assert_eq!(set(&Bits::all(end)), (0..end).collect());
        }
    }
}
