//! `ibid search`.

use std::fmt::Write;

use super::{IndexArg, model, print, print_json};
use crate::error::Result;
use crate::index::Index;
use crate::retrieve::{Hit, Query, Retriever};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    index: IndexArg,
    /// What to look for.
    query: String,
    /// The most passages to show.
    #[arg(short, long, default_value_t = 5, value_name = "N")]
    limit: usize,
    /// The least similarity of a passage, from -1 to 1 [default: what the index was calibrated to]
    #[arg(long, allow_negative_numbers = true, value_name = "COSINE")]
    threshold: Option<f32>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let query = Query { text: args.query.clone(), limit: args.limit, threshold: args.threshold };
    let hits = open(&args.index)?.retrieve(&query)?;
    if args.json { print_json(&hits) } else { print(&format_hits(&hits)) }
}

/// Opens an index together with the query encoder.
pub(super) fn open(arg: &IndexArg) -> Result<Retriever> {
    let index = Index::open(super::files::read(&arg.index)?)?;
    Retriever::new(index, Box::new(model::query_table()?))
}

fn format_hits(hits: &[Hit]) -> String {
    if hits.is_empty() {
        return "No passage is similar enough to the query.\n".to_owned();
    }
    let mut out = String::new();
    for (rank, hit) in hits.iter().enumerate() {
        let path = hit.heading_path.join(" > ");
        let text = hit.text.replace('\n', "\n   ");
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{}. {path}  ({:.3})\n   {}:{}\n\n   {text}\n",
            rank + 1,
            hit.score,
            hit.source,
            hit.line
        );
    }
    out
}
