//! Chunks' texts and all else that a hit shows, in blocks: a hit needs its block and nothing else.

use std::sync::OnceLock;

use super::blocks::BlockWriter;
use super::container::corrupt;
use super::records::{ChunkRecord, DocumentRecord, DuplicateRecord, PlaceRecord, SectionRecord, TextAnchor};
use super::store::{RecordBlock, push_block};
use super::varint::{read_varint, write_varint};
use ibid_platform::{Error, ErrorCode, Result, json};

/// The least and the most bytes of text that passages are gathered to in a block: enough that deflate finds what repeats
/// itself, and few enough that a hit costs little.
const LEAST_BLOCK: usize = 4 * 1024;
const MOST_BLOCK: usize = 64 * 1024;

/// Chunks that follow each other, with the documents and sections that they stand in.
#[derive(Debug, Default)]
pub(super) struct PassageBlock {
    documents: Vec<BlockDocument>,
    /// Each behind its number in the file.
    sections: Vec<(u32, SectionRecord)>,
    pub(super) passages: Vec<PassageRecord>,
}

/// A document that chunks of a block stand in.
#[derive(Debug)]
struct BlockDocument {
    /// Its number in the file.
    number: u32,
    /// The JSON of its record, read when it is first looked at, as most never are.
    json: String,
    record: OnceLock<Option<DocumentRecord>>,
}

impl BlockDocument {
    fn new(number: u32, json: String) -> Self {
        Self { number, json, record: OnceLock::new() }
    }

    fn record(&self) -> Option<&DocumentRecord> {
        self.record.get_or_init(|| json::read(&self.json).ok()).as_ref()
    }
}

/// A chunk.
#[derive(Debug)]
pub(super) struct PassageRecord {
    pub(super) id: u64,
    pub(super) text: String,
    /// The places where it stands, the first one first.
    pub(super) places: Vec<PassagePlace>,
}

/// A place of a chunk.
#[derive(Clone, Debug)]
pub(super) struct PassagePlace {
    /// The document's and the section's numbers among those of the block.
    document: u32,
    section: u32,
    pub(super) index: u32,
    pub(super) line: u32,
    pub(super) span: (u32, u32),
    pub(super) repeated: u32,
    pub(super) anchors: Vec<TextAnchor>,
}

impl RecordBlock for PassageBlock {
    const WHAT: &'static str = "text";

    fn read(block: &[u8], records: usize) -> Option<Self> {
        let mut reader = BlockReader(block);
        let documents = reader.list(|reader| Some(BlockDocument::new(reader.number()?, reader.text()?)))?;
        let sections = reader.list(|reader| {
            let (number, heading_path) = (reader.number()?, reader.list(BlockReader::text)?);
            let anchor = reader.list(BlockReader::text)?.pop();
            Some((number, SectionRecord { heading_path, anchor }))
        })?;
        let mut passages = Vec::new();
        for _ in 0..records {
            let (id, text) = (reader.id()?, reader.text()?);
            let places = reader.list(BlockReader::place)?;
            let known = |place: &PassagePlace| {
                (place.document as usize) < documents.len() && (place.section as usize) < sections.len()
            };
            if places.is_empty() || !places.iter().all(known) {
                return None;
            }
            passages.push(PassageRecord { id, text, places });
        }
        reader.0.is_empty().then_some(Self { documents, sections, passages })
    }
}

impl PassageBlock {
    /// Finds the number in the file of a place's document.
    pub(super) fn document_number(&self, place: &PassagePlace) -> u32 {
        self.documents.get(place.document as usize).map_or(u32::MAX, |document| document.number)
    }

    /// Reads the document of a place.
    pub(super) fn document(&self, place: &PassagePlace) -> Result<DocumentRecord> {
        let found = self.documents.get(place.document as usize).and_then(BlockDocument::record);
        found.cloned().ok_or_else(|| corrupt("a document in a block of its text cannot be read"))
    }

