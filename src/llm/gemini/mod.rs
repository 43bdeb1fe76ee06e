//! To come.

use serde_json::{Map, Value};

use super::decode::{Draft, Format, Problem};
use super::encode::Encoded;
use super::{ChatRequest, Provider};

#[derive(Default)]
pub(super) struct GenerateContent;

impl Format for GenerateContent {
    fn value(&mut self, _event: &str, _value: &Value, _draft: &mut Draft) -> Result<(), Problem> {
        Err(Problem::Protocol("is not read yet"))
    }

    fn hint(&self) -> &'static str {
        ""
    }
}

pub(super) fn encode(_provider: &Provider, _request: &ChatRequest) -> Encoded {
    Encoded { path: String::new(), query: "", auth: ("", ""), headers: &[], body: Map::new() }
}
