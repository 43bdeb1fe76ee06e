use super::*;
use crate::{Block, BlockKind};
use ibid_platform::ErrorCode;

const ARTICLE: &str = include_str!("article.nxml");

fn read(xml: &str) -> Document {
    Document::parse("a.nxml", xml.as_bytes()).unwrap()
}

/// The text of an article with this body.
fn body(xml: &str) -> String {
    read(&format!("<article><body>{xml}</body></article>")).text
}

fn code(xml: &str) -> ErrorCode {
    Document::parse("a.nxml", xml.as_bytes()).unwrap_err().code()
}

#[test]
fn an_article() {
    let document = read(ARTICLE);
    let expected = "# Green tea: a trial\n\n## Abstract\n\nTea was <good> & safe.\n\n## 1 Methods\n\n\
        We gave 10^9 leaves of CO2-grown tea (see Smith 2001) to all. We measured (a+b)/c^2 daily (unblinded).\n\n\
        - Green\n- Black:\n  1. strong\n  2. weak\n\n\
        Figure 1. The garden. Seen from above.\n\n### Doses\n\n\
        Table 1. Doses by group\n\n| Group | Dose / mg | Dose / ml |\n| --- | --- | --- |\n| A | 1 | 10 |\n| A | 2 | 20 |\n\n\
        ^a Once a day.\n\nNote\n\nKeep it dark.\n\n## Results\n\n- ALT: alanine\n\n```\nx <- 1\ny <- 2\n```\n\nAfterwards.";
    assert_eq!(document.text, expected, "{}", document.text);
    let paths: Vec<_> = document.sections.iter().map(|s| s.heading_path.join(" > ")).collect();
    let title = "Green tea: a trial";
    let expected = ["", " > Abstract", " > 1 Methods", " > 1 Methods > Doses", " > Results"];
    assert_eq!(paths, expected.map(|path| format!("{title}{path}")));
    assert_eq!(document.sections[3].anchor.as_deref(), Some("s1a"));
    let Block { kind: BlockKind::Table { header }, .. } = &document.sections[3].blocks[0] else {
        panic!("no table")
    };
    assert!(document.text[header.clone()].starts_with("Table 1. Doses"));
    assert_eq!(document.warnings, []);
}

#[test]
fn an_article_says_what_it_is() {
    let metadata = read(ARTICLE).metadata;
    assert_eq!(metadata.title, "Green tea: a trial");
    assert_eq!(metadata.url.as_deref(), Some("https://doi.org/10.1000/tea"));
    for (name, text) in [
        ("journal", "Journal of Tea & Herbs"),
        ("pmid", "00123"),
        ("doi", "10.1000/tea"),
        ("publication_date", "2020-02-03"),
        ("year", "2020"),
        ("language", "en"),
        ("document_type", "research-article"),
    ] {
        assert_eq!(metadata.fields[name].to_string(), text);
    }
}

#[test]
fn every_word_is_traced_to_its_place() {
    let document = read(ARTICLE);
    for word in [
        "Green tea",
        "trial",
        "safe",
        "leaves",
        "Smith 2001",
        "weak",
        "garden",
        "20",
        "Once",
        "alanine",
        "y <- 2",
    ] {
        let at = document.text.rfind(word).unwrap();
        let place = document.origin.place(&(at..at + word.len()));
        assert_eq!(ARTICLE[place.span.clone()].replace("&lt;", "<"), *word);
        assert_eq!(place.line as usize, ARTICLE[..place.span.start].matches('\n').count() + 1);
    }
}

