//! The files that are served: those of a folder, or the page that searches an index.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::tuning::{self, Tuning};
use ibid_native::files;
use ibid_native::web::{self, WebFiles};
use ibid_platform::{Error, ErrorCode, Result};

/// The page that searches an index.
const PAGE: &str = include_str!("page.html");

/// The files that are served.
pub(super) enum Offer {
    /// Those of a folder, as they are.
    Folder(PathBuf),
    /// Those of a built site, and the page that shows why its pages are found.
    Site(Tuning),
    /// The page, the package's files and the index.
    Page { index: PathBuf, web: WebFiles, policy: String },
}

/// The place of a file that was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A path that may lead nowhere, and the folder that no link may lead out of.
    Path { path: PathBuf, root: PathBuf },
    /// A file that is part of the program, with its name.
    BuiltIn(&'static str, &'static [u8]),
}

impl Offer {
    /// Makes the offer for a path that was named, and a line about it.
    ///
    /// # Errors
    /// [`ErrorCode::Io`] for a folder that is neither a site nor an index; else as opening an index, so that the
    /// command says it, not the page alone.
    pub(super) fn of(path: &Path) -> Result<(Self, String)> {
        let shown = path.display();
        if has_pages(path) {
            return Ok((Self::Folder(path.to_owned()), format!("serving the folder {shown}")));
        }
        if path.is_dir() && !path.join("head").is_file() {
            let message = format!("`{shown}` has no pages (`.html`), and is not an index.");
            return Err(Error::new(ErrorCode::Io, message).with_hint(format!(
                "Build an index of its documents with `ibid build {shown}`, then `ibid serve`."
            )));
        }
        let index = files::index::open(path).map_err(|error| {
            let hint = "Build one from your documents: `ibid build docs`.";
            if path.exists() { error } else { error.with_hint(hint) }
        })?;
        let manifest = index.manifest();
        let line = format!("serving {shown}, {} documents, {} chunks", manifest.documents, manifest.chunks);
        Ok((Self::Page { index: path.to_owned(), web: WebFiles::find()?, policy: policy() }, line))
    }

    /// Finds the place of a file, by its decoded path, which has no hidden and no upward part.
    pub(super) fn place(&self, path: &str) -> Option<Place> {
        let below = |root: &Path, rest: &str| {
            let rest = rest.trim_start_matches('/');
            // Joined to nothing, a file's path would become a folder's.
            let path = if rest.is_empty() { root.to_owned() } else { root.join(rest) };
            Place::Path { path, root: root.to_owned() }
        };
        let (index, web) = match self {
            Self::Folder(folder) => return Some(below(folder, path)),
            Self::Site(_) if path == tuning::ADDRESS => {
                return Some(Place::BuiltIn("index.html", tuning::PAGE.as_bytes()));
            }
            Self::Site(tuning) => return Some(below(&tuning.folder, path)),
            Self::Page { index, web, .. } => (index, web),
        };
        if path == "/" {
            return Some(Place::BuiltIn("index.html", PAGE.as_bytes()));
        }
        if let Some(name) = path.strip_prefix("/ibid/") {
            return Some(match web::built_in(name) {
                Some((name, bytes)) => Place::BuiltIn(name, bytes),
                None => below(web.folder(), name),
            });
        }
        let rest = path.strip_prefix("/site.ibid")?;
        if rest.is_empty() || (rest.starts_with('/') && index.is_dir()) {
            Some(below(index, rest))
        } else {
            None
        }
    }

    /// The JSON that is made for a request, if the address is one for which it is.
    pub(super) fn made(&self, path: &str, query: &str) -> Option<Result<Vec<u8>>> {
        if let Self::Site(tuning) = self { tuning.answer(path, query) } else { None }
    }

    /// The headers that go with each answer.
    pub(super) fn headers(&self) -> Vec<(&'static str, &str)> {
        match self {
            Self::Folder(_) | Self::Site(_) => Vec::new(),
            Self::Page { policy, .. } => vec![
                ("content-security-policy", policy),
                ("referrer-policy", "no-referrer"),
                ("x-content-type-options", "nosniff"),
            ],
        }
    }
}

/// Writes the policy that lets the page run its own code and read its own files, and nothing else.
fn policy() -> String {
    let style = PAGE.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
    let hash = Sha256::digest(style.map_or("", |(style, _)| style));
    [
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        &format!("style-src 'sha256-{}'", STANDARD.encode(hash)),
        "connect-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    .join("; ")
}

/// Says whether a page lies in a folder itself.
fn has_pages(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.path().extension().is_some_and(|extension| extension == "html"))
    })
}
