//! Fields of front matter by which an author says whether a page is searched, how much it counts, and by which words.

use super::front_matter::ReadFields;
use super::keywords::{KEYWORDS_FIELD, listed};
use super::weight::{NO_WEIGHT, weight};
use super::{MetadataValue, PageFacts, Warning};

/// Fields with the value that leaves a page out: of ibid, Material for `MkDocs`, Starlight, `VitePress` and Just the Docs.
const LEAVE_OUT: [(&str, bool); 5] = [
    ("ibid.ignore", true),
    ("search.exclude", true),
    ("pagefind", false),
    ("search", false),
    ("search_exclude", true),
];
const UNKNOWN: &str = "fields below `ibid` other than `ignore`, `weight` and `keywords` are ignored";

/// Takes the marks out of a page's fields; keywords stay, under their usual name.
pub(super) fn take_marks(fields: &mut ReadFields, page: &mut PageFacts, warnings: &mut Vec<Warning>) {
    let leaves_out = |(name, value): &(String, MetadataValue)| {
        LEAVE_OUT.iter().any(|(known, by)| name == known && *value == MetadataValue::Boolean(*by))
    };
    if fields.iter().any(leaves_out) {
        page.left_out = Some("its front matter says so");
    }
    let mut keywords = Vec::new();
    fields.retain(|(name, value)| {
        let Some((group, own)) = name.split_once('.') else { return true };
        match (group, own) {
            ("ibid", "weight") => match weight(&value.to_string()) {
                Some(weight) => page.weight = Some(weight),
                None => warnings.push(Warning::new(NO_WEIGHT, format!("`{value}`"))),
            },
            ("ibid", KEYWORDS_FIELD) => keywords.extend(items(value)),
            ("ibid", "ignore") | ("search", _) => {}
            ("ibid", _) => warnings.push(Warning::new(UNKNOWN, format!("`{own}`"))),
            _ => return true,
        }
        false
    });
    if keywords.is_empty() {
        return;
    }
    if let Some(at) = fields.iter().position(|(name, _)| name == KEYWORDS_FIELD) {
        keywords.splice(0..0, items(&fields.remove(at).1));
    }
    fields.push((KEYWORDS_FIELD.to_owned(), MetadataValue::Keywords(keywords)));
}

fn items(value: &MetadataValue) -> Vec<String> {
    match value {
        MetadataValue::Keywords(items) => items.clone(),
        value => listed(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use crate::Document;

    fn read(front: &str) -> ibid_platform::Result<Document> {
        let open = if front.contains(" = ") { "+++" } else { "---" };
        Document::parse("a.md", format!("{open}\n{front}\n{open}\n# A\n\nText.\n").as_bytes())
    }

    #[test]
    fn an_author_leaves_a_page_out_in_the_words_of_any_generator() {
        for front in [
            "ibid: {ignore: true}",
            "ibid:\n  ignore: true\ntitle: x",
            "search:\n  exclude: true",
            "pagefind: false",
            "search: false",
            "search_exclude: true",
            "[ibid]\nignore = true",
        ] {
            let error = read(front).unwrap_err();
            assert_eq!(error.code(), ibid_platform::ErrorCode::DocumentSkipped, "{front}");
        }
        for front in ["ibid: {ignore: false}", "search:\n  boost: 2", "pagefind: true", "search: true"] {
            assert!(read(front).is_ok(), "{front}");
        }
    }

    #[test]
    fn weight_and_keywords_are_read_and_the_rest_is_named() {
        let front =
            "keywords: [tea]\nibid:\n  weight: 0.5\n  keywords: [kettle, hot water]\n  wieght: 2\nafter: 1";
        let document = read(front).unwrap();
        assert_eq!(document.metadata.keywords(), ["tea", "kettle", "hot water"]);
        assert_eq!(document.weight_of(&(0..1)), 50);
        assert_eq!(
            document.metadata.fields.keys().map(String::as_str).collect::<Vec<_>>(),
            ["after", "keywords"]
        );
        assert!(document.warnings.len() == 1 && document.warnings[0].about == "`wieght`");
        let toml = read("[ibid]\nweight = 3\nkeywords = 'a, b'").unwrap();
        assert_eq!((toml.weight_of(&(0..1)), toml.metadata.keywords().len()), (300, 2));
        assert_eq!(read("ibid: {weight: 11}").unwrap().warnings.len(), 1);
    }
}
