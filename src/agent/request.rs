//! The request that is sent to the model, by the purpose of the call.

use super::case::CaseFile;
use super::inquiry::Inquiry;
use super::memory::{Abridged, FoundSources};
use super::options::Policy;
use super::plan::Plan;
use super::prompt::{
    ANSWER, ASSESS, CLASSIFY, DECOMPOSE, JUDGE, LAST_TURN, PromptTask, REFLECT, REVISE, REWRITE, SYNTHESIZE,
    fill,
};
use super::review::{Misfit, Review};
use super::step::{ModelCall, Purpose};
use super::toolbox;
use ibid_llm::{ChatRequest, Message, OutputForm, ToolChoice};
use ibid_trust::cite::check;

/// The most sources that the model sees when it judges an answer or puts it into a form.
const MOST_SHOWN: usize = 12;

/// Makes a call of the model, with the changes of the host's.
pub(super) fn model_call(purpose: Purpose, inquiry: &Inquiry, plan: &Plan, review: &Review) -> ModelCall {
    let Inquiry { options, question, query, change, .. } = inquiry;
    let prompts = &options.prompts;
    let answer = draft(inquiry);
    let mut request = match purpose {
        Purpose::Answer if options.policy != Policy::Classic => turn(inquiry),
        Purpose::Answer | Purpose::Synthesize | Purpose::Assess => write(purpose, inquiry, plan),
        Purpose::Rewrite => {
            let history = inquiry.conversation.transcript(inquiry.begin, options.history_tokens);
            filled(prompts.rewrite.as_deref(), REWRITE, &[("question", question), ("history", &history)])
        }
        Purpose::Classify => filled(prompts.classify.as_deref(), CLASSIFY, &[("question", query)]),
        Purpose::Decompose => {
            let (class, count) = (plan.class.as_str(), plan.class.sub_queries().to_string());
            let values = [("question", query.as_str()), ("class", class), ("count", &count)];
            filled(prompts.decompose.as_deref(), DECOMPOSE, &values)
        }
        Purpose::Reflect => {
            let values = [("question", question.as_str()), ("answer", answer), ("sources", &cited(inquiry))];
            filled(prompts.reflect.as_deref(), REFLECT, &values)
        }
        Purpose::Judge => {
            let claims = review.undecided().into_iter().map(|claim| {
                let marks: Vec<String> = claim.sources.iter().map(u32::to_string).collect();
                format!("{} [{}]", inquiry.hidden(&claim.text), marks.join("]["))
            });
            let claims = numbered(&claims.collect::<Vec<_>>());
            filled(prompts.judge.as_deref(), JUDGE, &[("claims", &claims), ("sources", &cited(inquiry))])
        }
        Purpose::Revise => {
            let (problems, sources) = (bullets(&review.problems(inquiry)), cited(inquiry));
            let values = [
                ("question", question.as_str()),
                ("answer", answer),
                ("problems", &problems),
                ("sources", &sources),
            ];
            let mut request = filled(prompts.revise.as_deref(), REVISE, &values);
            let content = prompts.system(&options.nonce, PromptTask::Sources);
            request.messages.insert(0, Message::System { content });
            request
        }
        Purpose::Format | Purpose::Repair => form(inquiry, review.misfit.as_ref()),
    };
    if purpose.is_about_images() {
        request.images.clone_from(&options.images);
    }
    request.model.clone_from(&change.model);
    if let Some(messages) = &change.messages {
        request.messages.retain(|message| matches!(message, Message::System { .. }));
        request.messages.extend(messages.iter().cloned());
    }
    if let Some(system) = &change.system {
        request.messages.retain(|message| !matches!(message, Message::System { .. }));
        request.messages.insert(0, Message::System { content: system.clone() });
    }
    ModelCall { purpose, request }
}

/// A turn in which the model may search itself.
fn turn(inquiry: &Inquiry) -> ChatRequest {
    let Inquiry { options, conversation, change, .. } = inquiry;
    let interview = options.policy == Policy::Case && !conversation.case.closed;
    let task = if interview { PromptTask::Interview } else { PromptTask::Search };
    let mut messages = with_history(inquiry, task);
    let tools_on = toolbox::may_use(inquiry);
    if !tools_on && let Some(Message::Tool { content, .. }) = messages.last_mut() {
        content.push_str("\n\n");
        content.push_str(LAST_TURN);
    }
    let tool_choice = if !tools_on {
        ToolChoice::None
    } else if let Some(choice) = &change.tool_choice {
        choice.clone()
    } else if options.done_tool {
        ToolChoice::Required
    } else {
        ToolChoice::Auto
    };
    let tools = toolbox::specs(&toolbox::names(inquiry), options);
    ChatRequest { messages, tools, tool_choice, ..ChatRequest::default() }
}

