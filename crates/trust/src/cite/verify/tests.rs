//! Whole answers held against their sources.

use proptest::prelude::*;

use super::super::claim::claims;
use super::super::flag::FlagKind;
use super::super::source::tests::hit;
use super::*;

fn sources(texts: &[&str]) -> Vec<Source> {
    (1..)
        .zip(texts)
        .map(|(number, text)| Source { number, hit: hit(number, text), ..Source::default() })
        .collect()
}

fn run(text: &str, texts: &[&str]) -> (Vec<Claim>, Vec<Flag>) {
    let mut claims = claims(text);
    let flags = verify(text, &mut claims, &sources(texts));
    (claims, flags)
}

/// The kinds of the flags with what they are about.
fn flags<'t>(text: &'t str, texts: &[&str]) -> Vec<(FlagKind, &'t str)> {
    run(text, texts).1.into_iter().map(|flag| (flag.kind, &text[flag.span])).collect()
}

fn status(text: &str, texts: &[&str]) -> ClaimStatus {
    run(text, texts).0[0].check.as_ref().unwrap().status
}

#[test]
fn what_stands_in_the_source_is_supported() {
    for (claim, source) in [
        ("Children get 500 mg twice daily [1].", "Give children 0.5 g BID."),
        ("Children get 500 mg every 12 hours [1].", "Give children 500 mg two times a day."),
        ("Treat for 5 to 7 days [1].", "Treatment: 5–7 days."),
        ("Treat for six days [1].", "Treatment: 5–7 days."),
        ("It is given to adults of at least 30 kg [1].", "Adults ≥ 30 kg are given it."),
        ("Half of the patients recovered [1].", "Of the patients, 50 % recovered."),
        ("The trial had 1,200 patients [1].", "1200 patients were in the trial."),
        ("Es waren 0,5 g für Kinder [1].", "Es waren 0.5 g für Kinder."),
        ("It was built on 3 May 2001 [1].", "Built: 2001-05-03"),
        ("Take ½ tablet with water [1].", "Take 0.5 tablets with water."),
        ("The fever fell to 38 °C [1].", "The fever fell to 100.4 °F."),
        ("The label says “keep away from children” [1].", "The label says \"keep  away\nfrom children\"."),
    ] {
        assert_eq!(flags(claim, &[source]), [], "{claim}");
        assert_eq!(status(claim, &[source]), ClaimStatus::Supported, "{claim}");
    }
}

#[test]
fn what_does_not_is_flagged_where_it_is() {
    for (claim, source, kind, place) in [
        (
            "Children get 600 mg daily [1].",
            "Children get 500 mg daily.",
            FlagKind::NumberUnsupported,
            "600 mg daily",
        ),
        (
            "Children get 500 mcg of zinc [1].",
            "Children get 500 mg of zinc.",
            FlagKind::NumberUnsupported,
            "500 mcg",
        ),
        (
            "Zinc is taken three times daily [1].",
            "Zinc is taken twice daily.",
            FlagKind::NumberUnsupported,
            "three times daily",
        ),
        (
            "It is for at most 30 kg of weight [1].",
            "It is for at least 30 kg of weight.",
            FlagKind::ComparatorMismatch,
            "30 kg",
        ),
        ("Do not give zinc to children [1].", "Give zinc to children.", FlagKind::NegationMismatch, "not"),
        (
            "Give ibuprofen to children with asthma [1].",
            "Do not give ibuprofen to children with asthma.",
            FlagKind::NegationMismatch,
            "Give",
        ),
        (
            "Zinc is safe in pregnancy [1].",
            "Zinc is unsafe in pregnancy.",
            FlagKind::NegationMismatch,
            "safe",
        ),
        (
            "Aspirin increases the risk of bleeding [1].",
            "Aspirin decreases the risk of bleeding.",
            FlagKind::ComparatorMismatch,
            "increases",
        ),
        (
            "Take the tablet before the meal [1].",
            "Take the tablet after the meal.",
            FlagKind::ComparatorMismatch,
            "before",
        ),
        (
            "Children with pneumonia get erythromycin [1].",
            "Children with pneumonia get amoxicillin.",
            FlagKind::EntityUnsupported,
            "erythromycin",
        ),
        (
            "The centre was opened by Anna Berg [1].",
            "The centre was opened by Carl Lund.",
            FlagKind::EntityUnsupported,
            "Anna Berg",
        ),
        (
            "It says “wash your hands twice” [1].",
            "It says wash your hands.",
            FlagKind::QuoteNotFound,
            "wash your hands twice",
        ),
        (
            "Penguins swim across the ocean [1].",
            "The server restarts at night.",
            FlagKind::LowCoverage,
            "Penguins swim across the ocean [1].",
        ),
        ("Zinc helps children.", "Zinc helps children.", FlagKind::UncitedClaim, "Zinc helps children."),
    ] {
        assert!(flags(claim, &[source]).contains(&(kind, place)), "{claim}: {:?}", flags(claim, &[source]));
        assert_ne!(status(claim, &[source]), ClaimStatus::Supported, "{claim}");
    }
}

