//! Making words comparable: case, accents and endings.

/// Latin letters with marks, behind the letters that they stand for.
const FOLDS: &[(&str, &str)] = &[
    ("a", "àáâãäåāăąǎạảấầẩẫậắằẳẵặ"),
    ("ae", "æ"),
    ("c", "çćĉċč"),
    ("d", "ďđð"),
    ("e", "èéêëēĕėęěẹẻẽếềểễệ"),
    ("g", "ĝğġģ"),
    ("h", "ĥħ"),
    ("i", "ìíîïĩīĭįıỉị"),
    ("j", "ĵ"),
    ("k", "ķ"),
    ("l", "ĺļľŀł"),
    ("n", "ñńņňŋ"),
    ("o", "òóôõöøōŏőơọỏốồổỗộớờởỡợ"),
    ("oe", "œ"),
    ("r", "ŕŗř"),
    ("s", "śŝşšș"),
    ("ss", "ß"),
    ("t", "ţťŧț"),
    ("th", "þ"),
    ("u", "ùúûüũūŭůűųưụủứừửữự"),
    ("w", "ŵ"),
    ("y", "ýÿŷỳỵỷỹ"),
    ("z", "źżž"),
    // The micro sign is the Greek letter, and small figures are figures.
    ("μ", "µ"),
    ("0", "⁰₀"),
    ("1", "¹₁"),
    ("2", "²₂"),
    ("3", "³₃"),
    ("4", "⁴₄"),
    ("5", "⁵₅"),
    ("6", "⁶₆"),
    ("7", "⁷₇"),
    ("8", "⁸₈"),
    ("9", "⁹₉"),
];

/// Adds a character in lower case and without its marks.
pub(super) fn fold_char(out: &mut String, c: char) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    // Combining marks, the soft hyphen and joiners are no letters of their own.
    if matches!(c, '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}') {
        return;
    }
    for lower in c.to_lowercase() {
        match FOLDS.iter().find(|(_, marked)| marked.contains(lower)) {
            Some((plain, _)) => out.push_str(plain),
            // Lower case may have made two of one, as of the dotted capital I.
            None if matches!(lower, '\u{300}'..='\u{36f}') => {}
            None => out.push(lower),
        }
    }
}

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

    fn fold(text: &str) -> String {
        let mut out = String::new();
        text.chars().for_each(|c| fold_char(&mut out, c));
        out
    }

    #[test]
    fn marks_and_case_go() {
        assert_eq!(fold("Ménière"), "meniere");
        assert_eq!(fold("Me\u{301}nie\u{300}re"), "meniere");
        assert_eq!(fold("STRASSE Straße Æsir m²"), "strasse strasse aesir m2");
        assert_eq!(fold("Łódź İzmir µg"), "lodz izmir μg");
        assert_eq!(fold("Ибупрофен"), "ибупрофен");
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
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
        }
        for (one, other) in [("mass", "mas"), ("iron", "irony"), ("zinc", "zip"), ("été", "etes")] {
            assert_ne!(stem(one), stem(other));
        }
    }
}
