//! `ibid fetch bookshelf` against a server on the loopback that serves a small list and small archives, and fails in
//! the ways that servers and networks do.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use super::file_server::{Fault, Server};
use crate::support::stderr;

const TEA: &str = "aa/01/tea_NBK1.tar.gz";
const MILK: &str = "bb/02/milk_NBK2.tar.gz";

/// A gzipped archive with one file of `length` bytes; archives of one length are of one length packed, too.
fn archive(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let text: Vec<u8> = (0..length)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .collect();
    // A ustar header: name, mode, owner, group, length, time, checksum, kind, link, magic, each in its width.
    let size = format!("{length:011o}");
    let fields = [("book.nxml", 100), ("0000644", 8), ("0000000", 8), ("0000000", 8), (&size, 12)];
    let fields =
        fields.into_iter().chain([("00000000000", 12), ("        ", 8), ("0", 1), ("", 100), ("ustar", 6)]);
    let mut header = Vec::new();
    for (field, width) in fields.chain([("00", 2)]) {
        let end = header.len() + width;
        header.extend(field.bytes());
        header.resize(end, 0);
    }
    header.resize(512, 0);
    let sum: u32 = header.iter().copied().map(u32::from).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packer.write_all(&header).unwrap();
    packer.write_all(&text).unwrap();
    packer.write_all(&vec![0; 1024 + (512 - length % 512) % 512]).unwrap();
    packer.finish().unwrap()
}

/// A list of rows such as `file,title,publisher`, all of the given day.
fn list(rows: &[&str], day: u32) -> Vec<u8> {
    let head = "File,Title,Publisher,Publication Year,Accession ID,Last Updated (YYYY-MM-DD HH:MM:SS)\n";
    let row = |(number, row)| format!("{row},2024,NBK{},2024-01-{day:02} 10:00:00\n", number + 1);
    let rows: Vec<String> = rows.iter().enumerate().map(row).collect();
    [head, &rows.concat()].concat().into_bytes()
}

/// A server with a list of two books of the World Health Organization and one of another publisher.
fn bookshelf(faults: &[Fault]) -> (Server, Vec<u8>, tempfile::TempDir) {
    let (server, tea) = (Server::start(), archive(60_000, 1));
    let rows = [
        "aa/01/tea_NBK1.tar.gz,Guideline on tea,World Health Organization",
        "bb/02/milk_NBK2.tar.gz,\"Milk, a guideline\",World Health Organization (WHO)",
        "cc/03/beer_NBK3.tar.gz,Guideline on beer,Brewers",
    ];
    server.put("file_list.csv", &list(&rows, 1), "", &[]);
    server.put(TEA, &tea, "\"t1\"", faults);
    server.put(MILK, &archive(3000, 2), "\"m1\"", &[]);
    (server, tea, tempfile::tempdir().unwrap())
}

fn command(server: &Server, folder: &Path, more: &[&str]) -> Command {
    command_at("100", server, folder, more)
}

fn command_at(rate: &str, server: &Server, folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibid"));
    command.args(["fetch", "bookshelf", "-o", "books", "--base-url", &server.address, "--rate", rate]);
    command.args(more).current_dir(folder).env("NO_PROXY", "127.0.0.1");
    command
}

/// Runs the command for the book on tea, or for what the further arguments select, and returns the report.
fn fetch(server: &Server, folder: &Path, more: &[&str]) -> (Output, serde_json::Value) {
    let tea = ["--filter", "tea$"];
    let selection =
        if more.iter().any(|more| *more == "--publisher" || *more == "--filter") { &[][..] } else { &tea };
    let output = command(server, folder, &[more, selection, &["--json"]].concat()).output().unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output, report)
}

/// The visible files of the folder with the archives.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("books")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// The place where the book on tea is kept.
fn kept(folder: &Path) -> PathBuf {
    folder.join("books/tea_NBK1.tar.gz")
}

