//! Calls in braces: shortcodes of Hugo, tags of Liquid and Markdoc, macros of MDN, and includes of mdBook.

use std::ops::Range;

use super::Edit;
use super::admonition::warning_word;

/// A call longer than this is none.
const MAX_CALL: usize = 2048;
/// The end of a call whose content is longer than this is not looked for.
const MAX_CONTENT: usize = 32 * 1024;
/// Calls whose content is code.
const CODE: &[&str] = &["code-toggle", "highlight", "code", "codeblock"];
/// Arguments with words that the page shows.
const SHOWN: &[&str] = &["text", "title", "caption", "label", "heading", "summary"];

/// A call that was read.
struct MacroCall<'a> {
    range: Range<usize>,
    name: &'a str,
    arguments: &'a str,
    is_end: bool,
    /// True if it is its own end.
    is_empty: bool,
    /// The beginnings of the end of such a call, before its name: `{{< /`, `{% end`.
    ends: [&'static str; 2],
}

/// Makes the edits for the call that begins at `start`, where `{{` or `{%` stands, in order; `None` if none does.
pub(super) fn edits(text: &str, start: usize, begins_line: bool, liquid: Option<&str>) -> Option<Vec<Edit>> {
    let rest = &text[start..];
    if rest.starts_with("{{#") {
        let end = rest[..window(rest)].find("}}")? + 2;
        return Some(vec![Edit::drop(start..start + end)]);
    }
    if let Some(edit) = variable(text, start, liquid) {
        return Some(vec![edit]);
    }
    let call = ["{{<", "{{%", "{%"].into_iter().find_map(|open| MacroCall::read(text, start, open));
    let Some(call) = call else { return Some(vec![mdn(text, start)?]) };
    if call.is_end {
        return Some(vec![Edit::drop(call.range)]);
    }
    if call.name == "raw"
        && let Some(end) = call.end(text)
    {
        return Some(vec![Edit::drop(call.range), Edit::drop(end)]);
    }
    if CODE.contains(&call.name)
        && begins_line
        && !call.is_empty
        && let Some(end) = call.end(text)
    {
        let open = if text[call.range.end..].starts_with('\n') { "```" } else { "```\n" };
        let close =
            if text[..end.start].trim_end_matches([' ', '\t']).ends_with('\n') { "```" } else { "\n```" };
        return Some(vec![Edit::put(call.range, open), Edit::put(end, close)]);
    }
    let words = call.words();
    Some(vec![Edit::put(call.range, words)])
}

/// Makes the edit for a variable of Liquid: words in quotation marks; the page's own field by its front matter, and the
/// site's by its configuration, if that says it plainly; nothing for any other.
fn variable(text: &str, start: usize, liquid: Option<&str>) -> Option<Edit> {
    let rest = text[start..].strip_prefix("{{")?;
    let length = rest[..window(rest)].find("}}")?;
    let inner = rest[..length].trim_matches(|c: char| c.is_whitespace() || c == '-');
    let name = inner.split(['|', ' ']).next().unwrap_or_default();
    let is_known = ["page.", "site.", "include.", "post.", "layout."].iter().any(|of| name.starts_with(of));
    if !is_known && liquid.is_none() {
        return None;
    }
    let front = || text.strip_prefix("---\n")?.split("\n---").next();
    let words = if inner.starts_with(['"', '\'']) {
        plain(inner)
    } else if let Some(field) = name.strip_prefix("page.") {
        front().map_or("", |front| said(front, field))
    } else {
        name.strip_prefix("site.").zip(liquid).map_or("", |(field, site)| said(site, field))
    };
    Some(Edit::put(start..start + "{{".len() + length + "}}".len(), words.to_owned()))
}

/// Reads the value of a field in YAML that stands on the line of its name; empty where none does.
fn said<'a>(yaml: &'a str, field: &str) -> &'a str {
    let value = yaml.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')).unwrap_or_default();
    plain(value.trim())
}

/// Text in quotation marks, or without any before a comment; nothing of what begins something else.
fn plain(value: &str) -> &str {
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        Some('#' | '|' | '>' | '[' | '{' | '&' | '*' | '!') => "",
        _ => value.split(" #").next().unwrap_or_default().trim_end(),
    }
}

fn window(rest: &str) -> usize {
    rest.floor_char_boundary(MAX_CALL)
}

