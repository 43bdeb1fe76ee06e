//! The words, numbers and signs of a text, and the cues among them.

use std::collections::HashMap;

use super::lexicon::{self, Cue, CueAt};
use super::view::{View, low};
use ibid_platform::order;

/// What stands between a token and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    Glued,
    Space,
    /// A line break.
    Line,
    /// An empty line, or the beginning of the text.
    Paragraph,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters.
    Word,
    /// Digits.
    Number,
    /// One character that is neither.
    Sign,
}

/// A word, a number or a sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// Its characters in the view.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
    pub(super) gap: Gap,
    /// The bits of the lists that it is in.
    pub(super) class: u32,
    /// Its bytes among the small letters.
    low: (usize, usize),
}

/// A text as its rules read it.
pub(super) struct Scan {
    pub(super) view: View,
    pub(super) tokens: Vec<Token>,
    pub(super) cues: Vec<CueAt>,
    low: String,
}

/// The rules ask this of one token after another, at hundreds of places; inlined there, it would only make the module larger.
impl Scan {
    pub(super) fn new(text: &str, lexicon: &Lexicon) -> Self {
        let mut scan =
            Self { view: View::new(text), tokens: Vec::new(), cues: Vec::new(), low: String::new() };
        scan.read();
        for token in &mut scan.tokens {
            if token.kind == Kind::Word {
                token.class = lexicon.class(&scan.low[token.low.0..token.low.1]);
            }
        }
        scan.cues = lexicon.cues(&scan);
        scan
    }

    fn read(&mut self) {
        let (mut at, mut gap) = (0, Gap::Paragraph);
        while at < self.view.len() {
            let c = self.view.at(at);
            if c.is_whitespace() {
                gap = match (c == '\n', gap) {
                    (true, Gap::Line | Gap::Paragraph) => Gap::Paragraph,
                    (true, _) => Gap::Line,
                    (false, gap) => gap.max(Gap::Space),
                };
                at += 1;
                continue;
            }
            let kind = kind_of(c);
            let start = at;
            at += 1;
            while kind != Kind::Sign && at < self.view.len() && kind_of(self.view.at(at)) == kind {
                at += 1;
            }
            let from = self.low.len();
            self.low.extend(self.view.chars[start..at].iter().map(|&c| low(c)));
            self.tokens.push(Token { start, end: at, kind, gap, class: 0, low: (from, self.low.len()) });
            gap = Gap::Glued;
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<&Token> {
        self.tokens.get(index)
    }

    /// A token in small letters without accents; nothing behind the last.
    #[inline(never)]
    pub(super) fn low(&self, index: usize) -> &str {
        self.get(index).map_or("", |token| &self.low[token.low.0..token.low.1])
    }

    /// The sign at a place, as it is written; a space where there is none.
    #[inline(never)]
    pub(super) fn sign(&self, index: usize) -> char {
        match self.get(index) {
            Some(token) if token.kind == Kind::Sign => self.view.at(token.start),
            _ => ' ',
        }
    }

    /// What stands before a token; an end of the text counts as an empty line.
    #[inline(never)]
    pub(super) fn gap(&self, index: usize) -> Gap {
        self.get(index).map_or(Gap::Paragraph, |token| token.gap)
    }

    #[inline(never)]
    pub(super) fn is(&self, index: usize, class: u32) -> bool {
        self.get(index).is_some_and(|token| token.class & class != 0)
    }

    #[inline(never)]
    pub(super) fn kind(&self, index: usize) -> Option<Kind> {
        self.get(index).map(|token| token.kind)
    }

    /// The number of characters of a token.
    #[inline(never)]
    pub(super) fn width(&self, index: usize) -> usize {
        self.get(index).map_or(0, |token| token.end - token.start)
    }

    /// Whether a token is a word that begins with a capital letter.
    #[inline(never)]
    pub(super) fn capital(&self, index: usize) -> bool {
        self.get(index).is_some_and(|token| self.view.at(token.start).is_uppercase())
    }

    /// Whether all letters of a word of two or more are capitals.
    #[inline(never)]
    pub(super) fn shouted(&self, index: usize) -> bool {
        self.get(index).is_some_and(|token| {
            token.kind == Kind::Word
                && token.end - token.start > 1
                && self.view.chars[token.start..token.end].iter().all(|c| c.is_uppercase())
        })
    }

    /// A small number's value; `None` for anything else and for more than six digits.
    #[inline(never)]
    pub(super) fn number(&self, index: usize) -> Option<u32> {
        let token = self.get(index)?;
        let few = token.kind == Kind::Number && token.end - token.start <= 6;
        few.then(|| self.low(index).parse().ok()).flatten()
    }

    /// The first token that begins at a character or behind it.
    pub(super) fn token_at(&self, char: usize) -> usize {
        self.tokens.partition_point(|token| token.start < char)
    }
}

fn kind_of(c: char) -> Kind {
    if c.is_ascii_digit() {
        Kind::Number
    } else if c.is_alphabetic() {
        Kind::Word
    } else {
        Kind::Sign
    }
}

/// The lists, ready to be asked.
pub(super) struct Lexicon {
    classes: HashMap<&'static str, u32>,
    /// By first word: the words behind it, and what the whole is a cue for. The longest come first.
    phrases: HashMap<&'static str, Vec<(Vec<&'static str>, Cue)>>,
}

impl Lexicon {
    pub(super) fn new() -> Self {
        let mut classes: HashMap<&'static str, u32> = HashMap::new();
        for (class, words) in lexicon::CLASSES {
            for word in words.split_ascii_whitespace() {
                *classes.entry(word).or_default() |= class;
            }
        }
        let mut phrases: HashMap<&'static str, Vec<(Vec<&'static str>, Cue)>> = HashMap::new();
        for (cue, list) in lexicon::CUES {
            for phrase in list.split('|') {
                let mut words = phrase.split_ascii_whitespace();
                let Some(first) = words.next() else { continue };
                phrases.entry(first).or_default().push((words.collect(), *cue));
            }
        }
        for list in phrases.values_mut() {
            order::by_key(list, |(rest, _)| std::cmp::Reverse(rest.len()));
        }
        Self { classes, phrases }
    }

    pub(super) fn class(&self, low: &str) -> u32 {
        let class = |word: &str| self.classes.get(word).copied();
        // "hospitals" begins a name as little as "hospital"; shorter words are names too, such as "Wills".
        let singular = || low.strip_suffix('s').filter(|word| word.len() >= 6).and_then(class);
        class(low).unwrap_or_else(|| singular().map_or(0, |class| class & lexicon::STOP))
    }

    /// The cues of a text, of which the longest at a place counts. No phrase is longer than a few words, so this is
    /// linear.
    fn cues(&self, scan: &Scan) -> Vec<CueAt> {
        let mut cues = Vec::new();
        let mut at = 0;
        while at < scan.tokens.len() {
            let matches = |rest: &[&str]| {
                rest.iter()
                    .enumerate()
                    .all(|(i, word)| scan.low(at + 1 + i) == *word && scan.gap(at + 1 + i) < Gap::Paragraph)
            };
            // A word that goes on behind a hyphen or without a space, as in `in-patient`, is another word.
            let found =
                self.phrases.get(scan.low(at)).and_then(|list| list.iter().find(|(rest, _)| matches(rest)));
            match found {
                Some((rest, cue)) => {
                    let end = at + 1 + rest.len();
                    cues.push(CueAt { cue: *cue, start: at, end });
                    at = end;
                }
                None => at += 1,
            }
        }
        cues
    }
}
