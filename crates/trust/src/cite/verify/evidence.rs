//! The places of a claim's values in a passage, for a reader to see.

use std::cmp::Reverse;
use std::ops::Range;

use super::super::claim::{ClaimEvidence, ValueEvidence, ValueKind};
use super::claimed::Claimed;
use super::entity::is_missing;
use super::ground::Held;
use super::lex::{Lexeme, TokenKind};
use super::number::{Agreement, Quantity, QuantityKind, agreement, is_the_number};
use super::passage::PassageWindow;
use super::polarity::{Stance, StanceVerdict};
use super::quote::is_quoted;
use super::reading::{JOINS, TextReading};
use super::word::ReadWord;
use ibid_platform::order;

/// The most values of a claim that are told. Only a block of code has more.
const MAX_VALUES: usize = 24;

/// The place of a value.
enum Place {
    Text(Range<usize>),
    /// The passage has it, but not in a place of its text that could be shown.
    Elsewhere,
    Nowhere,
}

/// Gathers the evidence of a passage for a claim, with the denials and directions that were compared.
pub(super) fn evidence(
    claim: &Claimed,
    held: &Held,
    window: &PassageWindow,
    stances: &[Stance],
) -> ClaimEvidence {
    let mut values: Vec<ValueEvidence> = Vec::new();
    let mut add = |kind: ValueKind, span: Range<usize>, place: Place| {
        let is_told = values.iter().any(|told| told.span.start < span.end && span.start < told.span.end);
        let found = match place {
            Place::Elsewhere => return,
            _ if is_told || values.len() >= MAX_VALUES => return,
            Place::Text(found) => Some(found),
            Place::Nowhere => None,
        };
        values.push(ValueEvidence { kind, span, found });
    };
    let sought = Sought { claim: &claim.reading, held, window };
    for span in &claim.quotes {
        if let Some(place) = sought.quote(&claim.tokens(span)) {
            add(ValueKind::Quote, span.clone(), place);
        }
    }
    for quantity in claim.reading.quantities.iter().take(MAX_VALUES) {
        let is_date = matches!(quantity.kind, QuantityKind::Date | QuantityKind::Year);
        let kind = if is_date { ValueKind::Date } else { ValueKind::Number };
        add(kind, quantity.span.clone(), sought.quantity(quantity));
    }
    for tokens in symbols(&claim.reading) {
        let span = claim.reading.span(&tokens);
        add(ValueKind::Symbol, span, sought.words(&tokens, true).unwrap_or(Place::Nowhere));
    }
    for name in &claim.names {
        let last = name.words.last().map_or(0..0, |last| *last..last + 1);
        let place = sought.words(&name.tokens, false).or_else(|| sought.words(&last, false));
        let missing = || is_missing(name, &claim.reading, &[&held.names]);
        let place = place.unwrap_or_else(|| if missing() { Place::Nowhere } else { Place::Elsewhere });
        add(ValueKind::Name, claim.reading.span(&name.tokens), place);
    }
    for stance in stances {
        let kind = if stance.directs { ValueKind::Direction } else { ValueKind::Denial };
        let place = match (stance.verdict, stance.source.clone()) {
            (StanceVerdict::Fine, Some(found)) => Place::Text(found),
            (StanceVerdict::Turned, _) => Place::Nowhere,
            _ => Place::Elsewhere,
        };
        add(kind, stance.claim.clone(), place);
    }
    order::by_key(&mut values, |value| value.span.start);
    ClaimEvidence {
        number: held.passage.number,
        span: window.span.clone(),
        coverage: window.coverage,
        values,
    }
}

/// The values of a claim, looked for in a passage.
struct Sought<'a> {
    claim: &'a TextReading,
    held: &'a Held,
    window: &'a PassageWindow,
}

