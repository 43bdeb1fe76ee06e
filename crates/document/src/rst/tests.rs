//! Documents in reStructuredText, and the markdown that they become.

use crate::{Block, Document, Generator, Site};
use proptest::prelude::*;

fn read(text: &str) -> Document {
    Document::parse("a.rst", text.as_bytes()).unwrap()
}

/// The text without the line end behind it.
fn markdown(text: &str) -> String {
    read(text).text.trim_end().to_owned()
}

#[test]
fn headings_get_their_levels_in_the_order_of_their_marks() {
    let document = read(
        ":orphan:\n\n=========\nTea & {x}\n=========\n\n1. Leaves\n=========\n\n``green``\n---------\nWords.\n\n\
         Water\n=====\n\nC\n-\n\n----\n\nWater\n=====\n",
    );
    let sections: Vec<_> = document.sections.iter().map(|s| s.heading_path.join(" > ")).collect();
    assert_eq!(
        sections,
        [
            "Tea & {x}",
            "Tea & {x} > 1. Leaves",
            "Tea & {x} > 1. Leaves > green",
            "Tea & {x} > Water",
            "Tea & {x} > Water > C",
            "Tea & {x} > Water",
        ]
    );
    let anchors: Vec<_> = document.sections.iter().map(|s| s.anchor.clone().unwrap()).collect();
    assert_eq!(anchors, ["tea-x", "leaves", "green", "water", "c", "id1"]);
}

#[test]
fn pages_of_sphinx_are_linked_to_by_page_and_heading() {
    let mut document = Document::parse("a/b.rst", b"A_b\n===\n\nWords.\n\nA b\n===\n\nMore.\n").unwrap();
    document.place_on(&Site::new(Some(Generator::Sphinx), None, Some("/docs")), "a/b.rst").unwrap();
    assert_eq!(document.metadata.url.as_deref(), Some("/docs/a/b.html"));
    let anchors: Vec<_> = document.sections.iter().map(|s| s.anchor.clone().unwrap()).collect();
    assert_eq!(anchors, ["a-b", "id1"]);
}

#[test]
fn markup_in_text_is_that_of_markdown_or_none() {
    for (rst, shown) in [
        ("A ``lit*eral`` and ``a`b``.", "A `lit*eral` and ``a`b``."),
        (":ref:`the store <st>`, :ref:`st-one`, :doc:`/a/b`, :doc:`/a/index`", "the store, st one, b, a"),
        (":py:func:`~tea.brew.steep`, :class:`!Cup`, `Cup`", "`steep`, `Cup`, `Cup`"),
        (":pep:`8`, :rfc:`2616`, :guilabel:`Save as`, `a title`", "PEP 8, RFC 2616, Save as, a title"),
        ("`a link <https://x.y>`_, `b`__, link_, link__.", "a link, b, link, link."),
        ("[1]_ [#note]_ [#]_ [Knuth]_ |x| |release| |y|", "[1] [note]  [Knuth] the *cup*  y"),
        ("re\\ ``st``\\ s \\*args *a* **b**", "re`st`s \\*args *a* **b**"),
        (
            "a < b <tag> __init__ snake_case ` :x: a:`",
            "a < b \\<tag> \\_\\_init_\\_ snake_case \\` :x: a:\\`",
        ),
        ("# no heading\n~~~ no fence", "\\# no heading\n\\~~~ no fence"),
        (":é", ":é"),
        ("an ``unclosed literal", "an \\`\\`unclosed literal"),
    ] {
        assert_eq!(markdown(&format!(".. |x| replace:: the *cup*\n\n{rst}\n")), shown, "{rst}");
    }
}

#[test]
fn names_between_bars_are_the_words_that_they_stand_for() {
    let rst = "A|--|B |x|, |two|.\n\n.. |--| unicode:: U+2014 .. a dash\n   :trim:\n.. |two| replace:: of\n   two ``lines``\n";
    let site = |config| Site::new(Some(Generator::Sphinx), Some(config), None);
    let read = |config, text: &str| {
        let mut documents = crate::parse_for(&site(config), "a.rst", text.as_bytes()).unwrap();
        documents.remove(0).text.trim_end().to_owned()
    };
    assert_eq!(read("", &rst.replace("A|--|B", "A\\ |--|\\ B")), "A—B x, of two `lines`.");
    let titled =
        crate::parse_for(&site("version = '3.2'"), "a.rst", b"In |version|\n============\n\nWords.\n")
            .unwrap();
    let Document { metadata, sections, .. } = &titled[0];
    assert_eq!((&*metadata.title, sections[0].anchor.as_deref()), ("In 3.2", Some("in-version")));
    let config = "version = '3.2'\nrst_epilog = \"\"\"\n.. |x| replace:: the *cup*\n\"\"\"\n";
    assert_eq!(
        read(config, "Of |version|, |release|: |x|, |y|.\n\n.. |y| replace:: own\n"),
        "Of 3.2, : the *cup*, own."
    );
}

