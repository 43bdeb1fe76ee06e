//! `ibid inspect`.

use std::path::PathBuf;

use serde::Serialize;

use ibid_document::FieldType;
use ibid_index::{FORMAT_VERSION, Index, Manifest, MetadataField};
use ibid_native::{files, print, print_json};
use ibid_platform::Result;

/// Values of a field that are shown to a person.
const SHOWN_VALUES: usize = 5;

#[derive(clap::Args)]
pub(super) struct InspectArgs {
    /// The index file.
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print the metadata fields as TypeScript, for `Ibid.load<Fields>()`.
    #[arg(long, conflicts_with = "json")]
    types: bool,
}

#[derive(Serialize)]
struct InspectReport<'a> {
    format_version: u32,
    bytes: u64,
    bytes_per_chunk: u64,
    words_alone: Option<String>,
    manifest: &'a Manifest,
    sections: Vec<IndexPart>,
    fields: Vec<ShownField>,
    longest_chunks: Vec<Longest>,
    /// The checks that were made: every checksum, and that every block of text can be unpacked. A damaged index does not get here.
    verified: Verified,
}

#[derive(Serialize)]
struct IndexPart {
    name: String,
    offset: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct ShownField {
    name: String,
    r#type: String,
    documents: u64,
    distinct: usize,
    /// The values that most documents have, with their numbers.
    most_frequent: Vec<(String, u64)>,
}

#[derive(Serialize)]
struct Longest {
    chunk: u32,
    id: String,
    bytes: usize,
    source: String,
    line: u32,
    heading_path: Vec<String>,
}

#[derive(Serialize)]
struct Verified {
    sections: usize,
    chunks: u32,
}

pub(super) fn run(args: &InspectArgs) -> Result<()> {
    let index = Index::open(files::index::read(&args.index)?)?;
    if args.types {
        return print(&types(&index.fields()?));
    }
    let manifest = index.manifest();
    let report = InspectReport {
        format_version: FORMAT_VERSION,
        bytes: index.byte_size(),
        bytes_per_chunk: index.byte_size().checked_div(u64::from(manifest.chunks)).unwrap_or(0),
        words_alone: manifest.words_alone(),
        manifest,
        sections: index
            .file_sections()
            .into_iter()
            .map(|section| IndexPart {
                name: section.name,
                offset: section.range.start,
                bytes: section.range.end - section.range.start,
            })
            .collect(),
        fields: index.fields()?.into_iter().map(shown).collect(),
        longest_chunks: longest(&index)?,
        verified: Verified { sections: index.file_sections().len(), chunks: manifest.chunks },
    };
    if args.json { print_json(&report) } else { print(&text(&report)) }
}

/// The number of the longest chunks that are listed.
const LONGEST: usize = 5;

/// Reads every chunk, which unpacks and checks all text, and keeps the longest.
fn longest(index: &Index) -> Result<Vec<Longest>> {
    let mut all = Vec::new();
    for chunk in 0..index.chunk_end() {
        if let Some(stored) = index.chunk(chunk)? {
            all.push((stored.text.len(), chunk));
        }
    }
    all.sort_by_key(|&(bytes, chunk)| (std::cmp::Reverse(bytes), chunk));
    let mut longest = Vec::new();
    for (bytes, chunk) in all.into_iter().take(LONGEST) {
        if let Some(stored) = index.chunk(chunk)? {
            longest.push(Longest {
                chunk,
                id: format!("{:016x}", stored.id),
                bytes,
                source: stored.place.document.source,
                line: stored.place.line,
                heading_path: stored.place.section.heading_path,
            });
        }
    }
    Ok(longest)
}

fn shown(field: MetadataField) -> ShownField {
    let distinct = field.values.len();
    let mut most_frequent = field.values;
    most_frequent.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    most_frequent.truncate(SHOWN_VALUES);
    ShownField {
        name: field.name,
        r#type: field.field_type.to_string(),
        documents: field.documents,
        distinct,
        most_frequent,
    }
}

/// Returns the fields as a type, by which TypeScript checks filters and metadata.
fn types(fields: &[MetadataField]) -> String {
    let lines = fields.iter().map(|field| {
        let kind = match field.field_type {
            FieldType::Boolean => "boolean",
            FieldType::Integer | FieldType::Float => "number",
            FieldType::Date | FieldType::Keyword => "string",
            FieldType::Keywords => "string[]",
        };
        let is_word = field.name.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
        let name = if is_word { field.name.clone() } else { format!("{:?}", field.name) };
        format!("  {name}: {kind};\n")
    });
    format!("export type Fields = {{\n{}}};\n", lines.collect::<String>())
}

fn text(report: &InspectReport<'_>) -> String {
    let mut lines = about(report);
    lines.push("\nsection       bytes  share".to_owned());
    for part in &report.sections {
        let share = 100.0 * part.bytes as f64 / report.bytes.max(1) as f64;
        lines.push(format!("{:7} {:11}  {share:4.1} %", part.name, part.bytes));
    }
    if !report.fields.is_empty() {
        lines.push("\nfield (type): documents, different values, most frequent".to_owned());
    }
    for ShownField { name, r#type: kind, documents, distinct, most_frequent } in &report.fields {
        let values: Vec<String> =
            most_frequent.iter().map(|(value, count)| format!("{value} ({count})")).collect();
        lines.push(format!("{name} ({kind}): {documents}, {distinct}, {}", values.join(", ")));
    }
    if !report.longest_chunks.is_empty() {
        lines.push("\nlongest chunks (bytes)".to_owned());
    }
    for chunk in &report.longest_chunks {
        let path = chunk.heading_path.join(" > ");
        lines.push(format!("{:8}  {}:{}  {path}", chunk.bytes, chunk.source, chunk.line));
    }
    lines.push(format!(
        "\nVerified: the checksums of {} sections, and the text of {} chunks.\n",
        report.verified.sections, report.verified.chunks
    ));
    lines.join("\n")
}

/// Writes the lines on how the index was made.
fn about(report: &InspectReport<'_>) -> Vec<String> {
    let Manifest { space, chunking, calibration, .. } = report.manifest;
    let stems = report.manifest.build.lexical.analyzed();
    let words = report.words_alone.as_ref().map_or(String::new(), |why| format!("; {why}"));
    let manifest = report.manifest;
    vec![
        format!("Format version {}, written by {}", report.format_version, manifest.generator),
        format!("Model {} ({} dimensions, fingerprint {})", space.name, space.dimensions, space.fingerprint),
        format!(
            "{} documents, {} sections, {} chunks; {} bytes, {} a chunk",
            manifest.documents, manifest.sections, manifest.chunks, report.bytes, report.bytes_per_chunk
        ),
        format!(
            "Cosines: {:.3} of unrelated texts, {:.3} of near ones; {:.1} % of pairs separated",
            calibration.unrelated,
            calibration.near,
            100.0 * calibration.separation
        ),
        format!("Words are stemmed in `{stems}`{words}"),
        format!(
            "Chunked to {} tokens of four characters, merged below {}, {} sentences overlap",
            chunking.budget, chunking.min_size, chunking.overlap
        ),
        match calibration.probes {
            0 => "Clusters compared: the default, since there are too few passages to measure".to_owned(),
            probes => format!(
                "Clusters compared: {probes}, which find {:.1} % of the ten nearest",
                100.0 * calibration.recall
            ),
        },
    ]
}
