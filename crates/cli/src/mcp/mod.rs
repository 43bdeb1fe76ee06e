//! `ibid mcp`: indexes as a server of the [Model Context Protocol](https://modelcontextprotocol.io/specification),
//! for assistants that start it as a child process and speak to it over its standard input and output.
//!
//! `rmcp` does the protocol, over the lines of `stdio`. Here are the two tools: what they are called with (`arguments`), how
//! they describe themselves (`describe`), what they do (`search`, `read`, of which `section` puts the text together), and the
//! indexes they do it on (`library`).

mod arguments;
mod describe;
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

use self::library::Library;
use self::server::Server;
use self::stdio::Stdio;
use ibid_native::embedding::EmbeddingArgs;
use ibid_native::note;
use ibid_platform::{Error, ErrorCode, Result};

#[derive(clap::Args)]
pub(super) struct McpArgs {
    /// The index files. Where there are several, a name in front tells them apart [default: the file's name]
    #[arg(value_name = "[NAME=]INDEX", required = true)]
    indexes: Vec<PathBuf>,
    /// The subject of the documents, for the model that is to search them [default: some of their titles]
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

pub(super) fn run(args: McpArgs) -> Result<()> {
    let library = Library::open(&args.indexes, &args.embedding, args.description)?;
    note(&format!("serving {}; the protocol goes over standard input and output", library.summary()));
    let server = Server::new(library)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| failed(&format!("its event loop cannot be made ({error})")))?;
    let (stdio, writer) =
        Stdio::open().map_err(|error| failed(&format!("its threads cannot be started ({error})")))?;
    let outcome = tokio::task::LocalSet::new().block_on(&runtime, serve(server, stdio));
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
    Error::new(ErrorCode::Io, format!("The server ended: {why}.")).with_hint(
        "Start it from a client of the Model Context Protocol; docs/integrations.md has the settings.",
    )
}
