//! From rules that each see their own to spans that never overlap.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::candidate::{MIN_AGAIN_CHARS, PiiCandidate, Taken};
use super::options::{PiiKind, PiiOptions};
use super::pattern::OwnPattern;
use super::phrases::Phrases;
use super::placeholder::TYPED;
use super::token::Scan;
use super::view::key;
use super::{address, codes, email, names, secret, url};
use crate::guard::phrase::PhraseAt;
use ibid_platform::order;
use ibid_platform::{Error, ErrorCode, Result};

/// The most characters of a label of one's own.
const MAX_LABEL_CHARS: usize = 24;

/// Personal data in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// Its byte range in the text.
    pub span: Range<usize>,
    /// The kind: a [`PiiKind`]'s text form, or a label of the options.
    pub label: String,
}

/// The kinds by how much their rules know, the surest first: where two meet, the first names both.
const SUREST: &str =
    "URL SECRET WALLET MAC EMAIL IBAN CARD SSN NHS PASSPORT MRN DOB IP PHONE ADDRESS DATE NAME";

/// Finds personal data in texts, by rules and lists and without a model.
///
/// The work is linear in the text, whatever it is: every rule looks at a bounded stretch around what sets it off.
pub struct Finder {
    /// The text forms of [`PiiKind::ALL`], then one's own labels.
    labels: Vec<String>,
    /// For each label, whether it is looked for, and its rank where two meet; smaller is surer.
    wanted: Vec<Option<usize>>,
    patterns: Vec<(OwnPattern, usize)>,
    words: Phrases,
    allow: Phrases,
}

impl Finder {
    /// Makes a finder for what the options ask for. It does not look at [`PiiOptions::mode`]; where `kinds` is not
    /// given, it looks for all but [`PiiKind::Date`].
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for a label or a pattern that is not written as documented.
    pub fn new(options: &PiiOptions) -> Result<Self> {
        let resolved = options.resolve(true);
        let kinds = resolved.kinds.unwrap_or_default();
        let mut labels: Vec<String> = PiiKind::ALL.map(|kind| kind.as_str().to_owned()).to_vec();
        let own = PiiKind::ALL.len();
        let rank = |kind: &PiiKind| SUREST.split(' ').position(|name| name == kind.as_str());
        let mut wanted: Vec<Option<usize>> = PiiKind::ALL
            .iter()
            .map(|kind| rank(kind).filter(|_| kinds.contains(kind)).map(|r| r + 1))
            .collect();
        let mut label_of = |label: &String| -> Result<usize> {
            check_label(label)?;
            if let Some(at) = labels.iter().position(|known| known == label) {
                wanted[at].get_or_insert(own);
                return Ok(at);
            }
            labels.push(label.clone());
            // What somebody wrote down for this very place is surer than any rule.
            wanted.push(Some(0));
            Ok(labels.len() - 1)
        };
        let mut patterns = Vec::new();
        for (label, list) in &options.patterns {
            let at = label_of(label)?;
            for pattern in list {
                patterns.push((OwnPattern::new(pattern)?, at));
            }
        }
        let mut words = Phrases::default();
        for (label, list) in &options.words {
            let at = label_of(label)?;
            list.iter().for_each(|word| words.insert(word, at));
        }
        let mut allow = Phrases::default();
        options.allow.iter().for_each(|value| allow.insert(value, 0));
        Ok(Self { labels, wanted, patterns, words, allow })
    }

    /// Returns the personal data of a text: spans of bytes that do not overlap, in their order.
    pub fn find(&self, text: &str) -> Vec<Found> {
        let scan = Scan::new(text);
        let mut found = Vec::new();
        for candidate in self.resolve(&scan) {
            let bytes = scan.view.bytes(&candidate.range);
            if !self.allow.contains(&key(&text[bytes.clone()])) {
                found.push(Found { span: bytes, label: self.labels[candidate.label].clone() });
            }
        }
        found
    }

