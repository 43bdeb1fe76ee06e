//! The addresses of pages, and the ids of headings.

use super::*;

fn url(generator: Generator, path: &str, fields: &[(&str, &str)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let text = ["---", &fields.join("\n"), "---", "Words."].join("\n");
    let mut document = Document::parse(path, text.as_bytes()).unwrap();
    document.place_on(&Site::new(Some(generator), None, Some("/base")), path).unwrap();
    document.metadata.url.unwrap()
}

#[test]
fn pages_have_the_addresses_of_their_generator() {
    for (generator, path, expected) in [
        (Generator::VitePress, "guide/index.md", "guide/"),
        (Generator::VitePress, "guide/Build.md", "guide/Build.html"),
        (Generator::VitePress, "index.md", ""),
        (Generator::Docusaurus, "docs/01-intro/02_Start.mdx", "docs/intro/Start"),
        (Generator::Docusaurus, "docs/intro/intro.md", "docs/intro"),
        (Generator::Docusaurus, "blog/2024-05-06-new.md", "blog/2024/05/06/new"),
        (Generator::Docusaurus, "docs/7.0-upgrade.md", "docs/7.0-upgrade"),
        (Generator::Docusaurus, "versioned_docs/version-7.x/01-a/b.md", "docs/7.x/a/b"),
        (Generator::Starlight, "guides/My Page.mdx", "guides/my-page/"),
        (Generator::Starlight, "index.mdx", ""),
        (Generator::MkDocs, "a/b.md", "a/b/"),
        (Generator::MkDocs, "a/README.md", "a/"),
        (Generator::Sphinx, "a/index.rst", "a/index.html"),
        (Generator::MdBook, "ch01/README.md", "ch01/index.html"),
        (Generator::MdBook, "ch01-02.md", "ch01-02.html"),
        (Generator::Hugo, "docs/_index.md", "docs/"),
        (Generator::Hugo, "docs/Some Page.md", "docs/some-page/"),
        (Generator::Hugo, "docs/README.md", "docs/readme/"),
        (Generator::Jekyll, "_posts/2024-05-06-new.md", "2024/05/06/new.html"),
        (Generator::Jekyll, "_docs/a.md", "docs/a.html"),
    ] {
        assert_eq!(url(generator, path, &[]), ["/base/", expected].concat(), "{generator:?} {path}");
    }
    assert_eq!(url(Generator::Docusaurus, "docs/a/b.md", &[("slug", "/x")]), "/base/docs/x");
    assert_eq!(url(Generator::Docusaurus, "docs/a/b.md", &[("id", "c")]), "/base/docs/a/c");
    assert_eq!(url(Generator::Hugo, "docs/a.md", &[("slug", "c")]), "/base/docs/c/");
    assert_eq!(url(Generator::Jekyll, "a.md", &[("permalink", "/x/")]), "/base/x/");
}

#[test]
fn configurations_say_where_pages_are() {
    for (generator, config, base) in [
        (Generator::VitePress, "export default {\n  base: '/vite/',\n  cleanUrls: true,\n}", "/vite/"),
        (Generator::Docusaurus, "  baseUrl: \"/\",", "/"),
        (Generator::MkDocs, "site_url: https://example.org/docs # x\nuse_directory_urls: false", "/docs/"),
        (Generator::Hugo, "baseURL = 'https://example.org/'", "/"),
        (Generator::MdBook, "[output.html]\nsite-url = \"/book/\"", "/book/"),
        (Generator::Docusaurus, "  baseUrl: `/${locale}/`,", "/"),
        (Generator::Sphinx, "project = 'x'", "/"),
    ] {
        assert_eq!(Site::new(Some(generator), Some(config), None).base, base, "{config}");
    }
    let page = |generator, config, base, path: &str| {
        let mut document = Document::parse(path, b"# Title\n\n<p>Text</p>").unwrap();
        document.place_on(&Site::new(generator, config, base), path).unwrap();
        document.metadata.url
    };
    let (vitepress, mkdocs) = (Some(Generator::VitePress), Some(Generator::MkDocs));
    assert_eq!(page(vitepress, Some("  cleanUrls: true,"), None, "a/b.md").unwrap(), "/a/b");
    assert_eq!(page(mkdocs, Some("use_directory_urls: false"), None, "a/index.md").unwrap(), "/a/index.html");
    let docusaurus = Some(Generator::Docusaurus);
    let config = Some("  presets: [['classic', { docs: { path: 'docs', routeBasePath: '/' }, blog: {} }]],");
    assert_eq!(page(docusaurus, config, None, "docs/a/b.md").unwrap(), "/a/b");
    assert_eq!(page(docusaurus, config, None, "docs/index.md").unwrap(), "/");
    // Pages that are made already are where they are.
    assert_eq!(page(None, None, Some("https://a.b/c"), "d/index.html").unwrap(), "https://a.b/c/d/");
    assert_eq!(page(None, None, None, "d/index.html").unwrap(), "/d/");
    // Without a generator, only an address that was given says where pages of other files are.
    for (path, expected) in
        [("d.md", "/c/d"), ("a/b.x.rst", "/c/a/b.x"), ("a/README.md", "/c/a/"), ("index.mdx", "/c/")]
    {
        assert_eq!(page(None, None, Some("/c"), path).as_deref(), Some(expected));
        assert_eq!(page(None, None, None, path), None);
    }
    let mut chunks = Document::parse("d.md", b"Words.").unwrap();
    chunks.place_on(&Site::new(None, None, Some("/c")), "d.jsonl").unwrap();
    assert_eq!(chunks.metadata.url, None);
}

#[test]
fn a_source_that_becomes_no_page_is_left_out() {
    let is_page = |generator, path: &str, text: &str| {
        let mut document = Document::parse(path, text.as_bytes()).unwrap();
        document.place_on(&Site::new(Some(generator), None, None), path).is_ok()
    };
    let draft = "---\ndraft: true\n---\nWords.\n";
    assert!(!is_page(Generator::MdBook, "SUMMARY.md", "- [a](a.md)\n"));
    assert!(is_page(Generator::MdBook, "part/SUMMARY.md", "Words.\n"));
    assert!(!is_page(Generator::Docusaurus, "docs/_shared/a.mdx", "Words.\n"));
    assert!(!is_page(Generator::Hugo, "a.md", draft) && is_page(Generator::VitePress, "a.md", draft));
    assert!(!is_page(Generator::Hugo, "a.md", "---\nheadless: true\n---\nWords.\n"));
    assert!(!is_page(Generator::Jekyll, "_drafts/a.md", "Words.\n"));
    assert!(!is_page(Generator::Jekyll, "docs/_includes/a.md", "Words.\n"));
    assert!(!is_page(Generator::Jekyll, "_layouts/a.html", "<p>Words."));
}

#[test]
fn templates_say_what_page_and_configuration_say() {
    let config = "title: Tea & cups # for now\nversion: \"3.0\"\nlist: [a]\nauthor:\n  name: me\n";
    let read = |site: &Site, line: &str| {
        let text = format!("---\ntitle: 'Own #1'\nkind: green\n---\n{line}\n");
        let document = crate::parse_for(site, "a.md", text.as_bytes()).unwrap().remove(0);
        document.text.split("---\n").last().unwrap().trim().to_owned()
    };
    let jekyll = Site::new(Some(Generator::Jekyll), Some(config), None);
    for (line, shown) in [
        (
            "{{ page.title }}, {{-page.kind | upcase-}}; {{ site.title }} {{site.version}}",
            "Own #1, green; Tea & cups 3.0",
        ),
        ("a {{ site.list }}{{ site.author.name }}{{ page.none }}{{ site.none }}{{ content }} b", "a  b"),
        ("[a]({{ '/a/' | relative_url }}) {{ \"words\" }}", "[a](/a/) words"),
        ("{% if page.kind %}a{% endif %} {% include x.html y=1 %}{% assign z = 2 %}b", "a b"),
        ("{% raw %}{{ page.title }}{% endraw %} `{{ x }}`", "{{ page.title }} `{{ x }}`"),
    ] {
        assert_eq!(read(&jekyll, line), shown);
    }
    let other = Site::new(Some(Generator::VitePress), Some(config), None);
    assert_eq!(read(&other, "a {{ content }} {{ site.title }}"), "a {{ content }}");
}

#[test]
fn headings_have_the_ids_of_their_generator() {
    let markdown = b"# 1. Server.open & Caf\xC3\xA9\n\n## Own {#mine}\n\n## A_b\n\n## A_b\n\n## Att { #given .x }\n\n## V { id=\"9.7.0\" }\n";
    let anchors = |generator| {
        let mut document = Document::parse("a.md", markdown).unwrap();
        document.place_on(&Site::new(Some(generator), None, None), "a.md").unwrap();
        let anchors = document.sections.into_iter().map(|section| section.anchor.unwrap_or_default());
        anchors.collect::<Vec<_>>()
    };
    let own = ["given", "9.7.0"];
    assert_eq!(
        anchors(Generator::VitePress),
        [&["_1-server-open-cafe", "mine", "a-b", "a-b-1"], &own[..]].concat()
    );
    assert_eq!(
        anchors(Generator::MkDocs),
        [&["1-serveropen-cafe", "mine", "a_b", "a_b_1"], &own[..]].concat()
    );
    assert_eq!(anchors(Generator::Sphinx), [&["server-open-cafe", "mine", "a-b", "id1"], &own[..]].concat());
    assert_eq!(
        anchors(Generator::Starlight),
        [&["1-serveropen--café", "mine", "a_b", "a_b-1"], &own[..]].concat()
    );
    assert_eq!(anchors(Generator::Docusaurus), [&["", "mine", "a_b", "a_b-1"], &own[..]].concat());
}

#[test]
fn hyphens_that_become_a_dash_are_no_part_of_ids() {
    for (generator, id) in [
        (Generator::Hugo, "plan--a---b"),
        (Generator::Starlight, "plan--a---b"),
        (Generator::Docusaurus, "plan----a---b"),
    ] {
        let mut document = Document::parse("a.md", b"## Plan -- `a---b`\n").unwrap();
        document.place_on(&Site::new(Some(generator), None, None), "a.md").unwrap();
        assert_eq!(document.sections[0].anchor.as_deref(), Some(id), "{generator:?}");
    }
}

#[test]
fn headings_of_notebooks_have_the_ids_of_their_reader() {
    let notebook =
        br##"{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "# The Cup\n\n## The Cup"}]}"##;
    for (configuration, ids) in
        [("extensions = ['nbsphinx']", ["The-Cup", "id1"]), ("extensions = ['myst_nb']", ["the-cup", "id1"])]
    {
        let mut document = Document::parse("a.ipynb", notebook).unwrap();
        let site = Site::new(Some(Generator::Sphinx), Some(configuration), None);
        document.place_on(&site, "a.ipynb").unwrap();
        assert_eq!(document.metadata.url.as_deref(), Some("/a.html"));
        let anchors: Vec<_> =
            document.sections.iter().map(|section| section.anchor.as_deref().unwrap()).collect();
        assert_eq!(anchors, ids);
    }
}

#[test]
fn marks_of_letters_are_a_part_of_ids_where_the_generator_keeps_them() {
    let word = "\u{938}\u{94d}\u{924}";
    let read = || Document::parse("a.md", format!("# {word}\n\nWords.\n").as_bytes()).unwrap();
    assert_eq!(read().sections[0].anchor.as_deref(), Some(word));
    for (generator, anchor) in [(Generator::Starlight, word), (Generator::MdBook, "\u{938}\u{924}")] {
        let mut document = read();
        document.place_on(&Site::new(Some(generator), None, None), "a.md").unwrap();
        assert_eq!(document.sections[0].anchor.as_deref(), Some(anchor), "{generator:?}");
    }
}

#[test]
fn sphinx_says_which_files_it_reads() {
    let site = |config: &str| Site::new(Some(Generator::Sphinx), Some(config), None);
    let text = b"Title\n=====\n\n.. note:: Mind it.\n\nSee :func:`brew`.\n";
    let read = |config: &str| crate::parse_for(&site(config), "a.txt", text).unwrap()[0].text.clone();
    for suffixes in ["'.txt'", "[\n  '.rst', '.txt'\n]", "{\".rst\": \"x\", \".txt\": \"restructuredtext\"}"]
    {
        let shown = read(&format!("project = 'x'\nsource_suffix = {suffixes}\n"));
        assert_eq!(shown, "# Title\n\nMind it.\n\nSee `brew`.\n", "{suffixes}");
    }
    assert!(read("source_suffix = '.rst'\nmaster_doc = 'a.txt'\n").contains(":func:"));
}
