//! Letters to words, and words to rows.

use ibid_platform::normalize;

use super::glyphs::Letter;

/// A gap of this many times the type's size is a space, and one of that many ends a stretch of words.
const SPACE: f64 = 0.17;
const APART: f64 = 1.0;
/// The share of the type's size by which letters of one row may stand higher or lower.
const LEVEL: f64 = 0.45;

/// Letters of one size that stand next to each other on one line.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    pub(super) x0: f64,
    pub(super) x1: f64,
    /// The line that the letters stand on; it grows downwards.
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) text: String,
    /// True if all letters are as wide as each other, as in code; `None` if they do not tell.
    pub(super) is_mono: Option<bool>,
}

/// A line of a column.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) x0: f64,
    pub(super) x1: f64,
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) text: String,
    pub(super) is_code: bool,
}

/// Joins the letters of a page, in the order in which it draws them.
pub(super) fn stretches(letters: &[Letter]) -> Vec<Stretch> {
    let mut all = StretchList::default();
    let mut letters = letters.iter().peekable();
    while let Some(letter) = letters.next() {
        // Old programs draw an accent, and then the letter below it.
        let accent = combining(letter).zip(letters.peek()).filter(|(_, next)| {
            (next.y - letter.y).abs() < 0.5 * letter.size
                && !next.is_space()
                && letter.x + letter.width > next.x
                && next.x + next.width > letter.x
        });
        match accent {
            Some((accent, _)) => all.accent = Some(accent),
            None => all.add(letter),
        }
    }
    all.all.extend(all.open);
    all.all
}

/// The combining form of an accent that is a sign of its own.
fn combining(letter: &Letter) -> Option<char> {
    Some(match letter.character()? {
        '`' => '\u{300}',
        '´' => '\u{301}',
        'ˆ' | '^' => '\u{302}',
        '˜' | '~' => '\u{303}',
        '¯' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '˚' => '\u{30A}',
        '˝' => '\u{30B}',
        'ˇ' => '\u{30C}',
        _ => return None,
    })
}

#[derive(Default)]
struct StretchList<'a> {
    all: Vec<Stretch>,
    open: Option<Stretch>,
    has_space: bool,
    /// The letter before.
    last: Option<&'a Letter>,
    /// The accent of the next one.
    accent: Option<char>,
}

impl<'a> StretchList<'a> {
    fn add(&mut self, letter: &'a Letter) {
        if letter.is_space() {
            self.has_space = true;
            return;
        }
        // Some programs make bold type by printing twice.
        let is_again = self.last.is_some_and(|last| {
            last.text == letter.text
                && (last.x - letter.x).abs() < 0.12 * letter.size
                && (last.y - letter.y).abs() < 0.12 * letter.size
        });
        if is_again {
            return;
        }
        self.last = Some(letter);
        let gap = self.open.as_ref().map_or(0.0, |open| letter.x - open.x1);
        let goes_on = self.open.as_ref().is_some_and(|open| {
            (open.y - letter.y).abs() < 0.12 * letter.size
                && (open.size / letter.size - 1.0).abs() < 0.2
                && gap < APART * letter.size
                && gap > -0.4 * letter.size
        });
        if !goes_on {
            self.all.extend(self.open.take());
        }
        let Letter { x, y, size, .. } = *letter;
        let new = || Stretch { x0: x, x1: x, y, size, text: String::new(), is_mono: None };
        let open = self.open.get_or_insert_with(new);
        if goes_on && (std::mem::take(&mut self.has_space) || gap > SPACE * size) {
            open.text.push(' ');
        }
        self.has_space = false;
        let before = open.text.len();
        letter.push_to(&mut open.text);
        if let Some(accent) = self.accent.take() {
            let letter = open.text.split_off(before).replace('ı', "i").replace('ȷ', "j");
            let mut letters = letter.chars();
            open.text.push_str(&normalize(&letters.next().into_iter().chain([accent]).collect::<String>()));
            open.text.extend(letters);
        }
        open.x1 = open.x1.max(x + letter.width);
        if let Some(is_mono) = is_mono(letter) {
            open.is_mono = Some(is_mono && open.is_mono != Some(false));
        }
    }
}

/// Returns whether a narrow or a wide letter has the width that all have in type for code.
fn is_mono(letter: &Letter) -> Option<bool> {
    let share = letter.width / letter.size;
    match letter.character()? {
        'i' | 'j' | 'l' | 'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '.' | ',' | ':' | ';' | '\'' => {
            Some((0.48..0.66).contains(&share))
        }
        'm' | 'w' | 'M' | 'W' => Some((0.48..0.62).contains(&share)),
        _ => None,
    }
}

/// Arranges stretches in rows from top to bottom, and each row from left to right.
pub(super) fn grouped(stretches: &[Stretch]) -> Vec<Vec<&Stretch>> {
    let mut sorted: Vec<&Stretch> = stretches.iter().collect();
    sorted.sort_by(|one, other| one.y.total_cmp(&other.y));
    let mut rows: Vec<Vec<&Stretch>> = Vec::new();
    for stretch in sorted {
        let fits = rows.last().is_some_and(|row| {
            let size = row.iter().map(|of| of.size).fold(stretch.size, f64::max);
            row.iter().any(|of| (of.y - stretch.y).abs() < LEVEL * size)
                && !row.iter().any(|of| overlap(of, stretch) > 0.3 * stretch.size)
        });
        match rows.last_mut().filter(|_| fits) {
            Some(row) => row.push(stretch),
            None => rows.push(vec![stretch]),
        }
    }
    rows.iter_mut().for_each(|row| row.sort_by(|one, other| one.x0.total_cmp(&other.x0)));
    rows
}

fn overlap(one: &Stretch, other: &Stretch) -> f64 {
    one.x1.min(other.x1) - one.x0.max(other.x0)
}

/// Makes a row of stretches that stand next to each other.
pub(super) fn row(stretches: &[&Stretch]) -> Row {
    let width = |of: &Stretch| of.text.chars().count();
    let main = stretches.iter().max_by_key(|of| width(of));
    let (y, size) = main.map_or((0.0, 0.0), |of| (of.y, of.size));
    let mut text = String::new();
    let mut end: Option<&Stretch> = None;
    let is_code = stretches.iter().any(|of| of.is_mono == Some(true))
        && stretches.iter().all(|of| of.is_mono != Some(false));
    for of in stretches {
        let gap = end.map_or(0.0, |end| of.x0 - end.x1);
        let is_raised = of.size < 0.85 * size && of.y < y - 0.15 * size;
        if end.is_some() && gap > SPACE * of.size.max(0.8 * size) {
            // The places of words mean something in code.
            let spaces = if is_code { (gap / (0.55 * size)).round().clamp(1.0, 80.0) as usize } else { 1 };
            text.extend(std::iter::repeat_n(' ', spaces));
        } else if is_raised && text.ends_with(char::is_alphanumeric) {
            text.push('^');
        }
        text.push_str(&of.text);
        end = Some(of);
    }
    let x0 = stretches.first().map_or(0.0, |of| of.x0);
    let x1 = stretches.iter().map(|of| of.x1).fold(x0, f64::max);
    Row { x0, x1, y, size, text, is_code }
}
