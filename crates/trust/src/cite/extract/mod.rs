//! An answer without a model: what the passages say that answers, quoted.

mod asked;
mod candidate;
mod circumstance;
mod lists;
mod piece;
mod range;

use std::ops::Range;
use std::sync::Arc;

use super::check::{Checked, Citation};
use super::claim::{Claim, ClaimCheck, ClaimEvidence, ClaimStatus};
use super::markdown::markers;
use super::source::Source;
use super::tree::{Node, tree};
use asked::{AnswerKind, Asked};
use candidate::{Candidate, candidates};
use ibid_platform::order;
use ibid_text::{Words, is_english_stop_word, rough_stem};
use piece::Piece;

/// The answer when no passage was found, or none that answers.
pub const NOTHING_FOUND: &str =
    "No passage in these documents answers this question. Check its spelling, or use fewer or other words.";

/// The most quotes.
const MAX_QUOTES: usize = 3;

/// The share of the best piece's value that a further quote must have.
const NEARLY: f32 = 0.85;

/// The weight of the question's words that a further quote must add.
const ADDS: f32 = 0.99;

/// The level of the headings, below all that a page has.
const HEADING: u8 = 5;

/// The share of the words of two quotes that they must have in common to say the same.
const SAME_SHARE: (usize, usize) = (4, 5);

/// A text made of quotes, and the citations in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extract {
    /// For each quote a line that names its document and section, the quote and its mark; [`NOTHING_FOUND`] if
    /// there are none.
    pub text: String,
    /// The byte ranges of the lines that name a place. They are headings, and no words of a document.
    pub headings: Vec<Range<usize>>,
    /// One for each quote.
    pub citations: Vec<Citation>,
    /// The byte range of each quote in its source's text.
    pub quoted: Vec<Range<usize>>,
    /// True if the answer seems to be there; false if nothing is quoted.
    pub answerable: bool,
}

/// Returns the pieces of the sources that answer a question, word for word, at most three, each below a line with its
/// document and section, and followed by its source's number. Only numbers in brackets that the passage has itself
/// are escaped.
///
/// A piece is one to three sentences or a paragraph, items of a list with the sentence that leads to them, rows of a table with
/// its head, code with what leads to it, or a whole section of up to 1,200 bytes: for a question how something is done, and for
/// one whose words all stand in its heading. It is worth the share of the question's words in it and its headings, more if it
/// has the form that is asked for (a number, a default, a definition, instructions) and if the search ranks it high. It is left
/// out if its circumstances are not those of the question: a question about pregnancy, an allergy, breastfeeding, the kidneys or
/// the liver needs a piece that says so, or stands below a heading that does, and one about a child none about adults alone.
/// Further pieces must be worth nearly as much and add a word. Numbered steps that are cut into passages are quoted together.
/// The surroundings of a piece below its heading are quoted with it, up to 500 bytes, unless the question names a circumstance.
///
/// Nothing is quoted if the share of the question's words in the best piece, by weight, and the relevance of its passage make
/// less than 0.9 together, or if the passage lacks a name of the question, told by its capital, that two thirds of the sources
/// lack too: then the answer is likely elsewhere. The lists of words, the kinds of questions and the circumstances are English;
/// questions in other languages are answered by their words and by what the search has marked.
/// docs/measurements.md has what comes of it.
pub fn extractive_answer(question: &str, sources: &[Source]) -> Extract {
    let asked = Asked::of(question);
    let most = sources.iter().map(|source| source.hit.score).fold(f32::MIN_POSITIVE, f32::max);
    let rank = |source: &Source| (source.hit.score / most).clamp(0.0, 1.0);
    let mut found: Vec<Candidate> =
        sources.iter().flat_map(|source| candidates(&asked, source, rank(source))).collect();
    order::by(&mut found, |a, b| b.value.total_cmp(&a.value));
    let mut extract = Extract::default();
    let Some(best) =
        found.first().filter(|best| best.answers(&asked) && asked.names_stand(best.source, sources))
    else {
        NOTHING_FOUND.clone_into(&mut extract.text);
        return extract;
    };
    extract.answerable = true;
    let quotes = steps(&asked, &found).unwrap_or_else(|| chosen(&asked, &found, best.value));
    for (at, quote) in quotes.iter().enumerate() {
        push_quote(&mut extract, quote, quote.widened(&asked), at.checked_sub(1).map(|at| quotes[at]));
    }
    extract
}

