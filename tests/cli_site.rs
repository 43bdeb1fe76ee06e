//! Building real sites: whatever their documents disagree on, an index comes of it, and what is told fits on a screen.
#![cfg(all(feature = "cli", not(target_arch = "wasm32")))]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail where it stands")]
#![expect(clippy::print_stderr, reason = "a skipped test should say so")]
#![expect(clippy::disallowed_methods, reason = "these tests look at the files that the command writes")]

mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use ibid::index::Index;
use support::{command, ibid, weights};

/// A folder with these files.
fn site(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn notes(output: &Output) -> String {
    let notes = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{notes}");
    notes
}

/// Builds by the query table, which needs no model; what is told, and the index.
fn build(folder: &Path, arguments: &[&str]) -> (String, Index) {
    let output = ibid(folder, &[&["build", "-o", "x.ibid", "--encoder", "table"], arguments].concat());
    let notes = notes(&output);
    (notes, Index::open(fs::read(folder.join("x.ibid")).unwrap()).unwrap())
}

#[test]
fn without_a_model_the_table_embeds_and_the_command_that_gets_the_model_is_named() {
    let folder = site(&[("docs/tea.md", "# Tea\n\nGreen tea steeps at 80 degrees.\n")]);
    let notes = notes(&ibid(folder.path(), &["build", "docs", "-o", "site.ibid"]));
    assert!(notes.contains("note: The model that embeds documents is not on this machine."), "{notes}");
    assert!(notes.contains("ibid model import minilm/"), "{notes}");
    let (quiet, _) = build(folder.path(), &["docs"]);
    assert!(!quiet.contains("note: "), "{quiet}");
    if let Some(model) = weights() {
        let with_model =
            self::notes(&ibid(folder.path(), &["build", "docs", "-o", "m.ibid", "--model", &model]));
        assert!(!with_model.contains("note: "), "{with_model}");
    }
    assert!(
        fs::read(folder.path().join("site.ibid")).unwrap() == fs::read(folder.path().join("x.ibid")).unwrap()
    );
    let found = ibid(folder.path(), &["search", "site.ibid", "how hot for green tea"]);
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(text.contains("80 degrees") && text.contains("tea.md:3"), "{text}");

    let asked = ibid(folder.path(), &["build", "docs", "-o", "y.ibid", "--encoder", "transformer"]);
    assert_eq!(asked.status.code(), Some(1));
    assert!(String::from_utf8(asked.stderr).unwrap().contains("`--encoder table`"));
    for wrong in [&["--encoder", "table", "--model", "m"][..], &["--encoder", "table", "--adapt"]] {
        let arguments = [&["build", "docs", "-o", "y.ibid"], wrong].concat();
        assert_eq!(ibid(folder.path(), &arguments).status.code(), Some(2), "{wrong:?}");
    }
    // As long as it is named, it has to be there.
    let named = command(folder.path(), &["build", "docs", "-o", "y.ibid"]).env("IBID_MODEL", "none").output();
    assert_eq!(named.unwrap().status.code(), Some(1));
}
