//! The pages that site generators make of source files: their addresses, and the ids of their headings.

mod python;

use std::collections::HashMap;

use ibid_platform::case;
use ibid_text::{fold_one, is_mark};

use super::format::is_paper_name;
use super::{Document, Format, Metadata, MetadataValue, skipped, stem};
use ibid_platform::Result;

ibid_platform::named! {
    /// A site generator; its documentation has the rules for addresses.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Generator {
        /// <https://vitepress.dev>
        VitePress = "vitepress",
        /// <https://docusaurus.io>
        Docusaurus = "docusaurus",
        /// <https://starlight.astro.build>
        Starlight = "starlight",
        /// <https://www.mkdocs.org>, with or without the theme Material
        MkDocs = "mkdocs",
        /// <https://www.sphinx-doc.org>
        Sphinx = "sphinx",
        /// <https://rust-lang.github.io/mdBook>
        MdBook = "mdbook",
        /// <https://gohugo.io>
        Hugo = "hugo",
        /// <https://jekyllrb.com>
        Jekyll = "jekyll",
    }
}

impl Generator {
    /// Makes the id that a heading gets, before it is numbered.
    pub(super) fn slug(self, title: &str) -> String {
        match self {
            Self::VitePress => {
                let slug = dashed(&plain(title), |c| c.is_whitespace() || VITEPRESS_DROPPED.contains(c));
                if slug.starts_with(|c: char| c.is_ascii_digit()) { ["_", &slug].concat() } else { slug }
            }
            Self::MkDocs => {
                let is_kept = |c: &char| c.is_ascii_alphanumeric() || " _-".contains(*c);
                let kept: String = plain(title).chars().filter(is_kept).collect();
                dashed(&kept, |c| c == ' ' || c == '-')
            }
            // docutils drops what no id began with in HTML 4.
            Self::Sphinx => {
                let slug = dashed(&plain(title), |c| !c.is_ascii_alphanumeric());
                slug.trim_start_matches(|c: char| c == '-' || c.is_ascii_digit()).to_owned()
            }
            Self::MdBook | Self::Hugo => github(&title.replace(is_mark, "")),
            Self::Docusaurus | Self::Starlight | Self::Jekyll => github(title),
        }
    }

    /// Makes the id of a heading, by the number of those before it with the same.
    fn numbered(self, slug: &str, before: u32) -> String {
        match (self, before) {
            (_, 0) => slug.to_owned(),
            (Self::MkDocs, _) => format!("{slug}_{before}"),
            _ => format!("{slug}-{before}"),
        }
    }
}

const VITEPRESS_DROPPED: &str = "~`!@#$%^&*()-_+=[]{}|\\;:\"'\u{201c}\u{201d}\u{2018}\u{2019}<>,.?/";

/// The configurations of generators: the beginning of the file's path, and the folder of the content next to it.
pub const CONFIGURATIONS: [(&str, Generator, &str); 12] = [
    (".vitepress/config.", Generator::VitePress, ""),
    ("docusaurus.config.", Generator::Docusaurus, ""),
    ("astro.config.", Generator::Starlight, "src/content/docs"),
    ("mkdocs.y", Generator::MkDocs, "docs"),
    ("book.toml", Generator::MdBook, "src"),
    ("hugo.toml", Generator::Hugo, "content"),
    ("hugo.yaml", Generator::Hugo, "content"),
    ("hugo.json", Generator::Hugo, "content"),
    ("config.toml", Generator::Hugo, "content"),
    ("config.yaml", Generator::Hugo, "content"),
    ("conf.py", Generator::Sphinx, ""),
    ("_config.yml", Generator::Jekyll, ""),
];

