//! Words that an author says mean the same: passages with one are found by the others, and count less.

use std::collections::HashMap;

use ibid_terms::Analyzer;

/// The terms of synonyms.
#[derive(Default)]
pub(super) struct Synonyms {
    /// The members of each group, each as its terms.
    groups: Vec<Vec<Vec<String>>>,
    /// The members that begin with a term, by their group and their place in it.
    beginning: HashMap<String, Vec<(usize, usize)>>,
    /// Terms that are no sign of anything, which are not added.
    stop: Vec<String>,
}

impl Synonyms {
    pub(super) fn new(analyzer: Analyzer, groups: &[Vec<String>]) -> Self {
        let mut synonyms = Self::default();
        for group in groups {
            let mut members = Vec::with_capacity(group.len());
            for text in group {
                let mut terms = Vec::new();
                for token in analyzer.tokens(text).filter(|token| !token.joint) {
                    if token.stop {
                        synonyms.stop.push(token.term.clone().into_owned());
                    }
                    terms.push(token.term.into_owned());
                }
                if let Some(first) = terms.first() {
                    let place = (synonyms.groups.len(), members.len());
                    synonyms.beginning.entry(first.clone()).or_default().push(place);
                    members.push(terms);
                }
            }
            synonyms.groups.push(members);
        }
        synonyms
    }

    pub(super) fn is_empty(&self) -> bool {
        self.beginning.is_empty()
    }

    /// Finds the terms that stand for the synonyms in a text of these terms, once for each time that one occurs.
    pub(super) fn of(&self, terms: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        for at in 0..terms.len() {
            for &(group, member) in self.beginning.get(&terms[at]).into_iter().flatten() {
                let members = &self.groups[group];
                if terms[at..].starts_with(&members[member]) {
                    let others = members.iter().enumerate().filter(|(other, _)| *other != member);
                    let terms = others.flat_map(|(_, terms)| terms);
                    found.extend(terms.filter(|term| !self.stop.contains(term)).cloned());
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_terms::Language;

    #[test]
    fn synonyms_stand_for_each_other() {
        let group = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let groups = [group(&["k8s", "Kubernetes"]), group(&["ACL", "list of access"]), group(&["", "?"])];
        let analyzer = Analyzer::new(Language::English);
        let synonyms = Synonyms::new(analyzer, &groups);
        let of = |text: &str| {
            let tokens = analyzer.tokens(text).filter(|token| !token.joint);
            synonyms.of(&tokens.map(|token| token.term.into_owned()).collect::<Vec<_>>()).join(" ")
        };
        assert_eq!(of("Kubernetes runs on K8s"), "k8s kubernet");
        assert_eq!(of("an ACL"), "list access");
        assert_eq!(of("the list of accesses"), "acl");
        assert_eq!(of("access to a list"), "");
        assert!(Synonyms::new(analyzer, &[group(&["!", ""])]).is_empty());
    }
}
