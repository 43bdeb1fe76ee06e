//! The versions of a site that has its pages in several, each in a folder of its name.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Document, Format, MetadataValue};

/// The metadata field with the version of a program that a document is about.
pub const VERSION_FIELD: &str = "version";

/// The version of pages outside of such folders which have the same in them.
const CURRENT: &str = "current";

/// Names of folders that are versions without a number.
const NAMES: [&str; 9] = ["current", "dev", "devel", "latest", "main", "master", "next", "nightly", "stable"];

/// Folders of Docusaurus for what it writes to a folder of the version in `docs`.
const VERSIONED: &str = "versioned_docs";
const VERSION: &str = "version-";

/// A document's way through folders, up to its version and from there on.
struct VersionedPath {
    above: String,
    version: String,
    below: String,
}

/// Gives documents of a collection with several versions the field `version`, if they have none, and returns the versions.
///
/// A version is a folder such as `v2`, `1.4`, `2.x`, `latest` or `next`, if the same folder has another one, or pages of
/// the same names outside of it: these are `current`. A collection of one version has no such field.
///
/// A page in HTML loses an address without the folder of its version: generators name the newest version there, for search
/// engines.
pub fn name_versions(documents: &mut [&mut Document]) -> Vec<Option<String>> {
    let found: Vec<Option<VersionedPath>> =
        documents.iter().map(|document| versioned(&document.source)).collect();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut below: HashSet<(&str, &str)> = HashSet::new();
    for path in found.iter().flatten() {
        versions.entry(&path.above).or_default().insert(&path.version);
        below.insert((&path.above, &path.below));
    }
    // Pages that have twins in a version, by the folder that the version is in.
    let twins = |above: &str| {
        let rest = |document: &&mut Document| document.source.strip_prefix(above).map(str::to_owned);
        let outside = documents.iter().zip(&found).filter(|(_, path)| path.is_none());
        outside
            .filter_map(|(document, _)| rest(document))
            .filter(|rest| below.contains(&(above, rest)))
            .count()
    };
    let with_current: BTreeSet<&str> = versions.keys().copied().filter(|above| twins(above) > 1).collect();
    let is_versioned = |above: &str| {
        with_current.contains(above) || versions.get(above).is_some_and(|versions| versions.len() > 1)
    };
    let version_of = |document: &Document, path: Option<&VersionedPath>| match path {
        Some(path) => is_versioned(&path.above).then(|| path.version.clone()),
        None => {
            with_current.iter().any(|above| document.source.starts_with(above)).then(|| CURRENT.to_owned())
        }
    };
    let names: Vec<Option<String>> =
        documents.iter().zip(&found).map(|(document, path)| version_of(document, path.as_ref())).collect();
    for ((document, name), path) in documents.iter_mut().zip(&names).zip(&found) {
        let Some(name) = name else { continue };
        let field = document.metadata.fields.entry(VERSION_FIELD.to_owned());
        field.or_insert_with(|| MetadataValue::Keyword(name.clone()));
        if path.is_some() && Format::of_name(&document.source) == Some(Format::Html) {
            document.metadata.url.take_if(|url| url.split('/').all(|folder| folder != name));
        }
    }
    names
}

/// Takes a path apart at its first folder that is named as a version.
fn versioned(source: &str) -> Option<VersionedPath> {
    let source = source.replace(&format!("{VERSIONED}/{VERSION}"), "docs/");
    let mut start = 0;
    for (end, _) in source.match_indices('/') {
        let folder = &source[start..end];
        if is_version(folder) {
            let (above, below) = (source[..start].to_owned(), source[end + 1..].to_owned());
            return Some(VersionedPath { above, version: folder.to_owned(), below });
        }
        start = end + 1;
    }
    None
}

/// Says whether a folder is named as a version. A number alone is more often a year, a month or a chapter.
fn is_version(folder: &str) -> bool {
    let number = folder.strip_prefix('v').unwrap_or(folder);
    let parts = || number.split('.');
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty();
    let is_numbered = parts().next().is_some_and(is_number)
        && parts().all(|part| is_number(part) || part == "x")
        && (number.len() < folder.len() || parts().nth(1).is_some());
    is_numbered || NAMES.contains(&folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(names: &[&str]) -> Vec<String> {
        let mut documents: Vec<Document> =
            names.iter().map(|name| Document::parse(name, b"# A page\n\nIts text.").unwrap()).collect();
        name_versions(&mut documents.iter_mut().collect::<Vec<_>>());
        let version = |document: &Document| match document.metadata.fields.get(VERSION_FIELD) {
            Some(MetadataValue::Keyword(version)) => version.clone(),
            _ => String::new(),
        };
        documents.iter().map(version).collect()
    }

    #[test]
    fn folders_of_versions_are_told_as_generators_name_them() {
        // Docusaurus as built and as written, mike, Read the Docs.
        let built = ["docs/a.md", "docs/b.md", "docs/new.md", "docs/1.0/a.md", "docs/1.0/b.md", "blog/a.md"];
        assert_eq!(versions(&built), ["current", "current", "current", "1.0", "1.0", ""]);
        let written = [
            "docs/a.md",
            "docs/b.md",
            "versioned_docs/version-29.4/a.md",
            "versioned_docs/version-29.4/b.md",
        ];
        assert_eq!(versions(&written), ["current", "current", "29.4", "29.4"]);
        assert_eq!(
            versions(&["index.md", "v1/a.md", "v2.x/a.md", "latest/a.md"]),
            ["", "v1", "v2.x", "latest"]
        );
        assert_eq!(versions(&["en/stable/a.md", "en/v2.0/a.md", "de/stable/a.md"]), ["stable", "v2.0", ""]);
    }

    #[test]
    fn a_page_leads_to_its_own_version() {
        let page = |(source, version): (&str, &str)| {
            let html = format!("<link rel=canonical href=https://a.example/{version}/a/><h1>A</h1><p>Text.");
            Document::parse(source, html.as_bytes()).unwrap()
        };
        let pages = [("1.0/a/index.html", "latest"), ("2.0/a/index.html", "2.0"), ("a/index.html", "2.0")];
        let mut documents: Vec<Document> = pages.into_iter().map(page).collect();
        name_versions(&mut documents.iter_mut().collect::<Vec<_>>());
        let left: Vec<_> = documents.iter().map(|document| document.metadata.url.is_some()).collect();
        assert_eq!(left, [false, true, true]);
    }

    #[test]
    fn years_chapters_and_a_single_version_are_none() {
        assert_eq!(versions(&["blog/2024/05/a.md", "blog/2025/05/a.md"]), ["", ""]);
        assert_eq!(versions(&["docs/v2/a.md", "docs/v2/b.md", "about.md"]), ["", "", ""]);
        assert_eq!(versions(&["x.y/a.md", "v/a.md", "1..2/a.md"]), ["", "", ""]);
    }
}
