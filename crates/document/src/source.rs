//! The names that files go by: their paths from the folder that was given, wherever that is on this machine.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::{Format, SIDECAR_ENDINGS, stem};
use ibid_platform::{case, order};

/// Kinds of files that a line names before it only counts.
const KINDS: usize = 8;

/// Returns the name of each file: its path from the given folder that it is in.
///
/// A file that was given itself, and is in no given folder, has its own name alone. Where more than one folder or file
/// was given, the name of a folder stands in front of what is in it; where that does not tell them apart, so do as many
/// of the folders above as do. So a name depends on what was given, not on where that is or how it was written.
///
/// `folders` and `files` are full paths with `/` between the names, without `.` and `..`.
pub fn source_names(folders: &[String], files: &[String]) -> Vec<String> {
    let mut folders: Vec<String> =
        folders.iter().map(|folder| format!("{}/", folder.trim_end_matches('/'))).collect();
    order::by(&mut folders, Ord::cmp);
    folders.dedup_by(|inner, outer| inner.starts_with(outer.as_str()));
    let folder_of = |file: &str| {
        let at = folders.partition_point(|folder| folder.as_str() <= file);
        folders[..at].last().filter(|folder| file.starts_with(folder.as_str()))
    };
    let lone = files.iter().filter(|file| folder_of(file).is_none()).map(String::as_str);
    let given: Vec<&str> = folders.iter().map(String::as_str).chain(lone).collect();
    let labels = if given.len() == 1 && !folders.is_empty() {
        BTreeMap::from([(given[0], String::new())])
    } else {
        labels(&given)
    };
    let label = |given: &str| labels.get(given).map_or("", String::as_str);
    let name = |file: &String| match folder_of(file) {
        Some(folder) if label(folder).is_empty() => file[folder.len()..].to_owned(),
        Some(folder) => format!("{}/{}", label(folder), &file[folder.len()..]),
        None => label(file).to_owned(),
    };
    files.iter().map(name).collect()
}

/// Folders of a site that Sphinx builds which hold no pages for readers.
const NO_PAGES: [&str; 3] = ["_modules", "_sources", "_static"];

/// Files of the whole site for programs that read.
const FOR_PROGRAMS: [&str; 3] = ["llms.txt", "llms-full.txt", "robots.txt"];

/// The page that a folder of a site opens with.
const INDEX: &str = "index.html";

/// Fewer files with a page of their name next to them may be a coincidence.
const LEAST_TWINS: usize = 5;

/// Tells which of the files found in folders stand next to the pages of a built site: all but its pages, ready-made chunks
/// and archives, and whatever a generator keeps in folders of its own. Such copies of the sources, licences of scripts and
/// feeds would be found twice, or are meant for programs.
///
/// A folder is a built site that has an `index.html`, and as many pages in HTML as files of markdown and text, or more; or one with
/// a page of the same name next to most of these. If a given folder has no `index.html`, the highest below it that have one are
/// looked at, too: versions of a site. `folders` and `files` are as in [`source_names`]. A page's name with `.md` behind it is a
/// copy of the page in any folder.
pub fn beside_pages(folders: &[String], files: &[String]) -> Vec<bool> {
    let mut beside = vec![false; files.len()];
    let places: BTreeMap<&str, usize> = files.iter().map(String::as_str).zip(0..).collect();
    let format = |file: &str| Format::of_name(file);
    for folder in sites(folders, &places) {
        let below = || {
            let from = places.range::<str, _>((Bound::Included(folder.as_str()), Bound::Unbounded));
            from.take_while(|(file, _)| file.starts_with(&folder)).map(|(file, at)| (*file, *at))
        };
        let of = |formats: &[Format]| -> Vec<&str> {
            let is_one = |file: &&str| format(file).is_some_and(|one| formats.contains(&one));
            below().map(|(file, _)| file).filter(is_one).collect()
        };
        let pages = of(&[Format::Html]);
        let names: BTreeSet<&str> = pages.iter().copied().collect();
        let is_copy = |file: &str| {
            let page = file.strip_suffix(".md");
            !names.is_empty()
                && (page.is_some_and(|page| names.contains(page))
                    || FOR_PROGRAMS.contains(&&file[folder.len()..]))
        };
        for (file, at) in below() {
            beside[at] |= is_copy(file);
        }
        let mut sources = of(&[Format::Markdown, Format::Rst, Format::Notebook, Format::Text]);
        sources.retain(|source| !is_copy(source));
        let made: BTreeSet<&str> = pages.iter().map(|page| stem(page)).collect();
        let twins = sources.iter().filter(|source| made.contains(stem(source))).count();
        let is_built = || pages.iter().any(|page| page[folder.len()..] == *INDEX);
        if twins < LEAST_TWINS.max(sources.len() / 2) && (pages.len() < sources.len() || !is_built()) {
            continue;
        }
        for (file, at) in below() {
            let is_source = !matches!(format(file), None | Some(Format::Html | Format::Jsonl));
            beside[at] |= is_source || file[folder.len()..].split('/').any(|name| NO_PAGES.contains(&name));
        }
    }
    beside
}

