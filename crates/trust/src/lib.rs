//! Checks answers against the passages they cite, and guards what goes to a model and what comes from it.
//!
//! [`cite`] numbers sources, reads citations and verifies claims by computation. [`guard`] looks at questions and
//! documents: emergencies, personal data, and text that addresses a model.

pub mod cite;
pub mod guard;
