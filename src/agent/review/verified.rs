//! A text checked against its sources.

use serde::{Deserialize, Serialize};

use crate::agent::inquiry::Inquiry;
use crate::agent::options::VerifyPolicy;
use ibid_platform::Result;
use ibid_platform::call::Pause;
use ibid_trust::cite::verify::{ClaimStatus, verify_in_slices};
use ibid_trust::cite::{Checked, Citation, Claim, Confidence, Flag, FlagKind, check, confidence, retrieval};

/// A text with all that was found out about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VerifiedDraft {
    /// The text as a reader sees it.
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
    pub(super) claims: Vec<Claim>,
    pub(super) flags: Vec<Flag>,
}

/// The model's judgement of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Judgement {
    pub(super) claim: String,
    pub(super) supported: bool,
}

impl VerifiedDraft {
    /// Checks a text of the model's against the sources; between claims, `pause` tells whether to wait.
    pub(super) async fn of(inquiry: &Inquiry, text: String, pause: &mut Pause<'_>) -> Result<Self> {
        let register = &inquiry.conversation.register;
        let checked = check(&text, register);
        let mut claims = checked.claims(&text);
        let Checked { citations, mut flags } = checked;
        if inquiry.options.verify != VerifyPolicy::Off {
            flags.extend(verify_in_slices(&text, &mut claims, register.sources(), pause).await?);
        }
        Ok(Self { text, citations, claims, flags })
    }

    /// Lists the claims that their sources do not support.
    pub(super) fn unsupported(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| status(claim) == ClaimStatus::Unsupported)
    }

    /// Lists the claims that computation cannot decide: much of them is in their sources, but not all, or they
    /// are in another language.
    pub(super) fn undecided(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| {
            let kinds: Vec<_> = self.about(claim).map(|flag| flag.kind).collect();
            !claim.sources.is_empty()
                && (status(claim) == ClaimStatus::NotChecked && has_evidence(claim)
                    || kinds.contains(&FlagKind::NotComparable)
                    || kinds == [FlagKind::LowCoverage])
        })
    }

    /// Lists the claims that flags speak against, with what they say.
    pub(super) fn problems(&self) -> Vec<String> {
        let problem = |claim: &Claim| {
            let about: Vec<&str> = self.about(claim).map(|flag| flag.message.as_str()).collect();
            let said = self.text.get(claim.start..claim.end)?;
            (!about.is_empty()).then(|| format!("{said}\n  {}", about.join("\n  ")))
        };
        self.claims.iter().filter_map(problem).collect()
    }

    /// Lists the flags of a claim.
    fn about(&self, claim: &Claim) -> impl Iterator<Item = &Flag> {
        let (start, end) = (claim.start, claim.end);
        self.flags.iter().filter(move |flag| is_within(flag, start, end) && !flag.span.is_empty())
    }

    /// Replaces what could not be computed by the model's judgement.
    pub(super) fn judge(&mut self, judgements: &[Judgement]) {
        for Judgement { claim, supported } in judgements {
            let Some(claim) = self.claims.iter_mut().find(|other| other.text == *claim) else { continue };
            let Some(check) = &mut claim.check else { continue };
            check.status = if *supported { ClaimStatus::Supported } else { ClaimStatus::Unsupported };
            self.flags.retain(|flag| {
                !(is_within(flag, claim.start, claim.end)
                    && matches!(flag.kind, FlagKind::LowCoverage | FlagKind::NotComparable))
            });
            if !supported {
                let message = "The model, asked again, does not find this in the cited sources.";
                self.flags.push(Flag::new(FlagKind::JudgedUnsupported, claim.start..claim.end, message));
            }
        }
    }

    /// Computes the confidence in the text; none where it was not verified.
    pub(super) fn confidence(&self, inquiry: &Inquiry) -> Option<Confidence> {
        if inquiry.options.verify == VerifyPolicy::Off {
            return None;
        }
        let retrieval = retrieval(&self.citations, inquiry.conversation.register.sources());
        confidence(&self.claims, retrieval)
    }
}

fn is_within(flag: &Flag, start: usize, end: usize) -> bool {
    start <= flag.span.start && flag.span.end <= end
}

/// Returns true if a claim was checked against sources.
fn has_evidence(claim: &Claim) -> bool {
    claim.check.as_ref().is_some_and(|check| !check.evidence.is_empty())
}

fn status(claim: &Claim) -> ClaimStatus {
    claim.check.as_ref().map(|check| check.status).unwrap_or_default()
}
