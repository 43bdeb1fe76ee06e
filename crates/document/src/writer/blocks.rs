//! Lists, code, captions and tables.

use std::ops::Range;

use super::table::Table;
use super::{BlockKind, Fragment, Line, Open, Writer};

impl Writer<'_> {
    /// Ends a paragraph, if one is open; within a list what follows begins a line, within a cell it follows on.
    pub(crate) fn paragraph_break(&mut self) {
        if self.joined > 0 {
            self.space = true;
            self.stop |= self.joins_sentences;
        } else if self.heading.is_some() || self.table.is_some() || self.in_caption {
            self.space = true;
        } else if self.lists.is_empty() {
            self.close_block();
        } else if self.line == Line::Same {
            self.line = Line::Next;
        }
    }

    /// Ends a line within a paragraph.
    pub(crate) fn line_break(&mut self) {
        if self.joined > 0 || self.heading.is_some() || self.table.is_some() || self.in_caption {
            self.space = true;
        } else if self.line == Line::Same {
            self.line = Line::Next;
        }
    }

    /// Begins an element whose paragraphs are written as one, as sentences or only with spaces between them.
    pub(crate) fn join_start(&mut self, as_sentences: bool) {
        self.joined += 1;
        self.joins_sentences = as_sentences;
    }

    /// Ends it. What follows is part of the same paragraph until it is ended too.
    pub(crate) fn join_end(&mut self) {
        self.joined = self.joined.saturating_sub(1);
        self.stop = false;
    }

    pub(crate) fn list_start(&mut self, is_numbered: bool) {
        if self.lists.is_empty() && !self.is_aside() {
            self.close_block();
        }
        self.lists.push(is_numbered.then_some(1));
    }

    pub(crate) fn list_end(&mut self) {
        self.lists.pop();
        if self.is_aside() {
            self.space = true;
        } else if self.lists.is_empty() {
            self.close_block();
        } else {
            self.line = Line::Next;
        }
    }

    pub(crate) fn item_start(&mut self) {
        if self.is_aside() {
            // Items in a cell follow each other on one line.
            let is_first = self.table.as_ref().is_none_or(Table::cell_is_empty) && self.caption.len() == 0;
            if !is_first {
                self.space = false;
                self.put(";", None);
            }
            self.space = true;
            return;
        }
        if self.lists.is_empty() {
            self.list_start(false);
        }
        if let Some(Some(number)) = self.lists.last_mut() {
            *number = number.saturating_add(1);
        }
        self.line = Line::Item;
    }

    /// Begins the caption of the table that is open or comes next.
    pub(crate) fn caption_start(&mut self) {
        if self.caption.len() > 0 {
            self.in_caption = true;
            self.end_sentence();
        }
        self.in_caption = true;
    }

    pub(crate) fn caption_end(&mut self) {
        self.in_caption = false;
        self.space = false;
        self.stop = false;
    }

    /// Writes a caption for which there was no table as a paragraph.
    pub(crate) fn caption_flush(&mut self) {
        if self.table.is_none() && self.caption.len() > 0 {
            self.caption_end();
            self.paragraph_break();
            let caption = std::mem::take(&mut self.caption);
            self.put_fragment_as_text(&caption, 0..caption.len());
            self.paragraph_break();
        }
    }

    pub(crate) fn table_start(&mut self) {
        if self.heading.is_some() {
            self.heading_end();
        }
        if let Some(table) = &mut self.table {
            table.inner += 1;
        } else {
            self.paragraph_break();
            self.table = Some(Table::default());
        }
        self.space = true;
    }

    pub(crate) fn row_start(&mut self, is_head: bool) {
        match &mut self.table {
            Some(table) if table.inner == 0 => table.row(is_head),
            _ => self.space = true,
        }
    }

    /// Begins a cell that reaches over that many columns and rows, 1 each for most.
    pub(crate) fn cell_start(&mut self, is_header: bool, columns: u16, rows: u16) {
        match &mut self.table {
            Some(table) if table.inner == 0 => {
                table.cell(is_header, columns, rows);
                self.space = false;
            }
            _ => self.space = true,
        }
    }

    pub(crate) fn cell_end(&mut self) {
        match &mut self.table {
            Some(table) if table.inner == 0 => table.end_cell(),
            _ => self.space = true,
        }
    }

    pub(crate) fn table_end(&mut self) {
        self.in_caption = false;
        let Some(table) = &mut self.table else { return };
        if table.inner > 0 {
            table.inner -= 1;
            self.space = true;
            return;
        }
        table.end_cell();
        let Some(table) = self.table.take() else { return };
        (self.space, self.stop, self.joined) = (false, false, 0);
        if let Some(cell) = table.single_cell() {
            self.caption_flush();
            self.put_fragment_as_text(&table.fragment, cell);
            return self.paragraph_break();
        }
        if self.lists.is_empty() {
            self.write_table(&table);
        } else {
            self.caption_flush();
            self.write_rows(&table);
            self.paragraph_break();
        }
    }

    /// Writes a table as a block of its own.
    fn write_table(&mut self, table: &Table) {
        let caption = std::mem::take(&mut self.caption);
        if table.single_cell().is_none() && table.fragment.len() == 0 {
            self.caption = caption;
            return self.caption_flush();
        }
        self.open_block(Open::Paragraph);
        let Some((_, start)) = self.block.take() else { return };
        if caption.len() > 0 {
            self.put_fragment(&caption, 0..caption.len());
            self.out.push_str("\n\n");
        }
        let header = self.write_rows(table);
        let header = if header > start { start..header } else { start..start };
        self.add_block(BlockKind::Table { header }, start..self.out.len());
    }

    /// Writes the rows of a table, each as a line. Returns where those that name the columns end.
    fn write_rows(&mut self, table: &Table) -> usize {
        let layout = table.layout();
        let in_list = !self.lists.is_empty();
        let mut header_end = self.out.len();
        let begin_line = |writer: &mut Self| {
            if in_list {
                writer.line = Line::Next;
                writer.prepare();
            }
            writer.out.push('|');
        };
        if !layout.header.is_empty() {
            begin_line(self);
            for names in &layout.header {
                self.out.push(' ');
                for (number, name) in names.iter().enumerate() {
                    self.out.push_str(if number > 0 { " / " } else { "" });
                    self.put_fragment(&table.fragment, name.clone());
                }
                self.out.push_str(" |");
            }
            if !in_list {
                self.out.push_str("\n|");
                self.out.extend(layout.header.iter().map(|_| " --- |"));
                self.out.push('\n');
            }
            header_end = self.out.len();
        }
        for (number, row) in layout.rows.iter().enumerate() {
            if number > 0 && !in_list {
                self.out.push('\n');
            }
            begin_line(self);
            for cell in row {
                self.out.push(' ');
                if let Some(cell) = cell {
                    self.put_fragment(&table.fragment, cell.clone());
                    self.out.push(' ');
                }
                self.out.push('|');
            }
        }
        header_end
    }

    /// Writes what was set aside, in a paragraph or an item.
    fn put_fragment_as_text(&mut self, fragment: &Fragment, range: Range<usize>) {
        self.prepare();
        self.put_fragment(fragment, range);
    }

    fn put_fragment(&mut self, fragment: &Fragment, range: Range<usize>) {
        for (text, read) in fragment.pieces(range) {
            self.put(text, read);
        }
    }

    /// Returns true if text goes somewhere else than into a block.
    pub(super) fn is_aside(&self) -> bool {
        self.table.is_some() || self.in_caption || self.joined > 0
    }
}
