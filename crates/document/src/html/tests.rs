use super::*;
use crate::{Block, BlockKind};
use ibid_platform::ErrorCode;

const PAGE: &str = include_str!("page.html");

fn read(html: &str) -> Document {
    Document::parse("guide/a.html", html.as_bytes()).unwrap()
}

fn body(html: &str) -> String {
    read(&format!("<body>{html}")).text
}

#[test]
fn a_page_of_a_site() {
    let document = read(PAGE);
    let expected = "# Brewing tea\n\nTea is made from the leaves of *Camellia sinensis* & hot water — about 80 °C.\n\n\
        ## Steps\n\n1. Boil the water.\n2. Steep the leaves:\n  - green: 2 min\n  - black: 4 min\n  Stir.\n3. Drink.\n\n\
        ### What you need\n\nTable 1: amounts\n\n| Tea | Amount / g | Amount / ml |\n| --- | --- | --- |\n| Green | 2 | 200 |\n\
        | Black | 3 | 200 |\n| a \\| b | | 10^3 |\n\n```\nfn main() {\n    brew(\"<tea>\");\n}\n```\n\n- Oolong: half oxidized\n- Pu-erh: aged\n\n\
        A leaf\n\n## Storage\n\nKeep it dark\nand dry.";
    assert_eq!(document.text, expected, "{}", document.text);
    let sections: Vec<_> = document
        .sections
        .iter()
        .map(|s| (s.heading_path.join(" > "), s.anchor.clone().unwrap_or_default()))
        .collect();
    let expected = [
        ("Brewing tea", ""),
        ("Brewing tea > Steps", "steps"),
        ("Brewing tea > Steps > What you need", "need"),
        ("Brewing tea > Storage", "storage"),
    ];
    assert_eq!(sections, expected.map(|(path, anchor)| (path.to_owned(), anchor.to_owned())));
    let metadata = &document.metadata;
    assert_eq!(metadata.title, "Brewing tea");
    assert_eq!(metadata.url.as_deref(), Some("https://example.org/tea?a=1&b=2"));
    assert_eq!(metadata.fields["language"].to_string(), "en");
    assert_eq!(metadata.fields["publication_date"].to_string(), "2026-03-01");
    assert_eq!(metadata.fields["description"].to_string(), "How to brew");
}

#[test]
fn every_word_is_traced_to_its_place() {
    let document = read(PAGE);
    for word in ["Camellia", "Boil", "black: 4", "Storage", "oxidized", "brew(", "Black", "10^3", "dry."] {
        let at = document.text.rfind(word).unwrap();
        let place = document.origin.place(&(at..at + word.len()));
        assert_eq!(PAGE[place.span.clone()].replace("<sup>", "^"), *word);
        assert_eq!(place.line as usize, PAGE[..place.span.start].matches('\n').count() + 1);
    }
}

#[test]
fn blocks_have_their_kind() {
    let document = read(PAGE);
    let kinds: Vec<_> = document.sections.iter().flat_map(|s| &s.blocks).map(|block| &block.kind).collect();
    assert_eq!(kinds.len(), 7, "{kinds:?}");
    let Block { kind: BlockKind::Table { header }, .. } = &document.sections[2].blocks[0] else {
        panic!("no table")
    };
    assert!(document.text[header.clone()].starts_with("Table 1: amounts\n\n| Tea |"));
    assert!(document.text[header.clone()].ends_with("| --- |\n"));
    assert!(matches!(kinds[1], BlockKind::List) && matches!(kinds[3], BlockKind::Code));
}

#[test]
fn content_is_main_else_articles_else_the_body() {
    let around = "<header>head</header><nav>nav</nav>";
    assert_eq!(body(&format!("{around}<p>a</p><aside>side</aside><footer>foot</footer>")), "a");
    assert_eq!(
        body(&format!("{around}x<article><header><h1>T</h1></header>a</article>y<article>b</article>")),
        "# T\n\na\n\nb"
    );
    assert_eq!(body("x<article>a</article><div role=main>m<aside>note</aside></div>y"), "m\n\nnote");
    assert_eq!(
        body("<main><p hidden>h</p><span aria-hidden=true>x</span><p style='display: none'>n</p>a</main>"),
        "a"
    );
}

