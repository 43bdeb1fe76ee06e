use std::fmt::Write;

use proptest::prelude::*;

use super::*;
use crate::cite::check::check;
use crate::cite::source::SourceRegister;
use crate::cite::source::tests::hit;
use ibid_retrieve::Hit;

/// Three sources, of which two have addresses.
fn register() -> SourceRegister {
    let mut register = SourceRegister::default();
    for (chunk, url) in [(1, Some("https://a.org/one")), (2, Some("two.html")), (3, None)] {
        register.register(Hit { url: url.map(str::to_owned), ..hit(chunk, "x") });
    }
    register
}

fn read(text: &str) -> Vec<Node> {
    let register = register();
    tree(text, &check(text, &register).citations, register.sources())
}

/// A tree in short: `paragraph(one strong(two) [1])`.
fn short(nodes: &[Node]) -> String {
    nodes.iter().map(describe).collect::<Vec<_>>().join(" ")
}

fn describe(node: &Node) -> String {
    let mut node = node.clone();
    let name = serde_json::to_value(&node).unwrap()["type"].as_str().unwrap().to_owned();
    match &mut node {
        Node::Text { text, .. } => text.clone(),
        Node::Citation { number, .. } => format!("[^{number}]"),
        Node::Link { url, children } => format!("link<{url}>({})", short(children)),
        Node::Heading { level, children } => format!("heading{level}({})", short(children)),
        Node::List { start: Some(start), children, .. } => format!("list{start}({})", short(children)),
        Node::CodeBlock { language: Some(language), children } => {
            format!("codeBlock.{language}({})", short(children))
        }
        Node::Table { header, rows, .. } => {
            rows.iter().fold(format!("table({}", short(header)), |mut all, row| {
                write!(all, " / {}", short(row)).unwrap();
                all
            }) + ")"
        }
        other => match other.list_mut() {
            Some(children) => format!("{name}({})", short(children)),
            None => name,
        },
    }
}

#[track_caller]
fn is(text: &str, expected: &str) {
    assert_eq!(short(&read(text)), expected, "{text}");
}

#[test]
fn blocks() {
    is("One\ntwo\n\nThree", "paragraph(One\ntwo) paragraph(Three)");
    is("# A\n### B *c*\n\nD\n---", "heading1(A) heading3(B  emphasis(c)) heading2(D)");
    is("> a\n> b\n\n---", "blockQuote(paragraph(a\n b)) thematicBreak");
    is("```rust,x\nlet a = 1;\n\n  b\n```", "codeBlock.rust(let a = 1;\n\n  b)");
    is("~~~ <script>\n<b>\n", "codeBlock(<b>)");
    is("    a\n    b", "codeBlock(a\n b)");
    is("```\n```", "codeBlock()");
    is("", "");
}

#[test]
fn lists_have_paragraphs_in_their_items_whether_they_are_tight_or_not() {
    is(
        "- a *b*\n  - c\n- d",
        "list(item(paragraph(a  emphasis(b)) list(item(paragraph(c)))) item(paragraph(d)))",
    );
    is("3. a\n\n   b\n4. c", "list3(item(paragraph(a) paragraph(b)) item(paragraph(c)))");
    is("- ```\n  x\n  ```\n- ", "list(item(codeBlock(x)) item())");
    is("- [ ] open", "list(item(paragraph([ ] open)))");
}

#[test]
fn tables() {
    is(
        "| Drug | Dose [1] |\n|:--|--:|\n| **Zinc** | 5 \\| 10 mg [2, 3] |\n| `a\\|b` |\n\nAfter",
        "table(cell(Drug) cell(Dose  [^1]) / cell(strong(Zinc)) cell(5  | 10 mg  [^2] [^3]) / \
         cell(code(a |b)) cell()) paragraph(After)",
    );
    is(
        "Doses:\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[1]",
        "paragraph(Doses:) table(cell(a) cell(b) / cell(1) cell(2)) paragraph([^1])",
    );
    let nodes = read("| a | b | c | d |\n|:-|:-:|-:|-|\n");
    let Node::Table { alignment, .. } = &nodes[0] else { panic!("{nodes:?}") };
    assert_eq!(*alignment, [Alignment::Left, Alignment::Center, Alignment::Right, Alignment::None]);
}

#[test]
fn inline_content() {
    is("**a _b_** ~~c~~ `d*e*`", "paragraph(strong(a  emphasis(b))   strikethrough(c)   code(d*e*))");
    is("a  \nb\\\nc", "paragraph(a lineBreak b lineBreak c)");
    is("\\*a\\* &lt;5 &amp; b", "paragraph(*a *  < 5  &  b)");
    is("~5 mg~ or 2~3~4", "paragraph(~5 mg~ or 2~3~4)");
    is("2 * 3 * 4 snake_case_name", "paragraph(2 * 3 * 4 snake_case_name)");
    is("`` a`b ``", "paragraph(code(a`b))");
    is("> `a\n> b`", "blockQuote(paragraph(code(a\n b)))");
}

