//! Building real sites: whatever their documents disagree on, an index comes of it, and what is told fits on a screen.

use crate::support;

use std::fs;
use std::path::Path;
use std::process::Output;

use flate2::read::GzDecoder;
use ibid::index::Index;
use serde_json::Value;
use support::{command, ibid, multilingual_weights, put, weights};

/// A folder with these files.
fn site(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| put(folder.path(), name, text));
    folder
}

fn notes(output: &Output) -> String {
    let notes = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{notes}");
    notes
}

/// Builds by the query table, which needs no model; what is told, and the index.
fn build(folder: &Path, arguments: &[&str]) -> (String, Index) {
    let output = ibid(folder, &[&["build", "-o", "x.ibid", "--encoder", "table"], arguments].concat());
    let notes = notes(&output);
    (notes, Index::open(fs::read(folder.join("x.ibid")).unwrap()).unwrap())
}

fn ids(index: &Index) -> Vec<String> {
    index.documents().map(|document| document.unwrap().metadata.document_id).collect()
}

fn field(index: &Index, name: &str) -> String {
    let field = index.fields().unwrap().into_iter().find(|field| field.name == name).unwrap();
    let values: Vec<String> = field.values.into_iter().map(|(value, _)| value).collect();
    format!("{}: {}", field.field_type, values.join(" | "))
}

