//! Filters against brute force over the documents, whatever the way a search takes.

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::*;
use crate::filter::{Condition, FacetValue, FieldBounds, Match, MinShould, Moment, Scalar, Test};
use ibid_document::{Date, MetadataValue};

/// A document's fields, and which of the numbered passages it has.
type Sketch = (Vec<(&'static str, MetadataValue)>, Range<usize>);

const WORDS: [&str; 5] = ["a", "b", "ab", "b c", "C b"];
const DATES: [&str; 5] = ["2023", "2024", "2024-02", "2024-02-29", "2025-01-01"];

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(&WORDS[..]).prop_map(str::to_owned)
}

fn date() -> impl Strategy<Value = Date> {
    prop::sample::select(&DATES[..]).prop_map(|date| date.parse().unwrap())
}

fn float() -> impl Strategy<Value = f64> + Clone {
    prop::sample::select(&[-1.5, -0.0, 2.0, 2.5][..])
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let fields = (
        prop::option::of((2018i64..2022).prop_map(MetadataValue::Integer)),
        prop::option::of(float().prop_map(MetadataValue::Float)),
        prop::option::of(any::<bool>().prop_map(MetadataValue::Boolean)),
        prop::option::of(word().prop_map(MetadataValue::Keyword)),
        prop::option::of(
            prop::collection::btree_set(word(), 0..4)
                .prop_map(|words| MetadataValue::Keywords(words.into_iter().collect())),
        ),
        prop::option::of(date().prop_map(MetadataValue::Date)),
    );
    let fields = fields.prop_map(|(year, weight, draft, level, drugs, published)| {
        let names = ["year", "weight", "draft", "level", "drugs", "published"];
        let values = [year, weight, draft, level, drugs, published];
        names.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?))).collect()
    });
    // Documents overlap in their passages, so that many of them stand in several.
    (fields, (0usize..30, 0usize..9).prop_map(|(start, length)| start..start + length))
}

/// Files of documents, and the ids of those that are removed afterwards.
fn library() -> impl Strategy<Value = (Vec<Vec<Sketch>>, Vec<String>)> {
    let id = (0usize..3, 0usize..6).prop_map(|(file, number)| format!("{file}-{number}"));
    (prop::collection::vec(prop::collection::vec(sketch(), 1..6), 1..4), prop::collection::vec(id, 0..4))
}

fn build_library((files, removed): &(Vec<Vec<Sketch>>, Vec<String>)) -> Index {
    let build = |(at, sketches): (usize, &Vec<Sketch>)| {
        let mut builder = builder();
        // Each field is there somewhere, so that every filter is valid.
        let all = [
            ("year", MetadataValue::Integer(1)),
            ("weight", MetadataValue::Float(0.5)),
            ("draft", MetadataValue::Boolean(false)),
            ("level", MetadataValue::Keyword("z".into())),
            ("drugs", MetadataValue::Keywords(vec!["z".into()])),
            ("published", MetadataValue::Date("1999".parse().unwrap())),
        ];
        let complete = (at == 0).then(|| (all.to_vec(), 3..5));
        for (number, (fields, passages)) in sketches.iter().cloned().chain(complete).enumerate() {
            let source = format!("{at}-{number}.md");
            let text = if passages.is_empty() { "# Nothing\n".to_owned() } else { sections(passages) };
            let mut document = Document::parse(&source, text.as_bytes()).unwrap();
            document.metadata.fields =
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            builder.add(&document, &chunk(&document, &small_chunks())).unwrap();
        }
        Index::open(finish(builder)).unwrap()
    };
    let mut indexes = files.iter().enumerate().map(build);
    let mut index = indexes.next().unwrap();
    indexes.for_each(|other| index.attach(other).unwrap());
    for id in removed {
        index.remove(id).unwrap();
    }
    index
}

fn bounds<T: Clone + std::fmt::Debug + 'static>(
    bound: impl Strategy<Value = T> + Clone + 'static,
) -> impl Strategy<Value = FieldBounds<T>> {
    let option = || prop::option::weighted(0.3, bound.clone());
    let bounds = (option(), option(), option(), option());
    // A range without bounds is refused.
    bounds.prop_map(|(gt, gte, lt, lte)| FieldBounds { gt, gte, lt, lte }).prop_filter("a bound", |bounds| {
        [&bounds.gt, &bounds.gte, &bounds.lt, &bounds.lte].into_iter().any(Option::is_some)
    })
}

