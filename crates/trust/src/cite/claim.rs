//! The claims of an answer, sentence by sentence, with the sources that it names for them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::markdown::{BlockForm, markers};
use super::marker::CitationMark;
use super::sentence::statements;

/// A sentence of an answer with the sources it cites. A row of a table counts as a sentence, and so does a block of code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// The sentence without its citation marks.
    pub text: String,
    /// Its beginning in the answer's text, in bytes.
    pub start: usize,
    /// Its end, with the marks that belong to it.
    pub end: usize,
    /// The numbers that it cites, in the order of the text, each once; also those of no known source.
    pub sources: Vec<u32>,
    /// The check against them; nothing where that was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<ClaimCheck>,
}

/// The result of holding a claim against its sources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimCheck {
    /// The result in a word.
    pub status: ClaimStatus,
    /// The share of what the claim says that stands in the best window of its sources, by the weight of its words.
    pub coverage: f32,
    /// The place in each cited source that says most of it, in the order of the citations.
    pub evidence: Vec<ClaimEvidence>,
    /// Sources that would support the claim and are not cited for it, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<ClaimEvidence>,
}

impl ClaimCheck {
    /// Counts the claim's values that some source has, and those that none has. A denial or a direction of the sources
    /// is no find, but its lack is one.
    pub(super) fn values(&self) -> (usize, usize) {
        let values = self.evidence.iter().flat_map(|evidence| &evidence.values);
        let mut places: Vec<(usize, bool, bool)> = values
            .map(|value| {
                let is_stance = matches!(value.kind, ValueKind::Denial | ValueKind::Direction);
                (value.span.start, value.found.is_none(), is_stance)
            })
            .collect();
        // Of each value the source that has it comes first.
        places.sort_unstable();
        places.dedup_by_key(|(start, ..)| *start);
        let missing = places.iter().filter(|(_, is_missing, _)| *is_missing).count();
        let found = places.iter().filter(|(_, is_missing, is_stance)| !is_missing && !is_stance).count();
        (found, missing)
    }
}

/// The standing of a claim in its sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClaimStatus {
    /// It does, as far as can be computed.
    Supported,
    /// It does not, or something in it contradicts its sources.
    Unsupported,
    /// It cites nothing.
    Uncited,
    /// It cannot be told: it is said in other words than the source's, in another script, or in a scope that is not clear. Or it
    /// states nothing that could be checked, such as a question or a remark on the sources, and has no evidence.
    #[default]
    NotChecked,
}

/// A place in a source that says what a claim says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimEvidence {
    /// The source's number.
    pub number: u32,
    /// The byte range in the source's text, of one to three sentences.
    pub span: Range<usize>,
    /// The share of the claim that stands there, 0 to 1.
    pub coverage: f32,
    /// The claim's values, in its order. Those that only title, headings or metadata of the source have are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueEvidence>,
}

/// A value of a claim, and its place in a source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ValueEvidence {
    /// What it is.
    pub kind: ValueKind,
    /// The byte range in the answer's text.
    pub span: Range<usize>,
    /// The byte range in the source's text: in the span of the evidence if the value stands there, else elsewhere in the passage.
    /// Nothing if the passage does not have it, or says the opposite.
    #[serde(default)]
    pub found: Option<Range<usize>>,
}

/// The kinds of values. The text form, in JSON too, is the name in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ValueKind {
    /// A number, with its unit if it has one; a version, too.
    Number,
    /// A day, a month or a year.
    Date,
    /// A name of a person, a place or a thing.
    Name,
    /// A word of code, an option or a path.
    Symbol,
    /// Words in quotation marks.
    Quote,
    /// A word that denies.
    Denial,
    /// A word that has an opposite: "before", "raises".
    Direction,
}

/// Returns the claims of an answer. Marks behind the end of a sentence, `… daily. [1]`, belong to it and not to the next. All marks
/// are for the sentences before them too, in their paragraph or list, that cite nothing.
///
/// The rows of a table are claims of their own, without its head. Marks that stand alone in a paragraph belong to what
/// stands before them: to the sentence, or to all rows of the table that have none. An item of a list that cites nothing has
/// the citations of the lead-in, as in `This helps [1]:`.
pub fn claims(text: &str) -> Vec<Claim> {
    let (mut claims, forms) = citing(text);
    cover(text, &mut claims, &forms);
    claims
}

