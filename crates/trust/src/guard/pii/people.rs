//! The given and family names that are known, by which a name is told without a cue.

use std::sync::OnceLock;

static PEOPLE: OnceLock<People> = OnceLock::new();

/// Takes the text of the lists. The first call counts.
pub(super) fn provide(text: &'static str) {
    PEOPLE.get_or_init(|| People::read(text));
}

/// The lists, if they are there.
pub(super) fn people() -> Option<&'static People> {
    PEOPLE.get()
}

/// Names in order, folded.
pub(super) struct People {
    given: Vec<&'static str>,
    family: Vec<&'static str>,
}

impl People {
    fn read(text: &'static str) -> Self {
        let list = |name: &str| {
            let mut names: Vec<&str> = text
                .split('[')
                .find_map(|list| list.strip_prefix(name)?.strip_prefix(']'))
                .unwrap_or_default()
                .split_ascii_whitespace()
                .collect();
            names.sort_unstable();
            names
        };
        Self { given: list("given"), family: list("family") }
    }

    pub(super) fn is_given(&self, folded: &str) -> bool {
        self.given.binary_search(&folded).is_ok()
    }

    pub(super) fn is_family(&self, folded: &str) -> bool {
        self.family.binary_search(&folded).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_are_read_and_in_order() {
        assert!(super::super::has_pii_rules());
        let people = people().unwrap();
        for list in [&people.given, &people.family] {
            assert!(list.len() > 3_000);
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(list.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase())));
        }
        assert!(people.is_given("laila") && people.is_family("haddad"));
        assert!(!people.is_given("paris") && !people.is_family("parkinson"));
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "[", "[given]", "[family] b a", "given]"] {
            let people = People::read(text);
            assert_eq!(people.is_family("a"), text.ends_with("b a"));
        }
    }
}
