//! Reading partitions while a server analyses them: the position in the ledger and the batches of the log are from
//! different moments.

use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use common::ids::{OrganizationId, SourceId};
use common::row::FoldedBatch;
use common::timestamp::Timestamp;
use durable_log::memory::MemoryLog;
use ledger::memory::MemoryLedger;
use tempfile::TempDir;

use super::*;

const PARTITION: Partition = Partition(0);

fn batch(number: u8) -> Batch {
    let headers = BatchHeaders {
        organization: OrganizationId::from_bytes([1; 16]),
        source: SourceId::from_bytes([2; 16]),
        application_group: "default".to_owned(),
        environment: "production".to_owned(),
        received_at: Timestamp(i64::from(number)),
        digest: [number; 32],
        idempotency: None,
        every_record_timed: true,
        record_count: 1,
        tick: false,
        fingerprints: common::fingerprint::Fingerprints::default(),
    };
    Batch { headers, payload: Bytes::from(vec![number; 100]) }
}

/// Appends a batch, and commits a position behind it, as an analyzer does.
async fn analyse_one(log: &dyn DurableLog, ledger: &dyn Ledger, number: u8) -> Offset {
    let batch = batch(number);
    let headers = batch.headers.clone();
    let offset = log.append(PARTITION, batch).await.unwrap();
    let (seq, mut progress) = read(ledger, PARTITION).await.unwrap();
    progress.position = Position { offset: offset.next(), record: 0 };
    progress.last_batch = Some(FoldedBatch::new(offset, &headers));
    let body = row::encode(&progress).unwrap().into();
    let op = Op::Put { kind: Kind::State, key: row::progress_key().into(), body };
    let done = ledger.commit(LedgerId::Partition(PARTITION), seq, vec![op]).await.unwrap();
    assert!(matches!(done, Commit::Done(_)));
    offset
}

/// The row of the partition, below the headings.
async fn row_of(ledger: &dyn Ledger, open: &impl OpenLog) -> Vec<String> {
    let listed = list(ledger, 1, open).await.unwrap();
    listed.lines().nth(1).unwrap().split_whitespace().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partition_that_is_analysed_while_the_log_is_opened_is_sound() {
    let directory = TempDir::new().unwrap();
    let clock: SharedClock = Arc::new(SystemClock::new());
    let config = durable_log::embedded::Config { partitions: 1, ..Default::default() };
    let log = durable_log::embedded::open(directory.path(), &config, clock).unwrap();
    let ledger = MemoryLedger::new();
    analyse_one(&log, &ledger, 1).await;
    // The view has the log as it was, then the server continues.
    let open = async || -> Result<Arc<dyn DurableLog>, Failure> {
        let view: Arc<dyn DurableLog> = Arc::new(durable_log::embedded::view(directory.path())?);
        analyse_one(&log, &ledger, 2).await;
        analyse_one(&log, &ledger, 3).await;
        Ok(view)
    };
    let row = row_of(&ledger, &open).await;
    assert_eq!((&*row[1], &*row[4]), ("-", "sound"), "{row:?}");
    let before = read(&ledger, PARTITION).await.unwrap().1.position;
    let refused = resume(&ledger, 0, &open).await.unwrap_err();
    assert!(refused.to_string().contains("nothing was changed"), "{refused}");
    assert!(read(&ledger, PARTITION).await.unwrap().1.position > before, "moved by the server alone");
}

#[tokio::test]
async fn batches_that_are_analysed_and_freed_while_the_log_is_opened_are_not_lost() {
    for resumes in [false, true] {
        let (log, ledger) = (Arc::new(MemoryLog::new(1)), MemoryLedger::new());
        analyse_one(log.as_ref(), &ledger, 1).await;
        let is_first = AtomicBool::new(true);
        let open = async || -> Result<Arc<dyn DurableLog>, Failure> {
            if is_first.swap(false, Ordering::SeqCst) {
                analyse_one(log.as_ref(), &ledger, 2).await;
                let last = analyse_one(log.as_ref(), &ledger, 3).await;
                log.release(PARTITION, last);
            }
            Ok(Arc::clone(&log) as Arc<dyn DurableLog>)
        };
        if resumes {
            let refused = resume(&ledger, 0, &open).await.unwrap_err();
            assert!(refused.to_string().contains("nothing was changed"), "{refused}");
        } else {
            let row = row_of(&ledger, &open).await;
            assert_eq!((&*row[1], &*row[2], &*row[4]), ("-", "3", "sound"), "{row:?}");
        }
    }
}
