//! Finds the addresses in Markdown while it arrives.

/// Reads a text character by character, and knows whether the next one belongs to an address: of a link, an image, a
/// definition or a tag, or one that stands alone.
///
/// Pages show Markdown in dialects of their own, so it takes too much for an address rather than too little.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "these are facts of their own, in any combination")]
pub(super) struct Links {
    last: char,
    /// True behind a `\`.
    escaped: bool,
    /// True while the line is blank.
    blank: bool,
    /// True when the word is an address, or has one in it.
    word: bool,
    /// True when the word goes on as an address behind what opened within it.
    outer: bool,
    host: HostProgress,
    /// The number of letters `w` in a row before.
    ws: u8,
    /// The number of open parentheses behind `](`.
    parens: u32,
    /// True while `<` is open, as in `<https://…>` or `<img src=…>`; `quote` is the open mark in it.
    angle: bool,
    quote: Option<char>,
    /// True when `]:` came before, and only white space since.
    defines: bool,
}

/// The progress of a word towards being `host.example`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HostProgress {
    #[default]
    No,
    Label,
    Dot,
    Yes,
}

impl Links {
    /// Returns whether a character that comes now belongs to an address.
    pub(super) fn has(&self, next: char) -> bool {
        let begins = self.last == '<' && opens_tag(next) || self.defines && begins_address(next);
        self.word || self.angle || self.parens > 0 || begins
    }

    /// Takes in the next character.
    pub(super) fn push(&mut self, c: char) {
        let escaped = std::mem::take(&mut self.escaped);
        let last = std::mem::replace(&mut self.last, c);
        if c.is_whitespace() {
            // Behind an empty line nothing goes on.
            let ends = c == '\n' && std::mem::replace(&mut self.blank, true);
            let kept = if ends { Self::default() } else { self.clone() };
            *self = Self {
                word: false,
                outer: false,
                host: HostProgress::No,
                ws: 0,
                last: c,
                blank: self.blank,
                ..kept
            };
            return;
        }
        self.blank = false;
        let defines = std::mem::take(&mut self.defines);
        match c {
            // It opens and closes nothing, and nothing behind it does by it.
            _ if escaped => self.last = ' ',
            '\\' => self.escaped = true,
            '<' if !self.angle => {
                self.word = false;
                self.angle = defines || self.parens > 0;
            }
            _ if last == '<' && !self.angle && opens_tag(c) => self.angle = true,
            '"' | '\'' if self.angle && self.quote.is_none() && last == '=' => self.quote = Some(c),
            _ if self.angle && self.quote == Some(c) => self.quote = None,
            '>' if self.angle && self.quote.is_none() => {
                self.angle = false;
                return self.begin_word(false);
            }
            '(' if !self.angle && self.parens > 0 => self.parens += 1,
            '(' if !self.angle && last == ']' => {
                self.outer = self.word;
                self.parens = 1;
            }
            ')' if !self.angle && self.parens > 0 => {
                self.parens -= 1;
                if self.parens == 0 {
                    return self.begin_word(self.outer);
                }
            }
            ':' if last == ']' => self.defines = true,
            _ => {}
        }
        self.read_word(c, last);
        self.word |= defines && begins_address(c);
    }

    fn begin_word(&mut self, word: bool) {
        (self.word, self.host, self.ws) = (word, HostProgress::No, 0);
    }

    /// Looks for `//`, `www.` and `host.example/`.
    fn read_word(&mut self, c: char, last: char) {
        let slash = |c: char| matches!(c, '/' | '\\');
        self.word |= slash(c) && slash(last)
            || c == '.' && self.ws == 3
            || self.host == HostProgress::Yes && matches!(c, '/' | '?' | '#');
        self.ws = if c.eq_ignore_ascii_case(&'w') { self.ws.saturating_add(1) } else { 0 };
        self.host = match self.host {
            HostProgress::Yes => HostProgress::Yes,
            HostProgress::Dot if c.is_alphabetic() => HostProgress::Yes,
            HostProgress::Label if c == '.' => HostProgress::Dot,
            _ if c.is_alphanumeric() => HostProgress::Label,
            _ => HostProgress::No,
        };
    }
}

/// Returns whether this opens a tag or an address behind `<`.
fn opens_tag(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')
}

/// Returns whether an address may begin with this behind `[label]: `. A note that begins with a mark or with a bracket is none.
fn begins_address(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '?' | '#' | '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with `_` for each character that belongs to an address.
    fn blanked(text: &str) -> String {
        let mut links = Links::default();
        let mut blanked = String::new();
        for c in text.chars() {
            blanked.push(if links.has(c) { '_' } else { c });
            links.push(c);
        }
        blanked
    }

    /// Returns whether `@` belongs to an address.
    fn taken(text: &str) -> bool {
        !blanked(text).contains('@')
    }

    #[test]
    fn what_stands_in_an_address_belongs_to_it() {
        for text in [
            "[a](https://e.example/@)",
            "[a](<https://e.example/d#@>)",
            "[a](<https://e.example/a b) @>)",
            "[a](/x?q=@)",
            "[a]( \n //e.example/@)",
            "[a](x(y)@)",
            r"[a](x\)@)",
            "![a](https://e.example/@.png)",
            "[a](https&#58;//e.example/@)",
            "[a]: https://e.example/@",
            "> [a]:\n> https://e.example/@",
            "[a]: <https://e.example/a b @>",
            "[a]: /x/@",
            "<https://e.example/@>",
            "<mailto:a@e.example>",
            "<img src=//e.example/@>",
            "<img\n alt=\"a > b\" src='/e?@'>",
            "</p @>",
            "https://e.example/@",
            "(HTTP://e.example?a=1&b=@",
            "**https://@**",
            "//e.example/@",
            "\\\\e.example\\@",
            "www.@",
            "e.example/@",
            "e.example?q=@",
            "https://e.example/a](b)@",
            "ftp://e.example/@",
        ] {
            assert!(taken(text), "{text}: {}", blanked(text));
        }
    }

    #[test]
    fn what_stands_beside_an_address_is_text() {
        for text in [
            "@",
            "a @ [b](https://e.example/c)@ d",
            "[@](https://e.example)",
            "[see @ and](https://e.example)@",
            "![@](https://e.example/x.png)",
            "<https://e.example>@",
            "https://e.example @",
            "https://e.example\n@",
            "[a]: https://e.example @",
            "[1]: @ says",
            "[a](https://e.example\n\n@",
            "<a href='https://e.example'>@</a>",
            "< 5 @",
            "p<0.05 @",
            "a/@",
            "mg/kg/@",
            "2.5/@",
            "Dr.@",
            "e.g. @",
            "w.@",
            "so [1]: see @",
            "\\<b @",
            "[1] (@)",
            "x <- @",
        ] {
            assert!(!taken(text), "{text}: {}", blanked(text));
        }
    }
}
