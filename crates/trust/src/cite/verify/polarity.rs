//! Whether a claim denies what its source affirms, or says the opposite of it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::lists::lines;
use super::passage::{Passage, distinct};
use super::reading::{ReadWord, TermTable, TextReading};
use ibid_platform::order;
use ibid_text::rough_stem;

/// The most places of a word that are compared, so that a word repeated a million times takes no longer.
const MOST: usize = 16;

/// The least share of what a claim denies that its source has to affirm.
const SHARE: f32 = 0.15;

/// How far around a word its neighbours are compared.
const AROUND: usize = 5;

/// Something in a claim that its source turns around.
pub(super) struct Turned {
    /// The place in the claim.
    pub(super) claim: Range<usize>,
    /// The place in the source's text.
    pub(super) source: Range<usize>,
}

/// Whether what the claim denies stands affirmed in the window, or what the window denies stands affirmed in the claim.
pub(super) fn denial(
    claim: &TextReading,
    passage: &Passage,
    window: &Range<usize>,
    terms: &TermTable,
) -> Option<Turned> {
    let source = passage.reading.words.get(passage.words(window)).unwrap_or_default();
    let said = states(source, terms);
    let everywhere = states(&passage.reading.words, terms);
    let claimed = states(&claim.words, terms);
    claimed_denial(claim, &claimed, &said, &everywhere, passage, terms)
        .or_else(|| sourced_denial(claim, &claimed, passage, window, terms))
        .or_else(|| prefixed(claim, source, terms))
}

/// For each term whether it is said plainly, and whether it is denied.
type States = HashMap<u32, (bool, bool)>;

fn states(words: &[ReadWord], terms: &TermTable) -> States {
    let mut states = States::new();
    for word in words.iter().filter(|word| !terms.is_function_word(word.term)) {
        let state = states.entry(word.term).or_default();
        if word.denied.is_some() {
            state.1 = true;
        } else {
            state.0 = true;
        }
    }
    states
}

/// The groups of words that one cue denies, in order.
fn groups(words: &[ReadWord]) -> Vec<(usize, Vec<&ReadWord>)> {
    let mut groups: Vec<(usize, Vec<&ReadWord>)> = Vec::new();
    for word in words {
        let Some(cue) = word.denied else { continue };
        match groups.last_mut() {
            Some((last, group)) if *last == cue => group.push(word),
            _ => groups.push((cue, vec![word])),
        }
    }
    groups
}

fn claimed_denial(
    claim: &TextReading,
    claimed: &States,
    said: &States,
    everywhere: &States,
    passage: &Passage,
    terms: &TermTable,
) -> Option<Turned> {
    for (cue, group) in groups(&claim.words) {
        let (mut plain, mut denied, mut all) = (0.0, 0.0, 0.0);
        let mut place = None;
        for word in group.iter().filter(|word| !terms.is_function_word(word.term)) {
            let weight = terms.weight(word.term);
            all += weight;
            // A word that the claim has plainly too tells nothing.
            if claimed.get(&word.term).is_none_or(|state| state.0) {
                continue;
            }
            // What the passage denies elsewhere may be what is meant.
            if everywhere.get(&word.term).is_some_and(|state| state.1) {
                denied += weight;
                continue;
            }
            match said.get(&word.term) {
                Some((true, false)) => {
                    plain += weight;
                    place = place.or(Some(word.term));
                }
                Some((_, true)) => denied += weight,
                _ => {}
            }
        }
        if plain > denied && plain >= all * SHARE {
            let span = claim.tokens.get(cue)?.span.clone();
            let source = passage.reading.words.iter().find(|word| Some(word.term) == place)?.span.clone();
            return Some(Turned { claim: span, source });
        }
    }
    None
}

fn sourced_denial(
    claim: &TextReading,
    claimed: &States,
    passage: &Passage,
    window: &Range<usize>,
    terms: &TermTable,
) -> Option<Turned> {
    for sentence in passage.sentences.get(window.clone()).unwrap_or_default() {
        let words = passage.reading.words.get(sentence.words.clone()).unwrap_or_default();
        for (cue, group) in groups(words) {
            let (mut plain, mut all, mut count) = (0.0, 0.0, 0);
            let mut place = None;
            let content: Vec<&&ReadWord> =
                group.iter().filter(|word| !terms.is_function_word(word.term)).collect();
            // What is denied first is what the denial is about.
            let first = content.first().is_some_and(|word| claimed.get(&word.term) == Some(&(true, false)));
            for word in &content {
                let weight = terms.weight(word.term);
                all += weight;
                match claimed.get(&word.term) {
                    Some((true, false)) => {
                        plain += weight;
                        count += 1;
                        place = place.or(Some(word.term));
                    }
                    Some(_) => plain = f32::MIN,
                    None => {}
                }
            }
            if first && count >= 2 && plain >= all * 0.6 {
                let span = claim.words.iter().find(|word| Some(word.term) == place)?.span.clone();
                let source = passage.reading.tokens.get(cue)?.span.clone();
                return Some(Turned { claim: span, source });
            }
        }
    }
    None
}