#[test]
fn what_is_never_closed_ends_in_time() {
    assert_eq!(body("<p>a<p>b<ul><li>c<li>d<ul><li>e</ul></ul>f"), "a\n\nb\n\n- c\n- d\n  - e\n\nf");
    assert_eq!(
        body("<table><tr><th>a<th>b<tr><td>1<td>2</table>z"),
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\nz"
    );
    assert_eq!(body("<dl><dt>a<dd>b<dt>c<dd>d</dl>"), "- a: b\n- c: d");
    assert_eq!(body("<h2>a<h3>b</h3></p></div></ul>c"), "## a\n\n### b\n\nc");
    assert_eq!(body("<table><tr><td><p>only</table>x"), "only\n\nx");
    assert_eq!(body("<td>loose</td> text <li>item"), "loose text\n\n- item");
}

#[test]
fn titles_and_anchors_come_from_where_they_are() {
    let titled = |head: &str| read(&format!("<head>{head}</head><body><p>x")).metadata.title;
    assert_eq!(titled("<title>A &amp;\n B</title>"), "A & B");
    assert_eq!(titled("<title>A</title><meta property='og:title' content='O'>"), "O");
    assert_eq!(titled(""), "a");
    let anchors = |html: &str| read(html).sections.iter().map(|s| s.anchor.clone()).collect::<Vec<_>>();
    let one = |anchor: &str| vec![Some(anchor.to_owned())];
    assert_eq!(anchors("<section id=s><h2>T</h2>x</section>"), one("s"));
    assert_eq!(
        anchors("<section id=s><span>Source</span><a href='#s'>§</a><h2>T</h2>x</section>")[1],
        one("s")[0]
    );
    assert_eq!(body("<p>a<a href='#x'>§</a> b <a href='#y'>↩</a></p><a href='#z'>¶</a><p>c"), "a b\n\nc");
    assert_eq!(anchors("<h2><a name=n></a>T</h2>x"), one("n"));
    assert_eq!(anchors("<a id=before></a><h2>T <a href='#before'>#</a></h2>x"), one("before"));
    assert_eq!(anchors("<div id=d><p>text</p><h2>T</h2>x</div>")[1], None);
    assert_eq!(body("<h2><a href='#x'>All of it</a> <a href=#x>¶</a></h2>x"), "## All of it\n\nx");
}

/// Lines of code as highlighters write them, and what a reader sees.
const LINES: &str = "```js\nfunction f() {\n  return 1 < 2;\n\n}\n```";

#[test]
fn code_keeps_its_lines_whatever_they_are_made_of() {
    let spans = |line: &str| format!("<span class=\"token plain\">{line}</span>");
    let lines = [spans("function f() {"), spans("  return 1 &lt; 2;"), String::new(), spans("}")];
    for (before, behind) in [
        // As Docusaurus writes them, now and earlier.
        ("<div class=\"token-line\" style=\"color:#393A34\">", "<br></div>"),
        ("<span class=\"token-line codeLine_1\" style=\"color:#393A34\">", "<br></span>"),
        ("<div class=\"token-line\">", "</div>"),
        ("<div class=\"token-line\">", "\n</div>"),
        ("<div class=\"ec-line\"><div class=\"gutter\"></div><div class=\"code\">", "\n</div></div>"),
        ("<span class=\"line\">", "</span>\n"),
        ("<span class=\"line\">", "</span>"),
        ("<span>", "</span><br>"),
        ("<span>", "</span><br>\n"),
        ("", "\n"),
        ("<div>", "<br></div>\n"),
    ] {
        let code = lines.each_ref().map(|line| format!("{before}{line}{behind}")).concat();
        for page in [
            format!(
                "<div class=\"language-js theme-code-block\"><div><pre><code>{code}</code></pre></div></div>"
            ),
            format!("<pre tabindex=0 class=\"prism-code language-js\"><code>{code}</code></pre>"),
            format!("<pre><code class=\"hljs language-js\">{code}</code></pre>"),
            format!("<pre data-language=js><code>{code}</code></pre>"),
        ] {
            assert_eq!(
                body(&format!("<p>Before</p>{page}<p>Behind")),
                format!("Before\n\n{LINES}\n\nBehind"),
                "{page}"
            );
        }
    }
    let anchored = "<pre><a href='#l1'>{</a>\n<a href='#l2'>x</a></pre>";
    assert_eq!(body(anchored), "```\n{\nx\n```");
    assert_eq!(body("<pre><code>a\n\n\nb</code></pre>"), "```\na\n\n\nb\n```");
    assert_eq!(body("<p>a<pre> \n</pre><pre></pre>b"), "a\n\nb");
}

