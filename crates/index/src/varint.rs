//! Numbers in as few bytes as they need.

/// Appends a number: seven bits to a byte, the lowest first; all of its bytes but the last have the eighth bit (LEB128).
pub(super) fn write_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number from the beginning of `bytes`, which is moved behind it; `None` if it does not end within 32 bits.
#[inline]
pub(super) fn read_varint(bytes: &mut &[u8]) -> Option<u32> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 0x80 {
        return Some(u32::from(first));
    }
    let mut number = u32::from(first & 0x7f);
    for shift in [7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u32::from(byte & 0x7f);
        number |= part << shift;
        if byte < 0x80 {
            return (part << shift >> shift == part).then_some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_read_as_they_were_written(number in any::<u32>()) {
            let mut bytes = Vec::new();
            write_varint(&mut bytes, number);
            let mut rest = bytes.as_slice();
            prop_assert_eq!((read_varint(&mut rest), rest.len()), (Some(number), 0));
        }
    }

    #[test]
    fn more_than_32_bits_are_refused() {
        let read = |mut bytes: &[u8]| read_varint(&mut bytes);
        assert_eq!(read(&[0xFF, 0xFF, 0xFF, 0xFF, 0x0F]), Some(u32::MAX));
        assert_eq!(read(&[0xFF, 0xFF, 0xFF, 0xFF, 0x1F]), None);
        assert_eq!(read(&[0x80, 0x80, 0x80, 0x80, 0x80, 0]), None);
    }
}
