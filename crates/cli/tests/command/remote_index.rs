//! An index on a web server: a file or a folder, with ranges and without, and what is said when it is not right.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::http::{listen, read_request};
use crate::support::{ibid, stderr};

/// The manners of a server.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Ranges,
    /// Sends whole files, whatever is asked for.
    Whole,
    /// Says that it compresses.
    Compresses,
    /// Has another version at each request.
    Changes,
}

/// Serves a folder of files. Returns its address, and the lengths of the bodies that it sends.
fn serve(folder: &Path, manner: Manner) -> (String, Arc<Mutex<Vec<usize>>>) {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let (folder, counted) = (folder.to_owned(), sent.clone());
    let host = listen(move |mut stream| while answer(&mut stream, &folder, manner, &counted).is_some() {});
    (format!("http://{host}"), sent)
}

fn answer(stream: &mut TcpStream, folder: &Path, manner: Manner, sent: &Mutex<Vec<usize>>) -> Option<()> {
    let (head, _) = read_request(stream);
    let path = head.split(' ').nth(1)?.split('?').next()?;
    let place: PathBuf = folder.join(path.trim_start_matches('/'));
    let Ok(file) = fs::read(place) else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").ok();
    };
    let range = head.lines().find_map(|line| {
        line.to_lowercase().strip_prefix("range: bytes=")?.split_once('-').map(|(start, last)| {
            (start.parse::<usize>().unwrap_or(0), last.parse::<usize>().unwrap_or(usize::MAX))
        })
    });
    let number = sent.lock().unwrap().len();
    let length = file.len();
    let (first_line, body) = if let Some((start, last)) = range.filter(|_| manner != Manner::Whole) {
        let end = length.min(last.saturating_add(1));
        let place = format!("206 Partial Content\r\ncontent-range: bytes {start}-{}/{length}", end - 1);
        (place, &file[start..end])
    } else {
        ("200 OK".to_owned(), &file[..])
    };
    let version = if manner == Manner::Changes { number } else { 0 };
    let encoding = if manner == Manner::Compresses { "content-encoding: gzip\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {first_line}\r\netag: \"{version}\"\r\ncontent-length: {}\r\n{encoding}",
        body.len()
    );
    sent.lock().unwrap().push(body.len());
    stream.write_all([head.as_bytes(), b"\r\n", body].concat().as_slice()).ok()
}

/// A folder with an index as a file and as a folder.
fn site() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("docs")).unwrap();
    for at in 0..1500 {
        let word = ["tea", "bicycle", "garden", "window", "river", "letter", "stone"][at % 7];
        let text = format!(
            "# Note {at}\n\nThe {word} of number {at} stands at its place, as it always has, in the sun.\n"
        );
        fs::write(path.join(format!("docs/{at:04}.md")), text).unwrap();
    }
    for more in [&["-o", "site.ibid"][..], &["-o", "parts.ibid", "--part-size", "64"]] {
        let output = ibid(path, &[&["build", "docs", "--encoder", "table"][..], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    }
    folder
}

fn searched(folder: &Path, index: &str) -> (bool, String) {
    let output = ibid(folder, &["search", index, "river of number 711", "--limit", "2", "--json"]);
    let told = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.success(), String::from_utf8(told).unwrap())
}

#[test]
fn an_index_on_a_server_is_searched_as_one_on_a_disk_is() {
    let folder = site();
    let folder = folder.path();
    let (_, expected) = searched(folder, "site.ibid");
    assert!(expected.contains("number 711"));
    let length = fs::metadata(folder.join("site.ibid")).unwrap().len() as usize;
    for manner in [Manner::Ranges, Manner::Whole] {
        let (address, sent) = serve(folder, manner);
        for path in ["site.ibid", "site.ibid?v=1", "parts.ibid", "parts.ibid/"] {
            sent.lock().unwrap().clear();
            let (is_found, found) = searched(folder, &format!("{address}/{path}"));
            assert!(is_found && found == expected, "{path}: {found}");
            let bytes: usize = sent.lock().unwrap().iter().sum();
            assert!(manner == Manner::Whole || bytes < length / 2, "{path}: {bytes} of {length}");
        }
    }
    // Inspecting reads all of an index.
    let (address, _) = serve(folder, Manner::Ranges);
    let inspected = ibid(folder, &["inspect", &format!("{address}/parts.ibid")]);
    assert!(String::from_utf8(inspected.stdout).unwrap().contains("1500 documents"));
}

#[test]
fn what_is_not_right_on_a_server_is_told() {
    let folder = site();
    let folder = folder.path();
    let told = |manner: Manner, path: &str| {
        let (address, _) = serve(folder, manner);
        let (is_found, told) = searched(folder, &format!("{address}/{path}"));
        assert!(!is_found, "{path}");
        told
    };
    assert!(told(Manner::Ranges, "none.ibid").contains("There is no index at http://"));
    assert!(told(Manner::Compresses, "site.ibid").contains("the server compresses it (gzip)"));
    assert!(told(Manner::Changes, "site.ibid").contains("changed on the server while it was being read"));
    assert!(told(Manner::Ranges, "docs/0000.md").contains("[index-foreign]"));

    let parts = fs::read_dir(folder.join("parts.ibid")).unwrap().map(|entry| entry.unwrap().path());
    for part in parts.filter(|path| path.extension().is_some()) {
        fs::remove_file(part).unwrap();
    }
    assert!(told(Manner::Ranges, "parts.ibid").contains("[index-truncated]"));
    let (is_found, refused) = searched(folder, "http://127.0.0.1:9/site.ibid");
    assert!(!is_found && refused.contains("[network]"), "{refused}");
}
