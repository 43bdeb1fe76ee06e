//! Finding the generator of the site that documents belong to, by its configuration next to them.

use std::fs;
use std::path::{Path, PathBuf};

use ibid_document::{CONFIGURATIONS, Generator, Site};

/// The folders above and below one that a configuration is looked for in.
const ABOVE: usize = 3;
const BELOW: usize = 2;
/// The largest configuration that is read.
const MAX_BYTES: u64 = 1 << 20;

/// The site that documents belong to.
pub(crate) struct FoundSite {
    site: Site,
    /// The folder of the content, without links.
    content: PathBuf,
    /// The folder that was named first, where pages that are made already may be.
    named: PathBuf,
    /// The configuration that was found.
    configuration: Option<PathBuf>,
}

impl FoundSite {
    /// Looks for the site of documents at `paths`. What is given by options is stronger than what is found.
    pub(crate) fn of(paths: &[PathBuf], generator: Option<Generator>, base: Option<&str>) -> Option<Self> {
        let folders: Vec<PathBuf> = paths.iter().filter_map(|path| folder_of(path)).collect();
        let named = folders.first()?.clone();
        if let Some(found) = folders.iter().find_map(|folder| near(folder, generator)) {
            let FoundConfiguration { generator, path, content } = found;
            let text = fs::read(&path).unwrap_or_default();
            let site = Site::new(Some(generator), Some(&String::from_utf8_lossy(&text)), base);
            return Some(Self { site, content, named, configuration: Some(path) });
        }
        let site = Site::new(generator, None, base);
        Some(Self { site, content: named.clone(), named, configuration: None })
    }

    /// Says what was found, for a person.
    pub(crate) fn line(&self) -> Option<String> {
        let line = self.site.line()?;
        let here = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
        let by = self.configuration.as_ref().map(|path| path.strip_prefix(here).unwrap_or(path));
        Some(by.map_or_else(|| line.clone(), |path| format!("{line} ({})", super::source_name(path))))
    }

    /// Returns the site, and the place in its content of a file that it makes a page of.
    pub(crate) fn page_of(&self, file: &Path) -> Option<(&Site, String)> {
        let file = fs::canonicalize(file).ok()?;
        let is_page = file.extension().is_some_and(|ending| ending.to_string_lossy().contains("htm"));
        // A PDF is served as it is, from the sources of a site or from its pages.
        let is_paper = file.file_name().is_some_and(|name| ibid_papers::is_paper(&name.to_string_lossy()));
        let is_made = is_page || (is_paper && !file.starts_with(&self.content));
        let folder = if is_made { &self.named } else { &self.content };
        let path = super::source_name(file.strip_prefix(folder).ok()?);
        let read =
            |index: &str| fs::read_to_string(self.content.join(index)).ok().filter(|_| !is_page && !is_paper);
        Some((&self.site, self.site.page_of(&path, read)?))
    }
}

/// A generator's configuration.
struct FoundConfiguration {
    generator: Generator,
    path: PathBuf,
    /// The folder of the content.
    content: PathBuf,
}

/// Finds the folder that a path is, or lies in, without links.
fn folder_of(path: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(path).ok()?;
    if real.is_dir() { Some(real) } else { real.parent().map(Path::to_owned) }
}

/// Finds the configuration that is in a folder, in one above it, or in one below.
fn near(folder: &Path, generator: Option<Generator>) -> Option<FoundConfiguration> {
    // Folders above a repository belong to somebody else.
    let repository = folder.ancestors().position(|folder| folder.join(".git").exists()).unwrap_or(ABOVE);
    let mut above = folder.ancestors().take(repository.min(ABOVE) + 1);
    above.find_map(|folder| at(folder, generator)).or_else(|| {
        let mut level = vec![folder.to_owned()];
        for _ in 0..BELOW {
            level = level.iter().flat_map(|folder| folders_in(folder)).collect();
            if let Some(found) = level.iter().find_map(|folder| at(folder, generator)) {
                return Some(found);
            }
        }
        None
    })
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_hidden =
        |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.is_dir() && !path.is_symlink() && !is_hidden(path) && !path.ends_with("node_modules")
        })
        .collect();
    folders.sort();
    folders
}

/// Finds the configuration that is in this very folder.
fn at(folder: &Path, wanted: Option<Generator>) -> Option<FoundConfiguration> {
    CONFIGURATIONS.iter().find_map(|&(start, generator, content)| {
        let content = folder.join(content);
        if wanted.is_some_and(|wanted| wanted != generator) || !content.is_dir() {
            return None;
        }
        let (place, start) = start
            .rsplit_once('/')
            .map_or((folder.to_owned(), start), |(below, start)| (folder.join(below), start));
        let entries = fs::read_dir(place).ok()?.flatten();
        let mut named: Vec<PathBuf> = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(start))
            .map(|entry| entry.path())
            .filter(|path| fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES))
            .collect();
        named.sort();
        Some(FoundConfiguration { generator, path: named.into_iter().next()?, content })
    })
}
