//! The text that most pages of a site share word for word: menus, notices and footers that no markup marks.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Document, Format, Origin};
use ibid_platform::{checksum, order};

/// Fewer pages than this tell nothing.
const LEAST_PAGES: usize = 5;
/// The longest block that may be a line with a date.
const MAX_DATE_LINE: usize = 120;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Leaves out the paragraphs, lists, tables and empty sections that more than half of the pages have, where there are at
/// least five; returns one of each, in order. Lines that differ by a date alone count as one. Only pages in HTML are
/// compared: what an author repeats in a source file is meant.
pub fn leave_out_shared(documents: &mut [&mut Document]) -> Vec<String> {
    let is_page = |document: &Document| Format::of_name(&document.source) == Some(Format::Html);
    let pages = documents.iter().filter(|document| is_page(document)).count();
    if pages < LEAST_PAGES {
        return Vec::new();
    }
    // By checksums, since this table of all blocks is large.
    let mut counts: HashMap<u64, (u32, u32)> = HashMap::new();
    for (at, document) in (0..).zip(documents.iter()).filter(|(_, document)| is_page(document)) {
        for range in parts(document) {
            let (last, count) = counts.entry(sum(&document.text[range])).or_insert((u32::MAX, 0));
            if *last != at {
                (*last, *count) = (at, *count + 1);
            }
        }
    }
    counts.retain(|_, (_, count)| *count as usize * 2 > pages);
    let shared: HashSet<u64> = counts.into_keys().collect();
    if shared.is_empty() {
        return Vec::new();
    }
    let mut told = Vec::new();
    let mut known = HashSet::new();
    for document in documents.iter_mut().filter(|document| is_page(document)) {
        leave_out(document, &shared, |text| {
            if known.insert(sum(text)) {
                told.push(text.to_owned());
            }
        });
    }
    told
}

/// Says in a line what was left out, for a person; nothing where it was nothing.
pub fn shared_line(shared: &[String]) -> Option<String> {
    let (first, rest) = shared.split_first()?;
    let short: String = first.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(40).collect();
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    Some(format!("left out, since most pages share it: \"{short}\"{more}"))
}

/// The ranges of a page that are compared: its blocks, and the headings of sections without others in them.
fn parts(document: &Document) -> impl Iterator<Item = Range<usize>> {
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    let headings = leaves(document).into_iter().map(|at| document.sections[at].heading.clone());
    blocks.map(|block| block.range.clone()).chain(headings)
}

/// The sections behind the first that have a heading, and no others in them.
fn leaves(document: &Document) -> Vec<usize> {
    let parents: HashSet<usize> = document.sections.iter().filter_map(|section| section.parent).collect();
    let is_leaf = |at: &usize| !parents.contains(at) && !document.sections[*at].heading.is_empty();
    (1..document.sections.len()).filter(is_leaf).collect()
}

fn sum(text: &str) -> u64 {
    checksum(&[key(text).as_bytes()])
}

/// The text by which blocks are the same: of a short line with a date, the text without it.
fn key(text: &str) -> Cow<'_, str> {
    if text.len() > MAX_DATE_LINE {
        return Cow::Borrowed(text);
    }
    let is_month = |word: &str| {
        let start = word.get(..3).unwrap_or_default().to_ascii_lowercase();
        word.len() < 11 && MONTHS.contains(&start.as_str())
    };
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let is_date = |word: &str| is_number(word) && word.matches(['-', '/', '.']).count() == 2;
    let words = || text.split_whitespace();
    let has_day = words().any(is_number) && words().any(is_month);
    if !has_day && !words().any(is_date) {
        return Cow::Borrowed(text);
    }
    let kept = words().map(|word| if is_number(word) || is_month(word) { "0" } else { word });
    Cow::Owned(kept.collect::<Vec<_>>().join(" "))
}

/// Takes the shared parts out of a page, and hands each to `tell`.
fn leave_out(document: &mut Document, shared: &HashSet<u64>, mut tell: impl FnMut(&str)) {
    let Document { text, sections, .. } = &mut *document;
    let mut dropped = Vec::new();
    for section in &mut *sections {
        section.blocks.retain(|block| {
            let is_shared = shared.contains(&sum(&text[block.range.clone()]));
            if is_shared {
                dropped.push(block.range.clone());
            }
            !is_shared
        });
    }
    for at in leaves(document) {
        let section = &mut document.sections[at];
        if section.blocks.is_empty() && shared.contains(&sum(&document.text[section.heading.clone()])) {
            dropped.push(std::mem::take(&mut section.heading));
            section.anchor = None;
        }
    }
    if dropped.is_empty() {
        return;
    }
    order::by_key(&mut dropped, |range| range.start);
    dropped.iter().for_each(|range| tell(document.text[range.clone()].trim()));
    cut(document, &dropped);
}

