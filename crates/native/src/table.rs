//! The encoder of queries that is part of the program.

use ibid_embed::TokenTable;
use ibid_platform::Result;

const QUERY_TABLE: &[u8] = include_bytes!("../../../models/query-table.bin");

/// Opens the query table.
pub fn query_table() -> Result<TokenTable> {
    TokenTable::from_bytes(QUERY_TABLE)
}
