//! Building the graph with `instant-distance`, and reading its layers out of it.

use instant_distance::{Builder, Point};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::ser::{Serialize, Serializer};
use serde::{Deserialize, de};

use super::graph::{BASE_WIDTH, Layers, NO_NEIGHBOUR};
use ibid_platform::{Error, ErrorCode, Result, checksum, order};
use ibid_vectors::VectorCodes;

/// Fixes how `instant-distance` shuffles its nodes.
const SEED: u64 = 0x6962_6964;
/// Candidates considered for each node's neighbours. More is slower to build and finds slightly more.
const EF_CONSTRUCTION: usize = 100;

fn internal() -> Error {
    Error::new(ErrorCode::Internal, "The graph that was built has an unexpected shape.")
}

/// A centroid as `instant-distance` sees it.
#[derive(Clone)]
struct GraphNode<'a>(&'a VectorCodes);

impl Point for GraphNode<'_> {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - self.0.cosine(other.0)
    }
}

/// The graph is read out of `instant-distance` by way of serde, the only door to its layers; the vectors themselves
/// are already at hand and stay out of it.
impl Serialize for GraphNode<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// The serialized form of `instant_distance::Hnsw` 0.6, in the order of its fields.
#[derive(Deserialize)]
struct Hnsw {
    _ef_search: u64,
    _points: Vec<()>,
    zero: Vec<GraphRow<64>>,
    layers: Vec<Vec<GraphRow<32>>>,
}

/// A node's neighbours, `u32::MAX` for none.
struct GraphRow<const N: usize>([u32; N]);

impl<'de, const N: usize> Deserialize<'de> for GraphRow<N> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<const N: usize>;
        impl<'de, const N: usize> de::Visitor<'de> for Visitor<N> {
            type Value = GraphRow<N>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{N} neighbours")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<GraphRow<N>, A::Error> {
                let mut row = [NO_NEIGHBOUR; N];
                for (at, slot) in row.iter_mut().enumerate() {
                    *slot = items.next_element()?.ok_or_else(|| de::Error::invalid_length(at, &self))?;
                }
                Ok(GraphRow(row))
            }
        }
        deserializer.deserialize_tuple(N, Visitor)
    }
}

/// Builds the layers over all centroids, on one thread: the order in which they come in, and so the graph, is always the
/// same.
pub(super) fn build(centroids: &[VectorCodes]) -> Result<Layers> {
    if centroids.is_empty() {
        return Ok(Layers::default());
    }
    let handed = order_to_hand_over(centroids.len());
    let nodes: Vec<GraphNode<'_>> = handed.iter().map(|&node| GraphNode(&centroids[node as usize])).collect();
    let builder = Builder::default().seed(SEED).ef_construction(EF_CONSTRUCTION);
    let (hnsw, places) = on_one_thread(|| builder.build_hnsw(nodes))?;
    let bytes = postcard::to_allocvec(&hnsw).map_err(|_| internal())?;
    let hnsw: Hnsw = postcard::from_bytes(&bytes).map_err(|_| internal())?;

    // `instant-distance` numbers its nodes anew, those of the upper layers first; back to the clusters' numbers.
    let mut node_of = vec![NO_NEIGHBOUR; places.len()];
    for (place, node) in places.into_iter().zip(handed) {
        *node_of.get_mut(place.into_inner() as usize).ok_or_else(internal)? = node;
    }
    let entry = *node_of.first().ok_or_else(internal)?;
    let mut base = vec![[NO_NEIGHBOUR; BASE_WIDTH]; centroids.len()];
    for (row, &node) in hnsw.zero.iter().zip(&node_of) {
        base[node as usize] = renumber(&row.0, &node_of);
    }
    let upper = hnsw.layers.iter().rev().map(|layer| {
        let mut rows: Vec<_> =
            layer.iter().zip(&node_of).map(|(row, &node)| (node, renumber(&row.0, &node_of))).collect();
        order::by_key(&mut rows, |(node, _)| *node);
        rows
    });
    Ok(Layers { upper: upper.collect(), base, entry })
}

/// Computes the order of the nodes that `instant-distance` shuffles to their order by hash, which gives each its layer
/// and its turn.
///
/// It shuffles by rand's `SmallRng`, which is another generator where addresses have 32 bits: nodes handed over as they come
/// would make one graph natively and another in a page.
fn order_to_hand_over(count: usize) -> Vec<u32> {
    let mut by_hash: Vec<u32> = (0..count as u32).collect();
    order::by_key(&mut by_hash, |node| checksum(&[&node.to_le_bytes()]));
    let mut random = SmallRng::seed_from_u64(SEED);
    let mut shuffled: Vec<_> = (0..count).map(|slot| (random.gen_range(0..count as u32), slot)).collect();
    order::by_key(&mut shuffled, |drawn| *drawn);
    let mut handed = vec![0; count];
    shuffled.into_iter().zip(by_hash).for_each(|((_, slot), node)| handed[slot] = node);
    handed
}

/// Reads the first neighbours of a row under their clusters' numbers.
fn renumber<const N: usize>(row: &[u32], node_of: &[u32]) -> [u32; N] {
    let mut out = [NO_NEIGHBOUR; N];
    let known = row.iter().map_while(|&place| node_of.get(place as usize));
    out.iter_mut().zip(known).for_each(|(slot, &node)| *slot = node);
    out
}

#[cfg(not(target_arch = "wasm32"))]
fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool
        .map_err(|error| Error::new(ErrorCode::Internal, format!("No thread could be started: {error}.")))?;
    Ok(pool.install(work))
}

/// A page has one thread anyway.
#[cfg(target_arch = "wasm32")]
#[expect(clippy::unnecessary_wraps, reason = "natively, starting the thread can fail")]
fn on_one_thread<T>(work: impl FnOnce() -> T) -> Result<T> {
    Ok(work())
}

#[cfg(test)]
mod tests {
    use ibid_vectors::Embedding;

    use super::*;

    #[test]
    fn nodes_have_their_layers_by_hash_whatever_the_platform_draws() {
        let random_axis = |seed: u32| {
            let numbers: Vec<f32> = (0..8_u32)
                .map(|at| (checksum(&[&(seed * 8 + at).to_le_bytes()]) % 201) as f32 - 100.0)
                .collect();
            VectorCodes::new(&Embedding::normalized(numbers))
        };
        let centroids: Vec<_> = (0..500).map(random_axis).collect();
        let layers = build(&centroids).expect("a graph");
        let mut by_hash: Vec<u32> = (0..500).collect();
        by_hash.sort_by_key(|node| checksum(&[&node.to_le_bytes()]));
        assert_eq!(layers.entry, by_hash[0]);
        for layer in &layers.upper {
            let mut first = by_hash[..layer.len()].to_vec();
            first.sort_unstable();
            assert_eq!(layer.iter().map(|(node, _)| *node).collect::<Vec<_>>(), first);
        }
        assert!(!layers.upper.is_empty());
    }
}
