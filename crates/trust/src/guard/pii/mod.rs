//! Personal data in questions: found by rules and lists, replaced by placeholders, and put back.
//!
//! A [`Finder`] finds it, without a model and in linear time. A [`Redaction`] replaces it by placeholders that are
//! stable through a conversation, and restores them in what comes back, also while it arrives ([`Restorer`]). [`leaks`]
//! looks at a model's text for personal data that it should not have. docs/privacy.md says what is found and what is not.

mod address;
mod alone;
mod candidate;
mod check;
mod checksum;
mod codes;
mod email;
mod finder;
mod leaks;
mod lexicon;
mod link;
mod names;
mod options;
pub mod pattern;
mod people;
mod phrases;
mod placeholder;
mod redaction;
mod restorer;
mod secret;
#[cfg(test)]
mod tests;
mod token;
mod topic;
mod traits;
mod url;
mod view;

pub use finder::{Finder, Found};
pub use leaks::leaks;
pub use lexicon::{has_pii_rules, provide_pii_rules};
pub use options::{PiiKind, PiiMode, PiiOptions};
pub use redaction::Redaction;
pub use restorer::Restorer;
