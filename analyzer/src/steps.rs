//! Steps that rules and filters of organizations take, over each minute of the log's time: which of them are suspended for
//! that, and which organizations have used up their share of the minute, so that their documents do not delay others
//! in the partition. Everything is counted in steps and records, never in time that passes, so that a replay decides the
//! same at the same record.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use common::ids::OrganizationId;
use common::row::{self, SuspendedDocument};
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use sigma::{Spender, Spent};

use incidents::identity::{digest, hex};
use incidents::plan::Plan;
use incidents::rows::{self, PendingDeletes};
use incidents::state_table::{StateRows, StateTable};

use crate::catalogue::Catalogue;

/// Steps that the documents of an organization may take in a minute of records whatever they find: 0.2 to 0.4 s of a
/// thread. Beyond it a document is suspended that takes more than [`TIMES_BUILT_IN`] allows.
const MINUTE_STEPS: u64 = 1 << 26;
/// Multiple of the steps of the built-in pack that the documents of an organization may take together without using up
/// [`MINUTE_STEPS`]: about as long as matching the built-in pack takes, whose steps are slower. Unused steps are not saved up.
const SHARE_TIMES_BUILT_IN: u64 = 16;
/// Multiple of the steps of the built-in pack that a document may take on average.
const TIMES_BUILT_IN: u64 = 100;
/// The built-in pack reads each byte of a record once, which is a step. This is the most that a record counts, or
/// long records would allow more than the least that expressions search in any case.
const MOST_BUILT_IN: usize = 8 << 10;
const CLASSES: usize = 14;
pub(crate) const MINUTE: i64 = 60 * 1_000_000_000;
const ROW_BYTES: usize = 256;
const ENTRY_BYTES: usize = 80;

/// The class of a record's length: so many binary digits.
pub(crate) fn class_of(bytes: usize) -> u8 {
    u8::try_from(bytes.clamp(1, MOST_BUILT_IN - 1).ilog2()).unwrap_or(0)
}

/// Steps in all partitions' terms of one organization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Minute {
    minute: i64,
    /// Records by the class of their length.
    records: [u64; CLASSES],
    /// Steps by the id of the document, without those that were suspended.
    steps: BTreeMap<String, u64>,
    /// Steps of all documents.
    taken: u64,
    /// Steps beyond [`SHARE_TIMES_BUILT_IN`] times those of the built-in pack.
    beyond: u64,
    /// Whether those were ever more than [`MINUTE_STEPS`].
    is_used_up: bool,
}

/// The minute of the log's time in which steps are counted together, and at whose end housekeeping happens: at the same places
/// in every replay.
pub(crate) fn minute_of(log_time: Timestamp) -> i64 {
    log_time.0.div_euclid(MINUTE)
}

/// Steps of documents, and suspended documents.
#[derive(Debug)]
pub(crate) struct Steps {
    /// By the organization.
    minutes: StateTable<[u8; 16], Minute>,
    /// By the organization and the document.
    suspended: StateTable<Bytes, SuspendedDocument>,
}

impl Default for Steps {
    fn default() -> Self {
        let suspended = StateTable::new(row::SUSPENSIONS_PREFIX);
        Self { minutes: StateTable::new(rows::STEPS), suspended }
    }
}

impl Steps {
    /// Counts one record of an organization and the steps of its documents for it; returns whether the records behind are
    /// matched otherwise for that: without a document, or within fewer steps.
    pub(crate) fn count(
        &mut self,
        plan: &Plan,
        organization: OrganizationId,
        log_time: Timestamp,
        (class, spent): (u8, &[Spent]),
    ) -> bool {
        let minute = minute_of(log_time);
        let key = *organization.as_bytes();
        let own = self.minutes.get_or_insert_with(key, Minute::default);
        if own.minute != minute {
            *own = Minute { minute, ..Minute::default() };
        }
        for (spent, (id, _)) in spent.iter().filter_map(|spent| Some((spent, plan.document(spent.spender)?)))
        {
            let steps = own.steps.entry(id.to_owned()).or_default();
            *steps = steps.saturating_add(spent.steps);
        }
        let is_newly_used_up = own.add(class, spent.iter().map(|spent| spent.steps).sum());
        if is_newly_used_up {
            tracing::info!(%organization, "rules of an organization have exhausted their processing steps for a minute of records");
            metrics::counter!("palisade_analysis_shares_used_up_total").increment(1);
        }
        let over = own.take_over();
        let (records, median) = (own.records.iter().sum::<u64>(), own.median());
        let bytes = ROW_BYTES + own.steps.len() * ENTRY_BYTES;
        self.minutes.mark(key, bytes);
        for (id, steps) in over {
            let reason = format!(
                "In one minute it took {steps} steps for {records} records, more than {TIMES_BUILT_IN} times the {median} \
                 steps per record of the built-in rules, and all rules of the organization more than {MINUTE_STEPS}."
            );
            self.suspend(plan, organization, id, reason, log_time);
        }
        is_newly_used_up || self.suspended.pending_cost().0 > 0
    }

