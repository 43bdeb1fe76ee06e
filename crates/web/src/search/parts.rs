//! Fetching what is missing of the files that were opened in pieces.

use std::cell::{RefCell, RefMut};
use std::future::poll_fn;
use std::ops::Range;
use std::pin::Pin;
use std::task::Poll;

use js_sys::{Array, Function, Promise, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use ibid_index::Language;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::{Mode, Query, Retriever};
use ibid_web::convert::caught;

/// The number of times a search asks for something before it gives up: for rows, for terms, for texts to compare and those of its
/// hits, and again for each time that a file was replaced meanwhile.
const MAX_ROUNDS: usize = 12;
/// The number of bytes that are asked for at once when nobody waits for them. A search that needs some of them has to wait for
/// all, so this is what a slow connection brings in a second.
const PREFETCH_BYTES: u64 = 512 * 1024;

/// One of the two files that can be read in parts.
#[derive(Clone, Copy)]
pub(super) enum FilePart {
    Index,
    /// The query table.
    Model,
}

/// Ranges of a file that have to be fetched.
pub(super) struct Wanted {
    pub(super) part: FilePart,
    pub(super) ranges: Vec<Range<u64>>,
}

impl FilePart {
    fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Model => "model",
        }
    }

    fn provide(self, retriever: &Retriever, offset: u64, bytes: Vec<u8>) -> Result<()> {
        match self {
            Self::Index => retriever.index().provide(offset, bytes),
            Self::Model => retriever.embedder().provide(offset, &bytes),
        }
    }
}

/// The open index and its query encoder, which the engine and the runs that are under way share.
pub(super) struct Shared {
    pub(super) retriever: RefCell<Retriever>,
    /// Fetches ranges of the files of which only pieces are there.
    pub(super) reader: Option<Function>,
    /// Embeds queries instead of the retriever's own embedder.
    pub(super) embed: RefCell<Option<Function>>,
}

impl Shared {
    /// The language that the index is searched by words in.
    pub(super) fn language(&self) -> Language {
        self.retriever.borrow().index().manifest().build.lexical.analyzed()
    }

    /// The retriever, to be changed. A search that was torn off in the middle never gives it back.
    pub(super) fn changing(&self) -> Result<RefMut<'_, Retriever>> {
        self.retriever.try_borrow_mut().map_err(|_| {
            Error::new(ErrorCode::Internal, "An earlier search failed, so this index cannot be changed.")
                .with_hint("Load the index again.")
        })
    }

    /// Fetches what `missing` names until it names nothing more.
    pub(super) async fn provide(&self, missing: &dyn Fn(&Retriever) -> Result<Vec<Wanted>>) -> Result<()> {
        for round in 0.. {
            let mut wanted = missing(&self.retriever.borrow())?;
            wanted.retain(|part| !part.ranges.is_empty());
            if wanted.is_empty() || self.reader.is_none() {
                break;
            }
            if round == MAX_ROUNDS {
                return Err(restless());
            }
            all(wanted.iter().map(|part| Box::pin(self.fetch(part))).collect()).await?;
        }
        Ok(())
    }

    /// Fetches terms and clusters, then, if it is asked for, all rows of the query table.
    pub(super) async fn prefetch(&self, table: bool) -> Result<()> {
        let mut replaced = 0;
        while self.reader.is_some() && replaced < MAX_ROUNDS {
            let wanted = missing_later(&self.retriever.borrow(), table);
            if wanted.ranges.is_empty() {
                return Ok(());
            }
            if !self.fetch(&wanted).await? {
                replaced += 1;
            }
        }
        Ok(())
    }

    /// Fetches ranges; `false` when another version of the file has taken the place of the one that they are of.
    async fn fetch(&self, wanted: &Wanted) -> Result<bool> {
        let Some(reader) = &self.reader else { return Ok(false) };
        let ranges = js_sys::Float64Array::from(flat(&wanted.ranges).as_slice());
        let name = JsValue::from_str(wanted.part.name());
        let promise = reader.call2(&JsValue::NULL, &name, &ranges).map_err(|error| caught(&error, unread))?;
        let pieces =
            JsFuture::from(Promise::resolve(&promise)).await.map_err(|error| caught(&error, unread))?;
        if pieces.is_null() || pieces.is_undefined() {
            return Ok(false);
        }
        let retriever = self.retriever.borrow();
        for (range, piece) in wanted.ranges.iter().zip(Array::from(&pieces)) {
            wanted.part.provide(&retriever, range.start, Uint8Array::new(&piece).to_vec())?;
        }
        Ok(true)
    }
}

