//! `ibid build --adapt`: the encoder of queries, tuned to what is indexed.

use ibid_build::{Collected, Parsed};
use ibid_embed::adapt::{MAX_ROWS, adapt, samples};
use ibid_embed::{Embedder, Task, TokenTable};
use ibid_index::AdaptationInfo;
use ibid_native::{Progress, note};
use ibid_platform::Result;

/// Texts that are embedded between two moves of the progress bar; enough to keep all cores busy.
const BATCH: usize = 256;

/// Fits rows of the table to at most `limit` texts out of the documents, as `embedder` embeds them. The number of texts
/// and not the time is limited, so that the same documents give the same rows on every machine.
pub(super) fn fit(
    collected: &Collected,
    table: &TokenTable,
    embedder: &dyn Embedder,
    limit: usize,
) -> Result<(AdaptationInfo, Vec<u8>)> {
    let passages = collected.parsed.iter().flat_map(|Parsed { document, chunks }| {
        chunks.iter().map(|chunk| {
            let section = document.sections.get(chunk.section);
            (section.map_or(&[][..], |section| &section.heading_path), chunk.text.as_str())
        })
    });
    let texts = samples(passages, limit);
    let bar = Progress::new("adapting", texts.len(), "texts");
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut targets = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        targets.extend(embedder.embed(batch, Task::Query)?);
        bar.advance(batch.len());
    }
    drop(bar);
    let adapted = adapt(table, &texts, &targets, MAX_ROWS)?;
    if adapted.after < adapted.before {
        note("adapting did not bring queries nearer to the passages; the documents may be too few");
    }
    let rows = adapted.delta.len() as u32;
    let info = AdaptationInfo { rows, before: adapted.before, after: adapted.after };
    Ok((info, adapted.delta.to_bytes().to_vec()))
}
