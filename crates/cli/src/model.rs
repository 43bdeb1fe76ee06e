//! `ibid model`.

use std::path::PathBuf;

use ibid_embed::{SourceModel, import};
use ibid_native::model::data_file;
use ibid_native::{files, note};
use ibid_platform::{Error, ErrorCode, Result};

/// Does something with models.
#[derive(clap::Subcommand)]
pub(super) enum ModelCommand {
    /// Packs the weights of all-MiniLM-L6-v2 (`model.safetensors`, `vocab.txt`, `config.json`) into one int8 file.
    #[command(after_help = "Example: ibid model import ./all-MiniLM-L6-v2")]
    Import {
        /// The folder with the three files.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The file to write [default: where `ibid build` looks for it]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

pub(super) fn run(command: &ModelCommand) -> Result<()> {
    let ModelCommand::Import { folder, output } = command;
    let read = |name: &str| files::read(&folder.join(name));
    let (config, vocab, weights) = (read("config.json")?, read("vocab.txt")?, read("model.safetensors")?);
    let packed =
        import(SourceModel { name: "all-MiniLM-L6-v2", config: &config, vocab: &vocab, weights: &weights })?;
    let path = match output {
        Some(path) => path.clone(),
        None => data_file().ok_or_else(|| {
            Error::new(ErrorCode::InvalidOption, "No home folder is known.")
                .with_hint("Name the file with `-o FILE`.")
        })?,
    };
    files::create_folder_of(&path)?;
    files::write(&path, &packed)?;
    note(&format!("{}: {} bytes", path.display(), packed.len()));
    Ok(())
}
