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
    /// The ends of the paths that it is spoken at.
    pub(crate) paths: &'static [&'static str],
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
        let mut exchanges = load();
        exchanges.retain(|exchange| self.reads(exchange));
        exchanges.into_iter().partition(|exchange| (200..300).contains(&exchange.status))
    }

    /// Returns true if it is the codec for an exchange.
    pub(crate) fn reads(&self, exchange: &Exchange) -> bool {
        let path = exchange.path.split('?').next().unwrap_or_default();
        exchange.method == "POST" && self.paths.iter().any(|end| path.ends_with(end))
    }

    /// Decodes all answers in every way, has `compare` hold them against the recordings, and prints how many there are.
    /// One that ends in an error has to hold a report of it, or to lack its end.
    pub(crate) fn compare_answers(&self, compare: fn(&Exchange, &[ReplyPart], &ModelReply)) {
        let provider = self.provider();
        let read = |exchange: &Exchange| match decode_in_every_way(&provider, exchange) {
            Ok((parts, reply)) => {
                compare(exchange, &parts, &reply);
                true
            }
            Err(error) => {
                let fails = exchange.body.contains("error") || !exchange.body.contains(self.end);
                assert!(fails, "{}: {error}", exchange.name());
                false
            }
        };
        let answers = self.answers();
        let right = answers.par_iter().filter(|exchange| read(exchange)).count();
        let failures = answers.len() - right;
        println!("{:?}: {right} recorded answers decoded right, {failures} that hold a failure", self.kind);
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
    /// The body of the request; null if it is no JSON.
    pub(crate) request: Value,
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Exchange {
    /// What a failed assertion is told by.
    pub(crate) fn name(&self) -> String {
        format!("{} #{}", self.file, self.at)
    }

    /// The provider, whose folder the recording is in.
    pub(crate) fn provider(&self) -> &str {
        self.file.split('/').next().unwrap_or_default()
    }

    /// Returns true if the body is an event stream.
    pub(crate) fn is_stream(&self) -> bool {
        self.body.contains("data:") && !self.body.trim_start().starts_with('{')
    }

    /// The data of a stream's events, or the one document.
    pub(crate) fn documents(&self) -> Vec<Value> {
        if !self.is_stream() {
            return vec![serde_json::from_str(&self.body).expect("a recorded body is JSON")];
        }
        let lines = self.body.lines().filter_map(|line| line.strip_prefix("data:").map(str::trim));
        lines
            .filter(|data| !data.is_empty() && *data != "[DONE]")
            .map(|data| serde_json::from_str(data).expect("JSON"))
            .collect()
    }
}

/// Where the recordings are, if they are there.
pub(crate) fn root() -> Option<PathBuf> {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/wire");
    let given = std::env::var_os("IBID_CASSETTES").map(PathBuf::from);
    // A folder that somebody names has to be there.
    assert!(given.as_ref().is_none_or(|path| path.is_dir()), "IBID_CASSETTES is no folder: {given:?}");
    let path = given.unwrap_or(usual);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: there are no recordings at {}", path.display());
    None
}

/// All recorded exchanges, by file and number.
pub(crate) fn load() -> Vec<Exchange> {
    let Some(root) = root() else { return Vec::new() };
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files.par_iter().flat_map(|file| read(&root, file)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
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
            request: serde_json::from_str(&word(&when["body"])).unwrap_or_default(),
            status: status.unwrap_or_else(|| panic!("{name} #{at} has no status")),
            body: word(&then["body"]),
        }
    });
    exchanges.collect()
}

/// The parts of a response and all of it, or why it is no reply.
pub(crate) type Decoded = ibid::Result<(Vec<ReplyPart>, ModelReply)>;

/// Decodes a body that arrives in those pieces.
pub(crate) fn decode<'a>(provider: &Provider, pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded {
    let mut decoder = StreamDecoder::new(provider);
    let mut parts = Vec::new();
    for piece in pieces {
        parts.extend(decoder.push(piece)?);
    }
    let (last, reply) = decoder.finish()?;
    parts.extend(last);
    Ok((parts, reply))
}

/// Decodes an answer whole, and checks that neither single bytes nor any cut give anything else.
///
/// A body of up to 512 bytes is cut in two at every byte. A longer one is cut into pieces of 512 bytes, shifted byte by
/// byte: every byte is a cut once, and the time is in proportion to the length. Documents are cut in a few ways only, since
/// they are collected before anything is read.
pub(crate) fn decode_in_every_way(provider: &Provider, exchange: &Exchange) -> Decoded {
    let name = exchange.name();
    let body = exchange.body.as_bytes();
    let whole = decode(provider, [body]);
    // An error quotes what had come by then.
    let told = |decoded: &Decoded| decoded.clone().map_err(|error| error.code());
    let wanted = told(&whole);
    assert_eq!(told(&decode(provider, body.chunks(1))), wanted, "{name} in single bytes");
    let is_document = body.trim_ascii_start().starts_with(b"{") && provider.kind != ProviderKind::Ollama;
    let cuts = if is_document || body.len() > MAX_SPLIT_BYTES { 3 } else { LONGEST_PIECE };
    for at in 0..cuts.min(body.len()) {
        let (head, rest) = body.split_at(at);
        let pieces = std::iter::once(head).chain(rest.chunks(LONGEST_PIECE));
        assert_eq!(told(&decode(provider, pieces)), wanted, "{name} cut at {at}");
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
