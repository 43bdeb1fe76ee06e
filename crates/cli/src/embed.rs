//! `ibid embed`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use ibid_embed::{DocumentEmbedder, Embedder, Embedding, Space, Task};
use ibid_native::{Progress, files, model, named, note, print_bytes};
use ibid_platform::{Error, ErrorCode, Result};

/// Texts that are embedded between two moves of the progress bar; enough to keep all cores busy.
const BATCH: usize = 256;

/// The way files end that hold JSON lines.
const JSON_ENDINGS: [&str; 2] = ["jsonl", "ndjson"];

/// The length of a NumPy file's head, which has to be a multiple of 64.
const NPY_HEAD: usize = 128;

#[derive(clap::Args)]
pub(super) struct EmbedArgs {
    /// The texts, one per line; or JSON lines with a `text` each, if the file ends in .jsonl or .ndjson or the first
    /// line is an object [default: standard input]
    #[arg(value_name = "FILE")]
    input: Option<PathBuf>,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The encoder: the transformer, as for documents, or the token table, as for queries in pages [default:
    /// transformer, or the named service]
    #[arg(long, value_enum, conflicts_with = "embeddings")]
    encoder: Option<EmbedEncoder>,
    /// The purpose of the embeddings [default: query with the table, else document]
    #[arg(long, value_parser = named::<Task>(["document", "query"]))]
    task: Option<Task>,
    /// The format of the vectors: JSON lines with the texts, a NumPy matrix, or bare little-endian numbers.
    #[arg(long, value_enum, default_value_t = VectorFormat::Jsonl)]
    format: VectorFormat,
    #[command(flatten)]
    model: model::ModelArg,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum EmbedEncoder {
    Transformer,
    /// The transformer's own vectors, before they are projected into the space of an index.
    TransformerBare,
    Table,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum VectorFormat {
    Jsonl,
    Npy,
    F32,
}

/// A line of the result.
#[derive(Serialize)]
struct VectorLine<'a> {
    text: &'a str,
    embedding: &'a [f32],
}

pub(super) fn run(args: &EmbedArgs) -> Result<()> {
    if let Some(output) = &args.output {
        files::check_writable(output)?;
    } else if args.format != VectorFormat::Jsonl && std::io::stdout().is_terminal() {
        return Err(Error::new(ErrorCode::InvalidOption, "Binary output cannot go to a terminal.")
            .with_hint("Name a file with `-o FILE`, or use `--format jsonl`."));
    }
    let input = match &args.input {
        Some(path) => files::read(path)?,
        None => files::read_input(u64::MAX)?,
    };
    let is_json = input.starts_with(b"{\"") || args.input.as_deref().is_some_and(is_json_lines);
    let texts = texts(&input, is_json)?;
    let family = args.model.family(None, None);
    let embedder: Box<dyn Embedder> = match (args.model.service(None)?, args.encoder) {
        (Some(service), _) => Box::new(service),
        (None, Some(EmbedEncoder::Table)) => Box::new(family.table()?),
        (None, Some(EmbedEncoder::Transformer) | None) => {
            Box::new(model::document_embedder(&args.model, family)?)
        }
        (None, Some(EmbedEncoder::TransformerBare)) => {
            Box::new(Bare::new(model::document_embedder(&args.model, family)?)?)
        }
    };
    let usual = if args.encoder == Some(EmbedEncoder::Table) { Task::Query } else { Task::Document };
    let task = args.task.unwrap_or(usual);
    let dimensions = embedder.space().dimensions as usize;
    let mut out = match args.format {
        VectorFormat::Npy => npy_head(texts.len(), dimensions),
        VectorFormat::Jsonl | VectorFormat::F32 => Vec::new(),
    };
    let bar = Progress::new("embedding", texts.len(), "texts");
    for batch in texts.chunks(BATCH) {
        let batch: Vec<&str> = batch.iter().map(AsRef::as_ref).collect();
        for (text, embedding) in batch.iter().zip(embedder.embed(&batch, task)?) {
            append(&mut out, args.format, text, &embedding)?;
        }
        bar.advance(batch.len());
        // What a file is to hold is written at once, when all of it is there.
        if args.output.is_none() {
            print_bytes(&out)?;
            out.clear();
        }
    }
    drop(bar);
    match &args.output {
        Some(path) => {
            files::write(path, &out)?;
            note(&format!("{}: {} vectors of {dimensions} components", path.display(), texts.len()));
            Ok(())
        }
        None => print_bytes(&out),
    }
}

/// A transformer without the projection behind it.
struct Bare {
    model: DocumentEmbedder,
    space: Space,
}

impl Bare {
    fn new(model: DocumentEmbedder) -> Result<Self> {
        let transformer = model.transformer();
        let space = Space::foreign(transformer.name(), transformer.dimensions() as u32, None)?;
        Ok(Self { model, space })
    }
}

impl Embedder for Bare {
    fn space(&self) -> &Space {
        &self.space
    }

    fn embed(&self, texts: &[&str], task: Task) -> Result<Vec<Embedding>> {
        Ok(self.model.transformer().embed(texts, task))
    }
}

fn is_json_lines(path: &Path) -> bool {
    path.extension().is_some_and(|ending| JSON_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Reads the texts of an input: its lines, or those of its JSON lines. A JSON line is a string, or an object that has one
/// as its `text`; blank ones are passed over.
fn texts(input: &[u8], is_json: bool) -> Result<Vec<String>> {
    let input = std::str::from_utf8(input).map_err(|error| {
        let line = 1 + input[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        Error::new(ErrorCode::InvalidDocument, format!("Line {line} of the texts is not UTF-8."))
            .with_hint("Convert the file to UTF-8.")
    })?;
    let lines = input.strip_prefix('\u{feff}').unwrap_or(input).lines();
    if !is_json {
        return Ok(lines.map(str::to_owned).collect());
    }
    let mut texts = Vec::new();
    for (line, number) in lines.zip(1..) {
        if !line.trim().is_empty() {
            texts.push(text_of(line).map_err(|problem| {
                Error::new(ErrorCode::InvalidDocument, format!("Line {number} of the texts {problem}."))
                    .with_hint("Each line is a JSON string, or an object with its text as `text`.")
            })?);
        }
    }
    Ok(texts)
}

fn text_of(line: &str) -> std::result::Result<String, String> {
    let mut value: Value = serde_json::from_str(line).map_err(|error| format!("is not JSON: {error}"))?;
    if let Value::Object(object) = &mut value {
        value = object.remove("text").ok_or("has no \"text\"")?;
    }
    match value {
        Value::String(text) => Ok(text),
        _ => Err("has a value for \"text\" that is not a string".to_owned()),
    }
}

fn append(out: &mut Vec<u8>, format: VectorFormat, text: &str, embedding: &Embedding) -> Result<()> {
    let embedding = embedding.as_slice();
    if format == VectorFormat::Jsonl {
        serde_json::to_writer(&mut *out, &VectorLine { text, embedding }).map_err(|error| {
            Error::new(ErrorCode::Internal, format!("A vector has no JSON form: {error}."))
        })?;
        out.push(b'\n');
    } else {
        out.extend(embedding.iter().flat_map(|x| x.to_le_bytes()));
    }
    Ok(())
}

/// Writes the head of a NumPy file, format version 1.0 ("A Simple File Format for NumPy Arrays", NEP 1), before a matrix
/// of f32.
fn npy_head(rows: usize, columns: usize) -> Vec<u8> {
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend(((NPY_HEAD - 10) as u16).to_le_bytes());
    // Writing to a vector cannot fail.
    let _ = write!(head, "{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    head.resize(NPY_HEAD - 1, b' ');
    head.push(b'\n');
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_text() {
        assert_eq!(texts(b"a\r\n\n b \n", false).unwrap(), ["a", "", " b "]);
        assert_eq!(texts("\u{feff}é".as_bytes(), false).unwrap(), ["é"]);
        assert!(texts(b"", false).unwrap().is_empty());
    }

    #[test]
    fn a_json_line_is_a_string_or_an_object() {
        let lines = b"\"a\\nb\"\n\n{\"text\": \"c\", \"id\": 1}\n";
        assert_eq!(texts(lines, true).unwrap(), ["a\nb", "c"]);
    }

    #[test]
    fn a_bad_line_is_named() {
        for (input, is_json, expected) in [
            (&b"\"a\"\n{\"id\": 1}"[..], true, "Line 2 of the texts has no \"text\"."),
            (b"{\"text\": 1}", true, "Line 1 of the texts has a value for"),
            (b"[]", true, "Line 1"),
            (b"\n\n{", true, "Line 3 of the texts is not JSON"),
            (b"a\n\xff", false, "Line 2 of the texts is not UTF-8."),
        ] {
            let error = texts(input, is_json).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidDocument);
            assert!(error.message().starts_with(expected), "{error}");
        }
    }

    #[test]
    fn a_numpy_head_has_its_length() {
        let head = npy_head(usize::MAX, 8192);
        assert_eq!((head.len(), head[127]), (NPY_HEAD, b'\n'));
        assert!(String::from_utf8_lossy(&head).contains(&format!("'shape': ({}, 8192)", usize::MAX)));
    }
}
