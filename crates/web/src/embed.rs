//! Queries that the page embeds itself: by the transformer in a worker, or by whatever it likes.

use std::borrow::Cow;

use js_sys::{Float32Array, Function, Promise, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

use crate::convert::{ForeignSpace, caught, invalid_options};
use ibid_embed::{Embedder, Foreign, Space, TokenTable};
use ibid_platform::{Error, ErrorCode, Result, json};
use ibid_retrieve::{MAX_QUERY_CHARACTERS, Mode, Query};

/// Opens the query encoder that the module brings along: of the bytes of a query table, or of its head alone; or, of an
/// object that describes a space, none, for pages that embed all queries themselves and need no table.
///
/// # Errors
/// Those of the table, and [`ErrorCode::InvalidOption`] for an object that describes no space.
pub fn own_embedder(table: &JsValue, whole: bool) -> Result<Box<dyn Embedder>> {
    if let Some(bytes) = table.dyn_ref::<Uint8Array>() {
        let open = if whole { TokenTable::from_bytes } else { TokenTable::open_head };
        return Ok(Box::new(open(bytes.to_vec())?));
    }
    // The module reads JSON anyway, and has nothing that reads objects.
    let text = js_sys::JSON::stringify(table).map(String::from).unwrap_or_default();
    let space: ForeignSpace = json::read(&text).map_err(|error| invalid_options(&error))?;
    Ok(Box::new(Foreign::new(space.space()?)))
}

/// Makes the query, which ranks in that mode, with the vector that `embed` makes of its text, where there is such a
/// function; `None` if there is nothing in the text to look for.
///
/// The function is called with the text and the signal, and returns a promise: of a `Float32Array` of the space's
/// dimensions, or an empty one for a text without a token; or of `null` if the module is to embed the query itself.
///
/// # Errors
/// The function's, and [`ErrorCode::EmbedderFailed`] for a vector that is none of the space.
pub async fn embedded<'a>(
    query: &'a Query,
    mode: Mode,
    embed: Option<Function>,
    space: &Space,
    signal: Option<&AbortSignal>,
) -> Result<Option<Cow<'a, Query>>> {
    let text = query.text.trim();
    // What is wrong with a text, the search says itself, and it needs no vector to look up words.
    let is_sound = !text.is_empty() && text.chars().nth(MAX_QUERY_CHARACTERS).is_none();
    let is_needed = is_sound && query.vector.is_none() && mode != Mode::Lexical;
    let Some(embed) = embed.filter(|_| is_needed) else { return Ok(Some(Cow::Borrowed(query))) };
    let failed = |error: JsValue| caught(&error, not_embedded);
    let signal = signal.map_or(JsValue::UNDEFINED, JsValue::from);
    let promise = embed.call2(&JsValue::NULL, &text.into(), &signal).map_err(failed)?;
    let vector = JsFuture::from(Promise::resolve(&promise)).await.map_err(failed)?;
    if vector.is_null() || vector.is_undefined() {
        return Ok(Some(Cow::Borrowed(query)));
    }
    let vector = vector.dyn_into::<Float32Array>().map_err(|_| {
        Error::new(
            ErrorCode::EmbedderFailed,
            "The query encoder returned something other than a `Float32Array`.",
        )
    })?;
    if vector.length() == 0 {
        return Ok(None);
    }
    let vector = space.embedding(vector.to_vec())?.as_slice().to_vec();
    Ok(Some(Cow::Owned(Query { vector: Some(vector), ..query.clone() })))
}

fn not_embedded() -> Error {
    Error::new(ErrorCode::EmbedderFailed, "The query could not be embedded.")
}
