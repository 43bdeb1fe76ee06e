//! Putting tool calls together from the pieces they are streamed in.

use std::borrow::Cow;

use serde_json::Value;

use crate::{ReplyPart, ToolCall};
use ibid_platform::surrogate::{Joiner, mended};

/// The most tool calls of one reply; a stream with more is talking nonsense, and further ones are dropped.
const MAX_CALLS: usize = 128;

/// The most bytes of a call's arguments. What comes after them is dropped, so that they are no JSON any more and the model
/// is told.
const MAX_ARGUMENT_BYTES: usize = 1 << 20;

/// A piece of a tool call, with as much as the stream says of the call it belongs to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallPiece<'a> {
    /// The number of the call in the reply, however the provider counts.
    pub(crate) index: Option<u64>,
    /// The call's id, or nothing.
    pub(crate) id: &'a str,
    /// The tool's name, or nothing.
    pub(crate) name: &'a str,
    /// More of the arguments.
    pub(crate) arguments: &'a str,
    /// The data that the provider wants back with the call.
    pub(crate) extra: Option<&'a Value>,
}

/// The calls of one reply as far as they have arrived.
///
/// Which call a piece belongs to is not as clear as the format makes it look: `index` may start anywhere, be left out,
/// or be used again for another call with another id; the id may be missing or empty in all pieces but the first, or
/// in all; the name may come late, or again in each piece. Nothing is ever closed because its arguments happen to be
/// complete JSON: only the end of the stream completes a call.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    slots: Vec<Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    index: Option<u64>,
    call: OpenCall,
}

#[derive(Debug, Default)]
struct OpenCall {
    id: String,
    name: String,
    arguments: String,
    extra: Option<Value>,
    /// The joiner of the characters of the arguments.
    joiner: Joiner,
}

impl ToolCalls {
    /// Takes in a piece, and appends what it says of its call. If characters are torn, its arguments may hold marks of halves.
    pub(super) fn push(&mut self, piece: CallPiece<'_>, torn: bool, parts: &mut Vec<ReplyPart>) {
        let CallPiece { index, id, name, arguments, extra } = piece;
        let slot = match self.find(index, id, name) {
            Some(slot) => slot,
            None if self.slots.len() < MAX_CALLS => {
                self.slots.push(Slot { index, call: OpenCall::default() });
                self.slots.len() - 1
            }
            None => return,
        };
        let Some(Slot { call, .. }) = self.slots.get_mut(slot) else { return };
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.name.is_empty() && !name.is_empty() {
            name.clone_into(&mut call.name);
            parts.push(ReplyPart::ToolCallStart { slot, name: name.to_owned() });
        }
        let whole = if torn { Cow::Owned(call.joiner.push(arguments)) } else { Cow::Borrowed(arguments) };
        let arguments = &*whole;
        let room = MAX_ARGUMENT_BYTES.saturating_sub(call.arguments.len());
        let arguments = arguments.get(..room).unwrap_or(if arguments.len() > room { "" } else { arguments });
        if !arguments.is_empty() {
            call.arguments.push_str(arguments);
            parts.push(ReplyPart::ToolCallDelta { slot, arguments: arguments.to_owned() });
        }
        if let Some(extra) = extra {
            call.extra = Some(extra.clone());
        }
    }

    /// Puts whole arguments in place of those that a call has so far, where the stream repeats them at its end.
    pub(super) fn replace_arguments(&mut self, index: u64, arguments: &str) {
        let slot = self.slots.iter_mut().rfind(|slot| slot.index == Some(index));
        if let Some(slot) = slot.filter(|_| arguments.len() <= MAX_ARGUMENT_BYTES) {
            arguments.clone_into(&mut slot.call.arguments);
            slot.call.joiner = Joiner::default();
        }
    }

    /// Finds the slot a piece continues, or `None` if it starts a new call. Later slots win, since an index may be
    /// reused.
    fn find(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let last = |wanted: &dyn Fn(&Slot) -> bool| self.slots.iter().rposition(wanted);
        let same_index = |slot: &Slot| index.is_none() || slot.index.is_none() || slot.index == index;
        if !id.is_empty() {
            if let Some(found) = last(&|slot| slot.call.id == id && same_index(slot)) {
                return Some(found);
            }
            // The id may come after the first piece, and some servers make up a new one for each piece. Under the same
            // index it is another call if it has a name of its own, or if there is no telling otherwise.
            return last(&|slot| index.is_some() && slot.index == index).filter(|found| {
                self.slots.get(*found).is_some_and(|slot| {
                    slot.call.id.is_empty() || (name.is_empty() && !slot.call.name.is_empty())
                })
            });
        }
        let found = match index {
            Some(_) => last(&|slot| slot.index == index)?,
            None => self.slots.len().checked_sub(1)?,
        };
        // A name if there is one already: a server that repeats it in every piece, or the next of several calls
        // that carry neither id nor index of their own.
        let call = &self.slots.get(found)?.call;
        let another = !name.is_empty()
            && !call.name.is_empty()
            && (name != call.name || (index.is_none() && !call.arguments.is_empty()));
        (!another).then_some(found)
    }

