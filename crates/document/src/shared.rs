//! The text that most pages of a site share word for word: menus, notices and footers that no markup marks.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::{Document, Format, Origin, page};
use ibid_platform::{checksum, order};

/// The share of the pages that have a block, and that end in it, in percent: a licence, the date of a change.
const SHARE: usize = 50;
const LAST_SHARE: usize = 15;
/// Fewer pages than this tell only of blocks of links that all of them have.
const MANY_PAGES: usize = 5;
/// Fewer pages than this tell nothing.
const LEAST_PAGES: usize = 3;
/// The longest block that may be a line with a date.
const MAX_DATE_LINE: usize = 120;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A text that most pages share, and the first page that has it.
pub type SharedText = (String, String);

/// Leaves out the paragraphs, lists, tables, empty sections and first headings that more than half of the pages have, where
/// there are at least five, and what leads around the site; returns one of each, in order. Lines that differ by a date alone count
/// as one. Gives pages their titles without the name of the site. Of three or four pages, only blocks of links that all have are
/// left out. Only pages in HTML are compared: what an author repeats in a source file is meant.
///
/// The pages of each version, as [`name_versions`](super::name_versions) returns them, are compared with one another, since a page
/// repeats its twins in other versions. Pages without a version are compared with the version that has the most.
pub fn leave_out_shared(documents: &mut [&mut Document], versions: &[Option<String>]) -> Vec<SharedText> {
    let is_page = |document: &Document| Format::of_name(&document.source) == Some(Format::Html);
    let mut sites: BTreeMap<Option<&str>, Vec<&mut Document>> = BTreeMap::new();
    for (document, version) in documents.iter_mut().zip(versions).filter(|(document, _)| is_page(document)) {
        sites.entry(version.as_deref()).or_default().push(document);
    }
    let without = sites.remove(&None).unwrap_or_default();
    let largest = sites.iter().max_by_key(|(_, pages)| pages.len()).and_then(|(version, _)| *version);
    sites.entry(largest).or_default().extend(without);
    sites.into_values().flat_map(leave_out_of_site).collect()
}

fn leave_out_of_site(mut pages: Vec<&mut Document>) -> Vec<SharedText> {
    if pages.len() < LEAST_PAGES {
        return Vec::new();
    }
    let is_few = pages.len() < MANY_PAGES;
    // By checksums, since this table of all blocks is large.
    let mut counts: HashMap<u64, (u32, u32, usize)> = HashMap::new();
    for (at, document) in (0..).zip(&pages) {
        let parts: Vec<_> = if is_few { links(document).collect() } else { parts(document).collect() };
        for (kind, least) in parts {
            let (last, count, _) = counts.entry(kind).or_insert((u32::MAX, 0, least));
            if *last != at {
                (*last, *count) = (at, *count + 1);
            }
        }
    }
    counts.retain(|_, (_, count, least)| *count as usize * 100 > pages.len() * *least && *count >= 3);
    let shared: HashSet<u64> = counts.into_keys().collect();
    let compared: Vec<&Document> = pages.iter().map(|page| &**page).filter(|_| !is_few).collect();
    let places = page::navigation(&compared);
    let (mut told, mut known, mut headed) = (Vec::new(), HashSet::new(), HashSet::new());
    for (at, document) in pages.iter_mut().enumerate() {
        let source = document.source.clone();
        let lost_heading = leave_out(document, &shared, &places, |kind, text| {
            if known.insert(kind) {
                told.push((text.to_owned(), source.clone()));
            }
        });
        headed.extend(lost_heading.then_some(at));
        // They are in the order of the blocks that were there.
        document.page.looks = Vec::new();
    }
    if !is_few {
        page::name_pages(&mut pages, &headed);
    }
    told
}

/// Says in a line what was left out and where, for a person; nothing where it was nothing.
pub fn shared_line(shared: &[SharedText]) -> Option<String> {
    let ((first, source), rest) = shared.split_first()?;
    let short: String = first.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(40).collect();
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    Some(format!("left out, since most pages share it: \"{short}\" (first in `{source}`){more}"))
}

/// Lists the parts of a page that are compared, by checksum, each with the share of the pages that have to have it, in
/// percent: its blocks, and the headings of sections without others in them and of the first.
fn parts(document: &Document) -> impl Iterator<Item = (u64, usize)> {
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    let headings = leaves(document)
        .into_iter()
        .chain(site_name(document))
        .map(|at| document.sections[at].heading.clone());
    let all = blocks.map(|block| block.range.clone()).chain(headings).map(|range| sum(&document.text[range]));
    all.map(|sum| (sum, SHARE)).chain(last_part(document).map(|sum| (sum, LAST_SHARE)))
}

/// Lists the blocks of a page that are nothing but links, as [`parts`] has them; each must be on all pages.
fn links(document: &Document) -> impl Iterator<Item = (u64, usize)> {
    let links = page::looks(document).filter(|(_, look)| look.is_links());
    links.map(|(block, _)| (sum(&document.text[block.range.clone()]), 99))
}

/// Computes the checksum of a page's last block, as such.
fn last_part(document: &Document) -> Option<u64> {
    let last = document.sections.iter().rev().find_map(|section| section.blocks.last())?;
    Some(!sum(&document.text[last.range.clone()]))
}

/// Finds the first heading, before another of its level, or none within it: it may name the site.
fn site_name(document: &Document) -> Option<usize> {
    let is_main = |section: &super::Section| document.text[section.heading.clone()].starts_with("# ");
    document
        .sections
        .iter()
        .position(|section| !section.heading.is_empty())
        .filter(|at| is_main(&document.sections[*at]))
}

