//! The reach of a denial: its clause.
//!
//! A clause ends at signs and at words that turn, and where another one of actions begins behind a comma or "and". Within
//! it a condition or a relative clause stands on its own. A denial reaches all of its part, in front of it too, and a second
//! one turns it back.

use super::lex::{Lexeme, TokenKind};
use super::lists::{KnownWord, Role, WordLists};
use super::word::ReadWord;

/// Marks the words of a text with their clauses and with what denies them. The words are in the order of the tokens.
pub(super) fn mark(tokens: &[Lexeme], words: &mut [ReadWord], lists: &WordLists) {
    let mut marker = ScopeMarker { tokens, words, lists, part: ClausePart::default(), next: 0, clause: 0 };
    for at in 0..tokens.len() {
        marker.token(at);
    }
    marker.next = marker.words.len();
    marker.end();
}

/// A clause without what is subordinate to it, or that.
#[derive(Default)]
struct ClausePart {
    /// The place where it begins among the words.
    start: usize,
    /// The denials in it: how many, and the last.
    denials: usize,
    cue: Option<usize>,
    /// A condition or a relative clause.
    subordinate: bool,
    /// The token behind the pronoun of a relative clause, if that clause's own verb stands there: "that wait".
    verb: Option<usize>,
    /// It has a verb as far as can be told.
    acts: bool,
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
            "." | ";" | ":" | "!" | "?" | "|" => self.end_clause(),
            "\n" if next.is_none_or(|next| next.kind == TokenKind::Sign) => self.end_clause(),
            "," if self.begins(at + 1) => self.end_clause(),
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
        if known.is(Role::Turns) || text == "and" && self.begins(at + 1) {
            self.end_clause();
        } else if known.is(Role::Conditions) {
            // "Not when it is made" denies the condition.
            let own = self.part.cue.filter(|cue| cue + 1 == at && self.text(*cue) == "not");
            self.part.denials -= usize::from(own.is_some());
            self.end();
            self.part.subordinate = true;
            (self.part.denials, self.part.cue) = (usize::from(own.is_some()), own);
            let next = self.known(at + 1);
            let is_verb = next.is(Role::Leads) || next.languages == 0;
            self.part.verb = Some(at + 1).filter(|_| matches!(text, "that" | "which" | "who") && is_verb);
        } else if known.is(Role::Leads)
            && self.part.verb.is_some_and(|verb| verb < at)
            && !self.known(at - 1).is(Role::Leads)
        {
            // "Tasks that wait are retried": the second verb is that of what the relative clause is about.
            self.end();
        }
        // "Not only", "no more than".
        let idle = self.known(at + 1).is(Role::Affirms);
        if known.is(Role::Denies) && !idle || within || known.is(Role::DeniesBackward) {
            self.part.denials += 1;
            self.part.cue = Some(at);
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

    fn end_clause(&mut self) {
        self.end();
        self.clause += 1;
    }

    /// Ends a part of a clause.
    fn end(&mut self) {
        let part = std::mem::take(&mut self.part);
        let denied = part.cue.filter(|_| part.denials % 2 == 1);
        for word in self.words.get_mut(part.start..self.next).unwrap_or_default() {
            word.clause = self.clause;
            word.denied = denied;
            word.subordinate = part.subordinate;
        }
        self.part.start = self.next;
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
            ("Do not give aspirin, give water.", "do not give aspirin"),
            ("It doesn't help.", "it doesn't help"),
            ("Not only adults but children.", ""),
            ("Aspirin is contraindicated in children.", "aspirin is contraindicated in children"),
            ("It is not contraindicated.", ""),
            ("Give no more than 5 mg.", ""),
            ("Do not start zinc and stop it in fever.", "do not start zinc"),
            ("Zinc is avoided: it burns.", "zinc is avoided"),
            ("People over 65: do not use a dipstick.", "people over 65 do not use a dipstick"),
            ("If potassium is high, do not give it.", "do not give it"),
            ("Take it with or without food.", ""),
            ("Zinc is not given if fever is present.", "zinc is not given"),
            ("Tasks that wait for a person are not retried.", "are not retried"),
            ("Tasks that are not kept may be retried.", "that are not kept"),
            ("Tasks that the server does not keep are lost.", "that the server does not keep are lost"),
        ] {
            assert_eq!(denied(text), expected, "{text}");
        }
    }
}
