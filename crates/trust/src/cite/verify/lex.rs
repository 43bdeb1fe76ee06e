//! A text as words, numbers and signs.

use std::ops::Range;

use ibid_text::{digit, fold, is_invisible, is_mark, look};

/// A word, a number or a sign.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lexeme {
    /// The byte range in the text.
    pub(super) span: Range<usize>,
    pub(super) kind: TokenKind,
    /// A word in lower case without accents, a number in ASCII digits with its separators, or the sign.
    pub(super) text: String,
    /// Nothing stands between it and the token before.
    pub(super) glued: bool,
    pub(super) case: LetterCase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Number,
    Sign,
}

/// The capitals of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LetterCase {
    /// None, or a script without capitals.
    Lower,
    /// The first letter.
    First,
    /// All letters, of which there are at least two.
    All,
    /// Some within the word.
    Inner,
}

impl Lexeme {
    pub(super) fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        self.kind == TokenKind::Sign && self.text == sign
    }
}

/// Reads the tokens of a text, those in the ranges to skip left out. The ranges are in order. A run of a script that is
/// written without spaces becomes overlapping pairs of characters.
pub(super) fn lex(text: &str, offset: usize, skip: &[Range<usize>]) -> Vec<Lexeme> {
    let mut lexer = Lexer { text, offset, at: 0, end: usize::MAX, tokens: Vec::new() };
    let mut skip = skip.iter().peekable();
    while let Some(c) = lexer.peek() {
        let here = lexer.at + offset;
        while skip.peek().is_some_and(|range| range.end <= here) {
            skip.next();
        }
        if let Some(range) = skip.peek()
            && range.start <= here
        {
            lexer.at = text.ceil_char_boundary(range.end - offset);
            continue;
        }
        if c == '*' {
            // A sign of emphasis parts nothing: "**1000 mg** daily" is one quantity.
            lexer.end = if lexer.end == lexer.at { lexer.at + 1 } else { lexer.end };
            lexer.at += 1;
            continue;
        }
        lexer.token(c);
    }
    lexer.tokens
}

