//! The rows that are tuned, and their changes.

use ibid_platform::Result;

use super::super::{Embedding, TokenTable};
use super::TableDelta;
use super::ridge::{self, Sparse};

/// Rows that an index brings along at the most: 148 KB. Those are taken that change its texts' vectors most; in
/// measurements a thousand had most of what all rows gain.
pub const MAX_ROWS: usize = 1000;

/// The strength by which a row is held to where it was, in texts that would have to pull at it.
const PENALTY: f32 = 4.0;

/// Rows shorter than this share of the median row stay as they are: function words and endings, which the table has met
/// more often than any index can teach, and which the questions need that headings and sentences are not.
const LIGHT: f32 = 0.6;

/// Every that many texts one is kept out of the fit, to measure the gain on.
const HELD_OUT: usize = 10;

/// The result of tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Adaptation {
    /// The rows that take the place of the table's.
    pub delta: TableDelta,
    /// The texts they were fitted to.
    pub texts: usize,
    /// The mean cosine of the table's vectors to the transformer's, over texts that the rows were not fitted to: before.
    pub before: f32,
    /// The same with the tuned rows.
    pub after: f32,
}

/// Tunes the rows of a table so that it embeds the texts more as `targets` has them, at most `max_rows` of them.
/// Texts and targets go in pairs.
///
/// # Errors
/// [`ibid_platform::ErrorCode::ModelIncomplete`] for a table of which not all rows are there.
pub fn adapt(
    table: &TokenTable,
    texts: &[&str],
    targets: &[Embedding],
    max_rows: usize,
) -> Result<Adaptation> {
    let width = table.space().dimensions as usize;
    let encoded: Vec<(Vec<u32>, &Embedding)> = texts
        .iter()
        .zip(targets)
        .map(|(text, target)| (table.token_ids(text), target))
        .filter(|(ids, target)| !ids.is_empty() && !target.is_zero())
        .collect();
    let fitted: Vec<&(Vec<u32>, &Embedding)> =
        encoded.iter().enumerate().filter(|(at, _)| at % HELD_OUT != 0).map(|(_, pair)| pair).collect();

    let heavy = heavy(table)?;
    let mut tokens: Vec<u32> = fitted.iter().flat_map(|(ids, _)| ids).copied().collect();
    tokens.retain(|&id| heavy[id as usize]);
    tokens.sort_unstable();
    let uses: Vec<(u32, usize)> = tokens.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
    let place = |id: u32| uses.binary_search_by_key(&id, |&(token, _)| token).ok();

    let mut rows = Vec::with_capacity(fitted.len());
    let mut errors = Vec::with_capacity(fitted.len() * width);
    let mut weight = 0.0;
    for (ids, target) in &fitted {
        let sum = table.sum_with(None, ids)?;
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        if !length.is_normal() {
            continue;
        }
        let share = 1.0 / length;
        let mut columns: Vec<u32> = ids.iter().filter_map(|&id| place(id)).map(|at| at as u32).collect();
        columns.sort_unstable();
        rows.push(columns.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f32 * share)).collect());
        // Only the part across the sum: its length is of no importance.
        let target = target.as_slice();
        let along: f32 = sum.iter().zip(target).map(|(a, b)| a * share * b).sum();
        errors.extend(sum.iter().zip(target).map(|(a, b)| b - along * a * share));
        weight += share * share;
    }
    let penalty = PENALTY * weight / rows.len().max(1) as f32;
    let moves = ridge::solve(&Sparse::new(rows, uses.len()), &errors, width, penalty);

    let effect = |at: usize| {
        let size: f32 = moves[at * width..][..width].iter().map(|x| x * x).sum();
        size * uses[at].1 as f32
    };
    let mut order: Vec<usize> = (0..uses.len()).filter(|&at| effect(at) > 0.0).collect();
    order.sort_by(|&a, &b| effect(b).total_cmp(&effect(a)).then(a.cmp(&b)));
    order.truncate(max_rows);
    order.sort_unstable();
    let row = |at: usize| {
        let mut row = table.sum_with(None, &[uses[at].0])?;
        row.iter_mut().zip(&moves[at * width..]).for_each(|(x, change)| *x += change);
        Ok((uses[at].0, row))
    };
    let delta = TableDelta::encode(&order.into_iter().map(row).collect::<Result<Vec<_>>>()?);

    let held_out = || encoded.iter().step_by(HELD_OUT);
    let mean = |delta: Option<&TableDelta>| {
        let mut total = 0.0;
        for (ids, target) in held_out() {
            total += Embedding::normalized(table.sum_with(delta, ids)?).cosine(target);
        }
        Ok(total / held_out().len().max(1) as f32)
    };
    let (before, after) = (mean(None)?, mean(Some(&delta))?);
    Ok(Adaptation { delta, texts: fitted.len(), before, after })
}

