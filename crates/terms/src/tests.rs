use super::*;
use proptest::prelude::*;

fn terms(language: Language, text: &str) -> Vec<String> {
    Analyzer::new(language).tokens(text).map(|token| token.term.into_owned()).collect()
}

fn english(text: &str) -> Vec<String> {
    terms(Language::English, text)
}

/// Returns true if a search for one spelling finds the other: they share the term that stands for the whole.
fn share(one: &str, other: &str, term: &str) {
    for text in [one, other] {
        assert!(english(text).iter().any(|found| found == term), "{text}: {:?}", english(text));
    }
}

#[test]
fn numbers_and_units_are_the_same_however_they_are_spaced() {
    for spelling in ["500 mg", "500mg", "500\u{a0}mg", "500-mg"] {
        assert_eq!(english(spelling), ["500", "mg", "500mg"], "{spelling}");
    }
    for spelling in ["0.5 mg", "0.5mg", "0,5 mg", ".5 mg", ".5mg", "0.5-mg"] {
        assert_eq!(english(spelling), ["0.5", "mg", "0.5mg"], "{spelling}");
    }
    assert_eq!(english("in 10 patients"), ["in", "10", "patient"]);
    assert_eq!(english("2.5.1"), ["2.5.1"]);
}

#[test]
fn names_with_digits_are_found_however_they_are_written() {
    share("COVID-19", "covid 19", "covid19");
    share("COVID-19", "Covid19", "covid19");
    share("IL-6", "IL6", "il6");
    share("SGLT2 inhibitor", "SGLT-2 inhibitors", "sglt2");
    share("vitamin B12", "vitamin B 12", "b12");
    share("CYP2D6", "CYP 2D6", "cyp2d6");
    share("CYP2D6", "CYP-2D6", "cyp2d6");
    share("HbA1c", "HBA 1c", "hba1c");
    share("β-blocker", "beta blockers", "beta");
    share("β-blocker", "betablockers", "betablock");
    share("SARS-CoV-2", "sarscov2", "sarscov");
    share("e-mail", "email", "email");
    share("type 2 diabetes", "type-2 diabetes", "type2");
}

#[test]
fn words_are_taken_apart_where_they_consist_of_several() {
    assert_eq!(english("snake_case"), ["snake", "case", "snakecas"]);
    assert_eq!(english("U.S. and e.g. this.That"), ["us", "and", "eg", "this", "that"]);
    assert_eq!(english("see:below"), ["see", "below"]);
    assert_eq!(terms(Language::French, "l'anémie d’enfants"), ["l", "anem", "d", "enfant"]);
    assert!(english("?! … \u{0} 🙂🙂 --").is_empty());
}

#[test]
fn names_keep_their_signs() {
    assert_eq!(english("C, C++ and C# on .NET"), ["c", "c++", "and", "c#", "on", ".net", "net"]);
    assert_eq!(english("Notepad++"), ["notepad++", "notepad"]);
    assert_eq!(english("x+1; page#top"), ["x", "1", "page", "top"]);
}

#[test]
fn words_in_one_have_their_parts_beside_them() {
    assert_eq!(english("closeWindows"), ["closewindow", "close", "window"]);
    assert_eq!(english("JSONParser"), ["jsonpars", "json", "parser"]);
    let tokens: Vec<LexicalToken> = Analyzer::new(Language::English).tokens("closeWindows").collect();
    let shown: Vec<(usize, bool, bool)> =
        tokens.iter().map(|token| (token.range.start, token.joint, token.part)).collect();
    assert_eq!(shown, [(0, false, false), (0, true, true), (5, true, true)]);
    assert_eq!(english("eGFR NASA pH"), ["egfr", "gfr", "nasa", "ph"]);
}

#[test]
fn umlauts_are_found_by_both_spellings() {
    let german = |text| terms(Language::German, text);
    for (written, spelled) in [("Köln", "Koeln"), ("Häuser", "Haeuser"), ("größer", "groesser")] {
        assert!(german(written).contains(&german(spelled)[0]), "{written}: {:?}", german(written));
    }
    assert_eq!(terms(Language::Turkish, "gül"), ["gul"]);
}

