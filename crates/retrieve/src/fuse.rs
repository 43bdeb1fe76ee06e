//! Two lists to one.

use super::explain::Parts;
use super::query::{Fusion, Mode};

/// Cosines that differ by less than this from that of unrelated text are not scaled up to look like more.
const LEAST_SPREAD: f32 = 1e-3;

/// Fills in what each candidate is ranked by: its cosine, its BM25, or what fusion makes of both.
pub fn score(mode: Mode, fusion: Fusion, background: f32, candidates: &mut [Parts]) {
    match mode {
        Mode::Hybrid => fuse(fusion, background, candidates),
        Mode::Vector => {
            candidates.iter_mut().for_each(|parts| parts.fused = parts.cosine.unwrap_or_default());
        }
        Mode::Lexical => candidates.iter_mut().for_each(|parts| parts.fused = parts.bm25.unwrap_or_default()),
    }
}

/// Fills in what fusion makes of each candidate's scores. `background` is the cosine of unrelated text.
fn fuse(fusion: Fusion, background: f32, candidates: &mut [Parts]) {
    match fusion {
        Fusion::MinMax { lexical_weight, coverage_weight, heading_weight } => {
            scale(background, candidates);
            for parts in candidates {
                let of = |part: Option<f32>| part.unwrap_or_default();
                let words =
                    (1.0 - coverage_weight) * of(parts.bm25_scaled) + coverage_weight * of(parts.coverage);
                let body = (1.0 - lexical_weight) * of(parts.cosine_scaled) + lexical_weight * words;
                parts.fused = (1.0 - heading_weight) * body + heading_weight * of(parts.headings);
            }
        }
        Fusion::Rrf { k } => {
            add_ranks(k, candidates, |parts| parts.cosine);
            // A passage without any of the words is not in that list.
            add_ranks(k, candidates, |parts| parts.bm25.filter(|score| *score > 0.0));
        }
    }
}

fn scale(background: f32, candidates: &mut [Parts]) {
    let best =
        |score: fn(&Parts) -> Option<f32>| candidates.iter().filter_map(score).fold(f32::MIN, f32::max);
    let (cosine, bm25) = (best(|parts| parts.cosine), best(|parts| parts.bm25));
    let spread = (cosine - background).max(LEAST_SPREAD);
    for parts in candidates {
        parts.cosine_scaled = parts.cosine.map(|score| ((score - background) / spread).clamp(0.0, 1.0));
        parts.bm25_scaled = parts.bm25.map(|score| if bm25 > 0.0 { score / bm25 } else { 0.0 });
    }
}

fn add_ranks(k: f32, candidates: &mut [Parts], score: impl Fn(&Parts) -> Option<f32>) {
    let mut order: Vec<(f32, u32, usize)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(at, parts)| Some((score(parts)?, parts.chunk, at)))
        .collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (rank, (_, _, at)) in (1..).zip(order) {
        candidates[at].fused += 1.0 / (k + rank as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates() -> Vec<Parts> {
        let parts = |chunk, cosine, bm25, coverage| Parts {
            chunk,
            cosine: Some(cosine),
            bm25: Some(bm25),
            coverage: Some(coverage),
            headings: Some(0.0),
            ..Parts::default()
        };
        vec![parts(0, 0.9, 0.0, 0.0), parts(1, 0.5, 8.0, 1.0), parts(2, 0.1, 4.0, 0.5)]
    }

    fn fused(fusion: Fusion) -> Vec<String> {
        let mut candidates = candidates();
        fuse(fusion, 0.1, &mut candidates);
        candidates.iter().map(|parts| format!("{:.3}", parts.fused)).collect()
    }

    #[test]
    fn scaled_scores_are_added_by_their_weights() {
        let plain =
            |lexical_weight| Fusion::MinMax { lexical_weight, coverage_weight: 0.0, heading_weight: 0.0 };
        assert_eq!(fused(plain(0.4)), ["0.600", "0.700", "0.200"]);
        assert_eq!(fused(plain(0.0)), ["1.000", "0.500", "0.000"]);
        assert_eq!(fused(plain(1.0)), ["0.000", "1.000", "0.500"]);
        assert_eq!(fused(Fusion::default()), ["0.480", "0.560", "0.160"]);
    }

    #[test]
    fn more_candidates_change_no_score() {
        let mut few = candidates();
        let mut more = candidates();
        more.push(Parts { chunk: 3, cosine: Some(-0.4), bm25: Some(1.0), ..Parts::default() });
        fuse(Fusion::default(), 0.1, &mut few);
        fuse(Fusion::default(), 0.1, &mut more);
        assert_eq!(more[..3], few);
    }

    #[test]
    fn ranks_are_added() {
        let one = |rank: f32| 1.0 / (60.0 + rank);
        let expected = [one(1.0), one(2.0) + one(1.0), one(3.0) + one(2.0)].map(|sum| format!("{sum:.3}"));
        assert_eq!(fused(Fusion::Rrf { k: 60.0 }), expected);
    }

    #[test]
    fn nothing_and_equal_scores_are_no_division_by_zero() {
        fuse(Fusion::default(), 0.0, &mut []);
        let mut same = [Parts { cosine: Some(0.0), bm25: Some(0.0), ..Parts::default() }; 2];
        fuse(Fusion::default(), 0.0, &mut same);
        assert!(same.iter().all(|parts| parts.fused == 0.0));
    }
}
