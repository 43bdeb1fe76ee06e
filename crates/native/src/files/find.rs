//! Finding the documents that paths and globs stand for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkBuilder};

use super::failed;
use crate::Family;
use crate::system::in_words;
use ibid_document::{beside_pages, not_read, source_names};
use ibid_platform::{Error, ErrorCode, Result};

/// The way the names of documents end, in lower case and without the dot before.
pub(crate) const DOCUMENT_ENDINGS: [&str; 19] = [
    "md", "mdx", "markdown", "qmd", "rst", "ipynb", "html", "htm", "xhtml", "pdf", "docx", "xml", "nxml",
    "txt", "text", "jsonl", "ndjson", "tar.gz", "tgz",
];
/// Names like those of documents, but of files that are meant for programs.
const PASSED_OVER: [&str; 1] = ["robots.txt"];
/// The file next to `.gitignore` and `.ignore`, in the same syntax, that only this command heeds.
const IGNORE_FILE: &str = ".ibidignore";

/// The folder where Node keeps the packages that a project uses, whose documents are not the project's.
const PACKAGES: &str = "node_modules";

/// The findings.
#[derive(Debug, Default)]
pub(crate) struct FoundFiles {
    /// The documents, sorted by their names; each file once, however many ways lead to it.
    pub documents: Vec<DocumentFile>,
    /// The places that could not be looked at, in the order they were met.
    pub skipped: Vec<Skipped>,
    /// The places of other files that the folders hold.
    pub others: BTreeSet<String>,
}

/// A file that is a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DocumentFile {
    /// The name that its document goes by; see [`source_names`].
    pub(crate) name: String,
    /// The path to read it by.
    pub(crate) path: PathBuf,
}

/// A file or folder that was left out.
#[derive(Debug)]
pub(crate) struct Skipped {
    /// The place where it is; as exact as the failure tells.
    pub(crate) path: PathBuf,
    /// The reason why it was left out.
    pub(crate) reason: String,
}

/// Finds the documents that paths and globs stand for.
///
/// - A file is taken as it is, whatever its name, and through a link too.
/// - A folder is searched for files with one of the `endings` (lower case, without the first dot; the case of names
///   does not matter), but for `robots.txt` and what is in `node_modules` and in the folder that `ibid site` adds.
/// - A glob (`*` and `?` within a name, `**` across folders, `[a-z]`, `{a,b}`) is expanded here, for shells that do not
///   and for lines longer than they allow; it stands for the files it matches that have one of the `endings`. A path
///   that exists is never taken for a glob.
///
/// Of a folder that is a built site, only its pages are taken: see [`beside_pages`].
///
/// Folders and globs pass over hidden files and those that `.gitignore`, `.ignore` or `.ibidignore` name, and follow
/// no links, so that no loop is possible.
///
/// # Errors
/// [`ErrorCode::Io`] for a path that does not exist, a folder that cannot be read, and a glob that matches no document;
/// [`ErrorCode::InvalidOption`] for a glob that is none. A folder further down that cannot be read is no error but is
/// among [`FoundFiles::skipped`].
pub(crate) fn find(paths: &[PathBuf], endings: &[&str]) -> Result<FoundFiles> {
    let mut search = FileSearch { endings, ..FileSearch::default() };
    for path in paths {
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => {
                search.folder(path, None)?;
            }
            Ok(_) => search.keep(path.clone(), place(path)),
            Err(error) => search.glob(path, &error)?,
        }
    }
    let (places, paths): (Vec<String>, Vec<PathBuf>) = search.found.into_values().unzip();
    let names = source_names(&search.folders, &places);
    let beside = beside_pages(&search.folders, &places);
    let others = places.into_iter().zip(&beside).filter(|(_, is_beside)| **is_beside);
    search.others.extend(others.map(|(place, _)| place));
    let files = names.into_iter().zip(paths).zip(beside).filter(|(_, is_beside)| !is_beside);
    let mut documents: Vec<_> = files.map(|((name, path), _)| DocumentFile { name, path }).collect();
    documents.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(FoundFiles { documents, skipped: search.skipped, others: search.others })
}

