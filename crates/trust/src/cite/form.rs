//! The text between the brackets of a citation mark.

use std::ops::Range;

/// The most numbers that a range such as `[2-4]` stands for. One that spans more, a span of years perhaps, stands for
/// its two ends.
pub(super) const MAX_RANGE: usize = 20;

/// Signs between the numbers of a mark; the wide ones are those of Chinese and Japanese.
pub(super) const SEPARATORS: [char; 6] = [',', ';', '，', '；', '、', '､'];

/// Signs between the ends of a range.
const DASHES: [char; 8] = ['-', '–', '—', '‑', '−', '－', '～', '〜'];

/// The word that a mark may begin with.
const SOURCE: &str = "source";

/// The sources that a mark names.
#[derive(Debug, PartialEq)]
pub(super) enum Named {
    /// Sources by their numbers.
    Numbers(Vec<u32>),
    /// A source by its title: the range in what was read.
    Label(Range<usize>),
}

/// Reads the text in square brackets: `1`, `1, 2`, `2-4`, `^1`, `Source 2`, `source: 1, 3` or `Source: Title, Year`.
/// `None` for anything else.
pub(super) fn square(inner: &str) -> Option<Named> {
    let Some(rest) = behind_source(inner) else {
        return numbers(inner.strip_prefix('^').unwrap_or(inner)).map(Named::Numbers);
    };
    let (rest, colon) = match rest.trim_start().strip_prefix(':') {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    if let Some(numbers) = numbers(rest) {
        return Some(Named::Numbers(numbers));
    }
    let label = rest.trim();
    // What begins code or an escape may hold the bracket that closes the mark.
    let is_label = colon && label.chars().any(char::is_alphanumeric) && !label.contains(['`', '\\']);
    let start = inner.len() - rest.trim_start().len();
    is_label.then(|| Named::Label(start..start + label.len()))
}

/// Reads the text in `【】`, which some models write out of habit: `1`, `1, 2`, or `1†` and anything behind that.
pub(super) fn lenticular(inner: &str) -> Option<Named> {
    // What begins code may end behind the bracket.
    let named = inner.split('†').next().filter(|_| !inner.contains('`'))?;
    numbers(named).map(Named::Numbers)
}

/// Takes the text behind `source` or `sources`, if that is the first word.
fn behind_source(inner: &str) -> Option<&str> {
    let word = inner.get(..SOURCE.len()).filter(|word| word.eq_ignore_ascii_case(SOURCE))?;
    let rest = &inner[word.len()..];
    let rest = rest.strip_prefix(['s', 'S']).unwrap_or(rest);
    rest.starts_with([' ', '\u{a0}', ':']).then_some(rest)
}

/// Reads the numbers in `1`, `1, 2` or `2-4, 7`; `None` if the text is anything else.
pub(super) fn numbers(text: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for item in text.split(SEPARATORS) {
        let (first, last) = match item.split_once(DASHES) {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(item)?, number(item)?),
        };
        if first <= last && ((last - first) as usize) < MAX_RANGE {
            numbers.extend(first..=last);
        } else {
            numbers.extend([first, last]);
        }
    }
    let mut seen = Vec::new();
    for number in numbers {
        if !seen.contains(&number) {
            seen.push(number);
        }
    }
    Some(seen)
}

fn number(text: &str) -> Option<u32> {
    let text = text.trim_matches([' ', '\u{a0}', '\u{3000}']);
    let digits = 1..=4;
    digits.contains(&text.chars().count()).then_some(())?;
    text.chars().try_fold(0, |number, c| {
        let narrow = match c {
            '０'..='９' => u32::from(c) - u32::from('０'),
            _ => c.to_digit(10)?,
        };
        Some(10 * number + narrow)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(inner: &str) -> Option<Vec<u32>> {
        match square(inner) {
            Some(Named::Numbers(numbers)) => Some(numbers),
            _ => None,
        }
    }

    fn labelled(inner: &str) -> Option<&str> {
        match square(inner) {
            Some(Named::Label(range)) => Some(&inner[range]),
            _ => None,
        }
    }

    #[test]
    fn numbers_may_have_the_word_before_them() {
        for inner in [
            "2, 4",
            "Source 2, 4",
            "source: 2,4",
            "Sources 2;4",
            "SOURCES : 2 , 4",
            "Source\u{a0}2, 4",
            "^2, 4",
        ] {
            assert_eq!(numbered(inner), Some(vec![2, 4]), "{inner}");
        }
        for inner in [
            "Source",
            "Source2",
            "source code",
            "Sourced 2",
            "Source #2",
            "^",
            "^a",
            "^Source 1",
            "Quelle 2",
            "1 ^2",
        ] {
            assert_eq!(square(inner), None, "{inner}");
        }
    }

    #[test]
    fn a_title_needs_the_colon() {
        assert_eq!(labelled("Source: Green tea, 2020"), Some("Green tea, 2020"));
        assert_eq!(labelled("sources :  Ä, B (2020) "), Some("Ä, B (2020)"));
        assert_eq!(labelled("Source: 1, two"), Some("1, two"));
        for inner in ["Source:", "Source: …", "Source Green tea", "Source: `a", "Source: a\\"] {
            assert_eq!(square(inner), None, "{inner}");
        }
    }

    #[test]
    fn other_brackets() {
        for (inner, numbers) in [
            ("1", vec![1]),
            ("2, 3", vec![2, 3]),
            ("2、３；１０", vec![2, 3, 10]),
            ("1，3～5", vec![1, 3, 4, 5]),
            ("1†source", vec![1]),
            ("4†L10-L20", vec![4]),
        ] {
            assert_eq!(lenticular(inner), Some(Named::Numbers(numbers)), "{inner}");
        }
        for inner in ["", "†", "4:0†source", "注", "Source: x"] {
            assert_eq!(lenticular(inner), None, "{inner}");
        }
    }
}
