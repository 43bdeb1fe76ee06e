//! The words and cues of `rules/`, by the names under which the rules in Rust ask for them.

use std::cmp::Reverse;
use std::sync::{LazyLock, OnceLock};

use super::people;
use crate::guard::phrase::{PhraseAt, RuleTable, WordSigns};
use ibid_platform::order;

static RULES: OnceLock<RuleTable> = OnceLock::new();

/// Without its rules nothing is found.
static NO_RULES: LazyLock<RuleTable> = LazyLock::new(|| RuleTable::read_with(TRAITS, ""));

/// The rules as they are compiled in; the lists of names come last.
#[cfg(feature = "pii-rules")]
const TEXT: &str = concat!(
    include_str!(concat!(env!("OUT_DIR"), "/guard-pii-rules-words.txt")),
    include_str!(concat!(env!("OUT_DIR"), "/guard-pii-rules-numbers.txt")),
    include_str!(concat!(env!("OUT_DIR"), "/guard-pii-rules-names.txt")),
    include_str!(concat!(env!("OUT_DIR"), "/guard-pii-rules-address.txt")),
    include_str!(concat!(env!("OUT_DIR"), "/guard-pii-rules-cues.txt")),
    include_str!(concat!(env!("OUT_DIR"), "/guard-pii-rules-forms.txt")),
    include_str!(concat!(env!("OUT_DIR"), "/guard-pii-rules-people.txt")),
);

/// Takes the text of the rules where the feature `pii-rules` has not compiled them in. They weigh much, and only a
/// question that leaves for a model elsewhere needs them. The first call counts.
pub fn provide_pii_rules(text: &'static str) {
    let (rules, names) = text.split_at(text.find("[given]").unwrap_or(text.len()));
    people::provide(names);
    RULES.get_or_init(|| RuleTable::read_with(TRAITS, rules));
}

/// Tells whether the rules are there.
pub fn has_pii_rules() -> bool {
    #[cfg(feature = "pii-rules")]
    if RULES.get().is_none() {
        provide_pii_rules(TEXT);
    }
    RULES.get().is_some()
}

/// All that is known of words, as a table that is read at the first question.
pub(super) fn lexicon() -> &'static RuleTable {
    if has_pii_rules() { RULES.get().unwrap_or(&NO_RULES) } else { &NO_RULES }
}

/// Lists the entries of a section whose lines are lists, each parted at its last colon.
pub(super) fn entries(section: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    lexicon().list(section).filter_map(|entry| entry.rsplit_once(':'))
}

/// Reads the numbers that `9` and `9-10` stand for.
pub(super) fn range(written: &str) -> Option<(u32, u32)> {
    let (from, to) = written.split_once('-').unwrap_or((written, written));
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// Gives each trait of a word a bit, in their order, under the name that the tables have for it.
macro_rules! traits {
    ($($bit:ident $name:literal)*) => {
        const TRAITS: &[&str] = &[$($name),*];

        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "each is the place of a constant's bit")]
        #[allow(dead_code, reason = "some are asked for by the tables alone")]
        enum TraitPlace {
            $($bit),*
        }

        $(
            #[allow(dead_code, reason = "some are asked for by the tables alone")]
            pub(super) const $bit: u64 = 1 << TraitPlace::$bit as u64;
        )*
    };
}

// The first are told by a word's form and its neighbours, the next by cues, and then come lists of a few words; the rest,
// from the common words on, say what a word is.
traits! {
    WORD "Word"
    DIGITS "Number"
    CAPITAL "Capital"
    SHOUTED "Capitals"
    GLUED "Glued"
    LINE "Line"
    FRESH "Start"
    WHOLE "End"
    HOUSE_NUMBER "House"
    MEASURED "Measured"
    CODED "Coded"
    PART "Part"
    BEGINS "Begins"
    UNKNOWN "Unknown"
    NEAR_ADDRESS "Near"
    ANNOUNCED "Announced"
    DIAL "Dial"
    NAME_CUE "Name"
    FIELD_CUE "Field"
    TITLE_CUE "Title"
    ROLE_CUE "Role"
    AM_CUE "Am"
    FROM_CUE "From"
    GREETING_CUE "Greeting"
    BY_CUE "By"
    SIGNS "Signs"
    BIRTH_CUE "Birth"
    RECORD_CUE "Record"
    DATA_CUE "Data"
    BORN "Born"
    MRN "Mrn"
    PASSPORT "Passport"
    SSN "Ssn"
    NHS "Nhs"
    CARD "Card"
    IBAN "Iban"
    LISTED "Listed"
    FAMILY "Family"
    TERM "term"
    STREET_END "street-end"
    INSIDE "inside"
    OPENING "opening"
    NO_STREET "no-street"
    STOP "stop"
    SMALL "small"
    PARTICLE "particle"
    GIVEN "given"
    WORDLIKE "wordlike"
    MONTH "month"
    UNIT "unit"
    CATALOG "catalog"
    DISEASE "disease"
    EPONYM "eponym"
    KIN "kin"
    STREET "street"
    STREET_FIRST "street-first"
    STATE "state"
    FILLER "filler"
    VERB "verb"
    TITLE "title"
    UNIT_OF_HOUSE "part-of-house"
    AND "and"
    HOUSE "house"
}

/// The traits by which a word is known as what it is; the classes that are no traits share the last bit.
pub(super) const KNOWN: u64 = !(STOP - 1);

/// Finds the cues of a text, the phrases that announce personal data, of which the longest at a place counts.
pub(super) fn cues(signs: &WordSigns) -> Vec<PhraseAt> {
    let mut cues = lexicon().find_in(signs, &|mark| mark != b'!', &|_, _| true);
    order::by_key(&mut cues, |cue| (cue.words.start, Reverse(cue.words.end), cue.phrase));
    let mut end = 0;
    cues.retain(|cue| {
        let counts = cue.words.start >= end;
        end = if counts { cue.words.end } else { end };
        counts
    });
    cues
}

#[cfg(test)]
mod tests {
    use super::super::check::CHECKS;
    use super::super::options::PiiKind;
    use super::*;

    #[test]
    fn the_rules_can_be_read() {
        assert!(lexicon().wrong.is_empty(), "{:?}", lexicon().wrong);
        let parts = ["code", "code-of-digits", "key-begins", "key-ends"];
        for (section, mark) in lexicon().sections().filter(|(section, _)| !parts.contains(section)) {
            let (kind, check) = section.split_once(' ').unwrap_or((section, ""));
            assert!(mark != b'!' || PiiKind::named(kind).is_some(), "{section}");
            let check = check.split(' ').next().unwrap();
            assert!(check.is_empty() || CHECKS.contains(&check), "{section}");
        }
        assert!(TRAITS.len() < 64, "each has a bit");
    }
}
