//! Pairs of a right and a wrong claim about the same passage: what is wrong must not pass, and what is right must not be
//! flagged.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::claim::claims;
use super::super::confidence::confidence;
use super::super::source::tests::hit;
use super::*;

/// A line of the file.
#[derive(Deserialize)]
struct ClaimPair {
    kind: String,
    passage: String,
    right: String,
    wrong: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    headings: Vec<String>,
}

/// Counts of what came of pairs.
#[derive(Default)]
struct Tally {
    pairs: usize,
    /// Wrong claims that are flagged or not checked, those that are flagged, and those that are called supported.
    caught: usize,
    told: usize,
    passed: usize,
    /// Right claims that are flagged, and those that are called supported.
    flagged: usize,
    supported: usize,
}

/// The way a search describes a passage, apart from its text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Dress {
    Bare,
    /// Title and headings name the subjects of both claims.
    Titled,
    /// Metadata does.
    Described,
}

const DRESSES: [Dress; 3] = [Dress::Bare, Dress::Titled, Dress::Described];

/// The source that a search returns, where title or metadata name what the claims and the passage share.
fn source(pair: &ClaimPair, dress: Dress) -> Source {
    let claimed = format!("{} {}", pair.wrong, pair.right);
    let within = |word: &&str| {
        let found = pair.passage.to_lowercase().contains(&word.to_lowercase());
        word.len() > 3 && found && !word.contains(|c: char| c.is_ascii_digit())
    };
    let named: Vec<&str> = claimed.split(|c: char| !c.is_alphanumeric()).filter(within).collect();
    let title = pair.passage.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    let mut hit =
        ibid_retrieve::Hit { title: String::new(), heading_path: Vec::new(), ..hit(1, &pair.passage) };
    match dress {
        Dress::Bare => {}
        Dress::Titled => {
            hit.title = title.to_owned();
            hit.heading_path = vec![title.to_owned(), named.join(", ")];
        }
        Dress::Described => {
            hit.title = title.to_owned();
            hit.metadata.insert("subjects".to_owned(), named.clone().into());
            hit.metadata.insert("description".to_owned(), format!("All of {}", named.join(" and ")).into());
        }
    }
    Source { number: 1, hit, ..Source::default() }
}

fn hold(claim: &str, source: &Source) -> (ClaimStatus, Vec<Flag>) {
    let text = format!("{} [1].", claim.trim_end_matches('.'));
    let mut claims = claims(&text);
    let flags = verify(&text, &mut claims, std::slice::from_ref(source));
    (claims[0].check.as_ref().unwrap().status, flags)
}

/// Returns for each pair if its wrong claim is supported and its right one flagged, and prints a table.
fn tally(pairs: &[ClaimPair], name: &str, dress: Dress) -> Vec<(bool, bool)> {
    let name = &format!("{name} {dress:?}");
    let mut kinds: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut verdicts = Vec::new();
    for pair in pairs {
        let source = source(pair, dress);
        let (right, right_flags) = hold(&pair.right, &source);
        let (wrong, wrong_flags) = hold(&pair.wrong, &source);
        let caught = wrong != ClaimStatus::Supported || !wrong_flags.is_empty();
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
            let tally = kinds.entry(kind).or_default();
            tally.pairs += 1;
            tally.caught += usize::from(caught);
            tally.told += usize::from(!wrong_flags.is_empty());
            tally.passed += usize::from(wrong == ClaimStatus::Supported);
            tally.flagged += usize::from(!right_flags.is_empty());
            tally.supported += usize::from(right == ClaimStatus::Supported);
        }
        verdicts.push((wrong == ClaimStatus::Supported, !right_flags.is_empty()));
    }
    println!("{name}: pairs; wrong caught, flagged, supported; right flagged, supported");
    for (kind, tally) in &kinds {
        let Tally { pairs, caught, told, passed, flagged, supported } = tally;
        println!("{kind:10} {pairs:4}; {caught:4} {told:4} {passed:4}; {flagged:4} {supported:4}");
    }
    verdicts
}

