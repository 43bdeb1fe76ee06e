//! The recorded exchanges of the Messages format.

use crate::recordings::Codec;

/// The codec of the format; none while it is being written.
pub(crate) const CODEC: Option<Codec> = None;