impl Extract {
    /// Returns the text with blanks for its headings, so that nothing in them is read as Markdown or as a claim.
    pub fn body(&self) -> String {
        let mut body = self.text.clone();
        for heading in &self.headings {
            body.replace_range(heading.clone(), &" ".repeat(heading.len()));
        }
        body
    }

    /// Returns the claims of the text, each with its place in the source that it quotes as its check.
    pub fn claims(&self) -> Vec<Claim> {
        let checked = Checked { citations: self.citations.clone(), flags: Vec::new() };
        let mut claims = checked.claims(&self.body());
        for claim in &mut claims {
            let quotes = self.citations.iter().zip(&self.quoted);
            let mut ending = quotes.skip_while(|(citation, _)| citation.span.end < claim.end);
            claim.check = ending.next().map(|(citation, quoted)| evidence(&claim.text, citation, quoted));
        }
        claims
    }

    /// Returns the text as a tree in which its headings are such.
    pub fn tree(&self, sources: &[Source]) -> Vec<Node> {
        let mut nodes = Vec::new();
        let ends = self.headings.iter().skip(1).map(|next| next.start).chain([self.text.len()]);
        let first = self.headings.first().map_or(self.text.len(), |heading| heading.start);
        let part = |from: usize, end: usize| {
            // The text before it is blank, so that places in the tree are places in the text.
            let part = " ".repeat(from) + self.text.get(from..end).unwrap_or_default();
            tree(&part, &self.citations, sources)
        };
        nodes.extend(part(0, first));
        for (heading, end) in self.headings.iter().zip(ends) {
            let Range { start, end: behind } = *heading;
            let text = self.text.get(heading.clone()).unwrap_or_default().replace("\\[", "[");
            let children = vec![Node::Text { text, start, end: behind }];
            nodes.push(Node::Heading { level: HEADING, children });
            nodes.extend(part(behind, end));
        }
        nodes
    }
}

/// Makes the check of a claim that is part of a quote: its place there, or the whole quote if it has been cut or escaped.
fn evidence(claim: &str, citation: &Citation, quoted: &Range<usize>) -> ClaimCheck {
    let within = citation.source.hit.text.get(quoted.clone()).unwrap_or_default();
    let found = within.find(claim).map(|at| quoted.start + at..quoted.start + at + claim.len());
    let span = found.unwrap_or_else(|| quoted.clone());
    let evidence = vec![ClaimEvidence { number: citation.number, span, coverage: 1.0, values: Vec::new() }];
    ClaimCheck { status: ClaimStatus::Supported, coverage: 1.0, evidence, alternatives: Vec::new() }
}

/// Finds the parts of the numbered list that the best piece belongs to, in their order, where a list of steps is cut into
/// passages.
fn steps<'f, 's>(asked: &Asked, found: &'f [Candidate<'s>]) -> Option<Vec<&'f Candidate<'s>>> {
    let best = found.first().filter(|best| asked.kind == AnswerKind::Steps && best.is_numbered())?;
    let index = |part: &Candidate| part.source.hit.chunk_index;
    let mut parts: Vec<_> = found.iter().filter(|part| part.is_numbered() && part.is_beside(best)).collect();
    order::by(&mut parts, |one, other| index(one).cmp(&index(other)));
    // The best piece of each passage comes first.
    parts.dedup_by_key(|part| index(part));
    let mut runs = parts.chunk_by(|one, other| index(one) + 1 == index(other));
    let run = runs.find(|run| run.iter().any(|part| index(part) == index(best)))?;
    let place = run.iter().position(|part| index(part) == index(best))?;
    let run: Vec<_> =
        run.iter().skip(place.saturating_sub(MAX_QUOTES - 1)).take(MAX_QUOTES).copied().collect();
    (run.len() > 1).then_some(run)
}

