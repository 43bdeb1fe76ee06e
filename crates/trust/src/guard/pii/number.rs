//! Numbers in groups, and those among them that a checksum or a range tells.

use std::ops::Range;

use super::candidate::{PiiCandidate, Taken};
use super::checksum;
use super::lexicon::{CATALOG, Cue, FILLER};
use super::options::PiiKind;
use super::token::{Parting, PiiTokenKind, Scan};

/// The most groups of digits that one number has.
const MAX_GROUPS: usize = 9;

/// Digits in groups: "4111 1111 1111 1111".
pub(super) struct Groups {
    /// The tokens of the groups.
    pub(super) tokens: Vec<usize>,
    /// What stands between a group and the next: up to three signs and spaces.
    pub(super) between: Vec<String>,
    /// The widths of the groups in digits.
    pub(super) widths: Vec<usize>,
    pub(super) digits: Vec<u8>,
}

impl Groups {
    /// The groups that begin with a number token: as many as belong together by `between`, up to `most` digits.
    pub(super) fn read(scan: &Scan, first: usize, signs: &str, most: usize) -> Self {
        let mut groups = Self { tokens: vec![], between: vec![], widths: vec![], digits: vec![] };
        let mut at = first;
        while groups.tokens.len() < MAX_GROUPS && groups.digits.len() + scan.width(at) <= most {
            groups.tokens.push(at);
            groups.widths.push(scan.width(at));
            groups.digits.extend(scan.low(at).bytes().map(|b| b - b'0'));
            let from = scan.tokens[at].end;
            let mut next = at + 1;
            while next <= at + 3
                && scan.kind(next) == Some(PiiTokenKind::Sign)
                && signs.contains(scan.sign(next))
            {
                next += 1;
            }
            let lines = (at + 1..=next).any(|token| scan.gap(token) >= Parting::Line);
            if lines || scan.kind(next) != Some(PiiTokenKind::Number) || scan.tokens[next].start - from > 3 {
                break;
            }
            groups.between.push(scan.view.chars[from..scan.tokens[next].start].iter().collect());
            at = next;
        }
        groups
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The first groups only.
    pub(super) fn cut(&mut self, count: usize) {
        self.tokens.truncate(count);
        self.widths.truncate(count);
        self.between.truncate(count.saturating_sub(1));
        self.digits.truncate(self.widths.iter().sum());
    }

    /// The characters from the first digit to the last.
    pub(super) fn range(&self, scan: &Scan) -> Range<usize> {
        scan.tokens[self.tokens[0]].start..scan.tokens[self.tokens[self.len() - 1]].end
    }

    /// Whether all groups stand apart by the same one sign or space.
    pub(super) fn even(&self, signs: &str) -> bool {
        self.between
            .iter()
            .all(|between| between.len() == 1 && signs.contains(&**between) && *between == self.between[0])
    }
}

/// Whether a number that begins at a character is not the end of something longer.
pub(super) fn free_before(scan: &Scan, start: usize) -> bool {
    let before = scan.view.before(start);
    let inner = matches!(before, '.' | ',' | '-' | '/' | ':')
        && start > 1
        && scan.view.at(start - 2).is_alphanumeric();
    !(before.is_alphanumeric() || inner || matches!(before, '_' | '$' | '€' | '£' | '¥' | '='))
}

/// Whether a number that ends before a character is not the beginning of something longer.
pub(super) fn free_after(scan: &Scan, end: usize) -> bool {
    let after = scan.view.at(end);
    let inner = matches!(after, '.' | ',' | '-' | '/' | ':') && scan.view.at(end + 1).is_alphanumeric();
    !(after.is_alphanumeric() || inner || after == '_')
}

/// Whether a number is announced as one of a thing and not of a person: "ISBN", "version".
pub(super) fn catalogued(scan: &Scan, first: usize) -> bool {
    for at in (first.saturating_sub(5)..first).rev() {
        if scan.gap(at + 1) >= Parting::Line {
            return false;
        }
        if scan.is(at, CATALOG) {
            return true;
        }
        let sign = scan.kind(at) == Some(PiiTokenKind::Sign) && !matches!(scan.sign(at), ';' | '!' | '?');
        let short = scan.kind(at) == Some(PiiTokenKind::Number) && scan.width(at) <= 3;
        if !(sign || short || scan.is(at, FILLER)) {
            return false;
        }
    }
    false
}

/// Whether a cue of a kind stands a few tokens before a token, in the same paragraph.
pub(super) struct NearCue(Vec<bool>);

impl NearCue {
    pub(super) fn new(scan: &Scan, cue: Cue, reach: usize) -> Self {
        let mut near = vec![false; scan.tokens.len()];
        for at in scan.cues.iter().filter(|at| at.cue == cue) {
            let behind = scan.tokens[at.end..].iter().zip(&mut near[at.end..]).take(reach);
            behind.take_while(|(token, _)| token.gap < Parting::Paragraph).for_each(|(_, near)| *near = true);
        }
        Self(near)
    }

