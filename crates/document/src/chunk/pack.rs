//! Gathering the blocks of a section up to a limit, and cutting those that are larger.

use std::ops::Range;

use super::fences::CodeFences;
use super::outline;
use super::pieces::{characters, graphemes, is_fence, items, lines, words};
use super::sentence::sentences;
use super::size::units_of;
use crate::BlockKind;

/// Repeated sentences take at most one part in this many of a chunk.
const OVERLAP_SHARE: usize = 4;

/// A chunk in the making: a stretch of the document's text.
pub(super) struct ChunkPiece {
    pub(super) range: Range<usize>,
    /// The stretch that is repeated in front of it: a table's header, or the sentences right before.
    pub(super) lead: Option<Range<usize>>,
}

/// The way a block is cut, from the best way to the last resort.
#[derive(Clone, Copy)]
enum PackLevel {
    Items,
    Rows,
    Lines,
    Sentences,
    Words,
    Graphemes,
    Characters,
}

impl PackLevel {
    /// Chooses the way to cut what is too large in itself.
    fn finer(self) -> Option<Self> {
        match self {
            Self::Items | Self::Rows => Some(Self::Sentences),
            Self::Lines | Self::Sentences => Some(Self::Words),
            Self::Words => Some(Self::Graphemes),
            Self::Graphemes => Some(Self::Characters),
            Self::Characters => None,
        }
    }
}

/// Facts for the packer about the block that a piece of text is from.
#[derive(Clone, Default)]
struct Context {
    /// The start of the block, if it is running text, of which sentences may be repeated.
    running: Option<usize>,
    /// The header to repeat, with its line end, and its units.
    header: Option<(Range<usize>, usize)>,
}

/// The piece that is being filled, or the last that was.
struct OpenChunk {
    range: Range<usize>,
    lead: Option<Range<usize>>,
    /// The units of both.
    units: usize,
    /// The start of its last block, if that is running text.
    running: Option<usize>,
}

/// Fills one piece after the other.
pub(super) struct Packer<'a> {
    text: &'a str,
    fences: &'a CodeFences,
    /// The most units in a piece.
    limit: usize,
    /// The most sentences to repeat.
    overlap: usize,
    open: Option<OpenChunk>,
    /// The text whose end the next piece may repeat.
    last: Option<OpenChunk>,
    pieces: Vec<ChunkPiece>,
}

impl<'a> Packer<'a> {
    pub(super) fn new(text: &'a str, fences: &'a CodeFences, limit: usize, overlap: usize) -> Self {
        Self { text, fences, limit, overlap, open: None, last: None, pieces: Vec::new() }
    }

    /// Adds a block of that many units.
    pub(super) fn block(&mut self, range: Range<usize>, units: usize, kind: &BlockKind) {
        let running = matches!(kind, BlockKind::Paragraph | BlockKind::List).then_some(range.start);
        let mut context = Context { running, header: None };
        let alone = matches!(kind, BlockKind::Ready { .. });
        if alone {
            self.separate();
        }
        if let BlockKind::Ready { repeated: repeated @ 1.. } = *kind
            && units <= self.limit
            && self.text.get(range.start..range.start + repeated).is_some()
            && range.start + repeated < range.end
        {
            let (lead, range) = (range.start..range.start + repeated, range.start + repeated..range.end);
            self.pieces.push(ChunkPiece { range, lead: Some(lead) });
        } else if units <= self.limit {
            self.add(range, units, &context);
        } else {
            match kind {
                BlockKind::Paragraph | BlockKind::Ready { .. } => {
                    self.cut(range, PackLevel::Sentences, &context);
                }
                BlockKind::List => self.cut(range, PackLevel::Items, &context),
                BlockKind::Code => self.cut(range, PackLevel::Lines, &context),
                BlockKind::Table { header } => {
                    context.header = self.header(&range, header);
                    self.table(range, &context);
                }
            }
        }
        if alone {
            self.separate();
        }
    }

    pub(super) fn finish(mut self) -> Vec<ChunkPiece> {
        self.close();
        self.pieces
    }

    /// Finds the lines that each part of the table begins with, unless they take more than half of the room: then they
    /// are rows like all others, and not repeated.
    fn header(&self, table: &Range<usize>, header: &Range<usize>) -> Option<(Range<usize>, usize)> {
        let start = header.start.max(table.start);
        let lines = self.text.get(start..header.end.min(table.end))?;
        // Where the first row is indented, its blanks may be taken for the header's.
        let end = start + lines.rfind('\n')? + 1;
        let units = units_of(self.text.get(start..end)?);
        (units <= self.limit / 2).then_some((start..end, units))
    }

    fn table(&mut self, range: Range<usize>, context: &Context) {
        let Some((header, _)) = &context.header else { return self.cut(range, PackLevel::Rows, context) };
        // The header stays with the first row, if there is room for both.
        let rows = header.end..range.end;
        let first = lines(self.text, rows.clone()).next().map_or(header.end, |row| row.end);
        let trimmed = outline::trim(self.text, header.start..first);
        self.put(trimmed, PackLevel::Rows, context);
        self.cut(first..range.end, PackLevel::Rows, context);
    }

