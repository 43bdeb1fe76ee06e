//! What holds of any text.

use std::sync::OnceLock;

use proptest::prelude::*;

use super::*;

/// One for all tests: it is made of lists that are long.
fn finder() -> &'static Finder {
    static FINDER: OnceLock<Finder> = OnceLock::new();
    FINDER.get_or_init(|| Finder::new(&options()).unwrap())
}

fn options() -> PiiOptions {
    let mut options = PiiOptions { kinds: Some(PiiKind::ALL.to_vec()), ..PiiOptions::default() };
    options.patterns.insert("STAFF".to_owned(), vec!["KH-#{4}".to_owned()]);
    options.words.insert("WARD".to_owned(), vec!["ward seven".to_owned()]);
    options
}

/// Texts made of what rules look at, placeholders among it.
fn texts() -> impl Strategy<Value = String> {
    let pieces = [
        "my name is ",
        "Maria Garcia",
        "maria garcia",
        "Garcia",
        "Dr. ",
        "patient ",
        "[NAME_1]",
        "NAME_1",
        r"\[NAME\_1\]",
        "[NAME_1B]",
        "[LITERAL_1]",
        "[PHONE_2]",
        "[",
        "]",
        "\\",
        "_",
        "NAME_",
        "1",
        "B",
        "+44 20 7946 0958",
        "555-0123",
        "-",
        " ",
        "\n",
        "@",
        "maria@example.org",
        ".",
        "192.0.2.7",
        "12 High Street",
        ", ",
        "DOB ",
        "12/03/1980",
        "MRN 123456",
        "KH-1234",
        "Ward Seven",
        "https://example.org/?token=a1b2",
        "é",
        "日本",
        "\u{200b}",
        "４",
        "\u{301}",
        "GB82WEST12345698765432",
        "'s",
        "(",
        ")",
    ];
    let piece =
        prop_oneof![4 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_given_name_in_small_letters_is_found_again() {
    let mut redaction = Redaction::default();
    let redacted =
        redaction.redact(finder(), "patient maria has a fever since monday. may maria take ibuprofen?");
    assert_eq!(redacted, "patient [NAME_1] has a fever since monday. may [NAME_1] take ibuprofen?");
}

proptest! {
    #[test]
    fn restoring_undoes_redacting(texts in prop::collection::vec(texts(), 1..4)) {
        let finder = finder();
        let mut redaction = Redaction::default();
        let redacted: Vec<String> = texts.iter().map(|text| redaction.redact(finder, text)).collect();
        for (text, redacted) in texts.iter().zip(&redacted) {
            prop_assert_eq!(&redaction.restore(redacted), text);
            for found in finder.find(text) {
                let value = &text[found.span];
                // What is as short as a letter may stand anywhere, in a placeholder too, and any digits in longer ones.
                let joins = |c: char| ibid_text::is_invisible(c) || ibid_text::is_accent(c);
                let inner = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || joins(c));
                let whole = |text: &str, at: usize| {
                    !inner(text[..at].chars().next_back()) && !inner(text[at + value.len()..].chars().next())
                };
                let left = redacted.match_indices(value).any(|(at, _)| whole(redacted, at));
                // A surname in small letters may be any word elsewhere, so it is not looked for again on its own.
                let small = value.chars().all(char::is_lowercase);
                // What was part of a longer word may stand on its own once that has been replaced.
                let apart = text.match_indices(value).all(|(at, _)| whole(text, at));
                prop_assert!(value.len() < 4 || small || !apart || !left, "{value} in {redacted}");
            }
        }
        let stored = serde_json::to_string(&redaction).unwrap();
        prop_assert_eq!(serde_json::from_str::<Redaction>(&stored).unwrap(), redaction);
    }

    #[test]
    fn a_text_in_pieces_is_restored_like_the_whole(text in texts(), cuts in prop::collection::vec(0usize..200, 0..12)) {
        let finder = finder();
        let mut redaction = Redaction::default();
        redaction.redact(finder, "My name is Maria Garcia, maria garcia, Garcia, 555-0123 and 202-555-0188.");
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| text.floor_char_boundary(cut.min(text.len()))).collect();
        cuts.sort_unstable();
        let mut restorer = redaction.restorer();
        let (mut pieced, mut at) = (String::new(), 0);
        for cut in cuts.into_iter().chain([text.len()]) {
            pieced.push_str(&restorer.push(&text[at..cut]));
            at = cut;
        }
        pieced.push_str(&restorer.finish());
        prop_assert_eq!(pieced, redaction.restore_reply(&text));
    }

    #[test]
    fn any_stored_state_is_read_or_refused(text in any::<String>(), number: u32, variant: u32, label in "[A-Z_]{0,4}|LITERAL|NAME") {
        let stored = serde_json::json!({"entries": [{"label": label, "number": number, "variant": variant, "text": text}], "reserved": [[label, number]]});
        let mut redaction: Redaction = serde_json::from_value(stored).unwrap();
        let text = "My name is Maria Garcia [NAME_1].";
        let redacted = redaction.redact(finder(), text);
        prop_assert_eq!(redaction.restore(&redacted), text);
    }
}

