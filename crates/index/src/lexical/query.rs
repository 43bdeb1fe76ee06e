//! A query's text to the words that are looked for.

use std::ops::Range;

use ibid_terms::{Analyzer, Language, LexicalToken, is_unspaced};

/// The most different words of a query that are looked for; each may cost a fetch.
const MOST_WORDS: usize = 256;
/// The most words of which it is known whether a chunk has them: each takes a bit.
pub(super) const MOST_MARKED: usize = 32;

/// The shortest stem that an ending is taken off while a word is typed, in characters, and the least share of what is
/// written: `respons` of `responsibilitie`, and not `met` of `metfromin`.
const LEAST_STEM: usize = 3;
const STEM_SHARE: f32 = 0.45;

/// The words that are looked for.
#[derive(Debug, Default)]
pub(super) struct QueryWords {
    pub(super) words: Vec<QueryWord>,
    /// The words of each phrase, by their numbers, in its order.
    pub(super) phrases: Vec<Vec<usize>>,
}

/// A word of a query, or a joint token.
#[derive(Debug)]
pub(super) struct QueryWord {
    pub(super) term: String,
    /// The number of times the query has it.
    pub(super) count: f32,
    /// The bits of the words that a chunk has when it has this one.
    pub(super) mask: u32,
    /// Its own bit, if it is told apart from the others.
    pub(super) bit: Option<u32>,
    /// True if it is made of other words or a part of one, which say all when it is asked what part of a query a chunk has.
    pub(super) joint: bool,
    /// The compound that it is a part of, by its number.
    pub(super) whole: Option<usize>,
    /// The word as it is written, where it may be the beginning of a longer one.
    pub(super) prefix: Option<String>,
    /// The terms of that word without its last letters, the longest first: what is typed so far may be longer than the
    /// stem of what it will be.
    pub(super) stems: Vec<(String, f32)>,
    /// The word as it is written, without case and accents; empty for a token next to others.
    pub(super) written: String,
}

impl QueryWords {
    /// Returns true if a chunk must have certain words: those with these bits.
    pub(super) fn required(&self) -> u32 {
        self.phrases
            .iter()
            .flatten()
            .filter_map(|&word| self.words.get(word))
            .fold(0, |mask, word| mask | word.mask)
    }

    /// Lists the words that are kept apart, each with its share of what they tell together.
    pub(super) fn shares(&self, masses: &[f32; MOST_MARKED]) -> Vec<(String, f32)> {
        let total: f32 = masses.iter().sum();
        let share = |word: &QueryWord| {
            let mass = masses.get(word.bit? as usize)?;
            Some((word.term.clone(), if total > 0.0 { mass / total } else { 0.0 }))
        };
        self.words.iter().filter_map(share).collect()
    }

