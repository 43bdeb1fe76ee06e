//! The description of a page.

use super::super::keywords::{KEYWORDS_FIELD, listed};
use super::super::{FieldType, Metadata, MetadataValue, page};
use super::furniture::is_list_root;
use crate::tags::{Tag, Token, tokens};

const REDIRECTS: &str = "it redirects to another page";
/// The most text of a page that only says where it leads.
const REDIRECT_BYTES: usize = 200;

/// The findings in a page's head so far; the first of each kind counts.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) title: String,
    og_title: Option<String>,
    canonical: Option<String>,
    og_url: Option<String>,
    language: Option<String>,
    description: Option<String>,
    keywords: Option<String>,
    published: Option<MetadataValue>,
    /// The reason why the page is not for readers.
    reason: Option<&'static str>,
    /// True if the page leads on for those without scripts.
    leads_on: bool,
}

impl Head {
    /// A tag that describes the page, or links to something about it.
    pub(super) fn meta(&mut self, tag: &Tag) {
        let text =
            |attribute| tag.get(attribute).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let keep = |place: &mut Option<String>, attribute| {
            if place.is_none() {
                *place = text(attribute);
            }
        };
        match tag.name.as_str() {
            "html" => {
                keep(&mut self.language, "lang");
                if is_list_root(tag) {
                    self.reason = Some("it only lists other pages");
                }
            }
            "link" if tag.get("rel").is_some_and(|rel| rel.eq_ignore_ascii_case("canonical")) => {
                keep(&mut self.canonical, "href");
            }
            _ if leads_on(tag) => self.reason = Some(REDIRECTS),
            "meta" => {
                let name = tag.get("property").or_else(|| tag.get("name")).unwrap_or_default();
                match name.to_ascii_lowercase().as_str() {
                    "og:title" => keep(&mut self.og_title, "content"),
                    "og:url" => keep(&mut self.og_url, "content"),
                    "robots" if says_noindex(tag) => self.reason = Some("it says `noindex`"),
                    "description" => keep(&mut self.description, "content"),
                    "keywords" => keep(&mut self.keywords, "content"),
                    "article:published_time"
                    | "date"
                    | "dc.date"
                    | "dcterms.date"
                    | "citation_publication_date"
                        if self.published.is_none() =>
                    {
                        let date = text("content").map(|text| text.replace('/', "-"));
                        self.published =
                            date.and_then(|date| MetadataValue::Keyword(date).convert(FieldType::Date).ok());
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Reads the markup for those without scripts: a page without content of its own leads the others on by a script.
    pub(super) fn unscripted(&mut self, markup: &str) {
        self.leads_on |= tokens(markup).any(|token| matches!(token, Token::Start(tag) if leads_on(&tag)));
    }

    /// Returns why the page, with this many bytes of text, is not for readers, if it says so itself.
    pub(super) fn reason(&self, text: usize) -> Option<&'static str> {
        self.reason.or_else(|| (self.leads_on && text <= REDIRECT_BYTES).then_some(REDIRECTS))
    }

    /// Gathers the metadata of a page with this first heading, and the title that the page says.
    pub(super) fn into_metadata(self, first_heading: Option<&str>) -> (Metadata, String) {
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = self.og_title.unwrap_or(title);
        let mut metadata = Metadata {
            title: page::title(&said, first_heading).unwrap_or_default().to_owned(),
            url: self.canonical.or(self.og_url),
            ..Metadata::default()
        };
        for (name, text) in [("language", self.language), ("description", self.description)] {
            if let Some(text) = text {
                metadata.put(name, MetadataValue::Keyword(text));
            }
        }
        let keywords = self.keywords.map_or(Vec::new(), |keywords| listed(&keywords));
        if !keywords.is_empty() {
            metadata.put(KEYWORDS_FIELD, MetadataValue::Keywords(keywords));
        }
        if let Some(MetadataValue::Date(date)) = self.published {
            metadata.put("publication_date", MetadataValue::Date(date));
            metadata.put("year", MetadataValue::Integer(date.year().into()));
        }
        (metadata, said)
    }
}

/// Returns true for a tag that replaces the page by another.
fn leads_on(tag: &Tag) -> bool {
    let names_page = |content: &str| content.to_ascii_lowercase().contains("url");
    tag.name == "meta"
        && tag.get("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh"))
        && tag.get("content").is_some_and(names_page)
}

fn says_noindex(tag: &Tag) -> bool {
    let content = tag.get("content").unwrap_or_default();
    content.split(',').any(|word| matches!(word.trim().to_ascii_lowercase().as_str(), "noindex" | "none"))
}
