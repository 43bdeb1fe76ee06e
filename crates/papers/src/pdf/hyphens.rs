//! Words that line ends divide.

use std::collections::HashSet;

/// Words before which a hyphen is one that several words share: "short- and long-term".
const SHARED: [&str; 12] = ["and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e", "en"];

/// The words of a document, which tell whether a hyphen at a line's end is the word's own.
#[derive(Default)]
pub(super) struct Words {
    known: HashSet<String>,
}

impl Words {
    /// Learns the words of a text, whose lines may divide some: those teach nothing.
    pub(super) fn learn(&mut self, text: &str) {
        let text = text.to_lowercase();
        let is_part = |c: char| c.is_alphanumeric() || c == '-';
        let mut from = 0;
        for (at, _) in text.match_indices("-\n").filter(|(at, _)| *at > 0) {
            let known = text.get(from..at).unwrap_or_default();
            self.add(known.trim_end_matches(is_part));
            let behind = at + 2;
            from = behind + text[behind..].find(|c| !is_part(c)).unwrap_or(text.len() - behind);
        }
        self.add(text.get(from..).unwrap_or_default());
    }

    fn add(&mut self, text: &str) {
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '-') {
            let word = word.trim_matches('-');
            if !word.is_empty() && !self.known.contains(word) {
                self.known.insert(word.to_owned());
            }
        }
    }

    /// Returns what stands between two lines: the first may end with a hyphen, which the result replaces. The hyphen
    /// stays if the document has the word with it elsewhere, or both parts as words, and nowhere without it. Before a
    /// capital or a digit it always stays.
    pub(super) fn between(&self, line: &str, next: &str) -> Joint {
        let word = line.rsplit(char::is_whitespace).next().unwrap_or_default();
        if word.contains("://") && word.ends_with(['/', '-', '_', '=']) {
            return Joint::Keep;
        }
        let Some(head) = line.strip_suffix(['-', '\u{AD}', '\u{2010}']) else { return Joint::Space };
        let start = head.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let rest = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if start.is_empty() || rest.is_empty() {
            return Joint::Space;
        }
        if line.ends_with('\u{AD}') {
            return Joint::Drop;
        }
        let [before, after] = [start.to_lowercase(), rest.to_lowercase()];
        if SHARED.contains(&after.as_str()) {
            return Joint::Space;
        }
        let is_one = start.ends_with(char::is_lowercase) && rest.starts_with(char::is_lowercase);
        let has = |word: &str| self.known.contains(word);
        let is_own = has(&format!("{before}-{after}")) || (has(&before) && has(&after));
        if is_one && (has(&[before, after].concat()) || !is_own) { Joint::Drop } else { Joint::Keep }
    }
}

/// The joint of two lines of a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// A space.
    Space,
    /// Nothing, behind a hyphen that stays.
    Keep,
    /// Nothing, without the hyphen.
    Drop,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_tells_which_hyphens_are_its_own() {
        let mut words = Words::default();
        words
            .learn("Price-determining factors. A powerful, well known tool; price deter-\nmining. Re-\nmove");
        assert!(words.known.contains("price-determining") && !words.known.contains("mining"));
        for (line, next, joint) in [
            ("the price-", "determining one", Joint::Keep),
            ("a power-", "ful tool", Joint::Drop),
            ("its capabili-", "ties.", Joint::Drop),
            ("COVID-", "19 cases", Joint::Keep),
            ("10-", "12 days", Joint::Keep),
            ("short-", "and long-term", Joint::Space),
            ("a well-", "known rule", Joint::Keep),
            ("Jean-", "Paul", Joint::Keep),
            ("soft\u{AD}", "ware", Joint::Drop),
            ("a dash -", "and more", Joint::Space),
            ("no hyphen", "here", Joint::Space),
            ("-", "item", Joint::Space),
            ("(https://example.org/", "tea)", Joint::Keep),
        ] {
            assert_eq!(words.between(line, next), joint, "{line}|{next}");
        }
    }
}
