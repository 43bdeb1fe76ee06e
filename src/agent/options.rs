//! Options of a run: its policy, its limits, its tools.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::names::BUILT_IN;
use super::prompt::Prompts;
use super::stages::Stages;
use super::stop::{Budget, Price};
use ibid_llm::Image;
use ibid_platform::{Error, ErrorCode, Result, deserialize};
use ibid_retrieve::{Hit, Query};
use ibid_trust::guard::GuardOptions;
use ibid_trust::guard::pii::PiiOptions;

/// The least relevance of a hit that may be evidence: nearly all questions of readers find one, and three in four of other
/// people's questions and small talk none. The model or the quotes say if it answers.
const MAY_ANSWER: f32 = 0.3;

/// The most hits a search may ask for.
pub(super) const MOST_RESULTS: usize = 10;

/// The limits of a run, and how it goes about its question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option on its own, and any combination makes sense"
)]
pub struct AgentOptions {
    /// The way in which the answer is found.
    pub policy: Policy,
    /// The most calls of the model by [`Policy::Tools`] and [`Policy::Case`], 2 to 20; 4 by default. In the
    /// last turn it has no tools, so that there is always an answer.
    pub max_turns: u32,
    /// The most searches that the model may make, 1 to 20; 3 by default.
    pub max_searches: u32,
    /// The hits of a search that does not say how many it wants, 1 to 10; 10 by default.
    pub max_results: usize,
    /// The query that all searches have in common, such as a filter; its text and its limit are not used. By default
    /// a hit that vectors had a part in needs a [relevance](ibid_retrieve::Hit::relevance) of 0.3.
    pub query: Query,
    /// True if the driver's host is asked before each call of the model what to change about it.
    pub prepare_step: bool,
    /// True if the driver's host scores what [`Policy::Pipeline`] has found, see [`Host::rerank`](super::Host::rerank).
    pub rerank: bool,
    /// The limit of what the run may cost; none by default.
    pub budget: Budget,
    /// The prices of models, by name.
    pub prices: BTreeMap<String, Price>,
    /// Changes of the query of [`Policy::Classic`].
    pub enhance: Enhance,
    /// True if the model has a tool by which it says how good its results are.
    pub evaluate_tool: bool,
    /// True if the model gives its answer by a tool, and has to call one in each turn.
    pub done_tool: bool,
    /// The images that the question is about; none by default. They are shown to the model that answers or
    /// rewrites the question, and no later question has them.
    pub images: Vec<Image>,
    /// The form of [`Answer::output`](super::Answer::output); none by default.
    pub output: Option<OutputSpec>,
    /// The words that the model is told.
    pub prompts: Prompts,
    /// Tools besides those of the run.
    pub tools: Vec<CustomTool>,
    /// The indexes that can be searched, the default one first; a single one without a name by default.
    pub collections: Vec<CollectionSpec>,
    /// The stages of the conversation, which decide on tools.
    pub stages: Option<Stages>,
    /// The most tokens of earlier turns of a conversation that the model sees, at four characters each; 4,000
    /// by default.
    pub history_tokens: usize,
    /// Options of the guard on the question. Emergencies are answered with the clinical preset and
    /// not looked for with the other, unless this says otherwise.
    pub guard: GuardOptions,
    /// The personal data that the model does not see.
    pub pii: PiiOptions,
    /// The treatment of claims that their sources do not support.
    pub verify: VerifyPolicy,
    /// True if the model is asked about claims that computation cannot decide, by a call of its own.
    pub judge: bool,
    /// The confidence, 0 to 1, below which the best passages are quoted instead of the model's answer; 0.3 by
    /// default with the clinical preset, and 0, which is never, with the other.
    pub abstain_below: Option<f32>,
    /// True if the run keeps notes for its record in an audit log.
    pub audit: bool,
    /// 6 to 64 ASCII letters and digits that no document can know, new for each run: they mark where sources
    /// begin and end. There is no default, because nothing here is random; [`Policy::Extractive`] needs none.
    pub nonce: String,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            policy: Policy::Tools,
            max_turns: 4,
            max_searches: 3,
            max_results: 10,
            query: Query::default(),
            prepare_step: false,
            rerank: false,
            budget: Budget::default(),
            prices: BTreeMap::new(),
            enhance: Enhance::default(),
            evaluate_tool: false,
            done_tool: false,
            images: Vec::new(),
            output: None,
            prompts: Prompts::default(),
            tools: Vec::new(),
            collections: Vec::new(),
            stages: None,
            history_tokens: 4000,
            guard: GuardOptions::default(),
            pii: PiiOptions::default(),
            verify: VerifyPolicy::default(),
            judge: false,
            abstain_below: None,
            audit: false,
            nonce: String::new(),
        }
    }
}

