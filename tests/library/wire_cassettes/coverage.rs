//! No exchange is passed over in silence: each is read by a codec, or there is a reason why none reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use ibid::ErrorCode;
use ibid::llm::failure;
use serde_json::Value;

use super::CODECS;
use super::recordings::{Codec, decode, load, root};

/// Why exchanges are not read, by how their provider, method and path begin and end.
const REASONS: [(&str, &str, &str); 16] = [
    ("cohere POST", "/v2/chat", "Cohere's own chat format, which ibid does not speak"),
    ("gemini POST", "/interactions", "Gemini's interactions, a second format of what generateContent does"),
    ("anthropic POST", "/v1/files", "files API"),
    ("anthropic DELETE /v1/files/", "", "files API"),
    ("gemini", "/cachedContents", "context caches"),
    ("gemini DELETE /v1beta/cachedContents/", "", "context caches"),
    ("gemini GET /v1beta/cachedContents/", "", "context caches"),
    ("gemini PATCH /v1beta/cachedContents/", "", "context caches"),
    ("gemini POST", ":batchEmbedContents", "embeddings, of the room embed"),
    ("cohere POST", "/embed", "embeddings, of the room embed"),
    ("", "/embeddings", "embeddings, of the room embed"),
    ("", "/rerank", "reranking, of the room retrieve"),
    ("", "/models", "list of models"),
    ("llamacpp GET", "/props", "the server's properties"),
    ("openai POST /v1/audio/", "", "audio"),
    ("openai POST /v1/images/", "", "images"),
];

/// The codec that reads a folder's exchanges with that method and path.
fn codec_of(folder: &str, method: &str, path: &str) -> Option<Codec> {
    CODECS.into_iter().find(|codec| codec.folders.contains(&folder) && (codec.reads)(method, path))
}

#[test]
fn every_recorded_exchange_is_read_or_has_a_reason_not_to_be() {
    let Some(root) = root() else { return };
    let index = fs::read_to_string(root.join("index.jsonl")).expect("the recordings' index");
    let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut skipped: BTreeMap<&str, BTreeMap<String, u32>> = BTreeMap::new();
    let mut to_read = BTreeSet::new();
    for line in index.lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let word = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let (file, method, path) = (word("file"), word("method"), word("path"));
        let folder = file.split('/').next().unwrap_or_default();
        if codec_of(folder, &method, &path).is_some() {
            to_read.insert((file.clone(), row["i"].as_u64()));
            continue;
        }
        let what = format!("{folder} {method} {path}");
        let reason = REASONS.iter().find(|(start, end, _)| what.starts_with(start) && what.ends_with(end));
        let (.., reason) = reason.unwrap_or_else(|| panic!("{file}: nothing reads {what}"));
        counts.entry(folder.to_owned()).or_default().1 += 1;
        *skipped.entry(reason).or_default().entry(what).or_default() += 1;
    }
    let folders: BTreeSet<&str> = CODECS.iter().flat_map(|codec| codec.folders).copied().collect();
    for exchange in load(&folders.into_iter().collect::<Vec<_>>()) {
        let folder = exchange.file.split('/').next().unwrap_or_default();
        let Some(codec) = codec_of(folder, &exchange.method, &exchange.path) else { continue };
        let listed = to_read.remove(&(exchange.file.clone(), Some(exchange.at as u64)));
        assert!(listed, "{} is not in the index", exchange.name());
        let provider = codec.provider();
        if exchange.status == 200 {
            let read = decode(&provider, [exchange.body.as_bytes()]);
            read.unwrap_or_else(|error| panic!("{}: {error}", exchange.name()));
        } else {
            let failure = failure::from_response(&provider, exchange.status, &[], exchange.body.as_bytes());
            assert_ne!(failure.error.code(), ErrorCode::ProviderProtocol, "{}", exchange.name());
        }
        counts.entry(folder.to_owned()).or_default().0 += 1;
    }
    assert!(to_read.is_empty(), "in the index, but not among the recordings: {to_read:?}");
    for (folder, (read, not)) in &counts {
        println!("{folder}: {read} exchanges read, {not} not");
    }
    for (reason, exchanges) in &skipped {
        println!("not read: {reason}");
        for (what, count) in exchanges {
            println!("    {count} x {what}");
        }
    }
    let total: u32 = counts.values().map(|(read, not)| read + not).sum();
    assert_eq!(total as usize, index.lines().count());
}
