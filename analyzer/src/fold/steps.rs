//! Steps that rules and filters of organizations take, over each minute of the log's time, and which of them are suspended
//! for that. Everything is counted in steps and records, never in time that passes, so that a replay decides the same at
//! the same record.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use common::ids::OrganizationId;
use common::row::{self, BodyError, SuspendedDocument};
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use sigma::{Spender, Spent};

use super::rows::{self, Gone};
use crate::catalogue::Catalogue;
use crate::identity::digest;
use crate::plan::Plan;

/// Steps that one document may take in a minute of records whatever they find: one or two seconds of a thread.
const DOCUMENT_STEPS: u64 = 1 << 28;
/// The same for all documents of an organization together; beyond it the one that took most is suspended.
const ORGANIZATION_STEPS: u64 = 1 << 30;
/// How many times the steps of the built-in pack a document may take on average.
const TIMES_BUILT_IN: u64 = 100;
/// The built-in pack reads each byte of a record once, which is a step. Of a longer record only so many bytes count, or
/// long records would allow more than the least that expressions search in any case.
const MOST_BUILT_IN: usize = 8 << 10;
const CLASSES: usize = 14;
const MINUTE: i64 = 60 * 1_000_000_000;
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
    /// Steps by the id of the document.
    steps: BTreeMap<String, u64>,
}

/// What documents took, and what is suspended.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    minutes: BTreeMap<OrganizationId, Minute>,
    changed: BTreeSet<OrganizationId>,
    suspended: BTreeMap<Bytes, SuspendedDocument>,
    newly: BTreeSet<Bytes>,
}

impl Steps {
    /// Counts one record of an organization and what its documents took for it; tells whether any is suspended for that.
    pub(crate) fn count(
        &mut self,
        plan: &Plan,
        organization: OrganizationId,
        log_time: Timestamp,
        (class, spent): (u8, &[Spent]),
    ) -> bool {
        let minute = log_time.0.div_euclid(MINUTE);
        let own = self.minutes.entry(organization).or_default();
        if own.minute != minute {
            *own = Minute { minute, ..Minute::default() };
        }
        self.changed.insert(organization);
        if let Some(records) = own.records.get_mut(usize::from(class)) {
            *records += 1;
        }
        let mut over = Vec::new();
        for (spent, (id, _)) in spent.iter().filter_map(|spent| Some((spent, plan.document(spent.spender)?)))
        {
            let steps = own.steps.entry(id.to_owned()).or_default();
            *steps = steps.saturating_add(spent.steps);
        }
        let allowed = own.allowed();
        let mut total: u64 = own.steps.values().sum();
        while let Some((id, steps)) = own.next_over(allowed, total) {
            total -= steps;
            own.steps.remove(&id);
            over.push((id, steps));
        }
        let (records, median) = (own.records.iter().sum::<u64>(), own.median());
        for (id, steps) in over {
            let reason = format!(
                "In one minute it took {steps} steps for {records} records, more than the {DOCUMENT_STEPS} allowed and more \
                 than {TIMES_BUILT_IN} times the {median} steps per record of the built-in rules."
            );
            self.suspend(plan, organization, id, reason, log_time);
        }
        !self.newly.is_empty()
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
        let key = rows::key(&row::suspensions_prefix(organization), &hash);
        let document = SuspendedDocument { organization, sigma_id: id, content_hash, reason, since };
        self.suspended.insert(key.clone(), document);
        self.newly.insert(key);
    }

    /// Documents that are not to be asked for.
    pub(crate) fn left_out(&self, catalogue: &Catalogue) -> BTreeMap<OrganizationId, Vec<Spender>> {
        let mut left_out: BTreeMap<OrganizationId, Vec<Spender>> = BTreeMap::new();
        for document in self.suspended.values() {
            let spender =
                catalogue.plan(document.organization).spender(&document.sigma_id, &document.content_hash);
            left_out.entry(document.organization).or_default().extend(spender);
        }
        left_out
    }

    /// The version of a catalogue's rules without those that are suspended.
    pub(crate) fn version(&self, of_catalogue: &str) -> String {
        if self.suspended.is_empty() {
            return of_catalogue.to_owned();
        }
        let keys = self.suspended.keys().map(|key| &key[..]);
        let hashes = self.suspended.values().map(|document| document.content_hash.as_bytes());
        let parts: Vec<&[u8]> = [of_catalogue.as_bytes()].into_iter().chain(keys).chain(hashes).collect();
        crate::identity::hex(&digest(&parts))
    }

    /// Ends suspensions of documents that are gone or have other content.
    pub(crate) fn adopt(&mut self, latest: &Catalogue, gone: &mut Gone) {
        self.suspended.retain(|key, document| {
            let plan = latest.plan(document.organization);
            let stays = plan.spender(&document.sigma_id, &document.content_hash).is_some();
            if !stays {
                gone.push(key.clone());
            }
            stays
        });
    }

    /// About how many rows and bytes the changes since the last [`Self::take_changes`] take.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        let minutes = self.changed.iter().filter_map(|organization| self.minutes.get(organization));
        let bytes: usize = minutes.map(|minute| ROW_BYTES + minute.steps.len() * ENTRY_BYTES).sum();
        (self.changed.len() + self.newly.len(), bytes + self.newly.len() * 4 * ROW_BYTES)
    }

    /// Rows to write since the last call.
    pub(crate) fn take_changes(&mut self) -> Result<Vec<(Bytes, Vec<u8>)>, BodyError> {
        let mut rows = Vec::new();
        for organization in std::mem::take(&mut self.changed) {
            if let Some(minute) = self.minutes.get(&organization) {
                let body = row::encode(&(organization, minute))?;
                rows.push((rows::key(rows::STEPS, organization.as_bytes()), body));
            }
        }
        for key in std::mem::take(&mut self.newly) {
            if let Some(document) = self.suspended.get(&key) {
                rows.push((key, row::encode(document)?));
            }
        }
        Ok(rows)
    }

    /// Reads the steps of an organization back.
    pub(crate) fn restore(&mut self, body: &[u8]) -> Result<(), BodyError> {
        let (organization, minute) = row::decode(body)?;
        self.minutes.insert(organization, minute);
        Ok(())
    }

    /// Reads a suspension back.
    pub(crate) fn restore_suspension(&mut self, key: Bytes, body: &[u8]) -> Result<(), BodyError> {
        self.suspended.insert(key, row::decode(body)?);
        Ok(())
    }

    /// Forgets minutes that are over.
    pub(crate) fn forget_before(&mut self, begun: Timestamp, gone: &mut Gone) {
        let minute = begun.0.div_euclid(MINUTE);
        self.minutes.retain(|organization, own| {
            if own.minute < minute {
                gone.push(rows::key(rows::STEPS, organization.as_bytes()));
                self.changed.remove(organization);
            }
            own.minute >= minute
        });
    }
}

impl Minute {
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

    /// The document that took most, where that is too much by itself or the sum of all is.
    fn next_over(&self, allowed: u64, total: u64) -> Option<(String, u64)> {
        let (id, steps) = self.steps.iter().max_by_key(|(_, steps)| **steps)?;
        let by_itself = *steps > DOCUMENT_STEPS && *steps > allowed;
        let together = total > ORGANIZATION_STEPS && total > allowed;
        (by_itself || together).then(|| (id.clone(), *steps))
    }
}