#[test]
fn lists_nest_and_terms_have_their_definitions() {
    assert_eq!(
        markdown(
            "* one\n  more\n\n  * nested\n\n* two\n\n#. first\n#. second\n\n   its text\n\n(3) third\n\n\
             term : kind\n  What it is.\n\n  More.\nother\n  ::\n\n    x = 1\n\n  Quoted.\n\n    Deeper.\n"
        ),
        "- one\n  more\n\n  - nested\n- two\n1. first\n1. second\n\n   its text\n3. third\n\n\
         - term : kind\n  What it is.\n\n  More.\n\n- other\n  ```\n  x = 1\n  ```\n\n  Quoted.\n\n  Deeper."
    );
}

#[test]
fn code_is_fenced_with_its_language() {
    assert_eq!(
        markdown(
            "Brew::\n\n   def brew():\n       return \"```\"\n\nApart: ::\n\n\tx\n\n.. highlight:: sh\n\n.. code-block:: python\n   \
             :caption: Brew it\n   :linenos:\n\n   y = 2\n\n::\n\n  tea\n\n>>> 1 + 1\n2\n\n.. sourcecode:: none\n\n   z\n\
             .. literalinclude:: a.py\n   :lines: 1-5\n"
        ),
        "Brew:\n\n````\ndef brew():\n    return \"```\"\n````\n\nApart:\n\n```\nx\n```\n\nBrew it\n```python\ny = 2\n```\n\n\
         ```sh\ntea\n```\n\n```python\n>>> 1 + 1\n2\n```\n\n```\nz\n```"
    );
}

#[test]
fn directives_say_what_readers_see() {
    for (rst, shown) in [
        ("note:: A note\n   goes on.\n\n   - x", "A note\ngoes on.\n\n- x"),
        ("warning::\n\n   Hot!", "Warning:\nHot!"),
        ("seealso:: :mod:`tea`", "See also:\n`tea`"),
        ("versionadded:: 2.0\n   The thing.", "New in version 2.0:\nThe thing."),
        ("deprecated:: 2.1 Use *x*.", "Deprecated since version 2.1:\nUse *x*."),
        ("versionchanged:: 2.1", "Changed in version 2.1."),
        ("admonition:: Own title\n   :class: x\n\n   Words.", "Own title\nWords."),
        (
            "py:function:: steep(t, *, hot=True)\n                 pour()\n   :noindex:\n\n   Steeps.\n\n   :param int t: how long\n   :returns:\n     tea",
            "`steep(t, *, hot=True)`\n`pour()`\n\nSteeps.\n\n- param int t: how long\n- returns: tea",
        ),
        (
            "function:: steep(t, \\\n                 hot=True)\n\n   Steeps.",
            "`steep(t, hot=True)`\n\nSteeps.",
        ),
        ("automodule:: tea.brew\n   :members:", "`tea.brew`"),
        (
            "tab-set::\n\n   .. tab-item:: Linux\n\n      apt\n\n   .. tab-item:: Mac\n      :sync: m\n\n      brew",
            "Linux\napt\n\nMac\nbrew",
        ),
        ("figure:: a.png\n   :alt: alt\n\n   The caption.", "The caption."),
        ("image:: b.png\n   :alt: A cup", "A cup"),
        (
            "module:: tea.brew\n   :synopsis: Brews *tea*\n      in a :class:`Pot`.\n   :platform: all",
            "Brews *tea* in a `Pot`.",
        ),
        ("module:: tea", ""),
        ("rubric:: Aside", "Aside"),
        ("[#n] A footnote\n   goes on.", "[n] A footnote\ngoes on."),
        ("only:: html\n\n   Here.", "Here."),
        ("only:: latex\n\n   There.", ""),
        ("toctree::\n   :maxdepth: 2\n\n   a\n   b", ""),
        ("raw:: html\n\n   <b>", ""),
        ("index:: tea; cup", ""),
        ("contents::\n   :local:", ""),
        ("_target: https://x.y", ""),
        ("|logo| image:: logo.png\n   :alt: Logo", ""),
        ("a comment: of\n   lines", ""),
        ("\n   a comment", ""),
    ] {
        let shown = ["Before.\n\n", shown, "\n\nBehind."].concat().replace("\n\n\n\n", "\n\n");
        assert_eq!(markdown(&format!("Before.\n\n.. {rst}\n\nBehind.\n")), shown, "{rst}");
    }
}

