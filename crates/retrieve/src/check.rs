//! Checks of a query before it is answered.

use std::ops::RangeInclusive;

use super::options::{Evidence, FieldWeights, Freshness, Mmr, NearDuplicates};
use super::query::{Fusion, Query};
use ibid_platform::{Error, ErrorCode, Result, lazily};

// A page fetches the code behind this before a search that needs it.
lazily!(fn check_rare(query: &Query) -> Option<String> = rare_problem);

/// The longest query in characters, as long as the longest question.
pub const MAX_QUERY_CHARACTERS: usize = 10_000;
/// The most hits that one query may ask for.
pub const MAX_LIMIT: usize = 50;
/// The most hits that may be passed over.
const MAX_OFFSET: usize = 1000;
const MAX_NEIGHBOURS: usize = 5;
/// The most that any one thing can weigh, so that sums stay numbers.
const MAX_WEIGHT: f32 = 1000.0;

/// # Errors
/// [`ErrorCode::QueryEmpty`] when there is nothing to look for, [`ErrorCode::InvalidOption`] for an option out of its range.
pub fn check(query: &Query) -> Result<()> {
    if query.is_empty() && !query.is_list() {
        return Err(Error::new(ErrorCode::QueryEmpty, "The query is empty.")
            .with_hint("Enter some words to search for."));
    }
    match problem(query) {
        Some(problem) => Err(Error::new(ErrorCode::InvalidOption, problem)),
        None => Ok(()),
    }
}

fn problem(query: &Query) -> Option<String> {
    if query.text.chars().nth(MAX_QUERY_CHARACTERS).is_some() {
        return Some(format!("The query is longer than {MAX_QUERY_CHARACTERS} characters."));
    }
    within("limit", query.limit, 1, MAX_LIMIT)
        .or_else(|| within("offset", query.offset, 0, MAX_OFFSET))
        .or_else(|| share("minRelevance", query.min_relevance?))
        .or_else(|| within("group", query.group?, 1, usize::MAX))
        .or_else(|| within("neighbours", query.neighbours, 0, MAX_NEIGHBOURS))
        .or_else(|| query.has_rare_options().then(|| check_rare(query)).flatten())
}

fn within(name: &str, value: usize, least: usize, most: usize) -> Option<String> {
    let message = || format!("`{name}` is {value}; it must be from {least} to {most}.");
    (!(least..=most).contains(&value)).then(message)
}

/// `shown` has the bounds as text: what writes floating-point numbers weighs more than all other messages here.
fn number(name: &str, value: f32, bounds: RangeInclusive<f32>, shown: &str) -> Option<String> {
    (!bounds.contains(&value)).then(|| format!("`{name}` must be a number from {shown}."))
}

fn share(name: &str, value: f32) -> Option<String> {
    number(name, value, 0.0..=1.0, "0 to 1")
}

/// Returns what is wrong with an option that few searches have.
fn rare_problem(query: &Query) -> Option<String> {
    if query.vector.as_ref().is_some_and(|vector| vector.iter().any(|x| !x.is_finite())) {
        return Some("`vector` has a value that is not a finite number.".to_owned());
    }
    if query.vector.as_ref().is_some_and(|vector| vector.iter().all(|&x| x == 0.0)) {
        return Some("`vector` has only zeros, and is close to nothing.".to_owned());
    }
    if query.vector.is_some() && query.like.is_some() {
        return Some("`vector` and `like` cannot be combined: use one of them.".to_owned());
    }
    if query.sort.is_some() && (query.mmr.is_some() || query.rerank) {
        return Some("`sort` orders hits by a field: leave out `mmr` and `rerank`.".to_owned());
    }
    let fusion = match query.fusion {
        Fusion::MinMax { lexical_weight } => lexical_weight.and_then(|weight| share("lexicalWeight", weight)),
        Fusion::Rrf { k } => number("k", k, 0.0..=1e6, "0 to 1000000"),
    };
    fusion
        .or_else(|| share("lambda", query.mmr.map(|Mmr { lambda }| lambda)?))
        .or_else(|| {
            let NearDuplicates { cosine, overlap } = query.near_duplicates?;
            share("cosine", cosine).or_else(|| share("overlap", overlap))
        })
        .or_else(|| {
            let Freshness { half_life_days, weight, .. } = query.freshness.as_ref()?;
            number("halfLifeDays", *half_life_days, 1e-3..=1e6, "0.001 to 1000000")
                .or_else(|| share("weight", *weight))
        })
        .or_else(|| evidence(query.evidence.as_ref()?))
}

