use super::*;
use crate::encoding;
use proptest::prelude::*;

fn cleaned(name: &str, text: &str) -> String {
    let decoded = encoding::decode(name, text.as_bytes()).unwrap();
    clean(decoded, name == "a.mdx", None).text
}

/// The words of what is left, a line each.
fn lines(name: &str, text: &str) -> Vec<String> {
    let kept = cleaned(name, text);
    kept.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn components_are_left_out_and_what_they_hold_stays() {
    let text = "---\ntitle: <T>\n---\nimport { Tabs } from 'x';\nexport const meta = {\n  a: 1,\n\n  b: '}',\n};\n\n\
        # Start\n\n<Tabs syncKey=\"pkg\">\n  <TabItem label=\"npm\" icon={icons[\"npm\"]}>\n\n  ```sh\n  npm i <pkg>\n    x\n  ```\n\n  \
        </TabItem>\n</Tabs>\n\n{/* a\nnote */}\nText with <Badge text=\"New\" variant=\"tip\" /> and {frontmatter.title}.\n\
        <LinkCard\n  title=\"Read on\"\n  href=\"/x/\"\n/>\n";
    assert_eq!(
        lines("a.mdx", text),
        [
            "---",
            "title: <T>",
            "---",
            "# Start",
            "npm",
            "```sh",
            "npm i <pkg>",
            "  x",
            "```",
            "Text with  and .",
            "Read on"
        ]
    );
}

#[test]
fn markdown_that_imports_is_mdx() {
    let text = "import Tabs from '@theme/Tabs';\n\nUse `import x` {now}.\n";
    assert_eq!(lines("a.md", text), ["Use `import x` ."]);
    let code = "```js\nimport a from 'a';\n```\n\nUse {braces} and Vec<T>.\n";
    assert_eq!(cleaned("a.md", code), code);
}

#[test]
fn directives_leave_their_titles() {
    let text = ":::note\nOne\n:::\n\n::: warning\nTwo\n:::\n\n:::tip[Good to know]{icon=x}\nThree\n:::\n\n\
        ::: details Show more\nFour\n:::\n\n> [!NOTE]\n> Five\n\n> [!CAUTION]\n> Six\n";
    let expected = [
        "One",
        "Warning:",
        "Two",
        "Good to know",
        "Three",
        "Show more",
        "Four",
        "> ",
        "> Five",
        "> Caution:",
        "> Six",
    ];
    assert_eq!(lines("a.md", text), expected.map(str::trim_end));
}

#[test]
fn admonitions_lose_their_indentation() {
    let text = "!!! warning\n\n    Mind it.\n\n    ```py\n    a\n        b\n    ```\n\n??? note \"How so\"\n    Thus.\n\nOut.\n\n\
        === \"C\"\n\n    see\n";
    let expected =
        ["Warning:", "Mind it.", "```py", "a", "    b", "```", "How so", "Thus.", "Out.", "C", "see"];
    assert_eq!(lines("a.md", text), expected);
}

#[test]
fn myst_is_read() {
    let text = "(here)=\n# T\n\n```{note} Mind\n:class: x\nOne {term}`a` two.\n```\n\n```{code-block} python\n---\nname: x\n---\nprint(1)\n```\n\n\
        :::{figure} a.png\n:alt: x\nA caption\n:::\n\n```{code-cell}\n:tags: [a]\n1 + 1\n```\n";
    let expected =
        ["# T", "Mind", "One `a` two.", "```python", "print(1)", "```", "A caption", "```", "1 + 1", "```"];
    assert_eq!(lines("a.md", text), expected);
    let rst = "Before.\n\n```{eval-rst}\n.. function:: brew(tea)\n\n   Brews, see :ref:`the pot <pot>`.\n```\n\n# After\n";
    assert_eq!(lines("a.md", rst), ["Before.", "`brew(tea)`", "Brews, see the pot.", "# After"]);
    assert_eq!(lines("a.md", "```{eval-rst}\n.. note:: Mind it."), ["Mind it."]);
}

#[test]
fn shortcodes_and_macros_say_what_the_page_shows() {
    let text = "## {{% heading \"whatsnext\" %}}\n\n{{< note >}}\nA {{< glossary_tooltip text=\"pod\" term_id=\"p\" >}} runs\n{{< /note >}}\n\n\
        {{< feature-state for_k8s_version=\"v1.20\" state=\"beta\" >}}\n\nIt is {{< new-in 0.120.0 />}}.\n\n\
        {{< code-toggle config=a />}}\n{{< code-toggle file=hugo >}}\n[a]\nb = '<c>'\n{{< /code-toggle >}}\n\n{{% include \"/_x.md\" %}}\n{% raw %}{% endraw %}\n\
        {{jsxref(\"Array.of\", \"of\")}} {{Compat}} {{ vue }} {{#include ../a.rs}} {{</* note */>}}\n<!-- md:version 9.7.0 --><!-- x\n\ny -->\n";
    let expected = [
        "## What's next",
        "A pod runs",
        "feature state: v1.20 beta",
        "It is new in 0.120.0.",
        "```",
        "[a]",
        "b = '<c>'",
        "```",
        "of  {{ vue }}  {{</* note */>}}",
        "version 9.7.0",
    ];
    assert_eq!(lines("a.md", text), expected);
}

#[test]
fn html_leaves_its_text() {
    let text = "<script setup>\nimport a from 'b'\n</script>\n\n<table>\n  <tr>\n    <td>--dir</td><td>If <b>true</b><br>yes</td>\n  </tr>\n</table>\n\n\
        <details><summary>More</summary>\n\nA <kbd>K</kbd> <a href=\"{{< ref \"x\" >}}\">link</a> <your-name> <T> and `<a>`.\n\n</details>\n\n<pre><code>x\n  y &lt;</code></pre>\n";
    let expected =
        [" --dir If true yes", " More", "A K link <your-name> <T> and `<a>`.", "```", "x", "  y &lt;", "```"];
    assert_eq!(lines("a.md", text), expected);
}

#[test]
fn code_stays_as_it_is() {
    for code in [
        "```jsx\n<A b={1}>\n{x}\n:::note\n{{< a >}}\n<!-- x -->\n```\n",
        "- item\n\n  ```\n  <b>\n  ```\n",
        "Text\n\n    <b>{{< a >}}</b>\n\n    :::note\n",
        "> ```\n> <b>\n> ```\n",
        "~~~\n```\n<b>\n~~~\n",
    ] {
        assert_eq!(cleaned("a.md", code), code);
    }
    let included = "```rust\n{{#rustdoc_include ../a.rs:1:2}}\n```\n\nText\n";
    assert_eq!(lines("a.md", included), ["Text"]);
}

#[test]
fn marks_of_notes_and_readings_are_left_out() {
    let text = "Oil it[^1] often [^b], `x[^1]` and [^2].\n\n[^1]: Weekly.[^b]\n[^b]: Or so.\n";
    assert_eq!(lines("a.md", text), ["Oil it often, `x[^1]` and [^2].", "[^1]: Weekly.", "[^b]: Or so."]);
    assert_eq!(
        lines("a.md", "<ruby>\u{6a4b}<rp>(</rp><rt>hashi</rt><rp>)</rp></ruby>\u{306e}\n"),
        ["\u{6a4b}\u{306e}"]
    );
}

#[test]
fn wholes_side_by_side_are_words() {
    for (text, read) in [
        ("Call <code>onOpen</code><code>opened</code>.\n", "Call onOpen opened."),
        ("In <span class=a>`onOpen`</span><span class=b>`opened`</span>.\n", "In `onOpen` `opened`."),
        ("<kbd>Ctrl</kbd><kbd>K</kbd>: <b>un</b>like, <i>a</i><i>b</i>\n", "Ctrl K: unlike, ab"),
        ("A <Badge>New</Badge><Badge>Beta</Badge>\n", "A New Beta"),
    ] {
        assert_eq!(lines("a.mdx", text), [read]);
    }
}

#[test]
fn places_are_those_of_the_file() {
    let text = "<A>\n\n  one\n\n</A>\n\n:::tip[Two]\nthree\n:::\n";
    let decoded = encoding::decode("a.mdx", text.as_bytes()).unwrap();
    let cleaned = clean(decoded, true, None);
    for word in ["one", "three"] {
        let at = cleaned.text.find(word).unwrap();
        let place = cleaned.origin.place(&(at..at + word.len()));
        assert_eq!(&text[place.span.clone()], word);
        assert_eq!(
            place.line as usize,
            text[..place.span.start].lines().count() + usize::from(text[..place.span.start].ends_with('\n'))
        );
    }
}

#[test]
fn what_nothing_closes_is_read_in_linear_time() {
    let pieces = [
        "<pre>\n",
        "<script>\n",
        "<div>\n",
        "</p>\n",
        "{{< highlight >}}\n",
        "{",
        "{{",
        "`a` ",
        "<!-- ",
        "<a \"",
        "\n!!! a",
    ];
    for piece in pieces {
        let text = piece.repeat(300_000 / piece.len());
        assert!(!lines::edits(&text, true, None).iter().any(|edit| edit.range.end > text.len()), "{piece}");
    }
    let text = ["<div>\n".repeat(50_000), "</p>\n".repeat(50_000)].concat();
    assert_eq!(lines::edits(&text, false, None).len(), 100_000);
}

#[test]
fn nothing_is_lost_where_options_do_not_end() {
    assert_eq!(lines("a.md", "```{note}\n---\nOne.\n```\n\nTwo.\n"), ["---", "One.", "Two."]);
    assert_eq!(lines("a.md", "# T {}\n\n<var>x</var> and <video src=\"a\"></video>\n"), ["# T {}", "x and"]);
}

proptest! {
    #[test]
    fn what_is_left_is_in_order(text in "[-#a \n`>|*<>/{}%:!=\"'.~(é]{0,160}", is_mdx: bool) {
        if let Ok(decoded) = encoding::decode("a.md", text.as_bytes()) {
            let edits = lines::edits(&text, is_mdx, None);
            let mut end = 0;
            for edit in &edits {
                prop_assert!(edit.range.start >= end && text.get(edit.range.clone()).is_some(), "{:?}", edit.range);
                end = edit.range.end;
            }
            apply(decoded, edits);
        }
    }
}

#[test]
fn what_an_author_marks_is_left_out_with_all_that_is_in_it() {
    let text = "# A\n\n<div data-ibid-ignore>\n\nOne.\n\n<div>\n\nTwo.\n</div>\n\nThree.\n\n</div>\n\n    code\n\nKept <b data-pagefind-ignore>not</b> this.\n\n\
                `<i data-ibid-ignore>`\n\n<p data-nosnippet>\nFour.\n</p>\n<div data-ibid-ignore>\n\nNever closed.\n";
    assert_eq!(
        lines("a.md", text),
        ["# A", "    code", "Kept  this.", "`<i data-ibid-ignore>`", "Never closed."]
    );
}
