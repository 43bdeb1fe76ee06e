//! Keys and questions on the wire: no redirect carries them on, and no server holds the command longer than it may.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::http::{listen, read_request, response};
use super::support::{index_of, stderr};
use ibid::chunk::ChunkOptions;
use ibid::index::Calibration;
use serde_json::Value;

const KEY: &str = "key-0123456789";
/// Far more than a second, and far less than these servers would take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that does the same with every connection, and counts them.
fn serve(act: impl Fn(TcpStream) + Clone + Send + 'static) -> (String, Arc<AtomicUsize>) {
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    let host = listen(move |stream| {
        counted.fetch_add(1, Ordering::SeqCst);
        act(stream);
    });
    (host, connections)
}

/// A folder with a document and its index.
fn folder() -> tempfile::TempDir {
    let text = "# Tea\n\nGreen tea steeps at 80 degrees.\n";
    let index = index_of(&[("tea.md", text)], &ChunkOptions::default(), Calibration::default());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tea.md"), text).unwrap();
    std::fs::write(folder.path().join("site.ibid"), index).unwrap();
    folder
}

/// Runs the command, which has to end on its own.
fn ibid(folder: &Path, arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ibid"))
        .args(arguments)
        .current_dir(folder)
        .envs(["IBID_API_KEY", "IBID_EMBEDDING_API_KEY", "ENGINE_KEY"].map(|name| (name, KEY)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() && begun.elapsed() < PATIENCE {
        sleep(Duration::from_millis(10));
    }
    let ended = child.try_wait().unwrap().is_some();
    let _ = child.kill();
    assert!(ended, "`ibid {}` still runs after {PATIENCE:?}", arguments.join(" "));
    child.wait_with_output().unwrap()
}

#[test]
fn a_redirect_gets_neither_key_nor_text() {
    let folder = folder();
    let (thief, stolen) = serve(|mut stream| drop(read_request(&mut stream)));
    for status in [301, 302, 303, 307, 308] {
        let location = format!("http://{thief}/v1?token=secret");
        let (host, asked) = serve(move |mut stream| {
            read_request(&mut stream);
            let moved = response(status, &format!("location: {location}\r\n"), "");
            stream.write_all(moved.as_bytes()).unwrap();
        });
        let url = format!("http://{host}/v1");
        let (qdrant, chroma) = (format!("qdrant://{host}/site"), format!("chroma://{host}/site"));
        let ask = ["ask", "site.ibid", "How hot for tea?", "--model", "m", "--base-url", &url, "--provider"];
        let push = ["push", "site.ibid", "--api-key-env", "ENGINE_KEY", "--to"];
        let embed = ["--embeddings", "openai", "--embedding-model", "m", "--embedding-url", &url];
        for arguments in [
            [&ask[..], &["anthropic"]].concat(),
            [&ask[..], &["gemini"]].concat(),
            [&ask[..], &["openai"]].concat(),
            [&["build", "tea.md", "-o", "new.ibid"][..], &embed].concat(),
            [&push[..], &[&qdrant]].concat(),
            [&push[..], &[&chroma]].concat(),
        ] {
            let output = ibid(folder.path(), &arguments);
            let told = String::from_utf8(output.stderr).unwrap();
            let called = format!("{status} {}: {told}", arguments.join(" "));
            assert_eq!(output.status.code(), Some(1), "{called}");
            assert!(told.contains("[provider-protocol]"), "{called}");
            assert!(told.contains(&format!("http://{host} redirects to http://{thief} ")), "{called}");
            assert!(!told.contains("secret") && !told.contains(KEY), "{called}");
            assert_eq!(asked.swap(0, Ordering::SeqCst), 1, "{called}");
            assert_eq!(stolen.load(Ordering::SeqCst), 0, "{called}");
        }
    }
}

#[test]
fn a_question_ends_in_its_time_whatever_the_server_does() {
    let folder = folder();
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let says_nothing = |mut stream: TcpStream| {
        read_request(&mut stream);
        sleep(PATIENCE * 2);
    };
    let falls_silent = move |mut stream: TcpStream| {
        read_request(&mut stream);
        stream.write_all(head).unwrap();
        sleep(PATIENCE * 2);
    };
    let never_ends = move |mut stream: TcpStream| {
        read_request(&mut stream);
        stream.write_all(head).unwrap();
        while stream.write_all(b":\n").is_ok() {
            sleep(Duration::from_millis(50));
        }
    };
    for host in [serve(says_nothing).0, serve(falls_silent).0, serve(never_ends).0] {
        let url = format!("http://{host}/v1");
        let question = ["ask", "site.ibid", "How hot for tea?", "--model", "m", "--base-url", &url];
        let output = ibid(folder.path(), &[&question[..], &["--timeout", "1", "--json"]].concat());
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{told}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["stoppedBy"], "timeout", "{answer}");
    }
}