fn keyword_match() -> impl Strategy<Value = Match> {
    let scalars = || prop::collection::vec(word().prop_map(Scalar::Keyword), 0..3);
    prop_oneof![
        word().prop_map(|word| Match::Value(Scalar::Keyword(word))),
        scalars().prop_map(Match::Any),
        scalars().prop_map(Match::Except),
        word().prop_map(Match::Text),
        word().prop_map(Match::TextAny),
        word().prop_map(Match::Phrase),
        word().prop_map(Match::Prefix),
    ]
}

fn condition(ids: Vec<u64>) -> impl Strategy<Value = Condition> {
    let field = |key: &'static str, test| Condition::Field { key: key.to_owned(), test };
    let moment = date().prop_map(Moment::of).boxed();
    let document = prop::sample::select(&["0-0", "0-1", "1-0", "2-"][..]);
    prop_oneof![
        (2017i64..2023).prop_map(move |year| field("year", Test::Match(Match::Value(Scalar::Integer(year))))),
        bounds((2017..2023).prop_map(f64::from)).prop_map(move |range| field("year", Test::Range(range))),
        bounds(float()).prop_map(move |range| field("weight", Test::Range(range))),
        prop::collection::vec(-1i64..3, 0..3).prop_map(move |numbers| {
            field("weight", Test::Match(Match::Except(numbers.into_iter().map(Scalar::Integer).collect())))
        }),
        any::<bool>().prop_map(move |flag| field("draft", Test::Match(Match::Value(Scalar::Boolean(flag))))),
        (prop::sample::select(&["level", "drugs"][..]), keyword_match())
            .prop_map(move |(key, matching)| field(key, Test::Match(matching))),
        bounds(moment).prop_map(move |range| field("published", Test::Dates(range))),
        date().prop_map(move |date| {
            field("published", Test::Match(Match::Value(Scalar::Keyword(date.to_string()))))
        }),
        bounds(0u64..4).prop_map(move |range| field("drugs", Test::ValuesCount(range))),
        (prop::sample::select(&["year", "drugs", "url"][..]), any::<bool>())
            .prop_map(move |(key, empty)| field(key, Test::IsEmpty(empty))),
        any::<bool>().prop_map(move |null| field("level", Test::IsNull(null))),
        (prop::sample::select(&["document_id", "source"][..]), document)
            .prop_map(move |(key, prefix)| field(key, Test::Match(Match::Prefix(prefix.to_owned())))),
        prop::collection::vec(prop::sample::select(ids), 0..4).prop_map(Condition::HasId),
    ]
}

fn filter(ids: Vec<u64>) -> impl Strategy<Value = Filter> {
    let conditions = |inner: BoxedStrategy<Condition>| prop::collection::vec(inner, 0..3);
    let filter = move |inner: BoxedStrategy<Condition>| {
        let min = (prop::collection::vec(inner.clone(), 0..4), 1usize..3);
        let min = min.prop_map(|(conditions, min_count)| MinShould { conditions, min_count });
        let clauses = (
            conditions(inner.clone()),
            conditions(inner.clone()),
            conditions(inner),
            prop::option::weighted(0.2, min),
        );
        clauses.prop_map(|(must, should, must_not, min_should)| Filter { must, should, must_not, min_should })
    };
    let leaf = condition(ids).boxed();
    let nested =
        leaf.prop_recursive(2, 12, 3, move |inner| filter(inner).prop_map(Condition::Filter).boxed());
    filter(nested.boxed())
}

/// Returns true if a filter holds for a document and a chunk in it, said once more in the plainest way.
fn holds(filter: &Filter, document: &DocumentRecord, id: u64) -> bool {
    let holds = |condition: &Condition| match condition {
        Condition::Filter(filter) => holds(filter, document, id),
        Condition::HasId(ids) => ids.contains(&id),
        Condition::Field { key, test } => field_holds(test, &values(document, key)),
    };
    filter.must.iter().all(holds)
        && (filter.should.is_empty() || filter.should.iter().any(holds))
        && !filter.must_not.iter().any(holds)
        && filter.min_should.as_ref().is_none_or(|min| {
            min.conditions.iter().filter(|condition| holds(condition)).count() >= min.min_count
        })
}

