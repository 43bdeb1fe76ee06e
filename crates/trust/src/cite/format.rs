//! Writing citation marks with numbers in the order of the text.

use std::collections::BTreeMap;

use super::form::MAX_RANGE;
use super::label::{Meant, Titles};
use super::markdown::markers;
use super::source::Source;

/// A text whose marks were numbered anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renumbered {
    /// The text with the new numbers.
    pub text: String,
    /// The old number of each new one, from 1: the first is the old number of `[1]`.
    pub order: Vec<u32>,
}

/// Returns the text with its sources numbered from 1 in the order in which it cites them.
///
/// Each mark becomes one of the form `[1]`, `[1, 3]` or `[1-3]`, in the order of the numbers; so do marks that name a title.
/// Numbers that belong to none of the sources would be taken for new ones, and are escaped, `\[9\]`, which Markdown shows as it
/// was; titles that belong to none stay. All else stays byte
/// for byte, but for a space where a mark and what follows would become a link.
pub fn renumber(text: &str, sources: &[Source]) -> Renumbered {
    let marks = markers(text);
    let titles = Titles::of(sources, &marks);
    let known: std::collections::BTreeSet<u32> = sources.iter().map(|source| source.number).collect();
    let (mut order, mut new) = (Vec::new(), BTreeMap::new());
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for mark in marks {
        out.push_str(text.get(at..mark.span.start).unwrap_or_default());
        at = mark.span.end;
        let old = text.get(mark.span.clone()).unwrap_or_default();
        let label = mark.label.and_then(|label| text.get(label));
        let (cited, unknown): (Vec<u32>, Vec<u32>) = match label.map(|label| titles.find(label)) {
            Some(Meant::Sources(numbers)) => (numbers, Vec::new()),
            Some(_) => {
                out.push_str(old);
                (Vec::new(), Vec::new())
            }
            None => mark.numbers.into_iter().partition(|number| known.contains(number)),
        };
        let mut numbers: Vec<u32> = Vec::new();
        for number in cited {
            numbers.push(*new.entry(number).or_insert_with(|| {
                order.push(number);
                order.len() as u32
            }));
        }
        // A backslash before other brackets is only a backslash.
        if out.ends_with('\\') {
            out.push(' ');
        }
        // Nor is an escaped number the address of a link.
        if numbers.is_empty() && out.ends_with("](") {
            out.insert(out.len() - 1, ' ');
        }
        write_mark(&mut out, numbers, ("[", "]"));
        write_mark(&mut out, unknown, ("\\[", "\\]"));
        // A parenthesis or a colon behind it would make a link now that the mark has brackets.
        if !old.starts_with('[') && text.get(at..).unwrap_or_default().starts_with(['(', ':']) {
            out.push(' ');
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Renumbered { text: out, order }
}

/// Writes a mark with these numbers in order, three and more that follow one another as a range; nothing if there are
/// none.
fn write_mark(out: &mut String, mut numbers: Vec<u32>, (open, close): (&str, &str)) {
    numbers.sort_unstable();
    numbers.dedup();
    let mut items: Vec<String> = Vec::new();
    let mut rest = numbers.as_slice();
    while let Some(first) = rest.first() {
        // A longer range would be read as its two ends.
        let run =
            rest.iter().zip(*first..).take_while(|(number, next)| *number == next).take(MAX_RANGE).count();
        let (run, behind) = rest.split_at(run);
        rest = behind;
        match run {
            [first, .., last] if run.len() > 2 => items.push(format!("{first}-{last}")),
            few => items.extend(few.iter().map(u32::to_string)),
        }
    }
    if !items.is_empty() {
        out.extend([open, items.join(", ").as_str(), close]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::check::check;
    use super::super::source::SourceRegister;
    use super::super::source::tests::hit;
    use super::*;
    use ibid_retrieve::Hit;

    /// Sources 1 to 9; the fifth is the document "Rice".
    fn register() -> SourceRegister {
        let mut register = SourceRegister::default();
        for n in 1..10 {
            let title = if n == 5 { "Rice".to_owned() } else { format!("T{n}") };
            register.register(Hit { document_id: title.clone(), title, ..hit(n, "x") });
        }
        register
    }

    fn renumbered(text: &str) -> (String, Vec<u32>) {
        let Renumbered { text, order } = renumber(text, register().sources());
        (text, order)
    }

    #[test]
    fn numbers_follow_the_text() {
        for (before, after, order) in [
            ("A [7]. B [2]. C [7].", "A [1]. B [2]. C [1].", vec![7, 2]),
            ("A [4, 2; 9] B [2][4]", "A [1-3] B [2][1]", vec![4, 2, 9]),
            ("A [3-5]. B [5], C [3, 5]", "A [1-3]. B [3], C [1, 3]", vec![3, 4, 5]),
            ("A [Source 2] 【7†a】 [^2] [Source: Rice]", "A [1] [2] [1] [3]", vec![2, 7, 5]),
            ("`[7]` [7](x) [8]", "`[7]` [7](x) [1]", vec![8]),
            ("[Source: X]([2, 4])", "[Source: X]([1, 2])", vec![2, 4]),
            ("[1]:[1]([1])", "[1]:[1]([1])", vec![1]),
            ("[]([99][5])", "[] (\\[99\\][1])", vec![5]),
            ("[1](\n[3-6]()[1]) [5]", "[1](\n[3-6]()[1]) [1]", vec![5]),
            ("A [7]([2, 40])", "A [1]([2]\\[40\\])", vec![7, 2]),
            ("No mark", "No mark", vec![]),
            ("", "", vec![]),
        ] {
            assert_eq!(renumbered(before), (after.to_owned(), order), "{before}");
        }
    }

    #[test]
    fn what_is_unknown_does_not_become_known() {
        assert_eq!(
            renumbered("A [9][99] [3, 40] [12]"),
            ("A [1]\\[99\\] [2]\\[40\\] \\[12\\]".to_owned(), vec![9, 3])
        );
        assert_eq!(
            renumbered("A [Source: Air, 2020] [5]"),
            ("A [Source: Air, 2020] [1]".to_owned(), vec![5])
        );
        assert_eq!(renumbered("【7】(x) 【7】: a \\【7】"), ("[1] (x) [1] : a \\ [1]".to_owned(), vec![7]));
    }

    #[test]
    fn long_texts_take_time_in_proportion() {
        let text = "[1] [Source: Rice] [99] x. ".repeat(40_000);
        assert_eq!(renumber(&text, register().sources()).order, [1, 5]);
    }

    proptest! {
        #[test]
        fn the_same_sources_are_cited_in_the_same_order(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["[1]", "[7, 2]", "[3-6]", "[99]", "[2, 40]", "[Source: Rice]", "[Source: X]", "【8】", "[^4]",
                    "(", ")", ":", "\\", "\n", "`", " ", "a", "é", "[", "]", "!", "x. "]),
                0..25,
            ),
        ) {
            let text = pieces.concat();
            let register = register();
            let Renumbered { text: new, order } = renumber(&text, register.sources());
            let cited = |text: &str| -> Vec<u32> {
                let checked = check(text, &register);
                checked.citations.iter().map(|citation| citation.number).collect()
            };
            // Within a mark the order is that of the new numbers.
            let mut old = cited(&text);
            let mut mapped: Vec<u32> = markers(&new)
                .into_iter()
                .flat_map(|mark| mark.numbers)
                .filter_map(|number| order.get(number as usize - 1).copied())
                .collect();
            prop_assert_eq!(old.len(), mapped.len(), "{:?} -> {:?}", text, new);
            old.sort_unstable();
            mapped.sort_unstable();
            prop_assert_eq!(old, mapped, "{:?} -> {:?}", text, new);
        }
    }
}
