use super::*;
use crate::{Fusion, Like, Mmr, Mode, NearDuplicates, Rule};
use ibid_document::Document;
use ibid_document::chunk::{ChunkOptions, chunk};
use ibid_embed::{Embedding, Task};
use ibid_index::{BuildOptions, Calibration, Encoder, FileLayout, Filter, IndexBuilder};

mod browse;
mod pages;

/// What the texts below are about, each a direction of its own.
const TOPICS: [&str; 6] = ["tea", "green", "black", "chain", "oil", "water"];

/// Counts words: enough of a language model to tell texts apart.
struct Topics(Space);

impl Topics {
    fn new() -> Self {
        Self(Space { name: "topics".into(), dimensions: TOPICS.len() as u32, fingerprint: "1".into() })
    }
}

impl Embedder for Topics {
    fn space(&self) -> &Space {
        &self.0
    }

    fn embed(&self, texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
        let vector = |text: &&str| {
            let text = text.to_lowercase();
            Embedding::normalized(TOPICS.map(|topic| text.matches(topic).count() as f32).into())
        };
        Ok(texts.iter().map(vector).collect())
    }
}

const TEA: &str = "---\nevidence_level: rct\nyear: 2020\n---\n# Tea\n\n## Green tea\n\nGreen tea steeps for two minutes.\n\n## Black tea\n\nBlack tea wants boiling water.\n\n## Storage\n\nKeep it dark, dry and cool.\n";
const BIKES: &str = "---\nevidence_level: expert_opinion\nyear: 2010\n---\n# Bicycles\n\n## Chains\n\nOil the chain every month.\n\n## Rust\n\nWater makes rust of a chain.\n";
const RULES: &str = "# Rules of the house\n\nGreen and black tea stand beside oil.\n";

fn file(documents: &[(&str, &str)], calibration: Calibration) -> Vec<u8> {
    file_with(documents, BuildOptions::default(), calibration)
}

fn file_with(documents: &[(&str, &str)], options: BuildOptions, calibration: Calibration) -> Vec<u8> {
    let mut builder = IndexBuilder::new(Topics::new().0, ChunkOptions::default(), options);
    for (name, text) in documents {
        let document = Document::parse(name, text.as_bytes()).unwrap();
        // So small that each section becomes a passage of its own.
        let options = ChunkOptions { budget: 16, min_size: 0, ..ChunkOptions::default() };
        builder.add(&document, &chunk(&document, &options)).unwrap();
    }
    builder.embedded(&Topics::new().embed(&builder.pending(100), Task::Document).unwrap()).unwrap();
    builder.assemble().unwrap().finish(calibration).unwrap()
}

fn open(file: Vec<u8>) -> Retriever {
    Retriever::new(Index::open(file).unwrap(), Box::new(Topics::new())).unwrap()
}

fn of(documents: &[(&str, &str)]) -> Retriever {
    open(file(
        documents,
        Calibration { unrelated: 0.1, near: 0.28, separation: 0.9, ..Calibration::default() },
    ))
}

fn all() -> Retriever {
    of(&[("tea.md", TEA), ("bikes.md", BIKES), ("rules.md", RULES)])
}

fn texts(response: &Response) -> Vec<&str> {
    response.hits.iter().map(|hit| hit.text.as_str()).collect()
}

/// A query for the passages of other documents that are most like one.
fn like(chunk: u32) -> Query {
    Query { like: Some(Like { chunk, same_document: false }), ..Query::default() }
}

fn query(json: &str) -> Query {
    serde_json::from_str(json).unwrap()
}

fn found(json: &str) -> Vec<String> {
    texts(&all().retrieve(&query(json)).unwrap()).into_iter().map(str::to_owned).collect()
}

fn code(json: &str) -> ErrorCode {
    all().retrieve(&query(json)).unwrap_err().code()
}

