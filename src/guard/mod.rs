//! What a question must be before anything is done with it.

pub mod pii;

use crate::error::{Error, ErrorCode, Result};

/// The fewest characters of a question.
pub const MIN_QUESTION_CHARS: usize = 3;

/// The most characters of a question.
pub const MAX_QUESTION_CHARS: usize = 10_000;

/// The question as it is used from here on: without control characters other than line breaks and tabs, and without
/// white space around it.
///
/// # Errors
/// [`ErrorCode::QuestionLength`] if fewer than 3 or more than 10,000 characters (Unicode scalar values, not bytes) are
/// left.
pub fn question(text: &str) -> Result<String> {
    let kept: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let question = kept.trim();
    let chars = question.chars().count();
    let problem = if chars == 0 {
        "The question is empty.".to_owned()
    } else if chars < MIN_QUESTION_CHARS {
        format!("The question has {chars} characters; it needs at least {MIN_QUESTION_CHARS}.")
    } else if chars > MAX_QUESTION_CHARS {
        format!("The question has {chars} characters; {MAX_QUESTION_CHARS} are the most.")
    } else {
        return Ok(question.to_owned());
    };
    Err(Error::new(ErrorCode::QuestionLength, problem).with_hint("Ask in a sentence or a few."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_not_bytes() {
        assert_eq!(question("日本語").unwrap(), "日本語");
        assert_eq!(question("日本").unwrap_err().code(), ErrorCode::QuestionLength);
        assert!(question(&"é".repeat(10_000)).is_ok());
        let error = question(&"é".repeat(10_001)).unwrap_err();
        assert_eq!(error.code(), ErrorCode::QuestionLength);
        assert!(error.message().contains("10001"));
    }

    #[test]
    fn white_space_and_control_characters_do_not_count() {
        assert_eq!(question(" \r\n a\u{0}\u{7}\u{1b}b\tc\nd \n").unwrap(), "ab\tc\nd");
        for empty in ["", "   ", "\u{0}\u{0}\u{0}\u{0}", "\n\t\u{a0}\u{3000}"] {
            assert_eq!(question(empty).unwrap_err().message(), "The question is empty.");
        }
        assert!(question(" a ").is_err());
    }
}
