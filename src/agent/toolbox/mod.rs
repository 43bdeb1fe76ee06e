//! The tools that a model has in a turn.

mod offer;
mod read;
mod spec;

pub(super) use self::offer::{limit, may_use, names};
pub(super) use self::read::Refusal;
use self::read::{Arguments, parse};
pub(super) use self::spec::specs;
use super::names::{ASSESS_TOOL, CLOSE_TOOL, DONE_TOOL, EVALUATE_TOOL, RECORD_TOOL};
use super::options::{AgentOptions, CustomTool, MOST_RESULTS};
use ibid_index::Filter;
use ibid_llm::{ToolCall, check_schema};
use ibid_retrieve::Query;

/// The most characters of a query.
const MAX_QUERY_CHARS: usize = 1000;

/// The most bytes of a call's arguments that are read.
const MAX_ARGUMENT_BYTES: usize = 256 << 10;

/// The wish of a call.
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

/// Reads a call.
///
/// `available` are the names of the tools that exist now. Numbers are taken as they can be: models write them
/// as text too, and one out of range is as good as the nearest in it. A query that cannot be read is the
/// model's to mend.
pub(super) fn read(
    call: &ToolCall,
    options: &AgentOptions,
    available: &[String],
) -> Result<Request, Refusal> {
    if !available.contains(&call.name) {
        let name: String = call.name.chars().take(60).collect();
        return Err(
            format!("There is no tool named {name:?} now. There is: {}.", available.join(", ")).into()
        );
    }
    if call.arguments.len() > MAX_ARGUMENT_BYTES {
        return Err(format!("The arguments are longer than {} KiB.", MAX_ARGUMENT_BYTES >> 10).into());
    }
    let arguments = parse(&call.name, &call.arguments)?;
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

fn custom(tool: &CustomTool, arguments: &serde_json::Value) -> Result<Request, Refusal> {
    let problems = check_schema(&tool.parameters, arguments);
    if problems.is_empty() {
        return Ok(Request::Custom);
    }
    Err(format!("The arguments do not fit the tool's schema: {}.", problems.join("; ")).into())
}

fn search(arguments: &Arguments<'_>, options: &AgentOptions) -> Result<Request, Refusal> {
    let text = arguments.text("query")?;
    if text.chars().count() > MAX_QUERY_CHARS {
        let told = format!("The query is longer than {MAX_QUERY_CHARS} characters. Use a few key words.");
        return Err(told.into());
    }
    let limit = arguments.number("max_results").map(|number| number.clamp(1.0, MOST_RESULTS as f64) as usize);
    let mut query = options.query(text, limit);
    let collection = match arguments.text("collection") {
        Ok(name) if options.collections.len() > 1 => {
            let names: Vec<_> = options.collection_names().collect();
            if !names.contains(&name.as_str()) {
                let told = format!("There is no collection named {name:?}. There is: {}.", names.join(", "));
                return Err(told.into());
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
