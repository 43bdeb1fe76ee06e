//! The recorded exchanges of Ollama's own chat.

use crate::recordings::Codec;

/// The codec of the format; none while it is being written.
pub(crate) const CODEC: Option<Codec> = None;
