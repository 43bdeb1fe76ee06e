//! The words and cues of `rules/`, by the names under which the rules in Rust ask for them.

use std::sync::LazyLock;

use crate::guard::phrase::{PhraseAt, RuleTable, WordSigns};

/// All that is known of words, as a table that is read at the first question.
pub(super) static LEXICON: LazyLock<RuleTable> = LazyLock::new(|| RuleTable::read_with(TRAITS, TEXT));

const TEXT: &str = concat!(
    include_str!("rules/words.txt"),
    include_str!("rules/names.txt"),
    include_str!("rules/address.txt"),
    include_str!("rules/cues.txt"),
    include_str!("rules/forms.txt"),
);

/// The entries of a section whose lines are lists, each parted at its last colon.
pub(super) fn entries(section: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    LEXICON.list(section).filter_map(|entry| entry.rsplit_once(':'))
}

/// The numbers that `9` and `9-10` stand for.
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

// The first are told by a word's form, the next are lists of a few words; the rest say what a word is.
traits! {
    WORD "Word"
    DIGITS "Number"
    SIGN "Sign"
    CAPITAL "Capital"
    SHOUTED "Capitals"
    GLUED "Glued"
    LINE "Line"
    FRESH "Start"
    WHOLE "End"
    HOUSE_NUMBER "House"
    MEASURED "Measured"
    CODED "Coded"
    NEAR_ADDRESS "Near"
    ANNOUNCED "Announced"
    PART "Part"
    BEGINS "Begins"
    UNKNOWN "Unknown"
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
    TERM "term"
    STREET_SURE "street-sure"
    STREET_LIKE "street-like"
    STREET_SHORT "street-short"
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
    POSSESSIVE "possessive"
    KIN "kin"
    STREET "street"
    STREET_FIRST "street-first"
    STATE "state"
    FILLER "filler"
    VERB "verb"
    ADJECTIVE "adjective"
    TITLE "title"
    UNIT_OF_HOUSE "part-of-house"
    SUFFIX "suffix"
    AND "and"
    HOUSE "house"
    RECORD "record"
    NUMBER "number"
}

/// The traits by which a word is known as what it is.
pub(super) const KNOWN: u64 = !(STOP - 1);

/// The kind of thing that a phrase announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cue {
    /// A name, in whatever case it is written.
    Name,
    /// A name, if a colon follows.
    NameField,
    /// A name or any other word: "I am".
    Am,
    /// A name, behind a title.
    Title,
    /// A name, if one follows that is not the beginning of a term: "patient".
    Role,
    /// A name, if a person is named as such: "from".
    From,
    /// A name that a letter begins with: "Dear".
    Greeting,
    /// A name that a letter ends with: "Regards,".
    Closing,
    /// A person of full name, or something that did it instead: "referred by".
    By,
    Phone,
    Birth,
    Record,
    Passport,
    Social,
    Nhs,
    Card,
    Iban,
    Secret,
    /// A postal address.
    Address,
}

/// A cue and its tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct CueAt {
    pub(super) cue: Cue,
    /// The character in front of it in the table.
    pub(super) mark: u8,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Cue {
    /// The cues by the sections of the table.
    const ALL: [(&str, Self); 19] = [
        ("name", Self::Name),
        ("name-field", Self::NameField),
        ("am", Self::Am),
        ("title", Self::Title),
        ("role", Self::Role),
        ("from", Self::From),
        ("greeting", Self::Greeting),
        ("closing", Self::Closing),
        ("by", Self::By),
        ("phone", Self::Phone),
        ("birth", Self::Birth),
        ("record", Self::Record),
        ("passport", Self::Passport),
        ("social", Self::Social),
        ("nhs", Self::Nhs),
        ("card", Self::Card),
        ("iban", Self::Iban),
        ("secret", Self::Secret),
        ("address", Self::Address),
    ];

    fn parse(section: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(name, _)| *name == section).map(|(_, cue)| cue)
    }
}

/// The cues of a text, of which the longest at a place counts.
pub(super) fn cues(signs: &WordSigns) -> Vec<CueAt> {
    let mut cues: Vec<CueAt> = Vec::new();
    let mut number = 0;
    for PhraseAt { section, mark, phrase, words } in LEXICON.find_in(signs, |mark| mark != b'!') {
        let Some(cue) = Cue::parse(section) else { continue };
        let next = CueAt { cue, mark, start: words.start, end: words.end };
        match cues.last_mut() {
            Some(last) if words.start == last.start => {
                if words.end > last.end || words.end == last.end && phrase < number {
                    (*last, number) = (next, phrase);
                }
            }
            Some(last) if words.start < last.end => {}
            _ => {
                cues.push(next);
                number = phrase;
            }
        }
    }
    cues
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_can_be_read() {
        assert!(LEXICON.wrong.is_empty(), "{:?}", LEXICON.wrong);
        for (section, mark) in LEXICON.sections() {
            assert!(mark == b'!' || Cue::parse(section).is_some(), "{section}");
        }
        assert!(TRAITS.len() <= 64, "each has a bit");
    }
}
