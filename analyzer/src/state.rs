//! Everything a partition's analyzer remembers, and its way from and to the ledger's rows. The state
//! is a function of the log and the recorded configuration: nothing in it comes from a clock.

use std::collections::BTreeMap;

use bytes::Bytes;
use common::ids::{OrganizationId, SourceId};
use common::partition::Position;
use common::row::{self, BodyError, Progress, SourceActivity};
use common::timestamp::Timestamp;
use ledger::{Kind, Ledger, Op, Range, Seq};

use crate::config::Config;
use crate::fold::correlate::Correlations;
use crate::fold::deliveries::Deliveries;
use crate::fold::incidents::{FoldError, Incidents, Reader, minute};
use crate::fold::risk::Risks;
use crate::fold::rows;
use crate::fold::storm::Storms;
use crate::plan::Plan;

/// Rows read back per call.
const PAGE: usize = 1_000;

/// What a partition's analyzer remembers.
#[derive(Debug)]
pub(crate) struct State {
    /// The ledger's sequence number this state was read at, or last committed.
    pub seq: Seq,
    /// How far the log has been folded.
    pub progress: Progress,
    /// Deliveries that were folded.
    pub deliveries: Deliveries,
    /// Windows of correlations.
    pub correlations: Correlations,
    /// Risk of entities.
    pub risks: Risks,
    /// Incidents opened this hour.
    pub storms: Storms,
    /// Incidents being worked on.
    pub incidents: Incidents,
    activity: BTreeMap<(OrganizationId, SourceId), Timestamp>,
    quarantined: Vec<(Position, String)>,
    swept_at: i64,
    progressed: bool,
}

impl State {
    /// Reads the state back. The caller has taken the partition over already.
    pub(crate) async fn load(
        reader: Reader<'_>,
        plan: &Plan,
        config: &Config,
        seq: Seq,
        progress: Progress,
    ) -> Result<Self, FoldError> {
        let mut state = Self {
            seq,
            swept_at: minute(progress.received_through),
            progress,
            deliveries: Deliveries::default(),
            correlations: Correlations::default(),
            risks: Risks::default(),
            storms: Storms::default(),
            incidents: Incidents::new(config.cached_incidents, config.resolved_retention()),
            activity: BTreeMap::new(),
            quarantined: Vec::new(),
            progressed: false,
        };
        for (key, body) in scan_all(reader, rows::DELIVERIES).await? {
            state.deliveries.restore(number(&key), &body);
        }
        for (key, body) in scan_all(reader, rows::WINDOW).await? {
            state.correlations.restore(plan, sixteen(&key), &body)?;
        }
        for (key, body) in scan_all(reader, rows::RISK).await? {
            state.risks.restore(sixteen(&key), &body)?;
        }
        for (key, body) in scan_all(reader, rows::STORM).await? {
            let family =
                key.get(16..).and_then(|family| std::str::from_utf8(family).ok()).unwrap_or_default();
            state.storms.restore(SourceId::from_bytes(sixteen(&key)), family.to_owned(), row::decode(&body)?);
        }
        Ok(state)
    }

    /// Moves the log's time forward, before the records of a batch: what is too old to matter goes,
    /// once a minute of log time.
    pub(crate) fn advance(&mut self, plan: &Plan, received_at: Timestamp) {
        let through = self.progress.received_through.max(received_at);
        self.progress.received_through = through;
        if minute(through) == self.swept_at {
            return;
        }
        self.swept_at = minute(through);
        self.deliveries.forget_before(through);
        self.correlations.forget_before(plan, through);
        self.risks.forget_before(through);
        self.storms.forget_before(through);
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
    pub(crate) fn quarantine(&mut self, position: Position, cause: String) {
        self.quarantined.push((position, cause));
    }

    /// Whether anything but the position is to be committed.
    pub(crate) fn has_findings(&self) -> bool {
        self.pending_cost().0 > 0 || !self.quarantined.is_empty()
    }

    /// Whether anything at all is to be committed.
    pub(crate) fn has_progressed(&self) -> bool {
        self.progressed
    }

    /// About how many rows and bytes a commit takes now.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        let windows = self.correlations.pending_cost();
        let incidents = self.incidents.pending_cost();
        let small = self.risks.changed() + self.storms.changed() + self.quarantined.len();
        (windows.0 + incidents.0 + small, windows.1 + incidents.1 + small * 2_048)
    }

