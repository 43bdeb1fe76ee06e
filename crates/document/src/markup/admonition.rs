//! Directives and admonitions: `:::note`, `!!! note`, `> [!NOTE]`, and those of `MyST` in fences.

/// Directives whose content is code, by the names of Sphinx and `MyST`.
const CODE: &[&str] =
    &["code-block", "code-cell", "code", "sourcecode", "literalinclude", "prompt", "highlight"];
/// Directives whose argument is a path or a name and no title.
const UNTITLED: &[&str] = &[
    "figure",
    "image",
    "include",
    "toctree",
    "embed",
    "iframe",
    "math",
    "card-carousel",
    "grid",
    "grid-item",
    "tab-set",
    "mermaid",
    "bibliography",
];

/// A directive that a line opens.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Directive<'a> {
    /// The language of its content, where that is code.
    pub(super) code: Option<&'a str>,
    /// The words of the line that a reader sees.
    pub(super) words: &'a str,
    /// True if lines of options may follow: `:name: value`.
    pub(super) has_options: bool,
}

/// Reads the directive that the part of a line behind its colons or backticks opens; `None` if it opens none.
pub(super) fn directive(line: &str) -> Option<Directive<'_>> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix('{') {
        let (name, argument) = rest.split_once('}')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_:.+".contains(c));
        if !is_name {
            return None;
        }
        let argument = argument.trim();
        let code = CODE.contains(&name).then_some(argument.split_whitespace().next().unwrap_or_default());
        let words = if code.is_some() || UNTITLED.contains(&name) { "" } else { titled(name, argument) };
        return Some(Directive { code, words, has_options: true });
    }
    let name_end = line.find(|c: char| !(c.is_alphanumeric() || "-_".contains(c))).unwrap_or(line.len());
    let (name, rest) = line.split_at(name_end);
    if name.is_empty() {
        return None;
    }
    let title = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or(rest, |(title, _)| title),
        None => rest
            .split_once('{')
            .map_or(rest, |(title, _)| title)
            .trim_matches(|c: char| c == '"' || c.is_whitespace()),
    };
    Some(Directive { code: None, words: titled(name, title), has_options: false })
}

/// Chooses a title, else the word for a warning.
pub(super) fn titled<'a>(name: &str, title: &'a str) -> &'a str {
    if title.is_empty() { warning_word(name).unwrap_or_default() } else { title }
}

/// Looks up the word that a warning is to begin with, which a note does without.
pub(crate) fn warning_word(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "warning" => "Warning:",
        "caution" => "Caution:",
        "danger" => "Danger:",
        "important" => "Important:",
        "attention" => "Attention:",
        _ => return None,
    })
}

/// Reads the words of a line that opens an indented block: `!!! note "Title"`, `??? tip`, `=== "Tab"`.
pub(super) fn indented(line: &str) -> Option<&str> {
    let start =
        ["!!!", "???+", "???", "===!", "===+", "==="].into_iter().find(|start| line.starts_with(start))?;
    let rest = line[start.len()..].strip_prefix(' ')?.trim();
    if start.starts_with('=') {
        return rest.strip_prefix('"')?.strip_suffix('"');
    }
    let name_end = rest.find(|c: char| !(c.is_alphanumeric() || "-_".contains(c))).unwrap_or(rest.len());
    let (name, behind) = rest.split_at(name_end);
    if name.is_empty() {
        return None;
    }
    let title =
        behind.split_once('"').and_then(|(_, rest)| rest.split_once('"')).map_or("", |(title, _)| title);
    Some(titled(name, title))
}

/// Reads the length of `[!NOTE]`, which a quotation may begin with, and its word.
pub(super) fn alert(text: &str) -> Option<(usize, &'static str)> {
    let (name, _) = text.strip_prefix("[!")?.split_once(']')?;
    let is_known = ["NOTE", "TIP", "INFO"].iter().any(|known| name.eq_ignore_ascii_case(known));
    let word = warning_word(name);
    (is_known || word.is_some()).then(|| (name.len() + 3, word.unwrap_or_default()))
}