/// Lists the folders that may be built sites, with a slash behind each.
fn sites(folders: &[String], places: &BTreeMap<&str, usize>) -> Vec<String> {
    let indexed: BTreeSet<&str> = places.keys().filter_map(|file| file.strip_suffix(INDEX)).collect();
    let mut sites: Vec<String> =
        folders.iter().map(|folder| format!("{}/", folder.trim_end_matches('/'))).collect();
    for given in 0..sites.len() {
        if indexed.contains(sites[given].as_str()) {
            continue;
        }
        let mut highest: Vec<&str> = Vec::new();
        let is_below = |folder: &&str| folder.ends_with('/') && folder.starts_with(&sites[given]);
        for folder in indexed.iter().copied().filter(is_below) {
            if !highest.last().is_some_and(|above| folder.starts_with(above)) {
                highest.push(folder);
            }
        }
        sites.extend(highest.into_iter().map(str::to_owned));
    }
    sites
}

/// For each path as many of its last names as tell it from the others.
fn labels<'a>(paths: &[&'a str]) -> BTreeMap<&'a str, String> {
    struct SourceLabel<'a> {
        path: &'a str,
        names: Vec<&'a str>,
        used: usize,
    }
    impl SourceLabel<'_> {
        fn names(&self) -> &[&str] {
            &self.names[self.names.len() - self.used.min(self.names.len())..]
        }
    }
    let mut labels: Vec<SourceLabel<'a>> = paths
        .iter()
        .map(|path| SourceLabel {
            path,
            names: path.split('/').filter(|name| !name.is_empty()).collect(),
            used: 1,
        })
        .collect();
    order::by_key(&mut labels, |label| label.path);
    labels.dedup_by(|one, other| one.path == other.path);
    loop {
        order::by(&mut labels, |one, other| match one.names().cmp(other.names()) {
            Ordering::Equal => one.path.cmp(other.path),
            order => order,
        });
        // Sorted by their names, those that begin like one stand right behind it.
        let mut alike = vec![false; labels.len()];
        for at in 1..labels.len() {
            if labels[at].names().starts_with(labels[at - 1].names()) {
                (alike[at - 1], alike[at]) = (true, true);
            }
        }
        let mut is_done = true;
        for (label, _) in labels.iter_mut().zip(alike).filter(|(_, is_alike)| *is_alike) {
            is_done &= label.used >= label.names.len();
            label.used += 1;
        }
        if is_done {
            return labels.iter().map(|label| (label.path, label.names().join("/"))).collect();
        }
    }
}

/// Endings of files that nobody expects to search: scripts, stylesheets, pictures, fonts, indexes, and the feeds of a site.
const NO_NEWS: [&str; 26] = [
    "avif",
    "bin",
    "css",
    "eot",
    "gif",
    "gz",
    "ibid",
    "ico",
    "inv",
    "jpeg",
    "jpg",
    "js",
    "json",
    "map",
    "mjs",
    "otf",
    "part",
    "png",
    "svg",
    "ttf",
    "wasm",
    "webmanifest",
    "webp",
    "woff",
    "woff2",
    "xml",
];

