//! The tree of a text that is still being written.

use pulldown_cmark::{Event, Tag};

use super::build::TreeBuilder;
use super::link::Addresses;
use super::mark::Mark;
use super::node::Node;
use crate::cite::markdown::Masked;
use crate::cite::marker::{begins_line, is_escaped};

/// The most bytes of a bracket that are held back until it closes: those of a title, or of a link.
const MOST_HELD: usize = 400;

/// Signs that begin blocks or rules. A line of nothing but these and digits may become any block.
const MARKUP: [char; 16] = ['-', '*', '+', '#', '>', '=', '_', '~', '`', '|', ':', '.', ')', ' ', '\t', '\r'];

/// Returns the tree of the beginning of a text, such that no word of it is shown otherwise once more has come.
///
/// Emphasis and code that the end of the text leaves open are closed. All else is held back until it is known
/// what it becomes: a mark, a link, the head of a table, the sign of an item. Numbers that are `known` are
/// citations; links are their words.
pub fn partial_tree(text: &str, known: &dyn Fn(u32) -> bool) -> Vec<Node> {
    let text = certain(text);
    let ended = text.len() - text.trim_end().len();
    let between = text.bytes().rev().take(ended).filter(|byte| *byte == b'\n').count();
    let text = text.trim_end();
    let mut masked = Masked::of(text);
    if between < 2 {
        masked.close(&closers(&masked));
    }
    let events = masked.events();
    let marks = masked.marks(&events).into_iter().filter_map(|mark| {
        let numbers: Vec<u32> = mark.numbers.into_iter().filter(|number| known(*number)).collect();
        (!numbers.is_empty()).then_some(Mark { span: mark.span, numbers })
    });
    TreeBuilder::new(text, marks.collect(), Addresses::default()).build(masked.source(), events)
}

/// Takes the text up to what may yet become something else.
fn certain(text: &str) -> &str {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    let from = text.ceil_char_boundary(line.max(text.len().saturating_sub(MOST_HELD)));
    let held =
        |(at, _): &(usize, &str)| is_open(text.get(..from + at).unwrap_or_default(), &text[from + at..]);
    let end = text[from..].match_indices(['[', '【', '［', '<', '&']).find(held).map(|(at, _)| from + at);
    let mut text = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    text = text.trim_end_matches(['*', '_', '~', '`', '!', '\\']);
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    if text[line..].chars().all(|c| c.is_ascii_digit() || MARKUP.contains(&c)) {
        text = &text[..line];
    }
    // A row alone is a head or words, as the line below it says.
    let mut rows = text.lines().rev().take_while(|line| line.trim_start().starts_with('|'));
    match (rows.next(), rows.next()) {
        (Some(row), None) => text.trim_end_matches(['\n', '\r']).strip_suffix(row).unwrap_or(text),
        _ => text,
    }
}

/// Returns whether a sign begins something of which the rest has not come.
fn is_open(before: &str, rest: &str) -> bool {
    let inner = rest.get(1..).unwrap_or_default();
    match rest.bytes().next() {
        _ if is_escaped(before) => false,
        Some(b'<') => {
            let address = "http".starts_with(inner) || inner.starts_with("http");
            address && !inner.contains([' ', '>'])
        }
        Some(b'&') => {
            inner.len() < 10 && inner.bytes().all(|byte| byte == b'#' || byte.is_ascii_alphanumeric())
        }
        Some(b'[') => match inner.split_once(']') {
            None | Some((_, "")) => true,
            Some((_, behind)) if behind.starts_with('(') => !behind.contains(')'),
            Some((_, behind)) => behind.starts_with(':') && begins_line(before),
        },
        _ => !rest.contains(['】', '］']),
    }
}