    /// Completes the calls, since the stream is complete, each with arguments and an id of its own.
    ///
    /// An empty piece under an id of its own is no call. Made-up ids have nine letters and digits, the one form that
    /// all providers take back. Arguments are JSON, in which a character may be torn by its escapes too.
    pub(super) fn finish(self, parts: &mut Vec<ReplyPart>) -> Vec<ToolCall> {
        let mut calls: Vec<ToolCall> = Vec::new();
        for (slot, Slot { mut call, .. }) in self.slots.into_iter().enumerate() {
            let rest = call.joiner.rest();
            if !rest.is_empty() {
                call.arguments.push_str(rest);
                parts.push(ReplyPart::ToolCallDelta { slot, arguments: rest.to_owned() });
            }
            if call.name.is_empty() && call.arguments.is_empty() {
                continue;
            }
            let mut id = call.id;
            let mut next = calls.len();
            while id.is_empty() || calls.iter().any(|other| other.id == id) {
                next += 1;
                id = format!("call{next:05}");
            }
            let arguments = match mended(&call.arguments) {
                _ if call.arguments.trim().is_empty() => "{}".to_owned(),
                Cow::Owned(mended) => mended,
                Cow::Borrowed(_) => call.arguments,
            };
            calls.push(ToolCall { id, name: call.name, arguments, extra: call.extra });
        }
        calls
    }
}

#[cfg(test)]
#[allow(clippy::needless_pass_by_value, reason = "literals read best without a reference")]
mod tests {
    use serde_json::json;

    use super::*;

    /// Takes in an element of a Chat Completions delta.
    fn push(calls: &mut ToolCalls, delta: &Value) -> Vec<ReplyPart> {
        let function = &delta["function"];
        let extra = delta.get("extra_content");
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (id, name, arguments) =
            (word(&delta["id"]), word(&function["name"]), word(&function["arguments"]));
        let mut parts = Vec::new();
        let index = delta["index"].as_u64();
        calls.push(
            CallPiece { index, id: &id, name: &name, arguments: &arguments, extra },
            false,
            &mut parts,
        );
        parts
    }

    /// The calls as `id name arguments`.
    fn assemble(deltas: &[Value]) -> Vec<String> {
        let mut calls = ToolCalls::default();
        for delta in deltas {
            push(&mut calls, delta);
        }
        calls
            .finish(&mut Vec::new())
            .into_iter()
            .map(|call| format!("{} {} {}", call.id, call.name, call.arguments))
            .collect()
    }

