//! Links to the pages that a site generator makes.

use std::fs;
use std::path::Path;

use crate::support::{ibid, put};
use serde_json::Value;

fn chunks(folder: &Path, arguments: &[&str]) -> (Vec<[String; 2]>, String) {
    let output = ibid(folder, &[&["chunk"], arguments].concat());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    let text = String::from_utf8(output.stdout).unwrap();
    let field = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    (lines.map(|line| [field(&line, "url"), field(&line, "anchor")]).collect(), told)
}

fn site(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    // Nothing above it is looked at.
    fs::create_dir(folder.path().join(".git")).unwrap();
    files.iter().for_each(|(name, text)| put(folder.path(), name, text));
    folder
}

#[test]
fn the_configuration_beside_documents_says_where_their_pages_are() {
    let folder = site(&[
        ("docs/.vitepress/config.ts", "export default {\n  base: '/p/',\n}\n"),
        ("docs/guide/a.md", "# Server.open\n\nText of it.\n"),
        ("README.md", "# Read me\n\nNo page.\n"),
    ]);
    let link = ["/p/guide/a.html", "server-open"].map(str::to_owned);
    for path in ["docs", "docs/guide", "docs/guide/a.md"] {
        let (found, told) = chunks(folder.path(), &[path]);
        assert_eq!(found, std::slice::from_ref(&link), "{path}");
        assert_eq!(told, "site: vitepress, pages below /p/ (docs/.vitepress/config.ts)\n", "{path}");
    }
    let (found, _) = chunks(folder.path(), &["."]);
    assert_eq!(found, [["", "read-me"].map(str::to_owned), link]);
    let (found, _) = chunks(folder.path(), &["docs", "--base-url", "https://example.org"]);
    assert_eq!(found[0][0], "https://example.org/guide/a.html");
    let (found, told) = chunks(folder.path(), &["docs", "--site", "none"]);
    assert_eq!((found[0].clone(), told.as_str()), (["", "serveropen"].map(str::to_owned), ""));
}

const NEVER: &str = "cascade:\n  build:\n    render: never\n---\n# Head\n\nText of it.\n";

#[test]
fn what_a_page_is_bundled_of_links_to_it() {
    let folder = site(&[
        ("hugo.toml", "baseURL = \"https://example.org/\"\n"),
        ("content/glossary/index.md", "# Glossary\n\nAll terms that are used here.\n"),
        ("content/glossary/terms/cup.md", "# Cup\n\nA small bowl with a handle.\n"),
        ("content/guide/_index.md", "# Guide\n\nThe pages below.\n"),
        ("content/terms/_index.md", &["---\nbuild:\n  render: always\n", NEVER].concat()),
        ("content/terms/pot.md", "# Pot\n\nLarger than a cup.\n"),
        ("content/shared/_index.md", &["---\n", NEVER].concat()),
        ("content/shared/note.md", "# Note\n\nStands in many pages.\n"),
        ("content/guide/pour.md", "# Pour\n\nSlowly.\n"),
    ]);
    let (found, _) = chunks(folder.path(), &["content"]);
    let urls: Vec<&str> = found.iter().map(|[url, _]| url.as_str()).collect();
    assert_eq!(urls, ["/glossary/", "/glossary/", "/guide/", "/guide/pour/", "", "", "/terms/", "/terms/"]);
}

#[test]
fn options_say_it_where_no_configuration_does() {
    let folder = site(&[
        (
            "content/a/B c.md",
            "# A b\n\nText that is long enough to stay alone.\n\n## A b\n\nMore text that is long enough to stay alone.\n",
        ),
        (
            "site/x/index.html",
            "<html><body><main><h1 id='t'>Title</h1><p>Text of a page.</p></main></body></html>",
        ),
    ]);
    let (found, told) =
        chunks(folder.path(), &["content", "--site", "mkdocs", "--min-size", "0", "--budget", "16"]);
    assert_eq!(found, [["/a/B c/", "a-b"], ["/a/B c/", "a-b_1"]].map(|link| link.map(str::to_owned)));
    assert_eq!(told, "site: mkdocs, pages below /\n");
    let (found, _) = chunks(folder.path(), &["site", "--base-url", "/docs"]);
    assert_eq!(found, [["/docs/x/", "t"].map(str::to_owned)]);
    let output = ibid(folder.path(), &["chunk", "content", "--site", "other"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("vitepress") && told.contains("none"), "{told}");
}

#[test]
fn a_build_says_that_hits_lead_nowhere_and_what_mends_it() {
    let folder = site(&[("docs/guide/tea.md", "# Tea\n\nSteeps at 80 degrees.\n"), ("own/a.md", OWN)]);
    let told = |arguments: &[&str]| {
        let build = ["build", "--encoder", "table", "--no-cache", "-o", "a.ibid"];
        let output = ibid(folder.path(), &[&build[..], arguments].concat());
        String::from_utf8(output.stderr).unwrap()
    };
    let line = "hits have no addresses: set `--base-url URL` to the address of your pages";
    assert!(told(&["docs"]).contains(line));
    for arguments in [&["docs", "--base-url", "/help"][..], &["docs", "--site", "none"], &["docs", "own"]] {
        let told = told(arguments);
        assert!(told.contains("a.ibid: ") && !told.contains(line), "{told}");
    }
    let (found, _) = chunks(folder.path(), &["docs", "--base-url", "/help"]);
    assert_eq!(found, [["/help/guide/tea", "tea"].map(str::to_owned)]);
}

const OWN: &str = "---\nurl: /own\n---\n# Own\n\nIt names its own page.\n";

#[test]
fn a_strict_build_ends_with_what_was_told() {
    let folder = site(&[("docs/a.md", "# A\n\nText.\n"), ("docs/b.md", "\0\0\0\0")]);
    assert!(ibid(folder.path(), &["chunk", "docs"]).status.success());
    let output = ibid(folder.path(), &["build", "docs", "-o", "a.ibid", "--encoder", "table", "--strict"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && told.contains("(found: 1)"), "{told}");
    assert!(!folder.path().join("a.ibid").exists());
}
