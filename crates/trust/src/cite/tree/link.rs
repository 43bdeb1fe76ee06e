//! The addresses that an answer may link to.

use crate::cite::source::Source;

/// The addresses of a run's sources.
#[derive(Default)]
pub(super) struct Addresses<'s> {
    sorted: Vec<&'s str>,
}

impl<'s> Addresses<'s> {
    pub(super) fn new(sources: &'s [Source]) -> Self {
        let urls = sources.iter().filter_map(|source| source.hit.url.as_deref());
        let mut sorted: Vec<&str> = urls.filter(|url| is_safe(url)).collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    /// Finds the source's address that this is, or is with a fragment behind it. That fragment is left out: what a model
    /// puts into it, the page behind the link could read. Nothing is resolved or normalized: an address that is written
    /// otherwise than the index has it is not known to be the same.
    pub(super) fn find(&self, url: &str) -> Option<&'s str> {
        let find = |url: &str| self.sorted.binary_search(&url).ok().map(|at| self.sorted[at]);
        find(url).or_else(|| find(url.split_once('#')?.0))
    }
}

/// Returns true if an address is `http`, `https` or relative. The index may hold any address, and a browser runs `javascript:`.
pub(in crate::cite) fn is_safe(url: &str) -> bool {
    // A browser ignores white space and control characters in places, so `java\nscript:` would be `javascript:`.
    if url.is_empty() || url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return false;
    }
    let begins =
        |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let path = url.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    begins("https://") || begins("http://") || !path.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cite::source::tests::hit;
    use ibid_retrieve::Hit;

    fn address(urls: &[&str], asked: &str) -> Option<String> {
        let source = |url: &&str| Source {
            number: 1,
            hit: Hit { url: Some((*url).to_owned()), ..hit(0, "x") },
            ..Source::default()
        };
        let sources: Vec<Source> = urls.iter().map(source).collect();
        Addresses::new(&sources).find(asked).map(str::to_owned)
    }

    #[test]
    fn a_source_is_linked_by_its_own_address() {
        let urls = ["https://b.org/p", "/a/b.html", "c.html#top", "HTTP://d.org/"];
        for (asked, own) in [
            ("https://b.org/p", "https://b.org/p"),
            ("https://b.org/p#dose", "https://b.org/p"),
            ("/a/b.html", "/a/b.html"),
            ("c.html#top", "c.html#top"),
            ("HTTP://d.org/#a#b", "HTTP://d.org/"),
        ] {
            assert_eq!(address(&urls, asked).as_deref(), Some(own));
        }
        for unknown in
            ["https://b.org/", "https://b.org/p?x", "https://B.org/p", "c.html", "c.html#other", "", "#top"]
        {
            assert_eq!(address(&urls, unknown), None, "{unknown}");
        }
    }

    #[test]
    fn an_address_that_runs_something_is_never_known() {
        for evil in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "java\tscript:alert(1)",
            " javascript:alert(1)",
            "\u{1}javascript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "mailto:a@b.org",
            "https:evil",
            "",
        ] {
            assert_eq!(address(&[evil], evil), None, "{evil:?}");
            assert_eq!(address(&[evil], &format!("{evil}#x")), None, "{evil:?}");
        }
    }
}
