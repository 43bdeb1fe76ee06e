//! Pages that repeat others: a whole manual on one page, a version for the printer, a notice where a page was.

use std::collections::{HashMap, HashSet};

use super::{Document, Format};
use ibid_platform::checksum;

/// Shorter blocks stand on many pages, whatever these are about.
const LEAST_BYTES: usize = 40;
/// A page repeats at least that many others, of at most half its length.
const LEAST_ORIGINALS: usize = 3;
/// The titles and the share of all pages, a tenth, from which one text is a notice.
const LEAST_TITLES: usize = 10;

/// Returns the numbers of the pages in HTML that are made of other pages, and of notices.
///
/// A page is made of others if these are smaller, if it has most of each, and if it says little more. A list with a paragraph
/// of each is none. A notice says nothing but what many pages with other titles say, such as that they moved.
pub fn copies(documents: &[Document]) -> Vec<usize> {
    let is_page = |document: &Document| Format::of_name(&document.source) == Some(Format::Html);
    let pages = || documents.iter().enumerate().filter(|(_, document)| is_page(document));
    // The smallest page that has each block.
    let mut originals: HashMap<u64, usize> = HashMap::new();
    for (at, document) in pages() {
        for (sum, _) in blocks(document) {
            let original = originals.entry(sum).or_insert(at);
            if document.text.len() < documents[*original].text.len() {
                *original = at;
            }
        }
    }
    let mut titles: HashMap<u64, HashSet<&str>> = HashMap::new();
    for (_, document) in pages() {
        titles.entry(body(document)).or_default().insert(&document.metadata.title);
    }
    let count = pages().count();
    titles.remove(&checksum(&[]));
    let is_notice = |document: &Document| {
        let same = titles.get(&body(document)).map_or(0, HashSet::len);
        same >= LEAST_TITLES && same * 10 >= count
    };
    let is_copy = |(at, document): &(usize, &Document)| {
        let (mut all, mut copied) = (0, HashMap::new());
        for (sum, bytes) in blocks(document) {
            all += bytes;
            let original = originals[&sum];
            if original != *at && documents[original].text.len() * 2 <= document.text.len() {
                *copied.entry(original).or_insert(0) += bytes;
            }
        }
        copied.retain(|original, bytes| *bytes * 2 > documents[*original].text.len());
        let is_made_of_them = copied.values().sum::<usize>() * 4 > all * 3;
        is_made_of_them && copied.len() >= LEAST_ORIGINALS || is_notice(document)
    };
    pages().filter(is_copy).map(|(at, _)| at).collect()
}

/// Computes the checksum of all that a page says below its headings.
fn body(document: &Document) -> u64 {
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    checksum(&blocks.map(|block| document.text[block.range.clone()].as_bytes()).collect::<Vec<_>>())
}

/// Computes the checksums of a page's longer blocks, with their lengths.
fn blocks(document: &Document) -> impl Iterator<Item = (u64, usize)> {
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    let texts = blocks.map(|block| &document.text[block.range.clone()]);
    texts.filter(|text| text.len() >= LEAST_BYTES).map(|text| (checksum(&[text.as_bytes()]), text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str, chapters: &[usize]) -> Document {
        let chapter =
            |at: &usize| format!("<h2>{at}</h2><p>Chapter {at} says at some length how it is done.");
        let html: String = chapters.iter().map(chapter).collect();
        Document::parse(name, format!("<body><h1>{name}</h1>{html}").as_bytes()).unwrap()
    }

    #[test]
    fn a_page_of_all_others_is_a_copy_and_versions_are_none() {
        let mut pages: Vec<Document> = (1..6).map(|at| page(&format!("{at}.html"), &[at])).collect();
        pages.push(page("all.html", &[1, 2, 3, 4, 5]));
        pages.push(page("two.html", &[1, 2, 7, 8, 9]));
        assert_eq!(copies(&pages), [5]);
        // A class lists its methods with what each begins with.
        let method = |at: usize| {
            let html = "<p>Says more of it, of its parameters, and of what it returns.".repeat(4);
            format!("<h1>{at}</h1><p>Method {at} says at some length how it is done.{html}")
        };
        let read = |(name, html): (String, String)| Document::parse(&name, html.as_bytes()).unwrap();
        let mut pages: Vec<Document> = (1..30).map(|at| read((format!("{at}.html"), method(at)))).collect();
        let listed = |at: usize| format!("<h2>{at}</h2><p>Method {at} says at some length how it is done.");
        let list: Vec<String> = (1..30).map(listed).collect();
        pages.push(read(("class.html".to_owned(), format!("<h1>Class</h1>{}", list.concat()))));
        assert_eq!(copies(&pages), [0; 0]);
        let versions: Vec<Document> = (1..6).map(|at| page(&format!("v{at}/a.html"), &[1, 2, 3])).collect();
        assert_eq!(copies(&versions), [0; 0]);
    }

    #[test]
    fn pages_that_only_say_that_they_moved_say_nothing() {
        let moved =
            |title: usize| format!("<h1>Chapter {title}</h1><p>This edition has moved.<p>See the new one.");
        let read =
            |(at, html): (usize, String)| Document::parse(&format!("{at}.html"), html.as_bytes()).unwrap();
        let own = |at: usize| format!("<h1>Page {at}</h1><p>Page {at} says how it is done.");
        let pages = |moved: &dyn Fn(usize) -> String, count: usize| -> Vec<Document> {
            (0..10).map(moved).chain((0..count).map(own)).enumerate().map(read).collect()
        };
        assert_eq!(copies(&pages(&moved, 90)), (0..10).collect::<Vec<_>>());
        assert_eq!(copies(&pages(&moved, 91)), [0; 0]);
        let versions = |_| moved(1);
        assert_eq!(copies(&pages(&versions, 9)), [0; 0]);
    }
}
