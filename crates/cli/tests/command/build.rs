//! Building, chunking and inspecting through the `ibid` command, with real files of every format.

use crate::support;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use support::{ibid, weights};

const MARKDOWN: &str = "+++\ntitle = \"Tea\"\nyear = 2025\n+++\n# Tea\n\nGreen tea steeps at 80 degrees.\n";
const HTML: &str = "<html lang=en><head><title>Coffee</title></head><body><nav>Home</nav><main><h1>Coffee</h1>\
    <h2 id=water>Water</h2><p>Brew coffee at 93 degrees &amp; no hotter.</p></main></body></html>";
const NXML: &str = "<article><front><article-meta><article-id pub-id-type=\"pmid\">12345</article-id><title-group>\
    <article-title>Maté</article-title></title-group></article-meta></front><body><sec><title>Gourds</title>\
    <p>Maté is drunk from a gourd through a metal straw.</p></sec></body>\
    <back><ref-list><ref><mixed-citation>Never shown.</mixed-citation></ref></ref-list></back></article>";

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The output of a command that must succeed, parsed.
fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = ibid(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Documents of several formats, one of them with a sidecar, and some that are none.
fn library() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    write("docs/tea.md", MARKDOWN.as_bytes());
    write("docs/tea.md.meta.json", br#"{"drugs": ["caffeine"], "url": "https://example.org/tea"}"#);
    write("docs/coffee.html", HTML.as_bytes());
    write("docs/mate.nxml", NXML.as_bytes());
    write("docs/water.txt", b"Water boils at 100 degrees.\n\nOn a mountain it boils earlier.\n");
    write("docs/bad.md", b"\x00\x01\x02\x00binary");
    write("docs/empty.md", b"");
    folder
}

fn lines(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_second_build_embeds_only_what_is_new() {
    let model = weights();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    let write = |number: usize, words: &str| {
        let text = format!("# Page {number}\n\nOn {words}, told by page {number}.\n");
        fs::write(folder.path().join(format!("docs/{number}.md")), text).unwrap();
    };
    (0..9).for_each(|number| write(number, "tea"));
    let build = |more: &[&str]| {
        let built = json(folder.path(), &[&["build", "docs", "--json", "--model", &model], more].concat());
        let index = fs::read(folder.path().join("site.ibid")).unwrap();
        (built["embedded"].as_u64().unwrap(), built["kept"].as_u64().unwrap(), index)
    };
    let (embedded, kept, first) = build(&[]);
    assert_eq!((embedded, kept), (9, 0));
    assert_eq!(build(&[]), (0, 9, first));
    let ignored = fs::read_to_string(folder.path().join(".ibid-cache/.gitignore")).unwrap();
    assert_eq!(ignored, "*\n");

    write(4, "coffee");
    let (embedded, kept, changed) = build(&[]);
    assert_eq!((embedded, kept), (1, 8));
    assert_eq!(build(&["--no-cache"]), (9, 0, changed));

    // An index is built all the same where vectors cannot be kept.
    fs::remove_dir_all(folder.path().join(".ibid-cache")).unwrap();
    fs::write(folder.path().join(".ibid-cache"), b"").unwrap();
    let output = ibid(folder.path(), &["build", "docs", "--model", &model]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("warning: vectors are not cached"), "{}", text(&output.stderr));
}

#[test]
fn chunks_of_every_format_know_their_place() {
    let folder = library();
    let output = ibid(folder.path(), &["chunk", "docs", "--meta", "language=en"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines = lines(&output);
    let seen: Vec<String> = lines
        .iter()
        .map(|line| format!("{}:{} {}", line["source"].as_str().unwrap(), line["line"], line["section"]))
        .collect();
    let expected = [
        "coffee.html:1 [\"Coffee\"]",
        "mate.nxml:1 [\"Maté\"]",
        "tea.md:7 [\"Tea\"]",
        "water.txt:1 [\"water\"]",
    ];
    for (seen, expected) in seen.iter().zip(expected) {
        assert!(seen.starts_with(expected.trim_end_matches(']')), "{seen} is not {expected}");
    }
    assert_eq!(seen.len(), 4);
    assert!(lines.iter().all(|line| line["metadata"]["language"] == "en"));
    assert_eq!(lines[1]["metadata"]["pmid"], "12345");
    assert_eq!(lines[2]["metadata"]["drugs"][0], "caffeine");
    assert_eq!(lines[2]["url"], "https://example.org/tea");
    let span = &lines[0]["span"];
    let source = &HTML[span["start"].as_u64().unwrap() as usize..span["end"].as_u64().unwrap() as usize];
    assert!(source.contains("Brew coffee at 93 degrees") && !source.contains("Home"), "{source}");
    let all = text(&output.stdout);
    assert!(!all.contains("Never shown") && !all.contains("Home"));
    let notes = text(&output.stderr);
    assert!(
        notes.contains("cannot be read: it is a binary file [invalid-document]: `bad.md`")
            && notes.contains("cannot be read: it is empty [invalid-document]: `empty.md`"),
        "{notes}"
    );
}

#[test]
fn sizes_are_shown_as_a_histogram_or_as_json() {
    let folder = library();
    let stats = ibid(folder.path(), &["chunk", "docs", "--stats"]);
    assert!(text(&stats.stdout).contains("4 chunks"), "{}", text(&stats.stdout));
    let stats = json(folder.path(), &["chunk", "docs", "--stats", "--json", "--budget", "16"]);
    assert_eq!(stats["over_budget"], 0);
    assert!(stats["count"].as_u64() > Some(4));
    for bad in [vec!["--budget", "3"], vec!["--overlap", "99"], vec!["--meta", "x"], vec!["--meta", "a b=3"]]
    {
        let arguments = [vec!["chunk", "docs"], bad].concat();
        assert_eq!(ibid(folder.path(), &arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn an_index_can_be_built_from_chunks_and_inspected() {
    let model = weights();
    let folder = library();
    let build = |input: &str, output: &str| {
        json(folder.path(), &["build", input, "-o", output, "--json", "--model", &model])
    };
    let summary = build("docs", "docs.ibid");
    assert_eq!((&summary["documents"], &summary["chunks"]), (&4.into(), &4.into()));
    assert_eq!((&summary["oversized"], summary["skipped"].as_array().unwrap().len()), (&0.into(), 2));
    build("docs", "again.ibid");
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("docs.ibid") == read("again.ibid"), "the same input gave other bytes");

    let chunked = ibid(folder.path(), &["chunk", "docs", "-o", "chunks.jsonl"]);
    assert_eq!(chunked.status.code(), Some(0), "{}", text(&chunked.stderr));
    assert_eq!(build("chunks.jsonl", "chunks.ibid")["chunks"], 4);
    let hit = |index: &str| {
        let hits = json(folder.path(), &["search", index, "How hot for coffee?", "--limit", "1", "--json"]);
        let hit = &hits[0];
        [&hit["id"], &hit["source"], &hit["text"], &hit["span"], &hit["line"], &hit["score"]]
            .map(Value::clone)
    };
    assert_eq!(hit("docs.ibid"), hit("chunks.ibid"));

    let report = json(folder.path(), &["inspect", "docs.ibid", "--json"]);
    assert_eq!((&report["format_version"], &report["manifest"]["chunks"]), (&1.into(), &4.into()));
    let fields: Vec<&str> =
        report["fields"].as_array().unwrap().iter().map(|field| field["name"].as_str().unwrap()).collect();
    assert!(fields.contains(&"drugs") && fields.contains(&"pmid") && fields.contains(&"year"), "{fields:?}");
    let shown = text(&ibid(folder.path(), &["inspect", "docs.ibid"]).stdout);
    assert!(
        shown.contains("Verified: the checksums of ") && shown.contains(", and the text of 4 chunks."),
        "{shown}"
    );
    let types = text(&ibid(folder.path(), &["inspect", "docs.ibid", "--types"]).stdout);
    assert!(types.starts_with("export type Fields = {\n  ") && types.ends_with(";\n};\n"), "{types}");
    assert!(types.contains("\n  drugs: string[];\n") && types.contains("\n  year: number;\n"), "{types}");
    let mut damaged = read("docs.ibid");
    let last = damaged.len() - 100;
    damaged[last] ^= 1;
    fs::write(folder.path().join("damaged.ibid"), damaged).unwrap();
    let refused = ibid(folder.path(), &["inspect", "damaged.ibid"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("index-corrupt"));
}

#[test]
fn an_index_is_updated() {
    let model = weights();
    let folder = library();
    let build = |output: &str, more: &[&str]| {
        let arguments = [&["build", "docs", "-o", output, "--json", "--model", &model], more].concat();
        json(folder.path(), &arguments)
    };
    let docs = folder.path().join("docs");
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(build("site.ibid", &["--update"])["update"], Value::Null);
    let before = read("site.ibid");
    let same = build("site.ibid", &["--update"]);
    assert_eq!((&same["embedded"], &same["update"]["unchanged"]), (&0.into(), &4.into()));
    assert!(read("site.ibid") == before);

    fs::remove_file(docs.join("water.txt")).unwrap();
    fs::write(docs.join("cocoa.md"), "# Cocoa\n\nCocoa wants milk of 70 degrees.\n").unwrap();
    fs::write(docs.join("tea.md"), MARKDOWN.replace("80", "75")).unwrap();
    let changed = build("site.ibid", &["--update"]);
    let numbers =
        ["unchanged", "added", "changed", "removed"].map(|name| changed["update"][name].as_u64().unwrap());
    assert_eq!(numbers, [2, 1, 1, 1]);
    assert_eq!(
        (&changed["embedded"], &changed["update"]["reused"], &changed["documents"]),
        (&2.into(), &2.into(), &4.into())
    );
    let search = |query: &str| {
        let hits = json(folder.path(), &["search", "site.ibid", query, "--json"]);
        hits.as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["text"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(search("cocoa milk")[0].contains("70 degrees"));
    assert!(search("green tea")[0].contains("75 degrees"));
    assert!(search("mountain").iter().all(|text| !text.contains("mountain")));

    build("fresh.ibid", &[]);
    assert!(read("site.ibid") == read("fresh.ibid"), "updating and building anew differ");
}
