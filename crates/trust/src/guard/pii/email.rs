//! E-mail addresses.

use std::ops::Range;

use super::candidate::PiiCandidate;
use super::options::PiiKind;
use super::token::Scan;

#[inline(never)]
pub(super) fn find(scan: &Scan, out: &mut Vec<PiiCandidate>) {
    let mut done = 0;
    for at in 0..scan.tokens.len() {
        if scan.sign(at) == '@'
            && let Some(range) = email(scan, at, done)
        {
            done = range.end;
            out.push(PiiCandidate::new(PiiKind::Email, range));
        }
    }
}

/// Says whether a character may stand before the `@` without quotation marks (RFC 5322, 3.2.3, and RFC 6532).
fn local(c: char) -> bool {
    c.is_alphanumeric() || ".!#$%&'*+/=?^_`{|}~-".contains(c)
}

fn domain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-')
}

/// Finds the address around an `@`; nothing before `done` belongs to it.
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
        // An address instead of a name: `[192.0.2.1]`.
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