#[test]
fn html_and_images_become_text() {
    is("<img src=x onerror=alert(1)>", "paragraph(<img src=x onerror=alert(1)>)");
    is("<div>\n**a**\n</div>", "paragraph(<div>\n strong(a) \n</div>)");
    is("**bold <b>tag</b>**<!-- c -->", "paragraph(strong(bold <b>tag</b>) <!-- c -->)");
    is("![al *t*](https://a.org/one \"t\") ![x](data:a)", "paragraph(al  emphasis(t)   x)");
    is("a < b <5 [x](<b>)", "paragraph(a < b <5  x)");
}

#[test]
fn links_lead_to_sources_only() {
    is(
        "[a](https://a.org/one) [*b*](https://a.org/one#s) [c](two.html)",
        "paragraph(link<https://a.org/one>(a)   link<https://a.org/one>(emphasis(b))   link<two.html>(c))",
    );
    is("[a](https://evil.org) [b](javascript:alert(1)) [c](data:x)", "paragraph(a   b   c)");
    is(
        "<https://a.org/one> <https://evil.org>",
        "paragraph(link<https://a.org/one>(https://a.org/one)   https://evil.org)",
    );
    is("<javascript:x> <a@b.org>", "paragraph(<javascript:x> <a@b.org>)");
    is("[a][x] [y]\n\n[x]: two.html\n[y]: https://evil.org", "paragraph(link<two.html>(a)   y)");
    is("[![alt](x.png)](two.html)", "paragraph(link<two.html>(alt))");
    is(
        "[a ![b [c](two.html)](x)](two.html) [](two.html)",
        "paragraph([a  b  link<two.html>(c) ](two.html) )",
    );
    is("[see](two.html[1]) [98]", "paragraph(see  [98])");
    is("[see](<two.html>)", "paragraph(link<two.html>(see))");
}

#[test]
fn marks_are_citations_and_nothing_else() {
    is("A [1]. B [2, 3][1] C [1-3]", "paragraph(A  [^1] . B  [^2] [^3] [^1]  C  [^1] [^2] [^3])");
    is("**a**[1] *b.*[2] _[3]_", "paragraph(strong(a) [^1]   emphasis(b.) [^2]   emphasis([^3]))");
    is("A [1] [9][2]\n\n[1]: two.html\n[9]: two.html", "paragraph(A  [^1]  [9] [^2])");
    is("[a][1] b\n\n[1]: two.html", "paragraph([a] [^1]  b)");
    is("[dose [1]](two.html)", "paragraph(dose  [^1])");
    is("`[1]` \\[1]\n```\n[2]\n```", "paragraph(code([1])   [1]) codeBlock([2])");
    is("- x [1]\n\n      [2]", "list(item(paragraph(x  [^1]) codeBlock([2])))");
}

#[test]
fn numbers_of_no_source_stay_text() {
    is("[9] [0] [1999-2020]", "paragraph([9] [0] [1999-2020])");
    is("[2, 98].", "paragraph([^2] [98] .)");
    is("[98, 2; 99] [1,7,2]", "paragraph([^2] [98, 99]   [^1] [^2] [7])");
    is("[1-5]", "paragraph([^1] [^2] [^3] [1-5])");
}

#[test]
fn other_forms_of_marks_are_citations_too() {
    is("A 【1】 b [Source 2, 98] c [^3]", "paragraph(A  [^1]  b  [^2] [98]  c  [^3])");
    is("【1, 98†a|b】x", "paragraph([^1] [98] x)");
    // The three sources are passages of one document.
    is("A [Source: doc]. B", "paragraph(A  [^1] [^2] [^3] . B)");
    is("| a |\n|-|\n| b [source: DOC] |", "table(cell(a) / cell(b  [^1] [^2] [^3]))");
    is("[Source: Air] `[Source: Doc]` 【98】", "paragraph([Source: Air]  code([Source: Doc])  【98】)");
    is("[Source: *Air* <b>](javascript:x)", "paragraph(Source:  emphasis(Air)  <b>)");
}

#[test]
fn a_mark_that_would_not_be_shown_is() {
    is("| a |\n|-|\n| b | [1] | [2] |\n| c |", "table(cell(a) / cell(b [^1] [^2]) / cell(c))");
    is("x [a](two.html \"see [1]\") y", "paragraph(x  a [^1]  y)");
    is("![a](x \"[1]\")", "paragraph(a [^1])");
    // An address is none of it.
    is("[a](https://b.org/[1]) b", "paragraph(a  b)");
    is("[a]: two.html \"[1]\"", "paragraph([^1])");
}

