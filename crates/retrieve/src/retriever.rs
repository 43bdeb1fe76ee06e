//! An open index and the embedder of its queries, together: what answers a [`Query`].

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use super::hits::{choose, needed, resolve};
use super::query::{Mode, Query};
use super::rank::{Ranker, Ranking};
use super::rerank::Reranker;
use super::suggest::{Suggestion, Suggestions};
use super::{Hit, Response, Search};
use ibid_embed::{Embedder, Space};
use ibid_index::{Index, LexicalScratch};
use ibid_platform::{Error, ErrorCode, Result, order};

/// The best candidates, whose texts a reranker scores.
const RERANKED: usize = 50;

/// Searches one index.
///
/// A query to an index that was opened in pieces needs clusters of vectors and postings, then the text of its hits. So it is
/// answered in a loop, with `fetch` for whatever fetches a range of the file:
///
/// ```no_run
/// # use ibid_retrieve::{Query, Response, Retriever};
/// # fn fetch(range: &std::ops::Range<u64>) -> Vec<u8> { vec![0; (range.end - range.start) as usize] }
/// fn answer(retriever: &Retriever, query: &Query) -> ibid_platform::Result<Response> {
///     loop {
///         let missing = retriever.missing(query)?;
///         if missing.is_empty() {
///             return retriever.retrieve(query);
///         }
///         for range in missing {
///             retriever.index().provide(range.start, fetch(&range))?;
///         }
///     }
/// }
/// ```
pub struct Retriever {
    index: Index,
    embedder: Box<dyn Embedder>,
    scratch: RefCell<LexicalScratch>,
    /// The last query with its ranking, since it is usually asked for again: what it misses, then its hits.
    last: RefCell<Option<LastQuery>>,
    suggestions: OnceCell<Suggestions>,
}

struct LastQuery {
    query: Query,
    ranking: Rc<Ranking>,
}

impl Retriever {
    /// Puts an index and an embedder together.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] when the embedder's space is not the one the index was built in: similarities
    /// between different spaces mean nothing, and would look like results all the same.
    pub fn new(index: Index, embedder: Box<dyn Embedder>) -> Result<Self> {
        check_space(&index, embedder.as_ref())?;
        let (scratch, last) = (RefCell::default(), RefCell::default());
        Ok(Self { index, embedder, scratch, last, suggestions: OnceCell::new() })
    }

    /// Puts another index in place of the one that was searched.
    ///
    /// # Errors
    /// As [`Retriever::new`]; then the former index stays.
    pub fn replace_index(&mut self, index: Index) -> Result<()> {
        check_space(&index, self.embedder.as_ref())?;
        *self.index_mut() = index;
        Ok(())
    }

    /// Puts another version of the embedder in place of the one that was there.
    ///
    /// # Errors
    /// As [`Retriever::new`]; then the former embedder stays.
    pub fn replace_embedder(&mut self, embedder: Box<dyn Embedder>) -> Result<()> {
        check_space(&self.index, embedder.as_ref())?;
        self.embedder = embedder;
        Ok(())
    }

    /// Returns the embedder of queries. Of one that is read in parts, a query may need more: see [`Embedder::missing`].
    pub fn embedder(&self) -> &dyn Embedder {
        self.embedder.as_ref()
    }

    /// Returns the index that is searched.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the index that is searched, to be changed.
    pub fn index_mut(&mut self) -> &mut Index {
        self.last.take();
        self.suggestions.take();
        &mut self.index
    }

