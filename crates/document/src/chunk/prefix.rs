//! The line of headings that stands before a chunk's text when it is embedded or shown to a model.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use super::ChunkOptions;
use super::size::size;

/// Stands for headings, and for ends of headings, that were left out.
const ELLIPSIS: &str = "…";

/// `[A > B > C] `, the whole heading path, however long it is.
pub fn prefix(heading_path: &[String]) -> String {
    format!("[{}] ", heading_path.join(" > "))
}

/// Makes the prefix of the chunks of a section: as [`prefix`] makes it, as long as it takes at most half of the budget.
///
/// A longer one is shortened, always in the same way. First `…` takes the place of headings behind the first; of those
/// at the end as many are kept as fit. If the first and the last are still too long, both are cut to the same number
/// of graphemes, the greatest that fits, and end in `…`. Should not even that fit, there is no prefix.
pub(super) fn prefix_within(heading_path: &[String], options: &ChunkOptions) -> String {
    let limit = options.clamped().budget / 2;
    let fits = |prefix: &String| size(prefix) <= limit;
    let whole = prefix(heading_path);
    if fits(&whole) {
        return whole;
    }
    let [first, rest @ ..] = heading_path else { return String::new() };
    if let Some((last, _)) = rest.split_last() {
        let with_last = |kept: usize| {
            let kept = rest[rest.len() - kept..].iter().map(String::as_str);
            line([first.as_str(), ELLIPSIS].into_iter().chain(kept))
        };
        // One kept heading is the last one; keeping all but one of the rest replaces that one.
        if let Some(shortened) = greatest(rest.len() - 1, |kept| Some(with_last(kept)).filter(fits)) {
            return shortened;
        }
        let longest = graphemes(first).max(graphemes(last));
        let cut_both = |count: usize| {
            let (first, last) = (cut(first, count), cut(last, count));
            let between = (rest.len() > 1).then_some(ELLIPSIS);
            line([first.as_ref()].into_iter().chain(between).chain([last.as_ref()]))
        };
        if let Some(shortened) = greatest(longest, |count| Some(cut_both(count)).filter(fits)) {
            return shortened;
        }
    }
    let cut_first = |count: usize| Some(line([cut(first, count).as_ref()].into_iter())).filter(fits);
    greatest(graphemes(first), cut_first).unwrap_or_default()
}

fn line<'a>(headings: impl Iterator<Item = &'a str>) -> String {
    format!("[{}] ", headings.collect::<Vec<_>>().join(" > "))
}

fn graphemes(heading: &str) -> usize {
    heading.graphemes(true).count()
}

/// Cuts the heading's first graphemes, and `…` if that is not all of it.
fn cut(heading: &str, count: usize) -> Cow<'_, str> {
    match heading.grapheme_indices(true).nth(count) {
        Some((end, _)) => Cow::Owned(format!("{}{ELLIPSIS}", heading[..end].trim_end())),
        None => Cow::Borrowed(heading),
    }
}

/// Finds the value that `make` gives for the greatest number from 1 to `most` for which it gives anything, if that is so
/// for all numbers below too.
fn greatest(most: usize, make: impl Fn(usize) -> Option<String>) -> Option<String> {
    let mut found = None;
    let (mut low, mut high) = (1, most);
    while low <= high {
        let middle = low + (high - low) / 2;
        if let Some(made) = make(middle) {
            found = Some(made);
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    found
}
