//! A source, taken apart once, and the window of it that says most of a claim.

use std::ops::Range;

use super::super::source::Source;
use super::claimed::Claimed;
use super::layout::{Part, PartForm, above, parts};
use super::lex::Lexeme;
use super::lists::Role;
use super::number::{Quantity, QuantityKind};
use super::reading::{TermTable, TextReading};

/// The most sentences of a window.
const MAX_WINDOW: usize = 3;

/// The share of a claim that a window must have more for each sentence that it is longer.
const LONGER: f32 = 0.02;

/// The most bytes of a field of metadata that is read: a date, a name, but no summary.
const MAX_METADATA: usize = 200;

/// A source that claims are checked against.
pub(super) struct Passage {
    pub(super) number: u32,
    pub(super) reading: TextReading,
    /// The title, the headings, the metadata and the head rows of tables, which say what the passage is about without being repeated
    /// in its sentences.
    pub(super) context: TextReading,
    pub(super) sentences: Vec<Sentence>,
    /// For each quantity of the reading the sentence that it stands in.
    pub(super) places: Vec<usize>,
    /// For each word of the reading the number of its cell in a row, or of its clause elsewhere.
    pub(super) cells: Vec<u32>,
    /// The words of title, headings and metadata that the text does not use itself, and these with the heads of tables.
    title_terms: Vec<u32>,
    context_terms: Vec<u32>,
}

/// A sentence of a source, or a row of its table.
pub(super) struct Sentence {
    pub(super) part: Part,
    /// Its words in the passage's reading.
    pub(super) words: Range<usize>,
    /// Its distinct terms.
    terms: Vec<u32>,
    /// Itself, or the sides of its semicolons, each of which states something.
    pub(super) sides: Vec<Side>,
}

/// Words that state something.
pub(super) struct Side {
    pub(super) words: Range<usize>,
    /// One of them refers to something before.
    pub(super) refers: bool,
}

/// The place in a passage that says most of a claim.
#[derive(Clone, Debug)]
pub(super) struct PassageWindow {
    pub(super) span: Range<usize>,
    pub(super) coverage: f32,
    /// For each of the claim's terms whether the window or the context has it, and whether the passage has it anywhere.
    pub(super) here: Vec<bool>,
    pub(super) anywhere: Vec<bool>,
    /// For each sentence of the passage which of the claim's terms it has.
    pub(super) hits: Vec<Vec<usize>>,
    /// For each of the claim's terms whether the context has it, and whether that without the heads of tables has it.
    pub(super) context: Vec<bool>,
    pub(super) titled: Vec<bool>,
}

