//! Markup and SQL in a question: what somebody types who tries what the page behind it does with it.
//!
//! It is data wherever ibid takes it, so it harms nothing; a page that hands questions on may want to know. A question
//! *about* markup looks the same, which is why the default is to flag it and ask.

use std::ops::Range;
use std::sync::LazyLock;

use super::phrase::RuleTable;
use super::verdict::{Notice, NoticeKind};
use ibid_platform::order;

/// The most notices of each kind; the rest says nothing new.
const MOST: usize = 16;

/// The lists of `markup.txt`.
static LISTS: LazyLock<RuleTable> =
    LazyLock::new(|| RuleTable::read(include_str!(concat!(env!("OUT_DIR"), "/guard-markup.txt"))));

/// Lists the notices about a question, by kind and then by place.
pub(super) fn notices(text: &str) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut say = |kind, spans: Vec<Range<usize>>, message: &str| {
        notices.extend(spans.into_iter().take(MOST).map(|span| Notice {
            kind,
            span,
            message: message.to_owned(),
        }));
    };
    say(NoticeKind::Markup, markup(text), "This is markup or script.");
    say(NoticeKind::Sql, sql(text), "This looks like an attempt to change a database's query.");
    notices
}

/// Tags, event handlers and addresses that run script, in order and disjoint.
fn markup(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    // Beyond the last `>` no tag ends; looking for it again from every `<` would be quadratic.
    let last = lower.rfind('>').unwrap_or(0);
    let tags = lower.match_indices('<').filter_map(|(at, _)| Some(at..at + tag(&lower[at..], at < last)?));
    let handlers = lower.match_indices("on").filter_map(|(at, _)| {
        let begins = !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        Some(at..at + handler(&lower[at..]).filter(|_| begins)?)
    });
    let schemes = LISTS.list("schemes");
    let schemes =
        schemes.flat_map(|scheme| lower.match_indices(scheme).map(|(at, found)| at..at + found.len()));
    disjoint(tags.take(MOST).chain(handlers.take(MOST)).chain(schemes.take(MOST)).collect())
}

/// Ranges in order, without those that begin within another.
fn disjoint(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    order::by_key(&mut ranges, |range| range.start);
    let mut end = 0;
    ranges.retain(|range| {
        range.start >= end && {
            end = range.end;
            true
        }
    });
    ranges
}

/// Computes the length of a tag at the beginning of `rest`, whose attributes may have `>` in quotation marks.
fn tag(rest: &str, ends: bool) -> Option<usize> {
    /// A tag with more in it is cut here.
    const LONGEST: usize = 512;
    if rest.starts_with("<!--") {
        return Some(4);
    }
    let named = rest[1..].trim_start_matches(['/', ' ', '\n', '\t']);
    let name = named.split(|c: char| !c.is_ascii_alphanumeric()).next().filter(|_| ends)?;
    let begins = rest.len() - named.len();
    let known = LISTS.list("tags").any(|tag| tag == name) && begins <= 8;
    let behind = &named[name.len()..];
    let close = behind.bytes().take(LONGEST).position(|byte| byte == b'>').map_or(0, |close| close + 1);
    (known && behind.starts_with(['>', '/', ' ', '\n', '\t', '\r'])).then_some(begins + name.len() + close)
}

/// Computes the length of `onerror=` and its like.
fn handler(rest: &str) -> Option<usize> {
    let name = rest.get(2..)?.bytes().take(24).take_while(u8::is_ascii_lowercase).count() + 2;
    let value = rest[name..].trim_start_matches(' ').strip_prefix('=')?;
    let opens = value.starts_with(['"', '\'', '`']) || value.starts_with(|c: char| c.is_ascii_alphabetic());
    let known = LISTS.list("events").any(|event| rest[2..].starts_with(event));
    (known && opens).then(|| rest.len() - value.len())
}

