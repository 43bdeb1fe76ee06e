//! Facts of a page that only all pages of its site show: its title without the site's name, and blocks that lead around
//! the site, whose words differ while their place and their look do not.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Block, Document, Format};
use ibid_platform::checksum;

/// Facts of a page in HTML that only all pages of a build together can judge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageFacts {
    /// The title that its head says.
    pub(super) title: String,
    /// The address by its path.
    pub(super) address: Option<String>,
    /// The look of each block, in their order.
    pub(super) looks: Vec<BlockLook>,
    /// The author has marked what of it is content.
    pub(super) has_body: bool,
    /// The weight of the page, if it says one, and of parts of its text, in hundredths.
    pub(super) weight: Option<u16>,
    pub(super) weights: Vec<(Range<usize>, u16)>,
    /// The reason why its author leaves it out.
    pub(super) left_out: Option<&'static str>,
    /// The pages of paper that a document has, as a PDF does: the byte of the text where each begins, and its number.
    pub(super) leaves: Vec<(usize, usize)>,
}

/// The look of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockLook {
    /// The elements around it, with their classes, as a number.
    pub(super) place: u32,
    /// The bytes of its text, and of those that are links.
    pub(super) bytes: usize,
    pub(super) linked: usize,
}

impl BlockLook {
    /// Returns true for a block that is nothing but links.
    pub(super) fn is_links(&self) -> bool {
        self.linked * 5 > self.bytes * 4
    }
}

impl Document {
    /// Gives a manual's page, such as `ls(1)`, the line that says what its subject is for as a part of its title.
    pub(super) fn entitle_manual(&mut self) {
        if let Some(title) = self.manual_title() {
            self.entitle(title);
        }
    }

    /// Gives a page a title that no heading on it has, so that no anchor is its own.
    fn entitle(&mut self, title: String) {
        self.metadata.title = title;
        self.retitle();
        let top = self.sections.iter_mut().filter(|section| section.heading_path.len() == 1);
        top.for_each(|section| section.anchor = None);
    }

    fn manual_title(&self) -> Option<String> {
        let (name, rest) = self.metadata.title.split_once('(')?;
        let (number, _) = rest.split_once(')')?;
        let is_manual = number.len() < 4 && number.starts_with(|c: char| c.is_ascii_digit());
        let blocks = self.sections.iter().flat_map(|section| &section.blocks).take(3);
        let lines = blocks.filter_map(|block| self.text[block.range.clone()].lines().next());
        let says =
            lines.filter_map(|line| [" - ", " – ", " — "].iter().find_map(|sign| line.split_once(sign)));
        let is_named = |(names, _): &(&str, &str)| {
            names.split(", ").any(|other| other.trim().eq_ignore_ascii_case(name.trim()))
        };
        let (_, purpose) = says.filter(|_| is_manual).find(is_named)?;
        Some(format!("{}({number}) - {}", name.trim(), purpose.trim()))
    }

    /// Gives a page whose address was none the one of its path.
    pub fn address_by_path(&mut self) {
        if self.metadata.url.is_none() {
            self.metadata.url = self.page.address.take();
        }
    }
}

/// Returns the numbers of the pages whose content no mark names, if one names that of another page.
pub fn without_body(documents: &[Document]) -> Vec<usize> {
    if !documents.iter().any(|document| document.page.has_body) {
        return Vec::new();
    }
    let is_page = |document: &Document| Format::of_name(&document.source) == Some(Format::Html);
    let lacks = |document: &Document| is_page(document) && !document.page.has_body;
    documents.iter().enumerate().filter(|(_, document)| lacks(document)).map(|(at, _)| at).collect()
}

/// The number of blocks from both ends of a page that may lead around the site, and the most words that such a block has.
const EDGE: usize = 4;
const MOST_WORDS: usize = 40;
/// One byte in this number is a link, in blocks that lead around.
const LEAST_LINKED: usize = 7;
/// Signs, between spaces, between the title of a page and the name of its site.
const SEPARATORS: [&str; 9] = [" - ", " | ", " — ", " – ", " · ", " • ", " :: ", " » ", " ("];

