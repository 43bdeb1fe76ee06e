//! A tree of Markdown as lines.

use anstyle::Style;
use ibid_trust::cite::Node;
use textwrap::core::display_width;

use super::{CODE, EMPHASIS, FAINT, STRONG, Screen, plain, styled};

/// The space between two columns of a table.
const GAP: usize = 2;

/// Renders blocks.
pub(super) fn render(screen: Screen, blocks: &[Node]) -> String {
    let mut lines = Lines { screen, out: String::new() };
    lines.blocks(blocks, "", "");
    lines.out
}

/// The lines so far.
struct Lines {
    screen: Screen,
    out: String,
}

impl Lines {
    /// Adds blocks. The first line begins with `first`, all others with `others`.
    fn blocks(&mut self, blocks: &[Node], first: &str, others: &str) {
        let mut begin = first;
        for (at, block) in blocks.iter().enumerate() {
            if at > 0
                && !(matches!(block, Node::List { .. }) && is_line(&blocks[at - 1]) && !others.is_empty())
            {
                self.line(&[others.trim_end()]);
            }
            self.block(block, begin, others);
            begin = others;
        }
        if blocks.is_empty() {
            self.wrap("", first, others);
        }
    }

    fn block(&mut self, block: &Node, first: &str, others: &str) {
        match block {
            Node::Paragraph { children } => self.wrap(&inline(children, Style::new()), first, others),
            Node::Heading { children, .. } => self.wrap(&inline(children, STRONG), first, others),
            Node::List { start, children, .. } => self.list(*start, children, first, others),
            Node::Item { children } => self.blocks(children, first, others),
            Node::Table { header, rows, .. } => self.table(header, rows, first, others),
            Node::CodeBlock { children, .. } => self.code(&text(children), first, others),
            Node::BlockQuote { children } => {
                self.blocks(children, &format!("{first}│ "), &format!("{others}│ "));
            }
            Node::ThematicBreak => self.wrap(&styled(FAINT, "───"), first, others),
            other => self.wrap(&inline(std::slice::from_ref(other), Style::new()), first, others),
        }
    }

    /// Adds a line that is not wrapped.
    fn line(&mut self, parts: &[&str]) {
        self.out.extend(parts.iter().copied().chain(["\n"]));
    }

    fn wrap(&mut self, text: &str, first: &str, others: &str) {
        self.out += &self.screen.wrap(text, first, others);
    }

    fn list(&mut self, start: Option<u32>, items: &[Node], first: &str, others: &str) {
        for (number, item) in (start.unwrap_or_default()..).zip(items) {
            let bullet = if start.is_some() { format!("{number}. ") } else { "- ".to_owned() };
            let space = " ".repeat(bullet.len());
            let begin = if number == start.unwrap_or_default() { first } else { others };
            self.block(item, &format!("{begin}{bullet}"), &format!("{others}{space}"));
        }
    }

    fn code(&mut self, code: &str, first: &str, others: &str) {
        for (at, line) in code.trim_end().lines().enumerate() {
            let begin = if at == 0 { first } else { others };
            self.line(&[begin, "    ", &styled(CODE, line)]);
        }
    }

    /// Adds a table: columns if they fit in a line, else a line for each cell with its column's name.
    fn table(&mut self, header: &[Node], rows: &[Vec<Node>], first: &str, others: &str) {
        let cells = |row: &[Node], style| -> Vec<String> {
            row.iter().map(|cell| inline(std::slice::from_ref(cell), style)).collect()
        };
        let names = cells(header, STRONG);
        let rows: Vec<Vec<String>> = rows.iter().map(|row| cells(row, Style::new())).collect();
        let lines = || std::iter::once(&names).chain(&rows);
        let width = |column: usize| lines().map(|row| display_width(&row[column])).max().unwrap_or_default();
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        let whole = widths.iter().sum::<usize>() + GAP * widths.len() + others.len();
        if self.screen.columns.is_none_or(|columns| whole <= columns) {
            for (at, row) in lines().enumerate() {
                let padded = row
                    .iter()
                    .zip(&widths)
                    .map(|(cell, width)| format!("{cell}{}", " ".repeat(width + GAP - display_width(cell))));
                let line: String = padded.collect();
                self.line(&[if at == 0 { first } else { others }, line.trim_end()]);
            }
            return;
        }
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                self.line(&[others.trim_end()]);
            }
            for (column, (name, cell)) in names.iter().zip(row).enumerate() {
                let begin = if at + column == 0 { first } else { others };
                self.wrap(&format!("{name}: {cell}"), begin, &format!("{others}  "));
            }
        }
    }
}

