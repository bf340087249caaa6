//! The embedded log as `append` and `fetch` work with it: on the disk, with one partition.

use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use common::clock::SystemClock;
use common::ids::{OrganizationId, SourceId};
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;
use criterion::Criterion;
use durable_log::embedded::{self, Config, EmbeddedLog};
use durable_log::{DurableLog, Entry};
use futures_util::future::try_join_all;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::bodies::Form;
use crate::records::records;

/// One partition, so that appended batches can be released by their last offset.
const PARTITION: Partition = Partition(0);
/// Records in a batch, and how many batches are under way at a time: those of many senders share a group.
pub const SIZES: [(usize, usize); 3] = [(10, 64), (1_000, 16), (10_000, 2)];

/// Reason why nothing is measured.
pub type Failure = Box<dyn std::error::Error>;

/// A log that is there for as long as it is measured.
pub struct Log {
    runtime: Runtime,
    log: EmbeddedLog,
    _directory: TempDir,
}

/// The time on the wall counts: most of it is the disk's.
#[must_use]
pub fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args()
}

/// Batches of so many records.
#[must_use]
pub fn batches(size: usize, count: usize) -> Vec<Batch> {
    (0..count as u64).map(|seed| batch(size, seed)).collect()
}

fn batch(size: usize, seed: u64) -> Batch {
    let headers = BatchHeaders {
        organization: OrganizationId::from_bytes([1; 16]),
        source: SourceId::from_bytes([2; 16]),
        application_group: "shop".to_owned(),
        environment: "production".to_owned(),
        received_at: Timestamp(0),
        digest: [3; 32],
        idempotency: None,
        every_record_timed: true,
        record_count: u32::try_from(size).unwrap_or(u32::MAX),
        tick: false,
        fingerprints: common::fingerprint::Fingerprints::default(),
    };
    Batch { headers, payload: Bytes::from(Form::OtlpProtobuf.body(&records(size, seed))) }
}

impl Log {
    /// An empty one below a folder: beside the build, not in /tmp, which often is memory and syncs nothing.
    ///
    /// # Errors
    /// If there is no room for it.
    pub fn open(folder: &str) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let directory = tempfile::tempdir_in(Path::new(folder))?;
        let config = Config { partitions: 1, ..Config::default() };
        let log = embedded::open(directory.path(), &config, Arc::new(SystemClock::new()))?;
        Ok(Self { runtime, log, _directory: directory })
    }

    /// Appends them all at a time; the last offset.
    ///
    /// # Errors
    /// If one is not durable.
    pub fn append(&self, batches: &[Batch]) -> Result<Offset, Failure> {
        let appends = batches.iter().map(|batch| self.log.append(PARTITION, batch.clone()));
        let offsets = self.wait(try_join_all(appends))?;
        offsets.into_iter().max().ok_or_else(|| io::Error::other("nothing was appended").into())
    }

    /// All there is from an offset on.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn fetch(&self, from: Offset) -> Result<Vec<Entry>, Failure> {
        Ok(self.wait(self.log.fetch(PARTITION, from, usize::MAX, Duration::ZERO))?)
    }

    /// Releases the log up to an offset.
    pub fn release(&self, last: Offset) {
        self.log.release(PARTITION, last);
    }

    fn wait<F: Future>(&self, work: F) -> F::Output {
        self.runtime.block_on(work)
    }
}
