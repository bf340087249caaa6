//! The append and fetch stages: batches into the embedded log, durable, and out of it again. The disk's
//! share is the larger part of the time on the wall.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use benches::bodies::Form;
use benches::records::records;
use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use common::clock::SystemClock;
use common::ids::{OrganizationId, SourceId};
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use durable_log::embedded::{self, Config, EmbeddedLog};
use durable_log::{DurableLog, Entry};
use futures_util::future::join_all;

/// One partition, so that what was appended can be released by its last offset.
const PARTITION: Partition = Partition(0);
/// Records in a batch, and how many batches are appended at a time: those of many senders share a group.
const SIZES: [(usize, usize); 3] = [(10, 64), (1_000, 16), (10_000, 2)];

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
        record_count: u32::try_from(size).unwrap(),
        tick: false,
    };
    Batch { headers, payload: Bytes::from(Form::OtlpProtobuf.body(&records(size, seed))) }
}

async fn append(log: &EmbeddedLog, batches: &[Batch]) -> Offset {
    let appends = batches.iter().map(|batch| log.append(PARTITION, batch.clone()));
    join_all(appends).await.into_iter().map(Result::unwrap).max().unwrap()
}

async fn fetch(log: &EmbeddedLog, from: Offset) -> Vec<Entry> {
    log.fetch(PARTITION, from, usize::MAX, Duration::ZERO).await.unwrap()
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // Beside the build, not in /tmp, which often is memory and syncs nothing.
    let directory = tempfile::tempdir_in(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let config = Config { partitions: 1, ..Config::default() };
    let log = embedded::open(directory.path(), &config, Arc::new(SystemClock::new())).unwrap();
    for (size, at_once) in SIZES {
        let batches: Vec<Batch> = (0..at_once as u64).map(|seed| batch(size, seed)).collect();
        let mut group = criterion.benchmark_group("append");
        group.sampling_mode(SamplingMode::Flat);
        group.throughput(Throughput::Elements((size * at_once) as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| {
                let last = runtime.block_on(append(&log, &batches));
                log.release(PARTITION, last);
            });
        });
        group.finish();

        let last = runtime.block_on(append(&log, &batches));
        let from = Offset(last.0 + 1 - at_once as u64);
        let mut group = criterion.benchmark_group("fetch");
        group.throughput(Throughput::Elements((size * at_once) as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| assert_eq!(runtime.block_on(fetch(&log, from)).len(), at_once));
        });
        group.finish();
        log.release(PARTITION, last);
    }
    criterion.final_summary();
}