#[test]
fn one_person_has_one_number_and_each_way_of_writing_a_letter() {
    let finder = finder();
    let mut redaction = Redaction::default();
    let text = "My name is Maria Garcia. Garcia or Maria? MARIA GARCIA, and Dr. Weber. Maria Garcia.";
    let redacted = redaction.redact(finder, text);
    assert_eq!(
        redacted,
        "My name is [NAME_1]. [NAME_1B] or [NAME_1C]? [NAME_1D], and Dr. [NAME_2]. [NAME_1]."
    );
    assert_eq!(redaction.restore(&redacted), text);
    let later =
        redaction.redact(finder, "Mrs Garcia again, with Dr. Pedro Garcia, call 555-0123 or 555 0123.");
    assert_eq!(later, "Mrs [NAME_1B] again, with Dr. [NAME_3], call [PHONE_1] or [PHONE_1B].");
    assert_eq!(redaction.redact(finder, "Mrs Garcia"), "Mrs [NAME_1B]");
    assert_eq!(redaction.counts(), [("NAME".to_owned(), 3), ("PHONE".to_owned(), 1)].into());
}

#[test]
fn what_was_told_once_is_known_in_later_texts() {
    let finder = finder();
    let mut redaction = Redaction::default();
    redaction.redact(finder, "My name is Will Ng, patient number MRN 48213377, mail will@example.org.");
    let later = "Will Ng will come. It is about 48213377, or WILL@example.org, said Ng, and willing he was.";
    let redacted = redaction.redact(finder, later);
    assert_eq!(
        redacted,
        "[NAME_1] will come. It is about [MRN_1], or [EMAIL_1B], said [NAME_1B], and willing he was."
    );
    assert_eq!(redaction.restore(&redacted), later);
}

#[test]
fn typed_placeholders_are_the_persons_own_text() {
    let finder = finder();
    let mut redaction = Redaction::default();
    let text = "What is [NAME_1]? My name is Maria Garcia.";
    assert_eq!(redaction.redact(finder, text), "What is [NAME_1]? My name is [NAME_2].");
    assert_eq!(redaction.restore("[NAME_1] [NAME_2]"), "[NAME_1] Maria Garcia");
    let later = redaction.redact(finder, "And [NAME_2] or NAME_2?");
    assert_eq!(later, "And [LITERAL_1] or [LITERAL_2]?");
    assert_eq!(redaction.restore(&later), "And [NAME_2] or NAME_2?");
}

#[test]
fn models_write_placeholders_in_their_ways() {
    let finder = finder();
    let mut redaction = Redaction::default();
    redaction.redact(finder, "My name is \"Maria Garcia\", 555-0123.");
    for (model, restored) in [
        (r"Dear \[NAME\_1\], call **[PHONE_1]**.", "Dear Maria Garcia, call **555-0123**."),
        ("NAME_1's number", "Maria Garcia's number"),
        ("[name_1] [NAME_9] NAME_11 xNAME_1", "Maria Garcia [NAME_9] NAME_11 xNAME_1"),
        ("NAME_1", "Maria Garcia"),
    ] {
        assert_eq!(redaction.restore(model), restored);
    }
    let mut value = serde_json::json!({"q": ["about [NAME_1]", {"n": 1, "x": "NAME_1"}]});
    redaction.restore_json(&mut value, Redaction::restore);
    assert_eq!(value, serde_json::json!({"q": ["about Maria Garcia", {"n": 1, "x": "Maria Garcia"}]}));
    assert_eq!(redaction.without("fever in [NAME_1] and [PHONE_1]"), "fever in and");
    assert_eq!(redaction.without("[NAME_1] has [NAME_7]"), "has [NAME_7]");
}

