//! The meaning of the events of a Responses stream.

use serde_json::{Value, json};

use super::{ECHO, encode};
use crate::decode::{CallPiece, ReplyDraft, ReplyFormat, ReplyProblem};
use crate::{FinishReason, openai};
use ibid_platform::json::{list, number, present, text};

/// The most items of one response; further ones are left out.
const MAX_ITEMS: usize = 512;

/// Takes in the events of a stream, or a whole response.
///
/// Everything is told up to three times: in pieces, whole when its item is done, and once more in the response at the end.
/// Servers leave out any of these, so the first telling counts; only a call's arguments are replaced by later ones.
#[derive(Default)]
pub(crate) struct Responses {
    items: Vec<Item>,
}

/// An output item as far as it is known.
struct Item {
    kind: ItemKind,
    /// Its place by the provider's count; several servers leave it out.
    index: Option<u64>,
    /// Its id; one server gives an item another id in each event.
    id: String,
    /// True if any of its contents has been told.
    heard: bool,
    /// True if it is known to be whole, so that what comes next is another one's.
    done: bool,
    /// The part of a summary that was told last.
    part: Option<u64>,
    /// True if the tool's name is known, for a call.
    named: bool,
    /// The items that go back to the provider in a later turn.
    echo: Option<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Message,
    Call,
    Reasoning,
}

impl ItemKind {
    /// Finds the number of an item's type; the provider's own tools have none, because nobody here is to run them.
    fn of(item: &Value) -> Option<Self> {
        match text(item, "type")? {
            "message" => Some(Self::Message),
            "function_call" => Some(Self::Call),
            "reasoning" => Some(Self::Reasoning),
            _ => None,
        }
    }
}

impl ReplyFormat for Responses {
    fn value(&mut self, event: &str, value: &Value, draft: &mut ReplyDraft) -> Result<(), ReplyProblem> {
        let kind = text(value, "type").unwrap_or(event);
        let delta = text(value, "delta").unwrap_or_default();
        match kind {
            "response.output_item.added" => {
                if let Some(item) = present(value, "item") {
                    self.added(value, item, draft);
                }
            }
            "response.output_item.done" => {
                if let Some(item) = present(value, "item") {
                    self.item(number(value, "output_index"), item, draft);
                }
            }
            "response.output_text.delta" => {
                self.text(value, draft);
                draft.text(delta);
            }
            "response.refusal.delta" => {
                self.text(value, draft);
                draft.refusal(delta);
            }
            "response.reasoning_summary_text.delta"
            | "response.reasoning_text.delta"
            | "response.reasoning.delta" => self.reasoning(value, delta, draft),
            "response.function_call_arguments.delta" => {
                if let Some(slot) = self.find(ItemKind::Call, value) {
                    self.arguments(slot, delta, false, draft);
                }
            }
            "response.function_call_arguments.done" => {
                if let Some(slot) = self.find(ItemKind::Call, value) {
                    self.whole_arguments(slot, value, draft);
                }
            }
            "response.output_text.annotation.added" => {
                if let Some(annotation) = present(value, "annotation") {
                    source(annotation, draft);
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.done" => {
                let word = kind.rsplit('.').next().unwrap_or_default();
                self.response(present(value, "response").unwrap_or(value), word, draft)?;
                // No `[DONE]` follows.
                draft.done = true;
            }
            // As the event's name it is known to be one already.
            "error" => return Err(ReplyProblem::Reported(value.clone())),
            _ if text(value, "object") == Some("response") || value["output"].is_array() => {
                self.response(value, "", draft)?;
            }
            "" => return Err(ReplyProblem::Protocol("has an event in another format")),
            _ => {}
        }
        draft.begin();
        Ok(())
    }

    fn finish(&mut self, draft: &mut ReplyDraft) {
        // The order is worth keeping only if it is more than the text before the calls.
        let known = |item: &Item| {
            item.echo
                .as_ref()
                .is_some_and(|echo| item.kind == ItemKind::Reasoning || echo.get("phase").is_some())
        };
        if self.items.iter().any(known) {
            let items = self.items.iter_mut().filter_map(|item| item.echo.take());
            draft.reply.echo.insert(ECHO.to_owned(), items.collect());
        }
    }

    fn hint(&self) -> &'static str {
        "Check that the base URL belongs to a Responses API; it usually ends in /v1."
    }
}

