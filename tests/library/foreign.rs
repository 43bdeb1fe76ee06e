//! An index in the space of an embedder that is not ibid's, from documents to hits.

use ibid::ErrorCode;
use ibid::chunk::{ChunkOptions, chunk};
use ibid::document::Document;
use ibid::embed::{Embedder, Embedding, Foreign, Space, Task, TokenTable, embed_all};
use ibid::index::{BuildOptions, Encoder, Index, IndexBuilder};
use ibid::retrieve::{Query, Retriever, calibrate};

/// Stands for a service: counts letters, and tells queries from documents by the last component.
struct Letters(Space);

impl Letters {
    fn new(name: &str) -> Self {
        Self(Space::foreign(name, 27, None).unwrap())
    }

    fn vector(text: &str, task: Task) -> Vec<f32> {
        let mut vector = vec![0.0; 27];
        for letter in text.bytes().filter(u8::is_ascii_alphabetic) {
            vector[usize::from(letter.to_ascii_lowercase() - b'a')] += 1.0;
        }
        vector[26] = if task == Task::Query { 0.1 } else { 0.2 };
        vector
    }
}

impl Embedder for Letters {
    fn space(&self) -> &Space {
        &self.0
    }

    fn batch_size(&self) -> usize {
        2
    }

    fn embed(&self, texts: &[&str], task: Task) -> ibid::Result<Vec<Embedding>> {
        assert!(texts.len() <= 2, "more than it takes at once");
        texts.iter().map(|text| self.0.embedding(Self::vector(text, task))).collect()
    }
}

fn build(embedder: &dyn Embedder, documents: &[(&str, &str)]) -> Vec<u8> {
    let options = BuildOptions { encoder: Encoder::Embedder, ..BuildOptions::default() };
    let mut builder = IndexBuilder::new(embedder.space().clone(), ChunkOptions::default(), options);
    for (name, text) in documents {
        let document = Document::parse(name, text.as_bytes()).unwrap();
        builder.add(&document, &chunk(&document, &ChunkOptions::default())).unwrap();
    }
    let made = embed_all(embedder, &builder.pending(usize::MAX), Task::Document, &mut |_| {}).unwrap();
    builder.embedded(&made).unwrap();
    let draft = builder.assemble().unwrap();
    let calibration = calibrate(embedder, &draft).unwrap();
    draft.finish(calibration).unwrap()
}

const DOCUMENTS: [(&str, &str); 3] = [
    ("a.md", "# Aardvark\n\naaa aab aaa aab aaa aab"),
    ("z.md", "# Zebra\n\nzzz zzy zzz zzy zzz zzy"),
    ("m.md", "# Mammoth\n\nmmm mmn"),
];

#[test]
fn it_is_built_and_searched_by_vectors_from_outside() {
    let letters = Letters::new("letters");
    let index = Index::open(build(&letters, &DOCUMENTS)).unwrap();
    assert_eq!(index.manifest().build.encoder, Encoder::Embedder);
    let retriever = Retriever::new(index, Box::new(Foreign::new(letters.space().clone()))).unwrap();
    let vector = Some(Letters::vector("zzzz", Task::Query));
    let query = Query { text: "zzzz".into(), vector, ..Query::default() };
    let hits = retriever.retrieve(&query).unwrap();
    assert_eq!(hits.hits[0].document_id, "z");
    let error = retriever.retrieve(&Query { vector: None, ..query.clone() }).unwrap_err();
    assert_eq!(error.code(), ErrorCode::EmbedderFailed);
    for vector in [vec![0.0; 27], vec![f32::NAN; 27], vec![f32::INFINITY; 27], vec![1.0; 26], vec![]] {
        assert!(retriever.retrieve(&Query { vector: Some(vector), ..query.clone() }).is_err());
    }
}

#[test]
fn spaces_are_never_mixed() {
    let letters = Letters::new("letters");
    let index = || Index::open(build(&letters, &DOCUMENTS)).unwrap();
    let table = TokenTable::from_bytes(include_bytes!("../../models/query-table.bin")).unwrap();
    let error = Retriever::new(index(), Box::new(table)).err().unwrap();
    assert_eq!(error.code(), ErrorCode::ModelMismatch);
    assert!(error.message().contains("letters") && error.message().contains("all-MiniLM-L6-v2"));

    let others = [
        Letters::new("other letters").0,
        Space::foreign("letters", 27, Some("revision 2")).unwrap(),
        Space::foreign("letters", 28, None).unwrap(),
    ];
    for space in others {
        let error = Retriever::new(index(), Box::new(Foreign::new(space))).err().unwrap();
        assert_eq!(error.code(), ErrorCode::ModelMismatch);
    }
    let other = build(&Letters::new("other letters"), &DOCUMENTS[..1]);
    let mut changed = index();
    assert_eq!(changed.attach(Index::open(other).unwrap()).unwrap_err().code(), ErrorCode::ModelMismatch);
    let more = build(&letters, &[("b.md", "# Bee\n\nbbb")]);
    changed.attach(Index::open(more).unwrap()).unwrap();
    assert_eq!(changed.manifest().build.encoder, Encoder::Embedder);
    let compacted = changed.compact().unwrap().finish(changed.manifest().calibration).unwrap();
    assert_eq!(Index::open(compacted).unwrap().manifest().build.encoder, Encoder::Embedder);
}
