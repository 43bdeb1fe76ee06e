//! Groups of components, as rows have them: a scale and four bits each.

use crate::packed;

/// The components that share one scale.
pub(crate) const GROUP: usize = 32;

/// The bytes of a group: a scale of two bytes and two components in every byte.
pub(crate) const GROUP_BYTES: usize = 2 + GROUP / 2;

fn scale(group: &[u8; GROUP_BYTES]) -> f32 {
    packed::half(u16::from_le_bytes([group[0], group[1]]))
}

/// Returns true if every scale in rows of groups is a finite number.
pub(crate) fn scales_are_finite(rows: &[u8]) -> bool {
    rows.as_chunks().0.iter().all(|group| scale(group).is_finite())
}

pub(crate) fn add_group(sum: &mut [f32; GROUP], group: &[u8; GROUP_BYTES]) {
    let scale = scale(group);
    let (low, high) = sum.split_at_mut(GROUP / 2);
    for ((low, high), &byte) in low.iter_mut().zip(high).zip(&group[2..]) {
        *low += scale * (f32::from(byte & 15) - 8.0);
        *high += scale * (f32::from(byte >> 4) - 8.0);
    }
}
