//! Changes to an index file that only somebody who knows the format would make.

use super::container::File;
use super::recipe::Recipe;

/// Where signs, widths and limits change.
const WORDS: [u32; 12] =
    [0, 1, 2, 255, 4096, 0xFFFF, 0x1_0000, i32::MAX as u32, 1 << 31, u32::MAX - 1, u32::MAX, 15_000];
const LONG_WORDS: [u64; 10] =
    [0, 1, 64, 1 << 32, (1 << 32) - 64, i64::MAX as u64, 1 << 63, u64::MAX - 63, u64::MAX - 4096, u64::MAX];
/// What may stand for a number in JSON, and what may not.
const NUMBERS: [&str; 10] =
    ["0", "1", "65536", "4294967295", "4294967296", "18446744073709551615", "-1", "1e999", "null", "[]"];

/// Makes one change.
pub fn change(file: &mut File, recipe: &mut Recipe<'_>) {
    let at = recipe.below(file.sections.len());
    let other = |file: &File, recipe: &mut Recipe<'_>| recipe.below(file.sections.len());
    match recipe.byte() % 32 {
        0 => drop(file.sections.remove(at)),
        1 => {
            let to = other(file, recipe);
            file.sections.insert(to, file.sections[at].clone());
        }
        2 | 3 => {
            let to = other(file, recipe);
            file.sections.swap(at, to);
        }
        4 => file.sections[at].reserved = recipe.pick(&WORDS),
        5 | 6 => file.sections[at].id = file.sections[other(file, recipe)].id,
        7 => file.sections[at].offset = Some(recipe.pick(&LONG_WORDS)),
        8 => file.sections[at].length = Some(recipe.pick(&LONG_WORDS)),
        // Over another section, or beginning within one.
        9 => file.sections[at].offset = Some(file.offsets()[other(file, recipe)]),
        10 => file.sections[at].offset = Some(file.offsets()[at].wrapping_add(64 * recipe.below(4) as u64)),
        11 => file.sections[at].length = Some(recipe.below(9000) as u64),
        12 => file.length = Some(recipe.pick(&LONG_WORDS)),
        13 => file.count = Some(recipe.pick(&WORDS)),
        14 => file.version = recipe.below(5) as u32,
        15 => file.features = recipe.pick(&WORDS),
        // A section that says what another one should.
        16 => file.sections[at].bytes = file.sections[other(file, recipe)].bytes.clone(),
        17..20 => number(&mut file.sections[at].bytes, recipe),
        _ => bytes(&mut file.sections[at].bytes, recipe),
    }
    if file.sections.is_empty() {
        file.count = Some(1);
    }
}

/// Replaces a number in JSON.
fn number(bytes: &mut Vec<u8>, recipe: &mut Recipe<'_>) {
    let starts = |at: &usize| bytes[*at].is_ascii_digit() && (*at == 0 || !bytes[at - 1].is_ascii_digit());
    let numbers: Vec<usize> = (0..bytes.len()).filter(starts).collect();
    if let Some(&start) = numbers.get(recipe.below(numbers.len())) {
        let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        bytes.splice(start..start + digits, recipe.pick(&NUMBERS).bytes());
    }
}

/// Changes some of a section's bytes.
fn bytes(bytes: &mut Vec<u8>, recipe: &mut Recipe<'_>) {
    let at = recipe.below(bytes.len());
    let aligned = at & !3;
    match recipe.byte() % 10 {
        0 => bytes.insert(at, recipe.byte()),
        1 => bytes.extend_from_slice(&[0; 8][..recipe.below(9)]),
        _ if bytes.is_empty() => {}
        2 => bytes[at] ^= 1 << recipe.below(8),
        3 => bytes[at] = recipe.byte(),
        4 => bytes.truncate(at),
        5 => drop(bytes.drain(at..(at + recipe.below(40)).min(bytes.len()))),
        // A number that is valid somewhere else in the section.
        6 | 7 => {
            let from = recipe.below(bytes.len()) & !3;
            let word = bytes[from..].first_chunk::<4>().copied();
            if let (Some(word), Some(slot)) = (word, bytes.get_mut(aligned..aligned + 4)) {
                slot.copy_from_slice(&word);
            }
        }
        8 => {
            let value = recipe.pick(&WORDS).to_le_bytes();
            bytes.iter_mut().skip(aligned).zip(value).for_each(|(byte, new)| *byte = new);
        }
        _ => {
            if let Some(word) = bytes.get_mut(aligned..).and_then(<[u8]>::first_chunk_mut::<4>) {
                let near = recipe.pick(&[1, 2, u32::MAX, u32::MAX - 1]);
                *word = u32::from_le_bytes(*word).wrapping_add(near).to_le_bytes();
            }
        }
    }
}
