//! The tools that a model has in a turn.

mod read;
mod spec;

use self::read::{Arguments, parse};
pub(super) use self::spec::specs;
use super::options::{AgentOptions, CustomTool};
use ibid_index::Filter;
use ibid_llm::{ToolCall, check_schema};
use ibid_retrieve::Query;

/// The tool that searches.
pub const SEARCH_TOOL: &str = "search_documents";
/// The tool by which the model judges its results.
pub(super) const EVALUATE_TOOL: &str = "evaluate_results";
/// The tool by which the model gives its answer.
pub(super) const DONE_TOOL: &str = "done";
/// The tool that writes down conditions and findings of a case.
pub(super) const RECORD_TOOL: &str = "record_findings";
/// The tool that has a case assessed.
pub(super) const ASSESS_TOOL: &str = "assess_case";
/// The tool that closes a case.
pub(super) const CLOSE_TOOL: &str = "close_case";

/// The names that no custom tool may have.
pub(super) const BUILT_IN: [&str; 6] =
    [SEARCH_TOOL, EVALUATE_TOOL, DONE_TOOL, RECORD_TOOL, ASSESS_TOOL, CLOSE_TOOL];

/// The most hits a search may ask for.
pub(super) const MOST_RESULTS: usize = 10;

/// The most characters of a query.
const MAX_QUERY_CHARS: usize = 1000;

/// The most bytes of a call's arguments that are read.
const MAX_ARGUMENT_BYTES: usize = 256 << 10;

/// What a call asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    /// A search, in a collection by name where there are several.
    Search(Box<Query>, Option<String>),
    /// The model's judgement of its results: whether they suffice, and what is missing.
    Evaluate,
    /// The answer, and the numbers of the sources it rests on.
    Done(String, Vec<u32>),
    /// Conditions and findings of a case.
    Record(Vec<String>, Vec<String>),
    /// The case is to be assessed.
    Assess,
    /// The case is to be closed, with a last word.
    Close(String),
    /// A tool of the host's.
    Custom,
}

/// What the call asks for, or what to tell the model about it.
///
/// `available` are the names of the tools that exist now. Numbers are taken as they can be: models write them as text too,
/// and one out of range is as good as the nearest in it. A query that cannot be had is the model's to mend.
pub(super) fn read(call: &ToolCall, options: &AgentOptions, available: &[String]) -> Result<Request, String> {
    if !available.contains(&call.name) {
        let name: String = call.name.chars().take(60).collect();
        return Err(format!("There is no tool named {name:?} now. There is: {}.", available.join(", ")));
    }
    if call.arguments.len() > MAX_ARGUMENT_BYTES {
        return Err(format!("The arguments are longer than {} KiB.", MAX_ARGUMENT_BYTES >> 10));
    }
    let arguments = parse(&call.arguments).map_err(|problem| {
        format!(
            "The arguments are {problem}. Call {} again with a JSON object as its schema says.",
            call.name
        )
    })?;
    if let Some(tool) = options.tools.iter().find(|tool| tool.name == call.name) {
        return custom(tool, &arguments);
    }
    let arguments = Arguments(&arguments);
    match call.name.as_str() {
        EVALUATE_TOOL => Ok(Request::Evaluate),
        DONE_TOOL => Ok(Request::Done(arguments.text("answer")?, arguments.numbers("sources"))),
        RECORD_TOOL => Ok(Request::Record(arguments.texts("conditions"), arguments.texts("findings"))),
        ASSESS_TOOL => Ok(Request::Assess),
        CLOSE_TOOL => Ok(Request::Close(arguments.text("message")?)),
        _ => search(&arguments, options),
    }
}

fn custom(tool: &CustomTool, arguments: &serde_json::Value) -> Result<Request, String> {
    let problems = check_schema(&tool.parameters, arguments);
    if problems.is_empty() {
        return Ok(Request::Custom);
    }
    Err(format!("The arguments do not fit the tool's schema: {}.", problems.join("; ")))
}

fn search(arguments: &Arguments<'_>, options: &AgentOptions) -> Result<Request, String> {
    let text = arguments.text("query")?;
    if text.chars().count() > MAX_QUERY_CHARS {
        return Err(format!("The query is longer than {MAX_QUERY_CHARS} characters. Use a few key words."));
    }
    let limit = arguments.number("max_results").map(|number| number.clamp(1.0, MOST_RESULTS as f64) as usize);
    let mut query = options.query(text, limit);
    let collection = match arguments.text("collection") {
        Ok(name) if options.collections.len() > 1 => {
            let names: Vec<_> = options.collection_names().collect();
            if !names.contains(&name.as_str()) {
                return Err(format!(
                    "There is no collection named {name:?}. There is: {}.",
                    names.join(", ")
                ));
            }
            Some(name)
        }
        _ => options.collection_names().next().map(str::to_owned),
    };
    if let Some(given) = arguments.filter()? {
        let filter = Filter::from_json(&given)
            .map_err(|error| format!("The filter cannot be used: {}", error.message()))?;
        // The model can narrow what the caller allows, and not widen it.
        query.filter = Some(match query.filter.take() {
            Some(own) => own.and(filter),
            None => filter,
        });
    }
    Ok(Request::Search(Box::new(query), collection))
}