impl FoundFiles {
    /// Lists the kinds of other files, in words for a person; see [`not_read`].
    pub(crate) fn not_read(&self, all: bool) -> Option<String> {
        not_read(self.others.iter().filter_map(|place| place.rsplit('/').next()), all)
    }
}

#[derive(Default)]
struct FileSearch<'a> {
    endings: &'a [&'a str],
    /// The places of the folders that were searched.
    folders: Vec<String>,
    /// Each file's place and path by the path without links and detours, which is the same for every way that leads to
    /// it.
    found: BTreeMap<PathBuf, (String, PathBuf)>,
    /// The places of files that are no documents.
    others: BTreeSet<String>,
    skipped: Vec<Skipped>,
}

/// A glob, made for the paths that a search from `base` meets.
struct Pattern {
    matcher: GlobMatcher,
    base: PathBuf,
    /// The number of folders down that its matches can be; `None` for any number.
    depth: Option<usize>,
}

impl FileSearch<'_> {
    /// Keeps the shortest, and then the first by name, of the places that a file is in, and of the paths that lead
    /// there, so that their order does not matter.
    fn keep(&mut self, path: PathBuf, place: String) {
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        let rank = |(place, path): &(String, PathBuf)| {
            (place.len(), place.clone(), path.as_os_str().len(), path.clone())
        };
        let way = (place, path);
        match self.found.get_mut(&real) {
            Some(known) if rank(&way) < rank(known) => *known = way,
            Some(_) => {}
            None => {
                self.found.insert(real, way);
            }
        }
    }

    /// Keeps the documents below a folder, or those that a pattern matches; returns how many it met.
    fn folder(&mut self, folder: &Path, pattern: Option<&Pattern>) -> Result<usize> {
        let mut met = 0;
        let root = place(folder);
        self.folders.push(root.clone());
        let walk = WalkBuilder::new(folder)
            .require_git(false)
            .add_custom_ignore_filename(IGNORE_FILE)
            .max_depth(pattern.and_then(|pattern| pattern.depth))
            .filter_entry(|entry| entry.file_name() != PACKAGES && !is_added(entry.path()))
            .build();
        for entry in walk {
            match entry {
                Ok(entry) => {
                    // An ignore file with a line that is no pattern: its other lines hold.
                    if let Some(error) = entry.error() {
                        self.skip(folder, error);
                    }
                    let below = entry.path().strip_prefix(folder).unwrap_or(entry.path());
                    let place = format!("{}/{}", root.trim_end_matches('/'), source_name(below));
                    if self.is_wanted(&entry, pattern) {
                        self.keep(entry.into_path(), place);
                        met += 1;
                    } else if pattern.is_none() && entry.file_type().is_some_and(|kind| kind.is_file()) {
                        self.others.insert(place);
                    }
                }
                Err(error) if error.depth().unwrap_or(0) == 0 => {
                    return Err(Error::new(
                        ErrorCode::Io,
                        format!("`{}` cannot be searched: {}.", folder.display(), without_place(&error)),
                    ));
                }
                Err(error) => self.skip(folder, &error),
            }
        }
        Ok(met)
    }

    fn is_wanted(&self, entry: &DirEntry, pattern: Option<&Pattern>) -> bool {
        let name = entry.file_name().to_string_lossy();
        // Word locks a file that is open by another of this name.
        !name.starts_with("~$")
            && has_ending(&name, self.endings)
            && !PASSED_OVER.contains(&&*name)
            && entry.file_type().is_some_and(|kind| kind.is_file())
            && pattern.is_none_or(|pattern| pattern.matcher.is_match(source_name(entry.path())))
    }

    fn skip(&mut self, below: &Path, error: &ignore::Error) {
        let path = failed_path(error).unwrap_or(below).to_owned();
        self.skipped.push(Skipped { path, reason: without_place(error) });
    }

    /// Keeps what a glob matches. `missing` says why the path is not taken as it is.
    fn glob(&mut self, path: &Path, missing: &std::io::Error) -> Result<()> {
        let text = source_name(path);
        if !text.contains(['*', '?', '[', '{']) {
            return Err(failed("read", path, missing));
        }
        let pattern = pattern(&text)?;
        // Where its folder does not exist, it matches nothing.
        if !pattern.base.is_dir() || self.folder(&pattern.base, Some(&pattern))? == 0 {
            let hint = format!(
                "Documents end in .{}. Files named in an ignore file are skipped; `**` matches any folders.",
                self.endings.join(", .")
            );
            return Err(Error::new(ErrorCode::Io, format!("`{text}` matches no document.")).with_hint(hint));
        }
        Ok(())
    }
}

