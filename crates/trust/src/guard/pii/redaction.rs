//! Placeholders for personal data, and the way back.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::candidate::MIN_AGAIN_CHARS;
use super::finder::Finder;
use super::options::PiiKind;
use super::phrases::Phrases;
use super::placeholder::{self, TYPED};
use super::restorer::Restorer;
use super::topic::topic;
use super::view::{View, key};
use ibid_platform::order;

/// Numbers beyond this are none that were given here.
const MAX_NUMBER: u32 = 99_999_999;

/// What was replaced in a conversation, and by what.
///
/// The same value has the same placeholder in all texts. Another way of writing it has the same number and a letter, so
/// that a model sees the same person and each comes back as it was written: "Maria Garcia" is `[NAME_1]`, "Garcia" and
/// "maria garcia" are `[NAME_1B]` and `[NAME_1C]`. Serialized, it holds the personal data itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Redaction {
    entries: Vec<Replaced>,
    /// Labels and numbers that the person typed, which are nobody's placeholder.
    reserved: BTreeSet<(String, u32)>,
    /// By label and the very text, the entry.
    texts: BTreeMap<(String, String), usize>,
    /// By label and key, the number.
    keys: BTreeMap<(String, String), u32>,
    /// By a word of a name, the number of the person; `None` if there are several.
    persons: BTreeMap<String, Option<u32>>,
    /// By number of a person, the fullest form of the name.
    full: BTreeMap<u32, String>,
    /// By label, the highest number.
    numbers: BTreeMap<String, u32>,
    /// By label and number, the ways in which it was written.
    variants: BTreeMap<(String, u32), u32>,
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

/// What of a [`Redaction`] is stored; the rest follows from it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    entries: Vec<Replaced>,
    #[serde(default)]
    reserved: BTreeSet<(String, u32)>,
}

impl From<Redaction> for Stored {
    fn from(redaction: Redaction) -> Self {
        Self { entries: redaction.entries, reserved: redaction.reserved }
    }
}

impl From<Stored> for Redaction {
    fn from(stored: Stored) -> Self {
        let mut redaction = Self { reserved: stored.reserved, ..Self::default() };
        let given =
            |entry: &Replaced| (1..=MAX_NUMBER).contains(&entry.number) && entry.variant <= MAX_NUMBER;
        stored.entries.into_iter().filter(given).for_each(|entry| redaction.add(entry));
        redaction
    }
}

