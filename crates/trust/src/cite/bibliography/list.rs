//! A numbered list in Markdown.

use crate::cite::reference::{Author, Reference};
use crate::cite::source::Source;

/// The most authors that an item names.
const MAX_NAMED: usize = 6;

/// Writes an item for each passage. A list counts on on its own; where a number is left out, another kind of list begins,
/// so that each item is shown with its own number.
pub(super) fn write(cited: &[&Source]) -> String {
    let mut out = String::new();
    let (mut last, mut sign) = (None, '.');
    for source in cited {
        if last.is_some_and(|last| last + 1 != source.number) {
            out.push('\n');
            sign = if sign == '.' { ')' } else { '.' };
        }
        last = Some(source.number);
        out.extend([source.number.to_string(), format!("{sign} "), item(source), "\n".to_owned()]);
    }
    out
}

fn item(source: &Source) -> String {
    let reference = Reference::of(&source.hit);
    let mut parts: Vec<String> = Vec::new();
    let authors: Vec<String> = reference.authors.iter().take(MAX_NAMED).map(name).collect();
    if !authors.is_empty() {
        let more = if reference.authors.len() > MAX_NAMED { ", et al." } else { "" };
        parts.push(authors.join(", ") + more);
    }
    parts.push(reference.title);
    let path = source.hit.heading_path.join(" > ");
    let mut details = [reference.container, reference.publisher, path].to_vec();
    details.extend(reference.issued.first().map(u32::to_string));
    details.extend((!reference.doi.is_empty()).then(|| format!("doi:{}", reference.doi)));
    parts.extend(details.into_iter().map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")));
    let mut item = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if !item.is_empty() {
            item.push(' ');
        }
        item.push_str(&escape(part, item.is_empty()));
        if !part.ends_with(['.', '!', '?', '。']) {
            item.push('.');
        }
    }
    if reference.url.starts_with("http") && !reference.url.contains(['<', '>', '\\']) {
        item.extend([" <", reference.url.as_str(), ">"]);
    } else if !reference.url.is_empty() {
        item.extend([" ", escape(&reference.url, false).as_str()]);
    }
    item
}

fn name(author: &Author) -> String {
    match author {
        Author::Person { family, given } => format!("{family}, {given}"),
        Author::Literal(name) => name.clone(),
    }
}

/// Escapes the text as Markdown that shows it as it is; at the beginning of an item also nothing that begins a block.
fn escape(text: &str, begins: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    for (at, c) in text.char_indices() {
        let is_mark = matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~' | '|' | '!');
        let begins_block = begins
            && (at == 0 && matches!(c, '#' | '+' | '-' | '=')
                || at == digits && at > 0 && matches!(c, '.' | ')'));
        if is_mark || begins_block {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::source;
    use super::*;
    use crate::cite::tree::{Node, tree};

    #[test]
    fn an_item_with_everything() {
        let metadata = json!({
            "authors": ["Garcia, Maria", "World Health Organization"], "publication_date": "2020-05-01", "journal": "Tea Today",
            "publisher": "Leaf Press", "doi": "10.1000/tea_1",
        });
        assert_eq!(
            write(&[&source(1, "tea", "How hot?", &metadata)]),
            "1. Garcia, Maria, World Health Organization. How hot? Tea Today. Leaf Press. A \\> B. 2020. doi:10.1000/tea\\_1. \
             <https://a.org/tea>\n"
        );
        let many = json!({"author": "A;B;C;D;E;F;G"});
        assert!(write(&[&source(1, "t", "T", &many)]).starts_with("1. A, B, C, D, E, F, et al. T."));
    }

    #[test]
    fn numbers_with_gaps_are_shown_as_they_are() {
        let sources: Vec<Source> = [1, 2, 5, 6, 9].map(|number| source(number, "d", "T", &json!({}))).into();
        let list = write(&sources.iter().collect::<Vec<_>>());
        let starts: Vec<_> = tree(&list, &[], &[])
            .into_iter()
            .filter_map(|node| match node {
                Node::List { start, children, .. } => Some((start, children.len())),
                _ => None,
            })
            .collect();
        assert_eq!(starts, [(Some(1), 2), (Some(5), 2), (Some(9), 1)], "{list}");
    }

    #[test]
    fn titles_show_as_they_are() {
        for title in [
            "# Not a heading",
            "- no item",
            "2020. A year",
            "[1] *a* <b> `c` \\ & | ![x](y)",
            "1) x",
            "+ x",
            "--- x",
        ] {
            let list = write(&[&source(3, "d", title, &json!({}))]);
            let mut shown = String::new();
            let Node::List { children, .. } = &tree(&list, &[], &[])[0] else { panic!("{list}") };
            let Node::Item { children } = &children[0] else { panic!("{list}") };
            let Node::Paragraph { children } = &children[0] else { panic!("{list}") };
            for child in children {
                let Node::Text { text, .. } = child else { panic!("{child:?}") };
                shown.push_str(text);
            }
            assert!(shown.starts_with(&format!("{title}. A > B")), "{shown}");
        }
    }
}
