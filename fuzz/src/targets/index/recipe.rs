//! Decisions read from bytes, so that a fuzzer that changes bytes changes decisions.

/// Bytes that decide. When they are used up, every decision is the first of its choices.
pub struct Recipe<'a>(&'a [u8]);

impl<'a> Recipe<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// A number below `end`, or 0; two bytes, or one where that is enough.
    pub fn below(&mut self, end: usize) -> usize {
        let mut number = usize::from(self.byte());
        if end > 256 {
            number |= usize::from(self.byte()) << 8;
        }
        number % end.max(1)
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
