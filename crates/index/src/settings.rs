//! Settings of an author that every search of an index follows.

use serde::Serialize;

use ibid_platform::deserialize;

/// Settings of an author that every search of an index follows; left out of the file if there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SearchSettings {
    /// Groups of words, or of several words each, that find each other's passages. Their postings are in the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<Vec<String>>,
    /// Words that a query does not look for if it has others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Queries with the passage that comes first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// Pages that a search box shows before the first letter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub popular: Vec<PopularPage>,
}

deserialize!(SearchSettings over default: synonyms, stop, pins, popular);

/// A page that a search box shows before the first letter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PopularPage {
    /// The title of the page, or the heading that its author names.
    pub title: String,
    /// The address of the page, if the index knows it.
    pub url: Option<String>,
    /// The name of the file that the page was read from.
    pub source: String,
    /// The id of the heading that its author names.
    pub anchor: Option<String>,
}

deserialize!(PopularPage by fields: title, url, source, anchor);

/// A query with the passage that comes first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// The query as its author wrote it.
    pub query: String,
    /// The address as its author wrote it.
    pub address: String,
    /// The number of the chunk.
    pub chunk: u32,
}

deserialize!(Pin by fields: query, address, chunk);

/// A pin whose chunk has no number yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinDraft {
    /// The query.
    pub query: String,
    /// The address.
    pub address: String,
    /// The id of the chunk.
    pub id: u64,
}

impl SearchSettings {
    pub(super) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Adds those of another index, whose chunks are numbered from `first` on. The first of two pins of a query counts.
    pub(super) fn join(&mut self, other: Self, first: u32) {
        let new = other.synonyms.into_iter().filter(|group| !self.synonyms.contains(group));
        self.synonyms.extend(new.collect::<Vec<_>>());
        self.stop.extend(other.stop);
        let new = other.popular.into_iter().filter(|page| !self.popular.contains(page));
        self.popular.extend(new.collect::<Vec<_>>());
        self.pins.extend(other.pins.into_iter().map(|pin| Pin { chunk: first + pin.chunk, ..pin }));
    }
}
