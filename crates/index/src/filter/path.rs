//! The place in the JSON of a filter where something is wrong.

use std::fmt;

use ibid_platform::{Error, ErrorCode};

/// Longer names and values are cut in messages.
const SHOWN: usize = 64;

/// A place in the JSON, as steps from the outermost object on.
#[derive(Clone, Copy)]
pub(super) struct FilterPath<'a> {
    parent: Option<&'a FilterPath<'a>>,
    step: PathStep<'a>,
}

#[derive(Clone, Copy)]
enum PathStep<'a> {
    Key(&'a str),
    Item(usize),
}

impl<'a> FilterPath<'a> {
    /// The outermost object.
    pub(super) const ROOT: Self = Self { parent: None, step: PathStep::Key("") };

    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self { parent: Some(self), step: PathStep::Key(key) }
    }

    pub(super) fn item(&'a self, item: usize) -> Self {
        Self { parent: Some(self), step: PathStep::Item(item) }
    }

    /// Makes the error that something is wrong here, with advice.
    pub(super) fn error(&self, problem: &str, hint: &str) -> Error {
        let message = if self.parent.is_none() {
            format!("The filter {problem}.")
        } else {
            format!("The filter's `{self}` {problem}.")
        };
        Error::new(ErrorCode::FilterInvalid, message).with_hint(hint)
    }
}

impl fmt::Display for FilterPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As deep as filters may be nested, which is bounded.
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            PathStep::Item(item) => write!(f, "[{item}]"),
            PathStep::Key(key) => {
                let dot = if self.parent.is_some_and(|parent| parent.parent.is_some()) { "." } else { "" };
                write!(f, "{dot}{}", shown(key))
            }
        }
    }
}

/// Takes the beginning of a text that may be of any length.
pub(super) fn shown(text: &str) -> &str {
    text.char_indices().nth(SHOWN).map_or(text, |(end, _)| &text[..end])
}
