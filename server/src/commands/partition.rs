//! `palisade partition`: how far each partition is analysed, and a way on for one that cannot be, when its
//! next batches are lost for good. Beside the processes that analyse: they notice the change when they commit or try again.

use std::sync::Arc;
use std::time::Duration;

use common::clock::{SharedClock, SystemClock};
use common::partition::{Offset, Partition, Position};
use common::row::{self, Progress};
use durable_log::{DurableLog, FetchError};
use ledger::{Commit, Kind, LedgerId, Op, Seq};
use thiserror::Error;

use super::{print, runtime, table};
use crate::cli::{Common, PartitionCommand, Serve};
use crate::storage::{self, Ledgers};
use crate::{Failure, settings};

/// Times a change is tried against the commits of an analyzer.
const MOST_ATTEMPTS: u32 = 100;

/// Why a partition was not moved.
#[derive(Debug, Error)]
enum PartitionError {
    #[error("there is no partition {partition}, the log has {partitions}")]
    NotFound { partition: u16, partitions: u16 },
    #[error(
        "partition {partition} is analysed up to offset {offset} and can go on there: nothing was changed"
    )]
    Sound { partition: u16, offset: u64 },
    #[error(
        "the partition was not moved: others always came first, or the outcome is unknown; look, then try again"
    )]
    NotMoved,
}

/// The batch that is analysed next, and the record in it unless that is the first; `-` where nothing waits. The position
/// in the ledger says from where on it is looked for: partitions of one log may number their batches together.
async fn waiting(log: &dyn DurableLog, partition: Partition, at: Position) -> Result<String, Failure> {
    let from = at.offset.max(Offset(1));
    let next = match log.fetch(partition, from, 1, Duration::ZERO).await {
        Ok(entries) => entries.first().map(|entry| entry.offset),
        // What is next is lost; the state says where the log goes on.
        Err(FetchError::Trimmed { .. }) => Some(from),
        Err(error) => return Err(error.into()),
    };
    Ok(match next {
        Some(offset) if offset == at.offset && at.record > 0 => format!("{}.{}", offset.0, at.record),
        Some(offset) => offset.0.to_string(),
        None => "-".to_owned(),
    })
}

/// Where a partition can go on.
enum Next {
    /// Where it stands.
    Here,
    /// At the oldest batch that is kept: what lay before is lost.
    At(Offset),
}

pub(super) fn run(command: PartitionCommand, common: &Common) -> Result<(), Failure> {
    let settings = settings::load(common, &Serve::default())?;
    let clock: SharedClock = Arc::new(SystemClock::new());
    runtime()?.block_on(async {
        let ledgers = storage::open_existing(&settings, &clock).await?;
        let log = storage::view_log(&settings, &clock).await?;
        let outcome = match command {
            PartitionCommand::List => list(&ledgers, log.as_ref()).await,
            PartitionCommand::Resume { partition } => resume(&ledgers, log.as_ref(), partition).await,
        };
        log.close().await;
        outcome
    })
}

async fn list(ledgers: &Ledgers, log: &dyn DurableLog) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for partition in (0..log.partitions()).map(Partition) {
        let (_, progress) = read(ledgers, partition).await?;
        let end = log.end(partition).await?;
        let state = match next(log, partition, &progress).await? {
            Next::Here => "sound".to_owned(),
            Next::At(offset) => format!("cannot go on, the log has offset {} next", offset.0),
        };
        rows.push(vec![
            partition.0.to_string(),
            waiting(log, partition, progress.position).await?,
            end.0.to_string(),
            progress.owner_epoch.to_string(),
            state,
        ]);
    }
    print(&table(&["PARTITION", "NEXT", "END", "EPOCH", "STATE"], &rows))
}

async fn resume(ledgers: &Ledgers, log: &dyn DurableLog, partition: u16) -> Result<(), Failure> {
    let partitions = log.partitions();
    if partition >= partitions {
        return Err(PartitionError::NotFound { partition, partitions }.into());
    }
    let partition = Partition(partition);
    for _ in 0..MOST_ATTEMPTS {
        let (seq, mut progress) = read(ledgers, partition).await?;
        let before = progress.position.offset;
        let Next::At(offset) = next(log, partition, &progress).await? else {
            return Err(PartitionError::Sound { partition: partition.0, offset: before.0 }.into());
        };
        progress.position = Position { offset, record: 0 };
        progress.last_batch = None;
        // Whoever believes that it owns the partition reads again.
        progress.owner_epoch += 1;
        let key = row::progress_key().into();
        let op = Op::Put { kind: Kind::State, key, body: row::encode(&progress)?.into() };
        match ledgers.ledger.commit(LedgerId::Partition(partition), seq, vec![op]).await? {
            Commit::Done(_) => {
                tracing::warn!(partition = partition.0, from = before.0, to = offset.0, "resumed by hand");
                return print(&format!(
                    "partition {} goes on at offset {} instead of {}; what lay between is not analysed",
                    partition.0, offset.0, before.0
                ));
            }
            Commit::Conflict(_) => {}
            Commit::Unknown => break,
        }
    }
    Err(PartitionError::NotMoved.into())
}

async fn read(ledgers: &Ledgers, partition: Partition) -> Result<(Seq, Progress), Failure> {
    let id = LedgerId::Partition(partition);
    let seq = ledgers.ledger.seq(id).await?;
    let body = ledgers.ledger.get(id, Kind::State, &row::progress_key()).await?;
    Ok((seq, body.map_or_else(|| Ok(Progress::default()), |body| row::decode(&body))?))
}

/// Whether the log still has what comes next, and is the one that was read before.
async fn next(log: &dyn DurableLog, partition: Partition, progress: &Progress) -> Result<Next, Failure> {
    let from = progress.position.offset.max(Offset(1));
    let same = analyzer::recognise(log, partition, progress).await;
    let oldest = match log.fetch(partition, Offset(1), 1, Duration::ZERO).await {
        Ok(entries) => entries.first().map_or(Offset(1), |entry| entry.offset),
        Err(FetchError::Trimmed { oldest, .. }) => Offset(oldest),
        Err(error) => return Err(error.into()),
    };
    match same {
        Ok(()) if oldest <= from => Ok(Next::Here),
        Ok(()) | Err(analyzer::RecogniseError::Another(_)) => Ok(Next::At(oldest)),
        Err(analyzer::RecogniseError::Fetch(error)) => Err(error.into()),
    }
}
