//! Numbers of a question in the rows of a table that stand for a range of them: 35 in `| 30 to 44 | 1 g |`.

use super::super::verify::range;

/// Finds the places of rows of tables in whose ranges one of these numbers lies, with its index. A range counts in the
/// first column and in one whose head is `asked` for: other columns have other numbers.
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
