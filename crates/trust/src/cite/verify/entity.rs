//! Names in a claim that its sources do not have.

use std::collections::HashSet;
use std::ops::Range;

use super::lex::{LetterCase, Lexeme};
use super::lists::{Role, is_drug};
use super::reading::{TermTable, TextReading, plain};

/// The most words and signs of a name. A text of nothing but initials is none, and would be looked through from each of them.
const MAX_NAME: usize = 24;

/// The names that a set of texts has.
#[derive(Default)]
pub(super) struct Names {
    words: HashSet<String>,
    /// The initials of names of several words.
    initials: HashSet<String>,
}

impl Names {
    pub(super) fn add(&mut self, reading: &TextReading) {
        let mut run = String::new();
        for (at, token) in reading.tokens.iter().enumerate() {
            if !token.is_word() {
                if !token.is_sign("-") {
                    self.end(&mut run);
                }
                continue;
            }
            let text = plain(&token.text);
            if self.word(text) {
                self.word(singular(text));
            }
            // "Stratford-upon-Avon" as "stratfordupon" is nothing, but "e-mail" is "email".
            if let [one, dash, other] = reading.tokens.get(at..at + 3).unwrap_or_default()
                && dash.is_sign("-")
                && dash.glued
                && other.glued
            {
                self.word(&format!("{}{}", plain(&one.text), plain(&other.text)));
            }
            match token.case {
                LetterCase::Lower if matches!(text, "of" | "and" | "the" | "for" | "in" | "de" | "&") => {}
                LetterCase::Lower => self.end(&mut run),
                _ => run.extend(text.chars().next()),
            }
        }
        self.end(&mut run);
    }

    /// Adds a word, and says whether it is new. Most are not, and looking is cheaper than a copy.
    fn word(&mut self, word: &str) -> bool {
        !self.words.contains(word) && self.words.insert(word.to_owned())
    }

    /// Every beginning of the initials, and what follows its first letters, is a name that could be shortened.
    fn end(&mut self, run: &mut String) {
        let letters: Vec<char> = run.chars().take(8).collect();
        for start in 0..letters.len() {
            for end in start + 2..=letters.len() {
                self.initials.insert(letters.get(start..end).unwrap_or_default().iter().collect());
            }
        }
        run.clear();
    }

    fn has(&self, word: &str) -> bool {
        let word = plain(word);
        self.words.contains(word) || self.words.contains(singular(word))
    }
}

/// A name in a claim.
pub(super) struct ClaimName {
    pub(super) tokens: Range<usize>,
    /// The tokens that tell it from other names: without titles, and without the first word of a sentence.
    pub(super) words: Vec<usize>,
}

/// Finds the names of a claim, in order. Drugs are known by their endings, since they have no capitals.
pub(super) fn names(claim: &TextReading, terms: &TermTable) -> Vec<ClaimName> {
    let mut names = Vec::new();
    let mut at = 0;
    let mut next = claim.quantities.iter().peekable();
    let mut first = true;
    while let Some(token) = claim.tokens.get(at) {
        if !token.is_word() {
            first |= matches!(token.text.as_str(), "." | "!" | "?" | "\n" | "|");
            at += 1;
            continue;
        }
        while next.next_if(|quantity| quantity.tokens.end <= at).is_some() {}
        let counts = next.peek().is_some_and(|quantity| quantity.tokens.contains(&at));
        let opens = std::mem::take(&mut first);
        let drug = token.case != LetterCase::All && is_drug(plain(&token.text));
        let end = if token.case == LetterCase::Lower { at + 1 } else { end_of_name(&claim.tokens, at) };
        // "The WHO" is no name of two words.
        if token.case == LetterCase::Lower && !drug || counts || end > at + 1 && is_ordinary(token, terms) {
            at += 1;
            continue;
        }
        let telling = |place: &usize| {
            claim.tokens.get(*place).is_some_and(|word| {
                // The first word of a sentence has its capital anyway.
                let idle = is_ordinary(word, terms)
                    || opens && *place == at && word.case == LetterCase::First && !drug;
                word.is_word() && word.case != LetterCase::Lower && !idle
            })
        };
        let mut words: Vec<usize> = (at..end).filter(telling).collect();
        if drug && words.is_empty() {
            words.push(at);
        }
        if !words.is_empty() {
            names.push(ClaimName { tokens: at..end, words });
        }
        at = end;
    }
    names
}