#[test]
fn code_in_an_item_is_a_block_of_the_item() {
    let item = "<ol><li>Run<div class=language-sh><pre><code><div class=token-line>if a<br></div>\
        <div class=token-line>  b<br></div></code></pre></div>and wait<li><pre>c\n\n  d</pre></ol>z";
    assert_eq!(
        body(item),
        "1. Run\n  ```sh\n  if a\n    b\n  ```\n  and wait\n2. ```\n  c\n\n    d\n  ```\n\nz"
    );
    let nested = "<ul><li>a<ul><li>b<pre>c\n d</pre></ul></ul>";
    assert_eq!(body(nested), "- a\n  - b\n    ```\n    c\n     d\n    ```");
    let document = read(item);
    let at = document.text.find("b\n").unwrap();
    let page = document.origin.place(&(at..at + 1)).span;
    assert_eq!(&item[page], "b");
    assert!(matches!(document.sections[0].blocks[0].kind, BlockKind::List));
}

#[test]
fn pages_without_text_and_those_that_lead_on_are_left_out() {
    let leads_on = "<noscript><meta http-equiv=refresh content='1; url=latest/'></noscript>";
    for page in [
        "<!doctype html><title>x</title>",
        "<html><body><nav>only</nav>",
        "<h1>Title only</h1>",
        &format!("{leads_on}<body>Redirecting to <a href=latest/>latest/</a>"),
    ] {
        assert_eq!(
            Document::parse("a.html", page.as_bytes()).unwrap_err().code(),
            ErrorCode::DocumentSkipped,
            "{page}"
        );
    }
    // A page with content has another for those without scripts.
    let page = format!("{leads_on}<h1>Kettle</h1><p>{}", "It boils water. ".repeat(20));
    assert!(body(&page).contains("It boils water."));
}

#[test]
fn a_hundred_thousand_items_are_read_in_linear_time() {
    let items = format!("<body>{}", "<ul><li>a".repeat(100_000));
    assert!(read(&items).text.len() < 5_000_000);
}

#[test]
fn pages_of_asciidoctor_keep_the_kind_of_a_note_and_lose_the_footer() {
    let page = "<body class=article><div id=header><h1>Kettle</h1></div><div id=content>\
        <div class=\"admonitionblock warning\"><table><tr>\n<td class=icon><i class=\"fa icon-warning\" \
        title=Warning></i></td>\n<td class=content>Never open it hot.</td>\n</tr></table></div>\
        <div class=dlist><dl><dt class=hdlist1>Term</dt>\n<dd>\n<p>Its meaning.</p>\n</dd></dl></div></div>\
        <div id=footer><div id=footer-text>Version 1.0</div></div></body>";
    assert_eq!(body(page), "# Kettle\n\n| Warning | Never open it hot. |\n\n- Term:\n  Its meaning.");
    // As Sphinx had sections before HTML did, and other sites have icons.
    let sections = "<div class=section id=footer><h2>Footer</h2><p>One.</div><p>Two.";
    assert_eq!(body(sections), "## Footer\n\nOne.\n\nTwo.");
    assert_eq!(body("<p><i class=icon-home title=Home></i>Go <i class=icon-x></i>on"), "Home Go on");
}