fn values(document: &DocumentRecord, key: &str) -> Vec<MetadataValue> {
    let metadata = &document.metadata;
    let keyword = |text: &String| vec![MetadataValue::Keyword(text.clone())];
    match key {
        "document_id" => keyword(&metadata.document_id),
        "source" => keyword(&document.source),
        "url" => metadata.url.iter().flat_map(keyword).collect(),
        _ => match metadata.fields.get(key) {
            None => Vec::new(),
            Some(MetadataValue::Keywords(words)) => words.iter().flat_map(keyword).collect(),
            Some(value) => vec![value.clone()],
        },
    }
}

fn field_holds(test: &Test, values: &[MetadataValue]) -> bool {
    match test {
        Test::ValuesCount(range) => range.contains(&(values.len() as u64)),
        Test::IsEmpty(empty) => values.is_empty() == *empty,
        Test::IsNull(null) => !null,
        Test::Match(matching) => values.iter().any(|value| matches(matching, value)),
        Test::Range(range) => values.iter().any(|value| match value {
            MetadataValue::Integer(number) => range.contains(&(*number as f64)),
            MetadataValue::Float(number) => range.contains(number),
            _ => false,
        }),
        Test::Dates(range) => values.iter().any(|value| match value {
            MetadataValue::Date(date) => range.contains(&Moment::of(*date)),
            _ => false,
        }),
    }
}

fn matches(matching: &Match, value: &MetadataValue) -> bool {
    let equals = |scalar: &Scalar| match (scalar, value) {
        (Scalar::Keyword(text), value) => *text == value.to_string(),
        (Scalar::Integer(number), MetadataValue::Float(float)) => {
            (*number as f64).total_cmp(&(float + 0.0)).is_eq()
        }
        (Scalar::Integer(number), value) => *value == MetadataValue::Integer(*number),
        (Scalar::Boolean(flag), value) => *value == MetadataValue::Boolean(*flag),
    };
    let text = value.to_string().to_lowercase();
    let has = |word: &str| text.split(' ').any(|own| own == word);
    match matching {
        Match::Value(scalar) => equals(scalar),
        Match::Any(scalars) => scalars.iter().any(equals),
        Match::Except(scalars) => !scalars.iter().any(equals),
        Match::Text(words) => words.to_lowercase().split(' ').all(has),
        Match::TextAny(words) => words.to_lowercase().split(' ').any(has),
        Match::Phrase(words) => format!(" {text} ").contains(&format!(" {} ", words.to_lowercase())),
        Match::Prefix(prefix) => value.to_string().starts_with(prefix.as_str()),
    }
}

/// Each allowed chunk's number with the places that the filter holds for, by brute force.
fn expected(index: &Index, filter: &Filter) -> Vec<(u32, Vec<StoredPlace>)> {
    let chunk = |number: u32| {
        let StoredChunk { id, place, duplicates, .. } = index.chunk(number).unwrap()?;
        let places = std::iter::once(place).chain(duplicates);
        let places: Vec<StoredPlace> = places.filter(|place| holds(filter, &place.document, id)).collect();
        (!places.is_empty()).then_some((number, places))
    };
    (0..index.chunk_end()).filter_map(chunk).collect()
}

fn check_filter(index: &Index, filter: &Filter) -> Result<(), TestCaseError> {
    prop_assert_eq!(&Filter::from_json(&filter.to_json()).unwrap(), filter);
    let allowed = match index.allowed(Some(filter)) {
        // The only bound that a filter made here can pass.
        Err(error) if error.message().contains("lists of ids") => return Ok(()),
        allowed => allowed.unwrap(),
    };
    let expected = expected(index, filter);
    let numbers: Vec<u32> = expected.iter().map(|(number, _)| *number).collect();
    prop_assert_eq!(allowed.iter().collect::<Vec<_>>(), numbers.clone());
    prop_assert_eq!(allowed.len(), numbers.len() as u64);
    prop_assert_eq!(allowed.is_empty(), numbers.is_empty());
    for number in 0..index.chunk_end() + 70 {
        prop_assert_eq!(allowed.contains(number), numbers.contains(&number));
    }
    for (number, places) in &expected {
        let chunk = index.chunk_allowed(*number, &allowed).unwrap().unwrap();
        prop_assert_eq!(&chunk.place, &places[0]);
        let plain = index.chunk(*number).unwrap().unwrap();
        prop_assert_eq!(chunk.duplicates.len(), plain.duplicates.len());
        prop_assert!(chunk.place == plain.place || chunk.duplicates.contains(&plain.place));
    }
    check_facets(index, &allowed, &expected)?;
    check_paths(index, &allowed, &numbers)
}

