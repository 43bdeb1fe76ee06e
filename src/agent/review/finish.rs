//! From a verified draft to the answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::verified::VerifiedDraft;
use crate::agent::answer::{Answer, AnswerMode};
use crate::agent::inquiry::Inquiry;
use crate::agent::quote::{abstain, is_answerable};
use crate::agent::state::Next;
use crate::agent::wording;
use ibid_llm::FinishReason;
use ibid_platform::order;
use ibid_trust::cite::verify::ClaimStatus;
use ibid_trust::cite::{Claim, Flag, FlagKind, tree};
use ibid_trust::guard::pii::Redaction;

/// The form that an answer has for programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::agent) enum Formed {
    /// None was asked for.
    Unasked,
    Fits(Value),
    /// There is none, for this reason.
    Missing(String),
}

/// Ends the run with the draft, from which that many claims were taken out, unless it cannot be stood for.
pub(super) fn finish(
    inquiry: &mut Inquiry,
    mut verified: VerifiedDraft,
    removed: usize,
    formed: Formed,
) -> Next {
    let draft = inquiry.draft.take();
    let finish_reason = draft.as_ref().map(|draft| draft.finish).unwrap_or_default();
    let mut said = draft.map(|draft| draft.text).unwrap_or_default();
    let confidence = verified.confidence(inquiry);
    let threshold = inquiry.options.abstain_below.unwrap_or_default();
    if confidence.as_ref().is_some_and(|confidence| confidence.value < threshold) {
        return abstain(inquiry, "The sources do not support the model's answer well enough.");
    }
    add_flags(inquiry, &mut verified, finish_reason);
    let VerifiedDraft { mut text, citations, claims, mut flags, .. } = verified;
    if removed > 0 {
        let note = wording::removed(inquiry.guarded.language.as_deref(), removed);
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
        let start = text.len();
        text.push_str(&note);
        flags.push(Flag::new(FlagKind::Removed, start..text.len(), note));
        said = inquiry.hide(&text);
    }
    let (output, output_problem) = match formed {
        Formed::Unasked => (None, None),
        Formed::Fits(mut value) => {
            inquiry.conversation.redaction.restore_json(&mut value, Redaction::restore_reply);
            (Some(value), None)
        }
        Formed::Missing(why) => (None, Some(why)),
    };
    let answerable = !is_refusal(&claims) && is_answerable(inquiry);
    let answer = Answer {
        tree: tree(&text, &citations, inquiry.conversation.register.sources()),
        text,
        claims,
        citations,
        flags,
        confidence,
        removed,
        mode: AnswerMode::Model,
        answerable,
        finish_reason,
        output,
        output_problem,
        ..Answer::default()
    };
    inquiry.end(answer, said)
}

/// Returns true if a model's answer was checked and says nothing but that its sources do not say.
fn is_refusal(claims: &[Claim]) -> bool {
    let says_nothing = |claim: &Claim| {
        claim.check.as_ref().is_some_and(|check| {
            check.status == ClaimStatus::NotChecked && check.evidence.is_empty() && claim.sources.is_empty()
        })
    };
    !claims.is_empty() && claims.iter().all(says_nothing)
}

/// Adds flags that are about the answer as a whole, or about what it lets slip.
fn add_flags(inquiry: &Inquiry, verified: &mut VerifiedDraft, finish: FinishReason) {
    let VerifiedDraft { text, citations, flags, .. } = verified;
    let cut_off = match finish {
        FinishReason::Stop | FinishReason::ToolCalls => None,
        FinishReason::Length => Some("The answer was cut off at the token limit."),
        FinishReason::ContentFilter => Some("The model or its provider declined to give more than this."),
        FinishReason::Error => Some("The provider failed before the answer was complete."),
    };
    flags.extend(cut_off.map(|message| Flag::new(FlagKind::CutOff, 0..0, message)));
    if inquiry.conversation.register.is_empty() {
        let message = if inquiry.progress.searches == 0 {
            "The model answered without searching the documents."
        } else {
            "Nothing relevant was found in the documents; the answer does not come from them."
        };
        flags.push(Flag::new(FlagKind::NoSources, 0..0, message));
    }
    for found in inquiry.leaked(text) {
        let message = "This looks like personal data, and is in neither the question nor a source.";
        flags.push(Flag::new(FlagKind::PersonalData, found.span, message));
    }
    let nonce = &inquiry.options.nonce;
    for (at, _) in text.match_indices(nonce.as_str()).filter(|_| !nonce.is_empty()) {
        let message =
            "The answer repeats the sources' marker: the model may have followed instructions in them.";
        flags.push(Flag::new(FlagKind::NonceQuoted, at..at + nonce.len(), message));
    }
    let mut seen: Vec<u32> = Vec::new();
    for citation in citations {
        let Some(place) = citation.source.instructions.first() else { continue };
        if seen.contains(&citation.number) {
            continue;
        }
        seen.push(citation.number);
        let message = format!("Source [{}] has text that addresses the model.", citation.number);
        let flag = Flag::new(FlagKind::Instructions, citation.span.clone(), message);
        flags.push(flag.at(citation.number, place.clone()));
    }
    order::by_key(flags, |flag| (flag.span.start, flag.span.end));
}
