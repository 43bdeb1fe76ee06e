//! Options for the hits of a query beyond ranking them by their scores.

use std::collections::BTreeMap;

use serde::Serialize;

use ibid_document::Date;
use ibid_platform::deserialize;

/// Levels of evidence with their weights, best first, as medical guidelines order them.
const EVIDENCE_LEVELS: [(&str, f32); 7] = [
    ("systematic_review", 1.0),
    ("meta_analysis", 1.0),
    ("rct", 0.9),
    ("clinical_guideline", 0.85),
    ("cohort_study", 0.7),
    ("case_report", 0.5),
    ("expert_opinion", 0.3),
];

/// Weighs hits by what their documents are: a hit's score is multiplied by the weight of its document's value, for each
/// of the fields. Twice as many candidates are looked at as otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The fields that weigh; by default `evidence_level`.
    pub fields: Vec<FieldWeights>,
    /// Leaves out what is below that value of the first field, such as `cohort_study`; nothing by default. Documents
    /// whose value is missing or has no weight stay, since nothing is known against them.
    pub min_evidence_level: Option<String>,
}

impl Default for Evidence {
    fn default() -> Self {
        Self { fields: vec![FieldWeights::default()], min_evidence_level: None }
    }
}

deserialize!(Evidence over default, none_left: fields, min_evidence_level as "minEvidenceLevel");

/// The weights of the values of a metadata field.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldWeights {
    /// The field's name; `evidence_level` by default.
    pub field: String,
    /// The weight of each value, 0 to 1000; by default those of the levels of evidence in medical guidelines, from
    /// `systematic_review` with 1 to `expert_opinion` with 0.3. Values are compared regardless of case,
    /// with spaces and hyphens as underscores. Of a list of values the one of the highest weight counts.
    pub weights: BTreeMap<String, f32>,
    /// The weight of a missing value and of one that `weights` does not have, 0 to 1000; 0.5 by default.
    #[serde(rename = "default")]
    pub otherwise: f32,
}

impl Default for FieldWeights {
    fn default() -> Self {
        let weights = EVIDENCE_LEVELS.map(|(level, weight)| (level.to_owned(), weight));
        Self { field: "evidence_level".to_owned(), weights: weights.into(), otherwise: 0.5 }
    }
}

deserialize!(FieldWeights over default, none_left: field, weights, otherwise as "default");

/// Weighs hits by the age of their documents: of a score, the share `weight` is halved with each half-life.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Freshness {
    /// The day that ages are counted from, as `2026-03-31`: today's, which nothing here can know. Later documents are as
    /// good as those of that day.
    pub reference: Date,
    /// The field with the date, or with the year as a number; `publication_date` by default.
    pub field: String,
    /// After how many days a document weighs half; 730 by default.
    pub half_life_days: f32,
    /// The share of the score that ages, 0 to 1; 0.5 by default, so that the oldest keep half of theirs.
    pub weight: f32,
}

deserialize!(Freshness by fields, none_left:
    reference,
    field or "publication_date".to_owned(),
    half_life_days as "halfLifeDays" or 730.0,
    weight or 0.5,
);

/// Maximal marginal relevance (Carbonell and Goldstein, 1998): each next hit is the one with the best
/// `lambda * score - (1 - lambda) * likeness`, its likeness being the highest cosine with a hit above it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mmr {
    /// The weight of the score against the likeness, 0 to 1; 0.7 by default. With 1 nothing changes.
    pub lambda: f32,
}

impl Default for Mmr {
    fn default() -> Self {
        Self { lambda: 0.7 }
    }
}

deserialize!(Mmr over default, none_left: lambda);

/// Folds a passage into a better hit that says nearly the same. It is named among the hit's duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NearDuplicates {
    /// The least cosine between both, 0 to 1; 0.95 by default.
    pub cosine: f32,
    /// The least share of words in common, 0 to 1: of those of both texts together; 0.7 by default.
    pub overlap: f32,
}

impl Default for NearDuplicates {
    fn default() -> Self {
        Self { cosine: 0.95, overlap: 0.7 }
    }
}

deserialize!(NearDuplicates over default, none_left: cosine, overlap);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_the_reference_day_has_to_be_said() {
        let evidence: Evidence = serde_json::from_str("{}").unwrap();
        assert_eq!(evidence, Evidence::default());
        assert_eq!(evidence.fields[0].weights["rct"].to_string(), "0.9");
        let own: FieldWeights =
            serde_json::from_str(r#"{"field": "tier", "weights": {"a": 1}, "default": 0}"#).unwrap();
        assert_eq!(
            (own.field.as_str(), own.weights.len(), own.otherwise.to_string().as_str()),
            ("tier", 1, "0")
        );
        let freshness: Freshness = serde_json::from_str(r#"{"reference": "2026-03"}"#).unwrap();
        assert_eq!(freshness.field, "publication_date");
        assert!(serde_json::from_str::<Freshness>("{}").is_err());
        assert!(serde_json::from_str::<Freshness>(r#"{"reference": "soon"}"#).is_err());
    }
}
