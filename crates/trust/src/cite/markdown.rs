//! An answer's Markdown: the one place that reads it, for marks, claims and trees alike.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::marker::{CitationMark, candidates};
use ibid_platform::order;

/// Returns the citation marks in a Markdown text, in order.
///
/// They are `[1]`, `[1, 2]`, `[1][3]` (two marks) and `[2-4]`; with the word before the numbers, `[Source 2]`;
/// as a footnote's, `[^1]`; in the brackets `【1】`; and by a title, `[Source: Title, Year]`. Titles have no
/// brackets, backticks or backslashes. Brackets and commas may be the wide ones of Chinese and Japanese. Code,
/// links such as `[1](address)`, addresses, link definitions and escaped brackets hold none.
pub fn markers(text: &str) -> Vec<CitationMark> {
    let masked = Masked::of(text);
    masked.marks(&masked.events())
}

/// A text as the Markdown parser gets it: as long, but marks and HTML tags in it mean nothing. What is shown is
/// taken from the text itself.
///
/// Marks become `{x}`: punctuation to the rules of emphasis, as brackets are, and a part of an address that they
/// stand in. Before a parenthesis they stay, since `[1](address)` is a link. Tags lose their `<`, unless an address in angle brackets begins there.
pub(super) struct Masked {
    source: String,
    candidates: Vec<CitationMark>,
}

impl Masked {
    pub(super) fn of(text: &str) -> Self {
        let candidates = candidates(text);
        let mut source = String::with_capacity(text.len());
        let mut at = 0;
        for CitationMark { span, .. } in &candidates {
            if text.get(span.end..).is_some_and(|behind| behind.starts_with('(')) {
                continue;
            }
            mask_tags(&mut source, text, at..span.start);
            source.push('{');
            // A mark where an address belongs is none.
            let filler =
                if text.get(..span.start).is_some_and(|before| before.ends_with("](")) { ' ' } else { 'x' };
            source.extend(std::iter::repeat_n(filler, span.len() - 2));
            source.push('}');
            at = span.end;
        }
        mask_tags(&mut source, text, at..text.len());
        Self { source, candidates }
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Ends what the text has left open.
    pub(super) fn close(&mut self, closers: &str) {
        self.source.push_str(closers);
    }

    /// Parses the text.
    pub(super) fn events(&self) -> Vec<(Event<'_>, Range<usize>)> {
        Parser::new_ext(&self.source, options()).into_offset_iter().collect()
    }

    /// Finds the marks: what has the form of one and is neither in code, nor the words or the address of a link.
    pub(super) fn marks(&self, events: &[(Event<'_>, Range<usize>)]) -> Vec<CitationMark> {
        let mut hidden: Vec<Range<usize>> = Vec::new();
        // The end of what was last shown: behind it, a link has its address.
        let mut shown = 0;
        for (event, Range { start, end }) in events {
            match event {
                Event::Code(_)
                | Event::Start(Tag::CodeBlock(_) | Tag::Link { link_type: LinkType::Autolink, .. }) => {
                    hidden.push(*start..*end);
                }
                Event::Start(Tag::Link { link_type: LinkType::Inline, .. }) => hidden.push(*start..start + 1),
                Event::Start(Tag::Image { link_type: LinkType::Inline, .. }) => {
                    hidden.push(start + 1..start + 2);
                }
                Event::End(TagEnd::Link | TagEnd::Image) => {
                    hidden.extend(
                        self.address(shown.max(*start)).map(|address| address.start..address.end.min(*end)),
                    );
                }
                _ => {}
            }
            if !matches!(event, Event::Start(_)) {
                shown = *end;
            }
        }
        hidden.extend(self.definitions());
        order::by_key(&mut hidden, |range| range.start);
        let mut hidden = hidden.into_iter().peekable();
        let is_mark = |mark: &&CitationMark| {
            while hidden.next_if(|hidden| hidden.end <= mark.span.start).is_some() {}
            hidden.peek().is_none_or(|hidden| mark.span.start < hidden.start)
        };
        self.candidates.iter().filter(is_mark).cloned().collect()
    }
}

impl Masked {
    /// Finds the address that begins here, behind the words of a link and blanks. It ends at a blank, behind which a
    /// title stands, which may cite.
    fn address(&self, from: usize) -> Option<Range<usize>> {
        let behind = self.source.get(from..)?;
        let address = behind.strip_prefix("](").unwrap_or(behind).trim_start();
        let start = from + behind.len() - address.len();
        let address = self.source.get(start..)?.split(char::is_whitespace).next()?;
        Some(start..start + address.len())
    }

    /// Finds the addresses of link definitions, of which there are no events.
    fn definitions(&self) -> Vec<Range<usize>> {
        if !self.source.contains("]:") {
            return Vec::new();
        }
        let parser = Parser::new_ext(&self.source, options());
        let definitions =
            parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone());
        definitions
            .filter_map(|span| self.address(span.start + self.source.get(span)?.find("]:")? + 2))
            .collect()
    }
}

/// The dialect: `CommonMark` with GitHub's tables and strikethrough.
fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH
}

/// The layout of a block of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockForm {
    Paragraph,
    /// The first paragraph of an item of a list, or of a quotation, with the sign that it begins with.
    Item,
    Table,
    /// Code between fences.
    Code,
    Heading,
}

