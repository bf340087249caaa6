//! One partition's analyzer: takes the partition over, then fetch, detect, fold and commit until it is stopped. After any
//! failure, the state is read again from the ledger and work continues from the recorded position; nothing else is trusted.
//! Processing of one batch is in `batch`.

mod adopt;
mod batch;
mod closing;
mod setbacks;
mod ticks;
mod unloadable;

use std::sync::Arc;
use std::time::Duration;

use common::clock::SharedClock;
use common::partition::{Offset, Partition, Position};
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use durable_log::{DurableLog, Entry, FetchError};
use escalation::Escalation;
use futures_util::{Stream, StreamExt};
use incidents::accumulate::correlate::GroupKey;
use ledger::{Commit, Kind, Ledger, Op};
use statistics::Statistics;
use thiserror::Error;
use tokio::sync::watch;

use crate::catalogue::Catalogue;
use crate::commit::CommitError;
use crate::config::Config;
use crate::detect::{CancelOnDrop, Detected, Repeats, Turn, detect};
use crate::fetch::batches;
use crate::fold::{FoldError, Lookup};
use crate::health::WorkerStatus;
use crate::identity;
use crate::pool::{Pool, PoolError};
use crate::recognise::{AnotherLog, RecogniseError, recognise};
use crate::residence::LoadError;
use crate::state::{State, recorded_progress};
use setbacks::Setbacks;
use unloadable::Patience;

/// Batches of one partition being matched at once: enough to keep the threads busy while the fold,
/// which is ordered, works.
pub(crate) const BATCHES_UNDER_WAY: usize = 4;
/// Interval at which the position alone is committed, so that the log may delete batches.
const POSITION_INTERVAL: Duration = Duration::from_secs(1);
/// Times a take-over is tried while others commit: people's changes may come a hundred a second.
const TAKE_OVER_ATTEMPTS: u32 = 100;
/// First pause after a failure; doubled after each, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// See [`FIRST_PAUSE`]: a store that was away is found again within seconds.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// State shared by all workers.
pub(crate) struct Shared {
    pub config: Config,
    pub log: Arc<dyn DurableLog>,
    pub ledger: Arc<dyn Ledger>,
    pub rules: watch::Receiver<Arc<Catalogue>>,
    pub pool: Pool,
    pub pepper: Pepper,
    pub clock: SharedClock,
    pub escalation: Arc<Escalation>,
    pub status: WorkerStatus,
    pub statistics: Arc<Statistics>,
}

impl Shared {
    /// Reads during the folding of a partition.
    fn lookup(&self, partition: Partition) -> Lookup<'_> {
        Lookup { ledger: self.ledger.as_ref(), partition, escalation: &self.escalation }
    }
}

/// The analyzer of one partition.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    partition: Partition,
    /// The rules that were in force when this partition last adopted some.
    followed: Arc<Catalogue>,
    /// The same without those that cannot be loaded: the rules it applies.
    catalogue: Arc<Catalogue>,
    /// Time that it has waited for rules that cannot be loaded.
    patience: Patience,
    /// While folding up to here, every record is committed alone: one of them could not be folded or
    /// committed.
    careful_through: Offset,
    /// The one that failed even alone, and why.
    set_aside: Option<(Position, String)>,
    /// The window that is being closed.
    closing: Option<GroupKey>,
    /// The window whose end failed even alone, and the reason.
    window_set_aside: Option<(GroupKey, String)>,
    /// When a tick was last needed here.
    ticked_at: Timestamp,
    /// Turns that failed since the last commit.
    setbacks: Setbacks,
}

