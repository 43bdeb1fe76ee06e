//! No exchange is passed over in silence: each is read by a codec, or it is told which are not.

use std::collections::BTreeMap;

use super::CODECS;
use super::recordings::{load, root};

/// The reason why exchanges are not read, by how their provider, method and path begin and end.
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

#[test]
fn every_recorded_exchange_is_counted() {
    if root().is_none() {
        return;
    }
    let exchanges = load();
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut skipped: BTreeMap<&str, BTreeMap<String, u32>> = BTreeMap::new();
    for exchange in &exchanges {
        let folder = exchange.provider();
        let count = counts.entry(folder).or_default();
        if CODECS.iter().any(|codec| codec.reads(exchange)) {
            count.0 += 1;
            continue;
        }
        count.1 += 1;
        let what = format!("{folder} {} {}", exchange.method, exchange.path);
        let reason = REASONS.iter().find(|(start, end, _)| what.starts_with(start) && what.ends_with(end));
        let reason = reason.map_or("no codec is for it", |(.., reason)| reason);
        *skipped.entry(reason).or_default().entry(what).or_default() += 1;
    }
    for (folder, (read, not)) in &counts {
        println!("{folder}: {read} exchanges read, {not} not");
    }
    for (reason, exchanges) in &skipped {
        println!("not read: {reason}");
        for (what, count) in exchanges {
            println!("    {count} x {what}");
        }
    }
    assert!(counts.values().any(|(read, _)| *read > 0), "nothing in the folder is an exchange with a model");
}
