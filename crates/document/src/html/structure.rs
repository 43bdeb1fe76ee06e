//! A look over the elements of a page before it is read, for what only shows later: lists that define names, headings that
//! are the titles of boxes, and what opens over a heading.

use std::collections::HashMap;

use super::element::{HtmlElement, is_void};
use crate::tags::{Tag, Token};
use crate::writer::resolved;

/// The meaning of an element that its name does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementRole {
    /// A list whose terms are names with anchors, options or the like.
    Definitions,
    /// A heading that is the title of a box within a section, such as a note.
    Label,
    /// Shown over a heading when it is pointed to, or left out by the author.
    LeftOut,
}

/// The most text in a box whose heading is no section's.
const MOST_IN_BOX: usize = 2000;
/// The height to which an end tag is looked for among the open elements.
const END_SEARCH: usize = 64;
/// Titles of boxes, wherever they stand.
const BOXES: [&str; 7] = ["note", "notes", "warning", "caution", "tip", "important", "danger"];

/// Finds the roles of elements, by their places among the tokens.
pub(super) fn roles(page: &str, tokens: &[Token]) -> HashMap<usize, ElementRole> {
    let mut look = RoleFinder::default();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Start(tag) => look.start(at, tag),
            Token::End(name) => look.end(name),
            Token::Text(range) => look.text(page[range.clone()].trim()),
        }
    }
    look.roles
}

#[derive(Default)]
struct RoleFinder<'a> {
    roles: HashMap<usize, ElementRole>,
    open: Vec<OpenElement<'a>>,
    lists: Vec<NameList>,
    /// The elements around the heading that is open, and its text.
    heading: Option<(usize, String)>,
    label: Option<BoxLabel>,
    /// An anchor stands directly before what comes next.
    has_anchor: bool,
}

struct OpenElement<'a> {
    name: &'a str,
    at: usize,
    /// Text stands in it already.
    has_text: bool,
}

/// A list of terms: how many groups of them there are, and how many have a name that can be looked for.
#[derive(Default)]
struct NameList {
    at: usize,
    groups: usize,
    named: usize,
    term: TermState,
    is_named: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TermState {
    /// None has begun since the last definition.
    #[default]
    None,
    Begun,
    Read,
}

/// A heading that may be the title of a box.
struct BoxLabel {
    at: usize,
    /// The elements around the box.
    around: usize,
    text: usize,
    is_closed: bool,
}

impl<'a> RoleFinder<'a> {
    fn start(&mut self, at: usize, tag: &'a Tag) {
        let element = HtmlElement::of_name(&tag.name);
        let has_anchor = tag.id().is_some() || (tag.name == "a" && tag.has("name"));
        if self.open.last().is_some_and(|open| open.name == "p")
            && !matches!(element, HtmlElement::Inline | HtmlElement::Link)
        {
            self.open.pop();
        }
        match element {
            HtmlElement::DefinitionList => self.lists.push(NameList { at, ..NameList::default() }),
            HtmlElement::Term => {
                if let Some(list) = self.lists.last_mut() {
                    list.is_named &= list.term != TermState::None;
                    list.is_named |= self.has_anchor;
                    list.term = TermState::Begun;
                }
            }
            HtmlElement::Definition => {
                if let Some(list) = self.lists.last_mut().filter(|list| list.term != TermState::None) {
                    (list.groups, list.named) = (list.groups + 1, list.named + usize::from(list.is_named));
                    list.term = TermState::None;
                }
            }
            HtmlElement::Heading(_) | HtmlElement::Code if self.heading.is_some() => self.popup(),
            HtmlElement::Heading(level) => {
                self.label = None;
                self.heading = Some((self.open.len(), String::new()));
                let is_box = self
                    .open
                    .last()
                    .is_some_and(|open| matches!(open.name, "div" | "aside" | "blockquote" | "td"));
                let around = self.open.len().saturating_sub(1);
                let has_before =
                    around.checked_sub(1).and_then(|at| self.open.get(at)).is_some_and(|open| open.has_text);
                if is_box && level > 2 && !has_anchor && has_before {
                    self.label = Some(BoxLabel { at, around, text: 0, is_closed: false });
                }
            }
            _ => {}
        }
        self.has_anchor |= has_anchor && element == HtmlElement::Link;
        if has_anchor {
            if self.heading.is_some() {
                self.label = None;
            }
            if let Some(list) = self.lists.last_mut().filter(|list| list.term == TermState::Begun) {
                list.is_named = true;
            }
        }
        if !is_void(&tag.name) {
            self.open.push(OpenElement { name: &tag.name, at, has_text: false });
        }
    }