/// Takes ranges out of a document's text, with the blank lines behind them. Nothing that is left may overlap them.
fn cut(document: &mut Document, dropped: &[Range<usize>]) {
    let whole = std::mem::take(&mut document.text);
    let from = std::mem::take(&mut document.origin);
    let mut origin = Origin::default();
    let mut text = String::with_capacity(whole.len());
    // The stretches that are left: each one's beginning before, and after.
    let mut kept = Vec::with_capacity(dropped.len() + 1);
    let mut at = 0;
    let end = std::iter::once(whole.len()..whole.len());
    for range in dropped.iter().cloned().chain(end) {
        let (start, end) = (text.len(), range.start.max(at));
        kept.push((at, start));
        text.push_str(&whole[at..end]);
        origin.push_through(start..text.len(), at..end, &from);
        let blank = whole[range.end..].len() - whole[range.end..].trim_start_matches('\n').len();
        at = at.max(range.end + blank);
    }
    let moved = |place: usize| {
        let stretch = kept.partition_point(|(before, _)| *before <= place).saturating_sub(1);
        kept.get(stretch)
            .map_or(place, |(before, after)| (place.saturating_sub(*before) + after).min(text.len()))
    };
    let shift = |range: &mut Range<usize>| *range = moved(range.start)..moved(range.end);
    for section in &mut document.sections {
        shift(&mut section.heading);
        for block in &mut section.blocks {
            shift(&mut block.range);
            if let super::BlockKind::Table { header } = &mut block.kind {
                shift(header);
            }
        }
    }
    document.text = text;
    document.origin = origin.with_lines_of(from);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Vec<Document> {
        let page = |at: usize| {
            let own = ["boil", "pour", "steep", "stir", "drink"][at];
            format!(
                "<body><div>Menu: <a href=x>Home</a> News</div><h1>{own}</h1><p>All about {own}.</p><pre>{own}()\n  x</pre>\
                 <p>Updated on {} March 2026</p><table><tr><th>how<th>long<tr><td>{own}<td>{at}</table>\
                 <h2>Contents</h2><p>Made with care.</p>",
                at + 3
            )
        };
        (0..5).map(|at| Document::parse(&format!("{at}.html"), page(at).as_bytes()).unwrap()).collect()
    }

    fn told(documents: &mut [Document]) -> Vec<String> {
        leave_out_shared(&mut documents.iter_mut().collect::<Vec<_>>())
    }

    #[test]
    fn what_most_pages_share_is_left_out() {
        let mut documents = pages();
        let shared = told(&mut documents);
        assert_eq!(shared, ["Menu: Home News", "Updated on 3 March 2026", "## Contents", "Made with care."]);
        let Document { text, sections, origin, .. } = &documents[2];
        assert_eq!(
            text,
            "# steep\n\nAll about steep.\n\n```\nsteep()\n  x\n```\n\n| how | long |\n| --- | --- |\n| steep | 2 |\n\n"
        );
        let blocks: Vec<&str> =
            sections.iter().flat_map(|s| &s.blocks).map(|block| &text[block.range.clone()]).collect();
        assert_eq!(blocks.len(), 3, "{blocks:?}");
        assert!(blocks[1].starts_with("```\nsteep()") && blocks[2].ends_with("| steep | 2 |"), "{blocks:?}");
        let at = text.find("steep()").unwrap();
        assert_eq!(origin.place(&(at..at + 5)).line, 1);
        let source =
            "<body><div>Menu: <a href=x>Home</a> News</div><h1>steep</h1><p>All about steep.</p><pre>";
        assert_eq!(origin.place(&(at..at + 5)).span.start, source.len());
    }

    #[test]
    fn few_pages_tell_nothing() {
        let mut documents = pages();
        documents.pop();
        let before = documents.clone();
        assert_eq!(told(&mut documents), Vec::<String>::new());
        assert_eq!(documents, before);
    }

    #[test]
    fn sources_that_authors_write_are_left_as_they_are() {
        let read = |at: usize| {
            let text = format!("# {at}\n\nThe same notice.\n");
            Document::parse(&format!("{at}.md"), text.as_bytes()).unwrap()
        };
        let mut documents: Vec<Document> = (0..9).map(read).collect();
        assert_eq!(told(&mut documents), Vec::<String>::new());
    }

    #[test]
    fn numbers_alone_are_no_date() {
        assert_eq!(key("Default: 30"), "Default: 30");
        assert_eq!(key("Last change 2026-03-04"), "Last change 0");
        assert_eq!(key("Seite geändert am 4.3.2026"), "Seite geändert am 0");
        assert_eq!(key("May 4, 2026 by the team"), "0 0 0 by the team");
    }
}
