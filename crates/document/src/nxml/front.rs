//! The description of an article or a book.

use super::super::{Date, Metadata, MetadataValue};

/// A place in the front matter whose text is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArticleField {
    Journal,
    Pmid,
    Doi,
    Year,
    Month,
    Day,
}

/// The findings in the front matter so far.
#[derive(Debug, Default)]
pub(super) struct Front {
    journal: Option<String>,
    pmid: Option<String>,
    doi: Option<String>,
    pub(super) language: Option<String>,
    pub(super) document_type: Option<String>,
    pub(super) address: Option<String>,
    /// The best date yet, with its rank.
    date: Option<(u8, Date)>,
    /// The date that is being read.
    rank: u8,
    year: Option<u16>,
    month: Option<u8>,
    day: Option<u8>,
}

impl Front {
    /// The text of a field. The first of its kind counts.
    pub(super) fn keep(&mut self, field: ArticleField, text: &str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return;
        }
        match field {
            ArticleField::Journal => self.journal = self.journal.take().or(Some(text)),
            ArticleField::Pmid => self.pmid = self.pmid.take().or(Some(text)),
            ArticleField::Doi => self.doi = self.doi.take().or(Some(text)),
            ArticleField::Year => self.year = text.parse().ok(),
            ArticleField::Month => self.month = month(&text),
            ArticleField::Day => self.day = text.parse().ok(),
        }
    }

    /// Begins a date of publication. The electronic one is preferred, for it is when the text could first be read;
    /// that of a collection may be years off.
    pub(super) fn date_start(&mut self, kind: &str) {
        (self.year, self.month, self.day) = (None, None, None);
        self.rank = match kind {
            "epub" => 0,
            "pub" | "epub-ppub" | "" => 1,
            "ppub" => 2,
            "collection" => 4,
            _ => 3,
        };
    }

    pub(super) fn date_end(&mut self) {
        let year = self.year.take();
        // A day or month that is none does not make the year wrong.
        let date = year.and_then(|year| {
            Date::new(year, self.month, self.day)
                .or_else(|| Date::new(year, self.month, None))
                .or_else(|| Date::new(year, None, None))
        });
        if let Some(date) = date
            && self.date.is_none_or(|(rank, _)| self.rank < rank)
        {
            self.date = Some((self.rank, date));
        }
    }

    pub(super) fn into_metadata(self) -> Metadata {
        let mut metadata = Metadata::default();
        let doi_address = self.doi.as_ref().map(|doi| format!("https://doi.org/{doi}"));
        metadata.url = self.address.or(doi_address);
        let fields = [
            ("journal", self.journal),
            ("pmid", self.pmid),
            ("doi", self.doi),
            ("language", self.language),
            ("document_type", self.document_type),
        ];
        for (name, text) in fields {
            if let Some(text) = text {
                metadata.put(name, MetadataValue::Keyword(text));
            }
        }
        if let Some((_, date)) = self.date {
            metadata.put("publication_date", MetadataValue::Date(date));
            metadata.put("year", MetadataValue::Integer(date.year().into()));
        }
        metadata
    }
}

/// Reads a month by its number or its English name.
fn month(text: &str) -> Option<u8> {
    const NAMES: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let by_name = || {
        let start = text.get(..3)?.to_ascii_lowercase();
        NAMES.iter().position(|name| *name == start).map(|at| at as u8 + 1)
    };
    text.parse().ok().or_else(by_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_date_is_kept_and_a_wrong_day_is_not() {
        let mut front = Front::default();
        for (kind, year, month, day) in
            [("collection", "2019", "", ""), ("ppub", "2020", "Apr", "31"), ("epub", "2020", "02", "3")]
        {
            front.date_start(kind);
            [(ArticleField::Year, year), (ArticleField::Month, month), (ArticleField::Day, day)]
                .into_iter()
                .for_each(|(field, text)| front.keep(field, text));
            front.date_end();
            if kind == "ppub" {
                assert_eq!(front.date.unwrap().1.to_string(), "2020-04");
            }
        }
        front.keep(ArticleField::Doi, " 10.1/x ");
        let metadata = front.into_metadata();
        assert_eq!(metadata.fields["publication_date"].to_string(), "2020-02-03");
        assert_eq!(metadata.fields["year"], MetadataValue::Integer(2020));
        assert_eq!(metadata.url.as_deref(), Some("https://doi.org/10.1/x"));
    }
}
