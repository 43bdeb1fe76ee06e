//! What a run notes for its record, and the record.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::canonical::{VERSION, canonical, sha256};
use crate::agent::answer::Answer;
use ibid_llm::{ChatRequest, FinishReason, ModelReply, Usage};
use ibid_platform::{json, order};
use ibid_retrieve::Hit;
use ibid_trust::cite::{Claim, Flag, Source};

/// What a run has done so far, as its audit record needs it.
///
/// Passages, prompts and replies are here by their hashes only. Queries are as they were searched for; they are redacted
/// when the record is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trail {
    searches: Vec<Search>,
    calls: Vec<Call>,
}

/// A search and what it found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Search {
    query: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    hits: Vec<Found>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    document: String,
    chunk: String,
    /// The SHA-256 of its text.
    text: String,
    score: f32,
    relevance: f32,
}

/// A call of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    purpose: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The SHA-256 of the request as canonical JSON.
    prompt: String,
    /// The SHA-256 of the reply's text.
    reply: String,
    finish_reason: FinishReason,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
}

impl Trail {
    /// Notes a call of the model: what for, which model, what was sent and what came back.
    pub fn called(&mut self, purpose: &str, model: Option<&str>, request: &ChatRequest, reply: &ModelReply) {
        // A request is plain data, which has a JSON form.
        let sent = json::tree(request).unwrap_or_default();
        self.calls.push(Call {
            purpose: purpose.to_owned(),
            model: model.map(str::to_owned),
            prompt: sha256(canonical(&sent).as_bytes()),
            reply: sha256(reply.text.as_bytes()),
            finish_reason: reply.finish_reason,
            usage: reply.usage,
        });
    }

    /// Notes a search, in which collection where there are several, and what it found.
    pub fn searched(&mut self, query: &str, collection: Option<&str>, hits: &[Hit]) {
        let hits = hits.iter().map(|hit| Found {
            document: hit.document_id.clone(),
            chunk: hit.id.clone(),
            text: sha256(hit.text.as_bytes()),
            score: hit.score,
            relevance: hit.relevance,
        });
        self.searches.push(Search {
            query: query.to_owned(),
            collection: collection.map(str::to_owned),
            hits: hits.collect(),
        });
    }

    /// The record of the run: one JSON object, to be made an entry by [`chain`](super::chain()).
    ///
    /// `question` is the question without personal data; `verdicts` is what the guard found, whose member `question` is
    /// left out; `plan` is how the run went about it. All texts in them, the queries and the answer pass through `redact`,
    /// which takes personal data out of a text. Places in the answer are told only if it was left as it was, since they
    /// would not fit another; flags' messages are left out, since they quote the answer.
    pub fn record(
        &self,
        question: &str,
        verdicts: &Value,
        plan: &Value,
        answer: &Answer,
        redact: &dyn Fn(&str) -> String,
    ) -> Value {
        let mut verdicts = redacted(verdicts, redact);
        if let Value::Object(verdicts) = &mut verdicts {
            verdicts.remove("question");
        }
        let text = redact(&answer.text);
        let places = text == answer.text;
        let mut record = json!({
            "version": VERSION,
            "kind": "run",
            "time": answer.created_at,
            "question": question,
            "verdicts": verdicts,
            "plan": redacted(plan, redact),
            "searches": self.searches.iter().map(|search| search.record(redact)).collect::<Vec<_>>(),
            "calls": self.calls.iter().map(Call::record).collect::<Vec<_>>(),
            "policy": answer.policy,
            "mode": answer.mode,
            "model": answer.model,
            "usage": answer.usage,
            "cost": answer.cost.map(|cost| rounded(cost, 1e6)),
            "turns": answer.turns,
            "finishReason": answer.finish_reason,
            "stoppedBy": answer.stopped_by,
            "sources": cited(answer),
            "claims": answer.claims.iter().map(|claim| claim_record(claim, places)).collect::<Vec<_>>(),
            "flags": answer.flags.iter().map(|flag| flag_record(flag, places)).collect::<Vec<_>>(),
            "confidence": answer.confidence,
            "abstained": answer.abstained,
            "removed": answer.removed,
            "answer": text,
            // What stands in it may be anything of the answer, in pieces too short to be recognized as personal data.
            "output": answer.output.as_ref().map(|output| sha256(canonical(output).as_bytes())),
        });
        if let Value::Object(members) = &mut record {
            drop_nulls(members);
        }
        record
    }
}

impl Search {
    fn record(&self, redact: &dyn Fn(&str) -> String) -> Value {
        let hits = self.hits.iter().map(|hit| {
            json!({
                "document": hit.document,
                "chunk": hit.chunk,
                "text": hit.text,
                "score": rounded(f64::from(hit.score), 1e4),
                "relevance": rounded(f64::from(hit.relevance), 1e4),
            })
        });
        let mut record = json!({"query": redact(&self.query), "hits": hits.collect::<Vec<_>>()});
        if let Some(collection) = &self.collection {
            record["collection"] = collection.as_str().into();
        }
        record
    }
}

impl Call {
    fn record(&self) -> Value {
        // All of it may be in the record, and it is plain data.
        json::tree(self).unwrap_or_default()
    }
}

/// The cited sources: which number is which passage.
fn cited(answer: &Answer) -> Vec<Value> {
    let mut sources: Vec<&Source> = answer.citations.iter().map(|citation| &*citation.source).collect();
    order::by_key(&mut sources, |source| source.number);
    sources.dedup_by_key(|source| source.number);
    let record = |source: &Source| {
        json!({
            "number": source.number,
            "document": source.hit.document_id,
            "chunk": source.hit.id,
            "text": sha256(source.hit.text.as_bytes()),
        })
    };
    sources.into_iter().map(record).collect()
}

fn claim_record(claim: &Claim, places: bool) -> Value {
    let mut record = json!({"sources": claim.sources});
    if places {
        record["span"] = json!({"start": claim.start, "end": claim.end});
    }
    if let Some(check) = &claim.check {
        record["status"] = json!(check.status);
        record["coverage"] = rounded(f64::from(check.coverage), 1e4);
    }
    record
}

fn flag_record(flag: &Flag, places: bool) -> Value {
    let mut record = json!({"kind": flag.kind});
    if places {
        record["span"] = json!(flag.span);
    }
    if let Some(source) = &flag.source {
        record["source"] = json!(source);
    }
    record
}

/// The value with each text in it redacted. It goes through the value without recursion, as deep as that may be.
fn redacted(value: &Value, redact: &dyn Fn(&str) -> String) -> Value {
    let mut value = value.clone();
    let mut open = vec![&mut value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => *text = redact(text),
            Value::Array(items) => open.extend(items.iter_mut()),
            Value::Object(members) => open.extend(members.iter_mut().map(|(_, value)| value)),
            _ => {}
        }
    }
    value
}

/// What is not known is left out.
fn drop_nulls(members: &mut Map<String, Value>) {
    members.retain(|_, value| !value.is_null());
}

/// A number with as many decimals as say something. Whatever is no number is null.
fn rounded(number: f64, scale: f64) -> Value {
    ((number * scale).round() / scale).into()
}
