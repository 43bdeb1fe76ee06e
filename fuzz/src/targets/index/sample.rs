//! Small index files that between them have everything the format knows.

use std::sync::OnceLock;

use ibid::chunk::{ChunkOptions, chunk};
use ibid::document::Document;
use ibid::embed::{Embedding, Space};
use ibid::index::{BuildOptions, Calibration, GraphMode, Index, IndexBuilder};

use super::container::File;

const DIMENSIONS: u32 = 8;

const TEA: &str = "---\ntitle: Tea\ndrugs: [mint, sage]\nyear: 2024\nweight: 1.5\ndraft: true\ndate: 2024-05-01\n---\n# Tea\n\n\
    Steep it for three minutes.\n\n## Water\n\nEighty degrees.\n\n## Pot\n\nWarm it first.\n";
const COFFEE: &str =
    "---\ntitle: Tea\nyear: 2025\ndrugs: [mint]\n---\n# Tea\n\nGrind it.\n\n## Water\n\nEighty degrees.\n";

/// A vector for each text, the same for the same text.
fn embed(text: &str) -> Embedding {
    let mut state = text.bytes().fold(7u64, |state, byte| state.wrapping_mul(31).wrapping_add(byte.into()));
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    };
    Embedding::normalized((0..DIMENSIONS).map(|_| next()).collect())
}

fn build(documents: &[(&str, &str)], graph: GraphMode) -> Index {
    let space = Space { name: "fuzz".into(), dimensions: DIMENSIONS, fingerprint: "0".into() };
    let chunking = ChunkOptions { budget: 16, min_size: 0, ..ChunkOptions::default() };
    let mut builder =
        IndexBuilder::new(space, chunking.clone(), BuildOptions { graph, ..BuildOptions::default() });
    for (name, text) in documents {
        let document = Document::parse(name, text.as_bytes()).expect("the sample is markdown");
        builder.add(&document, &chunk(&document, &chunking)).expect("the names differ");
    }
    let vectors: Vec<Embedding> = builder.pending(usize::MAX).into_iter().map(embed).collect();
    builder.embedded(&vectors).expect("each text has a vector");
    let file = builder.assemble().and_then(|draft| draft.finish(Calibration::default()));
    Index::open(file.expect("all texts are embedded")).expect("what was written can be opened")
}

/// Cuts the first block of text in two, which the builder does from 64 KiB on.
fn cut_block(file: &mut File) {
    let section = |id: [u8; 4]| file.named(id).next().map(|section| section.bytes.clone());
    let blocks = section(*b"tblk").expect("blocks");
    let text = section(*b"text").expect("text");
    assert_eq!(blocks[..8], [(text.len() as u32).to_le_bytes(); 2].concat(), "the block is stored as it is");
    assert_eq!(text, b"One.Two.");
    let first = 4u32.to_le_bytes();
    let cut = [&first, &first, [0; 8].as_slice(), &blocks].concat();
    if let Some(table) = file.sections.iter_mut().find(|section| section.id == *b"tblk") {
        table.bytes = cut;
    }
    file.reseal_blocks();
}

/// Files that can be opened: one of two segments with a graph, shared chunks and a removed document; one whose text is
/// in several blocks; one without documents.
pub fn samples() -> Vec<Vec<u8>> {
    files().iter().map(File::seal).collect()
}

/// The same, taken apart.
pub fn files() -> &'static [File] {
    static FILES: OnceLock<Vec<File>> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut whole = build(&[("tea.md", TEA), ("herbs.md", &TEA.repeat(2))], GraphMode::Always);
        whole
            .attach(build(&[("coffee.md", COFFEE), ("milk.md", "Warm.")], GraphMode::Never))
            .expect("one space");
        whole.remove("milk");
        let bytes = |index: &Index| index.to_bytes().expect("all of it is there");
        let whole_bytes = bytes(&whole);
        let whole = File::take_apart(&whole_bytes);
        assert!(whole.seal() == whole_bytes, "the format is not what docs/index-format.md says");
        let mut blocks =
            File::take_apart(&bytes(&build(&[("a.md", "# A\n\nOne.\n\n# B\n\nTwo.")], GraphMode::Never)));
        cut_block(&mut blocks);
        let empty = File::take_apart(&bytes(&build(&[], GraphMode::Never)));
        vec![whole, blocks, empty]
    })
}
