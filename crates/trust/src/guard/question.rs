//! Checks that a question passes before anything is done with it, and facts about it.

use super::characters::{clean, mixed};
use super::options::{Action, EmergencyMode, GuardOptions};
use super::verdict::{Notice, NoticeKind, Verdict};
use super::{emergency, intent, markup};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_text::Words;

/// The fewest characters of a question.
pub const MIN_QUESTION_CHARS: usize = 3;

/// The most characters of a question.
pub const MAX_QUESTION_CHARS: usize = 10_000;

/// The most words that are named for their mixture of scripts.
const MOST_MIXED: usize = 16;

/// Looks at a question, and says what it found there. [`Verdict::question`] is the question as it is used from here on.
///
/// # Errors
/// [`ErrorCode::QuestionLength`] if fewer than 3 or more than 10,000 characters (Unicode scalar values, not bytes) are
/// left of it; [`ErrorCode::QuestionBlocked`] if it has markup or SQL in it and
/// `options.markup` is [`Action::Block`]; [`ErrorCode::InvalidOption`] as [`GuardOptions::check`], and
/// for a look at emergencies without [their rules](super::provide_emergency_rules).
pub fn inspect(text: &str, options: &GuardOptions) -> Result<Verdict> {
    options.check()?;
    let (question, mut notices) = cleaned(text)?;
    notices.extend(mixed(&question, MOST_MIXED).into_iter().map(|span| Notice {
        kind: NoticeKind::MixedScript,
        span,
        message: "This word mixes letters of two scripts that look alike.".to_owned(),
    }));
    if options.markup != Action::Allow {
        let found = markup::notices(&question);
        if let (Action::Block, Some(first)) = (options.markup, found.first()) {
            let what = if first.kind == NoticeKind::Sql { "SQL" } else { "markup or script" };
            let message =
                format!("The question has {what} in it: `{}`.", shown(&question[first.span.clone()]));
            return Err(
                Error::new(ErrorCode::QuestionBlocked, message).with_hint("Ask the question in plain words.")
            );
        }
        notices.extend(found);
    }
    let words = Words::of(&question);
    let (language, (_, script)) = (ibid_text::language(&question), ibid_text::detect(&question, &words));
    let emergency = match options.emergency.unwrap_or_default() {
        EmergencyMode::Off => None,
        EmergencyMode::Flag | EmergencyMode::Answer => emergency::find(&question, &words, &options.messages)?,
    };
    let intent = intent::of(&words);
    Ok(Verdict { language: language.map(str::to_owned), script, intent, notices, emergency, question })
}

/// Takes the beginning of a text, for a message.
fn shown(text: &str) -> &str {
    text.char_indices().nth(60).map_or(text, |(end, _)| &text[..end])
}

fn cleaned(text: &str) -> Result<(String, Vec<Notice>)> {
    let (question, notices) = clean(text);
    let chars = question.chars().count();
    let problem = if chars == 0 {
        "The question is empty.".to_owned()
    } else if chars < MIN_QUESTION_CHARS {
        format!("The question has {chars} characters; it needs at least {MIN_QUESTION_CHARS}.")
    } else if chars > MAX_QUESTION_CHARS {
        format!("The question has {chars} characters; at most {MAX_QUESTION_CHARS} are allowed.")
    } else {
        return Ok((question, notices));
    };
    Err(Error::new(ErrorCode::QuestionLength, problem).with_hint("Ask in one or a few sentences."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> Result<String> {
        inspect(text, &GuardOptions::default()).map(|verdict| verdict.question)
    }

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
        for empty in ["", "   ", "\u{0}\u{0}\u{0}\u{0}", "\n\t\u{a0}\u{3000}", "\u{200b}\u{feff}\u{202e}"] {
            assert_eq!(question(empty).unwrap_err().message(), "The question is empty.");
        }
        assert!(question(" a ").is_err());
    }

    #[test]
    fn markup_is_flagged_blocked_or_allowed() {
        let ask = |text: &str, markup| inspect(text, &GuardOptions { markup, ..GuardOptions::default() });
        let about = "What does <script> do in HTML?";
        let verdict = ask(about, Action::Flag).unwrap();
        assert_eq!(verdict.notices.len(), 1);
        assert_eq!(&verdict.question[verdict.notices[0].span.clone()], "<script>");
        assert!(ask(about, Action::Allow).unwrap().notices.is_empty());
        let error = ask(about, Action::Block).unwrap_err();
        assert_eq!(error.code(), ErrorCode::QuestionBlocked);
        assert!(error.message().contains("<script>"));
        let error = ask("x' OR 1=1 --", Action::Block).unwrap_err();
        assert!(error.message().contains("SQL"));
        assert!(ask("How do I write a SELECT with UNION?", Action::Block).is_ok());
    }

    #[test]
    fn the_emergency_guard_is_off_unless_asked_for() {
        let text = "I can't breathe and my lips are blue";
        assert_eq!(inspect(text, &GuardOptions::default()).unwrap().emergency, None);
        let options = GuardOptions { emergency: Some(EmergencyMode::Answer), ..GuardOptions::default() };
        let verdict = inspect(text, &options).unwrap();
        let found = verdict.emergency.as_ref().unwrap();
        assert_eq!(&verdict.question[found.span.clone()], found.matched);
        let json = serde_json::to_string(&verdict).unwrap();
        assert_eq!(serde_json::from_str::<Verdict>(&json).unwrap(), verdict);
        assert!(json.contains(r#""category":"breathing""#), "{json}");
    }
}