    /// Adds all parts of what is too large as a whole.
    fn cut(&mut self, range: Range<usize>, level: PackLevel, context: &Context) {
        let text = self.text;
        let fences = self.fences;
        let mut put = |part| self.put(part, level, context);
        match level {
            PackLevel::Items => items(text, range).for_each(put),
            PackLevel::Rows => lines(text, range).for_each(put),
            PackLevel::Lines => code_lines(text, range, fences).for_each(put),
            PackLevel::Sentences => sentences(text, range).into_iter().for_each(put),
            PackLevel::Words => words(text, range).for_each(put),
            PackLevel::Graphemes => graphemes(text, range).for_each(put),
            PackLevel::Characters => characters(text, range).for_each(&mut put),
        }
    }

    /// Adds what was cut off at `level`, or parts of it if it is still too large.
    fn put(&mut self, part: Range<usize>, level: PackLevel, context: &Context) {
        let units = units_of(&self.text[part.clone()]);
        let repeated = context.header.as_ref().filter(|(header, _)| part.start >= header.end);
        let room = self.limit - repeated.map_or(0, |(_, units)| *units);
        // Of an item with code, the lines mean something.
        let has_code = matches!(level, PackLevel::Items) && self.text[part.clone()].lines().any(is_fence);
        match if has_code { Some(PackLevel::Lines) } else { level.finer() } {
            Some(finer) if units > room => self.cut(part, finer, context),
            _ => self.add(part, units, context),
        }
    }

    /// Lets the open piece grow, or begins a new one.
    fn add(&mut self, part: Range<usize>, units: usize, context: &Context) {
        if let Some(open) = &mut self.open {
            let between = &self.text[open.range.end..part.start];
            let between = if between.is_empty() { 0 } else { units_of(between) };
            let fence = self.fences.close_at(part.end).map_or(0, units_of);
            if open.units + between + units + fence <= self.limit {
                open.range.end = part.end;
                open.units += between + units;
                open.running = context.running;
                return;
            }
        }
        self.close();
        let header = context.header.clone().filter(|(header, _)| part.start >= header.end);
        let open = self.fences.open_at(part.start);
        let lead = header.or_else(|| self.overlap(part.start, units, context).filter(|_| open.is_none()));
        let (lead, lead_units) = lead.unzip();
        let fence = open.map_or(0, units_of);
        let units = units + lead_units.unwrap_or(fence);
        self.open = Some(OpenChunk { range: part, lead, units, running: context.running });
    }

    /// Finds the sentences at the end of the last piece that a piece which starts here with that many units repeats: all
    /// that are wanted, or as many of those as there is room for.
    fn overlap(&self, start: usize, units: usize, context: &Context) -> Option<(Range<usize>, usize)> {
        context.running?;
        let last = self.last.as_ref().filter(|_| self.overlap > 0)?;
        // What stands between the two and belongs to no block, as link definitions do, is in no piece to be repeated.
        if !self.text.get(last.range.end..start)?.trim().is_empty() {
            return None;
        }
        let tail = last.running?.max(last.range.start)..last.range.end;
        let most = (self.limit / OVERLAP_SHARE).min(self.limit.saturating_sub(units));
        let sentences = sentences(self.text, tail);
        // A piece that is repeated as a whole would not have been needed.
        let wanted =
            sentences.iter().rev().take(self.overlap).filter(|sentence| sentence.start > last.range.start);
        let leads = wanted.map(|sentence| sentence.start..start);
        let sized = leads.map(|lead| (lead.clone(), units_of(&self.text[lead])));
        sized.take_while(|(_, units)| *units <= most).last()
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.pieces.push(ChunkPiece { range: open.range.clone(), lead: open.lead.clone() });
            self.last = Some(open);
        }
    }

    /// Closes the open piece so that nothing is joined with it and nothing of it repeated.
    fn separate(&mut self) {
        self.close();
        self.last = None;
    }
}

/// Lines of code. A line that opens code stays with the one behind it, and one that closes it with the one before.
fn code_lines<'a>(
    text: &'a str,
    range: Range<usize>,
    fences: &'a CodeFences,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut lines = lines(text, range).peekable();
    std::iter::from_fn(move || {
        let mut line = lines.next()?;
        let is_open = |at: usize| fences.open_at(at).is_some();
        if !is_open(line.start) && is_open(line.end) {
            line.end = lines.next().map_or(line.end, |next| next.end);
        }
        if let Some(next) = lines.next_if(|next| is_open(next.start) && !is_open(next.end)) {
            line.end = next.end;
        }
        Some(line)
    })
}

/// Chooses the place to cut a piece that is still too large in two, with the fences around it: near its
/// middle, between words if there are any, else between graphemes, else between characters. Nothing for a single
/// character.
pub(super) fn halve(text: &str, range: &Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let part = &text[range.clone()];
    let middle = part.ceil_char_boundary(part.len() / 2);
    let space = part[..middle].rfind(char::is_whitespace).filter(|at| *at > part.len() / 4);
    let at = space
        .or_else(|| {
            let mut ends = graphemes(part, 0..part.len()).map(|grapheme| grapheme.end).peekable();
            let first = ends.peek().copied();
            ends.take_while(|end| *end <= middle).last().or(first)
        })
        .unwrap_or(middle);
    let at = match at < part.len() {
        true => at,
        false if middle < part.len() => middle,
        false => part.char_indices().next_back()?.0,
    };
    let (first, second) = part.split_at(at);
    let first = range.start..range.start + first.trim_end().len();
    let second = range.end - second.trim_start().len()..range.end;
    (!second.is_empty() && first.len() < range.len() && second.len() < range.len()).then_some((first, second))
}
