//! Markdown to sections, by `pulldown-cmark`'s events and their byte ranges.

use std::ops::Range;

use pulldown_cmark::{Event, MetadataBlockKind, OffsetIter, Options, Parser, Tag, TagEnd};

use super::encoding::Decoded;
use super::outline::Outline;
use super::own_marks::take_marks;
use super::{BlockKind, Document, Metadata, PageFacts, Warning, front_matter, markup};

/// Reads markdown. `liquid` is the configuration of a site whose pages are templates of Liquid.
pub(super) fn parse(source: String, decoded: Decoded, liquid: Option<&str>) -> Document {
    let is_mdx = source.to_ascii_lowercase().ends_with(".mdx");
    parse_clean(source, markup::clean(decoded, is_mdx, liquid))
}

/// Reads markdown that has no markup of site generators.
pub(super) fn parse_clean(source: String, decoded: Decoded) -> Document {
    let Decoded { text, origin, mut warnings } = decoded;
    let mut outline = Outline::default();
    let mut metadata = Metadata::default();
    let mut page = PageFacts::default();
    let mut has_front_matter = false;
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut events = Parser::new_ext(&text, options).into_offset_iter();
    while let Some((event, range)) = events.next() {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) => {
                let title = heading_text(&mut events);
                let anchor = id.map(|id| id.to_string()).or_else(|| outline.slug(&title));
                outline.heading(level as usize, title, anchor, range);
            }
            // A document has one block of metadata, at its very beginning; further on, it is text like any other.
            Event::Start(Tag::MetadataBlock(kind)) if !has_front_matter && outline.is_empty() => {
                has_front_matter = true;
                let block = block_text(&mut events);
                let before = warnings.len();
                let fields = match kind {
                    MetadataBlockKind::YamlStyle => front_matter::read_yaml(&block, &mut warnings),
                    MetadataBlockKind::PlusesStyle => front_matter::read_toml(&block, &mut warnings),
                };
                match fields {
                    Ok(mut fields) => {
                        take_marks(&mut fields, &mut page, &mut warnings);
                        metadata.put_all(fields, &mut warnings);
                    }
                    Err(reason) => {
                        warnings.truncate(before);
                        warnings.push(Warning::new("front matter that cannot be read is ignored", reason));
                    }
                }
            }
            Event::Start(tag) => {
                let range = with_indentation(&text, range);
                let (kind, has_words) = block_of(&tag, &mut events, &range);
                if has_words {
                    outline.block(kind, range);
                }
            }
            Event::Rule => {}
            _ => outline.block(BlockKind::Paragraph, range),
        }
    }
    metadata.complete(&source, outline.first_title());
    let sections = outline.into_sections(&metadata.title, &mut warnings);
    Document { source, text, origin, metadata, sections, warnings, page }
}

/// Gathers the text of the heading that has just begun, without markup, on one line.
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

/// Gathers the text of the metadata block that has just begun.
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

/// Widens the range to where its first line begins, if only blanks stand before it: of an indented block of code the
/// parser gives the range without them, but in the source they are what makes it code.
fn with_indentation(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text[..range.start].trim_end_matches([' ', '\t']);
    let start = if before.is_empty() || before.ends_with('\n') { before.len() } else { range.start };
    start..range.end
}

/// Passes over the block that has just begun, with all that is nested in it: a heading in a quotation or a list
/// is part of that block, and does not begin a section. Returns what the block is, and whether it says anything.
fn block_of(tag: &Tag<'_>, events: &mut OffsetIter<'_>, block: &Range<usize>) -> (BlockKind, bool) {
    let mut depth = 1;
    let mut first_row = None;
    let mut has_words = false;
    let says = |text: &str| text.contains(|c: char| c.is_alphanumeric() || !c.is_ascii());
    for (event, range) in events.by_ref() {
        match event {
            Event::Start(Tag::TableRow) if first_row.is_none() => {
                first_row = Some(range.start);
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Text(text) if matches!(tag, Tag::CodeBlock(_)) => has_words |= !text.trim().is_empty(),
            Event::Text(text) | Event::Code(text) | Event::Html(text) => has_words |= says(&text),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    let kind = match tag {
        // The names of the columns and the line of hyphens below them.
        Tag::Table(_) => BlockKind::Table { header: block.start..first_row.unwrap_or(block.end) },
        Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) => BlockKind::Code,
        Tag::Paragraph => BlockKind::Paragraph,
        _ => BlockKind::List,
    };
    (kind, has_words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Block;
    use ibid_platform::Result;
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
    fn front_matter_may_be_toml() {
        let document =
            read("a.md", "+++\ntitle = 'Front'\ndate = 2026-03-01\n+++\n# Head\n\n<!-- x -->\n").unwrap();
        assert_eq!(document.metadata.title, "Front");
        assert_eq!(document.metadata.fields["date"].to_string(), "2026-03-01");
        assert!(document.sections[0].blocks.is_empty());
    }

    #[test]
    fn front_matter_that_is_none_costs_its_fields_and_not_the_page() {
        for block in
            ["---\nmenu: {a: 1}\ntitle: [x\n---\n", "---\njust words: a: b\n---\n", "+++\ntitle =\n+++\n"]
        {
            let document = read("a.md", &format!("{block}# Head\n\ntext\n")).unwrap();
            assert_eq!((document.metadata.title.as_str(), document.metadata.fields.len()), ("Head", 0));
            assert_eq!(document.sections[0].blocks.len(), 1);
            let [warning] = document.warnings.as_slice() else { panic!("{:?}", document.warnings) };
            assert!(
                warning.to_string().starts_with("front matter that cannot be read is ignored: not "),
                "{warning}"
            );
        }
    }

    #[test]
    fn blocks_that_say_nothing_are_left_out() {
        let sections =
            outline("# T\n\n![](a.png)\n\n- \n- ---\n\n***\n\n![A cup](b.png)\n\n```\n{}\n```\n\n✓\n");
        assert_eq!(sections[0].1, ["![A cup](b.png)", "```\n{}\n```", "✓"]);
    }

    #[test]
    fn what_looks_like_a_heading_but_is_none_stays_text() {
        let sections =
            outline("# T\n\n```\n# code\n```\n\n> # quoted\n\n- # item\n\n| # | a |\n|---|---|\n| 1 | 2 |\n");
        assert_eq!(sections.len(), 1);
        assert_eq!(sections[0].1.len(), 4);
        assert_eq!(sections[0].1[0], "```\n# code\n```");
        assert_eq!(sections[0].1[3], "| # | a |\n|---|---|\n| 1 | 2 |");
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
        for markdown in [">".repeat(100_000), "- ".repeat(5_000), "[".repeat(20_000), "*a ".repeat(20_000)] {
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
