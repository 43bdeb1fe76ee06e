//! An answer without what its sources do not support.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use super::super::claim::Claim;
use super::super::claim::ClaimStatus;
use super::super::markdown::Masked;
use ibid_platform::order;

/// An answer from which sentences have been removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stricter {
    /// The rest, in Markdown.
    pub text: String,
    /// The number of sentences that were removed.
    pub removed: usize,
}

/// Removes the sentences whose check says that they are unsupported, or that they state something and cite nothing.
///
/// The rest stays byte for byte, but for the Markdown that would be left without content: items of lists, rows and tables,
/// headings, lead-ins whose list is gone, and the blank lines and the indentation that belonged to them.
pub fn strict(text: &str, claims: &[Claim]) -> Stricter {
    let unwanted = claims.iter().filter(|claim| {
        let status = claim.check.as_ref().map(|check| check.status);
        matches!(status, Some(ClaimStatus::Unsupported | ClaimStatus::Uncited))
    });
    let mut ranges: Vec<Range<usize>> = unwanted
        .map(|claim| claim.start..claim.end)
        .filter(|range| text.get(range.clone()).is_some_and(|text| !text.is_empty()))
        .collect();
    order::by_key(&mut ranges, |range| range.start);
    if ranges.is_empty() {
        return Stricter { text: text.to_owned(), removed: 0 };
    }
    let removed = ranges.len();
    let masked = Masked::of(text);
    let events = masked.events();
    let blocks: Vec<&Range<usize>> =
        events.iter().filter(|(event, _)| is_block(event)).map(|(_, range)| range).collect();
    let leads = leads(text, &events, &Remains::of(text, &events, &ranges));
    ranges.extend(leads);
    order::by_key(&mut ranges, |range| range.start);
    let remains = Remains::of(text, &events, &ranges);
    let mut cuts: Vec<Range<usize>> = ranges.iter().map(|range| with_space(text, range)).collect();
    cuts.extend(blocks.iter().filter(|range| remains.is_hollow(range)).map(|range| lines(text, range)));
    cuts.extend(remains.headings(text.len()).map(|range| lines(text, &range)));
    cuts.extend(orphans(text, &events, &remains));
    order::by_key(&mut cuts, |cut| cut.start);
    let (mut left, mut at) = (String::with_capacity(text.len()), 0);
    for cut in cuts {
        left.push_str(text.get(at..cut.start).unwrap_or_default());
        at = at.max(cut.end);
    }
    left.push_str(text.get(at..).unwrap_or_default());
    if at == text.len() {
        left.truncate(left.trim_end().len());
    }
    Stricter { text: left, removed }
}

/// Returns whether this begins a block that goes with all that it says.
fn is_block(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Start(
            Tag::Paragraph
                | Tag::List(_)
                | Tag::Item
                | Tag::Table(_)
                | Tag::TableRow
                | Tag::BlockQuote(_)
                | Tag::CodeBlock(_)
        )
    )
}

/// Finds the lines that lead to a list or a table of which nothing is left.
fn leads(text: &str, events: &[(Event<'_>, Range<usize>)], remains: &Remains<'_>) -> Vec<Range<usize>> {
    let hollow = events.iter().filter(|(event, range)| {
        matches!(event, Event::Start(Tag::List(_) | Tag::Table(_))) && remains.is_hollow(range)
    });
    let ends = hollow.filter_map(|(_, range)| Some(text.get(..range.start)?.trim_end()));
    ends.filter(|before| before.ends_with(':'))
        .map(|before| line_start(text, before.len())..before.len())
        .collect()
}

/// The words that are left of a text.
struct Remains<'r> {
    gone: &'r [Range<usize>],
    /// Places of words that are left, but for those of headings and of heads of tables.
    words: Vec<usize>,
    /// The headings with their levels.
    headings: Vec<(usize, Range<usize>)>,
}

impl<'r> Remains<'r> {
    fn of(text: &str, events: &[(Event<'_>, Range<usize>)], gone: &'r [Range<usize>]) -> Self {
        let (mut words, mut headings, mut title) = (Vec::new(), Vec::new(), 0);
        let mut next = gone.iter().peekable();
        for (event, range) in events {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    headings.push((*level as usize, range.clone()));
                    title = range.end;
                }
                Event::Start(Tag::TableHead) => title = range.end,
                Event::Text(_) | Event::Code(_) if range.start >= title => {
                    let mut at = range.start;
                    while at < range.end {
                        while next.next_if(|gone| gone.end <= at).is_some() {}
                        let (start, end) =
                            next.peek().map_or((range.end, range.end), |gone| (gone.start, gone.end));
                        let here = text.get(at..start.clamp(at, range.end)).unwrap_or_default();
                        if here.contains(char::is_alphanumeric) {
                            words.push(at);
                        }
                        at = if start < range.end { end } else { range.end };
                    }
                }
                _ => {}
            }
        }
        Self { gone, words, headings }
    }

    /// Returns whether something in a range is gone and no word is left there.
    fn is_hollow(&self, range: &Range<usize>) -> bool {
        let gone = self.gone.partition_point(|gone| gone.end <= range.start);
        let word = self.words.partition_point(|at| *at < range.start);
        self.gone.get(gone).is_some_and(|gone| gone.start < range.end)
            && self.words.get(word).is_none_or(|at| *at >= range.end)
    }

    /// Finds the headings whose sections are hollow.
    fn headings(&self, end: usize) -> impl Iterator<Item = Range<usize>> {
        self.headings.iter().enumerate().filter_map(move |(at, (level, range))| {
            let next = self.headings.iter().skip(at + 1).find(|(next, _)| next <= level);
            let section = range.start..next.map_or(end, |(_, next)| next.start);
            self.is_hollow(&section).then(|| range.clone())
        })
    }
}

/// Finds the signs of items that have nothing left but a list of their own, and the indentation of that.
fn orphans(text: &str, events: &[(Event<'_>, Range<usize>)], remains: &Remains<'_>) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    let mut shifts: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, (event, item)) in events.iter().enumerate() {
        if !matches!(event, Event::Start(Tag::Item)) || remains.is_hollow(item) {
            continue;
        }
        let mut inside = events.iter().skip(at + 1).take_while(|(_, range)| range.start < item.end);
        let Some((_, list)) = inside.find(|(event, _)| matches!(event, Event::Start(Tag::List(_)))) else {
            continue;
        };
        if !remains.is_hollow(&(item.start..list.start)) {
            continue;
        }
        let first = list.start + text[list.start..].len() - text[list.start..].trim_start().len();
        let shift =
            (first - line_start(text, first)).saturating_sub(item.start - line_start(text, item.start));
        cuts.push(item.start..first);
        for (line, _) in text[first..list.end].match_indices('\n') {
            *shifts.entry(first + line + 1).or_default() += shift;
        }
    }
    cuts.extend(shifts.into_iter().map(|(line, shift)| {
        let blank = text[line..].bytes().take(shift).take_while(|byte| *byte == b' ').count();
        line..line + blank
    }));
    cuts
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |line| line + 1)
}

