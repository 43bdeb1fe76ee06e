//! Resolving an answer's citation marks, and flagging what is wrong with them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::claim::{Claim, citing, cover};
use super::flag::{Flag, FlagKind};
use super::label::{Meant, Titles};
use super::markdown::markers;
use super::sentence::is_quote;
use super::source::{Source, SourceRegister};

/// A citation in an answer, resolved to the passage it points at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Citation {
    /// The source's number.
    pub number: u32,
    /// The byte range in the answer's text of the mark, brackets included. The citations of one mark, such as
    /// `[1, 2]`, have the same span.
    pub span: Range<usize>,
    /// The passage, which all citations of it share: an answer may cite one a hundred times.
    pub source: Arc<Source>,
}

/// The findings of [`check`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// The citations that lead to a source, in the order of the text.
    pub citations: Vec<Citation>,
    /// The faults, in the order of the text.
    pub flags: Vec<Flag>,
}

/// Resolves each citation mark of the text, or flags it as [`FlagKind::UnknownSource`] if the register does not have
/// its number, or no document, or more than one, of its title. Such a mark is never resolved to anything. One with a title
/// cites all passages of that document, as many as twenty.
pub fn check(text: &str, register: &SourceRegister) -> Checked {
    let mut checked = Checked::default();
    let marks = markers(text);
    let titles = Titles::of(register.sources(), &marks);
    let mut known: BTreeMap<u32, Option<Arc<Source>>> = BTreeMap::new();
    for mark in marks {
        let span = mark.span;
        let numbers = match mark.label.and_then(|label| text.get(label)) {
            None => mark.numbers,
            Some(label) => match titles.find(label) {
                Meant::Sources(numbers) => numbers,
                nothing => {
                    let why = if nothing == Meant::Ambiguous {
                        "several sources have that title"
                    } else {
                        "no source has that title"
                    };
                    let message = format!("The answer cites “{label}”, but {why}.");
                    checked.flags.push(Flag::new(FlagKind::UnknownSource, span, message));
                    continue;
                }
            },
        };
        for number in numbers {
            let span = span.clone();
            let source = known.entry(number).or_insert_with(|| register.get(number).cloned().map(Arc::new));
            match source {
                Some(source) => {
                    checked.citations.push(Citation { number, span, source: Arc::clone(source) });
                }
                None => checked.flags.push(Flag::new(
                    FlagKind::UnknownSource,
                    span,
                    format!("The answer cites [{number}], but there is no source with that number."),
                )),
            }
        }
    }
    checked
}

impl Checked {
    /// Returns the claims of the same text, those that cite by a title with the numbers of its passages. A number
    /// behind a quote from its source is for all sentences of that, over paragraphs and lists too.
    pub fn claims(&self, text: &str) -> Vec<Claim> {
        let (mut claims, forms) = citing(text);
        let mut citations = self.citations.iter().peekable();
        for claim in &mut claims {
            while let Some(citation) = citations.next_if(|citation| citation.span.start < claim.end) {
                if citation.span.start >= claim.start && !claim.sources.contains(&citation.number) {
                    claim.sources.push(citation.number);
                }
            }
        }
        let mut start = 0;
        for citation in &self.citations {
            let Range { start: mark, end } = citation.span;
            let stretch = unplaced(text.get(start..mark).unwrap_or_default());
            if is_quote(stretch, &citation.source.hit.text) {
                let first = claims.partition_point(|claim| claim.start < start);
                let within = claims.iter_mut().skip(first).take_while(|claim| claim.end <= end);
                let bare = within.filter(|claim| claim.sources.is_empty());
                bare.for_each(|claim| claim.sources.push(citation.number));
            }
            start = end;
        }
        cover(text, &mut claims, &forms);
        claims
    }
}

/// Cuts off the heading that names a quote's place.
fn unplaced(quote: &str) -> &str {
    let quote = quote.trim_start();
    // Without a blank behind them, the signs are the quote's own.
    let is_heading = quote.starts_with('#') && quote.trim_start_matches('#').starts_with(' ');
    if is_heading { quote.split_once('\n').map_or("", |(_, quote)| quote) } else { quote }
}

#[cfg(test)]
mod tests {
    use super::super::source::tests::hit;
    use super::*;
    use ibid_retrieve::Hit;

    #[test]
    fn known_numbers_resolve_and_others_are_flagged() {
        let mut register = SourceRegister::default();
        register.register(hit(4, "one"));
        register.register(hit(2, "two"));
        let text = "Wählen Sie A [2, 9]. B [1][0].";
        let checked = check(text, &register);
        let cited: Vec<_> = checked
            .citations
            .iter()
            .map(|citation| {
                (&text[citation.span.clone()], citation.number, citation.source.hit.text.as_str())
            })
            .collect();
        assert_eq!(cited, [("[2, 9]", 2, "two"), ("[1]", 1, "one")]);
        let flagged: Vec<_> =
            checked.flags.iter().map(|flag| (&text[flag.span.clone()], flag.kind)).collect();
        assert_eq!(flagged, [("[2, 9]", FlagKind::UnknownSource), ("[0]", FlagKind::UnknownSource)]);
        assert!(checked.flags[0].message.contains("[9]"));
    }

    #[test]
    fn a_passage_is_copied_once_however_often_it_is_cited() {
        let mut register = SourceRegister::default();
        register.register(hit(4, "one"));
        register.register(hit(2, "two"));
        let cited = check(&"A [1]. B [2]. ".repeat(500), &register).citations;
        assert_eq!(cited.len(), 1000);
        for citation in &cited[2..] {
            assert!(Arc::ptr_eq(&citation.source, &cited[citation.number as usize - 1].source));
        }
    }

    #[test]
    fn titles_resolve_to_the_passages_of_their_document() {
        let mut register = SourceRegister::default();
        register.register(hit(4, "one"));
        register.register(Hit { title: "Rice".to_owned(), document_id: "rice".to_owned(), ..hit(1, "two") });
        register.register(hit(2, "three"));
        let text = "Tea is green [Source: doc]. Rice is white [Source: Rice, 2020] [2]. Air [Source: Air].";
        let checked = check(text, &register);
        let cited: Vec<_> = checked
            .citations
            .iter()
            .map(|citation| (&text[citation.span.clone()], citation.number))
            .collect();
        assert_eq!(
            cited,
            [("[Source: doc]", 1), ("[Source: doc]", 3), ("[Source: Rice, 2020]", 2), ("[2]", 2)]
        );
        assert_eq!(checked.flags.len(), 1);
        assert_eq!(&text[checked.flags[0].span.clone()], "[Source: Air]");
        assert!(checked.flags[0].message.contains("“Air”"));
        let claims: Vec<_> =
            checked.claims(text).into_iter().map(|claim| (claim.text, claim.sources)).collect();
        let expected = [("Tea is green.", vec![1, 3]), ("Rice is white.", vec![2]), ("Air.", vec![])];
        assert_eq!(claims, expected.map(|(text, sources)| (text.to_owned(), sources)));
    }
}
