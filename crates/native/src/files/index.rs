//! Indexes on a disk or a web server: a file, or a folder with a head and parts, opened and read alike.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::remote::{RemoteFile, fetch_whole};
use super::{create_folder, failed, read as read_file, write as write_file};
use ibid_index::{FolderPart, Index, PartTable, ReadRange, cut};
use ibid_platform::{Error, ErrorCode, Result};

/// From this size on, an index is written as a folder: static hosts limit files to 25 MB.
const LARGEST_FILE: usize = 16 << 20;
/// The length of its parts: a host that gives no ranges sends whole ones.
const PART_BYTES: u32 = 1 << 20;
/// The file of a folder that tells which parts it has.
const HEAD: &str = "head";

/// Opens an index where it lies: reads what a search needs when it needs it, and verifies what it reads. The path may be an
/// address, `file:`, `http:` or `https:`.
///
/// # Errors
/// As [`Index::open_in_place`]; [`ErrorCode::Io`] for what cannot be read, and [`ErrorCode::Network`] for a server that
/// cannot be reached.
pub fn open(path: &Path) -> Result<Index> {
    Index::open_in_place(&reader(path)?)
}

/// Reads the bytes of an index, whose parts are joined; [`Index::open`] verifies all of them.
///
/// # Errors
/// As [`open`]; [`ErrorCode::IndexTruncated`] for a folder that lacks a part, [`ErrorCode::IndexCorrupt`] for a part with
/// other bytes.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let reader = reader(path)?;
    reader.read(0..reader.length())
}

/// Returns true if a path is the address of a file on a web server.
pub fn is_remote(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with("http://") || path.starts_with("https://"))
}

fn reader(path: &Path) -> Result<Arc<dyn ReadRange>> {
    if let Some(address) = path.to_str().filter(|_| is_remote(path)) {
        return remote_reader(address);
    }
    let place = place(path)?;
    let file = WholeFile::open(&place)?;
    if place.file_name() == Some(HEAD.as_ref())
        && let Some(folder) = Folder::open(file.read(0..file.length)?, LocalParts(place.with_file_name("")))?
    {
        return Ok(Arc::new(folder));
    }
    Ok(Arc::new(file))
}

/// An address that ends in `/`, and one where no file is, is that of a folder.
fn remote_reader(address: &str) -> Result<Arc<dyn ReadRange>> {
    let (address, query) =
        address.split_once('?').map_or((address, None), |(path, query)| (path, Some(query)));
    let with_query = |path: String| query.map_or(path.clone(), |query| format!("{path}?{query}"));
    if !address.ends_with('/')
        && let Some(file) = RemoteFile::open(&with_query(address.to_owned()))?
    {
        return Ok(Arc::new(file));
    }
    let folder = format!("{}/", address.trim_end_matches('/'));
    let missing = || {
        Error::new(ErrorCode::Io, format!("There is no index at {address}."))
            .with_hint("Use the address of the file, or of the folder with the file `head`.")
    };
    let head = fetch_whole(&with_query(format!("{folder}{HEAD}")))?.ok_or_else(missing)?;
    let parts = RemoteParts { folder, query: query.map(str::to_owned), opened: Mutex::default() };
    match Folder::open(head, parts)? {
        Some(folder) => Ok(Arc::new(folder)),
        None => Err(missing()),
    }
}

/// Returns true where an index is, be it damaged.
pub fn is_there(path: &Path) -> bool {
    path.is_file() || path.join(HEAD).is_file()
}

