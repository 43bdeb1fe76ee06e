//! Filters, facets, and the order of hits by a field: what searches by words alone do without.

use super::explain::{Dropped, Rule};
use super::order::Ranked;
use super::query::{Mode, Query};
use super::rank::{Ranker, Ranking, keep};
use super::relevance::RELEVANT;
use ibid_index::if_fetched;
use ibid_platform::{Result, order};

impl Ranker<'_> {
    /// Notes what may be found and looks whether facets can be counted; `false` if something has to be fetched first, or
    /// if the query lists documents, which it then has.
    pub(super) fn restrict(&self, query: &Query, ranking: &mut Ranking) -> Result<bool> {
        let index = self.index;
        let found = index.allowed(query.filter.as_ref()).and_then(|allowed| {
            let listed = if query.is_list() { None } else { Some(&[][..]) };
            let facets = index.facets(&query.facets, &allowed, listed)?;
            // Only the column is looked for.
            query.sort.iter().try_for_each(|sort| index.places_by(sort, &[], &allowed).map(drop))?;
            Ok((allowed, facets))
        });
        let Some(found) = if_fetched(found)? else {
            let sorted = query.sort.iter().map(|sort| &sort.field);
            let fields: Vec<String> = query.facets.iter().chain(sorted).cloned().collect();
            ranking.missing = index.missing_fields(query.filter.as_ref(), &fields);
            return Ok(false);
        };
        (ranking.allowed, ranking.facets) = found;
        if query.is_list() {
            // Nothing was asked that they could have less to do with.
            let listed = |chunk| Ranked { score: 1.0, relevance: 1.0, ..Ranked::of(chunk) };
            ranking.candidates = index.first_chunks(&ranking.allowed).into_iter().map(listed).collect();
            self.sort(query, ranking)?;
        }
        Ok(!query.is_list())
    }

    /// Counts facets over what was found, and sorts it.
    pub(super) fn count(
        &self,
        query: &Query,
        mode: Mode,
        ranking: &mut Ranking,
        dropped: &mut Vec<Dropped>,
    ) -> Result<()> {
        if !query.facets.is_empty() {
            let found = ranking.candidates.iter().filter(|found| self.is_found(found, RELEVANT, mode));
            let found: Vec<u32> = found.map(|found| found.parts.chunk).collect();
            ranking.facets = self.index.facets(&query.facets, &ranking.allowed, Some(&found))?;
        }
        if query.sort.is_some() {
            // The newest of all that is a little like the query would be about something else.
            let (least, pinned) = (query.min_relevance.unwrap_or(RELEVANT), ranking.pinned);
            keep(&mut ranking.candidates, Rule::Relevance, dropped, |candidate| {
                self.is_found(candidate, least, mode) || Some(candidate.parts.chunk) == pinned
            });
            self.sort(query, ranking)?;
        }
        Ok(())
    }

    /// Returns true if a passage is relevant. Where nothing was measured, vectors alone do not tell, and it has a word of
    /// the query.
    fn is_found(&self, candidate: &Ranked, least: f32, mode: Mode) -> bool {
        let has_words = || candidate.parts.coverage.is_some_and(|share| share > 0.0);
        let is_measured = self.index.manifest().calibration.is_measured();
        candidate.relevance >= least && (is_measured || mode == Mode::Vector || has_words())
    }

    /// Sorts the candidates by the field that the query names; those of equal values stay in their order.
    fn sort(&self, query: &Query, ranking: &mut Ranking) -> Result<()> {
        let Some(sort) = &query.sort else { return Ok(()) };
        let chunks: Vec<u32> = ranking.candidates.iter().map(|candidate| candidate.parts.chunk).collect();
        let places = self.index.places_by(sort, &chunks, &ranking.allowed)?;
        let candidates = std::mem::take(&mut ranking.candidates);
        let mut sorted: Vec<(u32, Ranked)> = places.into_iter().zip(candidates).collect();
        order::by_key(&mut sorted, |(place, _)| *place);
        ranking.candidates = sorted.into_iter().map(|(_, candidate)| candidate).collect();
        Ok(())
    }
}