/// A source in which two people did two things in two towns.
const TOWNS: &str = "The old library of Bergen was designed in 1911 by the architect Karl Lund. It rained a lot that year, as \
                     papers said. Some years later the harbour museum of Tromso was painted blue by a group of students.";

#[test]
fn a_name_that_stands_elsewhere_in_the_source_is_not_supported() {
    for (claim, is_right) in [
        ("The old library of Bergen was designed in 1911 by the architect Karl Lund [1].", true),
        ("The old library of Tromso was designed in 1911 by the architect Karl Lund [1].", false),
        ("Students painted the harbour museum of Bergen blue some years later [1].", false),
    ] {
        assert_eq!(flags(claim, &[TOWNS]), [], "{claim}");
        assert_eq!(status(claim, &[TOWNS]) == ClaimStatus::Supported, is_right, "{claim}");
    }
}

#[test]
fn the_sentence_before_counts_where_something_refers_to_it() {
    let claim = "Karl Lund designed the old library of Bergen in 1911 [1].";
    let source = "Karl Lund was an architect. He designed the old library of Bergen in 1911.";
    assert_eq!(status(claim, &[source]), ClaimStatus::Supported);
    let other = "Karl Lund was an architect. Ole Dahl designed the old library of Bergen in 1911.";
    assert_ne!(status(claim, &[other]), ClaimStatus::Supported);
}

#[test]
fn each_fact_of_a_sentence_may_stand_in_a_place_of_its_own() {
    let source =
        "`pool_size` is 25 by default. The pool closes connections when idle. `timeout` is 90 by default.";
    assert_eq!(status("`pool_size` is 25 and `timeout` is 90 [1].", &[source]), ClaimStatus::Supported);
    assert_ne!(status("`pool_size` is 90 and `timeout` is 25 [1].", &[source]), ClaimStatus::Supported);
}

#[test]
fn a_number_in_another_unit_behind_itself_is_one() {
    let source = "The wall is 108 metres long.";
    assert_eq!(flags("The wall is 355 feet (108 m) long [1].", &[source]), []);
    assert_eq!(
        flags("The wall is 455 feet (108 m) long [1].", &[source]),
        [(FlagKind::NumberUnsupported, "455 feet")]
    );
    let lived = "He was born on April 13 1944 and died on May 16 2001.";
    assert_eq!(flags("He was born and died (13 April 1944 – 16 May 2001) [1].", &[lived]), []);
}

#[test]
fn a_flag_knows_its_place_in_the_source() {
    let (_, flags) =
        run("Children get 600 mg of zinc [1].", &["It rained for 3 days. Children get 500 mg of zinc."]);
    let place = flags[0].source.as_ref().unwrap();
    assert_eq!((place.number, place.span.clone()), (1, 35..41));
}

#[test]
fn several_sources_bear_out_a_sentence_together() {
    let texts = ["Amoxicillin treats pneumonia in children.", "Doxycycline treats cholera in adults."];
    let both = "Amoxicillin treats pneumonia in children and doxycycline cholera in adults";
    assert_eq!(status(&format!("{both} [1][2]."), &texts), ClaimStatus::Supported);
    assert_ne!(status(&format!("{both} [1]."), &texts), ClaimStatus::Supported);
}

