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

/// Packs numbers into groups, if that changes none of them: those of a model that was trained with such rows.
pub(crate) fn pack_exactly(numbers: &[f32]) -> Option<Vec<u8>> {
    let (groups, []) = numbers.as_chunks::<GROUP>() else { return None };
    let mut packed = Vec::with_capacity(groups.len() * GROUP_BYTES);
    for group in groups {
        // The number that is farthest from zero is the lowest that a scale reaches.
        let farthest = group.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
        let scale = if farthest == 0.0 { 1.0 } else { farthest / -8.0 };
        packed.extend(packed::exact_half(scale)?.to_le_bytes());
        let codes = group.map(|number| number / scale + 8.0);
        let (low, high) = codes.split_at(GROUP / 2);
        packed.extend(low.iter().zip(high).map(|(&low, &high)| low as u8 | (high as u8) << 4));
        let mut unpacked = [0.0; GROUP];
        add_group(&mut unpacked, packed.last_chunk()?);
        // A zero may have changed its sign.
        if unpacked.iter().zip(group).any(|(unpacked, number)| unpacked - number != 0.0) {
            return None;
        }
    }
    Some(packed)
}

pub(crate) fn add_group(sum: &mut [f32; GROUP], group: &[u8; GROUP_BYTES]) {
    let scale = scale(group);
    let (low, high) = sum.split_at_mut(GROUP / 2);
    for ((low, high), &byte) in low.iter_mut().zip(high).zip(&group[2..]) {
        *low += scale * (f32::from(byte & 15) - 8.0);
        *high += scale * (f32::from(byte >> 4) - 8.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_numbers_are_packed() {
        let mut numbers: Vec<f32> = (0..64).map(|at| (at % 16) as f32 - 8.0).collect();
        numbers[..GROUP].iter_mut().for_each(|number| *number *= 0.25);
        numbers[GROUP..].iter_mut().for_each(|number| *number *= -0.007_812_5);
        numbers.extend([0.0; GROUP]);
        let packed = pack_exactly(&numbers).unwrap();
        assert_eq!(packed.len(), 3 * GROUP_BYTES);
        let mut unpacked = vec![0.0; numbers.len()];
        for (sum, group) in unpacked.as_chunks_mut().0.iter_mut().zip(packed.as_chunks().0) {
            add_group(sum, group);
        }
        assert_eq!(unpacked, numbers);

        assert_eq!(pack_exactly(&numbers[1..]), None, "half a group is left");
        for other in [0.126, -17.0, f32::NAN, f32::INFINITY] {
            numbers[3] = other;
            assert_eq!(pack_exactly(&numbers), None, "{other}");
        }
    }
}