/// The pages of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The program that makes them; nothing where only their address was given.
    generator: Option<Generator>,
    /// The address that pages are below, with `/` at its end: `/docs/` or `https://example.org/`.
    base: String,
    /// True if the address was given, and not only found or assumed.
    is_given: bool,
    /// True if addresses do without `.html`, where the generator lets one choose; `None` for its default.
    clean: Option<bool>,
    /// The folder that pages of documentation are in, where Docusaurus is told another than `docs`.
    route: Option<String>,
    /// True if the configuration has Sphinx read `.txt` files as `.rst`.
    is_text_rst: bool,
    /// True if Sphinx reads notebooks by nbsphinx, which leaves their headings the ids of Jupyter.
    is_jupyter: bool,
    /// The meanings of names in sources, from the configuration: Sphinx's as substitutions, Jekyll's as it is.
    names: String,
}

impl Site {
    /// Takes what a generator's configuration says of addresses; what it does not say has the generator's default. An
    /// address that is given, which may lack its last `/`, is stronger. Configurations that are programs are not run:
    /// only an option that is written out is found.
    pub fn new(generator: Option<Generator>, configuration: Option<&str>, base: Option<&str>) -> Self {
        let config = configuration.unwrap_or_default();
        let (key, clean) = match generator {
            Some(Generator::VitePress) => ("base", option(config, "cleanUrls").map(|value| value == "true")),
            Some(Generator::MkDocs) => {
                ("site_url", option(config, "use_directory_urls").map(|value| value != "false"))
            }
            Some(Generator::Starlight) => ("base", None),
            Some(Generator::Docusaurus) => ("baseUrl", None),
            Some(Generator::Sphinx) => ("html_baseurl", None),
            Some(Generator::MdBook) => ("site-url", None),
            Some(Generator::Hugo) => ("baseURL", None),
            Some(Generator::Jekyll) | None => ("baseurl", None),
        };
        // A template or a variable may make any path.
        let said = option(config, key).filter(|said| !said.contains("${")).unwrap_or_default();
        // Links stay on the host that the page is on, so that they work before a site is published too.
        let said =
            said.split_once("://").map_or(said, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]));
        let said = if said.starts_with('/') { said.to_owned() } else { ["/", said].concat() };
        let is_given = base.is_some();
        let base = with_slash(base.unwrap_or(&said));
        let docs = config.find("docs:").filter(|_| generator == Some(Generator::Docusaurus));
        let route = docs.and_then(|at| option(&config[at..], "routeBasePath")).map(str::to_owned);
        let suffixes = config.split_once("source_suffix").map_or("", |(_, rest)| rest);
        let end = match suffixes.trim_start_matches([' ', '=']).chars().next() {
            Some('[') => suffixes.find(']'),
            Some('{') => suffixes.find('}'),
            _ => suffixes.find('\n'),
        };
        let is_text_rst = generator == Some(Generator::Sphinx)
            && suffixes[..end.unwrap_or(suffixes.len())].contains(".txt");
        let names = match generator {
            Some(Generator::Sphinx) => python::substitutions(config),
            Some(Generator::Jekyll) => config.to_owned(),
            _ => String::new(),
        };
        let is_jupyter = config.contains("nbsphinx");
        Self { generator, base, is_given, clean, route, is_text_rst, is_jupyter, names }
    }

    /// The definitions of substitutions that all sources of a project by Sphinx share.
    pub(super) fn substitutions(&self) -> &str {
        if self.generator == Some(Generator::Sphinx) { &self.names } else { "" }
    }

    /// Finds the configuration, of a generator whose sources are templates of Liquid.
    pub(super) fn liquid(&self) -> Option<&str> {
        (self.generator == Some(Generator::Jekyll)).then_some(&self.names)
    }

    /// Finds the format of a file, where the site's configuration says another than its name.
    pub(super) fn format_of(&self, path: &str) -> Option<Format> {
        (self.is_text_rst && Format::of_name(path) == Some(Format::Text)).then_some(Format::Rst)
    }

    /// Returns the file that makes the page on which a file's text is, nothing if there is none: by Hugo the
    /// `index.md` in its folder or in one above it, or the `_index.md` that says of all below it that no pages are
    /// made of them.
    pub fn page_of(&self, path: &str, read: impl Fn(&str) -> Option<String>) -> Option<String> {
        for (at, _) in path.match_indices('/').filter(|_| self.generator == Some(Generator::Hugo)) {
            let index = |name: &str| [&path[..=at], name].concat();
            if read(&index("index.md")).is_some() {
                return Some(index("index.md"));
            }
            let above = read(&index("_index.md")).unwrap_or_default();
            if let Some((own, below)) = above.split_once("cascade")
                && option(below.split("\n---").next().unwrap_or_default(), "render") == Some("never")
            {
                return (option(own, "render") == Some("always")).then(|| index("_index.md"));
            }
        }
        Some(path.to_owned())
    }

    /// Says what is known of the site, for a person; nothing where its generator is not.
    pub fn line(&self) -> Option<String> {
        Some(format!("site: {}, pages below {}", self.generator?.as_str(), self.base))
    }

    /// Makes the address of a page; `id` is what its document calls itself.
    fn url(&self, generator: Generator, path: &str, id: Option<&str>, metadata: &Metadata) -> String {
        let said = |name: &str| match metadata.fields.get(name) {
            Some(MetadataValue::Keyword(text)) => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        };
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let (folder, name) = stem.rsplit_once('/').map_or(("", stem), |(folder, name)| (folder, name));
        let is_index = name.eq_ignore_ascii_case("index")
            || (name.eq_ignore_ascii_case("readme")
                && !matches!(generator, Generator::Sphinx | Generator::Hugo))
            || name == "_index";
        let page = match generator {
            Generator::VitePress if is_index && name != "README" => directory(folder),
            Generator::VitePress if self.clean == Some(true) => stem.to_owned(),
            Generator::MkDocs if self.clean != Some(false) => directory(if is_index { folder } else { stem }),
            Generator::MdBook | Generator::MkDocs if is_index => [&directory(folder), "index.html"].concat(),
            Generator::VitePress | Generator::MkDocs | Generator::Sphinx | Generator::MdBook => {
                [stem, ".html"].concat()
            }
            Generator::Starlight => match said("slug") {
                Some(slug) => directory(slug),
                None => directory(&each(if is_index { folder } else { stem }, github)),
            },
            Generator::Hugo => match (said("url"), said("slug")) {
                (Some(url), _) => url.trim_start_matches('/').to_owned(),
                (None, Some(slug)) => directory(&joined(&case::lowercase(folder), slug)),
                _ => directory(&each(if is_index { folder } else { stem }, hugo)),
            },
            Generator::Jekyll => match said("permalink") {
                Some(link) => link.trim_start_matches('/').to_owned(),
                None => jekyll(folder, name, is_index),
            },
            Generator::Docusaurus => docusaurus(folder, name, is_index, said("slug"), id),
        };
        let page = page.trim_start_matches('/');
        let page = match (&self.route, page.strip_prefix("docs/").or(Some("").filter(|_| page == "docs"))) {
            (Some(route), Some(rest)) => joined(route.trim_matches('/'), rest),
            _ => page.to_owned(),
        };
        [&self.base, &*page].concat()
    }
}