    fn piece(index: Value, id: &str, name: &str, arguments: &str) -> Value {
        json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}})
    }

    #[test]
    fn pieces_by_index() {
        let deltas = [
            json!({"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}),
            json!({"index": 1, "id": "b", "type": "function", "function": {"name": "g", "arguments": ""}}),
            json!({"index": 0, "function": {"arguments": "{\"x\""}}),
            json!({"index": 1, "function": {"arguments": "{\"y\":2}"}}),
            json!({"index": 0, "function": {"arguments": ":1}"}}),
        ];
        assert_eq!(assemble(&deltas), ["a f {\"x\":1}", "b g {\"y\":2}"]);
    }

    #[test]
    fn index_from_one_with_gaps_and_empty_ids_in_continuations() {
        let deltas = [
            piece(json!(1), "a", "f", ""),
            piece(json!(7), "b", "g", ""),
            piece(json!(1), "", "", "{}"),
            piece(json!(7), "", "", "{ }"),
        ];
        assert_eq!(assemble(&deltas), ["a f {}", "b g { }"]);
    }

    #[test]
    fn an_index_used_again_by_another_id_is_another_call() {
        let deltas = [
            piece(json!(0), "a", "f", "{}"),
            piece(json!(0), "b", "f", "{\"x\""),
            piece(json!(0), "", "", ":1}"),
        ];
        assert_eq!(assemble(&deltas), ["a f {}", "b f {\"x\":1}"]);
        let deltas = [piece(json!(0), "a", "f", "{"), piece(json!(0), "b", "", "}")];
        assert_eq!(assemble(&deltas), ["a f {}"], "an id without a name goes on with the call before it");
    }

    #[test]
    fn the_same_id_under_two_indices_is_two_calls() {
        let deltas = [piece(json!(0), "f", "f", "{\"a\":1}"), piece(json!(1), "f", "f", "{\"b\":1}")];
        assert_eq!(assemble(&deltas), ["f f {\"a\":1}", "call00002 f {\"b\":1}"]);
    }

    #[test]
    fn without_an_index() {
        let null = || Value::Null;
        assert_eq!(assemble(&[piece(null(), "a", "f", "{"), piece(null(), "a", "", "}")]), ["a f {}"]);
        assert_eq!(assemble(&[piece(null(), "a", "f", "{"), piece(null(), "", "", "}")]), ["a f {}"]);
        assert_eq!(
            assemble(&[piece(null(), "a", "f", "{}"), piece(null(), "b", "g", "{}")]),
            ["a f {}", "b g {}"]
        );
        assert_eq!(
            assemble(&[piece(null(), "", "f", "{\"a\":1}"), piece(null(), "", "f", "{\"a\":2}")]),
            ["call00001 f {\"a\":1}", "call00002 f {\"a\":2}"]
        );
    }

    #[test]
    fn the_name_may_come_late_or_in_every_piece() {
        assert_eq!(assemble(&[piece(json!(0), "a", "", ""), piece(json!(0), "", "f", "{}")]), ["a f {}"]);
        assert_eq!(assemble(&[piece(json!(0), "a", "f", "{"), piece(json!(0), "a", "f", "}")]), ["a f {}"]);
        assert_eq!(
            assemble(&[piece(json!(0), "", "f", "{"), piece(json!(0), "", "f", "}")]),
            ["call00001 f {}"]
        );
        assert_eq!(assemble(&[piece(json!(0), "", "f", "{"), piece(json!(0), "a", "", "}")]), ["a f {}"]);
    }

    #[test]
    fn an_empty_duplicate_adds_nothing() {
        let whole = piece(json!(0), "a", "f", "{\"x\":1}");
        for empty in [
            piece(json!(0), "a", "f", ""),
            piece(json!(0), "", "", ""),
            piece(json!(0), "z", "", ""),
            piece(Value::Null, "a", "", ""),
            json!({"index": 0}),
            json!({}),
            json!(null),
        ] {
            assert_eq!(assemble(&[whole.clone(), empty.clone()]), ["a f {\"x\":1}"], "{empty}");
        }
    }

    #[test]
    fn complete_json_does_not_close_a_call() {
        let deltas = [piece(json!(0), "a", "f", "1"), piece(json!(0), "", "", "23")];
        assert_eq!(assemble(&deltas), ["a f 123"]);
    }

    #[test]
    fn arguments_may_be_missing() {
        assert_eq!(assemble(&[json!({"index": 0, "id": "a", "function": {"name": "f"}})]), ["a f {}"]);
    }

    #[test]
    fn attachments_are_kept() {
        let mut calls = ToolCalls::default();
        push(
            &mut calls,
            &json!({"index": 0, "id": "a", "function": {"name": "f"}, "extra_content": {"google": 1}}),
        );
        assert_eq!(calls.finish(&mut Vec::new())[0].extra, Some(json!({"google": 1})));
    }

    #[test]
    fn a_flood_of_calls_is_cut() {
        let mut calls = ToolCalls::default();
        for n in 0..1000 {
            push(&mut calls, &piece(json!(n), &format!("id{n}"), "f", "{}"));
        }
        assert_eq!(calls.finish(&mut Vec::new()).len(), MAX_CALLS);
    }

    #[test]
    fn a_start_is_told_once_and_arguments_as_they_come() {
        let mut calls = ToolCalls::default();
        let start = ReplyPart::ToolCallStart { slot: 0, name: "f".to_owned() };
        let delta = |text: &str| ReplyPart::ToolCallDelta { slot: 0, arguments: text.to_owned() };
        assert_eq!(push(&mut calls, &piece(json!(0), "a", "f", "{")), [start, delta("{")]);
        assert_eq!(push(&mut calls, &piece(json!(0), "a", "f", "}")), [delta("}")]);
        assert!(push(&mut calls, &piece(json!(0), "a", "f", "")).is_empty());
    }

    #[test]
    fn endless_arguments_are_cut() {
        let mut calls = ToolCalls::default();
        let long = "é".repeat(100_001);
        for _ in 0..100 {
            push(&mut calls, &piece(json!(0), "a", "f", &long));
        }
        assert!(calls.finish(&mut Vec::new())[0].arguments.len() <= MAX_ARGUMENT_BYTES);
    }
}
