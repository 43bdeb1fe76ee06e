//! Other terms that a word may stand for: those it is the beginning of, and those it is a misspelling of.

use std::ops::Range;

use super::codec::{LONGEST_TERM, TermReader};
use super::store::FileTerms;
use ibid_platform::{Result, order};

/// The number of terms that are taken for a word, those first that are in the most chunks.
const MOST_TERMS: usize = 32;
/// The most bytes of a file's blocks that are gone through for a word.
const MOST_BYTES: usize = 144 * 1024;
/// An ending of that many bytes may be missing of a term, since terms are stems.
const LONGEST_ENDING: usize = 3;
/// The shortest word that may be misspelt, in characters.
const LEAST_LETTERS: usize = 4;
/// The share of a match of a term that the word is the beginning of, and one that was misspelt.
const PREFIX_SHARE: f32 = 0.8;
const TYPO_SHARE: f32 = 0.6;

/// Finds the terms that begin with `written`, each with what part of a match it counts as: less the more it goes on. The
/// term `known` is left out.
pub(super) fn by_prefix(
    parts: &[FileTerms<'_>],
    written: &str,
    known: &str,
    missing: &mut Vec<Range<u64>>,
) -> Result<Vec<(String, f32)>> {
    collect(parts, written.as_bytes(), missing, |term| {
        let goes_on = term.starts_with(written) && term != known;
        goes_on.then(|| PREFIX_SHARE * written.len() as f32 / term.len() as f32)
    })
}

/// Finds the terms that `written` or its stem differs from by one letter that is wrong, missing or too much, or by two
/// that have changed places (Damerau, 1964), or by that and an ending. The first letter must be right, or have changed
/// places with the second: few misspell it, and it tells where to look.
pub(super) fn by_typo(
    parts: &[FileTerms<'_>],
    written: &str,
    stem: &str,
    missing: &mut Vec<Range<u64>>,
) -> Result<Vec<(String, f32)>> {
    let mut letters = written.chars();
    let (Some(first), Some(second)) = (letters.next(), letters.next()) else { return Ok(Vec::new()) };
    let letters = written.chars().count();
    if !(LEAST_LETTERS..=LONGEST_TERM).contains(&letters) || written.contains(|char: char| char.is_numeric())
    {
        return Ok(Vec::new());
    }
    let mut buffer = [0; 8];
    let swapped = second.encode_utf8(&mut buffer).len();
    let end = swapped + first.encode_utf8(&mut buffer[swapped..]).len();
    let mut found = Vec::new();
    for prefix in [&written.as_bytes()[..first.len_utf8()], &buffer[..end]] {
        found.extend(collect(parts, prefix, missing, |term| {
            let near = is_near(stem.as_bytes(), term.as_bytes(), 0)
                || (term.len() > LEAST_LETTERS
                    && is_near(written.as_bytes(), term.as_bytes(), LONGEST_ENDING));
            near.then_some(TYPO_SHARE)
        })?);
        if first == second {
            break;
        }
    }
    order::by(&mut found, |a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    Ok(found)
}

/// Goes through the terms with that beginning and keeps the most frequent of those that `accept` gives a share.
fn collect(
    parts: &[FileTerms<'_>],
    prefix: &[u8],
    missing: &mut Vec<Range<u64>>,
    accept: impl Fn(&str) -> Option<f32>,
) -> Result<Vec<(String, f32)>> {
    let mut found: Vec<(u32, String, f32)> = Vec::new();
    for (_, store) in parts {
        for number in store.blocks_of(prefix, MOST_BYTES) {
            let Some(block) = store.block(number, missing)? else { continue };
            let mut terms = TermReader::new(&block)?;
            let (mut bytes, mut length) = ([0; LONGEST_TERM], 0);
            while let Some(raw) = terms.next()? {
                length = raw.shared.min(length);
                let end = length + raw.suffix.len();
                // The reader has checked that it fits.
                if let Some(slot) = bytes.get_mut(length..end) {
                    slot.copy_from_slice(raw.suffix);
                    length = end;
                }
                let term = &bytes[..length];
                if !term.starts_with(prefix) {
                    continue;
                }
                let Ok(term) = std::str::from_utf8(term) else { continue };
                if let Some(share) = accept(term) {
                    match found.iter_mut().find(|(_, known, _)| known == term) {
                        Some((chunks, ..)) => *chunks = chunks.saturating_add(raw.entry.chunks),
                        None => found.push((raw.entry.chunks, term.to_owned(), share)),
                    }
                }
            }
        }
    }
    order::by(&mut found, |a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.truncate(MOST_TERMS);
    Ok(found.into_iter().map(|(_, term, share)| (term, share)).collect())
}

/// Returns true if two words are the same but for one error, and an ending of at most that many bytes that `a` alone has.
fn is_near(a: &[u8], b: &[u8], ending: usize) -> bool {
    if a.len().abs_diff(b.len()) > 1 + ending {
        return false;
    }
    let same = |a: Option<&[u8]>, b: Option<&[u8]>| match (a, b) {
        (Some(a), Some(b)) => a.starts_with(b) && a.len() - b.len() <= ending,
        _ => false,
    };
    let at = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[at..], &b[at..]);
    let swapped = matches!((a, b), ([a, b, ..], [c, d, ..]) if a == d && b == c);
    same(Some(a), Some(b))
        || same(a.get(1..), b.get(1..))
        || same(a.get(1..), Some(b))
        || same(Some(a), b.get(1..))
        || (swapped && same(a.get(2..), b.get(2..)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_error_is_near() {
        let near = |a: &str, b: &str| is_near(a.as_bytes(), b.as_bytes(), 0);
        for (a, b) in [("diabet", "diabet"), ("diabt", "diabet"), ("diaabet", "diabet"), ("diobet", "diabet")]
        {
            assert!(near(a, b) && near(b, a), "{a} {b}");
        }
        assert!(near("idabet", "diabet") && near("diabte", "diabet"));
        assert!(!near("dibt", "diabet") && !near("adibet", "diabet") && !near("xiabex", "diabet"));
        assert!(is_near(b"hypertenison", b"hypertens", 3) && !is_near(b"hypertenisonian", b"hypertens", 3));
    }
}
