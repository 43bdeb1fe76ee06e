//! Logs with and without something wrong, and what a record holds.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::canonical::sha256;
use super::*;
use crate::agent::Answer;
use ibid_llm::{ChatRequest, Message, ModelReply, Usage};
use ibid_retrieve::Hit;
use ibid_trust::cite::verify::{ClaimCheck, ClaimStatus};
use ibid_trust::cite::{Citation, Claim, Flag, FlagKind, Source};

/// A log of that many entries.
fn log(entries: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for n in 0..entries {
        let previous = lines.last().and_then(|line| entry_hash(line));
        lines.push(chain(
            previous.as_deref(),
            &json!({"version": 1, "kind": "run", "question": format!("Q{n}?")}),
        ));
    }
    lines
}

fn text(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// The lines and kinds of what is wrong.
fn wrong(lines: &[String]) -> Vec<(usize, ProblemKind)> {
    problems(&verify(&text(lines), None))
}

fn problems(report: &LogReport) -> Vec<(usize, ProblemKind)> {
    report.problems.iter().map(|problem| (problem.line, problem.kind)).collect()
}

#[test]
fn a_log_as_it_was_written_is_intact() {
    let lines = log(5);
    let report = verify(&text(&lines), None);
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.lines, report.dropped, report.more), (5, 0, 0));
    assert_eq!((report.first, report.head.clone()), (entry_hash(&lines[0]), entry_hash(&lines[4])));
    let mut verifier = Verifier::default();
    lines.iter().for_each(|line| verifier.push(line));
    let read = verifier.finish();
    assert_eq!((read.problems.len(), read.head), (0, report.head));
}

#[test]
fn a_change_is_noticed_in_its_line() {
    let mut lines = log(5);
    lines[2] = lines[2].replace("Q2", "Q7");
    assert_eq!(wrong(&lines), [(3, ProblemKind::Changed)]);
    // With its hash made anew, the next line shows it.
    let previous = entry_hash(&lines[1]);
    lines[2] = chain(previous.as_deref(), &json!({"question": "Q7?"}));
    assert_eq!(wrong(&lines), [(4, ProblemKind::Unlinked)]);
}

#[test]
fn removal_insertion_and_another_order_are_noticed_where_they_show() {
    let lines = log(6);
    let mut removed = lines.clone();
    removed.remove(2);
    assert_eq!(wrong(&removed), [(3, ProblemKind::Unlinked)]);
    let mut first_removed = lines.clone();
    first_removed.remove(0);
    assert_eq!(wrong(&first_removed), [(1, ProblemKind::NoBeginning)]);
    let mut inserted = lines.clone();
    inserted.insert(3, chain(entry_hash(&lines[2]).as_deref(), &json!({"forged": true})));
    assert_eq!(wrong(&inserted), [(5, ProblemKind::Forked)]);
    let mut repeated = lines.clone();
    repeated.insert(4, lines[1].clone());
    let report = verify(&text(&repeated), None);
    assert_eq!(problems(&report), [(5, ProblemKind::Unlinked), (6, ProblemKind::Unlinked)]);
    assert!(report.problems[1].message.contains("follows line 4"), "{report:?}");
    let mut swapped = lines.clone();
    swapped.swap(2, 3);
    assert_eq!(wrong(&swapped).first(), Some(&(3, ProblemKind::Unlinked)));
    let mut joined = lines.clone();
    joined.extend(log(2));
    assert_eq!(wrong(&joined), [(7, ProblemKind::Unlinked)]);
}

#[test]
fn a_missing_end_is_noticed_against_a_known_head_only() {
    let lines = log(4);
    let head = entry_hash(&lines[3]);
    assert!(verify(&text(&lines[..3]), None).is_intact());
    let cut = verify(&text(&lines[..3]), head.as_deref());
    assert_eq!(problems(&cut), [(3, ProblemKind::HeadMissing)]);
    // The log may have grown since the head was noted.
    let grown = verify(&text(&lines), entry_hash(&lines[1]).as_deref());
    assert_eq!((grown.is_intact(), grown.known), (true, Some(2)));
    assert_eq!(verify(&text(&lines), Some("no hash")).problems.len(), 1);
    assert_eq!(verify(&text(&lines), head.map(|head| head.to_ascii_uppercase()).as_deref()).known, Some(4));
}

