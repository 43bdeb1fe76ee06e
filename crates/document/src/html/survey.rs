//! A look over a page before it is read: which elements hold content, though their class says furniture, or though
//! they are hidden until somebody opens them.

use std::collections::{HashMap, HashSet};

use super::element::{HtmlElement, ends_at};
use super::furniture::{Doubt, doubt, is_menu};
use crate::tags::{Tag, Token};

/// A paragraph of fewer words is a label.
const SENTENCE_WORDS: usize = 3;
/// A paragraph of that many words is prose, whatever it ends in.
const PROSE_WORDS: usize = 12;
/// A share of the page that has fewer letters is a label on a short page.
const LEAST_LETTERS: usize = 40;

/// The counts up to a place on the page.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Letters outside links and buttons, and within links.
    plain: usize,
    linked: usize,
    /// Letters of code.
    code: usize,
    titles: usize,
    headings: usize,
    sentences: usize,
}

impl Counts {
    fn since(self, start: Self) -> Self {
        Self {
            plain: self.plain - start.plain,
            linked: self.linked - start.linked,
            code: self.code - start.code,
            titles: self.titles - start.titles,
            headings: self.headings - start.headings,
            sentences: self.sentences - start.sentences,
        }
    }

    /// Returns true for what somebody wrote to be read. Links under a heading are a table of contents.
    fn is_content(self, page: Self) -> bool {
        let has_share = self.plain >= LEAST_LETTERS && self.plain * 10 > page.plain;
        let has_text = self.titles + self.sentences + self.code > 0 || has_share;
        has_text || (self.headings > 0 && self.plain > self.linked)
    }
}

/// An element that may be left out.
struct Doubtful {
    /// Its place among the tokens.
    at: usize,
    doubt: Doubt,
    /// The elements of its name that are open around it.
    depth: usize,
    start: Counts,
}

#[derive(Default)]
struct Survey<'a> {
    counts: Counts,
    /// The number of open elements by their names, and those of them that may be left out.
    open: HashMap<&'a str, (usize, Vec<Doubtful>)>,
    closed: Vec<(usize, Doubt, Counts)>,
    /// The ids of elements that a button shows and hides, and those buttons.
    controlled: HashSet<String>,
    buttons: Vec<(usize, String)>,
    /// The element whose text nobody reads here.
    unread: Option<&'a str>,
    in_link: bool,
    in_code: bool,
    /// The letters before the heading that is open.
    heading: Option<usize>,
    /// The words of the paragraph so far, outside links, and its last letter or sign.
    words: usize,
    last: char,
}

/// An index has more letters than that, of which two fifths and this many for each sentence are links.
const INDEX_LETTERS: usize = 3000;
const INDEX_LINKED: usize = 500;

/// Finds the places, among the page's tokens, of elements that would be left out and hold content; and whether the page
/// is no more than an index of others.
pub(super) fn content(page: &str, tokens: &[Token]) -> (HashSet<usize>, bool) {
    let mut survey = Survey::default();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Start(tag) => survey.start(at, tag),
            Token::End(name) => survey.end(name),
            Token::Text(range) => survey.text(&page[range.clone()]),
        }
    }
    survey.edge(HtmlElement::Block);
    let Counts { plain, linked, sentences, code, .. } = survey.counts;
    let is_index = plain + linked > INDEX_LETTERS
        && linked * 5 > (plain + linked) * 2
        && linked > INDEX_LINKED * (sentences + 1)
        && code * 10 < linked;
    (survey.finish(), is_index)
}

impl<'a> Survey<'a> {
    fn start(&mut self, at: usize, tag: &'a Tag) {
        if self.unread.is_some() {
            return;
        }
        if let (Some(ids), true) = (tag.get("aria-controls"), tag.has("aria-expanded")) {
            self.controlled.extend(ids.split_whitespace().map(str::to_owned));
            self.buttons.push((at, ids.trim().to_owned()));
        }
        let element = HtmlElement::of_name(&tag.name);
        self.edge(element);
        self.end_implied(&tag.name, true);
        match element {
            HtmlElement::Skipped | HtmlElement::Button | HtmlElement::Title => {
                self.unread = Some(&tag.name);
                return;
            }
            HtmlElement::Link => self.in_link = tag.has("href"),
            HtmlElement::Heading(_) => self.heading = Some(self.counts.plain + self.counts.linked),
            HtmlElement::Code => self.in_code = true,
            _ => {}
        }
        let controlled = tag.id().filter(|id| self.controlled.contains(*id) && !is_menu(tag));
        let panel = controlled.map(|id| Doubt::Panel(Some(id.to_owned())));
        let (open, doubtful) = self.open.entry(&tag.name).or_default();
        if let Some(doubt) = doubt(tag).or(panel) {
            doubtful.push(Doubtful { at, doubt, depth: *open, start: self.counts });
        }
        *open += 1;
    }

