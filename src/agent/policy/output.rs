//! An answer in a given form.

use crate::agent::request::json_of;
use crate::agent::run::AgentRun;
use crate::agent::state::{Misfit, State};
use crate::agent::stop::Left;
use ibid_llm::check_schema;

impl AgentRun {
    /// Takes in the answer as JSON. What does not fit the schema is asked for once more.
    pub(in crate::agent) fn formatted(&mut self, reply: &str, repaired: bool) {
        let schema = self.options.output.as_ref().map(|output| output.schema.clone()).unwrap_or_default();
        let (value, problems) = match json_of(reply) {
            Ok(value) => {
                let problems = check_schema(&schema, &value);
                (Some(value), problems)
            }
            Err(problem) => (None, vec![problem]),
        };
        if problems.is_empty() {
            self.finish(value, None);
        } else if repaired || matches!(self.left(), Left::Nothing(_)) {
            self.trace.last().says(problems.join("; "));
            self.finish(
                None,
                Some(format!("The model's JSON does not fit the schema: {}.", problems.join("; "))),
            );
        } else {
            self.trace.last().says(problems.join("; "));
            self.enter(State::Format(Some(Misfit { text: reply.to_owned(), problems })));
        }
    }
}
