//! The pieces of a source that may answer, with what each is worth.

use std::ops::Range;

use ibid_text::{Words, rough_stem};

use super::super::markdown::BlockForm;
use super::super::source::Source;
use super::asked::{AnswerKind, Asked, FoundWord};
use super::circumstance::Fit;
use super::content_words;
use super::lists::has_word;
use super::piece::{Piece, pieces};

// The worth of a piece, of 1 for all words of the question. Chosen on questions to a handbook and to documentation;
// docs/measurements.md has the answers that come of it.

/// The share of a word that stands above a piece, in a heading, and not in it.
const ABOVE: f32 = 0.7;
/// It has the form that is asked for.
const KIND: f32 = 0.3;
/// Its heading names the circumstance of the question, and its passage is relevant.
const NAMED: f32 = 0.15;
const RELEVANT: f32 = 0.15;
/// Its passage is the best of the search.
const RANKED: f32 = 0.5;
/// All of its document's title, or of its heading, stands in the question.
const TITLED: f32 = 0.15;
const HEADED: f32 = 0.2;
/// It is a whole section, or a whole list or table.
const SECTION: f32 = 0.1;
const LIST: f32 = 0.05;
/// It has the length of a long quote.
const LONG: f32 = 0.03;
/// It is about a circumstance that the question does not name, or shares no word with it itself.
const SPECIAL: f32 = 0.2;
const ELSEWHERE: f32 = 0.2;
/// It is code, and the question does not ask how something is done; or nothing leads to it.
const CODE: f32 = 0.3;
const BARE: f32 = 0.2;

/// The least sum of a piece's coverage and its passage's relevance that makes it an answer.
const ANSWERS: f32 = 0.9;

/// The share of the form of a definition below a heading with the name of the thing, on a page that may be about another.
const HEADED_ELSEWHERE: f32 = 0.5;

/// The words within which the verb of a definition follows its subject.
const DEFINES_WITHIN: usize = 2;

/// The verbs of definitions, and what may stand before the subject.
const DEFINES: [&str; 9] =
    ["is", "are", "means", "refers", "ensures", "describes", "represents", "provides", "denotes"];
const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// A piece of a source that may be quoted.
pub(super) struct Candidate<'s> {
    pub(super) source: &'s Source,
    pub(super) piece: Piece,
    /// The heading that it stands below.
    pub(super) heading: &'s str,
    /// The words of the question in it and above it, a bit each.
    pub(super) found: u64,
    /// Their share of the question, by weight; those above count less.
    pub(super) coverage: f32,
    pub(super) value: f32,
}

impl Candidate<'_> {
    /// Widens the piece with its surroundings. If the question names a circumstance, no more is quoted than what answers.
    pub(super) fn widened(&self, asked: &Asked) -> Piece {
        let hit = &self.source.hit;
        let mut piece = self.piece.clone();
        if !asked.circumstances.any() {
            let headings = format!("{}\n{}", hit.title, hit.heading_path.join("\n"));
            let beginning = asked.kind == AnswerKind::Definition;
            piece.widen(&hit.text, beginning, |text| asked.circumstances.fit(text, &headings) == Fit::Fits);
        }
        piece
    }

    /// Says whether it has enough of the question, with what stands around it, and its passage is near enough.
    pub(super) fn answers(&self, asked: &Asked) -> bool {
        let hit = &self.source.hit;
        let (piece, found) = (self.widened(asked), asked.found(&hit.text, &hit.highlights));
        let parts = piece.lead.iter().chain(&piece.parts);
        let body = parts.fold(0, |all, part| all | bits(&found, part.clone(), false));
        let coverage = asked.share(body) + ABOVE * asked.share(self.found & !body);
        coverage.max(self.coverage) + hit.relevance >= ANSWERS
    }

    /// Returns true if it begins with an item of a numbered list.
    pub(super) fn is_numbered(&self) -> bool {
        let said = self.piece.parts.first().and_then(|part| self.source.hit.text.get(part.clone()));
        let behind =
            said.unwrap_or_default().trim_start().trim_start_matches(|char: char| char.is_ascii_digit());
        behind.starts_with(['.', ')']) && said.is_some_and(|said| said.trim_start().len() > behind.len())
    }

    /// Returns true if both stand in the same section of a document.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        let (one, other) = (&self.source.hit, &other.source.hit);
        one.document_id == other.document_id && one.heading_path == other.heading_path
    }
}

/// The title and headings above all pieces of a source.
struct Above<'s> {
    title: &'s str,
    nearest: &'s str,
    path: String,
    /// The words of the question in all of it, and in the nearest heading, where that is none of the title.
    words: u64,
    last: u64,
    /// The share of the title that stands in the question.
    titled: f32,
}