impl Passage {
    pub(super) fn new(source: &Source, terms: &mut TermTable) -> Self {
        let text = &source.hit.text;
        let mut about = source.hit.title.clone();
        for heading in &source.hit.heading_path {
            about.push('\n');
            about.push_str(heading);
        }
        for value in source.hit.metadata.values() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if value.len() <= MAX_METADATA {
                about.push('\n');
                about.push_str(&value);
            }
        }
        let context = terms.read(&about, 0, &[]);
        let mut reading = terms.read(text, 0, &[]);
        let (mut own, mut heads) = (Vec::new(), Vec::new());
        let mut sentences = Vec::new();
        let (mut word, mut quantity) = (0, 0);
        let mut places = Vec::with_capacity(reading.quantities.len());
        for part in parts(text) {
            let start = word;
            while reading.words.get(word).is_some_and(|word| word.span.start < part.span.end) {
                word += 1;
            }
            while reading.quantities.get(quantity).is_some_and(|found| found.span.start < part.span.end) {
                places.push(sentences.len());
                quantity += 1;
            }
            let words = reading.words.get(start..word).unwrap_or_default();
            let mut found = distinct(words.iter().map(|word| word.term));
            terms.count(&found);
            own.extend_from_slice(&found);
            // A head says what its columns are about, and nothing on its own.
            if part.form == PartForm::Head {
                heads.append(&mut found);
            }
            let sides = sides(&reading, start..word, terms);
            sentences.push(Sentence { part, words: start..word, terms: found, sides });
        }
        take_units_of_heads(text, &sentences, &places, &mut reading.quantities, terms);
        take_units_around(&sentences, &places, &mut reading, terms);
        // A word that the text itself uses is said where the text says it, and nowhere else, whatever names it besides.
        let own = distinct(own.into_iter());
        let mut title_terms = distinct(context.words.iter().map(|word| word.term));
        title_terms.retain(|term| own.binary_search(term).is_err());
        let context_terms = distinct(title_terms.iter().copied().chain(heads));
        let cells = cells(&reading, &sentences);
        Self { number: source.number, reading, context, sentences, places, cells, title_terms, context_terms }
    }

    /// The work of looking for a window: its words.
    pub(super) fn size(&self) -> usize {
        self.reading.words.len() + self.context_terms.len() + 1
    }

    /// Finds the window that says most of the claim.
    pub(super) fn window(&self, claim: &Claimed) -> Option<PassageWindow> {
        let weights = &claim.weights;
        let slot = |term: &u32| claim.slot_of(*term);
        let total: f32 = weights.iter().sum();
        let having = |terms: &[u32]| {
            let mut has = vec![false; weights.len()];
            terms.iter().filter_map(slot).for_each(|slot| has[slot] = true);
            has
        };
        let (titled, base) = (having(&self.title_terms), having(&self.context_terms));
        let hits: Vec<Vec<usize>> =
            self.sentences.iter().map(|sentence| sentence.terms.iter().filter_map(slot).collect()).collect();
        let weight = |slot: usize| weights.get(slot).copied().unwrap_or(0.0);
        let given: f32 = (0..weights.len()).filter(|slot| base[*slot]).map(weight).sum();
        // When a term was last counted, so that the windows need no sets of their own.
        let mut stamps = vec![0_u32; weights.len()];
        let mut stamp = 0;
        let mut best: Option<(f32, f32, Range<usize>)> = None;
        for start in 0..hits.len() {
            stamp += 1;
            let mut sum = given;
            for (length, hit) in (1..).zip(hits.iter().skip(start).take(MAX_WINDOW)) {
                for slot in hit {
                    if !base[*slot] && stamps[*slot] != stamp {
                        stamps[*slot] = stamp;
                        sum += weight(*slot);
                    }
                }
                let coverage = if total > 0.0 { (sum / total).min(1.0) } else { 0.0 };
                let rank = coverage - LONGER * (length - 1) as f32;
                if best.as_ref().is_none_or(|(most, ..)| rank > *most) {
                    best = Some((rank, coverage, start..start + length));
                }
            }
        }
        let (_, coverage, found) = best?;
        let (mut here, mut anywhere) = (base.clone(), base.clone());
        for (at, hit) in hits.iter().enumerate() {
            for slot in hit {
                anywhere[*slot] = true;
                here[*slot] |= found.contains(&at);
            }
        }
        let span = self.sentences.get(found.start)?.part.span.start
            ..self.sentences.get(found.end - 1)?.part.span.end;
        Some(PassageWindow { span, coverage, here, anywhere, hits, context: base, titled })
    }

    /// Lists the parts above a sentence, from the nearest.
    pub(super) fn above(&self, sentence: usize) -> impl Iterator<Item = usize> {
        above(sentence, |at| self.sentences.get(at)?.part.above)
    }
}

/// Finds the sides of the semicolons in a sentence.
fn sides(reading: &TextReading, words: Range<usize>, terms: &TermTable) -> Vec<Side> {
    let word = |at: usize| reading.words.get(at).map_or(0, |word| word.token);
    let parts = |at: &usize| {
        let between = reading.tokens.get(word(at - 1)..word(*at)).unwrap_or_default();
        between.iter().any(|token| token.is_sign(";"))
    };
    let ends = words.clone().skip(1).filter(parts).chain([words.end]);
    let mut start = words.start;
    let side = |end: usize| {
        let words = std::mem::replace(&mut start, end)..end;
        let mut tokens = reading
            .words
            .get(words.clone())
            .unwrap_or_default()
            .iter()
            .filter_map(|word| reading.token(word));
        Side { refers: tokens.any(|token| terms.lists.has(&token.text, Role::Refers)), words }
    };
    ends.map(side).collect()
}

