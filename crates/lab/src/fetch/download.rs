//! Bringing one archive to its place: not at all if it is there, from where it stopped if a part of it is.

use serde::Serialize;

use super::store::{BookPlace, PartFile, Record};
use ibid_native::Progress;
use ibid_native::download::{
    Client, Failed, GaveUp, Retries, broken_off, content_length, content_range, uncoded,
};
use ibid_platform::{Clock, Http, HttpBody, HttpResponse};
use ibid_platform::{Error, ErrorCode, Result};

ibid_platform::named! {
    /// The outcome for an archive.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub(super) enum Status {
        /// It was downloaded from its beginning.
        Downloaded = "downloaded",
        /// A part that was there was continued.
        Resumed = "resumed",
        /// It was there, as the server has it.
        Unchanged = "unchanged",
        /// It could not be downloaded.
        Failed = "failed",
        /// It was not tried.
        Pending = "pending",
    }
}

/// An archive to download.
pub(super) struct Job<'a> {
    /// Its name while it is downloaded.
    pub(super) label: String,
    pub(super) url: String,
    /// The list's date of it; empty if the list has none.
    pub(super) updated: &'a str,
    pub(super) place: BookPlace,
    /// The most bytes that it may have.
    pub(super) limit: u64,
}

/// The outcome of one attempt.
enum End {
    /// The archive is there already.
    Unchanged,
    /// The unfinished archive has all its bytes.
    Whole { resumed: bool },
}

