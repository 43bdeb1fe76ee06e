//! Hits in the order of a field, and lists of documents.

use super::*;

fn news() -> Retriever {
    let page = |fields: &str, text: &str| format!("---\n{fields}\n---\n# {text}\n");
    let pages = [
        page("date: 2024-05-01\nprice: 10", "Zen of tea\n\nGreen tea and black tea steep in water."),
        page("date: 2026-01-15\nprice: 9", "about tea\n\nTea of today is green tea."),
        page(
            "date: 2025-02-01\nprice: 9.5",
            "Éclairs\n\nOil has little to do with it, and the chain neither.",
        ),
        page("draft: true", "Bread\n\nGreen tea bread has green tea."),
        page("date: 2024-05-01", "Tea again\n\nGreen tea, green tea, and green tea once more."),
    ];
    let names = ["a.md", "b.md", "c.md", "d.md", "e.md"];
    of(&names.into_iter().zip(pages.iter().map(String::as_str)).collect::<Vec<_>>())
}

fn documents(retriever: &Retriever, json: &str) -> String {
    let response = retriever.retrieve(&query(json)).unwrap();
    response.hits.iter().map(|hit| hit.document_id.as_str()).collect()
}

#[test]
fn hits_are_sorted_by_a_field_and_what_is_not_relevant_is_none() {
    let news = news();
    let sorted = |json: &str| documents(&news, &format!(r#"{{"text": "green tea", {json}}}"#));
    assert_eq!(sorted(r#""sort": "date""#).len(), 4, "the one about oil is left out");
    assert_eq!(sorted(r#""sort": "date""#)[..1], *"b");
    assert_eq!(sorted(r#""sort": "date""#)[3..], *"d", "pages without the field come last");
    let relevant = sorted(r#""minRelevance": 0.5"#);
    let by_relevance = |of: &str| relevant.chars().filter(|id| of.contains(*id)).collect::<String>();
    assert_eq!(sorted(r#""sort": "date""#)[1..3], by_relevance("ae"), "equal dates");
    let oldest = sorted(r#""sort": {"field": "date", "order": "ascending"}"#);
    assert_eq!((&oldest[2..], by_relevance("ae")), ("bd", oldest[..2].to_owned()));
    assert_eq!(sorted(r#""sort": "price""#)[..2], *"ab", "the largest number first");
    assert_eq!(sorted(r#""sort": "title""#), "bdea", "regardless of case");
    assert_eq!(sorted(r#""sort": "date", "minRelevance": 0"#).len(), 5);
    let found = news.retrieve(&query(r#"{"text": "green tea", "sort": "date", "limit": 1}"#)).unwrap();
    assert_eq!((found.total, found.hits.len()), (4, 1));
    let counted = query(r#"{"text": "green tea", "sort": "date", "facets": ["date"], "groupBy": "page"}"#);
    assert_eq!(news.retrieve(&counted).unwrap().facets[0].documents, 3);
    let code = |json: &str| news.retrieve(&query(json)).unwrap_err().code();
    assert_eq!(code(r#"{"text": "tea", "sort": "author"}"#), ErrorCode::FilterInvalid);
    assert_eq!(code(r#"{"text": "tea", "sort": "date", "mmr": {}}"#), ErrorCode::InvalidOption);
    for wrong in [r#"{"sort": 3}"#, r#"{"sort": {"field": "a", "order": "up"}}"#, r#"{"sort": {"by": "a"}}"#]
    {
        assert!(serde_json::from_str::<Query>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn without_a_text_documents_are_listed() {
    let news = news();
    let listed = |json: &str| documents(&news, json);
    assert_eq!(listed(r#"{"sort": "date"}"#), "bcaed");
    assert_eq!(listed(r#"{"sort": "title", "limit": 2, "offset": 1}"#), "dc");
    assert_eq!(listed(r#"{"text": " ", "filter": {"price": {"gte": 9.2}}, "mode": "lexical"}"#), "ac");
    let list =
        query(r#"{"filter": {"date": "2024-05-01"}, "facets": ["price"], "limit": 1, "groupBy": "page"}"#);
    let found = news.retrieve(&list).unwrap();
    assert_eq!((found.total, found.hits.len(), found.facets[0].documents), (2, 1, 1));
    let first = &found.hits[0];
    assert!(first.relevance > 0.5 && first.highlights.is_empty() && !first.excerpt.is_empty());
    assert_eq!(code("{}"), ErrorCode::QueryEmpty);
    assert_eq!(code(r#"{"facets": ["year"]}"#), ErrorCode::QueryEmpty);
}

#[test]
fn a_passage_of_several_documents_lists_each_once() {
    const SAME: &str = "---\nyear: 1\n---\n# Same\n\nGreen tea.\n";
    let own = SAME.replace("year: 1", "year: 2")
        + "\n## More\n\nBlack tea wants water that has come to the boil a moment ago, in a warm pot.\n";
    let retriever = of(&[("a.md", SAME), ("b.md", &own), ("c.md", &SAME.replace("year: 1", "year: 3"))]);
    assert_eq!(documents(&retriever, r#"{"sort": "year"}"#), "ba", "all of the last is in the first too");
    assert_eq!(documents(&retriever, r#"{"filter": {"year": {"gte": 2}}}"#), "b");
}

#[test]
fn the_column_of_the_field_is_fetched_first() {
    let file = file(&[("tea.md", TEA), ("bikes.md", BIKES), ("rules.md", RULES)], Calibration::default());
    let layout = FileLayout::parse(&file).unwrap();
    let piece = |range: &Range<u64>| file[range.start as usize..range.end as usize].to_vec();
    let head = layout.needed().iter().map(|range| (range.start, piece(range))).collect();
    let retriever =
        Retriever::new(Index::open_pieces(layout, head).unwrap(), Box::new(Topics::new())).unwrap();
    for json in [r#"{"text": "water", "sort": "year"}"#, r#"{"sort": "title"}"#] {
        let query = query(json);
        assert_eq!(retriever.retrieve(&query).unwrap_err().code(), ErrorCode::IndexIncomplete);
        while let ranges @ [_, ..] = retriever.missing(&query).unwrap().as_slice() {
            for range in ranges {
                retriever.index().provide(range.start, piece(range)).unwrap();
            }
        }
        let expected = if query.text.is_empty() { "bikesrulestea" } else { "teabikes" };
        assert_eq!(documents(&retriever, json), expected);
    }
}