    pub(super) fn has(&self, token: usize) -> bool {
        self.0[token]
    }
}

/// Payment cards, NHS numbers and social security numbers that need no cue.
#[inline(never)]
pub(super) fn find(scan: &Scan, taken: &mut Taken, out: &mut Vec<PiiCandidate>) {
    let phone = NearCue::new(scan, Cue::Phone, 6);
    for first in 0..scan.tokens.len() {
        if scan.kind(first) != Some(PiiTokenKind::Number)
            || taken.has(first)
            || !free_before(scan, scan.tokens[first].start)
        {
            continue;
        }
        let found = card(scan, first).map(|range| (PiiKind::Card, range)).or_else(|| {
            if phone.has(first) || catalogued(scan, first) {
                return None;
            }
            nhs(scan, first)
                .map(|range| (PiiKind::Nhs, range))
                .or_else(|| social(scan, first).map(|range| (PiiKind::Ssn, range)))
        });
        if let Some((kind, range)) = found {
            taken.take(scan, &range);
            out.push(PiiCandidate::new(kind, range));
        }
    }
}

/// Whether what follows the last group lets them be a whole number.
fn closed(scan: &Scan, groups: &Groups) -> bool {
    let last = groups.tokens[groups.len() - 1];
    free_after(scan, scan.tokens[last].end) && !scan.measured(last + 1)
}

fn card(scan: &Scan, first: usize) -> Option<Range<usize>> {
    // Reading on from every number costs, and most cannot begin one.
    if scan.width(first) < 4 {
        return None;
    }
    let mut groups = Groups::read(scan, first, "-", 19);
    while groups.len() > 0 && groups.digits.len() >= 12 {
        let shape = match &*groups.widths {
            [_] | [4, 6, 4 | 5] => true,
            [4, 4, 4, rest @ ..] => matches!(rest, [] | [1..=4] | [4, 1..=3]),
            _ => false,
        };
        if shape && groups.even(" -") && closed(scan, &groups) && checksum::card(&groups.digits) {
            return Some(groups.range(scan));
        }
        groups.cut(groups.len() - 1);
    }
    None
}

fn nhs(scan: &Scan, first: usize) -> Option<Range<usize>> {
    if !matches!(scan.width(first), 3 | 10) {
        return None;
    }
    let mut groups = Groups::read(scan, first, "-", 10);
    groups.cut(3);
    let shape = match &*groups.widths {
        [10, ..] => {
            groups.cut(1);
            true
        }
        [3, 3, 4] => groups.even(" -"),
        _ => false,
    };
    (shape && closed(scan, &groups) && checksum::nhs(&groups.digits)).then(|| groups.range(scan))
}

fn social(scan: &Scan, first: usize) -> Option<Range<usize>> {
    if scan.width(first) != 3 {
        return None;
    }
    let mut groups = Groups::read(scan, first, "-.", 9);
    groups.cut(3);
    let shape = groups.widths == [3, 2, 4] && groups.even(" -.");
    (shape && closed(scan, &groups) && checksum::ssn(&groups.digits)).then(|| groups.range(scan))
}
