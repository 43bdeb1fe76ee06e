//! Running headers and footers, and page numbers.

use std::collections::HashMap;

use super::rows::{Stretch, grouped, row};

/// The rows from the top and from the bottom that may be a header or a footer.
const ROWS: usize = 3;
/// The pages that have one, at least.
const LEAST: usize = 3;

/// Drops rows at the edges of pages that stand at the same place on others, with other numbers or without.
pub(super) fn drop_edges(pages: &mut [&mut Vec<Stretch>]) {
    let edges: Vec<Vec<Edge>> = pages.iter().map(|page| edges(page)).collect();
    let mut same: HashMap<(bool, i64, &str), usize> = HashMap::new();
    let mut apart: HashMap<(bool, i64), usize> = HashMap::new();
    for page in &edges {
        for edge in page {
            *same.entry((edge.is_top, edge.place(), &edge.shape)).or_default() += 1;
            if edge.is_first && edge.is_apart {
                *apart.entry((edge.is_top, edge.place())).or_default() += 1;
            }
        }
    }
    let most = (pages.len() * 6 / 10).max(LEAST + 1);
    let drops: Vec<Vec<f64>> = edges
        .iter()
        .map(|page| {
            let mut drops = Vec::new();
            for is_top in [true, false] {
                // Only what stands further out was a header; a row within ends it.
                for edge in page.iter().filter(|edge| edge.is_top == is_top) {
                    let near = |at: i64| same.get(&(is_top, at, &*edge.shape)).copied().unwrap_or(0);
                    let count = near(edge.place()) + near(edge.place() - 1) + near(edge.place() + 1);
                    let is_placed = edge.is_first
                        && edge.is_apart
                        && apart.get(&(is_top, edge.place())).is_some_and(|count| *count >= most);
                    if count < LEAST && !is_placed {
                        break;
                    }
                    drops.extend(&edge.rows);
                }
            }
            drops
        })
        .collect();
    for (page, drops) in pages.iter_mut().zip(drops) {
        page.retain(|of| !drops.iter().any(|y| (y - of.y).abs() < 0.01));
    }
}

/// A row at an edge.
struct Edge {
    is_top: bool,
    is_first: bool,
    /// A gap parts it from the rest of the page.
    is_apart: bool,
    y: f64,
    /// The lines that its letters stand on.
    rows: Vec<f64>,
    /// Its text, numbers as a sign.
    shape: String,
}

impl Edge {
    /// The place on the page, in steps that small differences do not leave.
    fn place(&self) -> i64 {
        (self.y / 4.0).round() as i64
    }
}

fn edges(page: &[Stretch]) -> Vec<Edge> {
    let rows = grouped(page);
    let mut out = Vec::new();
    for is_top in [true, false] {
        let at = |number: usize| if is_top { Some(number) } else { rows.len().checked_sub(number + 1) };
        for number in 0..ROWS.min(rows.len()) {
            let Some(stretches) = at(number).and_then(|at| rows.get(at)) else { break };
            let this = row(stretches);
            let next = at(number + 1).and_then(|at| rows.get(at)).map(|next| row(next));
            let is_apart = next.is_some_and(|next| (next.y - this.y).abs() > 1.7 * this.size.max(next.size));
            out.push(Edge {
                is_top,
                is_first: number == 0,
                is_apart,
                y: this.y,
                rows: stretches.iter().map(|of| of.y).collect(),
                shape: shape(&this.text),
            });
        }
    }
    out
}

/// A text without the numbers in it, Roman ones included if they are all of it.
fn shape(text: &str) -> String {
    let text = text.trim();
    if !text.is_empty() && text.chars().all(|c| "ivxlcIVXLC".contains(c)) {
        return "#".to_owned();
    }
    let mut out = String::new();
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        match c {
            c if c.is_numeric() && out.ends_with('#') => {}
            c if c.is_numeric() => out.push('#'),
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}
