//! Cases: conditions to be considered, and what was found.
//!
//! The state of a case says which tools exist, so that a model cannot assess one for which nothing was
//! written down.

use serde::{Deserialize, Serialize};

use super::names::{ASSESS_TOOL, CLOSE_TOOL, RECORD_TOOL, SEARCH_TOOL};

/// The most conditions of a case; each is a search of its own.
const MAX_CONDITIONS: usize = 6;
/// The most findings.
const MAX_FINDINGS: usize = 50;

/// The kinds of findings that a question is recognized as a case by, besides any other word with an
/// underscore in it.
const KINDS: &str = "symptom symptoms sign signs finding findings history allergy allergies medication \
    medications age sex weight duration exam examination lab labs test tests vitals pregnancy imaging";

/// The facts of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct CaseFile {
    /// Conditions to be considered, each to be searched for.
    pub(super) conditions: Vec<String>,
    /// Findings, each with its kind in front, such as `symptom: fever 3 days`.
    pub(super) findings: Vec<String>,
    /// True once it was assessed.
    pub(super) assessed: bool,
    /// True once it was closed.
    pub(super) closed: bool,
}

impl CaseFile {
    /// Reads a case query such as `Malaria. symptom: fever 3 days. medical_history: pregnant first
    /// trimester.`
    ///
    /// Sentences and lines that begin with a kind and a colon are findings, and what stands before the first
    /// of them are the conditions, with semicolons between several. `None` if there are not both.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut case = Self::default();
        let segments = text.split('\n').flat_map(|line| line.split_inclusive(". "));
        for segment in segments {
            let segment = segment.trim().trim_end_matches('.').trim();
            if segment.is_empty() {
                continue;
            }
            match segment.split_once(':') {
                Some((kind, finding)) if is_kind(kind.trim()) && !finding.trim().is_empty() => {
                    case.add_finding(&format!("{}: {}", kind.trim(), finding.trim()));
                }
                _ if case.findings.is_empty() => {
                    segment.split(';').for_each(|condition| case.add_condition(condition));
                }
                // Text after a finding without a kind of its own goes on with it.
                _ => {
                    if let Some(last) = case.findings.last_mut() {
                        last.push_str(". ");
                        last.push_str(segment);
                    }
                }
            }
        }
        (!case.conditions.is_empty() && !case.findings.is_empty()).then_some(case)
    }

    /// Adds conditions and findings that are not there.
    pub(super) fn add(&mut self, conditions: &[String], findings: &[String]) {
        conditions.iter().for_each(|condition| self.add_condition(condition));
        findings.iter().for_each(|finding| self.add_finding(finding));
    }

    /// Adds a condition, unless it is there.
    pub(super) fn add_condition(&mut self, condition: &str) {
        add(&mut self.conditions, condition, MAX_CONDITIONS);
    }

    fn add_finding(&mut self, finding: &str) {
        add(&mut self.findings, finding, MAX_FINDINGS);
    }

    /// Writes a list of all that is written down, for the model.
    pub(super) fn written(&self) -> String {
        let told = |list: &[String]| if list.is_empty() { "none".to_owned() } else { list.join("; ") };
        format!("Written down. Conditions: {}. Findings: {}.", told(&self.conditions), told(&self.findings))
    }

    /// Makes the query for one of the conditions: the condition with all findings.
    pub(super) fn query(&self, condition: &str) -> String {
        let mut query = format!("{condition}.");
        for finding in &self.findings {
            query.push(' ');
            query.push_str(finding);
            query.push('.');
        }
        query.chars().take(1000).collect()
    }

    /// Lists the run's own tools that exist in this state of the case.
    pub(super) fn tools(&self) -> &'static [&'static str] {
        match self {
            Self { closed: true, .. } => &[SEARCH_TOOL],
            Self { assessed: true, .. } => &[SEARCH_TOOL, RECORD_TOOL, ASSESS_TOOL, CLOSE_TOOL],
            Self { conditions, findings, .. } if conditions.is_empty() || findings.is_empty() => {
                &[RECORD_TOOL]
            }
            _ => &[RECORD_TOOL, ASSESS_TOOL],
        }
    }
}

fn is_kind(kind: &str) -> bool {
    let word = kind.to_ascii_lowercase();
    let form = (1..=40).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b' '));
    form && (word.contains('_') || KINDS.split(' ').any(|kind| kind == word))
}

fn add(list: &mut Vec<String>, entry: &str, most: usize) {
    let entry = entry.trim();
    let known = list.iter().any(|other| other.eq_ignore_ascii_case(entry));
    if !entry.is_empty() && !known && list.len() < most {
        list.push(entry.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_case_is_conditions_and_findings() {
        let text = "Malaria. symptom: fever 3 days. medical_history: pregnant first trimester.";
        let case = CaseFile::parse(text).unwrap();
        assert_eq!(case.conditions, ["Malaria"]);
        assert_eq!(case.findings, ["symptom: fever 3 days", "medical_history: pregnant first trimester"]);
        assert_eq!(
            case.query("Malaria"),
            "Malaria. symptom: fever 3 days. medical_history: pregnant first trimester."
        );
        let several =
            CaseFile::parse("Malaria; typhoid fever\nsign: rash. It itches.\nlab: ALT 3.5 times normal")
                .unwrap();
        assert_eq!(several.conditions, ["Malaria", "typhoid fever"]);
        assert_eq!(several.findings, ["sign: rash. It itches", "lab: ALT 3.5 times normal"]);
    }

    #[test]
    fn a_question_is_no_case() {
        for text in [
            "What is the dose of amoxicillin for children?",
            "Compare two things: ibuprofen and paracetamol.",
            "symptom: fever.",
            "Malaria.",
            "Note: see http://example.org. symptom:",
        ] {
            assert_eq!(CaseFile::parse(text), None, "{text}");
        }
    }

    #[test]
    fn tools_are_a_function_of_the_state() {
        let mut case = CaseFile::default();
        assert_eq!(case.tools(), [RECORD_TOOL]);
        case.add_condition("Malaria");
        case.add_condition(" malaria ");
        assert_eq!((case.conditions.len(), case.tools()), (1, [RECORD_TOOL].as_slice()));
        case.add_finding("symptom: fever");
        assert_eq!(case.tools(), [RECORD_TOOL, ASSESS_TOOL]);
        case.assessed = true;
        assert!(case.tools().contains(&CLOSE_TOOL));
        case.closed = true;
        assert_eq!(case.tools(), [SEARCH_TOOL]);
    }

    proptest! {
        #[test]
        fn any_text_is_a_case_or_none(text in "[a-z:;._ \n]{0,80}") {
            if let Some(case) = CaseFile::parse(&text) {
                prop_assert!(case.conditions.len() <= MAX_CONDITIONS && !case.findings.is_empty());
            }
        }
    }
}
