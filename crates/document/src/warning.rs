//! Warnings of documents: one line for each kind, however many documents it is about.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use ibid_platform::Error;

/// Examples that a line names before it only counts.
const EXAMPLES: usize = 3;

/// Something in a document that was passed over or read otherwise than it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The kind: the same words for all its warnings.
    pub kind: &'static str,
    /// The thing that the warning is about, such as a metadata field; empty where the kind says it all.
    pub about: String,
}

impl Warning {
    /// Makes a warning of a kind, which says the same of all documents, about one thing in this one.
    pub fn new(kind: &'static str, about: impl Into<String>) -> Self {
        Self { kind, about: about.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        if self.about.is_empty() { Ok(()) } else { write!(f, ": {}", self.about) }
    }
}

/// A warning with the document that it is about, or why a document was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The document.
    pub source: String,
    /// The kind: the same words for all documents it is about.
    pub kind: String,
    /// The whole of it, as [`Warning`] shows it.
    pub message: String,
}

impl Told {
    /// Puts a warning together with its document.
    pub fn warning(source: &str, warning: &Warning) -> Self {
        Self { source: source.to_owned(), kind: warning.kind.to_owned(), message: warning.to_string() }
    }

    /// Puts the error because of which a document was left out together with it.
    pub fn left_out(source: &str, error: &Error) -> Self {
        Self::failure(source, error.code().as_str(), error.message())
    }

    /// Makes the same from an error's code and message.
    pub fn failure(source: &str, code: &str, message: &str) -> Self {
        // Of a file in an archive, the message names the file.
        let named = message.strip_prefix('`').and_then(|rest| rest.split_once("` "));
        let named = named.filter(|(name, _)| name.starts_with(source));
        let (source, why) = named.unwrap_or((source, message));
        let why = why.strip_prefix("was ").unwrap_or(why).trim_end_matches('.');
        let kind = format!("{why} [{code}]");
        Self { source: source.to_owned(), message: kind.clone(), kind }
    }
}

/// Sums warnings up in one line for each kind, in the order in which the kinds were met.
pub fn lines(told: &[Told]) -> Vec<String> {
    let mut kinds: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    kinds.extend(told.iter().map(|told| told.kind.as_str()).filter(|kind| seen.insert(*kind)));
    kinds.into_iter().map(|kind| line(kind, told.iter().filter(|told| told.kind == kind))).collect()
}

fn line<'a>(kind: &str, told: impl Iterator<Item = &'a Told>) -> String {
    let (mut sources, mut abouts) = (Distinct::default(), Distinct::default());
    for Told { source, message, .. } in told {
        sources.add(source);
        if let Some(about) = message.strip_prefix(kind).and_then(|rest| rest.strip_prefix(": ")) {
            abouts.add(about);
        }
    }
    match (abouts.count(), sources.count()) {
        (0, _) => format!("{kind}: {}", sources.text("`")),
        (_, 1) => format!("{kind}: {} (in {})", abouts.text(""), sources.text("`")),
        (_, count) => format!("{kind}: {} ({count} documents: {})", abouts.text(""), sources.text("`")),
    }
}

/// Texts, each once, the first of them in their order.
#[derive(Default)]
struct Distinct<'a> {
    all: BTreeSet<&'a str>,
    first: Vec<&'a str>,
}

impl<'a> Distinct<'a> {
    fn add(&mut self, text: &'a str) {
        if self.all.insert(text) && self.first.len() < EXAMPLES {
            self.first.push(text);
        }
    }

    fn count(&self) -> usize {
        self.all.len()
    }

    /// Lists the first ones between marks, and how many more there are.
    fn text(&self, mark: &str) -> String {
        let named: Vec<String> = self.first.iter().map(|text| format!("{mark}{text}{mark}")).collect();
        let more = self.count() - named.len();
        let named = named.join(", ");
        if more > 0 { format!("{named} and {more} more") } else { named }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{invalid, skipped};

    #[test]
    fn a_kind_is_one_line_with_a_count_and_examples() {
        let nested = |field: &str| Warning::new("nested fields are left out", format!("`{field}`"));
        let mut told: Vec<Told> =
            (0..50).map(|number| Told::warning(&format!("{number}.md"), &nested("menu"))).collect();
        told.push(Told::left_out("e.md", &invalid("e.md", "it is empty")));
        told.push(Told::warning("0.md", &nested("cascade")));
        told.push(Told::left_out("b.tgz", &invalid("b.tgz/f.md", "it is empty")));
        told.push(Told::left_out("map.xml", &skipped("map.xml", "its XML is a map")));
        assert_eq!(
            lines(&told),
            [
                "nested fields are left out: `menu`, `cascade` (50 documents: `0.md`, `1.md`, `2.md` and 47 more)",
                "cannot be read: it is empty [invalid-document]: `e.md`, `b.tgz/f.md`",
                "skipped: its XML is a map [document-skipped]: `map.xml`",
            ]
        );
        assert_eq!(lines(&told[..1]), ["nested fields are left out: `menu` (in `0.md`)"]);
        assert_eq!(lines(&[]), [""; 0]);
    }
}
