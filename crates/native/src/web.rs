//! The files that a page needs of the package `ibid`: where they lie, which of them an index needs, and copying them into a
//! site. The tables and projections are part of the program, and packed transformers lie elsewhere.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use crate::system::{beside_program, variable};
use crate::{Family, files, note};
use ibid_embed::Space;
use ibid_platform::{Error, ErrorCode, Result};

/// The variable that names the folder of the files.
const ENVIRONMENT: &str = "IBID_WEB";
/// The folder next to an index in which pages look for its query table.
const FOLDER: &str = "ibid";
/// The file by which the folder is known.
const ENTRY: &str = "index.js";
/// The place of the folder, from the program's: as packages install both, and in a checkout.
const USUAL: [&str; 2] = ["../share/ibid", "../../pkg/dist"];

/// A part of the package that a page may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WebPart {
    /// Searching an index.
    Search,
    /// The elements for search and questions.
    Ui,
    /// Answering questions.
    Ask,
    /// Adding documents and building indexes in the page.
    Add,
    /// Searching Qdrant and Chroma.
    Engines,
    /// Embedding queries by the transformer, which is copied where this machine has it: `ibid model fetch`.
    Transformer,
    /// Adapters to other libraries.
    Adapters,
}

/// The licences, which go wherever the files go.
const ALWAYS: [&str; 2] = ["LICENSE*", "NOTICE"];
/// Files that only some indexes need: those of their model, and the stemmer of their language.
const OF_INDEX: [&str; 4] = ["*-table.bin", "*projection.bin", "*.ibidmodel", "wasm/stem_*"];

impl WebPart {
    /// The parts of a page that searches and answers.
    pub const USUAL: [Self; 3] = [Self::Search, Self::Ui, Self::Ask];

    /// Returns the word by which options name it.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The files that it takes.
    fn globs(self) -> &'static [&'static str] {
        match self {
            Self::Search => &[
                "index.js",
                "{encoder,folder,persist,several,storage}/**/*.js",
                "{query,multilingual}-table.bin",
                "wasm/{ibid,ibid_bg,ibid_rest,stem_*}.{js,wasm}",
            ],
            Self::Ui => &["ui/**/*.js", "{llm/prompt-api,mcp/offer}.js"],
            Self::Ask => &[
                "{ask,render}/**/*.js",
                "wasm/{ibid_ask,ibid_ask_bg,ibid_ask_rest,*_rules}.{js,wasm,bin,json}",
            ],
            Self::Add => &["worker.js", "build/**/*.js", "wasm/{ibid_build,ibid_build_bg}.{js,wasm}"],
            Self::Engines => &["engines/**/*.js", "wasm/{ibid_engines,ibid_engines_bg}.{js,wasm}"],
            Self::Transformer => &["*projection.bin", "*.ibidmodel"],
            Self::Adapters => &["{ai-sdk,audit,langchain,llm,mcp,remote}/**/*.js"],
        }
    }

    /// Returns true if a page opens or makes other indexes by it than those that lie next to it.
    fn opens_others(self) -> bool {
        matches!(self, Self::Add | Self::Engines)
    }
}

/// The folder of the package's files.
pub struct WebFiles {
    folder: PathBuf,
    /// Their names with `/` between folders, sorted; those that are part of the program are among them.
    names: BTreeSet<String>,
}

impl WebFiles {
    /// Looks for the files: where the environment names them, else next to the program.
    ///
    /// # Errors
    /// [`ErrorCode::Io`] if they are not.
    pub fn find() -> Result<Self> {
        let given = variable(ENVIRONMENT).map(PathBuf::from);
        let usual = || USUAL.into_iter().filter_map(beside_program).collect();
        let places = given.clone().map_or_else(usual, |given| vec![given]);
        let Some(folder) = places.into_iter().find(|place| place.join(ENTRY).is_file()) else {
            let place =
                given.map_or("next to the program".to_owned(), |given| format!("in `{}`", given.display()));
            return Err(Error::new(ErrorCode::Io, format!("The files for pages are missing {place}.")).with_hint(
                "Install ibid by npm or pip, which include them. In a checkout, run `./build.sh build`. Or \
                 set `IBID_WEB` to their folder.",
            ));
        };
        let below = files::below(&folder)?;
        let found = below.iter().map(|path| files::source_name(path.strip_prefix(&folder).unwrap_or(path)));
        let built_in =
            Family::ALL.iter().flat_map(|family| built_in_of(*family)).map(|(name, _)| name.to_owned());
        let packed = Family::ALL.iter().filter(|family| family.find_transformer().is_some());
        let packed = packed.map(|family| family.file_name().to_owned());
        let names = found.filter(|name| !name.ends_with(".d.ts")).chain(built_in).chain(packed).collect();
        Ok(Self { folder, names })
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads the bytes of a file.
    pub fn read(&self, name: &str) -> Result<Cow<'static, [u8]>> {
        if let Some((_, bytes)) = built_in(name) {
            return Ok(Cow::Borrowed(bytes));
        }
        let packed = Family::ALL.into_iter().find(|family| family.file_name() == name);
        let packed = packed.and_then(Family::find_transformer);
        files::read(&packed.unwrap_or_else(|| self.folder.join(name))).map(Cow::Owned)
    }