    fn ranker(&self) -> Ranker<'_> {
        Ranker { index: &self.index, embedder: self.embedder.as_ref(), scratch: &self.scratch }
    }

    /// Returns how a query is ranked: as it says, or as the index is best searched.
    ///
    /// # Errors
    /// [`ErrorCode::QueryEmpty`] when it is to be ranked by words and has none, [`ErrorCode::InvalidOption`] when the index
    /// cannot be searched so.
    pub fn mode(&self, query: &Query) -> Result<Mode> {
        self.ranker().mode(query)
    }

    /// Finds the passages that the query asks for, best first. `docs/searching.md` says by which steps.
    ///
    /// # Errors
    /// [`ErrorCode::QueryEmpty`] when the query has nothing to look for, [`ErrorCode::InvalidOption`] when it is longer
    /// than 10,000 characters or an option is out of range, [`ErrorCode::FilterInvalid`] for a filter or a facet that does
    /// not fit the index's fields, [`ErrorCode::ModelMismatch`] when its vector has not the index's dimensions,
    /// [`ErrorCode::IndexIncomplete`] when something of the index has not been fetched, see [`Retriever::missing`].
    pub fn retrieve(&self, query: &Query) -> Result<Response> {
        self.retrieve_scored(query, &[])
    }

    /// Returns the same, with scores of a reranker for chunks, which come first and in its order. For those who
    /// cannot wait for a reranker here; see [`Retriever::retrieve_reranked`].
    ///
    /// # Errors
    /// As [`Retriever::retrieve`], and [`ErrorCode::InvalidOption`] for a score that is no number.
    pub fn retrieve_scored(&self, query: &Query, scores: &[(u32, f32)]) -> Result<Response> {
        if scores.iter().any(|(_, score)| score.is_nan()) {
            return Err(Error::new(
                ErrorCode::InvalidOption,
                "The reranker gave a score that is not a number.",
            ));
        }
        let ranking = self.complete(query)?;
        let chosen = choose(&self.index, query, &ranking, scores)?;
        if !chosen.wanted.is_empty() || !chosen.wanted_vectors.is_empty() {
            return Err(incomplete());
        }
        resolve(&self.index, query, &ranking, chosen)
    }

    /// Returns the best candidates of a query with their texts, which a reranker is to score: 50.
    ///
    /// # Errors
    /// As [`Retriever::retrieve`].
    pub fn candidates(&self, query: &Query) -> Result<Vec<(u32, String)>> {
        let ranking = self.complete(query)?;
        let chunks = to_rerank(&ranking);
        let text = |chunk| {
            let stored = self.index.chunk_allowed(chunk, &ranking.allowed)?;
            Ok(stored.map(|stored| (chunk, with_headings(&stored.place.section.heading_path, &stored.text))))
        };
        chunks.into_iter().filter_map(|chunk| text(chunk).transpose()).collect()
    }

    /// Has the best candidates scored by a reranker, and then goes on as [`Retriever::retrieve`] does: a hit's score is
    /// what the reranker gave it.
    ///
    /// # Errors
    /// As [`Retriever::retrieve`], those of the reranker, and [`ErrorCode::InvalidOption`] when it does not return one
    /// number for each text.
    pub async fn retrieve_reranked<R: Reranker>(&self, query: &Query, reranker: &R) -> Result<Response> {
        let candidates = self.candidates(query)?;
        let texts: Vec<&str> = candidates.iter().map(|(_, text)| text.as_str()).collect();
        let scores = if texts.is_empty() { Vec::new() } else { reranker.rerank(&query.text, &texts).await? };
        if scores.len() != texts.len() {
            let message = format!("The reranker gave {} scores for {} texts.", scores.len(), texts.len());
            return Err(Error::new(ErrorCode::InvalidOption, message));
        }
        let by_chunk: Vec<(u32, f32)> = candidates.iter().map(|(chunk, _)| *chunk).zip(scores).collect();
        self.retrieve_scored(query, &by_chunk)
    }

    /// Returns the bytes of the index file that have to be fetched next for [`Retriever::retrieve`] to answer the
    /// query: fetch them, hand them to [`Index::provide`], and ask again until there are none. It takes two rounds.
    /// The first is for the clusters and the words of the query. The second is for vectors to compare again, and
    /// texts of what seem to be the hits. Where these vectors change the hits, one more fetches the other texts. A
    /// long question, a filter, an index of more than 10,000 passages and options that compare passages may take one
    /// more each.
    ///
    /// # Errors
    /// As [`Retriever::retrieve`]; [`ErrorCode::ModelIncomplete`] when the embedder needs something first.
    pub fn missing(&self, query: &Query) -> Result<Vec<Range<u64>>> {
        let ranking = self.rank(query)?;
        if !ranking.missing.is_empty() {
            return Ok(ranking.missing.clone());
        }
        let chosen = choose(&self.index, query, &ranking, &[])?;
        let mut missing = ranking.missing_rows.clone();
        if !chosen.wanted_vectors.is_empty() {
            missing.extend(self.index.missing_vectors(&chosen.wanted_vectors));
            return Ok(missing);
        }
        let mut chunks = needed(&self.index, query, &chosen);
        if query.rerank {
            chunks.extend(to_rerank(&ranking));
            order::by_key(&mut chunks, |&chunk| chunk);
            chunks.dedup();
        }
        missing.extend(self.index.missing(&chunks));
        Ok(missing)
    }

    /// Titles and headings whose words begin as those of the prefix do, for a search box while it is typed in: first those
    /// that begin with it, each group by the number of chunks below. Nothing for a prefix without a word.
    ///
    /// # Errors
    /// [`ErrorCode::IndexIncomplete`] when something has to be fetched first, see [`Index::missing_directory`].
    pub fn suggest(&self, prefix: &str, limit: usize) -> Result<Vec<Suggestion>> {
        if self.suggestions.get().is_none() {
            drop(self.suggestions.set(Suggestions::of(&self.index)?));
        }
        Ok(self.suggestions.get().map_or_else(Vec::new, |suggestions| suggestions.find(prefix, limit)))
    }

    fn rank(&self, query: &Query) -> Result<Rc<Ranking>> {
        if let Some(last) = &*self.last.borrow()
            && last.query == *query
        {
            return Ok(Rc::clone(&last.ranking));
        }
        let ranking = Rc::new(self.ranker().rank(query)?);
        // What is not complete is ranked anew when more has been fetched.
        if ranking.is_whole() {
            let (query, ranking) = (query.clone(), Rc::clone(&ranking));
            *self.last.borrow_mut() = Some(LastQuery { query, ranking });
        }
        Ok(ranking)
    }

    fn complete(&self, query: &Query) -> Result<Rc<Ranking>> {
        let ranking = self.rank(query)?;
        if ranking.is_whole() { Ok(ranking) } else { Err(incomplete()) }
    }
}