impl Document {
    /// Tells the document's page on a site, unless it knows its own, and gives its headings the ids that they have there.
    /// `path` is that of its file: from the folder of the site's content on, or of a page that is made already from the
    /// folder of these.
    ///
    /// # Errors
    /// [`ErrorCode::DocumentSkipped`](ibid_platform::ErrorCode::DocumentSkipped) when the generator makes no page of it: a
    /// draft, a part of other pages, or a book's table of contents.
    pub fn place_on(&mut self, site: &Site, path: &str) -> Result<()> {
        let path = path.trim_start_matches("./");
        if Format::of_name(path) == Some(Format::Html) || is_paper_name(path) {
            let is_index = path == "index.html" || path.ends_with("/index.html");
            let page = if is_index { &path[..path.len() - "index.html".len()] } else { path };
            let address = [&site.base, page].concat();
            if site.generator == Some(Generator::Jekyll)
                && let Some(what) = no_page(Generator::Jekyll, path, &self.metadata)
            {
                return Err(skipped(&self.source, &format!("{what}, and gets no page")));
            }
            self.metadata.url.get_or_insert_with(|| address.clone());
            self.page.address = Some(address);
            return Ok(());
        }
        let Some(generator) = site.generator else {
            // Chunks and archives hold several documents, and no page is made of plain text.
            let is_one = !matches!(Format::of_name(path), None | Some(Format::Jsonl | Format::Text));
            if site.is_given && is_one {
                self.metadata.url.get_or_insert_with(|| [&site.base, &*route(path)].concat());
            }
            return Ok(());
        };
        if let Some(what) = no_page(generator, path, &self.metadata) {
            return Err(skipped(&self.source, &format!("{what}, and gets no page")));
        }
        // The language that a site of Hugo begins with is no part of its addresses.
        let path = path.strip_prefix("en/").filter(|_| generator == Generator::Hugo).unwrap_or(path);
        if self.metadata.url.is_none() {
            let id = Some(&*self.metadata.document_id).filter(|id| *id != stem(&self.source));
            self.metadata.url = Some(site.url(generator, path, id, &self.metadata));
        }
        self.give_ids(generator, site.is_jupyter && Format::of_name(path) == Some(Format::Notebook));
        Ok(())
    }