/// Text that is typed into a form to change the query behind it, in order. A statement that stands for itself, as in a
/// question about SQL, is not among it, but for those that a semicolon leads in.
fn sql(text: &str) -> Vec<Range<usize>> {
    // White space, `+` and comments are one blank; the place of each byte is kept.
    let (mut flat, mut places) = (String::new(), Vec::new());
    for (at, c) in text.char_indices() {
        let blank = c.is_ascii_whitespace() || matches!(c, '+' | '/' | '*');
        if blank && flat.ends_with(' ') {
            continue;
        }
        flat.push(if blank {
            ' '
        } else if c.is_ascii() {
            c.to_ascii_lowercase()
        } else {
            '?'
        });
        places.push(at);
    }
    let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
    let ends = |at: usize| !flat[at..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let statements = LISTS.texts("statements").flat_map(|said| [format!(";{said}"), format!("; {said}")]);
    let others = ["union select", "union all select", "xp_cmdshell"].map(str::to_owned);
    let mut found = Vec::new();
    for said in statements.chain(others) {
        let places = flat.match_indices(&said).map(|(at, _)| at..at + said.len()).filter(|one| ends(one.end));
        found.extend(places.take(MOST));
    }
    let quotes = flat.match_indices(['\'', '"', '`']);
    found.extend(quotes.filter_map(|(at, _)| Some(at..at + after_quote(&flat[at..])?)).take(MOST));
    disjoint(found.into_iter().map(|range| place(range.start)..place(range.end)).collect())
}

/// Computes the length of `' or 1=1`, `" and 'a'='a` and `' --`.
fn after_quote(rest: &str) -> Option<usize> {
    let behind = rest[1..].trim_start_matches([')', ' ']);
    let close = rest.len() - behind.len();
    if close > 5 {
        return None;
    }
    if behind.strip_prefix("--").is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')) {
        return Some(close + 2);
    }
    let joined = ["or", "and", "||", "&&"].iter().find_map(|word| behind.strip_prefix(word))?.trim_start();
    // Something equal to something, both short: `1=1`, `'a'='a`, `true`.
    let side = |rest: &str| {
        let short = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'\'' | b'"');
        rest.bytes().take(12).take_while(short).count()
    };
    let left = joined.get(side(joined)..).filter(|left| left.len() < joined.len())?.trim_start();
    let right = left.strip_prefix('=').or_else(|| left.strip_prefix("like"))?.trim_start();
    Some(rest.len() - right.len() + side(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(NoticeKind, &str)> {
        notices(text).into_iter().map(|notice| (notice.kind, &text[notice.span])).collect()
    }

    #[test]
    fn markup_that_does_something() {
        use NoticeKind::Markup;
        for (text, spans) in [
            ("<script>alert(1)</script> hi", vec!["<script>", "</script>"]),
            ("a <IMG SRC=x onerror=alert(1)> b", vec!["<IMG SRC=x onerror=alert(1)>"]),
            ("x\" onmouseover=\"y()", vec!["onmouseover="]),
            ("see javascript:alert(1)", vec!["javascript:"]),
            ("< svg/onload=a()>", vec!["< svg/onload=a()>"]),
        ] {
            let wanted: Vec<_> = spans.into_iter().map(|span| (Markup, span)).collect();
            assert_eq!(seen(text), wanted, "{text}");
        }
    }

    #[test]
    fn sql_that_is_typed_into_forms() {
        use NoticeKind::Sql;
        for (text, span) in [
            ("x' OR 1=1 --", "' OR 1=1"),
            ("x') or 'a'='a", "') or 'a'='a"),
            ("1 UNION SELECT password FROM users", "UNION SELECT"),
            ("1 union/**/all select 1", "union/**/all select"),
            ("Robert'); DROP TABLE students;--", "; DROP TABLE"),
            ("a; delete  from users", "; delete  from"),
            ("admin' --", "' --"),
        ] {
            assert_eq!(seen(text), [(Sql, span)], "{text}");
        }
    }

    #[test]
    fn ordinary_questions_have_none() {
        for text in [
            "Is a < b and b > c when p<0.05 or p > 0.1?",
            "How do I write a SELECT with UNION?",
            "What's the dose of drug 'A' or drug 'B'?",
            "Which one=1 and online=yes settings are there?",
            "Does it work if I don't drop tables; select a tablet?",
            "Vec<String> and Option<T>",
            "metadata: which fields",
        ] {
            assert_eq!(seen(text), [], "{text}");
        }
    }

    #[test]
    fn hostile_text_is_read_once() {
        for unit in ["<", "<script ", "'", "' or ", "on", "<a ", "; ", "union ", "\" ) "] {
            let text = unit.repeat(1_000_000 / unit.len());
            assert!(notices(&text).len() <= 2 * MOST);
        }
    }
}
