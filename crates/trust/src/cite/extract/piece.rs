//! The parts of a passage that can be quoted.

use std::ops::Range;

use super::super::markdown::{BlockForm, outline};

/// The most bytes of a quote of more than one sentence, and of one sentence before it is cut short.
pub(super) const MOST_PROSE: usize = 600;

/// The most bytes of a list, a table or a block of code. A dose without the heading of its column is worse than a long
/// quote.
const MOST_WHOLE: usize = 1200;

/// The most bytes of a quote with what stands around it: some eighty words.
const MOST_AROUND: usize = 500;

/// The most sentences quoted from one paragraph.
const MOST_SENTENCES: usize = 3;

/// A part of a passage that says something on its own.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The nearest heading above it in the passage.
    pub(super) heading: Option<Range<usize>>,
    /// Said of all that follows: the sentence that leads to a list or to code, or the head of a table.
    pub(super) lead: Option<Range<usize>>,
    /// Sentences that stand next to each other, items, rows, or a block of code.
    pub(super) parts: Vec<Range<usize>>,
    pub(super) form: BlockForm,
    /// It is all of its paragraph, list or table.
    pub(super) entire: bool,
    /// It is all that stands below its heading.
    pub(super) section: bool,
}

/// All pieces of a passage. Those of a list or a table have all its items or rows.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let blocks = outline(text);
    let mut pieces = Vec::new();
    let (mut heading, mut lead) = (None, None);
    let mut at = 0;
    while let Some((form, block)) = blocks.get(at).cloned() {
        at += 1;
        let said = text.get(block.clone()).unwrap_or_default();
        match form {
            BlockForm::Heading => {
                (heading, lead) = (Some(block), None);
                continue;
            }
            BlockForm::Paragraph => {
                let sentences = within(block, ibid_text::sentences(said));
                let leads = said.trim_end().ends_with(':');
                lead = sentences.last().filter(|_| leads).cloned();
                let alone = sentences.len() - usize::from(leads);
                windows(text, &sentences[..alone], heading.as_ref(), &mut pieces);
                continue;
            }
            BlockForm::Item => {
                let mut parts = vec![block];
                while let Some((BlockForm::Item, item)) = blocks.get(at) {
                    parts.push(item.clone());
                    at += 1;
                }
                pieces.push(Piece::new(heading.clone(), lead.take(), parts, form));
            }
            BlockForm::Table => {
                let (head, rows) = rows(said);
                let lead = head.map(|head| block.start + head.start..block.start + head.end);
                pieces.push(Piece::new(heading.clone(), lead, within(block, rows), form));
            }
            // No part of code can be left out.
            BlockForm::Code if said.len() > MOST_WHOLE => {}
            BlockForm::Code => pieces.push(Piece::new(heading.clone(), lead.take(), vec![block], form)),
        }
        lead = None;
    }
    pieces.retain(|piece| !piece.parts.is_empty());
    pieces.extend(sections(text, &blocks));
    pieces
}

/// All that stands below a heading, or in a passage without any, if it is short and of more than one form.
fn sections(text: &str, blocks: &[(BlockForm, Range<usize>)]) -> Vec<Piece> {
    let mut sections = Vec::new();
    let mut heading = None;
    for section in
        blocks.chunk_by(|(one, _), (other, _)| (*one == BlockForm::Heading) == (*other == BlockForm::Heading))
    {
        let (Some((first, from)), Some((form, to))) = (section.first(), section.last()) else { continue };
        if *first == BlockForm::Heading {
            heading = Some(to.clone());
            continue;
        }
        let all = from.start..to.end;
        let leads = text.get(all.clone()).is_some_and(|said| said.trim_end().ends_with(':'));
        if section.iter().any(|(form, _)| form != first) && all.len() <= MOST_WHOLE && !leads {
            sections.push(Piece { section: true, ..Piece::new(heading.clone(), None, vec![all], *form) });
        }
    }
    sections
}

/// Ranges of a block as ranges of the text.
fn within(block: Range<usize>, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.into_iter().map(|range| block.start + range.start..block.start + range.end).collect()
}

/// One to three sentences at a time, as long as they are not too long together.
fn windows(text: &str, sentences: &[Range<usize>], heading: Option<&Range<usize>>, pieces: &mut Vec<Piece>) {
    let all = sentences.len();
    for count in (1..=MOST_SENTENCES).chain((all > MOST_SENTENCES).then_some(all)) {
        for window in sentences.windows(count) {
            let (Some(first), Some(last)) = (window.first(), window.last()) else { continue };
            let said = text.get(first.start..last.end).unwrap_or_default();
            if said.contains(char::is_alphanumeric) && (count == 1 || said.len() <= MOST_PROSE) {
                let whole = first.start..last.end;
                let piece = Piece::new(heading.cloned(), None, vec![whole], BlockForm::Paragraph);
                pieces.push(Piece { entire: count == all, ..piece });
            }
        }
    }
}

/// Finds the head of a table with its line of dashes, if it has one, and the rows.
fn rows(table: &str) -> (Option<Range<usize>>, Vec<Range<usize>>) {
    let mut at = 0;
    let mut rows: Vec<Range<usize>> = Vec::new();
    let mut head = None;
    for line in table.split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        let row = line.trim();
        at += line.len();
        if row.is_empty() {
            continue;
        }
        if row.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t')) {
            head = rows.pop().map(|first: Range<usize>| first.start..start + row.len());
            rows.clear();
        } else {
            rows.push(start..start + row.len());
        }
    }
    (head, rows)
}

