//! Markdown to sections, by `pulldown-cmark`'s events and their byte ranges.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, OffsetIter, Options, Parser, Tag, TagEnd};

use super::front_matter;
use super::{Block, BlockKind, Document, Metadata, Origin, Section};
use crate::error::Result;

pub(super) fn parse(source: String, text: String, origin: Origin) -> Result<Document> {
    let mut outline = Outline::default();
    let mut front_matter = None;
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut events = Parser::new_ext(&text, options).into_offset_iter();
    while let Some((event, range)) = events.next() {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) => {
                let title = heading_text(&mut events);
                outline.heading(level, title, id.map(|id| id.to_string()), range);
            }
            // A document has one block of metadata, at its very beginning; further on, it is text like any other.
            Event::Start(Tag::MetadataBlock(_)) if front_matter.is_none() && outline.is_empty() => {
                front_matter = Some(block_text(&mut events));
            }
            Event::Start(tag) => {
                let range = with_indentation(&text, range);
                let kind = kind_of(&tag, &mut events, &range);
                outline.block(kind, range);
            }
            Event::Rule => {}
            _ => outline.block(BlockKind::Paragraph, range),
        }
    }

    let mut warnings = Vec::new();
    let mut metadata = match front_matter {
        Some(yaml) => front_matter::read(&source, &yaml, &mut warnings)?,
        None => Metadata::default(),
    };
    let stem = source.rsplit_once('.').map_or(source.as_str(), |(stem, _)| stem);
    if metadata.document_id.is_empty() {
        stem.clone_into(&mut metadata.document_id);
    }
    if metadata.title.is_empty() {
        let file_name = stem.rsplit('/').next().unwrap_or(stem);
        outline.first_title().unwrap_or(file_name).clone_into(&mut metadata.title);
    }
    let sections = outline.into_sections(&metadata.title);
    Ok(Document { source, text, origin, metadata, sections, warnings })
}