#[test]
fn a_question_finds_documents_in_its_language() {
    let folder = site(&[
        ("docs/kettle.md", "# Kettle\n\nThe kettle is made of steel, and it boils water in three minutes.\n"),
        (
            "docs/teapot.md",
            "# Kettle and teapot\n\nThe teapot is made of clay, and it stands next to the kettle.\n",
        ),
        (
            "docs/de/kettle.md",
            "# Kettle\n\nDer Kettle ist aus Stahl, und er kocht das Wasser in drei Minuten.\n",
        ),
        ("docs/de/note.md", "# Kettle\n\nKettle 3.1\n"),
    ]);
    let (_, index) = build(folder.path(), &["docs"]);
    assert_eq!(field(&index, "language"), "keyword: de | en");
    let sources = |query: &str, more: &[&str]| {
        let output = ibid(folder.path(), &[&["search", "x.ibid", query, "--json"], more].concat());
        let hits: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let mut sources: Vec<String> =
            hits.iter().map(|hit| hit["source"].as_str().unwrap().to_owned()).collect();
        sources.sort();
        sources
    };
    let (english, german) = (["kettle.md", "teapot.md"], ["de/kettle.md", "de/note.md"]);
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(sources("What is the kettle made of?", &[]), all(&english));
    assert_eq!(sources("Ist der Kettle nicht aus Stahl?", &[]), all(&german));
    // The words of this one tell no language, and a filter is stronger.
    assert_eq!(sources("kettle", &[]).len(), 4);
    assert_eq!(sources("Is the kettle here?", &["--filter", r#"{"language": "de"}"#]), all(&german));
}

#[test]
fn fields_that_disagree_become_the_wider_type_with_one_warning() {
    let folder = site(&[
        ("docs/a.md", "---\noutline: deep\nversion: 1.16\nweight: 1\nissue: 12\n---\nOne.\n"),
        ("docs/b.md", "---\noutline: false\nversion: v1.19\nweight: 0.5\nissue: [13, 14]\n---\nTwo.\n"),
        ("docs/c.md", "---\noutline: [2, 3]\ndate: 2026-03-01\n---\nThree.\n"),
        ("docs/d.md", "---\ndate: soon\n---\nFour.\n"),
    ]);
    let (notes, index) = build(folder.path(), &["docs"]);
    assert_eq!(field(&index, "outline"), "list of keywords: 2 | 3 | deep | false");
    assert_eq!(field(&index, "version"), "keyword: 1.16 | v1.19");
    assert_eq!(field(&index, "weight"), "float: 0.5 | 1");
    assert_eq!(field(&index, "issue"), "list of keywords: 12 | 13 | 14");
    assert_eq!(field(&index, "date"), "keyword: 2026-03-01 | soon");
    let warnings: Vec<&str> = notes.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(warnings.len(), 1, "{notes}");
    assert!(
        warnings[0].contains("wider type")
            && warnings[0].contains("`outline` as list of keywords and 1 more (3 documents"),
        "{notes}"
    );
    let refused =
        ibid(folder.path(), &["search", "x.ibid", "three", "--filter", "{\"version\": \"1.16\"}", "--json"]);
    assert_eq!(refused.status.code(), Some(0));
}

#[test]
fn an_update_takes_over_a_type_that_has_become_wider() {
    let folder = site(&[("docs/a.md", "---\nlevel: 3\n---\nOne.\n"), ("docs/b.md", "Two.\n")]);
    build(folder.path(), &["docs"]);
    fs::write(folder.path().join("docs/c.md"), "---\nlevel: high\n---\nThree.\n").unwrap();
    let arguments = ["build", "docs", "-o", "x.ibid", "--update", "--json"];
    let output = ibid(folder.path(), &arguments);
    notes(&output);
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    let numbers = ["unchanged", "added", "changed", "removed"].map(|name| summary["update"][name].as_u64());
    assert_eq!(numbers, [Some(1), Some(1), Some(1), Some(0)]);
    let index = Index::open(fs::read(folder.path().join("x.ibid")).unwrap()).unwrap();
    assert_eq!(field(&index, "level"), "keyword: 3 | high");
    // The index was made by the table, and stays so.
    assert_eq!(index.manifest().build.encoder, ibid::index::Encoder::Table);
}

#[test]
fn documents_of_one_id_both_stay_by_their_paths() {
    let folder = site(&[
        ("docs/v1/intro.md", "---\nid: intro\n---\nThe first.\n"),
        ("docs/v2/intro.md", "---\nid: intro\n---\nThe second.\n"),
        ("docs/page.md", "A page.\n"),
        ("docs/page.html", "<p>Another page.\n"),
    ]);
    let (notes, index) = build(folder.path(), &["docs"]);
    assert_eq!(ids(&index), ["page.html", "page.md", "v1/intro", "v2/intro"]);
    assert_eq!(notes.matches("warning: ").count(), 1, "{notes}");
    assert!(notes.contains("get their paths as ids: `page`, `intro` (4 documents: "), "{notes}");
    let chunked = ibid(folder.path(), &["chunk", "docs"]);
    assert!(String::from_utf8(chunked.stdout).unwrap().contains("\"document_id\":\"v2/intro\""));
}

#[test]
fn what_is_told_is_one_line_for_each_kind() {
    let mut files = vec![("docs/x.adoc".to_owned(), "Not this.".to_owned())];
    for number in 0..40 {
        let text = format!("---\nmenu: {{a: 1}}\nhero: {{b: 2}}\n---\nPage {number}.\n");
        files.push((format!("docs/{number:02}.md"), text));
        files.push((
            format!("docs/m{number:02}.mdx"),
            format!("---\ntitle: [x\n---\nimport x from 'y';\n\nM{number}.\n"),
        ));
        files.push((format!("docs/e{number:02}.markdown"), String::new()));
        files.push((format!("docs/{number:02}.png"), "\u{0}".to_owned()));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = site(&files);
    let (notes, index) = build(folder.path(), &["docs"]);
    assert_eq!(index.manifest().documents, 80);
    let lines: Vec<&str> = notes.lines().collect();
    assert_eq!(lines.len(), 9, "{notes}");
    assert_eq!(
        lines[0],
        "warning: metadata fields nested deeper than a list are dropped: `menu`, `hero` (40 documents: `00.md`, \
         `01.md`, `02.md` and 37 more)"
    );
    assert!(
        lines[1].starts_with("warning: front matter that cannot be read is ignored: ")
            && lines[1].contains("(40 documents")
    );
    assert!(
        lines[2].ends_with("[invalid-document]: `e00.markdown`, `e01.markdown`, `e02.markdown` and 37 more")
    );
    assert_eq!(lines[3], "not read: 1 .adoc file", "pictures are no news");
    let all = ibid(folder.path(), &["chunk", "docs", "-o", "c.jsonl", "--verbose"]);
    let all = String::from_utf8(all.stderr).unwrap();
    assert!(
        all.contains("warning: 07.md: metadata fields nested deeper than a list are dropped: `hero`"),
        "{all}"
    );
    assert!(all.lines().count() > 160, "{all}");
}

#[test]
fn an_index_holds_no_path_of_the_machine_it_was_built_on() {
    let folder = site(&[
        ("site/docs/a.md", "# A\n\nOne.\n"),
        ("site/docs/deep/b.md", "# B\n\nTwo.\n"),
        ("site/docs/a.md.meta.yaml", "year: 2026\n"),
        ("site/other/x.md", "X.\n"),
    ]);
    let docs = folder.path().join("site/docs");
    let (_, index) = build(folder.path(), &[docs.to_str().unwrap()]);
    let first = fs::read(folder.path().join("x.ibid")).unwrap();
    assert_eq!(ids(&index), ["a", "deep/b"]);
    let sources: Vec<String> = index.documents().map(|document| document.unwrap().source).collect();
    assert_eq!(sources, ["a.md", "deep/b.md"]);
    for (from, docs) in
        [("", "site/docs"), ("site", "./docs/"), ("site/docs", "."), ("site/other", "../docs")]
    {
        let output = folder.path().join("x.ibid");
        let arguments = ["build", docs, "-o", output.to_str().unwrap(), "--update", "--json"];
        let updated = ibid(&folder.path().join(from), &arguments);
        notes(&updated);
        let summary: Value = serde_json::from_slice(&updated.stdout).unwrap();
        assert_eq!(summary["update"]["unchanged"], 2, "{docs} from {from}");
        assert!(fs::read(&output).unwrap() == first, "{docs} from {from}");
    }
    let (_, both) = build(folder.path(), &[docs.to_str().unwrap(), "site/other/x.md"]);
    assert_eq!(ids(&both), ["docs/a", "docs/deep/b", "x"]);
}

#[test]
fn where_no_model_is_to_be_had_the_table_embeds_and_the_command_that_gets_the_model_is_named() {
    let folder = site(&[("docs/tea.md", "# Tea\n\nGreen tea steeps at 80 degrees.\n")]);
    let notes = notes(&ibid(folder.path(), &["build", "docs", "-o", "site.ibid"]));
    assert!(
        notes.contains("note: all-MiniLM-L6-v2 was not downloaded. The connection failed:")
            && notes.contains("To download the model: ibid model fetch\n"),
        "{notes}"
    );
    let (quiet, _) = build(folder.path(), &["docs"]);
    assert!(!quiet.contains("note: "), "{quiet}");
    let with_model =
        self::notes(&ibid(folder.path(), &["build", "docs", "-o", "m.ibid", "--model", &weights()]));
    assert!(!with_model.contains("note: "), "{with_model}");
    assert!(
        fs::read(folder.path().join("site.ibid")).unwrap() == fs::read(folder.path().join("x.ibid")).unwrap()
    );
    let found = ibid(folder.path(), &["search", "site.ibid", "how hot for green tea"]);
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(text.contains("80 degrees") && text.contains("tea.md:3"), "{text}");

    let asked = ibid(folder.path(), &["build", "docs", "-o", "y.ibid", "--encoder", "transformer"]);
    assert_eq!(asked.status.code(), Some(1));
    assert!(String::from_utf8(asked.stderr).unwrap().contains("`--encoder table`"));
    let wrong = ["build", "docs", "-o", "y.ibid", "--encoder", "table", "--model", "m"];
    assert_eq!(ibid(folder.path(), &wrong).status.code(), Some(2));
    // As long as it is named, it has to be there.
    let named = command(folder.path(), &["build", "docs", "-o", "y.ibid"]).env("IBID_MODEL", "none").output();
    assert_eq!(named.unwrap().status.code(), Some(1));
}

#[test]
fn the_model_is_that_of_the_documents_language() {
    let german = "# Tee\n\nGr\u{fc}ner Tee zieht zwei Minuten, und schwarzer Tee zieht vier Minuten in kochendem Wasser.\n";
    let english =
        "# Tea\n\nGreen tea steeps for two minutes, and black tea steeps for four in boiling water.\n";
    for (text, model) in [(german, "multilingual-e5-small"), (english, "all-MiniLM-L6-v2")] {
        let folder = site(&[("docs/tea.md", text)]);
        let (_, index) = build(folder.path(), &["docs"]);
        assert!(index.manifest().space.name.starts_with(model), "{:?}", index.manifest().space);
        let missing = notes(&ibid(folder.path(), &["build", "docs", "-o", "y.ibid"]));
        assert!(missing.contains(&format!("{model} was not downloaded.")), "{missing}");
        // An update stays with the model that the index has, whatever the new documents are in.
        fs::write(folder.path().join("docs/more.md"), english.repeat(4)).unwrap();
        notes(&ibid(folder.path(), &["build", "docs", "-o", "x.ibid", "--update"]));
        let updated = Index::open(fs::read(folder.path().join("x.ibid")).unwrap()).unwrap();
        assert_eq!(updated.manifest().space, index.manifest().space);
    }
    let folder = site(&[("docs/tee.md", german)]);
    let output =
        command(folder.path(), &["build", "docs", "-o", "x.ibid"]).env("IBID_MODEL", "minilm").output();
    assert!(notes(&output.unwrap()).contains("all-MiniLM-L6-v2 was not downloaded."));
}

#[test]
fn documents_in_one_language_are_found_by_questions_in_another() {
    let Some(model) = multilingual_weights() else { return };
    let folder = site(&[
        ("docs/tee.md", "Gr\u{fc}ner Tee zieht zwei Minuten bei achtzig Grad.\n"),
        ("docs/rad.md", "Die Kette eines Fahrrads wird jeden Monat ge\u{f6}lt.\n"),
        ("docs/garten.md", "Tomaten werden morgens gegossen, und zwar an den Wurzeln.\n"),
    ]);
    notes(&ibid(folder.path(), &["build", "docs", "-o", "x.ibid", "--model", &model]));
    for (query, found) in [
        ("how long does green tea steep", "tee"),
        ("cada cu\u{e1}nto se engrasa la cadena de la bicicleta", "rad"),
        (
            "\u{43a}\u{43e}\u{433}\u{434}\u{430} \u{43f}\u{43e}\u{43b}\u{438}\u{432}\u{430}\u{442}\u{44c} \u{43f}\u{43e}\u{43c}\u{438}\u{434}\u{43e}\u{440}\u{44b}",
            "garten",
        ),
    ] {
        let hits = ibid(folder.path(), &["search", "x.ibid", query, "--json"]);
        let hits: Value = serde_json::from_slice(&hits.stdout).unwrap();
        assert_eq!(hits[0]["documentId"], found, "{query}");
    }
}

/// The documentation of real projects, with what keeps them from being built as they stand: files of one id, fields that
/// disagree, front matter that is no YAML, MDX. They are only chunked, which comes before all embedding.
#[test]
fn the_documentation_of_real_projects_is_read() {
    let archives = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/docs");
    // Ten of Svelte's are in a hidden folder.
    for (name, documents) in
        [("jest", 156), ("svelte", 96), ("jupyter-book", 36), ("starlight", 338), ("vite", 57)]
    {
        let Ok(archive) = fs::File::open(format!("{archives}/{name}.tar.gz")) else {
            eprintln!("skipped: {archives}/{name}.tar.gz is not there");
            continue;
        };
        let folder = tempfile::tempdir().unwrap();
        tar::Archive::new(GzDecoder::new(archive)).unpack(folder.path().join("docs")).unwrap();
        let notes = notes(&ibid(folder.path(), &["chunk", "docs", "-o", "c.jsonl"]));
        assert!(notes.contains(&format!("c.jsonl: {documents} documents")), "{name}: {notes}");
        assert!(notes.lines().count() <= 4, "{name}: {notes}");
    }
}
