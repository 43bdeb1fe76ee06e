//! Logs of runs.

use ibid::agent::audit::{Verifier, chain, checkpoint, entry_hash, verify};
use serde_json::json;

/// Checks bytes as an audit log. What is found intact goes on to be, with one more entry.
pub fn audit(data: &[u8]) {
    let log = String::from_utf8_lossy(data);
    let report = verify(&log, None);
    let mut lines = Verifier::default();
    log.lines().for_each(|line| lines.push(line));
    assert_eq!(report.lines, lines.finish().lines);
    if report.is_intact() {
        let last = log.lines().last().and_then(entry_hash);
        assert_eq!(report.head, last);
        let longer = format!("{log}{}\n", chain(last.as_deref(), &json!({"question": "?"})));
        let longer = verify(&longer, last.as_deref());
        assert!(longer.is_intact(), "{longer:?}");
    }
}

/// A log of two runs, and one that began with a checkpoint.
pub fn seeds() -> Vec<Vec<u8>> {
    let first = chain(None, &json!({"version": 1, "kind": "run", "question": "Wie oft?", "cost": 1.5e-7}));
    let hash = entry_hash(&first).unwrap_or_default();
    let second = chain(Some(&hash), &json!({"version": 1, "kind": "run", "flags": [{"kind": "cut_off"}]}));
    let kept = checkpoint(1, &hash, "2026-11-22T08:15:30.250Z");
    vec![format!("{first}\n{second}\n").into_bytes(), format!("{kept}\n{second}\n").into_bytes()]
}
