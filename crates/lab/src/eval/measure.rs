//! Running all questions against an index, on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::answers::read_until;
use super::collection::TestCollection;
use super::encoder::Known;
use super::settings::{EncoderChoice, Settings};
use crate::eval::{EvalReport, Naming, QueryRanking, evaluate};
use ibid_index::Index;
use ibid_native::Progress;
use ibid_native::system::Stopwatch;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::{MAX_LIMIT, Query, Retriever};

/// Fewer questions than this for each thread are not worth opening the index once more.
const LEAST_FOR_A_THREAD: usize = 16;

/// The measurements with some settings.
pub(super) struct Measured {
    pub(super) report: EvalReport,
    /// The median of the times from a query's text to its hits, the text's embedding included.
    pub(super) median: Duration,
    /// The questions whose answers are known, in their order: the id and the characters that are read until it comes.
    pub(super) answers: Vec<(String, Option<usize>)>,
}

/// The measurements of one question.
struct Asked {
    number: usize,
    ranking: QueryRanking,
    time: Duration,
    answer: Option<(String, Option<usize>)>,
}

/// Searches for all questions and scores what is found.
pub(super) fn measure(
    collection: &TestCollection,
    index: &[u8],
    naming: &Naming,
    settings: &Settings,
    encoder: &Known,
    k: usize,
    bar: &Progress,
) -> Result<Measured> {
    let questions = &collection.questions;
    let threads = rayon::current_num_threads().min(questions.len() / LEAST_FOR_A_THREAD).max(1);
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<Asked>> {
        let retriever = Retriever::new(Index::open(index.to_vec())?, Box::new(encoder.clone()))?;
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(question) = questions.get(number) else { return Ok(done) };
            let grades = collection.judgements.of(&question.id);
            let mut query = Query { text: question.text.clone(), ..settings.query.clone() };
            if query.group.is_none() && grades.is_some_and(|grades| naming.is_by_document(grades)) {
                query.group = Some(1);
            }
            let clock = Stopwatch::start();
            let hits = retriever.retrieve(&query)?.hits;
            let mut time = clock.elapsed();
            if needs_embedding(settings) {
                time += encoder.time(&question.text);
            }
            let results = naming.results(grades, &hits);
            let ranking = QueryRanking { query: question.id.clone(), results };
            let answer = if question.answers.is_empty() {
                None
            } else {
                // As a reader searches: several passages of a document if they come, and as many as are read.
                let query = Query { limit: MAX_LIMIT, group: settings.query.group, ..query };
                let hits = retriever.retrieve(&query)?.hits;
                let read = read_until(&question.answers, hits.iter().map(|hit| hit.text.as_str()));
                Some((question.id.clone(), read))
            };
            done.push(Asked { number, ranking, time, answer });
            bar.advance(1);
        }
    };
    let parts = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let broken = || Error::new(ErrorCode::Internal, "A search broke off.");
        running.into_iter().map(|thread| thread.join().map_err(|_| broken())?).collect::<Result<Vec<_>>>()
    })?;
    let mut done: Vec<_> = parts.into_iter().flatten().collect();
    done.sort_by_key(|asked| asked.number);
    let mut times: Vec<Duration> = done.iter().map(|asked| asked.time).collect();
    times.sort_unstable();
    let answers = done.iter_mut().filter_map(|asked| asked.answer.take()).collect();
    let rankings: Vec<QueryRanking> = done.into_iter().map(|asked| asked.ranking).collect();
    let mut report = evaluate(&rankings, &collection.judgements, k);
    report.unjudged += collection.unjudged;
    Ok(Measured { report, median: times.get(times.len() / 2).copied().unwrap_or_default(), answers })
}

/// Returns true if a search with these settings embeds its query.
pub(super) fn needs_embedding(settings: &Settings) -> bool {
    settings.query.mode != Some(ibid_retrieve::Mode::Lexical)
}

/// Chooses the encoder that settings need; the table, which costs nothing, where they need none.
pub(super) fn encoder_of(settings: &Settings) -> EncoderChoice {
    if needs_embedding(settings) { settings.encoder } else { EncoderChoice::Table }
}
