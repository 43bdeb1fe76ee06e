//! What a call may take.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use ibid_platform::{Error, ErrorCode, Result};

/// The longest limit: a day.
const LONGEST_MS: u64 = 86_400_000;

/// How long a provider may take, in milliseconds. What takes longer ends as [`ErrorCode::Timeout`], and is tried again where
/// none of the reply was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Timeouts {
    /// From the request to the end of the reply; 300,000 by default.
    pub step_ms: u64,
    /// From the request to the first bytes of the reply; 60,000 by default. A local server that has to load a model first
    /// may need more.
    pub first_chunk_ms: u64,
    /// Between two pieces of the reply; 60,000 by default.
    pub idle_ms: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { step_ms: 300_000, first_chunk_ms: 60_000, idle_ms: 60_000 }
    }
}

impl Timeouts {
    pub(super) fn validate(&self) -> Result<()> {
        let fits = |ms: &u64| (1..=LONGEST_MS).contains(ms);
        if [self.step_ms, self.first_chunk_ms, self.idle_ms].iter().all(fits) {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::InvalidOption,
            "A time limit of the provider is not between 1 ms and a day.",
        ))
    }

    pub(crate) fn step(&self) -> Duration {
        Duration::from_millis(self.step_ms)
    }

    pub(crate) fn first_chunk(&self) -> Duration {
        Duration::from_millis(self.first_chunk_ms)
    }

    pub(crate) fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }
}

/// How much a model may reason before it answers, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasoningEffort {
    /// As little as the model allows; not at all where it can be switched off.
    None,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

impl ReasoningEffort {
    /// The word that most formats have for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
