//! `search_documents`: the passages that fit a query, of one collection or of all.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::arguments;
use super::library::{Library, ServedCollection};
use super::shown::{attributes, without_nulls};
use ibid_platform::ErrorCode;
use ibid_retrieve::relevance::RELEVANT;
use ibid_retrieve::{Hit, Query};
use ibid_trust::cite::xml::escape;

/// Further places of a passage that are told.
const MOST_PLACES: usize = 5;

/// The text that a model reads, and the same for programs; or what to tell the model.
pub(super) fn call(
    library: &Library,
    nonce: &str,
    arguments: &JsonObject,
) -> Result<(String, Value), String> {
    let arguments = arguments::search(arguments)?;
    let collections = library.select(arguments.collection.as_deref())?;
    let mut query = Query::new(&arguments.query);
    (query.limit, query.filter) = (arguments.max_results, arguments.filter);
    let (mut found, mut left_out): (Vec<(&ServedCollection, Hit)>, Vec<String>) = <_>::default();
    for collection in &collections {
        match collection.retriever.retrieve(&query) {
            Ok(response) => found.extend(response.hits.into_iter().map(|hit| (*collection, hit))),
            // Where all are searched, a filter need not fit all.
            Err(error) if error.code() == ErrorCode::FilterInvalid && collections.len() > 1 => {
                left_out.push(format!("{}: {}", collection.name, error.in_words()));
            }
            Err(error) => return Err(error.in_words()),
        }
    }
    if left_out.len() == collections.len() {
        return Err(left_out.join("\n"));
    }
    if collections.len() > 1 {
        // Scores are of one index; relevance means the same in all.
        found.sort_by(|(_, a), (_, b)| b.relevance.total_cmp(&a.relevance));
        found.truncate(arguments.max_results);
    }
    let mut notes: Vec<String> =
        left_out.iter().map(|why| format!("Not searched: collection {why}")).collect();
    if found.iter().all(|(_, hit)| hit.relevance < RELEVANT) {
        notes.insert(0, nothing_found(&arguments.query, found.is_empty(), query.filter.is_some()));
    }
    let passages: Vec<Value> =
        found.iter().map(|(collection, hit)| object(library, collection, hit)).collect();
    let mut text = written(library, nonce, &arguments.query, &found);
    notes.iter().for_each(|note| text.extend(["\n", note.as_str()]));
    Ok((text, json!({ "query": arguments.query, "passages": passages, "notes": notes })))
}

fn nothing_found(query: &str, is_empty: bool, is_filtered: bool) -> String {
    let filter = if is_filtered { ", or leave out the filter" } else { "" };
    let said = if is_empty {
        format!("No results for \"{query}\". Check the spelling, use fewer or other words{filter}")
    } else {
        format!("No passage is relevant enough to this query. Try other words for it{filter}")
    };
    format!("{said}; if that finds nothing either, say so.")
}

/// Writes the passages as [`ibid_trust::cite::xml`] writes sources, with the ids that `read_section` takes.
fn written(library: &Library, nonce: &str, query: &str, found: &[(&ServedCollection, Hit)]) -> String {
    let mut xml = format!("<passages-{nonce} query=\"");
    escape(&mut xml, query, true);
    xml.push_str("\">\n");
    for (collection, hit) in found {
        xml.push_str("<passage");
        attributes(
            &mut xml,
            &[
                ("id", Some(hit.id.as_str())),
                ("collection", library.is_several().then_some(&collection.name)),
                ("document", Some(&hit.title)),
                ("section", Some(&hit.heading_path.join(" > "))),
                ("source", Some(&format!("{}:{}", hit.source, hit.line))),
                ("url", hit.url.as_deref()),
                ("relevance", Some(&format!("{:.2}", hit.relevance))),
            ],
        );
        xml.push_str(">\n");
        escape(&mut xml, hit.text.trim(), false);
        xml.push_str("\n</passage>\n");
    }
    xml.extend(["</passages-", nonce, ">"]);
    xml
}

fn object(library: &Library, collection: &ServedCollection, hit: &Hit) -> Value {
    let also = hit.duplicates.iter().take(MOST_PLACES);
    let also: Vec<Value> = also
        .map(|place| json!({ "document": place.document_id, "source": place.source, "line": place.line }))
        .collect();
    without_nulls(json!({
        "passage": hit.id,
        "collection": library.is_several().then_some(&collection.name),
        "document": hit.document_id,
        "title": hit.title,
        "section": hit.heading_path,
        "source": hit.source,
        "line": hit.line,
        "url": hit.url,
        "relevance": rounded(hit.relevance),
        "score": rounded(hit.score),
        "text": hit.text,
        "metadata": (!hit.metadata.is_empty()).then_some(&hit.metadata),
        "also_in": (!also.is_empty()).then_some(also),
    }))
}

/// Four digits are more than a score tells.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 10_000.0).round() / 10_000.0
}