#[test]
fn scripts_without_spaces_become_pairs() {
    assert_eq!(english("糖尿病"), ["糖尿", "尿病", "病"]);
    assert_eq!(english("癌"), ["癌"]);
    assert_eq!(english("ABC糖尿xyz"), ["abc", "糖尿", "尿", "xyz"]);
    assert_eq!(english("データベース"), ["デー", "ータ", "タベ", "ベー", "ース", "ス"]);
    assert_eq!(english("당뇨병 치료"), ["당뇨", "뇨병", "병", "치료", "료"]);
    assert!(english("โรคเบาหวาน").len() > 5);
}

#[test]
fn stop_words_are_marked_and_ranges_are_those_of_the_text() {
    let text = "The dose IS 5 mg";
    let tokens: Vec<LexicalToken> = Analyzer::new(Language::English).tokens(text).collect();
    let shown: Vec<(&str, bool, bool)> =
        tokens.iter().map(|token| (&text[token.range.clone()], token.stop, token.joint)).collect();
    let expected = [
        ("The", true, false),
        ("dose", false, false),
        ("IS", true, false),
        ("5", false, false),
        ("mg", false, false),
        ("5 mg", false, true),
    ];
    assert_eq!(shown, expected);
}

proptest! {
    #[test]
    fn any_text_gives_tokens_within_it(text in "(\\PC|[a-z0-9 .,'’_:-]|[α-ω]|[ぁ-ん]|[一-丂]|[가-갃]|[ก-ฮ]){0,40}") {
        for language in Language::ALL {
            let mut end = 0;
            for token in Analyzer::new(language).tokens(&text) {
                prop_assert!(text.get(token.range.clone()).is_some_and(|part| !part.is_empty()));
                prop_assert!(!token.term.is_empty() && token.term.len() <= 64);
                prop_assert!(token.joint || token.range.start + 8 >= end || token.range.start >= end);
                end = end.max(token.range.end);
            }
        }
    }

    #[test]
    fn any_characters_do(text in any::<String>()) {
        for language in Language::ALL {
            drop(terms(language, &text));
        }
    }
}

proptest! {
    /// A query is a text of its own, and a passage has the word between others.
    #[test]
    fn a_word_has_the_same_terms_wherever_it_stands(
        word in "\\.?[A-Za-zäöüß]{1,6}([A-Z_-]?[a-z]{1,5}){0,3}(\\+{1,2}|#)?|[0-9]{1,3}[a-z]{0,3}",
    ) {
        for language in Language::ALL {
            let alone = terms(language, &word);
            prop_assert_eq!(&terms(language, &format!("({word})")), &alone, "{}", language);
            // Numbers are joined with what is beside them, which adds terms and takes none.
            let among = terms(language, &format!("Say “{word}”, then: {word}."));
            prop_assert!(alone.iter().all(|term| among.contains(term)), "{language} {alone:?} {among:?}");
        }
    }

    #[test]
    fn what_begins_with_other_letters_is_left_out_and_nothing_else(
        text in "([A-Za-z]{1,9}|[äÉıIİ’'.,5+#-]{1,3}|[a-z]{0,4}[0-9]{1,3}|the|mg|語| ){0,12}",
        wanted in "[a-z]{0,6}",
    ) {
        let letters = FirstLetters::of(wanted.split("").filter(|letter| !letter.is_empty()));
        let is_wanted = |token: &LexicalToken<'_>| letters.may_begin(&token.term);
        for language in Language::ALL {
            let analyzer = Analyzer::new(language);
            let all: Vec<_> = analyzer.tokens(&text).filter(is_wanted).collect();
            let some: Vec<_> = analyzer.tokens_with(&text, letters).filter(is_wanted).collect();
            prop_assert_eq!(&some, &all, "{}", language);
        }
    }
}
