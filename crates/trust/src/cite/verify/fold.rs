//! Making words comparable: case, accents and endings.

/// Endings of English words, longest first, with what is put in their place and how many letters must be left.
const ENDINGS: &[(&str, &str, usize)] = &[
    ("ization", "iz", 3),
    ("isation", "iz", 3),
    ("ational", "at", 3),
    ("iveness", "", 4),
    ("ations", "", 4),
    ("ically", "ic", 3),
    ("ation", "", 4),
    ("ments", "", 4),
    ("ities", "", 4),
    ("ously", "", 4),
    ("ives", "", 4),
    ("ment", "", 4),
    ("ness", "", 4),
    ("ions", "", 4),
    ("ings", "", 3),
    ("ized", "iz", 3),
    ("ised", "iz", 3),
    ("ally", "", 4),
    ("ion", "", 4),
    ("ity", "", 4),
    ("ive", "", 4),
    ("ous", "", 4),
    ("ing", "", 3),
    ("ies", "y", 3),
    ("ied", "y", 3),
    ("ers", "", 4),
    ("ors", "", 4),
    ("ize", "iz", 3),
    ("ise", "iz", 3),
    ("ed", "", 3),
    ("er", "", 4),
    ("or", "", 4),
    ("es", "", 3),
    ("ly", "", 4),
    ("al", "", 4),
    ("s", "", 3),
    ("e", "", 3),
];

/// A folded word without its ending, so that "treated" and "treatment" are one. Rougher than a stemmer of a language:
/// two words of different meaning seldom meet in one sentence and its source, and it is a few hundred bytes.
pub(super) fn stem(word: &str) -> String {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) || word.ends_with("ss") {
        return word.to_owned();
    }
    let mut stem = word.to_owned();
    for (ending, instead, least) in ENDINGS {
        if let Some(rest) = word.strip_suffix(ending)
            && rest.len() >= *least
        {
            stem = format!("{rest}{instead}");
            break;
        }
    }
    // "stopped" and "stop", "doses" and "dose".
    let bytes = stem.as_bytes();
    if let [.., a, b] = bytes
        && a == b
        && !matches!(b, b'l' | b's' | b'z' | b'e' | b'o')
        && stem.len() > 3
    {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('y') {
        stem.pop();
        stem.push('i');
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one() {
        for forms in [
            &["treat", "treats", "treated", "treating", "treatment", "treatments"][..],
            &["dose", "doses", "dosing", "dosed"],
            &["stop", "stops", "stopped", "stopping"],
            &["child's", "child's"],
            &["therapy", "therapies"],
            &["infect", "infection", "infections", "infected"],
            &["reduce", "reduced", "reduces", "reducing"],
            &["direct", "director", "direction"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
        }
        for (one, other) in [("mass", "mas"), ("iron", "irony"), ("zinc", "zip"), ("été", "etes")] {
            assert_ne!(stem(one), stem(other));
        }
    }
}