#[test]
fn a_checkpoint_stands_for_what_was_dropped() {
    let lines = log(6);
    let last_dropped = entry_hash(&lines[2]).unwrap();
    let mut kept = vec![checkpoint(3, &last_dropped, "2026-11-22T08:15:30.250Z")];
    kept.extend_from_slice(&lines[3..]);
    let report = verify(&text(&kept), Some(&last_dropped));
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.lines, report.dropped, report.known), (4, 3, Some(0)));
    assert_eq!((report.first, report.head), (entry_hash(&lines[3]), entry_hash(&lines[5])));
    // One that is left alone is gone on from as if nothing had been dropped.
    let alone = verify(&text(&kept[..1]), None);
    assert_eq!((alone.is_intact(), alone.first, alone.head), (true, None, Some(last_dropped)));
    // One that does not fit.
    kept.remove(1);
    assert_eq!(wrong(&kept), [(2, ProblemKind::Unlinked)]);
    kept.swap(0, 1);
    assert_eq!(wrong(&kept), [(1, ProblemKind::NoBeginning), (2, ProblemKind::Misplaced)]);
    let changed = checkpoint(3, &sha256(b""), "t").replace("\"dropped\":3", "\"dropped\":2");
    assert_eq!(wrong(&[changed]), [(1, ProblemKind::Changed)]);
}

#[test]
fn two_writers_are_noticed() {
    let mut lines = log(3);
    let previous = entry_hash(&lines[1]);
    lines.push(chain(previous.as_deref(), &json!({"question": "meanwhile"})));
    assert_eq!(wrong(&lines), [(4, ProblemKind::Forked)]);
}

#[test]
fn what_is_no_log_is_said_to_be_none() {
    let kinds = |log: &str| verify(log, None).problems.iter().map(|problem| problem.kind).collect::<Vec<_>>();
    let lines = text(&log(2));
    assert_eq!(kinds(""), [ProblemKind::Empty]);
    assert_eq!(kinds("\n"), [ProblemKind::InvalidJson]);
    assert_eq!(kinds("[]\n"), [ProblemKind::NoEntry]);
    assert_eq!(kinds("{}\n"), [ProblemKind::NoEntry]);
    assert_eq!(kinds(&format!("{{\"hash\":\"{}\"}}\n", sha256(b""))), [ProblemKind::NoEntry]);
    assert_eq!(kinds(&"[".repeat(1 << 20)), [ProblemKind::InvalidJson, ProblemKind::Unfinished]);
    assert_eq!(kinds(lines.trim_end()), [ProblemKind::Unfinished]);
    assert_eq!(kinds(&lines[..lines.len() - 9]), [ProblemKind::InvalidJson, ProblemKind::Unfinished]);
    assert_eq!(kinds(&lines.replace('\n', "\r\n")), [ProblemKind::LineEnding; 2]);
    assert_eq!(kinds(&format!("{lines}\n{lines}")), [ProblemKind::InvalidJson]);
    assert_eq!(kinds(&format!("\u{feff}{lines}")), [ProblemKind::InvalidJson]);
    assert_eq!(kinds(&format!("{}\n", "x".repeat(MAX_LINE + 1))), [ProblemKind::TooLong]);
    let newer = chain(None, &json!({"version": 2}));
    assert_eq!(kinds(&format!("{newer}\n")), [ProblemKind::Version]);
    let mut verifier = Verifier::default();
    verifier.unreadable("The disk is gone.");
    assert_eq!(problems(&verifier.finish()), [(1, ProblemKind::Unreadable)]);
}

#[test]
fn a_file_that_is_no_log_gives_a_report_of_bounded_size() {
    let report = verify(&"x\n".repeat(5000), None);
    assert_eq!((report.lines, report.problems.len(), report.more), (5000, 1000, 4000));
}

fn hit(text: &str) -> Hit {
    Hit {
        id: "00ff".to_owned(),
        document_id: "guide".to_owned(),
        text: text.to_owned(),
        score: 0.123_456,
        ..Hit::default()
    }
}

/// A record of a run about Maria, whose name is redacted.
fn record(answer: &Answer) -> Value {
    let mut trail = Trail::default();
    trail.searched("dose for Maria", Some("guides"), &[hit("secret passage")]);
    let request = ChatRequest {
        messages: vec![Message::User { content: "Which dose for [NAME_1]?".to_owned() }],
        ..ChatRequest::default()
    };
    let reply =
        ModelReply { text: "A reply.".to_owned(), usage: Some(Usage::default()), ..ModelReply::default() };
    trail.called("answer", Some("m"), &request, &reply);
    // A run can be stored in the middle.
    let trail: Trail = serde_json::from_value(serde_json::to_value(&trail).unwrap()).unwrap();
    let verdicts = json!({"question": "Maria?", "intent": "dosage", "notices": [{"message": "about Maria"}]});
    let plan = json!({"policy": "tools", "subQueries": ["Maria's dose"]});
    trail.record("Which dose for [NAME_1]?", &verdicts, &plan, answer, &|text| {
        text.replace("Maria", "[NAME_1]")
    })
}