#[test]
fn the_source_that_should_have_been_cited_is_named() {
    let texts = ["The server restarts at night.", "Give amoxicillin to children with pneumonia."];
    let (claims, flags) = run("Children with pneumonia get amoxicillin [1].", &texts);
    let check = claims[0].check.as_ref().unwrap();
    assert_eq!(check.status, ClaimStatus::Unsupported);
    assert_eq!(check.alternatives.iter().map(|found| found.number).collect::<Vec<_>>(), [2]);
    assert!(flags.iter().any(|flag| flag.message.contains("supported by [2], not [1]")), "{flags:?}");
}

#[test]
fn headings_and_titles_are_part_of_what_a_passage_says() {
    let mut source = sources(&["Children: 40 mg/kg."]);
    source[0].hit.heading_path = vec!["Pneumonia".into(), "Amoxicillin".into()];
    let text = "Children with pneumonia get amoxicillin 40 mg/kg [1].";
    let mut claims = claims(text);
    assert_eq!(verify(text, &mut claims, &source), []);
}

#[test]
fn what_claims_nothing_is_not_checked() {
    for text in [
        "The sources do not say which dose infants get.",
        "Do you mean adults?",
        "The doses are:",
        "# Doses for adults",
    ] {
        let (claims, flags) = run(text, &["Give zinc."]);
        assert_eq!(flags, [], "{text}");
        assert!(
            claims.iter().all(|claim| claim.check.as_ref().unwrap().status == ClaimStatus::NotChecked),
            "{text}"
        );
    }
}

#[test]
fn another_language_is_said_not_to_be_comparable_and_its_numbers_count() {
    let source = "The children are given 500 mg of the medicine with food and not on an empty stomach.";
    let german = "Die Kinder bekommen mit dem Essen 500 mg und nicht auf leeren Magen [1].";
    assert_eq!(
        flags(german, &[source]).iter().map(|flag| flag.0).collect::<Vec<_>>(),
        [FlagKind::NotComparable]
    );
    assert_eq!(status(german, &[source]), ClaimStatus::NotChecked);
    let wrong = german.replace("500", "700");
    let kinds: Vec<_> = flags(&wrong, &[source]).into_iter().map(|flag| flag.0).collect();
    assert!(kinds.contains(&FlagKind::NumberUnsupported));
    assert_eq!(status("Дети получают 500 мг с едой [1].", &[source]), ClaimStatus::NotChecked);
}

#[test]
fn rows_of_a_table_are_held_against_rows() {
    let source = "| Drug | Dose |\n|---|---|\n| Zinc | 20 mg |\n| Iron | 60 mg |";
    let answer = "| Drug | Dose |\n|---|---|\n| Zinc | 20 mg |\n| Iron | 80 mg |\n\n[1]";
    let found = flags(answer, &[source]);
    assert!(found.contains(&(FlagKind::NumberUnsupported, "80 mg")), "{found:?}");
    assert!(found.iter().all(|(_, place)| !place.contains("Zinc")), "{found:?}");
}

#[test]
fn a_value_of_another_row_column_or_item_is_flagged() {
    let table = "| Drug | First dose | Maximum |\n|---|---|---|\n| Losartan | 50 mg once daily | 100 mg |\n\
                 | Ramipril | 2.5 mg once daily | 10 mg |";
    let list =
        "## Low\n\n- **Mild:** 3 to 4. Give zinc 40 mg daily.\n- **Severe:** below 3. Give zinc 80 mg daily.";
    for (claim, source, place) in [
        ("The maximum of losartan is 10 mg [1].", table, "10 mg"),
        ("The maximum of losartan is 50 mg [1].", table, "50 mg"),
        ("Losartan is given at most at 10 mg [1].", table, "10 mg"),
        ("In mild cases give zinc 80 mg daily [1].", list, "80 mg daily"),
    ] {
        assert_eq!(flags(claim, &[source]), [(FlagKind::ValueElsewhere, place)], "{claim}");
    }
    for claim in [
        "The maximum of losartan is 100 mg [1].",
        "Ramipril starts at 2.5 mg once daily [1].",
        "At most 10 mg of ramipril [1].",
    ] {
        assert_eq!(flags(claim, &[table]), [], "{claim}");
    }
    let (_, found) = run("The maximum of losartan is 10 mg [1].", &[table]);
    assert_eq!(&table[found[0].source.as_ref().unwrap().span.clone()], "100 mg");
    // A value without its subject may be any row's.
    assert_eq!(status("It is 10 mg [1].", &[table]), ClaimStatus::NotChecked);
}

