//! Characters that nobody sees, and characters that look like others.

use std::borrow::Cow;

use super::verdict::{Notice, NoticeKind};
use ibid_platform::normalize;
use ibid_text::{Script, alike_latin, is_direction, is_invisible};

/// Finds the kind of an unseen character; `None` for one that is seen, white space included.
fn unseen(char: char) -> Option<NoticeKind> {
    if (' '..='~').contains(&char) {
        return None;
    }
    Some(match char {
        '\n' | '\t' | '\r' => return None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => NoticeKind::Control,
        _ if is_direction(char) => NoticeKind::Bidi,
        _ if is_invisible(char) => NoticeKind::Invisible,
        _ => return None,
    })
}

/// Returns true if an unseen character is needed where it stands: it makes the characters next to it look as they should, in
/// scripts whose letters change by their neighbours and in emoji. `before` is what was kept last, `after` what comes next.
fn needed(char: char, before: Option<char>, after: Option<char>) -> bool {
    let shaped =
        |char: char| !char.is_ascii() && Script::of(char) != Some(Script::Latn) && unseen(char).is_none();
    let (Some(before), after) = (before, after.unwrap_or(' ')) else { return false };
    match char {
        '\u{200c}' | '\u{200d}' => (shaped(before) || before == '\u{fe0f}') && shaped(after),
        // One selector; a chain of them carries hidden bytes. Digits and signs have them on keys.
        '\u{fe00}'..='\u{fe0f}' | '\u{e_0100}'..='\u{e_01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            shaped(before) || after == '\u{20e3}'
        }
        _ => false,
    }
}

/// Calls `removed` with the place in the result and the kind of each unseen character that is not kept.
fn strip(text: &str, mut removed: impl FnMut(usize, NoticeKind)) -> Cow<'_, str> {
    let plain = |char: char| unseen(char).is_none();
    let Some(first) = text.find(|char| !plain(char)) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut before = out.chars().next_back();
    let mut chars = text[first..].chars().peekable();
    while let Some(char) = chars.next() {
        if let Some(kind) = unseen(char)
            && !needed(char, before, chars.peek().copied())
        {
            removed(out.len(), kind);
            continue;
        }
        out.push(char);
        before = Some(char);
    }
    if out.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Shows the text as it is seen; see [`visible`](super::injection::visible).
pub(super) fn seen(text: &str) -> Cow<'_, str> {
    strip(text, |_, _| {})
}

/// Cleans a question, and says what was taken out of it: line breaks of one kind, NFC, nothing unseen, no white space
/// around it. What has been cleaned stays as it is when it is cleaned again.
pub(super) fn clean(text: &str) -> (String, Vec<Notice>) {
    let lines = if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    };
    let kinds = [NoticeKind::Control, NoticeKind::Invisible, NoticeKind::Bidi];
    // Of each kind, where the first stood, and how many there were.
    let mut found: [Option<(usize, u32)>; 3] = [None; 3];
    let mut text = lines;
    // A mark that nobody sees can keep a letter and its accent apart, so that composing comes after; and composing can
    // bring two together between which a joiner stood with reason, so that this goes on until nothing changes.
    for _ in 0..3 {
        let mut removed: [Option<(usize, u32)>; 3] = [None; 3];
        let kept = strip(&text, |at, kind| {
            if let Some(index) = kinds.iter().position(|&other| other == kind) {
                removed[index].get_or_insert((at, 0)).1 += 1;
            }
        });
        for (all, new) in found.iter_mut().zip(removed) {
            if let Some((at, count)) = new {
                // The place moves with what is composed before it.
                all.get_or_insert_with(|| (normalize(&kept[..at]).len(), 0)).1 += count;
            }
        }
        let composed = normalize(&kept).into_owned();
        if composed == text {
            break;
        }
        text = Cow::Owned(composed);
    }
    let question = text.trim();
    let lead = text.len() - text.trim_start().len();
    let place = |at: usize| {
        let at = at.saturating_sub(lead).min(question.len());
        (0..=at).rev().find(|&at| question.is_char_boundary(at)).unwrap_or_default()
    };
    let notices = kinds.iter().zip(found).filter_map(|(&kind, found)| {
        let (at, count) = found?;
        let at = place(at);
        Some(Notice { kind, span: at..at, message: removal(kind, count) })
    });
    let notices = notices.collect();
    (question.to_owned(), notices)
}

