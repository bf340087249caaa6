//! Windows to and from the ledger's rows, and which of them are no longer needed.

use bytes::Bytes;
use common::row::BodyError;
use common::timestamp::Timestamp;

use super::group::{Group, GroupRow, KeptBytes};
use super::{Correlations, GroupKey, wait};
use crate::catalogue::Catalogue;
use crate::fold::rows::{self, PendingDeletes};

impl Correlations {
    /// Rows to write since the last call.
    ///
    /// # Errors
    /// When a window cannot be written as JSON.
    pub(crate) fn take_changes(&mut self, catalogue: &Catalogue) -> Result<Vec<(Bytes, Vec<u8>)>, BodyError> {
        self.groups.take_changes(|_, group| group.row(&group.plan(catalogue).subject))
    }

    /// Reads a window back. One of a correlation that is gone or has changed is left out, and its row
    /// is to go.
    ///
    /// # Errors
    /// When the row is broken.
    pub(crate) fn restore(
        &mut self,
        catalogue: &Catalogue,
        key: GroupKey,
        body: &[u8],
        pending_deletes: &mut PendingDeletes,
    ) -> Result<(), BodyError> {
        let row: GroupRow = common::row::decode(body)?;
        let plan = catalogue.plan(row.organization);
        let Some(correlation) = plan.find_correlation(&row.correlation, &row.content_hash) else {
            pending_deletes.push(rows::key(rows::WINDOW, &key));
            return Ok(());
        };
        let spec = &plan.correlation(correlation).spec;
        let id = row.correlation.clone();
        let mut group = Box::new(Group::restored(correlation, row, &mut self.once));
        self.per_correlation.entry(id).or_default().add(&group);
        wait(&mut self.waiting, spec, key, &mut group);
        self.held.change(group.owner.organization, KeptBytes::default(), group.bytes());
        self.groups.restore(key, group);
        Ok(())
    }

    /// All windows are read back.
    pub(crate) fn restored(&mut self) {
        self.once.forget_records();
    }

    /// Drops windows that nothing has touched for longer than they can matter. Called at fixed places
    /// in the log only.
    pub(crate) fn forget_before(
        &mut self,
        catalogue: &Catalogue,
        log_time: Timestamp,
        pending_deletes: &mut PendingDeletes,
    ) {
        let expired: Vec<GroupKey> = self
            .groups
            .iter()
            // What waits for its end is decided first.
            .filter(|(_, group)| group.waits.is_none())
            .filter(|(_, group)| {
                let kept = group.plan(catalogue).spec.kept();
                group.touched_at.0.saturating_add(kept) < log_time.0
            })
            .map(|(key, _)| *key)
            .collect();
        for key in expired {
            self.remove(catalogue, &key, pending_deletes);
        }
        self.once.forget_unused();
    }

    fn remove(&mut self, catalogue: &Catalogue, key: &GroupKey, pending_deletes: &mut PendingDeletes) {
        let Some(group) = self.groups.remove(key, pending_deletes) else { return };
        if let Some(groups) = self.per_correlation.get_mut(group.plan(catalogue).id()) {
            groups.remove(&group);
        }
        if let Some(waits) = group.waits {
            self.waiting.remove(&(waits, *key));
        }
        self.held.change(group.owner.organization, group.bytes(), KeptBytes::default());
    }

    /// Goes on under other rules: windows of correlations that are gone or have changed end here.
    pub(crate) fn adopt(
        &mut self,
        adopted: &Catalogue,
        latest: &Catalogue,
        pending_deletes: &mut PendingDeletes,
    ) {
        let found: Vec<(GroupKey, Option<usize>)> = self
            .groups
            .iter()
            .map(|(key, group)| {
                let subject = &group.plan(adopted).subject;
                let plan = latest.plan(group.owner.organization);
                (*key, plan.find_correlation(&subject.matched.id, &subject.content_hash))
            })
            .collect();
        for (key, correlation) in found {
            match (correlation, self.groups.get_mut(&key)) {
                (Some(correlation), Some(group)) => {
                    group.correlation = correlation;
                    // It may wait for another correlation's windows now.
                    let plan = latest.plan(group.owner.organization);
                    wait(&mut self.waiting, &plan.correlation(correlation).spec, key, group);
                }
                _ => self.remove(adopted, &key, pending_deletes),
            }
        }
    }
}