/// At most some per cent of the wrong claims may be supported, and 4 of the right ones flagged, whatever a search says besides.
fn judge(lines: &str, name: &str, most: usize) {
    let pairs = pairs(lines);
    let all: Vec<_> = DRESSES.iter().map(|dress| tally(&pairs, name, *dress)).collect();
    for (dress, verdicts) in DRESSES.iter().zip(&all) {
        let passed = verdicts.iter().filter(|(passed, _)| *passed).count();
        let flagged = verdicts.iter().filter(|(_, flagged)| *flagged).count();
        assert!(passed * 100 <= pairs.len() * most, "{name} {dress:?}: {passed} wrong claims supported");
        assert!(flagged * 100 <= pairs.len() * 4, "{name} {dress:?}: {flagged} right claims flagged");
        for ((pair, bare), verdict) in pairs.iter().zip(&all[0]).zip(verdicts) {
            let better = !bare.0 && verdict.0 || !bare.1 && verdict.1;
            assert!(
                !better,
                "{name}: judged better without title and metadata: {} {}",
                pair.wrong, pair.right
            );
        }
    }
}

#[test]
fn wrong_claims_are_told_from_right_ones() {
    judge(include_str!("../../../../../tests/fixtures/claims/pairs.jsonl"), "pairs", 2);
}

#[test]
fn crossed_values_are_told_from_straight_ones() {
    // Two of 59 pass: names crossed in one sentence, and "from 2.0 on" for "before 2.0".
    judge(include_str!("../../../../../tests/fixtures/claims/crossed.jsonl"), "crossed", 4);
}

/// The sentences of an answer that cites at its end, each with its status, whether it is flagged, and the confidence in it.
fn hold_all(answer: &str, source: &Source) -> Vec<(String, ClaimStatus, bool, f32)> {
    let text = format!("{} [1].", answer.trim_end_matches('.'));
    let mut claims = claims(&text);
    let flags = verify(&text, &mut claims, std::slice::from_ref(source));
    let sentence = |claim: Claim| {
        let own = |flag: &Flag| (claim.start..claim.end).contains(&flag.span.start);
        let is_flagged = flags.iter().any(own);
        for flag in flags.iter().filter(|flag| own(flag)) {
            println!("    {:?} {:?}: {}", flag.kind, text.get(flag.span.clone()), flag.message);
        }
        let status = claim.check.as_ref().map(|check| check.status).unwrap_or_default();
        let trusted = confidence(std::slice::from_ref(&claim), 1.0).map_or(0.5, |found| found.value);
        (claim.text, status, is_flagged, trusted)
    };
    claims.into_iter().map(sentence).collect()
}

/// How often the confidence in a right sentence is above that in a wrong one, ties by half: the area under the ROC curve.
fn auc([right, wrong]: &[Vec<f32>; 2]) -> f32 {
    let wins = |one: &f32, other: &f32| f32::from(u8::from(one > other)) + f32::from(u8::from(one >= other));
    let all = right.iter().flat_map(|one| wrong.iter().map(move |other| wins(one, other)));
    all.sum::<f32>() / (2 * right.len() * wrong.len()).max(1) as f32
}

/// Counts the sentences of right answers, those supported and those flagged, and the same of the sentences that wrong ones
/// have instead.
fn held(pairs: &[ClaimPair], name: &str) -> [usize; 6] {
    let mut counts = [0; 6];
    let mut trusted = [Vec::new(), Vec::new()];
    for pair in pairs {
        let mut source = source(pair, Dress::Bare);
        (source.hit.title, source.hit.heading_path) = (pair.title.clone(), pair.headings.clone());
        println!("right");
        let right = hold_all(&pair.right, &source);
        println!("wrong");
        let mut wrong = hold_all(&pair.wrong, &source);
        wrong.retain(|(sentence, ..)| !right.iter().any(|(text, ..)| text == sentence));
        for (half, sentences) in [right, wrong].iter().enumerate() {
            trusted[half].extend(sentences.iter().map(|(.., trusted)| *trusted));
            for (sentence, status, is_flagged, _) in sentences {
                let is_supported = *status == ClaimStatus::Supported;
                let what = if half == 0 { "right" } else { "wrong" };
                println!("{name} {}: {what} {status:?} {is_flagged}: {sentence}", pair.kind);
                let ones = [true, is_supported, *is_flagged];
                counts
                    .iter_mut()
                    .skip(3 * half)
                    .zip(ones)
                    .for_each(|(count, one)| *count += usize::from(one));
            }
        }
    }
    println!("{name}: right sentences, supported, flagged; wrong ones, supported, flagged: {counts:?}");
    println!("{name}: confidence tells right from wrong with an AUC of {:.3}", auc(&trusted));
    counts
}

