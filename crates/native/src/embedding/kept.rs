//! An embedder whose vectors are kept in a file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::KeptEmbeddingArgs;
use super::cache::{Cache, SPARED, first, key};
use crate::{files, note};
use ibid_embed::{DocumentEmbedder, Embedder, Embedding, Space, Task};
use ibid_platform::{Error, ErrorCode, Result};

/// The folder of kept vectors, in the folder that the command runs in.
const FOLDER: &str = ".ibid-cache";

/// The name of a model, and how many dimensions were asked for, which tell its file.
pub(super) struct CachedModel {
    pub(super) name: String,
    pub(super) dimensions: Option<u32>,
}

impl KeptEmbeddingArgs {
    /// Finds the file of a model's vectors, unless none are to be kept.
    pub(super) fn file(&self, model: &CachedModel) -> Option<PathBuf> {
        (!self.no_cache).then(|| Path::new(FOLDER).join(model.file_name()))
    }

    /// Opens the embedder with its vectors in that file, or without where there cannot be one.
    pub(super) fn keep(&self, embedder: impl Embedder + Send + Sync + 'static, model: &CachedModel) -> Kept {
        match self.file(model) {
            Some(path) => Kept::in_file(embedder, model, path),
            None => Kept::without_file(embedder),
        }
    }

    /// Opens the transformer with its vectors in a file.
    pub(crate) fn keep_transformer(&self, embedder: DocumentEmbedder) -> Kept {
        let space = embedder.space();
        // Other weights of the same name and vocabulary give other vectors.
        let weights = Sha256::new().chain_update(embedder.transformer().file());
        let name = format!("{}@{}", space.name, hex(weights.chain_update(&space.fingerprint)));
        let model = CachedModel { name, dimensions: Some(space.dimensions) };
        self.keep(embedder, &model)
    }
}

fn open(path: PathBuf, model: &CachedModel, dimensions: u32) -> Result<Cache> {
    // A folder that was there is somebody's own, and what is in it is not to be hidden from git.
    let is_own = path.parent().is_some_and(|folder| !folder.exists());
    files::create_folder_of(&path)?;
    if is_own {
        files::write(&path.with_file_name(".gitignore"), b"*\n")?;
    }
    Cache::open(path, &model.name, dimensions)
}

impl CachedModel {
    /// Makes the name of its file: readable, and by its hash never that of another model.
    fn file_name(&self) -> String {
        let asked = self.dimensions.map_or_else(|| "own".to_owned(), |dimensions| dimensions.to_string());
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let readable = self.name.split('@').next().unwrap_or_default();
        let readable: String = readable.chars().map(|c| if is_plain(c) { c } else { '-' }).take(80).collect();
        let hash = Sha256::new().chain_update(&self.name).chain_update("\n").chain_update(&asked);
        format!("{readable}-{asked}-{}.vectors", hex(hash))
    }
}

/// Writes the first eight bytes of a hash, which are enough to tell files apart.
fn hex(hash: Sha256) -> String {
    format!("{:016x}", u64::from_be_bytes(first(hash)))
}

/// An embedder that remembers, where its vectors are kept in a file. Copies share both.
#[derive(Clone)]
pub struct Kept {
    embedder: Arc<dyn Embedder + Send + Sync>,
    cache: Option<Arc<Mutex<Cache>>>,
}

impl Kept {
    /// Makes an embedder whose vectors are not kept.
    pub fn without_file(embedder: impl Embedder + Send + Sync + 'static) -> Self {
        Self { embedder: Arc::new(embedder), cache: None }
    }

    /// An embedder whose vectors are kept in that file, if there can be one.
    fn in_file(embedder: impl Embedder + Send + Sync + 'static, model: &CachedModel, path: PathBuf) -> Self {
        let cache = open(path, model, embedder.space().dimensions)
            .inspect_err(|error| note(&format!("warning: vectors are not cached: {}", error.message())))
            .ok();
        if let Some(cache) = cache.as_ref().filter(|cache| !cache.may_write()) {
            note(&format!(
                "note: another command is writing to {}; vectors of this one are not cached",
                cache.path().display()
            ));
        }
        Self { embedder: Arc::new(embedder), cache: cache.map(|cache| Arc::new(Mutex::new(cache))) }
    }

    /// Reads the vector of a text that was kept.
    pub fn known(&self, text: &str, task: Task) -> Option<Embedding> {
        self.with_cache(|cache| cache.get(&key(text, task))).flatten()
    }

    /// Drops what was not used for long, when there is far more of it than was used. A build calls it that has asked for
    /// the vectors of all its texts.
    pub fn tidy(&self) {
        if let Some(Err(error)) = self.with_cache(|cache| cache.tidy(SPARED)) {
            note(&format!("warning: old vectors could not be removed: {}", error.message()));
        }
    }

