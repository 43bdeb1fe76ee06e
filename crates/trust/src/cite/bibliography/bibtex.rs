//! BibTeX, in UTF-8 as biber and newer styles read it.

use std::collections::BTreeSet;

use super::CitedWork;
use crate::cite::reference::{Author, Reference};
use ibid_text::fold;

/// The most characters of a name in a key.
const MAX_NAME: usize = 24;

pub(super) fn write(works: &[CitedWork<'_>]) -> String {
    let mut keys = BTreeSet::new();
    let mut entries = Vec::new();
    for work in works {
        let mut key = key(work);
        while !keys.insert(key.clone()) {
            key.push('x');
        }
        entries.push(entry(&key, &work.reference));
    }
    entries.join("\n")
}

fn entry(key: &str, reference: &Reference) -> String {
    let kind = if !reference.container.is_empty() {
        "article"
    } else if !reference.isbn.is_empty() {
        "book"
    } else {
        "misc"
    };
    let mut out = format!("@{kind}{{{key},\n");
    let mut field = |name: &str, value: String| {
        if !value.is_empty() {
            out.extend(["  ", name, " = {", value.as_str(), "},\n"]);
        }
    };
    let authors: Vec<String> = reference.authors.iter().map(author).collect();
    field("author", authors.join(" and "));
    // The inner braces keep capitals from being made small.
    field("title", format!("{{{}}}", escape(&reference.title)));
    field("journal", escape(&reference.container));
    field("publisher", escape(&reference.publisher));
    for (name, part) in ["year", "month", "day"].iter().zip(&reference.issued) {
        field(name, part.to_string());
    }
    field("isbn", escape(&reference.isbn));
    // These two are read as they are.
    field("doi", verbatim(&reference.doi));
    field("url", verbatim(&reference.url));
    out.push_str("}\n");
    out
}

/// The same for a document whatever else is cited: a name, the year and a hash of the document's id.
fn key(work: &CitedWork<'_>) -> String {
    let reference = &work.reference;
    let name = match reference.authors.first() {
        Some(Author::Person { family, .. }) => family,
        Some(Author::Literal(name)) => name,
        None => &reference.title,
    };
    let mut key = String::new();
    name.chars()
        .for_each(|c| fold(c, &mut |plain| key.extend(Some(plain).filter(char::is_ascii_alphanumeric))));
    key.truncate(MAX_NAME);
    if !key.starts_with(|c: char| c.is_ascii_alphabetic()) {
        key.insert_str(0, "doc");
    }
    if let Some(year) = reference.issued.first() {
        key.push_str(&year.to_string());
    }
    // FNV-1a.
    let hash = work
        .id
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    key + &format!("-{hash:08x}")
}

fn author(author: &Author) -> String {
    match author {
        Author::Person { family, given } => format!("{}, {}", escape_name(family), escape_name(given)),
        // Braces keep an organization's name in one piece.
        Author::Literal(name) => format!("{{{}}}", escape(name)),
    }
}

/// A part of a name; the word that parts names from each other is no word of it in braces.
fn escape_name(name: &str) -> String {
    let escaped = escape(name);
    if name.split(' ').any(|word| word.eq_ignore_ascii_case("and")) {
        format!("{{{escaped}}}")
    } else {
        escaped
    }
}

/// Escapes the text as LaTeX shows it. Braces become commands, since BibTeX counts them even behind a backslash.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' => out.extend(['\\', c]),
            '{' => out.push_str("\\textbraceleft{}"),
            '}' => out.push_str("\\textbraceright{}"),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            c => out.push(c),
        }
    }
    out
}

/// Encodes an address or an identifier: what would end the field, or could not stand in an address, is percent-encoded.
fn verbatim(text: &str) -> String {
    let mut out = text.to_owned();
    for (sign, code) in [('{', "%7B"), ('}', "%7D"), ('\\', "%5C"), (' ', "%20"), ('"', "%22")] {
        out = out.replace(sign, code);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::tests::source;
    use super::super::{BibliographyFormat, bibliography};
    use crate::cite::source::Source;
    use ibid_retrieve::Hit;

    fn bibtex(source: Source) -> String {
        bibliography(&[source], &[1], BibliographyFormat::BibTex)
    }

    #[test]
    fn an_entry_with_everything() {
        let metadata = json!({
            "authors": ["Müller, Jörg", "Salt and Pepper, Inc.", "R&D"], "publication_date": "2020-05-01", "journal": "Tea & Co",
            "doi": "10.1/x_y",
        });
        let written = bibtex(source(1, "tea", "50% of {x} ~ H_2O^2 #1 $5 <b> \\ 禅", &metadata));
        let expected = "@article{muller2020-HASH,\n  author = {Müller, Jörg and {Salt and Pepper}, Inc. and {R\\&D}},\n  \
            title = {{50\\% of \\textbraceleft{}x\\textbraceright{} \\textasciitilde{} H\\_2O\\textasciicircum{}2 \\#1 \\$5 \
            \\textless{}b\\textgreater{} \\textbackslash{} 禅}},\n  journal = {Tea \\& Co},\n  year = {2020},\n  month = {5},\n  \
            day = {1},\n  doi = {10.1/x_y},\n  url = {https://a.org/tea},\n}\n";
        let key = written[written.find('-').unwrap() + 1..].split(',').next().unwrap();
        assert_eq!(key.len(), 8);
        assert_eq!(written, expected.replace("HASH", key));
    }

    #[test]
    fn keys_are_stable_and_apart() {
        let key = |document: &str, title: &str, metadata| {
            let written = bibtex(source(1, document, title, &metadata));
            written[written.find('{').unwrap() + 1..written.find(',').unwrap()].to_owned()
        };
        assert_eq!(key("a", "T", json!({"author": "WHO"})), key("a", "T", json!({"author": "WHO"})));
        assert_ne!(key("a", "T", json!({})), key("b", "T", json!({})));
        assert!(key("a", "禅", json!({"year": 2020})).starts_with("doc2020-"));
        assert!(key("a", "5 Teas", json!({})).starts_with("doc5teas-"));
        assert!(
            key("a", "T", json!({"author": "Łukaszewič-Østergård, Æ."})).starts_with("lukaszewicostergard-")
        );
        let beside = [source(1, "z", "Z", &json!({})), source(2, "a", "T", &json!({}))];
        assert!(bibliography(&beside, &[1, 2], BibliographyFormat::BibTex).contains(&key(
            "a",
            "T",
            json!({})
        )));
    }

    proptest! {
        #[test]
        fn braces_are_balanced_whatever_a_document_says(title in ".{0,40}", author in ".{0,40}", url in ".{0,40}") {
            let base = source(1, "d", &title, &json!({"author": [author], "doi": url}));
            let written = bibtex(Source { hit: Hit { url: Some(url), ..base.hit }, ..base });
            let mut depth = 0_i32;
            for c in written.chars() {
                depth += i32::from(c == '{') - i32::from(c == '}');
                prop_assert!(depth >= 0);
            }
            prop_assert_eq!(depth, 0);
            prop_assert_eq!(written.matches("\n}\n").count(), 1);
        }
    }
}
