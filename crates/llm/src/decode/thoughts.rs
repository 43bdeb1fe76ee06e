//! Telling what a model thinks from what it says, where the server has not.
//!
//! Models write their thoughts between `<think>` and `</think>` before they answer, which the server takes out of the
//! content for those that it knows to do so. With others the tags arrive in the content, whatever the format is. And with
//! some the opening tag is missing, because it belongs to the prompt, and all that is left of the tags is `</think>` on a
//! line of its own.
//!
//! Thoughts after an opening tag are told apart as they come. Those that only a closing tag gives away have been
//! shown as text by then, and what was shown cannot be taken back. The reply that is kept has them as its reasoning all the same,
//! and only what comes after them as its text, so that neither a form nor citations are looked for in them. Of a reply
//! that was not streamed nothing has been shown, and all of it is told apart.

use crate::{ModelReply, ReplyPart};

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The longest white space before the first word that waits for a tag.
const MAX_HELD_BYTES: usize = 64;

/// The stream's place in the content.
#[derive(Default, PartialEq)]
enum TagPlace {
    /// Before its first word.
    #[default]
    Start,
    /// After an opening tag.
    Thoughts,
    /// In the text, which a closing tag may yet turn out to have been thoughts.
    Doubtful,
    /// Between the thoughts and the text's first word.
    Between,
    /// In the text, with no doubt.
    Text,
}

/// The content as far as it has arrived.
#[derive(Default)]
pub(super) struct Thoughts {
    place: TagPlace,
    /// Text that may begin a tag, and waits for its rest.
    pub(super) held: String,
    /// True when the text so far ends within a line.
    within_line: bool,
}

/// The reply as it has been told.
pub(super) struct ToldReply<'a> {
    pub(super) reply: &'a mut ModelReply,
    pub(super) parts: &'a mut Vec<ReplyPart>,
}

impl ToldReply<'_> {
    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.reply.text.push_str(text);
            self.parts.push(ReplyPart::Text(text.to_owned()));
        }
    }

    pub(super) fn reasoning(&mut self, text: &str) {
        if !text.is_empty() {
            self.reply.reasoning.push_str(text);
            self.parts.push(ReplyPart::Reasoning(text.to_owned()));
        }
    }
}

impl Thoughts {
    /// Notes that the server tells thoughts apart itself, so that tags in the content are text.
    pub(super) fn are_apart(&mut self) {
        if self.place == TagPlace::Start {
            self.place = TagPlace::Text;
        }
    }

    /// More of the content.
    pub(super) fn content(&mut self, piece: &str, shown: &mut ToldReply<'_>) {
        let mut joined = std::mem::take(&mut self.held);
        joined.push_str(piece);
        let mut rest = joined.as_str();
        while !rest.is_empty() {
            rest = self.step(rest, shown);
        }
    }

    /// Takes in what waited for more, when no more comes.
    pub(super) fn finish(&mut self, shown: &mut ToldReply<'_>) {
        let held = std::mem::take(&mut self.held);
        match self.place {
            TagPlace::Thoughts => shown.reasoning(&held),
            _ => shown.text(&held),
        }
    }

    /// Takes in as much as belongs to one place, and returns the rest. Nothing is left when more has to come first.
    fn step<'c>(&mut self, content: &'c str, shown: &mut ToldReply<'_>) -> &'c str {
        match self.place {
            TagPlace::Start => {
                let trimmed = content.trim_start();
                if let Some(rest) = trimmed.strip_prefix(OPEN) {
                    self.place = TagPlace::Thoughts;
                    return rest;
                }
                if OPEN.starts_with(trimmed) && content.len() < MAX_HELD_BYTES {
                    content.clone_into(&mut self.held);
                    return "";
                }
                self.place = TagPlace::Doubtful;
                content
            }
            TagPlace::Thoughts => {
                if let Some((thoughts, rest)) = content.split_once(CLOSE) {
                    shown.reasoning(thoughts);
                    self.place = TagPlace::Between;
                    return rest;
                }
                let (thoughts, held) = content.split_at(content.len() - tag_begun(content));
                shown.reasoning(thoughts);
                held.clone_into(&mut self.held);
                ""
            }
            TagPlace::Doubtful => self.doubtful(content, shown),
            TagPlace::Between => {
                let text = content.trim_start();
                if !text.is_empty() {
                    self.place = TagPlace::Text;
                }
                text
            }
            TagPlace::Text => {
                shown.text(content);
                ""
            }
        }
    }

    fn doubtful<'c>(&mut self, content: &'c str, shown: &mut ToldReply<'_>) -> &'c str {
        if let Some(at) = self.closing_line(content) {
            let (thoughts, rest) = content.split_at(at);
            // A text that has the other tag too is about them.
            if (shown.reply.text.clone() + thoughts).contains(OPEN) {
                self.place = TagPlace::Text;
                return content;
            }
            let text = std::mem::take(&mut shown.reply.text);
            shown.reply.reasoning.push_str(&text);
            shown.reasoning(thoughts);
            self.place = TagPlace::Between;
            return rest.strip_prefix(CLOSE).unwrap_or(rest);
        }
        let line = content.rfind('\n').map_or(0, |at| at + 1);
        let begins_line = line > 0 || !self.within_line;
        let last = content.get(line..).unwrap_or_default();
        let held = if begins_line && CLOSE.starts_with(last) { last.len() } else { 0 };
        let (text, held) = content.split_at(content.len() - held);
        if !text.is_empty() {
            self.within_line = !text.ends_with('\n');
        }
        shown.text(text);
        held.clone_into(&mut self.held);
        ""
    }

