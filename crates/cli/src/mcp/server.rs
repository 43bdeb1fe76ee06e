//! The handler that `rmcp` calls.

use std::borrow::Cow;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use super::describe::{self, READ, SEARCH};
use super::library::Library;
use super::{read, search};
use ibid_platform::Result;
use ibid_platform::nonce;

/// The two tools on the indexes that are served.
pub(super) struct Server {
    library: Library,
    tools: Vec<Tool>,
    /// Marks where text from documents begins and ends; new in every session.
    nonce: String,
}

impl Server {
    pub(super) fn new(library: Library) -> Result<Self> {
        Ok(Self { tools: describe::tools(&library), nonce: nonce()?, library })
    }

    /// The result of a call. A mistake in it is part of the result, since that is what a model gets to see; only
    /// a tool that there is not is an error of the protocol, as its specification says.
    fn call(&self, name: &str, arguments: Option<rmcp::model::JsonObject>) -> Option<CallToolResult> {
        let arguments = arguments.unwrap_or_default();
        let called = match name {
            SEARCH => search::call(&self.library, &self.nonce, &arguments),
            READ => read::call(&self.library, &self.nonce, &arguments),
            _ => return None,
        };
        Some(match called {
            Ok((text, object)) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(object);
                result
            }
            Err(problem) => CallToolResult::error(vec![ContentBlock::text(problem)]),
        })
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut implementation = Implementation::new("ibid", env!("CARGO_PKG_VERSION"));
        implementation.title = Some("ibid".to_owned());
        implementation.description = Some(env!("CARGO_PKG_DESCRIPTION").to_owned());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation)
            .with_instructions(describe::instructions(&self.library))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult { tools: self.tools.clone(), ..ListToolsResult::default() })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let result = self.call(&request.name, request.arguments).ok_or_else(|| {
            let name: String = request.name.chars().take(60).collect();
            let message = format!("There is no tool {name:?}. The tools are {SEARCH} and {READ}.");
            ErrorData::invalid_params(Cow::Owned(message), None)
        })?;
        Ok(CallToolResponse::Complete(result))
    }
}
