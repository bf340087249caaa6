//! The embedded log on real files, and single failures on the simulated disk.

use std::path::Path;
use std::sync::Arc;

use common::clock::ManualClock;
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;
use tempfile::TempDir;

use super::{Config, EmbeddedLog, OpenError, open};
use crate::conformance::{self, Bounds, batch};
use crate::{DurableLog, Entry};

mod failures;
mod files;
mod following;
mod viewing;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(Timestamp(1_700_000_000_000_000_000)))
}

fn small() -> Config {
    Config { partitions: 3, segment_bytes: 64 * 1024, least_free_bytes: 0, ..Config::default() }
}

fn open_small(directory: &Path) -> Result<EmbeddedLog, OpenError> {
    open(directory, &small(), clock())
}

async fn read_all(log: &EmbeddedLog, partition: u16) -> Vec<Entry> {
    log.fetch(Partition(partition), Offset(1), usize::MAX, std::time::Duration::ZERO).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_the_contract() {
    let directory = TempDir::new().unwrap();
    let opened = std::sync::atomic::AtomicU32::new(0);
    let open = async |bounds: Bounds| -> Arc<dyn DurableLog> {
        let number = opened.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let Bounds { partitions, capacity_bytes, queue_bytes } = bounds;
        let config = Config { partitions, queue_bytes, capacity_bytes: Some(capacity_bytes), ..small() };
        let log = open(&directory.path().join(number.to_string()), &config, clock()).unwrap();
        Arc::new(log) as Arc<dyn DurableLog>
    };
    conformance::contract(&open).await;
    conformance::bounds(&open).await;
}
