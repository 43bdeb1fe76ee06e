//! The markup of site generators in markdown, which is taken out or put into words before the markdown is read.
//!
//! Generators read more than markdown: components and statements of MDX, shortcodes, directives, macros, HTML. None of
//! it is text that a visitor reads, but for what stands between tags, titles, and labels. Code is left as it is.

mod admonition;
mod component;
mod esm;
mod fence;
mod left_out;
mod line;
mod lines;
mod macros;
mod script;
mod tag;
mod words;

pub(crate) use admonition::warning_word;
pub(crate) use fence::{Fence, fence_around, fence_of, longest_run};
pub(crate) use line::begins_item;

use std::borrow::Cow;
use std::ops::Range;

use super::encoding::Decoded;
use super::rewrite::{Rewriter, rewritten};

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
/// too. `liquid` is the configuration of a site whose pages are templates of Liquid.
pub(super) fn clean(decoded: Decoded, is_mdx: bool, liquid: Option<&str>) -> Decoded {
    let is_mdx = is_mdx || esm::has_imports(&decoded.text);
    let edits = lines::edits(&decoded.text, is_mdx, liquid);
    apply(decoded, edits)
}

/// Makes the edits, which are in order and apart from each other.
fn apply(decoded: Decoded, edits: Vec<Edit>) -> Decoded {
    if edits.is_empty() {
        return decoded;
    }
    let mut out = Rewriter::new(&decoded);
    let mut at = 0;
    for Edit { range, text } in edits {
        out.keep(at..range.start);
        at = range.end;
        out.put(&text, range);
    }
    out.keep(at..decoded.text.len());
    rewritten(out.finish(), decoded)
}

#[cfg(test)]
mod tests;
