//! `palisade partition`: progress of analysis in each partition, and recovery of a blocked one, when its
//! next batches are permanently lost. Runs beside the analyzers: they notice the change at their next commit or attempt.

use std::sync::Arc;
use std::time::Duration;

use common::clock::{SharedClock, SystemClock};
use common::partition::{Offset, Partition, Position};
use common::row::{self, Progress};
use durable_log::{DurableLog, FetchError};
use ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op, Seq};
use thiserror::Error;

use super::{chain, print, runtime, table};
use crate::cli::{Common, PartitionCommand, Serve};
use crate::{Failure, settings, storage};

/// Attempts of a change that conflicts with the commits of an analyzer.
const MOST_ATTEMPTS: u32 = 100;
/// Reads of the partitions while a server moves them: it commits four times a second, a read takes less.
const MOST_LOOKS: u32 = 5;

/// Reason why a partition was not moved.
#[derive(Debug, Error)]
enum PartitionError {
    #[error("there is no partition {partition}, the log has {partitions}")]
    NotFound { partition: u16, partitions: u16 },
    #[error(
        "partition {partition} can continue at offset {offset} without intervention: nothing was changed"
    )]
    Sound { partition: u16, offset: u64 },
    #[error(
        "the position was not changed: every attempt conflicted, or the outcome is unknown; check it, then retry"
    )]
    NotMoved,
}

/// Position of analysis in a partition, and the ledger's sequence number there; or the reason why it is unreadable.
type Standing = Result<(Seq, Progress), Failure>;

/// Position at which a partition can continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The current position.
    Here,
    /// The oldest available batch: earlier ones are lost.
    At(Offset),
}

/// Opens the log for reading. One in files is a snapshot of this moment.
trait OpenLog: AsyncFn() -> Result<Arc<dyn DurableLog>, Failure> {}
impl<F: AsyncFn() -> Result<Arc<dyn DurableLog>, Failure>> OpenLog for F {}

pub(super) fn run(command: PartitionCommand, common: &Common) -> Result<(), Failure> {
    let settings = settings::load(common, &Serve::default())?;
    let clock: SharedClock = Arc::new(SystemClock::new());
    runtime()?.block_on(async {
        let ledgers = storage::open_existing(&settings, &clock).await?;
        let ledger = ledgers.ledger.as_ref();
        let open = async || Ok(storage::view_log(&settings, &clock).await?);
        match command {
            PartitionCommand::List => print(&list(ledger, settings.partitions(), &open).await?),
            PartitionCommand::Resume { partition } => print(&resume(ledger, partition, &open).await?),
        }
    })
}

/// A row for each partition. A partition that a server changed during the read is read again.
async fn list(ledger: &dyn Ledger, partitions: u16, open: &impl OpenLog) -> Result<String, Failure> {
    let mut rows = look(ledger, partitions, open).await;
    for _ in 1..MOST_LOOKS {
        if matches!(rows, Ok(Looked { has_moved: false, .. })) {
            break;
        }
        rows = look(ledger, partitions, open).await;
    }
    Ok(table(&["PARTITION", "NEXT", "END", "EPOCH", "STATE"], &rows?.rows))
}

/// The partitions according to one read.
struct Looked {
    rows: Vec<Vec<String>>,
    /// Whether a partition that seemed blocked was moved meanwhile, or the log freed the batches being read.
    has_moved: bool,
}

/// The positions are read before the log is opened: a view of the log that is older than a position lacks the batches
/// before the position, and the log would be taken for another one.
async fn look(ledger: &dyn Ledger, partitions: u16, open: &impl OpenLog) -> Result<Looked, Failure> {
    let mut positions = Vec::new();
    for partition in (0..partitions).map(Partition) {
        match read(ledger, partition).await {
            // The other partitions are still shown.
            Err(failure) if !is_damage(&failure) => return Err(failure),
            read => positions.push((partition, read)),
        }
    }
    let log = open().await?;
    let looked = describe(ledger, log.as_ref(), positions).await;
    log.close().await;
    looked
}

