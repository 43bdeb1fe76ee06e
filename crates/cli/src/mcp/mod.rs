//! `ibid mcp`: indexes as a server of the [Model Context Protocol](https://modelcontextprotocol.io/specification),
//! for assistants that start it as a child process and speak to it over its standard input and output, or for many over HTTP.
//!
//! `rmcp` does the protocol, over the lines of `stdio` or the requests of `http`. Here are the two tools: `arguments`
//! reads what they are called with, `describe` has their descriptions, and `search` and `read` do their work on the indexes
//! of `library`. `section` puts together the text that is read.

mod arguments;
mod describe;
mod http;
mod library;
mod read;
mod search;
mod section;
mod server;
mod shown;
mod stdio;

use std::path::PathBuf;

use rmcp::service::ServerInitializeError;
use rmcp::{RmcpError, serve_server};

use self::http::HttpListener;
use self::library::Library;
use self::server::Server;
use self::stdio::Stdio;
use ibid_native::embedding::EmbeddingArgs;
use ibid_native::note;
use ibid_platform::{Error, ErrorCode, Result, nonce};

#[derive(clap::Args)]
pub(super) struct McpArgs {
    /// The index files. If there are several, put a name in front of each [default: the file's name]
    #[arg(value_name = "[NAME=]INDEX", required = true)]
    indexes: Vec<PathBuf>,
    /// The subject of the documents, for the model that searches them [default: some of their titles]
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Serve over HTTP, at a port of this machine or an address with a port [default: standard input and output]
    #[arg(long, value_name = "[HOST:]PORT")]
    http: Option<String>,
    /// Allow pages of this origin, such as `https://docs.example.org`, to call over HTTP; may be repeated [default:
    /// none]
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

pub(super) fn run(args: McpArgs) -> Result<()> {
    let listener = args.http.as_deref().map(|address| HttpListener::bind(address, &args.allow_origin));
    let listener = listener.transpose()?;
    let library = Library::open(&args.indexes, &args.embedding, args.description)?;
    let by = match &listener {
        Some(listener) => format!("at {}", listener.url()),
        None => "over standard input and output".to_owned(),
    };
    note(&format!("serving {} {by}", library.summary()));
    let (server, calls) = Server::new(&library);
    let nonce = nonce()?;
    let speaking = std::thread::Builder::new()
        .spawn(move || speak(server, listener))
        .map_err(|error| failed(&format!("its thread cannot be started ({error})")))?;
    for call in calls {
        call.make(&library, &nonce);
    }
    speaking.join().unwrap_or_else(|_| Err(failed("it broke off")))
}

/// Speaks the protocol until the client closes the connection; over HTTP, until the process ends.
fn speak(server: Server, listener: Option<HttpListener>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(&format!("its event loop cannot be made ({error})")))?;
    if let Some(listener) = listener {
        let ended = runtime.block_on(listener.serve(server));
        return ended.map(|_| ()).map_err(|error| failed(&error.to_string()));
    }
    let (stdio, writer) =
        Stdio::open().map_err(|error| failed(&format!("its threads cannot be started ({error})")))?;
    let outcome = runtime.block_on(serve(server, stdio));
    drop(runtime);
    // The last answers may still be on their way. A read from standard input that is still going on is not waited for.
    let _ = writer.join();
    outcome
}

/// Serves until the client closes the connection.
async fn serve(server: Server, stdio: Stdio) -> Result<()> {
    let running = match serve_server(server, stdio).await {
        // A client that goes away before it has said anything is no failure.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        running => running.map_err(|error| failed(&RmcpError::from(error).to_string()))?,
    };
    running.waiting().await.map(|_| ()).map_err(|error| failed(&error.to_string()))
}

fn failed(why: &str) -> Error {
    Error::new(ErrorCode::Io, format!("The server ended: {why}."))
        .with_hint("Start it from a client of the Model Context Protocol: see docs/integrations.md.")
}
