//! Files as JavaScript hands them over, with what is known of them, and what became of each.

use serde::{Deserialize, Serialize};

use ibid_document::{Document, Generator, Site, Told, archive};
use ibid_platform::{Error, ErrorCode, Result};

/// The outcome of adding a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Added {
    warnings: Vec<Told>,
    /// Documents in the file that could not be read.
    left_out: Vec<Error>,
}

/// The outcome of taking in all documents.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Settled {
    pub(crate) documents: Vec<String>,
    pub(crate) chunks: usize,
    pub(crate) warnings: Vec<Told>,
    /// Documents that could not be taken in.
    pub(crate) left_out: Vec<LeftOut>,
    /// The text that most pages share, in a line.
    pub(crate) shared: Option<String>,
    /// True if no document has an address that its hits could lead to.
    pub(crate) unlinked: bool,
}

/// A document that could not be taken in: its source, the error's code and message.
pub(crate) type LeftOut = [String; 3];

pub(crate) fn left_out(source: &str, error: &Error) -> LeftOut {
    [source.to_owned(), error.code().as_str().to_owned(), error.message().to_owned()]
}

/// Metadata of a file's documents from elsewhere.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FileMetadata {
    /// The file that lies next to a document to hold its metadata: its name, which tells the format, and its content.
    sidecar: Option<(String, String)>,
    /// Fields that are stronger than what the documents and the sidecar say.
    fields: Vec<(String, String)>,
    /// The page that a site generator makes of the file.
    page: Option<PageInput>,
}

/// A page of a site.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PageInput {
    /// The name of the site's generator.
    site: Option<String>,
    /// The text of its configuration.
    configuration: Option<String>,
    /// The address that pages are below.
    base_url: Option<String>,
    /// The path of the document's file, from the folder of the content on.
    path: String,
}

impl PageInput {
    fn site(&self) -> Result<Site> {
        let name = |name: &String| {
            Generator::from_name(name).ok_or_else(|| {
                Error::new(ErrorCode::InvalidOption, format!("No site generator is called `{name}`."))
            })
        };
        let generator = self.site.as_ref().map(name).transpose()?;
        Ok(Site::new(generator, self.configuration.as_deref(), self.base_url.as_deref()))
    }
}

impl FileMetadata {
    /// Reads the documents of a file and gives them their metadata. What fails is left out, unless it is the only one.
    pub(crate) fn read(&self, source: &str, bytes: &[u8], to: &mut Vec<Document>) -> Result<Added> {
        let (documents, left_out, warnings) = if archive::is_archive_name(source) {
            let archive = archive::parse(source, bytes)?;
            (archive.documents, archive.left_out, archive.warnings)
        } else {
            (ibid_document::parse(source, bytes)?, Vec::new(), Vec::new())
        };
        let warnings = warnings.iter().map(|warning| Told::warning(source, warning)).collect();
        let mut added = Added { warnings, left_out };
        let is_only = documents.len() == 1;
        for mut document in documents {
            match self.apply(&mut document) {
                Err(error) if is_only => return Err(error),
                // The others of the file are taken, so this one is reported next to them.
                Err(error) => added.left_out.push(error),
                Ok(()) => {
                    let told =
                        document.warnings.iter().map(|warning| Told::warning(&document.source, warning));
                    added.warnings.extend(told);
                    to.push(document);
                }
            }
        }
        Ok(added)
    }

    fn apply(&self, document: &mut Document) -> Result<()> {
        if let Some((name, content)) = &self.sidecar {
            document.apply_sidecar(name, content.as_bytes())?;
        }
        self.fields.iter().try_for_each(|(name, value)| document.set_metadata(name, value))?;
        if let Some(page) = &self.page {
            document.place_on(&page.site()?, &page.path)?;
        }
        Ok(())
    }
}