/// Writes an index: as a file, or, above 16 MiB, as a folder. With `part_bytes`, and where a folder is already, always as
/// a folder, also where its head is damaged. Returns the number of the folder's parts, and how many bytes of them and of the head are new.
///
/// Parts are written first and the head last, so that the old index stays whole until the new one is. Parts that only the
/// old head names stay until the next time, for pages that are open on it.
///
/// # Errors
/// [`ErrorCode::Io`] for what cannot be written; as [`cut`] for parts that are too long.
pub fn write(path: &Path, file: &[u8], part_bytes: Option<u32>) -> Result<Option<(usize, usize)>> {
    let is_folder = path.is_dir();
    // A folder that is no index is none to write into.
    let head = if is_folder { read_file(&path.join(HEAD))? } else { Vec::new() };
    let old = PartTable::read(&head).ok().flatten();
    let is_special = path.exists() && !path.is_file() && !is_folder;
    let kept_bytes = old.as_ref().map_or(PART_BYTES, |old| old.part_bytes);
    let part_bytes = part_bytes.or(is_folder.then_some(kept_bytes));
    if is_special || part_bytes.is_none() && file.len() <= LARGEST_FILE {
        write_file(path, file)?;
        return Ok(None);
    }
    let folder = cut(file, part_bytes.unwrap_or(PART_BYTES))?;
    // A file cannot become a folder at once; until it has, the new one has another name.
    let making = if path.is_file() {
        path.with_extension(format!("{}.tmp", std::process::id()))
    } else {
        path.to_owned()
    };
    create_folder(&making)?;
    let mut new = folder.head.len();
    let mut kept: HashSet<String> = old.iter().flat_map(|old| &old.parts).map(FolderPart::name).collect();
    for (part, bytes) in &folder.parts {
        let place = making.join(part.name());
        if !fs::read(&place).is_ok_and(|there| part.verify(&there).is_ok()) {
            write_file(&place, bytes)?;
            new += bytes.len();
        }
        kept.insert(part.name());
    }
    write_file(&making.join(HEAD), &folder.head)?;
    if making != path {
        let unwritable = |error: io::Error| failed("written", path, &error);
        fs::remove_file(path).map_err(unwritable)?;
        fs::rename(&making, path).map_err(unwritable)?;
    }
    remove_others(path, &kept);
    Ok(Some((folder.parts.len(), new)))
}

/// Fails as [`write()`] would, where that can be known beforehand.
///
/// # Errors
/// [`ErrorCode::Io`].
pub fn check_writable(path: &Path) -> Result<()> {
    if path.join(HEAD).is_file() {
        return super::check_writable(&path.join(HEAD));
    }
    super::check_writable(path)
}

/// Removes parts that no head names any more; one that cannot be removed stays.
fn remove_others(folder: &Path, kept: &HashSet<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let sum = name.strip_suffix(".part").filter(|sum| sum.len() == 16);
        if sum.is_some_and(|sum| sum.bytes().all(|byte| byte.is_ascii_hexdigit())) && !kept.contains(&name) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Finds the file that a path leads to: that of a folder is its head. A `file:` address is a path too.
fn place(path: &Path) -> Result<PathBuf> {
    let path = path.to_str().and_then(of_address).transpose()?.unwrap_or_else(|| path.to_owned());
    if !path.is_dir() {
        return Ok(path);
    }
    let head = path.join(HEAD);
    if !head.is_file() {
        let message = format!("`{}` is a folder, and no index.", path.display());
        let inside = path.join("site.ibid");
        let hint = if inside.exists() {
            format!("Name the index in it: `{}`.", inside.display())
        } else {
            "Build one: `ibid build FOLDER -o site.ibid`.".to_owned()
        };
        return Err(Error::new(ErrorCode::IndexForeign, message).with_hint(hint));
    }
    Ok(head)
}

/// Reads the path of a `file:` address; `None` for what is none.
fn of_address(address: &str) -> Option<Result<PathBuf>> {
    let rest = address.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let wrong = || {
        Error::new(ErrorCode::InvalidOption, format!("`{address}` is not the address of a file."))
            .with_hint("Write file:///folder/site.ibid, or only the path.")
    };
    if !rest.starts_with('/') {
        return Some(Err(wrong()));
    }
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.bytes();
    while let Some(byte) = left.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let byte = match byte {
            b'%' => digit(left.next()).zip(digit(left.next())).map(|(high, low)| (high * 16 + low) as u8),
            byte => Some(byte),
        };
        let Some(byte) = byte else { return Some(Err(wrong())) };
        bytes.push(byte);
    }
    Some(String::from_utf8(bytes).map(PathBuf::from).map_err(|_| wrong()))
}