#[test]
fn a_class_of_furniture_leaves_out_furniture_alone() {
    let page = |html: &str| body(&format!("<main><h1>Lathe</h1>{html}<p>End.</main>"));
    for (html, text) in [
        ("<div class='row gutter'>Oil it</div>", "Oil it"),
        ("<div class='code line-numbers'><pre><code>spin()</code></pre></div>", "```\nspin()\n```"),
        (
            "<section class=toolbar><h2>Bar</h2><p>Holds the chisels.</p></section>",
            "## Bar\n\nHolds the chisels.",
        ),
        (
            "<div class=pagination><p>Results come in <a href=x>pages</a> of ten.</div>",
            "Results come in pages of ten.",
        ),
        (
            "<ul class=breadcrumb><li>Crumbs show a visitor the way back home.</ul>",
            "- Crumbs show a visitor the way back home.",
        ),
        (
            "<div class=toc><div class=ln>a</div><div class=gutter>1</div><p>One two three.</div>",
            "a\n\nOne two three.",
        ),
        ("<div class=toc><p>旋盤は木を削る機械だ。</p></div>", "旋盤は木を削る機械だ。"),
        (
            "<div class=toolbar><h1>Second</h1><a href=x>Edit this page</a></div>",
            "# Second\n\nEdit this page",
        ),
        ("<p>In <span class=lang>Rust</span> and <span class=boring>C</span>", "In Rust and C"),
    ] {
        assert_eq!(page(html), format!("# Lathe\n\n{text}\n\nEnd."), "{html}");
    }
    for html in [
        "<div class=toc><h2>On this page</h2><ul><li><a href='#a'>How a lathe is kept.</a></ul></div>",
        "<div class='code gutter'><pre>1\n2</pre></div><table class=rouge-table><td class=gutter>3</table>",
        "<nav class=breadcrumb><a href=x>Home</a> Lathe</nav><p class=last-updated>Changed in May",
        "<div class=toolbar><button>Copy all of the page.</button></div><span class=sr-only>A new tab opens.</span>",
        "<div class=language-js><span class=lang>js</span></div>",
    ] {
        assert_eq!(page(html), "# Lathe\n\nEnd.", "{html}");
    }
    let all = "Half of what is to be said about a lathe, without a full stop";
    assert_eq!(body(&format!("<div class=edit-page><b>{all}</b></div><p>x")), format!("{all}\n\nx"));
}

#[test]
fn questions_in_buttons_are_headings_and_their_hidden_answers_text() {
    let page = "<main><h1>Help</h1><h2 id=one><button aria-expanded=false aria-controls=a1>Is it loud?</button></h2>\
        <div id=a1 hidden><p>It hums a little.</div><div id=q2 role=heading aria-level=3><button>Is it wet?</button></div>\
        <div style='display:none' aria-labelledby=q2><p>It stays quite dry.</div><details><summary><button>More</button>\
        </summary>Dust.</details><dl><dt><button>Belt</button><dd>Rubber</dl><button>Subscribe</button>\
        <h2>Last <button>Copy link</button></h2><p>x<div id=m hidden><p>A dialog says this.</div></main>";
    let document = read(page);
    assert_eq!(
        document.text,
        "# Help\n\n## Is it loud?\n\nIt hums a little.\n\n### Is it wet?\n\nIt stays quite dry.\n\nMore\n\nDust.\n\n\
        - Belt: Rubber\n\n## Last\n\nx"
    );
    let anchors: Vec<_> = document.sections.iter().map(|section| section.anchor.as_deref()).collect();
    assert_eq!(anchors, [None, Some("one"), Some("q2"), None]);
    assert_eq!(
        body("<main><p>a<div hidden role=tabpanel>b</div><p aria-hidden=true>c</main>"),
        "a\n\nb\n\nc"
    );
}

#[test]
fn marks_of_notes_are_no_part_of_a_word() {
    for mark in [
        "<sup><a href='#n1'>1</a></sup>",
        "<sup id=r1>[<a href='#n1'>1</a>]</sup>",
        "<sup><a href='notes.html#n1'>1</a>, <a href='notes.html#n2'>2</a></sup>",
        "<a href='#n1'><sup>1</sup></a>",
        "<a href='notes.html#n1'><sup>[12]</sup></a>",
        "<a href='#n1' role=doc-noteref>*</a>",
        " <a class='footnote-reference brackets' href='#n1'><span>[</span>1<span>]</span></a>",
        "<sup class=footnote>iv</sup>",
        "<a href='#n1'>[3]</a>",
        "<a href='#n1'>3</a>",
        "<sup><a href='#n1'>1)</a></sup>",
    ] {
        let sentence = format!("We sharpened{mark} it, 10<sup>9</sup> times.");
        let text = "We sharpened it, 10^9 times.";
        assert_eq!(body(&format!("<p>{sentence}<p>x")), format!("{text}\n\nx"), "{mark}");
        let table = format!(
            "<table><caption>{sentence}</caption><tr><td>{sentence}<td>y<tr><td>z<td>{sentence}</table>"
        );
        assert_eq!(body(&table), format!("{text}\n\n| {text} | y |\n| z | {text} |"), "{mark}");
    }
    for (html, text) in [
        ("x<sup>2</sup>, 10<sup>9</sup> and H<sub>2</sub>O", "x^2, 10^9 and H2O"),
        (
            "See step <a href='#s3'>3</a>, [<a href='#b'>4</a>], \u{56f3}<a href='#f'>5</a>",
            "See step 3, [4], \u{56f3}5",
        ),
        ("Acme<sup><a href=x>TM</a></sup> <a href=y>CO<sup>2</sup></a>", "Acme^TM CO^2"),
        ("A line.<br><a href='#r1'>\u{21a9}</a>", "A line."),
        (
            "<ol><li>One. <a href='#r'>\u{21a9}</a><li><b><a href='#r2'>^</a></b> Two.</ol>",
            "1. One.\n2. Two.",
        ),
    ] {
        assert_eq!(body(html), text);
    }
}

