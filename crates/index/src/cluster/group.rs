//! Grouping vectors by spherical k-means (Dhillon and Modha, 2001).

use ibid_embed::Embedding;
use ibid_vectors::VectorCodes;

/// Clusters for each root of the number of vectors. More are smaller, so that less is read for the same recall, and their
/// centroids are more to read first.
const PER_ROOT: f32 = 4.0;
/// Fewer vectors than these are one cluster, which is fetched with one request.
const LEAST: usize = 400;
/// The vectors for each cluster that centroids are moved by, spread over all.
const SAMPLE: usize = 48;
/// The rounds in which they are moved.
const ROUNDS: usize = 10;

/// Vectors in groups.
pub(super) struct Groups {
    /// The direction of the mean of each group's vectors, of unit length.
    pub(super) centroids: Vec<VectorCodes>,
    /// The numbers of its vectors, ascending; no group is empty.
    pub(super) members: Vec<Vec<u32>>,
}

/// Groups vectors. The same vectors make the same groups, however many cores there are.
pub(super) fn group(vectors: &[VectorCodes]) -> Groups {
    let count = match vectors.len() {
        few if few < LEAST => few.min(1),
        many => ((many as f32).sqrt() * PER_ROOT) as usize,
    };
    if count == 0 {
        return Groups { centroids: Vec::new(), members: Vec::new() };
    }
    let spread = |among: usize, at: usize| at * vectors.len() / among;
    let mut centroids: Vec<VectorCodes> = (0..count).map(|at| vectors[spread(count, at)].clone()).collect();
    let sample = vectors.len().min(count * SAMPLE);
    for _ in 0..if count > 1 { ROUNDS } else { 0 } {
        let nearest = on_all(sample, |at| nearest(&vectors[spread(sample, at)], &centroids));
        let mut members = vec![Vec::new(); count];
        for (at, cluster) in nearest.into_iter().enumerate() {
            members[cluster as usize].push(spread(sample, at) as u32);
        }
        for (centroid, members) in
            centroids.iter_mut().zip(&members).filter(|(_, members)| !members.is_empty())
        {
            *centroid = direction(vectors, members);
        }
    }
    let nearest = on_all(vectors.len(), |at| nearest(&vectors[at], &centroids));
    let mut members = vec![Vec::new(); count];
    for (at, cluster) in (0..).zip(nearest) {
        members[cluster as usize].push(at);
    }
    let full: Vec<u32> =
        in_a_row(&centroids).into_iter().filter(|&at| !members[at as usize].is_empty()).collect();
    let members: Vec<Vec<u32>> = full.iter().map(|&at| std::mem::take(&mut members[at as usize])).collect();
    Groups { centroids: members.iter().map(|members| direction(vectors, members)).collect(), members }
}

/// The number of the nearest centroid, the first of several.
fn nearest(vector: &VectorCodes, centroids: &[VectorCodes]) -> u32 {
    let mut best = (0, f32::NEG_INFINITY);
    for (at, centroid) in (0..).zip(centroids) {
        let score = vector.cosine(centroid);
        if score > best.1 {
            best = (at, score);
        }
    }
    best.0
}

/// Clusters in an order in which neighbours are near each other, so that a query's clusters lie together in the file.
fn in_a_row(centroids: &[VectorCodes]) -> Vec<u32> {
    let mut rest: Vec<u32> = (1..centroids.len() as u32).collect();
    let mut order = vec![0];
    while !rest.is_empty() {
        let last = &centroids[*order.last().unwrap_or(&0) as usize];
        let near = |at: &u32| last.cosine(&centroids[*at as usize]);
        let best = (0..rest.len()).max_by(|&a, &b| near(&rest[a]).total_cmp(&near(&rest[b])).then(b.cmp(&a)));
        order.push(rest.remove(best.unwrap_or_default()));
    }
    order
}

/// The direction of the sum of vectors.
fn direction(vectors: &[VectorCodes], members: &[u32]) -> VectorCodes {
    let dimensions = vectors.first().map_or(0, |vector| vector.codes.len());
    let mut sum = vec![0.0f32; dimensions];
    for &at in members {
        let vector = &vectors[at as usize];
        sum.iter_mut().zip(&vector.codes).for_each(|(sum, &x)| *sum += f32::from(x as i8) * vector.scale);
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