    /// Reads the section of a place, behind its number in the file.
    pub(super) fn section(&self, place: &PassagePlace) -> (u32, SectionRecord) {
        self.sections.get(place.section as usize).cloned().unwrap_or_default()
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_varint(&mut out, self.documents.len() as u32);
        for BlockDocument { number, json, .. } in &self.documents {
            write_varint(&mut out, *number);
            write_text(&mut out, json);
        }
        write_varint(&mut out, self.sections.len() as u32);
        for (number, SectionRecord { heading_path, anchor }) in &self.sections {
            write_varint(&mut out, *number);
            write_varint(&mut out, heading_path.len() as u32);
            heading_path.iter().for_each(|heading| write_text(&mut out, heading));
            write_varint(&mut out, u32::from(anchor.is_some()));
            anchor.iter().for_each(|anchor| write_text(&mut out, anchor));
        }
        for PassageRecord { id, text, places } in &self.passages {
            out.extend(id.to_le_bytes());
            write_text(&mut out, text);
            write_varint(&mut out, places.len() as u32);
            for PassagePlace { document, section, index, line, span: (start, end), repeated, anchors } in
                places
            {
                let numbers = [document, section, index, line, start, &end.saturating_sub(*start), repeated];
                numbers.iter().for_each(|number| write_varint(&mut out, **number));
                write_varint(&mut out, anchors.len() as u32);
                for TextAnchor { at, anchor } in anchors {
                    write_varint(&mut out, *at);
                    write_text(&mut out, anchor);
                }
            }
        }
        out
    }
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    write_varint(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
}

/// The rest of a block.
struct BlockReader<'a>(&'a [u8]);

impl BlockReader<'_> {
    fn number(&mut self) -> Option<u32> {
        read_varint(&mut self.0)
    }

    fn id(&mut self) -> Option<u64> {
        let (id, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*id))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(std::str::from_utf8(text).ok()?.to_owned())
    }

    fn place(&mut self) -> Option<PassagePlace> {
        let (document, section, index) = (self.number()?, self.number()?, self.number()?);
        let (line, start, length) = (self.number()?, self.number()?, self.number()?);
        let span = (start, start.checked_add(length)?);
        let repeated = self.number()?;
        let anchors =
            self.list(|reader| Some(TextAnchor { at: reader.number()?, anchor: reader.text()? }))?;
        Some(PassagePlace { document, section, index, line, span, repeated, anchors })
    }

    /// Reads a list behind its length. Each item takes a byte at least, which bounds what a wrong length costs.
    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        for _ in 0..self.number()? {
            items.push(item(self)?);
        }
        Some(items)
    }
}

/// The records that blocks are made of, in the order of a file's numbers.
pub(super) struct PassageSource<'a> {
    pub(super) documents: &'a [DocumentRecord],
    /// Each with the number of its document.
    pub(super) sections: &'a [(u32, SectionRecord)],
    pub(super) chunks: &'a [ChunkRecord],
    /// By chunks.
    pub(super) duplicates: &'a [DuplicateRecord],
}

impl PassageSource<'_> {
    /// Writes the blocks.
    pub(super) fn encode<'a>(&self, texts: impl Iterator<Item = &'a str> + Clone) -> Result<BlockWriter> {
        let block_bytes = block_bytes(texts.clone().map(str::len).sum());
        let mut writer = BlockWriter::default();
        let mut block = OpenBlock::default();
        let mut further = self.duplicates.iter().peekable();
        for ((number, chunk), text) in (0..).zip(self.chunks).zip(texts) {
            if block.bytes > 0 && block.bytes + text.len() > block_bytes {
                push_block(&mut writer, number as usize, std::mem::take(&mut block).block.encode())?;
            }
            let mut places = vec![block.place(self, &chunk.place)?];
            while let Some(duplicate) = further.next_if(|duplicate| duplicate.chunk == number) {
                places.push(block.place(self, &duplicate.place)?);
            }
            block.bytes += text.len();
            block.block.passages.push(PassageRecord { id: chunk.id, text: text.to_owned(), places });
        }
        if block.bytes > 0 || !block.block.passages.is_empty() {
            push_block(&mut writer, self.chunks.len(), block.block.encode())?;
        }
        Ok(writer)
    }
}

