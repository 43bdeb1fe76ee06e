//! Parts of a page that are not what it says: site generators and themes mark them by classes.

use crate::tags::Tag;

/// Classes of elements that are left out wherever they stand.
///
/// Text for screen readers alone, breadcrumbs, tables of contents, links to edit the page, its date, toolbars, version
/// switchers, and copies for the printer, in the themes of the common generators. Sites of a few pages tell nothing.
const FURNITURE: [&str; 38] = [
    "article-header-buttons",
    "bd-header-article",
    "bd-sidebar-secondary",
    "breadcrumb",
    "breadcrumbs",
    "edit-link",
    "edit-page",
    "edit-page-link",
    "edit-this-page",
    "editlink",
    "editthispage",
    "header-article",
    "header-article-items",
    "last-update",
    "last-updated",
    "lastupdated",
    "lastupdatedtext",
    "md-source-date",
    "md-source-file",
    "on-this-page",
    "onlyprint",
    "onthispage",
    "page-edit",
    "page-meta-links",
    "pagination",
    "print-only",
    "screen-reader-text",
    "skip-link",
    "sr-only",
    "table-of-contents",
    "td-page-meta",
    "theme-doc-toc-mobile",
    "theme-doc-version-badge",
    "theme-last-updated",
    "toc",
    "toolbar",
    "visually-hidden",
    "visuallyhidden",
];

/// Classes of columns and spans that hold the numbers of lines.
const LINE_NUMBERS: [&str; 13] = [
    "blob-num",
    "code-line-number",
    "gutter",
    "hljs-ln-numbers",
    "line-number",
    "line-numbers",
    "line-numbers-rows",
    "lineno",
    "linenodiv",
    "linenos",
    "ln",
    "lnt",
    "rouge-gutter",
];

/// Classes of tables that set code next to the numbers of its lines.
const CODE_TABLES: [&str; 5] =
    ["highlighttable", "hljs-ln", "lntable", "rouge-table", "js-file-line-container"];

/// Classes of the pages that only list others: of Docusaurus, at the root of the page.
const LISTS: [&str; 8] = [
    "blog-archive-page",
    "blog-authors-list-page",
    "blog-authors-posts-page",
    "blog-list-page",
    "blog-tags-list-page",
    "blog-tags-post-list-page",
    "docs-tag-doc-list-page",
    "docs-tags-list-page",
];

/// Folders of pages that list others by tag or date, and pages with such a name.
const LIST_FOLDERS: [&str; 7] = ["archive", "archives", "authors", "categories", "category", "tag", "tags"];

fn is_in(classes: &[&str], class: &str) -> bool {
    classes.iter().any(|known| known.eq_ignore_ascii_case(class))
}

/// The reason to leave an element out, which its content may refute.
pub(super) enum Doubt {
    /// A class of furniture. Headings, sentences and much text are none.
    Furniture,
    /// A class of the numbers of lines, which have no letters.
    Numbers,
    /// The panel with this id is hidden, until a button that names it shows it. Without an id, it has a heading as its
    /// label.
    Panel(Option<String>),
}

/// Finds the reason to leave an element out unless it holds content.
pub(super) fn doubt(tag: &Tag) -> Option<Doubt> {
    if is_hidden(tag) {
        let id = tag.id().filter(|_| !tag.has("aria-labelledby")).map(str::to_owned);
        let may_show = id.is_some() || tag.has("aria-labelledby");
        return (may_show && !is_menu(tag)).then_some(Doubt::Panel(id));
    }
    if matches!(tag.name.as_str(), "html" | "body" | "main" | "pre" | "code" | "article") {
        return None;
    }
    if matches!(tag.name.as_str(), "span" | "td" | "th" | "div")
        && tag.has_class(|class| is_in(&LINE_NUMBERS, class))
    {
        return Some(Doubt::Numbers);
    }
    // Names that a build makes unique have a hash behind them.
    let is_hashed = |class: &str| class.starts_with("tableOfContents") || class.starts_with("tocCollapsible");
    // As Asciidoctor has it; a section with that id has a class.
    let is_footer = tag.name == "div" && tag.id() == Some("footer") && !tag.has("class");
    let is_furniture = is_footer || tag.has_class(|class| is_in(&FURNITURE, class) || is_hashed(class));
    is_furniture.then_some(Doubt::Furniture)
}

/// Returns true for what opens over a page, and is no part of it.
pub(super) fn is_menu(tag: &Tag) -> bool {
    let role = tag.get("role").unwrap_or_default();
    matches!(role, "dialog" | "alertdialog" | "menu" | "listbox" | "tooltip")
}

/// Returns true if a page shows none of what is in the element.
pub(super) fn is_hidden(tag: &Tag) -> bool {
    let style = || {
        let style = tag.get("style")?;
        let style: String = style.chars().filter(|c| !c.is_whitespace()).take(400).collect();
        Some(style.to_ascii_lowercase().contains("display:none"))
    };
    // Text that is hidden until it is searched for, or until its tab is chosen, is there to be found.
    let is_shown_later = tag.get("hidden") == Some("until-found") || tag.get("role") == Some("tabpanel");
    // A paragraph is no ornament: its words are told to a screen reader in another way.
    let is_ornament = tag.get("aria-hidden") == Some("true") && tag.name != "p";
    !is_shown_later && (tag.has("hidden") || is_ornament || style().unwrap_or(false))
}

/// Returns true for the name of a language that stands next to its code, as `VitePress` has it, and for lines of code that
/// `mdBook` hides, since only tests need them.
pub(super) fn is_label(tag: &Tag, in_code: bool, in_listing: bool) -> bool {
    let is_one = |class: &str| (class == "lang" && in_listing) || (class == "boring" && in_code);
    tag.name == "span" && tag.has_class(is_one)
}

/// Reads the kind of a note that Asciidoctor and Antora tell by the title of an icon alone.
pub(super) fn note_kind(tag: &Tag) -> Option<&str> {
    let is_icon = tag.name == "i" && tag.has_class(|class| class.starts_with("icon-"));
    tag.get("title").filter(|_| is_icon)
}

/// Returns true for a table that is the looks of code with numbered lines.
pub(super) fn is_code_table(tag: &Tag) -> bool {
    tag.name == "table" && tag.has_class(|class| is_in(&CODE_TABLES, class))
}

/// Returns true for the root of a page that only lists others.
pub(super) fn is_list_root(tag: &Tag) -> bool {
    tag.name == "html" && tag.get("class").is_some() && tag.has_class(|class| is_in(&LISTS, class))
}

/// Returns true for the path of a page that, where most of its text is links, only lists others.
pub(super) fn may_list(source: &str) -> bool {
    source.split(['/', '\\']).any(|part| is_in(&LIST_FOLDERS, part))
}

/// Returns true for the path of the page that a server shows if there is none.
pub fn is_error_page(source: &str) -> bool {
    let mut parts = source.rsplit(['/', '\\']);
    match parts.next() {
        Some("404.html" | "404.htm") => true,
        Some("index.html" | "index.htm") => parts.next() == Some("404"),
        _ => false,
    }
}