#[test]
fn what_a_model_writes_into_an_address_stays_a_placeholder() {
    let mut redaction = Redaction::default();
    redaction.redact(finder(), "My name is Maria Garcia.");
    for (model, shown) in [
        (
            "[[NAME_1]'s guideline](<https://e.example/d#[NAME_1]>)[NAME_1]",
            "[Maria Garcia's guideline](<https://e.example/d#[NAME_1]>)Maria Garcia",
        ),
        ("[a][b] [NAME_1]\n\n[b]: //e.example/[NAME_1]", "[a][b] Maria Garcia\n\n[b]: //e.example/[NAME_1]"),
        ("<https://e.example/[NAME_1]> [NAME_1]", "<https://e.example/[NAME_1]> Maria Garcia"),
        ("https://e.example/?q=NAME_1, [NAME_1]", "https://e.example/?q=NAME_1, Maria Garcia"),
        (r"![\[NAME\_1\]](x?\[NAME\_1\])", r"![Maria Garcia](x?\[NAME\_1\])"),
        ("https://e.example/%5BNAME_1%5D [1]: [NAME_1]", "https://e.example/%5BNAME_1%5D [1]: Maria Garcia"),
    ] {
        assert_eq!(redaction.restore_reply(model), shown);
        let mut restorer = redaction.restorer();
        let pieces: String = model.chars().map(|c| restorer.push(&c.to_string())).collect();
        assert_eq!(pieces + &restorer.finish(), shown);
        assert_eq!(
            redaction.restore(&redaction.restore(model)),
            redaction.restore(model),
            "all of it comes back"
        );
        assert!(!redaction.restore(model).contains("[NAME_1]"));
    }
}

#[test]
fn who_asks_is_no_part_of_what_is_asked() {
    for (question, topic) in [
        ("My name is Maria Garcia. What is zinc for?", "What is zinc for?"),
        ("I'm Maria Garcia, what is zinc for?", "what is zinc for?"),
        ("I am Dr. Maria Garcia, born 3 May 1961, and what is zinc for?", "what is zinc for?"),
        ("I am Dr. Maria Garcia, born on 3 May 1961. What is zinc for?", "What is zinc for?"),
        (
            "You can reach me at maria.garcia@example.org or +44 20 7946 0958. What is zinc for?",
            "What is zinc for?",
        ),
        (
            "My e-mail is maria.garcia@example.org and my phone number is +44 20 7946 0958; what is zinc for?",
            "what is zinc for?",
        ),
        ("What is zinc for?\n\nThanks,\nMaria Garcia, maria.garcia@example.org", "What is zinc for?"),
        ("Hello,\n\nwhat is zinc for?\n\nKind regards,\nDr. Maria Garcia", "what is zinc for?"),
        ("What is zinc for? Kind regards, Maria Garcia", "What is zinc for?"),
        ("Mein Name ist Maria Garcia. Wozu dient Zink?", "Wozu dient Zink?"),
        ("Je m'appelle Maria Garcia, à quoi sert le zinc ?", "à quoi sert le zinc ?"),
        // What else a clause says stays.
        ("My name is Maria Garcia and I have been coughing for 3 weeks", "I have been coughing for 3 weeks"),
        ("My 4 year old son Tom has fever 39, what now?", "My 4 year old son has fever 39, what now?"),
        ("Which dose for my daughter Anna Smith?", "Which dose for my daughter ?"),
        ("Zinc and iron, or both?", "Zinc and iron, or both?"),
    ] {
        let mut redaction = Redaction::default();
        let redacted = redaction.redact(finder(), question);
        assert_eq!(redaction.topic(&redacted).as_deref(), Some(topic), "{redacted}");
    }
    // What is about a person alone has no other topic.
    for question in ["Who is Dr. Maria Garcia?", "My name is Maria Garcia."] {
        let mut redaction = Redaction::default();
        let redacted = redaction.redact(finder(), question);
        assert_eq!(redaction.topic(&redacted), None, "{redacted}");
    }
}

#[test]
fn a_restorer_holds_back_only_what_may_become_a_placeholder() {
    let finder = finder();
    let mut redaction = Redaction::default();
    assert_eq!(redaction.restorer().push("a [NA"), "a [NA");
    redaction.redact(finder, "My name is Maria Garcia.");
    let mut restorer = redaction.restorer();
    assert_eq!(restorer.push("a [1] b [X"), "a [1] b [X");
    assert_eq!(restorer.push(" [NAM"), " ");
    assert_eq!(restorer.push("E_1"), "");
    assert_eq!(restorer.push("] [NAMES"), "Maria Garcia [NAMES");
    assert_eq!(restorer.push(" N"), " ");
    assert_eq!(restorer.push("o"), "No");
    assert_eq!(restorer.push(" NAME_1"), " ");
    assert_eq!(restorer.finish(), "Maria Garcia");
}