/// Finds the claims with the numbers that they cite themselves, and their blocks.
pub(super) fn citing(text: &str) -> (Vec<Claim>, Vec<BlockForm>) {
    let marks = markers(text);
    let mut claims: Vec<Claim> = Vec::new();
    let mut forms: Vec<BlockForm> = Vec::new();
    let mut rest = marks.as_slice();
    // The citations of a lead-in, as long as its list goes on; and the first row of the table that has just ended.
    let mut lead: Option<(Vec<u32>, usize)> = None;
    let mut rows: Option<usize> = None;
    for (form, Range { start, end }) in statements(text) {
        let here = rest.iter().take_while(|mark| mark.span.start < end).count();
        let (here, after) = rest.split_at(here);
        rest = after;
        // Marks at the beginning end the sentence before, unless something else than spaces stands between.
        let leading = leading(text, start, here, claims.last().map(|claim| claim.end));
        let (before, own) = here.split_at(leading);
        if let Some((last, mark)) = claims.last_mut().zip(before.last()) {
            cite(last, before);
            last.end = mark.span.end;
        }
        let start = before.last().map_or(start, |mark| mark.span.end);
        let start = start + text[start..end].len() - text[start..end].trim_start().len();
        let bare = without(text, start, end, own);
        if !bare.chars().any(char::is_alphanumeric) {
            alone(&mut claims, rows, own);
            continue;
        }
        let mut claim = Claim { text: bare, start, end, ..Claim::default() };
        cite(&mut claim, own);
        rows = if form == BlockForm::Table { rows.or(Some(claims.len())) } else { None };
        let near = lead
            .as_ref()
            .is_some_and(|(_, until)| !text[*until..start].trim_matches([' ', '\n', '\r']).contains('\n'));
        match &mut lead {
            Some((sources, until)) if near && form == BlockForm::Item => {
                if claim.sources.is_empty() {
                    claim.sources.clone_from(sources);
                }
                *until = end;
            }
            _ => lead = None,
        }
        if claim.text.ends_with(':') && !claim.sources.is_empty() {
            lead = Some((claim.sources.clone(), end));
        }
        claims.push(claim);
        forms.push(form);
    }
    // What stands behind the last sentence belongs to it.
    if let Some((last, mark)) = claims.last_mut().zip(rest.last()) {
        cite(last, rest);
        last.end = mark.span.end;
    }
    (claims, forms)
}

/// Gives a sentence's marks, `One. Two [1].`, to those before it that cite nothing, as far back as its paragraph or list goes. The
/// lead-in of a list has them, too.
pub(super) fn cover(text: &str, claims: &mut [Claim], forms: &[BlockForm]) {
    let form = |at: usize| forms.get(at).copied();
    for at in (1..claims.len()).rev() {
        let (before, rest) = claims.split_at_mut(at);
        let Some((last, claim)) = before.last_mut().zip(rest.first()) else { continue };
        let gap = text.get(last.end..claim.start).unwrap_or_default();
        let follows = gap.matches('\n').count() <= 1;
        let together = match form(at) {
            Some(BlockForm::Table) => false,
            Some(BlockForm::Item) => {
                follows || form(at - 1) == Some(BlockForm::Item) || last.text.ends_with(':')
            }
            _ => follows,
        };
        if together && last.sources.is_empty() {
            last.sources.clone_from(&claim.sources);
        }
    }
}

/// Gives marks that stand alone to what stands before them.
fn alone(claims: &mut [Claim], rows: Option<usize>, marks: &[CitationMark]) {
    let from = rows.unwrap_or(claims.len().saturating_sub(1));
    for claim in claims.iter_mut().skip(from).filter(|claim| claim.sources.is_empty()) {
        cite(claim, marks);
    }
}

/// Counts the marks that stand at the sentence's beginning, with nothing but spaces before them since the last claim.
fn leading(text: &str, start: usize, marks: &[CitationMark], last_end: Option<usize>) -> usize {
    let Some(last_end) = last_end.filter(|end| *end <= start) else { return 0 };
    if text[last_end..start].contains('\n') {
        return 0;
    }
    let mut at = start;
    marks
        .iter()
        .take_while(|mark| {
            let follows = mark.span.start >= at && text[at..mark.span.start].trim().is_empty();
            at = mark.span.end;
            follows
        })
        .count()
}

