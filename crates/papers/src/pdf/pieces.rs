//! Rows to headings, paragraphs, items and code.

use super::hyphens::{Joint, Words};
use super::outline::Bookmark;
use super::rows::Row;

/// The signs that an item of a list begins with.
const BULLETS: [char; 14] = ['•', '◦', '▪', '▫', '■', '□', '●', '○', '‣', '⁃', '∙', '·', '➢', '✓'];
/// Type this many times as large as the text's is a heading's.
const LARGER: f64 = 1.12;
/// The fewest entries of a table of contents without dots.
const LEAST_ENTRIES: usize = 8;
/// The most rows and characters of one heading.
const HEADING_ROWS: usize = 3;
const HEADING_CHARACTERS: usize = 160;

/// A part of a document.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    /// The rows, each with its page from 1.
    pub(super) rows: Vec<(usize, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// A heading of a level from 0.
    Heading(usize),
    Text,
    Item,
    Code,
}

/// A page with its rows in the order of reading.
pub(super) struct PageRows {
    /// The number from 1.
    pub(super) number: usize,
    pub(super) blocks: Vec<Vec<Row>>,
}

/// The size of type that most of a document has.
pub(super) fn usual_size(pages: &[PageRows]) -> f64 {
    let mut counts: std::collections::BTreeMap<i64, usize> = std::collections::BTreeMap::new();
    for row in pages.iter().flat_map(|page| page.blocks.iter().flatten()) {
        *counts.entry((row.size * 4.0).round() as i64).or_default() += row.text.chars().count();
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(10.0, |(size, _)| size as f64 / 4.0)
}

/// The rows of the largest type on the first page, if it is larger than the text's.
pub(super) fn largest(pages: &[PageRows], usual: f64) -> Option<String> {
    let first = pages.first().filter(|page| page.number == 1)?;
    let rows = || first.blocks.iter().flatten();
    let has_word = |row: &&Row| row.text.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    let size = rows().filter(has_word).map(|row| row.size).reduce(f64::max)?;
    if size < LARGER * usual {
        return None;
    }
    let is_largest = |row: &&Row| (row.size / size - 1.0).abs() < 0.03;
    let title = rows().skip_while(|row| !is_largest(row)).take_while(is_largest).take(HEADING_ROWS);
    let title = title.map(|row| row.text.trim()).collect::<Vec<_>>().join(" ");
    (title.chars().count() <= HEADING_CHARACTERS).then_some(title)
}

/// Takes pages apart. Headings are those of the bookmarks; without any, lines in larger type.
pub(super) fn pieces(pages: &[PageRows], bookmarks: &[Bookmark], title: &str, usual: f64) -> Vec<Piece> {
    let sizes = if bookmarks.is_empty() { heading_sizes(pages, usual) } else { Vec::new() };
    let mut out = PieceList { all: Vec::new() };
    // The outermost bookmark may be the title, and all others below it.
    let named = bookmarks.iter().filter(|bookmark| bare(&bookmark.title) != bare(title));
    let least = named.map(|bookmark| bookmark.level).min().unwrap_or(0);
    let mut waiting = bookmarks.iter().peekable();
    let end = pages.last().map_or(0, |page| page.number);
    for page in pages {
        // Bookmarks of pages without text go on the next one.
        let mut here = Vec::new();
        while let Some(bookmark) = waiting.next_if(|bookmark| bookmark.page < page.number) {
            here.push(Bookmark { level: bookmark.level.saturating_sub(least), ..bookmark.clone() });
        }
        page_pieces(page, &here, title, &sizes, (usual, end), &mut out);
    }
    out.all
}

/// The sizes of headings, the largest first.
fn heading_sizes(pages: &[PageRows], usual: f64) -> Vec<f64> {
    let mut sizes: Vec<f64> = pages
        .iter()
        .flat_map(|page| page.blocks.iter().flatten())
        .filter(|row| is_heading(row, usual))
        .map(|row| row.size)
        .collect();
    sizes.sort_by(|one, other| other.total_cmp(one));
    sizes.dedup_by(|one, other| (*one / *other - 1.0).abs() < 0.04);
    sizes
}

fn is_heading(row: &Row, usual: f64) -> bool {
    row.size >= LARGER * usual
        && row.text.chars().count() <= HEADING_CHARACTERS
        && row.text.chars().filter(|c| c.is_alphabetic()).count() >= 3
}

/// Only the letters and digits of a text, in lower case.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The mark of a row, given before paragraphs are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    /// The first row of a heading.
    Heading(usize),
    /// A further row of the heading before it.
    More,
    /// The title again, an entry of a table of contents.
    Skip,
}

