//! The folding that makes different spellings of a word one term: case, accents, compatibility forms, numbers.

use std::borrow::Cow;

use ibid_platform::case;
use ibid_text::Language;

use super::stem::stem;

/// Longer words are cut off here, in bytes: they are data and no words.
const LONGEST: usize = 64;

/// The Greek letters as they are spelled out in English, in the order of Unicode from alpha on.
const GREEK: [&str; 25] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
];

/// Makes the term of a word: its stem, or, of a word with a digit, the word itself; without case and accents.
pub(super) fn term(language: Language, word: &str) -> Cow<'_, str> {
    let lower = lower(language, word);
    if language == Language::None || lower.len() > LONGEST || lower.chars().any(char::is_numeric) {
        return fold(language, lower);
    }
    if lower.contains('.') {
        // An abbreviation.
        return fold(language, Cow::Owned(lower.replace('.', "")));
    }
    match stem(language, &lower) {
        // An algorithm that leaves nothing of a word has not found its stem.
        Cow::Borrowed(_) => fold(language, lower),
        Cow::Owned(stem) if stem.is_empty() || stem == *lower => fold(language, lower),
        Cow::Owned(stem) => Cow::Owned(fold(language, Cow::Owned(stem)).into_owned()),
    }
}

/// Folds case and accents of a word.
pub(super) fn plain(language: Language, word: &str) -> Cow<'_, str> {
    fold(language, lower(language, word))
}

pub(super) fn lower(language: Language, word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    if word.is_ascii() && language != Language::Turkish {
        return Cow::Owned(word.to_ascii_lowercase());
    }
    let mut out = String::with_capacity(word.len());
    for char in word.chars() {
        match char {
            'I' if language == Language::Turkish => out.push('ı'),
            'İ' => out.push('i'),
            '’' | 'ʼ' => out.push('\''),
            _ => case::lower(char, &mut |char| out.push(char)),
        }
    }
    Cow::Owned(out)
}

/// Takes accents off a word in lower case and writes compatibility forms plainly.
fn fold(language: Language, word: Cow<'_, str>) -> Cow<'_, str> {
    let word = number(word);
    if word.len() <= LONGEST && word.bytes().all(|byte| byte.is_ascii() && byte != b'\'') {
        return word;
    }
    let spell = language != Language::Greek && word.chars().filter(|&char| is_greek(char)).count() == 1;
    let mut out = String::with_capacity(word.len());
    for char in word.chars() {
        match char {
            // In front of a unit.
            'µ' | 'μ' if spell && word.chars().count() > 1 => out.push('u'),
            'α'..='ω' if spell => out.push_str(GREEK[u32::from(char) as usize - 0x3b1]),
            _ => ibid_text::fold(char, &mut |char| match char {
                '\'' => {}
                '\0'..='\x7f' => out.push(char),
                // Of other scripts than Latin.
                _ => ibid_text::fold_accents(char, &mut |char| out.push(char)),
            }),
        }
    }
    if out.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&at| out.is_char_boundary(at)).unwrap_or_default();
        out.truncate(end);
    }
    Cow::Owned(out)
}

fn is_greek(char: char) -> bool {
    matches!(char, 'α'..='ω' | 'µ')
}

/// Writes numbers alike: `1,000` as `1000` and, with a comma that can only be a decimal one, `0,5` as `0.5`.
fn number(word: Cow<'_, str>) -> Cow<'_, str> {
    if !word.contains(',') || !word.starts_with(|char: char| char.is_ascii_digit()) {
        return word;
    }
    let groups = || word.split(',').skip(1);
    let digits = |group: &str| group.bytes().take_while(u8::is_ascii_digit).count();
    let thousands = !word.starts_with("0,") && groups().all(|group| digits(group) == 3);
    Cow::Owned(word.replace(',', if thousands { "" } else { "." }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english(word: &str) -> String {
        term(Language::English, word).into_owned()
    }

    #[test]
    fn spellings_of_a_word_become_one_term() {
        for (spellings, expected) in [
            (&["Treatments", "TREATMENT", "treatment's"][..], "treatment"),
            (&["naïve", "Naive", "nai\u{308}ve"], "naiv"),
            (&["patient's", "patient’s", "patients"], "patient"),
            (&["ﬁbrosis", "fibrosis"], "fibrosi"),
            (&["β", "beta"], "beta"),
            (&["TNFα", "tnfalpha"], "tnfalpha"),
            (&["H₂O", "h2o"], "h2o"),
            (&["ＣＯＶＩＤ", "covid"], "covid"),
            (&["µg", "μg", "ug"], "ug"),
            (&["İstanbul", "istanbul"], "istanbul"),
        ] {
            for spelling in spellings {
                assert_eq!(english(spelling), expected, "{spelling}");
            }
        }
        assert_eq!(term(Language::German, "Straße"), term(Language::German, "STRASSE"));
        assert_eq!(term(Language::French, "éducation"), term(Language::French, "education"));
        assert_eq!(lower(Language::Turkish, "ISI İLAÇ"), "ısı ilaç");
        assert_eq!(term(Language::Greek, "Σοφός"), term(Language::Greek, "σοφος"));
    }

    #[test]
    fn numbers_are_written_alike_and_never_stemmed() {
        for (written, expected) in [
            ("1,000", "1000"),
            ("1,234,567", "1234567"),
            ("0,5", "0.5"),
            ("0,125", "0.125"),
            ("12,5", "12.5"),
            ("0.5", "0.5"),
            ("1980s", "1980s"),
            ("HbA1c", "hba1c"),
            ("5HTs", "5hts"),
        ] {
            assert_eq!(english(written), expected);
        }
    }

    #[test]
    fn endless_words_are_cut_between_characters() {
        assert_eq!(english(&"a".repeat(1000)).len(), LONGEST);
        assert_eq!(english(&"語".repeat(1000)).len(), 63);
        assert_eq!(english(&"ΐ".repeat(1000)).len(), LONGEST);
    }
}