/// Runs all to their ends side by side: each takes what comes at once, before another version of its file may replace it.
/// Returns the last error.
async fn all<T>(mut running: Vec<Pin<Box<impl Future<Output = Result<T>>>>>) -> Result<()> {
    let mut outcome = Ok(());
    poll_fn(|context| {
        running.retain_mut(|future| match future.as_mut().poll(context) {
            Poll::Pending => true,
            Poll::Ready(Ok(_)) => false,
            Poll::Ready(Err(error)) => {
                outcome = Err(error);
                false
            }
        });
        if running.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outcome
}

/// Lists the ranges that a query needs: the rows that it is embedded by, if it is, and meanwhile the blocks of its words.
/// When the rows are there, all that it needs of the index.
pub(super) fn missing(retriever: &Retriever, query: &Query) -> Result<Vec<Wanted>> {
    let mode = retriever.mode(query)?;
    let is_embedded = query.vector.is_none() && query.like.is_none() && mode != Mode::Lexical;
    let text = if is_embedded { query.text.trim() } else { "" };
    let rows = retriever.embedder().missing(text);
    let ranges = match mode {
        _ if rows.is_empty() => retriever.missing(query)?,
        Mode::Hybrid => retriever.missing(&Query { mode: Some(Mode::Lexical), ..query.clone() })?,
        Mode::Vector | Mode::Lexical => Vec::new(),
    };
    Ok(vec![Wanted { part: FilePart::Model, ranges: rows }, Wanted { part: FilePart::Index, ranges }])
}

/// Finds the next piece of what searches may need later.
fn missing_later(retriever: &Retriever, table: bool) -> Wanted {
    // As they lie in the file.
    let mut ranges = retriever.index().missing_clusters();
    ranges.extend(retriever.index().missing_terms());
    if !ranges.is_empty() {
        return Wanted { part: FilePart::Index, ranges: next_piece(ranges) };
    }
    let mut ranges = if table { retriever.embedder().missing_all() } else { Vec::new() };
    // Any piece of the table is of use.
    if let Some(first) = ranges.first_mut() {
        first.end = first.end.min(first.start + PREFETCH_BYTES);
    }
    ranges.truncate(1);
    Wanted { part: FilePart::Model, ranges }
}

/// Takes the first of the blocks as one range, with what is here between them: it costs less to have that again than to
/// ask often.
fn next_piece(blocks: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let mut blocks = blocks.into_iter();
    let Some(mut piece) = blocks.next() else { return Vec::new() };
    for block in blocks {
        if block.start > piece.end + PREFETCH_BYTES / 8 || block.end > piece.start + PREFETCH_BYTES {
            break;
        }
        piece.end = block.end;
    }
    vec![piece]
}

/// A part of a file that did not come is a failed connection.
fn unread() -> Error {
    Error::new(ErrorCode::Network, "A part of the index could not be read.")
}

fn restless() -> Error {
    Error::new(ErrorCode::Network, "The index kept changing on the server while it was being read.")
        .with_hint("Try again later.")
        .retryable()
}

/// Ranges as JavaScript takes them, start and end by turns.
pub(super) fn flat(ranges: &[Range<u64>]) -> Vec<f64> {
    ranges.iter().flat_map(|range| [range.start as f64, range.end as f64]).collect()
}
