//! A file server on the loopback, with ranges, validators and faults on demand.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::http::{listen, read_request};

/// What goes wrong with one request.
#[derive(Clone, Copy)]
pub(crate) enum Fault {
    /// The connection closes after this many bytes of the body.
    Break(usize),
    /// The whole file is sent, whatever range was asked for.
    IgnoreRange,
    /// This many bytes more are announced than there are.
    AnnounceMore(usize),
    /// This many bytes less are announced, and sent.
    AnnounceLess(usize),
    /// No length is announced.
    NoLength,
    /// A refusal with this status and this header line.
    Status(u16, &'static str),
    /// After this many bytes nothing comes any more.
    Stall(usize),
}

/// A file as it is served now.
#[derive(Clone, Default)]
pub(crate) struct Served {
    pub bytes: Vec<u8>,
    /// Its entity tag, with the quotes; empty for none.
    pub etag: String,
    /// One for each of the next requests.
    pub faults: VecDeque<Fault>,
}

type Files = BTreeMap<String, Served>;

pub(crate) struct Server {
    pub address: String,
    files: Arc<Mutex<Files>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let files = Arc::new(Mutex::new(Files::new()));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (served, seen) = (Arc::clone(&files), Arc::clone(&requests));
        // A client that goes away in the middle is what some tests are about.
        let host = listen(move |stream| answer(stream, &served, &seen).unwrap_or_default());
        let address = format!("http://{host}/files");
        Self { address, files, requests }
    }

    /// Serves a file, in place of what had its name.
    pub(crate) fn put(&self, name: &str, bytes: &[u8], etag: &str, faults: &[Fault]) {
        let served =
            Served { bytes: bytes.to_vec(), etag: etag.to_owned(), faults: faults.iter().copied().collect() };
        self.files.lock().unwrap().insert(format!("/files/{name}"), served);
    }

    /// The requests since the last call, heads only, in lower case.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }
}

fn answer(mut stream: TcpStream, files: &Mutex<Files>, requests: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let (head, _) = read_request(&mut stream);
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let head = head.to_ascii_lowercase().replace("\r\n", "\n");
    requests.lock().unwrap().push(head.clone());
    let (file, fault) = {
        let mut files = files.lock().unwrap();
        let Some(file) = files.get_mut(&path) else {
            return stream
                .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        };
        let fault = file.faults.pop_front();
        (file.clone(), fault)
    };
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
    let tagged = |name: &str| !file.etag.is_empty() && header(name) == Some(&file.etag.to_ascii_lowercase());
    let range: Option<usize> = header("range").and_then(|range| {
        let start = range.strip_prefix("bytes=")?.strip_suffix('-')?;
        start.parse().ok()
    });
    let holds = header("if-range").is_none() || tagged("if-range");
    let range = range.filter(|_| holds && !matches!(fault, Some(Fault::IgnoreRange)));

    let mut lines = vec!["connection: close".to_owned()];
    if !file.etag.is_empty() {
        lines.push(format!("etag: {}", file.etag));
    }
    let (status, body) = match (fault, range) {
        (Some(Fault::Status(status, more)), _) => {
            lines.push(more.to_owned());
            (status, &[][..])
        }
        _ if tagged("if-none-match") => (304, &[][..]),
        (_, Some(start)) if start >= file.bytes.len() => (416, &[][..]),
        (_, Some(start)) => {
            let (last, whole) = (file.bytes.len() - 1, file.bytes.len());
            lines.push(format!("content-range: bytes {start}-{last}/{whole}"));
            (206, &file.bytes[start..])
        }
        (_, None) => (200, &file.bytes[..]),
    };
    let (announced, sent) = match fault {
        Some(Fault::Break(sent) | Fault::Stall(sent)) => (Some(body.len()), sent),
        Some(Fault::AnnounceMore(more)) => (Some(body.len() + more), body.len()),
        Some(Fault::AnnounceLess(less)) => (Some(body.len() - less), body.len() - less),
        Some(Fault::NoLength) => (None, body.len()),
        _ => (Some(body.len()), body.len()),
    };
    if let Some(announced) = announced {
        lines.push(format!("content-length: {announced}"));
    }
    lines.retain(|line| !line.is_empty());
    write!(stream, "HTTP/1.1 {status} Scripted\r\n{}\r\n\r\n", lines.join("\r\n"))?;
    stream.write_all(&body[..sent])?;
    stream.flush()?;
    if matches!(fault, Some(Fault::Stall(_))) {
        std::thread::sleep(Duration::from_secs(30));
    }
    Ok(())
}
