//! The way through lines: which block each one begins.

use super::{RstLine, RstWriter};
use crate::Generator;

/// Blocks that are nested deeper are read as lines of text.
const MAX_DEPTH: usize = 24;

impl RstWriter<'_> {
    /// Writes the blocks of lines that belong together.
    pub(super) fn blocks(&mut self, lines: &[RstLine], depth: usize) {
        if depth > MAX_DEPTH {
            self.block();
            return lines
                .iter()
                .filter(|line| !line.is_blank())
                .for_each(|line| self.words(self.str(line), &[*line]));
        }
        let mut at = 0;
        let (mut is_list, mut tables_end) = (false, true);
        let mut base = None;
        while let Some(line) = lines.get(at).copied() {
            if line.is_blank() {
                at += 1;
                continue;
            }
            let base = *base.get_or_insert(line.indent);
            let was_list = std::mem::take(&mut is_list);
            if line.indent > base {
                let end = inner(lines, at, base);
                self.blocks(&lines[at..end], depth + 1);
                at = end;
                continue;
            }
            let body = self.str(&line);
            if body == ".." || body.starts_with(".. ") {
                // An empty comment takes nothing with it.
                let is_empty = body == ".." && lines.get(at + 1).is_some_and(RstLine::is_blank);
                let end = if is_empty { at + 1 } else { inner(lines, at + 1, base) };
                self.explicit(&lines[at..end], depth);
                at = end;
                continue;
            }
            if let Some(length) = self.heading(&lines[at..]) {
                at += length;
                continue;
            }
            let item = marker(body).map(|(length, mark)| (length, mark, ""));
            let item = item.or_else(|| field(body).map(|(name, length)| (length, "- ".to_owned(), name)));
            if let Some((length, mark, name)) = item {
                let end = inner(lines, at + 1, base);
                // Fields above all text are for the program.
                if name.is_empty() || !self.out.text.is_empty() {
                    let content = [&[line.from(self.text, length)], &lines[at + 1..end]].concat();
                    let lead =
                        if name.is_empty() { name } else { &[&self.inline(name, true), ": "].concat() };
                    self.gap |= !was_list && !std::mem::take(&mut self.is_first);
                    self.item(&mark, line.start, |writer| {
                        writer.lead.push_str(lead);
                        writer.blocks(&content, depth + 1);
                    });
                }
                (at, is_list) = (end, true);
                continue;
            }
            at = self
                .drawn(lines, at, &mut tables_end)
                .unwrap_or_else(|| self.paragraph(lines, at, base, depth));
        }
    }

    /// Writes what marks at the beginning of its lines show: a table, verse, a session, a rule; returns where it ends.
    /// `tables_end` is true as long as the end of a table may still come.
    fn drawn(&mut self, lines: &[RstLine], at: usize, tables_end: &mut bool) -> Option<usize> {
        let text = self.text;
        let body = &text[lines[at].range()];
        let end_of = |is_part: &dyn Fn(&str) -> bool| {
            at + lines[at..].iter().take_while(|line| is_part(&text[line.range()])).count()
        };
        if body.starts_with("+-") || body.starts_with("+=") {
            let end = end_of(&|body| body.starts_with(['+', '|']));
            self.grid(&lines[at..end]);
            return Some(end);
        }
        if is_border(body) && *tables_end {
            let is_end = |at: &usize| {
                is_border(&text[lines[*at].range()]) && lines.get(at + 1).is_none_or(RstLine::is_blank)
            };
            if let Some(end) = (at + 1..lines.len()).find(is_end) {
                self.simple_table(&lines[at..=end]);
                return Some(end + 1);
            }
            *tables_end = false;
            return None;
        }
        if body.starts_with("| ") || body == "|" {
            let end = end_of(&|body| body.starts_with('|'));
            self.block();
            for line in &lines[at..end] {
                let rest = line.from(text, 1);
                self.words(self.str(&rest), &[rest]);
            }
            return Some(end);
        }
        if body.starts_with(">>> ") {
            let end = end_of(&|body| !body.is_empty());
            self.code(&lines[at..end], "python");
            return Some(end);
        }
        let is_nothing = body.starts_with("__ ") || (is_adornment(body) && body.len() >= 4);
        is_nothing.then_some(at + 1)
    }

    /// Writes a paragraph, a term with its definition, or what introduces code, with the code; returns where it ends.
    fn paragraph(&mut self, lines: &[RstLine], at: usize, base: usize, depth: usize) -> usize {
        let is_part = |line: &&RstLine| !line.is_blank() && line.indent <= base;
        let end = at + lines[at..].iter().take_while(is_part).count();
        let inner = inner(lines, end, base);
        let whole = self.joined(&lines[at..end]);
        if let Some(shown) = whole.strip_suffix("::") {
            // The text keeps one colon, unless both stand apart.
            let stands_alone = shown.is_empty() || shown.ends_with(char::is_whitespace);
            let words = if stands_alone { shown.trim_end() } else { &whole[..whole.len() - 1] };
            if !words.is_empty() {
                self.block();
                self.words(words, &lines[at..end]);
            }
            self.code(&lines[end..inner], self.language);
            return inner;
        }
        self.block();
        if end > at + 1 || lines.get(end).is_none_or(RstLine::is_blank) {
            self.words(&whole, &lines[at..end]);
            return end;
        }
        self.item("- ", lines[at].start, |writer| {
            writer.words(&whole, &lines[at..end]);
            writer.is_first = true;
            writer.blocks(&lines[end..inner], depth + 1);
        });
        inner
    }

    /// Writes the heading that lines begin with; returns how many those are.
    fn heading(&mut self, lines: &[RstLine]) -> Option<usize> {
        let first = self.str(lines.first()?);
        let second = self.str(lines.get(1).filter(|line| !line.is_blank())?);
        let third = lines.get(2).map_or("", |line| self.str(line));
        let fits = |line: &str, title: &str| {
            is_adornment(line) && (line.len() >= 4 || line.len() >= title.chars().count())
        };
        let is_over = fits(first, second) && third == first;
        let (title, under) = if is_over { (second, third) } else { (first, second) };
        if is_adornment(title) || !(is_over || fits(under, title)) {
            return None;
        }
        let style = (under.chars().next()?, is_over);
        let level = self.styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        let (mut words, named) = (self.inline(title, true), self.inline(title, false));
        // Attributes in braces are no part of these titles.
        if words.ends_with('}') {
            words.truncate(words.len() - 1);
            words.push_str("&#125;");
        }
        // Ids are made of what titles say before names stand for something.
        if words != named {
            words.push_str(&[" {#", &Generator::Sphinx.slug(&named), "}"].concat());
        }
        let line = lines[usize::from(is_over)];
        self.flush(line.start);
        self.gap = true;
        self.line(&[&"######"[..(level + 1).min(6)], " ", &words].concat(), line.range());
        self.gap = true;
        Some(2 + usize::from(is_over))
    }
}

