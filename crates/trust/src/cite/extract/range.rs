//! Numbers of a question in the rows of a table that stand for a range of them: 35 in `| 30 to 44 | 1 g |`.

/// The signs and words between the ends of a range.
const TO: [&str; 6] = ["to", "-", "–", "—", "and", "through"];

/// The words before or behind the one end of an open range, and whether the end itself is part of it.
const BELOW: [(&str, bool); 9] = [
    ("<", false),
    ("below", false),
    ("under", false),
    ("less than", false),
    ("≤", true),
    ("<=", true),
    ("up to", true),
    ("at most", true),
    ("no more than", true),
];
const ABOVE: [(&str, bool); 8] = [
    (">", false),
    ("above", false),
    ("over", false),
    ("more than", false),
    ("≥", true),
    (">=", true),
    ("at least", true),
    ("from", true),
];
const OR_LESS: [&str; 6] = ["or less", "or below", "or lower", "or under", "or fewer", "or younger"];
const OR_MORE: [&str; 12] = [
    "or more",
    "or above",
    "or over",
    "or higher",
    "or greater",
    "or older",
    "and more",
    "and above",
    "and over",
    "and higher",
    "and older",
    "+",
];

/// The numbers that a cell stands for, from the least to the greatest.
fn range(cell: &str) -> Option<(f64, f64)> {
    let cell = cell.to_lowercase();
    let is_digit = |c: char| c.is_ascii_digit();
    let first = cell.find(is_digit)?;
    let (before, rest) = cell.split_at(first);
    let (low, rest) = number(rest)?;
    let before = before.trim().trim_start_matches("between").trim();
    if let Some(second) = rest.find(is_digit) {
        let (between, rest) = rest.split_at(second);
        let (high, _) = number(rest)?;
        return (TO.contains(&between.trim()) && low < high).then_some((low, high));
    }
    let ends = |(sign, with): &(&str, bool)| before.ends_with(sign).then_some((sign.len(), *with));
    // The longest sign is meant: "no more than" ends like "more than".
    let below = BELOW.iter().filter_map(ends).max();
    let above = ABOVE.iter().filter_map(ends).max();
    let behind = |all: &[&str]| all.iter().any(|said| rest.contains(said));
    match (below, above) {
        (Some((length, with)), _) if above.is_none_or(|(other, _)| length > other) => {
            Some((f64::NEG_INFINITY, if with { low } else { low.next_down() }))
        }
        (_, Some((_, with))) => Some((if with { low } else { low.next_up() }, f64::INFINITY)),
        _ if behind(&OR_LESS) => Some((f64::NEG_INFINITY, low)),
        _ if behind(&OR_MORE) => Some((low, f64::INFINITY)),
        _ => None,
    }
}

/// The number at a text's beginning, and what stands behind it.
fn number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    Some((number.trim_end_matches('.').parse().ok()?, rest))
}

/// The places of rows of tables in whose ranges one of these numbers lies, with its index. A range counts in the first
/// column and in one whose head is `asked` for: other columns have other numbers.
pub(super) fn rows(text: &str, numbers: &[f64], asked: impl Fn(&str) -> bool) -> Vec<(usize, usize)> {
    let (mut found, mut at, mut head) = (Vec::new(), 0, None);
    if numbers.is_empty() || !text.contains('|') {
        return found;
    }
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(row) = line.trim().strip_prefix('|') else {
            head = None;
            continue;
        };
        let heads: &Vec<bool> = head.get_or_insert_with(|| row.split('|').map(&asked).collect());
        for (column, cell) in row.split('|').enumerate() {
            if column > 0 && heads.get(column) != Some(&true) {
                continue;
            }
            let Some((low, high)) = range(cell) else { continue };
            let within = numbers.iter().enumerate().filter(|(_, number)| (low..=high).contains(*number));
            found.extend(within.map(|(number, _)| (start + line.find('|').unwrap_or(0) + 1, number)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_in_their_forms() {
        let holds =
            |cell: &str, number: f64| range(cell).is_some_and(|(low, high)| (low..=high).contains(&number));
        for cell in [
            "30 to 44",
            "30–44 mL/min",
            "35-40",
            "between 30 and 44",
            "below 36",
            "< 35.5",
            "≤ 35",
            "up to 35",
            "35 or less",
            "at least 35",
            "30 or more",
            "35+",
            "≥ 35",
            "no more than 40",
            "age 18 and over",
        ] {
            assert!(holds(cell, 35.0), "{cell}");
        }
        for cell in [
            "45 or more",
            "below 35",
            "> 35",
            "under 30",
            "15 to 29",
            "35",
            "30, 44",
            "44 to 30",
            "",
            "30 mg",
            "no more than 30",
        ] {
            assert!(!holds(cell, 35.0), "{cell}");
        }
    }

    #[test]
    fn a_row_is_found_by_its_first_column_or_by_what_its_head_says() {
        let table = "| Drug | eGFR | Dose |\n|---|---|---|\n| A | 30 to 44 | 10 to 40 mg |\n| B | below 30 | 20 to 50 mg |\n";
        let place = table.find(" A ").unwrap();
        assert_eq!(rows(table, &[35.0], |head| head.contains("eGFR")), [(place, 0)]);
        assert_eq!(rows(table, &[35.0], |_| false), []);
        assert_eq!(rows("Give 30 to 44 mg.", &[35.0], |_| true), []);
        assert_eq!(rows("| 30 to 44 | x |", &[7.0, 35.0], |_| false), [(1, 1)]);
    }
}