#[test]
fn crossed_values_are_flagged() {
    for (source, right, wrong) in [
        // In clauses of a sentence, in sentences, in rows and in items.
        (
            "Day passes cost 9 euros, week passes 40 euros.",
            "Day passes cost 9 euros, week passes 40 euros",
            "Day passes cost 40 euros, week passes 9 euros",
        ),
        (
            "Day passes cost 9 euros. Week passes cost 40 euros.",
            "Week passes cost 40 euros and day passes 9 euros",
            "Week passes cost 9 euros and day passes 40 euros",
        ),
        (
            "| Pass | Price |\n|---|---|\n| Day pass | 9 euros |\n| Week pass | 40 euros |",
            "Day passes have a price of 9 euros, week passes of 40 euros",
            "Day passes have a price of 40 euros, week passes of 9 euros",
        ),
        (
            "- Edition 6 needs Ruby 2\n- Edition 7 needs Ruby 3",
            "Edition 7 needs Ruby 3",
            "Edition 7 needs Ruby 2",
        ),
        (
            "Edition 6 needs Ruby 2, edition 7 needs Ruby 3.",
            "Edition 7 needs Ruby 3",
            "Edition 7 needs Ruby 2",
        ),
        (
            "The switch was announced in 1.4 and dropped in 1.9.",
            "The switch was announced in 1.4 and dropped in 1.9",
            "The switch was announced in 1.9 and dropped in 1.4",
        ),
        // Code is a value, too.
        (
            "Set `minify` to `no` and `verbose` to `yes`.",
            "Set `minify` to `no` and `verbose` to `yes`",
            "Set `minify` to `yes` and `verbose` to `no`",
        ),
        (
            "The default of `order` is `newest`. The default of `scope` is `mine`.",
            "The default of `scope` is `mine`",
            "The default of `scope` is `newest`",
        ),
    ] {
        for (claim, is_right) in [(right, true), (wrong, false)] {
            let claim = format!("{claim} [1].");
            let found: Vec<FlagKind> = flags(&claim, &[source]).into_iter().map(|flag| flag.0).collect();
            if is_right {
                assert_eq!(
                    (status(&claim, &[source]), found),
                    (ClaimStatus::Supported, Vec::new()),
                    "{claim}"
                );
            } else {
                assert!(found.contains(&FlagKind::ValueElsewhere), "{claim}: {found:?}");
            }
        }
    }
}

#[test]
fn numbers_of_no_source_and_places_of_no_text_are_left_out() {
    let (claims, flags) = run("Zinc helps children [7].", &["Zinc helps children."]);
    assert_eq!((claims[0].check.as_ref().unwrap().status, flags.len()), (ClaimStatus::Uncited, 0));
    let mut wrong = [Claim { start: 3, end: 900, sources: vec![1], ..Claim::default() }];
    assert_eq!(verify("é", &mut wrong, &sources(&["a"])), []);
}

#[test]
fn emphasis_makes_no_difference() {
    let table =
        "| eGFR | Metformin |\n| --- | --- |\n| 30 to 44 | Up to 1000 mg daily |\n| Below 30 | Stop |";
    for text in [
        "Metformin up to 1000 mg daily [1].",
        "Metformin up to **1000 mg** daily [1].",
        "*Metformin* up to 1000 **mg daily** [1].",
    ] {
        let (claims, flags) = run(text, &[table]);
        assert_eq!(claims[0].check.as_ref().unwrap().status, ClaimStatus::Supported, "{text}: {flags:?}");
    }
}

