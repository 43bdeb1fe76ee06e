//! Reads documents of any format and cuts them into chunks.
//!
//! A [`Document`] has metadata, and a tree of sections whose every block can be traced to the byte.
//!
//! Whatever the format, a document has one text, and its sections are ranges of it. Of plain text, and of
//! markdown but for the markup of site generators, that text is the file itself; of formats with markup it is what a
//! person reads, written as light markdown (`## Heading`, `- item`, `| cell | cell |`), and [`Document::origin`]
//! knows the place of each stretch in the file.

pub mod archive;
#[cfg(not(target_arch = "wasm32"))]
mod charset;
pub mod chunk;
mod copies;
mod data;
mod date;
mod encoding;
mod format;
mod front_matter;
mod html;
mod jsonl;
mod keywords;
mod languages;
mod markdown;
mod markup;
mod metadata;
mod notebook;
mod nxml;
mod origin;
mod outline;
mod own_marks;
mod page;
mod paper;
mod plain;
mod rewrite;
mod rst;
mod schema;
mod shared;
mod sidecar;
mod site;
mod source;
mod tags;
mod text;
mod versions;
mod warning;
mod weight;
mod writer;

use std::ops::Range;

pub use copies::copies;
pub use date::{Date, NotADate};
pub use format::{Format, is_of_page};
pub use html::is_error_page;
pub use jsonl::ChunkLine;
pub use keywords::{KEYWORDS_FIELD, leave_out_keywords};
pub use languages::{LANGUAGE_FIELD, name_languages};
pub use metadata::{FieldType, Metadata, MetadataValue};
pub use origin::{Origin, Place};
pub use page::{PageFacts, without_body};
pub use plain::plain;
pub use schema::settle;
pub use shared::{SharedText, leave_out_shared, shared_line};
pub use sidecar::SIDECAR_ENDINGS;
pub use site::{CONFIGURATIONS, Generator, Site};
pub use source::{beside_pages, not_read, source_names};
pub use versions::{VERSION_FIELD, name_versions};
pub use warning::{Told, Warning, lines};
pub use weight::{USUAL_WEIGHT, weight};

use ibid_platform::{Error, ErrorCode, Result};

/// A file that has been read and taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The file's name as the caller gave it, with `/` between folders.
    pub source: String,
    /// The text that sections and chunks are ranges of.
    pub text: String,
    /// The place where that text stands in the file.
    pub origin: Origin,
    /// The metadata of the document as a whole.
    pub metadata: Metadata,
    /// Its sections in reading order, a parent before its children, those without any text of their own included.
    pub sections: Vec<Section>,
    /// Warnings of what was passed over while reading.
    pub warnings: Vec<Warning>,
    /// Facts of a page in HTML that only all pages of a build together can judge.
    pub page: PageFacts,
}

/// A part of a document under one heading, up to the next heading of any level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The document's title, then the headings above and of this section, outermost first.
    pub heading_path: Vec<String>,
    /// The number of the section that this one is a part of, always less than its own number.
    pub parent: Option<usize>,
    /// The id that the heading has in the rendered page: its own, else one made from its text as GitHub does.
    pub anchor: Option<String>,
    /// The place where the heading stands in the document's text; empty if there is none.
    pub heading: Range<usize>,
    /// The section's own blocks in order, without those of the sections below it.
    pub blocks: Vec<Block>,
}

impl Section {
    /// Finds the place where it begins in the document's text.
    fn start(&self) -> usize {
        match self.blocks.first() {
            Some(block) if self.heading.start == self.heading.end => block.range.start,
            _ => self.heading.start,
        }
    }

    /// Returns true if its text begins with its name, which it has no heading for: a definition.
    fn is_definition(&self, text: &str) -> bool {
        let first = self.blocks.first().and_then(|block| text.get(block.range.clone()));
        let name = self.heading_path.last();
        self.heading.start == self.heading.end
            && first
                .zip(name)
                .is_some_and(|(first, name)| first.starts_with('#') && first.contains(name.as_str()))
    }
}

/// A paragraph, a list, a table or the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The kind of block, which decides where it may be cut.
    pub kind: BlockKind,
    /// The place where it stands in the document's text.
    pub range: Range<usize>,
}

/// The kind of a block, which decides where it may be cut when it is larger than a chunk may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Running text, to be cut between sentences.
    Paragraph,
    /// A list or a quotation, to be cut between its lines, each of which may be cut like a paragraph.
    List,
    /// A table, to be cut between its rows, of which each is a line.
    Table {
        /// The lines that every part must begin with, as a range of the document's text at the block's beginning.
        header: Range<usize>,
    },
    /// Code or other text whose lines mean something, to be cut between them.
    Code,
    /// A chunk that somebody else has made: never joined with another block, cut like a paragraph if it must be.
    Ready {
        /// The number of bytes at its beginning an earlier chunk has too, as [`Chunk::repeated`](crate::chunk::Chunk) says.
        repeated: usize,
    },
}

