//! An interview that collects, then assesses, then closes.

use crate::agent::case::Case;
use crate::agent::run::AgentRun;
use crate::agent::state::State;

impl AgentRun {
    /// A question that is a case itself is assessed at once; any other begins or continues the interview.
    pub(in crate::agent) fn start_case(&mut self) {
        match Case::parse(&self.question) {
            Some(case) => {
                let known = &mut self.conversation.case;
                if known.closed {
                    *known = Case::default();
                }
                case.conditions.iter().for_each(|condition| known.add_condition(condition));
                case.findings.iter().for_each(|finding| known.add_finding(finding));
                self.start_assessment();
            }
            None => self.enter(State::Turn),
        }
    }

    /// One search for each condition, with all findings.
    pub(super) fn start_assessment(&mut self) {
        let case = &mut self.conversation.case;
        case.assessed = false;
        let queries: Vec<_> =
            case.conditions.iter().map(|condition| (case.query(condition), condition.clone())).collect();
        self.find(queries);
    }

    /// Writes down what the model has learnt, and tells it what is written.
    pub(super) fn record(&mut self, conditions: &[String], findings: &[String]) -> String {
        let case = &mut self.conversation.case;
        conditions.iter().for_each(|condition| case.add_condition(condition));
        findings.iter().for_each(|finding| case.add_finding(finding));
        let told = |list: &[String]| if list.is_empty() { "none".to_owned() } else { list.join("; ") };
        format!("Written down. Conditions: {}. Findings: {}.", told(&case.conditions), told(&case.findings))
    }
}
