//! The bookmarks of a PDF: its headings, with the pages that they lead to.

use std::collections::HashMap;

use hayro_interpret::TransformExt;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{
    Array, Dict, Name, Object, ObjectIdentifier, String as PdfString,
};
use kurbo::Point;

/// The most bookmarks, and places with names, that are read; and how deep either nests.
const MOST: usize = 50_000;
const DEEPEST: usize = 12;

/// A bookmark.
#[derive(Clone, Debug)]
pub(super) struct Bookmark {
    pub(super) title: String,
    /// The depth, from 0.
    pub(super) level: usize,
    /// The page, from 0.
    pub(super) page: usize,
    /// The height on the page that it leads to, downwards, if it says one.
    pub(super) y: Option<f64>,
}

/// Reads the bookmarks of a file in their order, without those that lead to no page.
pub(super) fn bookmarks(pdf: &Pdf) -> Vec<Bookmark> {
    let Some(catalog) = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id()) else { return Vec::new() };
    let Some(root) = catalog.get::<Dict<'_>>("Outlines") else { return Vec::new() };
    let pages = pdf.pages().iter().zip(0..);
    let pages = pages.filter_map(|(page, number)| Some((page.raw().obj_id()?, number))).collect();
    let mut reader = OutlineReader { pdf, pages, names: HashMap::new(), read: 0, out: Vec::new() };
    reader.named(&catalog);
    reader.children(&root, 0);
    reader.out
}

struct OutlineReader<'a> {
    pdf: &'a Pdf,
    pages: HashMap<ObjectIdentifier, usize>,
    /// Places that have names.
    names: HashMap<Vec<u8>, Object<'a>>,
    read: usize,
    out: Vec<Bookmark>,
}

impl<'a> OutlineReader<'a> {
    fn named(&mut self, catalog: &Dict<'a>) {
        if let Some(old) = catalog.get::<Dict<'a>>("Dests") {
            for name in old.keys().take(MOST) {
                if let Some(place) = old.get::<Object<'a>>(&*name) {
                    self.names.insert(name.to_vec(), place);
                }
            }
        }
        if let Some(tree) = catalog.get::<Dict<'a>>("Names").and_then(|names| names.get::<Dict<'a>>("Dests"))
        {
            self.tree(&tree, 0);
        }
    }

    fn tree(&mut self, node: &Dict<'a>, depth: usize) {
        self.read += 1;
        if depth > DEEPEST || self.read > MOST {
            return;
        }
        if let Some(pairs) = node.get::<Array<'a>>("Names") {
            let mut items = pairs.iter::<Object<'a>>();
            while let (Some(name), Some(place)) = (items.next(), items.next()) {
                if let (Object::String(name), true) = (name, self.names.len() < MOST) {
                    self.names.insert(name.as_bytes().to_vec(), place);
                }
            }
        }
        if let Some(kids) = node.get::<Array<'a>>("Kids") {
            kids.iter::<Dict<'a>>().for_each(|kid| self.tree(&kid, depth + 1));
        }
    }

    fn children(&mut self, parent: &Dict<'a>, level: usize) {
        let mut next = parent.get::<Dict<'a>>("First");
        while let Some(item) = next.take() {
            self.read += 1;
            if level > DEEPEST || self.read > 2 * MOST {
                return;
            }
            let title = item.get::<PdfString<'a>>("Title").map(|title| words(&title)).unwrap_or_default();
            if let Some((page, y)) = self.place_of(&item).filter(|_| !title.is_empty()) {
                self.out.push(Bookmark { title, level, page, y });
            }
            self.children(&item, level + 1);
            next = item.get::<Dict<'a>>("Next");
        }
    }

    fn place_of(&self, item: &Dict<'a>) -> Option<(usize, Option<f64>)> {
        let place = item.get::<Object<'a>>("Dest").or_else(|| {
            let action = item.get::<Dict<'a>>("A")?;
            action.get::<Name<'a>>("S").filter(|kind| **kind == *b"GoTo")?;
            action.get::<Object<'a>>("D")
        })?;
        self.place(place, 0)
    }

    fn place(&self, place: Object<'a>, depth: usize) -> Option<(usize, Option<f64>)> {
        if depth > 3 {
            return None;
        }
        match place {
            Object::Array(array) => self.on_page(&array),
            Object::String(name) => self.place(self.names.get(name.as_bytes())?.clone(), depth + 1),
            Object::Name(name) => self.place(self.names.get(&*name)?.clone(), depth + 1),
            Object::Dict(dict) => self.place(dict.get::<Object<'a>>("D")?, depth + 1),
            _ => None,
        }
    }

    /// Reads a place such as `[page /XYZ left top zoom]`.
    fn on_page(&self, array: &Array<'a>) -> Option<(usize, Option<f64>)> {
        let page = match array.raw_iter().next()?.as_obj_ref() {
            Some(reference) => *self.pages.get(&reference.into())?,
            None => match array.iter::<Object<'a>>().next()? {
                Object::Number(number) => usize::try_from(number.as_i64()).ok()?,
                _ => return None,
            },
        };
        let to_view = self.pdf.pages().get(page)?.initial_transform(true).to_kurbo();
        let items: Vec<Object<'a>> = array.iter::<Object<'a>>().take(5).collect();
        let number = |at: usize| match items.get(at) {
            Some(Object::Number(number)) => Some(number.as_f64()),
            _ => None,
        };
        let top = match items.get(1) {
            Some(Object::Name(kind)) if **kind == *b"XYZ" => number(3),
            Some(Object::Name(kind)) if **kind == *b"FitH" || **kind == *b"FitBH" => number(2),
            _ => None,
        };
        let y = top.map(|top| (to_view * Point::new(number(2).unwrap_or(0.0), top)).y);
        Some((page, y.filter(|y| y.is_finite())))
    }
}

/// The words of a text string: UTF-16 or UTF-8 with a mark, else an encoding that is near Latin-1.
pub(super) fn words(bytes: &[u8]) -> String {
    let units = |bytes: &[u8], of: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    let text = match bytes {
        [0xFE, 0xFF, rest @ ..] => units(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| latin(*byte)).collect(),
        },
    };
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn latin(byte: u8) -> char {
    match byte {
        0x80 => '•',
        0x84 => '—',
        0x85 => '–',
        0x8D => '“',
        0x8E => '”',
        0x8F => '‘',
        0x90 => '’',
        0x92 => '™',
        0x93 => 'ﬁ',
        0x94 => 'ﬂ',
        0xA0 => '€',
        byte => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_strings_have_three_encodings() {
        assert_eq!(words(b"\xFE\xFF\0T\0\xE9\0e"), "Tée");
        assert_eq!(words(b"\xEF\xBB\xBFT\xC3\xA9e"), "Tée");
        assert_eq!(words(b"T\xE9e\r\n \x84 x"), "Tée — x");
        assert_eq!(words(b"\xFE\xFF\0"), "");
    }
}
