//! Vectors that another program made of the texts of chunks, in a file: a NumPy matrix, or JSON lines.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use twox_hash::XxHash64;

use super::failed;
use ibid_build::Collected;
use ibid_embed::{Embedder, Embedding, Space, Task};
use ibid_platform::{Error, ErrorCode, Result};

/// The longest head of a NumPy file that is read; NumPy itself refuses longer ones.
const LONGEST_HEAD: usize = 10_000;
/// The longest line of JSON: 4,096 numbers of 25 characters, and the text.
const LONGEST_LINE: u64 = 16 << 20;

/// A text of a chunk with the chunk's id.
pub struct ChunkText {
    /// As `ibid chunk` prints it.
    pub id: u64,
    /// The text that is embedded.
    pub text: String,
}

impl ChunkText {
    /// Returns the texts that are embedded for chunks: each once, in their order.
    pub fn of(collected: &Collected) -> Vec<Self> {
        let mut known = HashSet::new();
        let texts = collected.chunks().map(|chunk| Self { id: chunk.id(), text: chunk.embedding_text() });
        texts.filter(|text| known.insert(text.hash())).collect()
    }

    fn hash(&self) -> u64 {
        hash(&self.text)
    }
}

/// Looks vectors of texts up in a file, instead of an embedder.
#[derive(Debug)]
pub struct VectorFile {
    path: PathBuf,
    space: Space,
    file: Mutex<File>,
    /// The beginning of each text's vector, by the text's hash.
    places: HashMap<u64, u64>,
    form: VectorForm,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum VectorForm {
    /// Bytes of a number.
    Matrix(usize),
    JsonLines,
}

/// A line of JSON, which has the text or the chunk's id.
#[derive(Deserialize)]
struct VectorLine {
    id: Option<String>,
    text: Option<String>,
    #[serde(alias = "vector")]
    embedding: Vec<f32>,
}

impl VectorFile {
    /// Opens a file with the vectors of these texts: the rows of a `.npy` are in their order, and lines of JSON have an `id`
    /// or a `text` next to the `embedding`. `space` tells the space of vectors of that many dimensions.
    ///
    /// # Errors
    /// [`ErrorCode::Io`]; [`ErrorCode::EmbedderFailed`] for a file of another form, or with vectors of other texts or
    /// dimensions; and those of `space`.
    pub fn open(path: &Path, texts: &[ChunkText], space: impl FnOnce(u32) -> Result<Space>) -> Result<Self> {
        let unreadable = |error: io::Error| failed("read", path, &error);
        let mut file = File::open(path).map_err(unreadable)?;
        let mut magic = [0; 6];
        let is_matrix = file.read_exact(&mut magic).is_ok() && magic == *b"\x93NUMPY";
        file.rewind().map_err(unreadable)?;
        let wrong = |why: String| wrong(path, &why);
        if !is_matrix {
            let (places, dimensions) = places_of_lines(path, &file, texts)?;
            let (space, file) = (space(dimensions)?, Mutex::new(file));
            check_dimensions(path, &space, dimensions)?;
            return Ok(Self { path: path.to_owned(), space, file, places, form: VectorForm::JsonLines });
        }
        let matrix = Matrix::read(&mut file).map_err(wrong)?;
        let length = file.metadata().map_err(unreadable)?.len();
        let row_bytes = matrix.columns.checked_mul(matrix.item as u64);
        let end = row_bytes.and_then(|bytes| bytes.checked_mul(matrix.rows)?.checked_add(matrix.start));
        let (Some(row_bytes), true) = (row_bytes, end == Some(length)) else {
            return Err(wrong("its length does not match the matrix in its header".to_owned()));
        };
        if matrix.rows != texts.len() as u64 {
            return Err(wrong(format!(
                "it has {} rows, but the documents have {} texts",
                matrix.rows,
                texts.len()
            )));
        }
        let dimensions = u32::try_from(matrix.columns).unwrap_or(u32::MAX);
        let space = space(dimensions)?;
        check_dimensions(path, &space, dimensions)?;
        let place = |(row, text): (u64, &ChunkText)| (text.hash(), matrix.start + row * row_bytes);
        let places = (0..).zip(texts).map(place).collect();
        let form = VectorForm::Matrix(matrix.item);
        Ok(Self { path: path.to_owned(), space, file: Mutex::new(file), places, form })
    }

    fn row(&self, text: &str) -> Result<Vec<f32>> {
        let lacks = || wrong(&self.path, &format!("it lacks the vector of `{}`", beginning(text)));
        let place = *self.places.get(&hash(text)).ok_or_else(lacks)?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |file: &mut File| -> io::Result<Vec<f32>> {
            file.seek(SeekFrom::Start(place))?;
            match self.form {
                VectorForm::Matrix(item) => {
                    let mut bytes = vec![0; self.space.dimensions as usize * item];
                    file.read_exact(&mut bytes)?;
                    Ok(numbers(&bytes, item))
                }
                VectorForm::JsonLines => {
                    let mut line = String::new();
                    BufReader::new(file).take(LONGEST_LINE).read_line(&mut line)?;
                    let line: VectorLine = serde_json::from_str(&line)?;
                    Ok(line.embedding)
                }
            }
        };
        read(&mut file).map_err(|error| failed("read", &self.path, &error))
    }
}

impl Embedder for VectorFile {
    fn space(&self) -> &Space {
        &self.space
    }