impl Responses {
    /// Finds the item of that kind that an event is about: by its place or, where that is missing, by its id, else the
    /// last.
    fn find(&self, kind: ItemKind, event: &Value) -> Option<usize> {
        let (index, id) = (number(event, "output_index"), text(event, "item_id").unwrap_or_default());
        self.open(kind, index, id)
    }

    fn open(&self, kind: ItemKind, index: Option<u64>, id: &str) -> Option<usize> {
        self.items.iter().rposition(|item| {
            !item.done
                && item.kind == kind
                && match (index, item.index) {
                    (Some(index), Some(other)) => index == other,
                    _ => id.is_empty() || item.id.is_empty() || id == item.id,
                }
        })
    }

    fn add(&mut self, kind: ItemKind, index: Option<u64>, id: &str) -> Option<usize> {
        if self.items.len() >= MAX_ITEMS {
            return None;
        }
        self.items.push(Item {
            kind,
            index,
            id: id.to_owned(),
            heard: false,
            done: false,
            part: None,
            named: false,
            echo: None,
        });
        Some(self.items.len() - 1)
    }

    /// Finds the item of that kind that an event is about, which may not have been announced.
    fn slot(&mut self, kind: ItemKind, event: &Value) -> Option<usize> {
        let id = text(event, "item_id").unwrap_or_default();
        self.find(kind, event).or_else(|| self.add(kind, number(event, "output_index"), id))
    }

    /// An item begins.
    fn added(&mut self, event: &Value, item: &Value, draft: &mut ReplyDraft) {
        let Some(kind) = ItemKind::of(item) else { return };
        let slot = self.add(kind, number(event, "output_index"), text(item, "id").unwrap_or_default());
        if let Some(slot) = slot.filter(|_| kind == ItemKind::Call) {
            self.call(slot, item, draft);
        }
    }

    /// An item is whole: what of it was not told before is told now.
    fn item(&mut self, index: Option<u64>, item: &Value, draft: &mut ReplyDraft) {
        let Some(kind) = ItemKind::of(item) else { return };
        let id = text(item, "id").unwrap_or_default();
        let Some(slot) = self.open(kind, index, id).or_else(|| self.add(kind, index, id)) else { return };
        match kind {
            ItemKind::Message => self.message(slot, item, draft),
            ItemKind::Call => {
                self.call(slot, item, draft);
                self.whole_arguments(slot, item, draft);
            }
            ItemKind::Reasoning => {
                if !self.items[slot].heard {
                    let parts = Some(list(item, "summary")).filter(|parts| !parts.is_empty());
                    for (n, part) in parts.unwrap_or_else(|| list(item, "content")).iter().enumerate() {
                        if let Some(told) = text(part, "text") {
                            self.reason(slot, Some(n as u64), told, draft);
                        }
                    }
                }
                self.items[slot].echo = encode::reasoning(item);
            }
        }
        self.items[slot].done = true;
    }

    fn message(&mut self, slot: usize, item: &Value, draft: &mut ReplyDraft) {
        let told = self.items[slot].heard;
        for part in list(item, "content") {
            let (said, refused) = (text(part, "text"), text(part, "refusal"));
            if !told && (said.is_some() || refused.is_some()) {
                self.begin_text(slot, draft);
                draft.text(said.unwrap_or_default());
                if let Some(refusal) = refused {
                    draft.refusal(refusal);
                }
            }
            list(part, "annotations").iter().for_each(|annotation| source(annotation, draft));
        }
        let mut echo = json!({"type": "message"});
        if let Some(phase) = text(item, "phase") {
            echo["phase"] = phase.into();
        }
        self.items[slot].echo = Some(echo);
    }

    /// More text comes, of a message that may not have been announced.
    fn text(&mut self, event: &Value, draft: &mut ReplyDraft) {
        if let Some(slot) = self.slot(ItemKind::Message, event) {
            self.begin_text(slot, draft);
        }
    }

    /// A message that is not the first is set off from the one before: a model may say what it is about to do, and
    /// then what it found.
    fn begin_text(&mut self, slot: usize, draft: &mut ReplyDraft) {
        if !std::mem::replace(&mut self.items[slot].heard, true) && !draft.reply.text.is_empty() {
            draft.text("\n\n");
        }
    }