impl Sought<'_> {
    /// Finds the place of a quantity: the window comes before the rest, and the very number before one of the same worth.
    fn quantity(&self, quantity: &Quantity) -> Place {
        let all =
            self.held.passage.reading.quantities.iter().map(|found| (found, agreement(quantity, found)));
        let places =
            all.filter(|(_, agrees)| *agrees != Agreement::None).enumerate().map(|(at, (found, agrees))| {
                let exact = is_the_number(quantity, found);
                let alike = exact && quantity.unit.is_none() == found.unit.is_none();
                let here = self.window.span.contains(&found.span.start);
                ((here, agrees, alike, Reverse(at)), here || exact, found)
            });
        let best = places.filter(|(_, counts, _)| *counts).max_by_key(|(rank, ..)| *rank);
        let titled = || {
            self.held
                .passage
                .context
                .quantities
                .iter()
                .any(|found| agreement(quantity, found) != Agreement::None)
        };
        match best {
            Some((_, _, found)) => Place::Text(found.span.clone()),
            None if self.is_told(quantity) && !titled() => Place::Nowhere,
            None => Place::Elsewhere,
        }
    }

    /// Returns true if a quantity says more than "the first" and "both of the two" do.
    fn is_told(&self, quantity: &Quantity) -> bool {
        let tokens = self.claim.tokens.get(quantity.tokens.clone()).unwrap_or_default();
        !quantity.unit.is_none()
            || matches!(quantity.kind, QuantityKind::Date | QuantityKind::Year)
            || tokens.iter().any(|token| token.kind == TokenKind::Number)
    }

    /// Finds the place of words in quotation marks; nothing if there are none between them.
    fn quote(&self, tokens: &Range<usize>) -> Option<Place> {
        let quoted = self.claim.tokens.get(tokens.clone())?;
        quoted.iter().find(|token| token.is_word())?;
        let in_parts = || is_quoted(quoted, &[&self.held.flat]) == Some(true);
        let place = self.words(tokens, false);
        Some(place.unwrap_or_else(|| if in_parts() { Place::Elsewhere } else { Place::Nowhere }))
    }

    /// Finds the place where words follow each other as in the claim, `exact` with all signs between them; none if they
    /// do nowhere.
    fn words(&self, tokens: &Range<usize>, exact: bool) -> Option<Place> {
        let within = |reading: &TextReading, tokens: &Range<usize>| {
            let place = |token| reading.words.partition_point(|word| word.token < token);
            place(tokens.start)..place(tokens.end)
        };
        let sought = self.claim.words.get(within(self.claim, tokens)).filter(|words| !words.is_empty())?;
        let sought = Run { reading: self.claim, words: sought, tokens, exact };
        let reading = &self.held.passage.reading;
        let start = reading.words.partition_point(|word| word.span.start < self.window.span.start);
        let end = reading.words.partition_point(|word| word.span.start < self.window.span.end);
        let found = sought.find(reading, start..end).or_else(|| sought.find(reading, 0..reading.words.len()));
        let context = &self.held.passage.context;
        found
            .map(Place::Text)
            .or_else(|| sought.find(context, 0..context.words.len()).map(|_| Place::Elsewhere))
    }
}

/// Words of a claim that follow each other.
struct Run<'a> {
    reading: &'a TextReading,
    words: &'a [ReadWord],
    tokens: &'a Range<usize>,
    exact: bool,
}

impl Run<'_> {
    /// Finds the first place among those words of a text.
    fn find(&self, text: &TextReading, words: Range<usize>) -> Option<Range<usize>> {
        let mut runs = text.words.get(words)?.windows(self.words.len());
        runs.find_map(|run| {
            let same = run.iter().zip(self.words).all(|(found, own)| found.term == own.term);
            let (first, last) = (run.first()?.token, run.last()?.token);
            let own = self.words.first()?.token..self.words.last()?.token + 1;
            if !same || self.exact && !alike(text, first..last + 1, self.reading, own.clone()) {
                return None;
            }
            // Signs before the first word belong to it where the text has them, too.
            let before = (self.tokens.start..own.start).rev();
            let start = before.zip((0..first).rev()).take_while(|(own, found)| {
                let signs = (self.reading.tokens.get(*own), text.tokens.get(*found));
                signs.0.map(|sign| &sign.text) == signs.1.map(|sign| &sign.text)
            });
            let start = start.last().map_or(first, |(_, found)| found);
            Some(text.tokens.get(start)?.span.start..run.last()?.span.end)
        })
    }
}

/// Returns true if two texts have the same words and signs there.
fn alike(one: &TextReading, tokens: Range<usize>, other: &TextReading, others: Range<usize>) -> bool {
    let one = one.tokens.get(tokens).unwrap_or_default();
    let other = other.tokens.get(others).unwrap_or_default();
    one.iter().map(|token| &token.text).eq(other.iter().map(|token| &token.text))
}

