//! The bytes of a section of the file: all of them, or stretches that have been fetched or are read where they lie.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::container::{ReadRange, SharedBytes};
use ibid_platform::Result;

/// A section, of which stretches are read by their numbers.
#[derive(Debug)]
pub(super) struct Stretches {
    /// The place where the section begins in the file.
    pub(super) at: u64,
    held: Mutex<HeldBytes>,
}

#[derive(Debug)]
enum HeldBytes {
    Whole(SharedBytes),
    Fetched(BTreeMap<usize, SharedBytes>),
    /// They are read where they lie.
    InPlace(Arc<dyn ReadRange>),
}

impl Stretches {
    /// Opens the section that begins at byte `at` of the file, with its bytes if they are there.
    pub(super) fn new(at: u64, section: Option<SharedBytes>) -> Self {
        let held = section.map_or_else(|| HeldBytes::Fetched(BTreeMap::new()), HeldBytes::Whole);
        Self { at, held: Mutex::new(held) }
    }

    /// Finds the place in the file of a stretch by its place in the section, if it has still to be fetched.
    pub(super) fn missing(&self, number: usize, place: Range<u64>) -> Option<Range<u64>> {
        match &*lock(&self.held) {
            HeldBytes::Fetched(known) if !known.contains_key(&number) => Some(self.in_file(place)),
            _ => None,
        }
    }

    fn in_file(&self, place: Range<u64>) -> Range<u64> {
        self.at + place.start..self.at + place.end
    }

    /// Takes over those of the stretches that lie whole in bytes that were fetched from `offset` of the file on.
    pub(super) fn provide(
        &self,
        offset: u64,
        bytes: &SharedBytes,
        stretches: &mut dyn Iterator<Item = (usize, Range<u64>)>,
        verify: &dyn Fn(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let HeldBytes::Fetched(fetched) = &mut *lock(&self.held) else { return Ok(()) };
        let end = offset.saturating_add(bytes.len() as u64);
        let stretches = stretches.map(|(number, place)| (number, self.in_file(place)));
        for (number, place) in stretches.take_while(|(_, place)| place.end <= end) {
            let Some(start) = place.start.checked_sub(offset) else { continue };
            let part = bytes.slice(start as usize..(place.end - offset) as usize);
            let Some(part) = part else { continue };
            verify(number, &part)?;
            fetched.insert(number, part);
        }
        Ok(())
    }

    /// From now on, reads what is missing when it is asked for.
    pub(super) fn read_from(&self, reader: &Arc<dyn ReadRange>) {
        *lock(&self.held) = HeldBytes::InPlace(Arc::clone(reader));
    }

    /// Reads a stretch, which is verified when it is read where it lies; `None` if it is not there.
    pub(super) fn get(
        &self,
        number: usize,
        place: Range<u64>,
        verify: &dyn Fn(usize, &[u8]) -> Result<()>,
    ) -> Result<Option<SharedBytes>> {
        Ok(match &*lock(&self.held) {
            HeldBytes::Whole(section) => section.slice(place.start as usize..place.end as usize),
            HeldBytes::Fetched(known) => known.get(&number).cloned(),
            HeldBytes::InPlace(reader) => {
                let bytes = reader.read(self.in_file(place))?;
                verify(number, &bytes)?;
                Some(bytes.into())
            }
        })
    }
}

/// A lock whose holder panicked leaves nothing half done here: each change is a single insertion.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