/// Says which kinds of files were passed over and how many of each, given by their names; nothing where there were none.
/// Sidecars and files for programs are not named, nor, unless all are wanted, scripts, stylesheets and pictures.
pub fn not_read<'a>(names: impl IntoIterator<Item = &'a str>, all: bool) -> Option<String> {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut is_antora = false;
    for name in names {
        let name = case::lowercase(name);
        is_antora |= name.starts_with("antora.y");
        let is_for_programs = FOR_PROGRAMS.contains(&&*name) || name.ends_with(".html.md");
        if is_for_programs || SIDECAR_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
        if !all && ending.is_some_and(|ending| NO_NEWS.contains(&ending)) {
            continue;
        }
        *kinds.entry(ending.unwrap_or_default().to_owned()).or_default() += 1;
    }
    let mut kinds: Vec<(String, usize)> = kinds.into_iter().collect();
    order::by_key(&mut kinds, |(ending, count)| (Reverse(*count), ending.is_empty()));
    let rest: usize = kinds.iter().skip(KINDS).map(|(_, count)| count).sum();
    let mut parts: Vec<String> = kinds
        .into_iter()
        .take(KINDS)
        .map(|(ending, count)| match (ending.as_str(), count) {
            ("", 1) => "1 file without an ending".to_owned(),
            ("", _) => format!("{count} files without an ending"),
            (_, 1) => format!("1 .{ending} file"),
            _ => format!("{count} .{ending} files"),
        })
        .collect();
    if rest > 0 {
        parts.push(format!("{rest} of other kinds"));
    }
    let hint = if is_antora { "; for Antora's AsciiDoc, index the built site" } else { "" };
    (!parts.is_empty()).then(|| format!("not read: {}{hint}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folders: &[&str], files: &[&str]) -> String {
        let owned = |paths: &[&str]| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
        source_names(&owned(folders), &owned(files)).join(" ")
    }

    #[test]
    fn names_begin_at_the_folder_that_was_given() {
        let files = ["/home/me/docs/a.md", "/home/me/docs/deep/b.md"];
        assert_eq!(names(&["/home/me/docs"], &files), "a.md deep/b.md");
        assert_eq!(names(&["/home/me/docs/", "/home/me/docs/deep"], &files), "a.md deep/b.md");
        assert_eq!(names(&["/"], &files), "home/me/docs/a.md home/me/docs/deep/b.md");
        assert_eq!(names(&[], &files[..1]), "a.md");
        assert_eq!(names(&["/home/me/doc"], &files[..1]), "a.md", "a folder whose name begins alike");
    }

    #[test]
    fn several_that_were_given_are_told_apart() {
        let files = ["/w/docs/index.md", "/w/www/book/index.md", "/w/README.md"];
        assert_eq!(names(&["/w/docs", "/w/www/book"], &files[..2]), "docs/index.md book/index.md");
        assert_eq!(names(&["/w/docs"], &[files[0], files[2]]), "docs/index.md README.md");
        assert_eq!(names(&["/w/a/docs", "/w/b/docs"], &["/w/a/docs/x", "/w/b/docs/x"]), "a/docs/x b/docs/x");
        assert_eq!(names(&[], &["/w/a/x.md", "/w/b/x.md", "/w/y.md"]), "a/x.md b/x.md y.md");
        // What stands in front of one must not be what stands in front of another with folders in it.
        let nested = names(&["/p/a/docs", "/q/docs", "/r/a"], &["/p/a/docs/x", "/q/docs/x", "/r/a/docs/x"]);
        assert_eq!(nested, "p/a/docs/x q/docs/x r/a/docs/x");
    }

    #[test]
    fn a_built_site_is_its_pages() {
        let files: Vec<String> = [
            "/w/site/index.html",
            "/w/site/guide/a.html",
            "/w/site/_static/macros.html",
            "/w/site/_sources/guide/a.md.txt",
            "/w/site/llms.txt",
            "/w/site/feed.xml",
            "/w/site/extra.jsonl",
            "/w/docs/a.md",
        ]
        .map(str::to_owned)
        .into();
        let expected = [false, false, true, true, true, true, false, false];
        assert_eq!(beside_pages(&["/w/site".to_owned(), "/w/docs".to_owned()], &files), expected);
        // Markdown with one page next to it, that shows it, is no built site.
        let shown: Vec<String> = ["/d/index.html", "/d/a.md", "/d/b.md"].map(str::to_owned).into();
        assert_eq!(beside_pages(&["/d".to_owned()], &shown), [false; 3]);
        assert_eq!(beside_pages(&["/w".to_owned()], &files), expected, "a site below");
        let versions = [
            "/r/en/1.0/index.html",
            "/r/en/1.0/guide/index.html",
            "/r/en/1.0/_sources/index.txt",
            "/r/en/2.0/index.html",
            "/r/en/2.0/index.txt",
            "/r/en/index.md",
        ]
        .map(str::to_owned);
        assert_eq!(beside_pages(&["/r/".to_owned()], &versions), [false, false, true, false, true, false]);
        let twins: Vec<String> = (0..6)
            .flat_map(|at| [format!("/m/{at}.html"), format!("/m/{at}.txt")])
            .chain(["/m/x.txt".to_owned()])
            .collect();
        let beside = beside_pages(&["/m".to_owned()], &twins);
        assert!(twins.iter().zip(beside).all(|(file, beside)| beside == file.ends_with("txt")));
        let copies = ["/s/index.html", "/s/index.html.md", "/s/llms.txt", "/s/llms-full.txt", "/s/a.md"]
            .map(str::to_owned);
        assert_eq!(beside_pages(&["/s".to_owned()], &copies)[1..4], [true; 3]);
    }

    #[test]
    fn kinds_of_files_are_counted() {
        let names = ["a.RST", "b.rst", "p.png", "Makefile", "robots.txt", "a.md.meta.yaml", ".env"];
        assert_eq!(
            not_read(names, true).unwrap(),
            "not read: 2 .rst files, 2 files without an ending, 1 .png file"
        );
        assert_eq!(
            not_read(names, false).unwrap(),
            "not read: 2 .rst files, 2 files without an ending",
            "pictures are no news"
        );
        assert_eq!(not_read(["robots.txt", "llms.txt", "index.html.md"], true), None);
        assert_eq!(
            not_read(["a.adoc", "antora.yml"], true).unwrap(),
            "not read: 1 .adoc file, 1 .yml file; for Antora's AsciiDoc, index the built site"
        );
        let many: Vec<String> = (10..30).map(|number| format!("a.{number}")).collect();
        assert!(not_read(many.iter().map(String::as_str), true).unwrap().ends_with(", 12 of other kinds"));
    }
}
