//! Text for a reader at a terminal: Markdown as it is meant, lines that end at words, and styles.
//!
//! Styles are always written; [`print`] takes them out again if the output is no terminal, or `NO_COLOR` is set.

mod markdown;

use std::ops::Range;

use anstyle::Style;
use ibid_platform::Result;
use ibid_retrieve::Hit;
use textwrap::Options;

/// The most columns of a line: longer ones are hard to read.
const MOST_COLUMNS: usize = 100;
/// The fewest that lines are wrapped to.
const LEAST_COLUMNS: usize = 20;

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
const EMPHASIS: Style = Style::new().italic();
const CODE: Style = anstyle::AnsiColor::Cyan.on_default();
const MATCH: Style = anstyle::AnsiColor::Yellow.on_default().bold();

/// The lines of the output.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    /// The columns of a line; `None` if lines are as long as they come.
    columns: Option<usize>,
}

impl Screen {
    /// Returns the standard output's: as wide as the terminal, without an end in a file or a pipe.
    pub(crate) fn of_stdout() -> Self {
        let size = terminal_size::terminal_size_of(std::io::stdout());
        Self { columns: size.map(|(width, _)| usize::from(width.0).clamp(LEAST_COLUMNS, MOST_COLUMNS)) }
    }

    /// Renders Markdown, with an empty line between blocks and a line's end behind the last one.
    pub(crate) fn markdown(self, text: &str) -> String {
        markdown::render(self, &ibid_trust::cite::tree(text, &[], &[]))
    }

    /// Wraps a text at words, and begins the first line and the others with what is given for each.
    pub(crate) fn wrap(self, text: &str, first: &str, others: &str) -> String {
        let options = Options::new(self.columns.unwrap_or(usize::MAX))
            .initial_indent(first)
            .subsequent_indent(others)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        let mut out = textwrap::fill(text, options);
        out.push('\n');
        out
    }
}

/// Puts a text into a style.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{}{style:#}", plain(text))
}

/// Marks ranges of a text, which do not overlap and are in order.
pub(crate) fn marked(text: &str, ranges: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut end = 0;
    for range in ranges {
        let (Some(before), Some(found)) = (text.get(end..range.start), text.get(range.clone())) else {
            continue;
        };
        out += &plain(before);
        out += &styled(MATCH, found);
        end = range.end;
    }
    out + &plain(text.get(end..).unwrap_or_default())
}

/// Returns the place where a passage can be read: its address at its heading, else its file and line.
pub(crate) fn place(hit: &Hit) -> String {
    match (&hit.url, &hit.anchor) {
        (Some(url), Some(anchor)) if !url.contains('#') => format!("{url}#{anchor}"),
        (Some(url), _) => url.clone(),
        (None, _) => format!("{}:{}", hit.source, hit.line),
    }
}

/// Leaves out control characters, by which a document could write over other lines of a terminal.
fn plain(text: &str) -> String {
    text.chars().filter(|char| !char.is_control() || matches!(char, '\n' | '\t')).collect()
}

/// Writes to the standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    let choice = anstream::AutoStream::choice(&std::io::stdout());
    match choice {
        anstream::ColorChoice::Never => ibid_native::print(&anstream::adapter::strip_str(text).to_string()),
        _ => ibid_native::print(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_words_and_styles_have_no_width() {
        let screen = Screen { columns: Some(20) };
        let text = marked("a text with several words in it", &[7..11, 25..30]);
        let lines = screen.wrap(&text, "1. ", "   ");
        let lines = anstream::adapter::strip_str(&lines).to_string();
        assert_eq!(lines, "1. a text with\n   several words in\n   it\n");
        assert_eq!(Screen { columns: None }.wrap(&"word ".repeat(60), "", "").lines().count(), 1);
    }

    #[test]
    fn a_document_cannot_write_over_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\rc\n"), "a[2Jbc\n");
        assert!(!marked("x\u{9b}1A y", &[]).contains('\u{9b}'));
    }
}
