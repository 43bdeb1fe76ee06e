//! `ibid audit show`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use serde_json::Value;

use super::log::{self, LogLine};
use ibid::agent::audit::Verifier;
use ibid_native::{note, print};
use ibid_platform::Result;

/// The most characters of a question or an answer that are shown.
const MAX_SHOWN: usize = 300;

#[derive(clap::Args)]
pub(crate) struct AuditShowArgs {
    /// The log.
    #[arg(value_name = "FILE")]
    log: PathBuf,
}

pub(super) fn run(args: &AuditShowArgs) -> Result<()> {
    let mut verifier = Verifier::default();
    let (mut number, mut printed) = (0, Ok(()));
    log::read(&args.log, &mut |line| {
        line.check(&mut verifier);
        if let LogLine::Text(text) = line {
            number += 1;
            let shown = serde_json::from_str(text).map(|entry: Value| describe(number, &entry));
            if let (Ok(shown), Ok(())) = (shown, &printed) {
                printed = print(&shown);
            }
        } else if !matches!(line, LogLine::Unfinished) {
            number += 1;
        }
    })?;
    printed?;
    // What is shown may be read by somebody who takes it for what was written.
    let report = verifier.finish();
    if !report.is_intact() {
        note("note: the log is broken; `ibid audit verify` says where");
    }
    Ok(())
}

/// Writes a few lines about an entry.
fn describe(line: usize, entry: &Value) -> String {
    let text = |name: &str| entry[name].as_str().unwrap_or_default();
    let heading: Vec<String> =
        ["time", "policy", "model", "finishReason"].iter().map(|name| plain(text(name))).collect();
    let heading: Vec<&str> = heading.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let mut out = format!("{line}  {}\n", heading.join("  "));
    if text("kind") == "checkpoint" {
        let _ = writeln!(out, "   {} older entries were dropped", entry["dropped"]);
        return out;
    }
    for (name, sign) in [("question", '?'), ("answer", '=')] {
        if !text(name).is_empty() {
            let _ = writeln!(out, "   {sign} {}", plain(text(name)));
        }
    }
    let list = |name: &str| entry[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let found: usize =
        list("searches").iter().filter_map(|search| search["hits"].as_array()).map(Vec::len).sum();
    let mut facts = vec![
        format!("searches {}, passages {found}", list("searches").len()),
        format!("cited {}", list("sources").len()),
    ];
    if !list("calls").is_empty() {
        let tokens = entry["usage"]["totalTokens"].as_u64();
        let tokens = tokens.map(|tokens| format!(", tokens {tokens}")).unwrap_or_default();
        facts.push(format!("calls {}{tokens}", list("calls").len()));
    }
    for (name, field) in [("claims", "status"), ("flags", "kind")] {
        if let Some(counts) = counts(list(name), field) {
            facts.push(format!("{name}: {counts}"));
        }
    }
    if let Some(confidence) = entry["confidence"]["value"].as_f64() {
        facts.push(format!("confidence {confidence:.2}"));
    }
    let _ = writeln!(out, "   {}", facts.join("; "));
    out
}

/// Writes the number of times each value of a field occurs; nothing if it never does.
fn counts(items: &[Value], field: &str) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for value in items.iter().filter_map(|item| item[field].as_str()) {
        *counts.entry(plain(value)).or_default() += 1;
    }
    let parts: Vec<String> = counts.iter().map(|(value, count)| format!("{count} {value}")).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Writes a text in one line, without what a terminal would obey, and not too long.
fn plain(text: &str) -> String {
    let is_unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let spaced: String =
        text.chars().take(MAX_SHOWN * 4).map(|c| if is_unseen(c) { ' ' } else { c }).collect();
    let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= MAX_SHOWN {
        return words;
    }
    words.chars().take(MAX_SHOWN - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_in_a_few_lines() {
        let entry = json!({
            "time": "2026-11-22T08:15:30.250Z", "policy": "tools", "model": "m", "finishReason": "stop", "kind": "run",
            "question": "Which dose?", "answer": "5 mg.\n\u{1b}[31mRed\u{202e} [1].", "usage": {"totalTokens": 12},
            "searches": [{"hits": [{}, {}]}], "calls": [{}], "sources": [{}],
            "claims": [{"status": "supported"}, {"status": "supported"}, {"status": "uncited"}],
            "flags": [{"kind": "uncited_claim"}], "confidence": {"value": 0.5},
        });
        assert_eq!(
            describe(7, &entry),
            "7  2026-11-22T08:15:30.250Z  tools  m  stop\n   ? Which dose?\n   = 5 mg. [31mRed [1].\n   searches 1, passages 2; \
             cited 1; calls 1, tokens 12; claims: 2 supported, 1 uncited; flags: 1 uncited_claim; confidence 0.50\n"
        );
        assert_eq!(describe(1, &json!([])), "1  \n   searches 0, passages 0; cited 0\n");
        let checkpoint = json!({"kind": "checkpoint", "time": "t", "dropped": 3});
        assert_eq!(describe(1, &checkpoint), "1  t\n   3 older entries were dropped\n");
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(plain(&"ä ".repeat(5000)).chars().count(), MAX_SHOWN);
        assert_eq!(plain("  a \r\n b "), "a b");
    }
}