struct Lexer<'t> {
    text: &'t str,
    offset: usize,
    at: usize,
    /// The place where the last token ended.
    end: usize,
    tokens: Vec<Lexeme>,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn push(&mut self, start: usize, end: usize, kind: TokenKind, text: String, case: LetterCase) {
        let glued = self.end == start;
        let span = self.offset + start..self.offset + end;
        self.tokens.push(Lexeme { span, kind, text, glued, case });
        self.end = end;
        self.at = end;
    }

    fn token(&mut self, c: char) {
        let start = self.at;
        let end = start + c.len_utf8();
        if digit(c).is_some() {
            self.number();
        } else if matches!(c, 'v' | 'V') && self.end != start && is_version(self.text.get(end..)) {
            // "v2.1" is "2.1".
            self.at = end;
            self.end = usize::MAX;
        } else if is_unspaced(c) {
            self.unspaced();
        } else if c.is_alphabetic() {
            self.word();
        } else if c.is_whitespace() || is_invisible(c) {
            self.at = end;
            if c == '\n' {
                self.push(start, end, TokenKind::Sign, "\n".to_owned(), LetterCase::Lower);
            }
        } else if fraction(c).is_some() {
            self.push(start, end, TokenKind::Number, c.to_string(), LetterCase::Lower);
        } else {
            let plain = match look(c) {
                '⩾' | '≧' => '≥',
                '⩽' | '≦' => '≤',
                '、' => ',',
                plain => plain,
            };
            self.push(start, end, TokenKind::Sign, plain.to_string(), LetterCase::Lower);
        }
    }

    /// Digits, with separators that stand between digits.
    fn number(&mut self) {
        let (start, mut end) = (self.at, self.at);
        let mut text = String::new();
        let mut rest = self.text.get(start..).unwrap_or_default().chars().peekable();
        while let Some(c) = rest.next() {
            if let Some(digit) = digit(c) {
                text.push(digit);
            } else if matches!(c, '.' | ',' | '\'' | '’' | '·' | '\u{a0}' | '\u{2009}' | '\u{202f}' | ' ')
                && rest.peek().copied().and_then(digit).is_some()
                && (matches!(c, '.' | ',' | '·') || thousand(rest.clone(), c))
            {
                // Spaces and apostrophes can only group digits; a raised point is a decimal one.
                match c {
                    '.' | ',' => text.push(c),
                    '·' => text.push('.'),
                    _ => {}
                }
            } else {
                break;
            }
            end += c.len_utf8();
        }
        self.push(start, end, TokenKind::Number, text, LetterCase::Lower);
    }

    /// Letters, with digits, marks and apostrophes among them, or an abbreviation with a full stop behind each letter.
    fn word(&mut self) {
        let (start, mut end) = (self.at, self.at);
        let mut text = String::new();
        let (mut capitals, mut letters, mut first) = (0, 0, false);
        let source = self.text.get(start..).unwrap_or_default();
        let mut rest = source.chars().peekable();
        let mut single = 0;
        while let Some(c) = rest.next() {
            let next = rest.peek().copied();
            if c.is_alphabetic() && !is_unspaced(c) {
                letters += 1;
                single += 1;
                capitals += usize::from(c.is_uppercase());
                first |= end == start && c.is_uppercase();
                fold(c, &mut |plain| text.push(plain));
            } else if digit(c).is_some() || is_mark(c) || is_invisible(c) || matches!(c, '²' | '³') {
                fold(c, &mut |plain| text.push(plain));
            } else if matches!(c, '\'' | '’' | '\u{2bc}') && next.is_some_and(char::is_alphabetic) {
                text.push('\'');
            } else if c == '.' && single == 1 && next.is_some_and(char::is_alphabetic) {
                // "b.i.d." and "U.S.", of which only single letters are a part.
                let mut ahead = rest.clone();
                ahead.next();
                if ahead.next().is_some_and(|c| c.is_alphanumeric() || c == '\'') {
                    break;
                }
                single = 0;
            } else {
                break;
            }
            end += c.len_utf8();
        }
        // The full stop behind the last letter of such an abbreviation is part of it.
        let whole = self.text.get(start..end).unwrap_or_default();
        if whole.contains('.') && self.text.get(end..).is_some_and(|rest| rest.starts_with('.')) {
            end += 1;
        }
        if text == "http" || text == "https" {
            let rest = self.text.get(end..).unwrap_or_default();
            if rest.starts_with("://") {
                let length = rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | ']' | '|'));
                self.at = end + length.unwrap_or(rest.len());
                return;
            }
        }
        let case = match capitals {
            0 => LetterCase::Lower,
            _ if capitals == letters && letters > 1 => LetterCase::All,
            1 if first => LetterCase::First,
            _ => LetterCase::Inner,
        };
        self.push(start, end, TokenKind::Word, text, case);
    }

    fn unspaced(&mut self) {
        let mut before: Option<(usize, char)> = None;
        let start = self.at;
        let run = self.text.get(start..).unwrap_or_default().char_indices();
        for (at, c) in run.take_while(|(_, c)| is_unspaced(*c)) {
            let (at, end) = (start + at, start + at + c.len_utf8());
            if let Some((from, first)) = before {
                self.push(from, end, TokenKind::Word, String::from_iter([first, c]), LetterCase::Lower);
            }
            before = Some((at, c));
        }
        if let Some((at, c)) = before {
            if at == start {
                self.push(at, at + c.len_utf8(), TokenKind::Word, c.to_string(), LetterCase::Lower);
            }
            self.at = at + c.len_utf8();
            self.end = self.at;
        }
    }
}

