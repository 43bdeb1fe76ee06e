//! What tests of the command share: calling it, and the model that it embeds with.

use std::path::Path;
use std::process::{Command, Output};

/// The command in a folder, without what the environment of whoever runs the tests may say to it, a model included.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibid"));
    command.args(arguments).current_dir(folder).env_remove("IBID_API_KEY").env_remove("IBID_MODEL");
    command.env("XDG_DATA_HOME", folder.join("no-data"));
    command
}

/// What it prints, and its exit code.
pub(crate) fn ibid(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// The model's packed weights, where `./build.sh setup` has put them; a run that must have them fails without.
pub(crate) fn weights() -> Option<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/all-minilm-l6-v2.ibidmodel");
    if Path::new(path).is_file() {
        return Some(path.to_owned());
    }
    assert!(std::env::var_os("IBID_REQUIRE_MODEL").is_none(), "{path} is missing; run ./build.sh setup");
    eprintln!("skipped: {path} is missing; ./build.sh setup makes it");
    None
}
