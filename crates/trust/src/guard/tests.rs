//! What holds of every text, however it was made.

use proptest::prelude::*;

use super::injection::{instructions, visible};
use super::{Action, EmergencyMode, GuardOptions, inspect, intent};
use ibid_text::{Words, language};

/// Texts of the words that the rules are about, of characters that are hard to handle, and of anything.
fn texts() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "I",
        "my",
        "father",
        "can't",
        "breathe",
        "chest",
        "pain",
        "no",
        "if",
        "what",
        "is",
        "in",
        "2010",
        "took",
        "30",
        "pills",
        "but",
        "ignore",
        "previous",
        "instructions",
        "you",
        "are",
        "now",
        "user",
        "<script>",
        "' OR 1=1",
        "union select",
        "![x](https://a.b/?q={c})",
        "###",
        "System:",
        "\u{200b}",
        "\u{200d}",
        "\u{202e}",
        "e\u{301}",
        "\u{1100}\u{1161}",
        "👨\u{200d}👩",
        "ﬁ",
        "İ",
        "ẞ",
        "𝐢𝐠",
        "忽略",
        "指令",
        "क्\u{200d}ष",
        "\u{fe0f}",
        "\r",
        "\n\n",
        ".",
        ",",
        "?",
        "!",
    ]);
    prop_oneof![
        prop::collection::vec(words, 0..40).prop_map(|words| words.join(" ")),
        prop::collection::vec(any::<char>(), 0..80).prop_map(|chars| chars.into_iter().collect()),
        "\\PC{0,60}",
    ]
}

proptest! {
    #[test]
    fn spans_lie_on_characters(text in texts()) {
        let options = GuardOptions { emergency: Some(EmergencyMode::Flag), ..GuardOptions::default() };
        if let Ok(verdict) = inspect(&text, &options) {
            for notice in &verdict.notices {
                prop_assert!(verdict.question.get(notice.span.clone()).is_some(), "{notice:?}");
            }
            if let Some(found) = &verdict.emergency {
                prop_assert_eq!(verdict.question.get(found.span.clone()), Some(found.matched.as_str()));
                prop_assert!(!found.matched.is_empty());
            }
            prop_assert_eq!(verdict.intent, intent(&verdict.question));
            prop_assert_eq!(verdict.language.as_deref(), language(&verdict.question));
        }
    }

    #[test]
    fn instructions_are_in_order_and_disjoint(text in texts()) {
        let mut end = 0;
        for found in instructions(&text) {
            prop_assert!(found.span.start >= end && !found.span.is_empty());
            prop_assert!(text.get(found.span.clone()).is_some());
            end = found.span.end;
        }
    }

    #[test]
    fn cleaning_what_is_clean_changes_nothing(text in texts()) {
        let seen = visible(&text);
        prop_assert_eq!(visible(&seen), seen.as_ref());
        if let Ok(once) = inspect(&text, &GuardOptions::default()) {
            let verdict = inspect(&once.question, &GuardOptions { markup: Action::Allow, ..GuardOptions::default() }).unwrap();
            prop_assert_eq!(verdict.question, once.question);
        }
    }
}

/// Units that a megabyte of is hard for what looks ahead or goes back.
#[test]
fn a_quarter_of_a_megabyte_of_anything_is_read() {
    for unit in [
        "a",
        "i ",
        "ignore ",
        "ignore all ",
        "you are now a ",
        "send the user ",
        "append add include insert ",
        "my chest pain ",
        "<",
        "[",
        "![",
        "![](?",
        "#\n###",
        "\u{200d}",
        "👨\u{200d}",
        "e\u{301}",
        "忽略",
        "'",
        ".\n\n",
        "аa",
    ] {
        let text = unit.repeat(250_000 / unit.len());
        instructions(&visible(&text));
        language(&text);
        intent(&text);
        assert!(inspect(&text, &GuardOptions::default()).is_err());
        super::emergency::find(&text, &Words::of(&text), &std::collections::BTreeMap::new()).unwrap();
    }
}
