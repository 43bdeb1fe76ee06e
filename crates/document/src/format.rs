//! The format of a file.

use super::{invalid, skipped};
use ibid_platform::Result;

/// The formats that documents are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `CommonMark` with GitHub's tables, task lists, footnotes and strikethrough.
    Markdown,
    /// reStructuredText, as Sphinx has it.
    Rst,
    /// Jupyter's notebooks, in the versions 3 and 4 of their format.
    Notebook,
    /// JATS articles, and BITS books as the NCBI Bookshelf has them.
    Nxml,
    /// A page of a built site.
    Html,
    /// Paragraphs with blank lines between them.
    Text,
    /// Ready-made chunks, one JSON object a line; see [`ChunkLine`](super::ChunkLine).
    Jsonl,
}

/// The bytes of a file that are looked at to tell its format.
const SNIFFED: usize = 4096;
/// The elements that a JATS or BITS file may begin with.
const NXML_ROOTS: [&str; 7] =
    ["article", "book", "book-part", "book-part-wrapper", "book-app", "book-toc-page", "index-page"];

impl Format {
    /// Looks up the format that a name's ending stands for; `None` if it stands for none, or has none.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let (_, ending) = file.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdx" | "qmd" => Self::Markdown,
            "rst" => Self::Rst,
            "ipynb" => Self::Notebook,
            "nxml" | "xml" => Self::Nxml,
            "html" | "htm" | "xhtml" => Self::Html,
            "txt" | "text" => Self::Text,
            "jsonl" | "ndjson" => Self::Jsonl,
            _ => return None,
        })
    }

    /// Finds the format of a file by its name and what it begins with. An ending that is known decides, but for XML,
    /// which may hold anything; without one, what the text looks like does.
    ///
    /// # Errors
    /// [`ErrorCode::DocumentSkipped`](ibid_platform::ErrorCode::DocumentSkipped) for XML that is neither JATS, BITS nor
    /// XHTML, a site map for instance.
    pub(super) fn detect(source: &str, text: &str) -> Result<Self> {
        let head = &text[..text.floor_char_boundary(SNIFFED)];
        match Self::of_name(source) {
            Some(Self::Nxml) => match root(head) {
                Some("html") => Ok(Self::Html),
                Some(name) if NXML_ROOTS.contains(&name) => Ok(Self::Nxml),
                Some(name) => Err(skipped(source, &format!("its XML is neither JATS nor BITS but <{name}>"))),
                None => Err(invalid(source, "it is not XML")),
            },
            Some(format) => Ok(format),
            None => Ok(Self::sniff(head)),
        }
    }

    fn sniff(head: &str) -> Self {
        let start = head.trim_start();
        let is_heading = |line: &str| line.starts_with("# ") || line.starts_with("## ");
        match root(head) {
            Some(name) if NXML_ROOTS.contains(&name) => Self::Nxml,
            Some("html") => Self::Html,
            _ if starts_with_ignoring_case(start, "<!doctype html") => Self::Html,
            _ if start.starts_with("{\"") => Self::Jsonl,
            _ if start.starts_with("---\n") || start.starts_with("+++\n") => Self::Markdown,
            _ if start.lines().any(is_heading) => Self::Markdown,
            _ => Self::Text,
        }
    }
}

/// Returns true if a file of this name is taken for a document where a folder is searched. Bundlers write the licences in a
/// script to a file of its name.
pub(crate) fn is_document_name(name: &str) -> bool {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let is_for_programs = file.eq_ignore_ascii_case("robots.txt") || file.ends_with(".js.LICENSE.txt");
    !is_for_programs && Format::of_name(name).is_some()
}

/// Returns true for the name of a file that a reader outside this room makes HTML of, which keeps its own address: PDF
/// and DOCX.
pub(crate) fn is_paper_name(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["pdf", "docx"].iter().any(|paper| ending.eq_ignore_ascii_case(paper))
}

/// Returns true for the name of a file whose text was read from HTML. A PDF and a DOCX become HTML first.
#[must_use]
pub fn is_of_page(name: &str) -> bool {
    is_paper_name(name) || matches!(Format::of_name(name), Some(Format::Html))
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// Finds the name of the first element, behind the declaration, comments and the document type.
fn root(head: &str) -> Option<&str> {
    let mut rest = head;
    loop {
        rest = rest.trim_start().strip_prefix('<')?;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1;
        } else if rest.starts_with('!') {
            // An internal subset stands in brackets and has angle brackets of its own.
            let end = rest.find('>')?;
            rest = match rest[..end].find('[') {
                Some(open) => rest[open..].split_once(']')?.1.split_once('>')?.1,
                None => &rest[end + 1..],
            };
        } else if rest.starts_with('?') {
            rest = rest.split_once('>')?.1;
        } else {
            let name = rest.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next()?;
            return (!name.is_empty()).then_some(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_decide_where_they_say_enough() {
        for (name, format) in [
            ("a/b.MD", Some(Format::Markdown)),
            ("a.mdx", Some(Format::Markdown)),
            ("a.htm", Some(Format::Html)),
            ("a.tar.nxml", Some(Format::Nxml)),
            ("notes.text", Some(Format::Text)),
            ("c.ndjson", Some(Format::Jsonl)),
            ("README", None),
            ("dir.md/readme", None),
            ("a.png", None),
        ] {
            assert_eq!(Format::of_name(name), format, "{name}");
        }
        assert!(is_document_name("x/a.xml") && !is_document_name("robots.txt") && !is_document_name("a.css"));
        assert!(is_document_name("LICENSE.txt") && !is_document_name("assets/js/main.5f1c.js.LICENSE.txt"));
    }

    #[test]
    fn content_decides_where_the_ending_does_not() {
        let article =
            "<?xml version='1.0'?>\n<!-- <html> -->\n<!DOCTYPE article [<!ENTITY a 'b'>]>\n<article x='1'>";
        for (name, text, format) in [
            ("a.xml", article, Format::Nxml),
            ("a", article, Format::Nxml),
            ("a.xml", "<?xml version='1.0'?><html xmlns='x'>", Format::Html),
            ("a", "<!DOCTYPE html><title>", Format::Html),
            ("a", "{\"source\": \"a\"}", Format::Jsonl),
            ("README", "Words\n\n## More\n", Format::Markdown),
            ("LICENSE", "Words", Format::Text),
        ] {
            assert_eq!(Format::detect(name, text).unwrap(), format, "{name}");
        }
        let code = |text| Format::detect("sitemap.xml", text).unwrap_err().code().as_str();
        assert_eq!([code("<urlset>"), code("words")], ["document-skipped", "invalid-document"]);
    }
}
