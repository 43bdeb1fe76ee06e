//! The cited sources as a bibliography.

mod bibtex;
mod csl;
mod list;

use serde::{Deserialize, Serialize};

use super::reference::Reference;
use super::source::Source;
use ibid_platform::order;

/// The forms of a bibliography. The text form is the name in kebab case, with `bibtex` for the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BibliographyFormat {
    /// A numbered list in Markdown: an item for each cited passage, with its number.
    #[default]
    List,
    /// JSON for reference managers, of the schema of CSL 1.0.2: an item for each document.
    CslJson,
    /// Entries for LaTeX: one for each document.
    #[serde(rename = "bibtex")]
    BibTex,
}

impl BibliographyFormat {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::List, Self::CslJson, Self::BibTex];

    /// Returns the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::CslJson => "csl-json",
            Self::BibTex => "bibtex",
        }
    }

    /// Returns the form of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Returns a bibliography of the sources of these numbers. Each is in it once, whatever its place among the numbers;
/// those that belong to no source are left out. Without any it is an empty text, and for CSL an empty array.
///
/// What it says comes from a source's title, address and metadata: `authors` or `author` (a list, or names with semicolons
/// between them, `Family, Given` or as they are), `publication_date`, `published`, `issued`, `date` or `year`, `journal`,
/// `publisher`, `doi` and `isbn`. What is not there is left out.
pub fn bibliography(sources: &[Source], cited: &[u32], format: BibliographyFormat) -> String {
    let mut cited = cited.to_vec();
    cited.sort_unstable();
    cited.dedup();
    let mut sorted: Vec<&Source> = sources.iter().collect();
    order::by_key(&mut sorted, |source| source.number);
    let source = |number: &u32| {
        sorted
            .binary_search_by_key(number, |source| source.number)
            .ok()
            .and_then(|at| sorted.get(at))
            .copied()
    };
    let cited: Vec<&Source> = cited.iter().filter_map(source).collect();
    match format {
        BibliographyFormat::List => list::write(&cited),
        BibliographyFormat::CslJson => csl::write(&documents(&cited)),
        BibliographyFormat::BibTex => bibtex::write(&documents(&cited)),
    }
}

/// A document that passages are cited from.
struct CitedWork<'s> {
    /// Its id in the index.
    id: &'s str,
    reference: Reference,
}

/// Lists the documents of these passages, each once, in the order in which they are first cited.
fn documents<'s>(cited: &[&'s Source]) -> Vec<CitedWork<'s>> {
    let mut seen = std::collections::BTreeSet::new();
    cited
        .iter()
        .filter(|source| seen.insert(source.hit.document_id.as_str()))
        .map(|source| CitedWork { id: &source.hit.document_id, reference: Reference::of(&source.hit) })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::source::tests::hit;
    use super::*;
    use ibid_retrieve::Hit;

    /// A source with everything, of which fields are then changed.
    pub(super) fn source(number: u32, document: &str, title: &str, metadata: &Value) -> Source {
        let metadata =
            metadata.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()));
        let hit = Hit {
            document_id: document.to_owned(),
            title: title.to_owned(),
            metadata: metadata.collect(),
            url: Some(format!("https://a.org/{document}")),
            ..hit(number, "x")
        };
        Source { number, hit, ..Source::default() }
    }

    #[test]
    fn each_is_there_once_in_the_order_of_the_numbers() {
        let sources = [
            source(7, "b", "Bee", &json!({})),
            source(2, "a", "Ant", &json!({})),
            source(4, "a", "Ant", &json!({})),
        ];
        let list = bibliography(&sources, &[7, 4, 7, 2, 99, 0], BibliographyFormat::List);
        assert_eq!(
            list,
            "2. Ant. A > B. <https://a.org/a>\n\n4) Ant. A > B. <https://a.org/a>\n\n7. Bee. A > B. <https://a.org/b>\n"
                .replace("A > B", "A \\> B")
        );
        let csl: Value =
            serde_json::from_str(&bibliography(&sources, &[7, 4, 2], BibliographyFormat::CslJson)).unwrap();
        assert_eq!(
            (&csl[0]["title"], &csl[1]["title"], csl.as_array().unwrap().len()),
            (&json!("Ant"), &json!("Bee"), 2)
        );
        assert_eq!(
            bibliography(&sources, &[2, 4, 7], BibliographyFormat::BibTex).matches("@misc{").count(),
            2
        );
    }

    #[test]
    fn nothing_cited_is_nothing() {
        let sources = [source(1, "a", "Ant", &json!({}))];
        for (format, empty) in [
            (BibliographyFormat::List, ""),
            (BibliographyFormat::CslJson, "[]\n"),
            (BibliographyFormat::BibTex, ""),
        ] {
            assert_eq!(bibliography(&sources, &[], format), empty);
            assert_eq!(bibliography(&sources, &[5], format), empty);
            assert_eq!(BibliographyFormat::named(format.name()), Some(format));
            assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        }
        assert_eq!(BibliographyFormat::named("ris"), None);
    }
}