/// Returns true if exactly three digits follow, as behind a separator of thousands. A plain space groups only zeros, since it
/// parts two numbers as well.
fn thousand(rest: impl Iterator<Item = char>, separator: char) -> bool {
    let mut digits = rest.take(4).map(digit);
    let mut three = [(); 3].iter().map(|()| digits.next().flatten());
    let plain = separator == ' ';
    three.all(|digit| digit.is_some_and(|digit| !plain || digit == '0')) && digits.next().flatten().is_none()
}

/// Returns true if a text begins with the number of a version, of at least two parts.
fn is_version(text: Option<&str>) -> bool {
    let parts = text.and_then(|text| text.split_once('.'));
    parts.is_some_and(|(major, minor)| {
        let is_number = !major.is_empty() && major.bytes().all(|byte| byte.is_ascii_digit());
        is_number && minor.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// The characters that are fractions, each with what stands above and below its line.
const FRACTIONS: &str = "½12⅓13⅔23¼14¾34⅕15⅖25⅗35⅘45⅙16⅛18⅜38⅝58⅞78";

/// Looks up the value of a character that is a fraction.
pub(super) fn fraction(c: char) -> Option<f64> {
    let (_, parts) = FRACTIONS.split_once(c).filter(|_| !c.is_ascii())?;
    let mut digits = parts.chars().map_while(|digit| digit.to_digit(10));
    Some(f64::from(digits.next()?) / f64::from(digits.next()?))
}

/// Says whether a character is a letter or digit of a script that is written without spaces between words.
fn is_unspaced(c: char) -> bool {
    ibid_text::is_unspaced(c) && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<String> {
        lex(text, 0, &[]).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_numbers_and_signs() {
        assert_eq!(texts("Don’t give 1,000.5mg."), ["don't", "give", "1,000.5", "mg", "."]);
        assert_eq!(texts("q12h, b.i.d. in the U.S."), ["q12h", ",", "bid", "in", "the", "us"]);
        assert_eq!(texts("End of a. B begins"), ["end", "of", "a", ".", "b", "begins"]);
        assert_eq!(texts("10 000 und 1'500, 5 100"), ["10000", "und", "1500", ",", "5", "100"]);
        assert_eq!(texts("1½ at ٢٥ %"), ["1", "½", "at", "25", "%"]);
        assert_eq!(texts("see https://a.example/b?c=1 there"), ["see", "there"]);
        assert_eq!(
            texts("v2.1.3 by V. 2, v2, tv2.1"),
            ["2.1.3", "by", "v", ".", "2", ",", "v2", ",", "tv2", ".", "1"]
        );
        assert_eq!(texts("用量は2回"), ["用量", "量は", "2", "回"]);
    }

    #[test]
    fn capitals_are_told() {
        let cases: Vec<LetterCase> =
            lex("WHO Berlin mRNA a iPhone B", 0, &[]).iter().map(|token| token.case).collect();
        assert_eq!(
            cases,
            [
                LetterCase::All,
                LetterCase::First,
                LetterCase::Inner,
                LetterCase::Lower,
                LetterCase::Inner,
                LetterCase::First
            ]
        );
    }

    #[test]
    fn marks_are_skipped() {
        let mark = 12..15;
        let tokens = lex("a [1] b", 10, std::slice::from_ref(&mark));
        let spans: Vec<_> = tokens.iter().map(|token| token.span.clone()).collect();
        assert_eq!(spans, [10..11, 16..17]);
    }

    proptest! {
        #[test]
        fn spans_are_ranges_of_characters(text in ".{0,60}", from in 0_usize..40, length in 0_usize..9) {
            let skip = text.floor_char_boundary(from)..text.ceil_char_boundary(from + length);
            let mut start = 0;
            for token in lex(&text, 0, std::slice::from_ref(&skip)) {
                prop_assert!(text.get(token.span.clone()).is_some_and(|text| !text.is_empty()));
                prop_assert!(start <= token.span.start);
                start = token.span.start;
            }
        }
    }
}
