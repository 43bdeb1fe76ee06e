//! Answers without a model, to passages of our own.

use proptest::prelude::*;

use super::super::check::Checked;
use super::super::source::tests::hit;
use super::*;

fn source(number: u32, title: &str, heading: &str, text: &str) -> Source {
    let mut hit = hit(number, text);
    title.clone_into(&mut hit.title);
    hit.heading_path = vec![title.to_owned(), heading.to_owned()];
    (hit.score, hit.relevance) = (1.0, 0.9);
    Source { number, hit, ..Source::default() }
}

fn answer(question: &str, sources: &[Source]) -> String {
    extractive_answer(question, sources).text
}

#[test]
fn the_sentence_that_has_most_of_the_question_is_quoted() {
    let text = "The lung is inflamed. Children get amoxicillin 40 mg/kg, e.g. twice daily. Reassess after 2.5 days! Bye.";
    let sources = [source(1, "Pneumonia", "Treatment", text)];
    let extract = extractive_answer("What dose of amoxicillin do children get for pneumonia?", &sources);
    assert_eq!(
        extract.text,
        "Pneumonia › Treatment\n\nChildren get amoxicillin 40 mg/kg, e.g. twice daily. [1]"
    );
    assert_eq!(&extract.text[extract.citations[0].span.clone()], "[1]");
    assert!(extract.answerable);
}

#[test]
fn nothing_is_quoted_where_nothing_answers() {
    let tea = source(1, "Tea", "Steeping", "Green tea steeps for two minutes.");
    let mut far = tea.clone();
    far.hit.relevance = 0.2;
    for (question, sources) in [
        ("How long does green tea steep?", &[][..]),
        ("How long does green tea steep?", &[source(1, "", "", ""), source(2, "", "", " \n ")]),
        ("What is the price of coffee beans in Brazil?", std::slice::from_ref(&tea)),
        ("What is the price of tea?", std::slice::from_ref(&far)),
    ] {
        let extract = extractive_answer(question, sources);
        assert_eq!((extract.text.as_str(), extract.citations.len()), (NOTHING_FOUND, 0), "{question}");
        assert!(!extract.answerable);
    }
}

#[test]
fn a_question_that_is_a_heading_is_answered_by_its_section() {
    let text =
        "- **Type:** `number`\n- **Default:** `8000`\n\nThe server listens on it, or on the next free one.";
    let sources = [source(1, "Options", "server.port", text)];
    assert!(answer("What does server.port do?", &sources).contains("the next free one. [1]"));
}

#[test]
fn what_stands_around_a_short_answer_is_quoted_with_it() {
    let entry = "- **Type:** `number`\n- **Default:** `8000`\n\nThe port that the server listens on.";
    let found = answer("What port does the server use by default?", &[source(1, "Options", "port", entry)]);
    assert_eq!(found, format!("Options › port\n\n{entry} [1]"));
    // A lead is nothing without its code, and what is too long stays out.
    let lead = "Now the book can be printed as a book:\n\n```sh\nbook print\n```\n";
    let long = format!("{}\n\n{lead}", "Other books are bound by hand. ".repeat(50));
    let found = answer("How do I print the book?", &[source(1, "Books", "Paper", &long)]);
    assert_eq!(found, format!("Books › Paper\n\n{}\n\n[1]", lead.trim_end()));
    let cut = source(2, "Books", "Paper", "Now the book can be printed as a book:");
    assert_eq!(answer("How do I print the book?", &[cut]), NOTHING_FOUND);
}

#[test]
fn a_name_that_no_passage_has_is_not_answered_about() {
    let text = "Deploy your site to a static host with one command.";
    let sources = [source(1, "Hosting", "Deploy", text)];
    assert!(extractive_answer("How do I deploy my site to a static host?", &sources).answerable);
    assert!(!extractive_answer("How do I deploy my site to Heroku?", &sources).answerable);
    let netlify = source(2, "Netlify", "Deploy", text);
    assert!(extractive_answer("How do I deploy my site to Netlify?", &[netlify]).answerable);
}

