//! Hits by document, and page by page.

use super::*;

#[test]
fn documents_are_limited_and_likeness_is_avoided() {
    let grouped =
        all().retrieve(&Query { group: Some(1), min_relevance: Some(0.0), ..Query::new("tea") }).unwrap();
    let mut documents: Vec<_> = grouped.hits.iter().map(|hit| hit.document_id.as_str()).collect();
    let count = documents.len();
    documents.sort_unstable();
    documents.dedup();
    assert_eq!(documents.len(), count);
    let mmr = |lambda| Query {
        mmr: Some(Mmr { lambda }),
        min_relevance: Some(0.0),
        limit: 3,
        ..Query::new("chain")
    };
    let (plain, mixed) = (all().retrieve(&mmr(1.0)).unwrap(), all().retrieve(&mmr(0.2)).unwrap());
    assert_eq!(texts(&plain)[0], texts(&mixed)[0]);
    assert_ne!(texts(&plain), texts(&mixed));
}

#[test]
fn pages_of_results_go_on_where_the_last_ended() {
    let found = |json: &str| all().retrieve(&query(json)).unwrap();
    let whole = found(r#"{"text": "tea water", "limit": 4}"#);
    let pieces = [0, 1, 2, 3].map(|at| {
        let piece = found(&format!(r#"{{"text": "tea water", "limit": 1, "offset": {at}}}"#));
        assert_eq!(piece.total, whole.total);
        piece.hits.into_iter().map(|hit| hit.text).collect::<Vec<_>>()
    });
    assert_eq!(pieces.concat(), texts(&whole));
    assert!(found(r#"{"text": "tea water", "offset": 1000}"#).hits.is_empty());
    assert_eq!(found(r#"{"text": "zzzz qqqq", "mode": "lexical"}"#).total, 0);
    let beyond = all().retrieve(&query(r#"{"text": "tea", "offset": 1001}"#)).unwrap_err();
    assert_eq!(beyond.code(), ErrorCode::InvalidOption);
}

#[test]
fn hits_of_a_page_stand_together_and_pages_are_counted() {
    let found = |json: &str| all().retrieve(&query(json)).unwrap();
    let documents = |response: &Response| -> Vec<String> {
        let mut ids: Vec<_> = response.hits.iter().map(|hit| hit.document_id.clone()).collect();
        ids.dedup();
        ids
    };
    let pages = found(r#"{"text": "tea water", "groupBy": "page", "limit": 2, "group": 2}"#);
    let ids = documents(&pages);
    assert_eq!(ids.len(), 2, "two documents, neither of them twice: {ids:?}");
    assert!(pages.hits.len() > 2, "more than a passage of one");
    assert!(pages.total >= 1 && pages.total <= 3);
    let next = found(r#"{"text": "tea water", "groupBy": "page", "limit": 2, "offset": 1, "group": 2}"#);
    assert_eq!(documents(&next)[0], ids[1]);
    let alone = found(r#"{"text": "tea water", "groupBy": "page", "limit": 1}"#);
    assert!(alone.hits.len() <= 3 && documents(&alone) == ids[..1]);
}

#[test]
fn the_page_and_the_section_of_a_title_come_before_those_that_repeat_it() {
    let repeated = "Oil is used here. Oil of a chain is oil. ".repeat(6);
    let manual = format!("# Manual\n\n## Oil and chains\n\n{repeated}\n\n## The oils\n\nA list.\n");
    let documents = [("a.md", manual.as_str()), ("oil.md", "# Oil\n\nA short page.\n\n## More\n\nOil it.\n")];
    let found = |json: &str| {
        let hits = of(&documents).retrieve(&query(json)).unwrap().hits;
        assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
        hits.into_iter()
            .map(|hit| format!("{} {}", hit.source, hit.heading_path.join(" ")))
            .collect::<Vec<_>>()
    };
    // The page once, the section that is called so in another number, then what is only about it.
    let order = found(r#"{"text": "oil", "minRelevance": 0, "limit": 10}"#);
    assert_eq!(order[..2], ["oil.md Oil", "a.md Manual The oils"], "{order:?}");
    let pages = found(r#"{"text": "oil", "minRelevance": 0, "limit": 10, "groupBy": "page"}"#);
    assert!(pages[0].starts_with("oil.md"), "{pages:?}");
    let nearest = found(r#"{"text": "oil", "minRelevance": 0, "limit": 10, "mode": "vector"}"#);
    assert!(nearest[0].starts_with("a.md"), "vectors alone rank by vectors alone: {nearest:?}");
}

#[test]
fn the_definition_of_a_name_comes_before_what_mentions_it() {
    let prose = "Running subprocesses is done by subprocess.run, and subprocess.run runs them.";
    let running = format!("# Loop\n\n## Running Subprocesses\n\n{prose}\n\n## Run subprocess\n\n{prose}");
    let documents = [
        ("loop.md", running.as_str()),
        (
            "process.md",
            "# Processes\n\n## subprocess.run(args, *, input=None)\n\nWaits for it.\n\n## More\n\nText.",
        ),
        ("String.md", "# String\n\n## public String cut(int begin)\n\nA part of it."),
        ("Text.md", "# Text\n\n## Cut a String\n\nString.cut cuts it."),
    ];
    for (name, source) in
        [("subprocess.run", "process.md"), ("String.cut", "String.md"), ("cut", "String.md")]
    {
        let query = Query { min_relevance: Some(0.0), limit: 10, ..Query::new(name) };
        let hits = of(&documents).retrieve(&query).unwrap().hits;
        assert_eq!(hits[0].source, source, "{name}");
    }
}
