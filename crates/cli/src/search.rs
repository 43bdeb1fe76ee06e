//! `ibid search`.

use std::fmt::Write;

use serde_json::Value;

use crate::IndexArg;
use crate::target::SearchTarget;
use crate::terminal::{self, FAINT, STRONG, Screen, marked, place, styled};
use ibid_engines::{RemoteReranker, RerankerOptions};
use ibid_index::{Facet, Filter, Sort};
use ibid_native::http::NativeHttp;
use ibid_native::system::{SystemClock, block_on, variable};
use ibid_native::{named, print_json, provider, word};
use ibid_platform::{Endpoint, ProviderKind};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::relevance::RELEVANT;
use ibid_retrieve::{Evidence, Explain, Fusion, Hit, Mode, Neighbour, Query, Response};

/// The key of the service that reranks. An argument could be read by every other user of the machine.
const RERANK_KEY: &str = "IBID_RERANK_API_KEY";
/// The key of the language model, which may be of the same provider.
const MODEL_KEY: &str = "IBID_API_KEY";
/// The beginning of a hit's further lines.
const INDENT: &str = "   ";

#[derive(clap::Args)]
pub(super) struct SearchArgs {
    #[command(flatten)]
    index: IndexArg,
    /// The words or question to search for. A query that is one phrase in double quotation marks must match exactly.
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// The most passages to show, 1 to 50.
    #[arg(short, long, default_value_t = 5, value_name = "N")]
    limit: usize,
    /// Sort by a metadata field instead of relevance; with an empty query, list documents
    #[arg(long, value_name = "FIELD")]
    sort: Option<String>,
    /// Only passages of documents with matching metadata, as `{"year": {"gte": 2020}}` or as a Qdrant filter
    /// [default: in an index of several languages, those in the query's]
    #[arg(long, value_name = "JSON", value_parser = filter)]
    filter: Option<Filter>,
    /// The way to search: by meaning (vector), by words (lexical) or by both [default: hybrid; lexical if the
    /// passages are not in the model's language]
    #[arg(long, value_parser = named::<Mode>(["hybrid", "vector", "lexical"]))]
    mode: Option<Mode>,
    /// The share of words in a hybrid search, 0 to 1; the rest is the vectors'.
    #[arg(long, value_name = "SHARE")]
    weight: Option<f32>,
    /// The least relevance of a passage, 0 to 1; from 0.5 on it counts as relevant [default: 0]
    #[arg(long, value_name = "SHARE")]
    min_relevance: Option<f32>,
    /// Has no effect: every search takes unfinished and misspelt words.
    #[arg(long, hide = true, aliases = ["prefix", "typos"], action = clap::ArgAction::Count)]
    typing: u8,
    /// Weigh passages by their documents' `evidence_level`; with a level, drop those below.
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "")]
    evidence: Option<String>,
    /// Show this many passages before and after each, 0 to 5.
    #[arg(long, default_value_t = 0, value_name = "N")]
    neighbours: usize,
    /// The service that reorders the best passages; its key comes from `IBID_RERANK_API_KEY`, else
    /// `IBID_API_KEY`.
    #[arg(long, value_name = "PROVIDER", value_parser = provider(|row| row.reranking.is_some()))]
    rerank: Option<ProviderKind>,
    /// The service's model, in its spelling; llama.cpp needs none.
    #[arg(long, value_name = "NAME", requires = "rerank")]
    rerank_model: Option<String>,
    /// The service's address, for a proxy or your own server [default: the provider's]
    #[arg(long, value_name = "URL", requires = "rerank")]
    rerank_url: Option<String>,
    /// Count the values of a metadata field in the documents found; may be repeated.
    #[arg(long = "facet", value_name = "FIELD")]
    facets: Vec<String>,
    /// Explain how the passages were found.
    #[arg(long)]
    explain: bool,
    /// Print JSON: an array of hits, or, with `--facet` or `--explain`, an object with the array as `hits`.
    #[arg(long)]
    json: bool,
}

fn filter(text: &str) -> std::result::Result<Filter, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON ({error})"))?;
    Filter::from_json(&value).map_err(|error| error.in_words())
}

pub(super) fn run(args: &SearchArgs) -> Result<()> {
    let mut query = query(args)?;
    let options = reranker(args);
    let http = NativeHttp::for_services();
    let reranker = options.map(|options| RemoteReranker::new(options, &http, &SystemClock)).transpose()?;
    let target = SearchTarget::open(&args.index)?;
    if query.filter.is_none() {
        query.filter = target.filter_of(&args.query)?;
    }
    let response = block_on(target.retrieve(&query, reranker.as_ref()))?;
    match args.json {
        true if args.explain || !args.facets.is_empty() => print_json(&response),
        true => print_json(&response.hits),
        false => terminal::print(&format_response(&args.query, &response)),
    }
}

/// Returns the settings of the service that reranks, if one was named.
fn reranker(args: &SearchArgs) -> Option<RerankerOptions> {
    let kind = args.rerank?;
    // A server of one's own is not told the key of somebody else's.
    let key = variable(RERANK_KEY).or_else(|| variable(MODEL_KEY).filter(|_| !kind.row().is_local));
    let mut endpoint = Endpoint::within(30_000).with_api_key(key.unwrap_or_default());
    endpoint.base_url.extend(args.rerank_url.as_deref());
    Some(RerankerOptions { kind, model: args.rerank_model.clone().unwrap_or_default(), endpoint })
}