/// Finds the tokens of each symbol of a claim: a word of code, or words that signs join. Numbers are quantities, and end
/// it.
fn symbols(reading: &TextReading) -> Vec<Range<usize>> {
    let TextReading { tokens, words, quantities } = reading;
    let fenced = tokens.iter().take(3).filter(|token| token.is_sign("`")).count() == 3;
    let joins = |token: &Lexeme| token.glued && JOINS.contains(token.text.as_str());
    let counted = |word: &ReadWord| quantities.iter().any(|quantity| quantity.span == word.span);
    let mut found = Vec::new();
    let mut words = words.iter().filter(|word| !counted(word)).peekable();
    while let Some(first) = words.next() {
        let mut end = first.token + 1;
        // One that the signs behind it join to this.
        while let Some(next) = words.next_if(|next| {
            let between = tokens.get(end..next.token).unwrap_or_default();
            let glued = tokens.get(next.token).is_some_and(|token| token.glued);
            glued && !between.is_empty() && between.iter().all(joins)
        }) {
            end = next.token + 1;
        }
        let mut start = first.token;
        while let Some(before) = start.checked_sub(1)
            && tokens.get(start).is_some_and(|token| token.glued)
            && tokens.get(before).is_some_and(|sign| "-./@$#".contains(sign.text.as_str()))
        {
            start = before;
        }
        let symbol = tokens.get(start..end).unwrap_or_default();
        let begins = |sign: &str| symbol.iter().take_while(|token| token.is_sign(sign)).count();
        let has = |sign: &str| symbol.iter().filter(|token| token.is_sign(sign)).count();
        let is_joined = symbol.len() > 1;
        let is_plain = has("_") > 0 || has(":") > 1 || begins("-") > 1 || begins("/") > 0;
        if is_plain || first.code && (is_joined || !fenced) {
            found.push(start..end);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::super::claim::claims;
    use super::super::super::source::Source;
    use super::super::super::source::tests::hit;
    use super::super::verify;

    /// The values of an answer as they stand in it and in a passage, or `-`. The passage's title is "Doc", below "A" and "B".
    fn values(text: &str, passage: &str) -> Vec<(String, String)> {
        let mut claims = claims(text);
        verify(text, &mut claims, &[Source { number: 1, hit: hit(1, passage), ..Source::default() }]);
        let evidence = claims.iter().flat_map(|claim| &claim.check.as_ref().unwrap().evidence);
        let values = evidence.flat_map(|evidence| &evidence.values).map(|value| {
            let found = value.found.clone().map_or("-", |found| &passage[found]);
            (text[value.span.clone()].to_owned(), found.to_owned())
        });
        values.collect()
    }

    fn assert_values(text: &str, passage: &str, expected: &[(&str, &str)]) {
        let expected: Vec<(String, String)> =
            expected.iter().map(|(own, found)| ((*own).to_owned(), (*found).to_owned())).collect();
        assert_eq!(values(text, passage), expected, "{text}");
    }

    #[test]
    fn quantities_are_shown_however_they_are_written() {
        assert_values(
            "The server waits for 30 s and sends 20 MB in v2.1.3 by 3 May 2001 [1].",
            "The server waits for 30000 ms. Then it sends `20m` in 2.1.3 on 2001-05-03.",
            &[
                ("30 s", "30000 ms"),
                ("20 MB", "20m"),
                ("2.1.3", "2.1.3"),
                ("3 May", "2001-05-03"),
                ("2001", "2001-05-03"),
            ],
        );
        let rows = "| Drug | Dose (mg) |\n|---|---|\n| Zinc | 20 |\n| Iron | 60 |";
        assert_values("The dose of zinc is 20 mg [1].", rows, &[("20 mg", "20")]);
        assert_values("The dose of zinc is 45 mg [1].", rows, &[("45 mg", "-")]);
    }

    #[test]
    fn the_sentence_comes_before_the_rest_of_the_passage() {
        let passage = "Boil 3 litres of water for the pot. Then the tea steeps for 3 minutes at 80 degrees.";
        assert_values(
            "The tea steeps for 3 minutes at 80 degrees [1].",
            passage,
            &[("3 minutes", "3 minutes"), ("80", "80")],
        );
        let passage = "Tea is boiled for 80 minutes. The tea then rests for an hour in the pot.";
        assert_values(
            "The tea rests for 80 minutes in the pot [1].",
            passage,
            &[("80 minutes", "80 minutes")],
        );
    }

    #[test]
    fn symbols_are_shown_as_they_are_written() {
        assert_values(
            "Set `--max-retries=5`, max_size in `/etc/app/a.conf`, `std::fs` and --dry-run by `strict` [1].",
            "| `--max-retries` | 3 |\n\nUse `Strict` and max_size in /etc/app/a.conf, std::fs::read and `--dry`.",
            &[
                ("--max-retries", "--max-retries"),
                ("5", "-"),
                ("max_size", "max_size"),
                ("/etc/app/a.conf", "/etc/app/a.conf"),
                ("std::fs", "std::fs"),
                ("--dry-run", "-"),
                ("strict", "Strict"),
            ],
        );
        assert_values(
            "```sh\nibid build docs --out a.ibid --fast\n```\n[1]",
            "Run `ibid build docs --out a.ibid`.",
            &[("--out", "--out"), ("a.ibid", "a.ibid"), ("--fast", "-")],
        );
    }

    #[test]
    fn names_and_quotations() {
        assert_values(
            "It was opened by Anna Berg for the WHO in Oslo and says “wash your hands” or \"stop\" [1].",
            "Opened by A. Berg for the World Health Organization in Bergen, it says wash  your **hands**.",
            &[("Anna Berg", "Berg"), ("Oslo", "-"), ("wash your hands", "wash  your **hands"), ("stop", "-")],
        );
    }

    #[test]
    fn what_is_no_value_is_left_out() {
        // The title's words have no place in the text, and the number of an item says nothing.
        let items = "1. The Doc of the two first servers restarts [1].\n2. It restarts [1].";
        assert_values(items, "The server restarts at night and in the day.", &[]);
    }
}
