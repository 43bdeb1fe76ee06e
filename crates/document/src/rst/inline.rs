//! Markup within text: roles, literals, references.

use super::RstWriter;
use crate::markup::longest_run;

/// Names of roles, labels and substitutions are no longer than this.
const MAX_NAME: usize = 80;
/// Roles whose text is words; that of others is code.
const WORDS: &str = " ref doc term any numref abbr dfn guilabel menuselection index issue pr user ghissue pull sub sup \
    subscript superscript emphasis strong title title-reference cite math-ref download ";

/// Writes a text as a span of code.
pub(super) fn code(text: &str) -> String {
    let marks = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    [&marks, pad, text, pad, &marks].concat()
}

impl RstWriter<'_> {
    /// Text with the markup of markdown. Lines stay lines.
    pub(super) fn inline(&self, text: &str, substitutes: bool) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        // The marks of which none comes any more.
        let (mut literals, mut marks) = (true, true);
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            let before = text[..at].chars().next_back().unwrap_or(' ');
            let length = match c {
                '\\' => escaped(rest, &mut out),
                '`' if rest.starts_with("``") && literals => literal(rest, &mut out).unwrap_or_else(|| {
                    literals = false;
                    0
                }),
                '`' if marks => quoted(rest, &mut out).unwrap_or_else(|| {
                    marks = false;
                    0
                }),
                '`' => plain_mark("\\`", 1, &mut out),
                ':' if !before.is_alphanumeric() => match role_behind(rest) {
                    role if !role.is_empty() && marks && rest[role.len() + 2..].starts_with('`') => {
                        let behind = &rest[role.len() + 3..];
                        if let Some(end) = behind.find('`') {
                            interpreted(role, &behind[..end], "", &mut out);
                            role.len() + end + 4
                        } else {
                            marks = false;
                            0
                        }
                    }
                    _ => plain_mark(":", 1, &mut out),
                },
                '|' if substitutes && !before.is_alphanumeric() => self.substitution(rest, &mut out),
                '[' => note(rest, &mut out),
                '_' => {
                    let behind = &rest[references(rest)..];
                    let ends_word = !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                    if behind.starts_with('`') || (ends_word && is_name_end(&text[..at])) {
                        rest.len() - behind.len()
                    } else {
                        plain_mark(if before.is_alphanumeric() { "_" } else { "\\_" }, 1, &mut out)
                    }
                }
                '<' if rest[1..].starts_with(|c: char| c.is_alphabetic() || "/!?".contains(c)) => {
                    plain_mark("\\<", 1, &mut out)
                }
                c => {
                    out.push(c);
                    c.len_utf8()
                }
            };
            at += length;
        }
        out
    }

    /// Writes the words that a name between bars stands for. Those of the builder itself are left out.
    fn substitution(&self, rest: &str, out: &mut String) -> usize {
        let Some(name) = name_until(&rest[1..], "|") else { return plain_mark("|", 1, out) };
        if let Some(words) = self.substitutions.get(name) {
            out.push_str(&self.inline(words, false));
        } else if !matches!(name, "version" | "release" | "today") {
            out.push_str(name);
        }
        let length = name.len() + 2;
        length + references(&rest[length..])
    }
}

/// Writes what stands behind a backslash as itself; returns the length of both.
fn escaped(rest: &str, out: &mut String) -> usize {
    match rest[1..].chars().next() {
        Some(next) if next.is_ascii_punctuation() => plain_mark(&rest[..2], 2, out),
        Some(next) if next.is_whitespace() && next != '\n' => 1 + next.len_utf8(),
        _ => 1,
    }
}

/// Writes what stands between two backticks each as code; returns its length, or `None` if it has no end.
fn literal(rest: &str, out: &mut String) -> Option<usize> {
    let end = rest[2..].find("``")?;
    if end == 0 || begins_blank(&rest[2..]) {
        return Some(plain_mark("\\`\\`", 2, out));
    }
    let more = rest[2 + end..].bytes().take_while(|byte| *byte == b'`').count() - 2;
    out.push_str(&code(&rest[2..2 + end + more]));
    Some(4 + end + more)
}

