//! `ibid.toml` and the marks of authors: what is built by them, and what a search then finds.

use crate::add_search::{built_site, ibid as ibid_with_web};
use crate::support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::{ibid, put};

const SETTINGS: &str = "synonyms = [[\"k8s\", \"Kubernetes\"], [\"ACL\", \"access control list\"]]\nstop = [\"Acme\"]\n\
    exclude = [\"/old/**\"]\nencoder = \"table\"\n[pins]\n\"get started\" = \"/start/\"\n\"nodes\" = \"/a.html#second\"\n\
    \"gone\" = \"/nowhere\"\n[weights]\n\"/blog/**\" = 0.1\n";

/// A built site in which everything is set that can be.
fn site() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let page = |name: &str, body: &str| {
        let html = format!("<!doctype html><html lang=en><body><main>{body}</main></html>");
        put(folder.path(), &format!("_site/{name}"), &html);
    };
    page(
        "a.html",
        "<h1>Cluster</h1><p>Kubernetes runs the nodes of Acme, and brings back what has stopped.<h2 id=second>Second</h2><p>Each node has a disk, and a fan that is quiet at night.",
    );
    page("b.html", "<h1>Rights</h1><p>An ACL says who may read. The copper price went up again.");
    page("start/index.html", "<h1>Welcome</h1><p data-ibid-ignore>Nothing of zircon.<p>Unpack the box.");
    page("old/index.html", "<h1>Old</h1><p>Copper was cheap then.");
    page("blog/index.html", "<h1>Copper news</h1><p>The copper price, the copper trade and copper in wires.");
    put(folder.path(), "ibid.toml", SETTINGS);
    folder
}

fn build(folder: &Path, arguments: &[&str]) -> String {
    let output = ibid(folder, &[&["build", "_site", "-o", "x.ibid", "--no-cache"], arguments].concat());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    told
}

/// The sources of the hits, and their addresses' anchors.
fn found(folder: &Path, query: &str, arguments: &[&str]) -> Vec<String> {
    let output = ibid(folder, &[&["search", "x.ibid", query, "--json"], arguments].concat());
    let hits: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let place = |hit: &Value| {
        let anchor = hit["anchor"].as_str().map_or(String::new(), |anchor| format!("#{anchor}"));
        format!("{}{anchor}", hit["source"].as_str().unwrap())
    };
    hits.iter().map(place).collect()
}

#[test]
fn settings_say_what_is_found_and_in_which_order() {
    let folder = site();
    let told = build(folder.path(), &["--min-size", "0", "--budget", "24"]);
    let words = |query: &str| found(folder.path(), query, &["--mode", "lexical"]);
    for line in ["files that `exclude` leaves out: 1", "`pins` has `/nowhere`"] {
        assert!(told.contains(line), "{told}");
    }
    // A word finds its synonym, in both ways, and several words.
    assert_eq!((words("k8s"), words("kubernetes")), (vec!["a.html".to_owned()], vec!["a.html".to_owned()]));
    assert_eq!(words("access control list"), ["b.html"]);
    let output = ibid(folder.path(), &["search", "x.ibid", "k8s", "--mode", "lexical", "--json"]);
    let hits: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(hits[0]["highlights"].as_array().map(Vec::len), Some(1), "the synonym is marked: {hits}");
    assert_eq!(words("zircon"), Vec::<String>::new());
    // What weighs less comes later, though it says it more often.
    assert_eq!(words("copper price"), ["b.html", "blog/index.html"]);
    // A pin is found by none of its words, and by other forms of them.
    for query in ["get started", "Getting started"] {
        assert_eq!(words(query), ["start/index.html"], "{query}");
    }
    assert_eq!(words("node")[0], "a.html#second");
    assert_eq!(words("gone"), Vec::<String>::new());
    // The name of the product finds nothing unless it is all that is asked.
    assert_eq!(words("Acme disk "), ["a.html#second"]);
    assert_eq!(words("Acme "), ["a.html"]);
}

