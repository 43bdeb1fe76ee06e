//! The files that `ibid site --llms` writes for programs that read: each page as Markdown, and what
//! [llms.txt](https://llmstxt.org) asks for.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use ibid_document::{Document, MetadataValue};
use ibid_native::files::write::write_within;
use ibid_native::note;
use ibid_platform::Result;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// The most bytes of `llms-full.txt`: some 250,000 tokens, which the largest contexts take.
const MOST_BYTES: usize = 1 << 20;
/// The most characters of a page's description.
const MOST_CHARACTERS: usize = 160;
/// The signs that end a link in Markdown, or mean something in an address.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'(').add(b')').add(b'%').add(b'?').add(b'#');

/// A page of the site.
struct LlmsPage<'a> {
    document: &'a Document,
    /// The address of its Markdown.
    link: String,
    markdown: String,
}

/// Writes a file of Markdown next to each page, `llms.txt`, `llms-full.txt`, and the settings of an assistant that searches
/// the index, if the address of the site is known.
pub(super) fn write(folder: &Path, documents: &[Document]) -> Result<()> {
    let start = documents.iter().find(|document| document.source == "index.html");
    let base = start.and_then(|start| start.metadata.url.as_deref()).unwrap_or_default();
    let base = base.strip_suffix("index.html").unwrap_or(base);
    let is_page =
        |document: &&Document| Path::new(&document.source).extension().is_some_and(|ending| ending == "html");
    let pages: Vec<LlmsPage<'_>> =
        documents.iter().filter(is_page).map(|document| page(document, base)).collect();
    for page in &pages {
        write_within(folder, &format!("{}.md", page.document.source), page.markdown.as_bytes())?;
    }
    let (mut overview, mut full) = (head(start), head(start));
    if base.contains("://") {
        write_within(folder, "ibid/mcp.json", mcp(base).as_bytes())?;
        let _ =
            writeln!(overview, "Assistants search these pages by [an MCP server]({base}ibid/mcp.json).\n");
    }
    let mut left_out = 0;
    for (section, pages) in sections(&pages) {
        let _ = writeln!(overview, "## {section}\n");
        for page in pages {
            let description = described(page.document);
            let _ = writeln!(overview, "- [{}]({}){description}", page.document.metadata.title, page.link);
            if full.len() + page.markdown.len() <= MOST_BYTES {
                let _ = writeln!(full, "{}", page.markdown);
            } else {
                left_out += 1;
            }
        }
        overview.push('\n');
    }
    if left_out > 0 {
        let _ = writeln!(full, "{left_out} more pages are in [llms.txt]({base}llms.txt).");
        note(&format!("  llms-full.txt: {left_out} pages are over its {} KiB", MOST_BYTES >> 10));
    }
    write_within(folder, "llms.txt", overview.as_bytes())?;
    write_within(folder, "llms-full.txt", full.as_bytes())
}

/// Returns the site's title and description, which both files begin with.
fn head(start: Option<&Document>) -> String {
    let title = start.map_or("Documentation", |start| start.metadata.title.as_str());
    let mut out = format!("# {title}\n\n");
    if let Some(text) = start.and_then(description) {
        let _ = writeln!(out, "> {text}\n");
    }
    out
}

fn page<'a>(document: &'a Document, base: &str) -> LlmsPage<'a> {
    let link = format!("{base}{}.md", utf8_percent_encode(&document.source, ENCODED));
    LlmsPage { document, link, markdown: markdown(document) }
}

/// Returns what was read of a page: its headings and blocks, without what all pages share.
fn markdown(document: &Document) -> String {
    let mut out = String::new();
    let mut add = |text: &str| {
        let text = text.trim();
        if !text.is_empty() {
            let _ = writeln!(out, "{text}\n");
        }
    };
    let has_title = document.sections.first().is_some_and(|section| !section.heading.is_empty());
    if !has_title {
        add(&format!("# {}", document.metadata.title));
    }
    for section in &document.sections {
        add(&document.text[section.heading.clone()]);
        section.blocks.iter().for_each(|block| add(&document.text[block.range.clone()]));
    }
    out
}

/// Puts the pages of each folder below the title of its first page; those in none come first.
fn sections<'a>(pages: &'a [LlmsPage<'a>]) -> Vec<(String, Vec<&'a LlmsPage<'a>>)> {
    let mut folders: BTreeMap<&str, Vec<&LlmsPage<'_>>> = BTreeMap::new();
    for page in pages {
        let folder = page.document.source.split_once('/').map_or("", |(folder, _)| folder);
        folders.entry(folder).or_default().push(page);
    }
    let named = folders.into_iter().map(|(folder, mut pages)| {
        // A folder's own page leads to the others.
        let start = format!("{folder}/index.html");
        let at = pages.iter().position(|page| page.document.source == start);
        let name = match (folder, at) {
            ("", _) => "Pages".to_owned(),
            (_, Some(at)) => {
                pages[..=at].rotate_right(1);
                pages[0].document.metadata.title.clone()
            }
            (folder, None) => folder.to_owned(),
        };
        (name, pages)
    });
    named.collect()
}

fn description(document: &Document) -> Option<&str> {
    match document.metadata.fields.get("description") {
        Some(MetadataValue::Keyword(text)) => Some(text),
        _ => None,
    }
}

/// Returns a page's description for the end of its line, in one line itself.
fn described(document: &Document) -> String {
    let Some(text) = description(document) else { return String::new() };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!(": {}…", &line[..end]),
        None => format!(": {line}"),
    }
}

/// Returns the settings that assistants take for a server of the Model Context Protocol: the command over the site's index.
fn mcp(base: &str) -> String {
    let server = serde_json::json!({
        "command": "npx",
        "args": ["--yes", "ibid", "mcp", format!("{base}site.ibid")],
    });
    format!("{:#}\n", serde_json::json!({ "mcpServers": { "docs": server } }))
}