/// Whether one has "unsafe" where the other has "safe".
fn prefixed(claim: &TextReading, source: &[ReadWord], terms: &TermTable) -> Option<Turned> {
    let have = distinct(source.iter().map(|word| word.term));
    for word in &claim.words {
        let text = claim.tokens.get(word.token)?.text.as_str();
        if word.denied.is_some() || have.binary_search(&word.term).is_ok() || text.len() < 4 {
            continue;
        }
        let without =
            ["un", "non"].iter().find_map(|prefix| text.strip_prefix(prefix)).filter(|rest| rest.len() > 3);
        let others = [without.map(str::to_owned), Some(format!("un{text}")), Some(format!("non{text}"))];
        for other in others.into_iter().flatten() {
            let term = terms.find(&other).filter(|term| !terms.is_function_word(*term));
            let found = source.iter().rfind(|found| Some(found.term) == term);
            if let Some(found) = found.filter(|found| found.denied.is_none()) {
                return Some(Turned { claim: word.span.clone(), source: found.span.clone() });
            }
        }
    }
    None
}

/// Pairs of terms that say the opposite of each other, in both directions and in order.
pub(super) struct Opposites(Vec<(String, String)>);

impl Opposites {
    /// The opposites, which are read once.
    pub(super) fn all() -> &'static Self {
        static OPPOSITES: OnceLock<Opposites> = OnceLock::new();
        OPPOSITES.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut pairs = Vec::new();
        for (one, other) in lines("opposites").filter_map(|pair| pair.split_once(' ')) {
            let (one, other) = (rough_stem(one), rough_stem(other));
            pairs.extend([(one.clone(), other.clone()), (other, one)]);
        }
        order::by_key(&mut pairs, |(one, _)| one.clone());
        Self(pairs)
    }

    /// A word of the claim whose opposite stands in the window at the same place: among the same words.
    pub(super) fn find(&self, claim: &TextReading, source: &[ReadWord], terms: &TermTable) -> Option<Turned> {
        let have = distinct(source.iter().map(|word| word.term));
        for (at, word) in claim.words.iter().enumerate() {
            let text = rough_stem(&claim.tokens.get(word.token)?.text);
            let first = self.0.partition_point(|(one, _)| *one < text);
            let pairs = self.0[first..].iter().take_while(|(one, _)| *one == text);
            for opposite in pairs.filter_map(|(_, opposite)| terms.find_stem(opposite)) {
                if have.binary_search(&word.term).is_ok()
                    || claim.words.iter().any(|word| word.term == opposite)
                {
                    continue;
                }
                let places = source.iter().enumerate().filter(|(_, found)| found.term == opposite);
                for (there, found) in places.take(MOST) {
                    if found.denied.is_some() == word.denied.is_some()
                        && same_place(around(&claim.words, at), around(source, there), terms)
                    {
                        return Some(Turned { claim: word.span.clone(), source: found.span.clone() });
                    }
                }
            }
        }
        None
    }
}

fn around(words: &[ReadWord], at: usize) -> impl Iterator<Item = &ReadWord> {
    let near = words.get(at.saturating_sub(AROUND)..(at + AROUND + 1).min(words.len())).unwrap_or_default();
    near.iter().filter(move |word| words.get(at).is_none_or(|centre| centre.token != word.token))
}

/// Whether the words around two places are mostly the same.
fn same_place<'w>(
    one: impl Iterator<Item = &'w ReadWord>,
    other: impl Iterator<Item = &'w ReadWord>,
    terms: &TermTable,
) -> bool {
    let other: Vec<u32> = other.map(|word| word.term).collect();
    let (mut shared, mut all, mut count) = (0.0, 0.0, 0);
    for word in one.filter(|word| !terms.is_function_word(word.term)) {
        let weight = terms.weight(word.term);
        all += weight;
        if other.contains(&word.term) {
            shared += weight;
            count += 1;
        }
    }
    count > 0 && shared >= all * 0.5
}
