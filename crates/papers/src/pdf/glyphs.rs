//! The letters of a page with their places.

use hayro_interpret::font::Glyph;
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::{BlendMode, ClipPath, Device, GlyphDrawMode, Image, Paint, PathDrawMode, SoftMask};
use kurbo::{Affine, BezPath, Point};

/// The most letters of one page that are kept; a page full of print has ten thousand.
const MOST: usize = 400_000;

/// A letter, or several that are one sign. Lengths are in points; `y` grows downwards.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    pub(super) text: BfString,
    pub(super) x: f64,
    pub(super) y: f64,
    /// The width, if the font tells it.
    pub(super) width: f64,
    pub(super) size: f64,
    /// The quarter turns that the baseline is rotated by.
    turn: u8,
}

/// Keeps the letters that a page shows.
#[derive(Default)]
pub(super) struct Letters {
    pub(super) all: Vec<Letter>,
    /// Signs whose font does not say which letters they are.
    pub(super) unknown: usize,
    pub(super) has_images: bool,
}

impl Letters {
    /// Turns the page so that most of its lines are level, and drops the others, such as a stamp at the margin.
    pub(super) fn level(&mut self) {
        let mut counts = [0_usize; 5];
        self.all.iter().for_each(|letter| counts[usize::from(letter.turn)] += 1);
        let most = (0..4).max_by_key(|turn| (counts[*turn], 4 - *turn)).unwrap_or(0) as u8;
        self.all.retain(|letter| letter.turn == most);
        for Letter { x, y, .. } in &mut self.all {
            (*x, *y) = match most {
                1 => (*y, -*x),
                2 => (-*x, -*y),
                3 => (-*y, *x),
                _ => (*x, *y),
            };
        }
    }
}

impl<'a> Device<'a> for Letters {
    fn draw_glyph(
        &mut self,
        glyph: &Glyph<'a>,
        transform: Affine,
        glyph_transform: Affine,
        _: &Paint<'a>,
        _: &GlyphDrawMode,
    ) {
        let all = transform * glyph_transform;
        let Point { x, y } = all * Point::ORIGIN;
        // A glyph is drawn a thousand units high.
        let [a, b, c, d, ..] = all.as_coeffs().map(|value| value * 1000.0);
        let (along, size) = (a.hypot(b), c.hypot(d));
        let is_sound = [x, y, along, size].iter().all(|value| value.is_finite() && value.abs() < 1e6);
        if !is_sound || size < 0.5 || self.all.len() >= MOST {
            return;
        }
        let Some(text) = glyph.as_unicode().filter(is_text) else {
            self.unknown += 1;
            return;
        };
        let turn = match (a / along.max(1e-9), b / along.max(1e-9)) {
            (cos, _) if cos > 0.95 => 0,
            (_, sin) if sin > 0.95 => 1,
            (cos, _) if cos < -0.95 => 2,
            (_, sin) if sin < -0.95 => 3,
            _ => 4,
        };
        let advance = match glyph {
            Glyph::Outline(glyph) => glyph.advance_width().map(f64::from),
            Glyph::Type3(_) => None,
        };
        let width = advance.filter(|width| (0.0..5000.0).contains(width)).unwrap_or(500.0) / 1000.0 * along;
        self.all.push(Letter { text, x, y, width, size, turn });
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: Affine) {
        self.has_images = true;
    }

    fn set_soft_mask(&mut self, _: Option<SoftMask<'a>>) {}
    fn set_blend_mode(&mut self, _: BlendMode) {}
    fn draw_path(&mut self, _: &BezPath, _: Affine, _: &Paint<'a>, _: &PathDrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn pop_clip_path(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

/// Returns true for what a person reads, unlike the codes that some fonts keep for themselves.
fn is_text(text: &BfString) -> bool {
    let is_known = |c: char| !matches!(c, '\u{FFFD}' | '\0' | '\u{E000}'..='\u{F8FF}');
    match text {
        BfString::Char(c) => is_known(*c),
        BfString::String(text) => text.chars().all(is_known),
    }
}

impl Letter {
    pub(super) fn push_to(&self, out: &mut String) {
        match &self.text {
            BfString::Char(c) => push(out, *c),
            BfString::String(text) => text.chars().for_each(|c| push(out, c)),
        }
    }

    pub(super) fn is_space(&self) -> bool {
        match &self.text {
            BfString::Char(c) => c.is_whitespace(),
            BfString::String(text) => text.trim().is_empty(),
        }
    }

    /// Returns the only character, if there is one.
    pub(super) fn character(&self) -> Option<char> {
        match self.text {
            BfString::Char(c) => Some(c),
            BfString::String(_) => None,
        }
    }
}

/// Adds a character, ligatures as their letters.
fn push(out: &mut String, c: char) {
    match c {
        '\u{FB00}' => out.push_str("ff"),
        '\u{FB01}' => out.push_str("fi"),
        '\u{FB02}' => out.push_str("fl"),
        '\u{FB03}' => out.push_str("ffi"),
        '\u{FB04}' => out.push_str("ffl"),
        '\u{FB05}' | '\u{FB06}' => out.push_str("st"),
        '\u{A0}' | '\t' => out.push(' '),
        c if c.is_control() => {}
        c => out.push(c),
    }
}