    /// Gives headings the ids that they have on the page of a generator, or by Sphinx on that of a notebook.
    pub(super) fn give_ids(&mut self, generator: Generator, is_jupyter: bool) {
        let (mut found, mut given) = (HashMap::new(), HashMap::new());
        let mut without = 0;
        for section in &mut self.sections {
            // Docusaurus gives the title of a page no id.
            if generator == Generator::Docusaurus && self.text[section.heading.clone()].starts_with("# ") {
                section.anchor = None;
            }
            let (Some(anchor), Some(title)) = (&mut section.anchor, section.heading_path.last()) else {
                continue;
            };
            let slug = github(title);
            let before: &mut u32 = found.entry(slug.clone()).or_default();
            // An id that GitHub would not make was written by hand.
            if *anchor != Generator::MdBook.numbered(&slug, *before) {
                continue;
            }
            *before += 1;
            let slug = if matches!(generator, Generator::Hugo | Generator::Starlight) {
                // These make a dash of hyphens before they make an id.
                generator.slug(&title.replace(" --- ", "  ").replace(" -- ", "  "))
            } else if is_jupyter {
                title.replace(' ', "-")
            } else {
                generator.slug(title)
            };
            let before: &mut u32 = given.entry(slug.clone()).or_default();
            *anchor = if generator == Generator::Sphinx && (*before > 0 || slug.is_empty()) {
                // Everything without a name of its own is counted.
                without += 1;
                format!("id{without}")
            } else {
                generator.numbered(&slug, *before)
            };
            *before += 1;
        }
    }
}

/// Says what a source is that its generator makes no page of.
fn no_page(generator: Generator, path: &str, metadata: &Metadata) -> Option<&'static str> {
    let says = |name: &str, value| metadata.fields.get(name) == Some(&MetadataValue::Boolean(value));
    let is_part = || path.split('/').any(|name| name.starts_with('_'));
    match generator {
        Generator::MdBook if path == "SUMMARY.md" => Some("it is the book's table of contents"),
        Generator::Docusaurus if is_part() => Some("it is a part of other pages"),
        Generator::Hugo if says("headless", true) => Some("it is a part of other pages"),
        Generator::Docusaurus | Generator::Starlight | Generator::Hugo if says("draft", true) => {
            Some("it is a draft")
        }
        Generator::Jekyll if path.split('/').any(|name| matches!(name, "_includes" | "_layouts")) => {
            Some("it is a part of other pages")
        }
        Generator::Jekyll if says("published", false) || path.starts_with("_drafts/") => {
            Some("it is a draft")
        }
        _ => None,
    }
}

