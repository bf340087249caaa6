//! Everything a partition's analyzer remembers, and its way from and to the ledger's rows. The state
//! is a function of the log and the recorded configuration: nothing in it comes from a clock.

use std::collections::BTreeMap;

use bytes::Bytes;
use common::ids::{OrganizationId, SourceId};
use common::partition::Position;
use common::row::{self, BodyError, Progress, QuarantinedRecord, SourceActivity};
use common::timestamp::Timestamp;
use incidents::attach::Incidents;
use incidents::fold_state::FoldState;
use incidents::rows::{self, PendingDeletes};
use ledger::{Kind, Ledger, Op, Range, Seq};

use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::deliveries::SharedDeliveries;
use crate::fold::{FoldError, Lookup, Policies};
use crate::steps::{MINUTE, Steps, minute_of};

/// Rows read back per call: some MiB where each is a window with a few hundred events.
const PAGE: usize = 250;
/// More than a row takes that holds a count, a time, or the cause of a panic.
const SMALL_ROW_BYTES: usize = 1_024;

/// State of a partition's analyzer.
#[derive(Debug)]
pub(crate) struct State {
    /// The ledger's sequence number this state was read at, or last committed.
    pub seq: Seq,
    /// Position up to which the log has been folded.
    pub progress: Progress,
    /// Deliveries that were folded.
    pub deliveries: SharedDeliveries,
    /// State of the four steps of a record.
    pub fold: FoldState,
    /// Policies that decide whether incidents are escalated.
    pub policies: Policies,
    /// Steps that documents of organizations took.
    pub steps: Steps,
    activity: BTreeMap<(OrganizationId, SourceId), Timestamp>,
    quarantined: Vec<QuarantinedRecord>,
    pending_deletes: PendingDeletes,
    swept_at: i64,
    progressed: bool,
}

impl State {
    /// Reads the state back. The caller has taken the partition over already.
    pub(crate) async fn load(
        lookup: Lookup<'_>,
        catalogue: &Catalogue,
        config: &Config,
        seq: Seq,
        progress: Progress,
    ) -> Result<Self, FoldError> {
        let incidents =
            Incidents::new(lookup.partition, config.cached_incidents, config.resolved_retention());
        let mut state = Self {
            seq,
            swept_at: minute_of(progress.received_through),
            progress,
            deliveries: SharedDeliveries::default(),
            fold: FoldState::new(config.groups_per_rule, config.window_bytes, incidents),
            policies: Policies::default(),
            steps: Steps::default(),
            activity: BTreeMap::new(),
            quarantined: Vec::new(),
            pending_deletes: PendingDeletes::default(),
            progressed: false,
        };
        each_row(lookup, rows::DELIVERIES, |key, body| {
            state.deliveries.lock().restore(number(key), body);
            Ok(())
        })
        .await?;
        each_row(lookup, rows::WINDOW, |key, body| {
            state.fold.accumulated.correlations.restore(
                |of| catalogue.plan(of),
                key,
                body,
                &mut state.pending_deletes,
            )
        })
        .await?;
        for table in state.fold.tables_mut().into_iter().chain(state.steps.tables_mut()) {
            each_row(lookup, table.prefix(), |key, body| table.restore(key, body)).await?;
        }
        state.fold.restored();
        state.steps.adopt(catalogue, &mut state.pending_deletes);
        // Rows of forgotten values may not have been deleted yet.
        state.sweep();
        Ok(state)
    }

    /// Moves the log's time forward, before the records of a batch: state that is too old to matter is forgotten once a
    /// minute of log time.
    pub(crate) fn advance(&mut self, received_at: Timestamp) {
        let through = self.progress.received_through.max(received_at);
        self.progress.received_through = through;
        self.policies.forget();
        if minute_of(through) == self.swept_at {
            return;
        }
        self.swept_at = minute_of(through);
        self.sweep();
    }

    /// Forgets by the minute that was begun, so that doing it again changes nothing.
    fn sweep(&mut self) {
        let begun = Timestamp(self.swept_at.saturating_mul(MINUTE));
        self.deliveries.lock().forget_before(begun);
        self.fold.forget_before(begun, &mut self.pending_deletes);
        self.steps.forget_before(begun, &mut self.pending_deletes);
    }

    /// Continues under other rules: state of removed rules is dropped.
    pub(crate) fn adopt(&mut self, latest: &Catalogue) {
        self.fold.accumulated.correlations.adopt(|of| latest.plan(of), &mut self.pending_deletes);
        self.steps.adopt(latest, &mut self.pending_deletes);
    }

    /// The rules of a version are in force from here on.
    pub(crate) fn adopted(&mut self, version: String) {
        self.progress.rules_version = version;
        self.progressed = true;
    }

    /// Everything before `position` is folded.
    pub(crate) fn reached(&mut self, position: Position) {
        self.progress.position = position;
        self.progressed = true;
    }

