//! Mistakes as models make them, made on purpose: the same ones in every run.

use std::ops::Range;

use super::labelled::Labelled;

ibid_platform::named! {
    /// A kind of mistake.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Mistake {
        WrongChunk = "wrong chunk",
        ChangedNumber = "changed number",
        SwappedName = "swapped name, from another claim",
        SwappedNameWithin = "swapped name, from the same chunk",
        InsertedNegation = "inserted negation",
    }
}

impl Mistake {
    /// Makes the claim of that number with this mistake in it: its text, and the number of the claim whose passage it
    /// cites. `None` if it has nothing that the mistake could be made in.
    pub(super) fn make(self, claims: &[Labelled], at: usize) -> Option<(String, usize)> {
        let claim = claims.get(at)?;
        let text = match self {
            Self::WrongChunk => return other(claims, at).map(|other| (claim.text.clone(), other)),
            Self::ChangedNumber => change_number(&claim.text, at)?,
            Self::SwappedName => {
                let mut at_other = at;
                let mut pool = std::iter::from_fn(|| {
                    at_other = other(claims, at_other).filter(|other| *other != at)?;
                    claims.get(at_other).map(|claim| claim.text.as_str())
                });
                swap_name(claim, at, &mut pool)?
            }
            Self::SwappedNameWithin => {
                swap_name(claim, at, &mut std::iter::once(claim.source.hit.text.as_str()))?
            }
            Self::InsertedNegation => negate(&claim.text)?,
        };
        Some((text, at))
    }
}

/// Finds the next claim about another document.
fn other(claims: &[Labelled], at: usize) -> Option<usize> {
    let own = claims.get(at)?;
    (1..claims.len()).map(|step| (at + step) % claims.len()).find(|other| {
        claims.get(*other).is_some_and(|claim| {
            claim.document != own.document && claim.source.hit.text != own.source.hit.text
        })
    })
}

/// Draws a number that seems random.
fn draw(seed: usize, below: usize) -> usize {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 33) as usize % below.max(1)
}

/// The same with one digit of one number changed, or one number in words for another.
fn change_number(text: &str, seed: usize) -> Option<String> {
    const WORDS: [&str; 9] = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let mut numbers: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        match numbers.last_mut() {
            Some(last) if last.end == at => last.end = at + c.len_utf8(),
            _ => numbers.push(at..at + 1),
        }
    }
    // Digits within a name, such as "B12", are none.
    let within = |range: &Range<usize>| {
        text[..range.start].chars().next_back().is_some_and(|c| c.is_alphabetic() || c == '-')
    };
    numbers.retain(|range| !within(range));
    if numbers.is_empty() {
        let (start, word) = words(text).find(|(_, word)| WORDS.contains(&word.to_lowercase().as_str()))?;
        let old = WORDS.iter().position(|other| word.eq_ignore_ascii_case(other))?;
        let new = WORDS[(old + 1 + draw(seed, WORDS.len() - 1)) % WORDS.len()];
        return Some(format!("{}{new}{}", &text[..start], &text[start + word.len()..]));
    }
    let range = numbers.get(draw(seed, numbers.len()))?.clone();
    let place = range.start + draw(seed + 7, range.len());
    let old = u32::from(text.as_bytes()[place] - b'0');
    // The first digit stays one that can be first.
    let least = u32::from(place == range.start);
    let new = (1..10)
        .map(|step| (old + step + draw(seed + 13, 9) as u32) % 10)
        .find(|new| *new != old && *new >= least)?;
    Some(format!("{}{new}{}", &text[..place], &text[place + 1..]))
}

/// Lists the words of a text with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - start, word))
}

/// A name, and what can stand in its place.
struct Name<'t> {
    range: Range<usize>,
    text: &'t str,
    kind: (usize, bool, bool),
}

/// Words with capitals that are no names.
const IDLE: &str = "The A An In On At It He She They His Her Their This January February March April May June July August \
                        September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday I";

