//! Checks before a model is asked, and of what it is given: is the question one that can be asked, what
//! kind is it, does it tell about an emergency, and does a document speak to the model instead of to its readers.
//!
//! Every guard is rules as data, and its time grows with the length of the text alone, whatever the text is. None asks a
//! model, and none is a judgement: docs/privacy.md says what each catches and what it misses.
//!
//! ```
//! use ibid_trust::guard::{self, GuardOptions, Intent};
//!
//! let verdict = guard::inspect("How much amoxicillin does a child of 20 kg get?", &GuardOptions::default())?;
//! assert_eq!(verdict.intent, Intent::Dosage);
//! assert_eq!(verdict.language.as_deref(), Some("en"));
//! assert!(verdict.emergency.is_none());
//! # Ok::<(), ibid_platform::Error>(())
//! ```

mod characters;
mod emergency;
pub mod injection;
mod intent;
mod markup;
mod options;
mod phrase;
pub mod pii;
mod question;
#[cfg(test)]
mod tests;
mod verdict;

pub use emergency::{Emergency, EmergencyCategory, has_emergency_rules, provide_emergency_rules};
pub use ibid_text::Script;
pub use intent::{Intent, intent};
pub use options::{Action, EmergencyMode, GuardOptions};
pub use question::{MAX_QUESTION_CHARS, MIN_QUESTION_CHARS, inspect};
pub use verdict::{Notice, NoticeKind, Verdict};
