//! Files of a zip archive. Each stands alone in it, so that one that is damaged leaves the others as they are.

use std::io::Read;

use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipFileHeaderRecord, ZipSliceArchive};

use super::{Walk, damaged, too_large};
use crate::Warning;
use ibid_platform::Result;

/// The reason for a file whose bytes or checksum are wrong.
const DAMAGED: &str = "it is damaged";

pub(super) fn for_each_entry(
    mut walk: Walk<'_>,
    bytes: &[u8],
    visit: &mut dyn FnMut(&str, Vec<u8>),
) -> Result<Vec<Warning>> {
    let Walk { source, limits, .. } = walk;
    // The library's own messages weigh more than they tell.
    let broken = || damaged(source, &"its directory cannot be read");
    let archive = ZipArchive::from_slice(bytes).map_err(|_| broken())?;
    let mut left = limits.total;
    for entry in archive.entries() {
        walk.count()?;
        let entry = entry.map_err(|_| broken())?;
        let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        let is_file = !entry.is_dir() && !is_hidden(&name);
        let Some(name) = walk.wanted(&name, entry.mode().is_symlink(), is_file) else { continue };
        // The size in the archive is a claim; nothing is reserved for it.
        let most = limits.entry.min(left);
        match unpacked(&archive, &entry, most) {
            Err(reason) => {
                let kind = "files in archives that cannot be unpacked are skipped";
                walk.warnings.push(Warning::new(kind, format!("`{name}`: {reason}")));
            }
            Ok(content) if content.len() as u64 > most => {
                return Err(match limits.entry {
                    entry if most == entry => too_large(&format!("{source}/{name}"), entry),
                    _ => too_large(source, limits.total),
                });
            }
            Ok(content) => {
                left -= content.len() as u64;
                visit(name, content);
            }
        }
    }
    Ok(walk.warnings)
}

/// Returns the content of a file, or one byte more than `most` of it; else the reason why not.
fn unpacked(
    archive: &ZipSliceArchive<&[u8]>,
    entry: &ZipFileHeaderRecord<'_>,
    most: u64,
) -> std::result::Result<Vec<u8>, &'static str> {
    if entry.flags().is_encrypted() {
        return Err("it is encrypted");
    }
    let found = archive.get_entry(entry.wayfinder()).map_err(|_| DAMAGED)?;
    // One reader for both, so that what reads it is compiled once.
    let reader: Box<dyn Read> = match entry.compression_method() {
        CompressionMethod::STORE => Box::new(found.data()),
        CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(found.data())),
        _ => return Err("its compression method is not supported"),
    };
    let mut content = Vec::new();
    match found.verifying_reader(reader).take(most + 1).read_to_end(&mut content) {
        Ok(_) => Ok(content),
        Err(_) => Err(DAMAGED),
    }
}

/// Returns true for what systems put next to files for themselves, such as `__MACOSX/._a.md`.
fn is_hidden(name: &str) -> bool {
    name.split('/').any(|part| part == "__MACOSX" || (part.starts_with('.') && !matches!(part, "." | "..")))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use rawzip::ZipArchiveWriter;
    use rawzip::path::EntryPath;

    use crate::archive::{Limits, for_each_entry, parse};
    use ibid_platform::ErrorCode;

    fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut archive = ZipArchiveWriter::new(&mut bytes);
        for (number, (name, content)) in files.iter().enumerate() {
            let method = if number % 2 == 0 {
                rawzip::CompressionMethod::DEFLATE
            } else {
                rawzip::CompressionMethod::STORE
            };
            let (mut entry, config) = archive
                .new_file(EntryPath::verbatim(name.as_bytes()))
                .compression_method(method)
                .start()
                .unwrap();
            let descriptor = if number % 2 == 0 {
                let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::fast()));
                writer.write_all(content).unwrap();
                let (encoder, descriptor) = writer.finish().unwrap();
                encoder.finish().unwrap();
                descriptor
            } else {
                let mut writer = config.wrap(&mut entry);
                writer.write_all(content).unwrap();
                writer.finish().unwrap().1
            };
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        bytes
    }

    #[test]
    fn documents_are_read_and_what_leads_out_or_is_hidden_is_not() {
        let files: [(&str, &[u8]); 7] = [
            ("docs/a.md", b"# Tea\n\nGreen tea steeps at 80 degrees.\n"),
            ("docs/b.html", b"<title>Oil</title><p>Oil the chain.</p>"),
            ("../c.md", b"# Out\n\nwords\n"),
            ("docs/photo.png", b"\x89PNG"),
            ("__MACOSX/docs/._a.md", b"\0"),
            ("docs/.d.md", b"# Hidden\n\nwords\n"),
            ("./e.txt", b"words"),
        ];
        let archive = parse("own.zip", &packed(&files)).unwrap();
        let sources: Vec<_> = archive.documents.iter().map(|document| document.source.as_str()).collect();
        assert_eq!(sources, ["own.zip/docs/a.md", "own.zip/docs/b.html", "own.zip/e.txt"]);
        assert_eq!((archive.left_out.len(), archive.warnings.len()), (0, 1), "{:?}", archive.warnings);
    }

    #[test]
    fn a_damaged_file_leaves_the_others() {
        let mut bytes = packed(&[("a.md", b"# A\n\nwords of a\n"), ("b.md", b"# B\n\nwords of b\n")]);
        let at = bytes.windows(5).position(|part| part == b"of b\n").unwrap();
        bytes[at] ^= 1;
        let archive = parse("a.zip", &bytes).unwrap();
        assert_eq!(archive.documents.len(), 1);
        assert_eq!(archive.warnings[0].kind, "files in archives that cannot be unpacked are skipped");
    }

    #[test]
    fn no_damage_makes_it_panic() {
        let good = packed(&[("a.md", b"# A\n\nwords\n"), ("b.md", b"# B\n\nwords\n")]);
        for end in 2..good.len() {
            assert_eq!(parse("a.zip", &good[..end]).unwrap_err().code(), ErrorCode::InvalidDocument);
        }
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                let _ = parse("a.zip", &bad);
            }
        }
    }

    #[test]
    fn unpacking_ends_at_the_limits() {
        let bomb = packed(&[("a.md", &vec![b'a'; 3 << 20]), ("b.md", b"b")]);
        assert!(bomb.len() < 50_000);
        let read = |limits| for_each_entry("a.zip", &bomb, limits, &|_| true, &mut |_, _| {});
        assert!(read(Limits::default()).is_ok());
        for limits in [
            Limits { entry: 1 << 20, ..Limits::default() },
            Limits { total: 1 << 20, ..Limits::default() },
            Limits { total: 3 << 20, ..Limits::default() },
            Limits { entries: 1, ..Limits::default() },
        ] {
            assert_eq!(read(limits).unwrap_err().code(), ErrorCode::InvalidDocument);
        }
    }
}
