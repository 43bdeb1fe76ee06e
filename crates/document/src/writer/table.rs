//! The cells of a table, until all are known and it can be written row by row.

use std::ops::Range;

use super::fragment::Fragment;

/// Columns beyond this are written one behind the other, whatever spans they have.
const MAX_COLUMNS: usize = 256;
/// The most rows that one cell reaches over, as in HTML.
const MAX_ROWS: u16 = 65_534;

/// A table that is being read.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The text of all cells.
    pub(super) fragment: Fragment,
    rows: Vec<WrittenRow>,
    /// Tables within cells; their cells are text of the cell they stand in.
    pub(super) inner: usize,
    /// True if a cell is open, of the outermost table.
    pub(super) in_cell: bool,
}

#[derive(Debug, Default)]
struct WrittenRow {
    cells: Vec<Cell>,
    is_head: bool,
}

#[derive(Debug)]
struct Cell {
    text: Range<usize>,
    columns: u16,
    rows: u16,
    is_header: bool,
}

/// A table as it is written: each cell as a range of the fragment, `None` for one that is empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// The cells above each column, from the top; empty where the table has no header.
    pub(super) header: Vec<Vec<Range<usize>>>,
    pub(super) rows: Vec<Vec<Option<Range<usize>>>>,
}

impl Table {
    pub(super) fn row(&mut self, is_head: bool) {
        self.end_cell();
        self.rows.push(WrittenRow { cells: Vec::new(), is_head });
    }

    /// Begins a cell that reaches over that many columns and rows; in HTML 0 rows mean all that are left.
    pub(super) fn cell(&mut self, is_header: bool, columns: u16, rows: u16) {
        self.end_cell();
        if self.rows.is_empty() {
            self.row(false);
        }
        let text = self.fragment.len()..self.fragment.len();
        let rows = if rows == 0 { MAX_ROWS } else { rows.min(MAX_ROWS) };
        if let Some(row) = self.rows.last_mut() {
            row.cells.push(Cell { text, columns: columns.clamp(1, MAX_COLUMNS as u16), rows, is_header });
            self.in_cell = true;
        }
    }

    pub(super) fn end_cell(&mut self) {
        let end = self.fragment.len();
        if let (true, Some(cell)) = (self.in_cell, self.rows.last_mut().and_then(|row| row.cells.last_mut()))
        {
            cell.text.end = end;
        }
        self.in_cell = false;
    }

    /// Returns true if the open cell has no text yet.
    pub(super) fn cell_is_empty(&self) -> bool {
        self.cell_text().is_empty()
    }

    /// The text of the open cell so far.
    pub(super) fn cell_text(&self) -> &str {
        let end = self.fragment.len();
        let cell = self.rows.last().and_then(|row| row.cells.last());
        self.fragment.text(cell.map_or(end, |cell| cell.text.start)..end)
    }

    /// Finds the only cell, of a table that was made for its looks.
    pub(super) fn single_cell(&self) -> Option<Range<usize>> {
        let mut cells = self.rows.iter().flat_map(|row| &row.cells).filter(|cell| !cell.text.is_empty());
        let first = cells.next()?;
        cells.next().is_none().then(|| first.text.clone())
    }

    /// Resolves spans. What reaches over rows is repeated in each, so that a row can be read on its own; over columns,
    /// only in the header. Repetition is bounded by the table's own length, whatever spans it claims.
    pub(super) fn layout(&self) -> Layout {
        let heads = self.head_rows();
        let mut filler = 4 * self.fragment.len() + 16 * self.rows.len() + 1024;
        let mut spend = |cost: usize| {
            let affordable = filler >= cost;
            filler = filler.saturating_sub(cost);
            affordable
        };
        // Of each column, the cell that still reaches into it, and for how many rows.
        let mut reaching: Vec<(u16, Range<usize>)> = Vec::new();
        let mut rows = Vec::with_capacity(self.rows.len());
        for (number, row) in self.rows.iter().enumerate() {
            let mut slots: Vec<Option<Range<usize>>> = Vec::with_capacity(row.cells.len());
            let mut fill = |slots: &mut Vec<_>, text: Option<Range<usize>>| {
                if spend(text.as_ref().map_or(3, |text| text.len() + 3)) {
                    slots.push(text.filter(|text| !text.is_empty()));
                }
            };
            let started = reaching.len();
            let mut began: Vec<(usize, u16, Range<usize>)> = Vec::new();
            for cell in &row.cells {
                while let Some((1.., text)) = reaching[..started].get(slots.len()) {
                    let before = slots.len();
                    fill(&mut slots, Some(text.clone()));
                    if slots.len() == before {
                        break;
                    }
                }
                let column = slots.len();
                slots.push(Some(cell.text.clone()).filter(|text| !text.is_empty()));
                let more =
                    usize::from(cell.columns).min(MAX_COLUMNS.saturating_sub(column)).saturating_sub(1);
                for _ in 0..more {
                    fill(&mut slots, (number < heads).then(|| cell.text.clone()));
                }
                if cell.rows > 1 && column < MAX_COLUMNS {
                    began.extend((column..slots.len()).map(|at| (at, cell.rows, cell.text.clone())));
                }
            }
            // A row of nothing but what reaches into it says nothing.
            if slots.iter().any(Option::is_some) {
                let last = reaching.iter().rposition(|(left, _)| *left > 0).map_or(0, |last| last + 1);
                for (left, text) in reaching.iter().take(last).skip(slots.len()) {
                    fill(&mut slots, (*left > 0).then(|| text.clone()));
                }
            }
            reaching.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
            for (column, left, text) in began {
                if reaching.len() <= column {
                    reaching.resize(column + 1, (0, 0..0));
                }
                reaching[column] = (left - 1, text);
            }
            rows.push(slots);
        }
        with_header(heads, rows)
    }