fn page_pieces(
    page: &PageRows,
    bookmarks: &[Bookmark],
    title: &str,
    sizes: &[f64],
    (usual, most): (f64, usize),
    out: &mut PieceList,
) {
    let rows: Vec<&Row> = page.blocks.iter().flatten().collect();
    let bares: Vec<String> = rows.iter().map(|row| bare(&row.text)).collect();
    let mut marks = vec![Mark::None; rows.len()];
    let is_contents = lists_contents(&rows, most);
    for (mark, row) in marks.iter_mut().zip(&rows) {
        if is_of_contents(&row.text) || (is_contents && ends_in_number(&row.text).is_some()) {
            *mark = Mark::Skip;
        }
    }
    if page.number == 1
        && let Some((at, count)) = matched(&bares, &marks, &bare(title), &rows, None)
    {
        marks[at..at + count].fill(Mark::Skip);
    }
    // Headings that no row shows, each before a row.
    let mut unseen: Vec<(usize, &Bookmark)> = Vec::new();
    for bookmark in bookmarks {
        let wanted = bare(&bookmark.title);
        if wanted == bare(title) {
            continue;
        }
        let y = bookmark.y.filter(|_| bookmark.page + 1 == page.number);
        if let Some((at, count)) = matched(&bares, &marks, &wanted, &rows, y) {
            marks[at..at + count].fill(Mark::More);
            marks[at] = Mark::Heading(bookmark.level);
        } else {
            let at = y.and_then(|y| rows.iter().position(|row| row.y >= y - 2.0)).unwrap_or(0);
            unseen.push((at, bookmark));
        }
    }
    if !sizes.is_empty() {
        let level_of = |row: &Row| sizes.iter().position(|size| (row.size / size - 1.0).abs() < 0.04);
        let mut run = 0;
        for at in 0..rows.len() {
            let level = level_of(rows[at]).filter(|_| marks[at] == Mark::None && is_heading(rows[at], usual));
            let Some(level) = level else {
                run = 0;
                continue;
            };
            let goes_on = run > 0
                && run < HEADING_ROWS
                && (rows[at].size / rows[at - 1].size - 1.0).abs() < 0.04
                && (0.0..1.6 * rows[at].size).contains(&(rows[at].y - rows[at - 1].y));
            marks[at] = if goes_on { Mark::More } else { Mark::Heading(level.min(3)) };
            run = if goes_on { run + 1 } else { 1 };
        }
    }
    let mut at = 0;
    for block in &page.blocks {
        let layout = BlockLayout::of(block);
        let mut before: Option<&Row> = None;
        for row in block {
            for (_, bookmark) in unseen.iter().filter(|(place, _)| *place == at) {
                out.heading(bookmark.level, page.number, &bookmark.title);
                before = None;
            }
            match marks[at] {
                Mark::Skip => before = None,
                Mark::Heading(level) => {
                    out.heading(level, page.number, &row.text);
                    before = None;
                }
                Mark::More => out.more(page.number, &row.text),
                Mark::None => {
                    out.row(page.number, row, before, &layout);
                    before = Some(row);
                }
            }
            at += 1;
        }
    }
}

/// Returns true for a line of a table of contents: a title, dots, a number.
fn is_of_contents(text: &str) -> bool {
    let text = text.trim_end();
    let title = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let dots = title.trim_end().chars().rev().take_while(|c| matches!(c, '.' | ' ' | '…' | '·'));
    let count = dots.filter(|c| *c != ' ').count();
    title.len() < text.len() && (count >= 4 || (count >= 2 && title.contains('…')))
}

/// Returns true if most rows of a page are titles with growing page numbers, of which `most` is the largest.
fn lists_contents(rows: &[&Row], most: usize) -> bool {
    let numbers: Vec<usize> = rows.iter().filter_map(|row| ends_in_number(&row.text)).collect();
    let growing = numbers.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    numbers.len() >= LEAST_ENTRIES
        && numbers.len() * 2 > rows.len()
        && numbers.iter().all(|number| *number <= most)
        && growing * 10 >= (numbers.len() - 1) * 9
}