impl Document {
    /// Reads a file that is one document: markdown, reStructuredText, a notebook, NXML, HTML or plain text.
    ///
    /// `source` names the file, in errors and in citations; its ending tells the format, or what the file begins with
    /// if it has none that is known. See [`parse`] for files of any format.
    ///
    /// # Errors
    /// As [`parse`] has them, and [`ErrorCode::InvalidDocument`] for a file of ready-made chunks, which may hold any
    /// number of documents.
    pub fn parse(source: &str, bytes: &[u8]) -> Result<Self> {
        let mut documents = parse(source, bytes)?;
        match (documents.pop(), documents.len()) {
            (Some(document), 0) => Ok(document),
            _ => {
                Err(invalid(source, "it holds several documents")
                    .with_hint("Read it with `document::parse`."))
            }
        }
    }

    /// Sets a field of the metadata from text, as [`Metadata::set`] does, and the title in the heading paths too.
    pub fn set_metadata(&mut self, name: &str, text: &str) -> Result<()> {
        self.metadata.set(name, text)?;
        self.retitle();
        Ok(())
    }

    /// Takes the fields of a sidecar, a file next to the document that ends in `.meta.yaml`, `.meta.yml`, `.meta.toml`
    /// or `.meta.json`, over those there are; the title into the heading paths too. What is passed over is added to the
    /// document's warnings.
    ///
    /// `name` is the sidecar's own, which tells its format and stands in errors.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidDocument`] when the sidecar is not in the format that its name says.
    pub fn apply_sidecar(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let fields = sidecar::read(name, bytes, &mut self.warnings)?;
        self.metadata.put_all(fields, &mut self.warnings);
        self.retitle();
        Ok(())
    }

    /// Lets every heading path begin with the title that the metadata has, once.
    fn retitle(&mut self) {
        let title = outline::shortened(&self.metadata.title);
        for Section { heading_path: path, .. } in &mut self.sections {
            if let Some(first) = path.first_mut()
                && *first != title
            {
                first.clone_from(&title);
                if path.get(1) == Some(&title) {
                    path.remove(1);
                }
            }
        }
    }
}

/// Reads a file of any format into the documents that it holds: one, but for ready-made chunks, which may be of many.
///
/// `source` names the file, in errors and in citations; its ending tells the format, or what the file begins with
/// if it has none that is known. Archives are read by [`archive`] instead.
///
/// # Errors
/// [`ErrorCode::InvalidDocument`] when the file is empty, binary or UTF-16, or is not in its format so far that
/// nothing can be read; [`ErrorCode::DocumentSkipped`] when it holds nothing to search, such as a list of references.
pub fn parse(source: &str, bytes: &[u8]) -> Result<Vec<Document>> {
    if archive::is_archive_name(source) {
        return Err(invalid(source, "it is an archive").with_hint("Read it with `document::archive::parse`."));
    }
    parse_part(source, bytes, None, None)
}

/// Does the same for a file that a site makes pages of, which may tell its format, and what names in it stand for.
///
/// # Errors
/// As [`parse`].
pub fn parse_for(site: &Site, source: &str, bytes: &[u8]) -> Result<Vec<Document>> {
    parse_part(source, bytes, None, Some(site))
}

/// Reads a file that may be a part of the book with the given title.
fn parse_part(source: &str, bytes: &[u8], book: Option<&str>, site: Option<&Site>) -> Result<Vec<Document>> {
    let source = source.replace('\\', "/");
    let decoded = data::without_data(encoding::decode(&source, bytes)?);
    let format = site.and_then(|site| site.format_of(&source));
    let document = match format.map_or_else(|| Format::detect(&source, &decoded.text), Ok)? {
        Format::Markdown => markdown::parse(source, decoded, site.and_then(Site::liquid)),
        Format::Rst => {
            let mut document = markdown::parse_clean(
                source,
                rst::to_markdown(decoded, site.map_or("", Site::substitutions)),
            );
            document.give_ids(Generator::Sphinx, false);
            document
        }
        Format::Notebook => {
            let written = notebook::to_markdown(&source, decoded)?;
            markdown::parse(source, written, None)
        }
        Format::Html => html::parse(source, decoded)?,
        Format::Nxml => nxml::parse(source, decoded, book)?,
        Format::Text => text::parse(source, decoded),
        Format::Jsonl => return jsonl::parse(&source, &decoded),
    };
    if let Some(reason) = document.page.left_out {
        return Err(skipped(&document.source, reason));
    }
    Ok(vec![document])
}

/// Makes the name that a document has where it says none: of the file, without folder and ending.
fn stem(source: &str) -> &str {
    source
        .rsplit_once('.')
        .filter(|(stem, ending)| !stem.is_empty() && !ending.contains('/'))
        .map_or(source, |(stem, _)| stem)
}

/// Makes the error for a document that cannot be read.
fn invalid(source: &str, why: &str) -> Error {
    Error::new(ErrorCode::InvalidDocument, format!("`{source}` cannot be read: {why}."))
}

/// Makes the error for a file that is left out on purpose.
fn skipped(source: &str, why: &str) -> Error {
    Error::new(ErrorCode::DocumentSkipped, format!("`{source}` was skipped: {why}."))
}

#[cfg(test)]
mod tests;
