//! Searching an index by words.

use std::ops::Range;

use super::phrase;
use super::query::QueryWords;
use super::resolve::resolve;
use super::score::{LexicalMatches, LexicalScratch, accumulate, check};
use super::store::FileTerms;
use crate::allowed::Allowed;
use crate::container::incomplete;
use crate::open::Index;
use crate::open_file::with_first_chunks;
use ibid_platform::ranges::requests;
use ibid_platform::{Error, ErrorCode, Result};

impl Index {
    /// Returns the best `limit` chunks by BM25 that are allowed and have a word of the text, best first. What the
    /// text has in double quotation marks must occur as it is there: in the chunk, a heading above it or the title.
    ///
    /// A last word that nothing follows may be the beginning of a longer one. A word of four letters or more that the index
    /// lacks stands for those that differ from it by one letter, or by the order of two.
    ///
    /// The number of chunks that a word is in counts those that have been removed since, until the index is written anew;
    /// no removed chunk is ever returned.
    ///
    /// # Errors
    /// [`ErrorCode::IndexIncomplete`] when something has still to be fetched ([`Index::lexical_missing`]), and
    /// [`ErrorCode::IndexCorrupt`] when a block turns out to be damaged.
    pub fn lexical(
        &self,
        text: &str,
        limit: usize,
        allowed: &Allowed,
        scratch: &mut LexicalScratch,
    ) -> Result<LexicalMatches> {
        let mut missing = Vec::new();
        let matches = self.run_lexical(text, limit, allowed, scratch, &mut missing)?;
        if missing.is_empty() {
            return Ok(matches);
        }
        Err(incomplete("A part of the index that this search needs", "`Index::lexical_missing`"))
    }

    /// Returns the bytes of the file that have to be fetched before the same search can be answered, in order. None
    /// when nothing is missing. What is named may depend on what has come: ask again with what was fetched provided,
    /// until nothing is missing; each time something new has been, so this ends.
    ///
    /// # Errors
    /// As [`Index::lexical`], but for what is incomplete.
    pub fn lexical_missing(
        &self,
        text: &str,
        limit: usize,
        allowed: &Allowed,
        scratch: &mut LexicalScratch,
    ) -> Result<Vec<Range<u64>>> {
        let mut missing = Vec::new();
        self.run_lexical(text, limit, allowed, scratch, &mut missing)?;
        Ok(requests(missing))
    }

    /// Returns the bytes of the file to fetch before any search by words can be answered, each range a block of its
    /// own.
    pub fn missing_terms(&self) -> Vec<Range<u64>> {
        let stores = self.files.iter().map(|file| &file.terms);
        let missing = stores
            .flat_map(|store| (0..store.blocks().len()).filter_map(|number| store.blocks().missing(number)));
        missing.collect()
    }

    fn run_lexical(
        &self,
        text: &str,
        limit: usize,
        allowed: &Allowed,
        scratch: &mut LexicalScratch,
        missing: &mut Vec<Range<u64>>,
    ) -> Result<LexicalMatches> {
        let parts = self.term_stores();
        let language = parts.first().map(|(_, store)| store.language()).unwrap_or_default();
        let words = QueryWords::parse(language, text, &self.manifest.settings.stop);
        let (resolved, masses) = resolve(&parts, &words, self.chunk_end(), missing)?;
        scratch.begin(self.chunk_end() as usize);
        let required = words.required();
        let mut matches = LexicalMatches {
            candidates: Vec::new(),
            query: scratch.query,
            required,
            rejected: Vec::new(),
            known: resolved.iter().fold(0, |known, term| known | term.mask),
            terms: words.shares(&masses),
            masses,
        };
        if !missing.is_empty() || resolved.is_empty() {
            return Ok(matches);
        }
        for term in &resolved {
            for list in &term.lists {
                let Some((first, store)) = parts.get(list.file) else { continue };
                let cells = scratch.cells.get_mut(*first as usize..(*first + store.chunks()) as usize);
                check(accumulate(cells.unwrap_or_default(), list, term.weight, term.mask))?;
            }
        }
        let live = |chunk: u32| allowed.contains(chunk);
        if words.phrases.iter().all(|phrase| phrase.len() < 2) {
            matches.candidates = scratch.best(limit, required, &live);
        } else {
            let found = scratch.best(phrase::MOST_CANDIDATES.max(limit), required, &live);
            phrase::verify(self, language, &words, found, limit, &mut matches, missing)?;
        }
        Ok(matches)
    }

    /// A query is turned into terms once, so all parts of an index must have been built for one language.
    pub(crate) fn check_language(&self, other: &Self) -> Result<()> {
        let language = |index: &Self| index.files.first().map(|file| file.terms.language());
        let (Some(ours), Some(theirs)) = (language(self), language(other)) else { return Ok(()) };
        if ours == theirs {
            return Ok(());
        }
        let message =
            format!("One index is searched by words of the language `{ours}`, the other of `{theirs}`.");
        Err(Error::new(ErrorCode::InvalidOption, message)
            .with_hint("Build both with the same language, `none` if the texts are in several."))
    }

    fn term_stores(&self) -> Vec<FileTerms<'_>> {
        with_first_chunks(&self.files).map(|(first, file)| (first, &file.terms)).collect()
    }
}
