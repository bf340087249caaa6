//! The embedded log: one directory of segments on the local disk, group commit by one thread, one
//! process. All partitions share one sequence of offsets, so each partition's has gaps.
//!
//! Durable means written and fdatasync'ed. After a failed write or sync nothing is acknowledged
//! until the log is reopened. Releases are not recorded: after opening, batches of segments that
//! were not yet freed are there again, and the keeper of the positions releases them again.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{io, thread};

use async_trait::async_trait;
use common::batch::Batch;
use common::clock::SharedClock;
use common::partition::{Offset, Partition};
use threads::{Limits, Threads};

use crate::disk::Disk;
use crate::disk::file::Directory;
use crate::{AppendError, DurableLog, Entry, FetchError, Usage};

mod config;
mod error;
mod manifest;
// The layers, from the bytes up.
mod frame;
mod scan;
mod segment;
// Steps of opening, and the path of a batch.
mod answer;
mod commit;
mod index;
mod queue;
mod recovery;
mod shared;
mod stock;
mod supply;
mod tail;
mod view;
mod writer;

#[cfg(test)]
mod histories;
#[cfg(test)]
mod tests;

pub use config::{Config, MAX_PARTITIONS, MAX_SEGMENT_BYTES};
pub use error::OpenError;
pub use frame::MAX_FRAME_BYTES;
pub use view::{View, view};

use commit::Committer;
use manifest::Manifest;
use queue::{Bounds, Queue};
use recovery::Recovered;
use shared::Shared;

const LOCK_NAME: &str = "lock";
/// Interval at which the free space of the disk is checked while the thread is otherwise idle: the
/// minimum of free space is the amount that a fast disk is filled by in this time.
const LOOK_AT_DISK_EVERY: Duration = Duration::from_secs(1);
/// Threads that read batches from the files: few, since batches that were just appended are read from memory.
const READERS: usize = 4;
/// Reads that wait for one of them: one for each partition, which has one reader, and others for observers.
const READS: Limits = Limits { waiting: 2 * MAX_PARTITIONS as usize, patience: Duration::from_secs(30) };

/// A log in a directory of this machine.
pub struct EmbeddedLog {
    shared: Arc<Shared>,
    /// For reads from the files.
    readers: Threads<()>,
    threads: Vec<JoinHandle<()>>,
    /// Released last: no other process opens the directory while the threads still work in it.
    _lock: Option<File>,
}

/// Opens the log in a directory; creates both where they do not exist. Blocks while it reads every
/// segment that is still needed, and checks each frame.
///
/// # Errors
/// [`OpenError`]; a log that is corrupt is refused as it is, unchanged.
pub fn open(directory: &Path, config: &Config, clock: SharedClock) -> Result<EmbeddedLog, OpenError> {
    let disk = Directory::open(directory).map_err(|e| OpenError::disk("open the directory", e))?;
    let lock = lock(&disk, directory)?;
    start(Arc::new(disk), config, clock, Some(lock))
}

fn lock(disk: &Directory, directory: &Path) -> Result<File, OpenError> {
    disk.lock(LOCK_NAME).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => OpenError::Locked { directory: directory.to_owned() },
        _ => OpenError::disk("lock the directory", error),
    })
}

/// Creates an empty log in a directory under an identity of the caller's choice, different in every log; an existing one
/// stays as it is. Returns the identity of the log in the directory.
///
/// # Errors
/// [`OpenError`] when the log in the directory is another than configured or open in another process, or the disk fails.
pub fn create(directory: &Path, config: &Config, identity: u64) -> Result<u64, OpenError> {
    config.check().map_err(|cause| OpenError::Config { cause })?;
    let disk = Directory::open(directory).map_err(|e| OpenError::disk("open the directory", e))?;
    let _lock = lock(&disk, directory)?;
    Ok(manifest_of(&disk, config, || identity)?.identity)
}

/// The identity of the log in a directory, without opening it; `None` where the manifest or the directory is missing.
/// Takes no lock and changes nothing.
///
/// # Errors
/// [`OpenError`] when the manifest cannot be read.
pub fn identity(directory: &Path) -> Result<Option<u64>, OpenError> {
    // Opening a directory creates it.
    if !directory.try_exists().map_err(|e| OpenError::disk("find the directory", e))? {
        return Ok(None);
    }
    let disk = Directory::open(directory).map_err(|e| OpenError::disk("open the directory", e))?;
    Ok(Manifest::read(&disk)?.map(|manifest| manifest.identity))
}

/// Opens a log on any disk. The caller ensures that no one else has it open.
///
/// # Errors
/// [`OpenError`]; a log that is corrupt is refused as it is, unchanged.
pub fn open_on(disk: Arc<dyn Disk>, config: &Config, clock: SharedClock) -> Result<EmbeddedLog, OpenError> {
    start(disk, config, clock, None)
}

