//! Replays recorded exchanges with real providers through the codecs, a module for each format.
//!
//! The recordings are third-party data next to the checkout, or in the folder that `IBID_CASSETTES` names, and no part of
//! this repository; without them these tests say so and pass. A recording is a YAML file of documents with `when`
//! (method, path, body) and `then` (status, body). What is expected of a reply is read from the recording by the simplest means there are.

mod chat_completions;
mod coverage;
mod gemini;
mod messages;
mod ollama;
pub(crate) mod recordings;
mod responses;

use ibid::ErrorCode;
use ibid::llm::failure;
use serde_json::Value;

use self::recordings::{Codec, decode};

/// The codec that reads the exchanges of each format.
const CODECS: [Codec; 5] =
    [chat_completions::CODEC, messages::CODEC, ollama::CODEC, responses::CODEC, gemini::CODEC];

#[test]
fn recorded_refusals_have_code_and_message() {
    for codec in CODECS {
        let provider = codec.provider();
        for exchange in codec.refusals() {
            let name = exchange.name();
            let error =
                failure::from_response(&provider, exchange.status, &[], exchange.body.as_bytes()).error;
            let code = match exchange.status {
                401 | 403 => ErrorCode::ProviderAuth,
                404 => ErrorCode::ProviderNotFound,
                429 => ErrorCode::ProviderRateLimit,
                // A full context and a wrong key are bad requests too, with codes of their own.
                400..=499 if error.code() != ErrorCode::ProviderUnavailable => error.code(),
                400..=499 => ErrorCode::ProviderRequest,
                500.. => ErrorCode::ProviderUnavailable,
                _ => ErrorCode::ProviderProtocol,
            };
            assert_eq!(error.code(), code, "{name}");
            let Ok(body) = serde_json::from_str::<Value>(&exchange.body) else { continue };
            let places = [&body["error"]["message"], &body["message"], &body["detail"], &body["error"]];
            // A long message is cut, and white space in it put in order.
            let Some(said) = places.into_iter().find_map(Value::as_str).filter(|said| said.len() < 300)
            else {
                continue;
            };
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            match said.split_once("sk-") {
                // A key is blotted out.
                Some((start, _)) => assert!(error.message().contains(start), "{name}: {error}"),
                None => assert!(error.message().ends_with(&said), "{name}: {error}"),
            }
        }
    }
}

#[test]
fn recorded_answers_that_break_off_are_network_failures() {
    for codec in CODECS {
        let provider = codec.provider();
        for exchange in codec.answers() {
            let Some(end) = exchange.body.find(codec.end) else { continue };
            for cut in [end / 3, end / 2, end] {
                let pieces = exchange.body.as_bytes()[..cut].chunks(50);
                let error = decode(&provider, pieces).expect_err(&exchange.name());
                // A report of a failure is what it says.
                if exchange.body.contains("\"error\":{") {
                    continue;
                }
                let told = (error.code(), error.is_retryable());
                assert_eq!(told, (ErrorCode::Network, true), "{}", exchange.name());
            }
        }
    }
}