fn evidence(evidence: &Evidence) -> Option<String> {
    let wrong = |weight: &f32| !(0.0..=MAX_WEIGHT).contains(weight);
    for FieldWeights { field, weights, otherwise } in &evidence.fields {
        if weights.values().any(wrong) || wrong(otherwise) {
            return Some(format!(
                "The weights of `{field}` must be numbers from 0 to {}.",
                MAX_WEIGHT as u32
            ));
        }
    }
    let least = evidence.min_evidence_level.as_ref()?;
    let Some(first) = evidence.fields.first() else {
        return Some("`minEvidenceLevel` needs a field whose values have weights.".to_owned());
    };
    let known: Vec<&str> = first.weights.keys().map(String::as_str).collect();
    let message = || format!("`minEvidenceLevel` is `{least}`, which is none of {}.", known.join(", "));
    first.weight_of(least).is_none().then(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Like;

    fn code(query: &Query) -> Option<ErrorCode> {
        check(query).err().map(|error| error.code())
    }

    #[test]
    fn what_has_nothing_to_look_for_is_empty() {
        for text in ["", " ", " \n\t ", "\u{3000}"] {
            assert_eq!(code(&Query::new(text)), Some(ErrorCode::QueryEmpty), "{text:?}");
        }
        assert_eq!(code(&Query { vector: Some(vec![1.0]), ..Query::default() }), None);
        assert_eq!(
            code(&Query { like: Some(Like { chunk: 1, same_document: false }), ..Query::default() }),
            None
        );
        for text in ["?!", "🍵", "\0", "the", "çay", &"x".repeat(10_000)] {
            assert_eq!(code(&Query::new(text)), None, "{text:?}");
        }
    }

    #[test]
    fn every_option_has_its_range() {
        let base = || Query::new("x");
        let wrong = [
            Query::new("x".repeat(10_001)),
            Query { limit: 0, ..base() },
            Query { limit: 51, ..base() },
            Query { limit: 10_000_000, ..base() },
            Query { min_relevance: Some(-0.1), ..base() },
            Query { min_relevance: Some(f32::INFINITY), ..base() },
            Query { vector: Some(vec![1.0, f32::NAN]), ..base() },
            Query { vector: Some(vec![0.0, 0.0]), ..base() },
            Query { vector: Some(Vec::new()), ..base() },
            Query { group: Some(0), ..base() },
            Query { neighbours: 6, ..base() },
            Query { fusion: Fusion::Rrf { k: -1.0 }, ..base() },
            Query { fusion: Fusion::MinMax { lexical_weight: Some(2.0) }, ..base() },
            Query { mmr: Some(Mmr { lambda: f32::NAN }), ..base() },
            Query { near_duplicates: Some(NearDuplicates { cosine: 2.0, overlap: 0.5 }), ..base() },
            Query {
                freshness: serde_json::from_str(r#"{"reference": "2026", "halfLifeDays": 0}"#).ok(),
                ..base()
            },
            Query {
                evidence: serde_json::from_str(r#"{"fields": [{"weights": {"a": -1}}]}"#).ok(),
                ..base()
            },
            Query { evidence: serde_json::from_str(r#"{"minEvidenceLevel": "rumour"}"#).ok(), ..base() },
            Query { vector: Some(vec![1.0]), like: Some(Like { chunk: 0, same_document: true }), ..base() },
        ];
        for query in wrong {
            assert_eq!(code(&query), Some(ErrorCode::InvalidOption), "{query:?}");
        }
    }
}
