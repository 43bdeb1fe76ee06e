//! PDF: letters at places, which become rows, columns, paragraphs and headings.

mod columns;
mod edges;
mod glyphs;
mod hyphens;
mod outline;
mod pieces;
mod rows;
#[cfg(test)]
mod tests;

use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, TransformExt, interpret_page};
use kurbo::Rect;

use crate::html::{begin, escape, stem, title};
use crate::{EMPTY, Fault, PAGE};
use glyphs::Letters;
use hyphens::Words;
use pieces::{PageRows, Piece, PieceKind};
use rows::Stretch;

/// The levels of headings in HTML, below the title's.
const LEVELS: usize = 5;
const OCR: &str = "Recognise its letters first, for example by `ocrmypdf in.pdf out.pdf`.";

pub(crate) fn html(name: &str, bytes: &[u8], turn: &mut dyn FnMut(usize)) -> Result<String, Fault> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Fault::new(
            "it needs a password",
            "Write it without one, for example by `qpdf --decrypt --password=... in.pdf out.pdf`.",
        ),
        LoadPdfError::Decryption(_) => Fault::new("its encryption is not supported", ""),
        LoadPdfError::Invalid => Fault::new("it is broken, or no PDF", ""),
    })?;
    let bookmarks = outline::bookmarks(&pdf);
    let mut read = read_pages(&pdf, turn);
    edges::drop_edges(&mut read.pages.iter_mut().map(|(_, page)| page).collect::<Vec<_>>());
    let pages: Vec<PageRows> = read
        .pages
        .into_iter()
        .map(|(number, page)| PageRows { number, blocks: columns::blocks(&page) })
        .collect();
    let has_text = pages.iter().any(|page| page.blocks.iter().flatten().any(|row| !row.text.is_empty()));
    if !has_text || read.unknown > read.known {
        return Err(match (pdf.pages().is_empty(), read.unknown) {
            (true, _) => Fault::new("it has no pages", ""),
            (_, 0) => Fault::new("it has no text, only images of its pages", OCR),
            _ => Fault::new("its fonts do not say which letters they show", OCR),
        });
    }
    let usual = pieces::usual_size(&pages);
    let said = pdf.metadata().title.as_deref().map(outline::words).unwrap_or_default();
    let title =
        title(&said).or_else(|| pieces::largest(&pages, usual)).unwrap_or_else(|| stem(name).to_owned());
    let pieces = pieces::pieces(&pages, &bookmarks, &title, usual);
    let language = pdf
        .xref()
        .get::<Dict<'_>>(pdf.xref().root_id())
        .and_then(|catalog| catalog.get::<PdfString<'_>>("Lang"))
        .map(|language| outline::words(&language));
    let mut html = write(&title, language.as_deref(), &pieces);
    if !read.empty.is_empty() {
        let numbers: Vec<String> = read.empty.iter().map(ToString::to_string).collect();
        html.push_str(&[EMPTY, &numbers.join(", "), "-->"].concat());
    }
    Ok(html)
}

#[derive(Default)]
struct ReadPages {
    /// The pages with text, by their number from 1.
    pages: Vec<(usize, Vec<Stretch>)>,
    /// Pages that show images and no text.
    empty: Vec<usize>,
    known: usize,
    unknown: usize,
}

fn read_pages(pdf: &Pdf, turn: &mut dyn FnMut(usize)) -> ReadPages {
    let cache = InterpreterCache::new();
    let mut read = ReadPages::default();
    for (page, number) in pdf.pages().iter().zip(1..) {
        turn(number);
        let mut letters = Letters::default();
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let to_view = page.initial_transform(true).to_kurbo();
        // Comments and form fields are no part of the text.
        let settings = InterpreterSettings { render_annotations: false, ..InterpreterSettings::default() };
        let mut context = Context::new(to_view, bounds, &cache, pdf.xref(), settings);
        interpret_page(page, &mut context, &mut letters);
        letters.all.retain(|letter| bounds.inflate(1.0, 1.0).contains((letter.x, letter.y)));
        letters.level();
        read.known += letters.all.len();
        read.unknown += letters.unknown;
        let stretches = rows::stretches(&letters.all);
        if stretches.is_empty() {
            read.empty.extend(letters.has_images.then_some(number));
        } else {
            read.pages.push((number, stretches));
        }
    }
    read
}

fn write(title: &str, language: Option<&str>, pieces: &[Piece]) -> String {
    let mut words = Words::default();
    for Piece { rows, .. } in pieces.iter().filter(|piece| piece.kind != PieceKind::Code) {
        let rows: Vec<&str> = rows.iter().map(|(_, text)| text.as_str()).collect();
        words.learn(&rows.join("\n"));
    }
    let mut out = begin(title, language);
    let mut page = 0;
    let mut turn =
        |out: &mut String, number: usize| out.push_str(&[PAGE, &number.to_string(), "-->"].concat());
    let first = pieces.first().and_then(|piece| piece.rows.first()).map_or(1, |(number, _)| *number);
    turn(&mut out, first);
    page += first;
    out.push_str("<h1>");
    escape(&mut out, title);
    out.push_str("</h1>\n");
    let mut in_list = false;
    for Piece { kind, rows } in pieces {
        if in_list != (*kind == PieceKind::Item) {
            out.push_str(if in_list { "</ul>\n" } else { "<ul>\n" });
            in_list = !in_list;
        }
        let (open, close) = match kind {
            PieceKind::Heading(level) => {
                let level = (level.min(&(LEVELS - 1)) + 2).to_string();
                (["<h", &level, ">"].concat(), ["</h", &level, ">"].concat())
            }
            PieceKind::Text => ("<p>".to_owned(), "</p>".to_owned()),
            PieceKind::Item => ("<li>".to_owned(), "</li>".to_owned()),
            PieceKind::Code => ("<pre>".to_owned(), "</pre>".to_owned()),
        };
        // A page that begins with a piece begins before it.
        if let Some((number, _)) = rows.first().filter(|(number, _)| *number != page) {
            turn(&mut out, *number);
            page = *number;
        }
        out.push_str(&open);
        if *kind == PieceKind::Code {
            for (number, line) in rows {
                if *number != page {
                    turn(&mut out, *number);
                    page = *number;
                }
                escape(&mut out, line);
                out.push('\n');
            }
        } else {
            pieces::joined(rows, &words, &mut page, &mut turn, escape, &mut out);
        }
        out.push_str(&close);
        out.push('\n');
    }
    if in_list {
        out.push_str("</ul>\n");
    }
    out.push_str("</main>\n");
    out
}
