//! Files on a web server of which stretches are read.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::download::{content_range, uncoded};
use crate::http::NativeHttp;
use crate::system::block_on;
use ibid_index::ReadRange;
use ibid_platform::{Error, ErrorCode, Http, HttpBody, HttpRequest, HttpResponse, Result};

/// Stretches are fetched in multiples of these bytes: what a search needs next often lies near what it needed last.
const PAGE_BYTES: u64 = 64 * 1024;
/// The longest answer that is read where no length is known: 2 GiB.
const LONGEST: usize = 2 << 30;

/// A file on a server, of the version that it had when it was opened.
#[derive(Debug)]
pub(super) struct RemoteFile {
    http: NativeHttp,
    url: String,
    pub(super) length: u64,
    /// The entity tag or, without one, the date that tells this version from others.
    version: Option<String>,
    /// Fetched pages by their numbers; all of them where the server gives no ranges.
    pages: Mutex<HashMap<u64, Arc<Vec<u8>>>>,
}

impl RemoteFile {
    /// Asks for a file's first page; `None` if the server has no such file.
    pub(super) fn open(url: &str) -> Result<Option<Self>> {
        // A server that was asked over HTTPS may not send us on to a place without it.
        let http = NativeHttp::for_files(url.starts_with("https://"));
        let answer = fetch(&http, url, Some(0..PAGE_BYTES))?;
        if matches!(answer.status, 403 | 404 | 410) {
            return Ok(None);
        }
        let length = match answer.status {
            206 => place(&answer).filter(|(first, _)| *first == 0).ok_or_else(|| misread(url))?.1,
            200 => answer.body.len() as u64,
            // An empty file has not even a first byte.
            416 => 0,
            _ => return Err(failed(&answer, url)),
        };
        let version = version(&answer);
        let content = answer.body.get(..length as usize).unwrap_or(&answer.body);
        let pages = content.chunks(PAGE_BYTES as usize).map(|page| Arc::new(page.to_vec()));
        let pages = Mutex::new((0..).zip(pages).collect());
        Ok(Some(Self { http, url: url.to_owned(), length, version, pages }))
    }

    /// Reads a page; with it come those behind it that `wanted` reaches into.
    fn page(&self, number: u64, wanted: &Range<u64>) -> Result<Arc<Vec<u8>>> {
        let known = |number: u64| self.lock().get(&number).cloned();
        if let Some(page) = known(number) {
            return Ok(page);
        }
        let last = (wanted.end - 1) / PAGE_BYTES;
        let missing = (number..=last).take_while(|&number| known(number).is_none()).count() as u64;
        let range = number * PAGE_BYTES..((number + missing) * PAGE_BYTES).min(self.length);
        let answer = fetch(&self.http, &self.url, Some(range.clone()))?;
        let is_whole = answer.status == 200 && answer.body.len() as u64 == self.length;
        let is_part = answer.status == 206
            && place(&answer) == Some((range.start, self.length))
            && answer.body.len() as u64 == range.end - range.start;
        if !is_whole && !is_part || version(&answer) != self.version {
            return Err(if matches!(answer.status, 200 | 206 | 416) {
                self.changed()
            } else {
                failed(&answer, &self.url)
            });
        }
        let first = if is_whole { 0 } else { number };
        let pages = answer.body.chunks(PAGE_BYTES as usize).map(|page| Arc::new(page.to_vec()));
        self.lock().extend((first..).zip(pages));
        known(number).ok_or_else(|| self.changed())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<Vec<u8>>>> {
        // Each change is a single insertion, so a holder that panicked left nothing half done.
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) -> Error {
        let message = format!("The index at {} changed on the server while it was being read.", self.url);
        Error::new(ErrorCode::Network, message).with_hint("Run the same command again.").retryable()
    }
}

impl ReadRange for RemoteFile {
    fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut at = range.start;
        while at < range.end.min(self.length) {
            let number = at / PAGE_BYTES;
            let (start, page) = (number * PAGE_BYTES, self.page(number, &range)?);
            let from = ((at - start) as usize).min(page.len());
            let to = ((range.end - start) as usize).min(page.len());
            if from == to {
                return Err(self.changed());
            }
            bytes.extend_from_slice(&page[from..to]);
            at = start + to as u64;
        }
        Ok(bytes)
    }
}

/// An answer that was read to its end.
type FileAnswer = HttpResponse<Vec<u8>>;

/// The first byte that an answer has of a file, and the file's length.
fn place(answer: &FileAnswer) -> Option<(u64, u64)> {
    let (first, whole) = content_range(answer.header("content-range")?)?;
    Some((first, whole?))
}

fn version(answer: &FileAnswer) -> Option<String> {
    answer.header("etag").or_else(|| answer.header("last-modified")).map(str::to_owned)
}

fn failed(answer: &FileAnswer, url: &str) -> Error {
    Error::new(ErrorCode::Io, format!("{url} cannot be read: the server answers HTTP {}.", answer.status))
        .with_hint("Check the address in a browser.")
}

fn misread(url: &str) -> Error {
    let message = format!("{url} cannot be read: the server sends the wrong part.");
    Error::new(ErrorCode::Io, message).with_hint("Download the file, and name its path.")
}

/// Fetches the whole of a file on a server; `None` if there is none.
pub(super) fn fetch_whole(url: &str) -> Result<Option<Vec<u8>>> {
    let http = NativeHttp::for_files(url.starts_with("https://"));
    let answer = fetch(&http, url, None)?;
    match answer.status {
        200 => Ok(Some(answer.body)),
        403 | 404 | 410 => Ok(None),
        _ => Err(failed(&answer, url)),
    }
}

fn fetch(http: &NativeHttp, url: &str, range: Option<Range<u64>>) -> Result<FileAnswer> {
    // Compressed bytes could not be put together with others.
    let mut headers = vec![uncoded()];
    headers
        .extend(range.map(|range| ("range".to_owned(), format!("bytes={}-{}", range.start, range.end - 1))));
    let request = HttpRequest { method: "GET", url: url.to_owned(), headers, body: Vec::new() };
    block_on(async {
        let HttpResponse { status, headers, mut body } = http.send(request).await?;
        let mut bytes = Vec::new();
        while let Some(piece) = body.chunk().await? {
            if bytes.len() + piece.len() > LONGEST {
                let message = format!("{url} is too long to be an index.");
                return Err(Error::new(ErrorCode::Io, message));
            }
            bytes.extend(piece);
        }
        let answer = FileAnswer { status, headers, body: bytes };
        let encoding =
            answer.header("content-encoding").filter(|name| !name.eq_ignore_ascii_case("identity"));
        match encoding {
            Some(name) => {
                let message = format!("{url} cannot be read: the server compresses it ({name}).");
                Err(Error::new(ErrorCode::Io, message)
                    .with_hint("Turn off compression of .ibid and .part files on the server."))
            }
            None => Ok(answer),
        }
    })
}
