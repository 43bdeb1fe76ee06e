//! Vectors that a service has made, kept on disk, so that a build that broke off goes on where it was and the next one pays
//! for new texts only.
//!
//! A file belongs to one model and number of dimensions. Behind its head, which names both, it has records of one length: 16
//! bytes of hash for text and task, the vector's components as little-endian `f32`, and 8 bytes of checksum. Records are only
//! ever appended. One that was cut off is cut away when the file is opened for writing; one that is damaged is not used, and
//! its text is embedded again. No text is stored.
#![expect(clippy::disallowed_methods, reason = "this is where kept vectors are read and written")]

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use twox_hash::XxHash64;

use crate::files;
use ibid_embed::{Embedding, Space, Task};
use ibid_platform::{Error, ErrorCode, Result};

const MAGIC: &[u8; 8] = b"ibidvec1";
const KEY: usize = 16;
const CHECKSUM: usize = 8;
/// The longest name of a space, as `Space::foreign` has it; a head that claims a longer one is none.
const MAX_NAME: usize = 200;

/// What a vector is found by: a hash of the text and of what it was embedded for.
pub(super) type Key = [u8; KEY];

/// Two hashes of 64 bits with different seeds, since one alone may be the same for two of some million texts.
pub(super) fn key(text: &str, task: Task) -> Key {
    let seed = match task {
        Task::Document => 0,
        Task::Query => 2,
    };
    let mut key = [0; KEY];
    for (half, part) in (0..).zip(key.as_chunks_mut::<8>().0) {
        *part = XxHash64::oneshot(seed + half, text.as_bytes()).to_le_bytes();
    }
    key
}

/// A file of kept vectors.
pub(super) struct Cache {
    path: PathBuf,
    file: File,
    dimensions: usize,
    /// Where each vector's record starts.
    places: HashMap<Key, u64>,
    end: u64,
    may_write: bool,
}

impl Cache {
    /// How many dimensions the vectors of a file have, if there is one of that model.
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

    /// Opens the file of a space's vectors, or begins one.
    ///
    /// # Errors
    /// [`ErrorCode::Io`] when it cannot be read and written, or is another file.
    pub(super) fn open(path: PathBuf, space: &Space) -> Result<Self> {
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
        let head = head(space);
        let mut there = vec![0; head.len()];
        let length = read_up_to(&mut file, &mut there).map_err(unusable)?;
        if there[..length] != head[..length] {
            let message = format!("`{}` does not hold vectors of {}.", path.display(), space.name);
            return Err(Error::new(ErrorCode::Io, message).with_hint("Remove the file; it is made again."));
        }
        let begun = length < head.len();
        if begun && may_write {
            file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&head)).map_err(unusable)?;
        }
        let dimensions = space.dimensions as usize;
        let record = (KEY + 4 * dimensions + CHECKSUM) as u64;
        let start = head.len() as u64;
        let bytes = file.metadata().map_err(unusable)?.len().saturating_sub(start);
        let count = bytes / record;
        let mut places = HashMap::new();
        let mut reader = BufReader::new(&mut file);
        reader.seek(SeekFrom::Start(start)).map_err(unusable)?;
        for number in 0..count {
            let mut key = [0; KEY];
            reader.read_exact(&mut key).map_err(unusable)?;
            reader.seek_relative(record as i64 - KEY as i64).map_err(unusable)?;
            places.insert(key, start + number * record);
        }
        drop(reader);
        let end = start + count * record;
        if bytes % record != 0 && may_write {
            file.set_len(end).map_err(unusable)?;
        }
        Ok(Self { path, file, dimensions, places, end, may_write })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether what is new can be kept.
    pub(super) fn may_write(&self) -> bool {
        self.may_write
    }

    /// A vector that was kept; `None` when it was not, or is damaged.
    pub(super) fn get(&mut self, key: &Key) -> Option<Vec<f32>> {
        let place = *self.places.get(key)?;
        let mut record = vec![0; KEY + 4 * self.dimensions + CHECKSUM];
        let read = self.file.seek(SeekFrom::Start(place)).and_then(|_| self.file.read_exact(&mut record));
        let (content, checksum) = record.split_last_chunk::<CHECKSUM>()?;
        let vector = content.strip_prefix(key.as_slice())?;
        if read.is_err() || XxHash64::oneshot(0, content).to_le_bytes() != *checksum {
            return None;
        }
        Some(vector.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect())
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
            bytes.extend(XxHash64::oneshot(0, &bytes[start..]).to_le_bytes());
        }
        let written = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(&bytes));
        if let Err(error) = written {
            self.may_write = false;
            return Err(files::failed("written", &self.path, &error));
        }
        let record = (KEY + 4 * self.dimensions + CHECKSUM) as u64;
        for key in &keys[..embeddings.len().min(keys.len())] {
            self.places.insert(*key, self.end);
            self.end += record;
        }
        Ok(())
    }
}

