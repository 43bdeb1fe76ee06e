use crate::{Document, Metadata, MetadataValue};

fn read(html: &str) -> Document {
    Document::parse("a.html", html.as_bytes()).unwrap()
}

/// Both spellings of a page whose marks are written `data-*-`.
fn both(html: &str) -> [Document; 2] {
    ["data-ibid-", "data-pagefind-"].map(|prefix| read(&html.replace("data-*-", prefix)))
}

fn fields(metadata: &Metadata) -> Vec<(&str, String)> {
    metadata.fields.iter().map(|(name, value)| (name.as_str(), value.to_string())).collect()
}

#[test]
fn what_an_author_marks_is_the_content() {
    for document in both(
        "<body><p>Around.<main><div data-*-body><h1>Tea</h1><p>Steep it.<nav>Menu</nav></div><p>Below.</main>\
         <h2 data-*-body id=end>The end</h2><aside data-*-body>Remark.</aside><p>Behind.",
    ) {
        assert_eq!(document.text, "# Tea\n\nSteep it.\n\n## The end\n\nRemark.");
        assert_eq!(document.sections.last().unwrap().anchor.as_deref(), Some("end"));
        assert!(document.page.has_body);
    }
    // A class of a theme, and an end tag that is left out.
    let document = read("<body><p class=toolbar data-ibid-body>Tool<div>Not this.</div>");
    assert_eq!(document.text, "Tool");
    assert!(!read("<main>Text.</main>").page.has_body);
}

#[test]
fn what_an_author_leaves_out_is_left_out() {
    for document in both(
        "<main><h1>Tea <span data-*-ignore>new</span></h1><aside data-*-ignore><p>One<aside>Two</aside>three</aside>\
         <p>Kept.<pre>a<i data-*-ignore=index> b</i> c</pre><p data-*-ignore=all>Four<p>Too.",
    ) {
        assert_eq!(document.text, "# Tea\n\nKept.\n\n```\na c\n```\n\nToo.");
    }
    let material = "<main><h1>Tea</h1><h2 data-search-exclude>Old</h2><p>Was so.<h3>Older</h3><ul><li>x</ul>\
                    <h2>New</h2><p data-search-exclude>Not this.<p data-nosnippet>Nor this.<p>This.";
    assert_eq!(read(material).text, "# Tea\n\n## New\n\nThis.");
    for whole in ["<body data-ibid-ignore><p>x", "<html data-pagefind-ignore=all><main>x</main>"] {
        let error = Document::parse("a.html", whole.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("its author left it out"), "{error}");
    }
}

/// The examples of Pagefind's documentation, in words of our own.
#[test]
fn metadata_is_what_elements_attributes_and_marks_say() {
    for document in both("<h1 data-*-meta=title>Hello <b>Tea</b></h1><p>x") {
        assert_eq!(document.metadata.title, "Hello Tea");
    }
    for document in both(
        "<title>Site</title><p><img data-*-meta='image[src], image_alt[alt]' src=/hero.png alt='A &amp; B'>\
         <a title=Home data-*-meta='link_text, link_title[title], other:Free text, to the end' href=/>Go\n home</a>",
    ) {
        let expected = [
            ("image", "/hero.png"),
            ("image_alt", "A & B"),
            ("link_text", "Go home"),
            ("link_title", "Home"),
            ("other", "Free text, to the end"),
        ];
        assert_eq!(fields(&document.metadata), expected.map(|(name, value)| (name, value.to_owned())));
    }
    for document in both(
        "<head><meta data-*-default-meta='image[content]' content=/social.png><meta data-*-default-meta='a:default'>\
         </head><h1 data-*-meta='a:own' data-*-filter='reading time:short'>T</h1><p>x",
    ) {
        let expected = [("a", "own"), ("image", "/social.png"), ("reading_time", "short")];
        assert_eq!(fields(&document.metadata), expected.map(|(name, value)| (name, value.to_owned())));
    }
}