/// Finds the end of the lines that are part of what begins above them, at the column `base`.
fn inner(lines: &[RstLine], from: usize, base: usize) -> usize {
    let is_inner = |line: &&RstLine| line.is_blank() || line.indent > base;
    from + lines[from..].iter().take_while(is_inner).count()
}

/// A line of one punctuation mark.
fn is_adornment(line: &str) -> bool {
    let mark = line.as_bytes().first().copied().unwrap_or_default();
    mark.is_ascii_punctuation() && line.bytes().all(|byte| byte == mark)
}

/// A line above, in or below a table without other lines: `=====  ===`.
pub(super) fn is_border(line: &str) -> bool {
    line.starts_with("==") && line.contains(' ') && line.bytes().all(|byte| byte == b'=' || byte == b' ')
}

/// Reads the length of the mark that an item begins with, and the mark that it has in markdown.
fn marker(body: &str) -> Option<(usize, String)> {
    let word = body.split(char::is_whitespace).next().unwrap_or_default();
    if matches!(word, "-" | "*" | "+" | "•" | "‣") {
        return Some((word.len(), "- ".to_owned()));
    }
    let number = word.strip_prefix('(').unwrap_or(word).strip_suffix(['.', ')'])?;
    let is_number = number == "#" || (number.len() < 4 && number.bytes().all(|byte| byte.is_ascii_digit()));
    let written = if number == "#" { "1" } else { number };
    (is_number && !number.is_empty()).then(|| (word.len(), [written, ". "].concat()))
}

/// Reads the name of the field that a line is, and its length with the colons: `:name: value`.
pub(super) fn field(body: &str) -> Option<(&str, usize)> {
    let inner = body.strip_prefix(':')?;
    let length = inner.find(": ").or_else(|| inner.strip_suffix(':').map(str::len))?;
    let name = &inner[..length];
    (!name.is_empty() && !name.contains('`') && !name.starts_with([' ', ':'])).then_some((name, length + 2))
}
