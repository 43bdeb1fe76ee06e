//! From the model's text to an answer that was held against its sources.
//!
//! A draft is checked by computation. Where that leaves something open, the run may search for a source that would support
//! a claim, have the model judge what computation cannot decide, and have it mend the answer, each of them once at most. What
//! is then left of doubt is told by flags, or taken out.

use serde::{Deserialize, Serialize};

use super::answer::{Answer, AnswerMode};
use super::options::VerifyPolicy;
use super::run::{AgentRun, out_of_turn};
use super::state::{Draft, State};
use super::step::SearchCall;
use super::stop::Left;
use super::wording;
use ibid_llm::FinishReason;
use ibid_platform::Result;
use ibid_platform::order;
use ibid_retrieve::Hit;
use ibid_trust::cite::verify::{ClaimStatus, alternative, strict, verify};
use ibid_trust::cite::{
    Checked, Citation, Claim, Confidence, Flag, FlagKind, Source, check, confidence, retrieval, tree,
};

/// The most claims that sources are searched for, and that the model is asked to judge.
const MOST_SOUGHT: usize = 3;
const MOST_JUDGED: usize = 10;
/// The hits of a search for a source.
const SOUGHT_HITS: usize = 3;
/// The most characters of such a search.
const MAX_SOUGHT_CHARS: usize = 400;

/// What has been done about the draft.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Review {
    sought: bool,
    judged: bool,
    repaired: bool,
    /// The model's judgement of claims, by their text.
    verdicts: Vec<(String, bool)>,
    /// The draft before it was mended.
    before: Option<Draft>,
    /// Why the model is not to be asked for anything more.
    unreachable: Option<String>,
}

impl Review {
    /// Leaves the draft as it is, since the model cannot be asked about it.
    pub(super) fn ask_no_more(&mut self, why: &str) {
        self.unreachable = Some(why.to_owned());
    }
}

/// A text with all that was found out about it.
struct Reviewed {
    citations: Vec<Citation>,
    claims: Vec<Claim>,
    flags: Vec<Flag>,
    confidence: Option<Confidence>,
}

impl Reviewed {
    /// How many claims their sources do not support.
    fn unsupported(&self) -> usize {
        self.claims.iter().filter(|claim| status(claim) == ClaimStatus::Unsupported).count()
    }

    /// The claims that the flags say something against, with what that is.
    fn problems(&self, text: &str) -> Vec<String> {
        let within =
            |claim: &Claim, flag: &Flag| claim.start <= flag.span.start && flag.span.end <= claim.end;
        let claims = self.claims.iter().filter_map(|claim| {
            let about: Vec<&str> = self
                .flags
                .iter()
                .filter(|flag| !flag.span.is_empty() && within(claim, flag))
                .map(|flag| flag.message.as_str())
                .collect();
            let said = text.get(claim.start..claim.end)?;
            (!about.is_empty()).then(|| format!("{said}\n  {}", about.join("\n  ")))
        });
        claims.collect()
    }
}

fn status(claim: &Claim) -> ClaimStatus {
    claim.check.as_ref().map(|check| check.status).unwrap_or_default()
}

impl AgentRun {
    /// The text is the answer, once it was checked, and but for its form where one was asked for.
    pub(super) fn conclude(&mut self, text: &str, finish: FinishReason) {
        self.draft = Some(Draft { text: text.to_owned(), finish });
        self.go_on_with_the_draft();
    }

    /// The next thing to be done about the draft.
    fn go_on_with_the_draft(&mut self) {
        let Some(draft) = self.draft.clone() else { return };
        let text = self.shown(&draft.text);
        if self.options.verify != VerifyPolicy::Off
            && (self.seek(&text) || self.judge(&text) || self.repair(&text, draft))
        {
            return;
        }
        self.form();
    }

    /// Searches for sources that would support what those cited do not.
    fn seek(&mut self, text: &str) -> bool {
        if self.review.sought || !self.options.alternatives {
            return false;
        }
        self.review.sought = true;
        let reviewed = self.reviewed(text);
        let open = reviewed.claims.iter().filter(|claim| {
            let alone = claim.check.as_ref().is_none_or(|check| check.alternatives.is_empty());
            alone && status(claim) == ClaimStatus::Unsupported
        });
        let wanted: Vec<String> =
            open.take(MOST_SOUGHT).map(|claim| claim.text.chars().take(MAX_SOUGHT_CHARS).collect()).collect();
        if wanted.is_empty() {
            return false;
        }
        let wanted = wanted.iter().map(|text| Some(self.hidden(text))).collect();
        self.state = State::Seek(wanted);
        true
    }

