//! `ibid.toml`: the settings of a site in one file.

mod read;

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use crate::files;
use ibid_index::{Encoder, Language, SearchSettings};
use ibid_platform::{Error, ErrorCode, Result};

/// The name of the file, next to the folder of the site or in the current one.
const FILE: &str = "ibid.toml";

/// The settings of a site.
#[derive(Debug, Default)]
pub struct SiteSettings {
    /// The file that has them.
    pub path: Option<PathBuf>,
    /// Settings that every search follows, but for pins and popular pages.
    pub search: SearchSettings,
    /// Queries, each with the address of the page that comes first.
    pub pins: Vec<(String, String)>,
    /// Addresses of pages that a search box shows before the first letter.
    pub popular: Vec<String>,
    /// The author's own questions, each with the address of the page that they should find.
    pub questions: Vec<(String, String)>,
    /// Files that are not read.
    pub(crate) exclude: Vec<PathGlob>,
    /// Weights of files, in hundredths.
    pub(crate) weights: Vec<(PathGlob, u16)>,
    /// As the options of the same names.
    pub language: Option<Language>,
    /// See `--encoder`.
    pub encoder: Option<Encoder>,
    /// See `--model`.
    pub model: Option<PathBuf>,
    /// See `--base-url`.
    pub base_url: Option<String>,
    /// See `--llms`.
    pub llms: bool,
    /// Attributes of the search box with their values.
    pub attributes: Vec<(String, String)>,
}

impl SiteSettings {
    /// Reads the file that was named, or else the one next to the first of the paths, or in the current folder. None is no
    /// error unless it was named.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for what is no TOML, for a key that is not known, and for a value of another type.
    pub fn load(named: Option<&Path>, paths: &[PathBuf]) -> Result<Self> {
        let beside = || paths.first().and_then(|path| path.parent()).map(|folder| folder.join(FILE));
        let usual = || beside().into_iter().chain([PathBuf::from(FILE)]).find(|path| path.is_file());
        let Some(path) = named.map(Path::to_owned).or_else(usual) else { return Ok(Self::default()) };
        let name = files::source_name(&path);
        let text = String::from_utf8(files::read(&path)?)
            .map_err(|_| Error::new(ErrorCode::InvalidOption, format!("`{name}` is not UTF-8.")))?;
        Ok(Self { path: Some(path), ..read::read(&name, &text)? })
    }

    /// Finds the weight of a file by its path below the folder that was named: the last that matches.
    pub(crate) fn weight_of(&self, name: &str) -> Option<u16> {
        self.weights.iter().rev().find(|(glob, _)| glob.matches(name)).map(|(_, weight)| *weight)
    }
}

/// A glob over paths below the folder that is read, such as `/old/**`.
#[derive(Debug)]
pub(crate) struct PathGlob {
    /// As it is written.
    pub(crate) text: String,
    matcher: GlobMatcher,
}

impl PathGlob {
    fn new(text: &str) -> std::result::Result<Self, String> {
        let below = text.trim_start_matches("./").trim_start_matches('/');
        let all = if below.ends_with('/') { "**" } else { "" };
        let glob = GlobBuilder::new(&[below, all].concat()).literal_separator(true).build();
        let matcher =
            glob.map_err(|error| format!("`{text}` is no glob: {}", error.kind()))?.compile_matcher();
        Ok(Self { text: text.to_owned(), matcher })
    }

    /// Returns true if it stands for a file of that name.
    pub(crate) fn matches(&self, name: &str) -> bool {
        self.matcher.is_match(name.trim_start_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_over_paths_below_the_folder() {
        let matches = |glob: &str, name: &str| PathGlob::new(glob).unwrap().matches(name);
        assert!(matches("/old/**", "old/a/b.html") && matches("old/", "old/a/b.html"));
        assert!(matches("**/draft-*", "a/draft-1.html") && matches("*.md", "a.md"));
        assert!(!matches("/old/**", "new/old/a.html") && !matches("*.md", "a/b.md"));
        assert!(PathGlob::new("a{").is_err());
    }

    #[test]
    fn the_file_is_next_to_the_folder_or_named() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("_site");
        let load = |named: Option<&Path>| SiteSettings::load(named, std::slice::from_ref(&site)).unwrap();
        assert_eq!(load(None).path, None);
        files::write(&folder.path().join(FILE), b"base-url = \"/docs/\"").unwrap();
        assert_eq!(load(None).base_url.as_deref(), Some("/docs/"));
        let other = folder.path().join("other.toml");
        files::write(&other, b"[weights]\n\"/a/**\" = 0.5\n\"/a/b.html\" = 2\n").unwrap();
        let settings = load(Some(&other));
        assert_eq!(
            ["a/c.html", "a/b.html", "c.html"].map(|name| settings.weight_of(name)),
            [Some(50), Some(200), None]
        );
        assert!(SiteSettings::load(Some(&folder.path().join("none.toml")), &[]).is_err());
    }
}