impl Redaction {
    /// A text as the person wrote it, with a placeholder for all that the finder finds.
    ///
    /// What already looks like a placeholder is the person's own text: its number is used for nothing else, and if it
    /// is in use already, it gets a placeholder itself.
    pub fn redact(&mut self, finder: &Finder, text: &str) -> String {
        let mut spans: Vec<(Range<usize>, String)> =
            finder.find(text).into_iter().map(|found| (found.span, found.label)).collect();
        spans.extend(self.known_in(text));
        spans.extend(self.typed(text, 0..text.len()));
        let mut merged = merge(spans);
        // What is the middle of a word in the text may be a word by itself beside the bracket of a placeholder.
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

    /// What the person typed in a stretch of a text that looks like a placeholder in use. The number of one that is not is used
    /// for nothing else from now on.
    fn typed(&mut self, text: &str, within: Range<usize>) -> Vec<(Range<usize>, String)> {
        let mut typed = Vec::new();
        for (span, name) in placeholder::all(&text[within.clone()]) {
            let Some((label, number)) = placeholder::group(&name) else { continue };
            let group = (label.to_owned(), number);
            if self.variants.contains_key(&group) {
                typed.push((within.start + span.start..within.start + span.end, TYPED.to_owned()));
            } else {
                self.reserved.insert(group);
            }
        }
        typed
    }

    /// The person's own text with all placeholders as they were written: `[NAME_1]`, and also `\[NAME\_1\]` and `NAME_1` as
    /// a word, which models make of it.
    pub fn restore(&self, text: &str) -> String {
        restored(Restorer::whole(self.values()), text)
    }

    /// The same for what a model has written, where placeholders within addresses stay.
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

    /// A redacted text without its placeholders, for a search that leaves the page and could do nothing with them.
    pub fn without(&self, text: &str) -> String {
        let known: HashSet<String> = self.entries.iter().map(Replaced::name).collect();
        let mut kept = String::with_capacity(text.len());
        let mut at = 0;
        for (span, name) in placeholder::all(text) {
            if known.contains(&name) {
                kept.push_str(&text[at..span.start]);
                at = span.end;
                if kept.is_empty() || kept.ends_with(char::is_whitespace) {
                    at += text[at..].len() - text[at..].trim_start_matches(' ').len();
                }
            }
        }
        kept.push_str(&text[at..]);
        kept.trim().to_owned()
    }

    /// A redacted text as it is searched for: without its placeholders, and without the clauses that tell only who has written
    /// it. `None` if nothing is left that could be searched for.
    pub fn topic(&self, text: &str) -> Option<String> {
        let known: HashSet<String> = self.entries.iter().map(Replaced::name).collect();
        topic(text, |name| known.contains(name))
    }

    /// How many different values were replaced, by label.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for (label, _) in self.variants.keys().filter(|(label, _)| label != TYPED) {
            *counts.entry(label.clone()).or_default() += 1;
        }
        counts
    }

    /// Whether nothing was replaced.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The labels of what was replaced, in their order in the alphabet.
    pub fn labels(&self) -> Vec<String> {
        self.counts().into_keys().collect()
    }

    /// What was replaced, as [`key`] writes it, with the single words of names.
    pub(super) fn known(&self) -> HashSet<&str> {
        self.keys.keys().map(|(_, key)| &**key).chain(self.persons.keys().map(String::as_str)).collect()
    }

    /// Where something stands that was replaced before: what was told once to be personal is so in later texts too, without
    /// what told it there.
    fn known_in(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let name = PiiKind::Name.as_str();
        let mut phrases = Phrases::default();
        for entry in &self.entries {
            if entry.label == name {
                let words = entry.text.split_whitespace().filter(|word| word.chars().count() > 1);
                words.for_each(|word| phrases.insert(word, name));
                phrases.insert(&entry.text, name);
            } else if entry.label != TYPED && entry.text.chars().count() >= MIN_AGAIN_CHARS {
                phrases.insert(&entry.text, entry.label.as_str());
            }
        }
        let view = View::new(text);
        let mut found = Vec::new();
        phrases.find(&view, &mut |range, label: &&str| {
            let span = view.bytes(&range);
            let said = &text[span.clone()];
            // A part of a name may be a common word as well, which is written small.
            let is_name = || {
                said.starts_with(char::is_uppercase)
                    || self.texts.contains_key(&(name.to_owned(), said.to_owned()))
            };
            if *label != name || is_name() {
                found.push((span, (*label).to_owned()));
            }
        });
        found
    }

    /// The name of the placeholder for a value.
    fn placeholder(&mut self, label: String, text: &str) -> String {
        if let Some(&at) = self.texts.get(&(label.clone(), text.to_owned())) {
            return self.entries[at].name();
        }
        let number = self.number(&label, text);
        let variant = self.variants.get(&(label.clone(), number)).copied().unwrap_or(0);
        let entry = Replaced { label, number, variant, text: text.to_owned() };
        let name = entry.name();
        self.add(entry);
        name
    }

    /// The number of what is the same in another form, or the next one that is free.
    fn number(&self, label: &str, text: &str) -> u32 {
        let key = key(text);
        if label != TYPED
            && let Some(&number) = self.keys.get(&(label.to_owned(), key.clone()))
        {
            return number;
        }
        if label == PiiKind::Name.as_str()
            && let Some(number) = self.person(&key)
        {
            return number;
        }
        let mut number = self.numbers.get(label).map_or(1, |last| last.saturating_add(1));
        while self.reserved.contains(&(label.to_owned(), number)) {
            number = number.saturating_add(1);
        }
        number
    }

    /// The person whose name this is a part of, or who was known by a part of this, if there is only one.
    fn person(&self, key: &str) -> Option<u32> {
        if !key.contains(' ') {
            return *self.persons.get(key)?;
        }
        // "Maria Garcia" behind "Mrs Garcia" is the same person; behind "Pedro Garcia" it is another.
        let alone =
            |word: &str| self.keys.get(&(PiiKind::Name.as_str().to_owned(), word.to_owned())).copied();
        let number = key.split(' ').find_map(alone)?;
        let full = self.full.get(&number)?;
        full.split(' ').all(|word| key.split(' ').any(|other| other == word)).then_some(number)
    }

    fn add(&mut self, entry: Replaced) {
        let key = key(&entry.text);
        if entry.label == PiiKind::Name.as_str() {
            for word in key.split(' ') {
                let person = self.persons.entry(word.to_owned()).or_insert(Some(entry.number));
                if *person != Some(entry.number) {
                    *person = None;
                }
            }
            let full = self.full.entry(entry.number).or_default();
            if key.len() > full.len() {
                full.clone_from(&key);
            }
        }
        let last = self.numbers.entry(entry.label.clone()).or_default();
        *last = entry.number.max(*last);
        let ways = self.variants.entry((entry.label.clone(), entry.number)).or_default();
        *ways = entry.variant.saturating_add(1).max(*ways);
        self.keys.entry((entry.label.clone(), key)).or_insert(entry.number);
        self.texts.insert((entry.label.clone(), entry.text.clone()), self.entries.len());
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