    /// Reads a query; `stop` has words of the author's that say nothing here.
    pub(super) fn parse(language: Language, text: &str, stop: &[String]) -> Self {
        let analyzer = Analyzer::new(language);
        let is_stop = |token: &LexicalToken<'_>, part: &str| {
            let written = || part.get(token.range.clone()).unwrap_or_default();
            token.stop || stop.iter().any(|word| analyzer.plain(word) == analyzer.plain(written()))
        };
        let mut words = Self::default();
        // Words of phrases come first, since each needs its bit.
        let marked = quoted(text);
        let quoted = phrase_conditions(text);
        for range in &quoted {
            words.add_phrase(analyzer, &text[range.clone()]);
        }
        let outside = || {
            let starts = std::iter::once(0).chain(quoted.iter().map(|range| range.end));
            let ends = quoted.iter().map(|range| range.start).chain([text.len()]);
            starts.zip(ends).filter_map(|(start, end)| Some((start, text.get(start..end)?)))
        };
        let all_stop = words.words.is_empty()
            && outside()
                .all(|(_, part)| analyzer.tokens(part).all(|token| token.joint || is_stop(&token, part)));
        for (start, part) in outside() {
            // The word that the caret stands behind.
            let last = (start + part.len() == text.len()).then_some(part.len());
            words.add(analyzer, part, last, |token| !all_stop && is_stop(token, part));
        }
        if quoted.is_empty() {
            marked.iter().for_each(|range| words.stress(analyzer, &text[range.clone()]));
        }
        words
    }

    /// Has the words of a phrase that is no condition count once more.
    fn stress(&mut self, analyzer: Analyzer, text: &str) {
        for token in analyzer.tokens(text).filter(|token| !token.joint) {
            if let Some(word) = self.words.iter_mut().find(|word| word.term == *token.term) {
                word.count += 1.0;
            }
        }
    }

    fn add_phrase(&mut self, analyzer: Analyzer, text: &str) {
        let mut phrase = Vec::new();
        for token in analyzer.tokens(text).filter(|token| !token.joint) {
            phrase.extend(self.word(&token.term, false));
        }
        if !phrase.is_empty() {
            self.phrases.push(phrase);
        }
    }

    fn add(
        &mut self,
        analyzer: Analyzer,
        text: &str,
        caret: Option<usize>,
        is_left_out: impl Fn(&LexicalToken<'_>) -> bool,
    ) {
        // The tokens that are not joint by their places, for the joint ones.
        let mut places: Vec<(Range<usize>, usize)> = Vec::new();
        for token in analyzer.tokens(text) {
            let written = &text[token.range.clone()];
            let at_caret = caret == Some(token.range.end);
            if token.joint {
                // The last character of a run is a token for others' queries only, and so are the parts of a word in one.
                let within = text[..token.range.start].ends_with(char::is_alphanumeric)
                    || text[token.range.end..].starts_with(char::is_alphanumeric);
                if !(written.starts_with(is_unspaced) || token.part && within) {
                    self.add_joint(&token, written, &places);
                }
                continue;
            }
            if !at_caret && is_left_out(&token) {
                continue;
            }
            let Some(number) = self.word(&token.term, false) else { continue };
            let word = &mut self.words[number];
            places.push((token.range, number));
            let single = written.starts_with(is_unspaced) && written.chars().nth(1).is_none();
            if at_caret || single {
                word.prefix = Some(analyzer.plain(written).into_owned());
            }
            if at_caret {
                word.stems = stems(analyzer, written);
            }
            word.written = analyzer.plain(written).into_owned();
        }
    }

    /// Adds a token next to others. One that is written without spaces is a compound, of which a chunk may have
    /// only the parts.
    fn add_joint(&mut self, token: &LexicalToken<'_>, written: &str, places: &[(Range<usize>, usize)]) {
        let known = self.words.len();
        let Some(number) = self.word(&token.term, true) else { return };
        if token.part || number < known {
            return;
        }
        let inside = |range: &Range<usize>| token.range.start <= range.start && range.end <= token.range.end;
        let parts = places.iter().rev().take_while(|(range, _)| range.end > token.range.start);
        let parts: Vec<usize> = parts.filter(|(range, _)| inside(range)).map(|(_, part)| *part).collect();
        let mask = parts.iter().fold(0, |mask, &part| mask | self.words[part].mask);
        self.words[number].mask = mask;
        if parts.len() > 1 && !written.contains(char::is_whitespace) {
            self.words[number].bit = self.next_bit();
            self.words[number].mask |= self.words[number].bit.map_or(0, |bit| 1 << bit);
            parts.into_iter().for_each(|part| self.words[part].whole = Some(number));
        }
    }

    /// Takes the bit of one more word that is kept apart.
    fn next_bit(&self) -> Option<u32> {
        let marked = self.words.iter().filter(|word| word.bit.is_some()).count();
        (marked < MOST_MARKED).then_some(marked as u32)
    }

    /// Notes a word once more, and returns its number; `None` when there are too many.
    fn word(&mut self, term: &str, joint: bool) -> Option<usize> {
        if let Some(known) = self.words.iter().position(|word| word.term == term) {
            self.words[known].count += 1.0;
            return Some(known);
        }
        if self.words.len() == MOST_WORDS {
            return None;
        }
        let bit = if joint { None } else { self.next_bit() };
        self.words.push(QueryWord {
            term: term.to_owned(),
            count: 1.0,
            mask: bit.map_or(0, |bit| 1 << bit),
            bit,
            joint,
            whole: None,
            prefix: None,
            stems: Vec::new(),
            written: String::new(),
        });
        Some(self.words.len() - 1)
    }
}

