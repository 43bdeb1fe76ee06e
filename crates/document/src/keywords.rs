//! Words that an author adds to a document: searched as those of a heading are, and not shown.

use std::collections::HashMap;

use super::{Document, Format, Metadata, MetadataValue};

/// The field of the metadata that holds them.
pub const KEYWORDS_FIELD: &str = "keywords";

/// Fewer pages than this tell nothing.
const LEAST_PAGES: usize = 4;

/// Splits the items of a text that has commas between them.
pub(super) fn listed(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

impl Metadata {
    /// Returns the keywords of the document.
    pub fn keywords(&self) -> Vec<String> {
        match self.fields.get(KEYWORDS_FIELD) {
            Some(MetadataValue::Keywords(items)) => items.clone(),
            Some(value) => listed(&value.to_string()),
            None => Vec::new(),
        }
    }
}

/// Leaves out keywords that more than half of the pages in HTML have: they come from a site's configuration.
pub fn leave_out_keywords(documents: &mut [&mut Document]) {
    let is_page = |document: &Document| Format::of_name(&document.source) == Some(Format::Html);
    let mut pages: Vec<_> = documents.iter_mut().filter(|document| is_page(document)).collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for page in &pages {
        page.metadata.keywords().into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let count = pages.len();
    counts.retain(|_, with| count >= LEAST_PAGES && *with * 2 > count);
    if counts.is_empty() {
        return;
    }
    for page in &mut pages {
        let mut own = page.metadata.keywords();
        own.retain(|word| !counts.contains_key(word));
        page.metadata.fields.remove(KEYWORDS_FIELD);
        if !own.is_empty() {
            page.metadata.put(KEYWORDS_FIELD, MetadataValue::Keywords(own));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_that_most_pages_share_say_nothing() {
        let read = |at: usize| {
            let html = format!("<meta name=keywords content='site, own{at}'><p>Text of page {at}.");
            Document::parse(&format!("{at}.html"), html.as_bytes()).unwrap()
        };
        let keywords = |count: usize| {
            let mut pages: Vec<_> = (0..count).map(read).collect();
            pages.push(Document::parse("a.md", b"---\nkeywords: site, mine\n---\nText.").unwrap());
            leave_out_keywords(&mut pages.iter_mut().collect::<Vec<_>>());
            pages.into_iter().map(|page| page.metadata.keywords().join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(keywords(4), ["own0", "own1", "own2", "own3", "site mine"]);
        assert_eq!(keywords(2), ["site own0", "site own1", "site mine"]);
    }
}