#[test]
fn books_name_book_chapter_and_section() {
    let book = read(
        "<book-part-wrapper><book-meta><book-title-group><book-title>Handbook</book-title></book-title-group>\
         <abstract><p>About it.</p></abstract></book-meta>\
         <book-part id='ch1' book-part-type='chapter'><book-part-meta><title-group><label>1</label><title>Fever</title></title-group>\
         </book-part-meta><body><p>Intro.</p><sec id='s1'><title>Care</title><p>Rest.</p></sec></body>\
         <back><ref-list><ref>gone</ref></ref-list><fn-group><fn><p>A note.</p></fn></fn-group></back></book-part></book-part-wrapper>",
    );
    let paths: Vec<_> = book.sections.iter().map(|s| s.heading_path.join(" > ")).collect();
    let expected = [
        "Handbook",
        "Handbook > Abstract",
        "Handbook > 1 Fever",
        "Handbook > 1 Fever > Care",
        "Handbook > 1 Fever > Footnotes",
    ];
    assert_eq!(paths, expected);
    assert!(!book.text.contains("gone"));
    let alone = read(
        "<book-part><book-part-meta><title-group><title>Fever</title></title-group></book-part-meta><body><p>x</p></body></book-part>",
    );
    assert_eq!((alone.metadata.title.as_str(), alone.text.as_str()), ("Fever", "# Fever\n\nx"));
}

#[test]
fn bookshelf_files_without_content_are_left_out_by_name() {
    for name in ["b/fm-ch1.nxml", "rl-ch1.nxml", "ak-ch1.nxml", "TOC.nxml"] {
        let error = Document::parse(name, b"<book-part><body><p>x</p></body></book-part>").unwrap_err();
        assert_eq!(error.code(), ErrorCode::DocumentSkipped, "{name}");
    }
    assert_eq!(
        code("<article><back><ref-list><ref>x</ref></ref-list></back></article>"),
        ErrorCode::DocumentSkipped
    );
    assert_eq!(code("<svg/>"), ErrorCode::DocumentSkipped);
}

#[test]
fn text_behind_inner_sections_is_the_outer_ones() {
    let document = read(
        "<article><body><sec><title>A</title><sec><title>B</title><p>b</p></sec><p>a</p></sec></body></article>",
    );
    assert_eq!(body("<p>a</p><sec id='x'> <title>Acknowledgements</title><p>b</p></sec><p>c</p>"), "a\n\nc");
    let last = document.sections.last().unwrap();
    assert_eq!(
        (last.heading_path.last().unwrap().as_str(), last.parent, last.heading.is_empty()),
        ("A", None, true)
    );
}

#[test]
fn entities_are_characters_and_declared_ones_are_not_expanded() {
    assert_eq!(
        body("<p>&alpha;&#x3bb;&#946;&amp;amp; <![CDATA[<b> &amp;]]> &undeclared;</p>"),
        "αλβ&amp; <b> &amp; &undeclared;"
    );
    let entity = |level: u32| format!("<!ENTITY a{level} \"{}\">", format!("&a{};", level + 1).repeat(10));
    let bomb = format!(
        "<?xml version='1.0'?><!DOCTYPE article [{}]><article><body><p>x &a0; y</p></body></article>",
        (0..50).map(entity).collect::<String>()
    );
    assert_eq!(read(&bomb).text, "x &a0; y");
}

#[test]
fn broken_xml_is_read_as_far_as_it_goes() {
    let document = read(
        "<article><body><sec><title>A</title><p>one <italic>two</p><p>three</p></sec></body></article></x>",
    );
    assert_eq!(document.text, "## A\n\none two\n\nthree");
    assert!(document.warnings[0].kind.contains("end tags"), "{:?}", document.warnings);
    let document = read("<article><body><p>one</p><p>two");
    assert_eq!(document.text, "one\n\ntwo");
    assert!(document.warnings[0].about.contains("before all elements"), "{:?}", document.warnings);
    assert_eq!(code("<article><body><p"), ErrorCode::InvalidDocument);
}

#[test]
fn sections_and_attributes_are_read_in_linear_time() {
    let titled = format!("<article><body>{}", "<sec><title>a</title><p>b</p>".repeat(100_000));
    assert_eq!(read(&titled).sections.len(), 100_000);
    let attributes = (0..50_000).map(|n| format!(" a{n}='x'")).collect::<Vec<_>>().concat();
    assert_eq!(body(&format!("<sec{attributes}><p>x</p></sec>")), "x");
}
