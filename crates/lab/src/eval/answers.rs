//! The length that a reader has to read until the answer comes.

/// The numbers of characters that a table tells the answer recall for: what is seen at a glance, and what is read through
/// or given to a language model.
pub(super) const READ: [usize; 2] = [1_600, 6_400];

/// Returns how many characters of the passages, read in their order, it takes until one of the answers stands there
/// whole in one of them; `None` if none does.
///
/// Only letters and digits are compared, in lower case, so that neither markup nor line breaks hide an answer.
pub(super) fn read_until<'a>(
    answers: &[String],
    passages: impl IntoIterator<Item = &'a str>,
) -> Option<usize> {
    let mut wanted: Vec<String> = answers.iter().map(|answer| folded(answer).0).collect();
    wanted.retain(|answer| !answer.is_empty());
    let mut read = 0;
    for passage in passages {
        let (text, counts) = folded(passage);
        let end = wanted.iter().filter_map(|answer| end_of(answer, &text)).min();
        if let Some(end) = end {
            return Some(read + counts.get(end - 1)?);
        }
        read += passage.chars().count();
    }
    None
}

/// Computes the share of the questions whose answer is read within as many characters.
pub(super) fn recall(read_until: &[Option<usize>], characters: usize) -> f64 {
    let found = read_until.iter().filter(|at| at.is_some_and(|at| at <= characters)).count();
    found as f64 / read_until.len().max(1) as f64
}

/// Finds the place where an answer first ends that is no part of a longer word or number.
fn end_of(answer: &str, text: &str) -> Option<usize> {
    let is_part = |a: Option<char>, b: Option<char>| {
        a.zip(b).is_some_and(|(a, b)| a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric())
    };
    let ends = text.match_indices(answer).filter_map(|(start, found)| {
        let (before, after) = (&text[..start], &text[start + found.len()..]);
        let is_longer = is_part(before.chars().next_back(), answer.chars().next())
            || is_part(answer.chars().next_back(), after.chars().next());
        (!is_longer).then_some(start + found.len())
    });
    ends.into_iter().next()
}

/// Folds the letters and digits of a text in lower case, a space between what stands apart; and for each byte of it, how
/// many characters of the text have been read with it.
fn folded(text: &str) -> (String, Vec<usize>) {
    let (mut out, mut counts, mut apart) = (String::new(), Vec::new(), false);
    for (c, count) in text.chars().zip(1..) {
        if !c.is_alphanumeric() {
            apart = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut apart) {
            out.push(' ');
        }
        out.extend(c.to_lowercase());
        counts.resize(out.len(), count);
    }
    (out, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(answer: &str, passages: &[&str]) -> Option<usize> {
        read_until(&[answer.to_owned()], passages.iter().copied())
    }

    #[test]
    fn characters_are_counted_up_to_the_end_of_the_answer() {
        assert_eq!(until("two minutes", &["Green tea: two minutes."]), Some(22));
        assert_eq!(until("Two  minutes.", &["é", "*two* `minutes`"]), Some(15));
        assert_eq!(until("80 °C", &["180 °C or 80 C", "80 °C"]), Some(14));
        assert_eq!(until("八十", &["緑茶は八十度"]), Some(5));
    }

    #[test]
    fn an_answer_is_whole_and_in_one_passage() {
        assert_eq!(until("two minutes", &["two", "minutes"]), None);
        assert_eq!(until("5 mg", &["15 mg, 5 mgs, 5 m"]), None);
        assert_eq!(until("?!", &["?!"]), None);
        assert_eq!(until("tea", &[]), None);
        let answers = ["mate".to_owned(), "tea".to_owned()];
        assert_eq!(read_until(&answers, ["tea or mate"]), Some(3));
    }

    #[test]
    fn recall_is_the_share_that_comes_in_time() {
        let read = [Some(1_600), Some(1_601), None, Some(3)];
        assert_eq!((recall(&read, 1_600), recall(&read, 6_400), recall(&[], 1)), (0.5, 0.75, 0.0));
    }
}
