//! Grouping vectors by spherical k-means (Dhillon and Modha, 2001), in a large index twice (Sun et al., 2023).

use ibid_embed::Embedding;
use ibid_platform::order;
use ibid_vectors::VectorCodes;

/// Clusters for each root of the number of vectors. More are smaller, so that less is read for the same recall, and their
/// centroids are more to read first.
const PER_ROOT: f32 = 8.0;
/// Fewer vectors than these get half as many: there the centroids are as much to read as what they save.
const FEW: usize = 4000;
/// More vectors than these are a large index: twice as many clusters, few of whose centroids are read; each vector in two
/// of them; and coarse codes. In one cluster each, 100,000 passages took 468 KB for a recall of 0.898; in two, 398 for 0.904.
/// In smaller ones a second cluster saves no bytes, and the file is a sixth larger.
pub(super) const LARGE: usize = 10_000;
/// Fewer vectors than these are one cluster, which is fetched with one request.
const LEAST: usize = 400;
/// The clusters of a group, about.
const PER_GROUP: usize = 32;
/// The vectors for each centroid that centroids are moved by, spread over all.
const SAMPLE: usize = 48;
/// The rounds in which they are moved. After six, 13,500 and 144,000 passages needed as few clusters for the same recall
/// as after twenty.
const ROUNDS: usize = 6;
/// The groups whose centroids a vector is compared with, where centroids are many: to move these, and to choose the
/// vector's own. Of the second number, a half has a search among 144,000 passages compare a fifth more.
const MOVING_GROUPS: usize = 4;
const NEAR_GROUPS: usize = 16;

/// The weight, in choosing a vector's second cluster, of lying in the same direction as the first. By 1, 2 % more codes
/// are read, and by 0, as in SPANN, as many as without a second one.
const ASIDE: f32 = 1.5;

/// Vectors that belong together: those of passages in a cluster, or the centroids of clusters in a group.
#[derive(Clone)]
pub(super) struct Group {
    /// The direction of the mean of its vectors, of unit length.
    pub(super) centroid: VectorCodes,
    /// The numbers of its vectors, ascending; one at least.
    pub(super) members: Vec<u32>,
}

/// Puts vectors into clusters, and clusters into groups: the centroid of each group with its clusters. Neighbours are
/// near each other, so that a query's clusters lie together in the file. The same vectors make the same clusters,
/// however many cores there are.
pub(super) fn clusters(vectors: &[VectorCodes]) -> Vec<(VectorCodes, Vec<Group>)> {
    let count = match vectors.len() {
        few if few < LEAST => few.min(1),
        few if few < FEW => ((few as f32).sqrt() * PER_ROOT / 2.0) as usize,
        many if many > LARGE => ((many as f32).sqrt() * PER_ROOT * 2.0) as usize,
        many => ((many as f32).sqrt() * PER_ROOT) as usize,
    };
    let mut clusters = group(vectors, count);
    let centroids: Vec<VectorCodes> = clusters.iter().map(|cluster| cluster.centroid.clone()).collect();
    if vectors.len() > LARGE {
        put_twice(vectors, &centroids, &mut clusters);
    }
    let groups = in_a_row(group(&centroids, centroids.len().div_ceil(PER_GROUP)));
    let mut clusters: Vec<Option<Group>> = clusters.into_iter().map(Some).collect();
    let mut of = |group: Group| {
        let own = group.members.iter().filter_map(|&at| clusters[at as usize].take()).collect();
        (group.centroid, in_a_row(own))
    };
    groups.into_iter().map(&mut of).collect()
}

