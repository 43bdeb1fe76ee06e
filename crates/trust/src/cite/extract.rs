//! An answer without a model: the passages that answer best, quoted.

use std::sync::Arc;

use super::check::Citation;
use super::markdown::{blocks, markers};
use super::sentence::sentences;
use super::source::Source;
use ibid_retrieve::Hit;
use ibid_text::{Words, is_english_stop_word, present_stem};

/// The answer when no passage was found.
pub const NOTHING_FOUND: &str = "No passage in these documents answers this question.";

/// The least relevance of a passage that words alone have found; `docs/retrieval.md` has what it was measured by.
const LEAST_BY_WORDS: f32 = 0.3;

/// The most passages quoted.
const MAX_PASSAGES: usize = 3;

/// The most sentences quoted from one passage.
const MAX_SENTENCES: usize = 3;

/// The most bytes of a quote of more than one sentence, and of one sentence before it is cut short.
const MAX_QUOTE_BYTES: usize = 600;

/// The most bytes of a table or a block of code before it is cut behind one of its lines. A dose without the heading
/// of its column is worse than a long quote.
const MAX_WHOLE_BYTES: usize = 2000;

/// Which share of the words of two quotes they must have in common to say the same.
const SAME_SHARE: (usize, usize) = (4, 5);

/// A text made of quotes, and the citations in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extract {
    /// Paragraphs, each a quote and its mark; [`NOTHING_FOUND`] if there are none.
    pub text: String,
    /// One for each paragraph.
    pub citations: Vec<Citation>,
}

/// The best passages as an answer: from each of the first three sources the sentences that share the most words with
/// the question, word for word, followed by the source's number. Only numbers in brackets that the passage has itself are escaped.
///
/// The sentences are one to three neighbours of at most 600 bytes in all; among equals the fewest and then the first
/// win. A table or a block of code counts as one sentence, and may have 2,000 bytes. Words are compared in lower case, without the endings of present forms, and leaving out words such as "the". A passage that
/// shares no word with the question is left out, unless it is the first: that one was found by its meaning. So is one that says
/// what an earlier one said: with the same numbers, and four fifths of the words of both in common. And so is one that words
/// alone have found, by few of the question's.
pub fn extractive_answer(question: &str, sources: &[Source]) -> Extract {
    let wanted: Vec<String> = content_words(question);
    let mut extract = Extract::default();
    let mut quoted: Vec<Vec<String>> = Vec::new();
    for source in sources.iter().filter(|source| !is_found_by_chance(&source.hit)) {
        if extract.citations.len() == MAX_PASSAGES {
            break;
        }
        let Some((quote, shared)) = best_window(&source.hit.text, &wanted) else { continue };
        if shared == 0 && !extract.citations.is_empty() {
            continue;
        }
        let words = content_words(quote);
        if quoted.iter().any(|earlier| say_the_same(earlier, &words)) {
            continue;
        }
        quoted.push(words);
        if !extract.text.is_empty() {
            extract.text.push_str("\n\n");
        }
        push_quoted(&mut extract.text, quote);
        if quote.len() < source.hit.text.trim().len() && !ends_sentence(quote) && !is_whole(quote) {
            extract.text.push_str(" …");
        }
        extract.text.push_str(if is_whole(quote) { "\n\n" } else { " " });
        let start = extract.text.len();
        for part in ["[", &source.number.to_string(), "]"] {
            extract.text.push_str(part);
        }
        extract.citations.push(Citation {
            number: source.number,
            span: start..extract.text.len(),
            source: Arc::new(source.clone()),
        });
    }
    if extract.citations.is_empty() {
        NOTHING_FOUND.clone_into(&mut extract.text);
    }
    extract
}

/// Returns whether a passage has to do with the question too little to be quoted. A search by words alone leaves nothing out, since
/// whoever reads its hits wants to see where the words are.
fn is_found_by_chance(hit: &Hit) -> bool {
    hit.cosine.is_none() && hit.bm25.is_some() && hit.relevance < LEAST_BY_WORDS
}

/// Adds a quote. A number in brackets that is the passage's own would name another source here, so its bracket is escaped.
fn push_quoted(text: &mut String, quote: &str) {
    let mut at = 0;
    for mark in markers(quote).iter().filter(|mark| quote[mark.span.clone()].starts_with('[')) {
        text.push_str(&quote[at..mark.span.start]);
        text.push('\\');
        at = mark.span.start;
    }
    text.push_str(&quote[at..]);
}