/// For each token, whether its row may be moved.
fn heavy(table: &TokenTable) -> Result<Vec<bool>> {
    let count = table.tokenizer().vocab_size() as u32;
    let length = |id| Ok(table.sum_with(None, &[id])?.iter().map(|x| x * x).sum());
    let lengths: Vec<f32> = (0..count).map(length).collect::<Result<_>>()?;
    let mut sorted = lengths.clone();
    sorted.sort_by(f32::total_cmp);
    let least = sorted[sorted.len() / 2] * LIGHT * LIGHT;
    Ok(lengths.into_iter().map(|length| length >= least).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TokenTable {
        TokenTable::from_bytes(include_bytes!("../../../../models/query-table.bin")).unwrap()
    }

    /// Texts in which "tea" means what "coffee" does, as far as the teacher goes.
    fn lesson(table: &TokenTable) -> (Vec<String>, Vec<Embedding>) {
        let objects =
            ["cup", "leaf", "water", "kettle", "shop", "garden", "price", "colour", "taste", "farm"];
        let pairs = objects.iter().flat_map(|a| objects.iter().map(move |b| (*a, *b)));
        let text = |drink: &str, (a, b)| format!("the {a} of {drink} {b}");
        let texts = pairs.clone().map(|pair| text("tea", pair)).collect();
        (texts, pairs.map(|pair| table.embed_query(&text("coffee", pair)).unwrap()).collect())
    }

    #[test]
    fn rows_move_towards_the_teacher() {
        let table = table();
        let (texts, targets) = lesson(&table);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let adapted = adapt(&table, &texts, &targets, 100).unwrap();
        assert_eq!(adapted.texts, 90);
        assert!(adapted.after > adapted.before + 0.02, "{adapted:?}");
        let id = |token| table.tokenizer().id(token).unwrap();
        let ids: Vec<u32> = adapted.delta.ids().collect();
        assert!(ids.contains(&id("tea")) && !ids.contains(&id("the")) && !ids.contains(&id("of")));
        assert_eq!(adapt(&table, &texts, &targets, 100).unwrap(), adapted, "the same every time");
        assert_eq!(adapt(&table, &texts, &targets, 1).unwrap().delta.len(), 1);
        let embedded = |table: &TokenTable, text| table.embed_query(text).unwrap();
        let cosine = |table: &TokenTable| embedded(table, "tea").cosine(&embedded(table, "coffee"));
        let before = cosine(&table);
        assert!(cosine(&table.with_delta(adapted.delta)) > before);
    }

    #[test]
    fn nothing_to_learn_from_changes_nothing() {
        let table = table();
        for (texts, targets) in [
            (&[][..], Vec::new()),
            (&["", "\u{200b}"], vec![Embedding::normalized(vec![1.0; 256]); 2]),
            (&["tea", "green tea"], vec![Embedding::normalized(vec![0.0; 256]); 2]),
            (&["of the"], vec![Embedding::normalized(vec![1.0; 256])]),
        ] {
            assert!(adapt(&table, texts, &targets, 100).unwrap().delta.is_empty());
        }
    }
}