/// A file that is one, read at offsets.
#[derive(Debug)]
struct WholeFile {
    path: PathBuf,
    file: Mutex<File>,
    length: u64,
}

impl WholeFile {
    fn open(path: &Path) -> Result<Self> {
        let opened = || {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            Ok((Mutex::new(file), length))
        };
        let (file, length) = opened().map_err(|error| failed("read", path, &error))?;
        Ok(Self { path: path.to_owned(), file, length })
    }
}

impl ReadRange for WholeFile {
    fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        read_at(&mut file, &range, self.length).map_err(|error| failed("read", &self.path, &error))
    }
}

/// Reads the bytes of a range of a file that has `length`.
fn read_at(file: &mut File, range: &Range<u64>, length: u64) -> io::Result<Vec<u8>> {
    if range.start > range.end || range.end > length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let mut bytes = vec![0; (range.end - range.start) as usize];
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The place of a folder's parts.
trait PartFiles: Debug + Send + Sync {
    /// Reads the bytes of a range of a part.
    fn read(&self, part: &FolderPart, range: Range<u64>) -> Result<Vec<u8>>;
}

/// Parts on a disk, of which one is opened when something of it is read.
#[derive(Debug)]
struct LocalParts(PathBuf);

impl PartFiles for LocalParts {
    fn read(&self, part: &FolderPart, range: Range<u64>) -> Result<Vec<u8>> {
        let path = self.0.join(part.name());
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(part.missing()),
            Err(error) => return Err(failed("read", &path, &error)),
        };
        let read = |error: io::Error| failed("read", &path, &error);
        let length = file.metadata().map_err(read)?.len();
        part.verify_length(length)?;
        read_at(&mut file, &range, length).map_err(read)
    }
}

/// Parts on a web server.
#[derive(Debug)]
struct RemoteParts {
    folder: String,
    query: Option<String>,
    opened: Mutex<HashMap<String, Arc<RemoteFile>>>,
}

impl PartFiles for RemoteParts {
    fn read(&self, part: &FolderPart, range: Range<u64>) -> Result<Vec<u8>> {
        let name = part.name();
        let opened = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let known = opened().get(&name).cloned();
        let file = if let Some(file) = known {
            file
        } else {
            let query = self.query.as_ref().map_or(String::new(), |query| format!("?{query}"));
            let url = format!("{}{name}{query}", self.folder);
            let file = Arc::new(RemoteFile::open(&url)?.ok_or_else(|| part.missing())?);
            opened().insert(name, Arc::clone(&file));
            file
        };
        part.verify_length(file.length)?;
        file.read(range)
    }
}

/// A folder with a head and parts.
#[derive(Debug)]
struct Folder<P> {
    head: Vec<u8>,
    table: PartTable,
    parts: P,
}

impl<P: PartFiles> Folder<P> {
    /// Opens a folder with this head; `None` if that is a whole file.
    fn open(head: Vec<u8>, parts: P) -> Result<Option<Self>> {
        let Some(table) = PartTable::read(&head)? else { return Ok(None) };
        Ok((table.head_length == head.len() as u64).then_some(Self { head, table, parts }))
    }
}

impl<P: PartFiles> ReadRange for Folder<P> {
    fn length(&self) -> u64 {
        self.table.parts.last().map_or(self.table.head_length, |part| part.range.end)
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let end = (self.head.len() as u64).min(range.end) as usize;
        let mut bytes = self.head.get(range.start as usize..end).unwrap_or_default().to_vec();
        let first = self.table.parts.partition_point(|part| part.range.end <= range.start);
        for part in self.table.parts.iter().skip(first).take_while(|part| part.range.start < range.end) {
            let (start, end) = (range.start.max(part.range.start), range.end.min(part.range.end));
            let stretch = self.parts.read(part, start - part.range.start..end - part.range.start)?;
            if (start..end) == part.range {
                part.verify(&stretch)?;
            }
            bytes.extend(stretch);
        }
        Ok(bytes)
    }
}