fn cite(claim: &mut Claim, marks: &[CitationMark]) {
    for number in marks.iter().flat_map(|mark| &mark.numbers) {
        if !claim.sources.contains(number) {
            claim.sources.push(*number);
        }
    }
}

fn without(text: &str, start: usize, end: usize, marks: &[CitationMark]) -> String {
    let mut bare = String::new();
    let mut at = start;
    for mark in marks {
        bare.push_str(text.get(at..mark.span.start).unwrap_or_default().trim_end());
        at = mark.span.end.min(end);
    }
    bare.push_str(text.get(at..end).unwrap_or_default());
    bare.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<(String, Vec<u32>)> {
        claims(text).into_iter().map(|claim| (claim.text, claim.sources)).collect()
    }

    fn claim(text: &str, sources: &[u32]) -> (String, Vec<u32>) {
        (text.to_owned(), sources.to_vec())
    }

    #[test]
    fn marks_belong_to_their_sentence_on_either_side_of_its_end() {
        let text = "Give 40 mg/kg [1]. Twice daily. [2][3] No rash [2, 4] is expected. Done.";
        assert_eq!(
            read(text),
            [
                claim("Give 40 mg/kg.", &[1]),
                claim("Twice daily.", &[2, 3]),
                claim("No rash is expected.", &[2, 4]),
                claim("Done.", &[]),
            ]
        );
        let spans: Vec<_> = claims(text).iter().map(|claim| &text[claim.start..claim.end]).collect();
        assert_eq!(spans[0], "Give 40 mg/kg [1].");
        assert_eq!(spans[1], "Twice daily. [2][3]");
    }

    #[test]
    fn marks_are_for_all_before_them_that_cites_nothing() {
        assert_eq!(
            read("One. Two [1]. Three. Four. [2]\n\nFive. Six [3]. Seven."),
            [
                claim("One.", &[1]),
                claim("Two.", &[1]),
                claim("Three.", &[2]),
                claim("Four.", &[2]),
                claim("Five.", &[3]),
                claim("Six.", &[3]),
                claim("Seven.", &[]),
            ]
        );
        assert_eq!(
            read("Zero.\n\nOf two:\n\n- One.\n- Two. [1]"),
            [claim("Zero.", &[]), claim("Of two:", &[1]), claim("- One.", &[1]), claim("- Two.", &[1])]
        );
    }

    #[test]
    fn lists_and_paragraphs() {
        assert_eq!(
            read("- One [1]\n- Two [2]\n\n[3] Three."),
            [claim("- One", &[1]), claim("- Two", &[2]), claim("Three.", &[3]),]
        );
        assert_eq!(read("The end. [1]"), [claim("The end.", &[1])]);
        assert_eq!(read(""), []);
        assert_eq!(read("[1]"), []);
    }

    #[test]
    fn rows_are_claims_and_share_the_marks_behind_the_table() {
        let text = "| Drug | Dose |\n|---|---|\n| Zinc | 20 mg |\n| Iron | 60 mg [2] |\n\n[1]\n\nEnd.";
        assert_eq!(
            read(text),
            [claim("| Zinc | 20 mg |", &[1]), claim("| Iron | 60 mg |", &[2]), claim("End.", &[])]
        );
        assert_eq!(read("```\ncode\n```\n\n[1]"), [claim("```\ncode\n```", &[1])]);
        assert_eq!(read("| a |\n| b [1] |"), [claim("| a |", &[]), claim("| b |", &[1])]);
    }

    #[test]
    fn items_have_the_marks_of_their_lead_in() {
        let text = "It helps with [1]:\n\n- fever\n- pain [2]\n- rash\n\nOther.";
        let found: Vec<Vec<u32>> = read(text).into_iter().map(|(_, sources)| sources).collect();
        assert_eq!(found, [vec![1], vec![1], vec![2], vec![1], vec![]]);
    }

    proptest! {
        #[test]
        fn claims_are_in_order_and_within_the_text(text in "[a-zA-Z.\\[\\]0-9 \n|`#-]{0,80}") {
            let mut end = 0;
            for claim in claims(&text) {
                prop_assert!(claim.start <= claim.end && claim.end <= text.len());
                prop_assert!(end <= claim.start, "{:?}", claims(&text));
                prop_assert!(text.is_char_boundary(claim.start) && text.is_char_boundary(claim.end));
                end = claim.end;
            }
        }
    }
}
