//! Placeholders for personal data, and the way back.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::candidate::MIN_AGAIN_CHARS;
use super::finder::Finder;
use super::options::PiiKind;
use super::phrases::Phrases;
use super::placeholder::{self, TYPED};
use super::restorer::Restorer;
use super::topic::{keep, topic};
use super::view::{View, key};
use ibid_platform::order;

/// Numbers beyond this are none that were given here.
const MAX_NUMBER: u32 = 99_999_999;

/// The replacements in a conversation.
///
/// The same value has the same placeholder in all texts. Another way of writing it has the same number and a letter, so
/// that a model sees the same person and each comes back as it was written: "Maria Garcia" is `[NAME_1]`, "Garcia" and
/// "maria garcia" are `[NAME_1B]` and `[NAME_1C]`. Serialized, it holds the personal data itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Redaction {
    entries: Vec<Replaced>,
    /// By label and the very text, the entry.
    texts: BTreeMap<String, u32>,
    /// By label and key, the number.
    keys: BTreeMap<String, u32>,
    /// By a word of a name, the number of the person; 0 if there are several.
    persons: BTreeMap<String, u32>,
    /// By label, the highest number.
    numbers: BTreeMap<String, u32>,
    /// By name of a placeholder without its letter, the ways in which that was written; 0 for one that the person typed,
    /// which is nobody's.
    variants: BTreeMap<String, u32>,
}

/// A value and its placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Replaced {
    label: String,
    number: u32,
    variant: u32,
    text: String,
}

/// The part of a [`Redaction`] that is stored; the rest follows from it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    entries: Vec<Replaced>,
    #[serde(default)]
    reserved: Vec<(String, u32)>,
}

impl From<Redaction> for Stored {
    fn from(redaction: Redaction) -> Self {
        let typed = redaction.variants.iter().filter(|(_, ways)| **ways == 0);
        let groups = typed.filter_map(|(name, _)| placeholder::group(name));
        let reserved = groups.map(|(label, number)| (label.to_owned(), number)).collect();
        Self { entries: redaction.entries, reserved }
    }
}

impl From<Stored> for Redaction {
    fn from(stored: Stored) -> Self {
        let mut redaction = Self::default();
        for (label, number) in stored.reserved {
            redaction.variants.insert(placeholder::name(&label, number, 0), 0);
        }
        let given =
            |entry: &Replaced| (1..=MAX_NUMBER).contains(&entry.number) && entry.variant <= MAX_NUMBER;
        stored.entries.into_iter().filter(given).for_each(|entry| redaction.add(entry));
        redaction
    }
}

/// Joins a label and a value to a key.
fn joined(label: &str, value: &str) -> String {
    format!("{label} {value}")
}

impl Redaction {
    /// Returns a text as the person wrote it, with a placeholder for all that the finder finds.
    ///
    /// What already looks like a placeholder is the person's own text: its number is used for nothing else, and if it
    /// is in use already, it gets a placeholder itself.
    pub fn redact(&mut self, finder: &Finder, text: &str) -> String {
        let mut spans: Vec<(Range<usize>, String)> =
            finder.find(text).into_iter().map(|found| (found.span, found.label)).collect();
        spans.extend(self.known_in(text));
        spans.extend(self.typed(text, 0..text.len()));
        let mut merged = merge(spans);
        // What is the middle of a word in the text may be a word on its own next to the bracket of a placeholder.
        let ends = merged.iter().map(|(span, _)| span.clone()).chain(std::iter::once(text.len()..text.len()));
        let gaps = ends.scan(0, |at, span| Some(std::mem::replace(at, span.end)..span.start));
        let gaps: Vec<Range<usize>> = gaps.collect();
        let apart: Vec<_> = gaps.into_iter().flat_map(|gap| self.typed(text, gap)).collect();
        if !apart.is_empty() {
            merged.extend(apart);
            merged = merge(merged);
        }
        let mut redacted = String::with_capacity(text.len());
        let mut at = 0;
        for (span, label) in merged {
            redacted.push_str(&text[at..span.start]);
            redacted.push('[');
            redacted.push_str(&self.placeholder(label, &text[span.clone()]));
            redacted.push(']');
            at = span.end;
        }
        redacted.push_str(&text[at..]);
        redacted
    }

