//! Markup and SQL in a question: what somebody types who tries what the page behind it does with it.
//!
//! It is data wherever ibid takes it, so it harms nothing; a page that hands questions on may want to know. A question
//! *about* markup looks the same, which is why the default is to flag it and ask.

use std::ops::Range;
use std::sync::LazyLock;

use super::phrase::RuleTable;
use super::verdict::{Notice, NoticeKind};

/// The most notices of each kind; the rest says nothing new.
const MOST: usize = 16;

/// The lists of `markup.txt`.
static LISTS: LazyLock<RuleTable> =
    LazyLock::new(|| RuleTable::read(include_str!(concat!(env!("OUT_DIR"), "/guard-markup.txt"))));

/// The notices about a question, by kind and then by place.
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
    let bytes = lower.as_bytes();
    // Beyond the last `>` no tag ends; looking for it again from every `<` would be quadratic.
    let last = lower.rfind('>').unwrap_or(0);
    places(bytes, |at| {
        let rest = &bytes[at..];
        match bytes[at] {
            b'<' if at < last => tag(rest),
            b'o' if begins_word(bytes, at) => handler(rest),
            b'j' | b'v' | b'd' => scheme(rest),
            _ => None,
        }
    })
}

/// The places where something begins, by its length there, in order and disjoint.
fn places(bytes: &[u8], length: impl Fn(usize) -> Option<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < MOST {
        match length(at) {
            Some(length) => {
                found.push(at..at + length);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

fn begins_word(bytes: &[u8], at: usize) -> bool {
    at == 0 || !bytes[at - 1].is_ascii_alphanumeric()
}

/// The length of a tag at the beginning of `rest`, whose attributes may have `>` in quotation marks.
fn tag(rest: &[u8]) -> Option<usize> {
    /// A tag with more in it is cut here.
    const LONGEST: usize = 512;
    let mut name = 1;
    while rest.get(name).is_some_and(|byte| matches!(byte, b'/' | b' ' | b'\n' | b'\t')) && name < 8 {
        name += 1;
    }
    let end = name + rest[name..].iter().take(16).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let named = &rest[name..end];
    if rest.starts_with(b"<!--") {
        return Some(4);
    }
    LISTS.list("tags").find(|tag| tag.as_bytes() == named)?;
    match rest.get(end) {
        Some(b'>' | b'/' | b' ' | b'\n' | b'\t' | b'\r') => {}
        _ => return None,
    }
    let close = rest[end..].iter().take(LONGEST).position(|&byte| byte == b'>');
    Some(close.map_or(end, |close| end + close + 1))
}

/// The length of `onerror=` and its like.
fn handler(rest: &[u8]) -> Option<usize> {
    if !rest.starts_with(b"on") {
        return None;
    }
    let name = rest[2..].iter().take(24).take_while(|byte| byte.is_ascii_lowercase()).count();
    let spaces = rest[2 + name..].iter().take(4).take_while(|byte| **byte == b' ').count();
    let after = &rest[2 + name + spaces..];
    let opens = after.first() == Some(&b'=')
        && after.get(1).is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`') || byte.is_ascii_alphabetic());
    let known = LISTS.list("events").any(|event| rest[2..].starts_with(event.as_bytes()));
    (known && opens).then_some(3 + name + spaces)
}

fn scheme(rest: &[u8]) -> Option<usize> {
    LISTS.list("schemes").find(|scheme| rest.starts_with(scheme.as_bytes())).map(str::len)
}

/// Text that is typed into a form to change the query behind it, in order. A statement that stands for itself, as in a
/// question about SQL, is not among it, but for those that a semicolon or a quotation mark leads in.
fn sql(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let bytes = lower.as_bytes();
    places(bytes, |at| match bytes[at] {
        b'\'' | b'"' | b'`' => after_quote(&bytes[at..]),
        b';' => statement(&bytes[at..]),
        b'u' if begins_word(bytes, at) => union(&bytes[at..]),
        b'x' => words(&bytes[at..], "xp_cmdshell"),
        _ => None,
    })
}

/// The length of the words at the beginning of `rest`, with white space or comments between them.
fn words(rest: &[u8], words: &str) -> Option<usize> {
    let mut at = 0;
    for (index, word) in words.split(' ').enumerate() {
        if index > 0 {
            let space = space(&rest[at..]);
            if space == 0 {
                return None;
            }
            at += space;
        }
        if !rest[at..].starts_with(word.as_bytes()) {
            return None;
        }
        at += word.len();
    }
    (!rest.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')).then_some(at)
}

/// The length of white space, `+` and `/**/`, of which at most 16 bytes are read.
fn space(rest: &[u8]) -> usize {
    rest.iter()
        .take(16)
        .take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b'+' | b'/' | b'*'))
        .count()
}

/// `' or 1=1`, `" and 'a'='a`, `'; drop table`, `' --`.
fn after_quote(rest: &[u8]) -> Option<usize> {
    let mut at = 1 + rest[1..].iter().take(4).take_while(|byte| matches!(byte, b')' | b' ')).count();
    if rest[at..].starts_with(b"--") && rest.get(at + 2).is_none_or(u8::is_ascii_whitespace) {
        return Some(at + 2);
    }
    if let Some(length) = statement(&rest[at..]) {
        return Some(at + length);
    }
    let joined = ["or", "and", "||", "&&"].iter().find(|word| rest[at..].starts_with(word.as_bytes()))?;
    at += joined.len();
    at += space(&rest[at..]);
    // Something equal to something, both short: `1=1`, `'a'='a`, `true`.
    let side = |rest: &[u8]| {
        rest.iter()
            .take(12)
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'\'' | b'"'))
            .count()
    };
    let left = side(&rest[at..]);
    if left == 0 {
        return None;
    }
    at += left;
    let spaces = space(&rest[at..]);
    if rest.get(at + spaces) == Some(&b'=') || rest[at + spaces..].starts_with(b"like") {
        at += spaces + 1;
        at += space(&rest[at..]);
        at += side(&rest[at..]);
        return Some(at);
    }
    None
}

/// `; drop table`, `; delete from` and their like.
fn statement(rest: &[u8]) -> Option<usize> {
    if rest.first() != Some(&b';') {
        return None;
    }
    let at = 1 + space(&rest[1..]);
    LISTS.texts("statements").find_map(|statement| words(&rest[at..], statement)).map(|length| at + length)
}

/// `union select` and `union all select`, with something selected.
fn union(rest: &[u8]) -> Option<usize> {
    words(rest, "union select").or_else(|| words(rest, "union all select"))
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
            ("Robert'); DROP TABLE students;--", "'); DROP TABLE"),
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
