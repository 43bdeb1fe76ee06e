//! Code that declares functions, as a page on these begins.

use std::ops::Range;

use super::{BlockKind, Writer};
use ibid_text::defined_name;

/// Words that no type begins with: what follows is called, not declared.
const CALLS: [&str; 12] = [
    "return", "new", "await", "throw", "delete", "yield", "else", "echo", "print", "select", "call", "insert",
];

impl Writer<'_> {
    /// Writes the code that is open as definitions, each on one line, if it stands first below a heading and only declares
    /// functions of other names. Returns whether it did.
    pub(super) fn define_declared(&mut self, start: usize) -> bool {
        let code = &self.out[start..];
        let found = declarations(code);
        let (Some(heading), Some(first)) = (self.outline.bare_heading(), found.first()) else { return false };
        let name = defined_name(&code[first.clone()]).to_owned();
        if defined_name(heading) == name {
            return false;
        }
        let line = |range: Range<usize>| {
            let words: Vec<&str> = code[range.clone()].split_whitespace().collect();
            (words.join(" "), self.origin.place(&(start + range.start..start + range.end)).span)
        };
        let lines: Vec<_> = found.into_iter().map(line).collect();
        let block = self.block.take().map_or(start, |(_, block)| block);
        self.code = None;
        self.out.truncate(block);
        self.origin.truncate(block);
        self.around.get_or_insert(self.level);
        self.level += 1;
        self.outline.define(self.level, name, block);
        for (line, source) in lines {
            self.gap();
            let from = self.out.len();
            self.out.extend(std::iter::repeat_n('#', self.level.clamp(1, 6)));
            self.out.push(' ');
            let text = self.out.len();
            self.out.push_str(&line);
            self.origin.push(text..self.out.len(), source);
            self.add_block(BlockKind::Paragraph, from..self.out.len());
        }
        true
    }
}

/// Finds the declarations of functions in C that a code consists of; none if it has anything else.
fn declarations(code: &str) -> Vec<Range<usize>> {
    let (mut found, mut from, mut in_comment, mut depth) = (Vec::new(), 0, false, 0_usize);
    for (at, char) in code.char_indices() {
        in_comment = if in_comment { !code[..at].ends_with("*/") } else { code[at..].starts_with("/*") };
        match char {
            _ if in_comment => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => {
                if !is_declaration(&code[from..at]) {
                    return Vec::new();
                }
                let blank = code[from..at].len() - code[from..at].trim_start().len();
                found.push(from + blank..at + 1);
                from = at + 1;
            }
            _ => {}
        }
    }
    if code[from..].trim().is_empty() { found } else { Vec::new() }
}

/// Returns true for a type, a name, and parameters that have types, too.
fn is_declaration(statement: &str) -> bool {
    let Some((head, rest)) = statement.split_once('(') else { return false };
    let Some(parameters) = rest.trim_end().strip_suffix(')') else { return false };
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let words: Vec<&str> = head.split([' ', '\n', '*']).filter(|word| !word.is_empty()).collect();
    let is_typed = |parameter: &str| {
        let words = || parameter.split_whitespace().filter(|word| is_word(word.trim_matches('*')));
        parameter.contains('*') || matches!(parameter.trim(), "" | "void" | "...") || words().nth(1).is_some()
    };
    words.len() > 1
        && words.iter().all(|word| is_word(word))
        && !CALLS.contains(&words[0].to_ascii_lowercase().as_str())
        && !parameters.contains(['\'', '"'])
        && parameters.split(',').all(is_typed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn functions_that_are_declared_below_a_heading_are_defined_there() {
        let page = "<h1>Open a thing</h1><blockquote><pre>\nint x_open(\n  const char *name, /* Name; in UTF-8 */\n  x **out\n);\nint x_open2(x *of, int flags);\n</pre></blockquote><p>Opens it.<h2 id=b>Bugs</h2><p>None.";
        let document = Document::parse("a.html", page.as_bytes()).unwrap();
        assert_eq!(
            document.text,
            "# Open a thing\n\n## int x_open( const char *name, /* Name; in UTF-8 */ x **out );\n\n\
             ## int x_open2(x *of, int flags);\n\nOpens it.\n\n## Bugs\n\nNone."
        );
        let paths: Vec<_> =
            document.sections.iter().map(|section| section.heading_path.join(" > ")).collect();
        assert_eq!(paths, ["Open a thing", "Open a thing > x_open", "Open a thing > Bugs"]);
        let at = document.text.find("int x_open2").unwrap();
        let place = document.origin.place(&(at..at + 30));
        assert_eq!(&page[place.span], "int x_open2(x *of, int flags);");
    }

    #[test]
    fn other_code_stays_as_it_is() {
        for code in [
            "open(name);",
            "new Thing(of kind);",
            "SELECT setval('x', 4);",
            "select count(*);",
            "int x = open(char *name);",
            "int open(char *name) { }",
            "int open(name, 3);",
            "int open(char *name); open(a);",
            "",
        ] {
            assert_eq!(declarations(code), [], "{code}");
        }
        assert_eq!(declarations("void x(void);\n").first(), Some(&(0..13)));
        let same = "<h1>x()</h1><pre>void x(void);</pre><p>Text.";
        let text = Document::parse("a.html", same.as_bytes()).unwrap().text;
        assert_eq!(text, "# x()\n\n```\nvoid x(void);\n```\n\nText.");
    }
}