deserialize!(AgentOptions over default, none_left:
    policy, max_turns as "maxTurns", max_searches as "maxSearches", max_results as "maxResults", query,
    prepare_step as "prepareStep", rerank, budget, prices, enhance, evaluate_tool as "evaluateTool",
    done_tool as "doneTool", images, output, prompts, tools, collections, stages,
    history_tokens as "historyTokens", guard, pii, verify, judge, abstain_below as "abstainBelow", audit, nonce);

/// The way in which a run goes about its question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// A model searches by tool calls, as often as it needs to, and writes the answer.
    #[default]
    Tools,
    /// One search with the question, perhaps rewritten, and one call of the model with what it finds.
    Classic,
    /// The question is taken apart, all parts are searched for, and the answer is judged and improved.
    Pipeline,
    /// Conditions and findings: one search for each condition, one assessment over all; until there are both,
    /// an interview.
    Case,
    /// One of the others, by the form of the question: see [`choose`](super::choose).
    Auto,
    /// No model: one search with the question itself, and the best passages are quoted.
    Extractive,
}

/// The treatment of claims that their sources do not support.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerifyPolicy {
    /// Nothing is checked but whether the sources cited exist.
    Off,
    /// They are flagged.
    #[default]
    Mark,
    /// They are taken out, and so is what states something and cites nothing; the answer says so.
    Strict,
    /// The model is told and writes the answer once more; what is then left is flagged.
    Repair,
}

/// Changes of a question before it is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Enhance {
    /// True if the model rewrites it as a query, by a call of its own.
    pub rewrite: bool,
    /// Abbreviations, and what they stand for, which is added behind them.
    pub abbreviations: BTreeMap<String, String>,
}

/// The form of an answer for programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputSpec {
    /// Its name, 1 to 64 ASCII letters, digits, `_` and `-`; `answer` by default.
    #[serde(default = "answer")]
    pub name: String,
    /// Its JSON Schema.
    pub schema: Value,
}

fn answer() -> String {
    "answer".to_owned()
}

/// A tool that the driver's host runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CustomTool {
    /// Its name, 1 to 64 ASCII letters, digits, `_` and `-`.
    pub name: String,
    /// Its description: the work it does and when to use it.
    pub description: String,
    /// The JSON Schema of its arguments, which calls are checked against.
    pub parameters: Value,
    /// True if it changes nothing.
    #[serde(default)]
    pub read_only: bool,
    /// The stages in which it exists; all by default.
    #[serde(default)]
    pub stage: Vec<String>,
}

/// An index among several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CollectionSpec {
    /// Its name, by which the model and the host know it.
    pub name: String,
    /// Its content.
    pub description: String,
    /// The fields that the model may filter by.
    pub fields: Vec<FieldSpec>,
    /// True if a search in it is sent to somebody else, so that it must hold no personal data.
    pub remote: bool,
}

/// A field of the metadata that the model may filter by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FieldSpec {
    /// Its name.
    pub name: String,
    /// The kind of its values.
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// All values of a keyword, where there are few.
    #[serde(default)]
    pub values: Vec<String>,
}

