//! Web addresses that carry more than a place.

use super::candidate::PiiCandidate;
use super::lexicon::lexicon;
use super::options::PiiKind;
use super::token::{PiiTokenKind, Scan};

/// An opaque value has at least that many characters, letters and digits among them.
const OPAQUE_CHARS: usize = 20;

#[inline(never)]
pub(super) fn find(scan: &Scan, out: &mut Vec<PiiCandidate>) {
    let mut done = 0;
    for at in 0..scan.tokens.len() {
        let token = &scan.tokens[at];
        let scheme =
            scan.sign(at) == ':' && scan.view.at(token.end) == '/' && scan.view.at(token.end + 1) == '/';
        let www = token.kind == PiiTokenKind::Word && scan.low(at) == "www" && scan.view.at(token.end) == '.';
        if token.start < done || !(scheme || www) {
            continue;
        }
        let mut start = token.start;
        while scheme && start > done && is_scheme(scan.view.before(start)) {
            start -= 1;
        }
        let mut end = token.end;
        let mut brackets = 0i32;
        while end < scan.view.len() && is_inside(scan.view.at(end)) {
            brackets += match scan.view.at(end) {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            // A bracket that was opened before the address closes behind it.
            if brackets < 0 {
                break;
            }
            end += 1;
        }
        while end > token.end
            && matches!(scan.view.before(end), '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*')
        {
            end -= 1;
        }
        done = end;
        let rest: String = scan.view.chars[token.end + if scheme { 2 } else { 1 }.min(end - token.end)..end]
            .iter()
            .collect();
        if telling(&rest) {
            out.push(PiiCandidate::new(PiiKind::Url, start..end));
        }
    }
}

fn is_scheme(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')
}

fn is_inside(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '<' | '>' | '"' | '`' | '{' | '}' | '|' | '\\' | '^' | ']' | '[')
}

/// Returns true if an address, without its scheme, has credentials, a parameter that stands for a person or an opaque value.
fn telling(address: &str) -> bool {
    let (authority, rest) = address.split_at(address.find(['/', '?', '#']).unwrap_or(address.len()));
    if authority.contains('@') {
        return true;
    }
    let (path, query) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
    let parameter = |text: &str| {
        let (name, value) = text.split_once('=').unwrap_or(("", text));
        let name = name.to_ascii_lowercase();
        !value.is_empty() && !name.is_empty() && lexicon().list("parameters").any(|known| known == name)
            || is_opaque(value)
            || value.contains('@')
    };
    query.split(['?', '&', '#', ';']).any(parameter)
        || path.split(['/', ';']).any(is_opaque)
        || path.contains('@')
            && path.contains('.')
            && path.split('/').any(|part| {
                part.split_once('@').is_some_and(|(who, host)| {
                    !who.is_empty() && host.contains('.') && !host.starts_with(|c: char| c.is_ascii_digit())
                })
            })
}

/// Returns true if a value was made by a machine to be known to one: long, of letters and digits, and no words.
pub(super) fn is_opaque(value: &str) -> bool {
    let value = value.trim_end_matches('=');
    let long = value.len() >= OPAQUE_CHARS
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'%' | b'+' | b'~'));
    if !long {
        return false;
    }
    // Words and dates in an address are parted every few characters, and change between letters and digits seldom.
    let bytes = value.as_bytes();
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    let longest = value.split(['-', '_', '.']).map(str::len).max().unwrap_or(0);
    let changes = bytes
        .windows(2)
        .filter(|pair| {
            pair[0].is_ascii_digit() != pair[1].is_ascii_digit() && pair.iter().all(u8::is_ascii_alphanumeric)
        })
        .count();
    let cased =
        bytes.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    digits > 0 && changes + cased >= 4 && longest >= 12
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(text: &str) -> Vec<String> {
        let scan = Scan::new(text);
        let mut out = Vec::new();
        find(&scan, &mut out);
        out.iter().map(|c| scan.view.chars[c.range.clone()].iter().collect()).collect()
    }

    #[test]
    fn addresses_with_tokens_are_found_whole() {
        for url in [
            "https://example.org/reset?token=a1",
            "https://maria:pw@example.org/",
            "https://example.org/s?x=4f9Ab2c8D1e7F6a5B3c0",
            "https://example.org/share/4f9ab2c8d1e7f6a5b3c0",
            "www.example.org/?session_id=77",
            "postgres://u:p@db.example.org:5432/x",
            "https://example.org/d/123e4567-e89b-12d3-a456-426614174000",
            "https://example.org/?email=maria@example.org",
        ] {
            assert_eq!(urls(&format!("See {url}.")), [url]);
            assert_eq!(urls(&format!("(see {url})")), [url]);
        }
    }

    #[test]
    fn plain_addresses_are_nobodys() {
        for url in [
            "https://example.org/guidelines/2024-hypertension-in-adults?page=2#doses",
            "http://localhost:8080/health",
            "www.example.org",
            "https://example.org/@scope/package",
            "https://docs.example.org/api/v1/get-all-things-by-their-name",
            "://",
            "www.",
            "https://www.npmjs.com/package/x@1.2.3",
        ] {
            assert_eq!(urls(url), [""; 0], "{url}");
        }
    }
}
