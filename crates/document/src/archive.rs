//! Documents in an archive: a gzipped tar, as the NCBI Bookshelf ships its books, or a zip.

mod zip;

use std::io::{ErrorKind, Read};

use flate2::read::MultiGzDecoder;

use super::format::is_document_name;
use super::{Document, Warning, encoding, invalid, nxml, parse_part};
use ibid_platform::{Error, ErrorCode, Result};

/// The limits of an archive, so that a small file cannot become a large one without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest document, in bytes; 256 MiB by default.
    pub entry: u64,
    /// All that is in the archive, in bytes, what is no document included; 4 GiB by default.
    pub total: u64,
    /// The number of files; 100,000 by default.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entry: 256 << 20, total: 4 << 30, entries: 100_000 }
    }
}

/// The content of an archive.
#[derive(Debug, Default)]
pub struct Archive {
    /// Its documents in the order of the archive. The source of each is the archive's name with the file's behind it:
    /// `book.tar.gz/chapter.nxml`.
    pub documents: Vec<Document>,
    /// The reason why other documents in it could not be read, or were left out on purpose.
    pub left_out: Vec<Error>,
    /// Warnings of what else was passed over.
    pub warnings: Vec<Warning>,
}

/// Returns true if a file of this name is taken for an archive.
pub fn is_archive_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".tar.gz", ".tgz", ".zip"].iter().any(|ending| name.ends_with(ending))
}

/// Reads the documents of an archive. Parts of a book that do not name it are given the title in its table of contents,
/// `TOC.nxml`.
///
/// # Errors
/// [`ErrorCode::InvalidDocument`] when the archive is damaged, exceeds the default [`Limits`] or holds no file whose
/// name is that of a document.
pub fn parse(source: &str, bytes: &[u8]) -> Result<Archive> {
    let limits = Limits::default();
    let is_contents =
        |name: &str| name.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("toc.nxml"));
    let mut book = None;
    for_each_entry(source, bytes, limits, &is_contents, &mut |name, bytes| {
        book = encoding::decode(name, &bytes).ok().and_then(nxml::book_title).or(book.take());
    })?;
    let mut archive = Archive::default();
    archive.warnings =
        for_each_entry(source, bytes, limits, &is_document_name, &mut |name, bytes| match parse_part(
            &format!("{source}/{name}"),
            &bytes,
            book.as_deref(),
            None,
        ) {
            Ok(documents) => archive.documents.extend(documents),
            Err(error) => archive.left_out.push(error),
        })?;
    if archive.documents.is_empty() && archive.left_out.is_empty() {
        return Err(invalid(source, "it has no documents"));
    }
    Ok(archive)
}

/// Unpacks the files of an archive whose names are wanted, one after another, and gives each to `visit` by its name in
/// the archive. Returns what was passed over: links, and names that lead out of the archive.
///
/// # Errors
/// [`ErrorCode::InvalidDocument`] when the archive is damaged or exceeds the limits; what `visit` was given before
/// that is valid.
fn for_each_entry(
    source: &str,
    bytes: &[u8],
    limits: Limits,
    is_wanted: &dyn Fn(&str) -> bool,
    visit: &mut dyn FnMut(&str, Vec<u8>),
) -> Result<Vec<Warning>> {
    let walk = Walk { source, limits, is_wanted, entries: 0, warnings: Vec::new() };
    let each = if bytes.starts_with(b"PK") { zip::for_each_entry } else { for_each_of_tar };
    each(walk, bytes, visit)
}

fn for_each_of_tar(
    mut walk: Walk<'_>,
    bytes: &[u8],
    visit: &mut dyn FnMut(&str, Vec<u8>),
) -> Result<Vec<Warning>> {
    let Walk { source, limits, .. } = walk;
    let damaged = |error: &std::io::Error| match error.kind() {
        ErrorKind::FileTooLarge => too_large(source, limits.total),
        _ => damaged(source, error),
    };
    let unpacked = Bounded { inner: MultiGzDecoder::new(bytes), left: limits.total };
    let mut archive = tar::Archive::new(unpacked);
    for entry in archive.entries().map_err(|error| damaged(&error))? {
        walk.count()?;
        let entry = entry.map_err(|error| damaged(&error))?;
        let kind = entry.header().entry_type();
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let is_link = kind.is_symlink() || kind.is_hard_link();
        let Some(name) = walk.wanted(&name, is_link, kind.is_file() || kind.is_contiguous()) else {
            continue;
        };
        if entry.size() > limits.entry {
            return Err(too_large(&format!("{source}/{name}"), limits.entry));
        }
        // The size is a claim; nothing is reserved for it.
        let mut content = Vec::new();
        entry.take(limits.entry).read_to_end(&mut content).map_err(|error| damaged(&error))?;
        visit(name, content);
    }
    // What stands behind the last file is where the checksum is, and where it shows that a file was cut off.
    std::io::copy(&mut archive.into_inner(), &mut std::io::sink()).map_err(|error| damaged(&error))?;
    Ok(walk.warnings)
}

/// The way through the files of an archive of any kind.
struct Walk<'a> {
    source: &'a str,
    limits: Limits,
    is_wanted: &'a dyn Fn(&str) -> bool,
    entries: usize,
    /// Entries that were passed over, each with the reason.
    warnings: Vec<Warning>,
}

