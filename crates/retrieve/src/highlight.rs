//! The matches of a query in a passage: words, and the sentence that has most of them.

use std::ops::Range;

use ibid_document::chunk::sentences;
use ibid_index::{Analyzer, FirstLetters, Language};
use ibid_platform::{case, order};

/// The most words of a query that are marked.
const MOST_WORDS: usize = 256;

/// The words of a query that are marked in passages, made once for all of them.
#[derive(Debug)]
pub struct Marker {
    analyzer: Analyzer,
    /// The words' terms, sorted, with what each tells.
    terms: Vec<(String, f32)>,
    /// The terms of each phrase in quotation marks, in its order.
    phrases: Vec<Vec<String>>,
    /// The number of the last word and its letters, where it may be the beginning of one.
    prefix: Option<(usize, String)>,
    /// Those that words begin with which may match.
    letters: FirstLetters,
}

impl Marker {
    /// `shares` says what each term tells, if known; any other counts as the rarest of those.
    pub fn new(language: Language, text: &str, shares: &[(String, f32)]) -> Self {
        let analyzer = Analyzer::new(language);
        let rarest = shares.iter().map(|(_, share)| *share).fold(0.0, f32::max);
        let weight = |term: &str| {
            let known = shares.iter().find(|(known, _)| known == term).map(|(_, share)| *share);
            known.or(Some(rarest)).filter(|weight| *weight > 0.0).unwrap_or(1.0)
        };
        let mut terms: Vec<(Range<usize>, String, f32)> = Vec::new();
        let mut last: Option<(String, Range<usize>)> = None;
        for token in analyzer.tokens(text).filter(|token| !token.stop && !token.part).take(MOST_WORDS) {
            if !token.joint {
                last = Some((token.term.to_string(), token.range.clone()));
            } else if !text[token.range.clone()].contains(char::is_whitespace) {
                // A single letter of a compound is not looked for on its own.
                terms.retain(|(range, ..)| !is_letter_of(text, range, &token.range));
            }
            terms.push((token.range, token.term.to_string(), weight(&token.term)));
        }
        let mut terms: Vec<(String, f32)> =
            terms.into_iter().map(|(_, term, weight)| (term, weight)).collect();
        order::by(&mut terms, |a, b| a.0.cmp(&b.0));
        terms.dedup_by(|a, b| a.0 == b.0);
        let prefix = last.filter(|(_, range)| range.end == text.len()).and_then(|(term, range)| {
            let number = terms.binary_search_by(|(known, _)| known.cmp(&term)).ok()?;
            Some((number, case::lowercase(&text[range])))
        });
        let phrases: Vec<Vec<String>> = quoted(text)
            .map(|phrase| {
                analyzer.tokens(phrase).filter(|token| !token.joint).map(|token| token.term.into_owned())
            })
            .map(Iterator::collect)
            .filter(|phrase: &Vec<String>| phrase.len() > 1)
            .take(MOST_WORDS)
            .collect();
        let firsts = terms.iter().map(|(term, _)| term).chain(prefix.iter().map(|(_, letters)| letters));
        let firsts = firsts.map(String::as_str);
        let letters = if phrases.is_empty() { FirstLetters::of(firsts) } else { FirstLetters::ANY };
        Self { analyzer, terms, phrases, prefix, letters }
    }

    /// Goes through the words of a text once, for all that is asked of them.
    pub fn marks(&self, text: &str) -> Marks {
        let number = |term: &str, range: &Range<usize>| {
            let known = self.terms.binary_search_by(|(known, _)| known.as_str().cmp(term)).ok();
            known.or_else(|| {
                let (_, letters) = self.prefix.as_ref()?;
                case::lowercase(&text[range.clone()])
                    .starts_with(letters.as_str())
                    .then_some(self.terms.len())
            })
        };
        let mut marks = Marks::default();
        let mut words = Vec::new();
        for token in self.analyzer.tokens_with(text, self.letters) {
            if let Some(number) = number(&token.term, &token.range) {
                marks.words.push((token.range.clone(), number));
            }
            if !self.phrases.is_empty() && !token.joint {
                words.push(token);
            }
        }
        if let Some((whole, _)) = self.prefix
            && marks.words.iter().any(|(_, number)| *number == whole)
        {
            // A complete word is not the beginning of others.
            marks.words.retain(|(_, number)| *number < self.terms.len());
        }
        order::by_key(&mut marks.words, |(range, _)| range.start);
        for phrase in &self.phrases {
            let runs = words
                .windows(phrase.len())
                .filter(|run| run.iter().zip(phrase).all(|(token, term)| token.term == term.as_str()));
            marks
                .phrases
                .extend(runs.filter_map(|run| Some(run.first()?.range.start..run.last()?.range.end)));
        }
        marks
    }

    /// Returns the sentence of a text that has most of what the query's words tell, the first one of several; `None`
    /// when no word matches.
    pub fn best_sentence(&self, text: &str, marks: &Marks) -> Option<Range<usize>> {
        let matches = &marks.words;
        let mut best: Option<(f32, Range<usize>)> = None;
        let mut from = 0;
        for sentence in sentences(text, 0..text.len()) {
            from += matches[from..].iter().take_while(|(range, _)| range.start < sentence.start).count();
            let mut terms: Vec<usize> = matches[from..]
                .iter()
                .take_while(|(range, _)| range.end <= sentence.end)
                .map(|(_, term)| *term)
                .collect();
            order::by_key(&mut terms, |&term| term);
            terms.dedup();
            let tells: f32 = terms.iter().map(|&term| self.terms.get(term).map_or(1.0, |term| term.1)).sum();
            if tells > best.as_ref().map_or(0.0, |(best, _)| *best) {
                best = Some((tells, sentence));
            }
        }
        best.map(|(_, sentence)| sentence)
    }
}

