//! Archives of documents.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use ibid::document::archive::parse;

use super::documents::holds_together;

/// A block of a tar file; each entry begins with one that describes it.
const BLOCK: usize = 512;
/// Where in that block its checksum is, and the size of the entry.
const CHECKSUM: std::ops::Range<usize> = 148..156;
const SIZE: std::ops::Range<usize> = 124..136;

/// Reads bytes as an archive: as they are, and as the tar file in one, with valid checksums, since hardly any other
/// input would come further than to them.
pub fn archive(data: &[u8]) {
    read(data);
    let mut tar = data.to_vec();
    reseal(&mut tar);
    read(&gzip(&tar));
}

fn read(data: &[u8]) {
    if let Ok(archive) = parse("a.tar.gz", data) {
        archive.documents.iter().for_each(|document| holds_together(document, None));
    }
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}

/// Gives each entry's header the checksum of its bytes.
fn reseal(tar: &mut [u8]) {
    let mut at = 0;
    while let Some(header) = tar.get_mut(at..at + BLOCK) {
        if header.iter().any(|&byte| byte != 0) {
            header[CHECKSUM].fill(b' ');
            let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
            header[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
        let octal = header[SIZE].iter().filter(|digit| (b'0'..=b'7').contains(digit));
        let size = octal.fold(0usize, |size, digit| size * 8 + usize::from(digit - b'0'));
        at += BLOCK + size.next_multiple_of(BLOCK);
    }
}

/// A small book, as a tar file and gzipped.
pub fn seeds() -> Vec<Vec<u8>> {
    const CONTENTS: &str = "<book><book-meta><book-title-group><book-title>Care</book-title></book-title-group></book-meta></book>";
    const CHAPTER: &str = "<book-part><book-part-meta><title-group><title>Fever</title></title-group></book-part-meta>\
        <body><sec><title>Signs</title><p>A warm brow.</p></sec></body></book-part>";
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in [("b/TOC.nxml", CONTENTS), ("b/ch1.nxml", CHAPTER), ("b/a.md", "# A\n\nWords.\n")]
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content.as_bytes()).expect("writing to memory does not fail");
    }
    let tar = tar.into_inner().expect("writing to memory does not fail");
    vec![gzip(&tar), tar]
}