#[test]
fn no_quote_contradicts_the_circumstances_of_the_question() {
    let sources = [
        source(
            1,
            "Otitis media",
            "Antibiotic",
            "Use amoxicillin. Watch for a rash. For penicillin allergy use clarithromycin.",
        ),
        source(2, "Otitis media", "Adults", "Use amoxicillin 500 mg, or doxycycline in penicillin allergy."),
        source(3, "Otitis media", "Pregnancy", "Give amoxicillin, an antibiotic for otitis media."),
    ];
    let allergic =
        answer("Which antibiotic for a child with otitis media who is allergic to penicillin?", &sources);
    assert_eq!(allergic, "Otitis media › Antibiotic\n\nFor penicillin allergy use clarithromycin. [1]");
    let plain = answer("Which antibiotic for otitis media?", &sources);
    assert!(plain.starts_with("Otitis media › Antibiotic"), "{plain}");
    let pregnant = answer("Which antibiotic for otitis media in pregnancy?", &sources);
    assert!(pregnant.starts_with("Otitis media › Pregnancy"), "{pregnant}");
    let without = [source(
        1,
        "Thyroxine",
        "Dose",
        "- Full dose of thyroxine without heart disease\n- Low dose of thyroxine with heart disease\n",
    )];
    let heart = answer("Which dose of thyroxine with heart disease?", &without);
    assert!(heart.contains("- Low dose") && !heart.contains("Full dose"), "{heart}");
}

#[test]
fn rows_come_with_their_head_and_items_with_their_lead() {
    let table = "| Drug | Dose |\n|---|---|\n| Zinc | 20 mg |\n| Iron | 5 mg |\n| Salt | 1 g |";
    assert_eq!(
        answer("How much zinc and salt?", &[source(1, "Doses", "", table)]),
        "Doses\n\n| Drug | Dose |\n|---|---|\n| Zinc | 20 mg |\n| Salt | 1 g |\n\n[1]"
    );
    let list = "Bring these to the harbour:\n\n- a rope\n- a lamp\n  with oil\n- a map";
    assert_eq!(
        answer("Which lamp to bring to the harbour?", &[source(1, "", "", list)]),
        "Bring these to the harbour:\n\n- a lamp\n  with oil [1]"
    );
    assert_eq!(
        answer("What to bring to the harbour?", &[source(1, "", "", list)]),
        "Bring these to the harbour:\n\n- a rope\n- a lamp\n  with oil\n- a map [1]"
    );
    let code = "Start the engine this way:\n\n```sh\nengine start. Then\n\nwait\n```\nBye.";
    assert_eq!(
        answer("How do I start the engine?", &[source(1, "Engine", "Start", code)]),
        "Engine › Start\n\nStart the engine this way:\n\n```sh\nengine start. Then\n\nwait\n```\nBye. [1]"
    );
}

#[test]
fn a_time_is_no_amount() {
    let sources = [
        source(1, "Anaphylaxis", "", "Repeat adrenaline in adults with anaphylaxis after 5 minutes."),
        source(2, "Anaphylaxis", "", "Adrenaline in adults with anaphylaxis is 0.5 mg, into a muscle."),
    ];
    let found = answer("How much adrenaline in adults with anaphylaxis?", &sources);
    assert!(found.contains("0.5 mg") && found.ends_with("[2]"), "{found}");
}

#[test]
fn a_definition_is_preferred_where_one_is_asked_for() {
    let text = "A long text about a daemon set and a daemon set. A daemon set is a set of pods, one a node. Delete a daemon set.";
    let found = answer("What is a daemon set?", &[source(1, "Workloads", "", text)]);
    assert_eq!(found, "Workloads\n\nA daemon set is a set of pods, one a node. Delete a daemon set. [1]");
}

