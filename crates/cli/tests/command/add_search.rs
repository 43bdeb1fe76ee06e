//! `ibid site` and `ibid copy`: search in a built site, with the package's files.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use support::{command, put, stderr};

/// A folder with a site of four HTML files, and one with files as the package has them.
pub(crate) fn built_site() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("_site/index.html", page("Drinks", "What is drunk hot and cold in this house.").as_str()),
        ("_site/guide/tea.html", &tea()),
        ("_site/404.html", &page("Not found", "There is nothing here.")),
        ("_site/part.html", "<p>A part of a page that another one fetches.</p>"),
        ("_site/theme.css", "body {}"),
    ] {
        put(folder.path(), name, text);
    }
    for name in [
        "index.js",
        "index.js.map",
        "index.d.ts",
        "ui/index.js",
        "ui/site.js",
        "ui/words/de.js",
        "ask/start.js",
        "build/builder.js",
        "mcp/offer.js",
        "mcp/server.js",
        "wasm/ibid_bg.wasm",
        "wasm/ibid_rest.wasm",
        "wasm/ibid_whole.wasm",
        "wasm/ibid_ask_bg.wasm",
        "wasm/ibid_build_bg.wasm",
        "wasm/stem_de_bg.wasm",
        "wasm/stem_fr_bg.wasm",
        "LICENSE-MIT",
    ] {
        put(&folder.path().join("web"), name, name);
    }
    // The program has its own.
    put(&folder.path().join("web"), "query-table.bin", "a table of another version");
    folder
}

fn page(title: &str, text: &str) -> String {
    format!(
        "<!doctype html><html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>"
    )
}

fn tea() -> String {
    page("Tea", "Green tea is steeped at 80 degrees for two minutes.")
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// The command, with the files of the package that the folder has.
pub(crate) fn ibid(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).env("IBID_WEB", folder.join("web")).output().unwrap()
}

fn site(folder: &Path, arguments: &[&str]) -> Output {
    ibid(folder, &[&["site", "_site", "--encoder", "table"], arguments].concat())
}

/// The names of all files below a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// The query tables and stemmers among the files below a folder.
fn of_index(folder: &Path) -> Vec<String> {
    names(folder).into_iter().filter(|name| name.contains("table") || name.contains("stem_")).collect()
}

#[test]
fn a_built_site_gets_an_index_the_files_and_the_script_in_each_page() {
    let folder = built_site();
    let output = site(folder.path(), &["--answers", "--set", "placeholder=Say \"hi\""]);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("_site: the search box is in 2 pages\n  1 page has no head"), "{told}");
    assert!(told.ends_with("  next: ibid preview _site\n"), "{told}");
    for quiet in [" 0 ", "404", ".css", "ibid serve"] {
        assert!(!told.contains(quiet), "{quiet}: {told}");
    }
    let own = folder.path().join("_site/ibid");
    assert_eq!(
        names(&own),
        [
            "LICENSE-MIT",
            "ask/start.js",
            "index.js",
            "mcp/offer.js",
            "query-table.bin",
            "ui/index.js",
            "ui/site.js",
            "ui/words/de.js",
            "wasm/ibid_ask_bg.wasm",
            "wasm/ibid_bg.wasm",
            "wasm/ibid_rest.wasm",
        ]
    );
    let table = fs::read(own.join("query-table.bin")).unwrap();
    assert!(table == include_bytes!("../../../../models/query-table.bin"), "the table is the program's");
    assert!(folder.path().join("_site/site.ibid").is_file());
    for (name, script) in [("index.html", "ibid/ui/site.js"), ("guide/tea.html", "../ibid/ui/site.js")] {
        let script = format!(
            "<script src=\"{script}\" defer data-answers=\"\" data-placeholder=\"Say &quot;hi&quot;\"></script></head>"
        );
        assert!(read(folder.path(), &format!("_site/{name}")).contains(&script), "{name}");
    }
    assert!(!read(folder.path(), "_site/404.html").contains("site.js"), "which is shown at any address");
}

#[test]
fn a_second_time_brings_the_site_up_to_date_and_leaves_one_script() {
    let folder = built_site();
    assert_eq!(site(folder.path(), &["--answers"]).status.code(), Some(0));
    let index = fs::read(folder.path().join("_site/site.ibid")).unwrap();
    assert_eq!(site(folder.path(), &["--answers"]).status.code(), Some(0));
    assert!(
        fs::read(folder.path().join("_site/site.ibid")).unwrap() == index,
        "it is of the pages as they are"
    );
    let again = site(folder.path(), &["--facets", "kind", "--verbose"]);
    assert_eq!(again.status.code(), Some(0));
    let told = stderr(&again);
    assert!(told.contains("_site/site.ibid: 3 documents, ") && told.contains("error page"), "{told}");
    assert!(told.contains("not read: 1 .css file, 1 .ibid file\n"), "what was added is no news: {told}");
    let text = read(folder.path(), "_site/guide/tea.html");
    let script = "<script src=\"../ibid/ui/site.js\" defer data-facets=\"kind\"></script>";
    assert_eq!(text.replacen(script, "", 1), tea(), "all else is as it was");
}