#[test]
fn an_update_and_a_merge_keep_to_the_settings() {
    let folder = site();
    build(folder.path(), &[]);
    let again = build(folder.path(), &["--update"]);
    assert!(again.contains("4 unchanged; vectors"), "{again}");
    let manifest = || {
        let output = ibid(folder.path(), &["inspect", "x.ibid", "--json"]);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["manifest"]["settings"].clone()
    };
    let before = manifest();
    assert_eq!(before["pins"].as_array().map(Vec::len), Some(2));
    assert!(ibid(folder.path(), &["merge", "x.ibid", "-o", "x.ibid"]).status.success());
    assert_eq!(manifest(), before);
    let words = |query: &str| found(folder.path(), query, &["--mode", "lexical"]);
    assert_eq!((words("k8s"), words("copper price")[0].as_str()), (vec!["a.html".to_owned()], "b.html"));
    fs::write(folder.path().join("ibid.toml"), "encoder = \"table\"").unwrap();
    let changed = build(folder.path(), &["--update"]);
    assert!(changed.contains("3 unchanged, 1 added, 1 changed"), "{changed}");
    assert_eq!((words("k8s"), manifest()), (Vec::new(), Value::Null));
    assert_eq!(words("copper price")[0], "blog/index.html");
}

#[test]
fn options_are_stronger_than_settings_and_mistakes_are_named() {
    let folder = built_site();
    put(
        folder.path(),
        "ibid.toml",
        "facets = [\"a\", \"b\"]\nanswers = true\nencoder = \"table\"\n[set]\nhotkey = \"k\"\n",
    );
    let run = |arguments: &[&str]| ibid_with_web(folder.path(), &[&["site", "_site"], arguments].concat());
    let page = || fs::read_to_string(folder.path().join("_site/index.html")).unwrap();
    assert!(run(&[]).status.success());
    for attribute in [" data-facets=\"a,b\"", " data-answers=\"\"", " data-hotkey=\"k\""] {
        assert!(page().contains(attribute), "{}", page());
    }
    assert!(run(&["--facets", "c", "--set", "hotkey=j"]).status.success());
    assert!(page().contains(" data-facets=\"c\"") && page().contains(" data-hotkey=\"j\""), "{}", page());
    put(folder.path(), "ibid.toml", "synonims = []\n");
    let refused = run(&[]);
    let told = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        told.contains("`ibid.toml`, line 1") && told.contains("`synonims`, expected one of `synonyms`"),
        "{told}"
    );
    put(folder.path(), "other.toml", "encoder = \"table\"\n");
    assert!(run(&["--config", "other.toml"]).status.success());
}

#[test]
fn own_questions_fail_where_a_page_comes_too_late() {
    let folder = site();
    let small = ["--no-cache", "--min-size", "0", "--budget", "24"];
    let site_index = [&["build", "_site", "-o", "_site/site.ibid"], &small[..]].concat();
    assert!(ibid(folder.path(), &site_index).status.success());
    let eval = |arguments: &[&str]| {
        let output = ibid(folder.path(), &[&["eval", "_site"], arguments].concat());
        let [told, noted] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code(), told, noted)
    };
    let (code, _, noted) = eval(&[]);
    assert_eq!(code, Some(2), "{noted}");
    assert!(noted.contains("`ibid.toml` has no questions") && noted.contains("[questions]"), "{noted}");
    let ask = |lines: &str| put(folder.path(), "ibid.toml", &format!("{SETTINGS}[questions]\n{lines}"));
    ask("\"who may read\" = \"/b.html\"\n\"get started\" = \"/start/\"\n\"node\" = \"/a#second\"\n");
    let (code, told, noted) = eval(&["--within", "1"]);
    assert_eq!(code, Some(0), "{told}{noted}");
    assert!(told.contains("   1  who may read  /b.html\n"), "{told}");
    assert!(told.ends_with("\n3 questions: 3 first, 3 among the first 3, MRR 1.0000\n"), "{told}");
    // The index is asked in the same way, and another heading is another place.
    ask("\"copper price\" = \"/blog/\"\n\"node\" = \"/a.html#first\"\n\"ACL\" = \"/gone/\"\n");
    let (code, told, noted) = eval(&["--within", "1"]);
    assert_eq!(code, Some(1), "{told}{noted}");
    assert!(told.contains("   2  copper price  /blog/         first: /b.html\n"), "{told}");
    assert!(told.contains("   -  node          /a.html#first  first: /a.html\n"), "{told}");
    assert!(told.contains("   -  ACL           /gone/         no page has this address\n"), "{told}");
    assert!(noted.contains("3 of 3 questions do not find their page first."), "{noted}");
    ask("\"copper price\" = \"/blog/\"\n");
    let output = ibid(folder.path(), &["eval", "_site/site.ibid", "--config", "ibid.toml", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{json}");
    assert_eq!((&json["meanReciprocalRank"], &json["questions"][0]["rank"]), (&0.5.into(), &2.into()));
}
