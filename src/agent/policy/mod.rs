//! What the policies do in their states.

mod auto;
mod case;
mod classic;
mod find;
mod output;
mod pipeline;
mod query;
mod turn;

pub use auto::choose;
pub(super) use find::Plan;
pub(super) use query::{estimate, expand, read_bare_call};
