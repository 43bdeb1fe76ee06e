//! Quotes instead of an answer of the model's.

use super::answer::{Answer, AnswerMode};
use super::inquiry::Inquiry;
use super::options::VerifyPolicy;
use super::state::{Next, NoAnswer};
use super::step::SearchCall;
use super::wording;
use ibid_platform::{ErrorCode, Result};
use ibid_retrieve::Hit;
use ibid_trust::cite::{Extract, Flag, FlagKind, Source, extractive_answer};

/// The id of a search with the question itself.
pub(super) const QUOTE_ID: &str = "question";

/// Makes the search with the question itself.
pub(super) fn search(inquiry: &Inquiry) -> SearchCall {
    let query = inquiry.options.query(inquiry.query.clone(), None);
    let collection = inquiry.options.collection_names().next().map(str::to_owned);
    SearchCall { id: QUOTE_ID.to_owned(), collection, query }
}

/// The most passages that are sources if none is relevant.
const MAX_NEAREST: usize = 3;

/// Takes in the hits of that search. What the model's own searches have found comes behind them, and is quoted from
/// where this one failed. If no hit is relevant the nearest are sources all the same, but nothing is quoted from them.
///
/// # Errors
/// The search's where there is nothing to quote from.
pub(super) fn found(
    inquiry: &mut Inquiry,
    mut hits: Result<Vec<Hit>>,
    instead: Option<&NoAnswer>,
) -> Result<Next> {
    if let Err(error) = &hits
        && (error.code() == ErrorCode::Aborted || inquiry.found.is_empty())
    {
        return Err(error.clone());
    }
    let (query, earlier) = (inquiry.query.clone(), inquiry.best_found());
    inquiry.progress.searches += 1;
    let nearest: Vec<Hit> = hits.iter().flatten().take(MAX_NEAREST).cloned().collect();
    if let Ok(hits) = &mut hits {
        inquiry.options.keep_relevant(hits);
    }
    inquiry.journal.searched("retrieve", &query, None, hits.as_deref());
    let hits = hits.unwrap_or_default();
    let is_any = !hits.is_empty();
    let mut numbers = inquiry.register(QUOTE_ID, &query, None, if is_any { hits } else { nearest }).numbers;
    numbers.retain(|_| is_any);
    numbers.extend(earlier.into_iter().filter(|number| !numbers.contains(number)).collect::<Vec<_>>());
    Ok(quote(inquiry, &numbers, instead))
}

/// Quotes these sources, in that order, with the reason where they stand for an answer that the model did not
/// give.
pub(super) fn quote(inquiry: &mut Inquiry, numbers: &[u32], instead: Option<&NoAnswer>) -> Next {
    let mut answer = quotes(inquiry, numbers);
    if let Some(NoAnswer { finish, why }) = instead {
        let message = format!("{why} The best passages are quoted instead.");
        answer.flags.insert(0, Flag::new(FlagKind::NoModelAnswer, 0..0, message));
        answer.finish_reason = *finish;
    }
    end(inquiry, answer)
}

/// Quotes the best sources instead of an answer that cannot be stood for.
pub(super) fn abstain(inquiry: &mut Inquiry, why: &str) -> Next {
    let mut answer = quotes(inquiry, &inquiry.best_found());
    let quoted = wording::abstained(inquiry.guarded.language.as_deref());
    answer.flags.push(Flag::new(FlagKind::Abstained, 0..0, format!("{why} {quoted}")));
    answer.abstained = true;
    end(inquiry, answer)
}

fn end(inquiry: &mut Inquiry, mut answer: Answer) -> Next {
    if inquiry.options.output.is_some() {
        answer.output_problem =
            Some("Quotes have no structured output: no model wrote the answer.".to_owned());
    }
    let said = inquiry.hide(&answer.text);
    inquiry.end(answer, said)
}

/// Tells whether the sources found for this question seem to hold its answer.
pub(super) fn is_answerable(inquiry: &Inquiry) -> bool {
    extract(inquiry, &sources(inquiry, &inquiry.best_found())).answerable
}

fn sources(inquiry: &Inquiry, numbers: &[u32]) -> Vec<Source> {
    let register = &inquiry.conversation.register;
    numbers.iter().filter_map(|number| register.get(*number).cloned()).collect()
}

fn extract(inquiry: &Inquiry, sources: &[Source]) -> Extract {
    let question = inquiry.restored(&inquiry.topic(&inquiry.question));
    extractive_answer(&question, sources)
}

/// Quotes the best passages as an answer, whose claims say where they stand, so that it can be read like any other.
fn quotes(inquiry: &Inquiry, numbers: &[u32]) -> Answer {
    let sources = sources(inquiry, numbers);
    let extract = extract(inquiry, &sources);
    let mut claims = extract.claims();
    if inquiry.options.verify == VerifyPolicy::Off {
        claims.iter_mut().for_each(|claim| claim.check = None);
    }
    Answer {
        tree: extract.tree(&sources),
        claims,
        answerable: extract.answerable,
        text: extract.text,
        citations: extract.citations,
        mode: AnswerMode::Extractive,
        ..Answer::default()
    }
}