/// Says whether a block is a line of text that a list may follow at once.
fn is_line(block: &Node) -> bool {
    matches!(block, Node::Paragraph { .. })
}

/// Writes inline content in a style, which what is in it adds to.
fn inline(nodes: &[Node], style: Style) -> String {
    let mut out = String::new();
    for node in nodes {
        match node {
            Node::Text { text, .. } => out += &on(style, &text.replace('\n', " ")),
            Node::Citation { number, .. } => out += &on(style, &format!("[{number}]")),
            Node::LineBreak => out.push('\n'),
            Node::Code { children } => out += &on(CODE | style.get_effects(), &text(children)),
            Node::Strong { children } => out += &inline(children, style | STRONG.get_effects()),
            Node::Emphasis { children } => out += &inline(children, style | EMPHASIS.get_effects()),
            Node::Strikethrough { children } | Node::Link { children, .. } | Node::Cell { children } => {
                out += &inline(children, style);
            }
            // No block is inline.
            _ => {}
        }
    }
    out
}

/// Puts a text into a style, if it is any.
fn on(style: Style, text: &str) -> String {
    if style.is_plain() { plain(text) } else { styled(style, text) }
}

/// Returns the texts of nodes as they are.
fn text(nodes: &[Node]) -> String {
    let texts = nodes.iter().map(|node| match node {
        Node::Text { text, .. } => text.clone(),
        Node::Citation { number, .. } => format!("[{number}]"),
        _ => String::new(),
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(columns: Option<usize>, markdown: &str) -> String {
        anstream::adapter::strip_str(&Screen { columns }.markdown(markdown)).to_string()
    }

    #[test]
    fn signs_of_markdown_go_and_what_they_mean_stays() {
        let text = "## Seeds\n\nKeep **dry** `seed` [here](https://x.example/).\n\n- one\n- two\n  1. three\n\n```sh\nls -l\n```\n\n> said\n";
        assert_eq!(
            shown(None, text),
            "Seeds\n\nKeep dry seed here.\n\n- one\n- two\n  1. three\n\n    ls -l\n\n│ said\n"
        );
        let styled = Screen { columns: None }.markdown("# A\n\n**b** `c`");
        assert!(
            styled.contains("\u{1b}[1mA") && styled.contains("\u{1b}[1mb") && styled.contains("\u{1b}[36mc")
        );
    }

    #[test]
    fn lines_of_items_and_quotes_go_on_below_their_text() {
        assert_eq!(shown(Some(20), "- some words that are long\n"), "- some words that\n  are long\n");
        assert_eq!(shown(Some(20), "> some words that are long\n"), "│ some words that\n│ are long\n");
        assert_eq!(shown(None, "9. a\n10. b\n\n    more\n"), "9. a\n10. b\n\n    more\n");
    }

    #[test]
    fn tables_have_columns_or_a_line_for_each_cell() {
        let table = "| drug | dose |\n| --- | --- |\n| zinc | 10 mg a day |\n| iron | 60 mg |\n";
        assert_eq!(shown(Some(40), table), "drug  dose\nzinc  10 mg a day\niron  60 mg\n");
        let narrow = shown(Some(20), &table.replace("a day", "a day in the morning"));
        assert_eq!(narrow, "drug: zinc\ndose: 10 mg a day in\n  the morning\n\ndrug: iron\ndose: 60 mg\n");
    }
}