/// Gathers the standing instructions, as much of the history as fits, and all that was said since the question.
fn with_history(inquiry: &Inquiry, task: PromptTask) -> Vec<Message> {
    let Inquiry { options, conversation, begin, abridged, .. } = inquiry;
    // History goes first where the context was too long.
    let tokens = if *abridged == Abridged::default() { options.history_tokens } else { 0 };
    let mut messages = vec![Message::System { content: options.prompts.system(&options.nonce, task) }];
    messages.extend(conversation.messages(*begin, tokens, &options.nonce, *abridged));
    messages
}

/// Asks for an answer from the sources that the plan has selected.
fn write(purpose: Purpose, inquiry: &Inquiry, plan: &Plan) -> ChatRequest {
    let Inquiry { options, conversation, question, .. } = inquiry;
    let prompts = &options.prompts;
    let sources: Vec<String> = plan.selected.iter().map(|found| xml(inquiry, found)).collect();
    let sources = sources.join("\n");
    let (queries, case) = (numbered(&plan.searches.queries()), &conversation.case);
    let (conditions, findings) = (bullets(&case.conditions), bullets(&case.findings));
    // A question that is the case itself has been said.
    let said = purpose == Purpose::Assess && CaseFile::parse(question).is_some();
    let values = [
        ("question", if said { "" } else { question.as_str() }),
        ("sources", &sources),
        ("queries", &queries),
        ("conditions", &conditions),
        ("findings", &findings),
    ];
    let content = match purpose {
        Purpose::Synthesize => fill(prompts.synthesize.as_deref(), SYNTHESIZE, &values),
        Purpose::Assess => fill(prompts.assess.as_deref(), ASSESS, &values),
        _ => fill(prompts.answer.as_deref(), ANSWER, &values),
    };
    let mut messages = with_history(inquiry, PromptTask::Sources);
    // The question stands in the template, instead of all that has happened since it was asked.
    let since = conversation.items.len() - inquiry.begin;
    messages.truncate(messages.len().saturating_sub(since));
    messages.push(Message::User { content });
    ChatRequest { messages, ..ChatRequest::default() }
}

/// Asks for the answer as JSON, with the last try where that does not fit.
fn form(inquiry: &Inquiry, misfit: Option<&Misfit>) -> ChatRequest {
    let output = inquiry.options.output.as_ref();
    let schema = output.map(|output| output.schema.to_string()).unwrap_or_default();
    let content = format!(
        "{}\n\nQuestion: {}\n\nAnswer: {}\n\nWrite this answer as JSON that fits the following JSON Schema. Take all \
         values from the answer and its sources, invent none, and write nothing but the JSON.\n\n{schema}",
        cited(inquiry),
        inquiry.question,
        draft(inquiry),
    );
    let mut messages = vec![Message::User { content }];
    if let Some(Misfit { text, problems }) = misfit {
        messages.push(Message::Assistant {
            content: text.clone(),
            tool_calls: Vec::new(),
            echo: serde_json::Map::new(),
        });
        let problems = problems.join("; ");
        let content =
            format!("This does not fit the schema: {problems}. Write all of the JSON again, corrected.");
        messages.push(Message::User { content });
    }
    let output = output.map(|output| OutputForm { name: output.name.clone(), schema: output.schema.clone() });
    ChatRequest { messages, output, ..ChatRequest::default() }
}

fn draft(inquiry: &Inquiry) -> &str {
    inquiry.draft.as_ref().map_or("", |draft| draft.text.as_str())
}

/// Lists the sources that the draft cites, or those found where it cites none.
fn cited(inquiry: &Inquiry) -> String {
    let mut numbers: Vec<u32> = Vec::new();
    for citation in check(draft(inquiry), &inquiry.conversation.register).citations {
        if !numbers.contains(&citation.number) {
            numbers.push(citation.number);
        }
    }
    if numbers.is_empty() {
        numbers = inquiry.found.iter().map(|(number, _)| *number).collect();
    }
    numbers.truncate(MOST_SHOWN);
    let query = inquiry.query.clone();
    xml(inquiry, &FoundSources { query, numbers, best: 1.0, average: 1.0, ..FoundSources::default() })
}

fn xml(inquiry: &Inquiry, found: &FoundSources) -> String {
    inquiry.conversation.xml(found, &inquiry.options.nonce, inquiry.abridged)
}

/// Makes a request of nothing but a template, the one that is set or the default.
fn filled(set: Option<&str>, default: &str, values: &[(&str, &str)]) -> ChatRequest {
    let content = fill(set, default, values);
    ChatRequest { messages: vec![Message::User { content }], ..ChatRequest::default() }
}

fn numbered(lines: &[String]) -> String {
    let lines = lines.iter().zip(1..).map(|(line, number)| format!("{number}. {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn bullets(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}