    /// Finds the characters that the person typed in a stretch of a text that looks like a placeholder in use. The number
    /// of one that is not is used for nothing else from now on.
    fn typed(&mut self, text: &str, within: Range<usize>) -> Vec<(Range<usize>, String)> {
        let mut typed = Vec::new();
        for (span, name) in placeholder::all(&text[within.clone()]) {
            let Some((label, number)) = placeholder::group(&name) else { continue };
            if *self.variants.entry(placeholder::name(label, number, 0)).or_default() > 0 {
                typed.push((within.start + span.start..within.start + span.end, TYPED.to_owned()));
            }
        }
        typed
    }

    /// Returns the person's own text with all placeholders as they were written: `[NAME_1]`, and also `\[NAME\_1\]`
    /// and `NAME_1` as a word, which models make of it.
    pub fn restore(&self, text: &str) -> String {
        restored(Restorer::whole(self.values()), text)
    }

    /// Does the same for what a model has written, where placeholders within addresses stay.
    pub fn restore_reply(&self, text: &str) -> String {
        restored(self.restorer(), text)
    }

    /// Changes all strings of a JSON value by one of these. The names of its fields stay.
    pub fn restore_json(&self, value: &mut Value, restore: fn(&Self, &str) -> String) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) => *text = restore(self, text),
                Value::Array(items) => open.extend(items),
                Value::Object(fields) => open.extend(fields.values_mut()),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }

    /// Restores what a model writes as it arrives. It knows what has been replaced until now.
    pub fn restorer(&self) -> Restorer {
        Restorer::new(self.values())
    }

    fn values(&self) -> BTreeMap<String, String> {
        self.entries.iter().map(|entry| (entry.name(), entry.text.clone())).collect()
    }

    /// Returns a redacted text without its placeholders, for a search that leaves the page and could do nothing with
    /// them.
    pub fn without(&self, text: &str) -> String {
        let known = self.values();
        let marks = placeholder::all(text).into_iter().filter(|(_, name)| known.contains_key(name));
        let marks: Vec<Range<usize>> = marks.map(|(span, _)| span).collect();
        let mut kept = String::with_capacity(text.len());
        keep(&mut kept, text, 0..text.len(), &marks);
        kept.trim().to_owned()
    }

    /// Returns a redacted text as it is searched for: without its placeholders, and without the clauses that tell
    /// only who has written it. `None` if nothing is left that could be searched for.
    pub fn topic(&self, text: &str) -> Option<String> {
        let known = self.values();
        topic(text, |name| known.contains_key(name)).0
    }

    /// Returns the names of persons in what a redacted text is about, as they were written; not in what tells who has
    /// written it.
    pub fn asked_names(&self, text: &str) -> Vec<String> {
        let known = self.values();
        let (_, about) = topic(text, |name| known.contains_key(name));
        let names = self.entries.iter().filter(|entry| entry.label == PiiKind::Name.as_str());
        names.filter(|entry| about.contains(&entry.name())).map(|entry| entry.text.clone()).collect()
    }

    /// Returns the number of different values that were replaced, by label.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        let used = self.variants.iter().filter(|(_, ways)| **ways > 0);
        let labels = used.filter_map(|(name, _)| Some(placeholder::group(name)?.0));
        for label in labels.filter(|label| *label != TYPED) {
            *counts.entry(label.to_owned()).or_default() += 1;
        }
        counts
    }

    /// Returns true if nothing was replaced.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns whether this was replaced, as [`key`] writes it, or is a word of a name that was.
    pub(super) fn is_known(&self, key: &str) -> bool {
        let value = |label: &String| self.keys.contains_key(&joined(label, key));
        self.persons.contains_key(key) || self.numbers.keys().any(value)
    }

    /// Finds the place where something stands that was replaced before: what was told once to be personal is so in later
    /// texts too, without what told it there.
    fn known_in(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let name = PiiKind::Name.as_str();
        let mut phrases = Phrases::default();
        for (at, entry) in self.entries.iter().enumerate() {
            if entry.label == name {
                let words = entry.text.split_whitespace().filter(|word| word.chars().count() > 1);
                words.for_each(|word| phrases.insert(word, at));
                phrases.insert(&entry.text, at);
            } else if entry.label != TYPED && entry.text.chars().count() >= MIN_AGAIN_CHARS {
                phrases.insert(&entry.text, at);
            }
        }
        let view = View::new(text);
        let mut found = Vec::new();
        phrases.find(&view, &mut |range, at| {
            let label = &self.entries[at].label;
            let span = view.bytes(&range);
            let said = &text[span.clone()];
            // A part of a name may be a common word as well, which is written small.
            let is_name =
                || said.starts_with(char::is_uppercase) || self.texts.contains_key(&joined(name, said));
            if label != name || is_name() {
                found.push((span, label.clone()));
            }
        });
        found
    }

    /// Makes the name of the placeholder for a value.
    fn placeholder(&mut self, label: String, text: &str) -> String {
        let known = self.texts.get(&joined(&label, text)).and_then(|at| self.entries.get(*at as usize));
        if let Some(entry) = known {
            return entry.name();
        }
        let number = self.number(&label, text);
        let variant = self.ways(&label, number).unwrap_or(0);
        let entry = Replaced { label, number, variant, text: text.to_owned() };
        let name = entry.name();
        self.add(entry);
        name
    }

    /// The ways in which something was written; `None` for a number that is free.
    fn ways(&self, label: &str, number: u32) -> Option<u32> {
        self.variants.get(&placeholder::name(label, number, 0)).copied()
    }

    /// Finds the number of what is the same in another form, or the next one that is free.
    fn number(&self, label: &str, text: &str) -> u32 {
        let key = key(text);
        let same = self.keys.get(&joined(label, &key)).copied().filter(|_| label != TYPED);
        let person = || self.person(&key).filter(|_| label == PiiKind::Name.as_str());
        if let Some(number) = same.or_else(person) {
            return number;
        }
        let mut number = self.numbers.get(label).map_or(1, |last| last.saturating_add(1));
        while self.ways(label, number) == Some(0) {
            number = number.saturating_add(1);
        }
        number
    }

    /// Finds the person whose name this is a part of, or who was known by a part of this, if there is only one.
    fn person(&self, name: &str) -> Option<u32> {
        if !name.contains(' ') {
            return self.persons.get(name).copied().filter(|number| *number > 0);
        }
        // "Maria Garcia" behind "Mrs Garcia" is the same person; behind "Pedro Garcia" it is another.
        let label = PiiKind::Name.as_str();
        let number = *name.split(' ').find_map(|word| self.keys.get(&joined(label, word)))?;
        let forms = self.entries.iter().filter(|entry| entry.label == label && entry.number == number);
        let full = forms
            .map(|entry| key(&entry.text))
            .reduce(|full, next| if next.len() > full.len() { next } else { full })?;
        full.split(' ').all(|word| name.split(' ').any(|other| other == word)).then_some(number)
    }

    fn add(&mut self, entry: Replaced) {
        let Replaced { label, number, variant, text } = &entry;
        let key = key(text);
        if *label == PiiKind::Name.as_str() {
            for word in key.split(' ') {
                let person = self.persons.entry(word.to_owned()).or_insert(*number);
                if person != number {
                    *person = 0;
                }
            }
        }
        let last = self.numbers.entry(label.clone()).or_default();
        *last = *number.max(last);
        let ways = self.variants.entry(placeholder::name(label, *number, 0)).or_default();
        *ways = variant.saturating_add(1).max(*ways);
        self.keys.entry(joined(label, &key)).or_insert(*number);
        self.texts.insert(joined(label, text), self.entries.len() as u32);
        self.entries.push(entry);
    }
}

/// Spans in their order, those that overlap as one; what was found in it names it rather than what was typed.
fn merge(mut spans: Vec<(Range<usize>, String)>) -> Vec<(Range<usize>, String)> {
    order::by_key(&mut spans, |(span, _)| (span.start, span.end));
    let mut merged: Vec<(Range<usize>, String)> = Vec::new();
    for (span, label) in spans {
        match merged.last_mut() {
            Some((last, of)) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if of == TYPED {
                    *of = label;
                }
            }
            _ => merged.push((span, label)),
        }
    }
    merged
}

fn restored(mut restorer: Restorer, text: &str) -> String {
    let mut whole = restorer.push(text);
    whole.push_str(&restorer.finish());
    whole
}

impl Replaced {
    fn name(&self) -> String {
        placeholder::name(&self.label, self.number, self.variant)
    }
}