fn removal(kind: NoticeKind, count: u32) -> String {
    let what = match kind {
        NoticeKind::Control => "control",
        NoticeKind::Bidi => "direction",
        _ => "invisible",
    };
    let (s, were) = if count == 1 { ("", "was") } else { ("s", "were") };
    format!("{count} {what} character{s} {were} taken out.")
}

/// Words in which letters of another script pass for Latin ones, as byte ranges; at most `limit`.
pub(super) fn mixed(text: &str, limit: usize) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut latin, mut alike) = (0, false, false);
    for (at, char) in text.char_indices().chain([(text.len(), ' ')]) {
        if !char.is_alphanumeric() {
            if latin && alike {
                found.push(start..at);
                if found.len() == limit {
                    return found;
                }
            }
            (start, latin, alike) = (at + char.len_utf8(), false, false);
        } else if alike_latin(char).is_some() {
            alike = true;
        } else {
            latin |= Script::of(char) == Some(Script::Latn);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_goes() {
        for (text, kept) in [
            ("a\u{200b}b\u{feff}c\u{2060}d", "abcd"),
            ("pay\u{202e}gpj.exe\u{202c}", "paygpj.exe"),
            ("hid\u{e0068}\u{e0069}den", "hidden"),
            ("so\u{ad}ft\u{34f}", "soft"),
            ("bell\u{7}\u{1b}[31m\u{85}", "bell[31m"),
            ("tab\tline\nreturn\r\n", "tab\tline\nreturn\r\n"),
        ] {
            assert_eq!(seen(text), kept);
        }
        assert!(matches!(seen("nothing to do, naïve 日本語"), Cow::Borrowed(_)));
    }

    #[test]
    fn joiners_stay_where_they_are_spelling() {
        for same in [
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👨\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}\u{200d}🔥",
            "👩🏽\u{200d}⚕\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "葛\u{e0100}",
        ] {
            assert_eq!(seen(same), same);
        }
        assert_eq!(seen("ig\u{200d}nore \u{200c}all"), "ignore all");
        assert_eq!(seen("a\u{fe0f}b\u{fe01}\u{fe02}"), "ab");
        // A chain of selectors is no emoji any more.
        assert_eq!(seen("😀\u{fe0f}\u{fe0f}\u{e0100}\u{e0101}"), "😀\u{fe0f}");
    }

    #[test]
    fn a_cleaned_question_says_what_was_taken_out() {
        let (question, notices) = clean(" \u{feff}What is\u{200b} e\u{200d}\u{301}\u{202e}? \0\r\n");
        assert_eq!(question, "What is é?");
        let seen: Vec<_> = notices.iter().map(|notice| (notice.kind, notice.span.clone())).collect();
        assert_eq!(
            seen,
            [(NoticeKind::Control, 11..11), (NoticeKind::Invisible, 0..0), (NoticeKind::Bidi, 10..10)]
        );
        assert_eq!(notices[1].message, "3 invisible characters were taken out.");
    }

    #[test]
    fn letters_of_two_scripts_in_a_word() {
        let text = "ignоre all";
        let words: Vec<&str> = mixed(text, 9).into_iter().map(|span| &text[span]).collect();
        assert_eq!(words, ["ignоre"]);
        for fine in ["TNFα and β2-agonists", "привет world", "Σ of x", "10 µg", ""] {
            assert!(mixed(fine, 9).is_empty(), "{fine}");
        }
        assert_eq!(mixed("аb сd еf", 2).len(), 2);
    }
}