#[test]
fn a_definition_begins_with_its_subject() {
    let text = "Because ownership is a new idea, be patient. Ownership is Rust's best feature.\n\n\
                _Ownership_ is a set of rules that the Rust compiler checks.";
    let found = answer("What is ownership in Rust?", &[source(1, "Memory", "", text)]);
    assert_eq!(found, "Memory\n\n_Ownership_ is a set of rules that the Rust compiler checks. [1]");
}

#[test]
fn a_definition_does_not_repeat_its_subject() {
    let mut sources = [
        source(1, "API", "", "A daemonset represents the state of a daemon set."),
        source(2, "Basics", "", "A daemonset ensures that each node runs a pod."),
        source(3, "Daemonset", "", "A daemonset runs a pod on each node.\n\nDelete a daemonset with care."),
    ];
    let found = answer("What is a daemonset?", &sources[..2]);
    assert!(found.starts_with("Basics"), "{found}");
    // The first piece on the page of the thing.
    sources[2].hit.chunk_index = 0;
    let found = answer("What is a daemonset?", &sources[2..]);
    assert!(found.starts_with("Daemonset\n\nA daemonset runs a pod"), "{found}");
}

#[test]
fn steps_of_one_list_are_quoted_together_and_their_place_once() {
    let step = |number: u32, at: u32, text: &str| {
        let mut source = source(number, "Hosting", "Pages", text);
        source.hit.chunk_index = at;
        source
    };
    let sources = [
        step(1, 5, "2. Enable pages.\n3. Deploy the site to pages."),
        step(2, 4, "1. Set the base."),
        step(3, 8, "1. Remove the site."),
        step(4, 6, "A site is public."),
    ];
    assert_eq!(
        answer("How do I deploy a site to pages?", &sources),
        "Hosting › Pages\n\n1. Set the base. [2]\n\n2. Enable pages.\n3. Deploy the site to pages. [1]"
    );
}

#[test]
fn a_further_quote_adds_a_word_and_is_no_repetition() {
    let sources = [
        source(1, "Salts", "", "Zinc is given to children with diarrhoea for ten days."),
        source(2, "Salts", "", "Zinc is given to children, with diarrhoea, for ten days!"),
        source(3, "Salts", "", "Iron is given to children with diarrhoea later."),
    ];
    let extract = extractive_answer("Is zinc or iron given to children with diarrhoea?", &sources);
    let numbers: Vec<u32> = extract.citations.iter().map(|citation| citation.number).collect();
    assert_eq!(numbers, [3, 1], "{}", extract.text);
    assert_eq!(extractive_answer("Is zinc given to children with diarrhoea?", &sources).citations.len(), 1);
}

#[test]
fn marks_of_the_passage_are_escaped_and_other_languages_answered() {
    let own = answer("Does zinc help?", &[source(1, "[2]", "", "Zinc helps [7] much.")]);
    assert_eq!(own, "\\[2]\n\nZinc helps \\[7] much. [1]");
    let japanese = answer("用量", &[source(1, "", "", "用法。用量は一日三回。")]);
    assert_eq!(japanese, "用法。用量は一日三回。 [1]");
}

#[test]
fn long_sentences_and_lists_are_cut() {
    let long = answer("wörter", &[source(1, "", "", &"wörter ".repeat(500))]);
    assert!(long.ends_with("wörter … [1]") && long.len() < 620, "{long}");
    assert!(answer("漢", &[source(1, "", "", &"漢".repeat(1000))]).len() < 620);
    let rows = answer("zinc", &[source(1, "", "", &"| Zinc | 20 mg |\n".repeat(500))]);
    assert!(rows.ends_with("| Zinc | 20 mg |\n\n…\n\n[1]") && rows.len() < 1300, "{rows}");
}