/// Lists the sections behind the first that have a heading, and no others in them.
fn leaves(document: &Document) -> Vec<usize> {
    let parents: HashSet<usize> = document.sections.iter().filter_map(|section| section.parent).collect();
    let is_leaf = |at: &usize| !parents.contains(at) && !document.sections[*at].heading.is_empty();
    (1..document.sections.len()).filter(is_leaf).collect()
}

fn sum(text: &str) -> u64 {
    checksum(&[key(text).as_bytes()])
}

/// Makes the text by which blocks are the same: of a short line with a date, the text without it.
fn key(text: &str) -> Cow<'_, str> {
    if text.len() > MAX_DATE_LINE {
        return Cow::Borrowed(text);
    }
    let is_month = |word: &str| {
        let start = word.get(..3).unwrap_or_default().to_ascii_lowercase();
        word.len() < 11 && MONTHS.contains(&start.as_str())
    };
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let is_date =
        |word: &str| is_number(word) && word.trim_end_matches('.').matches(['-', '/', '.']).count() == 2;
    let words = || text.split_whitespace();
    let has_day = words().any(is_number) && words().any(is_month);
    if !has_day && !words().any(is_date) {
        return Cow::Borrowed(text);
    }
    let kept = words().map(|word| if is_number(word) || is_month(word) { "0" } else { word });
    Cow::Owned(kept.collect::<Vec<_>>().join(" "))
}

/// Takes the shared parts and what leads around the site out of a page, and hands each to `tell` with its kind. Returns whether
/// the page lost its first heading.
fn leave_out(
    document: &mut Document,
    shared: &HashSet<u64>,
    places: &HashSet<u32>,
    mut tell: impl FnMut(u64, &str),
) -> bool {
    let leads = page::leads(document, places);
    let last = last_part(document).filter(|last| shared.contains(last));
    let Document { text, sections, .. } = &mut *document;
    let mut dropped = Vec::new();
    for section in &mut *sections {
        section.blocks.retain(|block| {
            let own = sum(&text[block.range.clone()]);
            let lead =
                leads.iter().find(|(range, _)| *range == block.range).map(|(_, place)| u64::from(*place));
            let is_shared = shared.contains(&own) || last == Some(!own);
            let kind = is_shared.then_some(own).or(lead);
            dropped.extend(kind.map(|kind| (kind, block.range.clone())));
            kind.is_none()
        });
    }
    let first = site_name(document);
    let mut lost_heading = false;
    for at in leaves(document).into_iter().chain(first) {
        let is_first = first == Some(at);
        let section = &mut document.sections[at];
        let own = sum(&document.text[section.heading.clone()]);
        if (section.blocks.is_empty() || is_first) && shared.contains(&own) {
            dropped.push((own, std::mem::take(&mut section.heading)));
            section.anchor = None;
            lost_heading |= is_first;
        }
    }
    if dropped.is_empty() {
        return false;
    }
    order::by_key(&mut dropped, |(_, range)| range.start);
    dropped.iter().for_each(|(kind, range)| tell(*kind, document.text[range.clone()].trim()));
    cut(document, &dropped.into_iter().map(|(_, range)| range).collect::<Vec<_>>());
    lost_heading
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
    document.page.weights.iter_mut().for_each(|(range, _)| shift(range));
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
        told_of_versions(documents, |_| None)
    }

    fn told_of_versions(documents: &mut [Document], version: fn(usize) -> Option<String>) -> Vec<String> {
        let versions: Vec<_> = (0..documents.len()).map(version).collect();
        let told = leave_out_shared(&mut documents.iter_mut().collect::<Vec<_>>(), &versions);
        told.into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn versions_are_compared_within_themselves() {
        let read = |at: usize| {
            let (version, page) = (at / 5, at % 5);
            let html = format!("<h1>Page {page}</h1><p>Read of release {version}.<p>Boil {page} cups.");
            Document::parse(&format!("{version}/{page}.html"), html.as_bytes()).unwrap()
        };
        let mut documents: Vec<Document> = (0..16).map(read).collect();
        let version = |at: usize| (at < 15).then(|| (at / 5).to_string());
        let notices = [0, 1, 2].map(|version| format!("Read of release {version}."));
        assert_eq!(told_of_versions(&mut documents, version), notices);
        assert_eq!(documents[7].text, "# Page 2\n\nBoil 2 cups.");
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
    fn few_pages_tell_of_links_that_all_of_them_have() {
        let page = |at: usize| {
            format!(
                "<main><h1>Page {at}</h1><div><a href={at}.md>As text</a> | <a href=/?{at}>Open in chat</a></div>\
                 <p>Boil {at} cups.<p>With care.<p><a href=x>See Page {}</a></main>",
                at / 2
            )
        };
        let read = |at| Document::parse(&format!("{at}.html"), page(at).as_bytes()).unwrap();
        let mut documents: Vec<Document> = (0..3).map(read).collect();
        assert_eq!(told(&mut documents), ["As text | Open in chat"]);
        assert_eq!(documents[1].text, "# Page 1\n\nBoil 1 cups.\n\nWith care.\n\nSee Page 0");
        assert_eq!(told(&mut [read(0), read(1)]), [""; 0]);
    }

    #[test]
    fn few_pages_tell_nothing_else() {
        let mut documents = pages();
        documents.pop();
        let before = documents[2].text.clone();
        assert_eq!(told(&mut documents), Vec::<String>::new());
        assert_eq!(documents[2].text, before);
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
        assert_eq!(key("Needs release 2.0."), "Needs release 2.0.");
        assert_eq!(key("Last change 2026-03-04"), "Last change 0");
        assert_eq!(key("Seite geändert am 4.3.2026"), "Seite geändert am 0");
        assert_eq!(key("May 4, 2026 by the team"), "0 0 0 by the team");
    }
}