impl BlockForm {
    /// Returns whether it means nothing in part, and would take a mark behind it for its own.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::Table | Self::Code)
    }
}

/// Finds the blocks of a text that say something, in order; headings are left out.
pub(super) fn blocks(text: &str) -> Vec<(BlockForm, Range<usize>)> {
    let mut blocks = outline(text);
    blocks.retain(|(form, _)| *form != BlockForm::Heading);
    blocks
}

/// Finds the blocks of a text with the headings above them, in order.
pub(super) fn outline(text: &str) -> Vec<(BlockForm, Range<usize>)> {
    let masked = Masked::of(text);
    let mut blocks: Vec<(BlockForm, Range<usize>)> = Vec::new();
    // The start of an item or a quotation of which nothing has come yet, whether the last block goes on, and the
    // end of the last block that is known as a whole.
    let (mut begun, mut open, mut known) = (None, false, 0);
    for (event, range) in masked.events() {
        if range.start < known {
            continue;
        }
        let (form, end) = match event {
            Event::Start(Tag::Item | Tag::BlockQuote(_)) => {
                (begun, open) = (begun.or(Some(range.start)), false);
                continue;
            }
            Event::Start(Tag::Heading { .. }) => {
                (begun, open, known) = (None, false, range.end);
                blocks.push((BlockForm::Heading, range));
                continue;
            }
            Event::Start(Tag::Table(_)) => (BlockForm::Table, range.end),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => (BlockForm::Code, range.end),
            Event::Start(Tag::Paragraph) => (BlockForm::Paragraph, range.end),
            Event::Start(Tag::List(_) | Tag::CodeBlock(_)) | Event::Rule => {
                open = false;
                continue;
            }
            Event::End(TagEnd::Item | TagEnd::List(_) | TagEnd::BlockQuote(_) | TagEnd::CodeBlock) => {
                (begun, open) = (None, false);
                continue;
            }
            // The lines of a tight item, and of indented code, which is no more than text here.
            _ => (BlockForm::Paragraph, 0),
        };
        match blocks.last_mut().filter(|_| open && end == 0) {
            Some((_, last)) => last.end = last.end.max(range.end),
            None if form.is_whole() => blocks.push((form, range)),
            None => {
                let start = begun.unwrap_or(range.start);
                // Rows without their head are a part of a table.
                let rows = text.get(range.clone()).is_some_and(|text| text.starts_with('|'));
                let form = if rows { BlockForm::Table } else { begun.map_or(form, |_| BlockForm::Item) };
                blocks.push((form, start..range.end));
            }
        }
        (begun, open, known) = (None, end == 0, end);
    }
    blocks
}

