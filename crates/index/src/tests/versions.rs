//! Files of every version ever written, which open for ever.

use super::*;

const VERSION_3: &[u8] = include_bytes!("../../../../tests/compat/version-3.ibid");
const VERSION_2: &[u8] = include_bytes!("../../../../tests/compat/version-2.ibid");
const VERSION_1: &[u8] = include_bytes!("../../../../tests/compat/version-1.ibid");

#[test]
fn version_3_opens() {
    let index = Index::open(VERSION_3.to_vec()).unwrap();
    let manifest = index.manifest();
    // It has a part with a graph, to which another was attached, and a document that was removed.
    assert_eq!((index.format_version(), manifest.documents, manifest.chunks), (3, 2, 5));
    assert_eq!((manifest.segments.len(), index.has_graph()), (2, true));
    assert!(manifest.segments.iter().all(|segment| segment.packed));
    let chunks: Vec<StoredChunk> =
        (0..index.chunk_end()).filter_map(|number| index.chunk(number).unwrap()).collect();
    let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
    assert!(texts.contains(&"Use water of 93 degrees, just off the boil.") && texts.len() == 5);
    let tea = chunks.iter().find(|chunk| chunk.text.starts_with("Black tea")).unwrap();
    assert_eq!((tea.place.line, tea.place.span.clone()), (14, 166..210));
    assert_eq!(tea.place.section.heading_path, ["Tea", "Black tea"]);
    let fields: Vec<String> = index.fields().unwrap().into_iter().map(|field| field.name).collect();
    assert_eq!(fields, ["drugs", "year"]);
    assert!(index.to_bytes().unwrap() == VERSION_3);

    let layout = Layout::parse(VERSION_3).unwrap();
    let cut = |range: Range<u64>| (range.start, VERSION_3[range.start as usize..range.end as usize].to_vec());
    let pieces = layout.needed().into_iter().map(cut).collect();
    let pieces = Index::open_pieces(layout, pieces).unwrap();
    assert!(!pieces.missing_vectors().is_empty());
    let query = Embedding::normalized((0..256).map(|at| (at as f32).sin()).collect());
    assert_eq!(pieces.search(&query, 9, 64).unwrap().len(), 5);
}

#[test]
fn version_2_opens() {
    let index = Index::open(VERSION_2.to_vec()).unwrap();
    let manifest = index.manifest();
    // It was built with a graph and updated once: one document was added, one removed.
    assert_eq!((index.format_version(), manifest.documents, manifest.chunks), (2, 2, 5));
    assert_eq!((manifest.segments.len(), index.has_graph()), (2, true));
    assert_eq!(manifest.chunking.as_ref().map(|options| options.budget), Some(20));
    let chunks: Vec<StoredChunk> =
        (0..index.chunk_end()).filter_map(|number| index.chunk(number).unwrap()).collect();
    let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
    assert!(texts.contains(&"Use water of 93 degrees, just off the boil.") && texts.len() == 5);
    let tea = chunks.iter().find(|chunk| chunk.text.starts_with("Black tea")).unwrap();
    assert_eq!((tea.place.line, tea.place.span.clone()), (14, 166..210));
    let fields: Vec<String> = index.fields().unwrap().into_iter().map(|field| field.name).collect();
    assert_eq!(fields, ["drugs", "year"]);
    // Written again its sections are the same, though in another order, and can be needed no later than before.
    assert!(index.missing_vectors().is_empty());
    let again = Index::open(index.to_bytes().unwrap()).unwrap();
    assert_eq!((again.format_version(), again.manifest()), (FORMAT_VERSION, index.manifest()));
    let texts: Vec<_> = (0..again.chunk_end()).filter_map(|number| again.chunk(number).unwrap()).collect();
    assert_eq!(texts, chunks);
    let head = again.to_bytes().unwrap();
    let pieces = Layout::parse(&head).unwrap().needed();
    assert!(pieces.iter().map(|range| range.end - range.start).sum::<u64>() > 4000);
}

#[test]
fn version_1_opens() {
    let index = Index::open(VERSION_1.to_vec()).unwrap();
    let manifest = index.manifest();
    assert_eq!((manifest.documents, manifest.chunks, manifest.space.dimensions), (2, 5, 256));
    assert!(manifest.chunking.is_none() && manifest.calibration.threshold > 0.0);
    let texts: Vec<String> = (0..5).map(|at| index.chunk(at).unwrap().unwrap().text).collect();
    assert_eq!(texts[0], "Grind 60 g for 1 litre of water.");
    let tea = index.chunk(3).unwrap().unwrap();
    assert_eq!(tea.text, "Black tea wants boiling water and 4 minutes.");
    assert_eq!(tea.place.section.heading_path, ["Tea", "Black tea"]);
    assert_eq!((tea.place.line, tea.place.span), (14, 166..210));
    assert_eq!((tea.place.index, tea.place.document.chunks), (1, 3));
    let metadata = &tea.place.document.metadata;
    assert_eq!(metadata.url.as_deref(), Some("https://example.org/tea.html"));
    assert_eq!(metadata.fields.len(), 2);
}

#[test]
fn version_1_opens_in_pieces() {
    let layout = Layout::parse(VERSION_1).unwrap();
    let cut = |range: Range<u64>| (range.start, VERSION_1[range.start as usize..range.end as usize].to_vec());
    let pieces = layout.needed().into_iter().map(cut).collect();
    let index = Index::open_pieces(layout, pieces).unwrap();
    assert!(index.missing(&[0, 1, 2, 3, 4]).is_empty());
    assert_eq!(index.chunk(0).unwrap().unwrap().text, "Grind 60 g for 1 litre of water.");
}

#[test]
fn version_1_is_checked_like_any_other() {
    for at in (0..VERSION_1.len()).step_by(7) {
        let mut changed = VERSION_1.to_vec();
        changed[at] ^= 0x10;
        assert!(Index::open(changed).is_err(), "byte {at}");
        assert!(Index::open(VERSION_1[..at].to_vec()).is_err(), "cut at {at}");
    }
}