/// Widens a range with its neighbours among `parts`, the one behind and the one before in turn, as long as they fit
/// together.
fn grown(parts: &[Range<usize>], own: Range<usize>, fits: impl Fn(&Range<usize>) -> bool) -> Range<usize> {
    let mut all = own;
    loop {
        let behind = parts.iter().find(|part| part.end > all.end).map(|part| all.start..part.end);
        let with_behind = behind.filter(&fits).unwrap_or_else(|| all.clone());
        let before = parts.iter().rfind(|part| part.start < with_behind.start);
        let before = before.map(|part| part.start..with_behind.end);
        let wider = before.filter(&fits).unwrap_or(with_behind);
        if wider == all {
            return all;
        }
        all = wider;
    }
}

impl Piece {
    /// A piece that is all of its block.
    fn new(
        heading: Option<Range<usize>>,
        lead: Option<Range<usize>>,
        parts: Vec<Range<usize>>,
        form: BlockForm,
    ) -> Self {
        Self { heading, lead, parts, form, entire: true, section: false }
    }

    /// Lists the text of its parts, without what leads to them.
    pub(super) fn said<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.parts.iter().filter_map(|part| text.get(part.clone()))
    }

    /// Takes in what stands behind it below its heading, and before it unless it is the `beginning` of what was asked, as long as
    /// all is short and `fits`: the rest of its paragraph, then blocks. A sentence that leads to a block has it in any case.
    pub(super) fn widen(&mut self, text: &str, beginning: bool, fits: impl Fn(&str) -> bool) {
        let (Some(first), Some(last)) = (self.lead.as_ref().or(self.parts.first()), self.parts.last()) else {
            return;
        };
        if !self.entire && self.form != BlockForm::Paragraph {
            return;
        }
        let own = first.start..last.end;
        let blocks = outline(text);
        let mut sections = blocks.split(|(form, _)| *form == BlockForm::Heading);
        let holds = |section: &&[(BlockForm, Range<usize>)]| {
            let ends = section.first().zip(section.last());
            ends.is_some_and(|((_, first), (_, last))| first.start <= own.start && own.end <= last.end)
        };
        let Some(section) = sections.find(holds) else { return };
        let said = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
        let parts: Vec<Range<usize>> = section.iter().map(|(_, block)| block.clone()).collect();
        let is_short = |range: &Range<usize>| {
            let begins = !beginning || range.start == own.start;
            begins && range.len() <= MOST_AROUND && fits(said(range))
        };
        let block = parts.iter().find(|part| part.start <= own.start && own.end <= part.end);
        if let Some(block) =
            block.filter(|block| self.form == BlockForm::Paragraph && !is_short(&(own.start..block.end)))
        {
            let sentences = within(block.clone(), ibid_text::sentences(said(block)));
            self.parts = vec![grown(&sentences, own.clone(), is_short)];
            return;
        }
        let mut all = grown(&parts, own.clone(), is_short);
        if said(&all).trim_end().ends_with(':')
            && let Some(next) = parts.iter().find(|part| part.start >= all.end)
            && next.end - all.start <= MOST_WHOLE
            && fits(said(&(all.start..next.end)))
        {
            all.end = next.end;
        }
        all.end = all.start + said(&all).trim_end().len();
        if all == own {
            return;
        }
        if let Some((form, _)) = section.iter().find(|(_, block)| block.end >= all.end) {
            self.form = *form;
        }
        (self.lead, self.parts, self.section) = (None, vec![all], true);
    }

    /// Its length with what leads to it.
    pub(super) fn len(&self) -> usize {
        self.lead.iter().chain(&self.parts).map(ExactSizeIterator::len).sum()
    }

    /// Leaves out what is beyond the length of a quote: the last items or rows, or the end of a long sentence. Returns true
    /// if something was.
    pub(super) fn shorten(&mut self, text: &str) -> bool {
        let all = self.len();
        while self.parts.len() > 1 && self.len() > MOST_WHOLE {
            self.parts.pop();
        }
        if let [part] = self.parts.as_mut_slice()
            && !self.section
            && part.len() > MOST_PROSE
            && !self.form.is_whole()
        {
            let said = text.get(part.clone()).unwrap_or_default();
            let start = said.get(..said.floor_char_boundary(MOST_PROSE)).unwrap_or_default();
            let end = start.rfind(char::is_whitespace).unwrap_or(start.len());
            part.end = part.start + start.get(..end).unwrap_or_default().trim_end().len();
        }
        self.len() < all
    }

    /// Writes the piece as Markdown, in the passage's own words.
    pub(super) fn quote(&self, text: &str) -> String {
        let mut quote = String::new();
        let mut end = None;
        for part in self.lead.iter().chain(&self.parts) {
            // Text between neighbours in the passage stays between them.
            let between = end
                .and_then(|end: usize| text.get(end..part.start))
                .filter(|between| between.trim().is_empty());
            match between {
                Some(between) => quote.push_str(between),
                None if quote.is_empty() => {}
                None if self.form == BlockForm::Table || end > self.lead.as_ref().map(|lead| lead.end) => {
                    quote.push('\n');
                }
                None => quote.push_str("\n\n"),
            }
            quote.push_str(text.get(part.clone()).unwrap_or_default());
            end = Some(part.end);
        }
        quote
    }
}
