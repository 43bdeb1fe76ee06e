//! Printing of a run and of its answer.

use std::fmt::Write;

use ibid::agent::{Answer, AnswerMode, AskEvent, Guarded};
use ibid_native::print;
use ibid_trust::cite::{self, BibliographyFormat, Confidence, Source};

/// The most passages that are listed if none answers.
const MAX_NEAREST: usize = 3;

/// Prints the answer's text as it comes, and keeps it. A standard output that cannot be written is noticed when the
/// answer is printed.
pub(super) fn stream(event: &AskEvent, streamed: &mut String) {
    let AskEvent::Text { delta, restart } = event else { return };
    if *restart && !streamed.is_empty() {
        streamed.clear();
        let _ = print("\n\n");
    }
    streamed.push_str(delta);
    let _ = print(delta);
}

/// A line about an event; text is left out, since only the last one is the answer.
pub(super) fn describe(event: &AskEvent) -> Option<String> {
    Some(match event {
        AskEvent::Guard { guard } => return guarded(guard),
        AskEvent::Turn { turn, purpose, .. } => {
            let purpose = serde_json::to_value(purpose).ok()?;
            format!("turn {turn}: {}", purpose.as_str().unwrap_or_default())
        }
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
    shown: bool,
    bibliography: Option<BibliographyFormat>,
) -> String {
    let mut out = if shown { "\n".to_owned() } else { format!("{}\n", answer.text.trim_end()) };
    let mut cited: Vec<_> = answer.citations.iter().map(|citation| &citation.source).collect();
    cited.sort_by_key(|source| source.number);
    cited.dedup_by_key(|source| source.number);
    if cited.is_empty() && answer.mode == AnswerMode::Extractive {
        out.push_str(&nearest(found));
    } else if let (Some(format), false) = (bibliography, cited.is_empty()) {
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
        if !listed.is_empty() {
            out.push_str("\nSources\n");
        }
        for source in listed {
            let path = source.hit.heading_path.join(" > ");
            // Writing to a string cannot fail.
            let _ = writeln!(out, "[{}] {path}  ({}:{})", source.number, source.hit.source, source.hit.line);
        }
    }
    if let Some(Confidence { value, parts }) = &answer.confidence {
        let _ = writeln!(
            out,
            "\nConfidence {value:.2} (retrieval {:.2}, coverage {:.2}, cited {:.2}, flags {:.2})",
            parts.retrieval, parts.coverage, parts.cited, parts.flags
        );
    }
    for flag in &answer.flags {
        let _ = write!(out, "\nnote: {}\n", flag.message);
    }
    out
}

/// The passages that come nearest to a question, best first.
fn nearest(found: &[Source]) -> String {
    let mut nearest: Vec<&Source> = found.iter().collect();
    nearest.sort_by(|one, other| other.hit.score.total_cmp(&one.hit.score));
    let lines = nearest.iter().take(MAX_NEAREST).map(|Source { hit, .. }| {
        let place = hit.url.clone().unwrap_or_else(|| format!("{}:{}", hit.source, hit.line));
        format!("{}  ({place})\n", hit.heading_path.join(" > "))
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\nNearest passages\n{lines}") }
}

/// The notes of the guard, if there are any.
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
        let shown = format_answer(&answer, &[], true, None);
        assert!(shown.contains("[6]") && !shown.contains("[1]"), "{shown}");
    }
}
