//! Services that embed instead of ibid's own models, and the vectors that are kept of both.

mod cache;
mod kept;
mod service;

use crate::Family;
use crate::provider;
use crate::system::variable;
use ibid_embed::remote::EmbeddingOptions;
use ibid_embed::{Embedder, Embedding, Space, Task};
use ibid_index::Encoder;
use ibid_platform::{Endpoint, ProviderKind, RetryPolicy};
use ibid_platform::{Error, ErrorCode, Result};

use cache::Cache;
use kept::CachedModel;
pub use kept::Kept;
use service::Service;

/// The place where the key comes from. An argument could be read by every other user of the machine.
const KEY: &str = "IBID_EMBEDDING_API_KEY";
/// The key of the language model, which often is of the same provider.
const MODEL_KEY: &str = "IBID_API_KEY";

/// The service that embeds.
#[derive(Default, clap::Args)]
pub struct EmbeddingArgs {
    /// The service that embeds instead of ibid's own models; its key comes from `IBID_EMBEDDING_API_KEY`, else
    /// `IBID_API_KEY`.
    #[arg(long = "embeddings", id = "embeddings", value_name = "PROVIDER", requires = "embedding_model")]
    #[arg(value_parser = provider(|row| row.embedding.is_some()))]
    provider: Option<ProviderKind>,
    /// The service's model, in its spelling.
    #[arg(long, value_name = "NAME", requires = "embeddings")]
    embedding_model: Option<String>,
    /// The service's address, for a proxy or your own server [default: the provider's]
    #[arg(long, value_name = "URL", requires = "embeddings")]
    embedding_url: Option<String>,
    /// The number of dimensions to request [default: the model's]
    #[arg(long, value_name = "N", requires = "embeddings")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    embedding_dimensions: Option<u32>,
}

/// The service that embeds, if one does, and where vectors are kept.
#[derive(clap::Args)]
pub(super) struct KeptEmbeddingArgs {
    #[command(flatten)]
    service: EmbeddingArgs,
    /// Do not use or write the cache of vectors, `.ibid-cache`.
    #[arg(long)]
    no_cache: bool,
}

impl EmbeddingArgs {
    /// Reads the settings of the service, if one was named.
    fn options(&self, retry: RetryPolicy) -> Result<Option<EmbeddingOptions>> {
        let Some((provider, model)) = self.provider.zip(self.embedding_model.as_ref()) else {
            return Ok(None);
        };
        // A server of one's own is not told the key of somebody else's.
        let key = variable(KEY).or_else(|| variable(MODEL_KEY).filter(|_| !provider.row().is_local));
        let mut options = EmbeddingOptions {
            dimensions: self.embedding_dimensions,
            ..EmbeddingOptions::new(provider, model.as_str())
        };
        options.endpoint.base_url.extend(self.embedding_url.as_deref());
        options.endpoint = Endpoint { retry, ..options.endpoint }.with_api_key(key.unwrap_or_default());
        options.validate()?;
        Ok(Some(options))
    }
}

impl KeptEmbeddingArgs {
    /// Returns true if a service was named.
    pub(super) fn is_given(&self) -> bool {
        self.service.provider.is_some()
    }

    /// Opens the service that was named, if one was. What it embeds is kept. `base` is the space of an index that is to
    /// be changed or searched; without one, the service is asked how many dimensions its vectors have, if nobody says it.
    pub(super) fn service(&self, base: Option<&Space>) -> Result<Option<Kept>> {
        // A build may wait for longer than a person who searches.
        let patience = RetryPolicy { max_retries: 5, ..RetryPolicy::default() };
        let Some(options) = self.service.options(patience)? else { return Ok(None) };
        if let Some(base) = base {
            check(base, &options)?;
        }
        let model = CachedModel { name: options.space_name(), dimensions: options.dimensions };
        let kept = self.file(&model).and_then(|file| Cache::dimensions(&file, &model.name));
        let known = options.dimensions.or(kept).or(base.map(|base| base.dimensions));
        let service = match known {
            Some(dimensions) => Service::new(options, dimensions)?,
            None => Service::connect(options)?,
        };
        if let Some(base) = base.filter(|base| *base != service.space()) {
            return Err(mismatch(base, Some(service.space())));
        }
        Ok(Some(self.keep(service, &model)))
    }
}

