//! Indexes that grow and shrink in memory.

use super::*;

fn index_of(documents: &[(&str, Range<usize>)]) -> Index {
    let mut builder = builder();
    documents.iter().for_each(|(source, numbers)| add(&mut builder, source, &sections(numbers.clone())));
    Index::open(finish(builder)).unwrap()
}

fn texts(index: &Index) -> Vec<String> {
    let mut texts: Vec<String> =
        (0..index.chunk_end()).filter_map(|at| index.chunk(at).unwrap()).map(|chunk| chunk.text).collect();
    texts.sort();
    texts
}

fn written(index: &Index) -> Vec<u8> {
    index.compact().unwrap().finish(index.manifest().calibration).unwrap()
}

#[test]
fn documents_are_added_replaced_and_removed() {
    let mut index = index_of(&[("a.md", 0..20), ("b.md", 20..40), ("c.md", 30..50)]);
    index.attach(index_of(&[("b.md", 60..70), ("d.md", 70..80)])).unwrap();
    assert!(index.remove("a").unwrap());
    assert!(!index.remove("a").unwrap() && !index.remove("nobody").unwrap());
    let expected = index_of(&[("b.md", 60..70), ("c.md", 30..50), ("d.md", 70..80)]);
    assert_eq!(texts(&index), texts(&expected));
    let (manifest, wanted) = (index.manifest(), expected.manifest());
    assert_eq!((manifest.documents, manifest.chunks), (wanted.documents, wanted.chunks));
    let ids: Vec<String> = index.documents().map(|document| document.unwrap().metadata.document_id).collect();
    assert_eq!(ids, ["c", "b", "d"]);
    for query in &vectors(4000)[..80] {
        let text = |index: &Index, hit: &ChunkCandidate| index.chunk(hit.chunk).unwrap().unwrap().text;
        let found = |index: &Index| {
            index.scan(query, 5).unwrap().iter().map(|hit| text(index, hit)).collect::<Vec<_>>()
        };
        assert_eq!(found(&index), found(&expected));
    }
}

/// An index with a synonym, and a query pinned to its last passage.
fn pinned(source: &str, numbers: Range<usize>, query: &str) -> Index {
    let plain = index_of(&[(source, numbers.clone())]);
    let id = plain.chunk(plain.chunk_end() - 1).unwrap().unwrap().id;
    let mut builder = builder();
    add(&mut builder, source, &sections(numbers));
    let synonyms = vec![vec![query.to_owned(), "passage".to_owned()]];
    let pin = PinDraft { query: query.to_owned(), address: source.to_owned(), id };
    builder.set(SearchSettings { synonyms, ..SearchSettings::default() }, vec![pin]);
    Index::open(finish(builder)).unwrap()
}

#[test]
fn pins_and_synonyms_of_added_indexes_count_too() {
    let mut index = pinned("a.md", 0..5, "start");
    index.attach(pinned("b.md", 10..15, "end")).unwrap();
    let compacted = Index::open(written(&index)).unwrap();
    for index in [&index, &compacted] {
        let settings = &index.manifest().settings;
        let text = |pin: &Pin| index.chunk(pin.chunk).unwrap().unwrap().text;
        let pins: Vec<_> = settings.pins.iter().map(|pin| (pin.query.as_str(), text(pin))).collect();
        assert!(pins[0].0 == "start" && pins[0].1.contains("number 4"), "{pins:?}");
        assert!(pins[1].0 == "end" && pins[1].1.contains("number 14"), "{pins:?}");
        assert_eq!(settings.synonyms, [["start", "passage"], ["end", "passage"]]);
    }
}

#[test]
fn a_chunk_stays_as_long_as_one_of_its_documents_does() {
    let mut index = index_of(&[("a.md", 0..4), ("b.md", 2..6)]);
    assert_eq!(index.manifest().chunks, 6);
    assert!(index.remove("a").unwrap());
    assert_eq!(index.manifest().chunks, 4);
    let shared = index.chunk(2).unwrap().unwrap();
    assert_eq!(shared.place.document.source, "b.md");
    assert!(shared.duplicates.is_empty() && index.chunk(0).unwrap().is_none());
}

#[test]
fn compacting_gives_what_one_build_gives() {
    let mut index = index_of(&[("a.md", 0..20), ("b.md", 20..40), ("z.md", 38..41)]);
    index.attach(index_of(&[("b.md", 15..30)])).unwrap();
    index.attach(index_of(&[("c.md", 50..55)])).unwrap();
    index.remove("a").unwrap();
    let fresh = index_of(&[("b.md", 15..30), ("c.md", 50..55), ("z.md", 38..41)]);
    index.manifest.calibration = fresh.manifest().calibration;
    let written = written(&index);
    assert!(written == fresh.file().unwrap());
    assert!(Index::open(written.clone()).unwrap().compact().unwrap().finish(Calibration::default()).is_ok());
}

#[test]
fn what_has_not_changed_is_known_and_not_embedded_again() {
    let index = index_of(&[("a.md", 0..20), ("b.md", 20..40)]);
    let parse = |source: &str, numbers| {
        let document = Document::parse(source, sections(numbers).as_bytes()).unwrap();
        let chunks = chunk(&document, &small_chunks());
        (document, chunks)
    };
    let has = |(document, chunks): (Document, Vec<ibid_document::chunk::Chunk>)| {
        index.has(&document, &chunks).unwrap()
    };
    assert!(has(parse("a.md", 0..20)));
    assert!(!has(parse("a.md", 0..19)) && !has(parse("c.md", 0..20)));
    let (mut renamed, chunks) = parse("a.md", 0..20);
    renamed.metadata.title = "Another".into();
    assert!(!index.has(&renamed, &chunks).unwrap());

    let mut builder = builder();
    add(&mut builder, "a.md", &sections(10..25));
    add(&mut builder, "new.md", &sections(39..42));
    assert_eq!(builder.pending_count(), 18);
    assert_eq!(builder.reuse(&index).unwrap(), 16);
    assert!(builder.pending(10).iter().all(|text| text.contains('4')), "{:?}", builder.pending(10));
    assert!(finish(builder) == index_of(&[("a.md", 10..25), ("new.md", 39..42)]).file().unwrap());
}

#[test]
fn other_spaces_are_refused() {
    let mut other = space();
    other.fingerprint = "g".into();
    let foreign = || IndexBuilder::new(other.clone(), small_chunks(), BuildOptions::default());
    let mut index = index_of(&[("a.md", 0..2)]);
    let error = foreign().reuse(&index).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ModelMismatch);
    let error = index.attach(Index::open(finish(foreign())).unwrap()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ModelMismatch);
}

#[test]
fn a_field_keeps_its_type() {
    let with = |source: &str, level: &str| {
        let mut builder = builder();
        add(&mut builder, source, &format!("---\nlevel: {level}\n---\nText number 1.\n"));
        Index::open(finish(builder)).unwrap()
    };
    let mut index = with("a.md", "3");
    index.attach(with("b.md", "4")).unwrap();
    let error = index.attach(with("c.md", "high")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::MetadataType);
    assert_eq!(index.manifest().documents, 2);
}
