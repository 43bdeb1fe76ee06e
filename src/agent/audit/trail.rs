//! Notes of a run for its record, and the record.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::canonical::{VERSION, canonical, sha256};
use crate::agent::answer::Answer;
use ibid_llm::{ChatRequest, ModelReply};
use ibid_platform::{json, order};
use ibid_retrieve::Hit;
use ibid_trust::cite::{Claim, Flag, Source};

/// The work of a run so far, as its audit record needs it.
///
/// Passages, prompts and replies are here by their hashes only. Queries are as they were searched for; they
/// are redacted when the record is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trail {
    searches: Vec<Value>,
    calls: Vec<Value>,
}

impl Trail {
    /// Notes a call of the model: its purpose, the model, the request and the reply.
    pub fn called(&mut self, purpose: &str, model: Option<&str>, request: &ChatRequest, reply: &ModelReply) {
        // A request is plain data, which has a JSON form.
        let sent = json::tree(request).unwrap_or_default();
        self.calls.push(known(json!({
            "purpose": purpose,
            "model": model,
            "prompt": sha256(canonical(&sent).as_bytes()),
            "reply": sha256(reply.text.as_bytes()),
            "finishReason": reply.finish_reason,
            "usage": reply.usage,
        })));
    }

    /// Notes a search, the collection where there are several, and the hits.
    pub fn searched(&mut self, query: &str, collection: Option<&str>, hits: &[Hit]) {
        let hits = hits.iter().map(|hit| {
            json!({
                "document": hit.document_id,
                "chunk": hit.id,
                "text": sha256(hit.text.as_bytes()),
                "score": rounded(f64::from(hit.score), 1e4),
                "relevance": rounded(f64::from(hit.relevance), 1e4),
            })
        });
        let hits: Vec<Value> = hits.collect();
        self.searches.push(known(json!({"query": query, "collection": collection, "hits": hits})));
    }

    /// Returns the record of the run: one JSON object, to be made an entry by [`chain`](super::chain()).
    ///
    /// `question` is the question without personal data; `verdicts` is what the guard found, whose member
    /// `question` is left out; `plan` is how the run went about it. All texts in them, the queries and the
    /// answer pass through `redact`, which takes personal data out of a text. Places in the answer are told
    /// only if it was left as it was, since they would not fit another; flags' messages are left out, since
    /// they quote the answer.
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
        let mut searches = self.searches.clone();
        for search in &mut searches {
            search["query"] = redact(search["query"].as_str().unwrap_or_default()).into();
        }
        known(json!({
            "version": VERSION,
            "kind": "run",
            "time": answer.created_at,
            "question": question,
            "verdicts": verdicts,
            "plan": redacted(plan, redact),
            "searches": searches,
            "calls": self.calls,
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
            // It may hold anything of the answer, in pieces too short to be recognized as personal data.
            "output": answer.output.as_ref().map(|output| sha256(canonical(output).as_bytes())),
        }))
    }
}

/// Lists the cited sources: which number is which passage.
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

/// The value with each text in it redacted. It goes through the value without recursion, as deep as that may
/// be.
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

/// Leaves out the record's members that are not known.
fn known(mut record: Value) -> Value {
    if let Value::Object(members) = &mut record {
        members.retain(|_, value| !value.is_null());
    }
    record
}

/// Writes a number with as many decimals as say something. Whatever is no number is null.
fn rounded(number: f64, scale: f64) -> Value {
    ((number * scale).round() / scale).into()
}