    /// Remembers that a source was heard of.
    pub(crate) fn heard_of(&mut self, organization: OrganizationId, source: SourceId, at: Timestamp) {
        let last = self.activity.entry((organization, source)).or_insert(at);
        *last = (*last).max(at);
    }

    /// Sets a record aside.
    pub(crate) fn quarantine(&mut self, record: QuarantinedRecord) {
        self.quarantined.push(record);
    }

    /// Whether findings are to be committed, beside the position and counts.
    pub(crate) fn has_findings(&self) -> bool {
        self.fold.pending_cost().0 > 0 || !self.quarantined.is_empty()
    }

    /// Whether anything at all is to be committed.
    pub(crate) fn has_progressed(&self) -> bool {
        self.progressed
    }

    /// Rows and bytes, about, of a commit now.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        let small = self.quarantined.len();
        let kept = self
            .quarantined
            .iter()
            .filter_map(|record| record.payload.as_ref())
            .map(String::len)
            .sum::<usize>();
        let (rows, bytes) = self.housekeeping_cost();
        let (findings, finding_bytes) = self.fold.pending_cost();
        (rows + findings + small, bytes + finding_bytes + small * SMALL_ROW_BYTES + kept)
    }

    /// Whether more rows wait to be deleted than commits that are full take along.
    pub(crate) fn is_behind_with_deleting(&self) -> bool {
        self.pending_deletes.is_behind()
    }

    /// Rows and bytes of a commit without findings.
    fn housekeeping_cost(&self) -> (usize, usize) {
        let (rows, bytes) = self.deliveries.lock().pending_cost();
        let (tallies, tally_bytes) = self.fold.tallies_cost();
        let (metered, metered_bytes) = self.steps.pending_cost();
        let activity = self.activity.len();
        let bytes = bytes + tally_bytes + metered_bytes + activity * SMALL_ROW_BYTES;
        (rows + tallies + metered + activity, bytes)
    }

    /// The operations beside those of incidents that bring the ledger up to date. Taken once: they do
    /// not change when a commit is tried again.
    pub(crate) fn take_ops(&mut self) -> Result<Vec<Op>, BodyError> {
        let mut rows = vec![(Bytes::from(row::progress_key()), row::encode(&self.progress)?)];
        rows.extend(self.deliveries.lock().take_changes(&mut self.pending_deletes));
        rows.extend(self.fold.take_changes()?);
        for table in self.steps.tables_mut() {
            rows.extend(table.take_changes()?);
        }
        for ((organization, source), last_received_at) in std::mem::take(&mut self.activity) {
            let key = Bytes::from(row::source_activity_key(organization, source));
            rows.push((key, row::encode(&SourceActivity { last_received_at })?));
        }
        for record in std::mem::take(&mut self.quarantined) {
            rows.push((Bytes::from(row::quarantine_key(record.position)), row::encode(&record)?));
        }
        for (key, _) in &rows {
            self.pending_deletes.keep(key);
        }
        let others = rows.len() + self.fold.incidents.pending_cost().0;
        let deleted =
            self.pending_deletes.take(others).into_iter().map(|key| Op::Delete { kind: Kind::State, key });
        let written =
            rows.into_iter().map(|(key, body)| Op::Put { kind: Kind::State, key, body: body.into() });
        Ok(written.chain(deleted).collect())
    }

    /// The ledger has all changes now.
    pub(crate) fn committed(&mut self, seq: Seq) {
        self.seq = seq;
        self.progressed = false;
        self.fold.incidents.committed();
    }
}

/// Reads the recorded progress of a partition; the beginning where there is none.
pub(crate) async fn recorded_progress(lookup: Lookup<'_>) -> Result<Progress, FoldError> {
    let body = lookup.get(Kind::State, &row::progress_key()).await?;
    Ok(body.map_or_else(|| Ok(Progress::default()), |body| row::decode(&body))?)
}

/// Reads the rows of a prefix back, a page at a time: all of them are far more than their values. Each comes
/// with the rest of its key.
async fn each_row(
    lookup: Lookup<'_>,
    prefix: &[u8],
    mut restore: impl FnMut(&[u8], &[u8]) -> Result<(), BodyError>,
) -> Result<(), FoldError> {
    let ledger: &dyn Ledger = lookup.ledger;
    let mut after: Option<Bytes> = None;
    loop {
        let range = Range { prefix, after: after.as_deref(), backwards: false };
        let page = ledger.scan(lookup.ledger_id(), Kind::State, range, PAGE).await?;
        for row in &page {
            restore(row.key.get(prefix.len()..).unwrap_or_default(), &row.body)?;
        }
        let Some(last) = page.into_iter().last() else { return Ok(()) };
        after = Some(last.key);
    }
}

fn number(key: &[u8]) -> u64 {
    key.first_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}