/// Inputs that would make a rule slow that looks back or ahead too far. Nothing is timed: a rule that is quadratic takes
/// minutes for these, and so does not pass unnoticed.
#[test]
fn a_quarter_of_a_megabyte_of_anything_is_checked() {
    for unit in [
        "a ",
        "1 ",
        "1-",
        "\"a ",
        "not ",
        "no increase ",
        "Aa ",
        "at least ",
        "5 mg/",
        "half a ",
        "漢",
        "…",
        "| a ",
        "- a\n",
        "A. ",
        "Aa b ",
        "Aa. ",
    ] {
        let text = unit.repeat((1 << 18) / unit.len()) + " [1].";
        let (claims, _) =
            run(&text, &[&text[..text.floor_char_boundary(1 << 16)], "It does not increase. \"a\" 1-2 mg"]);
        assert!(claims.iter().all(|claim| claim.check.is_some() || claims.len() > 1), "{unit:?}");
    }
}

proptest! {
    #[test]
    fn any_answer_is_checked(
        text in "([a-zé0-9 .,:!?\n|#\"“”%½$≥<>/-]|\\[1\\]|not |at least |mg |Anna |daily |漢字){0,80}",
        first in "([a-zé0-9 .,\n|#\"-]|not |mg |Anna |daily |漢字){0,80}",
        second in ".{0,60}",
    ) {
        let mut claims = claims(&text);
        let sources = sources(&[&first, &second]);
        for flag in verify(&text, &mut claims, &sources) {
            prop_assert!(text.get(flag.span).is_some());
            if let Some(place) = flag.source {
                prop_assert!(sources[place.number as usize - 1].hit.text.get(place.span).is_some());
            }
        }
        for claim in &claims {
            let check = claim.check.as_ref().unwrap();
            prop_assert!((0.0..=1.0).contains(&check.coverage));
            for evidence in check.evidence.iter().chain(&check.alternatives) {
                let source = &sources[evidence.number as usize - 1].hit.text;
                prop_assert!(source.get(evidence.span.clone()).is_some());
                for value in &evidence.values {
                    prop_assert!(text.get(value.span.clone()).is_some_and(|text| !text.is_empty()));
                    prop_assert!(value.found.clone().is_none_or(|found| source.get(found).is_some()));
                }
            }
        }
    }

    #[test]
    fn a_passage_supports_its_own_sentences(words in prop::collection::vec("[b-z]{4,9}", 3..12)) {
        let source = format!("It begins. Then {}. It ends.", words.join(" "));
        let claim = format!("Then {} [1].", words.join(" "));
        prop_assert_eq!(status(&claim, &[&source]), ClaimStatus::Supported);
    }
}

#[test]
fn another_number_of_the_same_things_is_flagged() {
    let source = "The hotel has 80 rooms. Green tea steeps at 80 degrees for two minutes.";
    for claim in ["The hotel has 95 rooms [1].", "Green tea steeps at 95 degrees [1]."] {
        assert_eq!(flags(claim, &[source]), [(FlagKind::NumberUnsupported, "95")], "{claim}");
    }
    // What the source counts nothing of may be known besides.
    assert!(flags("The hotel has 80 rooms and 3 doors [1].", &[source]).is_empty());
}

#[test]
fn a_value_without_words_of_its_own_belongs_to_the_clause_before() {
    let table = "| eGFR | Metformin | Sitagliptin |\n| --- | --- | --- |\n| 45 to 59 | Up to 2000 mg daily | 100 mg daily |\n\
                 | 30 to 44 | Up to 1000 mg daily | 50 mg daily |";
    assert_eq!(status("With an eGFR of 35, up to 1000 mg daily [1].", &[table]), ClaimStatus::Supported);
    assert_ne!(status("With an eGFR of 35, up to 2000 mg daily [1].", &[table]), ClaimStatus::Supported);
}
