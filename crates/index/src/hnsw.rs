//! Building the graph with `instant-distance`, and reading its layers out of it.

use instant_distance::{Builder, Point};
use serde::ser::{Serialize, Serializer};
use serde::{Deserialize, de};

use super::graph::{BASE_WIDTH, Layers, NO_NEIGHBOUR};
use super::vectors::StoredVectors;
use ibid_platform::{Error, ErrorCode, Result};

/// Fixes the layer that each vector gets, so that the same input gives the same bytes.
const SEED: u64 = 0x6962_6964;
/// Candidates considered for each vector's neighbours. More is slower to build and finds slightly more.
const EF_CONSTRUCTION: usize = 100;

fn internal() -> Error {
    Error::new(ErrorCode::Internal, "The graph that was built has an unexpected shape.")
}

/// A stored vector as `instant-distance` sees it.
#[derive(Clone)]
struct GraphNode<'a> {
    vectors: StoredVectors<'a>,
    id: usize,
}

impl Point for GraphNode<'_> {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - self.vectors.score_between(self.id, other.id)
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

/// Builds the layers over all vectors. `threads` other than one is faster, but the order in which vectors come in, and
/// so the graph, then differs from run to run.
pub(super) fn build(vectors: StoredVectors<'_>, threads: Threads) -> Result<Layers> {
    if vectors.len() == 0 {
        return Ok(Layers::default());
    }
    let nodes: Vec<GraphNode<'_>> = (0..vectors.len()).map(|id| GraphNode { vectors, id }).collect();
    let builder = Builder::default().seed(SEED).ef_construction(EF_CONSTRUCTION);
    let (hnsw, places) = on_threads(threads, || builder.build_hnsw(nodes))?;
    let bytes = postcard::to_allocvec(&hnsw).map_err(|_| internal())?;
    let hnsw: Hnsw = postcard::from_bytes(&bytes).map_err(|_| internal())?;

    // `instant-distance` numbers its nodes anew, those of the upper layers first; back to the chunks' numbers.
    let mut chunk_of = vec![NO_NEIGHBOUR; places.len()];
    for (chunk, place) in places.into_iter().enumerate() {
        *chunk_of.get_mut(place.into_inner() as usize).ok_or_else(internal)? = chunk as u32;
    }
    let entry = *chunk_of.first().ok_or_else(internal)?;
    let mut base = vec![[NO_NEIGHBOUR; BASE_WIDTH]; vectors.len()];
    for (row, &chunk) in hnsw.zero.iter().zip(&chunk_of) {
        base[chunk as usize] = renumber(&row.0, &chunk_of);
    }
    let upper = hnsw.layers.iter().rev().map(|layer| {
        let mut rows: Vec<_> =
            layer.iter().zip(&chunk_of).map(|(row, &chunk)| (chunk, renumber(&row.0, &chunk_of))).collect();
        rows.sort_unstable_by_key(|(chunk, _)| *chunk);
        rows
    });
    Ok(Layers { upper: upper.collect(), base, entry })
}

/// The first neighbours of a row under their chunks' numbers.
fn renumber<const N: usize>(row: &[u32], chunk_of: &[u32]) -> [u32; N] {
    let mut out = [NO_NEIGHBOUR; N];
    let known = row.iter().map_while(|&place| chunk_of.get(place as usize));
    out.iter_mut().zip(known).for_each(|(slot, &chunk)| *slot = chunk);
    out
}

/// How many threads build the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    One,
    All,
}

#[cfg(not(target_arch = "wasm32"))]
fn on_threads<T: Send>(threads: Threads, work: impl FnOnce() -> T + Send) -> Result<T> {
    // Zero stands for as many as there are cores.
    let count = usize::from(threads == Threads::One);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
    let pool = pool
        .map_err(|error| Error::new(ErrorCode::Internal, format!("No thread could be started: {error}.")))?;
    Ok(pool.install(work))
}

/// A page has one thread anyway.
#[cfg(target_arch = "wasm32")]
#[expect(clippy::unnecessary_wraps, reason = "natively, starting the threads can fail")]
fn on_threads<T>(_threads: Threads, work: impl FnOnce() -> T) -> Result<T> {
    Ok(work())
}