fn answer(text: &str) -> Answer {
    let source = Source { number: 2, hit: hit("secret passage"), ..Source::default() };
    Answer {
        text: text.to_owned(),
        claims: vec![Claim {
            text: "Some text".to_owned(),
            end: 9,
            sources: vec![2],
            check: Some(ClaimCheck {
                status: ClaimStatus::Supported,
                coverage: 0.987_66,
                ..ClaimCheck::default()
            }),
            ..Claim::default()
        }],
        citations: vec![Citation { number: 2, span: 0..3, source: source.into() }],
        flags: vec![Flag::new(FlagKind::EntityUnsupported, 4..9, "“Maria” stands in no source.").at(2, 0..6)],
        output: Some(json!({"name": "Maria"})),
        ..Answer::default()
    }
}

#[test]
fn a_record_holds_no_personal_data_and_no_passage() {
    let record = record(&answer("Maria gets 5 mg [2]."));
    let written = record.to_string();
    for kept_out in ["Maria", "secret passage", "A reply."] {
        assert!(!written.contains(kept_out), "{kept_out}: {written}");
    }
    assert_eq!(record["answer"], "[NAME_1] gets 5 mg [2].");
    assert_eq!(record["searches"][0]["query"], "dose for [NAME_1]");
    assert_eq!(record["plan"]["subQueries"][0], "[NAME_1]'s dose");
    assert_eq!(record["verdicts"], json!({"intent": "dosage", "notices": [{"message": "about [NAME_1]"}]}));
    // The places would be those of another text.
    assert_eq!(record["claims"], json!([{"sources": [2], "status": "supported", "coverage": 0.9877}]));
    assert_eq!(record["flags"][0]["kind"], "entity_unsupported");
    assert!(record["flags"][0].get("span").is_none());
}

#[test]
fn a_record_says_what_was_found_sent_and_cited() {
    let record = record(&answer("She gets 5 mg [2]."));
    assert_eq!((&record["version"], &record["kind"]), (&json!(1), &json!("run")));
    let found = &record["searches"][0]["hits"][0];
    assert_eq!(found["text"], sha256(b"secret passage"));
    assert_eq!((&found["document"], &found["chunk"]), (&json!("guide"), &json!("00ff")));
    assert_eq!((&found["score"], &record["searches"][0]["collection"]), (&json!(0.1235), &json!("guides")));
    let call = &record["calls"][0];
    assert_eq!(
        (&call["purpose"], &call["model"], &call["finishReason"]),
        (&json!("answer"), &json!("m"), &json!("stop"))
    );
    assert_eq!(call["reply"], sha256(b"A reply."));
    assert_eq!(call["prompt"].as_str().map(str::len), Some(64));
    assert_eq!(record["sources"][0]["number"], 2);
    assert_eq!(record["claims"][0]["span"], json!({"start": 0, "end": 9}));
    assert_eq!(record["flags"][0]["source"], json!({"number": 2, "span": {"start": 0, "end": 6}}));
    assert!(record.get("model").is_none(), "what is not known is left out");
    assert!(verify(&(chain(None, &record) + "\n"), None).is_intact());
}

proptest! {
    #[test]
    fn any_text_is_checked(log in any::<String>(), head in prop::option::of(any::<String>())) {
        let report = verify(&log, head.as_deref());
        prop_assert_eq!(report.lines, log.split_inclusive('\n').count());
    }

    #[test]
    fn any_change_of_one_byte_is_noticed(at in any::<prop::sample::Index>(), to in 0_u8..128) {
        let whole = text(&log(3));
        let mut bytes = whole.clone().into_bytes();
        let at = at.index(bytes.len());
        prop_assume!(bytes[at] != to);
        bytes[at] = to;
        let changed = String::from_utf8(bytes).unwrap();
        let head = entry_hash(whole.lines().last().unwrap());
        prop_assert!(!verify(&changed, head.as_deref()).is_intact(), "{changed}");
    }
}
