//! The pages of a built site, and the script that puts the search box into them.

use std::path::{Path, PathBuf};

use html5gum::emitters::default::{DefaultEmitter, EndTag, StartTag, Token};
use html5gum::{Span, Tokenizer};

use crate::files;
use ibid_platform::Result;

/// The script below the site's folder.
const SCRIPT: &str = "ibid/ui/site.js";

/// Lists the pages of a site: its HTML files, but for those of the package's own folder.
pub fn pages(site: &Path) -> Result<Vec<PathBuf>> {
    let own = site.join("ibid");
    let is_page = |path: &PathBuf| {
        let ending = path.extension().unwrap_or_default();
        !path.starts_with(&own) && ["html", "htm"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    };
    Ok(files::below(site)?.into_iter().filter(is_page).collect())
}

/// The outcome for a page of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptOutcome {
    /// The page has the script now.
    Added,
    /// It is the page for what is not found, which is shown at any address.
    Anywhere,
    /// It has neither the end of a head nor a body, as the parts that pages fetch.
    NoHead,
}

/// Adds the script to a page, instead of one that was added before, by an address that holds wherever the site is.
/// The attributes are as [`attributes`] writes them.
pub fn add_script(page: &Path, site: &Path, attributes: &str) -> Result<ScriptOutcome> {
    let below = files::source_name(page.strip_prefix(site).unwrap_or(page));
    if ["404.html", "404.htm"].contains(&&*below.to_ascii_lowercase()) {
        return Ok(ScriptOutcome::Anywhere);
    }
    let up = "../".repeat(below.matches('/').count());
    let bytes = files::read(page)?;
    let Some(added) =
        with_script(&bytes, &format!("<script src=\"{up}{SCRIPT}\" defer{attributes}></script>"))
    else {
        return Ok(ScriptOutcome::NoHead);
    };
    if added != bytes {
        files::write(page, &added)?;
    }
    Ok(ScriptOutcome::Added)
}

/// Attributes of the search box as attributes of the script. Of two with one name, the last one counts.
pub fn attributes<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut own: Vec<(&str, &str)> = Vec::new();
    for (name, value) in pairs {
        match own.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => own.push((name, value)),
        }
    }
    let written = own.into_iter().map(|(name, value)| {
        let value = value.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        format!(" data-{name}=\"{value}\"")
    });
    written.collect()
}

/// Writes a page with the script before the end of its head, and without those that were added before; `None` if no head
/// ends.
fn with_script(page: &[u8], script: &str) -> Option<Vec<u8>> {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    // So that a script or a comment that speaks of the end of the head is not taken for it.
    emitter.naively_switch_states(true);
    let with = |out: Vec<u8>, copied: usize, Span { start, .. }: Span<usize>| {
        Some([&out, page.get(copied..start)?, script.as_bytes(), page.get(start..)?].concat())
    };
    let (mut out, mut copied, mut added_before) = (Vec::new(), 0, None);
    for token in Tokenizer::new_with_emitter(page, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) if *tag.name == b"script"[..] => {
                let is_added = page.get(tag.span.start..tag.span.end).is_some_and(is_added);
                added_before = is_added.then_some(tag.span.start);
            }
            Token::EndTag(tag) if *tag.name == b"script"[..] => {
                let Some(start) = added_before.take() else { continue };
                out.extend_from_slice(page.get(copied..start)?);
                copied = tag.span.end;
            }
            Token::EndTag(EndTag { name, span, .. }) if *name == b"head"[..] => {
                return with(out, copied, span);
            }
            // The end of a head may be left out.
            Token::StartTag(StartTag { name, span, .. }) if *name == b"body"[..] => {
                return with(out, copied, span);
            }
            _ => {}
        }
    }
    None
}

/// Returns true for the start tag of a script that was added before.
fn is_added(tag: &[u8]) -> bool {
    let address =
        tag.strip_prefix(b"<script src=\"").and_then(|rest| rest.split(|byte| *byte == b'"').next());
    address.is_some_and(|address| address.ends_with(SCRIPT.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(page: &str) -> Option<String> {
        with_script(page.as_bytes(), "<S>").map(|page| String::from_utf8(page).unwrap())
    }

    #[test]
    fn the_script_comes_before_the_end_of_the_head() {
        for (page, wanted) in [
            ("<head><title>é</title></head><p>", Some("<head><title>é</title><S></head><p>")),
            ("<html>\r\n<HEAD>\r\n</HEAD >\r\n", Some("<html>\r\n<HEAD>\r\n<S></HEAD >\r\n")),
            ("\u{feff}<head></head>", Some("\u{feff}<head><S></head>")),
            (
                "<head><!-- </head> --><script>'</head>'</script><style></head></style></head>",
                Some("<head><!-- </head> --><script>'</head>'</script><style></head></style><S></head>"),
            ),
            ("<title>Short</title><body class=a><p>", Some("<title>Short</title><S><body class=a><p>")),
            ("<p>Part of a page.", None),
            ("<head><title>Never ended</head>", None),
            ("", None),
        ] {
            assert_eq!(added(page).as_deref(), wanted, "{page}");
        }
    }

    #[test]
    fn one_that_was_added_before_goes_and_those_of_others_stay() {
        let page = "<head>\n<script src=\"a.js\"></script>\n</head>";
        let once =
            with_script(page.as_bytes(), "<script src=\"../ibid/ui/site.js\" defer data-a=\"b\"></script>");
        let once = String::from_utf8(once.unwrap()).unwrap();
        assert_eq!(once.matches("ibid/ui/site.js").count(), 1);
        assert_eq!(added(&once), added(page));
        let own = "<head><script type=\"module\" src=\"ibid/ui/site.js\"></script></head>";
        assert!(added(own).unwrap().contains("type=\"module\""));
    }

    #[test]
    fn pages_in_any_encoding_keep_their_bytes() {
        let page = b"<head><title>caf\xe9 \xff\xfe</title></head>\xe9";
        assert_eq!(with_script(page, "S").unwrap(), b"<head><title>caf\xe9 \xff\xfe</title>S</head>\xe9");
    }

    #[test]
    fn attributes_are_escaped_and_the_last_of_a_name_counts() {
        let pairs = [("answers", ""), ("place", "a[b=\"c\"]"), ("model", "x&<y"), ("answers", "no")];
        assert_eq!(
            attributes(pairs),
            " data-answers=\"no\" data-place=\"a[b=&quot;c&quot;]\" data-model=\"x&amp;&lt;y\""
        );
    }
}
