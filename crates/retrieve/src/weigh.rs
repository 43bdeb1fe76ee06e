//! The weight of a document by its kind and its age, as a factor of its passages' scores.

use std::borrow::Cow;

use super::options::{Evidence, FieldWeights, Freshness};
use super::query::Query;
use ibid_document::{Date, Metadata, MetadataValue};
use ibid_platform::{calendar, case};

impl FieldWeights {
    /// Looks up the weight of a value, if it has one.
    pub(super) fn weight_of(&self, value: &str) -> Option<f32> {
        let value = plain(value);
        self.weights.iter().find(|(known, _)| plain(known) == value).map(|(_, weight)| *weight)
    }

    /// Looks up the weight of what a document's field has: of several values the highest.
    fn weight(&self, value: Option<&MetadataValue>) -> Option<f32> {
        match value? {
            MetadataValue::Keywords(values) => {
                values.iter().filter_map(|value| self.weight_of(value)).reduce(f32::max)
            }
            value => self.weight_of(&value.to_string()),
        }
    }
}

/// In lower case, with underscores for spaces and hyphens.
fn plain(value: &str) -> Cow<'_, str> {
    let value = value.trim();
    if value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_') {
        return Cow::Borrowed(value);
    }
    Cow::Owned(case::lowercase(value).replace([' ', '-'], "_"))
}

/// Returns the factors of the scores of a document's passages: for its level of evidence, `None` below the least level,
/// and for its age. Each is 1 where the query does not ask for it.
pub fn factors(query: &Query, metadata: &Metadata) -> (Option<f32>, f32) {
    (
        query.evidence.as_ref().map_or(Some(1.0), |options| evidence(options, metadata)),
        query.freshness.as_ref().map_or(1.0, |options| freshness(options, metadata)),
    )
}

/// Looks up the factor of a document's kind; `None` when it is below the least level.
fn evidence(options: &Evidence, metadata: &Metadata) -> Option<f32> {
    let mut product = 1.0;
    for (at, field) in options.fields.iter().enumerate() {
        let known = field.weight(metadata.fields.get(&field.field));
        let least = options.min_evidence_level.as_ref().filter(|_| at == 0);
        if let (Some(weight), Some(least)) = (known, least.and_then(|least| field.weight_of(least)))
            && weight < least
        {
            return None;
        }
        product *= known.unwrap_or(field.otherwise);
    }
    Some(product)
}

/// Computes the factor of a document's age. One without a date counts as one half-life old.
fn freshness(options: &Freshness, metadata: &Metadata) -> f32 {
    let date = match metadata.fields.get(&options.field) {
        Some(MetadataValue::Date(date)) => Some(*date),
        Some(MetadataValue::Integer(year)) => {
            u16::try_from(*year).ok().and_then(|year| Date::new(year, None, None))
        }
        Some(MetadataValue::Keyword(text)) => text.trim().parse().ok(),
        _ => None,
    };
    let halvings = date.map_or(1.0, |date| {
        let age = days(options.reference) - days(date);
        age.max(0) as f32 / options.half_life_days
    });
    1.0 - options.weight + options.weight * 0.5_f32.powf(halvings)
}

/// Counts the days from 1970 to a date; one without a day or a month counts as its middle.
fn days(date: Date) -> i64 {
    let (month, day) = (date.month().unwrap_or(7), if date.month().is_some() { 15 } else { 1 });
    calendar::days(date.year().into(), month.into(), date.day().unwrap_or(day).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(fields: &[(&str, &str)]) -> Metadata {
        let mut metadata = Metadata::default();
        for (name, value) in fields {
            metadata.set(name, value).unwrap();
        }
        metadata
    }

    fn level(value: &str) -> Metadata {
        document(&[("evidence_level", value)])
    }

    #[test]
    fn levels_weigh_as_they_are_written_in_any_way() {
        let weight = |value: &str| evidence(&Evidence::default(), &level(value)).unwrap().to_string();
        assert_eq!(weight("rct"), "0.9");
        assert_eq!(weight("RCT"), "0.9");
        assert_eq!(weight("Systematic Review"), "1");
        assert_eq!(weight("case-report"), "0.5");
        assert_eq!(weight("expert_opinion"), "0.3");
        assert_eq!(weight("rumour"), "0.5");
        assert_eq!(evidence(&Evidence::default(), &Metadata::default()).unwrap().to_string(), "0.5");
    }

    #[test]
    fn only_what_is_known_to_be_below_the_least_level_is_left_out() {
        let options: Evidence = serde_json::from_str(r#"{"minEvidenceLevel": "Cohort Study"}"#).unwrap();
        for (value, stays) in
            [("rct", true), ("cohort_study", true), ("case_report", false), ("rumour", true)]
        {
            assert_eq!(evidence(&options, &level(value)).is_some(), stays, "{value}");
        }
        assert!(evidence(&options, &Metadata::default()).is_some());
    }

    #[test]
    fn any_fields_weigh_and_of_several_values_the_best() {
        let options: Evidence = serde_json::from_str(
            r#"{"fields": [{"field": "drugs", "weights": {"a": 2, "b": 3}, "default": 1},
                           {"field": "year", "weights": {"2026": 10}, "default": 0}]}"#,
        )
        .unwrap();
        let weight = |fields: &[(&str, &str)]| evidence(&options, &document(fields)).unwrap().to_string();
        assert_eq!(weight(&[("drugs", "a, b, c"), ("year", "2026")]), "30");
        assert_eq!(weight(&[("year", "2026")]), "10");
        assert_eq!(weight(&[("drugs", "a")]), "0");
    }

    #[test]
    fn a_share_of_the_score_is_halved_with_each_half_life() {
        let options: Freshness =
            serde_json::from_str(r#"{"reference": "2026-03-01", "halfLifeDays": 365, "weight": 1}"#).unwrap();
        let factor =
            |date: &str| format!("{:.3}", freshness(&options, &document(&[("publication_date", date)])));
        assert_eq!(factor("2026-03-01"), "1.000");
        assert_eq!(factor("2027-01-01"), "1.000");
        assert_eq!(factor("2025-03-01"), "0.500");
        assert_eq!(factor("2024-03-01"), "0.250");
        assert_eq!(format!("{:.3}", freshness(&options, &Metadata::default())), "0.500");
        let gentle = Freshness { weight: 0.5, ..options };
        assert_eq!(format!("{:.2}", freshness(&gentle, &document(&[("publication_date", "1900")]))), "0.50");
        let by_year = Freshness { field: "year".into(), ..gentle };
        assert!(freshness(&by_year, &document(&[("year", "2026")])) > 0.7);
    }

    #[test]
    fn days_are_counted_by_the_calendar() {
        let between = |a: &str, b: &str| days(b.parse().unwrap()) - days(a.parse().unwrap());
        assert_eq!(between("2024-02-28", "2024-03-01"), 2);
        assert_eq!(between("2026-02-28", "2026-03-01"), 1);
        assert_eq!(between("1900-01-01", "2000-01-01"), 36_524);
        assert_eq!(between("2025-12-31", "2026-01-01"), 1);
    }
}