impl Walk<'_> {
    /// Counts an entry, and refuses one above the limit.
    fn count(&mut self) -> Result<()> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(invalid(self.source, &format!("it holds more than {} files", self.limits.entries)));
        }
        Ok(())
    }

    /// Returns the name of a file that is wanted, as it is within the archive.
    fn wanted<'n>(&mut self, name: &'n str, is_link: bool, is_file: bool) -> Option<&'n str> {
        let kind = match inner_name(name) {
            _ if is_link => "links in archives are skipped",
            _ if !is_file => return None,
            Some(name) => return (self.is_wanted)(name).then_some(name),
            None => "files with names that lead out of their archive are skipped",
        };
        self.warnings.push(Warning::new(kind, format!("`{name}`")));
        None
    }
}

fn damaged(source: &str, error: &dyn std::fmt::Display) -> Error {
    invalid(source, &format!("the archive is damaged ({error})")).with_hint("Download it again.")
}

fn too_large(source: &str, limit: u64) -> Error {
    Error::new(
        ErrorCode::InvalidDocument,
        format!("`{source}` cannot be read: unpacked it is larger than {limit} bytes."),
    )
    .with_hint("Unpack it and name the files that you want.")
}

/// A name that stays within the archive, without `./` in front; `None` for one that leads out of it.
fn inner_name(name: &str) -> Option<&str> {
    let name = name.strip_prefix("./").unwrap_or(name);
    let leads_out =
        name.starts_with('/') || name.contains(['\\', '\0', ':']) || name.split('/').any(|part| part == "..");
    (!leads_out && !name.is_empty()).then_some(name)
}

/// Reads so much and then fails.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or(ErrorKind::FileTooLarge)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const CHAPTER: &[u8] =
        b"<book-part><book-part-meta><title-group><title>Fever</title></title-group></book-part-meta>\
        <body><sec><title>Care</title><p>Rest.</p></sec></body></book-part>";

    fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut tar = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            // The names under test are ones that the library refuses to write.
            let field = &mut header.as_old_mut().name;
            field[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(content.len() as u64);
            header.set_entry_type(if name.ends_with("link.md") {
                tar::EntryType::Symlink
            } else {
                tar::EntryType::Regular
            });
            header.set_cksum();
            tar.append(&header, *content).unwrap();
        }
        gzipped(&tar.into_inner().unwrap())
    }

    fn gzipped(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    #[test]
    fn a_book_is_read_with_its_title() {
        let toc = b"<book><book-meta><book-title-group><book-title>Handbook</book-title></book-title-group></book-meta></book>";
        let files: [(&str, &[u8]); 6] = [
            ("b/ch1.nxml", CHAPTER),
            ("./b/TOC.nxml", toc),
            ("b/fm-1.nxml", CHAPTER),
            ("b/fig.png", b"\x89PNG\0"),
            ("b/empty.md", b""),
            ("b/", b""),
        ];
        let archive = parse("book.tar.gz", &packed(&files)).unwrap();
        let [document] = archive.documents.as_slice() else {
            panic!("{} documents", archive.documents.len())
        };
        assert_eq!(document.source, "book.tar.gz/b/ch1.nxml");
        assert_eq!(document.sections.last().unwrap().heading_path, ["Handbook", "Fever", "Care"]);
        let codes: Vec<_> = archive.left_out.iter().map(Error::code).collect();
        assert_eq!(
            codes,
            [ErrorCode::DocumentSkipped, ErrorCode::DocumentSkipped, ErrorCode::InvalidDocument]
        );
        assert_eq!(archive.warnings, []);
    }

    #[test]
    fn names_that_lead_out_and_links_are_passed_over() {
        let files: [(&str, &[u8]); 5] = [
            ("../a.md", b"x"),
            ("/etc/a.md", b"x"),
            ("a/../../b.md", b"x"),
            ("a/link.md", b""),
            ("in/a.md", b"x"),
        ];
        let archive = parse("a.tgz", &packed(&files)).unwrap();
        assert_eq!(archive.documents.len(), 1);
        assert_eq!(archive.warnings.len(), 4, "{:?}", archive.warnings);
    }

    #[test]
    fn damaged_archives_are_errors_at_every_byte() {
        let good = packed(&[("ch1.nxml", CHAPTER), ("a.md", b"# T\n\nwords\n")]);
        for end in 0..good.len() - 8 {
            assert!(parse("a.tar.gz", &good[..end]).is_err(), "cut at {end}");
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x55;
            let _ = parse("a.tar.gz", &bad);
        }
        for bytes in [
            b"" as &[u8],
            b"no gzip",
            &gzipped(b"no tar, but long enough to be taken for one".repeat(30).as_slice()),
        ] {
            assert_eq!(parse("a.tar.gz", bytes).unwrap_err().code(), ErrorCode::InvalidDocument);
        }
        assert!(parse("a.tar.gz", &packed(&[("a.png", b"x")])).is_err());
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let bomb = packed(&[("a.md", &vec![b'a'; 3 << 20])]);
        assert!(bomb.len() < 50_000);
        let read = |limits| for_each_entry("a.tgz", &bomb, limits, &|_| true, &mut |_, _| {});
        assert!(read(Limits::default()).is_ok());
        for limits in [
            Limits { entry: 1 << 20, ..Limits::default() },
            Limits { total: 1 << 20, ..Limits::default() },
            Limits { entries: 0, ..Limits::default() },
        ] {
            assert_eq!(read(limits).unwrap_err().code(), ErrorCode::InvalidDocument);
        }
    }
}
