//! One search, one call of the model.

use super::query::query_of;
use crate::agent::run::AgentRun;
use crate::agent::state::{Draft, State};
use crate::agent::step::Purpose;
use crate::agent::stop::Left;
use ibid_llm::{FinishReason, ModelReply};
use ibid_trust::cite::check;

/// How often a pipeline may write its answer.
const MOST_ITERATIONS: u32 = 3;

impl AgentRun {
    pub(in crate::agent) fn start_classic(&mut self) {
        self.find([(self.query.clone(), self.query.clone())]);
    }

    /// Takes in the question as a query; without one, the question is the query.
    pub(in crate::agent) fn rewritten(&mut self, reply: &str) {
        if let Some(query) = query_of(reply) {
            self.query = super::expand(&query, &self.options.enhance.abbreviations);
        }
        let query = self.query.clone();
        self.trace.last().says(query);
        self.question_is_ready();
    }

    /// Takes in an answer that was written from what was found.
    pub(in crate::agent) fn written(&mut self, purpose: Purpose, reply: &ModelReply) {
        let text = reply.text.trim();
        let finish = match reply.finish_reason {
            FinishReason::ToolCalls => FinishReason::Stop,
            finish => finish,
        };
        if !text.is_empty() {
            self.keep_the_better(text, finish);
        }
        let Some(draft) = self.draft.clone() else {
            self.quote_what_was_found(finish, "The model gave no answer.");
            return;
        };
        if purpose == Purpose::Assess {
            self.conversation.case.assessed = true;
        }
        self.plan.iteration += 1;
        let again = self.plan.iteration < MOST_ITERATIONS && !draft.finish.is_cut_off();
        if purpose == Purpose::Synthesize && again && self.left() == Left::Enough {
            self.enter(State::Reflect);
        } else {
            self.conclude(&draft.text, draft.finish);
        }
    }

    /// A later answer takes the place of an earlier one, unless it was cut off or cites nothing where that did.
    fn keep_the_better(&mut self, text: &str, finish: FinishReason) {
        let cites = |text: &str| !check(text, &self.conversation.register).citations.is_empty();
        let worse = self
            .draft
            .as_ref()
            .is_some_and(|draft| finish.is_cut_off() || (cites(&draft.text) && !cites(text)));
        if !worse {
            self.draft = Some(Draft { text: text.to_owned(), finish });
        }
    }
}