impl Job<'_> {
    /// Returns true if the archive is there in the version that the list names, as far as can be told without asking.
    pub(super) fn is_there(&self) -> bool {
        self.finished_record()
            .is_some_and(|record| !self.updated.is_empty() && record.updated == self.updated)
    }

    /// Reads the record of the finished archive, if it is what the record speaks of.
    fn finished_record(&self) -> Option<Record> {
        let bytes = self.place.whole_bytes()?;
        let record = self.place.record().filter(|_| self.place.part_bytes().is_none())?;
        (record.url == self.url && record.bytes == Some(bytes)).then_some(record)
    }

    /// Finds the number of bytes of the unfinished archive that can be built upon, and what is known about it.
    fn unfinished(&self) -> Option<(u64, Record)> {
        let bytes = self.place.part_bytes().filter(|bytes| *bytes > 0)?;
        let record = self.place.record().filter(|record| record.url == self.url)?;
        let fits = record.bytes.is_none_or(|whole| bytes <= whole);
        (fits && record.validator().is_some()).then_some((bytes, record))
    }

    /// Brings the archive to its place; returns what became of it.
    ///
    /// # Errors
    /// The last attempt's, when there is to be no other.
    pub(super) async fn fetch<H: Http, C: Clock>(
        &self,
        client: &mut Client<'_, H, C>,
    ) -> Result<Status, GaveUp> {
        if self.is_there() {
            return Ok(Status::Unchanged);
        }
        let mut retries = Retries::default();
        let mut most = self.place.part_bytes().unwrap_or(0);
        loop {
            let failed = match self.attempt(client).await {
                Ok(status) => return Ok(status),
                Err(failed) => failed,
            };
            // Only what was never reached before counts, or a server that starts over each time would never be left.
            let now = self.unfinished().map_or(0, |(bytes, _)| bytes);
            let advanced = now > most;
            most = most.max(now);
            client.wait(&mut retries, Failed { advanced, ..failed }, &self.url).await?;
        }
    }

    async fn attempt<H: Http, C: Clock>(&self, client: &mut Client<'_, H, C>) -> Result<Status, Failed> {
        let resumed = match self.receive(client).await? {
            End::Unchanged => return Ok(Status::Unchanged),
            End::Whole { resumed } => resumed,
        };
        if let Some(flaw) = self.place.flaw_of_part()? {
            self.place.discard()?;
            let error = Error::new(
                ErrorCode::Network,
                format!("The download from `{}` is damaged: {flaw}.", self.url),
            );
            // Parts that do not belong together are the fault of the joint, so the whole is worth an attempt.
            return Err(if resumed { error.retryable() } else { error }.into());
        }
        let bytes = self.place.finish()?;
        if let Some(record) = self.place.record() {
            self.place.keep_record(&Record { bytes: Some(bytes), ..record })?;
        }
        Ok(if resumed { Status::Resumed } else { Status::Downloaded })
    }

    /// Makes the unfinished archive whole, unless the finished one is.
    async fn receive<H: Http, C: Clock>(&self, client: &mut Client<'_, H, C>) -> Result<End, Failed> {
        let mut headers = vec![uncoded()];
        let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
        let unfinished = self.unfinished();
        let finished = self.finished_record();
        match (&unfinished, &finished) {
            (Some((bytes, record)), _) if record.bytes == Some(*bytes) => {
                return Ok(End::Whole { resumed: true });
            }
            (Some((bytes, record)), _) => {
                add("range", &format!("bytes={bytes}-"));
                // Without this, the rest of a newer version would be joined to the part of an older one.
                add("if-range", record.validator().unwrap_or_default());
            }
            (None, Some(record)) => {
                record.etag.iter().for_each(|etag| add("if-none-match", etag));
                record.last_modified.iter().for_each(|date| add("if-modified-since", date));
            }
            (None, None) => {}
        }
        let response = client.get(&self.url, headers, &[200, 206, 304, 416]).await?;
        match (response.status, unfinished, finished) {
            (200, ..) => self.receive_all(response).await,
            (206, Some((bytes, record)), _) => self.receive_rest(bytes, record, response).await,
            (304, _, Some(record)) => {
                self.place.keep_record(&Record { updated: self.updated.to_owned(), ..record })?;
                Ok(End::Unchanged)
            }
            (416, Some(_), _) => {
                self.place.discard()?;
                Err(self.unexpected("has fewer bytes than are here already").retryable().into())
            }
            (status, ..) => Err(self.unexpected(&format!("sent an unexpected status {status}")).into()),
        }
    }

    async fn receive_all<B: HttpBody>(&self, response: HttpResponse<B>) -> Result<End, Failed> {
        let header = |name: &str| response.header(name).map(str::to_owned);
        let record = Record {
            url: self.url.clone(),
            updated: self.updated.to_owned(),
            etag: header("etag"),
            last_modified: header("last-modified"),
            bytes: content_length(&response),
        };
        self.check_limit(record.bytes)?;
        if self.is_same_without_record(&record)? {
            self.place.keep_record(&record)?;
            return Ok(End::Unchanged);
        }
        let part = self.place.begin(&record)?;
        self.receive_body(part, record.bytes, response.body).await?;
        Ok(End::Whole { resumed: false })
    }

    /// Returns true if an archive of which nothing is known, brought by other means, is the one that the server has: it has the
    /// announced length, and its bytes are sound.
    fn is_same_without_record(&self, record: &Record) -> Result<bool> {
        let whole = self.place.whole_bytes();
        let known = self.place.record().is_some() || self.place.part_bytes().is_some();
        Ok(!known && whole.is_some() && whole == record.bytes && self.place.flaw_of_whole()?.is_none())
    }

    async fn receive_rest<B: HttpBody>(
        &self,
        start: u64,
        record: Record,
        response: HttpResponse<B>,
    ) -> Result<End, Failed> {
        let range = response.header("content-range").and_then(content_range);
        let Some((first, whole)) = range.filter(|(first, _)| *first == start) else {
            self.place.discard()?;
            return Err(self.unexpected("sent the wrong range").retryable().into());
        };
        if record.bytes.is_some() && whole.is_some() && record.bytes != whole {
            self.place.discard()?;
            return Err(self.unexpected("changed its length").retryable().into());
        }
        let announced = content_length(&response).map(|rest| first.saturating_add(rest));
        let whole = record.bytes.or(whole).or(announced);
        self.check_limit(whole)?;
        let part = self.place.resume()?;
        self.receive_body(part, whole, response.body).await?;
        Ok(End::Whole { resumed: true })
    }

    async fn receive_body<B: HttpBody>(
        &self,
        mut part: PartFile,
        whole: Option<u64>,
        mut body: B,
    ) -> Result<(), Failed> {
        let progress = Progress::new(&self.label, whole.unwrap_or(0) as usize, "bytes");
        while let Some(piece) = body.chunk().await? {
            let length = part.length + piece.len() as u64;
            if length > self.limit || whole.is_some_and(|whole| length > whole) {
                self.place.discard()?;
                self.check_limit(Some(length))?;
                return Err(self.unexpected("sent more bytes than announced").into());
            }
            part.append(&piece)?;
            progress.set(part.length as usize);
        }
        match whole.filter(|whole| *whole != part.length) {
            Some(whole) => Err(broken_off(&self.url, part.length, whole).into()),
            None => Ok(()),
        }
    }

    fn check_limit(&self, bytes: Option<u64>) -> Result<()> {
        match bytes.filter(|bytes| *bytes > self.limit) {
            Some(bytes) => Err(self
                .unexpected(&format!("has {bytes} bytes or more, and at most {} are allowed", self.limit))),
            None => Ok(()),
        }
    }

    fn unexpected(&self, what: &str) -> Error {
        Error::new(ErrorCode::Network, format!("`{}` {what}.", self.url))
    }
}
