//! An author's own questions in `ibid.toml`, each with the page that it should find: searched for as the search box does.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use ibid_build::page_at;
use ibid_index::{DocumentRecord, Index};
use ibid_native::language;
use ibid_native::settings::SiteSettings;
use ibid_platform::{Error, ErrorCode, Result};

use ibid_retrieve::relevance::RELEVANT;
use ibid_retrieve::{GroupBy, Hit, Parts, Query, Retriever};

/// The passages of a page that the search box shows at most.
const OF_A_PAGE: usize = 4;
/// The pages that it shows in any case, relevant or not.
const NEAREST: usize = 3;
/// The ranks that a summary tells apart from all others.
const AMONG: usize = 3;

/// A hit with the parts of its score, if the query asks for them.
#[derive(Clone, Debug)]
pub struct FoundHit {
    /// The hit.
    pub hit: Hit,
    /// The parts of its score.
    pub parts: Option<Parts>,
}

/// Finds pages as the search box does: those that are relevant, or the three nearest and then those. The hits of a page
/// follow each other. The query's limit counts pages; a question in another language than the site's finds pages in its own.
///
/// # Errors
/// As [`Retriever::retrieve`].
pub fn find(retriever: &Retriever, query: &Query) -> Result<Vec<FoundHit>> {
    let mut query = Query { group_by: Some(GroupBy::Page), ..query.clone() };
    if query.filter.is_none() {
        query.filter = language::of_question(retriever.index(), &query.text)?;
    }
    let retrieve = |group: usize, limit: usize, least: f32| -> Result<Vec<FoundHit>> {
        let query = Query { group: Some(group), limit, min_relevance: Some(least), ..query.clone() };
        let response = retriever.retrieve(&query)?;
        let parts = response.explain.map(|explain| explain.hits).unwrap_or_default();
        let parts = parts.into_iter().map(Some).chain(std::iter::repeat(None));
        Ok(response.hits.into_iter().zip(parts).map(|(hit, parts)| FoundHit { hit, parts }).collect())
    };
    let relevant = retrieve(OF_A_PAGE, query.limit, RELEVANT)?;
    if pages(&relevant).len() >= NEAREST.min(query.limit) {
        return Ok(relevant);
    }
    let mut found = retrieve(OF_A_PAGE, NEAREST.min(query.limit), 0.0)?;
    let nearest: Vec<String> = pages(&found).into_iter().map(str::to_owned).collect();
    found.extend(relevant.into_iter().filter(|found| !nearest.contains(&found.hit.document_id)));
    Ok(found)
}

/// Lists the ids of the pages that hits are of, in their order.
pub fn pages(found: &[FoundHit]) -> Vec<&str> {
    let mut ids: Vec<&str> = found.iter().map(|found| &*found.hit.document_id).collect();
    ids.dedup();
    ids
}

/// A question with the page that it should find.
#[derive(Clone, Debug)]
pub struct OwnQuestion {
    /// The question.
    pub text: String,
    /// The address of the page as its author wrote it.
    pub page: String,
    /// The page's id; `None` if no page has that address.
    pub document_id: Option<String>,
}

impl OwnQuestion {
    /// Finds the pages of questions in an index.
    ///
    /// # Errors
    /// As [`Index::documents`].
    pub fn of(index: &Index, questions: &[(String, String)]) -> Result<Vec<Self>> {
        let documents = index.documents().collect::<Result<Vec<DocumentRecord>>>()?;
        let known = |(text, address): &(String, String)| {
            let page = address.split('#').next().unwrap_or_default();
            let at = page_at(documents.iter().map(|it| (&it.metadata, &*it.source)), page);
            let document = at.and_then(|at| documents.get(at));
            let document_id = document.map(|document| document.metadata.document_id.clone());
            Self { text: text.clone(), page: address.clone(), document_id }
        };
        Ok(questions.iter().map(known).collect())
    }

    /// Finds the rank of its page among those that were found, from 1. An address with `#` asks for a hit below that heading.
    pub fn rank(&self, found: &[FoundHit]) -> Option<usize> {
        let wanted = self.document_id.as_deref()?;
        let anchor = self.page.split_once('#').map(|(_, anchor)| anchor);
        let is_there = |hit: &Hit| anchor.is_none_or(|anchor| hit.anchor.as_deref() == Some(anchor));
        let has_hit = found.iter().any(|found| found.hit.document_id == wanted && is_there(&found.hit));
        let rank = pages(found).iter().position(|id| *id == wanted).map(|at| at + 1);
        rank.filter(|_| has_hit)
    }
}

