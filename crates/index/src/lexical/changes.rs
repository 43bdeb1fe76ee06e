//! Pages that tell what changed from version to version.

use ibid_text::defined_name;

/// Words in titles, and in names of files without what stands between words.
const TITLES: [&str; 8] = [
    "changelog",
    "change log",
    "release notes",
    "release history",
    "version history",
    "what's new",
    "what\u{2019}s new",
    "history of changes",
];
const FILES: [&str; 4] = ["changelog", "changes.", "releasenotes", "whatsnew"];

/// Returns true for changelogs, release notes and pages on what is new. Their headings name everything that ever changed,
/// so they do not count as headings: the page that says how it is comes first.
pub(crate) fn tells_changes(title: &str, source: &str) -> bool {
    let title = defined_name(title).to_lowercase();
    let is_version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let file = source.rsplit('/').next().unwrap_or(source).to_lowercase().replace(['-', '_'], "");
    TITLES.iter().any(|words| title.contains(words))
        || title.strip_prefix("release ").is_some_and(is_version)
        || FILES.iter().any(|name| file.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_by_title_or_file() {
        for (title, source) in [
            ("Django 1.10 release notes", "releases/1.10.html"),
            ("E.3. Release 15.2", "release-15-2.html"),
            ("What\u{2019}s New In Python 3.9", "3.9.html"),
            ("Node 18", "CHANGELOG_V18.md"),
            ("Project", "docs/release-notes.html"),
        ] {
            assert!(tells_changes(title, source), "{title}");
        }
        for (title, source) in [
            ("Release process", "release-process.html"),
            ("Tracking changes", "tracking-changes.html"),
            ("Releases", "rest/releases.html"),
            ("New features of vectors", "vectors.html"),
        ] {
            assert!(!tells_changes(title, source), "{title}");
        }
    }
}
