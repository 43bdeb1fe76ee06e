//! The languages of a collection in several, such as a site with translations.

use super::{Document, MetadataValue};

/// The metadata field with a document's language, a tag of BCP 47.
pub const LANGUAGE_FIELD: &str = "language";

/// The name that some front matter has for it.
const SHORT: &str = "lang";

/// The bytes of a text that are enough to tell its language.
const ENOUGH: usize = 16 << 10;

/// One document in this number must be in a second language: a few texts may look foreign.
const LEAST: usize = 20;

/// Gives documents in a collection of several languages the field `language`, if they have none.
///
/// A document's language is the one that it names itself, in `lang` too. Else it is that of a folder on its way that is
/// named by a tag, as `pt-br`, and holds texts in that language; else that of its text. All documents outside
/// of such folders have the language of most of them. In a collection of one language nothing changes.
pub fn name_languages(documents: &mut [&mut Document]) {
    let mut folders = TagCounts::default();
    let found: Vec<Option<&str>> = documents.iter().map(|document| detected(document)).collect();
    for (document, found) in documents.iter().zip(&found) {
        let Some(found) = found else { continue };
        for tag in tags(&document.source) {
            folders.add(tag, if primary(tag) == *found { 1 } else { -1 });
        }
    }
    let is_trusted = |tag: &&str| folders.0.iter().any(|(known, count)| known == tag && *count > 0);
    let mut languages: Vec<Option<&str>> = Vec::with_capacity(documents.len());
    let mut others = TagCounts::default();
    for (document, found) in documents.iter().zip(&found) {
        let language = named(document).or_else(|| tags(&document.source).find(is_trusted));
        if let (None, Some(found)) = (language, found) {
            others.add(found, 1);
        }
        languages.push(language);
    }
    let rest = others.most().filter(|_| folders.0.iter().any(|(_, count)| *count > 0));
    let mut told = TagCounts::default();
    for (language, found) in languages.iter_mut().zip(found) {
        *language = language.or(rest).or(found);
        if let Some(language) = *language {
            told.add(primary(language), 1);
        }
    }
    let main = told.most();
    let foreign = languages.iter().flatten().filter(|tag| Some(primary(tag)) != main).count();
    if foreign == 0 || foreign * LEAST < documents.len() {
        return;
    }
    let languages: Vec<Option<String>> = languages.iter().map(|tag| tag.map(str::to_owned)).collect();
    for (document, language) in documents.iter_mut().zip(languages) {
        let fields = &mut document.metadata.fields;
        if let Some(language) = language.filter(|_| !fields.contains_key(LANGUAGE_FIELD)) {
            fields.insert(LANGUAGE_FIELD.to_owned(), MetadataValue::Keyword(language));
        }
    }
}

/// Counts by tag; there are few tags.
#[derive(Default)]
struct TagCounts<'t>(Vec<(&'t str, i32)>);

impl<'t> TagCounts<'t> {
    fn add(&mut self, tag: &'t str, by: i32) {
        match self.0.iter_mut().find(|(known, _)| *known == tag) {
            Some((_, count)) => *count += by,
            None => self.0.push((tag, by)),
        }
    }

    /// Finds the most frequent tag; of several, the one that came last.
    fn most(&self) -> Option<&'t str> {
        self.0.iter().max_by_key(|(_, count)| *count).map(|(tag, _)| *tag)
    }
}

/// Reads the language that a document says it is in.
fn named(document: &Document) -> Option<&str> {
    [LANGUAGE_FIELD, SHORT].iter().find_map(|name| match document.metadata.fields.get(*name)? {
        MetadataValue::Keyword(tag) => Some(tag.as_str()),
        _ => None,
    })
}

fn detected(document: &Document) -> Option<&'static str> {
    let end = document.text.floor_char_boundary(ENOUGH);
    ibid_text::language(&document.text[..end])
}

/// Lists the folders on the way to a file whose names may be tags: a language, and perhaps a region or a script.
fn tags(source: &str) -> impl Iterator<Item = &str> {
    let folders = source.rsplit_once('/').map_or("", |(folders, _)| folders).split('/');
    folders.filter(|folder| primary(folder).len() == 2 && matches!(folder.len(), 2 | 5 | 7))
}

/// Cuts the region off the tag of a language.
fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "The kettle is on the stove, and this is what you do with it.";
    const GERMAN: &str = "Der Kessel steht auf dem Herd, und das ist nicht schwer.";

    fn languages(files: &[(&str, &str)]) -> Vec<Option<String>> {
        let parse = |(source, text): &(&str, &str)| Document::parse(source, text.as_bytes()).unwrap();
        let mut documents: Vec<Document> = files.iter().map(parse).collect();
        name_languages(&mut documents.iter_mut().collect::<Vec<_>>());
        documents.iter().map(|document| named(document).map(str::to_owned)).collect()
    }

    #[test]
    fn translations_have_the_language_of_their_folder() {
        let found = languages(&[
            ("docs/a.md", ENGLISH),
            ("docs/b.md", "`code`"),
            ("docs/de-AT/a.md", GERMAN),
            ("docs/de_AT/b.md", GERMAN),
            ("docs/io/a.md", ENGLISH),
            ("docs/de-AT/own.md", &format!("---\nlang: de-CH\n---\n{GERMAN}")),
        ]);
        let found: Vec<_> = found.iter().map(|tag| tag.as_deref().unwrap_or_default()).collect();
        assert_eq!(found, ["en", "en", "de-AT", "de_AT", "en", "de-CH"]);
    }

    #[test]
    fn a_mixed_collection_has_the_languages_of_its_texts() {
        let found = languages(&[("a.md", ENGLISH), ("b.md", GERMAN), ("c.md", "`code`")]);
        assert_eq!(found, [Some("en".to_owned()), Some("de".to_owned()), None]);
    }

    #[test]
    fn one_language_is_not_named() {
        assert_eq!(languages(&[("en/a.md", ENGLISH), ("en/b.md", ENGLISH)]), [None, None]);
        let mut many = vec![("a.md", ENGLISH); 30];
        many.push(("b.md", GERMAN));
        assert_eq!(languages(&many).iter().flatten().count(), 0);
        assert_eq!(languages(&[]), []);
    }
}