/// The places where a text matches a query.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Words of the query with their numbers; one behind the last for what only begins like the last word.
    words: Vec<(Range<usize>, usize)>,
    phrases: Vec<Range<usize>>,
}

impl Marks {
    /// Byte ranges in the text, in order and apart from each other, of the words that the search takes for one of the
    /// query's, and of whole phrases. Frequent words such as "the" are marked only in phrases.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        join(self.words.iter().map(|(range, _)| range).chain(&self.phrases).cloned().collect())
    }
}

/// Says whether a range has one character within a longer one.
fn is_letter_of(text: &str, range: &Range<usize>, whole: &Range<usize>) -> bool {
    let within = whole.start <= range.start && range.end <= whole.end && range != whole;
    within && text[range.clone()].chars().nth(1).is_none()
}

/// Lists the text between double quotation marks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(['"', '“', '”', '„', '«', '»']);
    let count = text.matches(['"', '“', '”', '„', '«', '»']).count();
    // A last mark that is not followed by another opens nothing.
    parts.take(count / 2 * 2).skip(1).step_by(2)
}

/// Ranges that overlap become one.
fn join(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    order::by_key(&mut ranges, |range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(query: &str) -> Marker {
        Marker::new(Language::English, query, &[])
    }

    fn marked(query: &str, text: &str) -> Vec<String> {
        marker(query).marks(text).ranges().into_iter().map(|range| text[range].to_owned()).collect()
    }

    fn sentence(query: &str, text: &str) -> Option<String> {
        let marker = marker(query);
        marker.best_sentence(text, &marker.marks(text)).map(|range| text[range].to_owned())
    }

    #[test]
    fn words_match_as_the_search_takes_them() {
        let text = "The Doses of metformin: one dose; a Naïve ewe has two eyes.";
        assert_eq!(marked("what is the metformin dose?", text), ["Doses", "metformin", "dose"]);
        assert_eq!(marked("naive EYE", text), ["Naïve", "eyes"]);
    }

    #[test]
    fn frequent_words_and_nothing_match_nothing() {
        assert!(marked("what is the", "what is the matter").is_empty());
        assert!(marked("?!", "?!").is_empty());
        assert!(marked("", "text").is_empty());
        assert!(marked("text", "").is_empty());
    }

    #[test]
    fn phrases_are_marked_as_a_whole() {
        assert_eq!(marked("\"cup of tea\"", "A cup of tea, and tea of a cup."), ["cup of tea", "tea", "cup"]);
        assert_eq!(marked("\"cup of tea", "a cup of tea"), ["cup", "tea"]);
    }

    #[test]
    fn the_last_word_may_be_a_beginning() {
        let text = "Hypertension and green hypertensives";
        assert_eq!(marked("green hyperten", text), ["Hypertension", "green", "hypertensives"]);
        assert_eq!(marked("cat", "A catheter"), ["catheter"]);
        assert_eq!(marked("cat", "A cat with a catheter"), ["cat"], "the word is complete");
    }

    #[test]
    fn the_best_sentence_has_most_of_the_query() {
        let text = "Tea is a drink. Green tea steeps for two minutes. Green is a colour.";
        assert_eq!(sentence("green tea", text).unwrap(), "Green tea steeps for two minutes.");
        assert_eq!(sentence("colour", text).unwrap(), "Green is a colour.");
        assert_eq!(sentence("tea tea tea", text).unwrap(), "Tea is a drink.");
        assert_eq!(sentence("coffee", text), None);
        let shares = [("green".to_owned(), 0.1), ("colour".to_owned(), 0.9)];
        let marker = Marker::new(Language::English, "green colour tea", &shares);
        let text = "Green colours. Green. Tea.";
        assert_eq!(&text[marker.best_sentence(text, &marker.marks(text)).unwrap()], "Green colours.");
    }

    #[test]
    fn a_compound_marks_no_letter_of_its_own() {
        assert_eq!(marked("x-ray", "An X-ray, or xray: x marks a ray."), ["X-ray", "xray", "ray"]);
        assert_eq!(marked("C++", "C++ is not C."), ["C++"]);
        assert_eq!(marked("window", "Call closeWindow(), or closeWindows."), ["Window", "Windows"]);
        assert_eq!(marked("closeWindow", "Call closeWindow() to close."), ["closeWindow"]);
    }

    #[test]
    fn ranges_are_in_order_and_apart() {
        for text in ["0.5mg 0.5 mg IL-6 IL6", "beta-blocker", "緑茶は八十度", "e\u{301}e\u{301}"] {
            let ranges = marker(text).marks(text).ranges();
            assert!(!ranges.is_empty(), "{text}");
            assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "{text}: {ranges:?}");
            assert!(ranges.iter().all(|range| text.get(range.clone()).is_some()));
        }
    }
}