    /// Merges the findings of all rules, where those that overlap are one.
    fn resolve(&self, scan: &Scan) -> Vec<PiiCandidate> {
        let mut candidates = Vec::new();
        // What has a form of its own comes first: a number in it is no telephone number.
        let mut found = scan.found();
        url::find(scan, &mut candidates);
        secret::find(scan, &found, &mut candidates);
        codes::find(scan, &mut candidates);
        email::find(scan, &mut candidates);
        let codes: Vec<PhraseAt> = found.extract_if(.., |found| found.section.starts_with("code")).collect();
        order::by_key(&mut found, |found| (found.phrase, found.words.start));
        let mut taken = Taken::new(scan, &candidates);
        by_rules(scan, &found, &mut taken, &mut candidates);
        address::find(scan, codes, &taken, &mut candidates);
        names::find(scan, &found, &mut candidates);
        for (pattern, label) in &self.patterns {
            pattern.find(&scan.view, &mut |range| candidates.push(PiiCandidate { range, label: *label }));
        }
        self.words.find(&scan.view, &mut |range, label| candidates.push(PiiCandidate { range, label }));
        candidates.retain(|candidate| self.wanted[candidate.label].is_some() && !candidate.range.is_empty());
        let once = self.merge(candidates);
        let mut candidates = again(scan, &once);
        candidates.extend(once);
        self.merge(candidates)
    }

    fn merge(&self, mut candidates: Vec<PiiCandidate>) -> Vec<PiiCandidate> {
        order::by_key(&mut candidates, |candidate| (candidate.range.start, candidate.range.end));
        let mut merged: Vec<PiiCandidate> = Vec::new();
        for next in candidates {
            match merged.last_mut() {
                // All of both goes: leaving out the part that only one of them covers would let it through.
                Some(last) if next.range.start < last.range.end => {
                    last.range.end = last.range.end.max(next.range.end);
                    if self.wanted[next.label] < self.wanted[last.label] {
                        last.label = next.label;
                    }
                }
                _ => merged.push(next),
            }
        }
        merged
    }
}

/// Adds the findings of the tables' rules, the surest sections first: what one has found, the later ones leave.
fn by_rules(scan: &Scan, found: &[PhraseAt], taken: &mut Taken, out: &mut Vec<PiiCandidate>) {
    for section in found.chunk_by(|one, next| one.section == next.section) {
        let kind = section[0].section.split(' ').next().and_then(PiiKind::named);
        // Names stand in addresses too, and have more to be looked at.
        let Some(kind) = kind.filter(|kind| *kind != PiiKind::Name) else { continue };
        let free = section.iter().filter(|one| !taken.has(one.words.start));
        let ranges = free.map(|one| scan.chars(one.words.start, one.words.end - 1));
        let first = out.len();
        out.extend(ranges.map(|range| PiiCandidate::new(kind, range)));
        if kind != PiiKind::Address {
            out[first..].iter().for_each(|candidate| taken.take(scan, &candidate.range));
        }
    }
}

/// Values that were found once, wherever else they stand without what told it: a number behind "MRN" is the same without it.
/// Names see to this themselves.
fn again(scan: &Scan, once: &[PiiCandidate]) -> Vec<PiiCandidate> {
    let mut phrases = Phrases::default();
    for candidate in once.iter().filter(|candidate| candidate.label != PiiKind::Name as usize) {
        let text: String = scan.view.chars[candidate.range.clone()].iter().collect();
        if candidate.range.len() >= MIN_AGAIN_CHARS {
            phrases.insert(&text, candidate.label);
        }
    }
    let mut candidates = Vec::new();
    phrases.find(&scan.view, &mut |range, label| candidates.push(PiiCandidate { range, label }));
    candidates
}

fn check_label(label: &str) -> Result<()> {
    let mut chars = label.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_uppercase());
    let rest = chars.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if first && rest && label.len() <= MAX_LABEL_CHARS && !label.ends_with('_') && label != TYPED {
        return Ok(());
    }
    Err(Error::new(ErrorCode::InvalidOption, format!("`{label}` cannot be a label of personal data."))
        .with_hint("A label has 1 to 24 capital letters, digits and `_`, begins with a letter and does not end in `_`, such as `STAFF_ID`."))
}
