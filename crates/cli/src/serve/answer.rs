//! The answer to one request: a file whole, a stretch of it, or why not. Files are as they are at that moment, so that a
//! rebuilt site needs no restart.
#![expect(clippy::disallowed_methods, reason = "this command serves files")]

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{SystemTime, UNIX_EPOCH};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use percent_encoding::percent_decode_str;

use super::offer::{Offer, Place};
use crate::copy::gzip;

pub(super) type Answer = Response<UnsyncBoxBody<Bytes, io::Error>>;

/// The bytes of a file that are sent at a time.
const CHUNK: u64 = 64 << 10;
/// The largest file that is compressed.
const MOST_COMPRESSED: u64 = 32 << 20;

/// Content types by the ending of a file's name. Streaming compilation of wasm and module scripts insist on theirs.
const TYPES: [(&str, &str); 26] = [
    ("avif", "image/avif"),
    ("css", "text/css; charset=utf-8"),
    ("gif", "image/gif"),
    ("htm", "text/html; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/x-icon"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json; charset=utf-8"),
    ("map", "application/json; charset=utf-8"),
    ("md", "text/markdown; charset=utf-8"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("mp4", "video/mp4"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("webm", "video/webm"),
    ("webmanifest", "application/manifest+json"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xhtml", "application/xhtml+xml"),
    ("xml", "application/xml; charset=utf-8"),
];

/// Answers a request.
pub(super) fn answer<B>(offer: &Offer, request: &Request<B>) -> Answer {
    let mut response = respond(offer, request).unwrap_or_else(refuse);
    for (name, value) in offer.headers() {
        set(&mut response, HeaderName::from_static(name), value);
    }
    response
}

fn respond<B>(offer: &Offer, request: &Request<B>) -> Result<Answer, StatusCode> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = refuse(StatusCode::METHOD_NOT_ALLOWED);
        set(&mut response, header::ALLOW, "GET, HEAD");
        return Ok(response);
    }
    let address = request.uri().path();
    let path = decoded(address).ok_or(StatusCode::NOT_FOUND)?;
    if let Some(made) = offer.made(&path, request.uri().query().unwrap_or_default()) {
        return Ok(json(made));
    }
    let (path, root) = match offer.place(&path).ok_or(StatusCode::NOT_FOUND)? {
        Place::BuiltIn(name, bytes) => {
            // It is as old as the program.
            let program = std::env::current_exe().and_then(fs::metadata);
            let modified = program.and_then(|there| there.modified()).unwrap_or(UNIX_EPOCH);
            let size = bytes.len() as u64;
            return send(
                request,
                Opened { content: Box::new(Cursor::new(bytes)), size, modified, kind: kind(name) },
            );
        }
        Place::Path { path, root } => (path, root),
    };
    let mut path = real(&path, &root)?;
    if path.is_dir() {
        // Addresses on the page of a folder are relative to it. More than one slash would lead to another host.
        if !address.ends_with('/') {
            let query = request.uri().query().map_or(String::new(), |query| format!("?{query}"));
            let location = format!("/{}/{query}", address.trim_start_matches('/'));
            let mut response = plain(StatusCode::MOVED_PERMANENTLY, "");
            set(&mut response, header::LOCATION, &location);
            return Ok(response);
        }
        path = real(&path.join("index.html"), &root)?;
    } else if address.ends_with('/') {
        return Err(StatusCode::NOT_FOUND);
    }
    // Anything else, a pipe for instance, may never end.
    if !path.is_file() {
        return Err(StatusCode::NOT_FOUND);
    }
    let kind = kind(&path.to_string_lossy());
    let opened = File::open(&path).and_then(|file| {
        // The open file tells them: meanwhile another one may have its name.
        let there = file.metadata()?;
        Ok(Opened { size: there.len(), modified: there.modified()?, content: Box::new(file), kind })
    });
    send(request, opened.map_err(|error| status(&error))?)
}

/// Answers with JSON; of an error its message.
fn json(made: ibid_platform::Result<Vec<u8>>) -> Answer {
    let (status, bytes) = match made {
        Ok(bytes) => (StatusCode::OK, bytes),
        Err(error) => {
            let error = serde_json::json!({ "error": error.to_string() });
            (StatusCode::INTERNAL_SERVER_ERROR, error.to_string().into_bytes())
        }
    };
    let mut response = Response::new(full(bytes.into()));
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, "application/json; charset=utf-8");
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// Resolves the path without links, which must not lead out of the root.
fn real(path: &Path, root: &Path) -> Result<std::path::PathBuf, StatusCode> {
    let real = fs::canonicalize(path).map_err(|error| status(&error))?;
    let root = fs::canonicalize(root).map_err(|error| status(&error))?;
    if real.starts_with(root) { Ok(real) } else { Err(StatusCode::NOT_FOUND) }
}

fn status(error: &io::Error) -> StatusCode {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
            StatusCode::NOT_FOUND
        }
        io::ErrorKind::PermissionDenied => StatusCode::FORBIDDEN,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Reads the decoded path of an address, unless it leads upwards or to what is hidden.
fn decoded(address: &str) -> Option<String> {
    let path = percent_decode_str(address).decode_utf8().ok()?;
    let is_drive = cfg!(windows) && path.contains(':');
    let is_good = path.starts_with('/') && !path.contains("/.") && !path.contains(['\\', '\0']) && !is_drive;
    is_good.then(|| path.into_owned())
}

/// Chooses the content type by a name's ending.
fn kind(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase());
    TYPES.iter().find(|(known, _)| *known == ending).map_or("application/octet-stream", |(_, kind)| kind)
}

trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// A file that is sent.
struct Opened {
    content: Box<dyn ReadSeek + Send>,
    size: u64,
    modified: SystemTime,
    kind: &'static str,
}

fn send<B>(request: &Request<B>, file: Opened) -> Result<Answer, StatusCode> {
    let Opened { mut content, size, modified, kind } = file;
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let age = modified.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let etag = format!("\"{size:x}-{age:x}\"");
    let changed = httpdate::fmt_http_date(modified);
    let range = text(header::RANGE)
        .filter(|_| text(header::IF_RANGE).is_none_or(|condition| condition == etag || condition == changed));
    let range = range.and_then(|range| range_of(range, size));
    let is_packed = range.is_none() && size <= MOST_COMPRESSED && is_compressed(kind) && takes_gzip(headers);
    let mut response = plain(StatusCode::OK, "");
    set(&mut response, header::CACHE_CONTROL, "no-cache");
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    set(&mut response, header::LAST_MODIFIED, &changed);
    set(&mut response, header::ETAG, &if is_packed { format!("W/{etag}") } else { etag.clone() });
    if is_compressed(kind) {
        set(&mut response, header::VARY, "accept-encoding");
    }
    if is_known(text(header::IF_NONE_MATCH), text(header::IF_MODIFIED_SINCE), &etag, &changed) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(response);
    }
    if range.as_ref().is_some_and(Range::is_empty) {
        let mut refused = refuse(StatusCode::RANGE_NOT_SATISFIABLE);
        set(&mut refused, header::CONTENT_RANGE, &format!("bytes */{size}"));
        return Ok(refused);
    }
    set(&mut response, header::CONTENT_TYPE, kind);
    if let Some(Range { start, end }) = &range {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        set(&mut response, header::CONTENT_RANGE, &format!("bytes {start}-{}/{size}", end - 1));
    }
    if is_packed {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes).map_err(|error| status(&error))?;
        let packed = gzip(&bytes).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
        set(&mut response, header::CONTENT_ENCODING, "gzip");
        set(&mut response, header::CONTENT_LENGTH, &packed.len().to_string());
        *response.body_mut() = full(packed.into());
        return Ok(response);
    }
    let Range { start, end } = range.unwrap_or(0..size);
    content.seek(SeekFrom::Start(start)).map_err(|error| status(&error))?;
    set(&mut response, header::CONTENT_LENGTH, &(end - start).to_string());
    if *request.method() == Method::GET {
        *response.body_mut() = FileBody { content, left: end - start }.boxed_unsync();
    }
    Ok(response)
}

