//! `ibid ask`.

use std::fmt::Write;

use super::http::NativeHttp;
use super::system::{SystemClock, variable};
use super::{IndexArg, note, print, print_json, search};
use crate::agent::{AgentOptions, AgentRun, Answer, AskEvent, Policy, drive};
use crate::error::Result;
use crate::llm::{HttpModel, Provider};
use crate::platform::nonce;

/// Where the key comes from. An argument could be read by every other user of the machine.
const KEY: &str = "IBID_API_KEY";

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    index: IndexArg,
    /// What to ask.
    question: String,
    /// The model that answers, as its provider spells it. Without one, the best passages are quoted.
    #[arg(long, value_name = "NAME", requires = "base_url")]
    model: Option<String>,
    /// Where the model is reached by the Chat Completions format; the key comes from `IBID_API_KEY`.
    #[arg(long, value_name = "URL", requires = "model")]
    base_url: Option<String>,
    /// How often the model may be called, 2 to 20.
    #[arg(long, default_value_t = AgentOptions::default().max_turns, value_name = "N")]
    max_turns: u32,
    /// The least similarity of a passage, from -1 to 1 [default: what the index was calibrated to]
    #[arg(long, allow_negative_numbers = true, value_name = "COSINE")]
    threshold: Option<f32>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let provider = provider(args)?;
    let options = AgentOptions {
        policy: if provider.is_some() { Policy::Tools } else { Policy::Extractive },
        max_turns: args.max_turns,
        threshold: args.threshold,
        nonce: nonce()?,
        ..AgentOptions::default()
    };
    let mut run = AgentRun::new(&args.question, options)?;
    let retriever = search::open(&args.index)?;
    let http = NativeHttp::new();
    let mut report = |event: AskEvent| describe(&event).into_iter().for_each(|line| note(&line));
    let model = provider.as_ref().map(|provider| HttpModel::new(provider, &http, &SystemClock));
    let driven = drive(&mut run, model.as_ref(), &retriever, &mut report);
    let answer = pollster::block_on(driven)?;
    if args.json { print_json(&answer) } else { print(&format_answer(&answer)) }
}

fn provider(args: &Args) -> Result<Option<Provider>> {
    let Some((model, base_url)) = args.model.as_ref().zip(args.base_url.as_ref()) else { return Ok(None) };
    let provider = Provider::new(base_url, model)?.with_api_key(variable(KEY).unwrap_or_default());
    provider.validate()?;
    Ok(Some(provider))
}

/// A line about an event; the text of turns is left out, since only the last turn's is the answer.
fn describe(event: &AskEvent) -> Option<String> {
    Some(match event {
        AskEvent::Turn { turn, .. } => format!("turn {turn}"),
        AskEvent::Search { query, .. } => format!("  searching: {query}"),
        AskEvent::Sources { sources, .. } => {
            let numbers: Vec<String> = sources.iter().map(|source| format!("[{}]", source.number)).collect();
            format!("  found {} passages {}", sources.len(), numbers.join(" "))
        }
        AskEvent::ToolError { name, message, .. } => {
            format!("  the model called `{name}` wrongly: {message}")
        }
        AskEvent::Retry { attempt, delay_ms, reason } => {
            format!("  retry {attempt} in {delay_ms} ms: {reason}")
        }
        AskEvent::Text { .. } => return None,
    })
}

fn format_answer(answer: &Answer) -> String {
    let mut out = format!("{}\n", answer.text.trim_end());
    let mut cited: Vec<_> = answer.citations.iter().map(|citation| &citation.source).collect();
    cited.sort_by_key(|source| source.number);
    cited.dedup_by_key(|source| source.number);
    if !cited.is_empty() {
        out.push_str("\nSources\n");
    }
    for source in cited {
        let path = source.hit.heading_path.join(" > ");
        // Writing to a string cannot fail.
        let _ = writeln!(out, "[{}] {path}  ({}:{})", source.number, source.hit.source, source.hit.line);
    }
    for flag in &answer.flags {
        let _ = write!(out, "\nnote: {}\n", flag.message);
    }
    out
}
