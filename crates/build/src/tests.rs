//! The order on small collections.

use ibid_document::{LANGUAGE_FIELD, MetadataValue, Site};

use super::*;

fn file<'a>(name: &'a str, text: &'a str) -> SourceFile<'a> {
    SourceFile { name, bytes: text.as_bytes(), sidecar: None, fields: &[], page: None, weight: None }
}

fn collected(files: &[SourceFile]) -> Collected {
    let read = |file: &SourceFile| file.read().unwrap_or_else(|error| ReadFile::failed(file.name, error));
    Collected::of(files.iter().map(read), &ChunkOptions::default(), |_| {})
}

#[test]
fn fields_are_stronger_than_the_sidecar_and_the_sidecar_than_the_document() {
    let fields = [("b".to_owned(), "field".to_owned())];
    let site = Site::new(None, None, Some("https://example.org/"));
    let mut given = file("a.md", "---\na: own\nb: own\nc: own\n---\nText.");
    given.sidecar = Some(("a.md.meta.json", br#"{"a": "sidecar", "b": "sidecar"}"#));
    given.fields = &fields;
    given.page = Some((&site, "a.md"));
    let collected = collected(&[given]);
    let metadata = &collected.parsed[0].document.metadata;
    let value = |name: &str| metadata.fields.get(name).cloned();
    let keyword = |text: &str| Some(MetadataValue::Keyword(text.to_owned()));
    assert_eq!([value("a"), value("b"), value("c")], ["sidecar", "field", "own"].map(keyword));
    assert!(metadata.url.as_deref().unwrap().starts_with("https://example.org/"), "{:?}", metadata.url);
    assert!(!collected.is_unlinked());
}

#[test]
fn what_cannot_be_read_is_left_out_and_named() {
    let mut with_sidecar = file("b.md", "Text.");
    with_sidecar.sidecar = Some(("b.md.meta.json", b"{"));
    let all = collected(&[file("a.md", "Text."), file("empty.md", ""), with_sidecar, file("a.md", "Text.")]);
    let names: Vec<_> = all.left_out.iter().map(|left_out| &*left_out.source).collect();
    assert_eq!(names, ["empty.md", "b.md", "a.md"]);
    let codes: Vec<_> = all.left_out.iter().map(|left_out| left_out.error.code()).collect();
    assert_eq!(codes, [ErrorCode::InvalidDocument, ErrorCode::InvalidDocument, ErrorCode::DocumentSkipped]);
    assert_eq!(all.parsed.len(), 1);
    let told = serde_json::to_value(&all.left_out[2]).unwrap();
    assert_eq!(
        told,
        serde_json::json!({
            "source": "a.md",
            "reason": all.left_out[2].error.to_string(),
        })
    );
}

#[test]
fn of_several_documents_in_a_file_those_that_can_be_read_are_taken() {
    let lines =
        "{\"document_id\": \"a\", \"text\": \"One.\"}\n{\"document_id\": \"b\", \"text\": \"Two.\"}\n";
    let mut given = file("a.jsonl", lines);
    given.sidecar = Some(("a.jsonl.meta.json", b"{"));
    let read = given.read().unwrap();
    assert_eq!((read.documents.len(), read.left_out.len()), (0, 2));
    given.sidecar = None;
    assert_eq!(given.read().unwrap().documents.len(), 2);
}

#[test]
fn all_documents_are_settled_before_they_are_chunked() {
    let page = |text: &str| {
        format!(
            "<html><body><main><h1>{text}</h1><p>{text} is told here.</p><p>Was this page of any help to you?</p></main></body></html>"
        )
    };
    let pages: Vec<(String, String)> =
        (0..6).map(|number| (format!("{number}.html"), page(&format!("Page {number}")))).collect();
    let mut files: Vec<SourceFile> = pages.iter().map(|(name, text)| file(name, text)).collect();
    files.push(file("x/same.md", "---\ndocument_id: same\n---\nThe kettle is on the stove."));
    files.push(file(
        "y/same.md",
        "---\ndocument_id: same\n---\nDer Kessel steht auf dem Herd, und das ist nicht schwer.",
    ));
    let all = collected(&files);
    assert!(all.shared.as_ref().unwrap().contains("Was this page of any help"), "{:?}", all.shared);
    assert!(all.chunks().all(|chunk| !chunk.text.contains("Was this page")));
    let ids: Vec<_> = all.parsed.iter().map(|parsed| &*parsed.document.metadata.document_id).collect();
    assert_eq!(ids[6..], ["x/same", "y/same"]);
    assert_eq!(all.warnings.len(), 2);
    let german = &all.parsed[7].document.metadata.fields;
    assert_eq!(german[LANGUAGE_FIELD], MetadataValue::Keyword("de".to_owned()));
}

#[test]
fn a_mark_of_content_on_one_page_leaves_out_the_pages_without() {
    let page = |mark: &str, word: &str| format!("<main {mark}><h1>{word}</h1><p>All about {word}.</main>");
    let (with, without) = (page("data-pagefind-body", "Tea"), page("", "Rum"));
    let all = collected(&[file("a.html", &with), file("b.html", &without), file("c.md", "Milk.")]);
    let sources: Vec<_> = all.parsed.iter().map(|parsed| &*parsed.document.source).collect();
    assert_eq!(sources, ["a.html", "c.md"]);
    assert!(all.left_out[0].error.to_string().contains("`data-ibid-body`"), "{}", all.left_out[0].error);
    assert_eq!(collected(&[file("b.html", &without), file("c.md", "Milk.")]).parsed.len(), 2);
}

#[test]
fn pins_and_popular_pages_are_named_by_their_address_or_a_part_of_one() {
    let text = "# Start\n\nUnpack the box, and put it where it is dry.\n\n## Next {#next}\n\nTurn the knob, and wait for the light.\n";
    let site = Site::new(None, None, Some("https://example.org/docs/"));
    let read = |name: &str| SourceFile { page: Some((&site, name)), ..file(name, text) }.read().unwrap();
    let options = ChunkOptions { min_size: 0, budget: 16, ..ChunkOptions::default() };
    let other = file("b/index.html", "<p>Elsewhere.").read().unwrap();
    let all = Collected::of([read("a.md"), other], &options, |_| {});
    let pins = |address: &str| all.pins(&[("q".to_owned(), address.to_owned())]);
    let chunks: Vec<_> = all.parsed[0].chunks.iter().map(Chunk::id).collect();
    assert!(chunks.len() > 1);
    for (address, chunk) in [("/docs/a", 0), ("/a", 0), ("https://example.org/docs/a", 0), ("/a#next", 1)] {
        let (pins, unknown) = pins(address);
        assert_eq!((pins[0].id, unknown.len()), (chunks[chunk], 0), "{address}");
    }
    assert_eq!(pins("/b/").0[0].id, all.parsed[1].chunks[0].id());
    for address in ["/c", "/a#none", "ocs/a"] {
        assert_eq!((pins(address).0.len(), pins(address).1), (0, vec![address.to_owned()]));
    }
    let (popular, unknown) = all.popular(&["/a".to_owned(), "/a#next".to_owned(), "/c".to_owned()]);
    assert_eq!(unknown, ["/c"]);
    assert_eq!(popular.iter().map(|page| &*page.title).collect::<Vec<_>>(), ["Start", "Next"]);
    assert_eq!(popular[1].url.as_deref(), Some("https://example.org/docs/a"));
    assert_eq!((popular[0].anchor.as_deref(), popular[1].anchor.as_deref()), (None, Some("next")));
}
