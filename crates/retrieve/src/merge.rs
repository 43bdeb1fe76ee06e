//! The hits of several queries as one list.

use std::collections::HashMap;

use super::hit::Hit;

/// Puts together the hits of several queries, each passage once, with the best of its scores; best first, and of equal
/// scores the one that came first.
pub fn merge(lists: Vec<Vec<Hit>>) -> Vec<Hit> {
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut merged: Vec<Hit> = Vec::new();
    for hit in lists.into_iter().flatten() {
        let at = *places.entry((hit.document_id.clone(), hit.id.clone())).or_insert(merged.len());
        match merged.get_mut(at) {
            None => merged.push(hit),
            Some(known) if hit.score.total_cmp(&known.score).is_gt() => *known = hit,
            Some(_) => {}
        }
    }
    merged.sort_by(|a, b| b.score.total_cmp(&a.score));
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(document: &str, id: &str, score: f32) -> Hit {
        Hit { document_id: document.into(), id: id.into(), score, ..Hit::default() }
    }

    #[test]
    fn a_passage_comes_once_with_its_best_score() {
        let merged = merge(vec![
            vec![hit("a", "1", 0.9), hit("a", "2", 0.4)],
            vec![hit("a", "2", 0.7), hit("b", "2", 0.7), hit("a", "1", 0.1)],
            Vec::new(),
        ]);
        let seen: Vec<_> = merged
            .iter()
            .map(|hit| (hit.document_id.as_str(), hit.id.as_str(), hit.score.to_string()))
            .collect();
        let expected = [("a", "1", "0.9"), ("a", "2", "0.7"), ("b", "2", "0.7")];
        assert_eq!(seen, expected.map(|(document, id, score)| (document, id, score.to_owned())));
        assert!(merge(Vec::new()).is_empty());
    }
}