fn check_facets(
    index: &Index,
    allowed: &Allowed,
    expected: &[(u32, Vec<StoredPlace>)],
) -> Result<(), TestCaseError> {
    let mut documents: Vec<&DocumentRecord> =
        expected.iter().flat_map(|(_, places)| places).map(|place| &place.document).collect();
    documents.sort_by(|a, b| a.metadata.document_id.cmp(&b.metadata.document_id));
    documents.dedup_by(|a, b| a.metadata.document_id == b.metadata.document_id);
    let fields = ["drugs", "year", "source"].map(str::to_owned);
    for facet in index.facets(&fields, allowed, None).unwrap() {
        let with = documents.iter().filter(|document| !values(document, &facet.field).is_empty()).count();
        prop_assert_eq!(facet.documents, with as u64);
        prop_assert!(facet.values.is_sorted_by(|a, b| a.count >= b.count));
        for value in &facet.values {
            let text = match &value.value {
                FacetValue::Integer(number) => number.to_string(),
                FacetValue::Text(text) => text.clone(),
                other => panic!("{other:?}"),
            };
            let has = |document: &&&DocumentRecord| {
                values(document, &facet.field).iter().any(|value| value.to_string() == text)
            };
            prop_assert_eq!(value.count, documents.iter().filter(has).count() as u64);
        }
        let all: u64 = documents.iter().map(|document| values(document, &facet.field).len() as u64).sum();
        prop_assert_eq!(facet.values.iter().map(|value| value.count).sum::<u64>(), all);
        prop_assert_eq!(facet.min.is_some(), facet.field == "year" && facet.documents > 0);
    }
    Ok(())
}

