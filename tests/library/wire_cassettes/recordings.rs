//! Reading the recordings, and decoding them in pieces.

use std::fs;
use std::path::{Path, PathBuf};

use ibid::llm::{ModelReply, Provider, ProviderKind, ReplyPart, StreamDecoder};
use rayon::prelude::*;
use serde_json::Value;
use yaml_rust2::{Yaml, YamlLoader};

/// The longest pieces that a body is cut into, and so how many ways there are to cut one.
const LONGEST_PIECE: usize = 512;

/// The longest stream that is cut at every byte.
const MAX_SPLIT_BYTES: usize = 64 << 10;

/// What reads the exchanges of a format.
#[derive(Clone, Copy)]
pub(crate) struct Codec {
    /// The provider whose format it is.
    pub(crate) kind: ProviderKind,
    /// The folders with such exchanges.
    pub(crate) folders: &'static [&'static str],
    /// Whether an exchange with that method and path is one.
    pub(crate) reads: fn(&str, &str) -> bool,
    /// The numbers of its recorded answers and refusals.
    pub(crate) recorded: (usize, usize),
    /// The beginning of what says that a stream is complete.
    pub(crate) end: &'static str,
}

impl Codec {
    /// A provider of the format, with a key that is nobody's.
    pub(crate) fn provider(&self) -> Provider {
        let mut provider = Provider::of(self.kind, "m").expect("valid").with_api_key("sk-1234567890");
        "https://provider.example/v1".clone_into(&mut provider.endpoint.base_url);
        provider
    }

    /// The recorded answers.
    pub(crate) fn answers(&self) -> Vec<Exchange> {
        self.exchanges().0
    }

    /// The recorded refusals.
    pub(crate) fn refusals(&self) -> Vec<Exchange> {
        self.exchanges().1
    }

    fn exchanges(&self) -> (Vec<Exchange>, Vec<Exchange>) {
        let mut exchanges = load(self.folders);
        exchanges.retain(|exchange| (self.reads)(&exchange.method, &exchange.path));
        let (answers, refusals): (Vec<_>, Vec<_>) =
            exchanges.into_iter().partition(|exchange| exchange.status == 200);
        let found = (answers.len(), refusals.len());
        assert!(found == self.recorded || root().is_none(), "{:?}: {found:?} were found", self.kind);
        (answers, refusals)
    }

    /// Decodes all answers in every way and counts those of which `read` says each of its things; `None` where there are
    /// no recordings.
    pub(crate) fn count_answers<const N: usize>(
        &self,
        read: fn(&Exchange, &[ReplyPart], &ModelReply) -> [bool; N],
    ) -> Option<[usize; N]> {
        let provider = self.provider();
        root()?;
        let read = |exchange: &Exchange| {
            let (parts, reply) = decode_in_every_way(&provider, exchange);
            read(exchange, &parts, &reply).map(usize::from)
        };
        let add = |a: [usize; N], b: [usize; N]| std::array::from_fn(|at| a[at] + b[at]);
        Some(self.answers().par_iter().map(read).reduce(|| [0; N], add))
    }
}

/// A recorded request and its response.
pub(crate) struct Exchange {
    /// The recording's path below the recordings.
    pub(crate) file: String,
    /// Its number in the recording, from 0.
    pub(crate) at: usize,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Exchange {
    /// What a failed assertion is told by.
    pub(crate) fn name(&self) -> String {
        format!("{} #{}", self.file, self.at)
    }

    /// Whether the body is an event stream.
    pub(crate) fn is_stream(&self) -> bool {
        self.body.contains("data:") && !self.body.trim_start().starts_with('{')
    }

    /// The data of a stream's events, or the one document.
    pub(crate) fn documents(&self) -> Vec<Value> {
        if !self.is_stream() {
            return vec![serde_json::from_str(&self.body).expect("a recorded body is JSON")];
        }
        let lines = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).expect("JSON")).collect()
    }
}

/// Where the recordings are, if they are there.
pub(crate) fn root() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/wire");
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: there are no recordings at {}", path.display());
    None
}

/// All exchanges in those folders, by file and number.
pub(crate) fn load(folders: &[&str]) -> Vec<Exchange> {
    let Some(root) = root() else { return Vec::new() };
    let mut files = Vec::new();
    for folder in folders {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    files.par_iter().flat_map(|file| read(&root, file)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
}

fn read(root: &Path, file: &Path) -> Vec<Exchange> {
    let text = fs::read_to_string(file).expect("a readable recording");
    let name = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let word = |value: &Yaml| value.as_str().unwrap_or_default().to_owned();
    let documents = YamlLoader::load_from_str(&text).expect("YAML");
    let exchanges = documents.iter().enumerate().map(|(at, document)| {
        let (when, then) = (&document["when"], &document["then"]);
        let status = then["status"].as_i64().and_then(|status| u16::try_from(status).ok());
        Exchange {
            file: name.clone(),
            at,
            method: word(&when["method"]),
            path: word(&when["path"]),
            status: status.expect("a status"),
            body: word(&then["body"]),
        }
    });
    exchanges.collect()
}

/// Decodes a body that arrives in those pieces.
pub(crate) fn decode<'a>(
    provider: &Provider,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> ibid::Result<(Vec<ReplyPart>, ModelReply)> {
    let mut decoder = StreamDecoder::new(provider);
    let mut parts = Vec::new();
    for piece in pieces {
        parts.extend(decoder.push(piece)?);
    }
    let (last, reply) = decoder.finish()?;
    parts.extend(last);
    Ok((parts, reply))
}

/// Decodes an exchange with status 200 whole, and checks that neither single bytes nor any cut give anything else.
///
/// A body of up to 512 bytes is cut in two at every byte. A longer one is cut into pieces of 512 bytes, shifted byte by
/// byte: every byte is a cut once, and the time is in proportion to the length. Documents are cut in a few ways only, since
/// they are collected before anything is read.
pub(crate) fn decode_in_every_way(provider: &Provider, exchange: &Exchange) -> (Vec<ReplyPart>, ModelReply) {
    let name = exchange.name();
    let body = exchange.body.as_bytes();
    let whole = decode(provider, [body]).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(decode(provider, body.chunks(1)).as_ref(), Ok(&whole), "{name} in single bytes");
    let is_document = body.trim_ascii_start().starts_with(b"{") && provider.kind != ProviderKind::Ollama;
    let cuts = if is_document || body.len() > MAX_SPLIT_BYTES { 3 } else { LONGEST_PIECE };
    for at in 0..cuts.min(body.len()) {
        let (head, rest) = body.split_at(at);
        let pieces = std::iter::once(head).chain(rest.chunks(LONGEST_PIECE));
        assert_eq!(decode(provider, pieces).as_ref(), Ok(&whole), "{name} cut at {at}");
    }
    whole
}

/// The text that a person saw come in.
pub(crate) fn streamed_text(parts: &[ReplyPart]) -> String {
    let texts = parts
        .iter()
        .filter_map(|part| if let ReplyPart::Text(text) = part { Some(text.as_str()) } else { None });
    texts.collect()
}
