//! Classify, decompose, search, choose, answer, judge.

use serde::{Deserialize, Serialize};

use super::query::{list_of, query_of};
use crate::agent::run::AgentRun;
use crate::agent::state::State;
use crate::agent::stop::Left;

/// The most sub-queries.
const MOST_SUB_QUERIES: usize = 4;

/// What kind of question it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(in crate::agent) enum Class {
    #[default]
    Simple,
    Comparative,
    MultiStep,
    Temporal,
}

impl Class {
    pub(in crate::agent) const fn name(self) -> &'static str {
        match self {
            Self::Simple => "SIMPLE",
            Self::Comparative => "COMPARATIVE",
            Self::MultiStep => "MULTI_STEP",
            Self::Temporal => "TEMPORAL",
        }
    }

    /// How many sub-queries the model is asked for.
    pub(in crate::agent) const fn sub_queries(self) -> usize {
        match self {
            Self::Simple => 1,
            Self::Comparative | Self::Temporal => 2,
            Self::MultiStep => 3,
        }
    }

    /// The first class that a reply names; [`Class::Simple`] if it names none.
    fn read(reply: &str) -> Self {
        let reply = reply.to_uppercase().replace(['-', ' '], "_");
        let named = [Self::Simple, Self::Comparative, Self::MultiStep, Self::Temporal]
            .into_iter()
            .filter_map(|class| Some((reply.find(class.name())?, class)));
        named.min_by_key(|(at, _)| *at).map_or(Self::Simple, |(_, class)| class)
    }
}

impl AgentRun {
    pub(in crate::agent) fn start_pipeline(&mut self) {
        if self.left() == Left::Enough {
            self.enter(State::Classify);
        } else {
            self.decomposed("");
        }
    }

    pub(in crate::agent) fn classified(&mut self, reply: &str) {
        self.plan.class = Class::read(reply);
        self.trace.last().says(self.plan.class.name());
        if self.plan.class != Class::Simple && self.left() == Left::Enough {
            self.enter(State::Decompose);
        } else {
            self.decomposed("");
        }
    }

    pub(in crate::agent) fn decomposed(&mut self, reply: &str) {
        let mut queries = list_of(reply, MOST_SUB_QUERIES);
        if self.plan.class != Class::Simple {
            self.trace.last().count(queries.len());
        }
        if queries.is_empty() {
            queries.push(self.query.clone());
        }
        self.find(queries.into_iter().map(|query| (query.clone(), query)));
    }

    /// Takes in the judgement: where something is missing and there is a query for it that was not made, it is searched for
    /// and the answer is written again.
    pub(in crate::agent) fn reflected(&mut self, reply: &str) {
        let lower = reply.to_uppercase();
        let refined = lower.find("INSUFFICIENT").and_then(|at| {
            // The two texts may differ in length, by letters whose capitals are longer.
            let rest = reply.get(at + "INSUFFICIENT".len()..)?;
            query_of(rest.trim_start_matches(|c: char| !c.is_alphanumeric()))
        });
        let made = self.plan.queries();
        let refined = refined.filter(|query| made.iter().all(|other| !other.eq_ignore_ascii_case(query)));
        self.trace.last().says(refined.as_deref().unwrap_or("SUFFICIENT"));
        match (refined, self.draft.clone()) {
            (Some(query), _) => self.find([(query.clone(), query)]),
            (None, Some(draft)) => self.conclude(&draft.text, draft.finish),
            (None, None) => {
                self.quote_what_was_found(ibid_llm::FinishReason::Stop, "The model gave no answer.");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_read_out_of_replies() {
        for (reply, class) in [
            ("SIMPLE", Class::Simple),
            ("This is comparative.", Class::Comparative),
            ("**Multi-step**", Class::MultiStep),
            ("MULTI STEP, not SIMPLE", Class::MultiStep),
            ("temporal", Class::Temporal),
            ("I cannot say", Class::Simple),
            ("", Class::Simple),
        ] {
            assert_eq!(Class::read(reply), class, "{reply}");
        }
    }
}