/// The text of the heading that has just begun, without markup, on one line.
fn heading_text(events: &mut OffsetIter<'_>) -> String {
    let mut title = String::new();
    for (event, _) in events.by_ref() {
        match event {
            Event::End(TagEnd::Heading(_)) => break,
            Event::Text(text) | Event::Code(text) => title.push_str(&text),
            Event::SoftBreak | Event::HardBreak => title.push(' '),
            _ => {}
        }
    }
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of the metadata block that has just begun.
fn block_text(events: &mut OffsetIter<'_>) -> String {
    let mut out = String::new();
    for (event, _) in events.by_ref() {
        match event {
            Event::End(TagEnd::MetadataBlock(_)) => break,
            Event::Text(text) => out.push_str(&text),
            _ => {}
        }
    }
    out
}

/// The range from where its first line begins, if only blanks stand before it: of an indented block of code the
/// parser gives the range without them, but in the source they are what makes it code.
fn with_indentation(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text[..range.start].trim_end_matches([' ', '\t']);
    let start = if before.is_empty() || before.ends_with('\n') { before.len() } else { range.start };
    start..range.end
}

/// Passes over the block that has just begun, with all that is nested in it: a heading in a quotation or a list
/// is part of that block, and does not begin a section. Returns what the block is.
fn kind_of(tag: &Tag<'_>, events: &mut OffsetIter<'_>, block: &Range<usize>) -> BlockKind {
    let mut depth = 1;
    let mut first_row = None;
    for (event, range) in events.by_ref() {
        match event {
            Event::Start(Tag::TableRow) if first_row.is_none() => {
                first_row = Some(range.start);
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    match tag {
        // The names of the columns and the line of hyphens below them.
        Tag::Table(_) => BlockKind::Table { header: block.start..first_row.unwrap_or(block.end) },
        Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) => BlockKind::Code,
        Tag::Paragraph => BlockKind::Paragraph,
        _ => BlockKind::List,
    }
}

/// The sections as they come, each with the level of its heading.
#[derive(Default)]
struct Outline {
    sections: Vec<(Level, Draft)>,
    slugs: HashMap<String, u32>,
}

/// 0 for the text above the first heading, else 1 to 6.
type Level = usize;

#[derive(Default)]
struct Draft {
    title: String,
    anchor: Option<String>,
    heading: Range<usize>,
    blocks: Vec<Block>,
}

impl Outline {
    fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    fn heading(&mut self, level: HeadingLevel, title: String, id: Option<String>, heading: Range<usize>) {
        let anchor = id.or_else(|| self.slug(&title));
        self.sections.push((level as usize, Draft { title, anchor, heading, blocks: Vec::new() }));
    }

    fn block(&mut self, kind: BlockKind, range: Range<usize>) {
        if self.sections.is_empty() {
            self.sections.push((0, Draft::default()));
        }
        if let Some((_, section)) = self.sections.last_mut() {
            // No parser event says so, but blocks never overlap; what follows relies on it.
            let start = section.blocks.last().map_or(range.start, |last| last.range.end.max(range.start));
            section.blocks.push(Block { kind, range: start..range.end.max(start) });
        }
    }

    fn first_title(&self) -> Option<&str> {
        let first = self.sections.iter().find(|(level, section)| *level == 1 && !section.title.is_empty());
        first.map(|(_, section)| section.title.as_str())
    }

    /// The id that GitHub and many site generators give a heading: lower case, spaces to hyphens, other
    /// punctuation dropped, a number behind the second of its kind.
    fn slug(&mut self, title: &str) -> Option<String> {
        let slug: String = title
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                '-' | '_' => Some(c),
                _ => c.is_alphanumeric().then_some(c),
            })
            .collect();
        let seen = self.slugs.entry(slug.clone()).or_default();
        *seen += 1;
        match (slug.is_empty(), *seen) {
            (true, _) => None,
            (false, 1) => Some(slug),
            (false, count) => Some(format!("{slug}-{}", count - 1)),
        }
    }

    /// Resolves each section's path. A skipped level leaves no gap, a heading without text no element, and the
    /// document's title stands first, once.
    fn into_sections(self, title: &str) -> Vec<Section> {
        // The sections that the next one may be a part of, with their levels.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut sections: Vec<Section> = Vec::with_capacity(self.sections.len());
        for (number, (level, Draft { title: heading_text, anchor, heading, blocks })) in
            self.sections.into_iter().enumerate()
        {
            while open.last().is_some_and(|(above, _)| *above >= level) {
                open.pop();
            }
            let parent = open.last().map(|(_, number)| *number);
            let above = parent.map(|parent| sections[parent].heading_path.clone());
            let mut heading_path = above.unwrap_or_else(|| vec![title.to_owned()]);
            let repeats_title = parent.is_none() && heading_text == title;
            if !heading_text.is_empty() && !repeats_title {
                heading_path.push(heading_text);
            }
            // Text above the first heading stands beside the sections, not above them.
            if level > 0 {
                open.push((level, number));
            }
            sections.push(Section { heading_path, parent, anchor, heading, blocks });
        }
        sections
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(source: &str, markdown: &str) -> Result<Document> {
        Document::parse(source, markdown.as_bytes())
    }

    fn outline(markdown: &str) -> Vec<(String, Vec<String>)> {
        let document = read("guide/a.md", markdown).unwrap();
        let text = |block: &Block| document.text[block.range.clone()].trim_end().to_owned();
        let parts = document.sections.iter();
        parts.map(|s| (s.heading_path.join(" > "), s.blocks.iter().map(text).collect())).collect()
    }

    #[test]
    fn headings_make_paths() {
        let sections = outline(
            "above\n\n# T\n\none\ntwo\n\n- a\n- b\n\nSub\n---\n\n#### Deep `x` *y*\n\nz\n\n## Next\n\n***\n\nq\n",
        );
        let expected = [
            ("T", vec!["above"]),
            ("T", vec!["one\ntwo", "- a\n- b"]),
            ("T > Sub", vec![]),
            ("T > Sub > Deep x y", vec!["z"]),
            ("T > Next", vec!["q"]),
        ];
        let expected =
            expected.map(|(path, blocks)| (path.to_owned(), blocks.into_iter().map(str::to_owned).collect()));
        assert_eq!(sections, expected);
    }

    #[test]
    fn the_title_comes_from_front_matter_heading_or_name() {
        let title = |markdown: &str| read("guide/a.md", markdown).unwrap().metadata.title;
        assert_eq!(title("---\ntitle: Front\n---\n# Head\n"), "Front");
        assert_eq!(title("## Sub\n\n# Head\n"), "Head");
        assert_eq!(title("no heading"), "a");
        assert_eq!(outline("---\ntitle: Front\n---\n# Head\n\nx")[0].0, "Front > Head");
        assert_eq!(outline("---\ntitle: Same\n---\n# Same\n\n## B\n\nx")[1].0, "Same > B");
    }

    #[test]
    fn what_looks_like_a_heading_but_is_none_stays_text() {
        let sections = outline(
            "# T\n\n```\n# code\n```\n\n> # quoted\n\n<div>\n# html\n</div>\n\n- # item\n\n| # | a |\n|---|---|\n| 1 | 2 |\n",
        );
        assert_eq!(sections.len(), 1);
        assert_eq!(sections[0].1.len(), 5);
        assert_eq!(sections[0].1[0], "```\n# code\n```");
        assert_eq!(sections[0].1[4], "| # | a |\n|---|---|\n| 1 | 2 |");
    }

    #[test]
    fn anchors_are_githubs() {
        let document =
            read("a.md", "# One Two\n## What's `new`?\n## One Two\n## Own {#mine}\n## ÄÖ-1_a\n").unwrap();
        let anchors: Vec<_> = document.sections.iter().map(|s| s.anchor.clone().unwrap()).collect();
        assert_eq!(anchors, ["one-two", "whats-new", "one-two-1", "mine", "äö-1_a"]);
    }

    #[test]
    fn identity_comes_from_the_name() {
        let document = read("guide/sub/a.b.md", "x").unwrap();
        assert_eq!(document.metadata.document_id, "guide/sub/a.b");
    }

    #[test]
    fn deep_nesting_ends() {
        for markdown in [">".repeat(20_000), "- ".repeat(5_000), "[".repeat(20_000), "*a ".repeat(20_000)] {
            let _ = read("a.md", &markdown).unwrap();
        }
    }

    proptest! {
        #[test]
        fn blocks_are_ordered_ranges_of_the_text(markdown in "[-#a \n`>|*_\\[\\]<&;:~+=é。1.]{0,120}") {
            if let Ok(document) = read("a.md", &markdown) {
                let mut end = 0;
                for Block { range, .. } in document.sections.iter().flat_map(|section| &section.blocks) {
                    prop_assert!(range.start >= end && document.text.get(range.clone()).is_some());
                    end = range.end;
                }
            }
        }
    }
}