fn mask_tags(masked: &mut String, text: &str, range: Range<usize>) {
    let mut rest = range.start;
    for (at, _) in text.get(range.clone()).unwrap_or_default().match_indices('<') {
        let at = range.start + at;
        let after = text.get(at + 1..).unwrap_or_default();
        let begins =
            |scheme: &str| after.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        masked.push_str(text.get(rest..at).unwrap_or_default());
        let address = begins("http://")
            || begins("https://")
            || text.get(..at).is_some_and(|before| before.ends_with("]("));
        masked.push(if address { '<' } else { '{' });
        rest = at + 1;
    }
    masked.push_str(text.get(rest..range.end).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The marks as they stand in the text, with their numbers.
    fn found(text: &str) -> Vec<(&str, Vec<u32>)> {
        markers(text).into_iter().map(|marker| (&text[marker.span], marker.numbers)).collect()
    }

    #[test]
    fn the_forms() {
        assert_eq!(
            found("A[1]. B [1, 2] C [1][3]; Ä [2-4] [5–6,9] [ 7 ;8 ] [3,3]"),
            [
                ("[1]", vec![1]),
                ("[1, 2]", vec![1, 2]),
                ("[1]", vec![1]),
                ("[3]", vec![3]),
                ("[2-4]", vec![2, 3, 4]),
                ("[5–6,9]", vec![5, 6, 9]),
                ("[ 7 ;8 ]", vec![7, 8]),
                ("[3,3]", vec![3]),
            ]
        );
        assert_eq!(
            found("[1999-2020] [4-2] [[1]]"),
            [("[1999-2020]", vec![1999, 2020]), ("[4-2]", vec![4, 2]), ("[1]", vec![1])]
        );
    }

    #[test]
    fn what_is_no_mark() {
        for text in [
            "[]",
            "[a]",
            "[1a]",
            "[ ]",
            "[1,]",
            "[-1]",
            "[1.5]",
            "[12345]",
            "[^a]",
            "[^1]: a note",
            "【】",
            "【1",
            "【1]",
            "[1】",
            "【a】",
            "`【1】`",
            "[Source code]",
            "[Source: [a], 2020]",
            "[Source: a](https://x.org)",
            "[Source: a]: x",
            "[Source: `a]`",
            "[Source: a\nb]",
            "[1\n]",
            "[1",
            "1]",
            "[²]",
            "[1-2-3]",
            r"\[1\]",
            r"\[1]",
            "[1](https://x.org)",
            "[1](x \"a title\")",
            "![1](x.png)",
            "[1]()",
            "[1]: https://x.org",
            "> [1]: x",
            "[1, two]",
            "[000000000000000000000000000000000000000000000000000000000000000000000001]",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        assert_eq!(found(r"\\[1]").len(), 1);
        assert_eq!(found("so [1]: x").len(), 1);
        assert_eq!(found("5 mg [1](at most 5 days)").len(), 1);
        assert_eq!(found("[1](open").len(), 1);
        assert_eq!(found("[1](a) [2]"), [("[2]", vec![2])]);
    }

    #[test]
    fn other_forms_that_models_write() {
        assert_eq!(
            found("A [Source 2] b [source: 1, 3] c [^4]. D【5】【6†source】 e [Sources 1-3]"),
            [
                ("[Source 2]", vec![2]),
                ("[source: 1, 3]", vec![1, 3]),
                ("[^4]", vec![4]),
                ("【5】", vec![5]),
                ("【6†source】", vec![6]),
                ("[Sources 1-3]", vec![1, 2, 3]),
            ]
        );
        // Only number marks inside are marks: which title an outer one would name is not certain.
        assert_eq!(found("[Source: see [1], 2020]"), [("[1]", vec![1])]);
        let text = "So [Source: Grüner Tee, 2020]. And [SOURCE:Rice] [Source: \n a]";
        let labels: Vec<&str> =
            markers(text).into_iter().filter_map(|mark| mark.label).map(|label| &text[label]).collect();
        assert_eq!(labels, ["Grüner Tee, 2020", "Rice"]);
        assert_eq!(found(&format!("[Source: {}]", "x".repeat(300))), []);
    }

    #[test]
    fn marks_as_chinese_and_japanese_write_them() {
        assert_eq!(
            found("泡两分钟[1，2]。四分钟[2、3]。五分钟【1，3】。软［2］。［１；３～5］ 【1】［2］"),
            [
                ("[1，2]", vec![1, 2]),
                ("[2、3]", vec![2, 3]),
                ("【1，3】", vec![1, 3]),
                ("［2］", vec![2]),
                ("［１；３～5］", vec![1, 3, 4, 5]),
                ("【1】", vec![1]),
                ("［2］", vec![2]),
            ]
        );
        for text in ["［注］", "［1]", "[1］", "[1，]", "［］", "`［1］`", "【１２３４５】"]
        {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn addresses_hold_no_marks() {
        for text in [
            "[see](https://x.org/a[1])",
            "[*see*](https://x.org/a[1]/b?c[2]=d)",
            "[see](<two.html[1]>)",
            "![alt](https://x.org/a[1].png)",
            "[![alt](x[2].png)](two.html[1])",
            "<https://x.org/a[1]>",
            "[a]\n\n[a]: https://x.org/b[1]",
            "https://x.org/a[1]/b",
            "https://x.org/?a[1]=2",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        assert_eq!(found("[see](https://x.org/a[1]) [2]"), [("[2]", vec![2])]);
        for text in [
            "See https://x.org/a[1].",
            "[so [1] it](two.html)",
            "[see](x [1])",
            "[see [1]](two[2].html)",
            "[see](x[2] \"part [1]\")",
        ] {
            assert_eq!(found(text), [("[1]", vec![1])], "{text}");
        }
    }

    #[test]
    fn a_megabyte_of_brackets_is_read_once() {
        // Looked through to the end from each bracket, these would take hours.
        for (repeated, marks) in [
            ("[", 0),
            ("]", 0),
            ("[Source: ", 0),
            ("[source: x", 0),
            ("[Source: a](", 100_000),
            ("【", 0),
            ("【1", 0),
            ("[[1]]", 100_000),
            ("【[1】", 0),
        ] {
            assert_eq!(markers(&repeated.repeat(100_000)).len(), marks, "{repeated}");
        }
    }

    #[test]
    fn a_line_of_links_that_do_not_end_is_looked_through_once() {
        // Looked through from each mark anew, these would take hours.
        for (repeated, marks) in
            [("[1](x", 300_000), ("[1]: ", 299_999), ("[1](x \"", 300_000), ("[1](a b", 300_000)]
        {
            assert_eq!(markers(&repeated.repeat(300_000)).len(), marks, "{repeated}");
        }
        assert_eq!(found("[1](x\n[1](x)[2](y\n[3]"), [("[1]", vec![1]), ("[2]", vec![2]), ("[3]", vec![3])]);
    }

    #[test]
    fn code_holds_no_marks() {
        for text in [
            "`a[1]`",
            "``a`[1]``",
            "```\n[1]\n```",
            "~~~ x\n[1]\n```\n[2]",
            "> ```\n> [1]\n> ```",
            "```rust\n[1]",
            "`a\n[1]`",
            "````\n```\n[1]\n````",
            "So:\n\n    a[1] = b[2]\n",
            "- So:\n\n      a[1]\n",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        for text in
            ["`a [1]", "``a` [1]", "`a\n\n[1] `b", "```\nx\n```\n[1]", "```x``` [1]", "`a\n```\nx\n```\n[1]"]
        {
            assert_eq!(found(text), [("[1]", vec![1])], "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_mark_has_brackets_and_names_something(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["[1]", "[", "]", "(", ")", "`", "``", "```", "~~~", "\n", "\n\n", " ", "a", "1", ",",
                    "-", "\\", ":", "é", "\"", ">", "[2, 3]", "【", "】", "【1】", "[Source: ", "[Source: a]", "Sou", "^", "†"]),
                0..25,
            ),
        ) {
            let text = pieces.concat();
            for marker in markers(&text) {
                let mark = &text[marker.span.clone()];
                prop_assert!(mark.starts_with(['[', '【']) && mark.ends_with([']', '】']));
                prop_assert!(marker.numbers.is_empty() == marker.label.is_some());
            }
        }

        #[test]
        fn any_text_is_scanned(text in any::<String>()) {
            markers(&text);
        }
    }
}
