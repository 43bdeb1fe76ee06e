//! Cleaning up when a person presses Ctrl-C: temporary files go, everything that can be continued stays.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::note;

/// The exit code that shells give a command ended by SIGINT: 128 and the signal's number.
const INTERRUPTED: i32 = 130;

/// The temporary files that exist now. Hold this lock to create, rename or remove one.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// True if an interruption is how the command is meant to end.
static ENDS_WELL: AtomicBool = AtomicBool::new(false);

/// Ends the command on Ctrl-C with exit code 130, once the temporary files are removed; with 0 after [`ends_well`].
///
/// Where the signal is ignored already, as in a script's background job, it stays ignored.
pub fn watch() {
    let _ = ctrlc::try_set_handler(|| {
        // The lock is never given back: from here on no other thread can create a file that nobody would remove, or
        // end the process with another exit code because its file is gone.
        let mut files = lock();
        remove(&mut files);
        if ENDS_WELL.load(Ordering::Relaxed) {
            std::process::exit(0);
        }
        note("interrupted");
        std::process::exit(INTERRUPTED)
    });
}

/// Says that from here on Ctrl-C is the usual end of the command, as of a server.
pub fn ends_well() {
    ENDS_WELL.store(true, Ordering::Relaxed);
}

/// Does something with the list of temporary files while no interruption can come between.
pub(super) fn uninterrupted<T>(act: impl FnOnce(&mut Vec<PathBuf>) -> T) -> T {
    act(&mut lock())
}

/// Takes a file off the list.
pub(super) fn forget(files: &mut Vec<PathBuf>, path: &Path) {
    files.retain(|file| file != path);
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files. One that cannot be removed is left: there is nothing else to try.
fn remove(files: &mut Vec<PathBuf>) {
    for file in files.drain(..) {
        let _ = std::fs::remove_file(file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write::Temporary;

    #[test]
    fn files_in_the_making_are_removed_and_finished_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let making = Temporary::beside(&place("making")).unwrap();
        let finished = Temporary::beside(&place("finished")).unwrap();
        finished.persist(&place("finished")).unwrap();
        // Only this test's own files: other tests of the process may be writing.
        let mut own: Vec<PathBuf> = uninterrupted(|files| {
            files.iter().filter(|file| file.starts_with(folder.path())).cloned().collect()
        });
        assert_eq!(own.len(), 1);
        remove(&mut own);
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["finished"]);
        drop(making);
    }
}
