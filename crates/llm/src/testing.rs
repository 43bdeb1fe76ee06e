//! What the tests of all formats have in common: streams cut anywhere, and bytes that are no stream.

use proptest::prelude::*;
use proptest::sample::Index;

use super::{ModelReply, Part, Provider, StreamDecoder};
use ibid_platform::Result;

/// What a provider's response comes to that arrives in these pieces.
pub(super) fn decode_pieces<'a>(
    provider: &Provider,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<(Vec<Part>, ModelReply)> {
    let mut decoder = StreamDecoder::new(provider);
    let mut parts = Vec::new();
    for piece in pieces {
        parts.extend(decoder.push(piece)?);
    }
    let (last, reply) = decoder.finish()?;
    parts.extend(last);
    Ok((parts, reply))
}

/// Expects a response to come to the same whole, in two pieces cut anywhere, and byte by byte; returns what that is.
#[track_caller]
pub(super) fn expect_splits_change_nothing(provider: &Provider, response: &str) -> (Vec<Part>, ModelReply) {
    let bytes = response.as_bytes();
    let whole = decode_pieces(provider, [bytes]).unwrap();
    for at in 0..=bytes.len() {
        let cut = decode_pieces(provider, [&bytes[..at], &bytes[at..]]).unwrap();
        assert_eq!(cut, whole, "split at {at}");
    }
    assert_eq!(decode_pieces(provider, bytes.chunks(1)).unwrap(), whole, "byte by byte");
    whole
}

/// As many as thirty places to cut a response at, for [`expect_cuts_change_nothing`].
pub(super) fn any_cuts() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 0..30)
}

/// Expects a response to come to the same cut at all of these places, some of them perhaps the same.
#[track_caller]
pub(super) fn expect_cuts_change_nothing(provider: &Provider, response: &str, cuts: &[Index]) {
    let bytes = response.as_bytes();
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    let pieces = places.windows(2).map(|cut| &bytes[cut[0]..cut[1]]);
    let whole = decode_pieces(provider, [bytes]).unwrap();
    assert_eq!(decode_pieces(provider, pieces).unwrap(), whole, "cut at {places:?}");
}

/// Bytes of any kind, for [`expect_an_end`].
pub(super) fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..300)
}

/// Expects any bytes to end in a reply or an error, and not in a panic: in pieces, and within what begins and ends an event of
/// the format.
pub(super) fn expect_an_end(provider: &Provider, bytes: &[u8], (begin, end): (&str, &str)) {
    let _ = decode_pieces(provider, bytes.chunks(11));
    let _ = decode_pieces(provider, [begin.as_bytes(), bytes, end.as_bytes()]);
}
