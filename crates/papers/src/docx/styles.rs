//! The meanings of styles and of numberings.

use std::collections::HashMap;

use super::package::{attribute, each};

/// The meaning of a paragraph's style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Title,
    /// A heading of a level from 0.
    Heading(u8),
    Code,
    /// An entry of a table of contents.
    Contents,
    Text,
}

#[derive(Debug, Default)]
struct Style {
    name: String,
    above: Option<String>,
    level: Option<u8>,
    /// The numbering that its paragraphs have.
    numbering: Option<String>,
}

/// The styles of a document.
#[derive(Debug, Default)]
pub(super) struct Styles {
    all: HashMap<String, Style>,
    pub(super) language: Option<String>,
}

/// A style rests on another, and that on the next; never on more than this many.
const DEEPEST: usize = 20;

impl Styles {
    pub(super) fn read(xml: &str) -> Self {
        let mut styles = Self::default();
        let mut open: Option<(String, Style)> = None;
        each(xml, |tag| {
            let value = || attribute(tag, "val");
            match tag.local_name().as_ref() {
                "style" => {
                    styles.all.extend(open.take());
                    open = attribute(tag, "styleId").map(|id| (id, Style::default()));
                }
                "lang" if open.is_none() => styles.language = value(),
                name => {
                    let Some((_, style)) = &mut open else { return };
                    match name {
                        "name" => style.name = value().unwrap_or_default().to_lowercase(),
                        "basedOn" => style.above = value(),
                        "outlineLvl" => style.level = value().and_then(|level| level.parse().ok()),
                        "numId" => style.numbering = value(),
                        _ => {}
                    }
                }
            }
        });
        styles.all.extend(open);
        styles
    }

    /// The style, and those that it rests on.
    fn chain<'a>(&'a self, id: &str) -> impl Iterator<Item = &'a Style> {
        let mut next = self.all.get(id);
        std::iter::from_fn(move || {
            let style = next?;
            next = style.above.as_ref().and_then(|above| self.all.get(above));
            Some(style)
        })
        .take(DEEPEST)
    }

    pub(super) fn role(&self, id: &str) -> Role {
        if !self.all.contains_key(id) {
            return named(&id.to_lowercase()).unwrap_or(Role::Text);
        }
        let role = self.chain(id).find_map(|style| {
            let level = style.level.filter(|level| *level < 9).map(Role::Heading);
            named(&style.name).or(level)
        });
        role.unwrap_or(Role::Text)
    }

    pub(super) fn numbering(&self, id: &str) -> Option<&str> {
        self.chain(id).find_map(|style| style.numbering.as_deref())
    }
}

/// The meaning of a built-in style's name, which is English in every language.
fn named(name: &str) -> Option<Role> {
    let number = |start: &str| {
        let rest = name.strip_prefix(start)?.trim();
        rest.parse::<u8>().ok().filter(|number| (1..=9).contains(number))
    };
    if let Some(level) = number("heading") {
        return Some(Role::Heading(level - 1));
    }
    match name {
        "title" => Some(Role::Title),
        "source code" | "sourcecode" | "html preformatted" | "preformatted text" | "code" | "code block"
        | "plain text code" => Some(Role::Code),
        "table of figures" => Some(Role::Contents),
        _ => number("toc").map(|_| Role::Contents),
    }
}

/// The numberings: their levels, of which each is numbered, has bullets, or neither.
#[derive(Debug, Default)]
pub(super) struct Numberings {
    forms: HashMap<(String, u8), Form>,
    /// The definition that a numbering uses.
    of: HashMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Bullets,
    Numbers,
    Nothing,
}

impl Numberings {
    pub(super) fn read(xml: &str) -> Self {
        let mut all = Self::default();
        let (mut definition, mut numbering, mut level) = (None, None, 0);
        each(xml, |tag| match tag.local_name().as_ref() {
            "abstractNum" => definition = attribute(tag, "abstractNumId"),
            "num" => numbering = attribute(tag, "numId"),
            "abstractNumId" => {
                if let (Some(numbering), Some(definition)) = (&numbering, attribute(tag, "val")) {
                    all.of.insert(numbering.clone(), definition);
                }
            }
            "lvl" => level = attribute(tag, "ilvl").and_then(|level| level.parse().ok()).unwrap_or(0),
            "numFmt" if numbering.is_none() => {
                let form = match attribute(tag, "val").as_deref() {
                    Some("bullet") => Form::Bullets,
                    Some("none") => Form::Nothing,
                    _ => Form::Numbers,
                };
                if let Some(definition) = &definition {
                    all.forms.insert((definition.clone(), level), form);
                }
            }
            _ => {}
        });
        all
    }

    pub(super) fn form(&self, numbering: &str, level: u8) -> Form {
        if numbering == "0" {
            return Form::Nothing;
        }
        let Some(definition) = self.of.get(numbering) else { return Form::Bullets };
        self.forms.get(&(definition.clone(), level)).copied().unwrap_or(Form::Bullets)
    }
}