/// Returns true for what hosts of static files compress.
fn is_compressed(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default();
    kind.starts_with("text/")
        || kind.ends_with("+xml")
        || kind.ends_with("json")
        || ["application/wasm", "application/xml"].contains(&kind)
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let given =
        headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    given.split(',').any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let is_refused = parts.any(|part| part.trim_start_matches("q=").parse() == Ok(0.0));
        name.eq_ignore_ascii_case("gzip") && !is_refused
    })
}

/// Returns true if the client has this version.
fn is_known(tags: Option<&str>, since: Option<&str>, etag: &str, changed: &str) -> bool {
    let date = |text: &str| httpdate::parse_http_date(text).ok();
    match tags {
        Some(tags) => tags == "*" || tags.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag),
        None => since.and_then(date).zip(date(changed)).is_some_and(|(since, changed)| since >= changed),
    }
}

/// Reads the one range that is asked for, an empty one where the file is too short. Several at once have the whole file.
fn range_of(header: &str, size: u64) -> Option<Range<u64>> {
    let (first, last) = header.strip_prefix("bytes=")?.split_once('-')?;
    let number = |digits: &str| {
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    let (start, end): (u64, u64) = (number(first)?, number(last)?);
    match (first.is_empty(), last.is_empty()) {
        (true, true) => None,
        (true, false) => Some(size.saturating_sub(end)..size),
        (false, true) => Some(start.min(size)..size),
        // An end before the start is no range at all.
        (false, false) if end < start => None,
        (false, false) => Some(start.min(size)..end.saturating_add(1).min(size)),
    }
}

fn refuse(status: StatusCode) -> Answer {
    let why = match status {
        StatusCode::FORBIDDEN => "This file may not be read.",
        StatusCode::NOT_FOUND => "There is no such file here.",
        StatusCode::METHOD_NOT_ALLOWED => "Files can only be read.",
        StatusCode::RANGE_NOT_SATISFIABLE => "The file is shorter.",
        _ => "The file cannot be read.",
    };
    let mut response = plain(status, &format!("{}: {why}\n", status.as_u16()));
    set(&mut response, header::CONTENT_TYPE, "text/plain; charset=utf-8");
    response
}

fn plain(status: StatusCode, text: &str) -> Answer {
    let mut response = Response::new(full(text.as_bytes().to_vec().into()));
    *response.status_mut() = status;
    response
}

fn full(bytes: Bytes) -> UnsyncBoxBody<Bytes, io::Error> {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

/// Sets a header; a value that no header can have is left out.
fn set(response: &mut Answer, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// A stretch of a file, read as it is sent.
struct FileBody {
    content: Box<dyn ReadSeek + Send>,
    left: u64,
}

impl Body for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let mut buffer = vec![0; self.left.min(CHUNK) as usize];
        let read = self.content.read_exact(&mut buffer);
        self.left -= buffer.len() as u64;
        // A body that has begun can only be broken off.
        Poll::Ready(Some(read.map(|()| Frame::data(buffer.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_the_protocol_has_them() {
        for (header, wanted) in [
            ("bytes=2-4", Some(2..5)),
            ("bytes=8-99", Some(8..10)),
            ("bytes=7-", Some(7..10)),
            ("bytes=-2", Some(8..10)),
            ("bytes=-99", Some(0..10)),
            ("bytes=10-11", Some(10..10)),
            ("bytes=99999999999999999999-", Some(10..10)),
            ("bytes=0-18446744073709551615", Some(0..10)),
            ("bytes=4-2", None),
            ("bytes=0-1,4-5", None),
            ("bytes=-", None),
            ("bytes=+1-2", None),
            ("lines=1-2", None),
        ] {
            assert_eq!(range_of(header, 10), wanted, "{header}");
        }
        assert_eq!(range_of("bytes=-0", 10), Some(10..10));
    }

    #[test]
    fn texts_are_compressed_for_those_who_take_it() {
        for (name, wanted) in [
            ("a.html", true),
            ("a.SVG", true),
            ("a.wasm", true),
            ("a.json", true),
            ("a.png", false),
            ("a.ibid", false),
        ] {
            assert_eq!(is_compressed(kind(name)), wanted, "{name}");
        }
        for (given, wanted) in [
            ("gzip, br", true),
            ("br;q=1, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("br", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(given))]);
            assert_eq!(takes_gzip(&headers), wanted, "{given}");
        }
    }
}
