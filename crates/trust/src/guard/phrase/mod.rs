//! Rules as data: the one engine of all rule files, which finds a table's words and phrases in a text.

mod find;
mod loose;
mod read;
mod table;

use std::ops::Range;

pub(super) use find::{PhraseAt, PhraseRow, WordSigns};
pub(super) use table::{RuleTable, WordTraits};

/// Finds the halves that tell something only together, `with` and `what`: the stretches from one to the other where no
/// more than `reach` words lie between them: of each `what` with the nearest `with` on either side. Both are in order of
/// their beginnings.
pub(super) fn pairs(with: &[Range<usize>], what: &[Range<usize>], reach: usize) -> Vec<Range<usize>> {
    /// The number of neighbours that are looked at, so that the time stays in proportion to the halves.
    const NEIGHBOURS: usize = 6;
    let mut found = Vec::new();
    for one in what {
        let at = with.partition_point(|other| other.start < one.start);
        let before =
            with[at.saturating_sub(NEIGHBOURS)..at].iter().rev().find(|other| other.end <= one.start);
        let behind = with[at..with.len().min(at + NEIGHBOURS)].iter().find(|other| other.start >= one.end);
        if let Some(before) = before.filter(|before| one.start - before.end <= reach) {
            found.push(before.start..one.end);
        } else if let Some(behind) = behind.filter(|behind| behind.start - one.end <= reach) {
            found.push(one.start..behind.end);
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of one place are what is tested")]
mod tests {
    use super::*;
    use ibid_text::Words;

    fn found(table: &'static str, text: &str) -> Vec<String> {
        let table = RuleTable::read(table);
        assert!(table.wrong.is_empty(), "{:?}", table.wrong);
        let words = Words::of(text);
        table.find(&words).iter().map(|found| text[words.span(&found.words)].to_owned()).collect()
    }

    #[test]
    fn phrases_have_gaps_choices_and_stems() {
        let table = "= kin dad mum\n[a]\n! my|our @kin ~2 collaps*\n! no pulse|breath\n! took # of? pill*";
        assert_eq!(found(table, "My dad has just collapsed."), ["My dad has just collapsed"]);
        assert_eq!(found(table, "our mum collapses"), ["our mum collapses"]);
        assert!(found(table, "my dad has only just now collapsed").is_empty());
        assert!(found(table, "My dad. Collapsed.").is_empty());
        assert_eq!(found(table, "took 30 of pills, took 5 pills"), ["took 30 of pills", "took 5 pills"]);
        assert_eq!(found(table, "there's NO pulse"), ["NO pulse"]);
        assert!(found(table, "no pulses").is_empty());
    }

    #[test]
    fn a_phrase_may_have_to_begin_a_sentence() {
        let table = "[a]\n? ^ how is";
        assert_eq!(found(table, "How is it? See how is not."), ["How is"]);
    }

    #[test]
    fn words_that_begin_each_other_are_all_seen() {
        let table = "[a]\n! a*\n! ab\n! ab*\n! abc\n! abd*";
        assert_eq!(found(table, "abc").len(), 3);
        assert_eq!(found(table, "abde").len(), 3);
        assert_eq!(found(table, "ab").len(), 3);
        assert_eq!(found(table, "ac").len(), 1);
        assert!(found(table, "b").is_empty());
    }

    #[test]
    fn the_longest_reach_ends_at_the_sentence() {
        let table = "[a]\n! a ~60 b";
        let text = format!("a {}b", "x ".repeat(60));
        assert_eq!(found(table, &text), [text.as_str()]);
        assert!(found(table, &format!("a {}b", "x ".repeat(61))).is_empty());
        assert_eq!(found(table, "a b"), ["a b"]);
        assert!(found(table, "a").is_empty());
    }

    #[test]
    fn what_is_no_phrase_is_not_read() {
        for wrong in
            ["! ~2 a", "! a ~2", "!a b", "! @none", "! a-b", "! ~x", "! b?", "! a ~60 b ~9 c", "!! a", "!"]
        {
            let table = RuleTable::read(wrong);
            assert_eq!(table.wrong, [wrong]);
        }
    }

    #[test]
    fn halves_are_joined_with_the_nearest() {
        assert_eq!(pairs(&[0..2, 4..5], &[6..8], 3), [4..8]);
        assert_eq!(pairs(&[9..10], &[6..8], 3), [6..10]);
        assert!(pairs(&[0..2], &[6..8], 3).is_empty());
        assert!(pairs(&[6..7], &[6..8], 3).is_empty(), "no half is its own other half");
        assert!(pairs(&[], &[6..8], 3).is_empty());
    }

    #[test]
    fn characters_that_are_words() {
        assert_eq!(found("[a]\n! 忽略 ~4 指令", "请忽略之前的指令。"), ["忽略之前的指令"]);
    }
}