    /// Finds the rows at the top that name the columns: those said to, else the first one if all its cells are headers.
    fn head_rows(&self) -> usize {
        let said = self.rows.iter().take_while(|row| row.is_head).count();
        let first_is_head =
            |row: &WrittenRow| row.cells.len() > 1 && row.cells.iter().all(|cell| cell.is_header);
        if said == 0 { usize::from(self.rows.first().is_some_and(first_is_head)) } else { said }
    }
}

/// Divides rows into the header and the rest.
fn with_header(heads: usize, mut rows: Vec<Vec<Option<Range<usize>>>>) -> Layout {
    let body = rows.split_off(heads);
    let has_text = |row: &Vec<Option<Range<usize>>>| row.iter().any(Option::is_some);
    let body: Vec<_> = body.into_iter().filter(has_text).collect();
    if body.is_empty() {
        return Layout { header: Vec::new(), rows: rows.into_iter().filter(has_text).collect() };
    }
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut header: Vec<Vec<Range<usize>>> = vec![Vec::new(); width];
    for row in &rows {
        for (column, text) in header.iter_mut().zip(row) {
            if let Some(text) = text
                && column.last() != Some(text)
            {
                column.push(text.clone());
            }
        }
    }
    if header.iter().all(Vec::is_empty) {
        header.clear();
    }
    Layout { header, rows: body }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows, each with whether it is of the head, and its cells with the columns and rows that they reach over.
    type Rows<'a> = [(bool, &'a [(&'a str, u16, u16)])];

    fn table(rows: &Rows<'_>) -> Table {
        let mut table = Table::default();
        for (is_head, cells) in rows {
            table.row(*is_head);
            for (text, columns, rows) in *cells {
                table.cell(*is_head, *columns, *rows);
                table.fragment.push(text, None);
            }
        }
        table.end_cell();
        table
    }

    fn shown(table: &Table) -> (Vec<String>, Vec<String>) {
        let Layout { header, rows } = table.layout();
        let text = |range: &Range<usize>| table.fragment.text(range.clone()).to_owned();
        let header =
            header.iter().map(|column| column.iter().map(text).collect::<Vec<_>>().join("/")).collect();
        let row = |row: &Vec<Option<Range<usize>>>| {
            row.iter().map(|cell| cell.as_ref().map_or(String::new(), text)).collect::<Vec<_>>().join(",")
        };
        (header, rows.iter().map(row).collect())
    }

    #[test]
    fn spans_are_resolved() {
        let table = table(&[
            (true, &[("Drug", 1, 2), ("Dose", 2, 1)]),
            (true, &[("adult", 1, 1), ("child", 1, 1)]),
            (false, &[("A", 1, 2), ("1", 1, 1), ("2", 1, 1)]),
            (false, &[("3", 1, 1), ("4", 1, 3)]),
            (false, &[("B", 2, 1)]),
            (false, &[]),
        ]);
        let (header, rows) = shown(&table);
        assert_eq!(header, ["Drug", "Dose/adult", "Dose/child"]);
        assert_eq!(rows, ["A,1,2", "A,3,4", "B,,4"]);
    }

    #[test]
    fn a_header_is_told_by_its_cells_or_missing() {
        let mut plain = Table::default();
        for (is_header, texts) in [(true, ["a", "b"]), (false, ["1", "2"])] {
            plain.row(false);
            for text in texts {
                plain.cell(is_header, 1, 1);
                plain.fragment.push(text, None);
            }
        }
        plain.end_cell();
        assert_eq!(shown(&plain).0, ["a", "b"]);
        assert_eq!(shown(&table(&[(false, &[("1", 1, 1), ("2", 1, 1)])])).0, [""; 0]);
        // Where there is nothing below it, a header is the table.
        assert_eq!(shown(&table(&[(true, &[("1", 1, 1), ("2", 1, 1)])])), (vec![], vec!["1,2".to_owned()]));
    }

    #[test]
    fn claimed_spans_cost_no_more_than_the_table_is_long() {
        let cells: &[(&str, u16, u16)] = &[("x", u16::MAX, 0)];
        let table = table(&vec![(false, cells); 2000]);
        let slots: usize = table.layout().rows.iter().map(Vec::len).sum();
        assert!(slots < 20_000, "{slots}");
    }
}
