//! The model families: each a transformer, and the table and the projection that are part of the program.

use std::path::{Path, PathBuf};

use crate::files;
use crate::system::beside_program;
use crate::weights::Weights;
use ibid_embed::{Projection, Space, TokenTable};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_text::Languages;

// Statics, since the compiler repeats a constant wherever it is used: that was 34 MB.
static ENGLISH_TABLE: &[u8] = include_bytes!("../../../models/query-table.bin");
static ENGLISH_PROJECTION: &[u8] = include_bytes!("../../../models/projection.bin");
static MULTILINGUAL_TABLE: &[u8] = include_bytes!("../../../models/multilingual-table.bin");
static MULTILINGUAL_PROJECTION: &[u8] = include_bytes!("../../../models/multilingual-projection.bin");

ibid_platform::named! {
    /// A transformer that embeds documents, with the table and the projection that share its space.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Family {
        /// all-MiniLM-L6-v2, which was made for English.
        #[default]
        MiniLm = "minilm",
        /// multilingual-e5-small, for a hundred languages.
        E5 = "e5",
    }
}

impl Family {
    /// Chooses the family for documents in these languages; the English one where most are in English or no text tells.
    pub fn of_languages(languages: Option<Languages>) -> Self {
        if languages.is_none_or(Languages::is_english) { Self::MiniLm } else { Self::E5 }
    }

    /// Finds the family whose transformer has that name, or whose space begins with it.
    pub fn of_model(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| name.starts_with(family.model()))
    }

    /// Finds the family of a space, if it is one of ibid's own.
    pub fn of_space(space: &Space) -> Option<Self> {
        Self::of_model(&space.name)
    }

    /// Returns the name of the transformer.
    pub fn model(self) -> &'static str {
        match self {
            Self::MiniLm => "all-MiniLM-L6-v2",
            Self::E5 => "multilingual-e5-small",
        }
    }

    /// The npm package that carries the packed transformer.
    pub(crate) fn weights(self) -> Weights {
        let others = (self.table_file().1.len() + self.projection_file().1.len()) as u64;
        match self {
            Self::MiniLm => Weights {
                package: "ibid-model-en",
                version: "1.0.0",
                file: "minilm-distilled.ibidmodel",
                bytes: 12_369_024,
                others,
                sha256: "517485695f10455a4df1ab56a9f206b54b70b2bcdc9481ec6e7cf186d8d090b8",
            },
            Self::E5 => Weights {
                package: "ibid-model-multilingual",
                version: "1.0.0",
                file: "multilingual-e5-small.ibidmodel",
                bytes: 79_802_112,
                others,
                sha256: "1da32e2b77518f1d9dcbd910e1d8a897959e7bad9847be52903654b1fdbbe7b5",
            },
        }
    }

    /// Returns the name of the packed transformer's file.
    pub fn file_name(self) -> &'static str {
        self.weights().file
    }

    /// Finds the place of the packed transformer in the folder for programs' data.
    pub(crate) fn data_file(self) -> Option<PathBuf> {
        files::own_folder("XDG_DATA_HOME", ".local/share").map(|folder| folder.join(self.file_name()))
    }

    /// Finds the packed transformer, if this machine has it: in the project's npm packages, next to the program (pip), in
    /// the folder for programs' data, or in a checkout.
    pub(crate) fn find_transformer(self) -> Option<PathBuf> {
        let file = self.file_name();
        let package = PathBuf::from("node_modules").join(self.weights().package).join(file);
        let own = PathBuf::from("models").join(file);
        let usual = [Some(package), beside_program("../share/ibid").map(|folder| folder.join(file))];
        usual.into_iter().chain([self.data_file(), Some(own)]).flatten().find(|path| path.is_file())
    }

    /// Chooses the place where the packed transformer is to be written: the one that was named, or where commands look
    /// for it.
    pub fn place_or(self, output: Option<&Path>) -> Result<PathBuf> {
        output.map(Path::to_owned).or_else(|| self.data_file()).ok_or_else(|| {
            Error::new(ErrorCode::InvalidOption, "There is no home folder.")
                .with_hint("Name the file with `-o FILE`.")
        })
    }

    /// Names the command that gets the transformer.
    pub fn how_to_get(self) -> &'static str {
        match self {
            Self::MiniLm => "ibid model fetch",
            Self::E5 => "ibid model fetch e5",
        }
    }

    /// Opens the table that embeds queries.
    pub fn table(self) -> Result<TokenTable> {
        TokenTable::from_bytes(self.table_file().1)
    }

    /// Opens the projection from the transformer's vectors into the family's space.
    pub fn projection(self) -> Result<Projection> {
        Projection::from_bytes(self.projection_file().1)
    }

    /// The table as a file of a page: its name and bytes.
    pub(crate) fn table_file(self) -> (&'static str, &'static [u8]) {
        match self {
            Self::MiniLm => ("query-table.bin", ENGLISH_TABLE),
            Self::E5 => ("multilingual-table.bin", MULTILINGUAL_TABLE),
        }
    }

    /// The projection as a file of a page: its name and bytes.
    pub(crate) fn projection_file(self) -> (&'static str, &'static [u8]) {
        match self {
            Self::MiniLm => ("projection.bin", ENGLISH_PROJECTION),
            Self::E5 => ("multilingual-projection.bin", MULTILINGUAL_PROJECTION),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_projections_belong_to_their_families() {
        for family in Family::ALL {
            let (table, projection) = (family.table().unwrap(), family.projection().unwrap());
            assert_eq!(table.space(), projection.space());
            assert_eq!(Family::of_space(table.space()), Some(family));
            assert_eq!(Family::from_name(family.as_str()), Some(family));
        }
        assert_eq!(Family::of_model("voyage/voyage-3.5"), None);
    }

    #[test]
    fn weights_are_in_the_packages_that_are_published() {
        for (family, package) in [
            (Family::MiniLm, include_str!("../../../pkg/models/ibid-model-en/package.json")),
            (Family::E5, include_str!("../../../pkg/models/ibid-model-multilingual/package.json")),
        ] {
            let package: serde_json::Value = serde_json::from_str(package).unwrap();
            let Weights { package: name, version, file, .. } = family.weights();
            assert_eq!((&package["name"], &package["version"]), (&name.into(), &version.into()));
            assert_eq!(package["files"][0], file);
        }
    }

    #[test]
    fn documents_in_english_have_the_english_model() {
        assert_eq!(Family::of_languages(None), Family::MiniLm);
        for (first, is_most, family) in
            [("en", true, Family::MiniLm), ("en", false, Family::E5), ("de", true, Family::E5)]
        {
            assert_eq!(Family::of_languages(Some(Languages { first, is_most })), family);
        }
    }
}
