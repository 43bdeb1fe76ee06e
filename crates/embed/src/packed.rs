//! The container that the three model files share.
//!
//! All numbers are little-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..8 | the magic `IBIDMODL` |
//! | 8..12 | the kind: `bert` (a transformer), `tabl` (a token table) or `proj` (a projection) |
//! | 12..16 | the version of the kind's format, 1 |
//! | 16..24 | the length of the whole file |
//! | 24..32 | XXH64 with seed 0 over bytes 0..24 followed by bytes 32.. |
//! | 32..36 | the length of the header |
//! | 36.. | the header, JSON, then zeros up to a multiple of 64 |
//! | | the sections, each followed by zeros up to a multiple of 64; their lengths follow from the header |
//!
//! The beginning of a token table is enough to open it:
//!
//! | bytes | what |
//! | --- | --- |
//! | 24..32 | `XxHash64` over bytes 0..24 followed by bytes 32.. up to the end of the head |
//! | 32..36 | the length of the header |
//! | 36..40 | the length of the head, which ends with its last section |
//! | 40.. | header and sections as above; what follows the head has checksums of its own |

use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;

use ibid_platform::{Error, ErrorCode, Result, checksum, json};

const MAGIC: &[u8; 8] = b"IBIDMODL";
const VERSION: u32 = 1;
const ALIGNMENT: usize = 64;
const HEADER_START: usize = 36;
/// The first byte of the header of a file that can be opened by its beginning.
const HEAD_START: usize = 40;

/// The content of a model file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PackedKind {
    Transformer,
    TokenTable,
    Projection,
}

impl PackedKind {
    fn tag(self) -> &'static [u8; 4] {
        match self {
            Self::Transformer => b"bert",
            Self::TokenTable => b"tabl",
            Self::Projection => b"proj",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Transformer => "a transformer (.ibidmodel)",
            Self::TokenTable => "a query table",
            Self::Projection => "a projection",
        }
    }
}

/// Hands out the sections of a file in their order, checking that they lie inside it.
#[derive(Debug)]
pub(super) struct Sections {
    at: usize,
    end: usize,
}

impl Sections {
    /// Takes the place of the next section, of `count` items of `size` bytes each.
    pub(super) fn take(&mut self, count: usize, size: usize) -> Result<Range<usize>> {
        let range = count
            .checked_mul(size)
            .and_then(|length| Some((length, length.checked_next_multiple_of(ALIGNMENT)?)))
            .and_then(|(length, padded)| Some((self.at.checked_add(length)?, self.at.checked_add(padded)?)))
            .filter(|&(_, padded)| padded <= self.end);
        let (end, padded) =
            range.ok_or_else(|| invalid("The model file is shorter than its header says."))?;
        let start = std::mem::replace(&mut self.at, padded);
        Ok(start..end)
    }

    /// Checks that nothing follows the last section.
    pub(super) fn finish(self) -> Result<()> {
        if self.at == self.end {
            Ok(())
        } else {
            Err(invalid("The model file is longer than its header says."))
        }
    }

    /// The same, and where the last section ends.
    pub(super) fn finish_at(self) -> Result<usize> {
        let at = self.at;
        self.finish().map(|()| at)
    }
}

/// Checks magic, kind and version of a file by its beginning.
fn check_kind(bytes: &[u8], kind: PackedKind) -> Result<()> {
    let head: &[u8; 16] = bytes.first_chunk().ok_or_else(short)?;
    if head[..8] != *MAGIC {
        return Err(invalid("These bytes are not an ibid model file."));
    }
    if head[8..12] != *kind.tag() {
        let message = format!("This is the wrong kind of model file: {} is needed.", kind.name());
        return Err(Error::new(ErrorCode::ModelInvalid, message)
            .with_hint("Check which file you load for which option."));
    }
    let version = word(head, 12);
    if version == VERSION {
        return Ok(());
    }
    let message = format!("The model file has format version {version}; this ibid reads version {VERSION}.");
    Err(Error::new(ErrorCode::ModelInvalid, message).with_hint("Update ibid, or import the model again."))
}

/// Returns the number of bytes at a file's beginning that [`open_head`] needs, by at least the first 40.
pub(super) fn head_length(bytes: &[u8], kind: PackedKind) -> Result<u64> {
    check_kind(bytes, kind)?;
    let head: &[u8; HEAD_START] = bytes.first_chunk().ok_or_else(short)?;
    Ok(u64::from(word(head, 36)).min(u64::from(word(head, 20)) << 32 | u64::from(word(head, 16))))
}

/// Checks what comes before the header and the checksum of the head, and reads the header. Returns the length of the
/// whole file as well.
pub(super) fn open_head<H: DeserializeOwned>(bytes: &[u8], kind: PackedKind) -> Result<(H, Sections, u64)> {
    let length = head_length(bytes, kind)?;
    let head = usize::try_from(length)
        .ok()
        .and_then(|length| bytes.get(..length))
        .ok_or_else(|| invalid("The model file ends inside its head; the download may be incomplete."))?;
    if u64::from(word(head, 28)) << 32 | u64::from(word(head, 24)) != checksum_of(head) {
        return Err(invalid("The model file's checksum does not match."));
    }
    let (header, at) = read_header(head, HEAD_START)?;
    let whole = u64::from(word(head, 20)) << 32 | u64::from(word(head, 16));
    Ok((header, Sections { at, end: head.len() }, whole))
}