fn check_paths(index: &Index, allowed: &Allowed, numbers: &[u32]) -> Result<(), TestCaseError> {
    let query = &vectors(1)[0];
    let score = |&chunk: &u32| {
        let score = query.cosine(&index.embedding(chunk).unwrap().unwrap());
        ChunkCandidate { chunk, score }
    };
    let best: Vec<ChunkCandidate> = numbers.iter().map(score).collect();
    for limit in [0, 1, 3, 1000] {
        for path in [None, Some(VectorPath::Clusters), Some(VectorPath::Exact)] {
            let options = VectorSearch { limit, probes: Some(8), path };
            let found = index.nearest(query, &options, allowed).unwrap();
            prop_assert_eq!(found.candidates.len(), limit.min(numbers.len()), "{:?}", path);
            prop_assert_eq!(found.paths.len(), if limit == 0 { 0 } else { index.files.len() });
            prop_assert!(found.candidates.is_sorted_by(|a, b| a > b));
            let off = if path == Some(VectorPath::Exact) { 0.01 } else { 0.1 };
            for candidate in &found.candidates {
                let near = |best: &ChunkCandidate| (best.score - candidate.score).abs() < off;
                prop_assert!(best.iter().any(|best| best.chunk == candidate.chunk && near(best)));
                prop_assert_eq!(found.scores(&[candidate.chunk]), [Some(candidate.score)]);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_path_finds_what_brute_force_finds(
        library in library(),
        seed in any::<[u8; 32]>(),
    ) {
        let index = build_library(&library);
        let mut ids: Vec<u64> = (0..index.chunk_end()).filter_map(|at| Some(index.chunk(at).unwrap()?.id)).collect();
        ids.push(1);
        // Building takes longer than filtering, so each library is asked often.
        let mut runner = proptest::test_runner::TestRunner::new_with_rng(
            ProptestConfig::default(),
            proptest::test_runner::TestRng::from_seed(proptest::test_runner::RngAlgorithm::ChaCha, &seed),
        );
        check_filter(&index, &Filter::default())?;
        let strategy = filter(ids);
        for _ in 0..12 {
            let filter = strategy.new_tree(&mut runner).unwrap().current();
            check_filter(&index, &filter)?;
        }
        let live = index.allowed(None).unwrap();
        prop_assert_eq!(live.iter().collect::<Vec<_>>(), index.allowed(Some(&Filter::default())).unwrap().iter().collect::<Vec<_>>());
        prop_assert_eq!(live.len(), u64::from(index.manifest().chunks));
        prop_assert_eq!(live.is_all(), live.len() == u64::from(index.chunk_end()));
    }
}

fn library_of_two() -> Index {
    let fields = vec![("year", MetadataValue::Integer(2020)), ("level", MetadataValue::Keyword("a".into()))];
    build_library(&(vec![vec![(fields, 0..4)]], Vec::new()))
}

#[test]
fn what_could_never_match_is_an_error_that_lists_the_fields() {
    let index = library_of_two();
    for (filter, message) in [
        (serde_json::json!({ "yaer": 2020 }), "There is no field `yaer` in this index."),
        (
            serde_json::json!({ "year": "2020" }),
            "The filter compares `year` with texts, but its type is integer.",
        ),
        (serde_json::json!({ "year": { "gte": "2020" } }), "`year` with dates, but its type is integer"),
        (serde_json::json!({ "level": { "gte": 1 } }), "`level` with numbers, but its type is keyword"),
        (serde_json::json!({ "draft": ["true"] }), "`draft` with texts, but its type is boolean"),
        (serde_json::json!({ "published": "soon" }), "with texts that are no dates"),
        (serde_json::json!({ "or": [{ "level": "a" }, { "not": { "title": 3 } }] }), "`title` with numbers"),
        (serde_json::json!({ "metadata.source": "a" }), "no field `metadata.source`"),
    ] {
        let error = index.allowed(Some(&Filter::from_json(&filter).unwrap())).unwrap_err();
        assert_eq!(error.code(), ErrorCode::FilterInvalid);
        assert!(error.message().contains(message), "{error}");
        let hint = error.hint().unwrap();
        assert!(hint.contains("year (integer)") && hint.contains("always document_id, source"), "{hint}");
    }
    let error = index.facets(&["nothing".into()], &index.allowed(None).unwrap(), None).unwrap_err();
    assert_eq!(error.code(), ErrorCode::FilterInvalid);
}

#[test]
fn a_field_may_have_the_name_of_what_every_document_has() {
    let fields = vec![("source", MetadataValue::Keyword("WHO".into()))];
    let index = build_library(&(vec![vec![(fields, 0..4)]], Vec::new()));
    let count =
        |filter: serde_json::Value| index.allowed(Some(&Filter::from_json(&filter).unwrap())).unwrap().len();
    assert_eq!(count(serde_json::json!({ "source": "WHO" })), 0);
    assert_eq!(count(serde_json::json!({ "source": "0-0.md" })), 4);
    assert_eq!(count(serde_json::json!({ "metadata.source": "WHO" })), 4);
    assert_eq!(count(serde_json::json!({ "metadata.year": 1 })), 2);
}

#[test]
fn a_query_that_points_nowhere_finds_nothing() {
    let index = library_of_two();
    let allowed = index.allowed(None).unwrap();
    for zero in [vec![0.0; DIMENSIONS], vec![f32::NAN; DIMENSIONS], vec![f32::INFINITY; DIMENSIONS]] {
        let query = Embedding::normalized(zero);
        assert_eq!(index.nearest(&query, &VectorSearch::default(), &allowed).unwrap(), Nearest::default());
    }
    let short = Embedding::normalized(vec![1.0]);
    let error = index.nearest(&short, &VectorSearch::default(), &allowed).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ModelMismatch);
    let huge = VectorSearch { limit: usize::MAX, probes: Some(usize::MAX), path: Some(VectorPath::Clusters) };
    assert_eq!(index.nearest(&vectors(1)[0], &huge, &allowed).unwrap().candidates.len(), 5);
}

#[test]
fn stored_vectors_can_be_compared_and_had_back() {
    let index = library_of_two();
    let vector = index.embedding(2).unwrap().unwrap();
    let nearest = index.nearest(&vector, &VectorSearch::default(), &index.allowed(None).unwrap()).unwrap();
    let cosines = nearest.scores(&[0, 2, 99]);
    assert!((cosines[0].unwrap() - index.embedding(0).unwrap().unwrap().cosine(&vector)).abs() < 0.1);
    assert!((cosines[1].unwrap() - 1.0).abs() < 0.01 && cosines[2].is_none());
    assert!(index.compared_embedding(&nearest, 2).unwrap().cosine(&vector) > 0.99);
    assert_eq!(index.compared_embedding(&nearest, 99), None);
    assert_eq!(index.embedding(99).unwrap(), None);
}
