//! `ibid copy`.

use std::io::Write as _;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

use ibid_native::print;
use ibid_native::web::{WebFiles, WebPart};
use ibid_platform::{Error, ErrorCode, Result};

#[derive(clap::Args)]
pub(super) struct CopyArgs {
    /// The folder, such as public/ibid; created if missing. It gets the query tables and stemmers that the indexes
    /// (*.ibid) next to it need, or all if there are none.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The parts that the page uses, separated by commas.
    #[arg(long = "for", value_name = "PARTS", value_delimiter = ',', default_value = "search,ui,ask")]
    parts: Vec<WebPart>,
}

pub(super) fn run(args: &CopyArgs) -> Result<()> {
    let web = WebFiles::find()?;
    let mut rows = row("part", "files", "KB", "KB gzip");
    for (part, names) in web.copy(&args.parts, &args.folder)? {
        let (mut bytes, mut packed) = (0, 0);
        for name in &names {
            let content = web.read(name)?;
            bytes += content.len();
            packed += gzip(&content)?.len();
        }
        rows += &row(&part.name(), &names.len().to_string(), &kilobytes(bytes), &kilobytes(packed));
    }
    print(&rows)
}

/// Bytes as a host compresses them.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    let written = packed.write_all(bytes).and_then(|()| packed.finish());
    written.map_err(|error| Error::new(ErrorCode::Internal, format!("Compression failed: {error}.")))
}

fn row(part: &str, files: &str, bytes: &str, packed: &str) -> String {
    format!("{part:<12} {files:>6} {bytes:>9} {packed:>9}\n")
}

fn kilobytes(bytes: usize) -> String {
    format!("{:.0}", bytes as f64 / 1000.0)
}