/// Chooses the bytes of text in a block, by the bytes of all text: more text has larger blocks, so that their table,
/// which is read first, grows by the root. Powers of two, so that a change of the text hardly ever changes them.
fn block_bytes(text: usize) -> usize {
    // A line of the table has five bytes, and the blocks of five hits have less than half of their text's.
    (2 * text).isqrt().next_power_of_two().clamp(LEAST_BLOCK, MOST_BLOCK)
}

/// A block that is being filled.
#[derive(Default)]
struct OpenBlock {
    block: PassageBlock,
    bytes: usize,
}

impl OpenBlock {
    fn place(&mut self, passages: &PassageSource<'_>, place: &PlaceRecord) -> Result<PassagePlace> {
        let PlaceRecord { section, index, line, span, repeated, ref anchors } = *place;
        let internal = |what: String| Error::new(ErrorCode::Internal, what);
        let (document, record) = passages
            .sections
            .get(section as usize)
            .ok_or_else(|| internal("A chunk belongs to no section.".to_owned()))?;
        // Mostly the section is the one that was met last.
        let known = self.block.sections.iter().rposition(|(known, _)| *known == section);
        let section = known.unwrap_or_else(|| {
            self.block.sections.push((section, record.clone()));
            self.block.sections.len() - 1
        });
        let known = self.block.documents.iter().rposition(|known| known.number == *document);
        let document = if let Some(known) = known {
            known
        } else {
            let record = passages.documents.get(*document as usize).cloned().unwrap_or_default();
            let record = DocumentRecord { content_hash: String::new(), ..record };
            let json = serde_json::to_string(&record).map_err(|error| internal(error.to_string()))?;
            self.block.documents.push(BlockDocument::new(*document, json));
            self.block.documents.len() - 1
        };
        let (document, section, anchors) = (document as u32, section as u32, anchors.clone());
        Ok(PassagePlace { document, section, index, line, span, repeated, anchors })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block() -> PassageBlock {
        let anchors = vec![TextAnchor { at: 4, anchor: "black".into() }];
        let place = |index| {
            let anchors = if index == 9 { anchors.clone() } else { Vec::new() };
            PassagePlace { document: 0, section: 1, index, line: 7, span: (30, 90), repeated: 4, anchors }
        };
        let section = |anchor: Option<&str>| SectionRecord {
            heading_path: vec!["Tea".into(), "Grün".into()],
            anchor: anchor.map(str::to_owned),
        };
        let document =
            serde_json::to_string(&DocumentRecord { source: "tea.md".into(), ..Default::default() });
        PassageBlock {
            documents: vec![BlockDocument::new(300, document.unwrap())],
            sections: vec![(5, section(None)), (6, section(Some("grün")))],
            passages: vec![
                PassageRecord {
                    id: u64::MAX - 1,
                    text: "Steep it.".into(),
                    places: vec![place(0), place(9)],
                },
                PassageRecord { id: 2, text: String::new(), places: vec![place(1)] },
            ],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let written = block().encode();
        let read = PassageBlock::read(&written, 2).unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", block()));
        let place = &read.passages[0].places[1];
        assert_eq!(
            (read.document_number(place), read.document(place).unwrap().source.as_str()),
            (300, "tea.md")
        );
        assert_eq!(read.section(place).1.anchor.as_deref(), Some("grün"));
        assert!(PassageBlock::read(&written, 1).is_none() && PassageBlock::read(&written, 3).is_none());
        for end in 0..written.len() {
            assert!(PassageBlock::read(&written[..end], 2).is_none(), "cut at {end}");
        }
    }

    #[test]
    fn places_in_no_document_of_the_block_are_refused() {
        let refused = |change: fn(&mut PassageBlock)| {
            let mut block = block();
            change(&mut block);
            PassageBlock::read(&block.encode(), 2).is_none()
        };
        assert!(refused(|block| block.documents.clear()) && refused(|block| block.sections.truncate(1)));
        assert!(refused(|block| block.passages[0].places.clear()));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(at in 0usize..100, byte in any::<u8>(), records in 0usize..4) {
            let mut changed = block().encode();
            let at = at % changed.len();
            changed[at] = byte;
            drop(PassageBlock::read(&changed, records));
        }
    }
}