    fn end(&mut self, name: &str) {
        if let Some(unread) = self.unread {
            if unread == name {
                self.unread = None;
            }
            return;
        }
        let element = HtmlElement::of_name(name);
        self.edge(element);
        self.end_implied(name, false);
        match element {
            HtmlElement::Link => self.in_link = false,
            HtmlElement::Code => self.in_code = false,
            HtmlElement::HeaderCell => self.counts.headings += 1,
            HtmlElement::Heading(level) => {
                let letters = self.counts.plain + self.counts.linked;
                if self.heading.take().is_some_and(|before| letters > before) {
                    self.counts.headings += 1;
                    self.counts.titles += usize::from(level == 1);
                }
            }
            _ => {}
        }
        let Some((open, doubtful)) = self.open.get_mut(name) else { return };
        *open = open.saturating_sub(1);
        while let Some(Doubtful { at, doubt, start, .. }) = doubtful.pop_if(|found| found.depth >= *open) {
            self.closed.push((at, doubt, self.counts.since(start)));
        }
    }

    /// Ends the elements that need no end tag, where another begins or ends.
    fn end_implied(&mut self, name: &str, begins: bool) {
        for open in ["td", "th", "p"] {
            if ends_at(open, name, begins)
                && let Some((depth, doubtful)) = self.open.get_mut(open)
            {
                *depth = 0;
                let counts = self.counts;
                self.closed.extend(
                    doubtful.drain(..).map(|found| (found.at, found.doubt, counts.since(found.start))),
                );
            }
        }
    }

    /// Ends the paragraph, where an element begins or ends that is one.
    fn edge(&mut self, element: HtmlElement) {
        use HtmlElement as E;
        if matches!(element, E::Inline | E::Link | E::Superscript | E::Meta) {
            return;
        }
        let ends = matches!(self.last, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '؟');
        if self.heading.is_none() && (self.words >= PROSE_WORDS || (ends && self.words >= SENTENCE_WORDS)) {
            self.counts.sentences += 1;
        }
        (self.words, self.last) = (0, ' ');
    }

    fn text(&mut self, text: &str) {
        if self.unread.is_some() {
            return;
        }
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        if self.in_link {
            self.counts.linked += letters;
            return;
        }
        self.counts.plain += letters;
        if self.in_code {
            self.counts.code += letters;
            return;
        }
        let is_word = |word: &&str| word.contains(char::is_alphabetic);
        // Two characters of a script without spaces are about a word.
        let unspaced = text.chars().filter(|c| ibid_text::is_unspaced(*c)).count() / 2;
        self.words += text.split_whitespace().filter(is_word).count().max(unspaced);
        let is_closing = |c: char| c.is_whitespace() || ")]\"'”’»」』".contains(c);
        self.last = text.trim_end_matches(is_closing).chars().next_back().unwrap_or(self.last);
    }

    fn finish(self) -> HashSet<usize> {
        let (page, controlled) = (self.counts, &self.controlled);
        let open = self.open.into_values().flat_map(|(_, doubtful)| doubtful);
        let open = open.map(|found| (found.at, found.doubt, page.since(found.start)));
        let is_kept = |doubt: &Doubt, counts: Counts| match doubt {
            Doubt::Furniture => counts.is_content(page),
            Doubt::Numbers => counts.plain + counts.linked > 0,
            Doubt::Panel(id) => {
                id.as_ref().is_none_or(|id| controlled.contains(id)) && counts.is_content(page)
            }
        };
        let all = self.closed.into_iter().chain(open);
        let kept: Vec<_> = all.filter(|(_, doubt, counts)| is_kept(doubt, *counts)).collect();
        // The opener of content is its title.
        let opens =
            |ids: &str| kept.iter().any(|(_, doubt, _)| matches!(doubt, Doubt::Panel(Some(id)) if id == ids));
        let buttons = self.buttons.iter().filter(|(_, ids)| opens(ids)).map(|(at, _)| *at);
        buttons.chain(kept.iter().map(|(at, ..)| *at)).collect()
    }
}
