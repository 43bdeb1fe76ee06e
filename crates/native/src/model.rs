//! The models of commands: the query table that is part of the program, and the packed transformer, from where it lies.

use std::path::{Path, PathBuf};

use crate::embedding::{Kept, KeptEmbeddingArgs};
use crate::files::vectors::{ChunkText, VectorFile};
use crate::system::variable;
use crate::{Family, fetch_model, files, note};
use ibid_embed::{DocumentEmbedder, Embedder, Foreign, Space, TableEmbedder, Transformer};
use ibid_index::Encoder;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_text::Languages;

const ENVIRONMENT: &str = "IBID_MODEL";

/// The encoder of documents: a model of ibid's, or a service.
#[derive(clap::Args)]
pub struct ModelArg {
    /// The model that embeds documents: `minilm` for English, `e5` for a hundred languages, or a packed model's file
    /// [default: `IBID_MODEL`, else by the documents' language]
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<PathBuf>,
    #[command(flatten)]
    service: KeptEmbeddingArgs,
}

impl ModelArg {
    /// Returns true if a service embeds.
    pub fn names_service(&self) -> bool {
        self.service.is_given()
    }

    /// Names a model, unless one is named or a service embeds.
    pub fn set_default(&mut self, model: Option<&Path>) {
        if !self.names_service() && self.model.is_none() {
            self.model = model.map(Path::to_owned);
        }
    }

    /// Returns whether a model was named.
    pub fn names_model(&self) -> bool {
        self.model.is_some()
    }

    /// Finds the model that was named: an option is stronger than the environment.
    fn named(&self) -> Option<PathBuf> {
        self.model.clone().or_else(|| variable(ENVIRONMENT).map(PathBuf::from))
    }

    /// Chooses the family that embeds: the one that was named, else that of the index that is to be changed, else the one
    /// for the documents' language. A file that was named says itself which one it is.
    pub fn family(&self, base: Option<&Space>, languages: Option<Languages>) -> Family {
        let named = self.named().and_then(|named| Family::from_name(named.to_str()?));
        named.or_else(|| base.and_then(Family::of_space)).unwrap_or_else(|| Family::of_languages(languages))
    }

    /// Finds the file of the model that was named, or else the first of the family's that is there.
    fn path(&self, family: Family) -> Option<PathBuf> {
        let named = self.named().filter(|named| named.to_str().and_then(Family::from_name).is_none());
        named.or_else(|| family.find_transformer())
    }

    /// Opens the service that embeds in the model's place, if one was named; see `KeptEmbeddingArgs::service`.
    pub fn service(&self, base: Option<&Space>) -> Result<Option<Kept>> {
        if self.names_service() && self.model.is_some() {
            return Err(Error::new(
                ErrorCode::InvalidOption,
                "`--model` and `--embeddings` both choose a model.",
            ));
        }
        self.service.service(base)
    }
}

/// The encoders of a build: both embedders are of one space, and may be one, as where a service embeds.
pub struct Embedders {
    /// Embeds the chunks.
    pub documents: Kept,
    /// Embeds as queries will be embedded; the index is calibrated by it.
    pub queries: Box<dyn Embedder>,
    /// The encoder of its documents, as the index says.
    pub encoder: Encoder,
}

impl Embedders {
    /// Takes a service for both.
    pub fn of_service(service: &Kept) -> Self {
        Self { documents: service.clone(), queries: Box::new(service.clone()), encoder: Encoder::Embedder }
    }
}

/// Opens the family's transformer for documents and its table for queries, or the service that was named for both. `base`
/// is the space of the index that is to be changed, if there is one.
pub fn embedders(arg: &ModelArg, family: Family, base: Option<&Space>) -> Result<Embedders> {
    if let Some(service) = arg.service(base)? {
        return Ok(Embedders::of_service(&service));
    }
    let documents = arg.service.keep_transformer(document_embedder(arg, family)?);
    let queries = Family::of_space(documents.space()).unwrap_or(family).table()?;
    Ok(Embedders { documents, queries: Box::new(queries), encoder: Encoder::Transformer })
}

/// Vectors of the documents' texts from a file, and what embeds queries in the same space: the service that was named, or
/// ibid's table; nothing here for a model of another name.
pub fn embedders_of_file(
    arg: &ModelArg,
    family: Family,
    base: Option<&Space>,
    texts: &[ChunkText],
    (path, name): (&Path, Option<&str>),
) -> Result<Embedders> {
    let open = |space: &dyn Fn(u32) -> Result<Space>| VectorFile::open(path, texts, space);
    if let Some(name) = name {
        let documents = open(&|dimensions| Space::foreign(name, dimensions, None))?;
        let queries = Box::new(Foreign::new(documents.space().clone()));
        let documents = Kept::without_file(documents);
        return Ok(Embedders { documents, queries, encoder: Encoder::Embedder });
    }
    if let Some(service) = arg.service(base)? {
        let documents = open(&|_| Ok(service.space().clone()))?;
        return Ok(Embedders {
            documents: Kept::without_file(documents),
            queries: Box::new(service),
            encoder: Encoder::Embedder,
        });
    }
    let queries = family.table()?;
    let documents = open(&|_| Ok(queries.space().clone()))?;
    Ok(Embedders {
        documents: Kept::without_file(documents),
        queries: Box::new(queries),
        encoder: Encoder::Transformer,
    })
}

/// As [`embedders`], with the table for documents too if it is wanted, or if nothing is wanted and the model is
/// neither here nor downloadable, with a note.
pub fn embedders_or_table(
    arg: &ModelArg,
    family: Family,
    wanted: Option<Encoder>,
    base: Option<&Space>,
) -> Result<Embedders> {
    let is_missing = wanted.is_none() && !arg.names_service() && arg.path(family).is_none();
    let unfetched = if is_missing { fetch_model(family, None, 0).err() } else { None };
    if let Some(error) = &unfetched {
        note(&format!(
            "note: {} was not downloaded. {} The query table embeds these documents instead, and finds long passages less well.\n  \
             To download the model: {}",
            family.model(),
            error.message(),
            family.how_to_get()
        ));
    }
    if unfetched.is_none() && wanted != Some(Encoder::Table) {
        return embedders(arg, family, base);
    }
    let (documents, queries) = (TableEmbedder(family.table()?), family.table()?);
    Ok(Embedders {
        documents: Kept::without_file(documents),
        queries: Box::new(queries),
        encoder: Encoder::Table,
    })
}

/// Returns the encoder of documents, from the first place that is named or has it, or else from the registry.
pub fn document_embedder(arg: &ModelArg, family: Family) -> Result<DocumentEmbedder> {
    let path = match arg.path(family) {
        Some(path) => path,
        None => fetch_model(family, None, 0).map_err(|error| {
            let hint = format!(
                "`{}` tries again; `--encoder table` builds without it, and finds long passages less well.",
                family.how_to_get()
            );
            error.with_hint(hint)
        })?,
    };
    let transformer = Transformer::from_bytes(files::read(&path)?)?;
    let family = Family::of_model(transformer.name()).unwrap_or(family);
    DocumentEmbedder::new(transformer, family.projection()?)
}