fn pairs(lines: &str) -> Vec<ClaimPair> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Answers of one to three sentences over documentation, with the citation at their end as models write it. They were written
/// before the rules were looked at.
#[test]
fn answers_over_documentation_are_held() {
    let [_, supported, flagged, _, passed, told] = held(
        &pairs(include_str!("../../../../../tests/fixtures/claims/documentation.jsonl")),
        "documentation",
    );
    assert!(supported >= 56 && flagged <= 4 && passed <= 2 && told >= 33);
}

/// Answers that say things in other words, as models do, each with the title and the headings of its passage; written by
/// somebody who had read neither the rules nor other pairs. Rules were mended by those in uneven lines alone.
#[test]
fn answers_in_other_words_are_held() {
    let all = pairs(include_str!("../../../../../tests/fixtures/claims/technical.jsonl"));
    let (seen, unseen): (Vec<_>, Vec<_>) = (0..).zip(all).partition(|(at, _)| at % 2 == 0);
    for (half, name) in [(seen, "technical, seen"), (unseen, "technical, unseen")] {
        let pairs: Vec<ClaimPair> = half.into_iter().map(|(_, pair)| pair).collect();
        let [_, supported, flagged, _, passed, _] = held(&pairs, name);
        assert!(supported >= 25 && flagged <= 7 && passed <= 2);
    }
}

/// Chapters of the handbook with a table of doses.
const CHAPTERS: [&str; 5] = [
    include_str!("../../../../../www/handbook/heart-failure.md"),
    include_str!("../../../../../www/handbook/hypertension.md"),
    include_str!("../../../../../www/handbook/migraine.md"),
    include_str!("../../../../../www/handbook/type-2-diabetes.md"),
    include_str!("../../../../../www/handbook/urinary-tract-infection.md"),
];

/// The table of doses of a chapter of the handbook, as a search returns it.
fn doses(chapter: &str) -> Option<(Source, Vec<(String, String)>)> {
    let title = chapter.lines().find_map(|line| line.strip_prefix("title: "))?;
    let listed = chapter.lines().find_map(|line| line.strip_prefix("drugs: ["))?.trim_end_matches(']');
    let (_, behind) = chapter.split_once("\n## Doses\n")?;
    let table = behind.split("\n## ").next().unwrap_or_default().trim();
    let mut hit = ibid_retrieve::Hit { title: title.to_owned(), ..hit(1, &format!("## Doses\n\n{table}")) };
    hit.heading_path = vec![title.to_owned(), "Doses".to_owned()];
    hit.metadata.insert("drugs".to_owned(), listed.split(", ").collect::<Vec<_>>().into());
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let maximum = table.lines().map(cells).find_map(|head| head.iter().position(|cell| cell == "Maximum"))?;
    // Two rows of one drug are told apart by more than its name.
    let rows = table
        .lines()
        .map(cells)
        .filter(|row| row.get(1).is_some_and(|drug| listed.contains(&drug.to_lowercase())));
    let cell = |row: Vec<String>| Some((row.get(1)?.to_lowercase(), row.get(maximum)?.clone()));
    let dosed = |(_, value): &(String, String)| {
        value.ends_with("daily") && value.starts_with(|c: char| c.is_ascii_digit())
    };
    Some((Source { number: 1, hit, ..Source::default() }, rows.filter_map(cell).filter(dosed).collect()))
}

#[test]
fn no_maximum_of_another_row_is_supported() {
    let (mut wrong, mut flagged) = (0, 0);
    let mut trusted = [Vec::new(), Vec::new()];
    for chapter in CHAPTERS {
        let (source, rows) = doses(chapter).unwrap();
        for (drug, own) in &rows {
            for (_, maximum) in &rows {
                let claim = format!("The maximum of {drug} is {maximum}");
                let (status, flags) = hold(&claim, &source);
                let held = hold_all(&claim, &source);
                trusted[usize::from(own != maximum)].extend(held.iter().map(|(.., trusted)| *trusted));
                if own == maximum {
                    assert_eq!((status, flags), (ClaimStatus::Supported, Vec::new()), "{claim}");
                } else {
                    assert_ne!(status, ClaimStatus::Supported, "{claim}");
                    wrong += 1;
                    flagged += usize::from(!flags.is_empty());
                }
            }
        }
    }
    assert!(wrong > 40 && flagged * 10 >= wrong * 9, "{flagged} of {wrong} flagged");
    assert!(auc(&trusted) > 0.95);
}