/// Describes the blocks of a page with their look.
pub(super) fn looks(document: &Document) -> impl Iterator<Item = (&Block, &BlockLook)> {
    document.sections.iter().flat_map(|section| &section.blocks).zip(&document.page.looks)
}

/// Lists the blocks near both ends of a page that are short, are no sentence and hold a link.
fn leading(document: &Document) -> impl Iterator<Item = (Range<usize>, &BlockLook)> {
    let count = document.page.looks.len();
    let is_near = move |at: usize| at < EDGE || at + EDGE >= count;
    let near = looks(document).enumerate().filter(move |(at, _)| is_near(*at)).map(|(_, of)| of);
    let near = near.filter(|(_, look)| look.linked > 0);
    let near = near.map(|(block, look)| (block.range.clone(), look));
    near.filter(|(range, _)| {
        let text = document.text[range.clone()].trim_end();
        let is_sentence =
            text.ends_with(['.', '!', '?', '。', '！', '？', '।', '؟', ':']) || text.contains("```");
        !is_sentence && words(text).nth(MOST_WORDS).is_none()
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().nth(1).is_some())
}

/// Finds the places of blocks that lead around the site: most pages have one there, with many links, and with some word
/// in common, such as `Next`.
pub(super) fn navigation(pages: &[&Document]) -> HashSet<u32> {
    #[derive(Default)]
    struct Lead {
        pages: usize,
        last: usize,
        blocks: usize,
        bytes: usize,
        linked: usize,
        words: HashMap<u64, usize>,
    }
    let mut leads: HashMap<u32, Lead> = HashMap::new();
    for (number, document) in (1..).zip(pages) {
        for (range, look) in leading(document) {
            let lead = leads.entry(look.place).or_default();
            lead.pages += usize::from(lead.last != number);
            lead.last = number;
            lead.blocks += 1;
            (lead.bytes, lead.linked) = (lead.bytes + look.bytes, lead.linked + look.linked);
            let found: HashSet<u64> =
                words(&document.text[range]).map(|word| checksum(&[word.as_bytes()])).collect();
            found.into_iter().for_each(|word| *lead.words.entry(word).or_default() += 1);
        }
    }
    leads.retain(|_, lead| {
        let is_common = |count: &usize| *count * 2 > lead.blocks;
        lead.pages * 2 > pages.len()
            && lead.linked * LEAST_LINKED > lead.bytes
            && lead.words.values().any(is_common)
    });
    leads.into_keys().collect()
}

/// Finds the ranges of a page's blocks that lead around the site, each with its place, or that list the page's own
/// headings.
pub(super) fn leads(document: &Document, places: &HashSet<u32>) -> Vec<(Range<usize>, u32)> {
    let around = leading(document).filter(|(_, look)| places.contains(&look.place));
    let mut found: Vec<_> = around.map(|(range, look)| (range, look.place)).collect();
    let headings: HashSet<&str> =
        document.sections.iter().filter_map(|section| own_heading(document, section)).collect();
    for (block, look) in looks(document).filter(|(_, look)| look.is_links()) {
        let lines =
            || document.text[block.range.clone()].lines().map(|line| line.trim_start_matches([' ', '-']));
        if lines().nth(1).is_some() && lines().all(|line| headings.contains(line)) {
            found.push((block.range.clone(), look.place));
        }
    }
    found
}

/// Reads the text of a section's heading.
fn own_heading<'a>(document: &'a Document, section: &super::Section) -> Option<&'a str> {
    let text = document.text[section.heading.clone()].trim_start_matches('#').trim();
    (!text.is_empty()).then_some(text)
}