fn read_header<H: DeserializeOwned>(bytes: &[u8], start: usize) -> Result<(H, usize)> {
    let end = start.checked_add(word(bytes, 32) as usize).ok_or_else(short)?;
    let header = bytes.get(start..end).ok_or_else(short)?;
    let header = serde_json::from_slice(header)
        .and_then(json::of)
        .map_err(|error| invalid(format!("The model file's header cannot be read: {error}.")))?;
    Ok((header, end.checked_next_multiple_of(ALIGNMENT).ok_or_else(short)?))
}

fn short() -> Error {
    invalid("The model file ends inside its header.")
}

/// Reads the little-endian number at a byte; 0 past the end.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |four| u32::from_le_bytes(*four))
}

/// Checks magic, kind, version, length and checksum, and reads the header.
pub(super) fn open<H: DeserializeOwned>(bytes: &[u8], kind: PackedKind) -> Result<(H, Sections)> {
    check_kind(bytes, kind)?;
    let head: &[u8; HEADER_START] = bytes.first_chunk().ok_or_else(short)?;
    if u64::from(word(head, 20)) << 32 | u64::from(word(head, 16)) != bytes.len() as u64 {
        return Err(invalid("The model file is not as long as it says; the download may be incomplete."));
    }
    if u64::from(word(head, 28)) << 32 | u64::from(word(head, 24)) != checksum_of(bytes) {
        return Err(invalid("The model file's checksum does not match."));
    }
    let (header, at) = read_header(bytes, HEADER_START)?;
    Ok((header, Sections { at, end: bytes.len() }))
}

/// Assembles a model file.
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "files are made natively, and in tests"))]
pub(super) fn write(kind: PackedKind, header: &impl Serialize, sections: &[&[u8]]) -> Result<Vec<u8>> {
    let header =
        serde_json::to_vec(header).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))?;
    let length: usize = sections.iter().map(|section| section.len() + ALIGNMENT).sum();
    let mut bytes = Vec::with_capacity(HEADER_START + header.len() + ALIGNMENT + length);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(kind.tag());
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&[0; 16]);
    bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
    for section in std::iter::once(header.as_slice()).chain(sections.iter().copied()) {
        bytes.extend_from_slice(section);
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    }
    seal(&mut bytes);
    Ok(bytes)
}

