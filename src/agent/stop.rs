//! Limits on which a run comes to its end.

use serde::{Deserialize, Serialize};

use ibid_llm::Usage;

/// The reason why the model got no more tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// The limit of turns.
    Turns,
    /// The limit of searches.
    Searches,
    /// The limit of steps.
    Steps,
    /// A number of tokens.
    Tokens,
    /// An amount of money.
    Cost,
    /// The model made the same call again and again.
    Repetition,
    /// The run took longer than it was given.
    Timeout,
}

/// The work that a run has done so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// The number of calls of the model.
    pub turns: u32,
    /// The number of searches.
    pub searches: u32,
    /// The number of calls of the host's tools.
    pub tool_calls: u32,
    /// The tokens used, as far as the provider told.
    pub usage: Option<Usage>,
    /// The tokens used, with an estimate for calls whose usage was not told.
    pub tokens: u64,
    /// The money spent, if all models called have a price.
    pub cost: Option<f64>,
    /// The names of the tools called, each once.
    pub tools_called: Vec<String>,
}

impl Progress {
    /// Turns and tool calls together.
    pub fn steps(&self) -> u32 {
        self.turns.saturating_add(self.searches).saturating_add(self.tool_calls)
    }

    pub(super) fn called(&mut self, tool: &str) {
        if self.tools_called.iter().all(|name| name != tool) {
            self.tools_called.push(tool.to_owned());
        }
    }
}

/// The limit of what a run may use up. When it is used up, the model is not called again, and what was found
/// is quoted; when one more call like the last would use it up, that call has no tools and is the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budget {
    /// Tokens read and written in all calls; no limit by default. Calls whose usage the provider does not
    /// tell count by an estimate of four characters a token.
    pub tokens: Option<u64>,
    /// Money, in the currency of [`AgentOptions::prices`](super::AgentOptions::prices), without which this
    /// has no effect.
    pub cost: Option<f64>,
}

/// The rest of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Enough for more than one call.
    Enough,
    /// Enough for one more call.
    OneCall(StoppedBy),
    /// Nothing.
    Nothing(StoppedBy),
}

impl Budget {
    pub(super) fn is_valid(&self) -> bool {
        self.tokens != Some(0) && self.cost.is_none_or(|cost| cost > 0.0 && cost.is_finite())
    }

    /// Computes the rest, where the last call took `last_tokens` and `last_cost`.
    pub(super) fn left(&self, progress: &Progress, last_tokens: u64, last_cost: f64) -> Left {
        let tokens = self.tokens.map(|limit| {
            let spent = progress.tokens;
            (spent >= limit, spent.saturating_add(last_tokens.saturating_mul(2)) > limit, StoppedBy::Tokens)
        });
        let cost = self
            .cost
            .zip(progress.cost)
            .map(|(limit, spent)| (spent >= limit, spent + last_cost + last_cost > limit, StoppedBy::Cost));
        let both = [tokens, cost];
        let mut limits = both.iter().flatten();
        if let Some((_, _, by)) = limits.clone().find(|(nothing, ..)| *nothing) {
            return Left::Nothing(*by);
        }
        limits.find(|(_, one, _)| *one).map_or(Left::Enough, |(_, _, by)| Left::OneCall(*by))
    }
}

/// The price of a model, per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Price {
    /// Tokens read.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Tokens read from the provider's cache; as other tokens read, by default.
    #[serde(default)]
    pub cached_input: Option<f64>,
}

impl Price {
    pub(super) fn is_valid(&self) -> bool {
        [self.input, self.output, self.cached_input.unwrap_or_default()]
            .iter()
            .all(|price| *price >= 0.0 && price.is_finite())
    }

    /// Returns the cost of a call.
    pub fn of(&self, usage: Usage) -> f64 {
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let read = (usage.input_tokens - cached) as f64 * self.input;
        let from_cache = cached as f64 * self.cached_input.unwrap_or(self.input);
        (read + from_cache + usage.output_tokens as f64 * self.output) / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress() -> Progress {
        Progress { turns: 2, searches: 1, tokens: 900, cost: Some(0.2), ..Progress::default() }
    }

    #[test]
    fn a_budget_ends_with_one_call_to_spare() {
        let budget = |tokens| Budget { tokens: Some(tokens), cost: None };
        assert_eq!(budget(900).left(&progress(), 100, 0.0), Left::Nothing(StoppedBy::Tokens));
        assert_eq!(budget(1050).left(&progress(), 100, 0.0), Left::OneCall(StoppedBy::Tokens));
        assert_eq!(budget(1100).left(&progress(), 100, 0.0), Left::Enough);
        let money = Budget { tokens: None, cost: Some(0.25) };
        assert_eq!(money.left(&progress(), 0, 0.03), Left::OneCall(StoppedBy::Cost));
        assert_eq!(money.left(&Progress { cost: None, ..progress() }, 0, 9.0), Left::Enough);
    }

    #[test]
    fn cached_tokens_have_their_own_price() {
        let usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 500_000,
            cached_input_tokens: 400_000,
            ..Usage::default()
        };
        let price = Price { input: 1.0, output: 10.0, cached_input: Some(0.1) };
        assert!((price.of(usage) - 5.64).abs() < 1e-9);
        assert!((Price { cached_input: None, ..price }.of(usage) - 6.0).abs() < 1e-9);
    }
}