/// The number behind the words of a row.
fn ends_in_number(text: &str) -> Option<usize> {
    let (words, number) = text.trim_end().rsplit_once(' ')?;
    words.contains(char::is_alphabetic).then(|| number.parse().ok())?
}

/// The rows that show a heading: of several the one nearest to the height that the bookmark names, else in the largest type.
fn matched(
    bares: &[String],
    marks: &[Mark],
    wanted: &str,
    rows: &[&Row],
    y: Option<f64>,
) -> Option<(usize, usize)> {
    if wanted.is_empty() {
        return None;
    }
    let mut found: Option<(f64, usize, usize)> = None;
    for at in 0..bares.len() {
        let mut all = String::new();
        for count in 1..=HEADING_ROWS.min(bares.len() - at) {
            if marks[at + count - 1] != Mark::None {
                break;
            }
            all.push_str(&bares[at + count - 1]);
            if is_same(&all, wanted) {
                let away = y.map_or(-rows[at].size, |y| (rows[at].y - y - rows[at].size).abs());
                if found.is_none_or(|(least, ..)| away < least - 0.01) {
                    found = Some((away, at, count));
                }
                break;
            }
            if all.len() > wanted.len() + 12 {
                break;
            }
        }
    }
    found.map(|(_, at, count)| (at, count))
}

/// Returns true if two titles are the same but for the number before one of them.
fn is_same(shown: &str, wanted: &str) -> bool {
    let is_number = |text: &str| {
        let text = ["chapter", "appendix", "part", "section", "kapitel", "chapitre"]
            .iter()
            .find_map(|word| text.strip_prefix(word))
            .unwrap_or(text);
        text.len() <= 6 && (text.chars().all(|c| c.is_ascii_digit() || "ivxabcdefgh".contains(c)))
    };
    shown == wanted
        || shown.strip_suffix(wanted).is_some_and(is_number)
        || (shown.chars().count() > 2 && wanted.strip_suffix(shown).is_some_and(is_number))
}

/// The measures of the rows of a column.
struct BlockLayout {
    left: f64,
    right: f64,
    /// The usual way from one row to the next.
    leading: f64,
}

impl BlockLayout {
    fn of(rows: &[Row]) -> Self {
        let mut steps: Vec<f64> =
            rows.windows(2).map(|pair| pair[1].y - pair[0].y).filter(|step| *step > 1.0).collect();
        steps.sort_by(f64::total_cmp);
        // Gaps between paragraphs are fewer than rows, or all rows are paragraphs.
        let leading = steps.get(steps.len() * 2 / 5).copied().unwrap_or(0.0);
        Self {
            left: rows.iter().map(|row| row.x0).fold(f64::INFINITY, f64::min),
            right: rows.iter().map(|row| row.x1).fold(f64::NEG_INFINITY, f64::max),
            leading,
        }
    }
}

struct PieceList {
    all: Vec<Piece>,
}

impl PieceList {
    fn heading(&mut self, level: usize, page: usize, text: &str) {
        self.all.push(Piece { kind: PieceKind::Heading(level), rows: vec![(page, text.trim().to_owned())] });
    }

    fn more(&mut self, page: usize, text: &str) {
        if let Some(piece) = self.all.last_mut() {
            piece.rows.push((page, text.trim().to_owned()));
        }
    }

    fn row(&mut self, page: usize, row: &Row, before: Option<&Row>, layout: &BlockLayout) {
        let text = row.text.trim();
        if text.is_empty() {
            return;
        }
        if row.is_code {
            // The width of a letter of code is near half of its height.
            let indent = ((row.x0 - layout.left) / (0.55 * row.size)).round().clamp(0.0, 60.0) as usize;
            let line = [" ".repeat(indent).as_str(), row.text.trim_end()].concat();
            let gap = before.map_or(0.0, |before| row.y - before.y);
            match self.all.last_mut() {
                Some(Piece { kind: PieceKind::Code, rows }) if (0.0..4.0 * row.size).contains(&gap) => {
                    if gap > 1.7 * layout.leading.max(row.size) {
                        rows.push((page, String::new()));
                    }
                    rows.push((page, line));
                }
                _ => self.all.push(Piece { kind: PieceKind::Code, rows: vec![(page, line)] }),
            }
            return;
        }
        let bullet = text.strip_prefix(BULLETS).or_else(|| {
            let rest = text.strip_prefix(['–', '-', '*', '—'])?;
            rest.starts_with(' ').then_some(rest)
        });
        if let Some(item) = bullet {
            self.all.push(Piece { kind: PieceKind::Item, rows: vec![(page, item.trim().to_owned())] });
            return;
        }
        match self.all.last_mut() {
            Some(Piece { kind: PieceKind::Text | PieceKind::Item, rows })
                if match before {
                    Some(before) => goes_on(before, row, layout),
                    None => rows.last().is_some_and(|(_, last)| is_open(last, text)),
                } =>
            {
                rows.push((page, text.to_owned()));
            }
            _ => self.all.push(Piece { kind: PieceKind::Text, rows: vec![(page, text.to_owned())] }),
        }
    }
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['"', '”', '’', '\'', ')', ']', '»'])
        .ends_with(['.', '!', '?', ':', ';', '。', '！', '？'])
}

