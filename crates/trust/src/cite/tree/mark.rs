//! The citation marks of an answer, and the text that Markdown is read from.

use std::ops::Range;

use crate::cite::form::{Named, numbers, square};
use crate::cite::marker::markers;
use crate::cite::{Citation, Marker};
use ibid_platform::order;

/// A mark with at least one number that leads to a source.
pub(super) struct Mark {
    /// Its byte range in the text, brackets included.
    pub span: Range<usize>,
    /// The numbers that lead to a source.
    pub numbers: Vec<u32>,
}

impl Mark {
    /// The numbers of the mark that lead to no source, as a mark; nothing if there are none. What the mark says beside its
    /// numbers says nothing without the others.
    pub(super) fn rest(&self, text: &str) -> Option<String> {
        let inner = text.get(self.span.clone())?.trim_matches(['[', ']', '【', '】']);
        if matches!(square(inner), Some(Named::Label(_))) {
            return None;
        }
        let inner = inner.split('†').next().unwrap_or_default();
        let inner = inner.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut rest = String::new();
        for item in inner.split_inclusive([',', ';']) {
            let known = numbers(item.trim_end_matches([',', ';']))
                .is_some_and(|named| named.iter().all(|number| self.numbers.contains(number)));
            if !known {
                rest.push_str(item);
            }
        }
        let rest = rest.trim_matches([' ', '\u{a0}', ',', ';']);
        (!rest.is_empty()).then(|| format!("[{rest}]"))
    }
}

/// The marks of these citations, in order. What is no mark of this text is left out.
pub(super) fn marks(text: &str, citations: &[Citation]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for Citation { number, span, .. } in citations {
        match marks.last_mut() {
            Some(last) if last.span == *span => last.numbers.push(*number),
            last => {
                let follows = last.is_none_or(|last| last.span.end <= span.start);
                let is_mark = |mark: &str| {
                    mark.len() > 2 && mark.starts_with(['[', '【']) && mark.ends_with([']', '】'])
                };
                if follows && text.get(span.clone()).is_some_and(is_mark) {
                    marks.push(Mark { span: span.clone(), numbers: vec![*number] });
                }
            }
        }
    }
    marks
}

/// The text as the Markdown parser gets it: byte for byte as long, but with nothing where marks and HTML tags begin that
/// means something to it. What is shown is taken from the text itself.
///
/// Marks become `{ }`: punctuation to the rules of emphasis, as brackets are, but never part of a link. The blank keeps
/// them out of the address of one, too. Tags lose their `<`, unless an address in angle brackets begins there.
pub(super) fn masked(text: &str, known: &[Mark]) -> String {
    // Two sorted lists, one behind the other, are sorted in linear time.
    let mut spans: Vec<Range<usize>> = known.iter().map(|mark| mark.span.clone()).collect();
    spans.extend(markers(text, true).into_iter().map(|Marker { span, .. }| span));
    order::by_key(&mut spans, |span| span.start);
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        if span.start >= at {
            mask_tags(&mut masked, text, at..span.start);
            masked.push('{');
            masked.extend(std::iter::repeat_n(' ', span.len() - 2));
            masked.push('}');
            at = span.end;
        }
    }
    mask_tags(&mut masked, text, at..text.len());
    masked
}

fn mask_tags(masked: &mut String, text: &str, range: Range<usize>) {
    let mut rest = range.start;
    for (at, _) in text.get(range.clone()).unwrap_or_default().match_indices('<') {
        let at = range.start + at;
        let after = text.get(at + 1..).unwrap_or_default();
        let begins =
            |scheme: &str| after.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        masked.push_str(text.get(rest..at).unwrap_or_default());
        let address = begins("http://")
            || begins("https://")
            || text.get(..at).is_some_and(|before| before.ends_with("]("));
        masked.push(if address { '<' } else { '{' });
        rest = at + 1;
    }
    masked.push_str(text.get(rest..range.end).unwrap_or_default());
}