#[test]
fn filters_are_lists_and_what_is_sorted_by_has_a_type() {
    for document in both(
        "<h1 data-section=Docs data-category=Article data-*-filter='heading, tag[data-section], tag[data-category], \
         author:Free text, to the end'>Hello</h1><p>By <span data-*-filter=by>One</span> and <span data-*-filter=by>Two\
         </span><p data-weight=10 data-date=2022-06-01 data-*-sort='date[data-date], rank[data-weight], size:1.5'>x",
    ) {
        let list =
            |items: &[&str]| MetadataValue::Keywords(items.iter().map(|item| (*item).to_owned()).collect());
        let expected = [
            ("author", list(&["Free text, to the end"])),
            ("by", list(&["One", "Two"])),
            ("date", MetadataValue::Date("2022-06-01".parse().unwrap())),
            ("heading", list(&["Hello"])),
            ("rank", MetadataValue::Integer(10)),
            ("size", MetadataValue::Float(1.5)),
            ("tag", list(&["Docs", "Article"])),
        ];
        assert_eq!(document.metadata.fields, expected.map(|(name, value)| (name.to_owned(), value)).into());
    }
    // Of what is left out, fields stay, unless all of it is left out.
    for document in both(
        "<aside data-*-ignore><p data-*-meta=a>1x</aside><aside data-*-ignore=all><p data-*-meta=b>2</aside><p>x",
    ) {
        assert_eq!(fields(&document.metadata), [("a", "1x".to_owned())]);
    }
}

#[test]
fn weights_are_those_of_blocks() {
    for document in both(
        "<main><p data-*-weight=2>Twice.<p>Once.<section data-*-weight=0.5><p>Half.<p data-*-weight=10>Ten.</p><p>Half.</section>\
         <p data-*-weight=high>Once.</main>",
    ) {
        let weight =
            |word: &str| document.weight_of(&document.text.find(word).map(|at| at..at + word.len()).unwrap());
        assert_eq!(["Twice", "Once", "Half", "Ten"].map(weight), [200, 100, 50, 1000]);
        assert_eq!(document.weight_of(&(document.text.len() - 5..document.text.len())), 100);
        assert_eq!(document.warnings.len(), 1, "{:?}", document.warnings);
    }
}

#[test]
fn attributes_are_text_where_they_say_something() {
    for document in
        both("<h1>Hero</h1><img title='The title' alt=The data-*-index-attrs='title,alt' src=x><p>End.")
    {
        assert_eq!(document.text, "# Hero\n\nThe title The\n\nEnd.");
    }
    let text = |html: &str| read(&format!("<main><p>Before. {html}</main>")).text;
    assert_eq!(text("<img alt='A red kettle' src=a.png>"), "Before. A red kettle");
    assert_eq!(
        text("<svg role=img aria-label='How water boils'><text>x</text></svg>"),
        "Before. How water boils"
    );
    assert_eq!(
        text("<abbr title='access control list'>ACL</abbr>, <abbr title='access control list'>ACL</abbr>"),
        "Before. ACL (access control list), ACL"
    );
    for nothing in [
        "<img alt=Logo>",
        "<img alt='\\frac{a b} {c d}'>",
        "<img alt='see https://example.org/ for more'>",
        "<img hidden alt='A red kettle'>",
        "<a title='Link to this heading' href=x></a>",
        "<button aria-label='Copy this code'></button>",
    ] {
        assert_eq!(text(nothing), "Before.", "{nothing}");
    }
    let caption =
        "<main><figure><img alt='A red kettle'><figcaption>A red kettle</figcaption></figure></main>";
    assert_eq!(read(caption).text, "A red kettle");
}

#[test]
fn keywords_are_listed() {
    let document = read("<meta name=keywords content='tea, hot water,'><main>x</main>");
    assert_eq!(document.metadata.keywords(), ["tea", "hot water"]);
    let document = read("<meta name=keywords content=tea><main data-ibid-meta='keywords:pot, cup'>x</main>");
    assert_eq!(document.metadata.keywords(), ["pot", "cup"]);
}

#[test]
fn marks_that_never_end_cost_no_more_than_the_page_is_long() {
    for html in [
        "<div data-ibid-weight=2 data-ibid-meta=a>".repeat(20_000),
        "<p data-pagefind-body>".repeat(20_000),
        "<li data-ibid-ignore=all>x".repeat(20_000),
        "<i data-ibid-filter='".to_owned() + &"a[b],".repeat(20_000) + "'>",
    ] {
        drop(Document::parse("a.html", (html + "<main>x").as_bytes()));
    }
}
