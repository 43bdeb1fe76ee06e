//! Loading an index into a collection.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::description::Description;
use super::point::{Point, points};
use super::{EngineKind, Remote, chroma, qdrant};
use ibid_index::Index;
use ibid_platform::{Clock, Http, HttpRequest};
use ibid_platform::{Error, ErrorCode, Result};

/// The most points of a request.
const MAX_BATCH: usize = 1000;
/// Ids asked for at a time.
const PAGE: usize = 1000;

/// The way to load an index into a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushOptions {
    /// Points of a request, 1 to 1,000; 100 by default. 100 of 256 dimensions are about half a megabyte.
    pub batch: usize,
    /// True to remove points that the index no longer has; by default they stay. Points that no push has made are never
    /// touched.
    pub prune: bool,
    /// True to write nothing and only tell what would be written.
    pub dry_run: bool,
}

impl Default for PushOptions {
    fn default() -> Self {
        Self { batch: 100, prune: false, dry_run: false }
    }
}

/// The report of a push, or of one that would be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PushReport {
    /// True if the collection was made.
    pub created: bool,
    /// The points of the index: one for each chunk in each of its documents.
    pub points: usize,
    /// Those that were written, because they were not there or were others.
    pub written: usize,
    /// Those that were there already.
    pub unchanged: usize,
    /// Those that were removed.
    pub removed: usize,
}

/// Loads an index into a collection, which is made if it is not there.
///
/// Whatever is there already as it should be is not written again, so a push that was interrupted is continued by the same
/// call, and repeating one costs little. `progress` is told how many chunks of how many are done.
///
/// # Errors
/// [`ErrorCode::ModelMismatch`] when the collection has other dimensions, another space, or was not made by a push;
/// [`ErrorCode::InvalidOption`] for a batch out of range; the engine's and the network's, see
/// [`ErrorCode`]; [`ErrorCode::IndexIncomplete`] when the index is not all there.
pub async fn push<H: Http, C: Clock>(
    http: &H,
    clock: &C,
    remote: &Remote,
    index: &Index,
    options: &PushOptions,
    progress: &mut dyn FnMut(u32, u32),
) -> Result<PushReport> {
    if !(1..=MAX_BATCH).contains(&options.batch) {
        let message = format!("The batch is {}; it must be from 1 to {MAX_BATCH}.", options.batch);
        return Err(Error::new(ErrorCode::InvalidOption, message));
    }
    let wire = PushTarget { http, clock, remote, id: String::new() };
    let mut description = Description::of(index)?;
    let mut report = PushReport::default();
    let wire = if let Some((wire, stored)) = wire.open(index).await? {
        description.average_length = stored.settled_length(description.average_length);
        wire
    } else {
        report.created = true;
        if options.dry_run { wire } else { wire.create(&description).await? }
    };
    // Into a collection that would be made, everything would be written.
    let nothing_there = report.created;
    let (mut waiting, mut known) = (Vec::new(), HashSet::new());
    let mut kept: HashSet<u64> = HashSet::new();
    let end = index.chunk_end();
    for number in 0..end {
        waiting.extend(points_of(index, number, &description, &mut known)?);
        if waiting.len() >= options.batch || number + 1 == end {
            kept.extend(waiting.iter().map(|point: &Point| point.id));
            let batch = waiting.len();
            let hashes = if nothing_there { HashMap::new() } else { wire.hashes(&waiting).await? };
            waiting.retain(|point| hashes.get(&point.id) != Some(&point.record.hash));
            report.points += batch;
            report.written += waiting.len();
            report.unchanged += batch - waiting.len();
            if !options.dry_run {
                for batch in waiting.chunks(options.batch) {
                    wire.upsert(batch).await?;
                }
            }
            waiting.clear();
            progress(number + 1, end);
        }
    }
    if options.prune && !nothing_there {
        report.removed = wire.prune(&kept, options).await?;
    }
    if !options.dry_run {
        wire.describe(&description).await?;
    }
    Ok(report)
}

/// Makes the points of a chunk, none for one that was removed.
fn points_of(
    index: &Index,
    number: u32,
    description: &Description,
    known: &mut HashSet<u64>,
) -> Result<Vec<Point>> {
    let (Some(chunk), Some(vector)) = (index.chunk(number)?, index.embedding(number)?) else {
        return Ok(Vec::new());
    };
    let is_known = !known.insert(chunk.id);
    points(chunk, vector.as_slice(), description, is_known)
}

/// A collection and the way to it.
struct PushTarget<'a, H, C> {
    http: &'a H,
    clock: &'a C,
    remote: &'a Remote,
    /// Chroma's id of the collection.
    id: String,
}

