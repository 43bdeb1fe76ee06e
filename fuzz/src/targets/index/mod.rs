//! The loader of index files.

mod container;
mod craft;
mod recipe;
mod sample;

use ibid::embed::Embedding;
use ibid::index::{Calibration, FileLayout, Index, LexicalScratch, PartTable, cut};

use container::File;
use recipe::Recipe;
pub use sample::samples;

/// Opens bytes as an index.
pub fn open(data: &[u8]) {
    use_folder(data);
    if let Ok(index) = Index::open(data.to_vec()) {
        use_all(&index, true);
    }
}

/// Opens a file that a recipe has changed, and that has valid checksums.
pub fn crafted(data: &[u8]) {
    let (file, deep) = craft(data);
    use_folder(&file);
    if let Ok(index) = Index::open(file) {
        use_all(&index, deep);
    }
}

/// Takes a file for the head of a folder, and makes it one.
pub fn use_folder(file: &[u8]) {
    let _ = PartTable::read(file);
    if let Ok(folder) = cut(file, 700) {
        let table = PartTable::read(&folder.head).expect("what was cut can be read");
        let parts = folder.parts.iter().map(|(part, _)| part.clone()).collect();
        assert_eq!(table.map(|table| table.parts), Some(parts));
    }
}

/// The file that a recipe makes: the first byte picks a sample, the rest changes it. Also whether to try the slower
/// ways to use it.
pub fn craft(data: &[u8]) -> (Vec<u8>, bool) {
    let mut recipe = Recipe::new(data);
    let (file, deep) = change(&mut recipe, usize::MAX);
    (file.seal(), deep)
}

fn change(recipe: &mut Recipe<'_>, most: usize) -> (File, bool) {
    let first = recipe.byte();
    let mut file = recipe_sample(first).clone();
    for _ in 0..most {
        if recipe.is_empty() || file.sections.is_empty() {
            break;
        }
        craft::change(&mut file, recipe);
    }
    // The checksums of blocks are inside a section.
    if first & 0x10 == 0 {
        file.reseal_blocks();
    }
    (file, first >= 0xE0)
}

/// The first sample half of the time: it has the most in it.
fn recipe_sample(first: u8) -> &'static File {
    let files = sample::files();
    let picked = usize::from(first % 8);
    files.get(picked).unwrap_or(&files[0])
}

/// Opens a file of which pieces have arrived: those that are needed, or others, at the offsets at which its table says
/// that they lie, or at others.
pub fn pieces(data: &[u8]) {
    let mut recipe = Recipe::new(data);
    let changes = recipe.below(4);
    let (file, _) = change(&mut recipe, changes);
    let bytes = file.seal();
    let offsets = file.offsets();
    let Ok(layout) = FileLayout::head_length(&bytes).and_then(|_| FileLayout::parse(&bytes)) else { return };
    let mut pieces: Vec<(u64, Vec<u8>)> = Vec::new();
    // As a page asks for them, as far as the file has them.
    for range in layout.needed() {
        let (Ok(start), Ok(end)) = (usize::try_from(range.start), usize::try_from(range.end)) else {
            continue;
        };
        pieces.extend(bytes.get(start..end).map(|piece| (range.start, piece.to_vec())));
    }
    // Wherever the table says that a section lies, even if no file could reach there.
    let whole = file.sections.iter().zip(&offsets).map(|(section, at)| (*at, section.bytes.clone()));
    pieces.extend(whole.filter(|_| recipe.byte() % 2 == 1));
    let Ok(index) = Index::open_pieces(layout, pieces) else { return };
    use_all(&index, false);
    // What the index asks for is either provided as it is, or not quite.
    let mut ranges = index.missing(&(0..index.chunk_end().min(50)).collect::<Vec<_>>());
    ranges.extend(index.missing_clusters());
    ranges.extend(index.missing_vectors(&[0, 1]));
    if let Ok(allowed) = index.allowed(None) {
        let mut scratch = LexicalScratch::new();
        ranges.extend(index.lexical_missing("te water", 10, &allowed, &mut scratch).unwrap_or_default());
    }
    for range in ranges {
        let take = |start: u64, end: u64| bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?);
        let start = range.start.wrapping_add(recipe.pick(&[0, 0, 0, 1, u64::MAX, 1 << 63]));
        let end = range.end.wrapping_add(recipe.pick(&[0, 0, 0, 1, u64::MAX, 1 << 63]));
        let piece = take(start, end).unwrap_or_default().to_vec();
        let _ = index.provide(recipe.pick(&[start, start, start, range.start, 0, u64::MAX]), piece);
    }
    use_all(&index, true);
}

/// Uses everything of an index that can be used.
pub fn use_all(index: &Index, deep: bool) {
    let dimensions = index.manifest().space.dimensions as usize;
    let query = Embedding::normalized((0..dimensions).map(|at| (at as f32).sin()).collect());
    // A cluster that contradicts itself is noticed when it is searched.
    for found in
        [index.search(&query, 5), index.search(&query, 0), index.scan(&query, 5)].into_iter().flatten()
    {
        assert!(found.iter().all(|candidate| candidate.chunk < index.chunk_end()));
        assert!(found.is_sorted_by(|a, b| a >= b));
    }
    search_words(index);
    let end = index.chunk_end();
    for number in (0..end.min(100)).chain([end, u32::MAX]) {
        let _ = (index.chunk(number), index.missing(&[number]));
    }
    index.documents().take(100).for_each(drop);
    let _ = index.fields();
    let _ = (index.missing_terms(), index.file_sections(), index.byte_size());
    let _ = (index.embedding(0), index.missing_vectors(&[0, end]));
    if !deep {
        return;
    }
    if let Ok(file) = index.compact().and_then(|draft| draft.finish(Calibration::default())) {
        Index::open(file).expect("what was compacted can be opened");
    }
}

/// Searches by words, in every way there is.
fn search_words(index: &Index) {
    let Ok(allowed) = index.allowed(None) else { return };
    let mut scratch = LexicalScratch::new();
    for text in ["tea of minutes", "\"three minutes\" wat", "stepe eihgty", "the"] {
        for limit in [10, 3] {
            let _ = index.lexical_missing(text, limit, &allowed, &mut scratch);
            let Ok(matches) = index.lexical(text, limit, &allowed, &mut scratch) else { continue };
            assert!(matches.candidates.len() <= limit);
            assert!(matches.candidates.is_sorted_by(|a, b| a >= b));
            for candidate in &matches.candidates {
                assert!(
                    candidate.chunk < index.chunk_end()
                        && candidate.score > 0.0
                        && candidate.score.is_finite()
                );
                assert!(matches.score_of(&scratch, candidate.chunk) > 0.0);
                assert!((0.0..=1.0).contains(&matches.coverage(&scratch, candidate.chunk)));
            }
        }
    }
}

/// Recipes to begin with.
pub fn recipes() -> Vec<Vec<u8>> {
    (0..8).map(|sample| vec![sample, 3, 20, 9, 1, 30, 2, 40, 1, 6, 0]).collect()
}
