//! The machine that makes an answer of a draft.
//!
//! A draft is verified by computation, once. Where that leaves something open, the run may have the model judge
//! where computation cannot decide, and have it mend the answer, each of them once at most. Doubt that is then
//! left is told by flags, or taken out. At last the answer is put into the form asked for.

mod finish;
mod verified;

use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) use self::finish::Formed;
use self::finish::finish;
use self::verified::{Judgement, VerifiedDraft};
use super::inquiry::Inquiry;
use super::options::VerifyPolicy;
use super::query::json_of;
use super::quote::abstain;
use super::state::{DraftAnswer, Next, RunState};
use super::step::Purpose;
use super::stop::Left;
use ibid_llm::{FinishReason, check_schema};
use ibid_platform::Result;
use ibid_platform::call::{Pause, at_once};
use ibid_trust::cite::Claim;
use ibid_trust::cite::verify::{Stricter, strict};

/// The most claims that the model is asked to judge.
const MOST_JUDGED: usize = 10;

/// The longest text that is checked against its sources at once, in bytes. It takes some milliseconds.
const LONG: usize = 4000;

/// A text that is to be checked against the sources, by what comes then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Held {
    /// The draft, to be reviewed.
    #[default]
    Draft,
    /// A mended draft, to be compared with the draft.
    Revised(DraftAnswer),
    /// The draft, to end with.
    Last(Formed),
    /// The draft without what its sources do not support, to end with.
    Stricter { text: String, removed: usize, formed: Formed },
}

/// The checks of the draft.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Review {
    /// The draft checked against its sources.
    verified: Option<VerifiedDraft>,
    judged: bool,
    repaired: bool,
    judgements: Vec<Judgement>,
    /// The text that is to be checked against the sources.
    wanted_of: Option<Held>,
    /// The reason why the model is not to be asked for anything more.
    unreachable: Option<String>,
    /// The last try at the form, if it does not fit.
    pub(super) misfit: Option<Misfit>,
}

/// An output that does not fit its schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Misfit {
    pub(super) text: String,
    pub(super) problems: Vec<String>,
}

impl Review {
    /// Takes a draft.
    pub(super) fn begin(&mut self, inquiry: &mut Inquiry, draft: DraftAnswer) -> Next {
        inquiry.draft = Some(draft);
        self.verified = None;
        self.go_on(inquiry)
    }

    /// Chooses the next thing to be done about the draft.
    fn go_on(&mut self, inquiry: &mut Inquiry) -> Next {
        if inquiry.options.verify == VerifyPolicy::Off {
            return self.form(inquiry);
        }
        match self.verified.take() {
            Some(verified) => self.weigh(inquiry, verified),
            None => self.hold(inquiry, Held::Draft),
        }
    }

    /// Chooses the next thing to be done about the draft, by what is known of it.
    fn weigh(&mut self, inquiry: &mut Inquiry, verified: VerifiedDraft) -> Next {
        let next = self.judge(inquiry, &verified).or_else(|| self.repair(inquiry, &verified));
        self.verified = Some(verified);
        next.unwrap_or_else(|| self.form(inquiry))
    }

    /// Has a text checked against the sources: at once, or as a step of its own where that takes long.
    fn hold(&mut self, inquiry: &mut Inquiry, wanted: Held) -> Next {
        self.wanted_of = Some(wanted);
        if self.text(inquiry).len() > LONG {
            return Next::Wait(RunState::Verify);
        }
        let next = at_once(self.verify(inquiry, &mut || None)).and_then(Result::ok);
        next.unwrap_or(Next::Wait(RunState::Verify))
    }

    /// The text that is to be checked against the sources.
    fn text(&self, inquiry: &Inquiry) -> String {
        match &self.wanted_of {
            Some(Held::Revised(draft)) => inquiry.shown(&draft.text),
            Some(Held::Stricter { text, .. }) => text.clone(),
            _ => inquiry.shown(inquiry.draft.as_ref().map_or("", |draft| draft.text.as_str())),
        }
    }

