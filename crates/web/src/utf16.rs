//! Byte ranges of text as JavaScript's strings are indexed, by UTF-16 units.

use ibid_platform::Units;
use ibid_retrieve::{Hit, Response};

/// Returns the same hit, with every byte range of its text turned into a range of UTF-16 units.
#[must_use]
pub fn hit(mut hit: Hit) -> Hit {
    let mut units = Units::new(&hit.text);
    for range in &mut hit.highlights {
        *range = units.range(range);
    }
    let mut units = Units::new(&hit.excerpt);
    for range in &mut hit.excerpt_highlights {
        *range = units.range(range);
    }
    hit
}

/// Returns the same response, with [`hit`] done to each of its hits.
#[must_use]
pub fn response(mut response: Response) -> Response {
    response.hits = response.hits.into_iter().map(hit).collect();
    response
}
