//! Packed transformers from a registry of npm packages: fetched once, checked, and kept where commands look for them.

use std::fs::{File, OpenOptions, remove_file};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use crate::download::{
    Client, Failed, Retries, base_url, broken_off, content_length, content_range, uncoded,
};
use crate::http::NativeHttp;
use crate::system::{SystemClock, block_on, variable};
use crate::{Family, Progress, files, note};
use ibid_platform::{Clock, Error, ErrorCode, Http, HttpBody, HttpResponse, Result, RetryPolicy};

const REGISTRY: &str = "https://registry.npmjs.org";
/// The variable that names another registry, or a server that has its files under the same paths.
const ENVIRONMENT: &str = "IBID_MODEL_URL";
/// The bytes by which a package may be larger than the models in it.
const ROOM: u64 = 1 << 20;

/// The npm package that carries a packed transformer.
pub(crate) struct Weights {
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
    /// The transformer's file in the package.
    pub(crate) file: &'static str,
    /// Length of the file.
    pub(crate) bytes: u64,
    /// Length of the table and the projection, which the package also has.
    pub(crate) others: u64,
    /// SHA-256 of the file, hexadecimal.
    pub(crate) sha256: &'static str,
}

/// Fetches a family's transformer into the folder where commands look for it, or to `output`, unless it is there. What an
/// interrupted call has received, the next one continues. Failures that may pass are tried again `retries` times.
///
/// # Errors
/// `network` and `timeout` if the registry gives no such package or a damaged one, `io` if the file cannot be
/// written, `invalid-option` for a bad address in `IBID_MODEL_URL` or where no home folder is known.
pub fn fetch_model(family: Family, output: Option<&Path>, retries: u32) -> Result<PathBuf> {
    let place = family.place_or(output)?;
    let weights = family.weights();
    if weights.is_at(&place)? {
        return Ok(place);
    }
    let registry = base_url(&variable(ENVIRONMENT).unwrap_or_else(|| REGISTRY.to_owned()))?;
    note(&format!(
        "downloading {} once, {} MB from {registry}",
        family.model(),
        (weights.bytes + weights.others + 500_000) / 1_000_000
    ));
    let http = NativeHttp::for_files(registry.starts_with("https://"));
    let policy = RetryPolicy { max_retries: retries, initial_delay_ms: 1000 };
    let client = Client::new(&http, &SystemClock, Duration::ZERO, policy);
    block_on(weights.fetch(client, &registry, &place))?;
    Ok(place)
}

impl Weights {
    async fn fetch<H: Http, C: Clock>(
        &self,
        mut client: Client<'_, H, C>,
        registry: &str,
        place: &Path,
    ) -> Result<()> {
        files::create_folder_of(place)?;
        let mut download = Download::beside(place, self.address(registry), self.bytes + self.others + ROOM)?;
        // Another command may have brought it while this one waited for the lock.
        if self.is_at(place)? {
            return Ok(());
        }
        let mut retries = Retries::default();
        let bytes = loop {
            let before = download.length;
            let failed = match self.attempt(&mut client, &mut download).await {
                Ok(bytes) => break bytes,
                Err(failed) => failed,
            };
            let advanced = download.length > before;
            let failed = Failed { advanced, ..failed };
            client.wait(&mut retries, failed, &download.url).await.map_err(|gave_up| gave_up.error)?;
        };
        files::write(place, &bytes)?;
        download.remove();
        Ok(())
    }

    /// Receives what is missing of the package, and takes the transformer out of it.
    async fn attempt<H: Http, C: Clock>(
        &self,
        client: &mut Client<'_, H, C>,
        download: &mut Download,
    ) -> Result<Vec<u8>, Failed> {
        let resumed = download.length > 0;
        download.receive(client).await?;
        if let Some(bytes) = self.unpack(&download.file).filter(|bytes| self.is_whole(bytes)) {
            return Ok(bytes);
        }
        download.restart()?;
        let error = Error::new(
            ErrorCode::Network,
            format!("`{}` does not have `{}` as published.", download.url, self.file),
        )
        .with_hint(format!("Check the proxy between this machine and the registry, or `{ENVIRONMENT}`."));
        // Parts that do not belong together are the fault of the joint, so the whole is worth an attempt.
        Err(if resumed { error.retryable() } else { error }.into())
    }