    /// Checks that text against the sources, and goes on with what came of it. Between claims, `pause` tells whether to
    /// wait.
    pub(super) fn verify<'a>(
        &'a mut self,
        inquiry: &'a mut Inquiry,
        pause: &'a mut Pause<'_>,
    ) -> Pin<Box<dyn Future<Output = Result<Next>> + 'a>> {
        // Boxed, so that it is compiled once and not into each of its callers.
        Box::pin(self.verified(inquiry, pause))
    }

    async fn verified(&mut self, inquiry: &mut Inquiry, pause: &mut Pause<'_>) -> Result<Next> {
        let mut verified = VerifiedDraft::of(inquiry, self.text(inquiry), pause).await?;
        let wanted = self.wanted_of.take().unwrap_or_default();
        if let Held::Revised(draft) = wanted {
            return Ok(self.take_revision(inquiry, draft, verified));
        }
        verified.judge(&self.judgements);
        Ok(match wanted {
            Held::Stricter { removed, formed, .. } => finish(inquiry, verified, removed, formed),
            Held::Last(formed) => self.finish(inquiry, verified, formed),
            Held::Draft | Held::Revised(_) => self.weigh(inquiry, verified),
        })
    }

    /// Tells whether the model can be asked about the draft.
    fn may_ask(&self, inquiry: &Inquiry) -> bool {
        self.unreachable.is_none() && !matches!(inquiry.left(), Left::Nothing(_))
    }

    /// Asks the model about claims that cannot be decided by computation.
    fn judge(&mut self, inquiry: &Inquiry, verified: &VerifiedDraft) -> Option<Next> {
        if self.judged || !inquiry.options.judge || !self.may_ask(inquiry) {
            return None;
        }
        self.judged = true;
        verified.undecided().next().map(|_| Next::call(Purpose::Judge))
    }

    /// Lists the claims that the model is to judge.
    pub(super) fn undecided(&self) -> Vec<&Claim> {
        self.verified.iter().flat_map(VerifiedDraft::undecided).take(MOST_JUDGED).collect()
    }

    /// Takes in the model's judgement: a line for each claim, with its number and a word.
    pub(super) fn judgement(&mut self, inquiry: &mut Inquiry, reply: &str) -> Next {
        let open = self.undecided();
        let judgements: Vec<_> = reply
            .lines()
            .filter_map(|line| {
                let line = line.trim().trim_start_matches(['-', '*', ' ']);
                let digits = line.bytes().take_while(u8::is_ascii_digit).count();
                let (number, said) = line.split_at(digits);
                let claim = open.get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
                let said = said.to_ascii_uppercase();
                let not = ["NOT", "CONTRADICT", "UNSUPPORTED"].iter().any(|word| said.contains(word));
                (not || said.contains("SUPPORTED"))
                    .then(|| Judgement { claim: claim.text.clone(), supported: !not })
            })
            .collect();
        inquiry.journal.last().count(judgements.len());
        if let Some(verified) = &mut self.verified {
            verified.judge(&judgements);
        }
        self.judgements = judgements;
        self.go_on(inquiry)
    }

    /// Has the model mend an answer that its sources do not support.
    fn repair(&mut self, inquiry: &Inquiry, verified: &VerifiedDraft) -> Option<Next> {
        let whole = inquiry.draft.as_ref().is_some_and(|draft| !draft.finish.is_cut_off());
        let wanted = inquiry.options.verify == VerifyPolicy::Repair && whole;
        if !wanted || self.repaired || !self.may_ask(inquiry) {
            return None;
        }
        self.repaired = true;
        (!verified.problems().is_empty()).then_some(Next::call(Purpose::Revise))
    }

    /// Lists the problems of the draft, for the model.
    pub(super) fn problems(&self, inquiry: &Inquiry) -> Vec<String> {
        let problems = self.verified.iter().flat_map(VerifiedDraft::problems);
        problems.map(|problem| inquiry.hidden(&problem)).collect()
    }

    /// Takes in the mended answer. One that is worse than what it was made from is dropped.
    pub(super) fn revised(&mut self, inquiry: &mut Inquiry, reply: &str, finish: FinishReason) -> Next {
        let draft = DraftAnswer::new(reply.trim(), finish);
        if draft.text.is_empty() || draft.finish.is_cut_off() {
            return self.dropped(inquiry);
        }
        self.hold(inquiry, Held::Revised(draft))
    }

    fn dropped(&mut self, inquiry: &mut Inquiry) -> Next {
        inquiry.journal.last().says("not better, so it was dropped");
        self.form(inquiry)
    }

    /// Takes the mended answer, if it is better than the draft that was checked against the sources before.
    fn take_revision(&mut self, inquiry: &mut Inquiry, draft: DraftAnswer, new: VerifiedDraft) -> Next {
        if !self.is_better(&new) {
            return self.dropped(inquiry);
        }
        *self = Self { verified: Some(new), repaired: true, judged: self.judged, ..Self::default() };
        inquiry.draft = Some(draft);
        self.go_on(inquiry)
    }

    fn is_better(&self, new: &VerifiedDraft) -> bool {
        let Some(old) = &self.verified else { return false };
        // Claims that were taken over were judged already. The new draft is judged on its own, for it may cite
        // others.
        let mut judged = new.clone();
        judged.judge(&self.judgements);
        let worse = judged.unsupported().count() > old.unsupported().count()
            || (judged.citations.is_empty() && !old.citations.is_empty());
        !worse
    }

    /// Leaves the draft as it is from here on, since the model cannot be asked about it.
    pub(super) fn ask_no_more(&mut self, why: &str) {
        self.unreachable = Some(why.to_owned());
    }

    /// Has the answer put into the form asked for.
    fn form(&mut self, inquiry: &mut Inquiry) -> Next {
        if inquiry.options.output.is_none() {
            return self.end(inquiry, Formed::Unasked);
        }
        let broken =
            |draft: &DraftAnswer| matches!(draft.finish, FinishReason::ContentFilter | FinishReason::Error);
        let why = if inquiry.draft.as_ref().is_some_and(broken) {
            "The model gave no complete answer.".to_owned()
        } else if let Some(why) = self.unreachable.take() {
            why
        } else if matches!(inquiry.left(), Left::Nothing(_)) {
            "The budget left no model call for it.".to_owned()
        } else {
            return Next::call(Purpose::Format);
        };
        self.end(inquiry, Formed::Missing(why))
    }

    /// Takes in the answer as JSON. JSON that does not fit the schema is asked for once more.
    pub(super) fn formatted(&mut self, inquiry: &mut Inquiry, reply: &str) -> Next {
        let schema = inquiry.options.output.as_ref().map(|output| output.schema.clone()).unwrap_or_default();
        let (value, problems) = match json_of(reply) {
            Ok(value) => {
                let problems = check_schema(&schema, &value);
                (value, problems)
            }
            Err(problem) => (Value::Null, vec![problem]),
        };
        if problems.is_empty() {
            return self.end(inquiry, Formed::Fits(value));
        }
        let told = problems.join("; ");
        inquiry.journal.last().says(&told);
        if self.misfit.is_some() || matches!(inquiry.left(), Left::Nothing(_)) {
            let why = format!("The model's JSON does not fit the schema: {told}.");
            return self.end(inquiry, Formed::Missing(why));
        }
        self.misfit = Some(Misfit { text: reply.to_owned(), problems });
        Next::call(Purpose::Repair)
    }

    /// Ends the run with the draft.
    pub(super) fn end(&mut self, inquiry: &mut Inquiry, formed: Formed) -> Next {
        match self.verified.take() {
            Some(verified) => self.finish(inquiry, verified, formed),
            None => self.hold(inquiry, Held::Last(formed)),
        }
    }

    /// Ends the run with the draft, without what its sources do not support where that is wanted.
    fn finish(&mut self, inquiry: &mut Inquiry, verified: VerifiedDraft, formed: Formed) -> Next {
        if inquiry.options.verify == VerifyPolicy::Strict {
            let Stricter { text, removed } = strict(&verified.text, &verified.claims);
            if removed > 0 && text.trim().is_empty() {
                return abstain(inquiry, "No sentence of the model's answer is supported by its sources.");
            }
            if removed > 0 {
                return self.hold(inquiry, Held::Stricter { text, removed, formed });
            }
        }
        finish(inquiry, verified, 0, formed)
    }
}
