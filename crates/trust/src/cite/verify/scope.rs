//! The reach of a denial: its clause.
//!
//! A clause ends at signs and at words that turn, and where another one of actions begins behind a comma or "and". Within
//! it a condition or a relative clause stands on its own. A denial reaches all of its part, in front of it too; a second one
//! turns it back, which is held to be unclear. "Without" reaches what follows it up to the next preposition.

use super::lex::{Lexeme, TokenKind};
use super::lists::{KnownWord, Role, WordLists};
use super::word::ReadWord;

/// The most words that "without" reaches.
const MAX_LOCAL: usize = 6;

/// Marks the words of a text with their clauses and with what denies them. The words are in the order of the tokens.
pub(super) fn mark(tokens: &[Lexeme], words: &mut [ReadWord], lists: &WordLists) {
    let mut marker = ScopeMarker { tokens, words, lists, part: ClausePart::default(), next: 0, clause: 0 };
    for at in 0..tokens.len() {
        marker.token(at);
    }
    marker.next = marker.words.len();
    marker.end(false);
}

/// A clause without what is subordinate to it, or that.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about a clause on its own")]
struct ClausePart {
    /// The place where it begins among the words.
    start: usize,
    /// The denials in it: how many, and the last.
    denials: usize,
    cue: Option<usize>,
    /// A condition or a relative clause.
    subordinate: bool,
    relative: bool,
    /// It has a verb as far as can be told.
    acts: bool,
    /// The words that "without" denies: the word itself and where it ends.
    local: Vec<(usize, usize, usize)>,
    /// The place where "without" began.
    open: Option<(usize, usize)>,
    /// The last word leads to the verb: "is", "should", "not".
    leads: bool,
}

struct ScopeMarker<'t> {
    tokens: &'t [Lexeme],
    words: &'t mut [ReadWord],
    lists: &'t WordLists,
    part: ClausePart,
    /// The first word that has not come yet.
    next: usize,
    clause: u32,
}

impl<'t> ScopeMarker<'t> {
    fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    fn known(&self, at: usize) -> KnownWord {
        let word = self.text(at);
        self.lists.get(word.split_once('\'').map_or(word, |(before, _)| before))
    }

    fn token(&mut self, at: usize) {
        let Some(token) = self.tokens.get(at) else { return };
        while self.words.get(self.next).is_some_and(|word| word.token < at) {
            self.next += 1;
        }
        match token.kind {
            TokenKind::Sign => self.sign(at),
            TokenKind::Word => self.word(at),
            TokenKind::Number => self.part.leads = false,
        }
    }

    fn sign(&mut self, at: usize) {
        let next = self.tokens.get(at + 1);
        match self.text(at) {
            // "Women under 65: use a dipstick" has a label, which what follows is said of.
            ":" if !self.part.acts && self.part.denials == 0 => {}
            "." | ";" | ":" | "!" | "?" | "|" => self.end(true),
            "\n" if next.is_none_or(|next| next.kind == TokenKind::Sign) => self.end(true),
            "(" | ")" => self.end(false),
            "," if self.part.subordinate => self.end(false),
            "," if self.begins(at + 1) => self.end(true),
            "," => self.close(),
            _ => {}
        }
    }

    /// Returns true if another clause begins at a token: with a verb of doing, or a pronoun.
    fn begins(&self, at: usize) -> bool {
        let at = if matches!(self.text(at), "and" | "but" | "then" | "so") { at + 1 } else { at };
        let known = self.known(at);
        known.is(Role::Acts) && !self.text(at).ends_with("ed")
            || known.is(Role::Begins)
            || matches!(self.text(at), "it" | "they" | "he" | "she" | "we" | "you")
            || known.is(Role::Leads) && !known.is(Role::Denies)
    }

