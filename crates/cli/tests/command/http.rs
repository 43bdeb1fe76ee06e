//! Servers on the loopback, which listen as long as the tests run.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::thread;

/// A server that does the same with every connection. Returns its host, with the port.
pub(crate) fn listen(act: impl Fn(TcpStream) + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let act = act.clone();
            thread::spawn(move || act(stream));
        }
    });
    host
}

/// Reads a request: its head, and its body, so that closing the connection does not look like a reset. Both are empty
/// where the client has gone.
pub(crate) fn read_request(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let (mut request, mut piece) = (Vec::new(), [0; 16384]);
    loop {
        let length = stream.read(&mut piece).unwrap_or(0);
        request.extend(&piece[..length]);
        let Some(end) = request.windows(4).position(|four| four == b"\r\n\r\n").map(|end| end + 4) else {
            if length == 0 {
                return Default::default();
            }
            continue;
        };
        let head = String::from_utf8(request[..end].to_vec()).unwrap();
        let awaited = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
        });
        if length == 0 || request.len() >= end + awaited.unwrap_or(0) {
            return (head, request.split_off(end));
        }
    }
}

/// A response, behind which the connection ends.
pub(crate) fn response(status: u16, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}
