//! `read_section`: the whole text around a passage, or a section of a document.

use std::fmt::Write;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::arguments::{self, ReadArguments};
use super::library::{Library, ServedCollection};
use super::section::{Assembled, SectionPiece, SectionWindow, shared};
use super::shown::{attributes, without_nulls};
use ibid_index::{DocumentRecord, StoredChunk};
use ibid_platform::Result;
use ibid_trust::cite::xml::escape;

/// Sections that are named in place of one that there is not.
const NAMED_SECTIONS: usize = 40;

/// The text that a model reads, and the same for programs; or what to tell the model.
pub(super) fn call(
    library: &Library,
    nonce: &str,
    arguments: &JsonObject,
) -> std::result::Result<(String, Value), String> {
    let arguments = arguments::read(arguments)?;
    let collections = library.select(arguments.collection.as_deref())?;
    let found = find(&collections, &arguments).map_err(|error| error.in_words())??;
    let (pieces, path) = choose(found.collection, &found, arguments.section.as_deref())?;
    let assembled = Assembled::new(&pieces, path.len());
    let window = match (arguments.offset, found.at) {
        (Some(offset), _) if offset > 0 && offset >= assembled.length() => {
            return Err(format!(
                "The section has {} characters; nothing is at {offset}.",
                assembled.length()
            ));
        }
        (None, Some(index)) => {
            let at = pieces.iter().position(|piece| piece.place.index == index).unwrap_or(0);
            assembled.around(at, arguments.max_chars)
        }
        (offset, _) => assembled.from(offset.unwrap_or(0), arguments.max_chars),
    };
    let shown =
        ShownSection { library, found: &found, path: &path, window: &window, length: assembled.length() };
    Ok((shown.text(nonce), shown.object()))
}

/// The result of a call, to be written down.
struct ShownSection<'a> {
    library: &'a Library,
    found: &'a FoundText<'a>,
    path: &'a [String],
    window: &'a SectionWindow<'a>,
    /// The length of the whole section, in characters.
    length: usize,
}

impl ShownSection<'_> {
    fn next_offset(&self) -> Option<usize> {
        Some(self.window.range.end).filter(|end| *end < self.length)
    }

    fn collection(&self) -> Option<&str> {
        self.library.is_several().then_some(self.found.collection.name.as_str())
    }

    fn text(&self, nonce: &str) -> String {
        let Self { found: FoundText { document, .. }, path, window, length, .. } = self;
        let lines = format!("{}-{}", window.lines.0, window.lines.1);
        let mut text = format!("<section-{nonce}");
        attributes(
            &mut text,
            &[
                ("collection", self.collection()),
                ("document", Some(&*document.metadata.title)),
                ("section", Some(&*path.join(" > ")).filter(|path| !path.is_empty())),
                ("source", Some(&*document.source)),
                ("lines", Some(&*lines)),
            ],
        );
        text.push_str(">\n");
        escape(&mut text, window.text.trim_end(), false);
        text.extend(["\n</section-", nonce, ">"]);
        let (from, to, next) = (window.range.start, window.range.end, self.next_offset());
        // Writing to a string cannot fail.
        if from > 0 || next.is_some() {
            let _ = write!(text, "\nThese are characters {from} to {to} of {length}.");
        }
        if let Some(next) = next {
            let _ = write!(text, " Call read_section again with offset {next} for what follows.");
        }
        if from > 0 {
            text.push_str(" Offset 0 is the section's beginning.");
        }
        text
    }

    fn object(&self) -> Value {
        let Self { found: FoundText { document, .. }, path, window, length, .. } = self;
        without_nulls(json!({
            "collection": self.collection(),
            "document": document.metadata.document_id,
            "title": document.metadata.title,
            "source": document.source,
            "url": document.metadata.url,
            "section": path,
            "first_line": window.lines.0,
            "last_line": window.lines.1,
            "offset": window.range.start,
            "length": length,
            "next_offset": self.next_offset(),
            "text": window.text,
        }))
    }
}

/// The section that the arguments name.
struct FoundText<'a> {
    collection: &'a ServedCollection,
    document: DocumentRecord,
    /// The number of the passage in it, if one is named.
    at: Option<u32>,
}

fn find<'a>(
    collections: &[&'a ServedCollection],
    arguments: &ReadArguments,
) -> Result<std::result::Result<FoundText<'a>, String>> {
    let Some(id) = arguments.passage else {
        let named = arguments.document.as_deref().unwrap_or_default();
        let mut like = Vec::new();
        for collection in collections {
            if let Some(document) = collection.document(named)? {
                return Ok(Ok(FoundText { collection, document, at: None }));
            }
            like.extend(collection.documents_like(named)?);
        }
        let hint = if like.is_empty() {
            "search_documents finds documents and names them.".to_owned()
        } else {
            format!("There are: {}.", like.join(", "))
        };
        return Ok(Err(format!("There is no document {named:?}. {hint}")));
    };
    for collection in collections {
        let index = collection.retriever.index();
        let Some(number) = collection.passage(id)? else { continue };
        let Some(StoredChunk { place, duplicates, .. }) = index.chunk(number)? else { continue };
        let named = arguments.document.as_deref().map(|named| collection.document(named)).transpose()?;
        let mut places = std::iter::once(place).chain(duplicates);
        let place = match named.flatten() {
            Some(named) => {
                places.find(|place| place.document.metadata.document_id == named.metadata.document_id)
            }
            None if arguments.document.is_some() => None,
            None => places.next(),
        };
        if let Some(place) = place {
            return Ok(Ok(FoundText { collection, document: place.document, at: Some(place.index) }));
        }
    }
    let wherein = if arguments.document.is_some() { " in that document" } else { "" };
    Ok(Err(format!(
        "There is no passage {id:016x}{wherein}. Take the id from a result of search_documents; it changes when its text does."
    )))
}