    fn suspend(
        &mut self,
        plan: &Plan,
        organization: OrganizationId,
        id: String,
        reason: String,
        since: Timestamp,
    ) {
        let Some(content_hash) = plan.content_hash_of(&id).map(str::to_owned) else { return };
        tracing::warn!(%organization, sigma_id = id, reason, "a rule of an organization is suspended");
        metrics::counter!("palisade_analysis_rules_suspended_total").increment(1);
        let hash = digest(&[id.to_lowercase().as_bytes()]);
        let key = rows::key(organization.as_bytes(), &hash);
        let document = SuspendedDocument { organization, sigma_id: id, content_hash, reason, since };
        self.suspended.put(key, document, 4 * ROW_BYTES);
    }

    /// Documents that are not evaluated.
    pub(crate) fn left_out(&self, catalogue: &Catalogue) -> BTreeMap<OrganizationId, Vec<Spender>> {
        let mut left_out: BTreeMap<OrganizationId, Vec<Spender>> = BTreeMap::new();
        for (_, document) in self.suspended.iter() {
            let spender =
                catalogue.plan(document.organization).spender(&document.sigma_id, &document.content_hash);
            left_out.entry(document.organization).or_default().extend(spender);
        }
        left_out
    }

    /// Organizations whose documents may take little for the rest of the minute of the log's time.
    pub(crate) fn used_up(&self, log_time: Timestamp) -> BTreeSet<OrganizationId> {
        let minute = minute_of(log_time);
        let used_up = self.minutes.iter().filter(|(_, own)| own.minute == minute && own.is_used_up);
        used_up.map(|(organization, _)| OrganizationId::from_bytes(*organization)).collect()
    }

    /// The version of a catalogue's rules without those that are suspended.
    pub(crate) fn version(&self, of_catalogue: &str) -> String {
        if self.suspended.count() == 0 {
            return of_catalogue.to_owned();
        }
        let mut suspended: Vec<(&Bytes, &SuspendedDocument)> = self.suspended.iter().collect();
        suspended.sort_unstable_by_key(|(key, _)| *key);
        let keys = suspended.iter().map(|(key, _)| key.as_ref());
        let hashes = suspended.iter().map(|(_, document)| document.content_hash.as_bytes());
        let parts: Vec<&[u8]> = [of_catalogue.as_bytes()].into_iter().chain(keys).chain(hashes).collect();
        hex(&digest(&parts))
    }

    /// Ends suspensions of documents that were removed or have other content.
    pub(crate) fn adopt(&mut self, latest: &Catalogue, pending_deletes: &mut PendingDeletes) {
        let is_over = |document: &SuspendedDocument| {
            let plan = latest.plan(document.organization);
            // Of rules that cannot be read it is not known whether they have changed.
            latest.is_applied(document.organization)
                && plan.spender(&document.sigma_id, &document.content_hash).is_none()
        };
        self.suspended.remove_if(|_, document| is_over(document), pending_deletes);
    }

    /// Rows and bytes, about, of the unwritten changes.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        let [minutes, suspended] = [self.minutes.pending_cost(), self.suspended.pending_cost()];
        (minutes.0 + suspended.0, minutes.1 + suspended.1)
    }

    /// Its tables.
    pub(crate) fn tables_mut(&mut self) -> [&mut dyn StateRows; 2] {
        [&mut self.minutes, &mut self.suspended]
    }

    /// Forgets minutes that are over.
    pub(crate) fn forget_before(&mut self, begun: Timestamp, pending_deletes: &mut PendingDeletes) {
        let minute = minute_of(begun);
        self.minutes.remove_if(|_, own| own.minute < minute, pending_deletes);
    }
}

impl Minute {
    /// Counts a record and all the steps that were taken for it; returns whether the share is used up since.
    fn add(&mut self, class: u8, steps: u64) -> bool {
        if let Some(records) = self.records.get_mut(usize::from(class)) {
            *records += 1;
        }
        self.taken = self.taken.saturating_add(steps);
        let expected = SHARE_TIMES_BUILT_IN << (class + 1);
        self.beyond = self.beyond.saturating_sub(expected).saturating_add(steps);
        let was_used_up = self.is_used_up;
        self.is_used_up |= self.beyond > MINUTE_STEPS;
        self.is_used_up && !was_used_up
    }

    /// Steps of the built-in rules for the middle one of the records, rounded up to a power of two.
    fn median(&self) -> u64 {
        let all: u64 = self.records.iter().sum();
        let mut seen = 0;
        for (class, records) in (1..).zip(self.records) {
            seen += records;
            if 2 * seen >= all {
                return 1 << class;
            }
        }
        1 << CLASSES
    }

    /// Steps that a document may take for the records so far.
    fn allowed(&self) -> u64 {
        let records: u64 = self.records.iter().sum();
        records.saturating_mul(self.median()).saturating_mul(TIMES_BUILT_IN)
    }

    /// Takes the documents that took most out of the minute until the others are within bounds, with their steps.
    fn take_over(&mut self) -> Vec<(String, u64)> {
        let mut over = Vec::new();
        if self.taken <= MINUTE_STEPS {
            return over;
        }
        let allowed = self.allowed();
        let mut left: u64 = self.steps.values().sum();
        while left > MINUTE_STEPS
            && let Some((id, steps)) = self.steps.iter().max_by_key(|(_, steps)| **steps)
            && *steps > allowed
        {
            let most = (id.clone(), *steps);
            left -= most.1;
            self.steps.remove(&most.0);
            over.push(most);
        }
        over
    }
}
