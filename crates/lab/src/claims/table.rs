//! Measurements, for people and for programs.

use std::fmt::Write;

use serde_json::{Value, json};

use ibid_native::word;
use ibid_trust::cite::FlagKind;
use ibid_trust::cite::confidence::ConfidenceWeights;

/// The measurements.
pub struct Evaluation {
    /// The number of claims that are supported, partly supported and not supported.
    pub(super) counts: [usize; 3],
    pub(super) supported: Vec<Detection>,
    pub(super) partly: Vec<Detection>,
    /// The shares of the claims of each label that have a flag of a kind.
    pub(super) alarms: Vec<(FlagKind, [f64; 3])>,
    /// Supported claims against those not supported, and against all others.
    pub(super) auc: [(&'static str, f64, f64); 2],
    pub(super) bins: Vec<Bin>,
    pub(super) fitted: ConfidenceWeights,
    pub(super) shipped: ConfidenceWeights,
    pub(super) microseconds: f64,
}

/// The share of a kind of mistake that is found.
pub(super) struct Detection {
    pub(super) name: String,
    pub(super) claims: usize,
    /// The share that has any flag.
    pub(super) flagged: f64,
    /// The share that is called supported.
    pub(super) supported: f64,
    /// The share that has the flag that is meant for it, and the share of claims without a mistake that has it.
    pub(super) own: Option<[f64; 2]>,
    /// The same where the check is set so that it flags a tenth of the claims without a mistake in the other parts.
    pub(super) at_ten: Option<[f64; 2]>,
}

/// Claims of about the same confidence.
pub(super) struct Bin {
    pub(super) claims: usize,
    pub(super) confidence: f64,
    /// The mean share that is supported: 1, 0.5 or 0.
    pub(super) truth: f64,
    pub(super) supported: f64,
    pub(super) not_supported: f64,
}

// Writing to a string, as below, cannot fail.

impl Evaluation {
    /// Tables for people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let [supported, partly, not] = self.counts;
        let _ = writeln!(
            out,
            "{supported} supported claims, {partly} partly supported, {not} not supported; {:.0} µs a claim\n",
            self.microseconds
        );
        for (title, rows) in
            [("Supported claims", &self.supported), ("Partly supported claims", &self.partly)]
        {
            let _ = writeln!(
                out,
                "| {title}, in % | claims | called supported | any flag | its flag | false positives | at 10 % | false positives |"
            );
            let _ = writeln!(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
            let two = |pair: Option<[f64; 2]>| {
                pair.map_or_else(
                    || " | ".to_owned(),
                    |[found, false_positives]| format!("{} | {}", percent(found), percent(false_positives)),
                )
            };
            for row in rows {
                let (own, at_ten) = (two(row.own), two(row.at_ten));
                let (supported, flagged) = (percent(row.supported), percent(row.flagged));
                let _ = writeln!(
                    out,
                    "| {} | {} | {supported} | {flagged} | {own} | {at_ten} |",
                    row.name, row.claims
                );
            }
            out.push('\n');
        }
        let _ = writeln!(
            out,
            "| Flags, in % | supported | partly | not supported |\n| --- | ---: | ---: | ---: |"
        );
        for (kind, [one, two, three]) in &self.alarms {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                word(kind),
                percent(*one),
                percent(*two),
                percent(*three)
            );
        }
        let _ = writeln!(out, "\n| AUC | supported or not | supported or other |\n| --- | ---: | ---: |");
        for (name, one, other) in &self.auc {
            let _ = writeln!(out, "| {name} | {one:.3} | {other:.3} |");
        }
        let _ = writeln!(
            out,
            "\n| Confidence | claims | supported share | fully supported | not supported |\n| ---: | ---: | ---: | ---: | ---: |"
        );
        for bin in &self.bins {
            let _ = writeln!(
                out,
                "| {:.2} | {} | {:.2} | {} % | {} % |",
                bin.confidence,
                bin.claims,
                bin.truth,
                percent(bin.supported),
                percent(bin.not_supported)
            );
        }
        let weights = |weights: &ConfidenceWeights| {
            format!(
                "{:.2} + {:.2} values + {:.2} standing",
                weights.constant, weights.values, weights.standing
            )
        };
        let _ = writeln!(
            out,
            "\nweights fitted to all: {}\nweights in use:        {}",
            weights(&self.fitted),
            weights(&self.shipped)
        );
        out
    }

    /// Writes the same as JSON.
    pub fn json(&self) -> Value {
        let rows = |rows: &[Detection]| -> Vec<Value> {
            let row = |row: &Detection| json!({"mistake": row.name, "claims": row.claims, "calledSupported": row.supported, "flagged": row.flagged, "byItsFlag": row.own.map(|[found, _]| found), "falsePositives": row.own.map(|[_, wrong]| wrong), "atTenPercent": row.at_ten.map(|[found, _]| found), "falsePositivesAtTenPercent": row.at_ten.map(|[_, wrong]| wrong)});
            rows.iter().map(row).collect()
        };
        let weights = |weights: &ConfidenceWeights| json!({"constant": weights.constant, "values": weights.values, "standing": weights.standing});
        json!({
            "claims": {"supported": self.counts[0], "partiallySupported": self.counts[1], "notSupported": self.counts[2]},
            "supported": rows(&self.supported),
            "partiallySupported": rows(&self.partly),
            "flags": self.alarms.iter().map(|(kind, shares)| json!({"kind": kind, "supported": shares[0], "partiallySupported": shares[1], "notSupported": shares[2]})).collect::<Vec<_>>(),
            "auc": self.auc.iter().map(|(name, not, other)| json!({"by": name, "supportedOrNot": not, "supportedOrOther": other})).collect::<Vec<_>>(),
            "reliability": self.bins.iter().map(|bin| json!({"confidence": bin.confidence, "claims": bin.claims, "share": bin.truth, "supported": bin.supported, "notSupported": bin.not_supported})).collect::<Vec<_>>(),
            "fitted": weights(&self.fitted),
            "inUse": weights(&self.shipped),
            "microsecondsPerClaim": self.microseconds,
        })
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}
