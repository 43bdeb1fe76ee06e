//! Patterns of one's own: a few signs instead of regular expressions.
//!
//! | in a pattern | stands for |
//! | --- | --- |
//! | `#` | a digit |
//! | `?` | a letter |
//! | `*` | a letter or a digit |
//! | `{n}`, `{n,m}` behind any of them | that many times, from n to m |
//! | `\` | the next character as it is |
//! | anything else | itself, in any case; a space also for a line break |
//!
//! So `KH-#{6}` finds `KH-204817` and `kh-204817`, and `?{2}#{4,6}` finds `AB1234`. What is found is whole: no letter
//! and no digit stands directly before or behind it.
//!
//! Every place of a text is tried with all ways through a pattern at once, by one machine word of states (bit-parallel
//! simulation of the automaton, Baeza-Yates and Gonnet 1992). There is no backtracking, and a pattern never looks at
//! more than 64 characters.

use std::ops::Range;

use super::view::View;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_text::fold_one;

/// The most characters that a pattern may match: the bits of its states.
const MAX_CHARS: usize = 63;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatternElement {
    Digit,
    Letter,
    Either,
    Space,
    /// A character as [`low`] writes it.
    Exactly(char),
}

impl PatternElement {
    fn matches(self, c: char) -> bool {
        match self {
            Self::Digit => c.is_ascii_digit(),
            Self::Letter => c.is_alphabetic(),
            Self::Either => c.is_alphanumeric(),
            Self::Space => c.is_whitespace(),
            Self::Exactly(wanted) => fold_one(c) == wanted,
        }
    }
}

/// A pattern, ready to be tried.
pub(super) struct OwnPattern {
    /// The elements, repetitions written out.
    elements: Vec<PatternElement>,
    /// The elements that may be left out, one bit each.
    optional: u64,
}

impl OwnPattern {
    pub(super) fn new(text: &str) -> Result<Self> {
        let invalid = |problem: &str| {
            Error::new(ErrorCode::InvalidOption, format!("The pattern `{text}` {problem}.")).with_hint(
                "`#` is a digit, `?` a letter, `*` either of them, `{6}` or `{4,6}` repeats, and `\\` takes the next character as it is.",
            )
        };
        let (mut elements, mut optional) = (Vec::new(), 0u64);
        let folded = View::new(text).chars;
        let mut rest = folded.iter().copied().peekable();
        while let Some(c) = rest.next() {
            let element = match c {
                '#' => PatternElement::Digit,
                '?' => PatternElement::Letter,
                '*' => PatternElement::Either,
                '\\' => {
                    PatternElement::Exactly(fold_one(rest.next().ok_or_else(|| invalid("ends in a `\\`"))?))
                }
                '{' | '}' => return Err(invalid("has a repetition of nothing")),
                c if c.is_whitespace() => PatternElement::Space,
                c => PatternElement::Exactly(fold_one(c)),
            };
            let (mut least, mut most) = (1, 1);
            if rest.next_if_eq(&'{').is_some() {
                let count: String = rest.by_ref().take_while(|&c| c != '}').collect();
                let (from, to) = count.split_once(',').unwrap_or((&count, &count));
                let number = |text: &str| text.trim().parse::<usize>();
                (least, most) = number(from)
                    .and_then(|from| Ok((from, number(to)?)))
                    .map_err(|_| invalid("has a repetition without numbers"))?;
                if least > most || most == 0 {
                    return Err(invalid("has an impossible repetition"));
                }
            }
            if elements.len() + most.min(MAX_CHARS + 1) > MAX_CHARS {
                return Err(invalid("can match more than 63 characters"));
            }
            for count in 0..most {
                optional |= u64::from(count >= least) << elements.len();
                elements.push(element);
            }
        }
        let all = (1u64 << elements.len()) - 1;
        if optional == all {
            return Err(invalid("matches nothing at all"));
        }
        Ok(Self { elements, optional })
    }

    /// Calls `found` with the characters of every match that does not overlap one before; of those at one place, with the
    /// longest.
    pub(super) fn find(&self, view: &View, found: &mut dyn FnMut(Range<usize>)) {
        let mut at = 0;
        while at < view.len() {
            let whole = !(view.before(at).is_alphanumeric() && view.at(at).is_alphanumeric());
            match self.longest(view, at).filter(|_| whole) {
                Some(end) => {
                    found(at..end);
                    at = end;
                }
                None => at += 1,
            }
        }
    }

    fn longest(&self, view: &View, start: usize) -> Option<usize> {
        let done = 1u64 << self.elements.len();
        // Bit i says that all before element i has been matched or left out.
        let mut states = self.skip(1);
        let mut longest = None;
        for at in start..(start + self.elements.len()).min(view.len()) {
            let c = view.at(at);
            let mut next = 0;
            let mut open = states & !done;
            while open != 0 {
                let bit = open.trailing_zeros() as usize;
                open &= open - 1;
                next |= u64::from(self.elements[bit].matches(c)) << (bit + 1);
            }
            states = self.skip(next);
            if states == 0 {
                break;
            }
            let whole = !(c.is_alphanumeric() && view.at(at + 1).is_alphanumeric());
            if states & done != 0 && whole {
                longest = Some(at + 1);
            }
        }
        longest
    }

    /// Adds the states with those that leaving out elements leads to.
    fn skip(&self, mut states: u64) -> u64 {
        loop {
            let more = states | (states & self.optional) << 1;
            if more == states {
                return states;
            }
            states = more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> Vec<String> {
        let view = View::new(text);
        let mut all = Vec::new();
        OwnPattern::new(pattern)
            .unwrap()
            .find(&view, &mut |range| all.push(text[view.bytes(&range)].to_owned()));
        all
    }

    #[test]
    fn signs_stand_for_digits_and_letters() {
        assert_eq!(
            matches("KH-#{6}", "kh-204817, KH‑204818, KH-2048199, XKH-204817"),
            ["kh-204817", "KH‑204818"]
        );
        assert_eq!(matches("?{2}#{4,6}", "AB1234 ÄÖ123456 AB123 A1234"), ["AB1234", "ÄÖ123456"]);
        assert_eq!(matches("*{1,8}", "abc-12345678-123456789"), ["abc", "12345678"]);
        assert_eq!(matches(r"\#?#", "#a1 xa1"), ["#a1"]);
        assert_eq!(matches("?{0,3}#{2}", "12 abc12 abcd12"), ["12", "abc12"]);
        assert_eq!(matches("room #", "Room\n7"), ["Room\n7"]);
    }

    #[test]
    fn a_pattern_that_means_nothing_is_refused() {
        for (pattern, problem) in [
            ("", "nothing at all"),
            ("#{0,3}", "nothing at all"),
            ("#{3,1}", "impossible"),
            ("#{}", "without numbers"),
            ("#{1,", "without numbers"),
            ("{3}", "of nothing"),
            ("a\\", "ends in"),
            ("#{64}", "more than 63"),
            ("#{99999999999}", "more than 63"),
        ] {
            let error = OwnPattern::new(pattern).err().unwrap();
            assert!(error.message().contains(problem), "{pattern}: {}", error.message());
            assert_eq!(error.code(), ErrorCode::InvalidOption);
        }
        assert!(OwnPattern::new("#{63}").is_ok());
    }
}
