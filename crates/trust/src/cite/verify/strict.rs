//! An answer without what its sources do not support.

use std::ops::Range;

use super::super::claim::Claim;
use super::super::outcome::ClaimStatus;
use ibid_platform::order;

/// An answer from which sentences have been removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stricter {
    /// What is left, in Markdown.
    pub text: String,
    /// How many sentences were removed.
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
    let mut lines = cut(text, &ranges);
    drop_empty(&mut lines);
    Stricter { text: join(&lines), removed }
}

/// A line of what is left.
struct CutLine {
    text: String,
    /// What it was before something was removed from it; a sentence may begin with the mark of its item.
    was: Option<String>,
    dropped: bool,
}

impl CutLine {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn whole(&self) -> &str {
        self.was.as_ref().filter(|_| self.dropped).unwrap_or(&self.text)
    }

    fn content(&self) -> &str {
        self.whole().trim_start_matches([' ', '\t', '>']).trim_end()
    }

    fn indent(&self) -> usize {
        self.whole().len() - self.whole().trim_start_matches([' ', '\t']).len()
    }

    /// The level of a heading, 1 to 6.
    fn heading(&self) -> Option<usize> {
        let level = self.content().bytes().take_while(|byte| *byte == b'#').count();
        (1..=6).contains(&level).then_some(level)
    }

    /// The length of what makes it an item of a list.
    fn item(&self) -> Option<usize> {
        let content = self.content();
        if content.starts_with(['-', '*', '+']) && !content.starts_with("**") {
            return Some(1);
        }
        let digits = content.bytes().take_while(u8::is_ascii_digit).count();
        let rest = content.get(digits..).unwrap_or_default();
        (digits > 0 && rest.starts_with(['.', ')'])).then_some(digits + 1)
    }

    fn is_row(&self) -> bool {
        self.content().starts_with('|')
    }

    fn is_delimiter(&self) -> bool {
        self.is_row() && self.content().bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' '))
    }

    /// Whether nothing is left but the marks of a list, of emphasis or of a table.
    fn is_hollow(&self) -> bool {
        let content = self.content();
        let content = self.item().and_then(|item| content.get(item..)).unwrap_or(content);
        !content.chars().any(char::is_alphanumeric)
    }
}

/// The lines of a text without the ranges, which are in order.
fn cut(text: &str, ranges: &[Range<usize>]) -> Vec<CutLine> {
    let mut lines = vec![CutLine { text: String::new(), was: None, dropped: false }];
    let mut at = 0;
    let add = |part: &str, lines: &mut Vec<CutLine>| {
        for piece in part.split_inclusive('\n') {
            if let Some(line) = lines.last_mut() {
                line.text.push_str(piece);
            }
            if piece.ends_with('\n') {
                lines.push(CutLine { text: String::new(), was: None, dropped: false });
            }
        }
    };
    for range in ranges {
        if range.start < at {
            continue;
        }
        add(text.get(at..range.start).unwrap_or_default(), &mut lines);
        at = range.end;
        let rest = text.get(at..).unwrap_or_default();
        if let Some(line) = lines.last_mut() {
            if line.was.is_none() {
                // Once for each line, so that the time stays linear.
                let start =
                    text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
                line.was = text.get(start..).and_then(|rest| rest.lines().next()).map(str::to_owned);
            }
            // The space on one side goes, too.
            if rest.starts_with('\n') || rest.is_empty() {
                line.text.truncate(line.text.trim_end_matches([' ', '\t']).len());
            } else {
                at += rest.len() - rest.trim_start_matches(' ').len();
            }
        }
    }
    add(text.get(at..).unwrap_or_default(), &mut lines);
    lines
}

fn drop_empty(lines: &mut [CutLine]) {
    for line in lines.iter_mut() {
        line.dropped = line.was.is_some() && line.is_hollow();
    }
    // From the end, so that what stands above knows what is left below.
    let mut filled = [false; 7];
    let mut emptied = [false; 7];
    // The line below that is not blank: whether it was dropped, and the next that was not.
    let (mut below, mut left): (Option<usize>, Option<usize>) = (None, None);
    for at in (0..lines.len()).rev() {
        let belongs = |line: &CutLine| line.item().is_some() || line.is_row();
        let gone = below.is_some_and(|below| lines[below].dropped && belongs(&lines[below]));
        let kept = left.is_some_and(|left| belongs(&lines[left]));
        let line = &lines[at];
        if line.is_blank() && !line.dropped {
            continue;
        }
        let level = line.heading();
        let drop = match level {
            Some(level) => !filled[level] && emptied[level],
            // The head of a table without rows, and what leads to a list without items.
            None if line.is_delimiter() => {
                gone && !left.is_some_and(|left| lines[left].is_row() && below == Some(left))
                    && !next_row(lines, at)
            }
            None if line.is_row() => {
                below.is_some_and(|below| lines[below].dropped && lines[below].is_delimiter())
            }
            None => gone && !kept && line.content().ends_with(':'),
        };
        lines[at].dropped |= drop;
        let dropped = lines[at].dropped;
        let from = level.unwrap_or(7);
        for above in 1..7 {
            if above >= from {
                // A heading begins a section of its own.
                (filled[above], emptied[above]) = (false, false);
            }
            if above < from {
                filled[above] |= !dropped;
                emptied[above] |= dropped;
            }
        }
        below = Some(at);
        if !dropped {
            left = Some(at);
        }
    }
}

/// Whether a row is left in the table below a line.
fn next_row(lines: &[CutLine], at: usize) -> bool {
    lines
        .iter()
        .skip(at + 1)
        .take_while(|line| line.is_row() || line.dropped)
        .any(|line| line.is_row() && !line.dropped)
}

fn join(lines: &[CutLine]) -> String {
    let mut text = String::new();
    // How far items are moved left whose own item is gone, and the indentation from which on they are.
    let mut moved: Option<(usize, usize)> = None;
    let (mut blank, mut gap) = (true, false);
    for line in lines {
        if line.dropped {
            gap = true;
            if line.item().is_some() && moved.is_none_or(|(from, _)| line.indent() < from) {
                moved = Some((line.indent() + 1, 0));
            }
            continue;
        }
        if line.is_blank() {
            // Of the blank lines on both sides of what is gone, one is left.
            if !(gap && blank) {
                text.push_str(&line.text);
            }
            blank = true;
            continue;
        }
        let indent = line.indent();
        let mut shift = 0;
        if let Some((from, by)) = &mut moved {
            if indent >= *from {
                *by = if *by == 0 { indent - (*from - 1) } else { *by };
                shift = (*by).min(indent);
            } else {
                moved = None;
            }
        }
        text.push_str(line.text.get(shift..).unwrap_or_default());
        (blank, gap) = (false, false);
    }
    let length = text.trim_end().len();
    if lines.last().is_some_and(|line| line.dropped || line.is_blank()) && gap {
        text.truncate(length);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::claim::claims;
    use super::super::super::outcome::ClaimCheck;
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
}