/// Reason why a worker cannot continue at all.
#[derive(Debug, Error)]
pub enum AnalyzerError {
    /// Batches that were not analysed yet are no longer in the log, or do not check.
    #[error("partition {partition} cannot be analysed: {source}")]
    Log {
        /// The partition.
        partition: u16,
        /// The error of the log.
        source: FetchError,
    },
    /// The log is not the one that the ledger is about.
    #[error(transparent)]
    AnotherLog(#[from] AnotherLog),
    /// A worker panicked, which is an error in this program.
    #[error("a worker terminated abnormally")]
    Broken {
        /// The error of the runtime.
        #[source]
        cause: tokio::task::JoinError,
    },
}

/// Reason why work pauses, everything being committed.
#[derive(Debug)]
enum Pause {
    /// It was stopped.
    Stopped,
    /// Other rules are in force.
    OtherRules,
    /// The rest of a batch is matched in another turn.
    RestOfBatch,
    /// The rules of the organization whose batch is next were not loaded.
    Unloaded(LoadError),
}

/// Reason why a turn of work ended.
#[derive(Debug, Error)]
enum TurnError {
    #[error(transparent)]
    Fold(#[from] FoldError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("folding a record panicked: {cause}")]
    Panicked { cause: String },
    #[error(transparent)]
    Rules(#[from] LoadError),
    #[error(transparent)]
    Fatal(#[from] AnalyzerError),
}

impl TurnError {
    /// Whether a row of the ledger is damaged, so that another turn does not help.
    fn is_damage(&self) -> bool {
        match self {
            Self::Fold(error) | Self::Commit(CommitError::Fold(error)) => error.is_damage(),
            _ => false,
        }
    }
}

impl From<RecogniseError> for TurnError {
    fn from(error: RecogniseError) -> Self {
        match error {
            RecogniseError::Another(another) => AnalyzerError::AnotherLog(another).into(),
            RecogniseError::Fetch(error) => error.into(),
        }
    }
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>, partition: Partition) -> Self {
        let catalogue = Arc::clone(&shared.rules.borrow());
        Self {
            shared,
            partition,
            followed: Arc::clone(&catalogue),
            catalogue,
            patience: Patience::default(),
            careful_through: Offset::default(),
            set_aside: None,
            closing: None,
            window_set_aside: None,
            ticked_at: Timestamp::default(),
            setbacks: Setbacks::default(),
        }
    }

    /// Works until `stop` becomes true, then commits what is folded and returns.
    ///
    /// # Errors
    /// [`AnalyzerError`] when no retry can help.
    pub(crate) async fn run(mut self, mut stop: watch::Receiver<bool>) -> Result<(), AnalyzerError> {
        let mut pause = FIRST_PAUSE;
        loop {
            let started = self.shared.clock.monotonic();
            match self.turn(&mut stop).await {
                Ok(()) => return Ok(()),
                Err(TurnError::Fatal(error)) => return Err(error),
                Err(error) => {
                    self.recover_from(&error);
                    if matches!(error, TurnError::Commit(CommitError::TakenOver)) {
                        // The new owner should keep it: the assignment needs a moment.
                        pause = LONGEST_PAUSE;
                    }
                }
            }
            let lasted = self.shared.clock.monotonic().saturating_sub(started);
            if lasted > LONGEST_PAUSE {
                pause = FIRST_PAUSE;
                self.setbacks.end();
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = stopped(&mut stop) => return Ok(()),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn recover_from(&mut self, error: &TurnError) {
        self.closing = None;
        metrics::counter!("palisade_analysis_restarts_total").increment(1);
        let now = self.shared.clock.monotonic();
        if let Some(reason) = self.setbacks.note(self.partition, error, now) {
            self.shared.status.report(self.partition, reason);
        }
    }

    /// Records that work continues.
    fn goes_on(&mut self) {
        self.setbacks.end();
        self.shared.status.clear(self.partition);
    }

    fn lookup(&self) -> Lookup<'_> {
        self.shared.lookup(self.partition)
    }

    async fn turn(&mut self, stop: &mut watch::Receiver<bool>) -> Result<(), TurnError> {
        let shared = Arc::clone(&self.shared);
        let latest = Arc::clone(&shared.rules.borrow());
        if !Arc::ptr_eq(&latest, &self.followed) {
            self.follow(latest);
        }
        let mut state = self.take_over().await?;
        let from = state.progress.position.offset;
        recognise(shared.log.as_ref(), self.partition, &state.progress).await?;
        // An earlier owner may have ended before the log heard of it.
        shared.log.release(self.partition, Offset(from.0.saturating_sub(1)));
        self.recognise_rules(&mut state).await?;
        loop {
            match self.work(&mut state, stop).await? {
                Pause::Stopped => return Ok(()),
                Pause::RestOfBatch => {}
                Pause::OtherRules => {
                    let latest = Arc::clone(&shared.rules.borrow());
                    self.adopt(&mut state, latest).await?;
                }
                Pause::Unloaded(error) => self.wait_or_withhold(&mut state, error, stop).await?,
            }
        }
    }

    /// Applies the latest rules, as far as they can be loaded.
    fn follow(&mut self, latest: Arc<Catalogue>) {
        self.catalogue = latest.as_loadable();
        self.followed = latest;
    }

    /// Works with the adopted rules, until others are there or it is stopped. Everything that was folded is committed then.
    async fn work(
        &mut self,
        state: &mut State,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<Pause, TurnError> {
        let shared = Arc::clone(&self.shared);
        let mut rules = shared.rules.clone();
        let from = state.progress.position;
        let turn = Turn::from(from, state.progress.received_through, &state.steps, &self.catalogue);
        let repeats = Repeats::new(state.deliveries.clone());
        let detected = detections(&shared, &self.catalogue, (self.partition, from.offset), turn, repeats);
        let mut detected = std::pin::pin!(detected);
        let mut committed_at = shared.clock.monotonic();
        loop {
            let interval =
                if state.has_findings() { shared.config.flush_interval() } else { POSITION_INTERVAL };
            let passed = shared.clock.monotonic().saturating_sub(committed_at);
            if state.has_progressed() && passed >= interval {
                self.commit(state).await?;
                committed_at = shared.clock.monotonic();
                continue;
            }
            let tick = self.until_tick(state);
            tokio::select! {
                biased;
                () = stopped(stop) => {
                    self.commit_progress(state).await?;
                    return Ok(Pause::Stopped);
                }
                () = replaced(&mut rules, &self.followed) => {
                    self.commit_progress(state).await?;
                    return Ok(Pause::OtherRules);
                }
                batch = detected.next() => {
                    let Some(batch) = batch else { return Err(PoolError::Panicked.into()) };
                    let batch = match batch {
                        Ok(batch) => batch,
                        Err(TurnError::Rules(error)) => {
                            self.commit_progress(state).await?;
                            return Ok(Pause::Unloaded(error));
                        }
                        Err(error) => return Err(self.fatal_if_trimmed(error)),
                    };
                    let is_whole = batch.is_whole();
                    let goes_on = self.fold(state, batch).await?;
                    if !is_whole || !goes_on {
                        // The next owner does not begin with the part that took long.
                        self.commit_progress(state).await?;
                        return Ok(Pause::RestOfBatch);
                    }
                }
                () = tokio::time::sleep(interval.saturating_sub(passed)), if state.has_progressed() => {}
                // Nothing to commit, and nothing fails: an idle partition.
                () = tokio::time::sleep(LONGEST_PAUSE), if shared.status.is_troubled(self.partition) => {
                    self.goes_on();
                }
                () = tokio::time::sleep(tick.unwrap_or_default()), if tick.is_some() => {
                    tokio::select! {
                        biased;
                        () = stopped(stop) => {}
                        () = self.tick_if_needed(state) => {}
                    }
                }
            }
        }
    }

    async fn commit_progress(&mut self, state: &mut State) -> Result<(), TurnError> {
        if state.has_progressed() { self.commit(state).await } else { Ok(()) }
    }

    /// Makes the partition ours: from here on, an earlier owner's commits conflict.
    async fn take_over(&self) -> Result<State, TurnError> {
        let lookup = self.lookup();
        for _ in 0..TAKE_OVER_ATTEMPTS {
            let seq = lookup.ledger.seq(lookup.ledger_id()).await.map_err(FoldError::from)?;
            let mut progress = recorded_progress(lookup).await?;
            progress.owner_epoch += 1;
            if progress.rules_version.is_empty() {
                // Nothing was ever found here: there is nothing to take back.
                self.catalogue.version().clone_into(&mut progress.rules_version);
            }
            let body = common::row::encode(&progress).map_err(FoldError::from)?;
            let op =
                Op::Put { kind: Kind::State, key: common::row::progress_key().into(), body: body.into() };
            let seq = match lookup.ledger.commit(lookup.ledger_id(), seq, vec![op]).await {
                Ok(Commit::Done(seq)) => seq,
                Ok(Commit::Conflict(_)) => continue,
                Ok(Commit::Unknown) => break,
                Err(error) => return Err(FoldError::from(error).into()),
            };
            let state = State::load(lookup, &self.catalogue, &self.shared.config, seq, progress).await?;
            tracing::info!(
                partition = self.partition.0,
                offset = state.progress.position.offset.0,
                windows = state.fold.accumulated.correlations.windows(),
                "analysing"
            );
            return Ok(state);
        }
        Err(CommitError::Reload("ownership of the partition could not be acquired").into())
    }

    fn fatal_if_trimmed(&self, error: TurnError) -> TurnError {
        match error {
            TurnError::Fetch(source @ (FetchError::Trimmed { .. } | FetchError::Corrupt { .. })) => {
                AnalyzerError::Log { partition: self.partition.0, source }.into()
            }
            other => other,
        }
    }
}

/// The batches from `from` on, matched, in order. Of a batch whose matching takes long only a part is matched, and no batch
/// behind it counts; of a seeming repeat nothing is. Dropping the stream cancels running matching.
fn detections(
    shared: &Arc<Shared>,
    catalogue: &Arc<Catalogue>,
    (partition, from): (Partition, Offset),
    (mut turn, cancel): (Turn, CancelOnDrop),
    mut repeats: Repeats,
) -> impl Stream<Item = Result<Detected, TurnError>> + use<> {
    let entries = batches(Arc::clone(&shared.log), partition, from, shared.config.prefetch_bytes);
    let (shared, catalogue) = (Arc::clone(shared), Arc::clone(catalogue));
    let matching = move |entry: Result<Entry, FetchError>| {
        // Held as long as the stream is.
        let _ = &cancel;
        let mut repeat = None;
        if let Ok(Entry { offset, batch }) = &entry {
            let headers = &batch.headers;
            turn.advance(headers.received_at);
            let delivery = identity::delivery(&shared.pepper, headers, *offset);
            // The rest of a batch is no repeat of its beginning.
            if repeats.seems_one(headers.source, &delivery) && turn.first(*offset) == 0 {
                repeat = Some(Detected::unmatched(*offset, headers.clone(), delivery));
            }
        }
        let (shared, catalogue, turn) = (Arc::clone(&shared), Arc::clone(&catalogue), turn.clone());
        async move {
            let entry = entry?;
            if let Some(repeat) = repeat {
                return Ok(repeat);
            }
            let layer = catalogue.layer(entry.batch.headers.organization).await?;
            let matcher = Arc::clone(&shared);
            let organization = entry.batch.headers.organization;
            let work = move |threads| {
                let plan = catalogue.plan(organization);
                detect((plan, layer.as_deref()), &matcher.pepper, &entry, &turn, threads)
            };
            Ok(shared.pool.run(organization, work, |detected: &Detected| detected.steps).await?)
        }
    };
    entries.map(matching).buffered(BATCHES_UNDER_WAY)
}

/// Returns once other rules than the adopted ones are in force, or the same can be loaded again; never, when all senders were
/// dropped.
async fn replaced(rules: &mut watch::Receiver<Arc<Catalogue>>, adopted: &Arc<Catalogue>) {
    let other = |latest: &Arc<Catalogue>| !Arc::ptr_eq(latest, adopted);
    if rules.wait_for(other).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Returns once `stop` is true, or all senders were dropped.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender was dropped, which is a stop as well.
    let _ = stop.wait_for(|stop| *stop).await;
}
