//! Taking over text: white space is collapsed, references are resolved, all else is copied in long runs.

use std::ops::Range;

use super::reference::reference;
use super::{Apart, Line, MAX_INDENT, Open, Writer};
use ibid_text::is_unspaced;

/// The meaning of a byte of text to the writer.
const PLAIN: u8 = 0;
const SPACE: u8 = 1;
/// `&`, `|`, and the first byte of a no-break space and a soft hyphen.
const SPECIAL: u8 = 2;

const CLASS: [u8; 256] = {
    let mut class = [PLAIN; 256];
    class[b' ' as usize] = SPACE;
    class[b'\t' as usize] = SPACE;
    class[b'\n' as usize] = SPACE;
    class[b'\r' as usize] = SPACE;
    class[0x0C] = SPACE;
    class[b'&' as usize] = SPECIAL;
    class[b'|' as usize] = SPECIAL;
    class[0xC2] = SPECIAL;
    class
};

impl Writer<'_> {
    /// Takes over the text of a range of the file, in which references stand for characters.
    pub(crate) fn text(&mut self, range: Range<usize>) {
        self.take(range, true);
    }

    /// Takes over the text of a range of the file as it stands there.
    pub(crate) fn verbatim(&mut self, range: Range<usize>) {
        self.take(range, false);
    }

    fn take(&mut self, range: Range<usize>, has_references: bool) {
        let source = self.source;
        let Some(text) = source.get(range.clone()) else { return };
        if self.in_code() {
            return self.take_code(range.start, text, has_references);
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let read = |length: usize| range.start + at..range.start + at + length;
            match (byte, bytes.get(at + 1)) {
                (0xC2, Some(0xA0)) => {
                    self.space = true;
                    at += 2;
                }
                // A soft hyphen says where a word may be broken, which would keep it from being found.
                (0xC2, Some(0xAD)) => at += 2,
                (b'&', _) if has_references && let Some((decoded, length)) = reference(&text[at..]) => {
                    match decoded.as_str() {
                        "\u{AD}" => {}
                        blank if blank.chars().all(char::is_whitespace) => self.space = true,
                        "|" if self.in_cell() => self.word("\\|", read(length)),
                        decoded => self.word(decoded, read(length)),
                    }
                    at += length;
                }
                (b'|', _) if self.in_cell() => {
                    self.word("\\|", read(1));
                    at += 1;
                }
                _ if CLASS[usize::from(byte)] == SPACE => {
                    self.space = true;
                    at += 1;
                }
                _ => {
                    let length = plain_length(&bytes[at..]);
                    self.word(&text[at..at + length], read(length));
                    at += length;
                }
            }
        }
    }

    /// Takes over text whose lines and spaces mean something.
    fn take_code(&mut self, start: usize, text: &str, has_references: bool) {
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let special = if has_references { memchr::memchr(b'&', rest.as_bytes()) } else { None };
            if special == Some(0) {
                let (decoded, length) = reference(rest).unwrap_or_else(|| ("&".to_owned(), 1));
                self.put_code(&decoded, start + at..start + at + length);
                at += length;
            } else {
                let length = special.unwrap_or(rest.len());
                self.put_code(&rest[..length], start + at..start + at + length);
                at += length;
            }
        }
    }

    /// Writes a run of text behind whatever has to stand before it.
    pub(super) fn word(&mut self, text: &str, read: Range<usize>) {
        if std::mem::take(&mut self.stop) {
            self.put_stop();
        }
        if std::mem::take(&mut self.apart) == Apart::Begun {
            let next = text.chars().next();
            self.space |= self.written().chars().next_back().zip(next).is_some_and(|(a, b)| are_apart(a, b));
        }
        self.prepare();
        if std::mem::take(&mut self.raised) {
            self.raise(text);
        }
        self.put(text, Some(read));
    }

    /// Writes words that are not in the file, such as a mark between two parts of it.
    pub(crate) fn literal(&mut self, text: &str) {
        self.prepare();
        (self.raised, self.stop) = (false, false);
        self.put(text, None);
    }

    /// Writes the colon behind a term, unless it ends in one, whatever white space stands before its definition.
    pub(crate) fn colon(&mut self) {
        self.space = false;
        if self.line == Line::Next {
            self.line = Line::Same;
        }
        if self.line == Line::Same && !self.written().ends_with(':') {
            self.literal(":");
        }
        self.space();
    }

    /// Writes a sign of a formula directly behind what stands there.
    pub(crate) fn sign(&mut self, sign: &str) {
        if !sign.is_empty() {
            self.literal(sign);
        }
    }

    /// Ends what reads like a sentence, if more is to follow in the same paragraph.
    pub(crate) fn end_sentence(&mut self) {
        (self.stop, self.space) = (true, true);
    }

    /// Writes the full stop that is due, unless there is one or another mark.
    fn put_stop(&mut self) {
        let last = self.written().chars().next_back();
        if last.is_some_and(|last| last.is_alphanumeric() || matches!(last, ')' | '%')) {
            self.put(".", None);
        }
    }

    /// Lets white space stand before whatever comes next.
    pub(crate) fn space(&mut self) {
        self.space = true;
    }

    /// Begins or ends an element within a line that is a whole: code, a key, a link. Two of them, one directly
    /// behind the other, are two words.
    pub(crate) fn whole(&mut self, begins: bool) {
        self.apart = match (begins, self.apart) {
            (false, _) => Apart::Ended,
            (true, Apart::Ended) => Apart::Begun,
            (true, apart) => apart,
        };
    }

    /// Begins or ends superscript, which is written `10^9`.
    pub(crate) fn superscript(&mut self, begins: bool) {
        self.raised = begins;
    }

    /// Writes the mark of superscript, but for what is only set that way: `1st`, `value*`.
    fn raise(&mut self, text: &str) {
        let is_ordinal = matches!(text, "st" | "nd" | "rd" | "th");
        let first = text.chars().next().unwrap_or(' ');
        if !is_ordinal && (first.is_alphanumeric() || matches!(first, '+' | '-' | '−' | '–')) {
            self.put("^", None);
        }
    }

    /// The text that was written last, wherever text goes.
    pub(super) fn written(&self) -> &str {
        match (&self.table, self.in_caption) {
            (_, true) => self.caption.text(0..self.caption.len()),
            (Some(table), _) => table.cell_text(),
            (None, _) if self.line != Line::Same => "",
            (None, _) => match (&self.heading, self.block) {
                (Some(heading), _) => &self.out[heading.text..],
                (None, Some((_, start))) => &self.out[start..],
                (None, None) => "",
            },
        }
    }

    /// Returns true if nothing stands yet in the line, cell or heading that is open.
    pub(crate) fn begins_line(&self) -> bool {
        self.written().is_empty()
    }

    fn in_cell(&self) -> bool {
        self.table.is_some() && !self.in_caption
    }

    /// Opens what text has to stand in, and writes the space, the line end or the item's mark before it.
    pub(super) fn prepare(&mut self) {
        let space = std::mem::take(&mut self.space);
        if self.in_caption {
            if space && self.caption.len() > 0 {
                self.caption.push(" ", None);
            }
            return;
        }
        if let Some(table) = &mut self.table {
            if !table.in_cell {
                table.cell(false, 1, 1);
            }
            if space && !table.cell_is_empty() {
                table.fragment.push(" ", None);
            }
            return;
        }
        if let Some(heading) = &self.heading {
            if space && self.out.len() > heading.text {
                self.out.push(' ');
            }
            return;
        }
        if self.block.is_none() {
            if let Some(level) = self.signature
                && self.section.take_if(|section| section.anchor.is_none()).is_some()
            {
                // One that no link leads to is part of the section around it.
                self.level = level - 1;
            }
            let begins = self.section.is_some();
            self.open_block(if self.lists.is_empty() { Open::Paragraph } else { Open::List });
            if let Some(level) = self.signature.take() {
                self.defines = begins;
                self.out.extend(std::iter::repeat_n('#', level.clamp(1, 6)));
                self.out.push(' ');
                (self.space, self.line) = (false, Line::Same);
                return;
            }
        }
        let is_first = self.block.is_some_and(|(_, start)| start == self.out.len());
        match std::mem::take(&mut self.line) {
            Line::Same if space && !is_first => self.out.push(' '),
            Line::Same => {}
            Line::Next if is_first => {}
            Line::Next => self.new_line(self.lists.len()),
            Line::Item => {
                if !is_first {
                    self.new_line(self.lists.len().saturating_sub(1));
                }
                match self.lists.last() {
                    // The number was raised when the item began.
                    Some(Some(number)) => {
                        self.out.push_str(&number.saturating_sub(1).to_string());
                        self.out.push_str(". ");
                    }
                    _ => self.out.push_str("- "),
                }
            }
        }
    }

    fn new_line(&mut self, depth: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
    }
}

/// Returns true for the last sign of a whole and the first of the next one, which would read as one word.
pub(crate) fn are_apart(last: char, first: char) -> bool {
    let is_word = |c: char, signs: &str| (c.is_alphanumeric() && !is_unspaced(c)) || signs.contains(c);
    is_word(last, ")]}\"'_") && is_word(first, "-$@_\"'")
}

/// Counts the bytes from here on that can be copied as they are: single spaces between words included.
fn plain_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match CLASS[usize::from(byte)] {
            PLAIN => at += 1,
            // The space belongs to the run if a plain byte follows.
            SPACE
                if byte == b' '
                    && bytes.get(at + 1).is_some_and(|next| CLASS[usize::from(*next)] == PLAIN) =>
            {
                at += 2;
            }
            _ => break,
        }
    }
    at
}