    /// Returns where a line begins with a closing tag. Within a line it may be what the text is about.
    fn closing_line(&self, content: &str) -> Option<usize> {
        let begins_line = |at: &usize| {
            let before = content.get(..*at).unwrap_or_default();
            before.ends_with('\n') || (before.is_empty() && !self.within_line)
        };
        content.match_indices(CLOSE).map(|(at, _)| at).find(begins_line)
    }
}

/// Returns how many bytes at the end may begin a closing tag.
fn tag_begun(content: &str) -> usize {
    (1..CLOSE.len()).rev().find(|length| content.ends_with(&CLOSE[..*length])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::testing::{FormatSample, SAMPLES, texts, thoughts};
    use crate::{CustomReply, ModelReply, ReplyPart};

    fn quoted(text: &str) -> String {
        let json = serde_json::to_string(text).unwrap();
        json[1..json.len() - 1].to_owned()
    }

    /// The content in these pieces, as that format streams it.
    fn read(sample: &FormatSample, pieces: &[&str]) -> (Vec<ReplyPart>, ModelReply) {
        let deltas: Vec<String> =
            pieces.iter().map(|piece| sample.stream[1].replace('@', &quoted(piece))).collect();
        sample.decode(&sample.around(&deltas))
    }

    fn reply(pieces: &[&str]) -> ModelReply {
        read(&SAMPLES[0], pieces).1
    }

    #[test]
    fn thoughts_between_tags_are_reasoning_in_every_format() {
        for sample in &SAMPLES {
            for pieces in [
                &["<think>a < b [9]</think>\n\nText"][..],
                &[" \n", "<th", "ink>a ", "< b [9]", "</thi", "nk>", "\n", "\nText"],
                &["<think>a < b [9]</", "think>Text"],
            ] {
                let (parts, reply) = read(sample, pieces);
                let told = (reply.text.as_str(), reply.reasoning.as_str());
                assert_eq!(told, ("Text", "a < b [9]"), "{:?} {pieces:?}", sample.kind);
                assert_eq!((texts(&parts).as_str(), thoughts(&parts).as_str()), told);
                assert!(reply.echo.is_empty());
            }
            let (parts, reply) = sample.decode(&sample.whole.replace('@', "<think>hm</think>Text"));
            assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Text", "hm"), "{:?}", sample.kind);
            assert_eq!(texts(&parts), "Text");
        }
        assert_eq!(reply(&["<think>cut </thi"]).reasoning, "cut </thi");
        assert_eq!(reply(&["<thin"]).text, "<thin");
        let mut own = CustomReply::default();
        own.push(r#"{"type":"text","delta":"<think>hm</think>Text"}"#).unwrap();
        assert_eq!(own.finish().1.text, "Text");
    }

    #[test]
    fn a_stray_closing_tag_ends_thoughts_that_were_shown() {
        for sample in &SAMPLES {
            for pieces in [
                &["Hm,", " well.\n", "</think>", "\n\n", "Text"][..],
                &["Hm, well.\n</thi", "nk>\n\nText"],
                &["Hm, well.\n", "<", "/think", ">Text"],
            ] {
                let (parts, reply) = read(sample, pieces);
                let told = (reply.text.as_str(), reply.reasoning.as_str());
                assert_eq!(told, ("Text", "Hm, well.\n"), "{:?} {pieces:?}", sample.kind);
                assert_eq!(texts(&parts) + &thoughts(&parts), "Hm, well.\nText");
            }
        }
        assert_eq!(reply(&["</think>\n\nText"]).text, "Text");
    }

    #[test]
    fn tags_that_a_text_is_about_stay() {
        for text in [
            "The tag `</think>` ends it.",
            "a </think>\nb",
            "One\n</thing>\nTwo",
            "x\n</thin",
            "a\n<",
            "Write <think> first",
            "So:\n\n```xml\n<think>\nhm\n</think>\n```\n\nThen\n</think>\nit ends.",
        ] {
            for size in [1, 3, 100] {
                let pieces: Vec<String> = text
                    .chars()
                    .collect::<Vec<_>>()
                    .chunks(size)
                    .map(|piece| piece.iter().collect())
                    .collect();
                let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                assert_eq!(reply(&pieces).text, text, "{size}");
            }
        }
        // Where the server tells thoughts apart, a tag is no leak.
        for sample in &SAMPLES {
            let thought = sample.reasoning.replace('@', "hm");
            let content = sample.stream[1].replace('@', "<think>x\\n</think>\\ny");
            let (_, reply) = sample.decode(&sample.around(&[thought, content]));
            assert_eq!(reply.text, "<think>x\n</think>\ny", "{:?}", sample.kind);
        }
        // After the thoughts it is text too.
        assert_eq!(reply(&["a\n</think>\nb\n</think>\nc"]).text, "b\n</think>\nc");
    }

    proptest! {
        /// However the content is cut into pieces, the reply is the same.
        #[test]
        fn thoughts_are_told_apart_wherever_the_content_is_cut(
            words in prop::collection::vec(
                prop::sample::select(vec!["<think>", "</think>", "\n", " ", "ä", "<", "</thi", "nk>"]), 0..12),
            size in 1_usize..6,
        ) {
            let text = words.concat();
            let characters: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = characters.chunks(size).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let (whole, cut) = (reply(&[&text]), reply(&pieces));
            prop_assert_eq!((&whole.text, &whole.reasoning), (&cut.text, &cut.reasoning));
        }
    }
}
