//! The report on a check of an answer, for people and for programs.

use std::fmt::{self, Write};

use serde::Serialize;

use super::standing::{Change, ChangeKind};
use ibid_native::word;
use ibid_trust::cite::verify::ClaimStatus;
use ibid_trust::cite::{Claim, Confidence, Flag, Given, Recheck, Source, recheck};

/// The most characters of a quoted window; it says enough to find the place.
const SHOWN: usize = 300;

/// The findings of a check of an answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VerifyReport<'a> {
    claims: Vec<Claim>,
    flags: Vec<Flag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<Confidence>,
    /// The sources that do not stand in the index as they are in the answer, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<Change>>,
    #[serde(skip)]
    given: &'a Given,
}

impl<'a> VerifyReport<'a> {
    pub(super) fn new(given: &'a Given, changes: Option<Vec<Change>>) -> Self {
        let Recheck { claims, flags, confidence, .. } = recheck(&given.text, &given.sources);
        Self { claims, flags, confidence, changes, given }
    }

    /// Returns true if nothing is flagged and no passage has changed.
    pub(super) fn is_clean(&self) -> bool {
        self.flags.is_empty() && self.changes.as_ref().is_none_or(Vec::is_empty)
    }

    fn source(&self, number: u32) -> Option<&Source> {
        self.given.sources.iter().find(|source| source.number == number)
    }

    /// Writes a place in a source as `guide.md:12`, with what stands there.
    fn quote(&self, number: u32, span: &std::ops::Range<usize>) -> Option<(String, String)> {
        let source = self.source(number)?;
        let text = source.hit.text.get(span.clone())?;
        let lines = source.hit.text.get(..span.start)?.matches('\n').count() as u32;
        let mut shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if shown.chars().count() > SHOWN {
            shown = shown.chars().take(SHOWN).collect::<String>() + " …";
        }
        Some((format!("[{number}] {}:{}", source.hit.source, source.hit.line + lines), shown))
    }
}

fn status(claim: &Claim) -> &'static str {
    match claim.check.as_ref().map(|check| check.status) {
        Some(ClaimStatus::Supported) => "supported",
        Some(ClaimStatus::Unsupported) => "unsupported",
        Some(ClaimStatus::Uncited) => "uncited",
        _ => "not checked",
    }
}

impl fmt::Display for VerifyReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut flags = self.flags.iter().peekable();
        for claim in &self.claims {
            let check = claim.check.as_ref();
            let coverage = check.filter(|check| !check.evidence.is_empty()).map(|check| check.coverage);
            let coverage =
                coverage.map_or_else(String::new, |coverage| format!(" {:.0} %", coverage * 100.0));
            let text: Vec<&str> = claim.text.split_whitespace().collect();
            writeln!(f, "{}{coverage}: {}", status(claim), text.join(" "))?;
            for evidence in check.map_or(&[][..], |check| &check.evidence) {
                if let Some((place, text)) = self.quote(evidence.number, &evidence.span) {
                    writeln!(f, "    {place}: {text}")?;
                }
                let absent = evidence.values.iter().filter(|value| value.found.is_none());
                let absent: Vec<&str> =
                    absent.filter_map(|value| self.given.text.get(value.span.clone())).collect();
                if !absent.is_empty() {
                    writeln!(f, "      not there: {}", absent.join(", "))?;
                }
            }
            while let Some(flag) = flags.next_if(|flag| flag.span.start < claim.end) {
                writeln!(f, "  ! {}", described(flag))?;
            }
            f.write_char('\n')?;
        }
        for flag in flags {
            writeln!(f, "! {}", described(flag))?;
        }
        for change in self.changes.iter().flatten() {
            let what = match change.kind {
                ChangeKind::Gone => "is gone from the index",
                ChangeKind::Changed => "has changed in the index",
            };
            let name = self.source(change.number).map_or("", |source| source.hit.source.as_str());
            writeln!(f, "! [{}] {name} {what}", change.number)?;
        }
        let count = |status: ClaimStatus| {
            self.claims
                .iter()
                .filter(|claim| claim.check.as_ref().is_some_and(|check| check.status == status))
                .count()
        };
        write!(
            f,
            "{} claims: {} supported, {} unsupported, {} uncited, {} not checked",
            self.claims.len(),
            count(ClaimStatus::Supported),
            count(ClaimStatus::Unsupported),
            count(ClaimStatus::Uncited),
            count(ClaimStatus::NotChecked)
        )?;
        if let Some(Confidence { value, parts }) = &self.confidence {
            write!(
                f,
                "\nconfidence {value:.2}: retrieval {:.2}, values {:.2}, cited {:.2}, standing {:.2}",
                parts.retrieval, parts.values, parts.cited, parts.standing
            )?;
        }
        f.write_char('\n')
    }
}

fn described(flag: &Flag) -> String {
    format!("{}: {}", word(&flag.kind), flag.message)
}