/// Chooses the passages of a section in a row, with the section's heading path.
fn choose(
    collection: &ServedCollection,
    found: &FoundText<'_>,
    section: Option<&str>,
) -> std::result::Result<(Vec<SectionPiece>, Vec<String>), String> {
    let piece = |at: u32| piece(collection, &found.document, at).map_err(|error| error.in_words());
    // A passage of a section, or of one below it, begins its path with the section's.
    let is_below = |piece: &SectionPiece, path: &[String]| shared(path_of(piece), path) == path.len();
    if let (Some(at), None) = (found.at, section) {
        let Some(middle) = piece(at)? else { return Ok(<_>::default()) };
        let path = path_of(&middle).to_vec();
        let (mut before, mut pieces) = (Vec::new(), vec![middle]);
        for at in (0..at).rev() {
            let Some(piece) = piece(at)?.filter(|piece| is_below(piece, &path)) else { break };
            before.push(piece);
        }
        for at in at + 1..found.document.chunks {
            let Some(piece) = piece(at)?.filter(|piece| is_below(piece, &path)) else { break };
            pieces.push(piece);
        }
        before.reverse();
        before.append(&mut pieces);
        return Ok((before, path));
    }
    let mut pieces = Vec::new();
    for at in 0..found.document.chunks {
        pieces.extend(piece(at)?);
    }
    let Some(section) = section else { return Ok((pieces, Vec::new())) };
    let paths = section_paths(&pieces);
    let Some(path) = named_section(&paths, section) else {
        let shown: Vec<String> = paths.iter().take(NAMED_SECTIONS).map(|path| path.join(" > ")).collect();
        let more = if paths.len() > shown.len() { " and more" } else { "" };
        return Err(format!(
            "There is no section {section:?} in {}. Its sections are:\n{}{more}",
            found.document.source,
            shown.join("\n")
        ));
    };
    // Two sections of a document may have the same headings; the one with the passage is meant, else the first.
    let of_passage =
        pieces.iter().position(|piece| Some(piece.place.index) == found.at && is_below(piece, &path));
    let inside = of_passage.or_else(|| pieces.iter().position(|piece| is_below(piece, &path))).unwrap_or(0);
    let first = pieces[..inside].iter().rposition(|piece| !is_below(piece, &path)).map_or(0, |at| at + 1);
    let run = pieces.into_iter().skip(first).take_while(|piece| is_below(piece, &path));
    Ok((run.collect(), path))
}

fn path_of(piece: &SectionPiece) -> &[String] {
    &piece.place.section.heading_path
}

/// Reads the passage at a number of a document.
fn piece(collection: &ServedCollection, document: &DocumentRecord, at: u32) -> Result<Option<SectionPiece>> {
    let index = collection.retriever.index();
    let id = &document.metadata.document_id;
    let Some(number) = index.chunk_at(id, at)? else { return Ok(None) };
    let Some(StoredChunk { text, repeated, place, duplicates, .. }) = index.chunk(number)? else {
        return Ok(None);
    };
    let mut places = std::iter::once(place).chain(duplicates);
    let place = places.find(|place| place.index == at && place.document.metadata.document_id == *id);
    Ok(place.map(|place| SectionPiece { text, repeated, place }))
}

/// Lists the heading paths of all sections, those without text of their own included, in the order of the document.
fn section_paths(pieces: &[SectionPiece]) -> Vec<Vec<String>> {
    let mut known = std::collections::HashSet::new();
    let mut paths = Vec::new();
    for piece in pieces {
        let path = path_of(piece);
        for end in 1..=path.len() {
            if known.insert(&path[..end]) {
                paths.push(path[..end].to_vec());
            }
        }
    }
    paths
}

/// Finds the section that is meant by a path, by the end of one, or by a heading, whatever the case of its letters.
fn named_section(paths: &[Vec<String>], named: &str) -> Option<Vec<String>> {
    let named = named.trim().to_lowercase();
    let written: Vec<String> = paths.iter().map(|path| path.join(" > ").to_lowercase()).collect();
    let end = format!(" > {named}");
    let at = written
        .iter()
        .position(|path| *path == named)
        .or_else(|| written.iter().position(|path| path.ends_with(&end)))?;
    Some(paths[at].clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_named_by_its_path_or_its_end() {
        let path = |headings: &[&str]| -> Vec<String> { headings.iter().map(|&h| h.to_owned()).collect() };
        let paths =
            [path(&["Tea"]), path(&["Tea", "Black"]), path(&["Tea", "Black", "Milk"]), path(&["Milk"])];
        let find = |named: &str| named_section(&paths, named);
        assert_eq!(find("Tea > Black"), Some(path(&["Tea", "Black"])));
        assert_eq!(find("black > milk"), Some(path(&["Tea", "Black", "Milk"])));
        assert_eq!(find("milk"), Some(path(&["Milk"])), "a whole path comes before the end of one");
        assert_eq!(find("lack"), None);
        assert_eq!(find(""), None);
    }
}
