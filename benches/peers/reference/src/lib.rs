//! Two things to measure a vector search against: the library whose graph ibid searches, with the library's own search
//! over 32-bit floats, and a scan that compares all 8-bit codes, which no search that reads every vector can beat.

use instant_distance::{Builder, HnswMap, Point, Search};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// A vector of unit length, whose distance to another is one less their cosine.
#[derive(Clone, Serialize, Deserialize)]
struct Unit(Vec<f32>);

impl Point for Unit {
    fn distance(&self, other: &Self) -> f32 {
        // Eight sums side by side, which the compiler keeps in two SIMD registers.
        let (a, a_rest) = self.0.as_chunks::<8>();
        let (b, b_rest) = other.0.as_chunks::<8>();
        let mut sums = [0.0f32; 8];
        for (a, b) in a.iter().zip(b) {
            for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                *sum += a * b;
            }
        }
        let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
        1.0 - (sums.iter().sum::<f32>() + rest)
    }
}

/// instant-distance as it comes: built, written and read by serde, searched by its own code.
#[wasm_bindgen]
pub struct Reference {
    map: HnswMap<Unit, u32>,
    search: Search,
}

#[wasm_bindgen]
impl Reference {
    /// Builds the graph of `vectors`, rows of `dimensions` numbers, as ibid has it built.
    pub fn build(vectors: &[f32], dimensions: usize, ef_search: usize) -> Reference {
        let points: Vec<Unit> = vectors.chunks_exact(dimensions).map(|row| Unit(row.to_vec())).collect();
        let numbers = (0..points.len() as u32).collect();
        let map = Builder::default().seed(1).ef_search(ef_search).build(points, numbers);
        Reference { map, search: Search::default() }
    }

    /// Reads what [`Reference::to_bytes`] wrote.
    pub fn open(bytes: &[u8]) -> Option<Reference> {
        Some(Reference { map: postcard::from_bytes(bytes).ok()?, search: Search::default() })
    }

    /// The graph with its vectors.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.map).unwrap_or_default()
    }

    /// The numbers of the nearest, nearest first.
    pub fn nearest(&mut self, query: &[f32], limit: usize) -> Vec<u32> {
        let query = Unit(query.to_vec());
        self.map.search(&query, &mut self.search).take(limit).map(|item| *item.value).collect()
    }
}

/// Codes from -127 to 127 of all vectors, one after the other, and what each vector's codes are multiplied by.
#[wasm_bindgen]
pub struct Scan {
    dimensions: usize,
    codes: Vec<i8>,
    scales: Vec<f32>,
}

#[wasm_bindgen]
impl Scan {
    /// Takes rows of `dimensions` codes, and a scale for each row.
    #[wasm_bindgen(constructor)]
    pub fn new(codes: Vec<i8>, scales: Vec<f32>, dimensions: usize) -> Scan {
        Scan { dimensions, codes, scales }
    }

    /// The numbers of the `limit` vectors with the greatest products, greatest first.
    pub fn nearest(&self, query: &[i16], limit: usize) -> Vec<u32> {
        let mut best: Vec<(f32, u32)> = Vec::with_capacity(limit + 1);
        let rows = self.codes.chunks_exact(self.dimensions).zip(&self.scales);
        for ((row, scale), number) in rows.zip(0u32..) {
            let products: i32 = row.iter().zip(query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
            let score = products as f32 * scale;
            if best.len() < limit || best.last().is_some_and(|(worst, _)| score > *worst) {
                let at = best.partition_point(|(other, _)| *other >= score);
                best.insert(at, (score, number));
                best.truncate(limit);
            }
        }
        best.into_iter().map(|(_, number)| number).collect()
    }
}
