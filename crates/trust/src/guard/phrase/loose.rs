//! Words as people in a hurry write them: in another form than the table has, or with a slip of the finger.

/// The fewest letters of a word of a table that a slip is looked for in, and of one that may have a wrong letter: among
/// shorter ones, such a word is often another.
pub(super) const SLIP: usize = 5;
const WRONG: usize = 8;

/// Returns true if `word` is `meant` with one letter left out, put in or, of long words, wrong, or with two letters in turned
/// order; or begins so where `start` is said.
pub(super) fn slipped(word: &str, meant: &str, start: bool) -> bool {
    let (word, meant) = (word.as_bytes(), meant.as_bytes());
    let least = if start { SLIP } else { SLIP + 1 };
    if meant.len() < least || word.len() + 1 < meant.len() || !start && word.len() > meant.len() + 1 {
        return false;
    }
    let same = word.iter().zip(meant).take_while(|(a, b)| a == b).count();
    // Hands and memory are surest of how a word begins.
    if same < 2 {
        return false;
    }
    let (word, rest) = (&word[same..], &meant[same..]);
    let is = |seen: Option<&[u8]>, wanted: Option<&[u8]>| match (seen, wanted) {
        (Some(seen), Some(wanted)) => seen == wanted || start && seen.starts_with(wanted),
        _ => false,
    };
    let turned = word.len() > 1 && rest.len() > 1 && word[0] == rest[1] && word[1] == rest[0];
    is(word.get(1..), Some(rest))
        || is(Some(word), rest.get(1..))
        || turned && is(word.get(2..), rest.get(2..))
        || meant.len() >= WRONG && is(word.get(1..), rest.get(1..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_seen_through() {
        for word in ["brething", "breahting", "breeathing", "breathinng", "bresthing", "breathin"] {
            assert!(slipped(word, "breathing", false), "{word}");
        }
        assert!(slipped("vommiting", "vomit", true));
        assert!(slipped("collasped", "collaps", true));
        for (word, meant) in [
            ("breeding", "breathing"),
            ("paint", "pain"),
            ("blend", "bleed"),
            ("surrogate", "slurr"),
            ("", "bleed"),
        ] {
            assert!(!slipped(word, meant, true), "{word}");
        }
    }
}