    /// Makes the address of the package's archive, as npm's registries have it.
    fn address(&self, registry: &str) -> String {
        let Self { package, version, .. } = self;
        format!("{registry}/{package}/-/{package}-{version}.tgz")
    }

    /// Unpacks the transformer's bytes out of the package; nothing if it cannot be read or has no such file.
    fn unpack(&self, mut package: &File) -> Option<Vec<u8>> {
        package.seek(SeekFrom::Start(0)).ok()?;
        let mut archive = tar::Archive::new(GzDecoder::new(package));
        let wanted = Path::new("package").join(self.file);
        let mut entries = archive.entries().ok()?.map_while(Result::ok);
        let entry = entries.find(|entry| entry.path().is_ok_and(|path| path == wanted))?;
        let mut bytes = Vec::new();
        entry.take(self.bytes + 1).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn is_at(&self, place: &Path) -> Result<bool> {
        Ok(files::read_if_there(place)?.is_some_and(|bytes| self.is_whole(&bytes)))
    }

    fn is_whole(&self, bytes: &[u8]) -> bool {
        let digits = (0..self.sha256.len()).step_by(2).map(|at| self.sha256.get(at..at + 2));
        let wanted =
            digits.map(|digits| u8::from_str_radix(digits.unwrap_or_default(), 16).unwrap_or_default());
        bytes.len() as u64 == self.bytes && wanted.eq(Sha256::digest(bytes))
    }
}

/// A package of which a part may have been received. It is locked, so that a second command waits for the first.
struct Download {
    url: String,
    path: PathBuf,
    file: File,
    length: u64,
    /// The most bytes that it may have.
    limit: u64,
    progress: Progress,
}

impl Download {
    fn beside(place: &Path, url: String, limit: u64) -> Result<Self> {
        let mut name = place.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let path = place.with_file_name(name);
        let open = || {
            let file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
            // Some network file systems have no locks; that is no reason not to work there.
            let _ = file.lock();
            let length = file.metadata()?.len();
            Ok((file, length))
        };
        let (file, length) = open().map_err(|error| files::failed("written", &path, &error))?;
        let progress = Progress::new("fetching", (limit - ROOM) as usize, "bytes");
        Ok(Self { url, path, file, length, limit, progress })
    }

    async fn receive<H: Http, C: Clock>(&mut self, client: &mut Client<'_, H, C>) -> Result<(), Failed> {
        let mut headers = vec![uncoded()];
        if self.length > 0 {
            headers.push(("range".to_owned(), format!("bytes={}-", self.length)));
        }
        let response = client.get(&self.url, headers, &[200, 206, 416]).await?;
        let announced = content_length(&response);
        match response.status {
            // Nothing is missing; the checksum tells if that is so.
            416 => return Ok(()),
            206 => {
                let range = response.header("content-range").and_then(content_range);
                if range.is_none_or(|(first, _)| first != self.length) {
                    self.restart()?;
                    return Err(self.unexpected("sent the wrong range").retryable().into());
                }
            }
            _ => self.restart()?,
        }
        let whole = announced.map(|rest| self.length.saturating_add(rest));
        self.receive_body(response, whole).await
    }

    async fn receive_body<B: HttpBody>(
        &mut self,
        mut response: HttpResponse<B>,
        whole: Option<u64>,
    ) -> Result<(), Failed> {
        while let Some(piece) = response.body.chunk().await? {
            if self.length + piece.len() as u64 > self.limit {
                self.restart()?;
                return Err(self.unexpected("is longer than the package").into());
            }
            self.file.write_all(&piece).map_err(|error| files::failed("written", &self.path, &error))?;
            self.length += piece.len() as u64;
            self.progress.set(self.length as usize);
        }
        match whole.filter(|whole| *whole != self.length) {
            Some(whole) => Err(broken_off(&self.url, self.length, whole).into()),
            None => Ok(()),
        }
    }

    /// Forgets what was received.
    fn restart(&mut self) -> Result<()> {
        self.length = 0;
        self.file.set_len(0).map_err(|error| files::failed("written", &self.path, &error))
    }

    fn remove(self) {
        // A file that stays takes room and does no harm.
        let _ = remove_file(&self.path);
    }

    fn unexpected(&self, what: &str) -> Error {
        Error::new(ErrorCode::Network, format!("`{}` {what}.", self.url))
    }
}