    /// Finds the child of the heading that another heading, or code, is in.
    fn popup(&mut self) {
        let child = self.heading.as_ref().and_then(|(around, _)| self.open.get(around + 1));
        if let Some(child) = child {
            self.roles.insert(child.at, ElementRole::LeftOut);
        }
    }

    fn end(&mut self, name: &str) {
        match HtmlElement::of_name(name) {
            HtmlElement::Term => {
                if let Some(list) = self.lists.last_mut().filter(|list| list.term == TermState::Begun) {
                    list.term = TermState::Read;
                }
            }
            HtmlElement::DefinitionList => {
                if let Some(list) = self.lists.pop().filter(|list| list.named * 2 > list.groups) {
                    self.roles.insert(list.at, ElementRole::Definitions);
                }
            }
            _ => {}
        }
        let Some(height) = self.open.iter().rev().take(END_SEARCH).position(|open| open.name == name) else {
            return;
        };
        let left = self.open.len() - height - 1;
        self.open.truncate(left);
        if let Some((_, text)) = self.heading.take_if(|(around, _)| left <= *around)
            && let Some(label) = &self.label
            && BOXES.contains(&text.to_ascii_lowercase().trim_end_matches(':'))
        {
            self.roles.insert(label.at, ElementRole::Label);
        }
        if let Some(label) = &mut self.label {
            label.is_closed |= left <= label.around;
            // No text followed, or it was no box but the section itself.
            if left < label.around || (label.is_closed && label.text == 0) {
                self.label = None;
            }
        }
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.has_anchor = false;
        let term = self.lists.last_mut().filter(|list| list.term == TermState::Begun);
        if let Some(list) = term.filter(|_| resolved(text).contains(char::is_alphanumeric)) {
            let is_code =
                |text: &str| text.starts_with('-') || text.contains(['.', '_']) || text.contains("::");
            list.is_named |= is_code(text) && !text.contains(' ') && text.contains(char::is_alphabetic);
            list.term = TermState::Read;
            // The number of a note is no name.
            list.is_named &= text.contains(char::is_alphabetic);
        }
        if let Some((_, heading)) = &mut self.heading {
            heading.push_str(text);
        } else if let Some(label) = &mut self.label {
            label.text += text.len();
            let is_over = label.text > MOST_IN_BOX;
            if label.is_closed {
                self.roles.insert(label.at, ElementRole::Label);
            }
            if label.is_closed || is_over {
                self.label = None;
            }
        }
        for open in self.open.iter_mut().rev() {
            if std::mem::replace(&mut open.has_text, true) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Document;

    fn read(html: &str) -> Document {
        Document::parse("a.html", html.as_bytes()).unwrap()
    }

    fn body(html: &str) -> String {
        read(&format!("<body><main><h1 id=top>Top</h1>{html}</main>")).text.split_off("# Top\n\n".len())
    }

    #[test]
    fn definitions_are_sections_that_go_by_their_names() {
        let document = read(
            "<main><h1>Lists</h1><p>All of them.<dl><dt id=c.L_New>int <b>&#64;L_New</b>(L *of)<br><a href='#c.L_New'>¶</a>\
             <a href=x>[source]</a></dt><dd><p>Makes one.<dl><dt><a name=L_New.x></a>x</dt><dd>Its place.</dl></dd>\
             <dt>-f</dt><dt id=opt>--force=&lt;how&gt;</dt><dd>Forces it.</dl><p>The end.",
        );
        assert_eq!(
            document.text,
            "# Lists\n\nAll of them.\n\n## int @L_New(L *of)\n\nMakes one.\n\n### x\n\nIts place.\n\n## -f\n\n\
             ## --force=<how>\n\nForces it.\n\nThe end."
        );
        let sections: Vec<_> = document
            .sections
            .iter()
            .map(|section| (section.heading_path.join(" > "), section.anchor.as_deref().unwrap_or_default()))
            .collect();
        let expected =
            [("Lists", ""), ("Lists > L_New", "c.L_New"), ("Lists > L_New > x", "L_New.x"), ("Lists", "")];
        assert_eq!(sections, expected.map(|(path, anchor)| (path.to_owned(), anchor)));
        let chunks = crate::chunk::chunk(&document, &crate::chunk::ChunkOptions::default());
        let anchors = chunks[0].anchors(&document);
        let anchors: Vec<_> =
            anchors.iter().map(|(at, anchor)| (&chunks[0].text[*at..at + 5], anchor.as_str())).collect();
        assert_eq!(anchors, [("## in", "c.L_New"), ("### x", "L_New.x")], "{}", chunks[0].text);
    }

    #[test]
    fn what_follows_a_definition_without_description_describes_it() {
        let sections = |html: &str| {
            let document = read(&format!("<main><h1>Top</h1>{html}</main>"));
            let of = |section: &crate::Section| {
                let texts = section.blocks.iter().map(|block| &document.text[block.range.clone()]);
                let text = texts.collect::<Vec<_>>().join(" / ");
                format!(
                    "{}@{}: {text}",
                    section.heading_path.join(" > "),
                    section.anchor.as_deref().unwrap_or_default()
                )
            };
            document.sections.iter().filter(|section| !section.blocks.is_empty()).map(of).collect::<Vec<_>>()
        };
        let list = |name: &str, says: &str| {
            format!("<dl><dt id=x.{name}>{name}(a)<dt id=y.{name}>{name}(b)<dd>{says}</dl>")
        };
        assert_eq!(
            sections(&format!(
                "<p>All.{}<p>Runs.{}<p>Stops.<h2 id=e>End</h2><p>Over.",
                list("run", ""),
                list("stop", "")
            )),
            [
                "Top@: All.",
                "Top > run@x.run: ## run(a) / ## run(b) / Runs.",
                "Top > stop@x.stop: ## stop(a) / ## stop(b) / Stops.",
                "Top > End@e: Over."
            ]
        );
        assert_eq!(
            sections(&format!("<h2 id=r>run()</h2>{}<p>Runs.<h3 id=u>Use</h3><p>Often.", list("run", ""))),
            ["Top > run()@x.run: ### run(a) / ### run(b) / Runs.", "Top > run() > Use@u: Often."]
        );
        assert_eq!(
            sections(&format!("<h2 id=r>run() calls</h2>{}<p>Runs.", list("run", ""))),
            ["Top > run() calls > run@x.run: ### run(a) / ### run(b) / Runs."]
        );
        assert_eq!(
            sections(&format!("<h2 id=r>Verbs</h2>{}<p>All.", list("run", "Runs."))),
            ["Top > Verbs > run@x.run: ### run(a) / ### run(b) / Runs.", "Top > Verbs@r: All."]
        );
    }

    #[test]
    fn other_terms_are_items_with_one_colon() {
        for (html, text) in [
            ("<dl><dt>a:<dd>b<dt id=c>c<dd>d</dl>", "- a: b\n- c: d"),
            (
                "<dl><dt><b>max</b><span>int, default=1</span><dd><p>Most.</dl>",
                "- max: int, default=1\n  Most.",
            ),
            ("<dl><dt><b>un</b>known<br><dd>d</dl>", "- unknown: d"),
            ("<dl><dt><span>: </span>y = f (x)<dd>d</dl>", "- y = f (x): d"),
            ("<dl><dt id=n1>[1]<dd>A note.</dl>", "- [1]: A note."),
            ("<ul><li><dl><dt id=a>a<dd>b</dl></ul>", "- a: b"),
            ("<dl><dt>a<dd><a name=x></a>b<dt>c<dd>d</dl>", "- a: b\n- c: d"),
            ("<dl><a name=x></a><dt>a<dd>b<a name=y></a><dt>c<dd>d</dl>", "## a\n\nb\n\n## c\n\nd"),
        ] {
            assert_eq!(body(html), text, "{html}");
        }
    }

    #[test]
    fn titles_of_boxes_are_no_sections() {
        let note = "<p>Before.<div class=x><h3>Mind you</h3><p>Inside.</div>";
        assert_eq!(body(&format!("{note}<p>Behind.")), "Before.\n\nMind you\n\nInside.\n\nBehind.");
        assert_eq!(body(note), "Before.\n\n### Mind you\n\nInside.");
        assert_eq!(body(&note.replace("Mind you", "Note")), "Before.\n\nNote\n\nInside.");
        assert_eq!(
            body(&format!("{}<p>Behind.", note.replace("<h3>", "<h3 id=own>"))),
            "Before.\n\n### Mind you\n\nInside.\n\nBehind."
        );
    }

    #[test]
    fn what_opens_over_a_heading_is_left_out() {
        let popup = "<span><span>i<span><h3>Traits for Drain</h3><pre>impl Drain</pre></span></span></span>";
        assert_eq!(body(&format!("<h4 id=f>fn drain(){popup}</h4><p>x")), "#### fn drain()\n\nx");
    }

    #[test]
    fn the_anchor_is_the_one_that_the_heading_names() {
        let anchor = |html: &str| read(html).sections[0].anchor.clone().unwrap();
        let span = "<span id=id1></span><h1>Recipes<a href='#recipes'>¶</a></h1>x";
        assert_eq!(anchor(&format!("<section id=recipes>{span}</section>")), "recipes");
        assert_eq!(anchor(&format!("<div id=recipes>{span}</div>")), "recipes");
        assert_eq!(anchor("<div id=a><span id=b></span><h1>T <a href='#top'>^</a></h1>x</div>"), "b");
    }
}