fn query(args: &SearchArgs) -> Result<Query> {
    let mut query = Query {
        limit: args.limit,
        filter: args.filter.clone(),
        mode: args.mode,
        sort: args.sort.as_ref().map(Sort::by),
        min_relevance: args.min_relevance,
        neighbours: args.neighbours,
        facets: args.facets.clone(),
        explain: args.explain,
        rerank: args.rerank.is_some(),
        ..Query::new(&args.query)
    };
    query.evidence = args.evidence.as_ref().map(|level| Evidence {
        min_evidence_level: Some(level.clone()).filter(|level| !level.is_empty()),
        ..Evidence::default()
    });
    if let Some(share) = args.weight {
        if matches!(query.mode, Some(Mode::Vector | Mode::Lexical)) {
            let message = "`--weight` mixes words and vectors: use it only with the hybrid mode.";
            return Err(Error::new(ErrorCode::InvalidOption, message));
        }
        if let Fusion::MinMax { lexical_weight, .. } = &mut query.fusion {
            *lexical_weight = Some(share);
        }
    }
    Ok(query)
}

// Writing to a string, as below, cannot fail.

fn format_response(query: &str, response: &Response) -> String {
    let screen = Screen::of_stdout();
    let mut out = String::new();
    // The last of a list that has nothing of the query.
    let hits: Vec<&Hit> = response.hits.iter().filter(|hit| hit.score > 0.0).collect();
    if hits.is_empty() {
        let _ = writeln!(out, "No results for \"{query}\". Check the spelling, or use fewer or other words.");
    } else if hits.iter().all(|hit| hit.relevance < RELEVANT) {
        out.push_str("No good matches. Closest results:\n\n");
    }
    for (rank, hit) in (1..).zip(hits) {
        format_hit(&mut out, screen, rank, hit);
    }
    response.facets.iter().for_each(|facet| format_facet(&mut out, facet));
    if let Some(explain) = &response.explain {
        format_explain(&mut out, explain);
    }
    out
}

/// Adds a hit: its headings, its place, and what it says of the query; with neighbours all that it says.
fn format_hit(out: &mut String, screen: Screen, rank: usize, hit: &Hit) {
    let path = styled(STRONG, &hit.heading_path.join(" > "));
    *out += &screen.wrap(&path, &format!("{rank}. "), INDENT);
    let _ = writeln!(out, "{INDENT}{}", styled(FAINT, &place(hit)));
    if hit.before.is_empty() && hit.after.is_empty() {
        *out += &screen.wrap(&marked(&hit.excerpt, &hit.excerpt_highlights), INDENT, INDENT);
    } else {
        let beside = |neighbour: &Neighbour| indented(&screen.markdown(&neighbour.text), "   | ");
        let parts = hit.before.iter().map(beside);
        let parts = parts.chain([indented(&screen.markdown(&hit.text), INDENT)]);
        *out += &parts.chain(hit.after.iter().map(beside)).collect::<Vec<_>>().join("\n");
    }
    for place in &hit.duplicates {
        let _ = writeln!(out, "{INDENT}also in {}:{}", place.source, place.line);
    }
    out.push('\n');
}

/// Begins each line with the same.
fn indented(text: &str, indent: &str) -> String {
    text.lines()
        .flat_map(|line| [if line.is_empty() { indent.trim_end() } else { indent }, line, "\n"])
        .collect()
}

fn format_facet(out: &mut String, facet: &Facet) {
    let _ = writeln!(out, "{}", facet.field);
    for counted in &facet.values {
        let _ = writeln!(out, "  {:>6}  {}", counted.count, word(&counted.value));
    }
    out.push('\n');
}

fn format_explain(out: &mut String, explain: &Explain) {
    let _ = write!(out, "{} search in {} passages", word(&explain.mode), explain.allowed);
    if let Some(fusion) = explain.fusion {
        let _ = write!(out, ", fusion {}", word(&fusion));
    }
    out.push('\n');
    if let Some(vector) = &explain.vector {
        let paths: Vec<String> = vector.paths.iter().map(word).collect();
        let (compared, candidates) = (vector.compared, vector.candidates);
        let _ = writeln!(
            out,
            "  vectors: {candidates} candidates of {compared} compared, by {}",
            paths.join(", ")
        );
    }
    if let Some(lexical) = &explain.lexical {
        let _ = writeln!(out, "  words: {} candidates", lexical.candidates);
    }
    let _ = writeln!(
        out,
        "  together {} candidates; relevant from {}",
        explain.candidates, explain.min_relevance
    );
    for dropped in &explain.dropped {
        let _ = writeln!(out, "  left out by {}: {}", word(&dropped.rule), dropped.count);
    }
    for (rank, parts) in (1..).zip(&explain.hits) {
        let mut line = format!("  {rank}. fused {:.3}", parts.fused);
        for (name, part) in [
            ("cosine", parts.cosine),
            ("bm25", parts.bm25),
            ("coverage", parts.coverage),
            ("headings", parts.headings),
            ("evidence", parts.evidence),
        ] {
            if let Some(part) = part {
                let _ = write!(line, ", {name} {part:.3}");
            }
        }
        let _ = writeln!(out, "{line}");
    }
}