    fn word(&mut self, at: usize) {
        let known = self.known(at);
        let text = self.text(at);
        let within = text.ends_with("n't");
        if known.is(Role::Turns) {
            self.end(true);
        } else if known.is(Role::Conditions) {
            let relative = matches!(text, "who" | "which" | "that" | "whose");
            // "Not when it is made" denies the condition.
            let own = self.part.cue.filter(|cue| cue + 1 == at && self.text(*cue) == "not");
            self.part.denials -= usize::from(own.is_some());
            self.end(false);
            (self.part.subordinate, self.part.relative) = (true, relative);
            (self.part.denials, self.part.cue) = (usize::from(own.is_some()), own);
        } else if text == "and" && self.begins(at + 1) {
            self.end(true);
        } else if self.part.relative
            && self.part.acts
            && known.is(Role::Leads)
            && self.next > self.part.start + 2
        {
            // "People who have had angioedema should": the relative clause is over.
            let modal = matches!(text, "should" | "must" | "may" | "can" | "cannot" | "will");
            if modal {
                self.end(false);
            }
        }
        let before = at.checked_sub(1).map_or("", |at| self.text(at));
        let after = self.known(at + 1);
        // "Not only", "no more than", "with or without".
        let idle = after.is(Role::Affirms) || before == "or" && matches!(text, "not" | "without");
        let again = matches!(text, "nor" | "pas" | "jamais") && self.part.denials > 0;
        if known.is(Role::DeniesNext) && !idle {
            self.close();
            self.part.open = Some((at, self.next));
        } else if (known.is(Role::Denies) && !idle || within || known.is(Role::DeniesBackward)) && !again {
            self.part.denials += 1;
            self.part.cue = Some(at);
        } else if self.part.open.is_some_and(|(_, start)| self.next >= start + MAX_LOCAL)
            || known.is(Role::Prepositions)
        {
            self.close();
        }
        let denial = known.is(Role::DeniesBackward) || known.is(Role::DeniesWithin);
        let acts = known.is(Role::Acts) || denial;
        self.part.acts |= acts || known.is(Role::Leads);
        let (leads, clause) = (self.part.leads, self.clause);
        if let Some(word) = self.words.get_mut(self.next).filter(|word| word.token == at) {
            word.acts = acts;
            word.led = leads;
            word.clause = clause;
        }
        self.part.leads = known.is(Role::Leads) || known.is(Role::Denies) || text == "be" || text == "been";
    }

    /// Ends what "without" reaches.
    fn close(&mut self) {
        if let Some((cue, start)) = self.part.open.take() {
            self.part.local.push((cue, start, self.next));
        }
    }

    /// Ends a part, and the clause with it.
    fn end(&mut self, clause: bool) {
        self.close();
        let part = std::mem::take(&mut self.part);
        let denied = part.cue.filter(|_| part.denials % 2 == 1);
        for word in self.words.get_mut(part.start..self.next).unwrap_or_default() {
            word.clause = self.clause;
            word.denied = denied.filter(|cue| *cue != word.token || word.acts);
            word.subordinate = part.subordinate;
            word.unclear = part.denials > 1;
        }
        for (cue, start, end) in part.local {
            for word in self.words.get_mut(start..end).unwrap_or_default() {
                word.denied =
                    if word.denied.is_none() { Some(cue) } else { None }.filter(|cue| *cue != word.token);
                word.subordinate = true;
            }
        }
        self.part.start = self.next;
        self.clause += u32::from(clause);
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::TermTable;

    fn denied(text: &str) -> String {
        let reading = TermTable::new().read(text, 0, &[]);
        let words = reading.words.iter().filter(|word| word.denied.is_some());
        words.map(|word| reading.tokens[word.token].text.clone()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn denials_reach_their_clause() {
        for (text, expected) in [
            ("Do not give aspirin, give water.", "do give aspirin"),
            ("It doesn't help.", "it help"),
            ("Not only adults but children.", ""),
            ("Aspirin is contraindicated in children.", "aspirin is contraindicated in children"),
            ("It is not contraindicated.", ""),
            ("Give no more than 5 mg.", ""),
            ("Do not start zinc and stop it in fever.", "do start zinc"),
            ("Zinc is avoided: it burns.", "zinc is avoided"),
            ("People over 65: do not use a dipstick.", "people over 65 do use a dipstick"),
            ("Children who have had mumps should not get zinc.", "should get zinc"),
            ("If potassium is high, do not give it.", "do give it"),
            ("Take it without food in winter.", "food"),
            ("Take it with or without food.", ""),
            ("Zinc is not given if fever is present.", "zinc is given"),
        ] {
            assert_eq!(denied(text), expected, "{text}");
        }
    }
}