fn pattern(text: &str) -> Result<Pattern> {
    let glob = GlobBuilder::new(text).literal_separator(true).build().map_err(|error| {
        Error::new(ErrorCode::InvalidOption, format!("`{text}` is no glob: {}.", error.kind()))
    })?;
    let parts: Vec<&str> = text.split('/').collect();
    let fixed = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '{', '\\'])).count();
    // Alternatives may hold folders, so only without them do the parts tell the depth.
    let any_depth = text.contains("**") || text.contains('{');
    let base = match parts[..fixed].join("/") {
        base if base.is_empty() && text.starts_with('/') => PathBuf::from("/"),
        base if base.is_empty() => PathBuf::from("."),
        base => PathBuf::from(base),
    };
    let depth = (!any_depth).then(|| parts.len() - fixed);
    Ok(Pattern { matcher: glob.compile_matcher(), base, depth })
}

/// Lists the files below a folder, sorted, without following links. A folder further down that cannot be read has none.
pub fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    fs::read_dir(folder).map_err(|error| failed("read", folder, &error))?;
    let walk = WalkBuilder::new(folder).standard_filters(false).build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut paths: Vec<PathBuf> = files.map(DirEntry::into_path).collect();
    paths.sort();
    Ok(paths)
}

/// Returns true if a file's name is more than one of the endings.
fn has_ending(name: &str, endings: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    endings.iter().any(|ending| {
        name.strip_suffix(ending).and_then(|stem| stem.strip_suffix('.')).is_some_and(|stem| !stem.is_empty())
    })
}

/// Returns true for the folder of files for pages, which commands write next to an index.
fn is_added(folder: &Path) -> bool {
    let own = Family::ALL.map(|family| family.table_file().0);
    folder.ends_with("ibid") && own.iter().any(|table| folder.join(table).is_file())
}

/// Writes a path as documents are named by it: with `/` between folders and no `./` in front.
pub fn source_name(path: &Path) -> String {
    let name = path.to_string_lossy().replace('\\', "/");
    let mut name = name.as_str();
    while let Some(rest) = name.strip_prefix("./") {
        name = rest.trim_start_matches('/');
    }
    name.to_owned()
}

/// Writes the full path of a file or folder, with `/` between names, by its own name even if that is a link's.
fn place(path: &Path) -> String {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    source_name(&match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if parent.as_os_str().is_empty() => real(Path::new(".")).join(name),
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => real(path),
    })
}

/// Finds the path that a failure of the walk is about.
fn failed_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => failed_path(err),
        ignore::Error::Partial(errors) => errors.first().and_then(failed_path),
        _ => None,
    }
}