/// Widens a sentence with the space on one side of it.
fn with_space(text: &str, range: &Range<usize>) -> Range<usize> {
    let (before, behind) = (&text[..range.start], &text[range.end..]);
    if behind.is_empty() || behind.starts_with('\n') {
        return before.trim_end_matches([' ', '\t']).len()..range.end;
    }
    range.start..text.len() - behind.trim_start_matches(' ').len()
}

/// Finds the lines of a block, with the blank lines behind it if there are some before it.
fn lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let line = line_start(text, range.start);
    let bare = text[line..range.start].trim_matches([' ', '\t', '>']).is_empty();
    let start = if bare { line } else { range.start };
    let end = start + text[start..range.end].trim_end().len();
    let mut end = text[end..].find('\n').map_or(text.len(), |line| end + line + 1);
    if start == 0 || text[..start].ends_with("\n\n") {
        while let Some(line) = text[end..].split_inclusive('\n').next().filter(|line| line.trim().is_empty())
        {
            end += line.len();
        }
    }
    start..end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::claim::ClaimCheck;
    use super::super::super::claim::claims;
    use super::*;

    /// Removes the sentences that have "bad" in them.
    fn without(text: &str) -> String {
        let mut claims = claims(text);
        for claim in &mut claims {
            let status =
                if claim.text.contains("bad") { ClaimStatus::Unsupported } else { ClaimStatus::Supported };
            claim.check = Some(ClaimCheck { status, ..ClaimCheck::default() });
        }
        strict(text, &claims).text
    }

    #[test]
    fn sentences_go_and_the_rest_stays() {
        for (text, left) in [
            ("One [1]. This is bad [2]. Three [3].", "One [1]. Three [3]."),
            ("This is bad [2]. Three [3].\n", "Three [3].\n"),
            ("One [1]. This is bad [2].", "One [1]."),
            ("One.\n\nThis is bad.\n\nTwo.", "One.\n\nTwo."),
            ("- One\n- bad\n- Two\n", "- One\n- Two\n"),
            ("# A\n\nbad one.\n\n# B\n\nGood.", "# B\n\nGood."),
            ("# A\n\n## C\n\nbad one.\n\n# B\n\nGood.", "# B\n\nGood."),
            ("# A\n\n## C\n\nbad one.\n\n## B\n\nGood.", "# A\n\n## B\n\nGood."),
            ("Good.\n\nThese are:\n\n- bad\n- bad too", "Good."),
            ("These are:\n- bad\n- fine", "These are:\n- fine"),
            ("- bad\n    - fine\n- good", "- fine\n- good"),
            ("- bad\n  - fine\n    more\n  - ok\n- good", "- fine\n  more\n- ok\n- good"),
            ("Doses:\n\n| a |\n|---|\n| bad |\n\nEnd.", "End."),
            ("| a |\n|---|\n| bad |\n| ok |", "| a |\n|---|\n| ok |"),
            ("1. bad\n2. fine\n\n> bad\n\nGood.", "2. fine\n\nGood."),
            ("All bad.", ""),
            ("Nothing wrong.", "Nothing wrong."),
        ] {
            assert_eq!(without(text), left, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_left_was_there(text in "([a-c.\n|# *-]|bad|[1]|  |é|: ){0,60}") {
            let left = without(&text);
            prop_assert!(left.len() <= text.len());
            let mut rest = text.chars();
            for c in left.chars() {
                prop_assert!(rest.any(|other| other == c), "{left:?}");
            }
        }
    }

    #[test]
    fn a_long_text_takes_time_in_proportion() {
        for unit in [
            "bad. ",
            "- bad\n",
            "# A\n\nbad.\n\n",
            "a:\n\n- bad\n\n",
            "| a |\n|-|\n| bad |\n\n",
            "- bad\n  - b\n",
            "> bad\n",
        ] {
            assert!(!without(&unit.repeat(10_000)).contains("bad"), "{unit:?}");
        }
    }
}
