//! Words without their endings, by rules of English that are a few hundred bytes. The rules of Snowball, by language,
//! are [`Language::stem`](super::Language::stem).

/// Endings of English words, longest first, with how many letters must be left, and with what is put in their place.
const ENDINGS: [(&str, usize, &str); 37] = [
    ("ization", 3, "iz"),
    ("isation", 3, "iz"),
    ("ational", 3, "at"),
    ("iveness", 4, ""),
    ("ations", 4, ""),
    ("ically", 3, "ic"),
    ("ation", 4, ""),
    ("ments", 4, ""),
    ("ities", 4, ""),
    ("ously", 4, ""),
    ("ives", 4, ""),
    ("ment", 4, ""),
    ("ness", 4, ""),
    ("ions", 4, ""),
    ("ings", 3, ""),
    ("ized", 3, "iz"),
    ("ised", 3, "iz"),
    ("ally", 4, ""),
    ("ion", 4, ""),
    ("ity", 4, ""),
    ("ive", 4, ""),
    ("ous", 4, ""),
    ("ing", 3, ""),
    ("ies", 3, "y"),
    ("ied", 3, "y"),
    ("ers", 4, ""),
    ("ors", 4, ""),
    ("ize", 3, "iz"),
    ("ise", 3, "iz"),
    ("ed", 3, ""),
    ("er", 4, ""),
    ("or", 4, ""),
    ("es", 3, ""),
    ("ly", 4, ""),
    ("al", 4, ""),
    ("s", 3, ""),
    ("e", 3, ""),
];

/// Returns a folded word without its ending, so that "treated" and "treatment" are one. Rougher than a stemmer of a
/// language: two words of different meaning seldom meet in one sentence and its source, and it is a few hundred
/// bytes.
pub fn rough_stem(word: &str) -> String {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) || word.ends_with("ss") {
        return word.to_owned();
    }
    let ending = ENDINGS.iter().find_map(|(ending, least, instead)| {
        word.strip_suffix(ending).filter(|rest| rest.len() >= *least).map(|rest| (rest, *instead))
    });
    let mut stem = ending.map_or_else(|| word.to_owned(), |(rest, instead)| [rest, instead].concat());
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

/// The least bytes of a stem that forms of a word are told to share; shorter ones are shared by words that have nothing in
/// common.
const SHORTEST: usize = 4;

/// Returns the stem that the present forms of an English verb and the number of a noun leave: `choke`, `chokes` and
/// `choking` share `chok`. Past forms are left alone, since what is over is no emergency.
pub fn present_stem(word: &str) -> &str {
    let enough = |rest: &&str| rest.len() >= SHORTEST;
    if let Some(rest) = word.strip_suffix("ing") {
        let bytes = rest.as_bytes();
        // `cutting` is of `cut`, and `falling` of `fall`.
        if let [.., before, last] = bytes
            && before == last
            && !matches!(last, b'l' | b's' | b'e' | b'o')
            && bytes.len() >= SHORTEST
        {
            return &rest[..rest.len() - 1];
        }
        return Some(rest).filter(enough).unwrap_or(word);
    }
    let single =
        word.strip_suffix('s').filter(|rest| rest.len() >= 3 && !rest.ends_with('s')).unwrap_or(word);
    single.strip_suffix('e').filter(enough).unwrap_or(single)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn present_forms_share_a_present_stem() {
        for [one, other] in [
            ["choking", "chokes"],
            ["cutting", "cuts"],
            ["falling", "fall"],
            ["pills", "pill"],
            ["breathe", "breathing"],
            ["gasps", "gasping"],
        ] {
            assert_eq!(present_stem(one), present_stem(other), "{one}, {other}");
        }
        for word in ["wing", "having", "pass", "his", "stabbed", "", "é"] {
            assert_eq!(present_stem(word), word);
        }
    }

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
            let stems: Vec<String> = forms.iter().map(|form| rough_stem(form)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
        }
        for (one, other) in [("mass", "mas"), ("iron", "irony"), ("zinc", "zip"), ("été", "etes")] {
            assert_ne!(rough_stem(one), rough_stem(other));
        }
    }
}
