//! `ibid ask`.

mod checks;
mod show;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::checks::Checks;
use self::show::Streamed;
use crate::IndexArg;
use crate::target::SearchTarget;
use crate::terminal;
use ibid::agent::{
    AgentOptions, AgentRun, AskEvent, Budget, CollectionSpec, Conversation, OutputSpec, Policy, Preset,
    Prompts, SearchOnly, drive,
};
use ibid_llm::{HttpModel, Provider, ProviderKind, ReasoningEffort};
use ibid_native::http::NativeHttp;
use ibid_native::system::{SystemClock, block_on, variable};
use ibid_native::{named, note, print_json, provider};
use ibid_platform::nonce;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_trust::cite::{BibliographyFormat, Source};

/// The place where the key comes from. An argument could be read by every other user of the machine.
const KEY: &str = "IBID_API_KEY";

#[derive(clap::Args)]
pub(super) struct AskArgs {
    #[command(flatten)]
    index: IndexArg,
    /// The question.
    question: String,
    /// The model that answers, in its provider's spelling; without one, ibid quotes the best passages. The key comes
    /// from `IBID_API_KEY`.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The provider of the model, which decides the format.
    #[arg(long, value_name = "NAME", default_value = "openai", requires = "model")]
    #[arg(value_parser = provider(|row| row.api.is_some()))]
    provider: ProviderKind,
    /// The address of the model [default: the provider's]
    #[arg(long, value_name = "URL", requires = "model")]
    base_url: Option<String>,
    /// The way the answer is found [default: tools with a model, extractive without]
    #[arg(long, value_name = "NAME")]
    #[arg(value_parser = named::<Policy>(["auto", "classic", "tools", "pipeline", "case", "extractive"]))]
    policy: Option<Policy>,
    /// The kind of documents.
    #[arg(long, value_name = "NAME", default_value = "documentation")]
    #[arg(value_parser = named::<Preset>(["documentation", "clinical"]))]
    preset: Preset,
    /// How much the model may reason [default: the provider's choice]
    #[arg(long, value_name = "EFFORT", requires = "model")]
    #[arg(value_parser = named::<ReasoningEffort>(["none", "low", "medium", "high"]))]
    reasoning: Option<ReasoningEffort>,
    /// A file with a JSON Schema; the answer is printed as JSON that fits it, instead of text.
    #[arg(long, value_name = "FILE", requires = "model")]
    schema: Option<PathBuf>,
    /// The most tokens that the question may use.
    #[arg(long, value_name = "N", requires = "model")]
    max_tokens: Option<u64>,
    /// The most time that the question may take, in seconds.
    #[arg(long, value_name = "SECONDS", requires = "model")]
    timeout: Option<f64>,
    /// A file with the conversation to continue; created if missing.
    #[arg(long, value_name = "FILE")]
    conversation: Option<PathBuf>,
    #[command(flatten)]
    checks: Checks,
    /// List the cited sources as a bibliography.
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    #[arg(value_parser = named::<BibliographyFormat>(["list", "csl-json", "bibtex"]))]
    bibliography: Option<BibliographyFormat>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &AskArgs) -> Result<()> {
    let provider = provider_of(args)?;
    let kept = args.conversation.as_deref().map(read_conversation).transpose()?;
    let mut options = options(args, provider.is_some())?;
    if args.index.is_collection() {
        let spec = CollectionSpec { name: "documents".to_owned(), remote: true, ..CollectionSpec::default() };
        options.collections.push(spec);
    }
    let conversation = kept.unwrap_or_else(|| Conversation::new(None));
    let target = SearchTarget::open(&args.index)?;
    options.query.filter = target.filter_of(&args.question)?;
    let mut run = AgentRun::in_conversation(&args.question, options, conversation)?;
    let http = NativeHttp::for_services();
    let model = provider.as_ref().map(|provider| HttpModel::new(provider, &http, &SystemClock));
    // A person reads while it is written; a program wants the answer alone.
    let streams = !args.json && args.schema.is_none() && std::io::stdout().is_terminal();
    let mut streamed = Streamed::default();
    let mut found: Vec<Source> = Vec::new();
    let mut report = |event: AskEvent| {
        if streams {
            streamed.take(&event);
        }
        show::describe(&event).into_iter().for_each(|line| note(&line));
        if let AskEvent::Sources { sources, .. } = event {
            let is_new = |source: &Source| found.iter().all(|other| other.number != source.number);
            let new: Vec<Source> = sources.into_iter().filter(is_new).collect();
            found.extend(new);
        }
    };
    let timeout = args.timeout.map(seconds).transpose()?;
    let host = SearchOnly(&target);
    let driven = drive(&mut run, model.as_ref(), &host, &SystemClock, timeout, &mut report);
    let answer = block_on(driven);
    // A question that failed leaves the conversation as it was.
    if let (Some(path), Ok(_)) = (&args.conversation, &answer) {
        ibid_native::files::write(path, run.conversation().to_json()?.as_bytes())?;
    }
    // What a run that failed has sent, it has sent.
    if let (Some(path), Some(record)) = (&args.checks.audit, run.audit_record(answer.as_ref().err())) {
        super::audit::append(path, &record)?;
    }
    let answer = answer.map_err(|error| named_program(error, args.provider))?;
    if args.json {
        return print_json(&answer);
    }
    if args.schema.is_some() {
        return answer.output.as_ref().map_or_else(
            || {
                let problem = answer.output_problem.clone().unwrap_or_default();
                Err(Error::new(ErrorCode::OutputInvalid, problem)
                    .with_hint("The text of the answer is in `--json`."))
            },
            print_json,
        );
    }
    terminal::print(&show::format_answer(&answer, &found, &streamed, args.bibliography))
}