/// A kind of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// Words, one or several a document.
    Keyword,
    /// Numbers.
    Number,
    /// True or false.
    Boolean,
    /// Days, such as 2024-05-31.
    Date,
}

impl AgentOptions {
    /// Checks every option, so that a mistake is reported as what it is and not as a run that fails.
    pub(super) fn validate(&self) -> Result<()> {
        let nonce_fits = (6..=64).contains(&self.nonce.len())
            && self.nonce.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let names = self.tools.iter().map(|tool| &tool.name);
        let output = self.output.iter().map(|output| &output.name);
        for (fits, message) in [
            ((2..=20).contains(&self.max_turns), "maxTurns is not between 2 and 20."),
            ((1..=20).contains(&self.max_searches), "maxSearches is not between 1 and 20."),
            ((1..=MOST_RESULTS).contains(&self.max_results), "maxResults is not between 1 and 10."),
            (
                self.abstain_below.is_none_or(|value| (0.0..=1.0).contains(&value)),
                "abstainBelow is not between 0 and 1.",
            ),
            (
                nonce_fits || self.policy == Policy::Extractive,
                "The nonce is not 6 to 64 ASCII letters and digits.",
            ),
            (
                names.chain(output).all(|name| is_name(name)),
                "The name of a tool or of the output is not 1 to 64 ASCII letters, digits, `_` and `-`.",
            ),
            (
                self.images.is_empty() || self.policy != Policy::Extractive,
                "There are images, but no model to read them.",
            ),
            (self.budget.is_valid(), "A budget is not a number above 0."),
            (self.prices.values().all(Price::is_valid), "A price is not a number from 0 up."),
        ] {
            if !fits {
                return Err(Error::new(ErrorCode::InvalidOption, message));
            }
        }
        Image::check(&self.images)?;
        self.check_names()
    }

    /// Tools and collections must be told apart by their names.
    fn check_names(&self) -> Result<()> {
        let mut seen: Vec<&str> = BUILT_IN.to_vec();
        for tool in &self.tools {
            if seen.contains(&tool.name.as_str()) {
                let message = format!("There are two tools named {:?}.", tool.name);
                return Err(Error::new(ErrorCode::InvalidOption, message)
                    .with_hint("Rename yours: it has the name of one of the run's own tools."));
            }
            seen.push(&tool.name);
        }
        for (at, collection) in self.collections.iter().enumerate() {
            if self.collections[..at].iter().any(|other| other.name == collection.name) {
                let message = format!("There are two collections named {:?}.", collection.name);
                return Err(Error::new(ErrorCode::InvalidOption, message));
            }
        }
        Ok(())
    }

    /// Computes the most turns and tool calls together: two for each turn, and two more.
    pub(super) const fn max_steps(&self) -> u32 {
        2 * self.max_turns + 2
    }

    /// Lists the names of the collections where there are several; a single one goes without saying.
    pub(super) fn collection_names(&self) -> impl Iterator<Item = &str> {
        let several = Some(self.collections.as_slice()).filter(|collections| collections.len() > 1);
        several.unwrap_or_default().iter().map(|collection| collection.name.as_str())
    }

    /// Makes the query of a search, with what all searches have in common.
    pub(super) fn query(&self, text: impl Into<String>, limit: Option<usize>) -> Query {
        Query { text: text.into(), limit: limit.unwrap_or(self.max_results), ..self.query.clone() }
    }

    /// Leaves of the hits what can be evidence: a search shows the nearest, an answer rests on what may be relevant.
    ///
    /// Where words alone were searched no hit has a cosine, and relevance says too little.
    pub(super) fn keep_relevant(&self, hits: &mut Vec<Hit>) {
        if self.query.min_relevance.is_none() && hits.iter().any(|hit| hit.cosine.is_some()) {
            hits.retain(|hit| hit.relevance >= MAY_ANSWER);
        }
    }
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
