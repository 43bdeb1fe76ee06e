//! The parts of a passage, and what each of them is about: the row's head, the list's lead-in, the heading above.

use std::ops::Range;

use super::super::markdown::BlockForm;
use super::super::sentence::sentences;

/// The most parts that stand above one another.
const MAX_ABOVE: usize = 5;

/// The way a part of a passage is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartForm {
    Prose,
    /// The first sentence of an item of a list.
    Item,
    Heading,
    /// The first row of a table, which names the columns and states nothing.
    Head,
    Row,
    Code,
}

/// A sentence, a heading, a row or a line of code.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) span: Range<usize>,
    pub(super) form: PartForm,
    /// The part that says what this one is about: the label of an item, the lead-in of a list, the heading.
    pub(super) above: Option<usize>,
    /// The sentence before it in its paragraph.
    pub(super) before: Option<usize>,
    /// The head of its table.
    pub(super) head: Option<usize>,
}

/// Lists the parts above one another, from the nearest.
pub(super) fn above(at: usize, of: impl Fn(usize) -> Option<usize>) -> impl Iterator<Item = usize> {
    std::iter::successors(of(at), move |at| of(*at)).take(MAX_ABOVE)
}

/// Finds the parts of a text, in order.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut outline = Outline { text, parts: Vec::new(), headings: Vec::new() };
    let mut at = 0;
    for (form, span) in sentences(text) {
        outline.between(at..span.start);
        match form {
            BlockForm::Table => outline.table(span.clone()),
            BlockForm::Code => outline.lines(span.clone(), PartForm::Code),
            _ => outline.sentence(form, span.clone()),
        }
        at = span.end;
    }
    outline.between(at..text.len());
    outline.parts
}

struct Outline<'t> {
    text: &'t str,
    parts: Vec<Part>,
    /// The headings above what comes next, with their levels, which grow.
    headings: Vec<(usize, usize)>,
}

impl Outline<'_> {
    fn push(&mut self, span: Range<usize>, form: PartForm) -> &mut Part {
        let above = self.headings.last().map(|(_, at)| *at);
        self.parts.push(Part { span, form, above, before: None, head: None });
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }

    /// Lists the lines of a range that say something.
    fn each_line(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let mut start = range.start;
        let mut found = Vec::new();
        for line in self.text.get(range.clone()).unwrap_or_default().split_inclusive('\n') {
            let trimmed = line.trim();
            if trimmed.chars().any(char::is_alphanumeric) {
                let from = start + (line.len() - line.trim_start().len());
                found.push(from..from + trimmed.len());
            }
            start += line.len();
        }
        found
    }

    fn lines(&mut self, range: Range<usize>, form: PartForm) {
        for line in self.each_line(&range) {
            self.push(line, form);
        }
    }

    /// Headings, and whatever else stands between sentences.
    fn between(&mut self, range: Range<usize>) {
        for line in self.each_line(&range) {
            let level = self
                .text
                .get(line.clone())
                .unwrap_or_default()
                .bytes()
                .take_while(|c| *c == b'#')
                .count()
                .min(6);
            if level == 0 {
                self.push(line, PartForm::Prose);
                continue;
            }
            self.headings.retain(|(above, _)| *above < level);
            self.push(line, PartForm::Heading);
            self.headings.push((level, self.parts.len() - 1));
        }
    }

    fn table(&mut self, range: Range<usize>) {
        let mut head = None;
        for line in self.each_line(&range) {
            let form = if head.is_none() { PartForm::Head } else { PartForm::Row };
            self.push(line, form).head = head;
            head = head.or(Some(self.parts.len() - 1));
        }
    }

    fn sentence(&mut self, form: BlockForm, span: Range<usize>) {
        let last = self.parts.len().checked_sub(1);
        let (mut above, mut before) = (None, None);
        if let Some((at, part)) = last.and_then(|at| Some((at, self.parts.get(at)?))) {
            let gap = self.text.get(part.span.end..span.start).unwrap_or_default();
            let goes_on = gap.trim().is_empty() && !gap.contains("\n\n");
            match (form, part.form) {
                // Items stand under the lead-in of their list.
                (BlockForm::Item, PartForm::Item) => above = part.above,
                (BlockForm::Item, PartForm::Prose) => {
                    above = if self.is_lead(part) { Some(at) } else { self.list_of(at) };
                }
                // What follows in an item is about what that begins with.
                (_, PartForm::Item) if goes_on => (above, before) = (Some(at), Some(at)),
                (_, PartForm::Prose) if goes_on => (above, before) = (part.above, Some(at)),
                _ => {}
            }
        }
        let form = if form == BlockForm::Item { PartForm::Item } else { PartForm::Prose };
        let part = self.push(span, form);
        part.above = above.or(part.above);
        part.before = before;
    }

    fn is_lead(&self, part: &Part) -> bool {
        self.text.get(part.span.clone()).is_some_and(|text| text.trim_end_matches(['*', '_']).ends_with(':'))
    }

    /// Finds the lead-in of the list that a sentence behind the first of an item belongs to.
    fn list_of(&self, at: usize) -> Option<usize> {
        let item = self.parts.get(self.parts.get(at)?.above?)?;
        if item.form == PartForm::Item { item.above } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_sentences_headings_and_rows() {
        let text = "# Doses\n\nGive zinc. Wait.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd";
        let found = parts(text);
        let texts: Vec<&str> = found.iter().map(|part| &text[part.span.clone()]).collect();
        assert_eq!(texts, ["# Doses", "Give zinc.", "Wait.", "| a | b |", "| 1 | 2 |", "End"]);
        assert_eq!((found[3].form, found[4].form, found[4].head), (PartForm::Head, PartForm::Row, Some(3)));
        assert_eq!((found[1].before, found[2].before, found[2].above), (None, Some(1), Some(0)));
    }

    #[test]
    fn parts_know_what_they_are_about() {
        let text = "# A\n\n## B\n\nGive:\n\n- **Mild:** one. Two.\n- three. Four.\n\n## C\n\nFive.";
        let found = parts(text);
        let chain = |word: &str| -> Vec<&str> {
            let at = found.iter().position(|part| text[part.span.clone()].contains(word)).unwrap();
            above(at, |at| found[at].above).map(|at| &text[found[at].span.clone()]).collect()
        };
        assert_eq!(chain("Two"), ["- **Mild:** one.", "Give:", "## B", "# A"]);
        assert_eq!(chain("three"), ["Give:", "## B", "# A"]);
        assert_eq!(chain("Four"), ["- three.", "Give:", "## B", "# A"]);
        assert_eq!(chain("Five"), ["## C", "# A"]);
    }
}
