//! What the `ibid` command writes: to files that must stay whole, to places that cannot be written, to shells and `man`.

use crate::support::{ibid, stderr};
use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// What a program says about a script that it reads from its input, or nothing if it is not on this machine.
fn checked_by(program: &str, arguments: &[&str], script: &[u8]) -> Option<Output> {
    let (input, pipe) = (Stdio::piped(), Stdio::piped);
    let child = Command::new(program).args(arguments).stdin(input).stdout(pipe()).stderr(pipe()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: there is no {program} here");
        return None;
    };
    // The program may end before it has read everything; what it says then is the answer.
    let _ = child.stdin.take().unwrap().write_all(script);
    Some(child.wait_with_output().unwrap())
}

#[test]
fn completions_are_scripts_of_their_shells() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = ibid(folder.path(), &["completions", shell]);
        assert_eq!(script.status.code(), Some(0));
        let text = String::from_utf8(script.stdout.clone()).unwrap();
        assert!(text.contains("bookshelf") && text.contains("dry-run"), "{shell}: {text}");
        if matches!(shell, "bash" | "zsh" | "fish")
            && let Some(checked) = checked_by(shell, &["-n"], &script.stdout)
        {
            assert!(checked.status.success(), "{shell}: {}", stderr(&checked));
        }
    }
    assert_eq!(ibid(folder.path(), &["completions", "tcl"]).status.code(), Some(2));
}

#[test]
fn manual_pages_have_headings() {
    let folder = tempfile::tempdir().unwrap();
    let all = ibid(folder.path(), &["man"]);
    assert_eq!(all.status.code(), Some(0));
    assert!(String::from_utf8(all.stdout).unwrap().matches(".TH ").count() > 8);

    let written = ibid(folder.path(), &["man", "-o", "deep/man1"]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    let page = fs::read(folder.path().join("deep/man1/ibid-fetch-bookshelf.1")).unwrap();
    let text = String::from_utf8(page.clone()).unwrap();
    for heading in
        [".TH ibid-fetch-bookshelf 1", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS"]
    {
        assert!(text.contains(heading), "{heading}: {text}");
    }
    if let Some(rendered) = checked_by("groff", &["-man", "-Tascii", "-ww", "-P", "-cbou"], &page) {
        assert!(String::from_utf8_lossy(&rendered.stdout).contains("SYNOPSIS"));
        assert!(rendered.stderr.is_empty(), "{}", stderr(&rendered));
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    fs::create_dir_all(folder.path().join("pages/ibid.1")).unwrap();
    for (place, named) in [("file/man", "file/man"), ("pages", "pages/ibid.1")] {
        let output = ibid(folder.path(), &["man", "-o", place]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(named) && stderr(&output).contains("[io]"), "{}", stderr(&output));
    }
}

/// A limit on the length of files imitates a full disk: both end a write in the middle.
#[cfg(unix)]
#[test]
fn a_write_that_fails_in_the_middle_keeps_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ibid-ask.1"), "the old page").unwrap();
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limited, "sh", env!("CARGO_BIN_EXE_ibid"), "man", "-o", "."])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let words = stderr(&output);
    assert!(words.contains("ibid-ask.1` cannot be written") && words.contains("[io]"), "{words}");
    assert_eq!(fs::read_to_string(folder.path().join("ibid-ask.1")).unwrap(), "the old page");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_a_failure_and_a_closed_one_is_none() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ibid")).arg("man").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("Standard output cannot be written"), "{}", stderr(&output));

    let mut child =
        Command::new(env!("CARGO_BIN_EXE_ibid")).arg("man").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