impl<H: Http, C: Clock> PushTarget<'_, H, C> {
    async fn send(&self, request: HttpRequest) -> Result<Value> {
        self.remote.send(self.http, self.clock, &request).await
    }

    async fn find(&self, request: HttpRequest) -> Result<Option<Value>> {
        self.remote.find(self.http, self.clock, &request).await
    }

    /// Opens the collection, if it is there, checked to be one that the index can go into.
    async fn open(&self, index: &Index) -> Result<Option<(Self, Description)>> {
        let space = &index.manifest().space;
        let (dimensions, id, description) = match self.remote.kind() {
            EngineKind::Qdrant => {
                let Some(response) = self.find(qdrant::get(self.remote)).await? else { return Ok(None) };
                let dimensions = qdrant::state(&response)?;
                check_dimensions(dimensions, space.dimensions)?;
                let response = self.find(qdrant::get_description(self.remote)).await?;
                let response = response.ok_or_else(super::description::foreign)?;
                (Some(dimensions), String::new(), qdrant::description(&response)?)
            }
            EngineKind::Chroma => {
                let Some(response) = self.find(chroma::get(self.remote)).await? else { return Ok(None) };
                let found = chroma::collection(&response)?;
                (found.dimensions, found.id, found.description)
            }
        };
        description.check(space)?;
        dimensions.map_or(Ok(()), |dimensions| check_dimensions(dimensions, space.dimensions))?;
        let Self { http, clock, remote, .. } = *self;
        Ok(Some((Self { http, clock, remote, id }, description)))
    }

    async fn create(self, description: &Description) -> Result<Self> {
        let mut id = String::new();
        match self.remote.kind() {
            EngineKind::Qdrant => {
                self.send(qdrant::create(self.remote, description.space.dimensions)?).await?;
                // At once, so that a push that is interrupted knows its collection again.
                self.describe(description).await?;
                for request in qdrant::index_fields(self.remote, description)? {
                    self.send(request).await?;
                }
            }
            EngineKind::Chroma => {
                let response = self.send(chroma::create(self.remote, description)?).await?;
                id = chroma::collection(&response)?.id;
            }
        }
        Ok(Self { id, ..self })
    }

    async fn describe(&self, description: &Description) -> Result<()> {
        let request = match self.remote.kind() {
            EngineKind::Qdrant => qdrant::put_description(self.remote, description)?,
            EngineKind::Chroma => chroma::put_description(self.remote, &self.id, description)?,
        };
        self.send(request).await.map(drop)
    }

    async fn hashes(&self, points: &[Point]) -> Result<HashMap<u64, String>> {
        let ids: Vec<u64> = points.iter().map(|point| point.id).collect();
        Ok(match self.remote.kind() {
            EngineKind::Qdrant => qdrant::hashes(&self.send(qdrant::get_hashes(self.remote, &ids)?).await?),
            EngineKind::Chroma => {
                chroma::hashes(&self.send(chroma::get_hashes(self.remote, &self.id, &ids)?).await?)
            }
        })
    }

    async fn upsert(&self, points: &[Point]) -> Result<()> {
        let request = match self.remote.kind() {
            EngineKind::Qdrant => qdrant::upsert(self.remote, points)?,
            EngineKind::Chroma => chroma::upsert(self.remote, &self.id, points)?,
        };
        self.send(request).await.map(drop)
    }

    /// Removes the points that a push has made and that are not to be kept.
    async fn prune(&self, kept: &HashSet<u64>, options: &PushOptions) -> Result<usize> {
        // All ids are read before anything is removed, which would move the pages.
        let mut stale = Vec::new();
        let (mut next, mut offset) = (None, 0);
        loop {
            let (ids, ended) = match self.remote.kind() {
                EngineKind::Qdrant => {
                    let response = self.send(qdrant::scroll(self.remote, next.as_ref(), PAGE)?).await?;
                    let (ids, following) = qdrant::ids(&response);
                    let ended = following.is_none() || following == next;
                    next = following;
                    (ids, ended)
                }
                EngineKind::Chroma => {
                    let request = chroma::get_ids(self.remote, &self.id, offset, PAGE)?;
                    let (ids, count) = chroma::ids(&self.send(request).await?);
                    offset += count;
                    (ids, count < PAGE)
                }
            };
            stale.extend(ids.into_iter().filter(|id| !kept.contains(id)));
            if ended {
                break;
            }
        }
        if !options.dry_run {
            for ids in stale.chunks(PAGE) {
                let request = match self.remote.kind() {
                    EngineKind::Qdrant => qdrant::delete(self.remote, ids)?,
                    EngineKind::Chroma => chroma::delete(self.remote, &self.id, ids)?,
                };
                self.send(request).await?;
            }
        }
        Ok(stale.len())
    }
}

fn check_dimensions(theirs: u32, ours: u32) -> Result<()> {
    if theirs == ours {
        return Ok(());
    }
    let message = format!("The collection has vectors of {theirs} dimensions, the index of {ours}.");
    Err(Error::new(ErrorCode::ModelMismatch, message).with_hint("Use another collection for this index."))
}
