//! Server-sent events, decoded from bytes in pieces of any size.
//!
//! The rules are those of the WHATWG HTML standard, "9.2.6 Interpreting an event stream", with one exception: an event
//! that the stream ends in the middle of is handed out too, marked as incomplete, because several servers leave out
//! the last blank line.

use ibid_platform::{Error, ErrorCode, Result};

/// The most bytes of one line, and of the data of one event.
pub(crate) const MAX_EVENT_BYTES: usize = 4 << 20;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The event's type; empty where the stream names none.
    pub(crate) event: String,
    /// The data, its lines joined by line feeds.
    pub(crate) data: String,
}

/// Decodes a stream of events.
///
/// Bytes are collected into lines before anything is decoded, so a piece may end anywhere, inside a line ending or a
/// UTF-8 character too. Bytes that are no UTF-8 become U+FFFD, as the standard says.
#[derive(Debug, Default)]
pub(crate) struct SseDecoder {
    line: Vec<u8>,
    /// True if the last byte was a carriage return that a line feed may belong to.
    after_cr: bool,
    /// True if the first line is done, which alone may start with a byte order mark.
    started: bool,
    event: String,
    data: String,
    has_data: bool,
}

impl SseDecoder {
    /// Takes in a piece and appends the events that are complete with it.
    ///
    /// # Errors
    /// [`ErrorCode::ProviderProtocol`] if a line or an event is longer than [`MAX_EVENT_BYTES`].
    pub(crate) fn push(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<()> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.extend_line(&rest[..end])?;
            let ending = rest[end];
            rest = &rest[end + 1..];
            if ending == b'\r' {
                if rest.is_empty() {
                    self.after_cr = true;
                } else {
                    rest = rest.strip_prefix(b"\n").unwrap_or(rest);
                }
            }
            self.end_line(events)?;
        }
        self.extend_line(rest)
    }

    /// Takes the event that the stream ended in the middle of, if any.
    pub(crate) fn finish(mut self) -> Result<Option<SseEvent>> {
        let mut events = Vec::new();
        if !self.line.is_empty() {
            self.end_line(&mut events)?;
        }
        self.dispatch(&mut events);
        Ok(events.pop())
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<()> {
        if self.line.len() + bytes.len() > MAX_EVENT_BYTES {
            return Err(too_long());
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) -> Result<()> {
        let line = std::mem::take(&mut self.line);
        let mut bytes = line.as_slice();
        if !self.started {
            self.started = true;
            bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        }
        if bytes.is_empty() {
            self.dispatch(events);
            return Ok(());
        }
        let text = String::from_utf8_lossy(bytes);
        // A line that starts with a colon is a comment: its field name is empty, and unknown fields are ignored.
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.data.len() + value.len() > MAX_EVENT_BYTES {
                    return Err(too_long());
                }
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event),
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, events: &mut Vec<SseEvent>) {
        let event = std::mem::take(&mut self.event);
        if std::mem::take(&mut self.has_data) {
            events.push(SseEvent { event, data: std::mem::take(&mut self.data) });
        }
    }
}

fn too_long() -> Error {
    Error::new(
        ErrorCode::ProviderProtocol,
        format!("The provider's stream has an event of more than {} MiB.", MAX_EVENT_BYTES >> 20),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut decoder = SseDecoder::default();
        let mut events = Vec::new();
        for piece in pieces {
            decoder.push(piece, &mut events).unwrap();
        }
        events.extend(decoder.finish().unwrap());
        events.into_iter().map(|event| (event.event, event.data)).collect()
    }

    fn data(stream: &str) -> Vec<String> {
        decode(&[stream.as_bytes()]).into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn line_endings_and_the_space_after_the_colon() {
        assert_eq!(data("data: a\n\ndata:b\r\rdata:  c\r\n\r\n"), ["a", "b", " c"]);
        assert_eq!(data("data\n\ndata\ndata\n\ndata:"), ["", "\n", ""]);
        assert_eq!(data("data: x\n\r\ndata: y\n\n"), ["x", "y"]);
    }

    #[test]
    fn examples_of_the_standard() {
        assert_eq!(data("data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"]);
        assert_eq!(
            data(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event"),
            ["first event", "second event", " third event"]
        );
    }

    #[test]
    fn comments_unknown_fields_and_types() {
        let stream =
            ":keep-alive\n\nevent: error\nretry: 10\nfoo: bar\ndata: {}\n\nevent: lost\n\ndata: z\n\n";
        assert_eq!(
            decode(&[stream.as_bytes()]),
            [("error".to_owned(), "{}".to_owned()), (String::new(), "z".to_owned())]
        );
    }

    #[test]
    fn byte_order_mark_only_at_the_start() {
        assert_eq!(data("\u{feff}data: a\n\n\u{feff}data: b\n\n"), ["a"]);
        assert_eq!(decode(&[b"\xEF", b"\xBB", b"\xBFda", b"ta: a\n\n"]).len(), 1);
    }

    #[test]
    fn every_split_gives_the_same_events() {
        let stream = "\u{feff}: ping\r\n\r\ndata: {\"t\":\"naïve 日本 🩺\"}\r\n\r\nevent: e\rdata: 1\rdata: 2\r\rdata: end"
            .as_bytes();
        let whole = decode(&[stream]);
        assert_eq!(whole.len(), 3);
        for at in 0..=stream.len() {
            assert_eq!(decode(&[&stream[..at], &stream[at..]]), whole, "split at {at}");
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(decode(&bytes), whole);
    }

    #[test]
    fn an_endless_line_is_an_error() {
        let mut decoder = SseDecoder::default();
        let mut events = Vec::new();
        let piece = vec![b'x'; 1 << 20];
        let result = (0..5).try_for_each(|_| decoder.push(&piece, &mut events));
        assert_eq!(result.unwrap_err().code(), ErrorCode::ProviderProtocol);
        let mut decoder = SseDecoder::default();
        let line = [b"data: ".as_slice(), &piece, b"\n"].concat();
        let result = (0..5).try_for_each(|_| decoder.push(&line, &mut events));
        assert_eq!(result.unwrap_err().code(), ErrorCode::ProviderProtocol);
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_pieces(
            pieces in prop::collection::vec(
                prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'd'), any::<u8>()], 0..20),
                0..20,
            ),
        ) {
            let whole = pieces.concat();
            let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(decode(&pieces), decode(&[&whole]));
        }
    }
}