#[test]
fn books_are_selected_downloaded_and_then_left_alone() {
    let (server, tea, folder) = bookshelf(&[]);
    let who = ["--publisher", "world health organization"];
    let (output, report) = fetch(&server, folder.path(), &who);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["milk_NBK2.tar.gz", "tea_NBK1.tar.gz"]);
    assert!(fs::read(kept(folder.path())).unwrap() == tea);
    assert_eq!(report["downloaded"], 2);
    let first = &report["files"][0];
    assert_eq!((&first["file"], &first["status"]), (&"tea_NBK1.tar.gz".into(), &"downloaded".into()));
    assert_eq!((&first["accession"], &first["bytes"]), (&"NBK1".into(), &tea.len().into()));
    let requests = server.take_requests();
    assert_eq!(requests.len(), 3);
    let agent = concat!("user-agent: ibid/", env!("CARGO_PKG_VERSION"), "\n");
    assert!(requests.iter().all(|head| head.contains(agent)), "{requests:?}");

    let (_, report) = fetch(&server, folder.path(), &who);
    assert_eq!((&report["unchanged"], &report["downloaded"]), (&2.into(), &0.into()));
    assert_eq!(server.take_requests().len(), 1, "only the list is asked for");

    let lines = command(&server, folder.path(), &["--filter", "^Milk, a"]).output().unwrap();
    let lines = String::from_utf8(lines.stdout).unwrap();
    assert!(
        lines.starts_with("unchanged ") && lines.trim_end().ends_with("milk_NBK2.tar.gz  Milk, a guideline")
    );
}