/// Gives a bare number in a row the unit that the head of its column names: 40 under "Minutes" or "Dose (mg)". Ranges mostly
/// name the row, and are told without their unit.
fn take_units_of_heads(
    text: &str,
    sentences: &[Sentence],
    places: &[usize],
    quantities: &mut [Quantity],
    terms: &TermTable,
) {
    let mut row = usize::MAX;
    let (mut at, mut column, mut units) = (0, 0, Vec::new());
    for (quantity, place) in quantities.iter_mut().zip(places) {
        let Some(part) = sentences.get(*place).map(|sentence| &sentence.part) else { continue };
        let Some(head) =
            part.head.and_then(|head| sentences.get(head)).filter(|_| part.form == PartForm::Row)
        else {
            continue;
        };
        if row != *place {
            row = *place;
            (at, column) = (part.span.start, 0);
            let head = text.get(head.part.span.clone()).unwrap_or_default();
            units = head.split('|').map(|cell| terms.unit_in(cell)).collect();
        }
        column += text.get(at..quantity.span.start).unwrap_or_default().matches('|').count();
        at = quantity.span.start;
        if let Some((unit, worth)) = units.get(column).copied().flatten()
            && quantity.unit.is_none()
            && quantity.kind == QuantityKind::Number
            && quantity.low >= quantity.high
        {
            quantity.take_unit(unit, worth);
        }
    }
}

/// Numbers take the unit that is said before them of the same thing, "the time in milliseconds. The default is `30000`", or that
/// stands alone in their row or line: "| time | 5000 | ms |".
fn take_units_around(sentences: &[Sentence], places: &[usize], reading: &mut TextReading, terms: &TermTable) {
    let mut said = None;
    let mut quantities = reading.quantities.iter_mut().zip(places).peekable();
    for (at, sentence) in (0..).zip(sentences) {
        let words = reading.words.get(sentence.words.clone()).unwrap_or_default();
        let tokens =
            words.first().map_or(0, |word| word.token)..words.last().map_or(0, |word| word.token + 1);
        let text = |at: usize| reading.tokens.get(at).map_or("", |token| token.text.as_str());
        let is_sign =
            |at: Option<usize>| at.and_then(|at| reading.tokens.get(at)).is_none_or(|token| !token.is_word());
        let is_line = matches!(sentence.part.form, PartForm::Row | PartForm::Code);
        // A sentence that begins with code is about something else.
        if is_line || sentence.part.before.is_none() || words.first().is_some_and(|word| word.code) {
            let alone = |at: &usize| is_line && is_sign(at.checked_sub(1)) && is_sign(Some(at + 1));
            said = tokens.clone().filter(alone).find_map(|at| terms.unit_named(text(at)));
        }
        for place in tokens {
            while let Some((quantity, _)) =
                quantities.next_if(|(quantity, of)| **of == at && quantity.tokens.start <= place)
            {
                let counts = !is_line && !is_sign(Some(quantity.tokens.end));
                let is_bare = quantity.unit.is_none() && quantity.kind == QuantityKind::Number && !counts;
                if let Some((unit, worth)) = said.filter(|_| is_bare) {
                    quantity.take_unit(unit, worth);
                }
            }
            let leads = matches!(text(place + 1), "to" | "before" | "after" | "between" | "until");
            let before = place.checked_sub(1).map_or("", text);
            if !is_line && (before == "in" || leads && matches!(before, ":" | "-" | "–")) {
                said = terms.unit_named(text(place)).or(said);
            }
        }
        while quantities.next_if(|(_, of)| **of <= at).is_some() {}
    }
}

/// Terms in order, each once.
pub(super) fn distinct(terms: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut terms: Vec<u32> = terms.collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Returns true for a sign or word that parts two clauses.
pub(super) fn parts_clauses(token: &Lexeme) -> bool {
    let text = token.text.as_str();
    matches!(text, "," | ";" | "(" | ")" | ":" | "and" | "then" | "but" | "while" | "whereas")
}

/// Numbers cells and clauses: each sign or word that parts two of them begins another.
fn cells(reading: &TextReading, sentences: &[Sentence]) -> Vec<u32> {
    let mut cells = Vec::with_capacity(reading.words.len());
    let mut at = 0;
    for sentence in sentences {
        let row = matches!(sentence.part.form, PartForm::Head | PartForm::Row);
        let mut cell = 0;
        for word in reading.words.get(sentence.words.clone()).unwrap_or_default() {
            while at <= word.token {
                let token = reading.tokens.get(at);
                at += 1;
                // What stands before the sentence is not in it.
                let Some(token) = token.filter(|token| token.span.start >= sentence.part.span.start) else {
                    continue;
                };
                cell += u32::from(if row { token.text == "|" } else { parts_clauses(token) });
            }
            cells.push(cell);
        }
    }
    cells.resize(reading.words.len(), 0);
    cells
}
