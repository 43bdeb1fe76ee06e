//! Pairs of a right and a wrong claim about the same passage: what is wrong must not pass, and what is right must not be
//! flagged.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::claim::claims;
use super::super::source::tests::hit;
use super::*;

/// A line of the file.
#[derive(Deserialize)]
struct ClaimPair {
    kind: String,
    passage: String,
    right: String,
    wrong: String,
}

/// Counts of what came of pairs.
#[derive(Default)]
struct Tally {
    pairs: usize,
    /// Wrong claims that are flagged or not checked, and those that are called supported.
    caught: usize,
    passed: usize,
    /// Right claims that are flagged, and those that are called supported.
    flagged: usize,
    supported: usize,
}

fn hold(claim: &str, passage: &str) -> (ClaimStatus, Vec<Flag>) {
    let title = passage.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    let hit = ibid_retrieve::Hit { title: title.to_owned(), heading_path: Vec::new(), ..hit(1, passage) };
    let text = format!("{} [1].", claim.trim_end_matches('.'));
    let mut claims = claims(&text);
    let flags = verify(&text, &mut claims, &[Source { number: 1, hit, ..Source::default() }]);
    (claims[0].check.as_ref().unwrap().status, flags)
}

fn tally(lines: &str, name: &str) {
    let mut kinds: BTreeMap<String, Tally> = BTreeMap::new();
    for pair in lines.lines().map(|line| serde_json::from_str::<ClaimPair>(line).unwrap()) {
        let (right, right_flags) = hold(&pair.right, &pair.passage);
        let (wrong, wrong_flags) = hold(&pair.wrong, &pair.passage);
        let caught =
            !matches!(wrong, ClaimStatus::Supported | ClaimStatus::Partly) || !wrong_flags.is_empty();
        let show = |flags: &[Flag]| -> String {
            let place = |flag: &Flag| pair.passage.get(flag.source.as_ref()?.span.clone());
            let flags =
                flags.iter().map(|flag| format!("{:?} {:?} by {:?}", flag.kind, flag.span, place(flag)));
            flags.collect::<Vec<_>>().join(", ")
        };
        if !caught {
            println!("{name} {}: passes as {wrong:?}: {}", pair.kind, pair.wrong);
        }
        if !right_flags.is_empty() {
            println!("{name} {}: flagged ({}): {}", pair.kind, show(&right_flags), pair.right);
        } else if right != ClaimStatus::Supported {
            println!("{name} {}: right, but {right:?}: {}", pair.kind, pair.right);
        }
        for kind in [pair.kind.as_str(), "all"] {
            let tally = kinds.entry(kind.to_owned()).or_default();
            tally.pairs += 1;
            tally.caught += usize::from(caught);
            tally.passed += usize::from(wrong == ClaimStatus::Supported);
            tally.flagged += usize::from(!right_flags.is_empty());
            tally.supported += usize::from(right == ClaimStatus::Supported);
        }
    }
    println!("{name}: pairs, wrong caught, wrong supported, right flagged, right supported");
    for (kind, tally) in &kinds {
        let Tally { pairs, caught, passed, flagged, supported } = tally;
        println!("{kind:10} {pairs:4} {caught:4} {passed:4} {flagged:4} {supported:4}");
    }
    let all = &kinds["all"];
    assert!(
        all.caught * 100 >= all.pairs * 85,
        "{name}: {} of {} wrong claims caught",
        all.caught,
        all.pairs
    );
    assert!(all.passed * 100 <= all.pairs * 5, "{name}: {} wrong claims supported", all.passed);
    assert!(all.flagged * 100 <= all.pairs * 5, "{name}: {} right claims flagged", all.flagged);
}

#[test]
fn wrong_claims_are_told_from_right_ones() {
    tally(include_str!("../../../../../tests/fixtures/claims/pairs.jsonl"), "pairs");
}