/// Returns the pieces of a source that do not contradict the question. `rank` is the source's score as a share of the best
/// one.
pub(super) fn candidates<'s>(asked: &Asked, source: &'s Source, rank: f32) -> Vec<Candidate<'s>> {
    let hit = &source.hit;
    let found = asked.found(&hit.text, &hit.highlights);
    let title = hit.title.as_str();
    let nearest = hit.heading_path.last().map_or("", String::as_str);
    let path = format!("{title}\n{}", hit.heading_path.join("\n"));
    let all = |text: &str| bits(&asked.found(text, &[]), 0..text.len(), false);
    let last = if nearest == title { 0 } else { all(nearest) };
    let above = Above { title, nearest, words: all(&path), last, path, titled: asked.share_of(title) };
    let passage = RELEVANT * hit.relevance + RANKED * rank + TITLED * above.titled;
    // A question that is all in a heading asks for what stands below it.
    let names = |heading: u64| asked.share(heading) >= 1.0;
    let pieces = pieces(&hit.text).into_iter().filter(|piece| {
        let heading = piece.heading.as_ref().map_or(above.last, |range| bits(&found, range.clone(), false));
        !piece.section || asked.kind == AnswerKind::Steps || names(heading)
    });
    pieces.filter_map(|piece| candidate(asked, source, &found, &above, passage, piece)).collect()
}

/// Chooses the parts of a piece that answer, and weighs them. `None` if none does.
fn candidate<'s>(
    asked: &Asked,
    source: &'s Source,
    found: &[FoundWord],
    above: &Above<'s>,
    passage: f32,
    mut piece: Piece,
) -> Option<Candidate<'s>> {
    let text = source.hit.text.as_str();
    let said = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    let within = |range: &Range<usize>| bits(found, range.clone(), false);
    let own_heading = piece.heading.as_ref().map_or("", said);
    let heading = if own_heading.is_empty() { above.nearest } else { own_heading };
    let headings = format!("{}\n{own_heading}\n{}", above.path, piece.lead.as_ref().map_or("", said));
    let over = above.words | piece.heading.as_ref().map_or(0, within);
    let led = piece.lead.as_ref().map_or(0, within);

    // A list and a table give those items and rows that have most of what the headings lack.
    let count = piece.parts.len();
    piece.parts.retain(|part| {
        let words = said(part);
        let first = ibid_text::sentences(words).first().map_or(words, |first| &words[first.clone()]);
        let excluded = bits(found, part.clone(), true) & !within(part) & !asked.excluded;
        excluded == 0 && asked.circumstances.fit(first, &headings) != Fit::Contradicts
    });
    let own = |part: &Range<usize>| asked.weight(within(part) & !over & !led);
    let most = piece.parts.iter().map(own).fold(0.0, f32::max);
    if asked.kind != AnswerKind::Steps || piece.form != BlockForm::Item {
        piece.parts.retain(|part| own(part) >= most);
    }
    if piece.parts.is_empty() {
        return None;
    }

    let entire = piece.entire && piece.parts.len() == count;
    piece.entire = entire;
    let body = piece.parts.iter().fold(led, |all, part| all | within(part));
    // A heading speaks of all that stands below it, but of no single sentence.
    let near = piece.heading.as_ref().map_or(above.last, within);
    let near = if entire || piece.form != BlockForm::Paragraph { near & !body } else { 0 };
    let coverage = asked.share(body | near) + ABOVE * asked.share(over & !body & !near);
    let is_code = piece.form == BlockForm::Code && !piece.section;
    let is_special = piece.said(text).all(|part| asked.circumstances.fit(part, &headings) == Fit::Special);
    let headed = if heading == above.title { 0.0 } else { asked.share_of(heading) };
    let value = coverage
        + passage
        + KIND * fits(asked, source, above, &piece, text)
        + worth(NAMED, asked.circumstances.are_in(&format!("{}\n{own_heading}", above.nearest)))
        + headed * if entire { HEADED } else { HEADED / 2.0 }
        + worth(SECTION, piece.section)
        + worth(LIST, entire && piece.form != BlockForm::Paragraph)
        - LONG * piece.len() as f32 / super::piece::MOST_PROSE as f32
        - worth(SPECIAL, is_special)
        - worth(ELSEWHERE, body | near == 0)
        - worth(CODE, is_code && asked.kind != AnswerKind::Steps)
        - worth(BARE, is_code && asked.kind == AnswerKind::Steps && piece.lead.is_none());
    Some(Candidate { source, piece, heading, found: body | over, coverage, value })
}

fn worth(value: f32, holds: bool) -> f32 {
    if holds { value } else { 0.0 }
}

/// Finds the words of the question in a range of a text, a bit each: those that the text excludes, or the others.
fn bits(found: &[FoundWord], range: Range<usize>, excluded: bool) -> u64 {
    let from = found.partition_point(|word| word.at < range.start);
    let words = found.get(from..).unwrap_or_default().iter().take_while(|word| word.at < range.end);
    words.filter(|word| word.excluded == excluded).fold(0, |all, word| all | word.bit)
}