#[test]
fn readings_of_characters_are_left_out() {
    for ruby in [
        "<ruby>\u{6a4b}<rp>(</rp><rt>\u{306f}\u{3057}</rt><rp>)</rp></ruby>",
        "<ruby><rb>\u{6a4b}<rt>\u{306f}\u{3057}</ruby>",
        "<ruby><rb>\u{6a4b}</rb><rtc><rt>hashi</rt></rtc></ruby>",
    ] {
        assert_eq!(
            body(&format!("<p>\u{77f3}{ruby}\u{306e}<p>x")),
            "\u{77f3}\u{6a4b}\u{306e}\n\nx",
            "{ruby}"
        );
    }
}

#[test]
fn wholes_side_by_side_are_words_and_parts_of_a_word_stay_one() {
    for (html, text) in [
        ("<code>onOpen</code><code>opened</code>", "onOpen opened"),
        ("<span class=a><code>onOpen</code></span><span class=b><code>opened</code></span>", "onOpen opened"),
        ("<kbd>Ctrl</kbd><kbd>K</kbd> <a href=x>one</a><b><a href=y>two</a></b>", "Ctrl K one two"),
        ("<span class='ui-badge'>New</span><span class=badge>Beta</span><x-tag>3</x-tag>", "New Beta 3"),
        ("<table><tr><td><code>a</code><code>b</code><td>c</table>", "| a b | c |"),
        (
            "<b>un</b>believable <i>a</i><i>b</i> <span class=k>let</span><span class=v>ter</span>",
            "unbelievable ab letter",
        ),
        ("<code><span class=tag>div</span><span class=tag>x</span></code>", "divx"),
        (
            "<code>--all</code><code>--force</code> <code>open()</code><code>$shut</code>",
            "--all --force open() $shut",
        ),
        ("<code>Map</code><code>&lt;K&gt;</code><a href=x>s</a>", "Map<K>s"),
        ("<a href=x>\u{77f3}</a><a href=y>\u{6a4b}</a>", "\u{77f3}\u{6a4b}"),
        ("<code>a</code>s<code>b</code>", "asb"),
    ] {
        assert_eq!(body(html), text);
    }
}

#[test]
fn powers_and_fractions_of_formulas_are_no_numbers_of_their_own() {
    for (html, text) in [
        ("about <math><msup><mn>10</mn> <mn>9</mn></msup></math> grains", "about 10^9 grains"),
        ("<math><mfrac><mn>1</mn><mn>20</mn></mfrac><mi>x</mi></math> of it", "1/20x of it"),
        (
            "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msup><mi>c</mi><mn>2</mn></msup></mfrac></math>",
            "(a+b)/c^2",
        ),
        (
            "<math><msup><mi>e</mi><mfrac><mn>1</mn><mn>2</mn></mfrac></msup></math>, <b>x</b> y",
            "e^(1/2), x y",
        ),
        ("<msup><mn>1</mn> <p>left <b>open</b> <i>there</i>", "1\n\nleft open there"),
        ("<msup><mi>x</mi><mspace/><mn>3</mn></msup> cubed", "x^3 cubed"),
    ] {
        assert_eq!(body(html), text, "{html}");
    }
}
