//! The markup of site generators in markdown, which is taken out or put into words before the markdown is read.
//!
//! Generators read more than markdown: components and statements of MDX, shortcodes, directives, macros, HTML. None of
//! it is text that a visitor reads, but for what stands between tags, titles, and labels. Code is left as it is.

mod admonition;
mod component;
mod esm;
mod fence;
mod lines;
mod macros;
mod script;
mod tag;

pub(crate) use fence::{Fence, fence_of};

use std::borrow::Cow;
use std::ops::Range;

use super::Origin;
use super::encoding::Decoded;

/// A stretch of the text, and the words that are read instead of it.
pub(super) struct Edit {
    range: Range<usize>,
    text: Cow<'static, str>,
}

impl Edit {
    fn drop(range: Range<usize>) -> Self {
        Self { range, text: Cow::Borrowed("") }
    }

    fn put(range: Range<usize>, text: impl Into<Cow<'static, str>>) -> Self {
        Self { range, text: text.into() }
    }
}

/// Takes generators' markup out of markdown. `is_mdx` is what the file's name says; a file that imports something is MDX
/// too.
pub(super) fn clean(decoded: Decoded, is_mdx: bool) -> Decoded {
    let is_mdx = is_mdx || esm::has_imports(&decoded.text);
    let edits = lines::edits(&decoded.text, is_mdx);
    apply(decoded, edits)
}

/// Makes the edits, which are in order and apart from each other.
fn apply(decoded: Decoded, edits: Vec<Edit>) -> Decoded {
    if edits.is_empty() {
        return decoded;
    }
    let mut text = String::with_capacity(decoded.text.len());
    let mut origin = Origin::default();
    let mut at = 0;
    for Edit { range, text: put } in edits {
        keep(&decoded, at..range.start, &mut text, &mut origin);
        let start = text.len();
        text.push_str(&put);
        if !put.is_empty() {
            origin.push_through(start..text.len(), range.clone(), &decoded.origin);
        }
        at = range.end;
    }
    keep(&decoded, at..decoded.text.len(), &mut text, &mut origin);
    Decoded { text, origin: origin.with_lines_of(decoded.origin), warnings: decoded.warnings }
}

fn keep(decoded: &Decoded, range: Range<usize>, text: &mut String, origin: &mut Origin) {
    if !range.is_empty() {
        let start = text.len();
        text.push_str(&decoded.text[range.clone()]);
        origin.push_through(start..text.len(), range, &decoded.origin);
    }
}

#[cfg(test)]
mod tests;
