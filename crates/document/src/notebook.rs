//! Jupyter's notebooks (nbformat 3 and 4) as markdown: their cells in order, without what running them gave.

use serde_json::Value;

use super::encoding::Decoded;
use super::markup::{Fence, fence_around, fence_of};
use super::rewrite::{Rewriter, rewritten};
use super::{invalid, skipped};
use ibid_platform::{Result, json};

/// Places that were looked for in vain, after which no more are: each costs a way through the rest of the file.
const MAX_MISSED: usize = 8;
/// The tags of cells that a published page does without.
const HIDDEN: [&str; 4] = ["remove-cell", "remove_cell", "remove-input", "remove_input"];

/// Writes a notebook as markdown.
///
/// # Errors
/// [`ErrorCode::InvalidDocument`](ibid_platform::ErrorCode::InvalidDocument) for what is no notebook,
/// [`ErrorCode::DocumentSkipped`](ibid_platform::ErrorCode::DocumentSkipped) for one without text.
pub(super) fn to_markdown(source: &str, decoded: Decoded) -> Result<Decoded> {
    let notebook =
        json::parse(&decoded.text).map_err(|error| invalid(source, &format!("it is not JSON: {error}")))?;
    let mut cells: Vec<&Value> = json::list(&notebook, "cells").iter().collect();
    // Version 3 has its cells in worksheets.
    for sheet in json::list(&notebook, "worksheets") {
        cells.extend(json::list(sheet, "cells"));
    }
    if cells.is_empty() && notebook.get("nbformat").is_none() {
        return Err(invalid(source, "it is no notebook"));
    }
    let metadata = &notebook["metadata"];
    let language = json::text(&metadata["language_info"], "name");
    let language = language.or(json::text(&metadata["kernelspec"], "language"));
    let mut out = CellWriter { out: Rewriter::new(&decoded), text: &decoded.text, at: 0, missed: 0 };
    // A text of JSON is one of YAML too. Metadata that a first cell has itself is read instead.
    if let Some(title) = json::text(metadata, "title")
        && !cells.first().is_some_and(|cell| written(cell).starts_with("---"))
    {
        let title = serde_json::to_string(title).unwrap_or_default();
        out.out.put(&["---\ntitle: ", &title, "\n---\n\n"].concat(), 0..0);
    }
    let mut is_empty = true;
    for cell in cells {
        is_empty &= is_hidden(cell) || !out.cell(cell, language);
    }
    if is_empty {
        return Err(skipped(source, "none of its cells has text"));
    }
    let written = out.out.finish();
    Ok(rewritten(written, decoded))
}

/// Lists the pieces of a cell's text: its lines, or all of it in one.
fn pieces(cell: &Value) -> impl Iterator<Item = &str> {
    let source = cell.get("source").or_else(|| cell.get("input")).unwrap_or(&Value::Null);
    let lines = source.as_array().map_or(std::slice::from_ref(source), Vec::as_slice);
    lines.iter().filter_map(Value::as_str)
}

fn written(cell: &Value) -> String {
    pieces(cell).collect()
}

fn is_hidden(cell: &Value) -> bool {
    let Some(metadata) = cell.get("metadata") else { return false };
    let is_tagged = |tag: &Value| tag.as_str().is_some_and(|tag| HIDDEN.contains(&tag));
    // Raw cells are meant for one kind of output, which they name.
    let raw = json::text(metadata, "raw_mimetype").or(json::text(metadata, "format"));
    json::text(metadata, "nbsphinx") == Some("hidden")
        || json::list(metadata, "tags").iter().any(is_tagged)
        || json::text(cell, "cell_type") == Some("raw")
            && raw.is_some_and(|kind| !matches!(kind, "text/markdown" | "text/plain"))
}

struct CellWriter<'a> {
    out: Rewriter<'a>,
    /// The notebook's file, and how far its cells are written.
    text: &'a str,
    at: usize,
    missed: usize,
}

