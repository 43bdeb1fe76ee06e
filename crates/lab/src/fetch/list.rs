//! The list of the books that Bookshelf's open-access subset holds.

use std::borrow::Cow;

use csv::{ReaderBuilder, StringRecord, Trim};
use regex::Regex;

use ibid_platform::{Error, ErrorCode, Result};

/// The longest name of an archive in bytes; with what is added to it while it is being made, it stays within the 255
/// that file systems allow.
const LONGEST_NAME: usize = 200;
const ARCHIVE_ENDING: &str = ".tar.gz";

/// A book in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Book {
    /// The path of its archive below the base URL, as the list says; to be checked with [`archive_name`] before use.
    pub(super) file: String,
    pub(super) title: String,
    pub(super) publisher: String,
    /// Such as `NBK1116`; empty where the list has none.
    pub(super) accession: String,
    /// The date of the archive, in the list's own words; empty where the list has none.
    pub(super) updated: String,
}

/// The books that are wanted.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// A part of the publisher's name, in any case.
    pub(super) publisher: Option<String>,
    /// The expression that the title has to match.
    pub(super) title: Option<Regex>,
}

impl Selection {
    fn takes(&self, book: &Book) -> bool {
        let publisher = self.publisher.as_ref().is_none_or(|wanted| {
            spaced(&book.publisher).to_lowercase().contains(&spaced(wanted).to_lowercase())
        });
        publisher && self.title.as_ref().is_none_or(|title| title.is_match(&book.title))
    }
}

/// Finds the wanted books of a list, in its order, each archive once.
///
/// The list is CSV. Its columns are found by their names, whatever their order: `File`, `Title`, `Publisher`,
/// `Accession ID` and `Last Updated (YYYY-MM-DD HH:MM:SS)`, of which only the first is needed, and those that are
/// selected by. It is read as UTF-8, else as Windows-1252, in which it has been published, and character references
/// in titles are resolved.
///
/// # Errors
/// [`ErrorCode::InvalidDocument`] if a needed column is missing, as in an error page.
pub(super) fn select(list: &[u8], selection: &Selection) -> Result<Vec<Book>> {
    let text = decode(list);
    let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(text.as_bytes());
    let columns = Columns::find(reader.headers().map_err(|error| unreadable(&error))?, selection)?;
    let mut seen = std::collections::HashSet::new();
    let mut books = Vec::new();
    for row in reader.records() {
        let book = columns.book(&row.map_err(|error| unreadable(&error))?);
        if !book.file.is_empty() && selection.takes(&book) && seen.insert(book.file.clone()) {
            books.push(book);
        }
    }
    Ok(books)
}

/// Reads the name under which an archive is kept, which is the last part of its place.
///
/// # Errors
/// Why the place is not one that a list should name: it could lead out of the folder that is written to, or out of the
/// folder of the server that was named.
pub(super) fn archive_name(file: &str) -> Result<&str, &'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut name = "";
    for part in file.split('/') {
        if part.is_empty() || part.starts_with('.') {
            return Err("a part of its path is empty or begins with a dot");
        }
        if !part.chars().all(plain) {
            return Err("its path has characters other than letters, digits, `.`, `_` and `-`");
        }
        name = part;
    }
    match name.len() {
        length if length > LONGEST_NAME => Err("its name is too long"),
        _ if !name.ends_with(ARCHIVE_ENDING) => Err("it is not a .tar.gz archive"),
        _ => Ok(name),
    }
}

struct Columns {
    file: usize,
    title: Option<usize>,
    publisher: Option<usize>,
    accession: Option<usize>,
    updated: Option<usize>,
}

impl Columns {
    fn find(header: &StringRecord, selection: &Selection) -> Result<Self> {
        let column = |name: &str| {
            header.iter().position(|field| {
                field.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            })
        };
        let missing = |name: &str| {
            Error::new(ErrorCode::InvalidDocument, format!("The file list has no column `{name}`."))
                .with_hint("Check that the base URL is the folder with file_list.csv.")
        };
        let found = Self {
            file: column("File").ok_or_else(|| missing("File"))?,
            title: column("Title"),
            publisher: column("Publisher"),
            accession: column("Accession"),
            updated: column("Last Updated"),
        };
        if selection.publisher.is_some() && found.publisher.is_none() {
            return Err(missing("Publisher"));
        }
        if selection.title.is_some() && found.title.is_none() {
            return Err(missing("Title"));
        }
        Ok(found)
    }