/// Returns true if a paragraph goes on in the next column or on the next page.
fn is_open(last: &str, text: &str) -> bool {
    !ends_sentence(last) && text.starts_with(char::is_lowercase) && last.chars().count() > 20
}

/// Returns true if two rows of a column are of one paragraph.
fn goes_on(before: &Row, row: &Row, layout: &BlockLayout) -> bool {
    let step = row.y - before.y;
    let size = row.size.max(before.size);
    if before.is_code || step < 0.0 || step > (1.35 * layout.leading).max(1.05 * size).min(2.2 * size) {
        return false;
    }
    if (row.size / before.size - 1.0).abs() > 0.15 && row.text.chars().count() > 3 {
        return false;
    }
    let is_short = before.x1 < layout.right - 0.2 * (layout.right - layout.left);
    let ends = ends_sentence(&before.text);
    let indent = row.x0 - before.x0;
    if indent > 0.7 * size && (ends || is_short) && row.x0 > layout.left + 0.7 * size {
        return false;
    }
    if indent < -0.7 * size && ends {
        return false;
    }
    let is_numbered = {
        let digits = row.text.trim_start_matches(|c: char| c.is_ascii_digit());
        digits.len() < row.text.len() && digits.starts_with([')', '.']) && digits[1..].starts_with(' ')
    };
    !((is_numbered && (ends || is_short)) || (ends && is_short && indent.abs() < 0.3 * size))
}

/// Joins rows to running text, with the page before the words that it begins with.
pub(super) fn joined(
    rows: &[(usize, String)],
    words: &Words,
    page: &mut usize,
    turn: &mut dyn FnMut(&mut String, usize),
    escape: fn(&mut String, &str),
    out: &mut String,
) {
    let mut open: Option<&str> = None;
    for (number, text) in rows {
        let mut text = text.as_str();
        if let Some(before) = open {
            match words.between(before, text) {
                Joint::Space => {
                    escape(out, before);
                    out.push(' ');
                }
                Joint::Keep => escape(out, before),
                Joint::Drop => {
                    escape(out, &before[..before.char_indices().next_back().map_or(0, |last| last.0)]);
                }
            }
            // The rest of a divided word is of the page where the word began.
            if *number != *page && words.between(before, text) != Joint::Space {
                let end = text.find(char::is_whitespace).unwrap_or(text.len());
                escape(out, &text[..end]);
                text = &text[end..];
            }
        }
        if *number != *page {
            turn(out, *number);
            *page = *number;
        }
        open = Some(text);
    }
    open.into_iter().for_each(|text| escape(out, text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_table_of_contents_are_known() {
        for text in ["1.2 Tea . . . . . . 45", "Tea ........ 7", "Tea … … 12", "Tea . . . . . 4"] {
            assert!(is_of_contents(text), "{text}");
        }
        for text in ["In 2020", "and so on...", "It ended. 4", "1.2.3.4"] {
            assert!(!is_of_contents(text), "{text}");
        }
    }

    #[test]
    fn titles_are_the_same_without_their_number() {
        for (shown, wanted, same) in [
            ("12greentea", "greentea", true),
            ("greentea", "12greentea", true),
            ("chapter3greentea", "greentea", true),
            ("greentea", "blackgreentea", false),
            ("greenteas", "greentea", false),
            ("", "greentea", false),
        ] {
            assert_eq!(is_same(shown, wanted), same, "{shown} {wanted}");
        }
    }
}
