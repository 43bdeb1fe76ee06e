//! The verdict of the guards on a question.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::emergency::Emergency;
use super::intent::Intent;
use ibid_text::Script;

/// Findings about a question before anything is done with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The question as it is used from here on: normalized (NFC), without what nobody sees, and without white space
    /// around it.
    pub question: String,
    /// The language it is probably written in, as a primary tag of BCP 47 such as `en`; absent where too little is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The script that most of its letters are of; absent if it has no letter of a known one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
    /// Its intent.
    pub intent: Intent,
    /// The notices about it, by kind and then by place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// The emergency that it tells about, if it was looked for and there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emergency: Option<Emergency>,
}

/// Something that a handler of the question should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// The kind, for programs.
    pub kind: NoticeKind,
    /// The byte range in the verdict's question; empty if something was taken out.
    pub span: Range<usize>,
    /// The description, for a person.
    pub message: String,
}

/// The kinds of notices. The text form, in JSON too, is the name in kebab case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoticeKind {
    /// HTML or script: a tag, an event handler, an address that runs script.
    Markup,
    /// Text that is typed into a form to change the query behind it.
    Sql,
    /// Control characters were taken out.
    Control,
    /// Characters that take no place were taken out.
    Invisible,
    /// Characters that turn the direction of writing were taken out.
    Bidi,
    /// A word has letters of two scripts that look alike.
    MixedScript,
}