/// Reads the value of an option in JavaScript, YAML, TOML or Python, at the beginning of a line but for blanks, or behind
/// a brace or a comma.
fn option<'a>(config: &'a str, key: &str) -> Option<&'a str> {
    let value = |line: &'a str| {
        let value = line.trim_start().strip_prefix(key)?.trim_start().strip_prefix([':', '='])?.trim();
        let quote = value.chars().next().filter(|first| "\"'`".contains(*first));
        match quote {
            Some(quote) => value[1..].split(quote).next(),
            None => Some(value.split([',', ';', ' ', '}']).next()?.trim()),
        }
    };
    config.lines().filter(|line| !line.trim_start().starts_with(['/', '#', '*'])).find_map(|line| {
        let starts = line.match_indices(['{', ',']).map(|(at, _)| at + 1);
        std::iter::once(0).chain(starts).find_map(|at| value(&line[at..]))
    })
}

/// Makes the path that apps give the page of a file, where no generator is known: without its ending, an index by its
/// folder.
fn route(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let is_index = name.eq_ignore_ascii_case("index") || name.eq_ignore_ascii_case("readme");
    if is_index { directory(folder) } else { stem.to_owned() }
}

fn with_slash(base: &str) -> String {
    if base.ends_with('/') { base.to_owned() } else { [base, "/"].concat() }
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { [folder, "/", name].concat() }
}

/// Writes a path as that of a folder; the site's own is empty.
fn directory(path: &str) -> String {
    let path = path.trim_matches('/');
    if path.is_empty() { String::new() } else { [path, "/"].concat() }
}

fn each(path: &str, part: impl Fn(&str) -> String) -> String {
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// GitHub's rule, which github-slugger and others follow.
pub(super) fn github(title: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        // GitHub takes them for a part of words; not all generators do.
        _ => (c.is_alphanumeric() || is_mark(c)).then_some(c),
    };
    case::lowercase(title).chars().filter_map(kept).collect()
}

fn hugo(part: &str) -> String {
    case::lowercase(part).replace(' ', "-")
}

/// Lower case without accents.
fn plain(text: &str) -> String {
    text.chars().map(fold_one).collect()
}

/// Runs of some characters as one hyphen, and none at the ends.
fn dashed(text: &str, is_dropped: impl Fn(char) -> bool) -> String {
    text.split(is_dropped).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

fn jekyll(folder: &str, name: &str, is_index: bool) -> String {
    let date: Vec<&str> = name.splitn(4, '-').collect();
    match (folder.rsplit('/').next(), date.as_slice()) {
        (Some("_posts"), [year, month, day, rest]) => format!("{year}/{month}/{day}/{rest}.html"),
        _ if is_index => directory(folder),
        // A collection is named with a line that its address has not.
        _ => [&joined(folder.strip_prefix('_').unwrap_or(folder), name), ".html"].concat(),
    }
}

fn docusaurus(folder: &str, name: &str, is_index: bool, slug: Option<&str>, id: Option<&str>) -> String {
    // Numbers that order files are no part of addresses.
    let bare = |part: &str| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let behind = rest.trim_start_matches(['-', '_', '.', ' ']);
        let is_number = rest.len() < part.len() && behind.len() < rest.len();
        // A version or a date is none.
        let is_order = is_number && behind.starts_with(|c: char| !c.is_ascii_digit());
        if is_order { behind } else { part }.to_owned()
    };
    let folder = match folder.strip_prefix("versioned_docs/version-") {
        None => each(folder, bare),
        Some(rest) => {
            let (version, below) = rest.split_once('/').unwrap_or((rest, ""));
            joined(&joined("docs", version), &each(below, bare)).trim_end_matches('/').to_owned()
        }
    };
    let route = folder.split('/').next().unwrap_or_default();
    match slug {
        Some(slug) if slug.starts_with('/') => return joined(route, slug.trim_start_matches('/')),
        Some(slug) => return joined(&folder, slug.trim_start_matches("./")),
        None => {}
    }
    let date: Vec<&str> = name.splitn(4, '-').collect();
    if let ("blog", [year, month, day, rest]) = (route, date.as_slice())
        && year.len() == 4
    {
        return format!("blog/{year}/{month}/{day}/{rest}");
    }
    let last = folder.rsplit('/').next().unwrap_or_default();
    let name = bare(name);
    if is_index || name == last { folder } else { joined(&folder, id.unwrap_or(&name)) }
}

#[cfg(test)]
mod tests;
