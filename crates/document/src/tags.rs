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
    /// All other attributes, if one of them is a mark of the author's.
    others: Vec<(String, String)>,
}

/// The attributes that are kept.
const KEPT: &str = "id name role hidden aria-hidden aria-controls aria-expanded aria-labelledby aria-level \
    style title href rel lang property content colspan rowspan encoding class data-language data-lang \
    http-equiv alt aria-label";

/// The marks of authors begin so: those of ibid, and those of a search that many sites had before.
const MARKS: [&str; 2] = ["data-ibid-", "data-pagefind-"];
/// Marks of others that leave an element out: of search engines, and of Material for `MkDocs`.
const IGNORED: [&str; 2] = ["data-nosnippet", EXCLUDED];
const EXCLUDED: &str = "data-search-exclude";

impl Tag {
    /// Reads the value of an attribute that is kept, with its references resolved; the first one's where it stands there
    /// twice.
    pub(super) fn get(&self, attribute: &str) -> Option<&str> {
        debug_assert!(KEPT.split(' ').any(|known| known == attribute), "{attribute}");
        self.attributes.iter().find(|(name, _)| *name == attribute).map(|(_, value)| value.as_str())
    }

    pub(super) fn has(&self, attribute: &str) -> bool {
        self.get(attribute).is_some()
    }

    /// Reads the value of a mark of the author's, such as `weight` for `data-ibid-weight`, which is stronger than
    /// another's.
    pub(super) fn mark(&self, mark: &str) -> Option<&str> {
        let of =
            |prefix: &&str| self.others.iter().find(|(name, _)| name.strip_prefix(*prefix) == Some(mark));
        MARKS.iter().find_map(of).map(|(_, value)| value.as_str())
    }

    /// Returns whether the author has marked it in any way.
    pub(super) fn is_marked(&self) -> bool {
        !self.others.is_empty()
    }

    /// Returns true for a mark of another program that leaves the element out.
    pub(super) fn is_ignored_by_others(&self) -> bool {
        self.others.iter().any(|(name, _)| IGNORED.contains(&name.as_str()))
    }

    /// Returns true for the mark that leaves out a whole section if a heading has it.
    pub(super) fn excludes_section(&self) -> bool {
        self.others.iter().any(|(name, _)| name == EXCLUDED)
    }

    /// Reads the value of any attribute of an element that is marked.
    pub(super) fn attribute(&self, attribute: &str) -> Option<&str> {
        let kept = self.attributes.iter().find(|(name, _)| name.eq_ignore_ascii_case(attribute));
        let other = || self.others.iter().find(|(name, _)| name.eq_ignore_ascii_case(attribute));
        kept.map(|(_, value)| value).or_else(|| other().map(|(_, value)| value)).map(String::as_str)
    }

    /// Reads the id that a link can point to.
    pub(super) fn id(&self) -> Option<&str> {
        self.get("id").map(str::trim).filter(|id| !id.is_empty())
    }

    /// Returns whether one of the element's classes is as wanted.
    pub(super) fn has_class(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.get("class").is_some_and(|classes| classes.split_ascii_whitespace().any(wanted))
    }

    /// Reads the language of the code in the element, as highlighters note it: `language-js`, `data-language`, and
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

    /// Reads the number of columns or rows that a cell reaches over.
    pub(super) fn span(&self, attribute: &str) -> u16 {
        self.get(attribute).and_then(|span| span.trim().parse().ok()).unwrap_or(1)
    }
}

/// Gathers the tokenizer's events into tokens.
#[derive(Default)]
struct Gather {
    tag: Tag,
    /// The list whose last attribute has the value that comes next.
    next: NextValue,
    /// True if the page has marks, so that any attribute may matter.
    is_marked: bool,
}

/// The list whose last attribute has the value that comes next.
#[derive(Clone, Copy, Default)]
enum NextValue {
    #[default]
    Nobody,
    Kept,
    Other,
}

impl Callback<Token, usize> for Gather {
    fn handle_event(&mut self, event: CallbackEvent<'_>, span: Span<usize>) -> Option<Token> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Tag { name: text(name), ..Tag::default() };
                None
            }
            CallbackEvent::AttributeName { name } => {
                let known = KEPT.split(' ').find(|known| known.as_bytes() == name);
                self.next = match known {
                    Some(known) if self.tag.has(known) => NextValue::Nobody,
                    Some(known) => {
                        self.tag.attributes.push((known, String::new()));
                        NextValue::Kept
                    }
                    None if self.is_marked => {
                        self.tag.others.push((text(name), String::new()));
                        NextValue::Other
                    }
                    None => NextValue::Nobody,
                };
                None
            }
            CallbackEvent::AttributeValue { value } => {
                let slot = match std::mem::take(&mut self.next) {
                    NextValue::Nobody => None,
                    NextValue::Kept => self.tag.attributes.last_mut().map(|(_, value)| value),
                    NextValue::Other => self.tag.others.last_mut().map(|(_, value)| value),
                };
                if let Some(slot) = slot {
                    *slot = text(value);
                }
                None
            }
            CallbackEvent::CloseStartTag { .. } => {
                let mut tag = std::mem::take(&mut self.tag);
                if !tag.others.iter().any(|(name, _)| is_mark(name)) {
                    tag.others = Vec::new();
                }
                Some(Token::Start(tag))
            }
            CallbackEvent::EndTag { name } => Some(Token::End(text(name))),
            CallbackEvent::String { .. } => Some(Token::Text(span.start..span.end)),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => None,
        }
    }
}

fn is_mark(name: &str) -> bool {
    IGNORED.contains(&name) || MARKS.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns true if an author may have marked something on the page.
pub(super) fn has_marks(page: &str) -> bool {
    MARKS.iter().chain(&IGNORED).any(|mark| page.contains(mark))
}

/// Reads the tokens of a page. Nothing that a page can hold makes this fail.
pub(super) fn tokens(page: &str) -> impl Iterator<Item = Token> {
    let gather = Gather { is_marked: has_marks(page), ..Gather::default() };
    let mut emitter = CallbackEmitter::<_, Token, usize>::new(gather);
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
