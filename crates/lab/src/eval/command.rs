//! `ibid eval`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::collection::TestCollection;
use super::encoder::{QueryEncoders, Sources};
use super::library;
use super::measure::{encoder_of, measure};
use super::own;
use super::settings::Settings;
use super::table::{AnswerRecall, CollectionOutcome, EvalOutcome, EvalRow};
use crate::eval::{Metric, compare};
use ibid_index::Index;
use ibid_native::{Progress, files, model, note, print, print_json};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::{MAX_LIMIT, Retriever};

/// The examples of its help.
pub const EXAMPLES: &str = "\
Example: ibid eval _site
Example: ibid eval site.ibid --queries queries.jsonl --qrels qrels.tsv
Example: ibid eval site.ibid --queries questions.jsonl --set mode=hybrid,weight=0.4 --compare mode=lexical
Example: ibid eval site.ibid --queries questions.jsonl --against larger-passages.ibid
Example: ibid eval --collections beir/ --set mode=lexical --compare mode=hybrid

Settings are search options by their JavaScript names, separated by commas: mode=hybrid|vector|lexical,
fusion=minMax|rrf, filter={\"year\":2026}, minRelevance=N, groupBy=page, ...
Two short forms: weight=N is the share of words, and encoder=table|transformer chooses the encoder of queries.";

/// The measure that comparisons are by.
const METRIC: Metric = Metric::Ndcg;

/// The arguments of `ibid eval`.
#[derive(clap::Args)]
pub struct EvalArgs {
    /// The index file; or the folder of a site, whose `ibid.toml` has questions.
    #[arg(value_name = "INDEX", required_unless_present = "collections")]
    index: Option<PathBuf>,
    /// The questions, one JSON object per line with `_id` and `text`, and perhaps `relevant` (the relevant documents)
    /// and `answer` (the answering text) [default: those of `ibid.toml`]
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// The judgements: `query-id`, `document-id` and `grade` on each line, separated by tabs, or TREC's four columns.
    #[arg(long, value_name = "FILE", requires = "queries")]
    qrels: Option<PathBuf>,
    /// A folder of test collections, each a folder with corpus.jsonl, queries.jsonl and qrels.tsv, as in BEIR.
    /// Indexes are kept next to them, and rebuilt if missing or out of date.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["index", "queries", "qrels", "against"])]
    collections: Option<PathBuf>,
    /// The number of ranks to look at.
    #[arg(short, default_value_t = 10, value_name = "N")]
    k: usize,
    /// The settings to search with [default: a search's defaults]
    #[arg(long, value_name = "SETTINGS", default_value = "", hide_default_value = true)]
    set: String,
    /// Other settings, tested against the first. May be repeated; each is independent.
    #[arg(long, value_name = "SETTINGS")]
    compare: Vec<String>,
    /// Another index of the same documents, tested against the first with the same settings.
    #[arg(long, value_name = "INDEX2", requires = "queries")]
    against: Option<PathBuf>,
    /// Write the scores of each question, tab-separated; `-` for standard output; the table then goes to stderr.
    #[arg(long, value_name = "FILE")]
    per_query: Option<PathBuf>,
    /// Fail if a question of `ibid.toml` finds its page at a later rank.
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with_all = ["queries", "collections"])]
    within: usize,
    /// The file of settings with the questions [default: `ibid.toml` next to the site, or in this folder]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["queries", "collections"])]
    config: Option<PathBuf>,
    #[command(flatten)]
    model: model::ModelArg,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The settings of a row of the table.
struct EvalPlan {
    label: String,
    settings: Settings,
    /// The index file, and what messages call it.
    index: Arc<Vec<u8>>,
    place: String,
}

/// Runs `ibid eval`, and returns false if a page comes later than its question asks for.
///
/// # Errors
/// As what it reads and searches.
pub fn run(args: &EvalArgs) -> Result<bool> {
    let settings = read_settings(args)?;
    if let (None, Some(index)) = (&args.queries, &args.index) {
        return run_own(args, index, &settings);
    }
    run_files(args, &settings).map(|()| true)
}

/// Asks the questions of `ibid.toml`.
fn run_own(args: &EvalArgs, place: &Path, settings: &[Settings]) -> Result<bool> {
    let [settings] = settings else {
        let message = "`--compare` needs questions in a file: `--queries FILE`.";
        return Err(Error::new(ErrorCode::InvalidOption, message));
    };
    if args.per_query.is_some() {
        let message = "`--per-query` needs questions in a file: `--queries FILE`.";
        return Err(
            Error::new(ErrorCode::InvalidOption, message).with_hint("`--json` has each question's rank.")
        );
    }
    let questions = own::read(args.config.as_deref(), place)?;
    let index = files::index::open(&own::index_of(place))?;
    let sources = Sources::new(&args.model)?;
    let mut encoders = QueryEncoders::new(&sources);
    encoders.check(&index)?;
    let encoder = encoders.of_pages(&index.manifest().space)?;
    let retriever = Retriever::new(index, Box::new(encoder))?;
    let outcome = own::ask(&retriever, &settings.query, &questions, args.within)?;
    if args.json { print_json(&outcome) } else { print(&outcome.text()) }?;
    let failure = outcome.failure();
    failure.iter().for_each(|failure| note(failure));
    Ok(failure.is_none())
}

