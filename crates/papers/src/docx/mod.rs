//! DOCX (ECMA-376, `WordprocessingML`): paragraphs with styles, in the order in which they are read.

mod package;
mod reader;
mod styles;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::html::{begin, escape, stem, title};
use crate::{Fault, docx::reader::BodyReader};
use package::Package;
use reader::{DocxBlock, DocxKind};
use styles::{Numberings, Styles};

pub(crate) fn html(name: &str, bytes: &[u8]) -> Result<String, Fault> {
    let package = Package::open(bytes)?;
    let main = package.main();
    let xml = package.part(&main).ok_or_else(|| Fault::new(package::BROKEN, ""))?;
    let styles = package.next_to(&main, "styles.xml").map(Styles::read).unwrap_or_default();
    let numberings = package.next_to(&main, "numbering.xml").map(Numberings::read).unwrap_or_default();
    let links = package.links(&main);
    let mut notes = HashMap::new();
    for (kind, part) in [("footnote", "footnotes.xml"), ("endnote", "endnotes.xml")] {
        if let Some(xml) = package.next_to(&main, part) {
            let mut reader = BodyReader::new(&styles, &numberings, &links, HashMap::new());
            reader.read(xml)?;
            notes.extend(reader.notes.into_iter().map(|(id, text)| ((kind, id), text)));
        }
    }
    let mut reader = BodyReader::new(&styles, &numberings, &links, notes);
    reader.read(xml)?;
    let blocks = reader.blocks;
    if blocks.is_empty() {
        return Err(Fault::new("it has no text", ""));
    }
    let said = package.part("docprops/core.xml").and_then(reader::core_title).unwrap_or_default();
    Ok(write(name, title(&said).as_deref(), styles.language.as_deref(), &blocks))
}

/// Writes blocks below their title: a paragraph in that style, else the file's own, else its only heading of level 1.
fn write(name: &str, said: Option<&str>, language: Option<&str>, blocks: &[DocxBlock]) -> String {
    let of = |kind: DocxKind| blocks.iter().filter(move |block| block.kind == kind);
    let has_title = of(DocxKind::Title).next().is_some();
    let is_named = blocks.first().is_some_and(|block| block.kind == DocxKind::Heading(0))
        && of(DocxKind::Heading(0)).count() == 1;
    let own = said.unwrap_or_else(|| stem(name)).to_owned();
    let mut out = begin(&own, language);
    let shift = if has_title || !is_named { 2 } else { 1 };
    if !has_title && !is_named && said.is_some() {
        out.push_str("<h1>");
        escape(&mut out, &own);
        out.push_str("</h1>\n");
    }
    let mut titles = 0;
    for DocxBlock { kind, html } in blocks {
        match kind {
            DocxKind::Title => {
                titles += 1;
                let tag = if titles == 1 { "h1" } else { "p" };
                out.push_str(&["<", tag, ">", html, "</", tag, ">\n"].concat());
            }
            DocxKind::Heading(level) => {
                let level = (usize::from(*level) + shift).min(6).to_string();
                out.push_str(&["<h", &level, ">", html, "</h", &level, ">\n"].concat());
            }
            DocxKind::Other => {
                out.push_str(html);
                out.push('\n');
            }
        }
    }
    out.push_str("</main>\n");
    out
}
