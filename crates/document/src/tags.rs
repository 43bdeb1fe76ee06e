//! HTML as tags and text, by the WHATWG's tokenizer: the one place that calls it, since each other use would compile
//! it once more.

use std::ops::Range;

use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

/// A tag, or text between tags.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    Start(Tag),
    /// The name of an end tag, in lower case.
    End(String),
    /// The range of the page in which the text stands, with its references as they are written.
    Text(Range<usize>),
}

/// A start tag with those of its attributes that mean something here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tag {
    /// In lower case.
    pub(super) name: String,
    attributes: Vec<(&'static str, String)>,
}

/// The attributes that are kept.
const KEPT: &str = "id name role hidden aria-hidden aria-controls aria-expanded aria-labelledby aria-level \
    style title href rel lang property content colspan rowspan encoding class data-language data-lang \
    http-equiv";

impl Tag {
    /// The value of an attribute that is kept, with its references resolved; the first one's where it stands there twice.
    pub(super) fn get(&self, attribute: &str) -> Option<&str> {
        debug_assert!(KEPT.split(' ').any(|known| known == attribute), "{attribute}");
        self.attributes.iter().find(|(name, _)| *name == attribute).map(|(_, value)| value.as_str())
    }

    pub(super) fn has(&self, attribute: &str) -> bool {
        self.get(attribute).is_some()
    }

    /// The id that a link can point to.
    pub(super) fn id(&self) -> Option<&str> {
        self.get("id").map(str::trim).filter(|id| !id.is_empty())
    }

    /// Returns whether one of the element's classes is as wanted.
    pub(super) fn has_class(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.get("class").is_some_and(|classes| classes.split_ascii_whitespace().any(wanted))
    }

    /// The language of the code in the element, as highlighters note it: `language-js`, `data-language`, and
    /// `highlight-js` of Sphinx.
    pub(super) fn language(&self) -> Option<&str> {
        let classes = self.get("class").unwrap_or_default().split_ascii_whitespace();
        let mut named = classes.filter_map(|class| {
            let sphinx = class.strip_prefix("highlight-").filter(|_| self.name == "div");
            class.strip_prefix("language-").or(sphinx)
        });
        let noted = self.attributes.iter().find(|(name, _)| name.starts_with("data-lang"));
        let language = named.next().or_else(|| noted.map(|(_, value)| value.as_str()))?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "+#._-".contains(c);
        let is_told = !matches!(language, "" | "none" | "undefined" | "default");
        (is_told && language.len() <= 30 && language.chars().all(is_name)).then_some(language)
    }

    /// The number of columns or rows that a cell reaches over.
    pub(super) fn span(&self, attribute: &str) -> u16 {
        self.get(attribute).and_then(|span| span.trim().parse().ok()).unwrap_or(1)
    }
}

/// Gathers the tokenizer's events into tokens.
#[derive(Default)]
struct Gather {
    tag: Tag,
    /// True if the value that comes next is the last attribute's.
    is_kept: bool,
}

impl Callback<Token, usize> for Gather {
    fn handle_event(&mut self, event: CallbackEvent<'_>, span: Span<usize>) -> Option<Token> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Tag { name: text(name), attributes: Vec::new() };
                None
            }
            CallbackEvent::AttributeName { name } => {
                let known = KEPT.split(' ').find(|known| known.as_bytes() == name);
                let kept = known.filter(|known| !self.tag.has(known));
                self.tag.attributes.extend(kept.map(|kept| (kept, String::new())));
                self.is_kept = kept.is_some();
                None
            }
            CallbackEvent::AttributeValue { value } => {
                if let (true, Some((_, kept))) = (self.is_kept, self.tag.attributes.last_mut()) {
                    *kept = text(value);
                }
                self.is_kept = false;
                None
            }
            CallbackEvent::CloseStartTag { .. } => Some(Token::Start(std::mem::take(&mut self.tag))),
            CallbackEvent::EndTag { name } => Some(Token::End(text(name))),
            CallbackEvent::String { .. } => Some(Token::Text(span.start..span.end)),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => None,
        }
    }
}

/// The tokens of a page. Nothing that a page can hold makes this fail.
pub(super) fn tokens(page: &str) -> impl Iterator<Item = Token> {
    let mut emitter = CallbackEmitter::<_, Token, usize>::new(Gather::default());
    // So that what stands in a script or a title is not taken for tags.
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(page, emitter).map(|token| {
        let Ok(token) = token;
        token
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_by_its_place() {
        let page = "<!doctype html><p ID='a&amp;b' x=1 id=2>é &lt; b<br/>c</P><!-- <i> --> d & e <script>a<b</script>&copy;x";
        let mut texts = Vec::new();
        let mut ids = Vec::new();
        for token in tokens(page) {
            match token {
                Token::Text(range) => texts.push(&page[range]),
                Token::Start(tag) => ids.extend(tag.id().map(str::to_owned)),
                Token::End(_) => {}
            }
        }
        assert_eq!(texts, ["é &lt; b", "c", " d & e ", "a<b", "&copy;x"]);
        assert_eq!(ids, ["a&b"]);
    }
}