#[test]
fn a_hit_has_all_that_is_known() {
    let response = all().retrieve(&query(r#"{"text": "green tea minutes"}"#)).unwrap();
    let hit = &response.hits[0];
    assert_eq!(hit.text, "Green tea steeps for two minutes.");
    assert_eq!(hit.heading_path, ["Tea", "Green tea"]);
    assert_eq!((hit.title.as_str(), hit.source.as_str(), hit.line), ("Tea", "tea.md", 9));
    assert_eq!(hit.metadata["evidence_level"], "rct");
    assert_eq!(hit.metadata["year"], 2020);
    assert!(hit.cosine.unwrap() > 0.8 && hit.bm25.unwrap() > 0.0 && hit.relevance > 0.5);
    assert!(hit.score > 0.5 && hit.score <= 1.0);
    let marked: Vec<_> = hit.highlights.iter().map(|range| &hit.text[range.clone()]).collect();
    assert_eq!(marked, ["Green", "tea", "minutes"]);
    assert_eq!(hit.excerpt, hit.text);
    assert!(response.explain.is_none() && response.facets.is_empty());
}

#[test]
fn words_alone_rank_what_the_model_has_not_learned() {
    const TEE: &str = "# Tee\n\n## Grüner Tee\n\nGrüner Tee zieht zwei Minuten und wird nicht mit kochendem Wasser \
        gemacht.\n\n## Schwarzer Tee\n\nSchwarzer Tee ist stark und wird mit kochendem Wasser gemacht.\n";
    let plain = Query { explain: true, ..Query::new("Wie lange soll der grüne Tee ziehen?") };
    let mode =
        |retriever: &Retriever, query: &Query| retriever.retrieve(query).unwrap().explain.unwrap().mode;
    let german = of(&[("tee.md", TEE)]);
    let said = german.index().manifest().words_alone().unwrap();
    assert!(said.contains("words alone rank") && said.contains("(de)"), "{said}");
    assert_eq!(mode(&german, &plain), Mode::Lexical);
    let found = german.retrieve(&plain).unwrap();
    assert_eq!(found.hits[0].heading_path, ["Tee", "Grüner Tee"]);
    // A query for both, or with a vector of another model, gets both.
    assert_eq!(mode(&german, &Query { mode: Some(Mode::Hybrid), ..plain.clone() }), Mode::Hybrid);
    assert_eq!(
        mode(&german, &Query { vector: Some(vec![1.0; TOPICS.len()]), ..plain.clone() }),
        Mode::Hybrid
    );
    assert_eq!(mode(&all(), &plain), Mode::Hybrid);

    let mixed = of(&[("tee.md", TEE), ("tea.md", TEA), ("bikes.md", BIKES)]);
    assert!(mixed.index().manifest().words_alone().unwrap().contains("several languages"));
    let blind = Calibration { unrelated: 0.2, near: 0.4, separation: 0.6, ..Calibration::default() };
    let codes = open(file(&[("bikes.md", BIKES)], blind));
    assert!(codes.index().manifest().words_alone().unwrap().contains("60 %"));
    let options = BuildOptions { encoder: Encoder::Embedder, ..BuildOptions::default() };
    let foreign = open(file_with(&[("tee.md", TEE)], options, Calibration::default()));
    assert_eq!(foreign.index().manifest().words_alone(), None);
}

#[test]
fn each_mode_ranks_by_its_own_score() {
    let first = |mode| {
        let query = Query { mode: Some(mode), ..Query::new("chain oil") };
        all().retrieve(&query).unwrap().hits.swap_remove(0)
    };
    let by_vector = first(Mode::Vector);
    assert_eq!((by_vector.cosine, by_vector.bm25), (Some(by_vector.score), None));
    let by_words = first(Mode::Lexical);
    assert_eq!((by_words.cosine, by_words.bm25), (None, Some(by_words.score)));
    let by_both = first(Mode::Hybrid);
    assert!(by_both.cosine.is_some() && by_both.bm25.is_some());
    for hit in [by_vector, by_words, by_both] {
        assert!(hit.text.starts_with("Oil the chain"), "{}", hit.text);
    }
    let rrf = Query { fusion: Fusion::Rrf { k: 60.0 }, ..Query::new("chain oil") };
    assert!(all().retrieve(&rrf).unwrap().hits[0].score < 0.04);
}

#[test]
fn words_find_what_vectors_do_not_know_and_the_other_way_round() {
    assert_eq!(found(r#"{"text": "dark"}"#), ["Keep it dark, dry and cool."]);
    assert!(found(r#"{"text": "dark", "mode": "vector"}"#).is_empty());
    assert_eq!(found(r#"{"text": "greenish"}"#)[0], "Green tea steeps for two minutes.");
}

#[test]
fn what_has_nothing_to_do_with_the_query_is_left_out() {
    assert!(found(r#"{"text": "the price of gold"}"#).is_empty());
    assert_eq!(found(r#"{"text": "green tea", "minRelevance": 0, "limit": 50, "mode": "vector"}"#).len(), 6);
    let relevant = found(r#"{"text": "green tea", "minRelevance": 0.5}"#).len();
    assert!(relevant >= 2 && relevant < found(r#"{"text": "green tea", "limit": 50}"#).len());
    let strict = found(r#"{"text": "tea in the kitchen", "minRelevance": 1}"#).len();
    assert!(strict < found(r#"{"text": "tea in the kitchen", "minRelevance": 0}"#).len());
}

#[test]
fn a_phrase_must_be_there() {
    assert_eq!(found(r#"{"text": "\"black tea wants\""}"#), ["Black tea wants boiling water."]);
    assert!(found(r#"{"text": "\"tea black\""}"#).is_empty());
}

#[test]
fn a_filter_holds_in_every_mode() {
    for mode in ["hybrid", "vector", "lexical"] {
        let json = format!(
            r#"{{"text": "water oil", "mode": "{mode}", "minRelevance": 0, "limit": 50,
                "filter": {{"must": [{{"key": "year", "range": {{"lt": 2015}}}}]}}}}"#
        );
        let response = all().retrieve(&query(&json)).unwrap();
        assert!(
            !response.hits.is_empty() && response.hits.iter().all(|hit| hit.title == "Bicycles"),
            "{mode}"
        );
    }
    assert_eq!(
        code(r#"{"text": "x", "filter": {"must": [{"key": "colour", "match": {"value": "red"}}]}}"#),
        ErrorCode::FilterInvalid
    );
    assert_eq!(
        code(r#"{"text": "x", "filter": {"must": [{"key": "year", "match": {"value": "red"}}]}}"#),
        ErrorCode::FilterInvalid
    );
    assert_eq!(code(r#"{"text": "x", "facets": ["colour"]}"#), ErrorCode::FilterInvalid);
    let error = Filter::from_json(&serde_json::json!({"must": [{"key": 1}]})).unwrap_err();
    assert_eq!(error.code(), ErrorCode::FilterInvalid);
}

#[test]
fn facets_are_counted_over_what_was_found() {
    let values = |json: &str| {
        let response = all().retrieve(&query(json)).unwrap();
        response.facets.iter().map(|facet| (facet.field.clone(), facet.values.len())).collect::<Vec<_>>()
    };
    let counts = |year, level| vec![("year".to_owned(), year), ("evidence_level".to_owned(), level)];
    assert_eq!(values(r#"{"text": "tea", "facets": ["year", "evidence_level"]}"#), counts(1, 1));
    assert_eq!(values(r#"{"text": "water", "facets": ["year", "evidence_level"]}"#), counts(2, 2));
    let filtered = r#"{"text": "water", "filter": {"year": 2010}, "facets": ["year", "evidence_level"]}"#;
    assert_eq!(values(filtered), counts(1, 1));
    assert_eq!(values(r#"{"text": "\"tea water\"", "facets": ["year", "evidence_level"]}"#), counts(0, 0));
}

#[test]
fn words_that_the_index_lacks_find_only_what_is_near() {
    let documents = [("tea.md", TEA), ("bikes.md", BIKES)];
    // As far away as no cosine is near.
    let calibration = Calibration { unrelated: 0.1, near: 2.5, separation: 0.9, ..Calibration::default() };
    let far = open(file(&documents, calibration));
    let found = |retriever: &Retriever, text: &str| retriever.retrieve(&Query::new(text)).unwrap().hits.len();
    assert_eq!(found(&far, "xblackoil zwaterq"), 0);
    assert_eq!(found(&far, "what is the xblackoil"), 0, "words such as these say nothing");
    assert!(found(&far, "xblackoil steeps") > 0, "a word is there");
    assert!(found(&far, "blackk") > 0, "so it is but for an error");
    assert!(found(&of(&documents), "xblackoil zwaterq") > 0, "near enough");
    let vector = Query { mode: Some(Mode::Vector), ..Query::new("xblackoil") };
    assert!(!far.retrieve(&vector).unwrap().hits.is_empty(), "words are not looked at");
}

#[test]
fn evidence_and_age_change_the_order_and_lose_nothing() {
    let titles = |json: &str| {
        let response = all().retrieve(&query(json)).unwrap();
        response.hits.into_iter().map(|hit| (hit.title, hit.score)).collect::<Vec<_>>()
    };
    let plain = titles(r#"{"text": "water", "mode": "vector", "path": "exact"}"#);
    let weighed = titles(r#"{"text": "water", "mode": "vector", "path": "exact", "evidence": {}}"#);
    assert_eq!(plain.len(), weighed.len());
    assert_eq!(weighed[0].0, "Tea");
    let share = weighed.iter().find(|hit| hit.0 == "Bicycles").unwrap().1
        / plain.iter().find(|hit| hit.0 == "Bicycles").unwrap().1;
    assert!((share - 0.3).abs() < 1e-4);
    let strict = titles(
        r#"{"text": "water", "mode": "vector", "path": "exact", "evidence": {"minEvidenceLevel": "rct"}}"#,
    );
    assert!(strict.iter().all(|hit| hit.0 != "Bicycles") && !strict.is_empty());
    let explained = all()
        .retrieve(&query(r#"{"text": "water", "mode": "vector", "path": "exact", "evidence": {"minEvidenceLevel": "rct"}, "explain": true}"#))
        .unwrap();
    let dropped = explained.explain.unwrap().dropped;
    assert!(
        dropped.iter().any(|dropped| dropped.rule == Rule::EvidenceLevel && dropped.count == 2),
        "{dropped:?}"
    );
    let fresh = titles(
        r#"{"text": "water", "mode": "vector", "path": "exact", "freshness": {"reference": "2026-01-01", "field": "year", "weight": 1}}"#,
    );
    assert_eq!(fresh[0].0, "Tea");
    assert_eq!(fresh.len(), plain.len());
}

#[test]
fn near_duplicates_are_folded_and_named() {
    let twice = TEA.replace("for two minutes.", "for two minutes at most.");
    let retriever = of(&[("tea.md", TEA), ("again.md", &twice)]);
    let plain = Query { limit: 10, ..Query::new("green tea minutes") };
    let folded = Query { near_duplicates: Some(NearDuplicates::default()), explain: true, ..plain.clone() };
    let before = retriever.retrieve(&plain).unwrap();
    let after = retriever.retrieve(&folded).unwrap();
    assert!(after.hits.len() < before.hits.len());
    let names = |hit: &Hit| hit.duplicates.iter().map(|place| place.source.clone()).collect::<Vec<_>>();
    assert_eq!(names(&before.hits[0]), [""; 0]);
    let best = &after.hits[0];
    assert_eq!(names(best), [if best.source == "tea.md" { "again.md" } else { "tea.md" }]);
    let dropped = after.explain.unwrap().dropped;
    assert!(dropped.iter().any(|dropped| dropped.rule == Rule::NearDuplicate), "{dropped:?}");
}

#[test]
fn neighbours_come_from_the_same_document() {
    let response = all()
        .retrieve(&query(r#"{"text": "black tea water boiling", "limit": 1, "neighbours": 2}"#))
        .unwrap();
    let hit = &response.hits[0];
    assert_eq!(hit.text, "Black tea wants boiling water.");
    let beside = |side: &[crate::Neighbour]| side.iter().map(|n| n.text.clone()).collect::<Vec<_>>();
    assert_eq!(beside(&hit.before), ["Green tea steeps for two minutes."]);
    assert_eq!(beside(&hit.after), ["Keep it dark, dry and cool."]);
}

#[test]
fn a_passage_that_two_documents_share_is_a_neighbour_in_both() {
    let other =
        "# Other\n\nWater, and nothing but water in here.\n\n## Storage\n\nKeep it dark, dry and cool.\n";
    let same =
        "# Other\n\nOil, and nothing but oil in this place.\n\n## Storage\n\nKeep it dark, dry and cool.\n";
    let retriever = of(&[("a.md", other), ("b.md", same)]);
    for (text, source) in [("nothing but water", "a.md"), ("nothing but oil", "b.md")] {
        let query = Query { neighbours: 1, limit: 1, ..Query::new(text) };
        let hit = retriever.retrieve(&query).unwrap().hits.swap_remove(0);
        assert_eq!((hit.source.as_str(), hit.before.len(), hit.after.len()), (source, 0, 1));
        let after = &hit.after[0];
        assert_eq!((after.text.as_str(), after.chunk_index), ("Keep it dark, dry and cool.", 1));
    }
}

#[test]
fn a_passage_finds_its_like() {
    let retriever = all();
    let tea = retriever.retrieve(&Query::new("green tea minutes")).unwrap().hits.swap_remove(0);
    let found = retriever.retrieve(&like(tea.chunk)).unwrap();
    assert_eq!(texts(&found)[0], "Green and black tea stand beside oil.");
    assert!(found.hits.iter().all(|hit| hit.document_id != tea.document_id));
    let with_own = format!(r#"{{"like": {{"chunk": {}, "sameDocument": true}}}}"#, tea.chunk);
    let with_own = retriever.retrieve(&query(&with_own)).unwrap();
    assert!(with_own.hits.iter().any(|hit| hit.document_id == tea.document_id));
    assert!(with_own.hits.iter().all(|hit| hit.chunk != tea.chunk));
    assert_eq!(retriever.retrieve(&like(999)).unwrap_err().code(), ErrorCode::InvalidOption);
}

#[test]
fn headings_are_suggested() {
    let retriever = all();
    let texts = |prefix: &str, limit| {
        retriever
            .suggest(prefix, limit)
            .unwrap()
            .into_iter()
            .map(|suggestion| suggestion.text)
            .collect::<Vec<_>>()
    };
    assert_eq!(texts("te", 5), ["Tea", "Black tea", "Green tea"]);
    assert_eq!(texts("GRÉEN t", 5), ["Green tea"]);
    assert_eq!(texts("te", 1), ["Tea"]);
    assert_eq!(retriever.suggest("tea", 1).unwrap()[0].chunks, 3);
    for nothing in ["", " ", "?!", "zebra", "\0"] {
        assert!(texts(nothing, 5).is_empty(), "{nothing:?}");
    }
}

/// Likes long texts.
struct Length;

impl Reranker for Length {
    async fn rerank(&self, _query: &str, texts: &[&str]) -> Result<Vec<f32>> {
        Ok(texts.iter().map(|text| text.len() as f32).collect())
    }
}

struct Wrong(Vec<f32>);

impl Reranker for Wrong {
    async fn rerank(&self, _query: &str, _texts: &[&str]) -> Result<Vec<f32>> {
        Ok(self.0.clone())
    }
}

#[test]
fn a_reranker_has_the_last_word() {
    let retriever = all();
    let query = Query { limit: 2, min_relevance: Some(0.0), ..Query::new("tea") };
    let response = pollster::block_on(retriever.retrieve_reranked(&query, &Length)).unwrap();
    assert_eq!(texts(&response)[0], "Green and black tea stand beside oil.");
    assert!(response.hits[0].score > response.hits[1].score && response.hits[0].score > 40.0);
    for scores in [vec![1.0], vec![f32::NAN; 6]] {
        let error = pollster::block_on(retriever.retrieve_reranked(&query, &Wrong(scores))).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidOption);
    }
}

#[test]
fn it_is_told_how_hits_were_found() {
    let response = all().retrieve(&query(r#"{"text": "green tea", "limit": 1, "explain": true}"#)).unwrap();
    let explain = response.explain.unwrap();
    assert_eq!(
        (explain.mode, explain.fusion),
        (Mode::Hybrid, Some(Fusion::MinMax { lexical_weight: Some(0.6) }))
    );
    assert_eq!(explain.allowed, 6);
    assert_eq!(explain.vector.unwrap().paths.len(), 1);
    assert!(explain.lexical.unwrap().candidates >= 2);
    assert_eq!(explain.hits.len(), 1);
    assert!((explain.hits[0].fused - response.hits[0].score).abs() < 1e-6);
    assert!(explain.hits[0].headings > Some(0.5));
    let dropped: usize = explain.dropped.iter().map(|dropped| dropped.count).sum();
    assert_eq!(dropped + 1, explain.candidates);
}

#[test]
fn an_index_in_pieces_says_what_it_needs_until_it_has_it() {
    let calibration = Calibration { unrelated: 0.1, near: 0.28, separation: 0.9, ..Calibration::default() };
    let file = file(&[("tea.md", TEA), ("bikes.md", BIKES)], calibration);
    let length = FileLayout::head_length(&file[..64]).unwrap();
    let layout = FileLayout::parse(&file[..length]).unwrap();
    let piece = |range: &Range<u64>| file[range.start as usize..range.end as usize].to_vec();
    let pieces = layout.needed().iter().map(|range| (range.start, piece(range))).collect();
    let retriever =
        Retriever::new(Index::open_pieces(layout, pieces).unwrap(), Box::new(Topics::new())).unwrap();
    let query = query(
        r#"{"text": "green tea minutes", "neighbours": 1, "nearDuplicates": {"cosine": 0.1}, "rerank": true, "evidence": {}}"#,
    );
    let whole = open(file.clone()).retrieve(&query).unwrap();
    let mut rounds = 0;
    while let ranges @ [_, ..] = retriever.missing(&query).unwrap().as_slice() {
        assert_eq!(retriever.retrieve(&query).unwrap_err().code(), ErrorCode::IndexIncomplete);
        for range in ranges {
            retriever.index().provide(range.start, piece(range)).unwrap();
        }
        rounds += 1;
        assert!(rounds < 6, "it asks for the same again");
    }
    assert_eq!(retriever.retrieve(&query).unwrap(), whole);
    assert!(!retriever.candidates(&query).unwrap().is_empty());
}

#[test]
fn a_changed_index_is_asked_anew() {
    let mut retriever = all();
    let green = Query::new("green tea minutes");
    assert_eq!(retriever.retrieve(&green).unwrap().hits[0].document_id, "tea");
    assert!(!retriever.suggest("storage", 1).unwrap().is_empty());
    assert!(retriever.index_mut().remove("tea").unwrap());
    assert_eq!(retriever.retrieve(&green).unwrap().hits[0].document_id, "rules");
    assert!(retriever.suggest("storage", 1).unwrap().is_empty());
}

#[test]
fn bad_queries_are_refused() {
    assert_eq!(code(r#"{"text": " \n "}"#), ErrorCode::QueryEmpty);
    assert_eq!(code(&format!(r#"{{"text": "{}"}}"#, "x".repeat(10_001))), ErrorCode::InvalidOption);
    assert_eq!(code(r#"{"text": "x", "limit": 0}"#), ErrorCode::InvalidOption);
    assert_eq!(code(r#"{"text": "x", "limit": 10000000}"#), ErrorCode::InvalidOption);
    assert_eq!(code(r#"{"vector": [1, 2]}"#), ErrorCode::ModelMismatch);
    assert_eq!(code(r#"{"vector": [0, 0, 0, 0, 0, 0]}"#), ErrorCode::InvalidOption);
    assert_eq!(code(r#"{"vector": [1, 0, 0, 0, 0, 0], "mode": "lexical"}"#), ErrorCode::QueryEmpty);
    let not_a_number = Query { vector: Some(vec![f32::NAN; 6]), ..Query::default() };
    assert_eq!(all().retrieve(&not_a_number).unwrap_err().code(), ErrorCode::InvalidOption);
}

#[test]
fn odd_queries_are_answered() {
    let long = "tea and water ".repeat(700);
    for text in
        ["the of and", "?!…", "🍵", "green 🍵 tea", "a\0b", "緑茶", "\u{202e}tea", "\"", "\"\"", &long]
    {
        for json in [r#"{"limit": 50}"#, r#"{"mode": "lexical"}"#, r#"{"mode": "vector"}"#] {
            let query = Query { text: text.to_owned(), ..query(json) };
            let response = all().retrieve(&query).unwrap();
            assert!(response.hits.iter().all(|hit| hit.score.is_finite()), "{text:?} {json}");
        }
    }
    assert_eq!(found(r#"{"vector": [1e30, 1e30, 0, 0, 0, 0]}"#)[0], "Green tea steeps for two minutes.");
}

#[test]
fn an_index_of_one_chunk_or_none_is_searched_too() {
    let one = open(file(&[("a.md", "Tea.")], Calibration::default()));
    assert_eq!(texts(&one.retrieve(&Query::new("tea")).unwrap()), ["Tea."]);
    assert!(one.retrieve(&like(0)).unwrap().hits.is_empty());
    let none = open(file(&[], Calibration::default()));
    for mode in [None, Some(Mode::Vector)] {
        assert!(none.retrieve(&Query { mode, ..Query::new("tea") }).unwrap().hits.is_empty());
    }
    assert!(none.suggest("tea", 5).unwrap().is_empty());
    let mut emptied = open(file(&[("a.md", "Tea.")], Calibration::default()));
    assert!(emptied.index_mut().remove("a").unwrap());
    assert!(emptied.retrieve(&Query::new("tea")).unwrap().hits.is_empty());
}

#[test]
fn a_foreign_model_is_refused() {
    let index = all().index;
    let mut other = Topics::new();
    other.0.fingerprint = "2".into();
    let error = Retriever::new(index, Box::new(other)).err().unwrap();
    assert_eq!(error.code(), ErrorCode::ModelMismatch);
}
