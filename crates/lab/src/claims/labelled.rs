//! Labelled claims, and the passages that they are checked against.

use std::collections::HashSet;

use serde::Deserialize;

use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::Hit;
use ibid_trust::cite::{Source, markers};

/// The most characters of the passage: about 800 tokens, as chunks have at most.
const PASSAGE: usize = 3200;

/// The beginnings of sentences of the evidence that is no sentence but says something about the document.
const METADATA: &str = "(meta data)";

/// A line of the file.
#[derive(Deserialize)]
struct LabelledLine {
    label: Label,
    claim: String,
    /// The sentences of the document that the claim is to be found in.
    evidence: Vec<String>,
    /// Sets of them, of which each alone bears out what is supported of the claim; missing or null where none does.
    #[serde(default)]
    supporting_sentences: Option<Vec<Vec<usize>>>,
}

/// The support of a claim by its document, as people judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Label {
    Supported,
    PartiallySupported,
    NotSupported,
}

impl Label {
    /// Computes the share of a claim that is supported, for means.
    pub(super) fn share(self) -> f64 {
        match self {
            Self::Supported => 1.0,
            Self::PartiallySupported => 0.5,
            Self::NotSupported => 0.0,
        }
    }
}

/// A claim with the passage that it cites.
pub(super) struct Labelled {
    pub(super) label: Label,
    /// The claim without the marks that it cites its own sources by.
    pub(super) text: String,
    /// The title of its document, or else all of its evidence.
    pub(super) document: String,
    pub(super) source: Source,
}

/// Reads a file of one JSON object a line.
pub(super) fn read(text: &str, name: &str) -> Result<Vec<Labelled>> {
    let mut claims = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let line: LabelledLine = serde_json::from_str(line).map_err(|error| {
            Error::new(ErrorCode::InvalidDocument, format!("`{name}`, line {number}: this is not a labelled claim ({error})."))
                .with_hint(
                    "Each line is an object with `label` (supported, partially_supported or not_supported), `claim`, `evidence` \
                     (a list of sentences) and `supporting_sentences` (lists of places in it, from 0).",
                )
        })?;
        claims.push(labelled(&line));
    }
    if claims.is_empty() {
        return Err(Error::new(ErrorCode::InvalidDocument, format!("`{name}` has no claims.")));
    }
    Ok(claims)
}

fn labelled(line: &LabelledLine) -> Labelled {
    let title = line.evidence.iter().find_map(|sentence| {
        let (_, title) = sentence.strip_prefix(METADATA)?.trim_start().split_once("TITLE:")?;
        Some(title.trim().to_owned())
    });
    let metadata =
        line.evidence.iter().filter_map(|sentence| sentence.strip_prefix(METADATA)?.split_once(": "));
    let metadata = metadata
        .map(|(name, value)| (name.trim().to_lowercase(), value.trim().into()))
        .filter(|(name, _)| name != "title")
        .collect();
    let document = title.clone().unwrap_or_else(|| line.evidence.concat());
    let text = passage(line);
    let hit = Hit { text, title: title.unwrap_or_default(), metadata, ..Hit::default() };
    Labelled {
        label: line.label,
        text: without_marks(&line.claim),
        document,
        source: Source { number: 1, hit, ..Source::default() },
    }
}

/// Writes the claim without marks such as `[2]`, whose numbers would be taken for values of the claim.
fn without_marks(claim: &str) -> String {
    let mut bare = String::new();
    let mut at = 0;
    for mark in markers(claim).into_iter().filter(|mark| !mark.numbers.is_empty()) {
        bare.push_str(claim.get(at..mark.span.start).unwrap_or_default().trim_end());
        at = mark.span.end;
    }
    bare.push_str(claim.get(at..).unwrap_or_default());
    bare.trim().to_owned()
}

/// Chooses the smallest supporting set with as many sentences around each as fit, in the order of the document. Without a
/// set it is the sentence that shares most words with the claim, as a search would have found it.
fn passage(line: &LabelledLine) -> String {
    let sets = line.supporting_sentences.iter().flatten();
    let smallest = sets.filter(|set| !set.is_empty()).min_by_key(|set| set.len()).cloned();
    let mut taken: Vec<usize> = smallest.unwrap_or_else(|| vec![nearest(line)]);
    let is_text = |at: &usize| line.evidence.get(*at).is_some_and(|sentence| !sentence.starts_with(METADATA));
    taken.retain(is_text);
    let length = |at: usize| line.evidence.get(at).map_or(0, |sentence| sentence.chars().count() + 1);
    let mut room = PASSAGE.saturating_sub(taken.iter().map(|at| length(*at)).sum());
    if taken.is_empty() {
        taken.push(nearest(line));
    }
    let centres = taken.clone();
    let mut chosen: HashSet<usize> = taken.iter().copied().collect();
    for distance in 1..line.evidence.len() {
        for centre in &centres {
            for at in [centre.checked_sub(distance), centre.checked_add(distance)].into_iter().flatten() {
                if is_text(&at) && length(at) <= room && chosen.insert(at) {
                    room -= length(at);
                    taken.push(at);
                }
            }
        }
        if room < 20 {
            break;
        }
    }
    taken.sort_unstable();
    taken.dedup();
    let mut text = String::new();
    let mut last = None;
    for at in taken {
        let sentence = line.evidence.get(at).map_or("", |sentence| sentence.trim());
        if !text.is_empty() {
            // A heading has its line to itself, or what follows would be part of it.
            let before =
                last.and_then(|last: usize| line.evidence.get(last)).map_or("", |sentence| sentence.trim());
            let follows = last.is_some_and(|last| last + 1 == at)
                && !sentence.starts_with('#')
                && !before.starts_with('#');
            text.push_str(if follows { " " } else { "\n\n" });
        }
        text.push_str(sentence);
        last = Some(at);
    }
    text
}

fn nearest(line: &LabelledLine) -> usize {
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
        words.map(str::to_lowercase).collect()
    };
    let claim = words(&line.claim);
    let shared = |sentence: &String| words(sentence).intersection(&claim).count();
    let best = line.evidence.iter().enumerate().rev().max_by_key(|(_, sentence)| shared(sentence));
    best.map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_title_marks_or_sets_are_read() {
        let lines = [
            r#"{"label": "supported", "claim": "It has 12 rooms [2].", "evidence": ["It has 12 rooms."], "supporting_sentences": null}"#,
            r#"{"label": "not_supported", "claim": "It is [new][1, 3] in v[2].", "evidence": ["(meta data) TITLE: Inns"]}"#,
        ];
        let [first, second] = read(&lines.join("\n"), "claims").unwrap().try_into().ok().unwrap();
        assert_eq!((first.text.as_str(), first.document.as_str()), ("It has 12 rooms.", "It has 12 rooms."));
        assert_eq!(first.source.hit.text, "It has 12 rooms.");
        assert_eq!(second.document, "Inns");
    }
}
