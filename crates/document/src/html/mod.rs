//! HTML: the pages of a built site, without what stands around their content.
//!
//! The content is what is in `<main>`, else in `<article>`, else in the body without its navigation, headers, footers
//! and sidebars; where its author has marked it, what is marked. Headings make the tree, as they do in markdown; the id of a heading, or of what it stands in, is the
//! section's anchor, so that a hit links to its place on the page. Pages that say `noindex`, that only lead on to another, or
//! only list others by tag or date, and the page of a server's error 404 are left out.

mod element;
mod furniture;
mod head;
mod implied;
mod marks;
mod math;
mod note;
mod reader;
mod spoken;
mod structure;
mod survey;

use super::encoding::Decoded;
use super::{Document, skipped, stem};
use crate::tags::{Token, tokens};
pub use furniture::is_error_page;
use ibid_platform::Result;
use marks::AuthorMarks;
use reader::HtmlReader;
use structure::ElementRole;

pub(super) fn parse(source: String, decoded: Decoded) -> Result<Document> {
    if is_error_page(&source) {
        return Err(skipped(&source, "error page"));
    }
    let Decoded { text, origin, warnings } = decoded;
    let tokens: Vec<Token> = tokens(&text).collect();
    let (mut content, is_index) = survey::content(&text, &tokens);
    let name = source.rsplit('/').next().unwrap_or(&source);
    if is_index && stem(name) != "index" {
        return Err(skipped(&source, "it only lists other pages"));
    }
    let mut roles = structure::roles(&text, &tokens);
    let mut marks = AuthorMarks::of(&text, &tokens);
    marks.add_spoken(&text, &tokens);
    content.extend(&marks.bodies);
    roles.extend(marks.ignored.iter().map(|at| (*at, ElementRole::LeftOut)));
    let mut reader = HtmlReader::new(&text, origin);
    for (at, token) in tokens.into_iter().enumerate() {
        let steps = marks.steps.remove(&at).unwrap_or_default();
        match token {
            Token::Start(tag) => {
                steps.iter().for_each(|step| reader.step(step));
                reader.start(&tag, content.contains(&at), roles.get(&at).copied());
            }
            Token::End(name) => {
                reader.end(&name);
                steps.iter().for_each(|step| reader.step(step));
            }
            Token::Text(range) => reader.text(range),
        }
    }
    if let Some(reason) = reader.reason(&source) {
        return Err(skipped(&source, reason));
    }
    if reader.is_empty() {
        let is_ignored = !marks.ignored.is_empty();
        let reason = if is_ignored { "its author left it out" } else { "its main content has no text" };
        return Err(skipped(&source, reason));
    }
    Ok(reader.finish(source, warnings, marks))
}

#[cfg(test)]
mod tests;