#[test]
fn every_sentence_of_a_quote_that_begins_with_a_sign_is_cited() {
    let sources = [source(1, "", "", "#f#1? 1\u{a1} fever ")];
    let extract = extractive_answer("How long does fever last, a fever?", &sources);
    let quoted = Checked { citations: extract.citations.clone(), flags: Vec::new() };
    let claims = quoted.claims(&extract.text);
    assert!(claims.len() > 1 && claims.iter().all(|claim| claim.sources == [1]), "{:?}", extract.text);
}

proptest! {
    #[test]
    fn quotes_are_verbatim_and_spans_hold(
        question in ".{0,60}",
        texts in prop::collection::vec("([a-zé日 .!?\n|#-]|fever |1. ){0,120}", 0..6),
    ) {
        let sources: Vec<Source> =
            (1..).zip(&texts).map(|(number, text)| source(number, "", "", text)).collect();
        for question in [question.as_str(), "How long does fever last, a fever?"] {
            let extract = extractive_answer(question, &sources);
            for citation in &extract.citations {
                let mark = format!("[{}]", citation.number);
                prop_assert_eq!(&extract.text[citation.span.clone()], mark.as_str());
            }
            // Each sentence of a quote counts as cited, so that none is flagged for citing nothing.
            let quoted = Checked { citations: extract.citations.clone(), flags: Vec::new() };
            let claims = quoted.claims(&extract.text);
            prop_assert!(extract.citations.is_empty() || claims.iter().all(|claim| !claim.sources.is_empty()), "{:?}", extract.text);
        }
    }
}

#[test]
fn a_number_within_the_range_of_a_row_is_in_it() {
    let table =
        "| eGFR | Most a day |\n|---|---|\n| 45 or more | 2 g |\n| 30 to 44 | 1 g |\n| below 30 | none |\n";
    let found = answer(
        "How much metformin may someone take whose eGFR is 35?",
        &[source(1, "Metformin", "Kidneys", table)],
    );
    assert!(found.contains("| 30 to 44 | 1 g |"), "{found}");
    assert!(!found.contains("45 or more") && !found.contains("below 30"), "{found}");
}

#[test]
fn places_are_headings_of_the_tree_and_lines_of_the_text() {
    let sources = [source(1, "1. Lease", "Deposit", "The deposit is two months of rent.")];
    let extract = extractive_answer("How much is the deposit?", &sources);
    assert_eq!(extract.text, "1. Lease › Deposit\n\nThe deposit is two months of rent. [1]");
    let tree = extract.tree(&sources);
    let [Node::Heading { level: 5, children }, Node::Paragraph { children: said }] = &tree[..] else {
        panic!("{tree:?}")
    };
    assert_eq!(children, &[Node::Text { text: "1. Lease › Deposit".to_owned(), start: 0, end: 20 }]);
    assert!(matches!(said.last(), Some(Node::Citation { number: 1, .. })), "{said:?}");
    assert!(
        extract.body().trim_start().starts_with("The deposit") && extract.body().len() == extract.text.len()
    );
}

#[test]
fn each_claim_says_where_it_stands() {
    let text =
        "Do not give aspirin.\n\nBefore you start:\n\n- Stop the old server.\n- Note its port, as in [3].\n";
    let sources = [
        source(7, "Moving", "Steps", text),
        source(2, "Moving", "Aspirin", "Do not give aspirin to children."),
    ];
    let mut seen = 0;
    for question in ["How do I move and stop the old server?", "May children get aspirin?"] {
        for claim in extractive_answer(question, &sources).claims() {
            let check = claim.check.unwrap();
            let [place] = &check.evidence[..] else { panic!("{check:?}") };
            let source = sources.iter().find(|source| source.number == place.number).unwrap();
            assert_eq!((check.status, claim.sources), (ClaimStatus::Supported, vec![place.number]));
            let said = &source.hit.text[place.span.clone()];
            assert!(
                said == claim.text || claim.text.contains("\\[3]") && said.contains("[3]"),
                "{said} {}",
                claim.text
            );
            seen += 1;
        }
    }
    assert!(seen >= 4, "{seen}");
}