impl CellWriter<'_> {
    /// Writes a cell behind a blank line; returns whether it has text.
    fn cell(&mut self, cell: &Value, language: Option<&str>) -> bool {
        let written = written(cell);
        if written.trim().is_empty() {
            return false;
        }
        let at = self.at;
        for key in ["\"source\"", "\"input\""] {
            if cell.get(key.trim_matches('"')).is_some() {
                self.at = self.found(key).unwrap_or(self.at);
            }
        }
        let aside = at..at;
        match json::text(cell, "cell_type") {
            Some("code") => {
                let fence = fence_around(&written);
                let language = language.or(json::text(cell, "language")).unwrap_or_default();
                let is_name = |c: char| c.is_alphanumeric() || "+-#._".contains(c);
                let language = if language.chars().all(is_name) { language } else { "" };
                self.out.put(&[&fence, language, "\n"].concat(), aside.clone());
                self.pieces(cell, str::to_owned);
                self.end_line();
                self.out.put(&fence, aside.clone());
            }
            Some("heading") => {
                let level = json::number(cell, "level").unwrap_or(1).clamp(1, 6) as usize;
                self.out.put(&["#".repeat(level).as_str(), " "].concat(), aside.clone());
                self.pieces(cell, |piece| piece.replace('\n', " "));
            }
            _ => {
                self.pieces(cell, without_data);
                self.end_line();
                self.out.put(&open_fence(&written), aside.clone());
            }
        }
        self.out.put("\n\n", aside);
        true
    }

    /// Writes a cell's pieces, each as made of where it stands in the file.
    fn pieces(&mut self, cell: &Value, shown: impl Fn(&str) -> String) {
        for piece in pieces(cell) {
            let escaped = serde_json::to_string(piece).unwrap_or_default();
            let start = self.at;
            let span = match self.found(&escaped) {
                // The quotation marks are no part of it.
                Some(end) => end - escaped.len() + 1..end - 1,
                None => start..start,
            };
            let shown = shown(piece);
            match (shown.strip_suffix('\n'), escaped.strip_suffix("\\n\"")) {
                // Without the end of its line, which takes two bytes in the file, the text is often that of the file.
                (Some(line), Some(_)) if !span.is_empty() => {
                    self.out.put(line, span.start..span.end - 2);
                    self.out.put("\n", span.end - 2..span.end);
                }
                _ => self.out.put(&shown, span),
            }
        }
    }

    /// Looks for a text from where the last one ended; returns where it ends.
    fn found(&mut self, text: &str) -> Option<usize> {
        if self.missed >= MAX_MISSED {
            return None;
        }
        let Some(found) = self.text[self.at..].find(text) else {
            self.missed += 1;
            return None;
        };
        self.at += found + text.len();
        Some(self.at)
    }

    fn end_line(&mut self) {
        if !self.out.text.ends_with('\n') {
            self.out.put("\n", self.at..self.at);
        }
    }
}

/// Writes the end of the code that a cell leaves open, which must not go on in the next one.
fn open_fence(text: &str) -> String {
    let mut open: Option<Fence<'_>> = None;
    for fence in text.lines().filter_map(fence_of) {
        match open {
            None => open = Some(fence),
            Some(begun) if fence.closes(&begun) => open = None,
            Some(_) => {}
        }
    }
    open.map_or(String::new(), |fence| fence.mark.to_string().repeat(fence.length))
}

