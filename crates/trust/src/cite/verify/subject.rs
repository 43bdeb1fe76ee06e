//! Whether what a claim says stands where its subject stands: in the same row, item or sentence.

use super::claimed::Claimed;
use super::layout::PartForm;
use super::lists::{Role, is_drug};
use super::passage::{Passage, PassageWindow};
use super::reading::{ReadWord, TermTable};

/// The most subjects of a claim that are looked at.
const MAX_SUBJECTS: usize = 6;

/// The share of the rest of a claim that one sentence must have for a subject to belong there, and the share of that which
/// the best sentence with the subject must have.
const TOLD: f32 = 0.5;
const ALL_TOLD: f32 = 0.8;
const NEAR: f32 = 0.6;

/// The least weight by which the two must differ.
const LACK: f32 = 0.35;

/// Whether a subject of the claim stands in other sentences of the passage than what the claim says of it, or in none.
///
/// Subjects are the first word that tells something, names of drugs, and what rows of tables begin with.
pub(super) fn is_astray(
    claim: &Claimed,
    passage: &Passage,
    window: &PassageWindow,
    terms: &TermTable,
) -> bool {
    let rows = row_terms(passage);
    // What the title or the head of a table says is said in each sentence.
    let titled = |slot: usize| window.context.get(slot) == Some(&true);
    let slot = |word: &ReadWord| claim.terms.binary_search(&word.term).ok().filter(|slot| !titled(*slot));
    let counted: Vec<usize> =
        claim.reading.quantities.iter().filter_map(|quantity| claim.slot(quantity)).collect();
    let mut subjects: Vec<usize> = Vec::new();
    let mut first = true;
    for word in &claim.reading.words {
        let Some(token) = claim.reading.tokens.get(word.token).filter(|token| token.is_word()) else {
            continue;
        };
        let is_quantity = claim.terms.binary_search(&word.term).is_ok_and(|slot| counted.contains(&slot));
        if word.acts || is_quantity || terms.is_function_word(word.term) {
            continue;
        }
        let leads = first && terms.is_rare(word.term);
        first &= !leads;
        if (leads || is_drug(&token.text) || rows.binary_search(&word.term).is_ok())
            && let Some(slot) = slot(word).filter(|slot| !subjects.contains(slot))
        {
            subjects.push(slot);
        }
    }
    subjects.into_iter().take(MAX_SUBJECTS).any(|subject| {
        let weight = |slot: usize| {
            if slot == subject || titled(slot) {
                0.0
            } else {
                claim.weights.get(slot).copied().unwrap_or_default()
            }
        };
        let rest: f32 = (0..claim.weights.len()).map(weight).sum();
        let mut seen = vec![usize::MAX; claim.weights.len()];
        let (mut with, mut most, mut anywhere) = (0.0_f32, 0.0_f32, false);
        for (at, sentence) in passage.sentences.iter().enumerate() {
            if sentence.part.form == PartForm::Head || window.hits.get(at).is_none_or(Vec::is_empty) {
                continue;
            }
            let (mut sum, mut has) = (0.0, false);
            let before = sentence.part.before.filter(|_| refers(passage, at, terms));
            let places = std::iter::once(at).chain(passage.above(at)).chain(before);
            for slot in places.filter_map(|at| window.hits.get(at)).flatten() {
                has |= *slot == subject;
                if let Some(seen) = seen.get_mut(*slot).filter(|seen| **seen != at) {
                    *seen = at;
                    sum += weight(*slot);
                }
            }
            most = most.max(sum);
            anywhere |= has;
            if has {
                with = with.max(sum);
            }
        }
        let told = if anywhere { TOLD } else { ALL_TOLD };
        rest > 0.0 && most >= told * rest && with < NEAR * most && most - with >= LACK
    })
}

/// The terms that rows of tables begin with.
fn row_terms(passage: &Passage) -> Vec<u32> {
    let rows = passage.sentences.iter().filter(|sentence| sentence.part.form == PartForm::Row);
    let words =
        rows.flat_map(|row| row.words.clone().take_while(|word| passage.cells.get(*word) <= Some(&1)));
    super::passage::distinct(words.filter_map(|word| Some(passage.reading.words.get(word)?.term)))
}

/// Whether a sentence has a word that stands for something before it.
fn refers(passage: &Passage, at: usize, terms: &TermTable) -> bool {
    let words =
        passage.sentences.get(at).and_then(|sentence| passage.reading.words.get(sentence.words.clone()));
    words.unwrap_or_default().iter().any(|word| {
        passage.reading.tokens.get(word.token).is_some_and(|token| terms.lists.has(&token.text, Role::Refers))
    })
}
