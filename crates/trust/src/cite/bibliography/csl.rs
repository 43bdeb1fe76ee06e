//! CSL-JSON: items of the schema of the Citation Style Language 1.0.2, which reference managers read.

use serde_json::{Map, Value, json};

use super::CitedWork;
use crate::cite::reference::{Author, Reference};

pub(super) fn write(works: &[CitedWork<'_>]) -> String {
    let items: Vec<Value> = works.iter().map(item).collect();
    format!("{:#}\n", Value::Array(items))
}

fn item(work: &CitedWork<'_>) -> Value {
    let reference = &work.reference;
    let mut item = Map::new();
    item.insert("id".to_owned(), work.id.into());
    item.insert("type".to_owned(), kind(reference).into());
    for (name, text) in [
        ("title", &reference.title),
        ("container-title", &reference.container),
        ("publisher", &reference.publisher),
        ("DOI", &reference.doi),
        ("ISBN", &reference.isbn),
        ("URL", &reference.url),
    ] {
        if !text.is_empty() {
            item.insert(name.to_owned(), text.as_str().into());
        }
    }
    if !reference.authors.is_empty() {
        item.insert("author".to_owned(), reference.authors.iter().map(author).collect());
    }
    if !reference.issued.is_empty() {
        item.insert("issued".to_owned(), json!({"date-parts": [reference.issued]}));
    }
    Value::Object(item)
}

fn author(author: &Author) -> Value {
    match author {
        Author::Person { family, given } => json!({"family": family, "given": given}),
        Author::Literal(name) => json!({"literal": name}),
    }
}

fn kind(reference: &Reference) -> &'static str {
    if !reference.container.is_empty() {
        "article-journal"
    } else if !reference.isbn.is_empty() {
        "book"
    } else if !reference.url.is_empty() {
        "webpage"
    } else {
        "document"
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::source;
    use super::super::{BibliographyFormat, bibliography};
    use super::*;

    #[test]
    fn fields_have_the_schemas_names() {
        let article = json!({
            "authors": ["Garcia, Maria", "WHO"], "publication_date": "2020-05-01", "journal": "Tea \"Today\"", "publisher": "Leaf",
            "doi": "doi:10.1/x", "isbn": 5,
        });
        let sources =
            [source(1, "tea", "A\u{0}\nB", &article), source(2, "page", "P", &json!({"year": 1999}))];
        let written = bibliography(&sources, &[1, 2], BibliographyFormat::CslJson);
        assert_eq!(
            serde_json::from_str::<Value>(&written).unwrap(),
            json!([
                {
                    "id": "tea", "type": "article-journal", "title": "A B", "container-title": "Tea \"Today\"", "publisher": "Leaf",
                    "DOI": "10.1/x", "ISBN": "5", "URL": "https://a.org/tea", "issued": {"date-parts": [[2020, 5, 1]]},
                    "author": [{"family": "Garcia", "given": "Maria"}, {"literal": "WHO"}],
                },
                {"id": "page", "type": "webpage", "title": "P", "URL": "https://a.org/page", "issued": {"date-parts": [[1999]]}},
            ])
        );
    }
}