    /// Copies the files of parts into a folder, and returns their names for each part. Files that no index next to the
    /// folder needs are not copied, and removed where an earlier copy has left them.
    ///
    /// # Errors
    /// [`ErrorCode::Io`] for what cannot be read or written, or lies behind a link out of the folder.
    pub fn copy(&self, parts: &[WebPart], folder: &Path) -> Result<Vec<(WebPart, Vec<&str>)>> {
        files::create_folder(folder)?;
        let needed =
            if parts.iter().any(|part| part.opens_others()) { None } else { needed_next_to(folder)? };
        let of_index = glob_set(&OF_INDEX)?;
        let is_needed = |name: &str| {
            needed.as_ref().is_none_or(|needed| !of_index.is_match(name) || needed.contains(name))
        };
        let mut copied = Vec::new();
        for part in parts {
            let (chosen, others): (Vec<&str>, Vec<&str>) =
                self.matching(&glob_set(part.globs())?).partition(|name| is_needed(name));
            for name in others {
                files::write::remove_within(folder, name)?;
            }
            for name in &chosen {
                files::write::write_within(folder, name, &self.read(name)?)?;
            }
            copied.push((*part, chosen));
        }
        for name in self.matching(&glob_set(&ALWAYS)?) {
            files::write::write_within(folder, name, &self.read(name)?)?;
        }
        Ok(copied)
    }

    fn matching(&self, globs: &GlobSet) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str).filter(move |name| globs.is_match(name))
    }
}

/// Puts the query table of an index's space where pages look for it, the folder `ibid` next to the index, and returns its
/// name there; nothing where another embedder made the vectors, or the index is no file.
///
/// # Errors
/// [`ErrorCode::Io`].
pub fn put_table(index: &Path, space: &Space) -> Result<Option<String>> {
    let Some(family) = Family::of_space(space).filter(|_| files::index::is_there(index)) else {
        return Ok(None);
    };
    let (name, bytes) = family.table_file();
    let name = format!("{FOLDER}/{name}");
    let beside = index.parent().filter(|parent| !parent.as_os_str().is_empty());
    files::write::write_within(beside.unwrap_or(Path::new(".")), &name, bytes)?;
    Ok(Some(name))
}

/// Finds a file that is part of the program, with its name.
pub fn built_in(name: &str) -> Option<(&'static str, &'static [u8])> {
    Family::ALL.into_iter().flat_map(built_in_of).find(|(own, _)| *own == name)
}

fn built_in_of(family: Family) -> [(&'static str, &'static [u8]); 2] {
    [family.table_file(), family.projection_file()]
}

fn glob_set(globs: &[&str]) -> Result<GlobSet> {
    let internal = |error: globset::Error| Error::new(ErrorCode::Internal, error.to_string());
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(GlobBuilder::new(glob).literal_separator(true).build().map_err(internal)?);
    }
    set.build().map_err(internal)
}

/// Lists the files for the indexes in the folder that this one lies in, and below. `None` if there is no index, or one
/// that may need any of them.
fn needed_next_to(folder: &Path) -> Result<Option<BTreeSet<String>>> {
    let folder = folder.canonicalize().map_err(|error| files::failed("read", folder, &error))?;
    let Some(above) = folder.parent() else { return Ok(None) };
    let mut needed = BTreeSet::new();
    let walk = WalkBuilder::new(above)
        .standard_filters(false)
        .hidden(true)
        .filter_entry(|entry| entry.file_name() != "node_modules")
        .build();
    for index in
        walk.flatten().filter(|entry| entry.path().extension().is_some_and(|ending| ending == "ibid"))
    {
        let path = index.path();
        let opened = files::index::open(path).ok();
        let manifest = opened.as_ref().map(ibid_index::Index::manifest);
        let Some((manifest, family)) =
            manifest.and_then(|manifest| Some((manifest, Family::of_space(&manifest.space)?)))
        else {
            let name = files::source_name(path.strip_prefix(above).unwrap_or(path));
            note(&format!(
                "note: copying all query tables and stemmers, since `{name}` does not say which it needs"
            ));
            return Ok(None);
        };
        let of_model = [family.table_file().0, family.projection_file().0, family.file_name()];
        needed.extend(of_model.map(str::to_owned));
        needed.insert(format!("wasm/stem_{}_bg.wasm", manifest.build.lexical.analyzed().as_str()));
    }
    Ok((!needed.is_empty()).then_some(needed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_parts_are_those_of_the_package() {
        let chosen = |part: WebPart, name: &str| glob_set(part.globs()).unwrap().is_match(name);
        for (part, name) in [
            (WebPart::Search, "index.js"),
            (WebPart::Search, "folder/deep/a.js"),
            (WebPart::Search, "several/set.js"),
            (WebPart::Search, "wasm/ibid_rest.wasm"),
            (WebPart::Search, "wasm/stem_de_bg.wasm"),
            (WebPart::Ui, "ui/words/de.js"),
            (WebPart::Ui, "mcp/offer.js"),
            (WebPart::Ui, "llm/prompt-api.js"),
            (WebPart::Ask, "wasm/pii_rules.wasm"),
            (WebPart::Add, "worker.js"),
            (WebPart::Transformer, "projection.bin"),
        ] {
            assert!(chosen(part, name), "{name}");
        }
        for name in ["wasm/ibid_whole.wasm", "wasm/ibid_build_bg.wasm", "ui/index.js.map", "node/main.js"] {
            assert!(!WebPart::USUAL.iter().any(|part| chosen(*part, name)), "{name}");
        }
    }

    #[test]
    fn tables_and_projections_are_part_of_the_program() {
        for name in
            ["query-table.bin", "multilingual-table.bin", "projection.bin", "multilingual-projection.bin"]
        {
            assert!(built_in(name).is_some_and(|(_, bytes)| !bytes.is_empty()), "{name}");
        }
        assert!(built_in("index.js").is_none());
    }
}
