//! Strings, each stored once, that records refer to by number.

use std::collections::HashMap;

use super::container::{SharedBytes, corrupt, u32_at};
use ibid_platform::Result;

/// Gathers strings on their way into a file.
#[derive(Default)]
pub(super) struct StringTableBuilder<'a> {
    numbers: HashMap<&'a str, u32>,
    strings: Vec<&'a str>,
}

impl<'a> StringTableBuilder<'a> {
    /// The string's number; the same for the same string.
    pub(super) fn number(&mut self, string: &'a str) -> u32 {
        let Self { numbers, strings } = self;
        *numbers.entry(string).or_insert_with(|| {
            strings.push(string);
            strings.len() as u32 - 1
        })
    }

    /// The number of strings, where each ends (`u32`, counted from the first byte of the first), and their bytes.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = (self.strings.len() as u32).to_le_bytes().to_vec();
        let mut end = 0;
        for string in &self.strings {
            end += string.len() as u32;
            out.extend_from_slice(&end.to_le_bytes());
        }
        self.strings.iter().for_each(|string| out.extend_from_slice(string.as_bytes()));
        out
    }
}

/// Strings where they lie in a file.
#[derive(Debug)]
pub(super) struct StringTable {
    section: SharedBytes,
    count: usize,
}

impl StringTable {
    /// Checks that all ends are in order, lie between characters and that the bytes are UTF-8.
    pub(super) fn open(section: SharedBytes) -> Result<Self> {
        let damaged = || corrupt("its table of strings contradicts itself");
        let count = u32_at(&section, 0) as usize;
        let text = count.checked_add(1).and_then(|words| words.checked_mul(4)).ok_or_else(damaged)?;
        let bytes = section.get(text..).ok_or_else(damaged)?;
        let text = std::str::from_utf8(bytes).map_err(|_| damaged())?;
        let mut start = 0;
        for at in 0..count {
            let end = u32_at(&section, 4 + at * 4) as usize;
            text.get(start..end).ok_or_else(damaged)?;
            start = end;
        }
        if start == text.len() { Ok(Self { section, count }) } else { Err(damaged()) }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The string of that number; empty past the last.
    pub(super) fn get(&self, number: u32) -> &str {
        let number = number as usize;
        if number >= self.count {
            return "";
        }
        let text = 4 + self.count * 4;
        let start = if number == 0 { 0 } else { u32_at(&self.section, number * 4) as usize };
        let end = u32_at(&self.section, 4 + number * 4) as usize;
        let bytes = self.section.get(text + start..text + end).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_keep_their_numbers(strings in prop::collection::vec(".{0,6}", 0..30)) {
            let mut builder = StringTableBuilder::default();
            let numbers: Vec<u32> = strings.iter().map(|string| builder.number(string)).collect();
            let table = StringTable::open(builder.encode().into()).unwrap();
            for (string, number) in strings.iter().zip(numbers) {
                prop_assert_eq!(table.get(number), string);
            }
            prop_assert!(table.len() <= strings.len());
            prop_assert_eq!(table.get(table.len() as u32), "");
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..40), count in 0u32..6) {
            let mut section = count.to_le_bytes().to_vec();
            section.extend(bytes);
            if let Ok(table) = StringTable::open(section.into()) {
                (0..count).for_each(|number| drop(table.get(number).to_owned()));
            }
        }
    }
}