/// The neighbouring sentences that share the most of the wanted words, and how many they share; `None` if the text is
/// blank.
fn best_window<'t>(text: &'t str, wanted: &[String]) -> Option<(&'t str, usize)> {
    let sentences = sentences(text);
    let mut best: Option<(&str, usize)> = None;
    for count in 1..=MAX_SENTENCES {
        for window in sentences.windows(count) {
            let (Some((_, first)), Some((_, last))) = (window.first(), window.last()) else { continue };
            let Some(quote) = text.get(first.start..last.end) else { continue };
            if count > 1 && quote.len() > MAX_QUOTE_BYTES {
                continue;
            }
            let quote = shorten(quote);
            let words = content_words(quote);
            let shared = wanted.iter().filter(|word| words.contains(word)).count();
            if best.is_none_or(|(_, most)| shared > most) {
                best = Some((quote, shared));
            }
        }
    }
    best
}

/// The text, cut if it is longer than a quote may be: at a line's end where that keeps most of it, so that rows stay
/// whole, else at a space.
fn shorten(text: &str) -> &str {
    let whole = text.len() > MAX_QUOTE_BYTES && is_whole(text);
    let most = if whole { MAX_WHOLE_BYTES } else { MAX_QUOTE_BYTES };
    if text.len() <= most {
        return text;
    }
    let start = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    let line = start.rfind('\n').filter(|at| *at > most / 2);
    let cut = line.or_else(|| start.rfind(char::is_whitespace));
    cut.and_then(|at| start.get(..at)).unwrap_or(start).trim_end()
}

/// Whether a quote ends with a table or with code, behind which a mark would be taken for part of it.
fn is_whole(quote: &str) -> bool {
    blocks(quote).last().is_some_and(|(form, _)| form.is_whole())
}

fn ends_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', '。', '！', '？', '|', ':', ';', ')', '"', '”'])
}

/// Whether two quotes, by their words, say nearly the same. Another number is another statement.
fn say_the_same(one: &[String], other: &[String]) -> bool {
    let is_number = |word: &&String| word.starts_with(|c: char| c.is_ascii_digit());
    let numbers = |words: &[String]| {
        let mut numbers: Vec<String> = words.iter().filter(is_number).cloned().collect();
        numbers.sort_unstable();
        numbers
    };
    let shared = one.iter().filter(|word| other.contains(word)).count();
    let all = one.len() + other.len() - shared;
    let (part, whole) = SAME_SHARE;
    all > 0 && shared * whole >= all * part && numbers(one) == numbers(other)
}

