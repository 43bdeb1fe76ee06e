//! The tree of sections, from headings as they come.

use std::collections::HashMap;
use std::ops::Range;

use super::site::github;
use super::{Block, BlockKind, Section, Warning};

/// The most characters of one heading in a heading path. A longer heading is text that was marked up as one.
const MAX_HEADING: usize = 300;
/// The most headings in a path, the title apart. What nests deeper stands next to the deepest that fits, so that the
/// paths of a document stay in proportion to its length however deep it nests.
pub(super) const MAX_DEPTH: usize = 16;

/// 0 for text above the first heading, else from 1.
pub(super) type Level = usize;

/// The sections as they come, each with the level of its heading.
#[derive(Default)]
pub(super) struct Outline {
    sections: Vec<Draft>,
    slugs: HashMap<String, u32>,
}

#[derive(Default)]
struct Draft {
    level: Level,
    /// True if this is more of the section of the same level above, behind sections within it.
    resumes: bool,
    title: String,
    anchor: Option<String>,
    heading: Range<usize>,
    blocks: Vec<Block>,
}

impl Outline {
    pub(super) fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// Returns true if any section has text of its own.
    pub(super) fn has_blocks(&self) -> bool {
        self.sections.iter().any(|section| !section.blocks.is_empty())
    }

    /// Begins a section. Its title is on one line, without white space at its ends.
    pub(super) fn heading(
        &mut self,
        level: Level,
        title: String,
        anchor: Option<String>,
        heading: Range<usize>,
    ) {
        self.sections.push(Draft { level, title, anchor, heading, ..Draft::default() });
    }

    /// Names the section that began last, if it has no heading.
    pub(super) fn name_last(&mut self, name: String) {
        if let Some(last) = self.sections.last_mut().filter(|last| last.title.is_empty() && !last.resumes) {
            last.title = name;
        }
    }

    /// Finds the heading of the last section, if nothing stands below it yet.
    pub(super) fn bare_heading(&self) -> Option<&str> {
        let last = self.sections.last().filter(|last| last.blocks.is_empty() && !last.title.is_empty());
        last.map(|last| last.title.as_str())
    }

    /// Begins a section of that name within the last one, under its anchor, at a place of the text.
    pub(super) fn define(&mut self, level: Level, name: String, at: usize) {
        let anchor = self.sections.last().and_then(|last| last.anchor.clone());
        self.heading(level, name, anchor, at..at);
    }

    /// Returns the level of the last section, a definition that is described by what follows. Where the heading directly
    /// above it is its name, both are one section.
    pub(super) fn describe_last(&mut self, text: &str) -> Option<Level> {
        let last = self.sections.pop()?;
        let letters = |text: &str| {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
        };
        let signature = last.blocks.first().map(|block| letters(&text[block.range.clone()]));
        let repeats = |heading: &str| {
            let heading = letters(heading);
            !heading.is_empty() && signature.is_some_and(|signature| signature.contains(&heading))
        };
        match self.sections.last_mut() {
            Some(above) if above.blocks.is_empty() && repeats(&above.title) => {
                (above.anchor, above.blocks) = (last.anchor.or(above.anchor.take()), last.blocks);
            }
            _ => self.sections.push(last),
        }
        self.sections.last().map(|section| section.level)
    }

    /// Goes back to a section of a level that is above the last one's: what follows is part of it again.
    pub(super) fn resume(&mut self, level: Level) {
        if self.sections.last().is_some_and(|last| last.level > level) {
            self.sections.push(Draft { level, resumes: true, ..Draft::default() });
        }
    }

    /// Adds a block to the section that began last.
    pub(super) fn block(&mut self, kind: BlockKind, range: Range<usize>) {
        if self.sections.is_empty() {
            self.sections.push(Draft::default());
        }
        if let Some(section) = self.sections.last_mut() {
            // No parser event says so, but blocks never overlap; what follows relies on it.
            let start = section.blocks.last().map_or(range.start, |last| last.range.end.max(range.start));
            section.blocks.push(Block { kind, range: start..range.end.max(start) });
        }
    }

    /// Finds the text of the first heading of level 1 that has any.
    pub(super) fn first_title(&self) -> Option<&str> {
        let first = self.sections.iter().find(|section| section.level == 1 && !section.title.is_empty());
        first.map(|section| section.title.as_str())
    }

