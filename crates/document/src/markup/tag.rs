//! Tags of HTML and of components, with attributes as JSX has them.

use std::ops::Range;

use super::script::braces;

/// The bytes that a tag may take.
const MAX_TAG: usize = 4096;

/// A tag that was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MarkupTag<'a> {
    pub(super) name: &'a str,
    pub(super) range: Range<usize>,
    pub(super) is_end: bool,
    pub(super) is_empty: bool,
    /// The names and the values of attributes that are strings.
    pub(super) attributes: Vec<(&'a str, &'a str)>,
    /// True if it has attributes of any kind.
    pub(super) has_attributes: bool,
}

impl<'a> MarkupTag<'a> {
    /// Reads the tag at `start`, where a `<` stands; `None` if none does.
    pub(super) fn read(text: &'a str, start: usize) -> Option<Self> {
        let window = &text[start..text.floor_char_boundary(start + MAX_TAG)];
        let is_end = window[1..].starts_with('/');
        let name_start = 1 + usize::from(is_end);
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':' | '_');
        let length = window[name_start..].find(|c| !is_name(c))?;
        let name = &window[name_start..name_start + length];
        // A fragment of JSX has no name.
        if !(name.starts_with(|c: char| c.is_ascii_alphabetic())
            || name.is_empty() && window[name_start..].starts_with('>'))
        {
            return None;
        }
        let mut reader = AttributeReader { window, at: name_start + length };
        let (mut attributes, mut has_attributes) = (Vec::new(), false);
        loop {
            let spaced = reader.skip_space();
            let rest = &window[reader.at..];
            if let Some(length) = ["/>", ">"].iter().find(|end| rest.starts_with(**end)).map(|end| end.len())
            {
                let range = start..start + reader.at + length;
                let is_empty = length == 2;
                return Some(Self { name, range, is_end, is_empty, attributes, has_attributes });
            }
            if is_end || !spaced {
                return None;
            }
            has_attributes = true;
            reader.attribute(&mut attributes)?;
        }
    }

    /// Reads the value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }
}

struct AttributeReader<'a> {
    window: &'a str,
    at: usize,
}

impl<'a> AttributeReader<'a> {
    /// Passes over white space; returns whether there is some.
    fn skip_space(&mut self) -> bool {
        let rest = &self.window[self.at..];
        let length = rest.len() - rest.trim_start().len();
        self.at += length;
        length > 0
    }

    /// Reads an attribute, and keeps it if its value is a string. `None` if none stands.
    fn attribute(&mut self, kept: &mut Vec<(&'a str, &'a str)>) -> Option<()> {
        let rest = &self.window[self.at..];
        if rest.starts_with('{') {
            self.at += braces(rest)?;
            return Some(());
        }
        let length = rest.find(|c: char| c.is_whitespace() || "=<>{}\"'`".contains(c) || c == '/')?;
        let name = &rest[..length];
        if name.is_empty() {
            return None;
        }
        self.at += length;
        let Some(value) = self.window[self.at..].trim_start().strip_prefix('=') else {
            return Some(());
        };
        let value = value.trim_start();
        self.at = self.window.len() - value.len();
        let quote = value.chars().next()?;
        let value = match quote {
            '"' | '\'' => {
                // A shortcode in a value has quotes of its own.
                let call = if value[1..].starts_with("{{") { value.find("}}")? } else { 1 };
                let end = call + value[call..].find(quote)?;
                self.at += end + 1;
                Some(&value[1..end])
            }
            '{' => {
                let length = braces(value)?;
                self.at += length;
                string(value[1..length - 1].trim())
            }
            _ => {
                let length = value.find(|c: char| c.is_whitespace() || "<>\"'`=".contains(c))?;
                self.at += length;
                Some(value[..length].trim_end_matches('/')).filter(|value| !value.is_empty())
            }
        };
        kept.extend(value.map(|value| (name, value)));
        Some(())
    }
}

/// Reads the inside of a string that stands alone.
fn string(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| "\"'`".contains(*c))?;
    let inner = text[1..].strip_suffix(quote)?;
    (!inner.contains(quote) && !inner.contains("${")).then_some(inner)
}