    /// Whether the searches of this step are for sources of what has been written. They are part of the check, so that nobody
    /// is told of them while they are made.
    pub(super) fn seeks(&self) -> bool {
        matches!(self.state, State::Seek(_))
    }

    /// The searches for sources that are still to be made.
    pub(super) fn seek_searches(&self, wanted: &[Option<String>]) -> Vec<SearchCall> {
        let collection = self.options.collection_names().next().map(str::to_owned);
        let open = wanted.iter().enumerate().filter_map(|(at, text)| Some((at, text.as_ref()?)));
        open.map(|(at, text)| SearchCall {
            id: format!("s{}", at + 1),
            collection: collection.clone(),
            query: self.options.query(text.clone(), Some(SOUGHT_HITS)),
        })
        .collect()
    }

    /// Takes in what came of such a search. Only what supports a claim becomes a source, so that the numbers of sources stay
    /// what the model has seen.
    pub(super) fn sought(&mut self, id: &str, hits: Option<Vec<Hit>>) -> Result<()> {
        let State::Seek(wanted) = &mut self.state else { return Err(out_of_turn("the hits of a search")) };
        let at = id.strip_prefix('s').and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
        let Some(text) = at.and_then(|at| wanted.get_mut(at)?.take()) else {
            return Err(out_of_turn("the hits of a search"));
        };
        let last = wanted.iter().all(Option::is_none);
        let hits = hits.unwrap_or_default();
        if let Some(trail) = &mut self.trail {
            trail.searched(&text, None, &hits);
        }
        self.trace.end("seek").count(hits.len()).says(&text);
        let claim = Claim { text: self.shown(&text), ..Claim::default() };
        for hit in hits {
            let source = Source { number: 0, hit, ..Source::default() };
            if alternative(&claim, &source).is_some() {
                self.enter_into_register(source.hit);
            }
        }
        if last {
            self.go_on_with_the_draft();
        }
        Ok(())
    }

    /// Asks the model about claims that cannot be decided by computation.
    fn judge(&mut self, text: &str) -> bool {
        if self.review.judged
            || !self.options.judge
            || self.review.unreachable.is_some()
            || matches!(self.left(), Left::Nothing(_))
        {
            return false;
        }
        self.review.judged = true;
        if self.undecided(text).is_empty() {
            return false;
        }
        self.enter(State::Judge);
        true
    }

    /// The claims that computation cannot decide: much of them stands in their sources, but not all, or they are in another
    /// language.
    pub(super) fn undecided(&self, text: &str) -> Vec<Claim> {
        let reviewed = self.reviewed(text);
        let about = |claim: &Claim| {
            let (start, end) = (claim.start, claim.end);
            reviewed
                .flags
                .iter()
                .filter(move |flag| start <= flag.span.start && flag.span.end <= end && !flag.span.is_empty())
                .map(|flag| flag.kind)
                .collect::<Vec<_>>()
        };
        let open = reviewed.claims.iter().filter(|claim| {
            let kinds = about(claim);
            !claim.sources.is_empty()
                && (status(claim) == ClaimStatus::Partly
                    || kinds.contains(&FlagKind::NotComparable)
                    || kinds == [FlagKind::LowCoverage])
        });
        open.take(MOST_JUDGED).cloned().collect()
    }

    /// Takes in the model's judgement: a line for each claim, with its number and a word.
    pub(super) fn judged(&mut self, reply: &str) {
        let text = self.draft.as_ref().map(|draft| self.shown(&draft.text)).unwrap_or_default();
        let open = self.undecided(&text);
        for line in reply.lines() {
            let line = line.trim().trim_start_matches(['-', '*', ' ']);
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let Some(claim) = line[..digits].parse::<usize>().ok().and_then(|n| open.get(n.checked_sub(1)?))
            else {
                continue;
            };
            let said = line[digits..].to_uppercase();
            let supported =
                if said.contains("NOT") || said.contains("CONTRADICT") || said.contains("UNSUPPORTED") {
                    false
                } else if said.contains("SUPPORTED") {
                    true
                } else {
                    continue;
                };
            self.review.verdicts.push((claim.text.clone(), supported));
        }
        let count = self.review.verdicts.len();
        self.trace.last().count(count);
        self.go_on_with_the_draft();
    }

