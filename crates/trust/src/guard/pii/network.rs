//! E-mail addresses and addresses of the internet protocol.

use core::net::Ipv6Addr;
use std::ops::Range;

use super::candidate::PiiCandidate;
use super::number::catalogued;
use super::options::PiiKind;
use super::token::{Parting, PiiTokenKind, Scan};

#[inline(never)]
pub(super) fn find(scan: &Scan, out: &mut Vec<PiiCandidate>) {
    let mut done = 0;
    for at in 0..scan.tokens.len() {
        let token = &scan.tokens[at];
        let found = match token.kind {
            PiiTokenKind::Sign if scan.sign(at) == '@' => {
                email(scan, at, done).map(|range| (PiiKind::Email, range))
            }
            PiiTokenKind::Sign if matches!(scan.sign(at), '(' | '[' | '{') => {
                spelled(scan, at, done).map(|range| (PiiKind::Email, range))
            }
            PiiTokenKind::Word if scan.low(at) == "at" => {
                spelled(scan, at, done).map(|range| (PiiKind::Email, range))
            }
            PiiTokenKind::Number if token.start >= done => v4(scan, at)
                .map(|range| (PiiKind::Ip, range))
                .or_else(|| v6(scan, token.start).map(|range| (PiiKind::Ip, range))),
            PiiTokenKind::Word if token.start >= done => {
                v6(scan, token.start).map(|range| (PiiKind::Ip, range))
            }
            PiiTokenKind::Sign if scan.sign(at) == ':' && token.start >= done => {
                v6(scan, token.start).map(|range| (PiiKind::Ip, range))
            }
            _ => None,
        };
        if let Some((kind, range)) = found {
            done = range.end;
            out.push(PiiCandidate::new(kind, range));
        }
    }
}

/// What may stand before the `@` without quotation marks (RFC 5322, 3.2.3, and RFC 6532).
fn local(c: char) -> bool {
    c.is_alphanumeric() || ".!#$%&'*+/=?^_`{|}~-".contains(c)
}

fn domain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-')
}

/// The address around an `@`; nothing before `done` belongs to it.
fn email(scan: &Scan, at: usize, done: usize) -> Option<Range<usize>> {
    let sign = scan.tokens[at].start;
    let mut start = sign;
    if scan.view.before(sign) == '"' {
        // A quoted local part, which has at most 64 characters (RFC 5321, 4.5.3.1.1).
        let from = done.max(sign.saturating_sub(66));
        let open = (from..sign - 1).rev().find(|&i| matches!(scan.view.at(i), '"' | '\n'))?;
        start = (scan.view.at(open) == '"').then_some(open)?;
    } else {
        while start > done && local(scan.view.before(start)) {
            start -= 1;
        }
        while start < sign && !scan.view.at(start).is_alphanumeric() && scan.view.at(start) != '_' {
            start += 1;
        }
    }
    let mut end = sign + 1;
    if scan.view.at(end) == '[' {
        // An address in the place of a name: `[192.0.2.1]`.
        let close = (end..end + 48).find(|&i| matches!(scan.view.at(i), ']' | '\n'))?;
        return (scan.view.at(close) == ']' && start < sign && close > end + 3).then_some(start..close + 1);
    }
    while end < scan.view.len() && domain(scan.view.at(end)) {
        end += 1;
    }
    while end > sign + 1 && !scan.view.before(end).is_alphanumeric() {
        end -= 1;
    }
    let name = &scan.view.chars[sign + 1..end];
    let dot = name.iter().rposition(|&c| c == '.')?;
    let top = &name[dot + 1..];
    let good = top.len() >= 2 && top.iter().any(|c| c.is_alphabetic()) && name[0].is_alphanumeric();
    // `git@host:path` is the address of a repository.
    let repository = scan.view.at(end) == ':' && scan.view.at(end + 1).is_alphanumeric();
    (start < sign && good && !repository).then_some(start..end)
}

