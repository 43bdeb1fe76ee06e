//! `ibid serve` and `ibid preview`: files as a host of static files answers, and nothing besides.

use crate::add_search::{built_site, ibid};
use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use flate2::read::GzDecoder;
use support::{command, put};

const TEXT: &str = "0123456789";

fn folder() -> tempfile::TempDir {
    let folder = built_site();
    for (name, text) in [
        ("secret.txt", "secret"),
        ("site/index.html", "<!doctype html><title>.</title>"),
        ("site/deep/index.html", "deep"),
        ("site/none/a.txt", "a"),
        ("site/digits.txt", TEXT),
        ("site/digits.bin", TEXT),
        ("site/a b é.js", "export {}"),
        ("site/empty.css", ""),
        ("site/m.wasm", ""),
        ("site/.git/config", "hidden"),
        ("site/.env", "hidden"),
        ("tea.md", "# Tea\n\nGreen tea steeps at 80 degrees.\n"),
    ] {
        put(folder.path(), name, text);
    }
    folder
}

/// A server, which ends with the test.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = command(folder, &[arguments, &["--port", "0"]].concat())
            .env("IBID_WEB", folder.join("web"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let address = url.trim().strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        Self { child, address }
    }

    /// Asks for a path exactly as it is written.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let headers: Vec<String> =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let headers = headers.concat();
        let host = &self.address;
        write!(stream, "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}\r\n")
            .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Reply { status, headers, body: bytes[end + 4..].to_vec() }
    }

    fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[])
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Reply {
    status: u16,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Reply {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

#[test]
fn a_folder_with_a_page_is_served_as_it_is_and_nothing_outside_or_hidden() {
    let folder = folder();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.txt", folder.path().join("site/link.txt")).unwrap();
    let server = Serving::start(folder.path(), &["serve", "site"]);
    let page = server.get("/");
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(page.header("cache-control"), "no-cache");
    assert_eq!(page.header("content-security-policy"), "");
    for (path, status) in [
        ("/deep/", 200),
        ("/a%20b%20%C3%A9.js?v=1", 200),
        ("/empty.css", 200),
        ("/missing", 404),
        ("/none/", 404),
        ("/digits.txt/", 404),
        ("/../secret.txt", 404),
        ("/deep/../../secret.txt", 404),
        ("/%2e%2e/secret.txt", 404),
        ("/..%2fsecret.txt", 404),
        ("/deep/..%5c..%5csecret.txt", 404),
        ("//etc/passwd", 404),
        ("/link.txt", 404),
        ("/%00", 404),
        ("/%ff", 404),
        ("/.env", 404),
        ("/.git/config", 404),
    ] {
        let reply = server.get(path);
        assert_eq!(reply.status, status, "{path}");
        assert!(!reply.text().contains("secret") && !reply.text().contains("hidden"), "{path}");
    }
    let moved = server.get("/deep?a=b");
    assert_eq!((moved.status, moved.header("location")), (301, "/deep/?a=b"));
    assert_eq!(server.get("//deep").header("location"), "/deep/", "a browser takes two slashes for a host");
    assert_eq!(server.ask("POST", "/digits.txt", &[("content-length", "0")]).status, 405);
    let head = server.ask("HEAD", "/digits.txt", &[]);
    assert_eq!((head.status, head.header("content-length"), head.text()), (200, "10", ""));
    assert_eq!(server.get("/m.wasm").header("content-type"), "application/wasm");
    put(folder.path(), "site/new.html", "new");
    assert_eq!(server.get("/new.html").text(), "new", "a rebuilt site needs no restart");
}

#[test]
fn parts_of_a_file_are_served_and_only_of_the_version_that_is_asked_for() {
    let folder = folder();
    let server = Serving::start(folder.path(), &["serve", "site"]);
    let get = |headers: &[(&str, &str)]| {
        let reply = server.ask("GET", "/digits.txt", headers);
        (reply.status, reply.header("content-range").to_owned(), reply.text().to_owned())
    };
    let part = |range: &str, text: &str| (206, format!("bytes {range}/10"), text.to_owned());
    let whole = || (200, String::new(), TEXT.to_owned());
    let first = server.get("/digits.txt");
    let (etag, changed) = (first.header("etag"), first.header("last-modified"));
    assert!(etag.starts_with('"'));
    assert_eq!(get(&[("range", "bytes=2-4")]), part("2-4", "234"));
    assert_eq!(get(&[("range", "bytes=8-99")]), part("8-9", "89"));
    assert_eq!(get(&[("range", "bytes=2-4"), ("accept-encoding", "gzip")]), part("2-4", "234"));
    let beyond = get(&[("range", "bytes=10-11")]);
    assert_eq!((beyond.0, &*beyond.1), (416, "bytes */10"));
    assert_eq!(get(&[("range", "bytes=4-2")]), whole());
    assert_eq!(get(&[("range", "bytes=0-0"), ("if-range", etag)]), part("0-0", "0"));
    assert_eq!(get(&[("range", "bytes=0-0"), ("if-range", changed)]), part("0-0", "0"));
    assert_eq!(get(&[("range", "bytes=0-0"), ("if-range", "\"other\"")]), whole());
    assert_eq!(get(&[("if-none-match", etag)]).0, 304);
    assert_eq!(get(&[("if-none-match", &format!("\"x\", W/{etag}"))]).0, 304);
    assert_eq!(get(&[("if-none-match", "\"x\""), ("if-modified-since", changed)]).0, 200);
    assert_eq!(get(&[("if-modified-since", changed)]).0, 304);
    put(folder.path(), "site/digits.txt", "other");
    assert_ne!(server.get("/digits.txt").header("etag"), etag);
}

#[test]
fn texts_are_compressed_and_indexes_are_not() {
    let folder = folder();
    let server = Serving::start(folder.path(), &["serve", "site"]);
    let packed = server.ask("GET", "/digits.txt", &[("accept-encoding", "br, gzip")]);
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert_eq!(packed.header("content-length"), packed.body.len().to_string());
    let mut text = String::new();
    GzDecoder::new(&*packed.body).read_to_string(&mut text).unwrap();
    assert_eq!(text, TEXT);
    let weak = packed.header("etag");
    assert!(weak.starts_with("W/"), "{weak}");
    let headers = [("accept-encoding", "gzip"), ("if-none-match", weak)];
    assert_eq!(server.ask("GET", "/digits.txt", &headers).status, 304);
    let plain = server.ask("GET", "/digits.bin", &[("accept-encoding", "gzip")]);
    assert_eq!((plain.header("content-encoding"), plain.text()), ("", TEXT));
}

#[test]
fn two_commands_lead_from_documents_to_a_page_whose_policy_allows_nothing_else() {
    let folder = folder();
    assert_eq!(ibid(folder.path(), &["build", "tea.md", "--encoder", "table"]).status.code(), Some(0));
    let server = Serving::start(folder.path(), &["serve"]);
    let page = server.get("/");
    let policy = page.header("content-security-policy");
    let start = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'sha256-";
    assert!(policy.starts_with(start), "{policy}");
    assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
    for path in ["ui/index.js", "index.js", "wasm/ibid_bg.wasm"] {
        assert_eq!(server.get(&format!("/ibid/{path}")).text(), path);
    }
    assert!(server.get("/ibid/query-table.bin").body == include_bytes!("../../../../models/query-table.bin"));
    assert!(server.get("/site.ibid").body == fs::read(folder.path().join("site.ibid")).unwrap());
    for path in [
        "/tea.md",
        "/web/index.js",
        "/ibid/../tea.md",
        "/ibid//etc/passwd",
        "/site.ibidx",
        "/site.ibid/head",
        "/page/",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    let port = server.address.rsplit(':').next().unwrap();
    let taken = ibid(folder.path(), &["serve", "--port", port]);
    let told = String::from_utf8(taken.stderr).unwrap();
    assert_eq!(taken.status.code(), Some(1));
    assert!(told.contains(&format!("error: Port {port} of 127.0.0.1 cannot be used: ")), "{told}");
    assert!(told.contains("[io]\n  hint: ") && told.contains("`--port 0`"), "{told}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_the_usual_end() {
    let folder = folder();
    let mut server = Serving::start(folder.path(), &["serve", "site"]);
    let number = server.child.id().to_string();
    let killed = std::process::Command::new("kill").args(["-INT", &number]).status().unwrap();
    assert!(killed.success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_site_is_previewed_once_search_was_added_to_it() {
    let folder = built_site();
    let too_early = ibid(folder.path(), &["preview", "_site"]);
    assert_eq!(too_early.status.code(), Some(1));
    let told = String::from_utf8(too_early.stderr).unwrap();
    assert!(told.contains("[io]\n  hint: Add it with `ibid site _site`"), "{told}");
    let site = ibid(folder.path(), &["site", "_site", "--encoder", "table"]);
    assert_eq!(site.status.code(), Some(0));
    let server = Serving::start(folder.path(), &["preview", "_site"]);
    assert!(server.get("/guide/tea.html").text().contains("../ibid/ui/site.js"));
    assert_eq!(server.get("/ibid/ui/site.js").text(), "ui/site.js");
    assert_eq!(server.ask("GET", "/site.ibid", &[("range", "bytes=0-7")]).body.len(), 8);
}

#[test]
fn what_cannot_be_served_is_told_with_the_next_step() {
    let folder = folder();
    let told = |path: &str| String::from_utf8(ibid(folder.path(), &["serve", path]).stderr).unwrap();
    fs::create_dir(folder.path().join("plain")).unwrap();
    let plain = told("plain");
    assert!(
        plain.starts_with("error: `plain` has no pages (`.html`), and is not an index. [io]\n  hint: "),
        "{plain}"
    );
    assert!(plain.contains("`ibid build plain`"), "{plain}");
    fs::write(folder.path().join("plain/tea.html"), "<p>Tea").unwrap();
    let server = Serving::start(folder.path(), &["serve", "plain"]);
    assert_eq!(server.get("/tea.html").text(), "<p>Tea", "a folder of pages without a first one is served");
    let missing = told("missing.ibid");
    assert!(missing.contains("[io]\n  hint: ") && missing.contains("`ibid build docs`"), "{missing}");
    assert!(told("tea.md").contains("[index-foreign]"));
}