    fn reasoning(&mut self, event: &Value, delta: &str, draft: &mut ReplyDraft) {
        let part = number(event, "summary_index").or_else(|| number(event, "content_index"));
        if let Some(slot) = self.slot(ItemKind::Reasoning, event) {
            self.reason(slot, part, delta, draft);
        }
    }

    /// Each part of a summary is a paragraph of its own.
    fn reason(&mut self, slot: usize, part: Option<u64>, told: &str, draft: &mut ReplyDraft) {
        let item = &mut self.items[slot];
        let another = !item.heard || item.part != part;
        (item.heard, item.part) = (true, part);
        if another && !draft.reply.reasoning.is_empty() {
            draft.reasoning("\n\n");
        }
        draft.reasoning(told);
    }

    /// Takes the parts of a call in an item, but for its arguments.
    fn call(&mut self, slot: usize, item: &Value, draft: &mut ReplyDraft) {
        let name = text(item, "name").filter(|_| !self.items[slot].named).unwrap_or_default();
        self.items[slot].named |= !name.is_empty();
        let id = text(item, "call_id").unwrap_or_default();
        draft.call(CallPiece { index: Some(slot as u64), id, name, ..CallPiece::default() });
        self.items[slot].echo = Some(json!({"type": "function_call", "call_id": id}));
    }

    fn arguments(&mut self, slot: usize, arguments: &str, whole: bool, draft: &mut ReplyDraft) {
        let index = slot as u64;
        if arguments.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.items[slot].heard, true) && whole {
            draft.call_arguments(index, arguments);
        } else {
            draft.call(CallPiece { index: Some(index), arguments, ..CallPiece::default() });
        }
    }

    /// Takes the arguments at the end of a call, which stand for all that came before.
    fn whole_arguments(&mut self, slot: usize, value: &Value, draft: &mut ReplyDraft) {
        let object = value.get("arguments").filter(|arguments| arguments.is_object()).map(Value::to_string);
        let arguments = object.as_deref().or_else(|| text(value, "arguments")).unwrap_or_default();
        self.arguments(slot, arguments, true, draft);
    }

    /// A whole response, or the one that ends a stream; `word` is its state if it does not tell.
    fn response(&mut self, response: &Value, word: &str, draft: &mut ReplyDraft) -> Result<(), ReplyProblem> {
        if self.items.is_empty() {
            for (n, item) in list(response, "output").iter().enumerate() {
                self.item(Some(n as u64), item, draft);
            }
        }
        // mistral.rs tells these next to the items, and the reasoning only there.
        if draft.reply.reasoning.is_empty()
            && let Some(reasoning) = text(response, "reasoning")
        {
            draft.reasoning(reasoning);
        }
        if draft.reply.text.is_empty()
            && let Some(told) = text(response, "output_text")
        {
            draft.text(told);
        }
        if let Some(usage) = present(response, "usage") {
            draft.usage(openai::usage(usage, "input_tokens", "output_tokens"));
        }
        match text(response, "status").unwrap_or(word) {
            "failed" | "cancelled" => {
                let error = present(response, "error").cloned();
                let error = error.unwrap_or_else(|| json!({"message": "The response was not completed."}));
                return Err(ReplyProblem::Reported(json!({"error": error})));
            }
            "incomplete" => {
                let details = present(response, "incomplete_details");
                draft.finished(match details.and_then(|details| text(details, "reason")) {
                    Some("max_output_tokens" | "max_tokens" | "length") | None => FinishReason::Length,
                    Some("content_filter") => FinishReason::ContentFilter,
                    Some(_) => FinishReason::Error,
                });
            }
            "in_progress" | "queued" if word.is_empty() => {}
            _ => draft.finished(FinishReason::Stop),
        }
        Ok(())
    }
}

fn source(annotation: &Value, draft: &mut ReplyDraft) {
    let page = present(annotation, "url_citation").unwrap_or(annotation);
    if text(annotation, "type") == Some("url_citation")
        && let Some(url) = text(page, "url")
    {
        draft.source(url, text(page, "title"));
    }
}
