//! A stream of numbers, the likely ones in fewer bits.

/// Computes the shorter codes of a range that is no power of two: their bits, their number, and the first
/// number that has one. They lie in the middle of the range, where numbers are likeliest.
fn short_codes(range: u32) -> (u32, u32, u32) {
    let bits = range.max(1).ilog2();
    let short = (2 << bits) - range;
    (bits, short, (range - short) / 2)
}

/// Appends numbers to bytes, the lowest bit of each first.
#[derive(Default)]
pub(super) struct BitWriter {
    out: Vec<u8>,
    held: u64,
    count: u32,
}

impl BitWriter {
    fn put(&mut self, bits: u32, number: u32) {
        self.held |= u64::from(number) << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.out.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// Appends a number below 2^26, mostly about `2^usual`, in an exponential Golomb code (Teuhola,
    /// 1978). The sum of both has `usual`, one and some further binary digits. As many zeros as
    /// these, a one and all digits of the sum but the highest stand for it.
    pub(super) fn about(&mut self, usual: u32, number: u32) {
        let sum = number + (1 << usual);
        let digits = sum.ilog2();
        self.put(digits - usual + 1, 1 << (digits - usual));
        self.put(digits, sum - (1 << digits));
    }

    /// Appends a number below `range`, which is less than 2^31.
    pub(super) fn below(&mut self, range: u32, number: u32) {
        let (bits, short, first) = short_codes(range);
        let turned = if number < first { number + range - first } else { number - first };
        if turned < short {
            self.put(bits, turned);
        } else {
            // A number from `short` on in the first bits says that there is one more.
            self.put(bits, (turned + short) >> 1);
            self.put(1, (turned + short) & 1);
        }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.put(7, 0);
        self.out
    }
}

/// Reads what a [`BitWriter`] wrote; behind the end there are zeros.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// The number of bits that have been read.
    read: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, read: 0 }
    }

    /// Reads the next 57 bits or more.
    #[inline]
    fn next(&self) -> u64 {
        let rest = self.bytes.get(self.read / 8..).unwrap_or_default();
        let word = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut word = [0; 8];
            word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            word
        });
        u64::from_le_bytes(word) >> (self.read % 8)
    }

    /// Reads a number that is mostly about `2^usual`. Behind the end it is 2^26 - 1 or more.
    #[inline]
    pub(super) fn about(&mut self, usual: u32) -> u32 {
        let next = self.next();
        let zeros = next.trailing_zeros().min(26);
        let digits = zeros + usual;
        self.read += (zeros + 1 + digits) as usize;
        let first = (1u64 << digits) - (1 << usual);
        (first + (next >> (zeros + 1) & ((1 << digits) - 1))) as u32
    }

    /// Reads a number below `range`.
    #[inline]
    pub(super) fn below(&mut self, range: u32) -> u32 {
        let (bits, short, first) = short_codes(range);
        let next = self.next();
        let (code, further) = ((next & ((1 << bits) - 1)) as u32, (next >> bits & 1) as u32);
        // Without branches: which code it is cannot be foreseen.
        let is_long = code >= short;
        self.read += bits as usize + usize::from(is_long);
        let turned = if is_long { (code << 1 | further) - short } else { code };
        let number = turned + first;
        if number < range { number } else { number - range }
    }

    /// Returns true if what was read ends in the last byte.
    pub(super) fn is_done(&self) -> bool {
        self.read.div_ceil(8) == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_read_as_they_were_written(
            numbers in prop::collection::vec((1u32..1 << 31).prop_flat_map(|range| (Just(range), 0..range)), 0..20),
            range in 1u32..70,
            any in prop::collection::vec((0u32..1 << 26, 0u32..25), 0..20),
        ) {
            let mut bits = BitWriter::default();
            numbers.iter().for_each(|&(range, number)| bits.below(range, number));
            (0..range).for_each(|number| bits.below(range, number));
            any.iter().for_each(|&(number, usual)| bits.about(usual, number));
            let bytes = bits.finish();
            let mut bits = BitReader::new(&bytes);
            for (range, number) in numbers {
                prop_assert_eq!(bits.below(range), number);
            }
            for number in 0..range {
                prop_assert_eq!(bits.below(range), number);
            }
            for (number, usual) in any {
                prop_assert_eq!(bits.about(usual), number);
            }
            prop_assert!(bits.is_done());
            prop_assert_eq!(bits.below(1 << 8), 0);
            prop_assert!(!bits.is_done());
        }
    }

    #[test]
    fn likely_numbers_have_the_shorter_codes() {
        let bytes_of_eight = |write: &dyn Fn(&mut BitWriter)| {
            let mut bits = BitWriter::default();
            (0..8).for_each(|_| write(&mut bits));
            bits.finish().len()
        };
        let below_five = |number| bytes_of_eight(&|bits| bits.below(5, number));
        assert_eq!([0, 1, 2, 3, 4].map(below_five), [3, 2, 2, 2, 3]);
        let about_four = |number| bytes_of_eight(&|bits| bits.about(2, number));
        assert_eq!([0, 3, 4, 11, 12, 27].map(about_four), [3, 3, 5, 5, 7, 7]);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..20), range in 1u32..1 << 31) {
            let mut bits = BitReader::new(&bytes);
            for usual in 0..25 {
                prop_assert!(bits.below(range) < range);
                bits.about(usual);
            }
        }
    }
}
