//! Facts about words, known beforehand.

use std::collections::HashMap;
use std::sync::OnceLock;

use ibid_text::function_words;

/// All lists, in sections.
const WORDS: &str = include_str!(concat!(env!("OUT_DIR"), "/cite-verify-words.txt"));

/// Declares the parts of words in sentences, each with its section of the lists.
macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident $section:literal,)*) => {
        /// The part of a word in a sentence.
        #[derive(Clone, Copy, Debug)]
        pub(super) enum Role {
            $($(#[$doc])* $role,)*
        }

        /// The sections of the roles.
        const ROLES: &[(Role, &str)] = &[$((Role::$role, $section),)*];
    };
}

roles! {
    Denies "denies",
    /// Denies what is said of the rest of its clause: "is contraindicated".
    DeniesBackward "denies backward",
    /// Has a syllable that denies the rest of the word.
    DeniesWithin "denies within",
    /// Begins another clause.
    Turns "turns",
    /// Begins a condition or a relative clause.
    Conditions "conditions",
    /// Says that something is done, or that it may be.
    Acts "acts",
    /// Begins a clause behind a comma.
    Begins "begins",
    /// Stands before the verb.
    Leads "leads",
    /// Makes a denial before it deny nothing.
    Affirms "affirms",
    /// Names the texts that an answer was given.
    Texts "texts",
    /// Tells what those do.
    Says "says",
    Persons "persons",
    /// Tells what someone does who does not answer.
    Does "does",
    /// Has a capital, and is no name.
    Dated "dated",
    /// Is short for a thing of the trade, and names nobody: a source without it is shown, and is no fault.
    Trade "trade",
    /// Says that a number is about what it is, or on which side the truth lies.
    About "about",
    Above "above",
    Below "below",
    /// Says the same before "than" or behind "or".
    More "more",
    Less "less",
    /// Stands for what was named before.
    Refers "refers",
}

/// Facts about words.
pub(super) struct WordLists {
    known: HashMap<&'static str, KnownWord>,
}

/// Facts about a word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KnownWord {
    /// A bit for each language in which it is a function word.
    pub(super) languages: u8,
    /// A bit for each role.
    roles: u32,
}

impl KnownWord {
    pub(super) fn is(self, role: Role) -> bool {
        self.roles & 1 << role as u32 != 0
    }
}

impl WordLists {
    /// The lists, which are read once.
    pub(super) fn all() -> &'static Self {
        static LISTS: OnceLock<WordLists> = OnceLock::new();
        LISTS.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut known: HashMap<&'static str, KnownWord> = HashMap::new();
        for &(role, section) in ROLES {
            words(section).for_each(|word| known.entry(word).or_default().roles |= 1 << role as u32);
        }
        for (word, languages) in function_words() {
            known.entry(word).or_default().languages = languages;
        }
        Self { known }
    }

    /// Says whether a word has a role.
    pub(super) fn has(&self, word: &str, role: Role) -> bool {
        self.get(word).is(role)
    }

    /// Says whether a word tells on which side of a number the truth lies, or that it is about that.
    pub(super) fn is_side(&self, word: &str) -> bool {
        let sides = [Role::About, Role::Above, Role::Below, Role::More, Role::Less];
        matches!(word, "least" | "most") || sides.iter().any(|side| self.has(word, *side))
    }

    pub(super) fn get(&self, word: &str) -> KnownWord {
        self.known.get(word).copied().unwrap_or_default()
    }
}

/// Lists the lines of a section.
pub(super) fn lines(section: &str) -> impl Iterator<Item = &'static str> + use<> {
    let named = |part: &&str| part.strip_prefix(section).is_some_and(|rest| rest.starts_with(']'));
    let part = WORDS.split("\n[").find(named).unwrap_or_default();
    part.lines().skip(1).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Lists the words of a section.
pub(super) fn words(section: &str) -> impl Iterator<Item = &'static str> + use<> {
    lines(section).flat_map(str::split_ascii_whitespace)
}

/// Says whether a folded word ends as names of drugs do.
pub(super) fn is_drug(word: &str) -> bool {
    static ENDINGS: OnceLock<Vec<&str>> = OnceLock::new();
    let endings = ENDINGS.get_or_init(|| words("drugs").collect());
    word.len() >= 7 && endings.iter().any(|ending| word.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_folded_and_paired() {
        for word in words("common") {
            assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{word}");
        }
        for pair in lines("opposites") {
            let (one, other) = pair.split_once(' ').unwrap();
            assert!(one != other && !other.contains(' '), "{pair}");
        }
        let known = ["common", "opposites", "drugs", "remarks", "units"];
        for section in ROLES.iter().map(|(_, section)| *section).chain(known) {
            assert!(lines(section).next().is_some(), "{section}");
        }
    }
}
