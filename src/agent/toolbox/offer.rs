//! The tools that the model is offered in the next turn.

use crate::agent::inquiry::Inquiry;
use crate::agent::names::{DONE_TOOL, EVALUATE_TOOL, SEARCH_TOOL};
use crate::agent::options::Policy;
use crate::agent::stop::{Left, StoppedBy};

/// Lists the names of the tools that exist in the next turn.
pub(in crate::agent) fn names(inquiry: &Inquiry) -> Vec<String> {
    let Inquiry { options, conversation, change, .. } = inquiry;
    let own: &[&str] = match options.policy {
        Policy::Case => conversation.case.tools(),
        _ => &[SEARCH_TOOL],
    };
    let optional = [(options.evaluate_tool, EVALUATE_TOOL), (options.done_tool, DONE_TOOL)];
    let optional = optional.into_iter().filter(|(on, _)| *on).map(|(_, name)| name);
    let stage = conversation.stage.as_deref();
    let custom = options
        .tools
        .iter()
        .filter(|tool| tool.stage.is_empty() || tool.stage.iter().any(|other| Some(other.as_str()) == stage));
    let names = own.iter().copied().chain(custom.map(|tool| tool.name.as_str())).chain(optional);
    let allowed =
        |name: &str| change.tools.as_ref().is_none_or(|list| list.iter().any(|other| other == name));
    names.filter(|name| allowed(name)).map(str::to_owned).collect()
}

/// Tells whether the model may call tools in the next turn: turns and steps must be left for a call and for
/// the answer after it, and there must be a tool that does something.
pub(in crate::agent) fn may_use(inquiry: &Inquiry) -> bool {
    limit(inquiry).is_none() && !names(inquiry).is_empty()
}

/// Finds the limit by which the model may call no tools.
pub(in crate::agent) fn limit(inquiry: &Inquiry) -> Option<StoppedBy> {
    let Inquiry { options, progress, .. } = inquiry;
    if inquiry.stopped.is_some() {
        return inquiry.stopped;
    }
    if inquiry.turn() >= options.max_turns {
        return Some(StoppedBy::Turns);
    }
    if progress.steps().saturating_add(3) > options.max_steps() {
        return Some(StoppedBy::Steps);
    }
    if let Left::OneCall(by) | Left::Nothing(by) = inquiry.left() {
        return Some(by);
    }
    let searches_left = progress.searches < options.max_searches;
    let does = |name: &String| match name.as_str() {
        SEARCH_TOOL => searches_left,
        EVALUATE_TOOL | DONE_TOOL => false,
        _ => true,
    };
    let names = names(inquiry);
    (!names.is_empty() && !searches_left && !names.iter().any(does)).then_some(StoppedBy::Searches)
}
