//! Sorting by one small sort for all types. The standard library's is compiled for each type and each comparison, at 3 KB
//! each; with that of this crate's two dozen the module that answers questions would be a twentieth larger. Where sorting
//! takes most of the time, as in the building of an index, the standard library's is the one to use.

use std::cmp::Ordering;

/// Sorts by a comparison; equals keep their order.
pub fn by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut target = targets(items.len(), &|one, other| compare(&items[one], &items[other]));
    for at in 0..target.len() {
        // Each exchange brings one item to its place for good.
        while target[at] != at {
            let to = target[at];
            items.swap(at, to);
            target.swap(at, to);
        }
    }
}

/// Sorts by a key; equals keep their order.
pub fn by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    by(items, |one, other| key(one).cmp(&key(other)));
}

/// Computes the place where each of that many items belongs.
fn targets(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut target = vec![0; count];
    for (to, from) in sorted(count, compare).into_iter().enumerate() {
        target[from] = to;
    }
    target
}

/// A merge sort of the numbers of items, from runs of one.
fn sorted(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut runs: Vec<usize> = (0..count).collect();
    let mut merged = runs.clone();
    let mut length = 1;
    while length < count {
        let mut start = 0;
        while start < count {
            let middle = (start + length).min(count);
            let end = (middle + length).min(count);
            let (mut left, mut right) = (start, middle);
            for slot in &mut merged[start..end] {
                let is_left = left < middle && (right == end || compare(runs[left], runs[right]).is_le());
                let next = if is_left { &mut left } else { &mut right };
                *slot = runs[*next];
                *next += 1;
            }
            start = end;
        }
        std::mem::swap(&mut runs, &mut merged);
        length *= 2;
    }
    runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(items in prop::collection::vec((0_u8..8, any::<u16>()), 0..200)) {
            let (mut ours, mut theirs) = (items.clone(), items);
            by_key(&mut ours, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(ours, theirs);
        }
    }
}
