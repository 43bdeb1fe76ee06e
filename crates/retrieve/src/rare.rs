//! The options that few queries have. A page fetches their code when one does: here are its boundaries.

use serde_json::Value;

use super::check;
use super::explain::Dropped;
use super::hits::{self, Comparing};
use super::order::Ranked;
use super::query::{Mode, Query};
use super::rank::{Ranker, Ranking};
use ibid_embed::Embedding;
use ibid_index::Filter;
use ibid_platform::json::Fields;
use ibid_platform::{Result, lazily};

lazily!(pub(super) fn filter(value: &Value) -> Result<Filter> = Filter::from_json);
lazily!(pub(super) fn restrict(ranker: &Ranker<'_>, query: &Query, ranking: &mut Ranking) -> Result<bool>
    = Ranker::restrict);
lazily!(pub(super) fn count(ranker: &Ranker<'_>, query: &Query, mode: Mode, ranking: &mut Ranking) -> Result<()>
    = Ranker::count);
lazily!(pub(super) fn read(fields: &mut Fields, query: &mut Query) -> serde_json::Result<()> = read_fields);
lazily!(pub(super) fn problem(query: &Query) -> Option<String> = check::rare_problem);
lazily!(pub(super) fn given_embedding(ranker: &Ranker<'_>, query: &Query, ranking: &mut Ranking)
    -> Result<Option<Embedding>> = Ranker::given_embedding);
lazily!(pub(super) fn weigh(ranker: &Ranker<'_>, query: &Query, ranking: &mut Ranking, dropped: &mut Vec<Dropped>)
    -> Result<()> = Ranker::weigh);
lazily!(pub(super) fn rerank(hits: &mut Vec<Ranked>, scores: &[(u32, f32)]) -> () = hits::rerank);
lazily!(pub(super) fn compare(comparing: Comparing<'_>, hits: &mut Vec<Ranked>, dropped: &mut Vec<Dropped>)
    -> Result<(Vec<u32>, Vec<u32>)> = hits::compare);

fn read_fields(fields: &mut Fields, query: &mut Query) -> serde_json::Result<()> {
    fields.set("vector", &mut query.vector)?;
    fields.set("like", &mut query.like)?;
    fields.set("fusion", &mut query.fusion)?;
    fields.set("filter", &mut query.filter)?;
    fields.set("path", &mut query.path)?;
    fields.set("evidence", &mut query.evidence)?;
    fields.set("freshness", &mut query.freshness)?;
    fields.set("mmr", &mut query.mmr)?;
    fields.set("nearDuplicates", &mut query.near_duplicates)?;
    fields.set("rerank", &mut query.rerank)?;
    fields.set("facets", &mut query.facets)?;
    fields.set("explain", &mut query.explain)?;
    fields.none_left()
}
