//! Documents that were read elsewhere, and whose place in their file nobody can show: PDF and DOCX.

use super::{Document, Origin};

impl Document {
    /// Lets spans and lines count in the document's own text, and its passages lead to pages: `leaves` has the byte
    /// where each page begins in the HTML that the document was read from, with the page's number from 1. Without any,
    /// as in DOCX, passages lead to the document.
    pub fn number_pages(&mut self, leaves: &[(usize, usize)]) {
        self.page.leaves = leaves.iter().map(|&(at, number)| (self.origin.text_at(at), number)).collect();
        // A page without words of its own has none to lead to.
        self.page.leaves.retain(|(at, _)| *at < self.text.len());
        self.page.leaves.dedup_by_key(|(at, _)| *at);
        let mut origin = Origin::of(self.text.as_bytes());
        origin.push(0..self.text.len(), 0..self.text.len());
        self.origin = origin;
        for at in 0..self.sections.len() {
            let page = self.leaf_at(self.sections[at].start());
            self.sections[at].anchor = page.map(anchor);
        }
    }

    /// Returns the pages of the document, each by the byte of the text where it begins and its number; none if it is
    /// not made of pages.
    pub fn leaves(&self) -> &[(usize, usize)] {
        &self.page.leaves
    }

    /// Returns the number of the page that a byte of the text is on.
    fn leaf_at(&self, at: usize) -> Option<usize> {
        let next = self.page.leaves.partition_point(|(start, _)| *start <= at);
        self.page.leaves.get(next.saturating_sub(1)).map(|(_, number)| *number)
    }

    /// The anchors of the pages that a stretch of the text is on, each behind the byte where it begins.
    pub(super) fn leaf_anchors(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, String)> {
        let first = self.leaf_at(start).map(|number| (start, anchor(number)));
        let next = self.page.leaves.partition_point(|(at, _)| *at <= start);
        let further = self.page.leaves[next..].iter().take_while(move |(at, _)| *at < end);
        first.into_iter().chain(further.map(|&(at, number)| (at, anchor(number))))
    }
}

/// The part of an address that opens a PDF at a page, as RFC 8118 has it.
fn anchor(number: usize) -> String {
    format!("page={number}")
}

#[cfg(test)]
mod tests {
    use crate::chunk::{ChunkOptions, chunk};
    use crate::{Document, parse};

    fn paper() -> Document {
        let html = "<!doctype html><title>Tea</title><main>\n<!--p1--><h1>Tea</h1><p>Green tea</p>\
                    <h2>Black</h2><p>is steeped <!--p2-->longer.</p><p>Much.</p></main>";
        let mut document = parse("a/tea.pdf", html.as_bytes()).unwrap().pop().unwrap();
        let leaves: Vec<_> =
            (1..3).map(|number| (html.find(&format!("<!--p{number}")).unwrap() + 9, number)).collect();
        document.number_pages(&leaves);
        document
    }

    #[test]
    fn passages_know_their_pages() {
        let document = paper();
        assert_eq!(document.metadata.title, "Tea");
        let anchors: Vec<_> = document.sections.iter().map(|section| section.anchor.as_deref()).collect();
        assert_eq!(anchors, [Some("page=1"); 2]);
        let chunks = chunk(&document, &ChunkOptions::default());
        let shown: Vec<_> = chunks
            .iter()
            .flat_map(|chunk| {
                chunk.anchors(&document).into_iter().map(|(at, page)| (chunk.text[at..].to_owned(), page))
            })
            .collect();
        let wanted = [
            ("Green tea\n\n## Black\n\nis steeped longer.\n\nMuch.", "page=1"),
            ("longer.\n\nMuch.", "page=2"),
        ];
        assert_eq!(shown, wanted.map(|(text, page)| (text.to_owned(), page.to_owned())));
    }

    #[test]
    fn spans_count_in_the_text() {
        let document = paper();
        for chunk in chunk(&document, &ChunkOptions::default()) {
            assert_eq!(document.text[chunk.span.clone()], chunk.text[chunk.repeated..]);
            assert_eq!(chunk.span, chunk.range);
        }
    }

    #[test]
    fn a_document_without_pages_leads_to_its_beginning() {
        let mut document = paper();
        document.number_pages(&[]);
        assert!(document.sections.iter().all(|section| section.anchor.is_none()));
    }
}
