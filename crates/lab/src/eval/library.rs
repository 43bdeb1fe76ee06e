//! Indexes of whole test collections, made for measuring.

use std::fs;
use std::path::{Path, PathBuf};

use super::collection::TestCollection;
use super::encoder::Sources;
use ibid_build::{Collected, Parsed};
use ibid_document::chunk::ChunkOptions;
use ibid_embed::Embedder;
use ibid_embed::Space;
use ibid_index::{BuildOptions, Index, IndexBuilder};
use ibid_native::collect::{SourceArgs, collect};
use ibid_native::embed_all;
use ibid_native::model::Embedders;
use ibid_native::settings::SiteSettings;
use ibid_native::{files, note};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::calibrate;

const CORPUS: &str = "corpus.jsonl";
const QUERIES: &str = "queries.jsonl";
/// The places of judgements, the first that is there.
const QRELS: [&str; 2] = ["qrels.tsv", "qrels/test.tsv"];

/// A folder in the layout of BEIR.
pub(super) struct CollectionFolder {
    name: String,
    path: PathBuf,
    qrels: PathBuf,
}

/// Lists the folders in a folder that are test collections, in the order of their names.
pub(super) fn folders(root: &Path) -> Result<Vec<CollectionFolder>> {
    let unreadable = |error: std::io::Error| files::failed("read", root, &error);
    let mut found = Vec::new();
    for entry in fs::read_dir(root).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !path.join(CORPUS).is_file() {
            continue;
        }
        let qrels = QRELS.iter().map(|name| path.join(name)).find(|path| path.is_file());
        match qrels.filter(|_| path.join(QUERIES).is_file()) {
            Some(qrels) => found.push(CollectionFolder { name, path, qrels }),
            None => note(&format!(
                "warning: {}: left out, since it has no {QUERIES} or no {}",
                path.display(),
                QRELS.join(" or ")
            )),
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    if found.is_empty() {
        let message = format!("`{}` has no folder with a test collection.", root.display());
        return Err(Error::new(ErrorCode::InvalidDocument, message)
            .with_hint(format!("Each folder in it has {CORPUS}, {QUERIES} and {}.", QRELS[0])));
    }
    Ok(found)
}

impl CollectionFolder {
    pub(super) fn collection(&self) -> Result<TestCollection> {
        TestCollection::read(self.name.clone(), &self.path.join(QUERIES), Some(&self.qrels))
    }

    /// Opens the collection's index: that next to its folder if it is up to date, else one that is built there.
    pub(super) fn index(&self, sources: &Sources) -> Result<Vec<u8>> {
        let place = self.path.with_added_extension("ibid");
        let chunking = ChunkOptions::default();
        let paths = SourceArgs::of(vec![self.path.join(CORPUS)]);
        let corpus = collect(&paths, &SiteSettings::default(), &chunking, |_| {})?.collected;
        let family = sources.family(None, corpus.languages());
        let mut known = None;
        if place.is_file() {
            let bytes = files::read(&place)?;
            let index = Index::open(bytes.clone())?;
            if is_current(&index, &corpus, &chunking, &sources.space(family)?) {
                return Ok(bytes);
            }
            known = Some(index);
        }
        files::check_writable(&place)?;
        note(&format!("{}: building {}", self.name, place.display()));
        let bytes = build(&corpus, &chunking, &sources.embedders(family)?, known.as_ref())?;
        files::write(&place, &bytes)?;
        Ok(bytes)
    }
}

/// Returns true if an index is what would be built now.
fn is_current(index: &Index, corpus: &Collected, chunking: &ChunkOptions, space: &Space) -> bool {
    let manifest = index.manifest();
    manifest.chunking == *chunking
        && manifest.space == *space
        && manifest.documents as usize == corpus.parsed.len()
        && corpus
            .parsed
            .iter()
            .all(|Parsed { document, chunks }| index.has(document, chunks).unwrap_or(false))
}

/// Builds an index. What the `known` index has embedded already is taken from there.
fn build(
    corpus: &Collected,
    chunking: &ChunkOptions,
    embedders: &Embedders,
    known: Option<&Index>,
) -> Result<Vec<u8>> {
    let documents = &embedders.documents;
    let options = BuildOptions { encoder: embedders.encoder, ..BuildOptions::default() };
    let mut builder = IndexBuilder::new(documents.space().clone(), chunking.clone(), options);
    corpus.add_to(&mut builder)?;
    if let Some(index) = known.filter(|index| index.manifest().space == *documents.space()) {
        builder.reuse(index)?;
    }
    embed_all(&mut builder, documents)?;
    let draft = builder.assemble()?;
    let calibration = calibrate(embedders.queries.as_ref(), &draft)?;
    draft.finish(calibration)
}
