//! Tables, drawn or listed, as those of markdown.

use std::ops::Range;

use super::blocks::is_border;
use super::{RstLine, RstWriter};

/// A row as it grows: its cells, and the lines that it is made of.
struct DrawnRow {
    cells: Vec<String>,
    place: Range<usize>,
}

impl DrawnRow {
    fn new(line: &RstLine) -> Self {
        Self { cells: Vec::new(), place: line.range() }
    }

    /// Adds text to a cell behind what it has.
    fn add(&mut self, cell: usize, text: &str, line: &RstLine) {
        if self.cells.len() <= cell {
            self.cells.resize_with(cell + 1, String::new);
        }
        let text = text.trim();
        let into = &mut self.cells[cell];
        if !into.is_empty() && !text.is_empty() {
            into.push(' ');
        }
        into.push_str(text);
        self.place.end = line.end.max(self.place.end);
    }
}

impl RstWriter<'_> {
    /// Writes a table with lines around its cells: `+---+---+`.
    pub(super) fn grid(&mut self, lines: &[RstLine]) {
        let Some((first, lines)) = lines.split_first() else { return };
        let starts: Vec<usize> =
            self.str(first).char_indices().filter(|(_, c)| *c == '+').map(|(at, _)| at + 1).collect();
        let mut rows: Vec<DrawnRow> = Vec::new();
        let mut is_open = false;
        for line in lines {
            let body = self.str(line);
            if body.starts_with('+') && body.chars().all(|c| "+-=".contains(c)) {
                is_open = false;
                continue;
            }
            if !std::mem::replace(&mut is_open, true) {
                rows.push(DrawnRow::new(line));
            }
            let Some(row) = rows.last_mut() else { continue };
            // Wide characters move the bars, of which there are as many as columns then.
            let parts: Vec<&str> = body.split('|').collect();
            let cells = if parts.len() == starts.len() + 1 {
                parts[1..starts.len()].iter().copied().enumerate().collect()
            } else {
                cells(body, &starts, &['|', '+'])
            };
            for (cell, text) in cells {
                let text = text.trim_matches('|');
                // The line below a cell that is lower than its neighbours.
                let is_line = text.len() > 1 && text.chars().all(|c| "+-=".contains(c));
                row.add(cell, if is_line { "" } else { text }, line);
            }
        }
        self.table(rows);
    }

    /// Writes a table whose columns lines of `=` above and below show.
    pub(super) fn simple_table(&mut self, lines: &[RstLine]) {
        let Some(first) = lines.first() else { return };
        let border = self.str(first);
        let is_start = |at: &usize| border[*at..].starts_with('=') && !border[..*at].ends_with('=');
        let starts: Vec<usize> = (0..border.len()).filter(is_start).collect();
        let mut rows: Vec<DrawnRow> = Vec::new();
        for line in lines {
            let body = self.str(line);
            let is_line = is_border(body) || body.bytes().all(|byte| b"- ".contains(&byte));
            if is_line {
                continue;
            }
            let indent = " ".repeat(line.indent.saturating_sub(first.indent).min(border.len()));
            let whole = [&indent, body].concat();
            let found = cells(&whole, &starts, &[' ']);
            let continues = found.first().is_none_or(|(_, text)| text.trim().is_empty());
            if rows.is_empty() || !continues {
                rows.push(DrawnRow::new(line));
            }
            let Some(row) = rows.last_mut() else { continue };
            for (cell, text) in found {
                row.add(cell, text, line);
            }
        }
        self.table(rows);
    }

    /// Writes a table whose rows are the items of a list, with a list of cells in each.
    pub(super) fn list_table(&mut self, lines: &[RstLine]) {
        let mut rows: Vec<DrawnRow> = Vec::new();
        let item = |body: &str| {
            body.starts_with(['*', '-']) && body[1..].starts_with([' ', '\0'])
                || body.len() == 1 && "*-".contains(body)
        };
        let mut inner = None;
        for line in lines.iter().filter(|line| !line.is_blank()) {
            let mut line = *line;
            let base = lines.iter().find(|line| !line.is_blank()).map_or(0, |line| line.indent);
            if line.indent <= base && item(self.str(&line)) {
                rows.push(DrawnRow::new(&line));
                line = line.from(self.text, 1);
                inner.get_or_insert(line.indent);
                if item(self.str(&line)) {
                    inner = Some(line.indent);
                }
            }
            let Some(row) = rows.last_mut() else { continue };
            let mut cell = row.cells.len().saturating_sub(1);
            if Some(line.indent) == inner && item(self.str(&line)) {
                cell = row.cells.len();
                line = line.from(self.text, 1);
            }
            row.add(cell, &self.text[line.range()], &line);
        }
        self.table(rows);
    }

    /// Writes a table of values between commas, in quotation marks perhaps.
    pub(super) fn csv_table(&mut self, header: &str, first: &RstLine, lines: &[RstLine]) {
        let mut rows: Vec<DrawnRow> = Vec::new();
        // True within quotation marks, which may reach over lines.
        let mut is_quoted = false;
        let header = Some((header, first)).filter(|(header, _)| !header.is_empty());
        let lines = lines.iter().map(|line| (&self.text[line.range()], line));
        for (body, line) in header.into_iter().chain(lines) {
            if body.is_empty() {
                continue;
            }
            if !is_quoted || rows.is_empty() {
                rows.push(DrawnRow::new(line));
            }
            let Some(row) = rows.last_mut() else { continue };
            let mut cell = row.cells.len().saturating_sub(1);
            let mut start = 0;
            for (at, c) in body.char_indices().chain([(body.len(), ',')]) {
                is_quoted ^= c == '"';
                if c == ',' && (!is_quoted || at == body.len()) {
                    row.add(
                        cell,
                        &body[start..at]
                            .replace("\"\"", "\u{201d}")
                            .replace('"', "")
                            .replace('\u{201d}', "\""),
                        line,
                    );
                    (cell, start) = (cell + 1, at + 1);
                }
            }
        }
        self.table(rows);
    }

    fn table(&mut self, rows: Vec<DrawnRow>) {
        let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
        let Some(start) = rows.first().map(|row| row.place.start).filter(|_| columns > 0) else { return };
        self.flush(start);
        self.block();
        for (number, mut row) in rows.into_iter().enumerate() {
            if number == 0 {
                row.cells.resize_with(columns, String::new);
            }
            let mut line = "|".to_owned();
            for cell in &row.cells {
                let shown = self.inline(cell, true).replace('|', "\\|");
                line.push_str(&[" ", shown.trim(), " |"].concat());
            }
            let end = row.place.end;
            self.line(&line, row.place);
            if number == 0 {
                self.line(&["|", &"---|".repeat(columns)].concat(), end..end);
            }
        }
    }
}

/// Splits the cells of a line by the columns that they start in, with their numbers. One reaches over the start of the
/// next where none of the marks stands before that.
fn cells<'a>(line: &'a str, starts: &[usize], marks: &[char]) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    let mut begun = (0, 0);
    let mut number = 0;
    let mut before = marks[0];
    for (column, (at, c)) in line.char_indices().enumerate() {
        if starts.get(number) == Some(&column) {
            if marks.contains(&before) {
                if number > 0 {
                    found.push((begun.0, &line[begun.1..at]));
                }
                begun = (number, at);
            }
            number += 1;
        }
        before = c;
    }
    if number > 0 && begun.1 < line.len() {
        found.push((begun.0, &line[begun.1..]));
    }
    found
}
