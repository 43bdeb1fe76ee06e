//! Formulas in `MathML`: powers and fractions, whose parts would run into one number.

/// A power or a fraction that is open.
struct MathFrame {
    sign: &'static str,
    /// The parts that have begun, and the elements that are open within.
    parts: usize,
    depth: usize,
    /// The part is a group, which is written in brackets.
    is_group: bool,
}

/// The powers and fractions that are open, outermost first.
#[derive(Default)]
pub(super) struct Math(Vec<MathFrame>);

impl Math {
    /// Returns true within one, where white space means nothing.
    pub(super) fn is_open(&self) -> bool {
        !self.0.is_empty()
    }

    /// Begins an element; returns the signs that stand before it.
    pub(super) fn start(&mut self, name: &str) -> [&'static str; 2] {
        let mut signs = [""; 2];
        if is_empty(name) {
            return signs;
        }
        // Where the end of a formula is missing, other elements tell.
        if !name.starts_with('m') && name != "semantics" {
            self.0.clear();
        }
        if let Some(frame) = self.0.last_mut() {
            if frame.depth == 0 {
                frame.parts += 1;
                frame.is_group = name == "mrow" || name == "mfrac";
                signs =
                    [if frame.parts == 2 { frame.sign } else { "" }, if frame.is_group { "(" } else { "" }];
            }
            frame.depth += 1;
        }
        if let Some(sign) = match name {
            "msup" => Some("^"),
            "mfrac" => Some("/"),
            _ => None,
        } {
            self.0.push(MathFrame { sign, parts: 0, depth: 0, is_group: false });
        }
        signs
    }

    /// Ends an element; returns the sign that stands behind it.
    pub(super) fn end(&mut self, name: &str) -> &'static str {
        if is_empty(name) {
            return "";
        }
        if name == "math" {
            self.0.clear();
        }
        if self.0.last().is_some_and(|frame| frame.depth == 0) {
            self.0.pop();
        }
        let Some(frame) = self.0.last_mut() else { return "" };
        frame.depth = frame.depth.saturating_sub(1);
        if frame.depth == 0 && std::mem::take(&mut frame.is_group) { ")" } else { "" }
    }
}

fn is_empty(name: &str) -> bool {
    matches!(name, "mspace" | "mglyph" | "mprescripts" | "none")
}
