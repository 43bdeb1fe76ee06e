//! Explicit markup: directives, footnotes, targets, comments.

use super::blocks::field;
use super::{RstLine, RstWriter};
use crate::markup::warning_word;

/// The treatments of directives.
#[derive(Clone, Copy, PartialEq)]
enum DirectiveKind {
    /// It says nothing here.
    Dropped,
    /// Its content is code, in the language that its argument or this says.
    Code(&'static str),
    /// Its content stands where it does; the argument is for the program.
    Plain,
    /// The argument is a part of the content.
    Text(&'static str),
    /// The argument is the content's title.
    Titled,
    /// The argument begins with a version.
    Version(&'static str),
    /// The argument is for the program, and an option of this name says what it is: a file, a module.
    Said(&'static str),
    /// Rows are lists of lists, or lines with commas.
    Lists,
    Commas,
    /// It says which language code is in.
    Highlight,
    /// The argument is what the content describes: the signature of a function, the name of an option.
    Signature,
}

/// The names of directives without their domains, and what becomes of them; any other describes something.
const KINDS: [(&str, DirectiveKind); 17] = [
    (
        "toctree raw index contents include literalinclude meta currentmodule inheritance-diagram graphviz digraph \
         graph uml mermaid tabularcolumns default-domain default-role role sectionauthor moduleauthor codeauthor program \
         namespace namespace-push namespace-pop todo todolist testsetup testcleanup bibliography sectnum target-notes header \
         footer title date",
        DirectiveKind::Dropped,
    ),
    (
        "code-block code sourcecode parsed-literal prompt code-tab ipython jupyter-execute productionlist autosummary \
         testoutput",
        DirectiveKind::Code(""),
    ),
    ("doctest testcode plot", DirectiveKind::Code("python")),
    ("math", DirectiveKind::Code("math")),
    (
        "only ifconfig container compound rst-class tabs tab-set tab-set-code grid grid-item highlights epigraph \
         pull-quote hlist figure glossary thumbnail",
        DirectiveKind::Plain,
    ),
    ("note tip hint info", DirectiveKind::Text("")),
    ("seealso", DirectiveKind::Text("See also:")),
    ("warning caution danger important attention error", DirectiveKind::Text("!")),
    (
        "admonition topic sidebar rubric centered tab tab-item group-tab dropdown card grid-item-card details collapse table",
        DirectiveKind::Titled,
    ),
    ("versionadded version-added", DirectiveKind::Version("New in version ")),
    ("versionchanged version-changed", DirectiveKind::Version("Changed in version ")),
    ("deprecated version-deprecated deprecated-removed", DirectiveKind::Version("Deprecated since version ")),
    ("versionremoved version-removed", DirectiveKind::Version("Removed in version ")),
    ("image", DirectiveKind::Said("alt")),
    ("module", DirectiveKind::Said("synopsis")),
    ("list-table flat-table", DirectiveKind::Lists),
    ("csv-table", DirectiveKind::Commas),
];

fn kind_of(name: &str) -> DirectiveKind {
    let bare = name.rsplit(':').next().unwrap_or(name);
    if bare == "highlight" {
        return DirectiveKind::Highlight;
    }
    let known = KINDS.iter().find(|(names, _)| names.split(' ').any(|known| known == bare));
    known.map_or(DirectiveKind::Signature, |(_, kind)| *kind)
}

/// Returns true for the builders that make no page.
fn is_elsewhere(builders: &str) -> bool {
    ["latex", "man", "texinfo", "epub"].iter().any(|kind| builders.starts_with(kind))
}

impl RstWriter<'_> {
    /// Writes what stands behind two dots, with the lines that are part of it.
    pub(super) fn explicit(&mut self, lines: &[RstLine], depth: usize) {
        let Some((line, below)) = lines.split_first() else { return };
        let body = self.str(line);
        let line = line.from(self.text, 2);
        let rest = self.str(&line);
        if let Some((label, _)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let content = [&[line.from(self.text, label.len() + 2)], below].concat();
            let label = label.trim_start_matches(['#', '*']);
            if !label.is_empty() {
                self.lead = ["[", label, "] "].concat();
            }
            self.blocks(&content, depth + 1);
            self.lead.clear();
            return;
        }
        let Some((name, _)) = rest.split_once("::") else { return };
        let is_name = |c: char| c.is_alphanumeric() || "-_:.+".contains(c);
        if !name.is_empty() && name.chars().all(is_name) && !name.starts_with('_') && body.starts_with(".. ")
        {
            self.directive(name, line.from(self.text, name.len() + 2), below, depth);
        }
    }

    /// Writes a directive, whose argument begins on a line with the rest of it below.
    fn directive(&mut self, name: &str, first: RstLine, below: &[RstLine], depth: usize) {
        let kind = kind_of(name);
        let parts = DirectiveParts::new(self.text, kind, first, below);
        let DirectiveParts { argument, content, .. } = &parts;
        let words = self.str(&first);
        match kind {
            DirectiveKind::Dropped => {}
            DirectiveKind::Highlight => self.language = words.split(' ').next().unwrap_or_default(),
            DirectiveKind::Code(language) => {
                self.caption(&parts.option("caption"), &first);
                let says = matches!(name, "code-block" | "sourcecode" | "code" | "prompt" | "code-tab");
                let said = words.split_whitespace().next().unwrap_or(self.language);
                self.code(content, if says { said } else { language });
            }
            DirectiveKind::Plain if name == "only" && is_elsewhere(words) => {}
            DirectiveKind::Plain => self.blocks(content, depth + 1),
            DirectiveKind::Text(said) => {
                let said = if said == "!" { warning_word(name).unwrap_or("Error:") } else { said };
                self.remark(said, &first, argument, content, depth);
            }
            DirectiveKind::Version(said) => {
                let (version, more) = words.split_once(' ').unwrap_or((words, ""));
                let is_all = more.is_empty() && argument.len() == 1 && content.iter().all(RstLine::is_blank);
                let said = [said, version, if is_all { "." } else { ":" }].concat();
                let argument = [&[first.from(self.text, version.len())], &argument[1..]].concat();
                self.remark(&said, &first, &argument, content, depth);
            }
            DirectiveKind::Titled => {
                let title = self.joined(argument);
                if !title.trim().is_empty() {
                    self.block();
                    self.words(&title, argument);
                    self.is_first = !matches!(name, "table" | "rubric" | "centered");
                }
                self.blocks(content, depth + 1);
                self.is_first = false;
            }
            DirectiveKind::Said(option) => {
                self.caption(&parts.option(option), &first);
                self.is_first = false;
            }
            DirectiveKind::Lists | DirectiveKind::Commas => {
                self.caption(words, &first);
                self.is_first = false;
                if kind == DirectiveKind::Lists {
                    self.list_table(content);
                } else {
                    self.csv_table(&parts.option("header"), &first, content);
                }
            }
            DirectiveKind::Signature => {
                self.block();
                let mut signature = String::new();
                for line in argument.iter().filter(|line| !line.is_blank()) {
                    let part = self.str(line);
                    signature.push_str(part.trim_end_matches('\\'));
                    if !part.ends_with('\\') {
                        self.line(&super::inline::code(&std::mem::take(&mut signature)), line.range());
                    }
                }
                self.blocks(content, depth + 1);
            }
        }
    }

    /// Writes text with its markup on a line above what comes next, unless there is none.
    fn caption(&mut self, text: &str, line: &RstLine) {
        let caption = self.inline(text, true);
        self.above(&caption, line);
    }

    /// Writes an argument and the content below it as one, under the words that say what they are.
    fn remark(
        &mut self,
        said: &str,
        first: &RstLine,
        argument: &[RstLine],
        content: &[RstLine],
        depth: usize,
    ) {
        self.above(said, first);
        self.blocks(&[&*level(argument), content].concat(), depth + 1);
        self.is_first = false;
    }
}

/// The lines of a directive.
struct DirectiveParts<'a> {
    text: &'a str,
    argument: Vec<RstLine>,
    options: &'a [RstLine],
    content: &'a [RstLine],
}

impl<'a> DirectiveParts<'a> {
    fn new(text: &'a str, kind: DirectiveKind, first: RstLine, below: &'a [RstLine]) -> Self {
        let is_option = |line: &RstLine| field(&text[line.range()]).is_some();
        let count = |from: usize, is_part: &dyn Fn(&RstLine) -> bool| {
            from + below[from..].iter().take_while(|line| !line.is_blank() && is_part(line)).count()
        };
        let takes_lines = matches!(
            kind,
            DirectiveKind::Titled
                | DirectiveKind::Signature
                | DirectiveKind::Version(_)
                | DirectiveKind::Text(_)
        );
        let start = if takes_lines { count(0, &|line| !is_option(line)) } else { 0 };
        let end = match below.get(start).filter(|line| is_option(line)) {
            // A value may go on on lines that are indented more.
            Some(option) => count(start, &|line| is_option(line) || line.indent > option.indent),
            None => start,
        };
        let argument = [&[first], &below[..start]].concat();
        Self { text, argument, options: &below[start..end], content: &below[end..] }
    }

    /// Reads the value of an option on one line, empty if it is not said.
    fn option(&self, wanted: &str) -> String {
        let length = |line: &RstLine| field(&self.text[line.range()]).filter(|(name, _)| *name == wanted);
        let found = self.options.iter().enumerate().find_map(|(at, line)| Some((at, length(line)?.1)));
        let Some((at, length)) = found else { return String::new() };
        let (line, below) = (&self.options[at], &self.options[at + 1..]);
        let first = self.text[line.range()].get(length..).unwrap_or_default();
        let more = below.iter().take_while(|other| other.indent > line.indent);
        let all = std::iter::once(first).chain(more.map(|line| &self.text[line.range()]));
        all.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    }
}

/// Reads the lines of an argument as a paragraph, whose first line stands further right.
fn level(argument: &[RstLine]) -> Vec<RstLine> {
    let indent = argument.get(1).or(argument.first()).map_or(0, |line| line.indent);
    let mut lines = argument.to_vec();
    if let Some(first) = lines.first_mut() {
        first.indent = indent;
    }
    lines
}