async fn describe(
    ledger: &dyn Ledger,
    log: &dyn DurableLog,
    positions: Vec<(Partition, Standing)>,
) -> Result<Looked, Failure> {
    let (mut rows, mut has_moved) = (Vec::new(), false);
    for (partition, position) in positions {
        let end = log.end(partition).await?;
        let (seq, progress) = match position {
            Ok(position) => position,
            Err(damage) => {
                let unknown = || "?".to_owned();
                let (number, end) = (partition.0.to_string(), end.0.to_string());
                rows.push(vec![number, unknown(), end, unknown(), chain(damage.as_ref())]);
                continue;
            }
        };
        let state = match next(log, partition, &progress).await? {
            Next::Here => "sound".to_owned(),
            Next::At(offset) => {
                has_moved |= read(ledger, partition).await?.0 != seq;
                format!("blocked, the next offset in the log is {}", offset.0)
            }
        };
        rows.push(vec![
            partition.0.to_string(),
            waiting(log, partition, progress.position).await?,
            end.0.to_string(),
            progress.owner_epoch.to_string(),
            state,
        ]);
    }
    Ok(Looked { rows, has_moved })
}

/// Whether a partition's state cannot be read because it is damaged.
fn is_damage(failure: &Failure) -> bool {
    failure.downcast_ref::<LedgerError>().is_some_and(LedgerError::is_damage)
        || failure.downcast_ref::<row::BodyError>().is_some()
}

/// The next batch to analyse, and the record in it unless that is the first; `-` if none waits. The position
/// in the ledger is the start of the search: partitions of one log may number their batches together.
async fn waiting(log: &dyn DurableLog, partition: Partition, at: Position) -> Result<String, Failure> {
    let from = at.offset.max(Offset(1));
    let next = match log.fetch(partition, from, 1, Duration::ZERO).await {
        Ok(entries) => entries.first().map(|entry| entry.offset),
        // The next batch is lost; the state contains the position at which the log continues.
        Err(FetchError::Trimmed { .. }) => Some(from),
        Err(error) => return Err(error.into()),
    };
    Ok(match next {
        Some(offset) if offset == at.offset && at.record > 0 => format!("{}.{}", offset.0, at.record),
        Some(offset) => offset.0.to_string(),
        None => "-".to_owned(),
    })
}

/// Moves a blocked partition to the oldest available batch.
async fn resume(ledger: &dyn Ledger, partition: u16, open: &impl OpenLog) -> Result<String, Failure> {
    for _ in 0..MOST_ATTEMPTS {
        let position = read(ledger, Partition(partition)).await?;
        let log = open().await?;
        let attempted = move_on(ledger, log.as_ref(), partition, position).await;
        log.close().await;
        if let Some(moved) = attempted? {
            return Ok(moved);
        }
    }
    Err(PartitionError::NotMoved.into())
}

/// One attempt with the position as of before the log was opened; `None` when an analyzer committed since.
async fn move_on(
    ledger: &dyn Ledger,
    log: &dyn DurableLog,
    number: u16,
    (seq, mut progress): (Seq, Progress),
) -> Result<Option<String>, Failure> {
    let (partition, partitions) = (Partition(number), log.partitions());
    if number >= partitions {
        return Err(PartitionError::NotFound { partition: number, partitions }.into());
    }
    let before = progress.position.offset;
    let Next::At(offset) = next(log, partition, &progress).await? else {
        return Err(PartitionError::Sound { partition: number, offset: before.0 }.into());
    };
    progress.position = Position { offset, record: 0 };
    progress.last_batch = None;
    // A process that still believes to own the partition reads again.
    progress.owner_epoch += 1;
    let key = row::progress_key().into();
    let op = Op::Put { kind: Kind::State, key, body: row::encode(&progress)?.into() };
    match ledger.commit(LedgerId::Partition(partition), seq, vec![op]).await? {
        Commit::Done(_) => {
            tracing::warn!(partition = number, from = before.0, to = offset.0, "resumed manually");
            Ok(Some(format!(
                "partition {number} resumes at offset {} instead of {}; the batches between are not analysed",
                offset.0, before.0
            )))
        }
        Commit::Conflict(_) => Ok(None),
        Commit::Unknown => Err(PartitionError::NotMoved.into()),
    }
}

/// Position at which analysis continues, and the commit of the partition's ledger up to which that is known.
async fn read(ledger: &dyn Ledger, partition: Partition) -> Result<(Seq, Progress), Failure> {
    let id = LedgerId::Partition(partition);
    let seq = ledger.seq(id).await?;
    let body = ledger.get(id, Kind::State, &row::progress_key()).await?;
    Ok((seq, body.map_or_else(|| Ok(Progress::default()), |body| row::decode(&body))?))
}

/// Whether the log still contains the next batch, and is the one that was read before.
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

#[cfg(test)]
mod tests;