    /// Does something with what is kept, if something is.
    fn with_cache<T>(&self, act: impl FnOnce(&mut Cache) -> T) -> Option<T> {
        let cache = self.cache.as_ref()?;
        Some(act(&mut cache.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Keeps vectors. That they cannot be kept is no reason to lose them.
    fn keep(&self, texts: &[&str], task: Task, embeddings: &[Embedding]) {
        let added = self.with_cache(|cache| {
            let keys: Vec<_> = texts.iter().map(|text| key(text, task)).collect();
            cache.add(&keys, embeddings)
        });
        if let Some(Err(error)) = added {
            note(&format!("warning: vectors are no longer cached: {}", error.message()));
        }
    }

    /// Makes an error, with what it means for what is kept.
    fn told(&self, error: Error) -> Error {
        let kept_in = |cache: &mut Cache| cache.may_write().then(|| cache.path().display().to_string());
        let Some(path) = self.with_cache(kept_in).flatten() else { return error };
        if error.code() != ErrorCode::ModelMismatch {
            note(&format!("vectors made so far are in {path}; run the same command to continue"));
            return error;
        }
        let hint = error.hint().map_or(String::new(), |hint| format!("{hint} "));
        error.with_hint(format!("{hint}If the service now has another model with that name, delete {path}."))
    }
}

impl Embedder for Kept {
    fn space(&self) -> &Space {
        self.embedder.space()
    }

    fn batch_size(&self) -> usize {
        self.embedder.batch_size()
    }

    fn embed(&self, texts: &[&str], task: Task) -> Result<Vec<Embedding>> {
        let known: Vec<Option<Embedding>> = texts.iter().map(|text| self.known(text, task)).collect();
        let missing: Vec<&str> =
            texts.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(text, _)| *text).collect();
        let mut made = Vec::new();
        if !missing.is_empty() {
            made = self.embedder.embed(&missing, task).map_err(|error| self.told(error))?;
            self.keep(&missing, task, &made);
        }
        let mut made = made.into_iter();
        Ok(known.into_iter().filter_map(|known| known.or_else(|| made.next())).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// An embedder that counts what it is asked for.
    struct Counting(Space, Arc<AtomicUsize>);

    impl Embedder for Counting {
        fn space(&self) -> &Space {
            &self.0
        }

        fn embed(&self, texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
            self.1.fetch_add(texts.len(), Ordering::Relaxed);
            Ok(texts.iter().map(|text| Embedding::normalized(vec![text.len() as f32, 1.0])).collect())
        }
    }

    #[test]
    fn only_new_texts_are_embedded() {
        let folder = tempfile::tempdir().unwrap();
        let place = || folder.path().join("deep/kept/m.vectors");
        let model = CachedModel { name: "m".to_owned(), dimensions: Some(2) };
        let asked = Arc::new(AtomicUsize::new(0));
        let counting = || Counting(Space::foreign("m", 2, None).unwrap(), asked.clone());
        let first = Kept::in_file(counting(), &model, place());
        let made = first.embed(&["a", "bb"], Task::Document).unwrap();
        drop(first);
        let second = Kept::in_file(counting(), &model, place());
        assert_eq!(second.known("bb", Task::Document).as_ref(), made.get(1));
        let again = second.embed(&["a", "ccc", "bb"], Task::Document).unwrap();
        assert_eq!((&again[0], &again[2]), (&made[0], &made[1]));
        assert_eq!((again.len(), asked.load(Ordering::Relaxed)), (3, 3));
        assert_eq!(files::read(&folder.path().join("deep/kept/.gitignore")).unwrap(), b"*\n");
        let own = tempfile::tempdir().unwrap();
        Kept::in_file(counting(), &model, own.path().join("m.vectors"));
        assert!(!own.path().join(".gitignore").exists());
        let none = KeptEmbeddingArgs { service: <_>::default(), no_cache: true }.keep(counting(), &model);
        assert_eq!(none.known("a", Task::Document), None);
    }

    #[test]
    fn the_file_is_the_one_of_the_node_command() {
        // `kept-vectors.test.ts` has the same name and bytes.
        let name = "tiny/pca2@f270aafad5bffb2d".to_owned();
        let model = CachedModel { name, dimensions: Some(2) };
        assert_eq!(model.file_name(), "tiny-pca2-2-776b3d91dcfaeb29.vectors");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut cache = Cache::open(path.clone(), &model.name, 2).unwrap();
        let keys = ["tea", "coffee"].map(|text| key(text, Task::Document));
        let vectors = [vec![0.6, 0.8], vec![1.0, 0.0]].map(Embedding::from_components);
        cache.add(&keys, &vectors).unwrap();
        let written = files::read(&path).unwrap();
        let expected = "6962696476656332020000001a00000074696e792f706361324066323730616166616435626666623264ceb485\
             2b8247e21799699c5871118cd79a99193fcdcc4c3f0c5eef45c52d75e499c981c87e464c9423cff119f6f106f8\
             0000803f0000000094dd7e5fcbe578bc";
        let bytes =
            (0..expected.len()).step_by(2).map(|at| u8::from_str_radix(&expected[at..at + 2], 16).unwrap());
        assert_eq!(written, bytes.collect::<Vec<u8>>());
    }

    #[test]
    fn files_of_vectors_are_told_apart() {
        let of = |name: &str, dimensions| CachedModel { name: name.to_owned(), dimensions }.file_name();
        let long = "x".repeat(150);
        let names = [
            of("t/a/b", None),
            of("t/a-b", None),
            of("t/a/b", Some(3)),
            of("t/a/b@1", None),
            of(&long, None),
        ];
        for (at, name) in names.iter().enumerate() {
            assert!(!name.contains('/') && name.len() < 120, "{name}");
            assert!(!names[..at].contains(name));
        }
        assert!(names[3].starts_with("t-a-b-own-"), "{}", names[3]);
    }
}
