//! Resolving an answer's citation marks, and flagging what is wrong with them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::marker::markers;
use super::{Flag, FlagKind, Source, SourceRegister};

/// A citation in an answer, resolved to the passage it points at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Citation {
    /// The source's number.
    pub number: u32,
    /// The byte range in the answer's text of the mark, brackets included. The citations of one mark, such as
    /// `[1, 2]`, have the same span.
    pub span: Range<usize>,
    /// The passage.
    pub source: Source,
}

/// What [`check`] finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// The citations that lead to a source, in the order of the text.
    pub citations: Vec<Citation>,
    /// What is wrong, in the order of the text.
    pub flags: Vec<Flag>,
}

/// Resolves each citation mark of the text, or flags it as [`FlagKind::UnknownSource`] if the register does not have
/// its number. Such a number is never resolved to anything.
pub fn check(text: &str, register: &SourceRegister) -> Checked {
    let mut checked = Checked::default();
    for marker in markers(text, true) {
        for number in marker.numbers {
            let span = marker.span.clone();
            match register.get(number) {
                Some(source) => checked.citations.push(Citation { number, span, source: source.clone() }),
                None => checked.flags.push(Flag::new(
                    FlagKind::UnknownSource,
                    span,
                    format!("The answer cites [{number}], but there is no source of that number."),
                )),
            }
        }
    }
    checked
}

#[cfg(test)]
mod tests {
    use super::super::source::tests::hit;
    use super::*;

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
}
