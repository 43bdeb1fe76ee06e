//! Vectors kept on disk, so that a build that broke off goes on where it was and the next one embeds new texts only.
//!
//! A file belongs to one model and number of dimensions. Behind its head, which names both, it has records of one length: 16
//! bytes of hash for text and task, the vector's components as little-endian `f32`, and 8 bytes of checksum. The hashes are
//! SHA-256's first bytes. No text is stored.
//!
//! Records are appended. One that was cut off is cut away when the file is opened for writing; one that is damaged is not
//! used, and its text is embedded again. A file that holds far more than a build used is written anew, next to it first.
#![expect(clippy::disallowed_methods, reason = "this is where kept vectors are read and written")]

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::files::{self, write::Temporary};
use ibid_embed::{Embedding, Task};
use ibid_platform::{Error, ErrorCode, Result};

const MAGIC: &[u8; 8] = b"ibidvec2";
const KEY: usize = 16;
const CHECKSUM: usize = 8;
/// The longest name of a model; a head that claims a longer one is none.
const MAX_NAME: usize = 256;
/// A file below this size is left to grow: some 60,000 vectors of 256 components.
pub(super) const SPARED: u64 = 64 << 20;
/// A larger one is written anew when it is more than this many times what a build used.
const WORN: u64 = 3;

/// The key of a vector: a hash of the text and of the purpose of its embedding.
pub(super) type Key = [u8; KEY];

/// Computes the key of a text.
pub(super) fn key(text: &str, task: Task) -> Key {
    let task: &[u8] = match task {
        Task::Document => b"d",
        Task::Query => b"q",
    };
    first(Sha256::new().chain_update(task).chain_update(text))
}

fn checksum(content: &[u8]) -> [u8; CHECKSUM] {
    first(Sha256::new().chain_update(content))
}

/// Takes the first bytes of a hash.
pub(super) fn first<const N: usize>(hash: Sha256) -> [u8; N] {
    let hash = hash.finalize();
    std::array::from_fn(|at| hash.get(at).copied().unwrap_or_default())
}

/// A file of kept vectors.
pub(super) struct Cache {
    path: PathBuf,
    file: File,
    head: Vec<u8>,
    dimensions: usize,
    records: HashMap<Key, Record>,
    end: u64,
    may_write: bool,
}

/// A vector in the file.
struct Record {
    start: u64,
    /// Somebody has asked for it, or added it, since the file was opened.
    is_used: bool,
}

impl Cache {
    /// Reads the number of dimensions of a file's vectors, if there is one of that model.
    pub(super) fn dimensions(path: &Path, name: &str) -> Option<u32> {
        let mut head = Vec::new();
        let most = MAGIC.len() + 8 + MAX_NAME;
        File::open(path).ok()?.take(most as u64).read_to_end(&mut head).ok()?;
        let rest = head.strip_prefix(MAGIC)?;
        let (dimensions, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        (rest.get(..length)? == name.as_bytes()).then(|| u32::from_le_bytes(*dimensions))
    }

    /// Opens the file of a model's vectors, or begins one.
    ///
    /// # Errors
    /// [`ErrorCode::Io`] when it cannot be read and written, or is another file.
    pub(super) fn open(path: PathBuf, name: &str, dimensions: u32) -> Result<Self> {
        let unusable = |error: io::Error| files::failed("used", &path, &error);
        files::create_folder_of(&path)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(unusable)?;
        // Of two commands at once, the second reads what is there and keeps nothing of its own.
        // Some file systems know no locks, which is another error.
        let may_write = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        let head = head(name, dimensions);
        let mut there = vec![0; head.len()];
        let length = read_up_to(&mut file, &mut there).map_err(unusable)?;
        if there[..length] != head[..length] {
            let message = format!("`{}` does not hold vectors of {name}.", path.display());
            return Err(Error::new(ErrorCode::Io, message)
                .with_hint("Delete the file; the next build writes it again."));
        }
        let begun = length < head.len();
        if begun && may_write {
            file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&head)).map_err(unusable)?;
        }
        let dimensions = dimensions as usize;
        let record = record_length(dimensions) as u64;
        let start = head.len() as u64;
        let bytes = file.metadata().map_err(unusable)?.len().saturating_sub(start);
        let count = bytes / record;
        let mut records = HashMap::new();
        let mut reader = BufReader::new(&mut file);
        reader.seek(SeekFrom::Start(start)).map_err(unusable)?;
        for number in 0..count {
            let mut key = [0; KEY];
            reader.read_exact(&mut key).map_err(unusable)?;
            reader.seek_relative(record as i64 - KEY as i64).map_err(unusable)?;
            records.insert(key, Record { start: start + number * record, is_used: false });
        }
        drop(reader);
        let end = start + count * record;
        if bytes % record != 0 && may_write {
            file.set_len(end).map_err(unusable)?;
        }
        Ok(Self { path, file, head, dimensions, records, end, may_write })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if what is new can be kept.
    pub(super) fn may_write(&self) -> bool {
        self.may_write
    }