#[test]
fn what_is_hidden_in_the_writing_is_found() {
    let finder = finder();
    for text in [
        "maria\u{200b}@exam\u{ad}ple.org",
        "ｍａｒｉａ＠ｅｘａｍｐｌｅ．ｏｒｇ",
        "＋４４ ２０ ７９４６ ０９５８",
        "+44\u{a0}20\u{a0}7946\u{a0}0958",
        "+44‑20‑7946‑0958",
        "202–555–0123",
        "٢٠٢-٥٥٥-٠١٢٣",
        "4111\u{2009}1111\u{2009}1111\u{2009}1111",
        "192\u{2024}0\u{2024}2\u{2024}7",
    ] {
        let found = finder.find(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(&text[found[0].span.clone()], text);
    }
    let accents = "My name is Mari\u{301}a Garci\u{301}";
    let found = finder.find(accents);
    assert_eq!(found[0].span.end, accents.len());
}

#[test]
fn own_words_patterns_and_exceptions() {
    let mut options = PiiOptions {
        kinds: Some(vec![PiiKind::Name]),
        allow: vec!["dr weber".to_owned(), "Weber".to_owned()],
        ..PiiOptions::default()
    };
    options.patterns.insert("STAFF".to_owned(), vec!["KH-#{4}".to_owned()]);
    options.words.insert("NAME".to_owned(), vec!["Nightingale".to_owned()]);
    let finder = Finder::new(&options).unwrap();
    let text = "Dr. Weber and nightingale (kh-1234, 555-0123)";
    let found: Vec<_> = finder.find(text).into_iter().map(|f| (text[f.span].to_owned(), f.label)).collect();
    assert_eq!(
        found,
        [("nightingale".to_owned(), "NAME".to_owned()), ("kh-1234".to_owned(), "STAFF".to_owned())]
    );
    for label in ["", "staff", "A B", "1A", "LITERAL", "A_", "ABCDEFGHIJKLMNOPQRSTUVWXY"] {
        let options = PiiOptions { words: [(label.to_owned(), vec![])].into(), ..PiiOptions::default() };
        assert_eq!(
            Finder::new(&options).err().unwrap().code(),
            ibid_platform::ErrorCode::InvalidOption,
            "{label}"
        );
    }
}

/// What is quadratic would not end in the time of a test: a megabyte of the worst, and less of many others.
#[test]
fn hostile_texts_come_to_an_end() {
    let finder = finder();
    for unit in [
        "a@",
        "1-",
        "Dr. ",
        "(",
        "+1 ",
        "[NAME_1",
        "NAME_1 ",
        "my name is ",
        "patient Maria ",
        "1 ",
        "0",
        "::",
        "a.",
        "at dot ",
        "//:",
        "://",
        "-----BEGIN ",
        "MRN ",
        "Garcia ",
        "1/1/",
        "12 High ",
        "\\[",
        "12, rue ",
        "+44 20 ",
        "é\u{301}",
        "\u{200b}",
        "KH-",
        "my son ",
        "DOB ",
        "\"@",
        "sk-",
        "(at)",
        "Dear ",
        "a-",
        "O'",
        "GB82 ",
        "password: ",
        "x=",
        "SW1A ",
        "my my son ",
        "de ",
        "IL 62704 ",
        "Mr. X Y. ",
    ] {
        let size = if ["a@", "1-", "Dr. ", "(", "+1 "].contains(&unit) { 1 << 20 } else { 1 << 16 };
        let text = unit.repeat(size / unit.len());
        let mut redaction = Redaction::default();
        let redacted = redaction.redact(finder, &text);
        assert_eq!(redaction.restore(&redacted), text, "{unit}");
        leaks(finder, &Redaction::default(), &redacted, &[&text]);
    }
}

#[test]
fn what_was_typed_beside_a_name_comes_back_too() {
    let finder = finder();
    let mut redaction = Redaction::default();
    redaction.redact(finder, "My name is Maria Müller-Lüdenscheid.");
    for text in
        ["Patient: NAME_1Müller-Lüdenscheid", "NAME_1Müller and MüllerNAME_1", "Patient: NAME_7Müller"]
    {
        let redacted = redaction.redact(finder, text);
        assert_eq!(redaction.restore(&redacted), text, "{redacted}");
    }
}
