//! One file to its documents.

use ibid_document::{Document, Site, Told, archive};
use ibid_platform::{Error, Result};

use crate::LeftOut;

/// A file with what is known of it from elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'a> {
    /// The name that its documents go by, with `/` between folders.
    pub name: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
    /// The name and the content of the file next to it that holds metadata.
    pub sidecar: Option<(&'a str, &'a [u8])>,
    /// Fields of the metadata, stronger than those of the documents and of the sidecar.
    pub fields: &'a [(String, String)],
    /// The site that makes a page of it, and the path of the file in the site's content.
    pub page: Option<(&'a Site, &'a str)>,
    /// The weight of its documents in hundredths, unless they say their own.
    pub weight: Option<u16>,
}

/// The documents of a file, whose metadata is complete, and what of the file was left out.
#[derive(Debug, Default)]
pub struct ReadFile {
    /// Its documents: several of an archive or of ready-made chunks.
    pub documents: Vec<Document>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Warnings of the file as a whole; its documents have their own.
    pub(crate) warnings: Vec<Told>,
}

impl ReadFile {
    /// Records a file that was left out as a whole.
    pub fn failed(source: &str, error: Error) -> Self {
        Self { left_out: vec![LeftOut::new(source, error)], ..Self::default() }
    }
}

impl SourceFile<'_> {
    /// Reads the documents and gives them their metadata. One of several that fails is left out.
    ///
    /// # Errors
    /// As [`ibid_document::parse`] and [`archive::parse`]; of a single document, those of its metadata and its page too.
    pub fn read(&self) -> Result<ReadFile> {
        let Self { name, bytes, .. } = *self;
        let (documents, errors, warnings) = if archive::is_archive_name(name) {
            let archive = archive::parse(name, bytes)?;
            (archive.documents, archive.left_out, archive.warnings)
        } else {
            let documents = match self.page {
                Some((site, _)) => ibid_document::parse_for(site, name, bytes)?,
                None => ibid_document::parse(name, bytes)?,
            };
            (documents, Vec::new(), Vec::new())
        };
        let mut read = ReadFile {
            documents: Vec::with_capacity(documents.len()),
            left_out: errors.into_iter().map(|error| LeftOut::new(name, error)).collect(),
            warnings: warnings.iter().map(|warning| Told::warning(name, warning)).collect(),
        };
        let is_only = documents.len() == 1;
        for mut document in documents {
            match self.complete(&mut document) {
                Err(error) if is_only => return Err(error),
                Err(error) => read.left_out.push(LeftOut::new(name, error)),
                Ok(()) => read.documents.push(document),
            }
        }
        Ok(read)
    }

    fn complete(&self, document: &mut Document) -> Result<()> {
        if let Some((name, bytes)) = self.sidecar {
            document.apply_sidecar(name, bytes)?;
        }
        self.weight.into_iter().for_each(|weight| document.weigh(weight));
        self.fields.iter().try_for_each(|(name, value)| document.set_metadata(name, value))?;
        self.page.map_or(Ok(()), |(site, path)| document.place_on(site, path))
    }
}