/// Returns true if none of the sources has a name of the claim.
pub(super) fn is_missing(name: &ClaimName, claim: &TextReading, sources: &[&Names]) -> bool {
    let has = |word: &str| sources.iter().any(|names| names.has(word));
    let text = |at: usize| claim.tokens.get(at).map_or("", |token| token.text.as_str());
    let known = name.words.iter().filter(|at| has(text(**at))).count();
    // Of two words the last one tells: a surname is often alone.
    let wanting = match name.words.as_slice() {
        [_, last] => !has(text(*last)),
        words => words.len() > known * 2,
    };
    if !wanting {
        return false;
    }
    let tokens = claim.tokens.get(name.tokens.clone()).unwrap_or_default();
    let short = match tokens {
        [token] if token.case == LetterCase::All => {
            sources.iter().any(|names| names.initials.contains(plain(&token.text)))
        }
        _ => false,
    };
    let capitals = tokens.iter().filter(|token| token.is_word() && token.case != LetterCase::Lower);
    let initials: String = capitals.filter_map(|word| word.text.chars().next()).collect();
    let long = initials.len() > 2 && sources.iter().any(|names| names.words.contains(&initials));
    !short && !long
}

/// Finds the place where a name ends: words with capitals, with hyphens, or "of" and the like between them.
fn end_of_name(tokens: &[Lexeme], start: usize) -> usize {
    let mut end = start + 1;
    let mut at = start + 1;
    while let Some(token) = tokens.get(at).filter(|_| at < start + MAX_NAME) {
        let linked = token.is_sign("-") && token.glued || token.is_sign("&")
            || token.is_word() && matches!(token.text.as_str(), "of" | "de" | "van" | "von" | "der" | "la" | "du" | "del" | "the")
                && token.case == LetterCase::Lower
            // The full stop of an initial.
            || token.is_sign(".") && token.glued && tokens.get(at - 1).is_some_and(|before| before.text.len() == 1);
        if token.is_word() && token.case != LetterCase::Lower {
            end = at + 1;
        } else if !linked || at >= end + 2 {
            break;
        }
        at += 1;
    }
    end
}

/// Words whose capitals tell nothing: function words, and names of days.
fn is_ordinary(word: &Lexeme, terms: &TermTable) -> bool {
    terms.find(&word.text).is_some_and(|term| terms.is_function_word(term)) && word.case != LetterCase::All
        || terms.lists.has(&word.text, Role::Dated)
        || word.text.len() == 1
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|rest| rest.len() > 2).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(claim: &str, source: &str) -> Vec<String> {
        let mut terms = TermTable::new();
        let mut names = Names::default();
        names.add(&terms.read(source, 0, &[]));
        let reading = terms.read(claim, 0, &[]);
        let found =
            super::names(&reading, &terms).into_iter().filter(|name| is_missing(name, &reading, &[&names]));
        found.map(|name| claim[reading.span(&name.tokens)].to_owned()).collect()
    }

    #[test]
    fn names_that_are_not_in_the_source() {
        assert_eq!(check("It was built by Anna Berg in Oslo.", "Built by Carl Lund in Oslo."), ["Anna Berg"]);
        assert_eq!(check("Children get erythromycin.", "Children get amoxicillin."), ["erythromycin"]);
        assert_eq!(check("Azithromycin is given.", "Amoxicillin is given."), ["Azithromycin"]);
        assert_eq!(check("In 2001 the FDA agreed.", "In 2001 the agency agreed."), ["FDA"]);
        assert_eq!(check("It was sold to Starbucks.", "It was sold to a star."), ["Starbucks"]);
        assert_eq!(check("The Bank of Norway paid.", "The Bank of Sweden paid."), ["Bank of Norway"]);
    }

    #[test]
    fn names_in_other_forms() {
        for (claim, source) in [
            ("It was Müller's idea.", "an idea of Muller"),
            ("The WHO says so.", "The World Health Organization says so."),
            ("The World Health Organization says so.", "The WHO says so."),
            ("It was on Monday in May.", "It was then."),
            ("Treatment is long.", "It lasts."),
            ("The Smiths came.", "Smith came."),
            ("It was David Daniels.", "Daniels it was."),
        ] {
            assert_eq!(check(claim, source), Vec::<String>::new(), "{claim}");
        }
    }
}
