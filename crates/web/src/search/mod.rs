//! Searching, and changing what is searched.

mod changes;
mod info;
mod parts;
mod queries;
pub mod stemmers;

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use js_sys::{Array, Function, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

use ibid_embed::{Embedder, TokenTable};
use ibid_index::{FileLayout, Index};
use ibid_platform::Result;
use ibid_retrieve::Retriever;
use ibid_web::convert::{thrown, to_js};
use ibid_web::embed;
use ibid_web::settled::promise;
use info::IndexInfo;
use parts::{FilePart, Shared, Wanted, flat};

/// Counts the bytes of a file's beginning its layout takes, by the first 64 of them.
#[wasm_bindgen(js_name = headLength)]
pub fn head_length(head: &[u8]) -> Result<usize, JsValue> {
    FileLayout::head_length(head).map_err(|error| thrown(&error))
}

/// Lists the ranges of the file that an index needs before it can search, by a file's beginning: start and end by turns.
#[wasm_bindgen(js_name = neededRanges)]
pub fn needed_ranges(head: &[u8]) -> Result<Vec<f64>, JsValue> {
    let layout = FileLayout::parse(head).map_err(|error| thrown(&error))?;
    Ok(flat(&layout.needed()))
}

/// Counts the bytes of a query table's beginning that are needed to open it, by the first 40 of them; of a table that
/// cannot be read in parts, its length.
#[wasm_bindgen(js_name = tableHeadLength)]
pub fn table_head_length(head: &[u8]) -> Result<f64, JsValue> {
    TokenTable::head_length(head).map(|length| length as f64).map_err(|error| thrown(&error))
}

/// An open index with its query encoder.
#[wasm_bindgen]
pub struct Engine {
    // Shared with the runs that are under way, so that freeing the engine never pulls the index from under one.
    shared: Rc<Shared>,
}

#[wasm_bindgen]
impl Engine {
    /// Opens an index file with a query table; both are the files' whole bytes. In place of the table there may be an
    /// object with `name`, `dimensions` and perhaps `fingerprint`: the space that a function, see [`Engine::embed_by`],
    /// embeds queries in.
    #[wasm_bindgen(constructor)]
    pub fn new(index: Vec<u8>, table: &JsValue) -> Result<Engine, JsValue> {
        Self::of(Index::open(index), embed::own_embedder(table, true), None)
    }

    /// Opens an index of which the pieces that begin at `offsets` have been fetched, or which is there as one piece, with
    /// a query table of which that or its head is there.
    ///
    /// `reader` is called with the name of a file (`index`, or `model` for the query table) and a `Float64Array` of
    /// ranges, start and end by turns, when more of it is needed. It returns a promise of an array with a `Uint8Array`
    /// for each; or, after a call of [`Engine::replace`] or [`Engine::replace_table`], of `null`.
    #[wasm_bindgen(js_name = ofPieces)]
    pub fn of_pieces(
        offsets: &[f64],
        pieces: &Array,
        whole_index: bool,
        table: &JsValue,
        whole_table: bool,
        reader: Function,
    ) -> Result<Engine, JsValue> {
        let embedder = embed::own_embedder(table, whole_table);
        Self::of(open_pieces(offsets, pieces, whole_index), embedder, Some(reader))
    }

    /// Has all queries embedded by a function that returns a promise; with none, embeds them itself again. `embed::embedded` says what the function is given and may give.
    #[wasm_bindgen(js_name = embedBy)]
    pub fn embed_by(&self, embed: Option<Function>) {
        self.shared.embed.replace(embed);
    }

    /// Returns the description of the index: an `IndexInfo`.
    pub fn info(&self) -> Result<JsValue, JsValue> {
        let retriever = self.shared.retriever.borrow();
        to_js(&IndexInfo::of(retriever.index()))
    }

    /// Names the language whose stemmer has to be handed to [`stem_language_by`] before a search, if there is one.
    #[wasm_bindgen(js_name = wantedStemmer)]
    pub fn wanted_stemmer(&self) -> Option<String> {
        ibid_web::stemmers::wanted(self.shared.language()).map(str::to_owned)
    }

    /// Puts another version of the index in place of the one that was opened, with the pieces that begin at
    /// `offsets`, or as one piece.
    pub fn replace(&self, offsets: &[f64], pieces: &Array, whole: bool) -> Result<(), JsValue> {
        let replaced = open_pieces(offsets, pieces, whole)
            .and_then(|index| self.shared.changing()?.replace_index(index));
        replaced.map_err(|error| thrown(&error))
    }

    /// Puts another version of the query table in place of the one that was opened: all of it, or its head.
    #[wasm_bindgen(js_name = replaceTable)]
    pub fn replace_table(&self, table: Vec<u8>) -> Result<(), JsValue> {
        let replaced = TokenTable::open_head(table)
            .and_then(|table| self.shared.changing()?.replace_embedder(Box::new(table)));
        replaced.map_err(|error| thrown(&error))
    }

    /// Adds the documents of another index file, which replace those of the same ids. Needs the
    /// [directory](Engine::directory).
    pub fn attach(&self, index: Vec<u8>) -> Result<(), JsValue> {
        changes::attach(&self.shared, index).map_err(|error| thrown(&error))
    }

    /// Takes a document out; `false` when there is none of that id. Needs the [directory](Engine::directory).
    pub fn remove(&self, document_id: &str) -> Result<bool, JsValue> {
        changes::remove(&self.shared, document_id).map_err(|error| thrown(&error))
    }

    /// Fetches the documents and headings of the index, which no search needs: a promise of nothing.
    pub fn directory(&self) -> Promise {
        self.fetch(Index::missing_directory)
    }

    /// Fetches what later searches may need: all terms and clusters, and with `table` all rows of the query table, in
    /// pieces, so that a search meanwhile does not wait long. A promise of nothing.
    pub fn prefetch(&self, table: bool) -> Promise {
        let shared = Rc::clone(&self.shared);
        promise(async move {
            shared.prefetch(table).await.map_err(|error| thrown(&error))?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Returns the bytes of the file that was opened, without later changes; `undefined` if only pieces of it are here.
    pub fn file(&self) -> Option<Vec<u8>> {
        self.shared.retriever.borrow().index().file().map(<[u8]>::to_vec)
    }
}

impl Engine {
    /// A promise of nothing, kept when what `missing` names is there.
    fn fetch(&self, missing: impl Fn(&Index) -> Vec<Range<u64>> + 'static) -> Promise {
        let shared = Rc::clone(&self.shared);
        promise(async move {
            let wanted = |retriever: &Retriever| {
                Ok(vec![Wanted { part: FilePart::Index, ranges: missing(retriever.index()) }])
            };
            shared.provide(&wanted).await.map_err(|error| thrown(&error))?;
            Ok(JsValue::UNDEFINED)
        })
    }

    fn of(
        index: Result<Index>,
        embedder: Result<Box<dyn Embedder>>,
        reader: Option<Function>,
    ) -> Result<Self, JsValue> {
        let open = || Retriever::new(index?, embedder?);
        let retriever = RefCell::new(open().map_err(|error| thrown(&error))?);
        Ok(Self { shared: Rc::new(Shared { retriever, reader, embed: RefCell::default() }) })
    }
}

fn open_pieces(offsets: &[f64], pieces: &Array, whole: bool) -> Result<Index> {
    if whole {
        return Index::open(Uint8Array::new(&pieces.get(0)).to_vec());
    }
    let pieces: Vec<(u64, Vec<u8>)> = offsets
        .iter()
        .map(|&at| at as u64)
        .zip(pieces.iter().map(|piece| Uint8Array::new(&piece).to_vec()))
        .collect();
    let head = pieces.iter().find(|(offset, _)| *offset == 0).map_or(&[][..], |(_, bytes)| bytes);
    Index::open_pieces(FileLayout::parse(head)?, pieces)
}
