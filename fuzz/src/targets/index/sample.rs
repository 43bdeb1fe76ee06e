//! Small index files that between them have everything the format knows.

use std::io::Read;
use std::sync::OnceLock;

use flate2::read::DeflateDecoder;

use ibid::chunk::{ChunkOptions, chunk};
use ibid::document::Document;
use ibid::embed::{Embedding, Space};
use ibid::index::{BuildOptions, Calibration, Index, IndexBuilder, cut};

use super::container::{self, DIMENSIONS, File};

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

fn build(documents: &[(&str, &str)]) -> Index {
    let space = Space { name: "fuzz".into(), dimensions: DIMENSIONS, fingerprint: "0".into() };
    let chunking = ChunkOptions { budget: 16, min_size: 0, ..ChunkOptions::default() };
    let mut builder = IndexBuilder::new(space, chunking.clone(), BuildOptions::default());
    for (name, text) in documents {
        let document = Document::parse(name, text.as_bytes()).expect("the sample is markdown");
        builder.add(&document, &chunk(&document, &chunking)).expect("the names differ");
    }
    let vectors: Vec<Embedding> = builder.pending(usize::MAX).into_iter().map(embed).collect();
    builder.embedded(&vectors).expect("each text has a vector");
    let file = builder.assemble().and_then(|draft| draft.finish(Calibration::default()));
    Index::open(file.expect("all texts are embedded")).expect("what was written can be opened")
}

/// Stores the records of a file's blocks as they are, so that a changed byte changes what they say.
fn unpack_blocks(file: &mut File) {
    for id in [*b"text", *b"docs", *b"head"] {
        for section in
            file.sections.iter_mut().filter(|section| section.id == id && !section.bytes.is_empty())
        {
            let (sum, rest) = section.bytes.split_at(6);
            let (length, packed) = rest.split_at(4);
            let whole = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
            if packed.len() != whole {
                let mut text = Vec::new();
                DeflateDecoder::new(packed).read_to_end(&mut text).expect("one block");
                section.bytes = [sum, length, &text].concat();
            }
        }
    }
    file.reseal_blocks();
}

/// Says of the codes of a file's chunks that they are coarse, as only a large index has them, and drops half of each.
fn coarsen(file: &mut File) {
    let place = |id: &[u8; 4]| file.sections.iter().position(|section| section.id == *id);
    let (clusters, codes) = (place(b"clus").expect("always there"), place(b"code").expect("always there"));
    let lines = container::lines(&file.sections[clusters], *b"code");
    let table = file.sections[clusters].bytes[lines.clone()].to_vec();
    let width = DIMENSIONS.div_ceil(2) as usize;
    let (mut at, mut start, mut coarse_table, mut coarse) = (0, 0, Vec::new(), Vec::new());
    while let (Some(count), Some(length)) =
        (container::varint(&table, &mut at), container::varint(&table, &mut at))
    {
        let block = &file.sections[codes].bytes[start..start + length];
        // The checksum and the factors stand before the codes, and the chunks behind them.
        let (before, rest) = block.split_at(6 + 2 * count);
        let (own, chunks) = rest.split_at(width * count);
        coarse.extend([before, &own[..width.div_ceil(2) * count], chunks].concat());
        coarse_table.extend(container::written(count));
        coarse_table.extend(container::written(length - width / 2 * count));
        coarse_table.extend([0; 2]);
        (at, start) = (at + 2, start + length);
    }
    file.sections[codes].bytes = coarse;
    let head = &mut file.sections[clusters].bytes;
    head[4..8].copy_from_slice(&2u32.to_le_bytes());
    let length = (coarse_table.len() as u32).to_le_bytes();
    head.splice(lines.start - 4..lines.end, [&length[..], &coarse_table].concat());
    file.reseal_blocks();
}

/// As many passages as fill several blocks.
fn long() -> String {
    let part = |at| format!("# Part {at}\n\nPassage {at} of many has a text of its own.\n\n");
    (0..500).map(part).collect::<Vec<_>>().concat()
}

/// Files that can be opened:
/// - one with chunks that documents share;
/// - the same without one of the documents, with blocks that are not packed;
/// - one whose passages are in several blocks and clusters, and the same with coarse codes;
/// - one without documents;
/// - the first, as it is joined from a folder.
pub fn samples() -> Vec<Vec<u8>> {
    files().iter().map(File::seal).collect()
}

/// The same, taken apart.
pub fn files() -> &'static [File] {
    static FILES: OnceLock<Vec<File>> = OnceLock::new();
    FILES.get_or_init(|| {
        let bytes = |index: &Index| index.file().expect("it was opened whole").to_vec();
        let whole_bytes =
            bytes(&build(&[("tea.md", TEA), ("herbs.md", &TEA.repeat(2)), ("coffee.md", COFFEE)]));
        let whole = File::take_apart(&whole_bytes);
        assert!(whole.seal() == whole_bytes, "the format is not what docs/index-format.md says");
        let mut plain = File::take_apart(&bytes(&build(&[("tea.md", TEA), ("herbs.md", &TEA.repeat(2))])));
        unpack_blocks(&mut plain);
        let blocks = File::take_apart(&bytes(&build(&[("a.md", &long())])));
        let mut coarse = blocks.clone();
        coarsen(&mut coarse);
        let opened = Index::open(coarse.seal()).expect("a large index has the like");
        assert!(opened.search(&embed("water"), 5).is_ok_and(|found| found.len() == 5));
        let empty = File::take_apart(&bytes(&build(&[])));
        let folder = cut(&whole_bytes, 700).expect("it is whole");
        let parts = folder.parts.iter().flat_map(|(_, bytes)| bytes.iter());
        let folder: Vec<u8> = folder.head.iter().chain(parts).copied().collect();
        vec![whole, plain, blocks, coarse, empty, File::take_apart(&folder)]
    })
}
