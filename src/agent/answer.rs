//! What a run ends in.

use serde::{Deserialize, Serialize};

use crate::cite::{Citation, Flag, FlagKind, Source, SourceRegister, check, extractive_answer};
use crate::llm::{FinishReason, Usage};

/// An answer with all that is needed to check it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The answer in Markdown. Spans elsewhere in the answer are byte ranges of it.
    pub text: String,
    /// The citations that lead to a source, in the order of the text.
    pub citations: Vec<Citation>,
    /// All passages that were retrieved, by number, cited or not.
    pub sources: Vec<Source>,
    /// What a reader should know about the answer.
    pub flags: Vec<Flag>,
    /// Who wrote the text.
    pub mode: AnswerMode,
    /// Why the model stopped; [`FinishReason::Stop`] if none was asked.
    pub finish_reason: FinishReason,
    /// The tokens used over all turns, as far as the provider told.
    pub usage: Option<Usage>,
    /// How often the model was called.
    pub turns: u32,
    /// How many searches were made.
    pub searches: u32,
}

/// Who wrote an answer's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerMode {
    /// The documents: the text is quoted from them.
    Extractive,
    /// A model.
    Model,
}

/// What a run has counted, for its answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) usage: Option<Usage>,
    pub(super) turns: u32,
    pub(super) searches: u32,
}

/// The model's text as an answer, its citations resolved.
pub(super) fn by_model(
    text: &str,
    finish: FinishReason,
    register: &SourceRegister,
    counts: Counts,
) -> Answer {
    let checked = check(text, register);
    let mut flags = checked.flags;
    let cut_off = match finish {
        FinishReason::Stop | FinishReason::ToolCalls => None,
        FinishReason::Length => Some("The answer was cut off at the limit of tokens."),
        FinishReason::ContentFilter => Some("The model or its provider declined to give more than this."),
        FinishReason::Error => Some("The provider failed before the answer was complete."),
    };
    if let Some(message) = cut_off {
        flags.push(Flag { kind: FlagKind::CutOff, span: 0..0, message: message.to_owned() });
    }
    Answer {
        text: text.to_owned(),
        citations: checked.citations,
        sources: register.sources().to_vec(),
        flags,
        mode: AnswerMode::Model,
        finish_reason: finish,
        usage: counts.usage,
        turns: counts.turns,
        searches: counts.searches,
    }
}

/// The best passages as an answer. With a finish reason they stand in for a model that ended so without a word.
pub(super) fn by_quotes(
    question: &str,
    finish: Option<FinishReason>,
    register: &SourceRegister,
    counts: Counts,
) -> Answer {
    let mut ranked = register.sources().to_vec();
    // One search has ranked its own hits; those of several are ranked here. The sort keeps the order of equals.
    if counts.searches > 1 {
        ranked.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score));
    }
    let extract = extractive_answer(question, &ranked);
    let flags = finish.map(|_| Flag {
        kind: FlagKind::NoModelAnswer,
        span: 0..0,
        message: "The model gave no answer; the passages that fit the question best are quoted instead."
            .to_owned(),
    });
    Answer {
        text: extract.text,
        citations: extract.citations,
        sources: register.sources().to_vec(),
        flags: flags.into_iter().collect(),
        mode: AnswerMode::Extractive,
        finish_reason: finish.unwrap_or_default(),
        usage: counts.usage,
        turns: counts.turns,
        searches: counts.searches,
    }
}
