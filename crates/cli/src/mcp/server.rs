//! The handler that `rmcp` calls, and its calls of the tools.

use std::borrow::Cow;
use std::sync::{Arc, mpsc};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::oneshot;

use super::describe::{self, READ, SEARCH};
use super::library::Library;
use super::{read, search};

/// The two tools on the indexes that are served. A retriever stays on its thread, so calls are sent there.
#[derive(Clone)]
pub(super) struct Server {
    tools: Arc<[Tool]>,
    instructions: Arc<str>,
    calls: mpsc::Sender<WaitingCall>,
}

/// A call of a tool, which somebody waits for.
pub(super) struct WaitingCall {
    name: String,
    arguments: JsonObject,
    answer: oneshot::Sender<Option<CallToolResult>>,
}

impl Server {
    /// The server, and its calls, which come to an end when all of its copies are dropped.
    pub(super) fn new(library: &Library) -> (Self, mpsc::Receiver<WaitingCall>) {
        let (calls, waiting) = mpsc::channel();
        let tools = describe::tools(library).into();
        (Self { tools, instructions: describe::instructions(library).into(), calls }, waiting)
    }
}

impl WaitingCall {
    /// Makes the call. A mistake in it is part of the result, since that is what a model gets to see; only a tool that there
    /// is not is an error of the protocol, as its specification says. `nonce` marks where text from documents
    /// begins and ends.
    pub(super) fn make(self, library: &Library, nonce: &str) {
        let called = match self.name.as_str() {
            SEARCH => Some(search::call(library, nonce, &self.arguments)),
            READ => Some(read::call(library, nonce, &self.arguments)),
            _ => None,
        };
        let result = called.map(|called| match called {
            Ok((text, object)) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(object);
                result
            }
            Err(problem) => CallToolResult::error(vec![ContentBlock::text(problem)]),
        });
        // A client that is gone no longer waits.
        let _ = self.answer.send(result);
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut implementation = Implementation::new("ibid", env!("CARGO_PKG_VERSION"));
        implementation.title = Some("ibid".to_owned());
        implementation.description = Some(env!("CARGO_PKG_DESCRIPTION").to_owned());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation)
            .with_instructions(&*self.instructions)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult { tools: self.tools.to_vec(), ..ListToolsResult::default() })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (answer, result) = oneshot::channel();
        let CallToolRequestParams { name, arguments, .. } = request;
        let call =
            WaitingCall { name: name.clone().into_owned(), arguments: arguments.unwrap_or_default(), answer };
        let ended = || ErrorData::internal_error("The server has ended.", None);
        self.calls.send(call).map_err(|_| ended())?;
        let result = result.await.map_err(|_| ended())?.ok_or_else(|| {
            let name: String = name.chars().take(60).collect();
            let message = format!("There is no tool {name:?}. The tools are {SEARCH} and {READ}.");
            ErrorData::invalid_params(Cow::Owned(message), None)
        })?;
        Ok(CallToolResponse::Complete(result))
    }
}