/// The words that count, each once, as the text room folds them and without the endings of present forms.
fn content_words(text: &str) -> Vec<String> {
    let words = Words::of(text);
    let mut counted: Vec<String> = Vec::new();
    for word in (0..words.count()).map(|at| words.get(at)).filter(|word| !is_english_stop_word(word)) {
        let stem = present_stem(word);
        if !counted.iter().any(|known| known == stem) {
            counted.push(stem.to_owned());
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::source::tests::hit;
    use super::*;

    fn sources(texts: &[&str]) -> Vec<Source> {
        (1..)
            .zip(texts)
            .map(|(number, text)| Source { number, hit: hit(number, text), ..Source::default() })
            .collect()
    }

    #[test]
    fn the_sentences_that_share_most_words_are_quoted() {
        let text = "Pneumonia is common. Children get amoxicillin 40 mg/kg, e.g. twice daily. Reassess after 2.5 days! Bye.";
        let extract = extractive_answer("What dose of amoxicillin do children get?", &sources(&[text]));
        assert_eq!(extract.text, "Children get amoxicillin 40 mg/kg, e.g. twice daily. [1]");
        assert_eq!(&extract.text[extract.citations[0].span.clone()], "[1]");
        let two = extractive_answer("Is amoxicillin reassessed, and after how many day?", &sources(&[text]));
        assert!(two.text.starts_with("Children get"), "{}", two.text);
        assert!(two.text.ends_with("2.5 days! [1]"), "{}", two.text);
    }

    #[test]
    fn at_most_three_passages_and_none_without_a_shared_word_but_the_first() {
        let texts = ["Unrelated words here.", "Fever one.", "Nothing.", "Fever two.", "Fever three."];
        let extract = extractive_answer("Fevers?", &sources(&texts));
        assert_eq!(extract.text, "Unrelated words here. [1]\n\nFever one. [2]\n\nFever two. [4]");
        let numbers: Vec<u32> = extract.citations.iter().map(|citation| citation.number).collect();
        assert_eq!(numbers, [1, 2, 4]);
    }

    #[test]
    fn what_was_said_is_not_quoted_again() {
        let texts = [
            "Zinc is given to children with diarrhoea for ten days.",
            "Tea. Zinc is given to children, with diarrhoea, for ten days!",
            "Zinc is given to children with diarrhoea for 14 days.",
            "Zinc helps.",
        ];
        let extract = extractive_answer("zinc", &sources(&texts));
        let numbers: Vec<u32> = extract.citations.iter().map(|citation| citation.number).collect();
        assert_eq!(numbers, [1, 3, 4], "{}", extract.text);
        let doses = ["Give 5 mg of zinc to children daily.", "Give 10 mg of zinc to children daily."];
        assert_eq!(extractive_answer("zinc", &sources(&doses)).citations.len(), 2);
    }

    #[test]
    fn nothing_found_is_said() {
        for none in [&[][..], &["", " \n "]] {
            let extract = extractive_answer("Anything?", &sources(none));
            assert_eq!((extract.text.as_str(), extract.citations.len()), (NOTHING_FOUND, 0));
        }
    }

    #[test]
    fn few_words_are_no_answer() {
        let mut found = sources(&["Der Tee zieht zwei Minuten."]);
        let quoted = |found: &[Source]| !extractive_answer("Wie wird der Tag?", found).citations.is_empty();
        for (bm25, cosine, relevance, expected) in
            [(Some(1.2), None, 0.2, false), (Some(1.2), None, 0.4, true), (Some(1.2), Some(0.1), 0.2, true)]
        {
            let hit = &mut found[0].hit;
            (hit.bm25, hit.cosine, hit.relevance) = (bm25, cosine, relevance);
            assert_eq!(quoted(&found), expected, "{bm25:?} {cosine:?} {relevance}");
        }
    }

    #[test]
    fn structure_is_respected() {
        let table = "# Doses\n| Drug | Dose |\n|---|---|\n| Zinc | 20 mg |";
        let extract = extractive_answer("zinc", &sources(&[table]));
        assert_eq!(extract.text, "| Drug | Dose |\n|---|---|\n| Zinc | 20 mg |\n\n[1]");
        let code = extractive_answer(
            "build",
            &sources(&["Run this:\n\n```sh\nset up. Then\n\nbuild it\n```\nBye."]),
        );
        assert_eq!(code.text, "```sh\nset up. Then\n\nbuild it\n```\n\n[1]");
        let wrapped =
            extractive_answer("zinc", &sources(&["- Iron\n  first\n- Then zinc\n  for ten days\n1. Last"]));
        assert_eq!(wrapped.text, "- Then zinc\n  for ten days … [1]");
        let own_marks = extractive_answer("zinc", &sources(&["Zinc helps [7] much"]));
        assert_eq!(own_marks.text, "Zinc helps \\[7] much [1]");
        assert_eq!(own_marks.citations[0].span, 21..24);
        let japanese = extractive_answer("投与量", &sources(&["用法。用量は一日三回。"]));
        assert_eq!(japanese.text, "用量は一日三回。 [1]");
    }

    #[test]
    fn a_very_long_sentence_is_cut_at_a_word() {
        let text = "wörter ".repeat(500);
        let extract = extractive_answer("wörter", &sources(&[&text]));
        assert!(extract.text.ends_with("wörter … [1]"), "{}", extract.text);
        assert!(extract.text.len() < MAX_QUOTE_BYTES + 10);
        let rows = "| Zinc | 20 mg |\n".repeat(500);
        let table = extractive_answer("zinc", &sources(&[&rows])).text;
        assert!(table.ends_with("| Zinc | 20 mg |\n\n[1]") && table.len() < MAX_WHOLE_BYTES + 10);
        let unbroken = "漢".repeat(1000);
        assert!(extractive_answer("漢", &sources(&[&unbroken])).text.len() < MAX_QUOTE_BYTES + 10);
    }

    proptest! {
        #[test]
        fn quotes_are_verbatim_and_spans_hold(
            question in ".{0,60}",
            texts in prop::collection::vec("([a-zé日 .!?\n|#]|fever ){0,120}", 0..6),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let extract = extractive_answer(&question, &sources(&texts));
            let mut start = 0;
            for citation in &extract.citations {
                prop_assert_eq!(&extract.text[citation.span.clone()], format!("[{}]", citation.number));
                let quote = extract.text[start..citation.span.start].trim().trim_end_matches(" …");
                prop_assert!(citation.source.hit.text.contains(quote), "{quote:?}");
                start = citation.span.end;
            }
        }
    }
}