    /// Has the model mend an answer that its sources do not support.
    fn repair(&mut self, text: &str, draft: Draft) -> bool {
        let wanted = self.options.verify == VerifyPolicy::Repair && !draft.finish.is_cut_off();
        if !wanted
            || self.review.repaired
            || self.review.unreachable.is_some()
            || matches!(self.left(), Left::Nothing(_))
        {
            return false;
        }
        self.review.repaired = true;
        if self.reviewed(text).problems(text).is_empty() {
            return false;
        }
        self.review.before = Some(draft);
        self.enter(State::Revise);
        true
    }

    /// What is wrong with the draft, as the model is told.
    pub(super) fn problems(&self) -> Vec<String> {
        let text = self.draft.as_ref().map(|draft| self.shown(&draft.text)).unwrap_or_default();
        let problems = self.reviewed(&text).problems(&text);
        problems.iter().map(|problem| self.hidden(problem)).collect()
    }

    /// Takes in the mended answer. One that is worse than what it was made from is dropped.
    pub(super) fn revised(&mut self, reply: &str, finish: FinishReason) {
        let Some(before) = self.review.before.take() else { return self.form() };
        let text = reply.trim();
        let (old, new) = (self.reviewed(&self.shown(&before.text)), self.reviewed(&self.shown(text)));
        let worse = text.is_empty()
            || finish.is_cut_off()
            || new.unsupported() > old.unsupported()
            || (new.citations.is_empty() && !old.citations.is_empty());
        if worse {
            self.trace.last().says("not better, so it was dropped");
            return self.conclude(&before.text, before.finish);
        }
        self.review = Review { repaired: true, judged: self.review.judged, ..Review::default() };
        self.conclude(text, finish);
    }

    /// The answer is what it will be, but for its form.
    fn form(&mut self) {
        let finish = self.draft.as_ref().map(|draft| draft.finish).unwrap_or_default();
        if self.options.output.is_none() {
            self.finish(None, None);
        } else if matches!(finish, FinishReason::ContentFilter | FinishReason::Error) {
            self.finish(None, Some("The model gave no whole answer.".to_owned()));
        } else if let Some(why) = self.review.unreachable.take() {
            self.finish(None, Some(why));
        } else if matches!(self.left(), Left::Nothing(_)) {
            self.finish(None, Some("The budget had no call of the model left for it.".to_owned()));
        } else {
            self.enter(State::Format(None));
        }
    }

    /// Holds a text against the sources.
    fn reviewed(&self, text: &str) -> Reviewed {
        let register = &self.conversation.register;
        let checked = check(text, register);
        let mut claims = checked.claims(text);
        let Checked { citations, mut flags } = checked;
        if self.options.verify != VerifyPolicy::Off {
            flags.extend(verify(text, &mut claims, register.sources()));
            self.apply_verdicts(&mut claims, &mut flags);
        }
        let confidence = (self.options.verify != VerifyPolicy::Off)
            .then(|| confidence(&claims, &flags, retrieval(&citations, register.sources())))
            .flatten();
        Reviewed { citations, claims, flags, confidence }
    }

    /// What the model has judged stands in the place of what could not be computed.
    fn apply_verdicts(&self, claims: &mut [Claim], flags: &mut Vec<Flag>) {
        for (text, supported) in &self.review.verdicts {
            let Some(claim) = claims.iter_mut().find(|claim| claim.text == *text) else { continue };
            let span = claim.start..claim.end;
            let Some(check) = &mut claim.check else { continue };
            check.status = if *supported { ClaimStatus::Supported } else { ClaimStatus::Unsupported };
            flags.retain(|flag| {
                let within = span.start <= flag.span.start && flag.span.end <= span.end;
                !(within && matches!(flag.kind, FlagKind::LowCoverage | FlagKind::NotComparable))
            });
            if !supported {
                let message = "The model, asked again, does not find this in the sources that are cited.";
                flags.push(Flag::new(FlagKind::JudgedUnsupported, span, message));
            }
        }
    }

