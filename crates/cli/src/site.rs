//! `ibid site`.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use crate::build::{self, BuildArgs};
use ibid_native::note;
use ibid_native::pages::{ScriptOutcome, add_script, attributes, pages};
use ibid_native::settings::SiteSettings;
use ibid_native::web::{WebFiles, WebPart};
use ibid_platform::{Error, ErrorCode, Result};

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct SiteArgs {
    /// The folder of the built site, such as _site, dist or public; it may already have search. The search box
    /// replaces the theme's own.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Answer questions in the search box too.
    #[arg(long)]
    answers: bool,
    /// Metadata fields that become filters, separated by commas.
    #[arg(long, value_name = "NAMES")]
    facets: Option<String>,
    /// The element that gets the search box [default: the theme's search]
    #[arg(long, value_name = "CSS")]
    place: Option<String>,
    /// Another attribute of the search box, such as model=gpt-5-mini; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = attribute)]
    set: Vec<(String, String)>,
    /// The address below which the site's pages are served [default: from its configuration, else /]
    #[arg(long, value_name = "URL")]
    base_url: Option<OsString>,
    /// The model that embeds documents: `minilm` for English, `e5` for a hundred languages, or a packed model's file
    /// [default: `IBID_MODEL`, else by the documents' language]
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<OsString>,
    /// The encoder of documents [default: transformer if its model is found or can be downloaded, else table]
    #[arg(long, value_parser = ["transformer", "table"])]
    encoder: Option<String>,
    /// Write llms.txt, llms-full.txt and a page of Markdown next to each page, for assistants.
    #[arg(long)]
    llms: bool,
    /// The file of settings [default: `ibid.toml` next to what is read, or in this folder].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Keep no vectors for the next build.
    #[arg(long)]
    no_cache: bool,
    /// Print every warning, and everything that is left out.
    #[arg(long)]
    verbose: bool,
}

impl SiteArgs {
    /// Makes the arguments of `ibid build` for the site.
    fn build(&self, settings: &SiteSettings) -> Result<BuildArgs> {
        let mut words = vec!["--output".into(), self.folder.join("site.ibid").into_os_string()];
        let encoder = self.encoder.as_ref().map(OsString::from);
        let config = settings.path.as_ref().map(OsString::from);
        for (name, value) in [
            ("--base-url", &self.base_url),
            ("--model", &self.model),
            ("--encoder", &encoder),
            ("--config", &config),
        ] {
            words.extend(value.iter().flat_map(|value| [name.into(), value.clone()]));
        }
        for (name, is_given) in [("--no-cache", self.no_cache), ("--verbose", self.verbose)] {
            words.extend(is_given.then(|| name.into()));
        }
        words.extend(["--".into(), self.folder.clone().into_os_string()]);
        let llms = (self.llms || settings.llms).then(|| self.folder.clone());
        BuildArgs::of(words, llms)
    }

    /// Writes the attributes of the search box. Options are stronger than settings.
    fn attributes(&self, settings: &SiteSettings) -> String {
        let own = [
            ("answers", self.answers.then_some("")),
            ("facets", self.facets.as_deref()),
            ("place", self.place.as_deref()),
        ];
        let own = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let [usual, set] = [&settings.attributes, &self.set].map(|pairs| pairs.iter().map(pair));
        attributes(usual.chain(own).chain(set))
    }
}

fn pair((name, value): &(String, String)) -> (&str, &str) {
    (name, value)
}

/// Reads a name in lower case and its value, if it has one.
fn attribute(pair: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    if is_name { Ok((name.to_owned(), value.to_owned())) } else { Err("it is not NAME=VALUE".to_owned()) }
}

pub(super) fn run(args: &SiteArgs) -> Result<()> {
    let folder = &args.folder;
    if !io::stdin().is_terminal() {
        // mdBook hands over the book, which is in the pages too, and complains of a reader that does not listen.
        std::thread::spawn(|| io::copy(&mut io::stdin().lock(), &mut io::sink()));
    }
    let web = WebFiles::find()?;
    let pages = pages(folder)?;
    if pages.is_empty() {
        let message = format!("There are no pages in `{}`.", folder.display());
        return Err(Error::new(ErrorCode::InvalidOption, message)
            .with_hint("Name the generator's output folder, such as _site, dist, build or public."));
    }
    let settings = SiteSettings::load(args.config.as_deref(), std::slice::from_ref(folder))?;
    let attributes = args.attributes(&settings);
    let (mut added, mut without_head, mut failures) = (0, 0, Vec::new());
    for page in &pages {
        match add_script(page, folder, &attributes) {
            Ok(ScriptOutcome::Added) => added += 1,
            Ok(ScriptOutcome::NoHead) => without_head += 1,
            Ok(ScriptOutcome::Anywhere) => {}
            Err(error) => failures.push(error),
        }
    }
    // Behind the scripts: the index knows at which byte of a page each passage stands.
    build::run(args.build(&settings)?)?;
    web.copy(&WebPart::USUAL, &folder.join("ibid"))?;
    note(&format!("{}: the search box is in {added} pages", folder.display()));
    if without_head > 0 {
        let pages = if without_head == 1 { "1 page has" } else { &format!("{without_head} pages have") };
        note(&format!("  {pages} no head, and no search box"));
    }
    note(&format!("  next: ibid preview {}", folder.display()));
    // The others have it all the same.
    failures.into_iter().next().map_or(Ok(()), Err)
}