/// Chooses the title of a page: its first heading, if what its head says repeats it, else what its head says.
pub(super) fn title<'a>(said: &'a str, heading: Option<&'a str>) -> Option<&'a str> {
    let letters = |text: &str| {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    let Some(heading) = heading else { return Some(said).filter(|said| !said.is_empty()) };
    let (one, other) = (letters(said), letters(heading));
    if one.contains(&other) || other.contains(&one) { Some(heading) } else { Some(said) }
}

/// Gives pages their titles without what most of them begin or end with. `headed` are those that lost a first heading that
/// names the site.
pub(super) fn name_pages(pages: &mut [&mut Document], headed: &HashSet<usize>) {
    let mut counts: HashMap<(bool, u64), usize> = HashMap::new();
    let mut whole: HashMap<u64, usize> = HashMap::new();
    let sum = |text: &str| checksum(&[text.as_bytes()]);
    for page in pages.iter() {
        for (is_end, part) in affixes(&page.page.title) {
            *counts.entry((is_end, sum(part))).or_default() += 1;
        }
        *whole.entry(sum(&page.page.title)).or_default() += 1;
    }
    let is_shared = |count: Option<&usize>| count.is_some_and(|count| count * 2 > pages.len());
    let is_affix = |is_end: bool, part: &str| is_shared(counts.get(&(is_end, sum(part))));
    let titles: Vec<Option<(String, bool)>> = pages
        .iter()
        .map(|page| {
            let mut said = page.page.title.as_str();
            if is_shared(whole.get(&sum(said))) {
                said = "";
            }
            for end in [true, false] {
                let shared = affixes(said).filter(|(is_end, part)| *is_end == end && is_affix(end, part));
                let longest = shared.map(|(_, part)| part.len()).max().unwrap_or(0);
                said = if end { &said[..said.len() - longest] } else { &said[longest..] };
            }
            let first =
                page.sections.iter().find(|section| page.text[section.heading.clone()].starts_with("# "));
            let heading = first.and_then(|section| own_heading(page, section));
            title(said.trim(), heading).map(|title| (title.to_owned(), Some(title) == heading))
        })
        .collect();
    for (at, (page, title)) in pages.iter_mut().zip(titles).enumerate() {
        let is_own = page.page.title.contains(&page.metadata.title) || headed.contains(&at);
        match title.filter(|(title, _)| is_own && *title != page.metadata.title) {
            Some((title, true)) => {
                page.metadata.title = title;
                page.retitle();
            }
            Some((title, false)) => page.entitle(title),
            None => {}
        }
    }
}

/// Lists the ways to end, or begin, a title at a separator.
fn affixes(title: &str) -> impl Iterator<Item = (bool, &str)> {
    let found = SEPARATORS
        .iter()
        .flat_map(move |sign| title.match_indices(sign).map(move |(at, _)| (at, sign.len())));
    found.flat_map(move |(at, length)| [(true, &title[at..]), (false, &title[..at + length])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leave_out_shared;

    /// Pages made by a function of their number, as all pages of a build are left.
    fn built(page: impl Fn(usize) -> String) -> (Vec<Document>, Vec<String>) {
        let read = |at: usize| Document::parse(&format!("p{at}.html"), page(at).as_bytes()).unwrap();
        let mut documents: Vec<Document> = (1..7).map(read).collect();
        let versions = vec![None; documents.len()];
        let told = leave_out_shared(&mut documents.iter_mut().collect::<Vec<_>>(), &versions);
        (documents, told.into_iter().map(|(text, source)| format!("{source}: {text}")).collect())
    }

    #[test]
    fn blocks_that_lead_around_are_left_out_by_their_look() {
        let (documents, told) = built(|at| {
            let before = if at > 1 {
                format!("Previous: <a href=p{0}.html>Node {0}</a>, ", at - 1)
            } else {
                String::new()
            };
            format!(
                "<body><div><p>Next: <a href=p.html>Node {0}</a>, {before}Up: <a href=index.html>Basics</a> &nbsp; [<a href=c>Contents</a>]</div>\
                 <h2>Node {at}</h2><p>See the <a href=q{at}.html>manual of node {at}</a>, which says more.<table><tr><td>\
                 <a href=p>Prev</a><td><a href=u>Up</a><td><a href=n>Next</a><tr><td>Topic {0}<td>Home<td>Topic {0}</table>",
                at + 1
            )
        });
        for (at, document) in (1..).zip(&documents) {
            assert_eq!(
                document.text.trim(),
                format!("## Node {at}\n\nSee the manual of node {at}, which says more.")
            );
        }
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[0], "p1.html: Next: Node 2, Up: Basics [Contents]");
    }

    #[test]
    fn links_that_an_author_wrote_stay() {
        let (documents, told) = built(|at| {
            format!(
                "<body><h1>Page {at}</h1><p>Text {at}.<h2>See also</h2><ul><li><a href=a>tool{at}</a><li><a href=b>kit{at}</a></ul>"
            )
        });
        assert!(documents[2].text.ends_with("## See also\n\n- tool3\n- kit3"), "{}", documents[2].text);
        assert_eq!(told, [""; 0]);
    }

    #[test]
    fn a_list_of_the_headings_of_its_page_is_left_out() {
        let (documents, _) = built(|at| {
            format!(
                "<body><h1>Page {at}</h1><ul><li><a href='#a'>Use {at}</a><li><a href='#b'>Care {at}</a></ul>\
                 <h2 id=a>Use {at}</h2><p>With care {at}.<h2 id=b>Care {at}</h2><p>With use {at}."
            )
        });
        assert!(documents[0].text.starts_with("# Page 1\n\n## Use 1\n\nWith"), "{}", documents[0].text);
    }

    #[test]
    fn titles_lose_the_name_of_their_site() {
        let titles = |page: &dyn Fn(usize) -> String| {
            let (documents, _) = built(page);
            let title = |document: &Document| document.metadata.title.clone();
            assert!(documents.iter().all(|document| document.sections[0].heading_path == [title(document)]));
            title(&documents[3])
        };
        for head in [
            "Page {} - The Book",
            "The Book | Page {}",
            "Page {} (Book (version 7))",
            "Page {} — Kits — The Book",
        ] {
            let page = |at: usize| {
                format!("<title>{}</title><body><p>Text of {at}.", head.replace("{}", &at.to_string()))
            };
            assert_eq!(titles(&page), "Page 4", "{head}");
        }
        let logo = |at: usize| {
            format!(
                "<title>Page {at} — Site 3.2</title><div><h1>Site 3.2</h1></div><div><h1>Page {at}</h1><p>Text {at}."
            )
        };
        assert_eq!(titles(&logo), "Page 4");
        let only = |at: usize| format!("<title>The Site</title><h1>Page {at}</h1><p>Text {at}.");
        assert_eq!(titles(&only), "Page 4");
    }

    #[test]
    fn a_title_that_replaces_the_name_of_the_site_has_no_anchor() {
        let (documents, _) = built(|at| {
            let heading = if at == 1 { "The Book".to_owned() } else { format!("Part {at}") };
            format!(
                "<title>Part {at} - The Book</title><h1 id=top>{heading}</h1><p>Text {at}.<h2 id=x>More {at}</h2><p>X {at}."
            )
        });
        let anchors = |document: &Document| -> Vec<Option<String>> {
            document.sections.iter().map(|section| section.anchor.clone()).collect()
        };
        assert_eq!(documents[0].sections[0].heading_path, ["Part 1"]);
        assert_eq!(anchors(&documents[0]), [None, Some("x".to_owned())]);
        assert_eq!(anchors(&documents[1]), [Some("top".to_owned()), Some("x".to_owned())]);
    }

    #[test]
    fn a_page_of_a_manual_is_titled_by_what_its_subject_is_for() {
        let read = |html: &str| Document::parse("ls.html", html.as_bytes()).unwrap();
        let page = read(
            "<title>ls(1)</title><h1 id=top>LS(1) Manual Page</h1><h2>NAME</h2><p>ls, dir - list what is there<h2>USE</h2><p>Often.",
        );
        assert_eq!(page.metadata.title, "LS(1) - list what is there");
        assert_eq!(page.sections[0].anchor, None);
        assert_eq!(page.sections.last().unwrap().heading_path, ["LS(1) - list what is there", "USE"]);
        assert_eq!(read("<h1>ls(1)</h1><p>rm - removes").metadata.title, "ls(1)");
        assert_eq!(read("<h1>ls (beta)</h1><p>ls - lists").metadata.title, "ls (beta)");
    }

    #[test]
    fn a_title_that_no_heading_repeats_is_the_title() {
        assert_eq!(title("SQL Functions", Some("1. Summary")), Some("SQL Functions"));
        assert_eq!(title("ssl — TLS wrapper", Some("ssl — TLS")), Some("ssl — TLS"));
        assert_eq!((title("", None), title("", Some("a"))), (None, Some("a")));
    }
}
