//! The weight that an author gives a page, or a part of it.

use std::ops::Range;

use super::Document;

/// The weight of what no author weighed, in hundredths.
pub const USUAL_WEIGHT: u16 = 100;
/// The greatest weight, in hundredths.
const MOST: f32 = 1000.0;

/// The warning about a weight that is none.
pub(crate) const NO_WEIGHT: &str = "weights that are not a number from 0 to 10 are ignored";

/// Reads a weight, a number from 0 to 10, as hundredths.
pub fn weight(text: &str) -> Option<u16> {
    let hundredths = (text.trim().parse::<f32>().ok()? * f32::from(USUAL_WEIGHT)).round();
    (0.0..=MOST).contains(&hundredths).then_some(hundredths as u16)
}

impl Document {
    /// Gives the document a weight, in hundredths, unless it says its own.
    pub fn weigh(&mut self, weight: u16) {
        self.page.weight.get_or_insert(weight);
    }

    /// Returns the weight of a stretch of its text, in hundredths: the mean of its parts by their bytes.
    pub fn weight_of(&self, range: &Range<usize>) -> u16 {
        let usual = self.page.weight.unwrap_or(USUAL_WEIGHT);
        let all = range.len().max(1) as i64;
        let parts = self.page.weights.iter().map(|(part, weight)| {
            let shared = part.end.min(range.end).saturating_sub(part.start.max(range.start));
            (i64::from(*weight) - i64::from(usual)) * shared as i64
        });
        (i64::from(usual) + parts.sum::<i64>() / all) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_numbers_from_0_to_10() {
        assert_eq!(["0", "0.5", " 10 ", "1.234"].map(weight), [Some(0), Some(50), Some(1000), Some(123)]);
        assert_eq!(["-1", "10.1", "high", "", "NaN", "inf"].map(weight), [None; 6]);
    }

    #[test]
    fn a_stretch_weighs_as_its_parts_do_together() {
        let mut document = Document::parse("a.md", b"0123456789").unwrap();
        assert_eq!(document.weight_of(&(0..10)), USUAL_WEIGHT);
        document.page.weights = vec![(0..5, 300), (8..20, 0)];
        assert_eq!(document.weight_of(&(0..10)), 180);
        assert_eq!(document.weight_of(&(8..10)), 0);
        document.weigh(200);
        document.weigh(900);
        assert_eq!((document.weight_of(&(5..8)), document.weight_of(&(0..5))), (200, 300));
    }
}