#[test]
fn assistants_get_the_site_as_markdown_and_the_next_build_reads_its_pages_alone() {
    let folder = built_site();
    let described = "<!doctype html><html><head><title>Coffee</title><meta name=description content=\"Beans\n and water.\"></head>\
                     <body><main><h1>Coffee</h1><p>It is strong.</p><table><tr><th>bean</th><th>taste</th></tr>\
                     <tr><td>arabica</td><td>mild</td></tr></table><pre><code>brew --slow\n</code></pre></main></body></html>";
    put(folder.path(), "_site/guide/strong coffee.html", described);
    let arguments = ["--llms", "--base-url", "https://example.org/drinks/"];
    assert_eq!(site(folder.path(), &arguments).status.code(), Some(0));
    let overview = read(folder.path(), "_site/llms.txt");
    for line in [
        "# Drinks\n",
        "## Pages\n\n- [Drinks](https://example.org/drinks/index.html.md)\n",
        "## guide\n\n- [Coffee](https://example.org/drinks/guide/strong%20coffee.html.md): Beans and water.\n",
        "(https://example.org/drinks/ibid/mcp.json)",
    ] {
        assert!(overview.contains(line), "{line}{overview}");
    }
    let page = read(folder.path(), "_site/guide/strong coffee.html.md");
    assert!(page.starts_with("# Coffee\n\nIt is strong.\n\n| bean | taste |\n"), "{page}");
    assert!(page.contains("```\nbrew --slow\n```") && !page.contains("Green tea"), "{page}");
    let full = read(folder.path(), "_site/llms-full.txt");
    assert!(full.contains(&page) && full.contains("steeped at 80 degrees"), "{full}");
    let mcp: serde_json::Value = serde_json::from_str(&read(folder.path(), "_site/ibid/mcp.json")).unwrap();
    assert_eq!(mcp["mcpServers"]["docs"]["args"][3], "https://example.org/drinks/site.ibid");
    let index = fs::read(folder.path().join("_site/site.ibid")).unwrap();
    assert_eq!(site(folder.path(), &arguments).status.code(), Some(0));
    assert!(fs::read(folder.path().join("_site/site.ibid")).unwrap() == index);
}