    fn book(&self, row: &StringRecord) -> Book {
        let field = |column: Option<usize>| column.and_then(|column| row.get(column)).unwrap_or_default();
        let text = |column| spaced(&html_escape::decode_html_entities(field(column)));
        Book {
            file: field(Some(self.file)).to_owned(),
            title: text(self.title),
            publisher: text(self.publisher),
            accession: spaced(field(self.accession)),
            updated: field(self.updated).to_owned(),
        }
    }
}

fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}

/// Writes the text with single spaces between its words, and without characters that would control a terminal.
fn spaced(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

fn unreadable(error: &csv::Error) -> Error {
    Error::new(ErrorCode::InvalidDocument, format!("The file list cannot be read: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "File,Title,Publisher,Publication Year,Accession ID,Last Updated (YYYY-MM-DD HH:MM:SS)\n\
        aa/01/tea_NBK1.tar.gz,\"Tea, and how to brew it\",World  Health Organization,2020,NBK1,2024-01-01 10:00:00\n\
        bb/02/milk_NBK2.tar.gz,Milk &amp; honey,Dairy House,2021,NBK2,2024-01-02 10:00:00\n\
        aa/01/tea_NBK1.tar.gz,Tea again,World Health Organization,2020,NBK1,2024-01-01 10:00:00\n\
        cc/03/short_NBK3.tar.gz\n\
        ,No file,World Health Organization\n";

    fn titles(list: &[u8], publisher: Option<&str>, title: Option<&str>) -> Vec<String> {
        let selection = Selection {
            publisher: publisher.map(str::to_owned),
            title: title.map(|title| Regex::new(title).unwrap()),
        };
        select(list, &selection).unwrap().into_iter().map(|book| book.title).collect()
    }

    #[test]
    fn books_are_selected_by_publisher_and_title() {
        let list = LIST.as_bytes();
        assert_eq!(titles(list, Some("world health"), None), ["Tea, and how to brew it"]);
        assert_eq!(titles(list, None, Some("(?i)^milk & h")), ["Milk & honey"]);
        assert_eq!(titles(list, Some("dairy"), Some("Tea")), Vec::<String>::new());
        assert_eq!(titles(list, None, None).len(), 3);
        let all = select(list, &Selection::default()).unwrap();
        assert_eq!((all[0].accession.as_str(), all[0].updated.as_str()), ("NBK1", "2024-01-01 10:00:00"));
        assert_eq!(all[2].file, "cc/03/short_NBK3.tar.gz");
    }

    #[test]
    fn columns_may_stand_anywhere_and_text_may_be_windows_1252() {
        let list = b"\xEF\xBB\xBFpublisher,TITLE,file\r\nWHO,Caf\xe9 \x96 &eacute;t&#233;,a_NBK1.tar.gz\r\n";
        assert_eq!(titles(list, Some("who"), None), ["Café – été"]);
        assert_eq!(titles("File,Title\na.tar.gz,Café\n".as_bytes(), None, None), ["Café"]);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let by_title = Selection { title: Some(Regex::new("x").unwrap()), ..Selection::default() };
        for (list, selection) in [
            ("<html>\n<p>moved</p>", &Selection::default()),
            ("", &Selection::default()),
            ("File\na.tar.gz\n", &by_title),
        ] {
            let error = select(list.as_bytes(), selection).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidDocument, "{list}");
        }
    }

    #[test]
    fn only_plain_places_are_names() {
        assert_eq!(archive_name("aa/01/tea_NBK1.tar.gz"), Ok("tea_NBK1.tar.gz"));
        assert_eq!(archive_name("tea-2.0_NBK1.tar.gz"), Ok("tea-2.0_NBK1.tar.gz"));
        let long = format!("aa/{}.tar.gz", "x".repeat(LONGEST_NAME));
        for bad in [
            "",
            "../tea.tar.gz",
            "aa/../../tea.tar.gz",
            "/etc/tea.tar.gz",
            "aa//tea.tar.gz",
            "aa/.tea.tar.gz",
            "aa/.tar.gz",
            "aa\\..\\tea.tar.gz",
            "C:tea.tar.gz",
            "aa/tea.tar.gz?x=1",
            "aa/%2e%2e/tea.tar.gz",
            "http://h/tea.tar.gz",
            "aa/t\u{e9}a.tar.gz",
            "aa/tea\n.tar.gz",
            "aa/tea.zip",
            "aa/tea.tar.gz/",
            &long,
        ] {
            assert!(archive_name(bad).is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            let mut list = b"File,Title\n".to_vec();
            let _ = select(&bytes, &Selection::default());
            list.extend(bytes);
            for book in select(&list, &Selection::default()).unwrap() {
                if let Ok(name) = archive_name(&book.file) {
                    proptest::prop_assert!(!name.contains(['/', '\\']) && !name.starts_with('.'));
                }
            }
        }
    }
}
