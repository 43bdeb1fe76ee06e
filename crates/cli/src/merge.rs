//! `ibid merge`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ibid_index::Index;
use ibid_native::web::put_table;
use ibid_native::{Family, files, note};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::calibrate;

/// Documents that a note names.
const NAMED: usize = 3;

#[derive(clap::Args)]
pub(super) struct MergeArgs {
    /// The indexes. If documents have the same id, the later index's is kept.
    #[arg(value_name = "INDEX", required = true)]
    indexes: Vec<PathBuf>,
    /// The index to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(args: &MergeArgs) -> Result<()> {
    let Some((first, others)) = args.indexes.split_first() else { return Ok(()) };
    files::index::check_writable(&args.output)?;
    let mut merged = open_whole(first)?;
    let mut ids = ids(&merged)?;
    let mut replaced = Vec::new();
    for path in others {
        let index = open_whole(path)?;
        for id in self::ids(&index)? {
            if !ids.insert(id.clone()) {
                replaced.push(id);
            }
        }
        attach(&mut merged, index).map_err(|error| in_file(path, &error))?;
    }
    if !replaced.is_empty() {
        let named = replaced.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if replaced.len() > NAMED { ", ..." } else { "" };
        note(&format!(
            "documents in several indexes, the last of which was kept: {} ({named}{more})",
            replaced.len()
        ));
    }
    let draft = merged.compact()?;
    // A service calibrated what it embedded, and the calibration stays: the passages are the same.
    let calibration = match Family::of_space(&merged.manifest().space) {
        Some(family) => calibrate(&family.table()?, &draft)?,
        None => merged.manifest().calibration,
    };
    let bytes = draft.finish(calibration)?;
    let folder = files::index::write(&args.output, &bytes, None)?;
    put_table(&args.output, &merged.manifest().space)?;
    let parts = folder.map_or(String::new(), |(parts, _)| format!(", a folder of {parts} parts"));
    note(&format!(
        "{}: {} documents, {} chunks, {} bytes{parts}",
        args.output.display(),
        merged.manifest().documents,
        merged.manifest().chunks,
        bytes.len()
    ));
    Ok(())
}

fn open_whole(path: &Path) -> Result<Index> {
    Index::open(files::index::read(path)?).map_err(|error| in_file(path, &error))
}

fn ids(index: &Index) -> Result<HashSet<String>> {
    index.documents().map(|document| Ok(document?.metadata.document_id)).collect()
}

fn attach(merged: &mut Index, index: Index) -> Result<()> {
    if index.manifest().chunking == merged.manifest().chunking {
        return merged.attach(index);
    }
    Err(Error::new(ErrorCode::InvalidOption, "Its documents were chunked with other options.")
        .with_hint("Build all indexes with the same options, then merge them."))
}

fn in_file(path: &Path, error: &Error) -> Error {
    let named = Error::new(error.code(), format!("{}: {}", path.display(), error.message()));
    match error.hint() {
        Some(hint) => named.with_hint(hint),
        None => named,
    }
}