/// The ranks of all questions' pages.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OwnOutcome {
    /// The rank that no page may be behind.
    within: usize,
    /// The mean of 1 / rank, 0 for a page that is not found.
    mean_reciprocal_rank: f64,
    first: usize,
    among_three: usize,
    questions: Vec<OwnRow>,
}

/// The rank of one question's page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnRow {
    question: String,
    page: String,
    is_known: bool,
    rank: Option<usize>,
    /// The address of the page that comes first, or its file.
    first: Option<String>,
}

/// The place of a site's index: the file that was named, or that of the folder of a site.
pub(super) fn index_of(path: &Path) -> PathBuf {
    let inside = path.join("site.ibid");
    if path.join("head").is_file() || !inside.exists() { path.to_owned() } else { inside }
}

/// Reads the questions of the site that an index or a folder is of.
pub(super) fn read(config: Option<&Path>, path: &Path) -> Result<Vec<(String, String)>> {
    let folder = if index_of(path) == path { path.parent().unwrap_or(path) } else { path };
    let settings = SiteSettings::load(config, &[folder.to_owned()])?;
    if settings.questions.is_empty() {
        let message = settings.path.map_or("There is no `ibid.toml` with questions.".to_owned(), |path| {
            format!("`{}` has no questions.", path.display())
        });
        return Err(Error::new(ErrorCode::InvalidOption, message).with_hint(
            "Add `[questions]` with lines such as `\"how do I install\" = \"/start/\"`, or name a file: `--queries FILE`.",
        ));
    }
    Ok(settings.questions)
}

/// Asks all questions.
pub(super) fn ask(
    retriever: &Retriever,
    query: &Query,
    questions: &[(String, String)],
    within: usize,
) -> Result<OwnOutcome> {
    let ask = |question: OwnQuestion| -> Result<OwnRow> {
        let found = find(retriever, &Query { text: question.text.clone(), ..query.clone() })?;
        let first =
            found.first().map(|found| found.hit.url.clone().unwrap_or_else(|| found.hit.source.clone()));
        let (rank, is_known) = (question.rank(&found), question.document_id.is_some());
        Ok(OwnRow { question: question.text, page: question.page, is_known, rank, first })
    };
    let questions: Vec<OwnRow> =
        OwnQuestion::of(retriever.index(), questions)?.into_iter().map(ask).collect::<Result<_>>()?;
    let within_rank = |most: usize| questions.iter().filter(|row| row.is_within(most)).count();
    let reciprocal = questions.iter().filter_map(|row| row.rank).map(|rank| 1.0 / rank as f64).sum::<f64>();
    Ok(OwnOutcome {
        within,
        mean_reciprocal_rank: reciprocal / questions.len().max(1) as f64,
        first: within_rank(1),
        among_three: within_rank(AMONG),
        questions,
    })
}

impl OwnRow {
    fn is_within(&self, most: usize) -> bool {
        self.rank.is_some_and(|rank| rank <= most)
    }
}

impl OwnOutcome {
    /// The questions whose page comes too late, in words; `None` if none does.
    pub(super) fn failure(&self) -> Option<String> {
        let late = self.questions.iter().filter(|row| !row.is_within(self.within)).count();
        let which =
            if self.within == 1 { "first".to_owned() } else { format!("among the first {}", self.within) };
        (late > 0)
            .then(|| format!("{late} of {} questions do not find their page {which}.", self.questions.len()))
    }

    // Writing to a string, as below, cannot fail.

    /// A table, and a line that sums it up.
    pub(super) fn text(&self) -> String {
        let width = |text: fn(&OwnRow) -> &str| {
            self.questions.iter().map(|row| text(row).chars().count()).max().unwrap_or_default()
        };
        let (text, page) = (width(|row| &row.question), width(|row| &row.page));
        let mut out = format!("rank  {:<text$}  page\n", "question");
        for row in &self.questions {
            let rank = row.rank.map_or("-".to_owned(), |rank| rank.to_string());
            let note = match &row.first {
                _ if !row.is_known => "no page has this address".to_owned(),
                Some(first) if row.rank != Some(1) => format!("first: {first}"),
                _ => String::new(),
            };
            let line = format!("{rank:>4}  {:<text$}  {:<page$}  {note}", row.question, row.page);
            let _ = writeln!(out, "{}", line.trim_end());
        }
        let Self { mean_reciprocal_rank, first, among_three, questions, .. } = self;
        let count = questions.len();
        let noun = if count == 1 { "question" } else { "questions" };
        let _ = writeln!(
            out,
            "\n{count} {noun}: {first} first, {among_three} among the first {AMONG}, MRR {mean_reciprocal_rank:.4}"
        );
        out
    }
}
