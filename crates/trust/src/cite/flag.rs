//! Flags: doubts that a reader of an answer should know.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Something about an answer that a reader should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flag {
    /// The kind, for programs.
    pub kind: FlagKind,
    /// The byte range in the answer's text that it is about; empty at 0 for the whole answer.
    pub span: Range<usize>,
    /// The description, for a person.
    pub message: String,
    /// The place in a source that contradicts the answer or comes closest to it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceSpan>,
}

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceSpan {
    /// The source's number.
    pub number: u32,
    /// The byte range in the source's text.
    pub span: Range<usize>,
}

/// The kinds of flags. The text form, in JSON too, is the name in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FlagKind {
    /// A citation's number belongs to no source of the run.
    UnknownSource,
    /// The answer ends before its end: the limit of tokens, a content filter or a failure cut it off.
    CutOff,
    /// The model answered without any source: it did not search, or nothing was found.
    NoSources,
    /// The model gave no answer, so the best passages are quoted instead.
    NoModelAnswer,
    /// A quotation is in no cited source.
    QuoteNotFound,
    /// A number, or a number with its unit, is in no cited source.
    NumberUnsupported,
    /// Too little of what a sentence says stands in the sources that it cites.
    LowCoverage,
    /// The sentence denies what its source affirms, or the other way round.
    NegationMismatch,
    /// The sentence has a number on the other side of a limit than its source: "at most" for "at least".
    ComparatorMismatch,
    /// A number stands in a cited source, but belongs to something else there: another row, column or subject.
    ValueElsewhere,
    /// A name is in no cited source.
    EntityUnsupported,
    /// A sentence states something and cites nothing.
    UncitedClaim,
    /// A sentence could not be checked against its sources, since it is in another language or script.
    NotComparable,
    /// The model, asked again, does not find a sentence in the sources that it cites.
    JudgedUnsupported,
    /// A cited source holds text that addresses a model; the place in the source is that text.
    Instructions,
    /// The answer holds what looks like personal data of somebody, from neither the question nor a source.
    PersonalData,
    /// The answer repeats the mark that encloses the sources in the prompt.
    NonceQuoted,
    /// Sentences without support were taken out; the span is that of the sentence that says so.
    Removed,
    /// The model's answer was too little supported to be shown, so the best passages are quoted instead.
    Abstained,
}

impl Flag {
    /// Makes a flag without a place in a source.
    pub fn new(kind: FlagKind, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { kind, span, message: message.into(), source: None }
    }

    /// Returns the same flag about a place in a source.
    #[must_use]
    pub fn at(self, number: u32, span: Range<usize>) -> Self {
        Self { source: Some(SourceSpan { number, span }), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_form() {
        let flag = Flag::new(FlagKind::UnknownSource, 1..4, "m");
        let mut json =
            serde_json::json!({"kind": "unknown_source", "span": {"start": 1, "end": 4}, "message": "m"});
        assert_eq!(serde_json::to_value(&flag).unwrap(), json);
        json["source"] = serde_json::json!({"number": 2, "span": {"start": 0, "end": 9}});
        assert_eq!(serde_json::to_value(flag.at(2, 0..9)).unwrap(), json);
    }
}