/// Measures an index by a file of questions, or collections.
fn run_files(args: &EvalArgs, settings: &[Settings]) -> Result<()> {
    if let Some(path) = args.per_query.as_deref().filter(|path| !is_stdout(path)) {
        files::check_writable(path)?;
    }
    let sources = Sources::new(&args.model)?;
    let mut encoders = QueryEncoders::new(&sources);
    let mut outcomes = Vec::new();
    let mut texts: HashMap<(String, String), String> = HashMap::new();
    let mut measure_one = |collection: &TestCollection, plans: &[EvalPlan]| -> Result<()> {
        for question in &collection.questions {
            texts.insert((collection.name.clone(), question.id.clone()), question.text.clone());
        }
        encoders.forget();
        outcomes.push(outcome(collection, plans, &mut encoders, args)?);
        Ok(())
    };
    match (&args.collections, &args.index, &args.queries) {
        (Some(root), ..) => {
            for folder in library::folders(root)? {
                let collection = folder.collection()?;
                let index = Arc::new(folder.index(&sources)?);
                measure_one(&collection, &plans(settings, &index, "its index"))?;
            }
        }
        (_, Some(path), Some(queries)) => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let collection = TestCollection::read(name, queries, args.qrels.as_ref())?;
            let index = Arc::new(files::index::read(path)?);
            let mut plans = plans(settings, &index, &path.display().to_string());
            if let Some(path) = &args.against {
                let label = path.display().to_string();
                let index = Arc::new(files::index::read(path)?);
                let settings = plans[0].settings.clone();
                plans.push(EvalPlan { place: label.clone(), label, settings, index });
            }
            measure_one(&collection, &plans)?;
        }
        _ => {
            let message = "`ibid eval` needs an index and --queries, or --collections.";
            return Err(Error::new(ErrorCode::InvalidOption, message));
        }
    }
    let outcome = EvalOutcome { k: args.k, metric: METRIC, collections: outcomes };
    report(&outcome, args, |collection, query| {
        texts.get(&(collection.to_owned(), query.to_owned())).cloned().unwrap_or_default()
    })
}

/// Reads the settings of all rows, the first of which the others are compared with.
fn read_settings(args: &EvalArgs) -> Result<Vec<Settings>> {
    if !(1..=MAX_LIMIT).contains(&args.k) {
        return Err(Error::new(
            ErrorCode::InvalidOption,
            format!("`-k` is {}; it must be from 1 to {MAX_LIMIT}, the most hits of a search.", args.k),
        ));
    }
    if args.json && args.per_query.as_deref().is_some_and(is_stdout) {
        return Err(Error::new(
            ErrorCode::InvalidOption,
            "`--json` and `--per-query -` both write to standard output.",
        )
        .with_hint("Name a file: `--per-query FILE`."));
    }
    let mut settings = vec![Settings::parse(&args.set, args.k)?];
    for other in &args.compare {
        settings.push(Settings::parse(other, args.k)?);
    }
    Ok(settings)
}

fn plans(settings: &[Settings], index: &Arc<Vec<u8>>, place: &str) -> Vec<EvalPlan> {
    let plan = |settings: &Settings| EvalPlan {
        label: settings.label.clone(),
        settings: settings.clone(),
        index: index.clone(),
        place: place.to_owned(),
    };
    settings.iter().map(plan).collect()
}

/// Measures all rows of a collection.
fn outcome(
    collection: &TestCollection,
    plans: &[EvalPlan],
    encoders: &mut QueryEncoders,
    args: &EvalArgs,
) -> Result<CollectionOutcome> {
    let mut rows: Vec<EvalRow> = Vec::new();
    let (mut unjudged, mut unanswerable) = (0, 0);
    let mut naming = None;
    for plan in plans {
        // Rows over the same index share what was looked up in it.
        let known = naming.take().filter(|(index, _, _)| Arc::ptr_eq(index, &plan.index));
        let (index, names, space) = if let Some(known) = known {
            known
        } else {
            let index = Index::open(plan.index.to_vec())?;
            encoders.check(&index)?;
            let names = collection.naming(&index, &plan.place)?;
            (plan.index.clone(), names, index.manifest().space.clone())
        };
        let encoder = encoders.of(encoder_of(&plan.settings), &space, collection)?;
        let bar = Progress::new(&plan.label, collection.questions.len(), "queries");
        let measured = measure(collection, &plan.index, &names, &plan.settings, &encoder, args.k, &bar)?;
        drop(bar);
        naming = Some((index, names, space));
        let report = measured.report;
        (unjudged, unanswerable) = (report.unjudged, report.unanswerable);
        rows.push(EvalRow {
            label: plan.label.clone(),
            settings: plan.settings.clone(),
            mean: report.mean,
            unanswered: report.unanswered,
            median_milliseconds: measured.median.as_secs_f64() * 1000.0,
            answer_recall: AnswerRecall::of(&measured.answers),
            answers: measured.answers.into_iter().collect(),
            comparison: rows
                .first()
                .map(|first| compare(&first.report.scores(METRIC), &report.scores(METRIC))),
            report,
        });
    }
    if unanswerable > 0 {
        note(&format!(
            "note: {}: {unanswerable} of the queries have nothing relevant, and score 0",
            collection.name
        ));
    }
    let (name, queries) = (collection.name.clone(), collection.questions.len());
    Ok(CollectionOutcome { name, queries, unjudged, unanswerable, rows })
}

fn report(outcome: &EvalOutcome, args: &EvalArgs, text: impl Fn(&str, &str) -> String) -> Result<()> {
    match args.per_query.as_deref() {
        Some(path) if is_stdout(path) => {
            print(&outcome.per_query(text))?;
            note(&outcome.text());
            return Ok(());
        }
        Some(path) => files::write(path, outcome.per_query(text).as_bytes())?,
        None => {}
    }
    if args.json { print_json(outcome) } else { print(&outcome.text()) }
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}
