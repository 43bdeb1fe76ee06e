//! Elements of HTML and components: which tags are markup, and what they say.

use super::tag::MarkupTag;

/// Elements that markdown may have among its text. Others may be somebody's placeholder.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "audio",
    "b",
    "bdi",
    "bdo",
    "big",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "link",
    "main",
    "map",
    "mark",
    "menu",
    "meta",
    "nav",
    "object",
    "ol",
    "option",
    "p",
    "param",
    "picture",
    "pre",
    "q",
    "rb",
    "rp",
    "rt",
    "rtc",
    "ruby",
    "s",
    "samp",
    "section",
    "select",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];
/// Elements whose content is for programs, or is the reading of the word before.
const UNREAD: &[&str] = &["script", "style", "svg", "noscript", "rp", "rt", "rtc"];
/// Elements that stand apart from the text before them.
const APART: &[&str] = &["br", "td", "th", "li", "dd", "dt", "summary", "p"];
/// Elements that may be part of a word.
const FORMATTING: &[&str] = &[
    "b", "bdi", "bdo", "big", "del", "em", "font", "i", "ins", "mark", "rb", "rp", "rt", "rtc", "ruby", "s",
    "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr",
];
/// Attributes of components that a page shows.
const SHOWN: &[&str] = &["title", "label", "caption", "heading", "description", "summary"];

/// Says whether an element is left out with its content.
pub(super) fn is_unread(tag: &MarkupTag<'_>) -> bool {
    UNREAD.contains(&tag.name) && !tag.is_end && !tag.is_empty
}

/// Says whether a tag is one of HTML.
pub(super) fn is_element(tag: &MarkupTag<'_>) -> bool {
    let name = tag.name.to_ascii_lowercase();
    ELEMENTS.contains(&name.as_str()) || UNREAD.contains(&name.as_str())
}

/// Says whether a tag can only be that of a component: `<T>` in running text may be a type.
pub(super) fn is_component(tag: &MarkupTag<'_>, is_mdx: bool, has_end: impl FnOnce() -> bool) -> bool {
    let looks_like_one = tag.name.starts_with(|c: char| c.is_ascii_uppercase())
        || tag.name.contains(['-', '.', ':'])
        || (tag.name.is_empty() && is_mdx);
    looks_like_one && (is_mdx || tag.is_end || tag.is_empty || tag.has_attributes || has_end())
}

/// Says whether a tag is of an element that may be part of a word.
pub(super) fn is_formatting(tag: &MarkupTag<'_>) -> bool {
    FORMATTING.contains(&tag.name.to_ascii_lowercase().as_str())
}

/// Reads the words of a tag's attributes that the page shows.
pub(super) fn words(tag: &MarkupTag<'_>) -> String {
    if is_element(tag) {
        let alternative = tag.get("alt").filter(|_| tag.name == "img").unwrap_or_default();
        let is_apart = APART.contains(&tag.name) && !tag.is_end;
        return if alternative.is_empty() && is_apart { " ".to_owned() } else { alternative.to_owned() };
    }
    let shown: Vec<&str> =
        SHOWN.iter().filter_map(|name| tag.get(name)).filter(|text| !text.is_empty()).collect();
    shown.join(". ")
}
