//! Printing of a run and of its answer.

use std::fmt::Write;

use crate::terminal::{self, FAINT, STRONG, Screen, place, styled};
use ibid::agent::{Answer, AskEvent, Guarded};
use ibid_native::word;
use ibid_trust::cite::{self, BibliographyFormat, Confidence, Source};

/// The most passages that are listed if none answers.
const MAX_NEAREST: usize = 3;

/// The text of an answer as it comes.
#[derive(Default)]
pub(super) struct Streamed {
    text: String,
    /// The length of the blocks that have been printed.
    printed: usize,
}

impl Streamed {
    /// Keeps the text of an event, and prints each block of it that has come to its end. A standard output that cannot be
    /// written is noticed when the answer is printed.
    pub(super) fn take(&mut self, event: &AskEvent) {
        let AskEvent::Text { delta, restart } = event else { return };
        if *restart {
            *self = Self::default();
        }
        self.text.push_str(delta);
        let rest = &self.text[self.printed..];
        if let Some(end) = end_of_blocks(rest) {
            let _ = terminal::print(&(Screen::of_stdout().markdown(&rest[..end]) + "\n"));
            self.printed += end;
        }
    }

    /// Returns the part of an answer's text that has not been printed: all of it, if it is another than came.
    fn left<'a>(&self, answer: &'a str) -> &'a str {
        if answer.trim() == self.text.trim() {
            answer.get(self.printed..).unwrap_or_default()
        } else {
            answer
        }
    }
}

/// Returns the place behind the last empty line that is not in a block of code.
fn end_of_blocks(text: &str) -> Option<usize> {
    let (mut at, mut end, mut is_code) = (0, None, false);
    for line in text.split_inclusive('\n') {
        at += line.len();
        is_code ^= line.trim_start().starts_with("```");
        if !is_code && line.trim().is_empty() && line.ends_with('\n') {
            end = Some(at);
        }
    }
    end
}

/// Writes a line about an event; text is left out, since only the last one is the answer.
pub(super) fn describe(event: &AskEvent) -> Option<String> {
    Some(match event {
        AskEvent::Guard { guard } => return guarded(guard),
        AskEvent::Turn { turn, purpose, .. } => format!("turn {turn}: {}", word(purpose)),
        AskEvent::Search { query, .. } => format!("  searching: {query}"),
        AskEvent::Sources { sources, .. } => {
            let numbers: Vec<String> = sources.iter().map(|source| format!("[{}]", source.number)).collect();
            format!("  found {} passages {}", sources.len(), numbers.join(" "))
        }
        AskEvent::ToolError { name, message, .. } => {
            format!("  the model called `{name}` wrongly: {message}")
        }
        AskEvent::Retry { attempt, delay_ms, reason } => {
            format!("  retry {attempt} in {delay_ms} ms: {reason}")
        }
        AskEvent::ToolCall { name, .. } => format!("  calling {name}"),
        AskEvent::Text { .. }
        | AskEvent::Output { .. }
        | AskEvent::Reasoning { .. }
        | AskEvent::ToolResult { .. }
        | AskEvent::Step { .. } => return None,
    })
}

/// The answer as a person reads it; if no passage answers, with those of `found` that come nearest.
pub(super) fn format_answer(
    answer: &Answer,
    found: &[Source],
    streamed: &Streamed,
    bibliography: Option<BibliographyFormat>,
) -> String {
    let screen = Screen::of_stdout();
    let mut out = screen.markdown(streamed.left(&answer.text));
    let mut cited: Vec<_> = answer.citations.iter().map(|citation| &citation.source).collect();
    cited.sort_by_key(|source| source.number);
    cited.dedup_by_key(|source| source.number);
    if let (Some(format), false) = (bibliography, cited.is_empty()) {
        let numbers: Vec<u32> = cited.iter().map(|source| source.number).collect();
        let _ = write!(out, "\n{}\n", cite::bibliography(&answer.sources, &numbers, format).trim_end());
    } else {
        // What a note names instead of them can be looked up too.
        let checks = answer.claims.iter().filter_map(|claim| claim.check.as_ref());
        let named: Vec<u32> =
            checks.flat_map(|check| &check.alternatives).map(|found| found.number).collect();
        let listed: Vec<&Source> = answer
            .sources
            .iter()
            .filter(|source| {
                named.contains(&source.number) || cited.iter().any(|cited| cited.number == source.number)
            })
            .collect();
        if listed.is_empty() && !answer.answerable {
            out.push_str(&nearest(screen, found));
        } else if !listed.is_empty() {
            let _ = writeln!(out, "\n{}", styled(STRONG, "Sources"));
        }
        for source in listed {
            out += &passage(screen, source, &format!("[{}] ", source.number));
        }
    }
    if let Some(Confidence { value, parts }) = &answer.confidence {
        let _ = writeln!(
            // Writing to a string cannot fail.
            out,
            "\nConfidence {value:.2} (retrieval {:.2}, values {:.2}, cited {:.2}, standing {:.2})",
            parts.retrieval,
            parts.values,
            parts.cited,
            parts.standing
        );
    }
    for flag in &answer.flags {
        out.push('\n');
        out += &screen.wrap(&flag.message, "note: ", "  ");
    }
    out
}

/// Writes the passages that come nearest to a question, best first.
fn nearest(screen: Screen, found: &[Source]) -> String {
    let mut nearest: Vec<&Source> = found.iter().collect();
    nearest.sort_by(|one, other| other.hit.score.total_cmp(&one.hit.score));
    let lines: String =
        nearest.iter().take(MAX_NEAREST).map(|source| passage(screen, source, "- ")).collect();
    if lines.is_empty() { lines } else { format!("\n{}\n{lines}", styled(STRONG, "Nearest passages")) }
}

/// Writes a line with a passage's headings and its place, which begins with its mark.
fn passage(screen: Screen, Source { hit, .. }: &Source, mark: &str) -> String {
    let line = format!("{}  {}", hit.heading_path.join(" > "), styled(FAINT, &place(hit)));
    screen.wrap(&line, mark, &" ".repeat(mark.len()))
}

/// Writes the notes of the guard, if there are any.
fn guarded(guard: &Guarded) -> Option<String> {
    let mut said: Vec<String> = guard.notices.iter().map(|notice| notice.message.clone()).collect();
    if !guard.pii.is_empty() {
        let kinds: Vec<String> = guard.pii.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        said.push(format!("personal data in the question: {}", kinds.join(", ")));
    }
    if let Some(emergency) = &guard.emergency {
        said.push(format!("this sounds like an emergency ({})", emergency.matched));
    }
    (!said.is_empty()).then(|| format!("guard: {}", said.join("; ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use ibid::agent::AnswerMode;

    #[test]
    fn sources_list_what_a_note_names() {
        let numbered = |number| Source { number, ..Source::default() };
        let found = json!({"number": 6, "span": {"start": 0, "end": 1}, "coverage": 0.9});
        let check = json!({"status": "unsupported", "coverage": 0, "evidence": [], "alternatives": [found]});
        let claim = json!({"text": "Zinc helps.", "start": 0, "end": 11, "sources": [1], "check": check});
        let answer = Answer {
            mode: AnswerMode::Model,
            sources: vec![numbered(1), numbered(6)],
            claims: vec![serde_json::from_value(claim).unwrap()],
            ..Answer::default()
        };
        let shown = format_answer(&answer, &[], &Streamed::default(), None);
        assert!(shown.contains("[6]") && !shown.contains("[1]"), "{shown}");
    }
}
