//! Brackets and strings of JavaScript, as far as an end has to be found.

/// Visits each byte outside of strings, with the number of brackets that are open behind it, until something is found.
pub(super) fn walk<T>(text: &[u8], mut visit: impl FnMut(usize, u8, usize) -> Option<T>) -> Option<T> {
    let (mut depth, mut quote) = (0usize, None);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if let Some(open) = quote {
            // Only a template goes on behind the end of its line.
            let is_over = byte == open || (byte == b'\n' && open != b'`');
            quote = quote.filter(|_| !is_over);
            at += usize::from(byte == b'\\');
        } else {
            match byte {
                b'\'' | b'"' | b'`' => quote = Some(byte),
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if let Some(found) = visit(at, byte, depth) {
                return Some(found);
            }
        }
        at += 1;
    }
    None
}

/// Computes the length of the expression in braces that the text begins with.
pub(super) fn braces(text: &str) -> Option<usize> {
    walk(text.as_bytes(), |at, byte, depth| (byte == b'}' && depth == 0).then_some(at + 1))
}
