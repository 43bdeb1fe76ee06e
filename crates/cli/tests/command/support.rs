//! Parts that tests of the command share: calling it, the models that it embeds with, and indexes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use ibid::chunk::{ChunkOptions, chunk};
use ibid::document;
use ibid::embed::{Embedder, Task, TokenTable};
use ibid::index::{BuildOptions, Calibration, IndexBuilder};

/// The command in a folder, without variables of the tests' environment, such as a model.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibid"));
    command.args(arguments).current_dir(folder).env_remove("IBID_API_KEY").env_remove("IBID_MODEL");
    // Nothing listens there, so that no test asks the real registry for a model.
    command.env("XDG_DATA_HOME", folder.join("data")).env("IBID_MODEL_URL", "http://127.0.0.1:9");
    command
}

/// Runs the command in a folder to its end.
pub(crate) fn ibid(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// Returns its standard output.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns its standard error.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Writes a file, and makes the folders that it lies in.
pub(crate) fn put(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Writes the note of that number, which has one of seven words, and this of it.
pub(crate) fn note(folder: &Path, at: usize, text: &str) {
    let word = ["tea", "bicycle", "garden", "window", "river", "letter", "stone"][at % 7];
    let text =
        format!("# Note {at}\n\nThe {word} of number {at} {text} and is described here in a sentence.\n");
    put(folder, &format!("docs/{at:04}.md"), &text);
}

/// The packed weights of the model for English.
pub(crate) fn weights() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/minilm-distilled.ibidmodel").to_owned()
}

/// The packed weights of the multilingual one, where `./build.sh setup` has put them; a run that must have them fails
/// without.
pub(crate) fn multilingual_weights() -> Option<String> {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/multilingual-e5-small.ibidmodel").to_owned();
    if Path::new(&path).is_file() {
        return Some(path);
    }
    assert!(std::env::var_os("IBID_REQUIRE_MODEL").is_none(), "{path} is missing; run ./build.sh setup");
    eprintln!("skipped: {path} is missing; ./build.sh setup makes it");
    None
}

/// The table that queries are embedded by.
pub(crate) fn table() -> TokenTable {
    TokenTable::from_bytes(include_bytes!("../../../../models/query-table.bin")).unwrap()
}

/// Options by which each section becomes a passage of its own, as long as it has at most that many tokens.
pub(crate) fn small_chunks(budget: usize) -> ChunkOptions {
    ChunkOptions { budget, min_size: 0, ..ChunkOptions::default() }
}

/// An index of files that are embedded as if they were queries: that needs no weights.
pub(crate) fn index_of(files: &[(&str, &str)], options: &ChunkOptions, calibration: Calibration) -> Vec<u8> {
    let table = table();
    let mut builder = IndexBuilder::new(table.space().clone(), options.clone(), BuildOptions::default());
    for (name, text) in files {
        for document in document::parse(name, text.as_bytes()).unwrap() {
            builder.add(&document, &chunk(&document, options)).unwrap();
        }
    }
    builder.embedded(&table.embed(&builder.pending(usize::MAX), Task::Query).unwrap()).unwrap();
    builder.assemble().unwrap().finish(calibration).unwrap()
}
