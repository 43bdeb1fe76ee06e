//! What JavaScript passes in.

use serde::Deserialize;

use crate::agent::{AgentOptions, Policy};
use crate::error::Result;
use crate::llm::Provider;
use crate::platform::nonce;
use crate::retrieve::Query;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AskOptions {
    llm: Option<Provider>,
    max_turns: Option<u32>,
    max_searches: Option<u32>,
    limit: Option<usize>,
    threshold: Option<f32>,
    /// What all searches of the run have in common: a `Query` as JSON.
    query: Option<String>,
}

impl AskOptions {
    /// The limits of the run, and the provider to run it with; without one, passages are quoted.
    pub(super) fn split(self) -> Result<(AgentOptions, Option<Provider>)> {
        if let Some(provider) = &self.llm {
            provider.validate()?;
        }
        let default = AgentOptions::default();
        let options = AgentOptions {
            policy: if self.llm.is_some() { Policy::Tools } else { Policy::Extractive },
            max_turns: self.max_turns.unwrap_or(default.max_turns),
            max_searches: self.max_searches.unwrap_or(default.max_searches),
            max_results: self.limit.unwrap_or(default.max_results),
            threshold: self.threshold,
            query: self.query.as_deref().map(Query::from_json).transpose()?.unwrap_or_default(),
            nonce: nonce()?,
            ..default
        };
        Ok((options, self.llm))
    }
}