/// Groups vectors around `count` centroids; those that are nearest to no vector are left out.
fn group(vectors: &[VectorCodes], count: usize) -> Vec<Group> {
    // In 64 bits everywhere: a page's `usize` has 32.
    let spread = |among: usize, at: usize| (at as u64 * vectors.len() as u64 / among as u64) as usize;
    let mut centroids: Vec<VectorCodes> = (0..count).map(|at| vectors[spread(count, at)].clone()).collect();
    let sample: Vec<u32> = {
        let size = vectors.len().min(count * SAMPLE);
        (0..size).map(|at| spread(size, at) as u32).collect()
    };
    let rounds = if count > 1 { ROUNDS } else { 0 };
    for _ in 0..rounds {
        let moved = assign(vectors, &sample, &CentroidSearch::new(&centroids, MOVING_GROUPS));
        for (centroid, members) in centroids.iter_mut().zip(moved).filter(|(_, members)| !members.is_empty())
        {
            *centroid = direction(vectors, &members);
        }
    }
    let all: Vec<u32> = (0..vectors.len() as u32).collect();
    let full = assign(vectors, &all, &CentroidSearch::new(&centroids, NEAR_GROUPS));
    let full = full.into_iter().filter(|members| !members.is_empty());
    full.map(|members| Group { centroid: direction(vectors, &members), members }).collect()
}

/// Puts each vector into a second cluster, so that a query which misses its first one may come to it: SOAR (Sun et al.,
/// arXiv:2404.00774). The vector's difference from the second centroid is short, and has little in the direction of its
/// difference from the first.
fn put_twice(vectors: &[VectorCodes], centroids: &[VectorCodes], clusters: &mut [Group]) {
    let search = CentroidSearch::new(centroids, NEAR_GROUPS);
    let mut firsts = vec![0; vectors.len()];
    for (at, cluster) in clusters.iter().enumerate() {
        cluster.members.iter().for_each(|&member| firsts[member as usize] = at as u32);
    }
    let seconds = on_all(vectors.len(), |at| search.second(&vectors[at], firsts[at]));
    for ((member, first), second) in (0..).zip(firsts).zip(seconds) {
        // Where all vectors are the same there is one cluster.
        if second != first {
            clusters[second as usize].members.push(member);
        }
    }
    clusters.iter_mut().for_each(|cluster| order::by(&mut cluster.members, Ord::cmp));
}

/// Finds the vectors, of those with these numbers, that are nearest to each centroid.
fn assign(vectors: &[VectorCodes], numbers: &[u32], search: &CentroidSearch<'_>) -> Vec<Vec<u32>> {
    let nearest = on_all(numbers.len(), |at| search.nearest(&vectors[numbers[at] as usize]));
    let mut members = vec![Vec::new(); search.centroids.len()];
    for (&number, centroid) in numbers.iter().zip(nearest) {
        members[centroid as usize].push(number);
    }
    members
}

/// Finds the nearest centroid of a vector. Where they are many, it looks at those of the nearest groups alone.
struct CentroidSearch<'a> {
    centroids: &'a [VectorCodes],
    groups: Vec<Group>,
    /// The number of groups that it looks at.
    near: usize,
}

impl<'a> CentroidSearch<'a> {
    fn new(centroids: &'a [VectorCodes], near: usize) -> Self {
        let mut groups = match centroids.len() / PER_GROUP {
            few if few <= 2 * NEAR_GROUPS => Vec::new(),
            many => group(centroids, many),
        };
        // Centroids that are all alike are in one.
        if groups.len() <= NEAR_GROUPS {
            groups.clear();
        }
        Self { centroids, groups, near }
    }

    /// Finds the number of the nearest centroid.
    fn nearest(&self, vector: &VectorCodes) -> u32 {
        let near = self.near(vector);
        best_of(&near, vector.cosines(self.among(&near)))
    }

    /// Finds the number of the best second centroid next to the first.
    fn second(&self, vector: &VectorCodes, first: u32) -> u32 {
        let without = vector.components().zip(self.centroids[first as usize].components());
        let rest = VectorCodes::new(&Embedding::normalized(without.map(|(x, y)| x - y).collect()));
        let along = rest.cosine(vector);
        let near = self.near(vector);
        let cosines = vector.cosines(self.among(&near)).into_iter().zip(rest.cosines(self.among(&near)));
        let score = |(&at, (cosine, of_rest)): (&u32, (f32, f32))| {
            let aside = along - of_rest;
            if at == first { f32::MIN } else { 2.0 * cosine - ASIDE * aside * aside }
        };
        best_of(&near, near.iter().zip(cosines).map(score))
    }