impl Search for Retriever {
    async fn search(&self, query: &Query) -> Result<Vec<Hit>> {
        Ok(self.retrieve(query)?.hits)
    }
}

fn to_rerank(ranking: &Ranking) -> Vec<u32> {
    ranking.candidates.iter().take(RERANKED).map(|candidate| candidate.parts.chunk).collect()
}

/// Joins the text with the headings above it in front, as it was embedded: they often say what it is about.
fn with_headings(path: &[String], text: &str) -> String {
    if path.is_empty() { text.to_owned() } else { format!("[{}] {text}", path.join(" > ")) }
}

fn incomplete() -> Error {
    Error::new(
        ErrorCode::IndexIncomplete,
        "Parts of the index that this query needs have not been fetched yet.",
    )
    .with_hint(
        "Fetch the ranges from `Retriever::missing` and pass them to `Index::provide`, until there are none.",
    )
}

fn check_space(index: &Index, embedder: &dyn Embedder) -> Result<()> {
    let (theirs, ours) = (&index.manifest().space, embedder.space());
    if theirs == ours {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::ModelMismatch,
        format!(
            "This index was built with the model {}, but queries would be embedded with {}.",
            describe(theirs),
            describe(ours)
        ),
    )
    .with_hint("Rebuild the index with this version of ibid, or load the model it was built with."))
}

fn describe(space: &Space) -> String {
    format!("{} ({} dimensions, fingerprint {})", space.name, space.dimensions, space.fingerprint)
}

// One of them drives a future, for which browsers have no blocking executor.
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
