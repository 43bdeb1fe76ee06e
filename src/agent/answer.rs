//! The end of a run.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::guarded::Guarded;
use super::options::Policy;
use super::stop::StoppedBy;
use super::trace::TraceStep;
use ibid_llm::{FinishReason, Usage};
use ibid_trust::cite::{Citation, Claim, Confidence, Flag, Node, Source};

/// An answer with all that is needed to check it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The answer in Markdown. Spans elsewhere in the answer are byte ranges of it.
    pub text: String,
    /// The same as a tree of known kinds of nodes, which is safe to show.
    pub tree: Vec<Node>,
    /// Its claims, sentence by sentence.
    pub claims: Vec<Claim>,
    /// The citations that lead to a source, in the order of the text.
    pub citations: Vec<Citation>,
    /// All passages that were retrieved, by number, cited or not; in a conversation those of earlier
    /// questions too.
    pub sources: Vec<Source>,
    /// Things that a reader should know about the answer, in the order of the text.
    pub flags: Vec<Flag>,
    /// True if a passage that was found has most of the question's words, and its circumstances and kind of
    /// answer ([`extractive_answer`](ibid_trust::cite::extractive_answer)): the answer seems to be there. False
    /// if nothing was looked up, or if a model says that the sources do not say.
    #[serde(default)]
    pub answerable: bool,
    /// The confidence in a model's answer, with the parts that it is made from; nothing where the answer states
    /// nothing, or was not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// True if passages stand instead of an answer of the model's that its sources support too little.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub abstained: bool,
    /// The number of sentences that were taken out because no source supports them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub removed: usize,
    /// The guard's verdict on the question.
    #[serde(default)]
    pub guard: Guarded,
    /// The answer in the form of [`AgentOptions::output`](super::AgentOptions::output).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The reason why there is no such output, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_problem: Option<String>,
    /// The writer of the text.
    pub mode: AnswerMode,
    /// The way in which the answer was found; never [`Policy::Auto`].
    pub policy: Policy,
    /// The reason why the model stopped; [`FinishReason::Stop`] if none was asked.
    pub finish_reason: FinishReason,
    /// The reason why the model got no more tools before it had answered; nothing if it answered unasked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StoppedBy>,
    /// The tokens used over all turns, as far as the provider told.
    pub usage: Option<Usage>,
    /// The money spent, where all models called have a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The number of calls of the model.
    pub turns: u32,
    /// The number of searches.
    pub searches: u32,
    /// The name of the model; none if none was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The steps that led to the answer.
    pub trace: Vec<TraceStep>,
    /// The time it was finished, as ISO 8601 in UTC.
    pub created_at: String,
    /// The name of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
}

/// The writer of an answer's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerMode {
    /// The documents: the text is quoted from them.
    #[default]
    Extractive,
    /// A model.
    Model,
    /// The guard: the question describes an emergency.
    Guard,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(value: &usize) -> bool {
    *value == 0
}

/// Writes a time in milliseconds since 1970 as ISO 8601 in UTC, such as `2026-11-22T08:15:30.250Z`.
pub(super) fn iso_8601(ms: f64) -> String {
    let ms = ms.clamp(0.0, 253_402_300_799_999.0) as i64;
    let (days, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    // Days since 0000-03-01, so that a leap year's day is the last of its year; 400 years are one era.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    let ms = rest % 1000;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        for (ms, text) in [
            (0.0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000.0, "2000-02-29T00:00:00.000Z"),
            (1_795_335_330_250.5, "2026-11-22T08:15:30.250Z"),
            (-5.0, "1970-01-01T00:00:00.000Z"),
            (f64::NAN, "1970-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso_8601(ms), text);
        }
    }
}
