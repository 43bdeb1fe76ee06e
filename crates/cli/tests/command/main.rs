//! The `ibid` command as a person or a script meets it: one module for each subcommand or situation.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "tests fail where they stand, say what they skip, start servers and look at files"
)]

mod add_search;
mod audit;
mod build;
mod embed;
mod engines;
mod eval;
mod fetch;
mod file_server;
mod folder;
mod http;
mod mcp;
mod merge;
mod model;
mod network;
mod output;
mod page_links;
mod papers;
mod real_llm;
mod remote_index;
mod serve;
mod service;
mod settings;
mod site;
mod support;
mod usage;
mod vectors;
mod verify;