/// Returns the signs that end the emphasis and the code which the last block begins, the innermost first.
fn closers(masked: &Masked) -> String {
    let source = masked.source();
    let mut open: Vec<&str> = Vec::new();
    let mut code = false;
    for (event, range) in masked.events() {
        match event {
            Event::Start(
                Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. },
            ) => {}
            // The cells that a row still lacks are empty.
            Event::Start(tag) if !range.is_empty() => {
                open.clear();
                code = matches!(tag, Tag::CodeBlock(_));
            }
            Event::Text(_) if !code => {
                let mut at = range.start;
                while let Some(found) =
                    source.get(at..range.end).and_then(|rest| rest.find(['*', '_', '~', '`']))
                {
                    let (before, rest) = source.split_at(at + found);
                    let sign = rest.chars().next().unwrap_or_default();
                    let behind = rest.trim_start_matches(sign);
                    let run = &rest[..rest.len() - behind.len()];
                    at += found + run.len();
                    let opens = !is_escaped(before)
                        && behind.starts_with(|c: char| !c.is_whitespace())
                        && (sign == '`' || !before.ends_with(char::is_alphanumeric));
                    if opens && (sign != '~' || run.len() == 2) {
                        open.push(run);
                        code = sign == '`';
                    }
                    if code {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    open.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ANSWER: &str = "# Zinc *salts*\n\nGive **20 mg _once_** a day [1], or `10 mg` twice; ~~never~~ more 【2】. See \
        [the *guide*](https://a.org/one \"x\") and ![a chart](b.png) [Sources 1-3].\nFor 5 < 6 &amp; 7 it is 2 * 3 \\* 4 \
        <https://a.org>.\n\n- One **bold\n  word**\n  - Two [1, 2]\n- `a[0]` three\n\n2. First\n3. Second: *so*[3]\n\n> Quoted \
        __text__\n> goes on [9]\n\nDoses:\n\n| Drug | Dose [1] |\n|:--|--:|\n| **Zinc** | 5 \\| 10 mg |\n| Iron | `a` |\n\n\
        ```rust\nlet a = [1, 2];\n| x |\n```\n\n---\n\n[1]: two.html\n\nThe **end [2]**.\n";

    fn read(text: &str) -> Vec<Node> {
        partial_tree(text, &|number| number <= 3)
    }

    /// The texts and citations with the kinds of nodes that they are in, neighbours of the same kind as one.
    fn leaves(nodes: &[Node], path: &str, found: &mut Vec<(String, String)>) {
        for (at, node) in nodes.iter().enumerate() {
            let json = serde_json::to_value(node).unwrap();
            let kind = format!("{path} {}", json["type"].as_str().unwrap());
            match node {
                Node::Text { text, .. } => match found.last_mut().filter(|(last, _)| *last == kind) {
                    Some((_, said)) => said.push_str(text),
                    None => found.push((kind, text.clone())),
                },
                Node::Citation { number, .. } => found.push((kind, number.to_string())),
                Node::Table { header, rows, .. } => {
                    for (row, cells) in std::iter::once(header).chain(rows).enumerate() {
                        leaves(cells, &format!("{kind}{at}.{row}"), found);
                    }
                }
                node => {
                    leaves(node.clone().list_mut().map_or(&[], |list| list), &format!("{kind}{at}"), found);
                }
            }
        }
    }

    fn read_leaves(text: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        leaves(&read(text), "", &mut found);
        found
    }

    #[test]
    fn nothing_that_was_shown_is_taken_back() {
        let whole = read_leaves(ANSWER);
        let mut longest = 0;
        for (end, _) in ANSWER.char_indices() {
            let part = read_leaves(&ANSWER[..end]);
            let Some(((kind, said), before)) = part.split_last() else { continue };
            assert!(whole.starts_with(before), "{:?}: {before:?}", &ANSWER[..end]);
            let (whole_kind, whole_said) = &whole[before.len()];
            assert_eq!(kind, whole_kind, "{:?}", &ANSWER[..end]);
            assert!(whole_said.starts_with(said.trim_end()), "{:?}: {said:?}", &ANSWER[..end]);
            longest = longest.max(end - before.len());
        }
        assert!(longest > ANSWER.len() / 2);
    }

    #[test]
    fn what_is_open_is_closed_or_held_back() {
        let shown = |text: &str| -> Vec<(String, String)> { read_leaves(text) };
        for (text, said) in [
            ("Use **5 mg", "5 mg"),
            ("Use **5 *mg*", "mg"),
            ("Use `5 mg", "5 mg"),
            ("Use ~~5 mg", "5 mg"),
            ("- a\n- **5 mg", "5 mg"),
            ("| a |\n|-|\n| **5 mg", "5 mg"),
            ("```\n**5 mg", "**5 mg"),
            ("so 2 * 3", "so 2 * 3"),
            ("so ~5 mg", "so ~5 mg"),
            ("Use \\*5 mg", "Use *5 mg"),
            ("An array[0 is not held for ever\nas here", "An array[0 is not held for ever\nas here"),
        ] {
            assert_eq!(shown(text).last().unwrap().1, said, "{text:?}");
        }
        for text in [
            "Use ",
            "Use **",
            "Use [",
            "Use [1",
            "Use [1]",
            "Use [1](",
            "Use [a](b",
            "Use ![",
            "Use 【1",
            "Use \\",
            "Use &am",
            "Use <http://a",
            "Use `",
            "Use\n- ",
            "Use\n1",
            "Use\n1.",
            "Use\n---",
            "Use\n```",
            "Use\n\n| a |",
            "Use\n\n| a |\n|-",
            "Use\n# ",
        ] {
            let found: Vec<String> = shown(text).into_iter().map(|(_, said)| said).collect();
            assert_eq!(found, ["Use"], "{text:?}");
        }
        assert_eq!(shown("A [1] b").len(), 3);
        assert_eq!(shown("A [9] b")[0].1, "A [9] b");
        // What closes is never shown.
        assert!(!format!("{:?}", read("a **b (*c\n\nd")).contains("**\""));
    }

    proptest! {
        #[test]
        fn any_beginning_has_a_tree_of_its_own_words(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["[1]", "[", "]", "(", ")", "`", "```", "~~", "\n", "\n\n", " ", "a", "**", "*", "_",
                    "\\", ":", "é", ">", "- ", "| ", "|-|\n", "【1】", "<", "&", "![", "# ", "1. "]),
                0..25,
            ),
        ) {
            let text = pieces.concat();
            let mut at = 0;
            for (kind, said) in read_leaves(&text).iter().filter(|(kind, _)| kind.ends_with(" text")) {
                for c in said.chars() {
                    at += text[at..].find(c).unwrap_or_else(|| panic!("{text:?} {kind} {said:?}")) + c.len_utf8();
                }
            }
        }
    }

    #[test]
    fn what_opens_and_never_closes_takes_no_time_by_its_square() {
        for piece in [
            "**a ", "_a ", "[", "![a", "`", "[a](", "|", "- ", "[1,", "<", "&lt", "**[`_", "\\", "| a\n",
            "【",
        ] {
            read(&piece.repeat(50_000));
        }
    }
}
