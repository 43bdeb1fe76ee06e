//! The passages and pages that an author names by their address.

use std::collections::HashSet;

use ibid_document::Metadata;
use ibid_document::chunk::Chunk;
use ibid_index::{PinDraft, PopularPage};

use crate::{Collected, Parsed};

impl Collected {
    /// Finds the passages that pins, each a query with an address, put first: the first of the page, or that of the heading
    /// that the address names. Returns the addresses that no page has, too.
    pub fn pins(&self, pins: &[(String, String)]) -> (Vec<PinDraft>, Vec<String>) {
        separated(
            pins,
            |(_, address)| address,
            |(query, address)| {
                let id = self.passage_at(address)?;
                Some(PinDraft { query: query.clone(), address: address.clone(), id })
            },
        )
    }

    /// Finds the pages of these addresses with their titles, or with the headings that addresses name. Returns the addresses that
    /// no page has, too.
    pub fn popular(&self, addresses: &[String]) -> (Vec<PopularPage>, Vec<String>) {
        separated(addresses, |address| address, |address| self.popular_at(address))
    }

    fn popular_at(&self, address: &str) -> Option<PopularPage> {
        let (page, anchor) = parts(address);
        let parsed = self.page(page)?;
        let document = &parsed.document;
        let named = match anchor {
            Some(anchor) => document.sections.get(parsed.chunk_at(anchor)?.section)?.heading_path.last(),
            None => None,
        };
        Some(PopularPage {
            title: named.unwrap_or(&document.metadata.title).clone(),
            url: document.metadata.url.clone(),
            source: document.source.clone(),
            anchor: anchor.map(str::to_owned),
        })
    }

    fn page(&self, address: &str) -> Option<&Parsed> {
        let pages = self.parsed.iter().map(|parsed| &parsed.document).map(|it| (&it.metadata, &*it.source));
        self.parsed.get(page_at(pages, address)?)
    }

    fn passage_at(&self, address: &str) -> Option<u64> {
        let (page, anchor) = parts(address);
        let parsed = self.page(page)?;
        if let Some(anchor) = anchor {
            return parsed.chunk_at(anchor).map(Chunk::id);
        }
        // Text that other pages have too would lead to one of them.
        let others = self.parsed.iter().filter(|other| !std::ptr::eq(*other, parsed));
        let shared: HashSet<u64> = others.flat_map(|other| &other.chunks).map(Chunk::id).collect();
        let ids = || parsed.chunks.iter().map(Chunk::id);
        ids().find(|id| !shared.contains(id)).or_else(|| ids().next())
    }
}

impl Parsed {
    /// Finds the first passage below the heading of this id, else the one that has the id in it.
    fn chunk_at(&self, anchor: &str) -> Option<&Chunk> {
        let sections = &self.document.sections;
        let is_at = |section: usize| {
            sections.get(section).is_some_and(|section| section.anchor.as_deref() == Some(anchor))
        };
        let has = |at: &&Chunk| at.anchors(&self.document).iter().any(|(_, id)| id == anchor);
        let own = self.chunks.iter().find(|chunk| is_at(chunk.section));
        own.or_else(|| self.chunks.iter().find(has))
    }
}

/// Separates what was found from the addresses of which nothing was.
fn separated<T, U>(
    all: &[T],
    address: impl Fn(&T) -> &String,
    find: impl Fn(&T) -> Option<U>,
) -> (Vec<U>, Vec<String>) {
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for named in all {
        match find(named) {
            Some(one) => found.push(one),
            None => unknown.push(address(named).clone()),
        }
    }
    (found, unknown)
}

/// Cuts an address into that of the page and the id of a heading.
fn parts(address: &str) -> (&str, Option<&str>) {
    address.split_once('#').map_or((address, None), |(page, at)| (page, Some(at)))
}

/// Finds the number of the page that an author's address without `#` means, among pages by metadata and file. `/start/` is
/// `/docs/start/` too, if the site is below `/docs/`.
pub fn page_at<'a>(pages: impl Iterator<Item = (&'a Metadata, &'a str)>, address: &str) -> Option<usize> {
    let is_whole = address.starts_with('/') || address.contains("://");
    let wanted = path(address);
    let paths: Vec<String> = pages.map(|(metadata, source)| path_of(metadata, source)).collect();
    let below = || {
        let ending = paths.iter().enumerate().filter(|(_, path)| is_whole && path.ends_with(wanted));
        ending.min_by_key(|(_, path)| path.len()).map(|(at, _)| at)
    };
    paths.iter().position(|path| path == wanted).or_else(below)
}

/// Reads the path of a page's address, or of its file if it has none.
fn path_of(metadata: &Metadata, source: &str) -> String {
    match &metadata.url {
        Some(url) => path(url).to_owned(),
        None => path(&format!("/{source}")).to_owned(),
    }
}

/// Reads the path of an address, without the host and without the name of a folder's page.
fn path(address: &str) -> &str {
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => address,
    };
    let path = path.strip_suffix("index.html").unwrap_or(path);
    path.strip_suffix(".html").unwrap_or(path).trim_end_matches('/')
}
