//! API keys: kept, sent, and never seen.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most characters of another's message that go into an error.
const MAX_MESSAGE_CHARS: usize = 500;

/// What stands in a quoted message where a secret stood.
const BLOT: &str = "[secret]";

/// A text that must not be seen: an API key or a header's value.
///
/// It has no `Display`, its `Debug` form is `[secret]`, and it serializes to null, so that neither a log nor a
/// stored run can hold it. [`Secret::expose`] is the one way to read it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a text in, without the white space around it that copying a key often adds.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    /// The text, to be sent and nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// What a server says, fit to be quoted: one line, bounded, without the key and the header values that were sent to it.
pub fn quote(message: &str, key: Option<&Secret>, headers: &BTreeMap<String, Secret>) -> String {
    let mut message = message.to_owned();
    if let Some(key) = key.map(Secret::expose).filter(|key| key.len() >= 4) {
        message = message.replace(key, BLOT);
        // Servers like to echo a key with its middle starred out; the ends of a key are nobody's business either.
        if let Some(start) = key.get(..6).filter(|start| key.len() >= 12 && !BLOT.contains(start)) {
            while let Some(at) = message.find(start) {
                let end =
                    message[at..].find([' ', '"', '\'', ',', '\n']).map_or(message.len(), |len| at + len);
                message.replace_range(at..end, BLOT);
            }
        }
    }
    for value in headers.values().map(Secret::expose) {
        // What a scheme name such as `Bearer` stands before is a secret by itself. Short values are none.
        let bare = value.rsplit(' ').next().unwrap_or(value);
        for secret in [value, bare].into_iter().filter(|secret| secret.len() >= 8) {
            message = message.replace(secret, BLOT);
        }
    }
    let mut line = String::new();
    for word in message.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if let Some((end, _)) = line.char_indices().nth(MAX_MESSAGE_CHARS) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// Whether HTTP allows a header of that name and value; the value is an API key's as well.
pub fn is_header(name: &str, value: &str) -> bool {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    let is_value = |b: u8| b == b'\t' || (b' '..=b'~').contains(&b);
    !name.is_empty() && name.bytes().all(is_name) && value.bytes().all(is_value)
}