/// Writes a line without the data of images that stand in the cell itself.
fn without_data(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once("](") {
        out.push_str(before);
        out.push_str("](");
        let is_data = ["data:", "attachment:"].iter().any(|kind| behind.starts_with(kind));
        rest = behind.get(behind.find(')').filter(|_| is_data).unwrap_or(0)..).unwrap_or(behind);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use crate::{BlockKind, Document};
    use ibid_platform::ErrorCode;
    use proptest::prelude::*;

    fn read(notebook: &str) -> Document {
        Document::parse("guide/a.ipynb", notebook.as_bytes()).unwrap()
    }

    const TEA: &str = r##"{
 "cells": [
  {"cell_type": "markdown", "metadata": {}, "source": [
    "# Tea\n",
    "\n",
    "Steep \"green\" tea. ![A cup](attachment:cup.png) ![](data:image/png;base64,iVBORw0KGgo=)"
  ], "attachments": {"cup.png": {"image/png": "iVBORw0KGgo="}}},
  {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [
    {"output_type": "stream", "name": "stdout", "text": ["eighty\n", "print(80)\n"]}
  ], "source": [
    "print(80)\n",
    "# a ``` fence"
  ]},
  {"cell_type": "raw", "metadata": {"raw_mimetype": "text/latex"}, "source": "\\newpage"},
  {"cell_type": "raw", "metadata": {}, "source": "Words as they are."},
  {"cell_type": "code", "metadata": {"tags": ["remove-cell"]}, "outputs": [], "source": ["secret()"]},
  {"cell_type": "code", "metadata": {"nbsphinx": "hidden"}, "outputs": [], "source": ["secret()"]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": []}
 ],
 "metadata": {"language_info": {"name": "python"}},
 "nbformat": 4, "nbformat_minor": 5
}"##;

    #[test]
    fn cells_are_read_in_order_and_outputs_are_not() {
        let document = read(TEA);
        assert_eq!(
            document.text,
            "# Tea\n\nSteep \"green\" tea. ![A cup]() ![]()\n\n\n\
             ````python\nprint(80)\n# a ``` fence\n````\n\n\
             Words as they are.\n\n\n"
        );
        assert_eq!(document.metadata.title, "Tea");
        let blocks = &document.sections[0].blocks;
        assert_eq!(
            blocks.iter().map(|b| &b.kind).collect::<Vec<_>>(),
            [&BlockKind::Paragraph, &BlockKind::Code, &BlockKind::Paragraph]
        );
    }

    #[test]
    fn passages_are_traced_to_the_lines_of_the_file() {
        let document = read(TEA);
        let place = |words: &str| {
            let at = document.text.find(words).unwrap();
            let place = document.origin.place(&(at..at + words.len()));
            (&TEA[place.span], place.line)
        };
        assert_eq!(place("# Tea"), ("# Tea", 4));
        assert_eq!(
            place("Steep \"green"),
            (
                r#"Steep \"green\" tea. ![A cup](attachment:cup.png) ![](data:image/png;base64,iVBORw0KGgo=)"#,
                6
            )
        );
        assert_eq!(place("print(80)"), ("print(80)", 11));
        assert_eq!(place("as they"), ("as they", 15));
    }

    #[test]
    fn notebooks_of_version_3_have_worksheets() {
        let document = read(
            r#"{"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": [
                {"cell_type": "heading", "level": 2, "source": ["Part\n", "one"]},
                {"cell_type": "code", "language": "julia", "input": ["x = 1"], "outputs": []},
                {"cell_type": "code", "language": "a`b", "input": "y = 2", "outputs": []}]}]}"#,
        );
        assert_eq!(document.text, "## Part one\n\n```julia\nx = 1\n```\n\n```\ny = 2\n```\n\n");
        assert_eq!(document.sections[0].heading_path, ["a", "Part one"]);
    }

    #[test]
    fn the_title_comes_from_metadata() {
        let title = |metadata: &str, first: &str| {
            let notebook = format!(
                r##"{{"nbformat": 4, "metadata": {metadata}, "cells": [
                    {{"cell_type": "raw", "metadata": {{}}, "source": "{first}"}},
                    {{"cell_type": "markdown", "metadata": {{}}, "source": "# Head\n\nWords."}}]}}"##
            );
            read(&notebook).metadata.title
        };
        assert_eq!(title(r#"{"title": "A: \"b\""}"#, ""), "A: \"b\"");
        assert_eq!(title(r#"{"title": "A"}"#, "---\\ntitle: Own\\n---"), "Own");
        assert_eq!(title("{}", ""), "Head");
    }

    #[test]
    fn code_that_a_cell_leaves_open_ends_with_it() {
        let document = read(
            r#"{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "~~~~ text\nopen ~~~"},
                {"cell_type": "markdown", "source": "Words."}]}"#,
        );
        assert_eq!(document.text, "~~~~ text\nopen ~~~\n~~~~\n\nWords.\n\n\n");
    }

    #[test]
    fn what_is_no_notebook_is_told() {
        let code = |text: &str| Document::parse("a.ipynb", text.as_bytes()).unwrap_err().code();
        for text in ["{", "[1]", "{\"a\": 1}", "words"] {
            assert_eq!(code(text), ErrorCode::InvalidDocument, "{text}");
        }
        assert_eq!(code(&"[".repeat(100_000)), ErrorCode::InvalidDocument);
        assert_eq!(code(r#"{"nbformat": 4, "cells": []}"#), ErrorCode::DocumentSkipped);
        assert_eq!(
            code(r#"{"nbformat": 4, "cells": [1, {"source": 7}, {"source": [7, " "]}]}"#),
            ErrorCode::DocumentSkipped
        );
    }

    #[test]
    fn a_file_with_other_escapes_takes_no_longer() {
        let cell = r#"{"cell_type": "markdown", "metadata": {}, "source": "\u0041 word and \u00e9"},"#;
        let many = format!(r#"{{"nbformat": 4, "cells": [{}1]}}"#, cell.repeat(20_000));
        assert_eq!(read(&many).text.matches("A word and é").count(), 20_000);
    }

    proptest! {
        #[test]
        fn places_hold_whatever_cells_hold(sources in proptest::collection::vec("[-a#`~ é\\\\\"\n:<({]{0,30}", 1..5)) {
            let kinds = ["markdown", "code", "raw", "heading"];
            let cells: Vec<_> = sources.iter().zip(kinds.into_iter().cycle()).map(|(source, kind)| {
                serde_json::json!({"cell_type": kind, "source": source})
            }).collect();
            let file = serde_json::json!({"nbformat": 4, "cells": cells}).to_string();
            if let Ok(document) = Document::parse("a.ipynb", file.as_bytes()) {
                for block in document.sections.iter().flat_map(|section| &section.blocks) {
                    let place = document.origin.place(&block.range);
                    prop_assert!(file.get(place.span).is_some());
                }
            }
        }
    }
}
