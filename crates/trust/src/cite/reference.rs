//! A document's entry in a bibliography, from the metadata that the index has of it.

use serde_json::Value;

use super::tree::link::is_safe;
use ibid_retrieve::Hit;

/// The most authors that are read.
const MAX_AUTHORS: usize = 100;

/// A document as a bibliography needs it. Texts are in one line; what is not known is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reference {
    pub title: String,
    pub authors: Vec<Author>,
    /// Year, month and day, as far as they are known.
    pub issued: Vec<u32>,
    /// The journal.
    pub container: String,
    pub publisher: String,
    pub doi: String,
    pub isbn: String,
    /// An `http(s)` or relative address.
    pub url: String,
}

/// The authors. A name without a comma may be an organization's, and is not taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Author {
    Person { family: String, given: String },
    Literal(String),
}

impl Reference {
    pub(super) fn of(hit: &Hit) -> Self {
        let url = hit.url.as_deref().filter(|url| is_safe(url)).unwrap_or_default();
        let doi = text(hit, &["doi", "DOI"]);
        let doi = ["https://doi.org/", "http://dx.doi.org/", "doi:"]
            .iter()
            .find_map(|prefix| doi.strip_prefix(prefix))
            .unwrap_or(&doi)
            .trim()
            .to_owned();
        let title = one_line(&hit.title);
        Self {
            title: if title.is_empty() { one_line(&hit.source) } else { title },
            authors: authors(hit),
            issued: issued(hit),
            container: text(hit, &["journal", "container-title", "container"]),
            publisher: text(hit, &["publisher"]),
            doi,
            isbn: text(hit, &["isbn", "ISBN"]),
            url: url.to_owned(),
        }
    }
}

/// Reads the year in which the document was published, if its metadata says so.
pub(super) fn year(hit: &Hit) -> Option<u32> {
    issued(hit).first().copied()
}

/// Reads the first of these fields that is a date or a year: as many of year, month and day as it has.
fn issued(hit: &Hit) -> Vec<u32> {
    ["publication_date", "published", "issued", "date", "year"]
        .iter()
        .filter_map(|name| hit.metadata.get(*name))
        .map(|value| date(&plain(value)))
        .find(|date| !date.is_empty())
        .unwrap_or_default()
}

/// Year, month and day of `2026`, `2026-03` or `2026-03-01`, perhaps with a time behind it; nothing of anything else.
fn date(text: &str) -> Vec<u32> {
    let day = text.split(['T', ' ']).next().unwrap_or_default();
    let mut parts = Vec::new();
    for (n, part) in day.split('-').take(3).enumerate() {
        let length = if n == 0 { 4 } else { 2 };
        let number =
            Some(part).filter(|part| part.len() == length && part.bytes().all(|b| b.is_ascii_digit()));
        let range = [1..=9999, 1..=12, 1..=31];
        match number.and_then(|part| part.parse().ok()).filter(|number| range[n].contains(number)) {
            Some(number) => parts.push(number),
            None => break,
        }
    }
    parts
}

fn authors(hit: &Hit) -> Vec<Author> {
    let Some(value) = ["authors", "author"].iter().find_map(|name| hit.metadata.get(*name)) else {
        return Vec::new();
    };
    let names: Vec<String> = match value {
        Value::Array(names) => names.iter().map(plain).collect(),
        // Commas part a family name from a given one, so only semicolons part authors.
        one => plain(one).split(';').map(one_line).collect(),
    };
    let author = |name: String| match name.split_once(',') {
        Some((family, given))
            if !given.contains(',') && !family.trim().is_empty() && !given.trim().is_empty() =>
        {
            Author::Person { family: family.trim().to_owned(), given: given.trim().to_owned() }
        }
        _ => Author::Literal(name),
    };
    names.into_iter().filter(|name| !name.is_empty()).take(MAX_AUTHORS).map(author).collect()
}

/// Reads the first of these fields that has a text.
fn text(hit: &Hit, names: &[&str]) -> String {
    let values = names.iter().filter_map(|name| hit.metadata.get(*name)).map(plain);
    values.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Writes the text with single spaces for all white space, and without control characters.
fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::source::tests::hit;
    use super::*;

    fn with(name: &str, value: Value) -> Hit {
        Hit { metadata: [(name.to_owned(), value)].into(), ..hit(0, "x") }
    }

    #[test]
    fn dates_of_any_length() {
        for (name, value, issued) in [
            ("year", json!(2026), vec![2026]),
            ("publication_date", json!("2026-03-01"), vec![2026, 3, 1]),
            ("date", json!("2026-03"), vec![2026, 3]),
            ("published", json!("2026-03-01T08:00:00Z"), vec![2026, 3, 1]),
            ("date", json!("2026-13-01"), vec![2026]),
            ("date", json!("March 2026"), vec![]),
            ("date", json!("20260301"), vec![]),
            ("date", json!(null), vec![]),
            ("year", json!(-5), vec![]),
            ("year", json!(2026.5), vec![]),
        ] {
            assert_eq!(super::issued(&with(name, value.clone())), issued, "{value}");
        }
    }

    #[test]
    fn authors_in_any_form() {
        let person =
            |family: &str, given: &str| Author::Person { family: family.to_owned(), given: given.to_owned() };
        let literal = |name: &str| Author::Literal(name.to_owned());
        for (value, expected) in [
            (json!("Garcia, Maria; WHO"), vec![person("Garcia", "Maria"), literal("WHO")]),
            (
                json!(["Ada Byron", "Hopper,  Grace\nM."]),
                vec![literal("Ada Byron"), person("Hopper", "Grace M.")],
            ),
            (json!("A, B, C"), vec![literal("A, B, C")]),
            (json!(["", null, ","]), vec![literal(",")]),
            (json!({}), vec![]),
        ] {
            assert_eq!(authors(&with("authors", value.clone())), expected, "{value}");
        }
    }

    #[test]
    fn other_fields() {
        let reference = Reference::of(&with("doi", json!("https://doi.org/10.1/x y")));
        assert_eq!((reference.title.as_str(), reference.doi.as_str()), ("Doc", "10.1/x y"));
        let evil =
            Hit { url: Some("javascript:alert(1)".to_owned()), title: " \n".to_owned(), ..hit(0, "x") };
        let reference = Reference::of(&evil);
        assert_eq!((reference.title.as_str(), reference.url.as_str()), ("d.md", ""));
    }
}
