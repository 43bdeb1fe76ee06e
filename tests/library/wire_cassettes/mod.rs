//! Replays recorded exchanges with real providers through the codecs, a module for each format.
//!
//! The recordings are third-party data beside the checkout and no part of this repository; without them these tests
//! say so and pass. What is expected of a reply is read from the recording by the simplest means there are.

mod chat_completions;
mod coverage;
mod gemini;
mod messages;
mod ollama;
mod recordings;
mod responses;