fn options(args: &AskArgs, has_model: bool) -> Result<AgentOptions> {
    let policy = match (args.policy, has_model) {
        (Some(Policy::Auto) | None, false) => Policy::Extractive,
        (None, true) => Policy::Tools,
        (Some(policy), _) => policy,
    };
    let output = args.schema.as_deref().map(read_schema).transpose()?;
    Ok(args.checks.apply(AgentOptions {
        policy,
        budget: Budget { tokens: args.max_tokens, cost: None },
        output,
        prompts: Prompts { preset: args.preset, ..Prompts::default() },
        nonce: nonce()?,
        ..AgentOptions::default()
    }))
}

fn provider_of(args: &AskArgs) -> Result<Option<Provider>> {
    let Some(model) = &args.model else { return Ok(None) };
    let mut provider = Provider::of(args.provider, model)?;
    if let Some(base_url) = &args.base_url {
        provider.endpoint.base_url.clone_from(base_url);
    }
    provider.reasoning = args.reasoning;
    if let Some(key) = variable(KEY) {
        provider = provider.with_api_key(key);
    }
    provider.validate()?;
    Ok(Some(provider))
}

/// Names the program that has to run, if a provider on this machine does not answer.
fn named_program(error: Error, provider: ProviderKind) -> Error {
    let command = match provider {
        ProviderKind::Ollama => "ollama serve",
        ProviderKind::LmStudio => "lms server start",
        ProviderKind::LlamaCpp => "llama-server -m FILE",
        ProviderKind::Vllm => "vllm serve MODEL",
        _ => return error,
    };
    match error.code() {
        ErrorCode::Network => {
            error.with_hint(format!("Is {} running? Start it with `{command}`.", provider.row().name))
        }
        _ => error,
    }
}

fn read_conversation(path: &Path) -> Result<Conversation> {
    match ibid_native::files::read_if_there(path)? {
        Some(bytes) => Conversation::from_json(&String::from_utf8_lossy(&bytes)),
        None => Ok(Conversation::new(None)),
    }
}

fn read_schema(path: &Path) -> Result<OutputSpec> {
    let bytes = ibid_native::files::read(path)?;
    let schema = serde_json::from_slice(&bytes).map_err(|error| {
        Error::new(ErrorCode::InvalidOption, format!("{} is not JSON: {error}.", path.display()))
    })?;
    Ok(OutputSpec { name: "answer".to_owned(), schema })
}

fn seconds(given: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(given).ok().filter(|timeout| !timeout.is_zero()).ok_or_else(|| {
        Error::new(ErrorCode::InvalidOption, "The time limit is not a number of seconds above 0.")
    })
}