impl<'a> MacroCall<'a> {
    fn read(text: &'a str, start: usize, open: &str) -> Option<Self> {
        let rest = text[start..].strip_prefix(open)?;
        let (close, ends) = match open {
            "{{<" => (">}}", ["{{< /", "{{</"]),
            "{{%" => ("%}}", ["{{% /", "{{%/"]),
            _ => ("%}", ["{% end", "{% /"]),
        };
        let length = rest[..window(rest)].find(close)?;
        let inner = rest[..length].trim_matches(|c: char| c.is_whitespace() || c == '-');
        let (is_empty, inner) = inner.strip_suffix('/').map_or((false, inner), |inner| (true, inner));
        let (is_end, inner) = match inner.strip_prefix('/') {
            Some(inner) => (true, inner.trim_start()),
            None => (open == "{%" && inner.starts_with("end"), inner),
        };
        let name_end = inner.find(|c: char| c.is_whitespace()).unwrap_or(inner.len());
        let (name, arguments) = inner.split_at(name_end);
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_./:".contains(c));
        let range = start..start + open.len() + length + close.len();
        is_name.then_some(Self { range, name, arguments: arguments.trim(), is_end, is_empty, ends })
    }

    /// Finds the place of the call's end.
    fn end(&self, text: &str) -> Option<Range<usize>> {
        let behind = &text[self.range.end..text.floor_char_boundary(self.range.end + MAX_CONTENT)];
        let found = |start: &str| behind.find(&[start, self.name].concat());
        let start = self.range.end + self.ends.iter().filter_map(|start| found(start)).min()?;
        let close = if self.ends[0].starts_with("{{") { "}}" } else { "%}" };
        let length = text[start..].find(close)? + close.len();
        Some(start..start + length)
    }

    /// Reads the words of the call that a reader sees.
    fn words(&self) -> String {
        let shown = arguments(self.arguments).find(|(key, _)| {
            SHOWN.contains(key) || (*key == "name" && matches!(self.name, "tab" | "tabitem" | "TabItem"))
        });
        if let Some((_, value)) = shown {
            return value.to_owned();
        }
        let value =
            |name: &str| arguments(self.arguments).find(|(key, _)| *key == name).map(|(_, value)| value);
        let first = arguments(self.arguments).find(|(key, _)| key.is_empty()).map(|(_, value)| value);
        match self.name {
            "heading" => first.map(heading).unwrap_or_default(),
            "glossary_tooltip" => value("term_id").unwrap_or_default().replace('-', " "),
            "feature-state" => {
                let version = value("for_k8s_version").unwrap_or_default();
                ["feature state:", version, value("state").unwrap_or_default()]
                    .join(" ")
                    .trim_end()
                    .to_owned()
            }
            name => match first {
                Some(version) if is_version(version) => {
                    format!("{} {version}", name.replace(['-', '_'], " "))
                }
                _ => warning_word(name).unwrap_or_default().to_owned(),
            },
        }
    }
}

/// Lists the arguments of a call: names, empty if there is none, and values.
fn arguments(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let key_end = rest.find(|c: char| c.is_whitespace() || "=\"`'".contains(c)).unwrap_or(rest.len());
        let (key, behind) = match rest[key_end..].strip_prefix('=') {
            Some(behind) => (&rest[..key_end], behind),
            None => ("", rest),
        };
        let quote = behind.chars().next()?;
        let (value, behind) = if "\"`'".contains(quote) {
            behind[1..].split_once(quote)?
        } else {
            behind.split_at(behind.find(char::is_whitespace).unwrap_or(behind.len()))
        };
        rest = behind;
        Some((key, value))
    })
}

/// Looks up the headings that Kubernetes names by a word.
fn heading(word: &str) -> String {
    match word {
        "whatsnext" => "What's next".to_owned(),
        "prerequisites" => "Before you begin".to_owned(),
        "cleanup" => "Cleaning up".to_owned(),
        "seealso" => "See also".to_owned(),
        word => word.replace(['-', '_'], " "),
    }
}

fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    text.contains('.') && text.starts_with(|c: char| c.is_ascii_digit()) && text.len() < 20
}

/// A macro of MDN: a reference to a name says that, and others nothing.
fn mdn(text: &str, start: usize) -> Option<Edit> {
    let inner = text[start..].strip_prefix("{{")?;
    let length = inner[..window(inner)].find("}}")?;
    let range = start..start + length + 4;
    let inner = &inner[..length];
    let name_end = inner.find('(').unwrap_or(inner.len());
    let (name, arguments_text) = inner.split_at(name_end);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let has_arguments = arguments_text.starts_with('(') && arguments_text.ends_with(')');
    if !is_name || !(has_arguments || arguments_text.is_empty() && name.starts_with(char::is_uppercase)) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let is_reference = lower.ends_with("xref")
        || [
            "glossary",
            "htmlelement",
            "svgelement",
            "mathmlelement",
            "httpheader",
            "httpstatus",
            "httpmethod",
            "rfc",
            "csp",
        ]
        .contains(&lower.as_str());
    let mut values = arguments_text
        .trim_matches(['(', ')'])
        .split(',')
        .map(|value| value.trim().trim_matches(['"', '\'']));
    let words = if is_reference {
        let (first, second) = (values.next().unwrap_or_default(), values.next());
        second.filter(|shown| !shown.is_empty()).unwrap_or(first).to_owned()
    } else {
        String::new()
    };
    Some(Edit::put(range, words))
}