    /// Ends the run with the draft.
    pub(super) fn finish(&mut self, output: Option<serde_json::Value>, problem: Option<String>) {
        let Some(draft) = self.draft.take() else { return };
        let mut text = self.shown(&draft.text);
        let mut reviewed = self.reviewed(&text);
        let mut removed = 0;
        if self.options.verify == VerifyPolicy::Strict {
            let stricter = strict(&text, &reviewed.claims);
            if stricter.removed > 0 {
                (text, removed) = (stricter.text, stricter.removed);
                if text.trim().is_empty() {
                    let why = "No sentence of the model's answer is supported by its sources.";
                    return self.abstain(why);
                }
                reviewed = self.reviewed(&text);
            }
        }
        let threshold = self.options.abstain_below.unwrap_or_default();
        if reviewed.confidence.as_ref().is_some_and(|confidence| confidence.value < threshold) {
            return self.abstain("The answer of the model is not well enough supported by its sources.");
        }
        self.add_flags(&text, &draft, &mut reviewed);
        if removed > 0 {
            let said = wording::removed(self.guarded.language.as_deref(), removed);
            let start = text.trim_end().len();
            text.truncate(start);
            text.push_str("\n\n");
            let start = text.len();
            text.push_str(&said);
            reviewed.flags.push(Flag::new(FlagKind::Removed, start..text.len(), said));
        }
        let kept = if removed > 0 { self.hide(&text) } else { draft.text };
        let sources = self.conversation.register.sources();
        let answer = Answer {
            tree: tree(&text, &reviewed.citations, sources),
            text,
            claims: reviewed.claims,
            citations: reviewed.citations,
            flags: reviewed.flags,
            confidence: reviewed.confidence,
            removed,
            mode: AnswerMode::Model,
            finish_reason: draft.finish,
            output: output.map(|value| self.shown_json(value)),
            output_problem: problem,
            ..Answer::default()
        };
        self.done_saying(answer, &kept);
    }

    /// Flags that are about the answer as a whole, or about what it lets slip.
    fn add_flags(&self, text: &str, draft: &Draft, reviewed: &mut Reviewed) {
        let flags = &mut reviewed.flags;
        if let Some(message) = cut_off(draft.finish) {
            flags.push(Flag::new(FlagKind::CutOff, 0..0, message));
        }
        if self.conversation.register.is_empty() {
            let message = if self.progress.searches == 0 {
                "The model answered without having searched the documents."
            } else {
                "Nothing relevant was found in the documents; the answer does not come from them."
            };
            flags.push(Flag::new(FlagKind::NoSources, 0..0, message));
        }
        for found in self.leaked(text) {
            let message =
                "This looks like personal data, and stands neither in the question nor in a source.";
            flags.push(Flag::new(FlagKind::PersonalData, found.span, message));
        }
        let nonce = &self.options.nonce;
        for (at, _) in text.match_indices(nonce.as_str()).filter(|_| !nonce.is_empty()) {
            let message = "The answer repeats the mark that encloses the sources: the model may have taken their text for \
                           instructions.";
            flags.push(Flag::new(FlagKind::NonceQuoted, at..at + nonce.len(), message));
        }
        let mut seen: Vec<u32> = Vec::new();
        for citation in &reviewed.citations {
            let Some(place) =
                citation.source.instructions.first().filter(|_| !seen.contains(&citation.number))
            else {
                continue;
            };
            seen.push(citation.number);
            let message = format!("Source [{}] holds text that addresses the model.", citation.number);
            let flag = Flag::new(FlagKind::Instructions, citation.span.clone(), message);
            flags.push(flag.at(citation.number, place.clone()));
        }
        order::by_key(flags, |flag| (flag.span.start, flag.span.end));
    }

    /// Quotes the best passages in the place of an answer that cannot be stood for.
    fn abstain(&mut self, why: &str) {
        self.abstained = true;
        let numbers: Vec<u32> = self.best_found();
        let quoted = wording::abstained(self.guarded.language.as_deref());
        let sources = self.sources_of(&numbers);
        let mut answer = self.by_quotes(&sources, None);
        answer.flags.push(Flag::new(FlagKind::Abstained, 0..0, format!("{why} {quoted}")));
        answer.abstained = true;
        if self.options.output.is_some() {
            answer.output_problem = Some("Quotes have no form: no model wrote the answer.".to_owned());
        }
        let text = answer.text.clone();
        self.done_saying(answer, &text);
    }

    /// The best passages as an answer, held against themselves, so that it can be read like any other.
    pub(super) fn by_quotes(&self, sources: &[Source], instead: Option<(FinishReason, &str)>) -> Answer {
        let mut answer = Answer::by_quotes(&self.said(&self.topic(&self.question)), sources, instead);
        if self.options.verify != VerifyPolicy::Off {
            answer.flags.extend(verify(&answer.text, &mut answer.claims, sources));
            answer.confidence =
                confidence(&answer.claims, &answer.flags, retrieval(&answer.citations, sources));
        }
        answer
    }
}

fn cut_off(finish: FinishReason) -> Option<&'static str> {
    match finish {
        FinishReason::Stop | FinishReason::ToolCalls => None,
        FinishReason::Length => Some("The answer was cut off at the limit of tokens."),
        FinishReason::ContentFilter => Some("The model or its provider declined to give more than this."),
        FinishReason::Error => Some("The provider failed before the answer was complete."),
    }
}
