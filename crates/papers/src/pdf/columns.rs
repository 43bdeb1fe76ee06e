//! The order in which a page is read: columns from left to right, between what reaches over all of them.

use super::rows::{Row, Stretch, grouped, row};

/// Columns within columns; newspapers have no more.
const DEEPEST: usize = 4;
/// The least rows, and the least characters in the middle one of them, that make a column.
const LEAST_ROWS: usize = 4;
const LEAST_CHARACTERS: usize = 14;

/// Returns the rows of a page in the order of reading, those of one column together.
pub(super) fn blocks(stretches: &[Stretch]) -> Vec<Vec<Row>> {
    let mut out = Vec::new();
    read(stretches, 0, &mut out);
    out
}

fn read(stretches: &[Stretch], depth: usize, out: &mut Vec<Vec<Row>>) {
    let rows = grouped(stretches);
    let parts = if depth < DEEPEST { divided(&rows) } else { None };
    let Some(parts) = parts else {
        out.push(rows.iter().map(|stretches| row(stretches)).collect());
        return;
    };
    for part in parts {
        match part {
            Part::Whole(from, to) => out.push(rows[from..to].iter().map(|of| row(of)).collect()),
            Part::Columns(from, to, gutter) => {
                let of = |is_left: bool| -> Vec<Stretch> {
                    let band = rows[from..to].iter().flatten();
                    let side =
                        band.filter(|of| (of.x1 <= gutter + 0.5 * of.size && of.x0 < gutter) == is_left);
                    side.map(|of| (*of).clone()).collect()
                };
                read(&of(true), depth + 1, out);
                read(&of(false), depth + 1, out);
            }
        }
    }
}

/// A range of rows.
enum Part {
    /// Rows that reach over the whole width.
    Whole(usize, usize),
    /// Rows with columns on both sides of a place.
    Columns(usize, usize, f64),
}

/// Divides rows at the gutter that most of them leave free; nothing if there is none.
fn divided(rows: &[Vec<&Stretch>]) -> Option<Vec<Part>> {
    if rows.len() < LEAST_ROWS {
        return None;
    }
    let all = || rows.iter().flatten();
    let left = all().map(|of| of.x0).fold(f64::INFINITY, f64::min);
    let right = all().map(|of| of.x1).fold(f64::NEG_INFINITY, f64::max);
    let width = right - left;
    let mut sizes: Vec<f64> = all().map(|of| of.size).collect();
    sizes.sort_by(f64::total_cmp);
    let size = *sizes.get(sizes.len() / 2)?;
    if !(width > 10.0 * size && width < 20_000.0) {
        return None;
    }
    // The rows that each place of the width is covered in, point by point.
    let mut covered = vec![0_usize; width as usize + 2];
    for of in all() {
        let (from, to) = ((of.x0 - left).max(0.0) as usize, (of.x1 - left).max(0.0).ceil() as usize);
        let last = covered.len();
        covered[from.min(last)..to.min(last)].iter_mut().for_each(|count| *count += 1);
    }
    let middle = (covered.len() * 15 / 100)..(covered.len() * 85 / 100);
    for share in [0, 5, 15, 30, 50] {
        let most = rows.len() * share / 100;
        let mut free: Vec<(usize, usize)> = Vec::new();
        let mut begun = None;
        for at in middle.clone().chain([usize::MAX]) {
            let is_free = covered.get(at).is_some_and(|count| *count <= most);
            match (is_free, begun) {
                (true, None) => begun = Some(at),
                (false, Some(from)) => {
                    let end = if at == usize::MAX { middle.end } else { at };
                    free.push((from, end));
                    begun = None;
                }
                _ => {}
            }
        }
        free.retain(|(from, to)| (to - from) as f64 >= 0.7 * size);
        free.sort_by_key(|(from, to)| std::cmp::Reverse(to - from));
        for (from, to) in free.into_iter().take(3) {
            let gutter = (left + from as f64, left + to as f64);
            if let Some(parts) = bands(rows, gutter) {
                return Some(parts);
            }
        }
    }
    None
}

/// The bands of rows that leave a gutter free, and what stands between them; nothing if none of them has columns.
fn bands(rows: &[Vec<&Stretch>], gutter: (f64, f64)) -> Option<Vec<Part>> {
    let place = f64::midpoint(gutter.0, gutter.1);
    let crosses = |row: &Vec<&Stretch>| row.iter().any(|of| of.x0 < place && of.x1 > place);
    let mut parts: Vec<Part> = Vec::new();
    let mut from = 0;
    while from < rows.len() {
        let is_across = crosses(&rows[from]);
        let mut to = from + 1;
        while to < rows.len() && crosses(&rows[to]) == is_across {
            to += 1;
        }
        if !is_across && has_columns(&rows[from..to], place) {
            parts.push(Part::Columns(from, to, place));
        } else if let Some(Part::Whole(_, end)) = parts.last_mut() {
            *end = to;
        } else {
            parts.push(Part::Whole(from, to));
        }
        from = to;
    }
    parts.iter().any(|part| matches!(part, Part::Columns(..))).then_some(parts)
}

/// Returns true if running text stands on both sides, unlike the cells of a table or the numbers of a list.
fn has_columns(rows: &[Vec<&Stretch>], place: f64) -> bool {
    [true, false].into_iter().all(|is_left| {
        let sides: Vec<(f64, f64, usize)> = rows
            .iter()
            .filter_map(|row| {
                let side = || row.iter().filter(|of| (of.x0 < place) == is_left);
                let x0 = side().map(|of| of.x0).reduce(f64::min)?;
                let x1 = side().map(|of| of.x1).fold(x0, f64::max);
                Some((x0, x1, side().map(|of| of.text.chars().count()).sum()))
            })
            .collect();
        if sides.len() < LEAST_ROWS {
            return false;
        }
        let middle = |mut of: Vec<f64>| {
            of.sort_by(f64::total_cmp);
            of[of.len() / 2]
        };
        let from = sides.iter().map(|side| side.0).fold(f64::INFINITY, f64::min);
        let to = sides.iter().map(|side| side.1).fold(f64::NEG_INFINITY, f64::max);
        let width = middle(sides.iter().map(|side| side.1 - side.0).collect());
        let characters = middle(sides.iter().map(|side| side.2 as f64).collect());
        width >= 0.5 * (to - from) && characters >= LEAST_CHARACTERS as f64
    })
}