    /// Reads a vector that was kept, bit for bit; `None` when it was not, or is damaged.
    pub(super) fn get(&mut self, key: &Key) -> Option<Embedding> {
        let record = self.records.get_mut(key)?;
        record.is_used = true;
        let start = record.start;
        let mut record = vec![0; record_length(self.dimensions)];
        self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(&mut record)).ok()?;
        let (content, sum) = record.split_last_chunk::<CHECKSUM>()?;
        let vector = content.strip_prefix(key.as_slice())?;
        let is_whole = checksum(content) == *sum;
        is_whole.then(|| {
            Embedding::from_components(
                vector.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect(),
            )
        })
    }

    /// Keeps vectors, all in one write. Nothing more is kept once that has failed.
    ///
    /// # Errors
    /// [`ErrorCode::Io`].
    pub(super) fn add(&mut self, keys: &[Key], embeddings: &[Embedding]) -> Result<()> {
        if !self.may_write {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for (key, embedding) in keys.iter().zip(embeddings) {
            let start = bytes.len();
            bytes.extend(key);
            bytes.extend(embedding.as_slice().iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend(checksum(&bytes[start..]));
        }
        let written = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(&bytes));
        if let Err(error) = written {
            self.may_write = false;
            return Err(files::failed("written", &self.path, &error));
        }
        for key in &keys[..embeddings.len().min(keys.len())] {
            self.records.insert(*key, Record { start: self.end, is_used: true });
            self.end += record_length(self.dimensions) as u64;
        }
        Ok(())
    }

    /// Writes the file anew when it is larger than `spared` bytes and most of it was not used since it was opened: what was
    /// used, behind as many of the others as came last. Nothing is kept afterwards.
    ///
    /// # Errors
    /// [`ErrorCode::Io`]; the file is then as it was.
    pub(super) fn tidy(&mut self, spared: u64) -> Result<()> {
        let record = record_length(self.dimensions) as u64;
        let (mut used, mut others): (Vec<&Record>, Vec<_>) =
            self.records.values().partition(|record| record.is_used);
        let most = spared.max(WORN * record * used.len() as u64);
        if !self.may_write || used.is_empty() || self.end <= most {
            return Ok(());
        }
        let places = [&mut others, &mut used].map(|records| {
            let mut starts: Vec<u64> = records.iter().map(|record| record.start).collect();
            starts.sort_unstable();
            starts
        });
        let [others, used] = places;
        // A part of what is allowed, so that it is long until the next time.
        let room = (most / WORN * (WORN - 1) / record) as usize;
        let others = &others[others.len().saturating_sub(room.saturating_sub(used.len()))..];
        self.may_write = false;
        self.rewrite(others.iter().chain(&used)).map_err(|error| files::failed("written", &self.path, &error))
    }

    fn rewrite<'a>(&self, starts: impl Iterator<Item = &'a u64>) -> io::Result<()> {
        let mut anew = Temporary::beside(&self.path)?;
        let mut to = BufWriter::new(anew.file());
        to.write_all(&self.head)?;
        let mut from = BufReader::new(&self.file);
        let mut record = vec![0; record_length(self.dimensions)];
        for &start in starts {
            // Records that lie behind one another are read without another call of the system's.
            let here = from.stream_position()?;
            from.seek_relative(start.cast_signed() - here.cast_signed())?;
            from.read_exact(&mut record)?;
            to.write_all(&record)?;
        }
        to.flush()?;
        drop(to);
        anew.persist(&self.path)
    }
}

/// Computes the bytes of a vector with its key and checksum.
fn record_length(dimensions: usize) -> usize {
    KEY + 4 * dimensions + CHECKSUM
}

fn head(name: &str, dimensions: u32) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    head.extend(dimensions.to_le_bytes());
    head.extend((name.len() as u32).to_le_bytes());
    head.extend(name.as_bytes());
    head
}