fn start(
    disk: Arc<dyn Disk>,
    config: &Config,
    clock: SharedClock,
    lock: Option<File>,
) -> Result<EmbeddedLog, OpenError> {
    commit::describe();
    let (shared, committer) = assemble(&disk, config, clock)?;
    let starting = |error| OpenError::disk("start the threads of the log", error);
    let readers = Threads::start("log-reader", vec![(); READERS], READS).map_err(starting)?;
    let mut log = EmbeddedLog { shared: Arc::clone(&shared), readers, threads: Vec::new(), _lock: lock };
    let supplied = Arc::clone(&shared);
    log.threads.push(
        thread::Builder::new()
            .name("log-segments".to_owned())
            .spawn(move || {
                while supplied.supply.wait(LOOK_AT_DISK_EVERY) {
                    supplied.supply.work();
                    supplied.look_at_disk();
                }
            })
            .map_err(starting)?,
    );
    log.threads.push(
        thread::Builder::new()
            .name("log-commit".to_owned())
            .spawn(move || commit::run(committer))
            .map_err(starting)?,
    );
    Ok(log)
}

/// All but the threads.
fn assemble(
    disk: &Arc<dyn Disk>,
    config: &Config,
    clock: SharedClock,
) -> Result<(Arc<Shared>, Committer), OpenError> {
    config.check().map_err(|cause| OpenError::Config { cause })?;
    let manifest = manifest_of(disk.as_ref(), config, || clock.now().0.cast_unsigned())?;
    let Recovered { index, supply, writer, occupied_bytes } =
        recovery::recover(disk, manifest.identity, manifest.partitions, config.segment_bytes)?;
    let free = disk.available_bytes().map_err(|e| OpenError::disk("ask for the free space", e))?;
    let queue = Queue::new(Bounds {
        queue_bytes: config.queue_bytes,
        capacity_bytes: config.capacity(free.saturating_add(occupied_bytes)),
        least_free_bytes: config.least_free_bytes,
        max_batches: config.max_batches,
    });
    supply.prepare_soon();
    let shared = Arc::new(Shared::new(queue, supply, index));
    shared.look_at_disk();
    let committer = Committer::new(Arc::clone(&shared), writer, clock, config.group_bytes);
    Ok((shared, committer))
}

/// The manifest of the log, or a new one under the given identity where the disk holds no log.
fn manifest_of(
    disk: &dyn Disk,
    config: &Config,
    identity: impl FnOnce() -> u64,
) -> Result<Manifest, OpenError> {
    let Some(manifest) = Manifest::read(disk)? else {
        let names = disk.list().map_err(|e| OpenError::disk("list the directory", e))?;
        if names.iter().any(|name| segment::parse_name(name).is_some()) {
            return Err(OpenError::Manifest { cause: "there are segments but no manifest".to_owned() });
        }
        return Manifest::create(disk, config.partitions, identity());
    };
    if manifest.partitions != config.partitions {
        let (configured, found) = (config.partitions, manifest.partitions);
        return Err(OpenError::PartitionsDiffer { configured, found });
    }
    Ok(manifest)
}

#[async_trait]
impl DurableLog for EmbeddedLog {
    fn partitions(&self) -> u16 {
        self.shared.partitions()
    }

    async fn append(&self, partition: Partition, batch: Batch) -> Result<Offset, AppendError> {
        let answer = self.shared.enqueue(partition, batch)?;
        let ended = || Err(AppendError::Unknown { cause: "the commit thread ended".to_owned() });
        answer.outcome().await.unwrap_or_else(ended)
    }

    async fn fetch(
        &self,
        partition: Partition,
        from: Offset,
        max_bytes: usize,
        max_wait: Duration,
    ) -> Result<Vec<Entry>, FetchError> {
        let mut end = self.shared.end(partition)?;
        let arrived = end.wait_for(|end| *end >= from.0);
        if tokio::time::timeout(max_wait, arrived).await.is_err() {
            return Ok(Vec::new());
        }
        if let Some(recent) = self.shared.recent(partition, from, max_bytes as u64) {
            return Ok(recent);
        }
        let shared = Arc::clone(&self.shared);
        let read = self.readers.run(move |()| shared.read(partition, from, max_bytes as u64)).await;
        read.map_err(|error| FetchError::Unavailable { cause: error.to_string() })?
    }

    async fn end(&self, partition: Partition) -> Result<Offset, FetchError> {
        Ok(Offset(*self.shared.end(partition)?.borrow()))
    }

    /// All partitions share one sequence of offsets.
    async fn last_assigned(&self, partition: Partition) -> Result<Offset, FetchError> {
        let mut last = self.end(partition).await?;
        for other in 0..self.partitions() {
            last = last.max(self.end(Partition(other)).await?);
        }
        Ok(last)
    }

    fn release(&self, partition: Partition, through: Offset) {
        self.shared.release(partition, through);
    }

    fn usage(&self) -> Usage {
        self.shared.usage()
    }

    async fn close(&self) {
        self.shared.queue.close();
        self.shared.ended().await;
    }
}

/// Like [`close`](DurableLog::close): waiting batches become durable. Blocks for as long as that
/// takes, at most the bound of the queue.
impl Drop for EmbeddedLog {
    fn drop(&mut self) {
        self.shared.queue.close();
        if self.threads.len() < 2 {
            self.shared.supply.stop();
        }
        for thread in self.threads.drain(..) {
            // A panic in it has been reported to all that waited.
            let _ = thread.join();
        }
    }
}

/// Locks, even after a panic of another thread: the panic has poisoned the log by then, and the
/// locked data is only read from then on.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