#[test]
fn a_newer_version_replaces_the_old_one() {
    let (server, _, folder) = bookshelf(&[]);
    fetch(&server, folder.path(), &[]);
    server.take_requests();

    // The list has a new date, but the server says that the file is the same.
    server.put("file_list.csv", &list(&["aa/01/tea_NBK1.tar.gz,On tea,WHO"], 2), "", &[]);
    let (_, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(report["unchanged"], 1);
    assert!(server.take_requests()[1].contains("if-none-match: \"t1\""));
    assert_eq!(fetch(&server, folder.path(), &[]).1["unchanged"], 1);
    assert_eq!(server.take_requests().len(), 1, "the new date is remembered");

    let newer = archive(50_000, 7);
    server.put("file_list.csv", &list(&["aa/01/tea_NBK1.tar.gz,On tea,WHO"], 3), "", &[]);
    server.put(TEA, &newer, "\"t2\"", &[]);
    let (_, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(report["downloaded"], 1);
    assert!(fs::read(kept(folder.path())).unwrap() == newer);
}

#[test]
fn a_broken_connection_is_continued_where_it_broke() {
    let (server, tea, folder) = bookshelf(&[Fault::Break(20_000), Fault::Break(15_000)]);
    let (output, report) = fetch(&server, folder.path(), &["--retries", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(report["files"][0]["status"], "resumed");
    assert!(fs::read(kept(folder.path())).unwrap() == tea);
    assert_eq!(names(folder.path()), ["tea_NBK1.tar.gz"]);
    let requests = server.take_requests();
    assert!(requests[2].contains("range: bytes=20000-\n") && requests[2].contains("if-range: \"t1\"\n"));
    assert!(requests[3].contains("range: bytes=35000-\n"), "{requests:?}");
}

#[test]
fn the_next_run_continues_too() {
    let (server, tea, folder) = bookshelf(&[Fault::Break(20_000)]);
    let (output, report) = fetch(&server, folder.path(), &["--retries", "0"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!((&report["files"][0]["status"], &report["failed"]), (&"failed".into(), &1.into()));
    assert_eq!(report["files"][0]["error"]["code"], "network");
    assert_eq!(names(folder.path()), ["tea_NBK1.tar.gz.part"]);
    let (_, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(report["resumed"], 1);
    assert!(fs::read(kept(folder.path())).unwrap() == tea);
}

#[test]
fn a_server_that_ignores_ranges_starts_over() {
    let (server, tea, folder) = bookshelf(&[Fault::Break(20_000), Fault::IgnoreRange]);
    let (_, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(report["files"][0]["status"], "downloaded");
    assert!(fs::read(kept(folder.path())).unwrap() == tea);
}

#[test]
fn parts_of_two_versions_are_never_joined() {
    let (server, _, folder) = bookshelf(&[Fault::Break(20_000)]);
    fetch(&server, folder.path(), &["--retries", "0"]);
    let newer = archive(61_000, 9);
    server.put(TEA, &newer, "\"t2\"", &[]);
    let (_, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(report["downloaded"], 1);
    assert!(fs::read(kept(folder.path())).unwrap() == newer);

    // A server that gives a new version the tag of the old one is found out by the checksum.
    let (server, _, folder) = bookshelf(&[Fault::Break(20_000)]);
    fetch(&server, folder.path(), &["--retries", "0"]);
    let other = archive(60_000, 10);
    server.put(TEA, &other, "\"t1\"", &[]);
    let (output, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(report["downloaded"], 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("damaged"));
    assert!(fs::read(kept(folder.path())).unwrap() == other);
}

#[test]
fn a_refused_range_starts_over() {
    let (server, tea, folder) = bookshelf(&[Fault::Break(20_000), Fault::Status(416, "")]);
    let (output, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(report["downloaded"], 1, "{}", stderr(&output));
    assert!(fs::read(kept(folder.path())).unwrap() == tea);
}

#[test]
fn a_busy_server_gets_the_time_it_asks_for() {
    let (server, _, folder) = bookshelf(&[Fault::Status(503, "retry-after: 2"), Fault::Status(429, "")]);
    let began = Instant::now();
    let (output, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(report["downloaded"], 1, "{}", stderr(&output));
    assert!(began.elapsed() >= Duration::from_secs(4), "two seconds as asked, then two as planned");
    assert!(stderr(&output).contains("retry 1 in 2.0 s") && stderr(&output).contains("HTTP status 503"));
}

#[test]
fn a_server_that_asks_for_too_long_ends_the_run() {
    let (server, _, folder) = bookshelf(&[Fault::Status(503, "retry-after: 7200")]);
    let (output, report) = fetch(&server, folder.path(), &["--publisher", "world"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("wait 120 minutes"), "{}", stderr(&output));
    assert_eq!((&report["failed"], &report["pending"]), (&1.into(), &1.into()));
    assert_eq!(server.take_requests().len(), 2);
}

#[test]
fn a_wrong_length_is_found_out_and_the_other_books_come() {
    for (fault, words) in [
        (Fault::AnnounceMore(10), "fewer bytes than are here"),
        (Fault::AnnounceLess(10), "not a complete gzip archive"),
    ] {
        let (server, _, folder) = bookshelf(&[fault, fault]);
        let (output, report) = fetch(&server, folder.path(), &["--publisher", "world", "--retries", "1"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
        assert_eq!((&report["failed"], &report["downloaded"]), (&1.into(), &1.into()));
        assert!(!kept(folder.path()).exists());
    }
}

#[test]
fn an_unknown_length_is_no_obstacle() {
    let (server, tea, folder) = bookshelf(&[Fault::NoLength]);
    let (_, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(report["downloaded"], 1);
    assert!(fs::read(kept(folder.path())).unwrap() == tea);
    assert_eq!(fetch(&server, folder.path(), &[]).1["unchanged"], 1);
}

#[test]
fn what_is_no_archive_is_not_kept() {
    let (server, _, folder) = bookshelf(&[]);
    server.put(TEA, b"<html>Please log in</html>", "", &[]);
    let (output, _) = fetch(&server, folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("it is not a gzip archive"), "{}", stderr(&output));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn an_archive_brought_by_other_means_is_recognized() {
    let (server, tea, folder) = bookshelf(&[]);
    fs::create_dir(folder.path().join("books")).unwrap();
    fs::write(kept(folder.path()), &tea).unwrap();
    assert_eq!(fetch(&server, folder.path(), &[]).1["unchanged"], 1);
    fs::write(kept(folder.path()), &tea[1..]).unwrap();
    assert_eq!(fetch(&server, folder.path(), &[]).1["downloaded"], 1);
    assert!(fs::read(kept(folder.path())).unwrap() == tea);
}

#[test]
fn a_list_leads_nowhere_else() {
    let (server, _, folder) = bookshelf(&[]);
    let rows = [
        "../../tea.tar.gz,tea,WHO",
        "/tmp/tea.tar.gz,tea,WHO",
        "aa/..\\tea.tar.gz,tea,WHO",
        "http://127.0.0.1/tea.tar.gz,tea,WHO",
        "aa/01/tea_NBK1.tar.gz,tea,WHO",
        "zz/01/TEA_NBK1.tar.gz,tea,WHO",
    ];
    server.put("file_list.csv", &list(&rows, 1), "", &[]);
    let (output, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!((&report["failed"], &report["downloaded"]), (&5.into(), &1.into()), "{}", stderr(&output));
    assert_eq!(server.take_requests().len(), 2);
    assert_eq!(names(folder.path()), ["tea_NBK1.tar.gz"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_dry_run_writes_nothing() {
    let (server, _, folder) = bookshelf(&[]);
    let (output, report) =
        fetch(&server, folder.path(), &["--publisher", "world", "--limit", "1", "--dry-run"]);
    assert_eq!((output.status.code(), &report["pending"]), (Some(0), &1.into()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert_eq!(server.take_requests().len(), 1);
}

#[test]
fn requests_keep_to_the_rate() {
    let (server, _, folder) = bookshelf(&[]);
    let began = Instant::now();
    let output = command_at("2", &server, folder.path(), &["--publisher", "world"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(began.elapsed() >= Duration::from_secs(1), "three requests are two half seconds apart");
}

#[test]
fn wrong_usage_and_a_wrong_server_are_told() {
    let (server, _, folder) = bookshelf(&[]);
    let code = |more: &[&str]| {
        let output = command(&server, folder.path(), more).output().unwrap();
        (output.status.code().unwrap(), stderr(&output))
    };
    for wrong in [
        &[][..],
        &["--filter", "("],
        &["--filter", "tea", "--limit", "0"],
        &["--filter", "tea", "--retries", "99"],
        &["--filter", "no such book"],
    ] {
        assert_eq!(code(wrong).0, 2, "{wrong:?}");
    }
    for (option, value) in
        [("--rate", "0"), ("--rate", "NaN"), ("--base-url", "ftp://h"), ("--base-url", "h/x")]
    {
        let arguments = ["fetch", "bookshelf", "-o", "books", "--filter", "tea", option, value];
        let status = Command::new(env!("CARGO_BIN_EXE_ibid")).args(arguments).output().unwrap().status;
        assert_eq!(status.code(), Some(2), "{option} {value}");
    }
    server.put("file_list.csv", b"<html>moved</html>", "", &[]);
    let (status, words) = code(&["--filter", "tea"]);
    assert!(status == 1 && words.contains("no column `File`") && words.contains("hint:"), "{words}");
    server.put("file_list.csv", b"", "", &[Fault::Status(404, "")]);
    let (status, words) = code(&["--filter", "tea"]);
    assert!(status == 1 && words.contains("404") && words.contains("base URL"), "{words}");
    assert!(!folder.path().join("books").exists());
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_what_can_be_continued() {
    let (server, tea, folder) = bookshelf(&[Fault::Stall(40_000)]);
    let mut child = command(&server, folder.path(), &["--filter", "tea$"]).spawn().unwrap();
    let part = folder.path().join("books/tea_NBK1.tar.gz.part");
    let began = Instant::now();
    while fs::metadata(&part).map_or(0, |part| part.len()) < 40_000 {
        assert!(began.elapsed() < Duration::from_secs(20), "nothing came");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(names(folder.path()), ["tea_NBK1.tar.gz.part"]);
    let (_, report) = fetch(&server, folder.path(), &[]);
    assert_eq!(report["resumed"], 1);
    assert!(fs::read(kept(folder.path())).unwrap() == tea);
}

/// A limit on the length of files imitates a full disk: both end a write in the middle.
#[cfg(unix)]
#[test]
fn a_write_that_fails_ends_the_run_and_can_be_continued() {
    let (server, tea, folder) = bookshelf(&[]);
    let ibid = command(&server, folder.path(), &["--publisher", "world", "--json"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 40; exec \"$@\"", "sh"]).arg(ibid.get_program());
    let output = limited
        .args(ibid.get_args())
        .current_dir(folder.path())
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("tea_NBK1.tar.gz.part` cannot be written"), "{}", stderr(&output));
    assert!(stderr(&output).contains("[io]"));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["failed"], &report["pending"]), (&1.into(), &1.into()));
    let (_, report) = fetch(&server, folder.path(), &["--publisher", "world"]);
    assert_eq!((&report["resumed"], &report["downloaded"]), (&1.into(), &1.into()));
    assert!(fs::read(kept(folder.path())).unwrap() == tea);
}