/// Lists the terms of an unfinished word's beginnings, which may be the stems of the finished one, each with its share of
/// what is written.
fn stems(analyzer: Analyzer, written: &str) -> Vec<(String, f32)> {
    let ends: Vec<usize> = written.char_indices().skip(LEAST_STEM).map(|(end, _)| end).collect();
    let mut stems: Vec<(String, f32)> = Vec::new();
    let least = (written.len() as f32 * STEM_SHARE) as usize;
    for end in ends.into_iter().rev().take_while(|end| *end >= least) {
        let beginning = &written[..end];
        // The stem of `nursing`, `nurs`, has a stem again.
        let stem = analyzer.tokens(beginning).find(|token| token.range == (0..end)).map(|token| token.term);
        for term in stem.into_iter().chain([analyzer.plain(beginning)]) {
            if stems.iter().all(|(known, _)| *known != term) {
                stems.push((term.into_owned(), end as f32 / written.len() as f32));
            }
        }
    }
    stems
}

/// Returns the phrases of a query that a passage must have: what stands between quotation marks, where the query is
/// nothing else. In a sentence, marks name a term or a title as often as they ask for its very words.
pub fn phrase_conditions(text: &str) -> Vec<Range<usize>> {
    let quoted = quoted(text);
    let mut rest = text.to_owned();
    quoted.iter().rev().for_each(|range| rest.replace_range(range.clone(), ""));
    if rest.contains(char::is_alphanumeric) { Vec::new() } else { quoted }
}

/// Finds the text between double quotation marks, straight or curly; a last one that is not closed opens nothing.
fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = None;
    for (at, char) in
        text.char_indices().filter(|(_, char)| matches!(char, '"' | '“' | '”' | '„' | '«' | '»'))
    {
        if let Some(start) = open.take() {
            found.push(start..at);
        } else {
            open = Some(at + char.len_utf8());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> QueryWords {
        QueryWords::parse(Language::English, text, &["Acme".to_owned()])
    }

    fn terms(text: &str) -> Vec<String> {
        parse(text).words.into_iter().map(|word| word.term).collect()
    }

    #[test]
    fn stop_words_count_only_among_themselves() {
        assert_eq!(terms("what is the dose of metformin"), ["dose", "metformin"]);
        assert_eq!(terms("what is it"), ["what", "is", "it"]);
        assert_eq!(terms("\"to be\" seen"), ["seen"]);
        assert_eq!(terms("the dose of acmé "), ["dose"]);
        assert_eq!(terms("the ACME "), ["the", "acm"]);
        assert!(terms("?!\u{0}🙂 \"").is_empty() && terms("").is_empty());
    }

    #[test]
    fn phrases_are_what_is_between_two_marks() {
        let words = parse("\"vitamin of the\" “b 12” \"");
        assert_eq!(words.phrases, [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(words.required(), 0b11111);
    }

    #[test]
    fn a_phrase_is_a_condition_where_nothing_else_is_said() {
        assert_eq!(phrase_conditions("\"green tea\"").first(), Some(&(1..10)));
        assert_eq!(phrase_conditions("«a» (“b”)!").len(), 2);
        assert!(phrase_conditions("what is \"green tea\"?").is_empty());
        assert!(phrase_conditions("\"open").is_empty());
    }

    #[test]
    fn a_joint_token_stands_for_its_parts() {
        let words = parse("dose: 500 mg").words;
        let shown: Vec<(&str, u32, bool)> =
            words.iter().map(|word| (&*word.term, word.mask, word.joint)).collect();
        assert_eq!(shown, [("dose", 1, false), ("500", 2, false), ("mg", 4, false), ("500mg", 6, true)]);
    }

    #[test]
    fn the_word_at_the_caret_may_go_on() {
        let prefix = |text: &str| parse(text).words.into_iter().find_map(|word| word.prefix);
        assert_eq!(prefix("dose of Hypert").as_deref(), Some("hypert"));
        assert_eq!(prefix("dose of hypert "), None);
        assert_eq!(prefix("what is th").as_deref(), Some("th"));
        assert_eq!(prefix("what is the").as_deref(), Some("the"));
        assert_eq!(parse("癌").words[0].prefix.as_deref(), Some("癌"));
    }

    #[test]
    fn a_query_without_end_is_cut() {
        let text = (0..3000).map(|at| format!("word{at}")).collect::<Vec<_>>().join(" ");
        assert!(terms(&text).len() <= MOST_WORDS);
    }
}