    /// The operations beside those of incidents that bring the ledger up to date. Taken once: they do
    /// not change when a commit is tried again.
    pub(crate) fn take_ops(&mut self, plan: &Plan) -> Result<Vec<Op>, BodyError> {
        let mut ops = vec![put(Bytes::from(row::progress_key()), row::encode(&self.progress)?)];
        let (emptied, filled) = self.deliveries.take_changes();
        ops.extend(emptied.iter().map(|number| delete(rows::key(rows::DELIVERIES, &number.to_be_bytes()))));
        ops.extend(
            filled.map(|(number, body)| put(rows::key(rows::DELIVERIES, &number.to_be_bytes()), body)),
        );
        for (key, body) in self.correlations.take_changes(plan)? {
            ops.push(put_or_delete(rows::key(rows::WINDOW, &key), body));
        }
        for (key, body) in self.risks.take_changes()? {
            ops.push(put_or_delete(rows::key(rows::RISK, &key), body));
        }
        for ((source, family), opened) in self.storms.take_changes() {
            let key = rows::key(rows::STORM, &[source.as_bytes().as_slice(), family.as_bytes()].concat());
            ops.push(put_or_delete(key, opened.as_ref().map(row::encode).transpose()?));
        }
        for ((organization, source), last_received_at) in std::mem::take(&mut self.activity) {
            let key = Bytes::from(row::source_activity_key(organization, source));
            ops.push(put(key, row::encode(&SourceActivity { last_received_at })?));
        }
        for (position, cause) in std::mem::take(&mut self.quarantined) {
            let place = [position.offset.0.to_be_bytes().as_slice(), &position.record.to_be_bytes()].concat();
            ops.push(put(rows::key(rows::QUARANTINE, &place), row::encode(&cause)?));
        }
        Ok(ops)
    }

    /// The ledger knows everything now.
    pub(crate) fn committed(&mut self, seq: Seq) {
        self.seq = seq;
        self.progressed = false;
        self.incidents.committed();
    }
}

/// Reads the recorded progress of a partition; the beginning where there is none.
pub(crate) async fn recorded_progress(reader: Reader<'_>) -> Result<Progress, FoldError> {
    let body = reader.ledger.get(reader.ledger_id(), Kind::State, &row::progress_key()).await?;
    Ok(body.map_or_else(|| Ok(Progress::default()), |body| row::decode(&body))?)
}

async fn scan_all(reader: Reader<'_>, prefix: &[u8]) -> Result<Vec<(Bytes, Bytes)>, FoldError> {
    let ledger: &dyn Ledger = reader.ledger;
    let mut found: Vec<(Bytes, Bytes)> = Vec::new();
    let mut after: Option<Bytes> = None;
    loop {
        let range = Range { prefix, after: after.as_deref(), backwards: false };
        let page = ledger.scan(reader.ledger_id(), Kind::State, range, PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = Some(last.key.clone());
        found.extend(page.into_iter().map(|row| (row.key.slice(prefix.len()..), row.body)));
    }
}

fn put(key: Bytes, body: Vec<u8>) -> Op {
    Op::Put { kind: Kind::State, key, body: body.into() }
}

fn delete(key: Bytes) -> Op {
    Op::Delete { kind: Kind::State, key }
}

fn put_or_delete(key: Bytes, body: Option<Vec<u8>>) -> Op {
    match body {
        Some(body) => put(key, body),
        None => delete(key),
    }
}

fn number(key: &[u8]) -> u64 {
    key.first_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

fn sixteen(key: &[u8]) -> [u8; 16] {
    key.first_chunk::<16>().copied().unwrap_or_default()
}
