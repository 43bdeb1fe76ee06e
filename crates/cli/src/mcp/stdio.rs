//! Standard input and output as a transport: one message a line, and an answer to every line that is none.
//!
//! The transport that `rmcp` brings skips such lines silently, and the caller waits for ever.

use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc;
use std::thread::JoinHandle;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The most bytes of a line. What is longer is answered, but not held in memory.
const LONGEST_LINE: usize = 16 << 20;
/// Lines that are read before somebody takes them.
const AHEAD: usize = 16;

/// The codes of JSON-RPC 2.0, 5.1.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// A line, or nothing where it was too long.
type InputLine = Option<Vec<u8>>;

/// The process's own standard input and output.
pub(super) struct Stdio {
    lines: Receiver<InputLine>,
    answers: mpsc::Sender<Vec<u8>>,
}

impl Stdio {
    /// The transport, and the thread that writes for it: it ends when the transport is dropped and everything is written.
    pub(super) fn open() -> io::Result<(Self, JoinHandle<()>)> {
        let (sender, lines) = channel(AHEAD);
        std::thread::Builder::new().spawn(move || read_lines(io::stdin().lock(), &sender))?;
        let (answers, written) = mpsc::channel::<Vec<u8>>();
        let writer = std::thread::Builder::new().spawn(move || {
            let mut output = io::stdout().lock();
            for line in written {
                // The sender of the next line learns that nobody reads any more.
                if output.write_all(&line).and_then(|()| output.flush()).is_err() {
                    return;
                }
            }
        })?;
        Ok((Self { lines, answers }, writer))
    }

    fn write(&self, message: &impl serde::Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.answers.send(line).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        std::future::ready(self.write(&item))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let refusal = match self.lines.recv().await? {
                None => Some(refusal(&Value::Null, PARSE_ERROR, "it is longer than 16 MiB")),
                Some(line) if line.trim_ascii().is_empty() => None,
                Some(line) => match serde_json::from_slice(&line) {
                    Ok(message) => return Some(message),
                    Err(error) => refuse(&line, &error),
                },
            };
            if let Some(refusal) = refusal {
                self.write(&refusal).ok()?;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads standard input line by line to its end, or until nobody takes lines any more.
fn read_lines(mut input: impl BufRead, lines: &Sender<InputLine>) {
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(length) => {
                let is_whole = length < LONGEST_LINE || line.ends_with(b"\n");
                if !is_whole && input.skip_until(b'\n').is_err() {
                    return;
                }
                if lines.blocking_send(is_whole.then_some(line)).is_err() {
                    return;
                }
            }
        }
    }
}

/// As much of a message as has to be read to answer it. Everything else is passed over, whatever is wrong with it.
#[derive(Deserialize)]
struct MessageHead {
    id: Option<Value>,
    method: Option<IgnoredAny>,
}

/// The answer to a line that is no message; none to a notification, which nobody waits for.
fn refuse(line: &[u8], error: &serde_json::Error) -> Option<Value> {
    let is_object = line.trim_ascii_start().starts_with(b"{");
    let head = is_object.then(|| serde_json::from_slice::<MessageHead>(line).ok()).flatten();
    let (id, is_call) = head.map_or((None, false), |head| (head.id, head.method.is_some()));
    if is_call && id.is_none() {
        return None;
    }
    let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or_default();
    let code = if error.is_data() { INVALID_REQUEST } else { PARSE_ERROR };
    Some(refusal(&id, code, &error.to_string()))
}

fn refusal(id: &Value, code: i32, why: &str) -> Value {
    let message = format!("This line is no message of the protocol: {why}.");
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
