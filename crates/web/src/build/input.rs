//! Files as JavaScript hands them over, with what is known of them, and what became of all.

use serde::{Deserialize, Serialize};

use ibid_build::{Collected, LeftOut, ReadFile, SourceFile};
use ibid_document::{Generator, Site, Told};
use ibid_platform::{Error, ErrorCode, Result};

/// The outcome of taking in all files.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Settled {
    documents: Vec<String>,
    chunks: usize,
    warnings: Vec<Told>,
    /// What was left out: the file, the error's code and its message.
    left_out: Vec<[String; 3]>,
    /// The text that most pages share, in a line.
    shared: Option<String>,
    /// True if no document has an address that its hits could lead to.
    unlinked: bool,
}

impl From<Collected> for Settled {
    fn from(collected: Collected) -> Self {
        let ids = collected.parsed.iter().map(|parsed| parsed.document.metadata.document_id.clone());
        let left_out = collected.left_out.iter().map(|LeftOut { source, error }| {
            [source.clone(), error.code().as_str().to_owned(), error.message().to_owned()]
        });
        Self {
            documents: ids.collect(),
            chunks: collected.chunks().count(),
            left_out: left_out.collect(),
            unlinked: collected.is_unlinked(),
            warnings: collected.warnings,
            shared: collected.shared,
        }
    }
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
    /// Reads the documents of a file and gives them their metadata.
    pub(crate) fn read(&self, name: &str, bytes: &[u8]) -> Result<ReadFile> {
        let sidecar = self.sidecar.as_ref().map(|(name, content)| (&**name, content.as_bytes()));
        let site = self.page.as_ref().map(PageInput::site).transpose()?;
        let page = site.as_ref().zip(self.page.as_ref()).map(|(site, page)| (site, &*page.path));
        SourceFile { name, bytes, sidecar, fields: &self.fields, page, weight: None }.read()
    }
}