/// Writes the length and the checksum of a file into it.
pub(super) fn seal(bytes: &mut [u8]) {
    if bytes.len() >= HEADER_START {
        let length = bytes.len() as u64;
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        let sum = checksum_of(bytes);
        bytes[24..32].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Reads little-endian `f32`s.
pub(super) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect()
}

/// Widens an IEEE 754 half-precision number, given as its bits. Exact.
pub(super) fn half(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let fraction = u32::from(bits & 0x3ff);
    let magnitude = match exponent {
        // Zeros and subnormals, in units of 2 to the -24th.
        0 => return f32::from_bits((fraction as f32 / 16_777_216.0).to_bits() | sign),
        0x1f => 0xff << 23 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// Finds the bits of a half-precision number that is this one exactly, if there is one that is normal.
pub(super) fn exact_half(number: f32) -> Option<u16> {
    let bits = number.to_bits();
    let exponent = (bits >> 23 & 0xff).checked_sub(112).filter(|exponent| (1..31).contains(exponent))?;
    let packed = (bits >> 16 & 0x8000 | exponent << 10 | bits >> 13 & 0x3ff) as u16;
    (half(packed).to_bits() == bits).then_some(packed)
}

pub(super) fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::ModelInvalid, message).with_hint("Download or import the model again.")
}

/// Computes the checksum of a file but for the place where it stands.
fn checksum_of(bytes: &[u8]) -> u64 {
    checksum(&[bytes.get(..24).unwrap_or_default(), bytes.get(32..).unwrap_or_default()])
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Assembles the head of a file that is opened by it; `tools/` makes the real ones. What follows the head is
    /// appended by the caller, who then calls [`seal_head`].
    pub(crate) fn write_head(
        kind: PackedKind,
        header: &impl Serialize,
        sections: &[&[u8]],
    ) -> Result<Vec<u8>> {
        let header =
            serde_json::to_vec(header).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))?;
        let mut bytes = [MAGIC.as_slice(), kind.tag(), &VERSION.to_le_bytes(), &[0; 16]].concat();
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend([0; 4]);
        for section in std::iter::once(header.as_slice()).chain(sections.iter().copied()) {
            bytes.extend_from_slice(section);
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        }
        let length = (bytes.len() as u32).to_le_bytes();
        bytes[36..40].copy_from_slice(&length);
        Ok(bytes)
    }

    /// Writes the length and the head's checksum into a file that is opened by its head.
    pub(crate) fn seal_head(bytes: &mut [u8]) {
        let length = bytes.len() as u64;
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        let head = (word(bytes, 36) as usize).min(bytes.len());
        let sum = checksum_of(&bytes[..head]);
        bytes[24..32].copy_from_slice(&sum.to_le_bytes());
    }

    /// Loads every truncation of the file, and `rounds` random mutations of it with the checksum made to hold again,
    /// so that what lies behind the checksum is reached. `load` must answer each without a panic; every truncation
    /// must be refused.
    pub(crate) fn survives_any_bytes<T>(file: &[u8], rounds: u64, load: impl Fn(Vec<u8>) -> Result<T>) {
        let lengths = (0..file.len().min(600)).chain((600..file.len()).step_by(97));
        for length in lengths {
            let mut cut = file[..length].to_vec();
            assert_eq!(load(cut.clone()).err().map(|error| error.code()), Some(ErrorCode::ModelInvalid));
            seal(&mut cut);
            assert_eq!(load(cut).err().map(|error| error.code()), Some(ErrorCode::ModelInvalid), "{length}");
        }
        let mut random = Random(1);
        for _ in 0..rounds {
            let mut bytes = file.to_vec();
            for _ in 0..=random.below(4) {
                // Half of the mutations go into the header, where the structure is.
                let reach = if random.below(2) == 0 { bytes.len().min(512) } else { bytes.len() };
                let at = 12 + random.below(reach - 12);
                match random.below(4) {
                    0 => bytes[at] = random.next() as u8,
                    1 => bytes[at] ^= 1 << random.below(8),
                    2 => bytes[at] = b"0919-]}\",eE.\xff"[random.below(13)],
                    _ => drop(bytes.splice(at..at, *b"9")),
                }
            }
            bytes[12..16].copy_from_slice(&VERSION.to_le_bytes());
            seal(&mut bytes);
            if let Err(error) = load(bytes) {
                assert_eq!(error.code(), ErrorCode::ModelInvalid);
            }
        }
        let mut flipped = file.to_vec();
        *flipped.last_mut().unwrap() ^= 1;
        assert!(load(flipped).err().unwrap().message().contains("checksum"));
    }

    /// `SplitMix64`, for tests that need the same numbers everywhere.
    pub(crate) struct Random(pub u64);

    impl Random {
        pub(crate) fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        pub(crate) fn below(&mut self, bound: usize) -> usize {
            (self.next() % bound as u64) as usize
        }
    }

    #[test]
    fn sections_come_back() {
        let bytes = write(PackedKind::Projection, &7, &[b"abc", b"", &[9; 64]]).unwrap();
        assert_eq!(bytes.len() % ALIGNMENT, 0);
        let (header, mut sections) = open::<u32>(&bytes, PackedKind::Projection).unwrap();
        assert_eq!(header, 7);
        assert_eq!(bytes[sections.take(1, 3).unwrap()], *b"abc");
        assert_eq!(bytes[sections.take(0, 8).unwrap()], *b"");
        assert_eq!(bytes[sections.take(16, 4).unwrap()], [9; 64]);
        sections.finish().unwrap();
    }

    #[test]
    fn sections_stay_inside() {
        let bytes = write(PackedKind::Projection, &7, &[b"abc"]).unwrap();
        let (_, mut sections) = open::<u32>(&bytes, PackedKind::Projection).unwrap();
        for (count, size) in [(65, 1), (usize::MAX, 2), (usize::MAX, 1), (usize::MAX / 2 + 1, 2)] {
            assert_eq!(sections.take(count, size).unwrap_err().code(), ErrorCode::ModelInvalid);
        }
        assert_eq!(sections.finish().unwrap_err().code(), ErrorCode::ModelInvalid);
    }

    #[test]
    fn foreign_files_are_told_apart() {
        let bytes = write(PackedKind::Projection, &7, &[]).unwrap();
        let message = |bytes: &[u8], kind| open::<u32>(bytes, kind).unwrap_err().message().to_owned();
        assert!(
            message(b"<!doctype html><title>404</title><body>", PackedKind::Projection)
                .contains("not an ibid model")
        );
        assert!(message(&bytes, PackedKind::TokenTable).contains("wrong kind"));
        let mut newer = bytes;
        newer[12] = 2;
        assert!(message(&newer, PackedKind::Projection).contains("version 2"));
    }

    #[test]
    fn half_precision_is_exact() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x0001, 5.960_464_5e-8),
            (0x83ff, -6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x3c00, 1.0),
            (0xc500, -5.0),
            (0x7bff, 65504.0),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(half(bits).to_bits(), f32::to_bits(value), "{bits:#x}");
            let is_normal = value.is_finite() && value.abs() >= 6.103_515_6e-5;
            assert_eq!(exact_half(value), is_normal.then_some(bits), "{value}");
        }
        assert_eq!([1.000_1, 65520.0, f32::NAN].map(exact_half), [None; 3]);
        assert!(half(0x7e00).is_nan());
    }
}
