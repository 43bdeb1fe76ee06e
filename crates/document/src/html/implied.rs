//! The meaning of elements by the ones that they stand in, and ends that no tag tells.

use super::element::HtmlElement;
use super::reader::{END_SEARCH, HtmlFrame, HtmlReader, LANGUAGE_SEARCH};
use crate::tags::Tag;

impl HtmlReader<'_> {
    /// The elements from the nearest one with a class on, as a number.
    pub(super) fn place(&self, tag: &Tag, element: HtmlElement) -> u32 {
        let class = tag.get("class").filter(|_| element != HtmlElement::Link);
        let around = self.stack.last().filter(|_| class.is_none());
        let bytes = tag.name.bytes().chain([b' ']).chain(class.unwrap_or_default().bytes());
        // FNV-1a, 32 bits.
        let start = around.map_or(0x811C_9DC5, |frame| frame.place);
        bytes.fold(start, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }

    /// Takes the parts of a table for what they are in one that only sets code next to the numbers of its lines, and a
    /// button that a heading, a term or a summary begins with for its words.
    pub(super) fn by_place(&self, element: HtmlElement) -> HtmlElement {
        if element == HtmlElement::Button {
            let is_named = |frame: &HtmlFrame| {
                matches!(frame.element, HtmlElement::Heading(_) | HtmlElement::Term | HtmlElement::Summary)
            };
            let mut around = self.stack.iter().rev().take(LANGUAGE_SEARCH);
            let is_label = around.any(is_named) && self.writer.begins_line();
            return if is_label { HtmlElement::Inline } else { HtmlElement::Skipped };
        }
        if matches!(element, HtmlElement::Term | HtmlElement::Definition) {
            let list = |frame: &&HtmlFrame| {
                matches!(frame.element, HtmlElement::DefinitionList | HtmlElement::Definitions)
            };
            let near = self.stack.iter().rev().take(END_SEARCH).find(list);
            return match (near.map(|frame| frame.element), element) {
                (Some(HtmlElement::Definitions), HtmlElement::Term) => HtmlElement::Signature,
                (Some(HtmlElement::Definitions), _) => HtmlElement::Described,
                _ => element,
            };
        }
        let is_part = matches!(
            element,
            HtmlElement::TableHead
                | HtmlElement::TableBody
                | HtmlElement::Caption
                | HtmlElement::Row
                | HtmlElement::Cell
                | HtmlElement::HeaderCell
        );
        let mut around = self.stack.iter().rev().take(END_SEARCH);
        let table = |frame: &&HtmlFrame| matches!(frame.element, HtmlElement::Table | HtmlElement::CodeTable);
        let is_code =
            is_part && around.find(table).is_some_and(|frame| frame.element == HtmlElement::CodeTable);
        if is_code { HtmlElement::Block } else { element }
    }

    /// Ends what ends on its own where another element begins.
    pub(super) fn end_implied(&mut self, next: HtmlElement) {
        let (ends, within): (&[HtmlElement], &[HtmlElement]) = match next {
            HtmlElement::Item => (&[HtmlElement::Item], &[HtmlElement::List, HtmlElement::NumberedList]),
            HtmlElement::Term | HtmlElement::Definition => {
                (&[HtmlElement::Term, HtmlElement::Definition], &[HtmlElement::DefinitionList])
            }
            HtmlElement::Signature | HtmlElement::Described => {
                (&[HtmlElement::Signature, HtmlElement::Described], &[HtmlElement::Definitions])
            }
            HtmlElement::Cell | HtmlElement::HeaderCell => {
                (&[HtmlElement::Cell, HtmlElement::HeaderCell], &[HtmlElement::Row, HtmlElement::Table])
            }
            HtmlElement::Row => (&[HtmlElement::Row], &[HtmlElement::Table]),
            HtmlElement::TableHead | HtmlElement::TableBody => {
                (&[HtmlElement::TableHead, HtmlElement::TableBody], &[HtmlElement::Table])
            }
            HtmlElement::Heading(_) => (
                &[
                    HtmlElement::Heading(1),
                    HtmlElement::Heading(2),
                    HtmlElement::Heading(3),
                    HtmlElement::Heading(4),
                    HtmlElement::Heading(5),
                    HtmlElement::Heading(6),
                ],
                &[HtmlElement::Block, HtmlElement::Table, HtmlElement::Item],
            ),
            _ => return,
        };
        let open = self.stack.iter().rev().take(END_SEARCH);
        let open = open.take_while(|frame| !within.contains(&frame.element));
        let found =
            open.enumerate().filter(|(_, frame)| ends.contains(&frame.element)).map(|(at, _)| at).last();
        for _ in 0..found.map_or(0, |at| at + 1) {
            self.end_last();
        }
    }
}
