//! Servers of search engines for the length of a test.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A search engine.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Engine {
    /// The real server.
    Chroma,
    /// Qdrant's API over its client's own engine.
    Qdrant,
}

/// A running server, which ends with the test.
pub(crate) struct Server {
    engine: Engine,
    child: Child,
    host: String,
}

impl Server {
    /// Starts a server. `None`, with a note, where its Python packages are not installed.
    pub(crate) fn start(engine: Engine) -> Option<Self> {
        let (module, script) = match engine {
            Engine::Chroma => ("chromadb_rust_bindings", "tests/command/engines/chroma.py"),
            Engine::Qdrant => ("qdrant_client", "tests/command/engines/qdrant.py"),
        };
        let python = python();
        let has = python.as_ref().is_some_and(|python| {
            let code =
                format!("import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)");
            Command::new(python).args(["-c", &code]).status().is_ok_and(|status| status.success())
        });
        let Some(python) = python.filter(|_| has) else {
            assert!(
                std::env::var_os("IBID_REQUIRE_ENGINES").is_none(),
                "{module} is not installed; run ./build.sh setup"
            );
            eprintln!("skipped: {module} is not installed");
            return None;
        };
        let mut command = Command::new(python);
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        if engine == Engine::Qdrant {
            command.args(["--key", "key-0123456789"]);
        }
        let mut child = command.spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        assert!(address.starts_with("http://"), "the server does not say where it is: {address}");
        let host = address.trim().trim_start_matches("http://").to_owned();
        Some(Self { engine, child, host })
    }

    /// The address of a collection.
    pub(crate) fn target(&self, collection: &str) -> String {
        let scheme = if self.engine == Engine::Chroma { "chroma" } else { "qdrant" };
        format!("{scheme}://{}/{collection}", self.host)
    }
}

impl Drop for Server {
    /// The scripts stop their servers when their standard input ends.
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The Python that has the packages: `IBID_ENGINES_PYTHON`, else that of the tools' folder.
fn python() -> Option<PathBuf> {
    if let Some(python) = std::env::var_os("IBID_ENGINES_PYTHON") {
        return Some(python.into());
    }
    let tools = std::env::var_os("IBID_TOOLS").map(PathBuf::from);
    let tools = tools.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/ibid/tools")))?;
    Some(tools.join("engines/bin/python")).filter(|python| python.is_file())
}