#[test]
fn tables_are_tables() {
    for (rst, shown) in [
        (
            "===== ===  ====\nA     B    A ä C\n===== ===  ====\nx     y    long text\n           goes on\n\nz\n===== ===  ====",
            "| A | B | A ä C |\n|---|---|---|\n| x | y | long text goes on |\n| z |",
        ),
        (
            "+----+-------+\n| a  | b|c   |\n+====+=======+\n| 茶 | two   |\n|    | lines |\n+----+-------+\n| over both  |\n+----+-------+",
            "| a | b\\|c |\n|---|---|\n| 茶 | two lines |\n| over both |",
        ),
        (
            "list-table:: Cups\n   :header-rows: 1\n\n   * - H ``1``\n     - H2\n   * - a\n     - b\n       more\n   * -\n     - c",
            "Cups\n\n| H `1` | H2 |\n|---|---|\n| a | b more |\n|  | c |",
        ),
        (
            "csv-table::\n   :header: \"x\", \"y, z\"\n\n   1, \"a \"\"q\"\" b\n   more\"\n   2, 3",
            "| x | y, z |\n|---|---|\n| 1 | a \"q\" b more |\n| 2 | 3 |",
        ),
    ] {
        let dots = if rst.contains("::") { ".. " } else { "" };
        assert_eq!(markdown(&format!("{dots}{rst}\n\nBehind.\n")), format!("{shown}\n\nBehind."));
    }
}

#[test]
fn passages_are_traced_to_their_lines() {
    let rst = "Tea\n===\n\n.. note::\n\n   One ``two``\n   three.\n\n- item\n\n::\n\n   code\n";
    let document = read(rst);
    for (words, line) in [("# Tea", 1), ("One `two`", 6), ("three.", 7), ("item", 9), ("code", 13)] {
        let at = document.text.find(words).unwrap();
        let place = document.origin.place(&(at..at + words.len()));
        assert_eq!(place.line, line, "{words}");
        assert!(rst[place.span].contains(words.split(['`', ' ']).next_back().unwrap()), "{words}");
    }
}

#[test]
fn what_never_ends_takes_linear_time() {
    for unit in [
        "`",
        "``",
        "``a ",
        "`a ",
        "|a",
        "[",
        "[a",
        "_",
        ":a:",
        ":a:`",
        "<",
        "\\",
        "*",
        "=",
        "= ",
        "== ==\n",
        "== ==\n\n",
        "+-",
        "+-+\n|",
        "|\n",
        "+",
        "- ",
        "* - ",
        ".. ",
        ".. a:: ",
        ".. [a] ",
        ".. |a| ",
        "a\n =\n",
        "a::\n",
        "::\n\n a\n",
        ":a: ",
        "__ ",
        "a\n-\n",
        "\"",
        "1. ",
        "\t",
        ">>> a\n",
    ] {
        let _ =
            Document::parse("a.rst", [unit.repeat(300_000 / unit.len()), "a".to_owned()].concat().as_bytes());
    }
    let wide = ["+", &"-+".repeat(50_000), "\n", &"|\n".repeat(50_000)].concat();
    assert!(read(&wide).text.len() < 1_000_000);
    for start in ["- a\n", "a\n", ".. note::\n"] {
        let deep: String = (0..1500).map(|depth| [&" ".repeat(depth), start].concat()).collect();
        assert!(read(&deep).text.len() < 4 * deep.len());
    }
}

proptest! {
    #[test]
    fn whatever_lines_there_are_blocks_lie_in_order(
        lines in proptest::collection::vec("( |   ){0,3}(- |[.][.] |[.][.] note:: |[.][.] list-table::|\\* - |:a: |>>> |\\| |1[.] |== ==|[+]-[+]|====|----)?[a`:_|*é<=+~# ]{0,8}(::)?", 0..14)
    ) {
        let text = lines.join("\n");
        if let Ok(document) = Document::parse("a.rst", text.as_bytes()) {
            let (mut end, mut words) = (0, 0);
            let count = |text: &str| text.matches('a').count();
            for Block { range, .. } in document.sections.iter().flat_map(|section| &section.blocks) {
                prop_assert!(range.start >= end && document.text.get(range.clone()).is_some());
                end = range.end;
                words += count(&document.text[range.clone()]);
                prop_assert!(text.get(document.origin.place(range).span).is_some());
            }
            // Words are at most left out, and none is made of nothing.
            prop_assert!(words <= count(&text));
        }
    }
}