/// "maria at example dot org", "maria(at)example.org", "maria [at] example [dot] org".
fn spelled(scan: &Scan, at: usize, done: usize) -> Option<Range<usize>> {
    let bracketed = scan.kind(at) == Some(PiiTokenKind::Sign);
    let (mut next, sure) = if bracketed {
        let shut = matches!(scan.sign(at + 2), ')' | ']' | '}');
        (at + 3, matches!(scan.low(at + 1), "at" | "arroba" | "@") && shut)
    } else {
        (at + 1, false)
    };
    if bracketed && !sure || at == 0 || scan.gap(at) > Parting::Space || scan.gap(next) > Parting::Space {
        return None;
    }
    let before = &scan.tokens[at - 1];
    let mut start = before.end;
    while start > done && local(scan.view.before(start)) {
        start -= 1;
    }
    // The labels of the domain, and how often a dot was spelled out.
    let (mut labels, mut spelled, mut end) = (0, 0, 0);
    while labels < 6 && scan.kind(next) != Some(PiiTokenKind::Sign) && scan.get(next).is_some() {
        while scan.kind(next) != Some(PiiTokenKind::Sign) || scan.sign(next) == '-' {
            end = scan.get(next)?.end;
            next += 1;
            if scan.gap(next) != Parting::Glued {
                break;
            }
        }
        labels += 1;
        let glued = scan.sign(next) == '.'
            && scan.gap(next) == Parting::Glued
            && scan.gap(next + 1) == Parting::Glued;
        let word = |at: usize| matches!(scan.low(at), "dot" | "punkt" | "punto" | "point" | "ponto");
        if glued {
            next += 1;
        } else if word(next) && scan.gap(next) == Parting::Space {
            next += 1;
            spelled += 1;
        } else if matches!(scan.sign(next), '(' | '[' | '{') && word(next + 1) {
            next += 3;
            spelled += 1;
        } else {
            break;
        }
    }
    (start < before.end && labels >= 2 && (sure || spelled > 0) && end > start).then_some(start..end)
}

/// An address of version 4 that is some machine's: no version, no mask and none that every machine has.
fn v4(scan: &Scan, first: usize) -> Option<Range<usize>> {
    let mut parts = [0; 4];
    for (i, part) in parts.iter_mut().enumerate() {
        let at = first + 2 * i;
        *part = scan.number(at).filter(|&n| n < 256)?;
        let zero = scan.width(at) > 1 && scan.low(at).starts_with('0');
        let glued = i == 0
            || scan.sign(at - 1) == '.'
                && scan.gap(at - 1) == Parting::Glued
                && scan.gap(at) == Parting::Glued;
        if zero || !glued {
            return None;
        }
    }
    let range = scan.tokens[first].start..scan.tokens[first + 6].end;
    let before = scan.view.before(range.start);
    let after = (scan.view.at(range.end), scan.view.at(range.end + 1));
    let longer = matches!(after.0, '.' | '-' | '/') && after.1.is_alphanumeric();
    let nobody = matches!(parts, [0 | 127 | 255, ..] | [_, 0, 0, 0]);
    let alone =
        !before.is_alphanumeric() && !matches!(before, '.' | '-') && !after.0.is_alphanumeric() && !longer;
    (alone && !nobody && !catalogued(scan, first)).then_some(range)
}

/// The longest text of an address of version 6.
const MAX_V6: usize = 39;

fn v6(scan: &Scan, start: usize) -> Option<Range<usize>> {
    let inner = |c: char| c.is_ascii_hexdigit() || c == ':';
    let before = scan.view.before(start);
    if inner(before) || before.is_alphanumeric() || before == '.' || !inner(scan.view.at(start)) {
        return None;
    }
    let mut end = start;
    while end - start <= MAX_V6 && inner(scan.view.at(end)) {
        end += 1;
    }
    while end > start && scan.view.before(end) == ':' && !(end > start + 1 && scan.view.at(end - 2) == ':') {
        end -= 1;
    }
    let after = scan.view.at(end);
    if end - start > MAX_V6 || after.is_alphanumeric() || after == '_' {
        return None;
    }
    let text: String = scan.view.chars[start..end].iter().collect();
    // Few groups, and none of some length with a digit, may be code or a time.
    let groups = text.split(':').filter(|group| !group.is_empty());
    let telling = groups.clone().any(|group| group.len() >= 3 && group.bytes().any(|b| b.is_ascii_digit()));
    (groups.count() >= 2 && telling && text.parse::<Ipv6Addr>().is_ok()).then_some(start..end)
}
