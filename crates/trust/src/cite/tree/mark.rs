//! The citation marks of an answer that lead to sources.

use std::ops::Range;

use crate::cite::check::Citation;
use crate::cite::form::{Named, SEPARATORS, numbers, square};
use crate::cite::marker::{CLOSES, CitationMark, OPENS};

/// A mark with at least one number that leads to a source.
pub(super) struct Mark {
    /// Its byte range in the text, brackets included.
    pub span: Range<usize>,
    /// The numbers that lead to a source.
    pub numbers: Vec<u32>,
}

impl Mark {
    /// The numbers of the mark that lead to no source, as a mark; nothing if there are none. What the mark says besides its
    /// numbers says nothing without the others.
    pub(super) fn rest(&self, text: &str) -> Option<String> {
        let inner = text.get(self.span.clone())?.trim_start_matches(OPENS).trim_end_matches(CLOSES);
        if matches!(square(inner), Some(Named::Label(_))) {
            return None;
        }
        let inner = inner.split('†').next().unwrap_or_default();
        let inner = inner.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut rest = String::new();
        for item in inner.split_inclusive(SEPARATORS) {
            let known = numbers(item.trim_end_matches(SEPARATORS))
                .is_some_and(|named| named.iter().all(|number| self.numbers.contains(number)));
            if !known {
                rest.push_str(item);
            }
        }
        let rest = rest.trim_matches([' ', '\u{a0}']).trim_matches(SEPARATORS);
        (!rest.is_empty()).then(|| format!("[{rest}]"))
    }
}

/// Lists the marks of these citations, in order. What is no mark of this text is left out.
pub(super) fn cited(marks: &[CitationMark], citations: &[Citation]) -> Vec<Mark> {
    let mut citations = citations.iter().peekable();
    let known = |mark: &CitationMark| {
        while citations.next_if(|citation| citation.span.start < mark.span.start).is_some() {}
        let here = std::iter::from_fn(|| citations.next_if(|citation| citation.span == mark.span));
        let numbers: Vec<u32> = here.map(|citation| citation.number).collect();
        (!numbers.is_empty()).then(|| Mark { span: mark.span.clone(), numbers })
    };
    marks.iter().filter_map(known).collect()
}