/// Chooses the best piece, and up to two that are nearly as good and have words of the question that those before lack.
fn chosen<'f, 's>(asked: &Asked, found: &'f [Candidate<'s>], best: f32) -> Vec<&'f Candidate<'s>> {
    let (mut told, mut chosen, mut said): (u64, Vec<&Candidate>, Vec<Vec<String>>) =
        (0, Vec::new(), Vec::new());
    for candidate in found.iter().take_while(|candidate| candidate.value >= NEARLY * best) {
        let words = content_words(&candidate.piece.quote(&candidate.source.hit.text));
        let adds = asked.weight(candidate.found & !told) >= ADDS;
        if chosen.is_empty() || adds && !said.iter().any(|earlier| say_the_same(earlier, &words)) {
            chosen.push(candidate);
            said.push(words);
            told |= candidate.found;
        }
        if chosen.len() == MAX_QUOTES {
            break;
        }
    }
    chosen
}

/// Writes the name of the place of a quote: its document, and its section.
fn place(candidate: &Candidate) -> String {
    let (title, heading) = (&candidate.source.hit.title, candidate.heading);
    let section = heading.trim().trim_matches('#').trim();
    if section.is_empty() || section == title {
        return title.clone();
    }
    if title.is_empty() { section.to_owned() } else { format!("{title} › {section}") }
}

/// Adds a quote. A place is named once for those next to each other.
fn push_quote(extract: &mut Extract, candidate: &Candidate, mut piece: Piece, before: Option<&Candidate>) {
    let source = candidate.source;
    let place = place(candidate);
    let is_new = before.is_none_or(|before| self::place(before) != place);
    let cut = piece.shorten(&source.hit.text);
    let text = &mut extract.text;
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    if !place.is_empty() && is_new {
        let start = text.len();
        push_escaped(text, &place);
        extract.headings.push(start..text.len());
        text.push_str("\n\n");
    }
    push_escaped(text, &piece.quote(&source.hit.text));
    if cut {
        text.push_str(if piece.form.is_whole() { "\n\n…" } else { " …" });
    }
    text.push_str(if piece.form.is_whole() { "\n\n" } else { " " });
    let start = text.len();
    for part in ["[", &source.number.to_string(), "]"] {
        text.push_str(part);
    }
    let first = piece.lead.as_ref().or(piece.parts.first());
    let start_in_source = first.map_or(0, |part| part.start);
    extract.quoted.push(start_in_source..piece.parts.last().map_or(start_in_source, |part| part.end));
    extract.citations.push(Citation {
        number: source.number,
        span: start..extract.text.len(),
        source: Arc::new((*source).clone()),
    });
}

/// Adds a quote. A number in brackets that is the passage's own would name another source here, so its bracket is escaped.
fn push_escaped(text: &mut String, quote: &str) {
    let mut at = 0;
    for mark in markers(quote).iter().filter(|mark| quote[mark.span.clone()].starts_with('[')) {
        text.push_str(&quote[at..mark.span.start]);
        text.push('\\');
        at = mark.span.start;
    }
    text.push_str(&quote[at..]);
}

/// Returns true for two quotes that say nearly the same, by their words. Another number is another statement.
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

/// Lists the words that count, each once, as the text room folds them and without their endings.
fn content_words(text: &str) -> Vec<String> {
    let words = Words::of(text);
    let mut counted: Vec<String> = Vec::new();
    for word in (0..words.count()).map(|at| words.get(at)).filter(|word| !is_english_stop_word(word)) {
        let stem = rough_stem(word);
        if !counted.contains(&stem) {
            counted.push(stem);
        }
    }
    counted
}

#[cfg(test)]
mod tests;
