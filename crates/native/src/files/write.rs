//! Reading files, and writing them whole or not at all.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::interrupt;
use crate::system::in_words;
use ibid_platform::{Error, ErrorCode, Result};

/// Makes the error for a path that cannot be read, written and so on, with advice where the system's words give none.
pub fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    let (path, said) = (path.display(), in_words(error));
    let described = Error::new(ErrorCode::Io, format!("`{path}` cannot be {what}: {said}."));
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            described.with_hint("Free some space, then run the same command again.")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            described.with_hint("Choose a place where you may write.")
        }
        _ => described,
    }
}

/// Reads the bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| failed("read", path, &error))
}

/// Reads standard input to its end, but at most that many bytes.
pub fn read_input(most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match io::stdin().lock().take(most).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => {
            Err(Error::new(ErrorCode::Io, format!("Standard input cannot be read: {}.", in_words(&error))))
        }
    }
}

/// Reads the bytes of a file, or `None` if there is no such file.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path, &error)),
    }
}

/// Writes a file whole or not at all: next to its place first, then renamed into it, so that an index in use stays
/// intact when the disk is full or the command is interrupted.
///
/// A link is followed, so that what it points to is replaced and not the link. What is no file, such as a pipe or
/// `/dev/stdout`, is written to as it is: it must not be replaced by one.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let unwritable = |error: io::Error| failed("written", path, &error);
    let place = match fs::metadata(path) {
        Ok(there) if there.is_dir() => {
            return Err(Error::new(ErrorCode::Io, format!("`{}` is a folder.", path.display()))
                .with_hint("Name the file to write."));
        }
        Ok(there) if !there.is_file() => {
            return OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|mut device| device.write_all(bytes).and_then(|()| device.flush()))
                .map_err(unwritable);
        }
        Ok(_) => fs::canonicalize(path).map_err(unwritable)?,
        // A link to nothing counts as nothing, and is replaced.
        Err(_) => path.to_owned(),
    };
    let mut temporary = Temporary::beside(&place).map_err(unwritable)?;
    temporary.file.write_all(bytes).map_err(unwritable)?;
    temporary.persist(&place).map_err(unwritable)
}

/// Writes a file below a folder, unless it has these bytes already. The name has `/` between folders, which are made.
///
/// # Errors
/// As [`write()`]; [`ErrorCode::Io`] where a link leads out of the folder.
pub fn write_within(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    create_folder_of(&path)?;
    if !is_within(folder, &path) {
        let message = format!("`{}` cannot be written: a link leads out of the folder.", path.display());
        return Err(Error::new(ErrorCode::Io, message).with_hint("Remove the link."));
    }
    if fs::read(&path).is_ok_and(|there| there == bytes) { Ok(()) } else { write(&path, bytes) }
}

/// Removes a file below a folder, if it is there and no link leads out of the folder.
pub fn remove_within(folder: &Path, name: &str) -> Result<()> {
    let path = folder.join(name);
    if !path.is_file() || !is_within(folder, &path) {
        return Ok(());
    }
    fs::remove_file(&path).map_err(|error| failed("removed", &path, &error))
}

/// Returns true if a path is in the folder even when links are followed.
pub fn is_within(folder: &Path, path: &Path) -> bool {
    let real = match fs::symlink_metadata(path) {
        Ok(_) => fs::canonicalize(path),
        // It is to be made.
        Err(_) => fs::canonicalize(path.parent().unwrap_or(path)),
    };
    fs::canonicalize(folder).is_ok_and(|folder| real.is_ok_and(|real| real.starts_with(folder)))
}

/// Fails as [`write()`] would, where that can be known beforehand: better now than after an hour of work.
pub fn check_writable(path: &Path) -> Result<()> {
    let unwritable = |error: io::Error| failed("written", path, &error);
    match fs::metadata(path) {
        Ok(there) if !there.is_file() && !there.is_dir() => Ok(()),
        Ok(there) if there.is_dir() => write(path, &[]),
        Ok(_) => {
            fs::canonicalize(path).and_then(|place| Temporary::beside(&place)).map(drop).map_err(unwritable)
        }
        Err(_) => Temporary::beside(path).map(drop).map_err(unwritable),
    }
}

/// Makes a folder, and those above it, if they are not there.
pub fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| failed("made a folder", path, &error))
}

/// Makes the folder that a file is to be written into, if it is not there.
pub fn create_folder_of(path: &Path) -> Result<()> {
    path.parent().map_or(Ok(()), create_folder)
}

/// A file in the making. It is removed when it is dropped, and on Ctrl-C, unless it was given its name. It is locked as long
/// as the process lives, so that what a killed one has left can be told and is removed by the next.
pub(crate) struct Temporary {
    path: PathBuf,
    file: File,
}