/// Writes a failure of the walk in words, without the path that [`failed_path`] tells.
fn without_place(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } => without_place(err),
        ignore::Error::WithLineNumber { line, err } => format!("line {line}: {}", without_place(err)),
        ignore::Error::Partial(errors) => errors.iter().map(without_place).collect::<Vec<_>>().join("; "),
        other => in_words(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with empty files of these names.
    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    /// The names that are found for these paths below a folder.
    fn names(folder: &tempfile::TempDir, paths: &[&str]) -> Vec<String> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| folder.path().join(path)).collect();
        let found = find(&paths, &DOCUMENT_ENDINGS).unwrap();
        assert!(found.skipped.is_empty(), "{:?}", found.skipped);
        let inner = |file: &DocumentFile| source_name(file.path.strip_prefix(folder.path()).unwrap());
        let mut names: Vec<String> = found.documents.iter().map(inner).collect();
        names.sort();
        names
    }

    fn error(folder: &tempfile::TempDir, path: &str) -> Error {
        find(&[folder.path().join(path)], &DOCUMENT_ENDINGS).unwrap_err()
    }

    #[test]
    fn a_folder_gives_what_ends_like_a_document() {
        let names_in = ["b.MD", "a/x.html", "a/book.tar.gz", "a/b/c.nxml", "p.png", "notes.gz", ".md", "md"];
        let folder = folder(&names_in);
        assert_eq!(names(&folder, &[""]), ["a/b/c.nxml", "a/book.tar.gz", "a/x.html", "b.MD"]);
        assert_eq!(names(&folder, &["p.png", "a/b"]), ["a/b/c.nxml", "p.png"]);
    }

    #[test]
    fn ignore_files_and_hidden_files_are_heeded() {
        let folder = folder(&["a.md", "b.md", "c.md", "drafts/d.md", ".git2/e.md", "deep/b.md"]);
        fs::write(folder.path().join(".gitignore"), "a.md\n").unwrap();
        fs::write(folder.path().join(".ibidignore"), "/b.md\ndrafts/\n").unwrap();
        assert_eq!(names(&folder, &[""]), ["c.md", "deep/b.md"]);
        assert_eq!(names(&folder, &["**/*.md"]), ["c.md", "deep/b.md"]);
        assert_eq!(names(&folder, &["a.md"]), ["a.md"], "one that is named is meant");
    }

    #[test]
    fn globs_are_expanded() {
        let folder = folder(&["docs/a.md", "docs/b.txt", "docs/deep/c.md", "docs/deep/d.png", "other/e.md"]);
        assert_eq!(names(&folder, &["docs/*.md"]), ["docs/a.md"]);
        assert_eq!(names(&folder, &["docs/**/*.md"]), ["docs/a.md", "docs/deep/c.md"]);
        assert_eq!(names(&folder, &["*/?.{md,txt}"]), ["docs/a.md", "docs/b.txt", "other/e.md"]);
        assert_eq!(names(&folder, &["{docs/deep,other}/*.md"]), ["docs/deep/c.md", "other/e.md"]);
        assert_eq!(names(&folder, &["docs/**"]), ["docs/a.md", "docs/b.txt", "docs/deep/c.md"]);
        assert_eq!(names(&folder, &["docs", "docs/[ab].md"]), ["docs/a.md", "docs/b.txt", "docs/deep/c.md"]);
    }

    #[test]
    fn a_path_that_exists_is_no_glob() {
        let folder = folder(&["[1].md", "1.md"]);
        assert_eq!(names(&folder, &["[1].md"]), ["[1].md"]);
        assert_eq!(names(&folder, &["[0-9].md"]), ["1.md"]);
    }

    #[test]
    fn each_file_is_found_once() {
        let folder = folder(&["docs/a.md", "docs/b.md"]);
        let all = ["docs/../docs/b.md", "docs", "docs/../docs/a.md", "docs/*.md", "docs/./b.md"];
        assert_eq!(names(&folder, &all), ["docs/a.md", "docs/b.md"]);
    }

    #[test]
    fn a_document_goes_by_its_path_from_the_folder_that_was_given() {
        let folder = folder(&["site/docs/a.md", "site/docs/deep/b.mdx", "site/news/a.md", "c.md"]);
        let go_by = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(|path| folder.path().join(path)).collect();
            let names = find(&paths, &DOCUMENT_ENDINGS).unwrap().documents.into_iter().map(|file| file.name);
            names.collect::<Vec<_>>().join(" ")
        };
        for docs in
            ["site/docs", "site/docs/", "site/../site/docs/.", "site/news/../docs", "site/docs/**/*.md*"]
        {
            assert_eq!(go_by(&[docs]), "a.md deep/b.mdx", "{docs}");
        }
        assert_eq!(go_by(&["site/docs/deep/.."]), "a.md deep/b.mdx");
        assert_eq!(go_by(&["site/docs", "site/news"]), "docs/a.md docs/deep/b.mdx news/a.md");
        assert_eq!(go_by(&["site/docs", "site/docs/deep/b.mdx"]), "a.md deep/b.mdx");
        assert_eq!(go_by(&["site/docs/a.md", "site/news/a.md", "c.md"]), "c.md docs/a.md news/a.md");
    }

    #[test]
    fn what_a_folder_holds_besides_is_counted() {
        let folder = folder(&[
            "a.md",
            "b.adoc",
            "c.ADOC",
            "p.png",
            "a.md.meta.yaml",
            "robots.txt",
            "node_modules/x.adoc",
        ]);
        let found = find(&[folder.path().to_owned(), folder.path().join(".")], &DOCUMENT_ENDINGS).unwrap();
        assert_eq!(found.not_read(true).as_deref(), Some("not read: 2 .adoc files, 1 .png file"));
        assert_eq!(find(&[folder.path().join("*.md")], &DOCUMENT_ENDINGS).unwrap().not_read(true), None);
    }

    #[test]
    fn what_is_not_there_is_named() {
        let folder = folder(&["docs/a.md", "docs/p.png"]);
        for missing in ["missing.md", "docs/missing", "docs/a.md/b"] {
            let error = error(&folder, missing);
            assert!(error.code() == ErrorCode::Io && error.message().contains(missing), "{error}");
        }
        for empty in ["*.adoc", "missing/*.md", "docs/*.png"] {
            let error = error(&folder, empty);
            assert!(error.code() == ErrorCode::Io && error.message().contains(empty), "{error}");
            assert!(error.hint().unwrap().contains(".nxml"));
        }
        let error = error(&folder, "docs/{a");
        assert!(error.code() == ErrorCode::InvalidOption && error.message().contains("docs/{a"), "{error}");
    }

    #[test]
    fn a_line_that_is_no_pattern_is_told() {
        let folder = folder(&["a.md", "b.md"]);
        fs::write(folder.path().join(".ibidignore"), "a.md\n{x\n").unwrap();
        let found = find(&[folder.path().to_owned()], &DOCUMENT_ENDINGS).unwrap();
        assert_eq!(found.documents[0].path, folder.path().join("b.md"));
        assert!(found.skipped[0].reason.contains("line 2"), "{:?}", found.skipped);
        assert!(found.skipped[0].path.ends_with(".ibidignore"), "{:?}", found.skipped);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_only_where_they_are_named() {
        use std::os::unix::fs::symlink;
        let folder = folder(&["docs/a.md", "elsewhere/b.md"]);
        let link = |to: &str, name: &str| symlink(to, folder.path().join(name)).unwrap();
        link("..", "docs/loop");
        link("../elsewhere/b.md", "docs/b.md");
        link("self", "docs/self");
        assert_eq!(names(&folder, &["docs"]), ["docs/a.md"]);
        assert_eq!(names(&folder, &["docs", "docs/b.md"]), ["docs/a.md", "docs/b.md"]);
        assert_eq!(names(&folder, &["docs/b.md", "elsewhere/b.md"]), ["docs/b.md"]);
        let error = error(&folder, "docs/self");
        assert!(error.message().contains("docs/self"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_below_that_cannot_be_read_is_passed_over() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder(&["docs/a.md", "docs/locked/b.md"]);
        let locked = folder.path().join("docs/locked");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
        if fs::read_dir(&locked).is_ok() {
            eprintln!("skipped: this user may read every folder");
        } else {
            let found = find(&[folder.path().join("docs")], &DOCUMENT_ENDINGS).unwrap();
            assert_eq!(found.documents.len(), 1);
            assert!(found.skipped[0].path == locked && found.skipped[0].reason.contains("denied"));
            assert_eq!(error(&folder, "docs/locked").code(), ErrorCode::Io);
        }
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    }
}