    /// Finds the numbers of the centroids that a vector is compared with.
    fn near(&self, vector: &VectorCodes) -> Vec<u32> {
        if self.groups.is_empty() {
            return (0..self.centroids.len() as u32).collect();
        }
        let cosines = vector.cosines(self.groups.iter().map(|group| &group.centroid));
        let mut near: Vec<(f32, &Group)> = cosines.into_iter().zip(&self.groups).collect();
        let (near, ..) = near.select_nth_unstable_by(self.near, |a, b| b.0.total_cmp(&a.0));
        near.iter().flat_map(|(_, group)| &group.members).copied().collect()
    }

    fn among<'b>(&'b self, numbers: &'b [u32]) -> impl ExactSizeIterator<Item = &'b VectorCodes> {
        numbers.iter().map(|&at| &self.centroids[at as usize])
    }
}

/// Finds the number with the highest score, the first of several.
fn best_of(numbers: &[u32], scores: impl IntoIterator<Item = f32>) -> u32 {
    let best = numbers.iter().zip(scores).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(a.0)));
    best.map_or(0, |(at, _)| *at)
}

/// Groups in an order in which neighbours are near each other.
fn in_a_row(mut rest: Vec<Group>) -> Vec<Group> {
    let mut order: Vec<Group> = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let near = |group: &Group| order.last().map_or(0.0, |last| last.centroid.cosine(&group.centroid));
        let nearness: Vec<f32> = rest.iter().map(near).collect();
        let best = (0..rest.len()).max_by(|&a, &b| nearness[a].total_cmp(&nearness[b]).then(b.cmp(&a)));
        order.push(rest.remove(best.unwrap_or_default()));
    }
    order
}

/// Computes the direction of the sum of vectors.
fn direction(vectors: &[VectorCodes], members: &[u32]) -> VectorCodes {
    let dimensions = vectors.first().map_or(0, |vector| vector.codes.len());
    let mut sum = vec![0.0f32; dimensions];
    for &at in members {
        sum.iter_mut().zip(vectors[at as usize].components()).for_each(|(sum, x)| *sum += x);
    }
    VectorCodes::new(&Embedding::normalized(sum))
}

/// Does something for each number below `count`, on all cores; what it returns is in their order.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn on_all<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    use rayon::prelude::*;
    (0..count).into_par_iter().map(work).collect()
}

/// A page has one thread.
#[cfg(target_arch = "wasm32")]
pub(super) fn on_all<T>(count: usize, work: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(work).collect()
}

/// Does two things, at once where there are threads.
#[cfg(not(target_arch = "wasm32"))]
pub(in super::super) fn both<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    rayon::join(first, second)
}

/// A page has one thread.
#[cfg(target_arch = "wasm32")]
pub(in super::super) fn both<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
    (first(), second())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members_of(vectors: &[VectorCodes]) -> Vec<Vec<u32>> {
        clusters(vectors).into_iter().flat_map(|(_, group)| group).map(|cluster| cluster.members).collect()
    }

    #[test]
    fn each_vector_of_a_large_index_is_in_two_clusters() {
        let component =
            |at: usize| ((at as u32).wrapping_mul(2_654_435_761) >> 8) as f32 / 2.0f32.powi(23) - 1.0;
        let vector = |at: usize| Embedding::normalized((0..8).map(|i| component(8 * at + i)).collect());
        let vectors: Vec<VectorCodes> = (0..=LARGE).map(|at| VectorCodes::new(&vector(at))).collect();
        let members = members_of(&vectors);
        assert!(members.iter().all(|members| members.is_sorted_by(|a, b| a < b)));
        let mut homes = vec![0; vectors.len()];
        members.iter().flatten().for_each(|&member| homes[member as usize] += 1);
        assert!(homes.iter().all(|&homes| homes == 2));

        let few = members_of(&vectors[..LARGE]);
        assert_eq!(few.iter().map(Vec::len).sum::<usize>(), LARGE);
    }

    #[test]
    fn what_is_all_the_same_is_one_cluster() {
        let same = VectorCodes::new(&Embedding::normalized(vec![1.0, 2.0, 3.0]));
        let members = members_of(&vec![same; LARGE + 1]);
        assert_eq!(members, [(0..=LARGE as u32).collect::<Vec<_>>()]);
    }
}
