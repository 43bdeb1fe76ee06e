//! The parts of a DOCX, which is a zip archive of XML.

use std::collections::HashMap;
use std::io::Read;

use flate2::bufread::DeflateDecoder;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use rawzip::{CompressionMethod, ZipArchive};

use crate::Fault;

/// The most bytes of a part, unpacked, and the most entries of the archive that are looked at.
const MOST_BYTES: u64 = 256 << 20;
const MOST_ENTRIES: usize = 100_000;
pub(super) const BROKEN: &str = "it is broken, or no DOCX";

/// The parts that are read, by their names in lower case.
pub(super) struct Package {
    parts: HashMap<String, Vec<u8>>,
}

impl Package {
    /// Unpacks the XML of an archive, without fonts and images.
    pub(super) fn open(bytes: &[u8]) -> Result<Self, Fault> {
        if bytes.starts_with(b"\xD0\xCF\x11\xE0") {
            let hint = "Save it without a password, or as .docx if it is of an old format.";
            return Err(Fault::new("it is encrypted, or not a DOCX but a DOC", hint));
        }
        let broken = || Fault::new(BROKEN, "");
        let archive = ZipArchive::from_slice(bytes).map_err(|_| broken())?;
        let mut parts = HashMap::new();
        let mut left = MOST_BYTES;
        for entry in archive.entries().take(MOST_ENTRIES) {
            let Ok(entry) = entry else { break };
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).to_ascii_lowercase();
            let name = name.trim_start_matches('/').replace('\\', "/");
            if !is_wanted(&name) {
                continue;
            }
            let Ok(found) = archive.get_entry(entry.wayfinder()) else { continue };
            let reader: Box<dyn Read> = match entry.compression_method() {
                CompressionMethod::STORE => Box::new(found.data()),
                CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(found.data())),
                _ => continue,
            };
            let mut content = Vec::new();
            // A damaged part is read up to the damage.
            let _ = reader.take(left + 1).read_to_end(&mut content);
            left = left
                .checked_sub(content.len() as u64)
                .ok_or_else(|| Fault::new("it holds more than 256 MiB of XML", ""))?;
            parts.insert(name, content);
        }
        Ok(Self { parts })
    }

    /// Returns the text of a part.
    pub(super) fn part(&self, name: &str) -> Option<&str> {
        let bytes = self.parts.get(name)?;
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) => std::str::from_utf8(bytes.get(..error.valid_up_to())?).ok(),
        }
    }

    /// Returns the name of the part with the text.
    pub(super) fn main(&self) -> String {
        let mut found = None;
        if let Some(xml) = self.part("_rels/.rels") {
            each(xml, |tag| {
                if attribute(tag, "Type").is_some_and(|kind| kind.ends_with("/officeDocument")) {
                    found = found.take().or_else(|| attribute(tag, "Target"));
                }
            });
        }
        let name = found.unwrap_or_default().trim_start_matches('/').to_ascii_lowercase();
        if self.parts.contains_key(&name) { name } else { "word/document.xml".to_owned() }
    }

    /// Returns the part that lies next to another.
    pub(super) fn next_to(&self, main: &str, name: &str) -> Option<&str> {
        let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.part(&format!("{folder}/{name}"))
    }

    /// Returns the addresses that ids of a part stand for.
    pub(super) fn links(&self, main: &str) -> HashMap<String, String> {
        let (folder, file) = main.rsplit_once('/').unwrap_or(("", main));
        let mut links = HashMap::new();
        if let Some(xml) = self.part(&format!("{folder}/_rels/{file}.rels")) {
            each(xml, |tag| {
                if attribute(tag, "TargetMode").is_some_and(|mode| mode == "External")
                    && let (Some(id), Some(target)) = (attribute(tag, "Id"), attribute(tag, "Target"))
                {
                    links.insert(id, target);
                }
            });
        }
        links
    }
}

fn is_wanted(name: &str) -> bool {
    let is_xml =
        ["xml", "rels"].iter().any(|ending| name.rsplit_once('.').is_some_and(|(_, of)| of == *ending));
    let is_theirs = ["word/theme/", "customxml/", "word/glossary/", "word/header", "word/footer"];
    is_xml && !is_theirs.iter().any(|start| name.starts_with(start))
}

/// Calls for each element of a text in XML, up to where it breaks.
pub(super) fn each(xml: &str, mut call: impl FnMut(&BytesStart<'_>)) {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) | Event::Empty(tag) => call(&tag),
            Event::Eof => break,
            _ => {}
        }
    }
}

/// Returns an attribute by its name without its prefix.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    tag.attributes().with_checks(false).flatten().find_map(|attribute| {
        if attribute.key.local_name().as_ref() != name {
            return None;
        }
        let raw = &attribute.value;
        Some(quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_string(), std::borrow::Cow::into_owned))
    })
}