/// Returns the embedder for queries to an index or a collection of that space: the service that was named, else the
/// query table. `encoder` says how its documents were embedded; for a collection, which does not tell, it is `None`.
///
/// # Errors
/// [`ErrorCode::ModelMismatch`] when a service is named that has not embedded the documents.
pub fn query_embedder(
    space: &Space,
    encoder: Option<Encoder>,
    args: &EmbeddingArgs,
) -> Result<Box<dyn Embedder>> {
    match args.options(RetryPolicy::default())? {
        Some(options) => {
            check(space, &options)?;
            Ok(Box::new(Service::new(options, space.dimensions)?))
        }
        // Words alone can be searched for all the same, so it is an error only when something is to be embedded.
        None if encoder == Some(Encoder::Embedder) => Ok(Box::new(Absent(space.clone()))),
        None => {
            let table = Family::of_space(space).unwrap_or_default().table()?;
            let is_own = encoder.is_some() || table.space() == space;
            Ok(if is_own { Box::new(table) } else { Box::new(Absent(space.clone())) })
        }
    }
}

/// Checks that the service's vectors can be compared with those of an index.
fn check(space: &Space, options: &EmbeddingOptions) -> Result<()> {
    let ours = options.space(options.dimensions.unwrap_or(space.dimensions))?;
    if ours == *space { Ok(()) } else { Err(mismatch(space, Some(&ours))) }
}

/// Makes the error for an index that something else has embedded, which says how to name what has.
pub fn mismatch(index: &Space, ours: Option<&Space>) -> Error {
    let said = |space: &Space| format!("{} with {} dimensions", space.name, space.dimensions);
    let here = ours.map_or("none is named".to_owned(), |ours| format!("here it would be {}", said(ours)));
    let message =
        format!("The index was embedded by {}. Its queries need the same model, but {here}.", said(index));
    let named = index.name.split_once('/').filter(|(provider, _)| ProviderKind::named(provider).is_some());
    let hint = match named {
        Some((provider, model)) => format!(
            "Give `--embeddings {provider} --embedding-model {model}`, and `--embedding-dimensions {}` if the index was \
             built with that.",
            index.dimensions
        ),
        None if Family::of_space(index).is_some() => {
            "Omit `--embeddings`: the program has that model. Or rebuild the index with the service."
                .to_owned()
        }
        None => "It was made by another version of ibid, or by a custom embedder, which only a page can use."
            .to_owned(),
    };
    Error::new(ErrorCode::ModelMismatch, message).with_hint(hint)
}

/// Represents a service without a name.
struct Absent(Space);

impl Embedder for Absent {
    fn space(&self) -> &Space {
        &self.0
    }

    /// Always [`ErrorCode::ModelMismatch`].
    fn embed(&self, _texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
        Err(mismatch(&self.0, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mismatch_says_what_the_index_was_built_with() {
        let ours = Space::foreign("voyage/voyage-3.5", 1024, None).unwrap();
        let index = Space::foreign("openai/text-embedding-3-small", 512, None).unwrap();
        let error = mismatch(&index, Some(&ours));
        assert_eq!(error.code(), ErrorCode::ModelMismatch);
        assert!(error.message().contains("text-embedding-3-small with 512 dimensions"), "{error}");
        assert!(error.message().contains("voyage/voyage-3.5 with 1024"), "{error}");
        let hint = error.hint().unwrap();
        assert!(hint.contains("--embeddings openai --embedding-model text-embedding-3-small"), "{hint}");
        let own = Family::MiniLm.table().unwrap();
        assert!(mismatch(own.space(), Some(&ours)).hint().unwrap().starts_with("Omit"));
        assert!(mismatch(&ours, None).message().contains("none is named"));
        let page = Space::foreign("my-model", 3, None).unwrap();
        assert!(mismatch(&page, None).hint().unwrap().contains("page"));
    }
}
