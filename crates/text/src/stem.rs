//! Words without their endings, by rules of English that are a few hundred bytes. The rules of Snowball, by language,
//! are [`Language::stem`](super::Language::stem).

/// Endings of English words, longest first, with how many letters must be left, and with what is put in their place.
const ENDINGS: &str = "ization3iz isation3iz ational3at iveness4 ations4 ically3ic ation4 ments4 ities4 ously4 ives4 \
    ment4 ness4 ions4 ings3 ized3iz ised3iz ally4 ion4 ity4 ive4 ous4 ing3 ies3y ied3y ers4 ors4 \
    ize3iz ise3iz ed3 er4 or4 es3 ly4 al4 s3 e3";

/// A folded word without its ending, so that "treated" and "treatment" are one. Rougher than a stemmer of a language:
/// two words of different meaning seldom meet in one sentence and its source, and it is a few hundred bytes.
pub fn rough_stem(word: &str) -> String {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) || word.ends_with("ss") {
        return word.to_owned();
    }
    let mut stem = word.to_owned();
    for rule in ENDINGS.split(' ') {
        let (least, (ending, instead)) = match rule.split_once('4') {
            Some(parts) => (4, parts),
            None => (3, rule.split_once('3').unwrap_or_default()),
        };
        if let Some(rest) = word.strip_suffix(ending)
            && rest.len() >= least
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

/// The least bytes of a stem that forms of a word are told to share; shorter ones are shared by words that have nothing in
/// common.
const SHORTEST: usize = 4;

/// The stem that the present forms of an English verb and the number of a noun leave: `choke`, `chokes` and `choking` share `chok`.
/// Past forms are left alone, since what is over is no emergency.
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
