//! Reading a log beside the process that writes it: a view of the batches as they were when it was taken. Takes no lock and
//! changes nothing. The writer continues meanwhile: it frees segments from the oldest on, and reuses their files.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use common::batch::Batch;
use common::partition::{Offset, Partition};

use super::error::OpenError;
use super::frame;
use super::index::{Index, Located};
use super::manifest::Manifest;
use super::scan::{self, Scan};
use super::segment::{Named, Segment, SegmentHeader, parse_name};
use super::shared::check;
use crate::disk::Disk;
use crate::disk::file::Directory;
use crate::{AppendError, DurableLog, Entry, FetchError, Usage};

/// The batches of a log at one moment. Takes no appends.
pub struct View {
    partitions: u16,
    index: Index,
}

/// A segment with its frames; none when the writer freed it while it was read.
struct Read {
    segment: Arc<Segment>,
    header: SegmentHeader,
    scan: Scan,
}

/// Takes a view of the log in a directory, which another process may have open. Blocks while it reads every segment.
///
/// # Errors
/// [`OpenError`] when there is no log, or it is corrupt.
pub fn view(directory: &Path) -> Result<View, OpenError> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, "there is no log");
    // Opening a directory creates it.
    if !directory.try_exists().map_err(|e| OpenError::disk("find the directory", e))? {
        return Err(OpenError::disk("find the directory", missing()));
    }
    let disk = Directory::open(directory).map_err(|e| OpenError::disk("open the directory", e))?;
    view_on(&disk)
}

/// Takes a view of the log on any disk.
pub(super) fn view_on(disk: &dyn Disk) -> Result<View, OpenError> {
    let manifest =
        Manifest::read(disk)?.ok_or_else(|| OpenError::Manifest { cause: "there is none".to_owned() })?;
    let partitions = manifest.partitions;
    let segments = headed(disk, &manifest)?;
    let begins: Vec<_> = segments.iter().map(|(_, header)| header.first_offset).collect();
    let mut chain: Vec<Read> = Vec::new();
    for (at, (segment, header)) in segments.into_iter().enumerate() {
        let stop_at = begins.get(at + 1).copied();
        let scan = scan::frames(&segment, header.first_offset, stop_at)
            .map_err(|e| OpenError::disk("read a segment", e))?;
        match (&scan.defect, stop_at) {
            (Some(_), Some(_)) if is_freed(disk, &segment)? => chain.clear(),
            (Some(defect), Some(next)) => {
                let cause = format!("{defect}, and the next segment begins at offset {next}");
                return Err(OpenError::Corrupt { segment: segment.name(), offset: scan.next_offset, cause });
            }
            // The last segment is being written: it ends where its good frames do.
            _ => chain.push(Read { segment, header, scan }),
        }
    }
    Ok(View { partitions, index: index(chain, partitions) })
}

/// The segments that have a header, oldest first.
fn headed(disk: &dyn Disk, manifest: &Manifest) -> Result<Vec<(Arc<Segment>, SegmentHeader)>, OpenError> {
    let names = disk.list().map_err(|e| OpenError::disk("list the directory", e))?;
    let mut segments = BTreeMap::new();
    for name in names {
        let Some(Named::Segment(sequence)) = parse_name(&name) else { continue };
        let file = match disk.open(&name) {
            Ok(file) => file,
            // Freed since the directory was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(OpenError::disk("open a segment", error)),
        };
        let length = file.length().map_err(|e| OpenError::disk("measure a segment", e))?;
        segments.insert(sequence, Segment::new(manifest.identity, sequence, file, length));
    }
    let mut headed = Vec::new();
    for segment in segments.into_values() {
        let header = scan::header(&segment).map_err(|e| OpenError::disk("read a segment", e))?;
        if let Some(header) = header.filter(|header| header.ends.len() == usize::from(manifest.partitions)) {
            headed.push((Arc::new(segment), header));
        }
    }
    Ok(headed)
}

/// Whether the writer has freed a segment since it was opened.
fn is_freed(disk: &dyn Disk, segment: &Segment) -> Result<bool, OpenError> {
    match disk.open(&segment.name()) {
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(OpenError::disk("open a segment", error)),
    }
}

fn index(chain: Vec<Read>, partitions: u16) -> Index {
    let ends =
        chain.first().map_or_else(|| vec![0; usize::from(partitions)], |read| read.header.ends.clone());
    let mut index = Index::new(&ends);
    for Read { segment, header, scan } in chain {
        index.start_segment(segment, header.first_offset);
        for found in scan.frames {
            index.insert(found.partition, found.place);
        }
    }
    index
}

impl View {
    fn read(&self, partition: Partition, located: &Located) -> Result<Batch, FetchError> {
        let Located { segment, place } = located;
        let unavailable = |cause: String| FetchError::Unavailable { cause };
        let bytes = segment.read(*place).map_err(|error| unavailable(error.to_string()))?;
        // It was good when the view was taken: the writer has reused its file.
        let changed = |cause: String| {
            unavailable(format!("offset {} was freed while it was read, try again: {cause}", place.offset))
        };
        let head = check(segment.seed, partition, place.offset, &bytes).map_err(changed)?;
        frame::batch(&Bytes::from(bytes), &head).map_err(|error| changed(error.to_string()))
    }

    fn exists(&self, partition: Partition) -> Result<(), FetchError> {
        if partition.0 < self.partitions {
            return Ok(());
        }
        Err(FetchError::NoSuchPartition { partition: partition.0, partitions: self.partitions })
    }
}

#[async_trait]
impl DurableLog for View {
    fn partitions(&self) -> u16 {
        self.partitions
    }

    async fn append(&self, _partition: Partition, _batch: Batch) -> Result<Offset, AppendError> {
        Err(AppendError::Closed)
    }

    /// Batches after the view was taken are not waited for.
    async fn fetch(
        &self,
        partition: Partition,
        from: Offset,
        max_bytes: usize,
        _max_wait: Duration,
    ) -> Result<Vec<Entry>, FetchError> {
        self.exists(partition)?;
        let located = self.index.locate(partition.0, from.0, max_bytes as u64).map_err(|forgotten| {
            FetchError::Trimmed { partition: partition.0, from: from.0, oldest: forgotten.oldest }
        })?;
        let entry = |frame: &Located| {
            Ok(Entry { offset: Offset(frame.place.offset), batch: self.read(partition, frame)? })
        };
        located.iter().map(entry).collect()
    }

    async fn end(&self, partition: Partition) -> Result<Offset, FetchError> {
        self.exists(partition)?;
        Ok(Offset(self.index.ends().get(usize::from(partition.0)).copied().unwrap_or(0)))
    }

    /// All partitions share one sequence of offsets.
    async fn last_assigned(&self, partition: Partition) -> Result<Offset, FetchError> {
        self.exists(partition)?;
        Ok(Offset(self.index.ends().into_iter().max().unwrap_or(0)))
    }

    /// A view never deletes batches.
    fn release(&self, _partition: Partition, _through: Offset) {}

    fn usage(&self) -> Usage {
        Usage {
            unreleased_bytes: self.index.held_bytes(),
            capacity_bytes: 0,
            unreleased_batches: self.index.batches(),
            capacity_batches: 0,
            queued_bytes: 0,
            queue_capacity_bytes: 0,
            writable: false,
            partitions_behind: 0,
            disk_low: false,
        }
    }

    async fn close(&self) {}
}