/// Writes what stands between backticks, of the role behind it; returns the length of all, or `None` if it has no end.
fn quoted(rest: &str, out: &mut String) -> Option<usize> {
    let end = rest[1..].find('`')?;
    if end == 0 || begins_blank(&rest[1..]) {
        return Some(plain_mark("\\`", 1, out));
    }
    let behind = &rest[end + 2..];
    let role = role_behind(behind);
    interpreted(role, &rest[1..=end], behind, out);
    Some(end + 2 + if role.is_empty() { references(behind) } else { role.len() + 2 })
}

/// Writes the mark of a footnote or a citation by its label, unless it is only counted.
fn note(rest: &str, out: &mut String) -> usize {
    let label = name_until(&rest[1..], "]_").filter(|label| !label.contains(['[', ' ']));
    let Some(label) = label else { return plain_mark("[", 1, out) };
    let shown = label.trim_start_matches(['#', '*']);
    if !shown.is_empty() {
        out.push_str(&["[", shown, "]"].concat());
    }
    label.len() + 3
}

/// Writes text between backticks, of a role or of a reference.
fn interpreted(role: &str, inner: &str, behind: &str, out: &mut String) {
    let titled = inner.strip_suffix('>').and_then(|inner| inner.rsplit_once('<'));
    let (title, target) = match titled {
        Some((title, target)) => (title.trim_end(), target),
        None => ("", inner),
    };
    let role = role.rsplit(':').next().unwrap_or(role);
    let is_words = if role.is_empty() {
        behind.starts_with('_') || inner.contains(char::is_whitespace)
    } else {
        WORDS.contains(&[" ", role, " "].concat())
    };
    let name = target.trim_start_matches('!');
    let name = name.strip_prefix('~').map_or(name, |name| name.rsplit('.').next().unwrap_or(name));
    let shown = match role {
        _ if !title.is_empty() => title.to_owned(),
        "pep" => ["PEP ", name].concat(),
        "rfc" => ["RFC ", name].concat(),
        "doc" => words(name.strip_suffix("/index").unwrap_or(name).rsplit('/').next().unwrap_or(name)),
        "ref" | "numref" if !name.contains(' ') => words(name),
        _ => name.to_owned(),
    };
    if is_words || matches!(role, "pep" | "rfc") {
        // Underscores and angles stand for themselves here.
        let escaped = shown.replace('<', "\\<").replace("__", "\\_\\_");
        out.push_str(&escaped);
    } else {
        out.push_str(&code(&shown));
    }
}

/// Writes a mark that is only text; returns its length.
fn plain_mark(mark: &str, length: usize, out: &mut String) -> usize {
    out.push_str(mark);
    length
}

/// Tells that a mark before the text begins nothing.
fn begins_blank(text: &str) -> bool {
    text.starts_with(char::is_whitespace)
}

/// Reads a label as words.
fn words(label: &str) -> String {
    label.replace(['-', '_', ':'], " ")
}

/// Reads the name of the role that a text begins with, between colons; empty if there is none.
fn role_behind(text: &str) -> &str {
    let Some(inner) = text.strip_prefix(':') else { return "" };
    let length = inner
        .bytes()
        .take(MAX_NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:+.".contains(byte))
        .count();
    let name = &inner[..length];
    name.strip_suffix(':').filter(|name| !name.is_empty()).unwrap_or_default()
}

/// Reads the text up to a mark, which is not far and has no blank before it.
pub(super) fn name_until<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let window = &text[..text.floor_char_boundary(MAX_NAME)];
    let name = &window[..window.find(mark)?];
    let is_name =
        !name.is_empty() && !name.starts_with(char::is_whitespace) && !name.ends_with(char::is_whitespace);
    is_name.then_some(name)
}

/// Counts the underscores that make the text before them a reference.
fn references(text: &str) -> usize {
    text.bytes().take(2).take_while(|byte| *byte == b'_').count()
}

/// Tells whether a text ends in a word that may be the name of a target.
fn is_name_end(text: &str) -> bool {
    let window = &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_NAME))..];
    let word =
        window.rsplit(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).next().unwrap_or_default();
    word.starts_with(char::is_alphanumeric) && word.ends_with(char::is_alphanumeric) && !word.contains("__")
}