impl Temporary {
    /// Creates an empty file in the same folder as `place`, which makes renaming it there one step.
    pub(crate) fn beside(place: &Path) -> io::Result<Self> {
        let whole = place.file_name().ok_or_else(|| io::Error::other("this is not a file name"))?;
        let mut name = whole.to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let path = place.with_file_name(name);
        interrupt::uninterrupted(|files| {
            remove_abandoned(&path, whole);
            let file = loop {
                // A new file only: what somebody else puts there meanwhile, a link say, is not written through.
                let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
                // Some network file systems have no locks; that is no reason not to work there.
                let _ = file.lock();
                // Another command may have come between the two lines and removed it as abandoned.
                if path.exists() {
                    break file;
                }
            };
            files.push(path.clone());
            Ok(Self { path: path.clone(), file })
        })
    }

    /// The file, to be written to.
    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the file its name, once its bytes are on the disk. It keeps the rights of the file it replaces.
    pub(crate) fn persist(self, place: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(place) {
            self.file.set_permissions(old.permissions())?;
        }
        self.file.sync_all()?;
        interrupt::uninterrupted(|files| {
            fs::rename(&self.path, place)?;
            interrupt::forget(files, &self.path);
            Ok(())
        })
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        interrupt::uninterrupted(|files| {
            // Once it has its name, another file may have come to the old one; only what is on the list is ours.
            if files.contains(&self.path) {
                let _ = fs::remove_file(&self.path);
                interrupt::forget(files, &self.path);
            }
        });
    }
}

/// Removes what killed processes have left of files in the making: those of `whole` that nobody has locked. One that cannot be
/// looked at or removed stays.
fn remove_abandoned(own: &Path, whole: &OsStr) {
    let folder = own.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { return };
    for entry in entries.flatten() {
        if !is_temporary(&entry.file_name(), whole) || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let Ok(file) = OpenOptions::new().write(true).open(entry.path()) else { continue };
        let is_abandoned = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            // Without locks, only a file with this process's own number is known to be nobody's.
            Err(TryLockError::Error(_)) => Some(entry.file_name().as_os_str()) == own.file_name(),
        };
        if is_abandoned {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns whether a file of that name is `whole` in the making, by any process.
fn is_temporary(name: &OsStr, whole: &OsStr) -> bool {
    let rest = name.as_encoded_bytes().strip_prefix(whole.as_encoded_bytes());
    let number = rest.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".tmp"));
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_command_left_is_removed_and_what_a_living_one_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let living = File::create(place("a.ibid.17.tmp")).unwrap();
        living.lock().unwrap();
        for left in ["a.ibid.1.tmp", "a.ibid.4294967295.tmp", &format!("a.ibid.{}.tmp", std::process::id())] {
            File::create(place(left)).unwrap();
        }
        let others = ["a.ibid.tmp", "a.ibid.1x.tmp", "b.ibid.1.tmp", "a.ibid.1.node.tmp"];
        for other in others {
            File::create(place(other)).unwrap();
        }
        write(&place("a.ibid"), b"new").unwrap();
        let mut kept: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        kept.sort();
        let mut wanted = [&["a.ibid", "a.ibid.17.tmp"][..], &others].concat();
        wanted.sort_unstable();
        assert_eq!(kept, wanted);
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.ibid");
        write(&place, b"old").unwrap();
        let mut making = Temporary::beside(&place).unwrap();
        making.file.write_all(b"ne").unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"old");
        drop(making);
        assert_eq!(fs::read(&place).unwrap(), b"old");
        write(&place, b"new").unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = write(folder.path(), b"x").unwrap_err();
        assert!(error.message().contains("is a folder"), "{error}");
        let missing = folder.path().join("no/folder/a.ibid");
        let error = write(&missing, b"x").unwrap_err();
        assert_eq!(error.code(), ErrorCode::Io);
        assert!(error.message().contains("no/folder/a.ibid"), "{error}");
        assert!(write(Path::new(""), b"x").is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_to_and_stays_one() {
        let error = write(Path::new("/dev/full"), b"x").unwrap_err();
        assert!(error.message().contains("No space left"), "{error}");
        assert!(error.hint().unwrap().contains("Free some space"));
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(
            !fs::metadata("/dev/full").unwrap().is_file() && !fs::metadata("/dev/null").unwrap().is_file()
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_the_rights_of_a_file_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (place, link) = (folder.path().join("a.ibid"), folder.path().join("current.ibid"));
        write(&place, b"old").unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("a.ibid", &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&place).unwrap(), b"new");
        assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