fn head(space: &Space) -> Vec<u8> {
    let name = space.name.as_bytes();
    let mut head = MAGIC.to_vec();
    head.extend(space.dimensions.to_le_bytes());
    head.extend((name.len() as u32).to_le_bytes());
    head.extend(name);
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

    fn space() -> Space {
        Space::foreign("openai/m-1", 2, None).unwrap()
    }

    fn vectors(angles: &[f32]) -> Vec<Embedding> {
        angles.iter().map(|angle| Embedding::normalized(vec![angle.cos(), angle.sin()])).collect()
    }

    /// A file with the vectors of "a" and "b".
    fn kept(folder: &Path) -> PathBuf {
        let path = folder.join("deep/m.vectors");
        let mut cache = Cache::open(path.clone(), &space()).unwrap();
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
        let mut cache = Cache::open(path, &space()).unwrap();
        assert_eq!(cache.get(&key("b", Task::Query)).unwrap(), vectors(&[2.0])[0].as_slice());
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
            let mut cache = Cache::open(path.clone(), &space()).unwrap();
            let had_first = has(&mut cache, "a");
            assert_eq!(had_first, length >= whole.len() - 32, "{length}");
            assert!(!has(&mut cache, "b"));
            cache.add(&[key("c", Task::Query)], &vectors(&[3.0])).unwrap();
            drop(cache);
            let mut cache = Cache::open(path.clone(), &space()).unwrap();
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
        let mut cache = Cache::open(path.clone(), &space()).unwrap();
        assert!(has(&mut cache, "a") && !has(&mut cache, "b"));
        cache.add(&[key("b", Task::Query)], &vectors(&[2.0])).unwrap();
        drop(cache);
        assert!(has(&mut Cache::open(path, &space()).unwrap(), "b"));
    }

    #[test]
    fn another_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = kept(folder.path());
        let before = fs::read(&path).unwrap();
        let other = Space::foreign("openai/m-1", 3, None).unwrap();
        let error = Cache::open(path.clone(), &other).err().unwrap();
        assert_eq!(error.code(), ErrorCode::Io);
        assert!(error.hint().is_some());
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_second_command_only_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = kept(folder.path());
        let _first = Cache::open(path.clone(), &space()).unwrap();
        let mut second = Cache::open(path.clone(), &space()).unwrap();
        assert!(!second.may_write() && has(&mut second, "a"));
        let before = fs::read(&path).unwrap();
        second.add(&[key("c", Task::Query)], &vectors(&[3.0])).unwrap();
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), with_head: bool) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("any.vectors");
            let head = if with_head { head(&space()) } else { Vec::new() };
            fs::write(&path, [head, bytes].concat()).unwrap();
            let _ = Cache::dimensions(&path, "openai/m-1");
            if let Ok(mut cache) = Cache::open(path, &space()) {
                let known: Vec<Key> = cache.places.keys().copied().collect();
                for key in known {
                    prop_assert_eq!(cache.get(&key), None);
                }
            }
        }
    }
}