#[test]
fn citations_of_another_text_do_no_harm() {
    let register = register();
    let citations = check("Gänse [1], Äpfel [2]. [3]", &register).citations;
    for text in ["", "é", "short", "Gaense [1] äääääääääääääää", "[1] and [2] and so on, [3] [3]"]
    {
        let nodes = tree(text, &citations, &[]);
        assert!(text.is_empty() || !nodes.is_empty());
    }
}

#[test]
fn the_json_form() {
    let text = "# Ä [1]\n1. `x`\n\n```sh\ny\n```\n| a |\n|-|";
    assert_eq!(
        serde_json::to_value(read(text)).unwrap(),
        serde_json::json!([
            {"type": "heading", "level": 1, "children": [
                {"type": "text", "text": "Ä ", "start": 2, "end": 5},
                {"type": "citation", "number": 1, "start": 5, "end": 8},
            ]},
            {"type": "list", "ordered": true, "start": 1, "children": [
                {"type": "item", "children": [{"type": "paragraph", "children": [
                    {"type": "code", "children": [{"type": "text", "text": "x", "start": 13, "end": 14}]},
                ]}]},
            ]},
            {"type": "codeBlock", "language": "sh", "children": [
                {"type": "text", "text": "y", "start": 23, "end": 24},
            ]},
            {"type": "table", "alignment": ["none"], "rows": [], "header": [
                {"type": "cell", "children": [{"type": "text", "text": "a", "start": 31, "end": 32}]},
            ]},
        ])
    );
    let nodes = read(text);
    let back: Vec<Node> = serde_json::from_value(serde_json::to_value(&nodes).unwrap()).unwrap();
    assert_eq!(back, nodes);
}

/// Checks what every tree keeps to, and returns how deep it is.
fn check_tree(text: &str, nodes: &[Node]) -> usize {
    let expected: Vec<(u32, usize)> = check(text, &register())
        .citations
        .into_iter()
        .map(|citation| (citation.number, citation.span.start))
        .collect();
    let mut walk = TreeWalk { text, at: 0, citations: Vec::new(), deepest: 0 };
    walk.blocks(nodes, 0);
    assert_eq!(walk.citations, expected, "{text:?} {nodes:?}");
    assert!(walk.deepest <= MAX_DEPTH, "{} in {text:?}", walk.deepest);
    walk.deepest
}

struct TreeWalk<'t> {
    text: &'t str,
    /// The place where the last text or mark ended.
    at: usize,
    citations: Vec<(u32, usize)>,
    deepest: usize,
}

impl TreeWalk<'_> {
    fn blocks(&mut self, nodes: &[Node], depth: usize) {
        for node in nodes {
            match node {
                Node::Paragraph { children } | Node::Heading { children, .. } => {
                    self.inline(children, depth + 1, true);
                }
                Node::CodeBlock { children, .. } => self.inline(children, depth + 1, false),
                Node::BlockQuote { children } => self.blocks(children, depth + 1),
                Node::List { children, .. } => {
                    for item in children {
                        let Node::Item { children } = item else { panic!("{item:?} in a list") };
                        self.blocks(children, depth + 2);
                    }
                }
                Node::Table { alignment, header, rows } => {
                    for row in std::iter::once(header).chain(rows) {
                        assert_eq!(row.len(), alignment.len());
                        for cell in row {
                            let Node::Cell { children } = cell else { panic!("{cell:?} in a table") };
                            self.inline(children, depth + 2, true);
                        }
                    }
                }
                Node::ThematicBreak => {}
                other => panic!("{other:?} among blocks"),
            }
        }
        self.deepest = self.deepest.max(depth);
    }

    fn inline(&mut self, nodes: &[Node], depth: usize, markup: bool) {
        self.deepest = self.deepest.max(depth);
        for node in nodes {
            match node {
                Node::Text { text, start, end } => {
                    let here = &self.text[*start..*end];
                    let mark = here.starts_with('[') && self.at == *end;
                    assert!(*start >= self.at || mark, "{node:?} is out of order");
                    let verbatim = here == text;
                    let reference = here.starts_with('&') && here.ends_with(';');
                    assert!(verbatim || reference || mark && is_subsequence(text, here), "{node:?} {here:?}");
                    assert!(!text.is_empty());
                    self.at = *end;
                }
                Node::Citation { number, start, end } => {
                    let here = &self.text[*start..*end];
                    assert!(here.starts_with('[') && here.ends_with(']'), "{here}");
                    let same = self.citations.last().is_some_and(|(_, last)| last == start);
                    assert!(*start >= self.at || same, "{node:?} is out of order");
                    self.citations.push((*number, *start));
                    self.at = *end;
                }
                Node::Code { children } if markup => self.inline(children, depth + 1, false),
                Node::Emphasis { children }
                | Node::Strong { children }
                | Node::Strikethrough { children }
                    if markup =>
                {
                    self.inline(children, depth + 1, true);
                }
                Node::Link { url, children } if markup => {
                    let page = url.split('#').next().unwrap();
                    assert!(page == "https://a.org/one" || page == "two.html", "{url}");
                    let cited = self.citations.len();
                    self.inline(children, depth + 1, true);
                    assert!(cited == self.citations.len(), "a citation in a link");
                    assert!(!format!("{children:?}").contains("Link"), "a link in a link");
                }
                Node::LineBreak if markup => {}
                other => panic!("{other:?} in a line"),
            }
        }
    }
}

fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().all(|wanted| rest.any(|c| c == wanted))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn markup_of_any_kind_becomes_a_safe_tree(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "- ", "1. ", "> ", "  ", "    ", "\n", "\n\n", "\r\n", "**", "*", "_", "~~", "~", "`", "``", "```\n", "| ", "|", "|-|-|\n",
                "| a | b |\n|---|---|\n", "# ", "a", "é", "🫁", " ", "[1]", "[2, 9]", "[1-3]", "[", "]", "(", ")", "](", "](two.html)",
                "[x](https://a.org/one#s)", "[x](javascript:y)", "![", "<b>", "<", ">", "<https://a.org/one>", "\\", "&lt;", "&amp", "&#91;",
                "---\n", "===\n", "[1]: two.html\n", "[x]: two.html \"[2]\"\n", "\"", ":", "\t", "\0", "&nGg;",
            ]),
            0..40,
        ),
    ) {
        let text = pieces.concat();
        check_tree(&text, &read(&text));
    }

    #[test]
    fn any_text_becomes_a_safe_tree(text in any::<String>()) {
        check_tree(&text, &read(&text));
    }
}

/// Nothing here measures time: an input that took more than linear time would not end within a test's patience.
#[test]
fn deep_and_repetitive_texts_are_read_to_the_end() {
    const MANY: usize = 20_000;
    let nested = (0..700).fold(String::new(), |mut all, depth| {
        writeln!(all, "{:width$}- a", "", width = depth * 2).unwrap();
        all
    });
    for (text, deep) in [
        ("[".repeat(MANY), false),
        ("![".repeat(MANY), false),
        ("[a](".repeat(MANY), false),
        ("[1](".repeat(MANY), false),
        ("[1]: ".repeat(MANY), false),
        ("[1]".repeat(MANY), false),
        (format!("{}{}", "[".repeat(MANY), "]".repeat(MANY)), false),
        (format!("{}x{}", "[".repeat(MANY), "](two.html)".repeat(MANY)), false),
        (format!("{}x", "> ".repeat(MANY)), true),
        (format!("{}x", "- ".repeat(MANY)), true),
        (format!("{}x{}", "1. ".repeat(MANY), "\n\n".repeat(MANY)), true),
        (format!("{}x{}", "> - ".repeat(MANY), "\n>".repeat(MANY)), true),
        (nested.clone(), true),
        (format!("{nested}{}", "\n".repeat(MANY)), true),
        (format!("{}x{}", "*a ".repeat(MANY), "*".repeat(MANY)), true),
        (format!("{}x{}", "**a ".repeat(MANY), " b**".repeat(MANY)), true),
        ("*_".repeat(MANY), false),
        ("a**b".repeat(MANY), false),
        ("`".repeat(MANY), false),
        ((0..800).map(|count| "`".repeat(count) + "a").collect(), false),
        ("~~a".repeat(MANY), false),
        ("<".repeat(MANY), false),
        ("<!--".repeat(MANY), false),
        ("](<".repeat(MANY), false),
        ("<https://".repeat(MANY), false),
        ("&".repeat(MANY), false),
        ("\\".repeat(MANY), false),
        ("| ".repeat(MANY), false),
        (format!("|a|\n|-|\n{}", "|b|[1]|\n".repeat(MANY)), false),
        (format!("{}\n{}\n{}", "|a".repeat(1000), "|-".repeat(1000), "|\n".repeat(MANY)), false),
        ("[x]: two.html\n".repeat(MANY), false),
        (format!("[x]: {}\n\n{}", "a".repeat(MANY), "[x] ".repeat(MANY)), false),
        ("```\n".repeat(MANY), false),
        ("a\n".repeat(MANY), false),
        ("a `b` **c** [1]\n\n".repeat(MANY), false),
    ] {
        let nodes = read(&text);
        let start = &text[..text.floor_char_boundary(20)];
        let found = check_tree(&text, &nodes);
        // A list and its item, or a quote, may leave a level or two that the next one does not fit into.
        assert_eq!(found + 2 >= MAX_DEPTH, deep, "{start}: {found}");
    }
}