    /// Makes the id that GitHub and many site generators give a heading: lower case, spaces to hyphens, other
    /// punctuation dropped, a number behind the second of its kind.
    pub(super) fn slug(&mut self, title: &str) -> Option<String> {
        let slug = github(title);
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
    pub(super) fn into_sections(self, title: &str, warnings: &mut Vec<Warning>) -> Vec<Section> {
        // The sections that the next one may be a part of, with their levels.
        let mut open: Vec<(Level, usize)> = Vec::new();
        let mut sections: Vec<Section> = Vec::with_capacity(self.sections.len());
        let (mut long, mut deep) = (0, 0);
        let root = shortened(title);
        for (number, draft) in self.sections.into_iter().enumerate() {
            let above = |level: Level| if draft.resumes { level > draft.level } else { level >= draft.level };
            while open.last().is_some_and(|(level, _)| above(*level)) {
                open.pop();
            }
            if let (true, Some((level, resumed))) = (draft.resumes, open.last())
                && *level == draft.level
            {
                let resumed: &Section = &sections[*resumed];
                let Section { heading_path, parent, anchor, .. } = resumed.clone();
                sections.push(Section {
                    heading_path,
                    parent,
                    anchor,
                    blocks: draft.blocks,
                    ..Section::default()
                });
                continue;
            }
            if open.len() >= MAX_DEPTH {
                open.truncate(MAX_DEPTH - 1);
                deep += 1;
            }
            let parent = open.last().map(|(_, number)| *number);
            let path = parent.map(|parent| sections[parent].heading_path.clone());
            let mut heading_path = path.unwrap_or_else(|| vec![root.clone()]);
            let repeats_title = parent.is_none() && draft.title == title;
            if !draft.title.is_empty() && !repeats_title {
                let element = shortened(&draft.title);
                long += usize::from(element.len() != draft.title.len());
                heading_path.push(element);
            }
            // Text above the first heading stands next to the sections, not above them.
            if draft.level > 0 {
                open.push((draft.level, number));
            }
            let Draft { anchor, heading, blocks, .. } = draft;
            sections.push(Section { heading_path, parent, anchor, heading, blocks });
        }
        if long > 0 {
            warnings
                .push(Warning::new("headings longer than 300 characters are shortened", long.to_string()));
        }
        if deep > 0 {
            warnings.push(Warning::new("sections nested deeper than 16 levels are raised", deep.to_string()));
        }
        sections
    }
}

/// Shortens a heading as it is in a path: at most [`MAX_HEADING`] characters, cut between words.
pub(super) fn shortened(heading: &str) -> String {
    // Most headings have fewer bytes than that, and need no counting.
    if heading.len() <= MAX_HEADING {
        return heading.to_owned();
    }
    let Some((end, _)) = heading.char_indices().nth(MAX_HEADING) else { return heading.to_owned() };
    // One character is for the ellipsis; without any space, a word that long is cut.
    let head = &heading[..end];
    let cut = head.rfind(' ').filter(|at| *at > end / 2);
    let cut = cut.or_else(|| head.char_indices().next_back().map(|(at, _)| at)).unwrap_or(end);
    format!("{}…", head[..cut].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(outline: Outline, warnings: &mut Vec<Warning>) -> Vec<(String, Option<usize>)> {
        let sections = outline.into_sections("T", warnings);
        sections.into_iter().map(|section| (section.heading_path.join(" > "), section.parent)).collect()
    }

    #[test]
    fn text_behind_inner_sections_belongs_to_the_outer_one_again() {
        let mut outline = Outline::default();
        outline.heading(1, "A".into(), None, 0..0);
        outline.heading(2, "B".into(), None, 0..0);
        outline.resume(1);
        outline.block(BlockKind::Paragraph, 0..1);
        outline.resume(1);
        outline.heading(2, "C".into(), None, 0..0);
        let expected = [("T > A", None), ("T > A > B", Some(0)), ("T > A", None), ("T > A > C", Some(0))];
        let expected = expected.map(|(path, parent)| (path.to_owned(), parent));
        assert_eq!(paths(outline, &mut Vec::new()), expected);
    }

    #[test]
    fn depth_has_a_limit_and_a_hundred_thousand_levels_cost_little() {
        let mut outline = Outline::default();
        for level in 1..=100_000 {
            outline.heading(level, "a".into(), None, 0..0);
        }
        outline.heading(2, "b".into(), None, 0..0);
        let mut warnings = Vec::new();
        let paths = paths(outline, &mut warnings);
        assert_eq!(paths[15], paths[99_999]);
        assert_eq!(paths[100_000], ("T > a > b".to_owned(), Some(0)));
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn long_headings_are_cut_between_words() {
        let long = "wörd ".repeat(100);
        let cut = shortened(long.trim());
        assert!(cut.ends_with("wörd…") && (290..=300).contains(&cut.chars().count()), "{cut}");
        assert_eq!(shortened(&"x".repeat(400)), "x".repeat(299) + "…");
        assert_eq!(shortened(&"ö".repeat(300)), "ö".repeat(300));
    }
}