#[test]
fn what_is_wrong_with_a_site_is_told() {
    let folder = built_site();
    assert_eq!(ibid(folder.path(), &["site"]).status.code(), Some(2));
    for wrong in ["Model", "=x", "a b=c"] {
        assert_eq!(site(folder.path(), &["--set", wrong]).status.code(), Some(2), "{wrong}");
    }
    fs::create_dir(folder.path().join("empty")).unwrap();
    let empty = ibid(folder.path(), &["site", "empty"]);
    assert_eq!(empty.status.code(), Some(2));
    assert!(
        stderr(&empty)
            .contains("There are no pages in `empty`. [invalid-option]\n  hint: Name the generator")
    );
    let missing = ibid(folder.path(), &["site", "nowhere"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("`nowhere` cannot be read"), "{}", stderr(&missing));
    let without = command(folder.path(), &["site", "_site"]).env("IBID_WEB", "nowhere").output().unwrap();
    let told = stderr(&without);
    assert_eq!(without.status.code(), Some(1));
    assert!(told.contains("in `nowhere`. [io]\n  hint: ") && told.contains("`./build.sh build`"), "{told}");
    assert!(!folder.path().join("_site/site.ibid").exists(), "it is known before the build");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_site() {
    use std::os::unix::fs::symlink;
    let folder = built_site();
    put(folder.path(), "elsewhere/page.html", &tea());
    put(folder.path(), "elsewhere/site.js", "of somebody else");
    symlink("../elsewhere", folder.path().join("_site/linked")).unwrap();
    symlink("../elsewhere/page.html", folder.path().join("_site/linked.html")).unwrap();
    assert_eq!(site(folder.path(), &[]).status.code(), Some(0));
    assert_eq!(read(folder.path(), "elsewhere/page.html"), tea());
    fs::remove_dir_all(folder.path().join("_site/ibid/ui")).unwrap();
    symlink("../../elsewhere", folder.path().join("_site/ibid/ui")).unwrap();
    let output = site(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("a link leads out of the folder. [io]"), "{}", stderr(&output));
    assert_eq!(read(folder.path(), "elsewhere/site.js"), "of somebody else");
}

#[cfg(unix)]
#[test]
fn a_page_that_cannot_be_read_keeps_no_other_from_having_the_box() {
    use std::os::unix::fs::PermissionsExt;
    let folder = built_site();
    let bad = folder.path().join("_site/bad.html");
    fs::write(&bad, tea()).unwrap();
    fs::set_permissions(&bad, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&bad).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let output = site(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("bad.html` cannot be read"), "{}", stderr(&output));
    assert!(read(folder.path(), "_site/guide/tea.html").contains("ibid/ui/site.js"));
}

#[test]
fn what_a_page_needs_is_copied_and_nothing_else() {
    let folder = built_site();
    let output = ibid(folder.path(), &["copy", "public/ibid"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = String::from_utf8(output.stdout).unwrap();
    let starts: Vec<&str> = table.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(starts, ["part", "search", "ui", "ask"]);
    assert!(table.starts_with("part          files        KB   KB gzip\nsearch            7 "), "{table}");
    let own = names(&folder.path().join("public/ibid"));
    for not in
        ["wasm/ibid_whole.wasm", "wasm/ibid_build_bg.wasm", "build/builder.js", "index.js.map", "index.d.ts"]
    {
        assert!(!own.iter().any(|name| name == not), "{not}");
    }
    ibid(folder.path(), &["copy", "search-only", "--for", "search"]);
    assert!(!folder.path().join("search-only/ask").exists());
    ibid(folder.path(), &["copy", "upgrade", "--for", "search,transformer"]);
    assert!(folder.path().join("upgrade/projection.bin").is_file());
}

#[test]
fn of_tables_and_stemmers_only_those_are_copied_that_the_indexes_next_to_the_folder_need() {
    let folder = built_site();
    let has = || of_index(&folder.path().join("app/ibid"));
    let all = ["multilingual-table.bin", "query-table.bin", "wasm/stem_de_bg.wasm", "wasm/stem_fr_bg.wasm"];
    let copy = |more: &[&str]| ibid(folder.path(), &[&["copy", "app/ibid"], more].concat());
    let build = |text: &str, output: &str, model: &str| {
        put(folder.path(), "page.md", text);
        let arguments = ["build", "page.md", "-o", output, "--encoder", "table", "--no-cache"];
        fs::create_dir_all(folder.path().join(output).parent().unwrap()).unwrap();
        let built = command(folder.path(), &arguments).env("IBID_MODEL", model).output().unwrap();
        assert_eq!(built.status.code(), Some(0), "{}", stderr(&built));
    };
    copy(&[]);
    assert_eq!(has(), all, "all of them where there is no index");
    put(folder.path(), "app/ibid/mine-table.bin", "of somebody else");
    build("# Tea\n\nGreen tea is steeped for two minutes.\n", "app/site.ibid", "minilm");
    for _ in ["once", "twice"] {
        copy(&[]);
        assert_eq!(has(), ["mine-table.bin", "query-table.bin"]);
    }
    build("# Tee\n\nGr\u{fc}ner Tee zieht zwei Minuten, und der schwarze vier.\n", "app/de/site.ibid", "e5");
    copy(&[]);
    let both = ["mine-table.bin", "multilingual-table.bin", "query-table.bin", "wasm/stem_de_bg.wasm"];
    assert_eq!(has(), both);
    copy(&["--for", "search,add"]);
    assert_eq!(has().len(), 5, "an index that the page makes may need any of them");
    put(folder.path(), "app/broken.ibid", "no index");
    let broken = stderr(&copy(&[]));
    assert!(
        broken.contains("copying all query tables and stemmers, since `broken.ibid` does not say"),
        "{broken}"
    );
    assert_eq!(has().len(), 5);
}

#[test]
fn what_is_wrong_with_a_copy_is_told() {
    let folder = built_site();
    assert_eq!(ibid(folder.path(), &["copy"]).status.code(), Some(2));
    let unknown = ibid(folder.path(), &["copy", "a", "--for", "serach"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("'serach'") && stderr(&unknown).contains("transformer"));
    put(folder.path(), "file", "");
    let blocked = ibid(folder.path(), &["copy", "file"]);
    assert_eq!(blocked.status.code(), Some(1));
    assert!(stderr(&blocked).contains("[io]"), "{}", stderr(&blocked));
}