/// Fills as much of the buffer as the file has.
fn read_up_to(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            length => filled += length,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn open(path: &Path) -> Result<Cache> {
        Cache::open(path.to_owned(), "openai/m-1", 2)
    }

    fn vectors(angles: &[f32]) -> Vec<Embedding> {
        angles.iter().map(|angle| Embedding::normalized(vec![angle.cos(), angle.sin()])).collect()
    }

    /// A file with the vectors of "a" and "b".
    fn kept(folder: &Path) -> PathBuf {
        let path = folder.join("deep/m.vectors");
        let mut cache = open(&path).unwrap();
        assert!(cache.may_write());
        cache.add(&[key("a", Task::Query), key("b", Task::Query)], &vectors(&[1.0, 2.0])).unwrap();
        path
    }

    fn has(cache: &mut Cache, text: &str) -> bool {
        cache.get(&key(text, Task::Query)).is_some()
    }

    #[test]
    fn what_was_added_is_there_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = kept(folder.path());
        assert_eq!(Cache::dimensions(&path, "openai/m-1"), Some(2));
        assert_eq!(Cache::dimensions(&path, "openai/m-2"), None);
        let mut cache = open(&path).unwrap();
        assert_eq!(cache.get(&key("b", Task::Query)).unwrap(), vectors(&[2.0])[0]);
        assert_eq!(cache.get(&key("b", Task::Document)), None);
        cache.add(&[key("c", Task::Query)], &vectors(&[3.0])).unwrap();
        assert!(has(&mut cache, "a") && has(&mut cache, "c") && !has(&mut cache, "d"));
    }

    #[test]
    fn a_file_that_ends_too_early_is_continued() {
        let folder = tempfile::tempdir().unwrap();
        let whole = fs::read(kept(folder.path())).unwrap();
        let path = folder.path().join("cut.vectors");
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut cache = open(&path).unwrap();
            let had_first = has(&mut cache, "a");
            assert_eq!(had_first, length >= whole.len() - 32, "{length}");
            assert!(!has(&mut cache, "b"));
            cache.add(&[key("c", Task::Query)], &vectors(&[3.0])).unwrap();
            drop(cache);
            let mut cache = open(&path).unwrap();
            assert_eq!((has(&mut cache, "a"), has(&mut cache, "c")), (had_first, true));
        }
    }

    #[test]
    fn a_damaged_record_is_not_used_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = kept(folder.path());
        let mut bytes = fs::read(&path).unwrap();
        let at = bytes.len() - 10;
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        let mut cache = open(&path).unwrap();
        assert!(has(&mut cache, "a") && !has(&mut cache, "b"));
        cache.add(&[key("b", Task::Query)], &vectors(&[2.0])).unwrap();
        drop(cache);
        assert!(has(&mut open(&path).unwrap(), "b"));
    }

    #[test]
    fn another_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = kept(folder.path());
        let before = fs::read(&path).unwrap();
        let error = Cache::open(path.clone(), "openai/m-1", 3).err().unwrap();
        assert_eq!(error.code(), ErrorCode::Io);
        assert!(error.hint().is_some());
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_second_command_only_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = kept(folder.path());
        let _first = open(&path).unwrap();
        let mut second = open(&path).unwrap();
        assert!(!second.may_write() && has(&mut second, "a"));
        let before = fs::read(&path).unwrap();
        second.add(&[key("c", Task::Query)], &vectors(&[3.0])).unwrap();
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn what_long_was_not_used_is_dropped_from_a_large_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.vectors");
        let texts: Vec<String> = (0..100).map(|number| format!("text {number}")).collect();
        let keys: Vec<Key> = texts.iter().map(|text| key(text, Task::Query)).collect();
        let mut cache = open(&path).unwrap();
        let angles: Vec<f32> = (0..100_u8).map(f32::from).collect();
        cache.add(&keys, &vectors(&angles)).unwrap();
        cache.tidy(0).unwrap();
        drop(cache);
        let length = || fs::metadata(&path).unwrap().len();
        let whole = length();
        let mut cache = open(&path).unwrap();
        // Nobody has used anything: that is no build, and no reason to forget.
        cache.tidy(0).unwrap();
        assert!((30..40).all(|number| has(&mut cache, &texts[number])));
        cache.tidy(whole).unwrap();
        assert_eq!(length(), whole);
        cache.tidy(0).unwrap();
        assert_eq!(length(), 26 + 20 * 32);
        assert!(!cache.may_write());
        drop(cache);
        let mut cache = open(&path).unwrap();
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(has(&mut cache, text), (30..40).contains(&number) || number >= 90, "{number}");
        }
        assert_eq!(cache.get(&keys[33]).unwrap(), vectors(&[33.0])[0]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), with_head: bool) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("any.vectors");
            let head = if with_head { head("openai/m-1", 2) } else { Vec::new() };
            fs::write(&path, [head, bytes].concat()).unwrap();
            let _ = Cache::dimensions(&path, "openai/m-1");
            if let Ok(mut cache) = open(&path) {
                let known: Vec<Key> = cache.records.keys().copied().collect();
                for key in known {
                    prop_assert_eq!(cache.get(&key), None);
                }
            }
        }
    }
}