/// Runs of words with capitals that begin no sentence. Names are of one kind if they have about as many words, and are both
/// in capitals or not, and both stand behind a preposition of place or not.
fn names(text: &str) -> Vec<Name<'_>> {
    let mut found: Vec<Name> = Vec::new();
    let mut before: Option<(usize, &str)> = None;
    for (at, word) in words(text) {
        let end = at + word.len();
        let gap = before.map(|(last, _)| &text[last..at]);
        let capital = word.starts_with(char::is_uppercase) && word.chars().count() > 1;
        let idle = IDLE.split_ascii_whitespace().any(|idle| idle == word);
        let opens = gap.is_none_or(|gap| gap.contains(['.', '!', '?', '\n', ':', '"', '“', '(']));
        if capital && !idle && !opens {
            let joins = gap == Some(" ")
                && found.last().is_some_and(|name| before.is_some_and(|(last, _)| name.range.end == last));
            match found.last_mut() {
                Some(name) if joins => {
                    name.range.end = end;
                    name.text = &text[name.range.clone()];
                    name.kind.0 = (name.kind.0 + 1).min(3);
                    name.kind.1 = false;
                }
                _ => {
                    let place =
                        before.is_some_and(|(_, word)| matches!(word, "in" | "at" | "from" | "near" | "to"));
                    let shout = word.chars().all(char::is_uppercase);
                    found.push(Name { range: at..end, text: &text[at..end], kind: (1, shout, place) });
                }
            }
        }
        before = Some((end, word));
    }
    found
}

fn swap_name(claim: &Labelled, seed: usize, pool: &mut dyn Iterator<Item = &str>) -> Option<String> {
    let own = names(&claim.text);
    // Only one that the passage has: otherwise it would be missing before the swap already.
    let known: Vec<&Name> = own.iter().filter(|name| claim.source.hit.text.contains(name.text)).collect();
    let name = known.get(draw(seed, known.len()))?;
    let fits = |other: &Name| {
        // "Hernandez's" for "Hernandez" would be no mistake.
        let apart = |word: &str| {
            word.split(['\'', '’']).next().is_none_or(|word| word.is_empty() || !claim.text.contains(word))
        };
        other.kind == name.kind && words(other.text).all(|(_, word)| apart(word))
    };
    let new = pool.take(400).find_map(|text| names(text).into_iter().find(fits).map(|name| name.text))?;
    Some(format!("{}{new}{}", &claim.text[..name.range.start], &claim.text[name.range.end..]))
}

/// The same denied: "not" behind the first auxiliary verb, or else "never" before what looks like a past tense.
fn negate(text: &str) -> Option<String> {
    const AUXILIARIES: &str =
        "is are was were has had have will would can could should may might must did does do";
    const DENIALS: &str = "not no never without nor neither none cannot";
    let has = |list: &str, word: &str| list.split(' ').any(|known| known.eq_ignore_ascii_case(word));
    if words(text).any(|(_, word)| has(DENIALS, word) || word.ends_with("n't") || word.ends_with("n’t")) {
        return None;
    }
    if let Some((at, word)) = words(text).find(|(_, word)| has(AUXILIARIES, word)) {
        let end = at + word.len();
        return Some(format!("{} not{}", &text[..end], &text[end..]));
    }
    let (at, _) = words(text).skip(1).find(|(_, word)| word.ends_with("ed") && word.len() > 4)?;
    Some(format!("{}never {}", &text[..at], &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::super::labelled::Label;
    use super::*;
    use ibid_trust::cite::Source;

    #[test]
    fn mistakes_are_made() {
        let changed = change_number("In 2004 it had 12 songs.", 3).unwrap();
        assert_eq!(changed.len(), "In 2004 it had 12 songs.".len());
        assert_ne!(changed, "In 2004 it had 12 songs.");
        assert_ne!(change_number("It had three songs.", 3).unwrap(), "It had three songs.");
        assert_eq!(change_number("It had songs about B12.", 3), None);
        assert_eq!(negate("It was built here.").unwrap(), "It was not built here.");
        assert_eq!(negate("She then opened it.").unwrap(), "She then never opened it.");
        assert_eq!(negate("It was never built."), None);
        let mut claim = Labelled {
            label: Label::Supported,
            text: "It was built by Berg.".to_owned(),
            document: String::new(),
            source: Source::default(),
        };
        claim.source.hit.text = "Berg built it.".to_owned();
        let swap = |pool: &str| swap_name(&claim, 0, &mut std::iter::once(pool));
        assert_eq!(swap("It is not Berg's but Lund's.").unwrap(), "It was built by Lund's.");
        assert_eq!(swap("It is Berg's."), None);
        let found: Vec<_> = names("Later Anna Berg met the WHO in Oslo. The end.")
            .into_iter()
            .map(|name| (name.text, name.kind))
            .collect();
        assert_eq!(
            found,
            [("Anna Berg", (2, false, false)), ("WHO", (1, true, false)), ("Oslo", (1, false, true))]
        );
    }
}