/// Computes the degree to which a piece has the form that the question asks for, 0 to 1; 0 where it asks for none.
fn fits(asked: &Asked, source: &Source, above: &Above, piece: &Piece, text: &str) -> f32 {
    match asked.kind {
        AnswerKind::Any => 0.0,
        AnswerKind::Amount | AnswerKind::Number => worth(
            1.0,
            piece.said(text).any(|part| {
                // The number of an item is no quantity.
                let words = Words::of(part.trim_start_matches(|char: char| char.is_ascii_digit()));
                let is_time = |at: usize| at < words.count() && has_word("times", words.get(at));
                (0..words.count()).any(|at| {
                    words.get(at).starts_with(|char: char| char.is_ascii_digit())
                        && (asked.kind == AnswerKind::Number || !is_time(at + 1))
                })
            }),
        ),
        AnswerKind::Default => {
            let said = piece.lead.iter().chain(&piece.parts).filter_map(|part| text.get(part.clone()));
            worth(
                1.0,
                said.flat_map(str::split_whitespace).any(|word| word.to_lowercase().contains("default")),
            )
        }
        AnswerKind::Definition if piece.form != BlockForm::Paragraph => 0.0,
        AnswerKind::Definition => {
            // The first piece below the name of a thing says what it is.
            let before = piece.parts.first().and_then(|part| text.get(..part.start));
            let is_first = before.is_some_and(|before| !before.contains(char::is_alphanumeric));
            let titled = source.hit.chunk_index == 0 && above.titled >= 1.0;
            let headed = asked.share_of(above.nearest) >= 1.0 && asked.share(above.last) >= 1.0;
            let begins = if titled { 1.0 } else { worth(HEADED_ELSEWHERE, headed) };
            let defines = piece.said(text).next().map_or(0.0, |said| defines(asked, said));
            worth(begins, is_first).max(defines)
        }
        AnswerKind::Steps => worth(
            1.0,
            piece.section
                || piece.form == BlockForm::Item && piece.parts.len() > 1
                || piece.form == BlockForm::Code && piece.lead.is_some(),
        ),
    }
}

/// Computes the degree to which a text begins by saying what the subject of the question means. "Ownership is Rust's best
/// feature" tells about it to who knows it.
fn defines(asked: &Asked, said: &str) -> f32 {
    // Other names of the subject stand in brackets between it and the verb.
    let said = match (said.find(" ("), said.find(") ")) {
        (Some(open), Some(close)) if open < close => &(said[..open].to_owned() + &said[close + 1..]),
        _ => said,
    };
    let words = Words::of(said);
    let most = words.count().min(asked.words.len() + DEFINES_WITHIN + 1);
    let Some(verb) = (0..most).position(|at| DEFINES.contains(&words.get(at))) else { return 0.0 };
    let stem = |at: usize| if at < words.count() { rough_stem(words.get(at)) } else { String::new() };
    let is_asked = |stem: &String| asked.words.iter().any(|word| word.stem == *stem);
    let stems: Vec<String> = (0..verb).map(stem).collect();
    let begins = stems.first().is_some_and(|first| is_asked(first) || ARTICLES.contains(&words.get(0)));
    let mut subject = asked.words.iter().take(asked.subject).filter(|word| word.weight >= 1.0);
    if !begins || !subject.all(|word| stems.contains(&word.stem)) {
        return 0.0;
    }
    if is_asked(&stem(verb + 1)) || is_repeated(asked, &said[words.span(&(verb..verb + 1)).end..]) {
        0.5
    } else {
        1.0
    }
}

/// Returns true if a sentence has the subject of the question once more, though written apart: "the state of a daemon set".
fn is_repeated(asked: &Asked, said: &str) -> bool {
    let subject: String = asked.words.iter().take(asked.subject).map(|word| word.word.as_str()).collect();
    let first = ibid_text::sentences(said).first().map_or(said, |first| &said[first.clone()]);
    let words = Words::of(first);
    let joined: String = (0..words.count()).map(|at| words.get(at)).collect();
    !subject.is_empty() && joined.contains(&subject)
}

impl Asked {
    /// Computes the share of the question that some of its words are, by weight.
    pub(super) fn share(&self, found: u64) -> f32 {
        self.weight(found) / self.weight(u64::MAX).max(f32::MIN_POSITIVE)
    }

    /// Says whether each name of the question stands in a passage or above it, or in a third of the `sources`, as what they are
    /// all about does: it goes without saying.
    pub(super) fn names_stand(&self, source: &Source, sources: &[Source]) -> bool {
        let words = |Source { hit, .. }: &Source| {
            content_words(&format!("{}\n{}\n{}", hit.title, hit.heading_path.join("\n"), hit.text))
        };
        let mut names = self.words.iter().filter(|word| word.is_name).map(|word| &word.stem).peekable();
        if names.peek().is_none() {
            return true;
        }
        let (own, all) = (words(source), sources.iter().map(words).collect::<Vec<_>>());
        let has = |name: &String| all.iter().filter(|words| words.contains(name)).count();
        names.all(|name| own.contains(name) || 3 * has(name) >= all.len())
    }

    /// Computes the share of the words of a title that stand in the question.
    fn share_of(&self, title: &str) -> f32 {
        let stems = content_words(title);
        let asked = stems.iter().filter(|stem| self.words.iter().any(|word| word.stem == **stem));
        asked.count() as f32 / stems.len().max(1) as f32
    }
}