    fn embed(&self, texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
        texts.iter().map(|text| self.space.embedding(self.row(text)?)).collect()
    }
}

/// A matrix, as the head of a NumPy file describes it.
struct Matrix {
    start: u64,
    rows: u64,
    columns: u64,
    /// The bytes of a number.
    item: usize,
}

impl Matrix {
    /// Reads the head of format version 1 to 3 ("A Simple File Format for NumPy Arrays", NEP 1).
    fn read(file: &mut File) -> std::result::Result<Self, String> {
        let cut = |_: io::Error| "its header is cut off".to_owned();
        let mut start = [0; 8];
        file.read_exact(&mut start).map_err(cut)?;
        let mut length = [0; 4];
        let length_bytes = if start[6] == 1 { 2 } else { 4 };
        file.read_exact(&mut length[..length_bytes]).map_err(cut)?;
        let head_bytes = u32::from_le_bytes(length) as usize;
        if head_bytes > LONGEST_HEAD {
            return Err("its header is too long".to_owned());
        }
        let mut head = vec![0; head_bytes];
        file.read_exact(&mut head).map_err(cut)?;
        let head = String::from_utf8_lossy(&head);
        let value = |name: &str| head.split_once(&format!("'{name}':")).map(|(_, rest)| rest.trim_start());
        let item = match value("descr") {
            Some(kind) if kind.starts_with("'<f4'") => 4,
            Some(kind) if kind.starts_with("'<f8'") => 8,
            _ => return Err("its numbers are neither float32 nor float64".to_owned()),
        };
        if !value("fortran_order").is_some_and(|value| value.starts_with("False")) {
            return Err("its rows are not in C order".to_owned());
        }
        let shape = value("shape").and_then(|value| value.strip_prefix('(')?.split_once(')'));
        let sides = shape.map(|(sides, _)| sides.split(',').map(str::trim).filter(|side| !side.is_empty()));
        let sides: Option<Vec<u64>> = sides.and_then(|sides| sides.map(|side| side.parse().ok()).collect());
        match sides.as_deref() {
            Some(&[rows, columns]) => {
                let start = (start.len() + length_bytes + head_bytes) as u64;
                Ok(Self { start, rows, columns, item })
            }
            _ => Err("it is not a matrix".to_owned()),
        }
    }
}

fn numbers(bytes: &[u8], item: usize) -> Vec<f32> {
    match item {
        8 => bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes) as f32).collect(),
        _ => bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
    }
}

/// Finds where the lines of texts begin, and how many dimensions their vectors have.
fn places_of_lines(path: &Path, file: &File, texts: &[ChunkText]) -> Result<(HashMap<u64, u64>, u32)> {
    let by_id: HashMap<u64, u64> = texts.iter().map(|text| (text.id, text.hash())).collect();
    let (mut places, mut dimensions) = (HashMap::new(), None);
    let (mut reader, mut at, mut number) = (BufReader::new(file), 0, 0_u64);
    loop {
        let mut line = Vec::new();
        let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let length = read.map_err(|error| failed("read", path, &error))?;
        if length == 0 {
            break;
        }
        number += 1;
        let start = at;
        at += length as u64;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let bad = |why: String| wrong(path, &format!("line {number} {why}"));
        let read: VectorLine =
            serde_json::from_slice(&line).map_err(|error| bad(format!("cannot be read: {error}")))?;
        let id = read.id.as_deref().and_then(|id| u64::from_str_radix(id, 16).ok());
        let key = read.text.as_deref().map(hash).or_else(|| by_id.get(&id?).copied());
        let found = read.embedding.len();
        if *dimensions.get_or_insert(found) != found {
            return Err(bad(format!("has a vector of {found} numbers, unlike earlier lines")));
        }
        if read.text.is_none() && read.id.is_none() {
            return Err(bad("has neither `text` nor `id`".to_owned()));
        }
        // Texts that the documents do not have any more are passed over.
        places.extend(key.map(|key| (key, start)));
    }
    let lacking: Vec<&ChunkText> = texts.iter().filter(|text| !places.contains_key(&text.hash())).collect();
    if let Some(first) = lacking.first() {
        let text = beginning(&first.text);
        let why =
            format!("it lacks the vectors of {} of {} texts, such as `{text}`", lacking.len(), texts.len());
        return Err(wrong(path, &why));
    }
    Ok((places, dimensions.and_then(|found| u32::try_from(found).ok()).unwrap_or_default()))
}

fn check_dimensions(path: &Path, space: &Space, found: u32) -> Result<()> {
    if space.dimensions == found {
        return Ok(());
    }
    let why =
        format!("its vectors have {found} dimensions, but those of {} have {}", space.name, space.dimensions);
    Err(wrong(path, &why))
}

fn hash(text: &str) -> u64 {
    XxHash64::oneshot(0, text.as_bytes())
}

fn beginning(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(60).collect()
}

fn wrong(path: &Path, why: &str) -> Error {
    let message = format!("The vectors in `{}` cannot be used: {why}.", path.display());
    Error::new(ErrorCode::EmbedderFailed, message).with_hint(
        "Embed the output of `ibid chunk --texts` for the same documents and options, in the same order; \
         write a float32 matrix as .npy, or JSON lines with `id` and `embedding`.",
    )
}
